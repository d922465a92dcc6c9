# All scores of a clip, each with the threshold that it must not pass.
import numpy as np

import contact
import dynamics
import rotation

# The thresholds, and what each score means: its unit, and a divisor for the table.
THRESHOLDS = {
    "force_rms": 0.05,
    "force_max": 0.25,
    "torque_rms": 0.05,
    "torque_max": 0.25,
    "far_impulse": 0.01,
    "cone_excess": 0.01,
    "pressure_outside": 0.005,
    "slide": 0.02,
    "bone_error": 0.01,
    "replay": 0.02,
    "reaction": 0.001,
}

# The interval between the starts of replays, and their length, in seconds.
REPLAY_INTERVAL_S, REPLAY_DURATION_S = 0.1, 0.5


class Scores:
    """Values by name, some with a threshold."""

    def __init__(self, thresholds):
        self.thresholds, self.all = thresholds, {}

    def add(self, name, value, threshold=None, **where):
        """Stores a score; `threshold` names a threshold with another name than the score."""
        entry = {"value": float(value)}
        limit = self.thresholds.get(threshold or name)
        if limit is not None:
            entry["threshold"] = limit
            entry["passed"] = bool(value <= limit)
        plain = {k: v.item() if isinstance(v, np.generic) else v for k, v in where.items()}
        self.all[name] = {**entry, **plain}

    def missed(self):
        return [name for name, score in self.all.items() if not score.get("passed", True)]


def knots_of(clip, segments):
    """Where accelerations may jump: the phases' ends, and in between where a phase has
    several pieces of spline."""
    if len(clip.phases) < 2:
        return clip.phases
    shares = np.arange(segments) / segments
    inner = clip.phases[:-1, None] + np.diff(clip.phases)[:, None] * shares
    return np.append(inner.ravel(), clip.phases[-1])


def add_dynamics(clip, body, total, knots, scores):
    missing, scheme = dynamics.residual(clip, body, total, knots)
    parts = {"force": missing[:, :3], "torque": missing[:, 3:], "combined": missing}
    for name, part in parts.items():
        size = np.linalg.norm(part, axis=1)
        scores.add(f"{name}_rms", np.sqrt(np.mean(size**2)))
        k = int(size.argmax())
        scores.add(f"{name}_max", size[k], time=clip.time[k + 1])
    scores.add("scheme_error", scheme)
    every = max(int(round(REPLAY_INTERVAL_S / clip.dt)), 1)
    starts = np.arange(0, max(len(clip.time) - every, 1), every)
    far, turned = dynamics.replay(clip, body, total, knots, starts, REPLAY_DURATION_S)
    k = int(far.argmax())
    scores.add("replay", far[k], start=clip.time[starts[k]], starts=len(starts))
    scores.add("replay_angle", turned.max(), start=clip.time[starts[int(turned.argmax())]])


def worst_of(clip, effectors, per_sample):
    """The largest value over effectors and samples, and where it is."""
    worst = (0.0, {})
    for effector in effectors:
        values = per_sample(effector)
        k = int(np.argmax(values))
        if values[k] > worst[0]:
            worst = (values[k], {"effector": effector.name, "time": clip.time[k]})
    return worst


def add_contacts(clip, character, touches, scores):
    def add(name, found):
        scores.add(name, found[0], **found[1])

    plain = [e for e in character.effectors if not e.grasps]
    add("far_impulse", contact.far_impulse(clip, character))
    for name, effectors, score in [
        ("cone_excess", plain, contact.cone_excess),
        ("pressure_outside", character.effectors, contact.pressure_outside),
        ("torsion_excess", plain, contact.torsion_excess),
    ]:
        add(name, worst_of(clip, effectors, lambda e, s=score: s(clip, character, e)))
    slid = (0.0, {})
    tilt = idle = 0.0
    for owner, effector, colliders in touches:
        if owner is not character:
            continue
        for run in contact.intervals(clip, character, effector, colliders):
            length = contact.slide(effector, run)
            if length > slid[0]:
                ends = {"time": clip.time[run[0]], "end": clip.time[run[1]]}
                slid = (length, {"effector": effector.name, **ends})
        tilt = max(tilt, contact.normal_tilt(clip, character, effector, colliders))
        silent = contact.norm(effector.force)[~effector.active]
        idle = max(idle, silent.max() / clip.weight(character) if len(silent) else 0)
    add("slide", slid)
    scores.add("normal_tilt", tilt)
    scores.add("inactive_force", idle)
    add("penetration", contact.penetration(clip, character))


def add_bones(clip, character, scores):
    """Lengths of links, how links of a limb hold together, and, without a threshold, how limbs
    hang on the torso and effectors on limbs."""
    bone, joint, base, hold = ((0.0, {}) for _ in range(4))

    def larger(than, values, name):
        k = int(np.argmax(values))
        where = {"link": name, "time": clip.time[k]}
        return (values[k], where) if values[k] > than[0] else than

    limbs = {}
    for link in character.links:
        length = contact.norm(link.end - link.start)
        bone = larger(bone, np.abs(length / link.length - 1), link.name)
        limbs.setdefault(link.limb, []).append(link)
    for limb, links in limbs.items():
        if limb is None:
            continue
        links.sort(key=lambda link: link.index)
        for one, other in zip(links, links[1:]):
            apart = contact.norm(other.start - one.end) / one.length
            joint = larger(joint, apart, other.name)
        from_torso = links[0].start - character.position
        on_torso = np.einsum("nji,nj->ni", character.axes, from_torso)
        base = larger(base, contact.norm(on_torso - on_torso[0]), links[0].name)
        for effector in character.effectors:
            if effector.limb == limb:
                apart = contact.norm(effector.position - links[-1].end)
                hold = larger(hold, np.abs(apart - apart[0]), links[-1].name)
    scores.add("bone_error", bone[0], **bone[1])
    scores.add("joint_gap", joint[0], "bone_error", **joint[1])
    scores.add("base_drift", base[0], **base[1])
    scores.add("effector_drift", hold[0], **hold[1])


def facts(clip, character, touches):
    """Properties of a movement, for tests of it."""
    up = -rotation.unit(clip.gravity) if clip.gravity.any() else clip.up
    tracks = {"torso": character.position}
    effectors = {}
    for owner, effector, colliders in touches:
        if owner is not character:
            continue
        runs = contact.intervals(clip, character, effector, colliders)
        height = (effector.position - effector.position[0]) @ up
        effectors[effector.name] = {
            "contacts": [[clip.time[a].item(), clip.time[b].item()] for a, b, _ in runs],
            "touches": [collider.name if collider is not None else None for _, _, collider in runs],
            "lift": height.max().item(),
        }
        tracks[effector.name] = effector.position
    moved = np.zeros(len(clip.time), dtype=bool)
    thirds = np.zeros(3)
    for track in tracks.values():
        moved |= contact.norm(track - track[0]) > 0.01
        step = contact.norm(np.diff(track, axis=0))
        thirds += [part.sum() for part in np.array_split(step, 3)]
    return {
        "effectors": effectors,
        "first_motion": clip.time[int(moved.argmax())].item() if moved.any() else None,
        "path_by_thirds": (thirds / max(thirds.sum(), 1e-300)).tolist(),
        "torso_start": character.position[0].tolist(),
        "torso_end": character.position[-1].tolist(),
    }


def score_clip(clip, thresholds, segments=2):
    """All scores of a clip: for characters and for objects, by name."""
    knots = knots_of(clip, segments)
    touches = []
    for character in clip.characters:
        for effector in character.effectors:
            where = f"{character.name}/{effector.name}"
            colliders = contact.touched(clip, character, effector, where)
            touches.append((character, effector, colliders))
    characters, objects = [], []
    for body in clip.characters:
        forces = [(e.force, e.point, e.torque) for e in body.effectors]
        if body.lists_contacts:
            forces += [(c.force, c.point, c.torque) for c in body.contacts]
        else:
            forces += list(contact.implied(clip, body, touches))
        scores = Scores(thresholds)
        add_dynamics(clip, body, dynamics.wrench(clip, body, forces), knots, scores)
        add_contacts(clip, body, touches, scores)
        add_bones(clip, body, scores)
        if body.lists_contacts:
            off, where = contact.mismatch(clip, body, touches)
            scores.add("reaction", off, **where)
        entry = {"name": body.name, "scores": scores.all, "missed": scores.missed()}
        characters.append({**entry, "facts": facts(clip, body, touches)})
    for body in clip.objects:
        forces = [(c.force, c.point, c.torque) for c in body.contacts]
        scores = Scores(thresholds)
        add_dynamics(clip, body, dynamics.wrench(clip, body, forces), knots, scores)
        off, where = contact.mismatch(clip, body, touches)
        scores.add("reaction", off, **where)
        share, pull, where = contact.object_contacts(clip, body)
        scores.add("far_impulse", share)
        scores.add("pull", pull, "cone_excess", **where)
        depth, where = contact.object_penetration(clip, body)
        scores.add("penetration", depth, **where)
        objects.append({"name": body.name, "scores": scores.all, "missed": scores.missed()})
    return {"characters": characters, "objects": objects}
