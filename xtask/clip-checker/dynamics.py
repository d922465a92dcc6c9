# Newton's and Euler's laws for one body: residuals and a replay.
#
# Positions are differentiated here and nowhere else. The second difference
# (x[k+1] - 2 x[k] + x[k-1]) / dt^2 of a motion whose velocity is continuous is exactly the
# mean of its acceleration over [t - dt, t + dt], weighted with the triangle that falls from
# the middle to both ends. So the forces are weighted with the same triangle before the two
# are compared, and no error of differentiation is left. Angular momentum is treated alike:
# the rotation between two samples is the mean angular velocity (but for commutators, of
# order dt^2), and differences of momenta between neighbouring intervals are the mean of the
# torque over the same triangle.
#
# Between samples forces are taken as linear. Accelerations of splines jump at knots; a
# sample there may hold the force before, after, or their mean. So on either side of a knot
# the line through the samples of that side is continued up to it, and the mean of both
# sides is compared there. The part of the sample at the knot that is not between the two
# sides counts as missing, with the weight 2/3 that a sample has in the triangle. The
# remaining error is that of linear interpolation, at most 1/8 of the largest second
# difference of the forces, which is reported as `scheme_error`.
import numpy as np

import rotation


def wrench(clip, body, others):
    """Force and torque about the centre of mass in all samples, gravity left out. `others`
    are (force, point, torque) triples that act on the body."""
    total = np.zeros((len(clip.time), 6))
    for force, point, torque in others:
        total[:, :3] += force
        total[:, 3:] += rotation.cross(point - body.position, force) + torque
    return total


class Pieces:
    """Samples continued in between: linear from `start` to `end` of every piece."""

    def __init__(self, clip, values, knots):
        time, near = clip.time, 1e-3 * clip.dt
        knots = np.array([k for k in knots if time[0] + near < k < time[-1] - near])
        apart = [k for k in knots if np.abs(time - k).min() > near]
        breaks = np.sort(np.concatenate([time, apart]))
        self.start, self.end = breaks[:-1], breaks[1:]
        middle = (self.start + self.end) / 2
        segment = np.searchsorted(knots, middle)
        self.first = np.empty((len(middle), values.shape[1]))
        self.last = np.empty_like(self.first)
        limits = np.concatenate([[-np.inf], knots, [np.inf]])
        for s in np.unique(segment):
            here = segment == s
            own = (time > limits[s] + near) & (time < limits[s + 1] - near)
            if not own.any():
                own = np.full(len(time), True)
            for into, at in ((self.first, self.start), (self.last, self.end)):
                into[here] = line(time[own], values[own], at[here])
        # The interval between samples that each piece lies in.
        self.interval = np.floor((middle - time[0]) / clip.dt).astype(int)


def line(times, values, at):
    """Linear interpolation, and linear extrapolation beyond the ends."""
    if len(times) == 1:
        return np.repeat(values, len(at), axis=0)
    left = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    share = ((at - times[left]) / (times[left + 1] - times[left]))[:, None]
    return values[left] * (1 - share) + values[left + 1] * share


def triangle_mean(clip, pieces):
    """The mean of all pieces around each sample but the ends, weighted by the triangle."""
    means = np.zeros((len(clip.time), pieces.first.shape[1]))
    length = (pieces.end - pieces.start)[:, None]
    middle = (pieces.first + pieces.last) / 2
    left = clip.time[pieces.interval]
    share = [((t - left) / clip.dt)[:, None] for t in (pieces.start, pieces.end)]
    rising = [share[0], (share[0] + share[1]) / 2, share[1]]
    falling = [1 - s for s in rising]
    for weights, sample in ((rising, pieces.interval + 1), (falling, pieces.interval)):
        # Simpson's rule is exact: the product of two lines.
        simpson = weights[0] * pieces.first + 4 * weights[1] * middle + weights[2] * pieces.last
        np.add.at(means, sample, simpson * length / 6 / clip.dt)
    return means[1:-1]


def beside(clip, pieces, values):
    """The difference of each inner sample from the pieces there: from the nearest mean of
    the left and the right one, where they differ."""
    inner = clip.time[1:-1]
    near = 1e-3 * clip.dt
    after = np.searchsorted(pieces.start, inner - near)
    left, right = pieces.last[after - 1], pieces.first[after]
    way, off = right - left, values[1:-1] - left
    square = np.maximum(np.sum(way * way, axis=1), 1e-300)
    share = np.clip(np.sum(off * way, axis=1) / square, 0, 1)[:, None]
    return off - share * way


def momentum_rate(clip, body):
    """Mean rates of change of the linear and angular momentum around each sample."""
    h, x, q = clip.dt, body.position, body.orientation
    linear = body.mass * (x[2:] - 2 * x[1:-1] + x[:-2]) / h**2
    turn = rotation.to_vector(rotation.multiplied(q[1:], rotation.inverse(q[:-1])))
    halfway = rotation.matrix(rotation.multiplied(rotation.from_vector(turn / 2), q[:-1]))
    in_body = np.einsum("nji,nj->ni", halfway, turn / h)
    angular = rotation.turned(halfway, in_body @ body.inertia)
    return np.concatenate([linear, np.diff(angular, axis=0) / h], axis=1)


def residual(clip, body, total, knots):
    """The missing force and torque per inner sample, and the possible error of the scheme,
    in weights of the body (torques: weight times 1 m)."""
    pieces = Pieces(clip, total, knots)
    rate = momentum_rate(clip, body)
    rate[:, :3] -= body.mass * clip.gravity
    missing = rate - triangle_mean(clip, pieces) - 2 / 3 * beside(clip, pieces, total)
    missing /= clip.weight(body)
    bend = np.linalg.norm(np.diff(total[:, :3], 2, axis=0), axis=1) / 8 / clip.weight(body)
    apart = [np.abs(clip.time[1:-1] - k) > 1.5 * clip.dt for k in knots]
    smooth = np.logical_and.reduce(apart) if apart else np.full(len(bend), True)
    return missing, float(bend[smooth].max()) if smooth.any() else 0.0


def velocities(clip, body, k, knots):
    """Velocity and angular velocity at a sample. Exact for cubics: four samples on a side
    that no knot interrupts; or else from the neighbours."""
    h, n = clip.dt, len(clip.time)

    def moved(j):
        turn = rotation.multiplied(body.orientation[j], rotation.inverse(body.orientation[k]))
        return np.concatenate([body.position[j] - body.position[k], rotation.to_vector(turn)])

    for way in (1, -1):
        if not 0 <= k + 3 * way < n:
            continue
        ends = sorted([clip.time[k], clip.time[k + 3 * way]])
        near = 1e-3 * h
        if not any(ends[0] + near < knot < ends[1] - near for knot in knots):
            by = [moved(k + way * j) for j in (1, 2, 3)]
            return way * (18 * by[0] - 9 * by[1] + 2 * by[2]) / (6 * h)
    before, after = max(k - 1, 0), min(k + 1, n - 1)
    return (moved(after) - moved(before)) / ((after - before) * h)


def replay(clip, body, total, knots, starts, seconds):
    """Free bodies that start with the state of the clip at some samples and move under
    gravity and the clip's forces at their points in the world: the largest distance of each
    from the clip within `seconds`, in metres and in radians."""
    about = body.position.mean(axis=0)
    fixed = total.copy()
    fixed[:, 3:] += rotation.cross(body.position - about, total[:, :3])
    pieces = Pieces(clip, fixed, knots)
    inertia, inverse = body.inertia, np.linalg.inv(body.inertia)
    count = len(starts)
    x, q = body.position[starts].copy(), body.orientation[starts].copy()
    start = np.array([velocities(clip, body, k, knots) for k in starts]).reshape(count, 6)
    v, axes = start[:, :3], body.axes[starts]
    momentum = rotation.turned(axes @ inertia @ axes.transpose(0, 2, 1), start[:, 3:])
    far, turned = np.zeros(count), np.zeros(count)

    def rates(state, load):
        x, q, v, momentum = state
        axes = rotation.matrix(q / np.linalg.norm(q, axis=-1, keepdims=True))
        omega = rotation.turned(axes @ inverse @ axes.transpose(0, 2, 1), momentum)
        spin = np.concatenate([np.zeros((len(x), 1)), omega], axis=1)
        torque = load[:, 3:] - rotation.cross(x - about, load[:, :3])
        return v, rotation.multiplied(spin, q) / 2, clip.gravity + load[:, :3] / body.mass, torque

    # All replays advance together, each from piece to piece.
    near, until = 1e-3 * clip.dt, clip.time[starts] + seconds
    piece = np.searchsorted(pieces.start, clip.time[starts] - near)
    while True:
        on = piece < len(pieces.end)
        on[on] = pieces.end[piece[on]] < until[on] + near
        if not on.any():
            return far, turned
        here = piece[on]
        h = (pieces.end - pieces.start)[here][:, None]
        first, last = pieces.first[here], pieces.last[here]
        state = [x[on], q[on], v[on], momentum[on]]
        a = rates(state, first)
        b = rates([s + h / 2 * r for s, r in zip(state, a)], (first + last) / 2)
        c = rates([s + h / 2 * r for s, r in zip(state, b)], (first + last) / 2)
        d = rates([s + h * r for s, r in zip(state, c)], last)
        for into, s, *r in zip((x, q, v, momentum), state, a, b, c, d):
            into[on] = s + h / 6 * (r[0] + 2 * r[1] + 2 * r[2] + r[3])
        q[on] /= np.linalg.norm(q[on], axis=-1, keepdims=True)
        # Where a piece ends at a sample, the clip holds the pose of the body.
        k = pieces.interval[here] + 1
        sampled = np.abs(clip.time[k] - pieces.end[here]) < near
        off = np.linalg.norm(x[on] - body.position[k], axis=1)
        turn = rotation.multiplied(q[on], rotation.inverse(body.orientation[k]))
        angle = np.linalg.norm(rotation.to_vector(turn), axis=1)
        far[on] = np.maximum(far[on], np.where(sampled, off, 0))
        turned[on] = np.maximum(turned[on], np.where(sampled, angle, 0))
        piece += 1
