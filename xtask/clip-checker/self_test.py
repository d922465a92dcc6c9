# Tests the checker: motions of known physics pass with the known values, and
# every faulty one fails the expected scores and no others.
import copy
import json

import numpy as np

import clip
import synthetic_motions
import rotation
import scores


def plain(value):
    """The value with lists and numbers that JSON supports."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def scored(motion):
    """The scores of a motion after it was written as JSON and read again."""
    return scores.score_clip(clip.Clip(json.loads(json.dumps(plain(motion)))), scores.THRESHOLDS)


def everyone(result):
    return {one["name"]: one for one in result["characters"] + result["objects"]}


def missed(result):
    return {f"{who}: {name}" for who, one in everyone(result).items() for name in one["missed"]}


def effectors(motion, who=0):
    return motion["characters"][who]["effectors"]


# Faults of a motion that stands on two feet.
def stronger(motion):
    for foot in effectors(motion):
        foot["force"] *= 1.1


def biased(motion):
    for foot in effectors(motion):
        foot["force"] += np.array([0.015 * synthetic_motions.MASS * 9.81, 0, 0])


def spike(motion):
    for foot in effectors(motion):
        foot["force"][130] *= 1.5


def spike_at_knot(motion):
    for foot in effectors(motion):
        foot["force"][100] *= 1.5


def apart(motion):
    for foot, sign in zip(effectors(motion), (1, -1)):
        foot["force"] += [0, sign * 0.45 * synthetic_motions.MASS * 9.81, 0]


def both_ways(motion):
    """Within a pyramid, outside the cone: 0.75 of the normal force along both axes."""
    part = 0.75 / 2 * synthetic_motions.MASS * 9.81
    for foot, sign in zip(effectors(motion), (1, -1)):
        foot["force"] += [sign * part, sign * part, 0]
        foot["torque"] += [0, 0, 0.1 * part]


def pulling(motion):
    """One foot pushes with more than the weight, and the other pulls; the sum is kept."""
    one, other = effectors(motion)
    extra = one["force"] * 1.2
    one["force"], other["force"] = one["force"] + extra, other["force"] - extra


def pressed_outside(motion):
    for foot, sign in zip(effectors(motion), (1, -1)):
        foot["point"] += [0, sign * 0.07, 0]


def pressed_above(motion):
    for foot in effectors(motion):
        foot["point"] += foot["force"] / np.linalg.norm(foot["force"], axis=1)[:, None] * 0.02


def pressed_by_torque(motion):
    for foot, sign in zip(effectors(motion), (1, -1)):
        foot["torque"] += [sign * 30.0, 0, 0]


def twisted(motion):
    effectors(motion)[0]["torque"] += [0, 0, 0.1 * synthetic_motions.MASS * 9.81]


def sliding(motion):
    """A foot slides by five centimetres, and the shank moves with it."""
    foot = effectors(motion)[0]
    way = np.clip(np.linspace(-1, 2, len(motion["time"])), 0, 1)[:, None] * [0.05, 0, 0]
    foot["position"] = foot["position"] + way
    human = motion["characters"][0]
    pose = human["torso"]["position"], human["torso"]["orientation"]
    remade = synthetic_motions.character("human", *pose, synthetic_motions.LEGS, effectors(motion))
    human["links"] = remade["links"]


def silently_sliding(motion):
    """A foot that is inactive in the clip but pushes must not slide."""
    sliding(motion)
    effectors(motion)[0]["active"][:] = False


def from_above(motion):
    motion["surfaces"][0]["point"] = np.array([0, 0, -0.05])


def from_below(motion):
    motion["surfaces"][0]["point"] = np.array([0, 0, 0.05])


def stretched(motion):
    link = motion["characters"][0]["links"][1]
    link["end"] = link["start"] + 1.03 * (link["end"] - link["start"])


def torn(motion):
    link = motion["characters"][0]["links"][1]
    link.update({key: link[key] + [0, 0.02, 0] for key in ("start", "end")})


def heavier_box(motion):
    motion["objects"][0]["mass"] *= 1.1


def uneven(motion):
    motion["objects"][0]["contacts"][0]["force"] *= 1.01


def held_down(motion):
    rest = motion["objects"][1]["contacts"][0]
    pull = {**rest, "force": rest["force"] * -0.5}
    rest["force"] = rest["force"] * 1.5
    motion["objects"][1]["contacts"].append(pull)


def hovering(motion):
    crate = motion["objects"][1]
    crate["position"] = crate["position"] + [0, 0, 0.03]
    crate["contacts"][0]["point"] = crate["contacts"][0]["point"] + [0, 0, 0.03]


def held_beside(motion):
    """On the ground, but 5 cm beside the crate; a torque balances it."""
    rest = motion["objects"][1]["contacts"][0]
    rest["point"] = rest["point"] + [0.25, 0, 0]
    rest["torque"] = rest["torque"] + [0, 0.25 * 98.1, 0]


def top_braked(motion):
    """The axis of a tumbling body stands still: its momentum is not kept."""
    time = motion["time"]
    motion["objects"][2]["orientation"] = rotation.from_vector(time[:, None] * [7.5, 0.0, 0.0])
    motion["objects"][2]["inertia"] = np.array([[0.8, 0, 0.2], [0, 0.8, 0], [0.2, 0, 0.4]])


def dropped(motion):
    hand = effectors(motion)[2]
    hand["touches"][:] = None


def unanswered(motion):
    effectors(motion)[2]["touches"][:] = None


def weightless(motion):
    """In the air for longer than gravity allows: the same heights, slower."""
    motion["gravity"] = np.array([0, 0, -6.0])


def floating_hand(motion):
    motion["surfaces"][1]["start"] = np.array([0, -1.0, 2.1])
    motion["surfaces"][1]["end"] = np.array([0, 1.0, 2.1])


# A motion, its fault, and all scores that must be missed then.
FAULTY = [
    ("standing", stronger, {"human: force_rms", "human: replay"}),
    ("standing", biased, {"human: replay"}),
    ("standing", spike, {"human: force_max"}),
    ("standing", spike_at_knot, {"human: force_max"}),
    ("standing", apart, {"human: cone_excess"}),
    ("standing", both_ways, {"human: cone_excess"}),
    ("standing", pulling, {"human: cone_excess", "human: torque_rms"}),
    ("standing", pressed_outside, {"human: pressure_outside"}),
    ("standing", pressed_above, {"human: pressure_outside"}),
    ("standing", pressed_by_torque, {"human: pressure_outside"}),
    ("standing", twisted, {"human: torque_rms"}),
    ("standing", sliding, {"human: slide"}),
    ("standing", silently_sliding, {"human: slide"}),
    ("standing", from_above, {"human: far_impulse"}),
    ("standing", from_below, {"human: far_impulse"}),
    ("standing", stretched, {"human: bone_error"}),
    ("standing", torn, {"human: joint_gap"}),
    ("jump", weightless, {"human: force_rms", "human: force_max", "human: replay"}),
    ("swing", floating_hand, {"human: far_impulse"}),
    ("carrying", heavier_box, {"box: force_rms", "box: replay"}),
    ("carrying", uneven, {"box: reaction"}),
    ("carrying", dropped, {"box: reaction", "human: slide"}),
    ("carrying", held_down, {"crate: pull"}),
    ("carrying", hovering, {"crate: far_impulse"}),
    ("carrying", held_beside, {"crate: far_impulse"}),
    ("carrying", top_braked, {"top: torque_rms", "top: torque_max"}),
    ("helping", unanswered, {"other: force_rms", "other: replay"}),
]

# Faults that make a clip unreadable.
BROKEN = [
    ("no mass", lambda c: c["characters"][0].pop("mass")),
    ("a force too few", lambda c: effectors(c)[0].update(force=effectors(c)[0]["force"][1:])),
    ("not a number", lambda c: effectors(c)[0]["force"].__setitem__((3, 1), np.nan)),
    ("another format", lambda c: c.update(format="conatus-clip/2")),
    ("a surface that is not there", lambda c: effectors(c)[0]["touches"].__setitem__(3, "sky")),
    ("coarse samples", lambda c: c.update(dt=0.01, time=2 * c["time"])),
    ("an unknown kind", lambda c: c["surfaces"][0].update(kind="fog")),
    ("a long quaternion", lambda c: c["characters"][0]["torso"]["orientation"].fill(1.0)),
]


def run():
    """The number of motions, and every result of the checker that is wrong."""
    wrong = []
    jumps = [("jump", synthetic_motions.jump())]
    jumps += [(f"jump, {s} of knots", synthetic_motions.jump(side=s)) for s in ("left", "right")]
    jumps += [("jump, knots off the grid", synthetic_motions.jump(dt=0.0047))]
    others = (synthetic_motions.standing, synthetic_motions.swing, synthetic_motions.carrying, synthetic_motions.helping)
    motions = dict(jumps + [(f.__name__, f()) for f in others])
    y_up = rotation.from_vector(np.array([-np.pi / 2, 0.0, 0.0]))
    for name in ("carrying", "swing"):
        motions[f"{name}, y up"] = {**synthetic_motions.turned(motions[name], y_up), "up": "y"}
    results = {name: scored(motion) for name, motion in motions.items()}
    for name, result in results.items():
        if missed(result):
            wrong.append(f"{name}: misses {sorted(missed(result))}")
        for who, one in everyone(result).items():
            for score, most in EXACT.items():
                value = one["scores"].get(score, {"value": 0})["value"]
                if not value <= most:
                    wrong.append(f"{name}, {who}: {score} is {value}")
    faulty = {}
    for name, fault, expected in FAULTY:
        motion = copy.deepcopy(motions[name])
        fault(motion)
        result = faulty[fault.__name__] = scored(motion)
        if missed(result) != expected:
            found = f"misses {sorted(missed(result))}, not {sorted(expected)}"
            wrong.append(f"{fault.__name__}: {found}")
    for name, fault in BROKEN:
        motion = copy.deepcopy(motions["standing"])
        fault(motion)
        try:
            scored(motion)
            wrong.append(f"{name}: is accepted")
        except clip.Malformed:
            pass
    wrong += known(results, faulty)
    return len(results) + len(FAULTY) + len(BROKEN), wrong


# The limits for closed forms: only errors of the scheme remain.
EXACT = {
    "force_max": 2e-3,
    "torque_max": 2e-3,
    "cone_excess": 0,
    "pressure_outside": 1e-9,
    "slide": 1e-9,
    "bone_error": 1e-9,
    "joint_gap": 1e-9,
    "base_drift": 1e-9,
    "effector_drift": 1e-9,
    "reaction": 1e-9,
    "replay": 1e-3,
    "replay_angle": 2e-3,
    "normal_tilt": 1e-3,
    "inactive_force": 0,
}


def known(results, faulty):
    """Compares with values from closed forms, and with facts."""

    def value(result, score, who="human"):
        return everyone(result)[who]["scores"][score]["value"]

    near = [
        ("10% of force", value(faulty["stronger"], "force_rms"), 0.1, 0.002),
        ("its displacement in 0.5 s", value(faulty["stronger"], "replay"), 0.1 * 9.81 / 8, 0.005),
        ("3% of force", value(faulty["biased"], "force_rms"), 0.03, 1e-4),
        ("the displacement of 3%", value(faulty["biased"], "replay"), 0.03 * 9.81 / 8, 1e-3),
        ("one sample's share", value(faulty["spike"], "force_max"), 0.5 * 2 / 3, 0.01),
        ("0.45 less 0.8 / 2", value(faulty["apart"], "cone_excess"), 0.05, 0.02),
        ("a torque", value(faulty["twisted"], "torque_rms"), 0.1, 1e-3),
        ("5 cm", value(faulty["sliding"], "slide"), 0.05, 1e-6),
        ("all at a distance", value(faulty["from_above"], "far_impulse"), 1.0, 1e-9),
        ("3% of a bone", value(faulty["stretched"], "bone_error"), 0.03, 1e-6),
        ("5 cm, and the shank's radius", value(faulty["from_below"], "penetration"), 0.09, 1e-6),
        ("2 cm and the sway", value(faulty["pressed_outside"], "pressure_outside"), 0.035, 0.015),
        ("1% of 12.5 kg", value(faulty["uneven"], "reaction", "box"), 0.125 / 70, 1e-4),
        ("60 N", value(faulty["unanswered"], "force_rms", "other"), 60 / 70 / 9.81, 1e-4),
    ]
    for name, found, expected, within in near:
        if not abs(found - expected) <= within:
            yield f"{name}: {found} instead of {expected}"
    facts = results["jump"]["characters"][0]["facts"]
    foot = facts["effectors"]["left foot"]
    if not np.allclose(foot["contacts"], [[0, 0.8], [1.2, 2.0]]):
        yield f"a jump's contacts are {foot}"
    if not abs(foot["lift"] - 0.1) < 1e-3 or not 0.03 < facts["first_motion"] < 0.1:
        yield f"a jump's facts are {facts}"
