# Signed distances to all that can be touched. Points are samples x points x 3.
import numpy as np

import rotation


class Plane:
    def __init__(self, point, normal):
        self.point, self.normal = point, normal

    def distance(self, points):
        return (points - self.point) @ self.normal

    def balls(self):
        return np.zeros((0, 3)), 0.0


class Box:
    """With edges that may be rounded."""

    def __init__(self, half_extents, radius):
        self.half, self.radius = half_extents, radius

    def distance(self, points):
        d = np.abs(points) - (self.half - self.radius)
        outside = np.linalg.norm(np.maximum(d, 0), axis=-1)
        return outside + np.minimum(d.max(axis=-1), 0) - self.radius

    def balls(self):
        signs = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        return np.array(signs) * (self.half - self.radius), self.radius


class Capsule:
    """A sphere as well, if its ends are one point."""

    def __init__(self, start, end, radius):
        self.start, self.end, self.radius = start, end, radius

    def distance(self, points):
        along, rel = self.end - self.start, points - self.start
        square = np.sum(along * along, axis=-1)
        share = np.sum(rel * along, axis=-1) / np.maximum(square, 1e-300)
        share = np.clip(share, 0, 1)[..., None]
        return np.linalg.norm(rel - share * along, axis=-1) - self.radius

    def balls(self):
        return np.stack([self.start, self.end]), self.radius


class Heightfield:
    """Uniform cubic B-splines of heights, level beyond the border; the distance is that from
    the tangent plane below."""

    def __init__(self, origin, spacing, heights):
        self.origin, self.spacing, self.heights = origin, spacing, heights

    def weights(self, t):
        u = 1 - t
        value = [u**3, 3 * t**3 - 6 * t**2 + 4, 3 * u**3 - 6 * u**2 + 4, t**3]
        slope = [-3 * u**2, 9 * t**2 - 12 * t, -9 * u**2 + 12 * u, 3 * t**2]
        return np.stack(value, -1) / 6, np.stack(slope, -1) / 6

    def distance(self, points):
        place = (points[..., :2] - self.origin[:2]) / self.spacing
        cell = np.floor(place).astype(int)
        (a, da), (b, db) = (self.weights((place - cell)[..., k]) for k in (0, 1))
        rows, columns = self.heights.shape
        i = np.clip(cell[..., 0, None] + np.arange(-1, 3), 0, columns - 1)
        j = np.clip(cell[..., 1, None] + np.arange(-1, 3), 0, rows - 1)
        near = self.heights[j[..., :, None], i[..., None, :]]
        height = np.einsum("...ji,...j,...i->...", near, b, a)
        slope_x = np.einsum("...ji,...j,...i->...", near, b, da) / self.spacing
        slope_y = np.einsum("...ji,...j,...i->...", near, db, a) / self.spacing
        rise = points[..., 2] - self.origin[2] - height
        return rise / np.sqrt(1 + slope_x**2 + slope_y**2)

    def balls(self):
        return np.zeros((0, 3)), 0.0


class Collider:
    """A shape at its place: at rest, or with a pose per sample."""

    def __init__(self, name, shape, pose=None, owner=None):
        self.name, self.shape, self.pose, self.owner = name, shape, pose, owner

    def moves(self):
        return self.owner is not None

    def local(self, points, at=slice(None)):
        """Points of some samples in the collider's own axes."""
        if self.pose is None:
            return points
        place, axes = self.pose
        if len(place) > 1:
            place, axes = place[at], axes[at]
        return np.einsum("nji,npj->npi", axes, points - place[:, None])

    def distance(self, points, at=slice(None)):
        return self.shape.distance(self.local(points, at))

    def normal(self, points, at=slice(None)):
        """The direction in which the distance grows."""
        step = 1e-6
        grown = [
            self.distance(points + e, at) - self.distance(points - e, at)
            for e in step * np.eye(3)
        ]
        return rotation.unit(np.stack(grown, axis=-1))

    def balls(self):
        """Balls within the shape that reach its corners or ends: where they are in all
        samples, and their radius."""
        centres, radius = self.shape.balls()
        place, axes = self.pose or (np.zeros((1, 3)), np.eye(3)[None])
        return place[:, None] + np.einsum("nij,pj->npi", axes, centres), radius


def link(name, of, owner):
    """A link in its own axes: the first along it, the others without twist over time.
    Its length is the mean; varying lengths count as bone errors."""
    along = rotation.unit(of.end - of.start)
    first = along[0]
    other = np.eye(3)[np.argmin(np.abs(first))]
    y = rotation.unit(np.cross(first, other))
    aside = [y]
    for x in along[1:]:
        y = y - x * (x @ y)
        y = y / max(np.sqrt(y @ y), 1e-300)
        aside.append(y)
    aside = np.array(aside)
    axes = np.stack([along, aside, rotation.cross(along, aside)], axis=-1)
    length = np.linalg.norm(of.end - of.start, axis=-1).mean()
    shape = Capsule(np.zeros(3), np.array([length, 0.0, 0.0]), of.radius)
    return Collider(name, shape, (of.start, axes), owner)
