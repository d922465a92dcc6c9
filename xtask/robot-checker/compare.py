"""Compares a run of an imported MJCF model with MuJoCo.

compare.py MODEL.xml RUN.csv [--until SECONDS] [--bound METRES] [--step SECONDS]

MuJoCo steps the model with all signals at zero. At every frame of the run, the centres of
mass of the bodies are compared. Bodies that are welded to others are one body, as in an
imported scene. The script prints the largest difference of every frame, and fails if one
exceeds the bound. It shares no code with Conatus.
"""

import argparse
import csv
import sys

import mujoco
import numpy


def bodies_of(model):
    """The bodies that move, each with those that are welded to it."""
    groups = {}
    for body in range(1, model.nbody):
        root = int(model.body_weldid[body])
        if root != 0:
            groups.setdefault(root, []).append(body)
    return {model.body(root).name: members for root, members in groups.items()}


def centre(model, data, members):
    masses = model.body_mass[members]
    return (data.xipos[members] * masses[:, None]).sum(axis=0) / masses.sum()


def frames_of(path):
    """The positions of bodies by time."""
    frames = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            place = numpy.array([float(row[axis]) for axis in "xyz"])
            frames.setdefault(float(row["time"]), {})[row["body"]] = place
    return frames


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("run")
    parser.add_argument("--until", type=float, default=0.2)
    parser.add_argument("--bound", type=float, default=0.01)
    parser.add_argument("--step", type=float)
    arguments = parser.parse_args()
    model = mujoco.MjModel.from_xml_path(arguments.model)
    if arguments.step:
        model.opt.timestep = arguments.step
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    groups = bodies_of(model)
    frames = frames_of(arguments.run)
    worst, compared = 0.0, 0
    for time in sorted(frames):
        if time > arguments.until + 1e-9:
            break
        while data.time < time - 0.5 * model.opt.timestep:
            mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        differences = {
            name: float(numpy.linalg.norm(frames[time][name] - centre(model, data, members)))
            for name, members in groups.items()
        }
        compared += 1
        name = max(differences, key=differences.get)
        mean = sum(differences.values()) / len(differences)
        worst = max(worst, differences[name])
        print(
            f"{time:.3f} s: mean {1000 * mean:.3f} mm, "
            f"largest {1000 * differences[name]:.3f} mm ({name}), {data.ncon} contacts"
        )
    if compared < 2 or not worst <= arguments.bound:
        sys.exit(f"{compared} frames differ by up to {1000 * worst:.3f} mm")
    print(f"{compared} frames: 0 errors, largest difference {1000 * worst:.3f} mm")


if __name__ == "__main__":
    main()
