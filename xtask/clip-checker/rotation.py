# Quaternions (w, x, y, z) and rotation vectors, for arrays of any shape.
import numpy as np


def cross(a, b):
    """The cross product of vectors in the last axis; numpy's is slow for few of them."""
    return a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]


def multiplied(p, q):
    """The rotation q, and then p."""
    w = p[..., :1] * q[..., :1] - np.sum(p[..., 1:] * q[..., 1:], axis=-1, keepdims=True)
    v = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + cross(p[..., 1:], q[..., 1:])
    return np.concatenate([w, v], axis=-1)


def inverse(q):
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def matrix(q):
    """The matrix whose columns are the turned axes."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), [0, 1], [-2, -1])


def from_vector(vector):
    """The quaternion of a rotation vector."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2), np.sinc(angle / 2 / np.pi) / 2 * vector], axis=-1)


def to_vector(q):
    """The rotation vector of a quaternion, for the shorter rotation."""
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., :1])
    return q[..., 1:] * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 2.0)


def unit(vectors):
    """Vectors of length 1; zero vectors stay zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(length > 1e-300, vectors / np.maximum(length, 1e-300), 0.0)


def turned(matrices, vectors):
    return np.einsum("...ij,...j->...i", matrices, vectors)
