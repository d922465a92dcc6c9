# Reads the .clip.json files named on the command line and scores the physics of their
# motions by differentiating positions itself; prints a table, or JSON with --json, and
# exits with 1 if a threshold is missed. It shares only the file format with the program.
#
#   python check.py [--json] [--SCORE THRESHOLD]... CLIP...
#   python check.py --self-test     valid motions of known physics pass, faulty ones fail
#
# Scores of a character (forces in its weights, torques in its weight times 1 m):
#   force_rms, force_max     m(a - g) less all forces, over all samples but the two ends;
#   torque_rms, torque_max   the rate of angular momentum about the centre of mass less all
#                            torques. dynamics.py explains how forces and differences of
#                            positions are made comparable, also at the knots of splines
#   combined_*               both as one vector of six (no threshold)
#   far_impulse              share of the impulse from effectors of which no point is
#                            within 1 cm of a surface
#   cone_excess              force outside the friction cone, or pulling, of effectors that
#                            do not grasp. A clip's `friction` is that of the round cone: a
#                            solver with a pyramid must stay within the cone
#   pressure_outside         distance of the force's point from the patch, sideways or along
#                            its normal; torque across the normal counts as moving it (m)
#   slide                    how far a patch moves along the touched surface in one contact (m)
#   bone_error, joint_gap    error of a link's length; gap to the next link of the limb
#   replay                   distance from the clip of a free body with the clip's start and
#                            forces after half a second, the worst of starts every 0.1 s (m)
#   reaction                 sum of a contact force and its reaction, which must cancel
# Without a threshold: replay_angle (rad), penetration (m), torsion_excess (beyond friction at the
# patch's corners), normal_tilt (degrees to the touched surface's normal), inactive_force,
# base_drift (limbs on the torso, m), effector_drift (effectors on limbs, m), scheme_error
# (the possible error of interpolating forces between samples).
# Objects have the same scores as far as they apply, in their own weight except for
# `reaction`; `pull` is the force of a surface that holds them back.
#
# On a character that lists no `contacts`, everything that touches it acts with the reaction.
import argparse
import json
import os
import sys

import clip
import scores
import self_test

LABELS = {
    "force_rms": ("force residual, rms", 100, "% weight"),
    "force_max": ("force residual, max", 100, "% weight"),
    "torque_rms": ("torque residual, rms", 100, "% weight m"),
    "torque_max": ("torque residual, max", 100, "% weight m"),
    "combined_rms": ("both, rms", 100, "%"),
    "combined_max": ("both, max", 100, "%"),
    "scheme_error": ("error of the scheme", 100, "% weight"),
    "far_impulse": ("impulse at a distance", 100, "% of all"),
    "cone_excess": ("outside friction's cone", 100, "% weight"),
    "pull": ("pulled by a surface", 100, "% weight"),
    "torsion_excess": ("torsion beyond friction", 100, "% weight m"),
    "pressure_outside": ("centre of pressure off patch", 1000, "mm"),
    "slide": ("slide in a contact", 1000, "mm"),
    "bone_error": ("length of bones", 100, "%"),
    "joint_gap": ("gap of joints", 100, "% of bone"),
    "base_drift": ("limbs move on the torso", 1000, "mm"),
    "effector_drift": ("effectors move on limbs", 1000, "mm"),
    "replay": ("replay, off by", 1000, "mm"),
    "replay_angle": ("replay, turned by", 57.29577951308232, "degrees"),
    "reaction": ("action less reaction", 100, "% weight"),
    "penetration": ("penetration", 1000, "mm"),
    "normal_tilt": ("normals off by", 1, "degrees"),
    "inactive_force": ("force while inactive", 100, "% weight"),
}


def check_file(path, thresholds, segments):
    """The result for a file, also for an invalid one."""
    result = {"file": os.path.basename(path), "errors": [], "characters": [], "objects": []}
    try:
        motion = clip.load(path)
        result.update(seconds=float(motion.time[-1] - motion.time[0]), samples=len(motion.time))
        result.update(dt=motion.dt, **scores.score_clip(motion, thresholds, segments))
        if not motion.characters and not motion.objects:
            raise clip.Malformed("there are neither characters nor objects")
    except clip.Malformed as error:
        result["errors"].append(str(error))
    except Exception as error:
        result["errors"].append(f"the clip cannot be scored: {type(error).__name__}: {error}")
    everyone = result["characters"] + result["objects"]
    result["missed"] = [f"{one['name']}: {name}" for one in everyone for name in one["missed"]]
    result["passed"] = not result["errors"] and not result["missed"]
    return result


def print_table(result):
    about = f", {result['seconds']:.2f} s, {result['samples']} samples" if "dt" in result else ""
    print(
        f"{result['file']}: {len(result['missed'])} thresholds missed, "
        f"{len(result['errors'])} errors{about}"
    )
    for error in result["errors"]:
        print(f"  error: {error}")
    for one in result["characters"] + result["objects"]:
        print(f"  {one['name']}")
        for name, score in one["scores"].items():
            label, times, unit = LABELS[name]
            threshold = f"<= {score['threshold'] * times:g}" if "threshold" in score else ""
            extra = {k: v for k, v in score.items() if k not in ("value", "threshold", "passed")}
            where = ", ".join(
                f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in extra.items()
            )
            verdict = "" if score.get("passed", True) else "MISSED"
            value = f"{score['value'] * times:10.3f} {unit:<12}"
            print(f"    {label:<30}{value}{threshold:<10}{verdict:<8}{where}".rstrip())


def main():
    parser = argparse.ArgumentParser(description="Scores the physics of .clip.json files.")
    parser.add_argument("clips", nargs="*", metavar="CLIP")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--self-test", action="store_true", help="prove the checker itself")
    parser.add_argument(
        "--segments",
        type=int,
        default=2,
        help="pieces of spline in a phase, between which accelerations may jump (default 2)",
    )
    for name, threshold in scores.THRESHOLDS.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, type=float, default=threshold, metavar="THRESHOLD", help=f"default {threshold}")
    options = parser.parse_args()
    if not options.clips and not options.self_test:
        parser.error("name a clip, or --self-test")
    if options.self_test:
        proven, wrong = self_test.run()
        if wrong:
            print("the checker fails its own test:", *wrong, sep="\n  ")
            return 1
        into = sys.stderr if options.json else sys.stdout
        print(f"the checker passes its own test: {proven} motions", file=into)
    thresholds = {name: getattr(options, name) for name in scores.THRESHOLDS}
    results = [check_file(path, thresholds, options.segments) for path in options.clips]
    if options.json:
        print(json.dumps({"thresholds": thresholds, "clips": results}, indent=1))
    else:
        for result in results:
            print_table(result)
    return 0 if all(result["passed"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
