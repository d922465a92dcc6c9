# What contacts may do: push from where they touch, within friction's cone, from inside
# the patch, without sliding, and with the same force on both sides.
import numpy as np

import rotation

# A contact that is further away than this does not touch, in metres.
MAX_CONTACT_GAP_M = 0.01
# A force below this share of the weight is none; below that, a normal force is too small
# to divide by.
MIN_FORCE_WEIGHTS, MIN_NORMAL_FORCE_WEIGHTS = 1e-6, 1e-3


def norm(vectors):
    return np.linalg.norm(vectors, axis=-1)


def loaded(clip, character, effector):
    """The samples in which a force or a torque acts, also where the clip has it inactive."""
    size = norm(effector.force) + norm(effector.torque)
    return size > MIN_FORCE_WEIGHTS * clip.weight(character)


def others(clip, body):
    """All that a body can touch."""
    return [t for t in clip.colliders if t.owner is not body]


def gap(colliders, points, at):
    """The distance of a group of points from the nearest surface: zero if they are on both
    sides of it, and positive inside as well as outside."""
    nearest = np.full(len(points), np.inf)
    for collider in colliders:
        d = collider.distance(points, at)
        apart = np.where((d.min(axis=1) <= 0) & (d.max(axis=1) >= 0), 0, np.abs(d).min(axis=1))
        nearest = np.minimum(nearest, apart)
    return nearest


def far_impulse(clip, character):
    """The share of all impulse that comes from effectors that do not touch, the worst time
    and effector, and how far that one is. Torques count with an arm of 1 m."""
    everything = away = 0.0
    worst = (0.0, {})
    for effector in character.effectors:
        (at,) = np.nonzero(loaded(clip, character, effector))
        if not len(at):
            continue
        size = (norm(effector.force) + norm(effector.torque))[at]
        apart = gap(others(clip, character), effector.patch(5)[at], at)
        far = np.where(apart > MAX_CONTACT_GAP_M, size, 0)
        everything, away = everything + size.sum(), away + far.sum()
        if far.max() > worst[0]:
            k = np.argmax(far)
            where = {"effector": effector.name, "gap": float(apart[k])}
            worst = (far[k], {**where, "time": clip.time[at[k]]})
    return away / everything if everything else 0.0, worst[1]


def cone_excess(clip, character, effector):
    """By how much the round friction cone (not a pyramid) is exceeded in each sample;
    pulling exceeds it too."""
    push = np.sum(effector.force * effector.normal, axis=1)
    aside = norm(effector.force - push[:, None] * effector.normal)
    excess = np.maximum(aside - effector.friction * np.maximum(push, 0), -push)
    return np.maximum(excess, 0) / clip.weight(character)


def torsion_excess(clip, character, effector):
    """Torsion beyond what friction could hold at the patch's corners."""
    push = np.maximum(np.sum(effector.force * effector.normal, axis=1), 0)
    most = effector.friction * push * np.hypot(*effector.half_extents)
    torsion = np.abs(np.sum(effector.torque * effector.normal, axis=1))
    return np.maximum(torsion - most, 0) / clip.weight(character)


def pressure_outside(clip, character, effector):
    """How far the centre of pressure is off the patch in each sample. Torque across the
    normal moves the centre of a plain contact: with a normal force f it is the same as the
    force at a point n x torque / f away."""
    centre = effector.point
    if not effector.grasps:
        push = np.sum(effector.force * effector.normal, axis=1)
        push = np.maximum(push, MIN_NORMAL_FORCE_WEIGHTS * clip.weight(character))
        centre = centre + np.cross(effector.normal, effector.torque) / push[:, None]
    flat = np.einsum("nji,nj->ni", effector.axes, centre - effector.position)
    over = np.maximum(np.abs(flat[:, :2]) - effector.half_extents, 0)
    outside = norm(np.column_stack([over, flat[:, 2]]))
    return np.where(loaded(clip, character, effector), outside, 0)


def touched(clip, character, effector, where):
    """The touched collider in each sample, None where the clip names no surface."""
    names = {name for name in effector.touches if name is not None}
    found = {name: clip.collider(str(name), character, where) for name in names}
    return [found.get(name) for name in effector.touches]


def intervals(clip, character, effector, colliders):
    """Runs of samples in contact, active by the clip or loaded: (first, last, collider). A run
    is split where it continues on a collider that moves separately."""
    on = effector.active | loaded(clip, character, effector)
    runs, frame = [], None
    for k in np.nonzero(on)[0]:
        moving = colliders[k] if colliders[k] is not None and colliders[k].moves() else None
        if runs and runs[-1][1] == k - 1 and moving is frame:
            runs[-1][1] = k
            runs[-1][2] = runs[-1][2] or colliders[k]
        else:
            runs.append([k, k, colliders[k]])
        frame = moving
    return runs


def slide(effector, run):
    """How far the patch's centre moves along the touched surface: the largest distance
    between any two of its places in one contact, without the part along the normal, in the
    axes of the touched collider."""
    first, last, collider = run
    at = np.arange(first, last + 1)
    centre, outward = effector.position[at], effector.normal[at]
    if collider is not None and collider.moves():
        _, axes = collider.pose
        centre = collider.local(centre[:, None], at)[:, 0]
        outward = np.einsum("nji,nj->ni", axes[at], outward)
    step, mean = np.diff(centre, axis=0), rotation.unit(outward[1:] + outward[:-1])
    step -= np.sum(step * mean, axis=1, keepdims=True) * mean
    path = np.concatenate([np.zeros((1, 3)), np.cumsum(step, axis=0)])
    return max(float(norm(path - p).max()) for p in path)


def normal_tilt(clip, character, effector, colliders):
    """The largest angle between the clip's normal and that of the touched collider, where
    a force acts."""
    largest = 0.0
    on = loaded(clip, character, effector)
    for collider in {t for t in colliders if t is not None}:
        at = np.array([k for k, t in enumerate(colliders) if t is collider and on[k]], dtype=int)
        if len(at):
            true = collider.normal(effector.point[at][:, None], at)[:, 0]
            cosine = np.clip(np.sum(true * effector.normal[at], axis=1), -1, 1)
            largest = max(largest, float(np.degrees(np.arccos(cosine)).max()))
    return largest


def penetration(clip, character):
    """The largest penetration of links and corners of patches, and its place."""
    worst = (0.0, {})
    balls = []
    for link in character.links:
        share = np.linspace(0, 1, 9)[None, :, None]
        along = link.start[:, None] * (1 - share) + link.end[:, None] * share
        balls.append((link.name, along, link.radius))
    balls += [(e.name, e.patch(2), 0.0) for e in character.effectors]
    for name, points, radius in balls:
        for collider in others(clip, character):
            depth = (radius - collider.distance(points)).max(axis=1)
            if depth.max() > worst[0]:
                k = int(depth.argmax())
                worst = (float(depth[k]), {"part": name, "in": collider.name, "time": clip.time[k]})
    return worst


def object_penetration(clip, body):
    """The same of an object's corners or ends, in surfaces and other objects."""
    worst = (0.0, {})
    points, radius = next(t for t in clip.colliders if t.owner is body).balls()
    for collider in clip.colliders:
        if collider.owner is body or collider.owner in clip.characters or not points.size:
            continue
        depth = (radius - collider.distance(points)).max(axis=1)
        if depth.max() > worst[0]:
            k = int(depth.argmax())
            worst = (float(depth[k]), {"in": collider.name, "time": clip.time[k]})
    return worst


def implied(clip, body, touches):
    """The forces of effectors and objects on a character that lists no contacts, as
    reactions to the listed forces."""
    for character, effector, colliders in touches:
        on = np.array([t is not None and t.owner is body for t in colliders])[:, None]
        if on.any():
            yield -effector.force * on, effector.point, -effector.torque * on
    for other, contact in ((o, c) for o in clip.objects for c in o.contacts):
        if clip.effector(contact.partner) is None:
            if clip.collider(contact.partner, other, contact.where).owner is body:
                yield -contact.force, contact.point, -contact.torque


def mismatch(clip, body, touches):
    """Action against reaction: for each partner of a body, the force on the partner and the
    force on the body must cancel. In weights of the partner, or of the body where that is an
    object; torques with an arm of 1 m. Returns the worst, and its place."""
    listed = {}
    for contact in body.contacts:
        found = clip.effector(contact.partner)
        if found is not None:
            key = found[1]
        else:
            key = clip.collider(contact.partner, body, contact.where)
        listed.setdefault(key, []).append((contact.force, contact.point, contact.torque))
    pairs = []
    for character, effector, colliders in touches:
        on = np.array([t is not None and t.owner is body for t in colliders])[:, None]
        if on.any() or effector in listed:
            felt = [(effector.force * on, effector.point, effector.torque * on)]
            name = f"{character.name}/{effector.name}"
            pairs.append((name, clip.weight(character), listed.get(effector, []) + felt))
    for other in clip.objects:
        back = [c for c in other.contacts if clip.effector(c.partner) is None]
        back = [c for c in back if clip.collider(c.partner, other, c.where).owner is body]
        mine = [force for key, force in listed.items() if getattr(key, "owner", None) is other]
        if other is not body and (back or mine):
            felt = [(c.force, c.point, c.torque) for c in back]
            pairs.append((other.name, clip.weight(body), sum(mine, []) + felt))
    worst = (0.0, {})
    for name, weight, forces in pairs:
        force = sum(f for f, _, _ in forces)
        moment = sum(np.cross(p - body.position, f) + t for f, p, t in forces)
        off = np.maximum(norm(force), norm(moment)) / weight
        if off.max() > worst[0]:
            k = int(off.argmax())
            worst = (float(off[k]), {"with": name, "time": clip.time[k]})
    return worst


def object_contacts(clip, body):
    """Of an object's own contacts: the share of impulse that acts further than 1 cm from
    the object or from the surface it is with, and the largest pull by a surface, in weights
    of the object."""
    own = next(t for t in clip.colliders if t.owner is body)
    everything = away = 0.0
    pull, where = 0.0, {}
    for contact in body.contacts:
        points = contact.point[:, None]
        size = norm(contact.force) + norm(contact.torque)
        apart = np.abs(own.distance(points))[:, 0]
        if clip.effector(contact.partner) is None:
            collider = clip.collider(contact.partner, body, contact.where)
            apart = np.maximum(apart, np.abs(collider.distance(points))[:, 0])
            outward = collider.normal(points)[:, 0]
            pulled = -np.sum(contact.force * outward, axis=1) / clip.weight(body)
            if pulled.max() > pull:
                k = int(pulled.argmax())
                pull, where = float(pulled[k]), {"with": contact.partner, "time": clip.time[k]}
        everything += size.sum()
        away += size[apart > MAX_CONTACT_GAP_M].sum()
    return (away / everything if everything else 0.0), pull, where
