# Motions whose physics is known: positions, accelerations and forces from closed forms.
import numpy as np

import rotation

GRAVITY = np.array([0.0, 0.0, -9.81])
UP = np.array([0.0, 0.0, 1.0])
MASS = 70.0
INERTIA = np.array([[3.0, 0.2, -0.3], [0.2, 2.5, 0.1], [-0.3, 0.1, 1.2]])
FOOT, HAND = (0.13, 0.05), (0.05, 0.05)
HIP, SHOULDER = np.array([0.0, 0.1, -0.3]), np.array([0.0, 0.2, 0.25])
SIDES = {"left": np.array([1.0, 1.0, 1.0]), "right": np.array([1.0, -1.0, 1.0])}


def axis_turn(axis, angle, rate, second, inertia):
    """A rotation about an axis at rest in the world: orientations, and the torque it
    takes, d/dt (J w) = J axis angle'' + w x (J w)."""
    axis = np.array(axis) / np.linalg.norm(axis)
    q = rotation.from_vector(angle[:, None] * axis)
    m = rotation.matrix(q)
    along = rotation.turned(m @ inertia @ m.transpose(0, 2, 1), np.tile(axis, (len(q), 1)))
    return q, along * second[:, None] + np.cross(axis, along) * (rate**2)[:, None]


def spinning_top(time, inertia, momentum, tilt):
    """A free symmetric body: it precesses about the angular momentum, here upright."""
    across, along = inertia[0, 0], inertia[2, 2]
    precession = momentum / across
    spin = momentum * np.cos(tilt) * (1 / along - 1 / across)
    about_z = [rotation.from_vector(rate * time[:, None] * UP) for rate in (precession, spin)]
    leaning = rotation.from_vector(np.array([[tilt, 0.0, 0.0]]))
    return rotation.multiplied(rotation.multiplied(about_z[0], leaning), about_z[1])


def hermite(time, knots, x, v, side):
    """A cubic Hermite spline and its acceleration; at knots that of the left, of the right,
    or the mean."""

    def of(segment):
        a, b = knots[segment], knots[segment + 1]
        h = (b - a)[:, None]
        s = ((time - a) / (b - a))[:, None]
        x0, x1, v0, v1 = x[segment], x[segment + 1], v[segment] * h, v[segment + 1] * h
        c, d = 3 * (x1 - x0) - 2 * v0 - v1, 2 * (x0 - x1) + v0 + v1
        return x0 + s * (v0 + s * (c + s * d)), (2 * c + 6 * s * d) / h**2

    last = len(knots) - 2
    tiny = 1e-9
    left = np.clip(np.searchsorted(knots, time - tiny) - 1, 0, last)
    right = np.clip(np.searchsorted(knots, time + tiny) - 1, 0, last)
    place, before = of(left)
    _, after = of(right)
    return place, {"left": before, "right": after, "mean": (before + after) / 2}[side]


def two_links(start, end, length, bend):
    """The middle joint of two links of one length."""
    along = end - start
    d = np.linalg.norm(along, axis=1, keepdims=True)
    assert (d < 2 * length).all(), "a limb is too short for this motion"
    aside = rotation.unit(bend - np.sum(bend * along, axis=1, keepdims=True) * along / d**2)
    return start + along / 2 + np.sqrt(length**2 - d**2 / 4) * aside


def effector(name, half_extents, position, axes, grasps=False):
    """One that does not touch anything yet."""
    n = len(position)
    return {
        "name": name,
        "limb": name,
        "half_extents": np.array(half_extents),
        "friction": 0.8,
        "grasps": grasps,
        "position": position,
        "orientation": axes,
        "force": np.zeros((n, 3)),
        "point": position.copy(),
        "torque": np.zeros((n, 3)),
        "normal": rotation.matrix(axes)[:, :, 2],
        "active": np.zeros(n, dtype=bool),
        "touches": np.full(n, None, dtype=object),
        "contact": [],
    }


def character(name, x, q, limbs, patches):
    """Torso, limbs of two links from where they are fixed to their patches, and these."""
    m = rotation.matrix(q)
    links = []
    for patch, (base, length, bend) in zip(patches, limbs):
        start = x + rotation.turned(m, base)
        end = patch["position"]
        middle = two_links(start, end, length, rotation.turned(m, np.array(bend)))
        for index, (a, b) in enumerate([(start, middle), (middle, end)]):
            link = {"name": f"{patch['name']} {index}", "limb": patch["name"], "index": index}
            links.append({**link, "length": length, "radius": 0.04, "start": a, "end": b})
    torso = {"half_extents": np.array([0.12, 0.2, 0.3]), "position": x, "orientation": q}
    body = {"name": name, "mass": MASS, "inertia": INERTIA, "torso": torso}
    return {**body, "links": links, "effectors": patches}


LEGS = [(HIP * side, 0.48, (1.0, 0.0, 0.0)) for side in SIDES.values()]
ARMS = [(SHOULDER * side, 0.45, (-0.3, 0.0, -1.0)) for side in SIDES.values()]


def flat(n):
    return np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))


def feet(x, n):
    """Both feet flat on the ground, below a place, at rest."""
    places = [np.tile([x[0], x[1] + 0.1 * s[1], 0.0], (n, 1)) for s in SIDES.values()]
    names = [f"{side} foot" for side in SIDES]
    return [effector(name, FOOT, p, flat(n)) for name, p in zip(names, places)]


def stand_on(pair, com, force, moment, on=None):
    """Sets the forces of two feet: each has half of the force. The moment about the centre
    of mass comes from the centres of pressure and from torsion about the normal."""
    on = np.full(len(com), True) if on is None else on
    middle = (pair[0]["position"] + pair[1]["position"]) / 2
    z = middle[:, 2] - com[:, 2]
    push = np.where(on, force[:, 2], 1.0)
    x = (z * force[:, 0] - moment[:, 1]) / push
    y = (z * force[:, 1] + moment[:, 0]) / push
    torsion = (moment[:, 2] - x * force[:, 1] + y * force[:, 0])[:, None] * UP
    shift = com + np.column_stack([x, y, z]) - middle
    for foot in pair:
        press(foot, "ground", force / 2, foot["position"] + shift, torsion / 2, on)


def press(patch, what, force, point, torque, on=None):
    on = np.full(len(force), True) if on is None else on
    patch["force"], patch["torque"] = force * on[:, None], torque * on[:, None]
    patch["point"] = np.where(on[:, None], point, patch["position"])
    patch["active"], patch["touches"] = on, np.where(on, what, None)


def clip(time, phases, characters, objects=(), surfaces=()):
    ground = {"name": "ground", "kind": "plane", "point": np.zeros(3), "normal": UP}
    head = {"format": "conatus-clip/1", "up": "z", "gravity": GRAVITY, "dt": time[1] - time[0]}
    rest = {"characters": list(characters), "objects": list(objects)}
    return {**head, "time": time, "phases": phases, "surfaces": [ground, *surfaces], **rest}


def sway(time):
    """A body that stands and sways, turning a little: place, acceleration, orientation and
    torque."""
    t = time
    x = np.column_stack([0.01 * np.sin(3 * t), 0.015 * np.sin(2 * t), 1 + 0.01 * np.cos(4 * t)])
    a = np.column_stack([-0.09 * np.sin(3 * t), -0.06 * np.sin(2 * t), -0.16 * np.cos(4 * t)])
    angle = 0.1 * np.sin(5 * t), 0.5 * np.cos(5 * t), -2.5 * np.sin(5 * t)
    return x, a, *axis_turn([1.0, 2.0, 0.5], *angle, INERTIA)


def standing():
    time = 0.005 * np.arange(401)
    x, a, q, moment = sway(time)
    pair = feet([0, 0], len(time))
    stand_on(pair, x, MASS * (a - GRAVITY), moment)
    return clip(time, [0, 0.5, 1, 1.5, 2], [character("human", x, q, LEGS, pair)])


def jump(dt=0.005, side="mean"):
    """Down, off, 0.4 s in the air, landing further on, and up. Forces jump at knots."""
    time = dt * np.arange(int(2.0 / dt + 1.001))
    knots = np.array([0.0, 0.5, 0.8, 1.2, 1.5, 2.0])
    fall = 1.0 + 1.9 * 0.4 - 9.81 / 2 * 0.16
    z, vz = [1.0, 0.8, 1.0, fall, 0.78, 1.0], [0, 0, 1.9, 1.9 - 9.81 * 0.4, 0, 0]
    forward, vx = [0, 0, 0.06, 0.26, 0.32, 0.32], [0, 0, 0.5, 0.5, 0, 0]
    places, speeds = (np.column_stack([p[0], np.zeros(6), p[1]]) for p in [(forward, z), (vx, vz)])
    x, a = hermite(time, knots, places, speeds, side)
    share = np.clip((time - 0.8) / 0.4, 0, 1)[:, None]
    hop = share * [0.36, 0, 0] + 0.1 * np.sin(np.pi * share) ** 2 * UP
    pair = feet([0, 0], len(time))
    for foot in pair:
        foot["position"] = foot["position"] + hop
    force = MASS * (a - GRAVITY)
    on = (time < 0.8 + 1e-9) | (time > 1.2 - 1e-9)
    stand_on(pair, x, force, np.zeros_like(x), on & (force[:, 2] > 1e-6))
    for foot in pair:
        foot["active"], foot["touches"] = on, np.where(on, "ground", None)
    q = np.tile(rotation.from_vector(np.array([0.1, 0.2, 0.3])), (len(time), 1))
    return clip(time, knots, [character("human", x, q, LEGS, pair)])


def swing():
    """Swinging on a bar, held by two hands."""
    time = 0.005 * np.arange(501)
    f = 0.5 * np.sin(2.5 * time), 1.25 * np.cos(2.5 * time), -3.125 * np.sin(2.5 * time)
    zero, sine, cosine = np.zeros_like(time), np.sin(f[0]), np.cos(f[0])
    x = np.array([0, 0, 2.22]) + np.column_stack([sine, zero, -cosine])
    a = f[2][:, None] * np.column_stack([cosine, zero, sine])
    a += (f[1] ** 2)[:, None] * np.column_stack([-sine, zero, cosine])
    q, moment = axis_turn([0, -1.0, 0], *f, INERTIA)
    hands, soles = [], []
    force = MASS * (a - GRAVITY) / 2
    for side, sign in SIDES.items():
        place = np.tile([0.0, 0.25 * sign[1], 2.22], (len(time), 1))
        hands.append(effector(f"{side} hand", HAND, place, flat(len(time)), grasps=True))
        moment = moment - np.cross(place - x, force)
        below = x + rotation.turned(rotation.matrix(q), np.array([0.05, 0.1 * sign[1], -0.95]))
        soles.append(effector(f"{side} foot", FOOT, below, q))
    for hand in hands:
        press(hand, "bar", force, hand["position"], moment / 2)
    bar = {"name": "bar", "kind": "capsule", "radius": 0.02}
    bar = {**bar, "start": np.array([0, -1.0, 2.2]), "end": np.array([0, 1.0, 2.2])}
    body = character("human", x, q, ARMS + LEGS, hands + soles)
    return clip(time, [0, 0.5, 1, 1.5, 2, 2.5], [body], surfaces=[bar])


def rigid_object(name, mass, inertia, half, x, q, contacts):
    shape = {"kind": "box", "half_extents": np.array(half)}
    head = {"name": name, "mass": mass, "inertia": np.array(inertia), "shape": shape}
    return {**head, "position": x, "orientation": q, "contacts": contacts}


def contact(partner, force, point, torque, normal):
    on = np.full(len(force), True)
    parts = {"with": partner, "force": force, "point": point, "torque": torque}
    return {**parts, "normal": normal, "active": on}


def carrying():
    """25 kg between two hands, swung and turned; a crate that rests, and a top that flies."""
    time = 0.005 * np.arange(401)
    n = len(time)
    x, a, q, moment = sway(time)
    x = x - [0.05, 0, 0]
    t, zero = time, np.zeros(n)
    box = np.column_stack([0.3 + zero, 0.05 * np.sin(3 * t), 1.1 + 0.1 * np.sin(2 * t)])
    box_a = np.column_stack([zero, -0.45 * np.sin(3 * t), -0.4 * np.sin(2 * t)])
    inertia = np.diag([0.4, 0.3, 0.5])
    angle = 0.2 * np.sin(2 * t), 0.4 * np.cos(2 * t), -0.8 * np.sin(2 * t)
    box_q, box_moment = axis_turn([0.2, 0.3, 1.0], *angle, inertia)
    half_force = 25.0 * (box_a - GRAVITY) / 2
    hands = []
    for side, sign in SIDES.items():
        place = box + rotation.turned(rotation.matrix(box_q), np.array([0, 0.15 * sign[1], 0]))
        outward = rotation.from_vector(np.array([-np.pi / 2 * sign[1], 0.0, 0.0]))
        axes = rotation.multiplied(box_q, outward)
        hands.append(effector(f"{side} hand", HAND, place, axes, grasps=True))
        box_moment = box_moment - np.cross(place - box, half_force)
    contacts = []
    force, support = MASS * (a - GRAVITY), moment
    for hand in hands:
        press(hand, "box", -half_force, hand["position"], -box_moment / 2)
        force = force + half_force
        support = support + np.cross(hand["position"] - x, half_force) + box_moment / 2
        acting = half_force, hand["position"], box_moment / 2, -hand["normal"]
        contacts.append(contact(f"human/{hand['name']}", *acting))
    pair = feet([0, 0], n)
    stand_on(pair, x, force, support)
    human = character("human", x, q, LEGS + ARMS, pair + hands)
    box = rigid_object("box", 25.0, inertia, [0.15, 0.15, 0.1], box, box_q, contacts)
    rest, up = np.tile([2.0, 0, 0.2], (n, 1)), np.tile(UP, (n, 1))
    held = contact("ground", 98.1 * up, rest * [1, 1, 0], 0 * up, up)
    crate = rigid_object("crate", 10.0, np.eye(3), [0.2, 0.2, 0.2], rest, flat(n), [held])
    flown = [0, 3.0, 1.5] + t[:, None] * [0.2, 0, 9.0] + t[:, None] ** 2 / 2 * GRAVITY
    shape = np.diag([0.08, 0.08, 0.02])
    top = rigid_object("top", 2.0, shape, [0.1, 0.1, 0.3], flown, spinning_top(t, shape, 0.6, 0.7), [])
    return clip(time, [0, 0.5, 1, 1.5, 2], [human], [box, crate, top])


def helping():
    """One stands and rests a hand on the other's shoulder."""
    time = 0.005 * np.arange(201)
    n = len(time)
    x, a, q, moment = sway(time)
    other = np.tile([0.6, 0, 1.0], (n, 1))
    place, lift = np.tile([0.52, 0.1, 1.3], (n, 1)), np.tile(60.0 * UP, (n, 1))
    hand = effector("left hand", (0.02, 0.02), place, flat(n))
    press(hand, "other/torso", lift, place, 0 * lift)
    pair, others = feet([0, 0], n), feet([0.6, 0], n)
    stand_on(pair, x, MASS * (a - GRAVITY) - lift, moment - np.cross(place - x, lift))
    stand_on(others, other, lift - MASS * GRAVITY, np.cross(place - other, lift))
    one = character("one", x, q, LEGS + ARMS[:1], pair + [hand])
    two = character("other", other, flat(n), LEGS, others)
    return clip(time, [0, 0.5, 1], [one, two])


def turned(of, q):
    """The same clip in a world that is turned."""
    m = rotation.matrix(q)
    vectors = {"position", "start", "end", "point", "force", "torque", "normal", "gravity"}
    if isinstance(of, list):
        return [turned(one, q) for one in of]
    if not isinstance(of, dict):
        return of
    made = {key: turned(value, q) for key, value in of.items()}
    for key in vectors & set(of):
        made[key] = np.asarray(of[key]) @ m.T
    if "orientation" in of:
        made["orientation"] = rotation.multiplied(q, np.asarray(of["orientation"]))
    return made
