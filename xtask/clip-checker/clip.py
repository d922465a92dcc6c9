# Reads a .clip.json: arrays instead of lists, names instead of strings, and a Malformed
# that says where if something is missing, of another length or not a number.
import json

import numpy as np

import rotation
import shapes


class Malformed(Exception):
    """An error in a file, with its place."""


def member(of, key, where):
    if not isinstance(of, dict) or key not in of:
        raise Malformed(f"{where} has no {key!r}")
    return of[key]


def array(of, key, where, shape):
    """Finite numbers of that shape."""
    value = member(of, key, where)
    try:
        numbers = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise Malformed(f"{where}.{key} is not all numbers, or ragged") from None
    if numbers.shape != tuple(shape):
        raise Malformed(f"{where}.{key} has shape {numbers.shape} instead of {tuple(shape)}")
    if not np.isfinite(numbers).all():
        raise Malformed(f"{where}.{key} has numbers that are not finite")
    return numbers


def vectors_or_null(of, key, where, number, otherwise):
    """A vector per sample; null is replaced by the vector of `otherwise`."""
    value = member(of, key, where)
    if isinstance(value, list) and len(value) == number:
        value = [o if v is None else v for v, o in zip(value, otherwise.tolist())]
    return array({key: value}, key, where, (number, 3))


def orientations(of, where, number):
    shape = (4,) if number is None else (number, 4)
    q = array(of, "orientation", where, shape)
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    if np.abs(length - 1).max() > 1e-3:
        raise Malformed(f"{where}.orientation is not of length 1")
    return q / length


def positive(of, key, where):
    value = float(array(of, key, where, ()))
    if not value > 0:
        raise Malformed(f"{where}.{key} is not positive")
    return value


class Body:
    """Something that moves by Newton's and Euler's laws."""

    def __init__(self, of, where, pose, pose_at, number):
        self.name = str(member(of, "name", where))
        self.mass = positive(of, "mass", where)
        self.inertia = array(of, "inertia", where, (3, 3))
        if np.abs(self.inertia - self.inertia.T).max() > 1e-9 * np.abs(self.inertia).max():
            raise Malformed(f"{where}.inertia is not symmetric")
        if np.linalg.eigvalsh(self.inertia).min() <= 0:
            raise Malformed(f"{where}.inertia is not positive")
        self.position = array(pose, "position", pose_at, (number, 3))
        self.orientation = orientations(pose, pose_at, number)
        self.axes = rotation.matrix(self.orientation)
        given = of.get("contacts")
        self.contacts = [
            Contact(c, f"{where}.contacts[{i}]", number, self.position)
            for i, c in enumerate(given or [])
        ]
        self.lists_contacts = given is not None


class Contact:
    """The force of a partner on a body, from the body's list of contacts."""

    def __init__(self, of, where, number, near):
        self.partner = str(member(of, "with", where))
        self.where = where
        self.force = array(of, "force", where, (number, 3))
        self.point = vectors_or_null(of, "point", where, number, near)
        self.torque = array(of, "torque", where, (number, 3))


class Effector:
    """A patch of a character, and the force that acts on it there."""

    def __init__(self, of, where, number):
        self.name = str(member(of, "name", where))
        self.limb = of.get("limb")
        self.half_extents = array(of, "half_extents", where, (2,))
        self.friction = float(array(of, "friction", where, ()))
        self.grasps = bool(member(of, "grasps", where))
        self.position = array(of, "position", where, (number, 3))
        self.axes = rotation.matrix(orientations(of, where, number))
        self.force = array(of, "force", where, (number, 3))
        self.torque = array(of, "torque", where, (number, 3))
        self.point = vectors_or_null(of, "point", where, number, self.position)
        outward = vectors_or_null(of, "normal", where, number, self.axes[:, :, 2])
        self.normal = rotation.unit(outward)
        active, touches = member(of, "active", where), member(of, "touches", where)
        if len(active) != number or len(touches) != number:
            raise Malformed(f"{where}: active or touches is not of the length of time")
        self.active = np.array([bool(a) for a in active])
        self.touches = touches

    def patch(self, across):
        """Points of the patch, `across` along each of its sides: samples x points x 3."""
        ends = np.linspace(-1, 1, across)
        flat = np.array([(x, y) for x in ends for y in ends]) * self.half_extents
        return self.position[:, None] + np.einsum("nij,pj->npi", self.axes[:, :, :2], flat)


class Character(Body):
    def __init__(self, of, where, number):
        torso = member(of, "torso", where)
        super().__init__(of, where, torso, f"{where}.torso", number)
        self.half_extents = array(torso, "half_extents", f"{where}.torso", (3,))
        self.links = [
            Link(link, f"{where}.links[{i}]", number)
            for i, link in enumerate(member(of, "links", where))
        ]
        self.effectors = [
            Effector(effector, f"{where}.effectors[{i}]", number)
            for i, effector in enumerate(member(of, "effectors", where))
        ]


class Link:
    def __init__(self, of, where, number):
        self.name = str(member(of, "name", where))
        self.limb, self.index = of.get("limb"), of.get("index", 0)
        self.length = positive(of, "length", where)
        self.radius = float(array(of, "radius", where, ()))
        self.start = array(of, "start", where, (number, 3))
        self.end = array(of, "end", where, (number, 3))


class Clip:
    def __init__(self, of):
        if not isinstance(of, dict) or of.get("format") != "conatus-clip/1":
            raise Malformed('this is no clip of format "conatus-clip/1"')
        self.gravity = array(of, "gravity", "clip", (3,))
        ups = {"y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}
        if member(of, "up", "clip") not in ups:
            raise Malformed("up is neither y nor z")
        self.up = ups[of["up"]]
        self.dt = positive(of, "dt", "clip")
        if self.dt > 0.005 * (1 + 1e-9):
            raise Malformed(f"dt is {self.dt}, coarser than 0.005 s")
        number = len(member(of, "time", "clip"))
        if number < 5:
            raise Malformed(f"there are {number} samples: too few to differentiate")
        self.time = array(of, "time", "clip", (number,))
        even = self.time[0] + self.dt * np.arange(number)
        if np.abs(self.time - even).max() > 1e-3 * self.dt:
            raise Malformed("time does not advance by dt")
        self.time = even
        phases = of.get("phases", [])
        self.phases = array({"phases": phases}, "phases", "clip", (len(phases),))
        self.characters = [
            Character(c, f"characters[{i}]", number)
            for i, c in enumerate(member(of, "characters", "clip"))
        ]
        self.objects = []
        for i, o in enumerate(of.get("objects", [])):
            body = Body(o, f"objects[{i}]", o, f"objects[{i}]", number)
            body.shape = member(o, "shape", f"objects[{i}]")
            self.objects.append(body)
        self.colliders = self.make_colliders(of.get("surfaces", []))
        self.weight_of_one_kilogram = np.linalg.norm(self.gravity) or 9.81

    def weight(self, body):
        return body.mass * self.weight_of_one_kilogram

    def make_colliders(self, surfaces):
        """All that can be touched."""
        colliders = []
        for i, of in enumerate(surfaces):
            where = f"surfaces[{i}]"
            shape = self.shape(of, where)
            moved = None
            if "position" in of:
                place = array(of, "position", where, (3,))[None]
                q = orientations(of, where, None) if "orientation" in of else [1.0, 0, 0, 0]
                moved = place, rotation.matrix(np.array(q)[None])
            colliders.append(shapes.Collider(str(member(of, "name", where)), shape, moved))
        for i, body in enumerate(self.objects):
            shape = self.shape(body.shape, f"objects[{i}].shape")
            colliders.append(shapes.Collider(body.name, shape, (body.position, body.axes), body))
        for body in self.characters:
            box = shapes.Box(body.half_extents, 0.0)
            pose = body.position, body.axes
            colliders.append(shapes.Collider(f"{body.name}/torso", box, pose, body))
            for link in body.links:
                colliders.append(shapes.link(f"{body.name}/{link.name}", link, body))
        return colliders

    @staticmethod
    def shape(of, where):
        kind = member(of, "kind", where)
        if kind == "plane":
            outward = rotation.unit(array(of, "normal", where, (3,)))
            return shapes.Plane(array(of, "point", where, (3,)), outward)
        if kind == "box":
            half = array(of, "half_extents", where, (3,))
            return shapes.Box(half, float(of.get("radius", 0.0)))
        if kind == "sphere":
            return shapes.Capsule(np.zeros(3), np.zeros(3), positive(of, "radius", where))
        if kind == "capsule":
            start, end = (array(of, key, where, (3,)) for key in ("start", "end"))
            return shapes.Capsule(start, end, positive(of, "radius", where))
        if kind == "heightfield":
            columns = int(member(of, "columns", where))
            heights = array(of, "heights", where, (len(member(of, "heights", where)),))
            if columns < 1 or len(heights) % columns:
                raise Malformed(f"{where}.heights is not all rows of {columns}")
            origin = array(of, "origin", where, (3,))
            spacing = positive(of, "spacing", where)
            return shapes.Heightfield(origin, spacing, heights.reshape(-1, columns))
        raise Malformed(f"{where} is of an unknown kind {kind!r}")

    def collider(self, name, who, where):
        """The touched collider, by its name: a surface, an object, or `character/link`
        (or `character.link`, or `link` alone where that is clear); `torso` is a link, and
        meant by a character's name alone."""
        others = [t for t in self.colliders if t.owner is not who]
        found = [t for t in others if t.name in (name, name.replace(".", "/", 1))]
        found = found or [t for t in others if t.name.partition("/")[2] == name]
        found = found or [t for t in others if t.name == f"{name}/torso"]
        if len(found) != 1:
            raise Malformed(f"{where}: {len(found)} colliders are named {name!r}")
        return found[0]

    def effector(self, name):
        """The character and the effector that a contact is with, if with one:
        `character/effector`, `character.effector`, or `effector` if there is but one."""
        pairs = [(c, e) for c in self.characters for e in c.effectors]
        full = [(c, e) for c, e in pairs if name in (f"{c.name}/{e.name}", f"{c.name}.{e.name}")]
        found = full or [p for p in pairs if p[1].name == name]
        return found[0] if len(found) == 1 else None


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return Clip(json.load(file))
    except (OSError, ValueError) as error:
        raise Malformed(f"it cannot be read: {error}") from None
