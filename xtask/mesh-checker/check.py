# Reads the folders of .obj frames named on the command line and has libigl look for
# cloth that passes through itself, other cloth or a solid, or is behind a plane; prints
# each folder's counts, and exits with 1 if there is any. Before that it shows with
# synthetic frames that it finds every kind of intersection.
#
# Touching counts as intersecting, as in the program's own check. Pairs of solids are not
# checked, nor bodies that do not collide with cloth; docs/formats.md describes how frames
# mark the kind of an object. Solids have the triangles that cloth collides with.
import os
import sys
from collections import Counter

import numpy as np
from igl.predicates import find_intersections, find_self_intersections

CLOTH, SOLID, OTHER = range(3)
KINDS = {"cloth": CLOTH, "body": SOLID, "obstacle": SOLID, "body that meets no cloth": OTHER}


class Frame:
    """The content of a file: points, planes, and for each kind of object its triangles and
    the names of the objects that these belong to."""

    def __init__(self, lines):
        self.points, self.planes, self.errors = [], [], []
        self.triangles, self.owners = ([], [], []), ([], [], [])
        comment = name = None
        kind = OTHER
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            if word == "#":
                comment = rest
                if rest.startswith("plane through "):
                    words = rest.replace(",", "").split()
                    self.planes.append(np.array([words[2:5], words[6:9]], dtype=float))
                elif rest.endswith(" is left out: its numbers are not finite"):
                    self.errors.append(rest)
            elif word == "o":
                name, kind = rest, KINDS.get(comment, OTHER)
                if comment not in KINDS:
                    self.errors.append(f"the kind of {name} is missing")
                comment = None
            elif word == "v":
                self.points.append([float(x) for x in rest.split()])
            elif word == "f":
                self.triangles[kind].append([int(corner) - 1 for corner in rest.split()])
                self.owners[kind].append(name)
        self.points = np.array(self.points, dtype=float).reshape(-1, 3)
        self.triangles = [np.array(t, dtype=np.int64).reshape(-1, 3) for t in self.triangles]

    def intersections(self):
        """The number of intersecting pairs of triangles, by the names of their objects; for
        planes, the number of triangles that are partly behind."""
        found = Counter()
        cloth, solid, _ = self.triangles
        of_cloth, of_solid, _ = self.owners
        if len(cloth):
            _, pairs, _ = find_self_intersections(self.points, cloth, False)
            found.update((of_cloth[i], of_cloth[j]) for i, j in pairs)
        if len(cloth) and len(solid):
            _, pairs, _ = find_intersections(self.points, cloth, self.points, solid, False)
            found.update((of_cloth[i], of_solid[j]) for i, j in pairs)
        for point, normal in self.planes:
            behind = (self.points - point) @ normal < 0
            (triangles,) = np.nonzero(behind[cloth].any(axis=1))
            found.update((of_cloth[i], "a plane") for i in triangles)
        return found


def check(folder):
    """Prints the counts of a folder; returns whether there are no faults."""
    names = sorted(n for n in os.listdir(folder) if n.startswith("frame-"))
    errors = [] if names else ["there are no frames"]
    notes, number, sizes = [], 0, [0, 0]
    for name in names:
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                frame = Frame(file)
            found = frame.intersections()
        except Exception as error:
            errors.append(f"{name} cannot be checked: {error}")
            continue
        errors += [f"{name}: {error}" for error in frame.errors]
        number += sum(found.values())
        for (a, b), count in found.items():
            notes.append(f"{name}: {a} intersects {b}, {count} times")
        sizes = [max(s, len(t)) for s, t in zip(sizes, frame.triangles)]
    print(
        f"{os.path.basename(folder)}: {number} intersections, {len(errors)} errors, "
        f"{len(names)} frames, {sizes[CLOTH]} triangles of cloth, {sizes[SOLID]} of solids"
    )
    for line in [f"error: {error}" for error in errors[:20]] + notes[:20]:
        print(f"  {line}")
    return not errors and not number


FLOOR = [(0, 0, 0), (8, 0, 0), (0, 8, 0)]


def spike(depth):
    """A triangle on one corner, this deep in the floor."""
    return [(1, 1, -depth), (2, 1, 3), (1, 2, 3)]


def sheet(n):
    """A wavy unit square of n times n cells: its points, and its triangles, which touch
    their neighbours."""
    across = [(i / n, j / n) for j in range(n + 1) for i in range(n + 1)]
    points = [(x, y, 0.05 * np.sin(9 * x) * np.cos(7 * y)) for x, y in across]
    cells = [j * (n + 1) + i for j in range(n) for i in range(n)]
    halves = [[(k, k + 1, k + n + 2), (k, k + n + 2, k + n + 1)] for k in cells]
    return points, sum(halves, [])


def written(*objects):
    """A frame of objects: kind, points, and faces if these are not each three points."""
    lines, before = [], 1
    for kind, points, *faces in objects:
        thirds = [(k, k + 1, k + 2) for k in range(0, len(points), 3)]
        lines += [f"# {kind}", "o thing"]
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in np.array(points, dtype=float).tolist()]
        lines += ["f " + " ".join(str(c + before) for c in f) for f in (faces or [thirds])[0]]
        before += len(points)
    return lines


def self_test():
    """The wrong results of the checker for frames whose counts are known."""
    many = sheet(40)
    needle = [(0.511, 0.513, 1), (0.512, 0.513, 1), (0.5115, 0.5131, -1)]
    bow = FLOOR + [(2, 2, 2), (2, 2, -2)]
    fold = FLOOR + [(1, 1, 1e-3)]
    ground = ["# plane through 0.0 0.0 0.0, normal 0.0 0.0 1.0"]
    cases = [
        ("cloth through itself", 1, written(("cloth", FLOOR + spike(1)))),
        ("cloth through a neighbour", 1, written(("cloth", bow, [(0, 1, 2), (0, 3, 4)]))),
        ("cloth through cloth", 1, written(("cloth", FLOOR), ("cloth", spike(1)))),
        ("cloth through a body", 1, written(("cloth", FLOOR), ("body", spike(1)))),
        ("a body through cloth", 1, written(("cloth", spike(1)), ("body", FLOOR))),
        ("cloth through an obstacle", 1, written(("cloth", FLOOR), ("obstacle", spike(1)))),
        ("cloth a little in a body", 1, written(("cloth", FLOOR), ("body", spike(1e-12)))),
        ("cloth that just touches", 1, written(("cloth", FLOOR), ("body", spike(0)))),
        ("cloth a little above a body", 0, written(("cloth", FLOOR), ("body", spike(-1e-12)))),
        ("cloth that is folded", 0, written(("cloth", fold, [(0, 1, 2), (2, 1, 3)]))),
        ("many triangles", 0, written(("cloth", *many))),
        ("one among many", 1, written(("cloth", *many), ("cloth", needle))),
        ("a body through an obstacle", 0, written(("body", FLOOR), ("obstacle", spike(1)))),
        ("a body apart", 0, written(("cloth", FLOOR), ("body that meets no cloth", spike(1)))),
        ("cloth behind a plane", 1, ground + written(("cloth", spike(1e-12)))),
        ("cloth on a plane", 0, ground + written(("cloth", spike(0)))),
    ]
    for name, expected, lines in cases:
        frame = Frame(lines)
        found = sum(frame.intersections().values())
        if found != expected or frame.errors:
            yield f"{name}: {found} intersections instead of {expected}"
    silent = ["o thing", "# thing is left out: its numbers are not finite"]
    if len(Frame(silent).errors) != 2:
        yield "it does not report objects that a frame leaves out"


if len(sys.argv) < 2:
    sys.exit("usage: python check.py FOLDER.obj...")
if wrong := list(self_test()):
    print("the checker fails its own test:", *wrong, sep="\n  ")
    sys.exit(1)
clean = [check(folder) for folder in sys.argv[1:]]
sys.exit(0 if all(clean) else 1)
