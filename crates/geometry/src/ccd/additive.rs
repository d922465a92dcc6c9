//! Additive continuous collision detection: advance by a time that is certainly
//! free of contact, measure the distance again, and stop when it is small.
//!
//! How far is free? In two convex primitives A and B let every corner move
//! linearly. If for some vector n and for all corners n·(b − a) > |n|ξ at two
//! times, then so it is between them, for each side is linear in time; and
//! what holds for the corners holds for all points of the primitives. So n
//! shows that they stay more than ξ apart.
//!
//! - Over the whole step this is the cull that ends most queries.
//! - Within the loop, with n the closest vector at time t, it gives the time
//!   until which the gap stays open along n: the earliest at which one of the
//!   linear functions n·(b − a) comes down to |n|ξ.
//! - The distance d cannot shrink faster than the sum L of the largest
//!   velocities in A and in B, measured against the mean motion, so (d − ξ)/L
//!   is free as well. It is never longer than the former but for rounding, and
//!   guards the progress of the loop where d is so small that n is uncertain.
//!
//! The first kind of advance makes the loop short where primitives slide past
//! each other, the case in which the second alone takes L/d rounds.

use super::Hit;
use crate::distance::Closest;
use conatus_math::DVec3;

/// Maximum number of advances; after that a hit at the current time is
/// reported.
const MAX_ADVANCES: usize = 512;

/// The error of a computed distance, relative to the sum of the absolute
/// coordinates of the centred stencil. Differences of coordinates are rounded
/// once; a projection n·(x − y)/|n| or a closest distance adds less than ten
/// more roundings of a length not above that sum.
const DISTANCE_ERROR_RATIO: f64 = 32.0 * f64::EPSILON;

/// Stencils smaller or larger than this are scaled to about 1 first: their
/// fourth powers, or the reciprocals of those, might leave the range of a
/// double.
const MIN_UNSCALED_SIZE: f64 = 1e-60;
const MAX_UNSCALED_SIZE: f64 = 1e60;

/// A stencil relative to its last point, at the start and at the end.
///
/// Both differences are rounded only once and relative to themselves, so the
/// position in the world does not affect the accuracy.
#[inline(always)]
fn centred(x: &[DVec3; 4]) -> [DVec3; 4] {
    [x[0] - x[3], x[1] - x[3], x[2] - x[3], DVec3::ZERO]
}

/// The sum of all absolute coordinates; NaN if one of them is NaN.
#[inline(always)]
fn size(start: &[DVec3; 4], end: &[DVec3; 4]) -> f64 {
    let sum = (start[0].abs() + start[1].abs() + start[2].abs())
        + (end[0].abs() + end[1].abs() + end[2].abs());
    sum.x + sum.y + sum.z
}

/// The minimum of n·(b − a) over corners a of the first `A` points and b of the
/// others.
#[inline(always)]
fn gap_along<const A: usize>(n: DVec3, x: &[DVec3; 4]) -> f64 {
    let along = x.map(|x| n.dot(x));
    if A == 3 {
        along[3] - along[0].max(along[1]).max(along[2])
    } else {
        along[2].min(along[3]) - along[0].max(along[1])
    }
}

/// Whether `gap` is above |n|·`least`, without a square root.
#[inline(always)]
fn wider(gap: f64, n: DVec3, least: f64) -> bool {
    let square = n.length_squared() * (least * least);
    // The squares of subnormal numbers have lost their digits.
    gap > 0.0 && gap * gap > square && square > f64::MIN_POSITIVE
}

/// Whether `axis` separates the primitives throughout the step.
#[inline(always)]
pub(super) fn separated<const A: usize>(
    axis: DVec3,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    separation: f64,
) -> bool {
    let (start, end) = (centred(start), centred(end));
    let size = size(&start, &end);
    size > MIN_UNSCALED_SIZE
        && size < MAX_UNSCALED_SIZE
        && separated_centred::<A>(axis, &start, &end, separation + DISTANCE_ERROR_RATIO * size)
}

#[inline(always)]
fn separated_centred<const A: usize>(
    axis: DVec3,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    least: f64,
) -> bool {
    wider(gap_along::<A>(axis, end), axis, least) && wider(gap_along::<A>(axis, start), axis, least)
}

/// Whether and when the first `A` points and the others, as convex primitives
/// with the closest points that `closest` finds, come within `separation`.
#[inline(always)]
pub(super) fn query<const A: usize>(
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    separation: f64,
    closest: impl Fn(&[DVec3; 4]) -> Closest + Copy,
) -> Option<Hit> {
    let (from, to) = (centred(start), centred(end));
    let size = size(&from, &to);
    if !(size > MIN_UNSCALED_SIZE && size < MAX_UNSCALED_SIZE) {
        return scaled::<A>(start, end, separation, size, closest);
    }
    query_centred::<A>(&from, &to, size, separation, closest)
}

#[inline(always)]
fn query_centred<const A: usize>(
    from: &[DVec3; 4],
    to: &[DVec3; 4],
    size: f64,
    separation: f64,
    closest: impl Fn(&[DVec3; 4]) -> Closest,
) -> Option<Hit> {
    let error = DISTANCE_ERROR_RATIO * size;
    let first = closest(from);
    // A NaN separation is ignored; the kept gap then depends on the distance
    // alone.
    let separation = separation.max(0.0);
    let near = first.squared < 4.0 * separation * separation;
    if !near && separated_centred::<A>(first.vector, from, to, separation + error) {
        return None;
    }
    advance::<A>(from, to, error, first, separation, closest)
}

/// The loop itself.
fn advance<const A: usize>(
    from: &[DVec3; 4],
    to: &[DVec3; 4],
    error: f64,
    first: Closest,
    separation: f64,
    closest: impl Fn(&[DVec3; 4]) -> Closest,
) -> Option<Hit> {
    let mut hit = Hit {
        time: 0.0,
        closest: first,
    };
    let start_distance = first.distance();
    let gap = if start_distance < 2.0 * separation {
        (0.5 * separation).min(0.8 * start_distance)
    } else {
        separation
    };
    // The loop stops below `stop` and advances so as to stay above `keep`, so
    // that the distance at the end lies between the two, and each advance
    // covers at least their difference.
    let room = start_distance - gap;
    let tolerance = if separation > 0.0 {
        (0.1 * room).min(gap)
    } else {
        0.1 * room
    };
    let margin = (0.5 * tolerance).max(4.0 * error);
    let keep = gap + margin + error;
    let stop = keep + margin;

    let velocity: [DVec3; 4] = std::array::from_fn(|i| to[i] - from[i]);
    let fastest = fastest::<A>(&velocity);
    for _ in 0..MAX_ADVANCES {
        let distance = hit.closest.distance();
        if distance <= stop || distance.is_nan() {
            return Some(hit);
        }
        let n = hit.closest.vector;
        let x = at(from, &velocity, hit.time);
        let free = free_along::<A>(n, &x, &velocity, distance * keep);
        let free = free.max((distance - keep) / fastest);
        let time = hit.time + free;
        if time >= 1.0 {
            return None;
        }
        hit = Hit {
            time,
            closest: closest(&at(from, &velocity, time)),
        };
    }
    Some(hit)
}

#[inline(always)]
fn at(from: &[DVec3; 4], velocity: &[DVec3; 4], time: f64) -> [DVec3; 4] {
    std::array::from_fn(|i| from[i] + velocity[i] * time)
}

/// How long n·(b − a) stays above `least` for all corners, from x on.
#[inline(always)]
fn free_along<const A: usize>(n: DVec3, x: &[DVec3; 4], velocity: &[DVec3; 4], least: f64) -> f64 {
    let place = x.map(|x| n.dot(x));
    let speed = velocity.map(|v| n.dot(v));
    let mut free = f64::INFINITY;
    for b in A..4 {
        for a in 0..A {
            let approach = speed[a] - speed[b];
            let room = place[b] - place[a] - least;
            // Where n does not separate at x, a receding motion along it proves
            // nothing.
            let time = if room > 0.0 { room / approach } else { 0.0 };
            free = if approach > 0.0 || room <= 0.0 {
                free.min(time)
            } else {
                free
            };
        }
    }
    free
}

/// The largest speed of approach: the sum of the largest speeds of both
/// primitives against the mean of the four corners.
#[inline(always)]
fn fastest<const A: usize>(velocity: &[DVec3; 4]) -> f64 {
    let mean = (velocity[0] + velocity[1] + velocity[2] + velocity[3]) * 0.25;
    let square = velocity.map(|v| (v - mean).length_squared());
    let largest = |of: &[f64]| of.iter().copied().fold(0.0, f64::max).sqrt();
    largest(&square[..A]) + largest(&square[A..])
}

/// The same query in units where all coordinates are near 1; or the result if
/// coordinates are not finite, or all points coincide.
#[cold]
#[inline(never)]
fn scaled<const A: usize>(
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    separation: f64,
    size: f64,
    closest: impl Fn(&[DVec3; 4]) -> Closest + Copy,
) -> Option<Hit> {
    let finite = start.iter().chain(end).all(|x| x.is_finite());
    if !finite || size == 0.0 {
        return Some(Hit {
            time: 0.0,
            closest: closest(start),
        });
    }
    // Scaling by powers of two rounds only what lies far below the size. If the
    // differences overflowed, the points themselves are scaled down first.
    let (points, again) = if size.is_finite() {
        (1.0, power_of_two(size))
    } else {
        let down = 2f64.powi(-600);
        let seen = |x: &[DVec3; 4]| centred(&x.map(|x| x * down));
        (down, power_of_two(self::size(&seen(start), &seen(end))))
    };
    let units = |x: &[DVec3; 4]| centred(&x.map(|x| x * points)).map(|x| x * again);
    let (from, to) = (units(start), units(end));
    let separation = separation * points * again;
    let size = self::size(&from, &to);
    query_centred::<A>(&from, &to, size, separation, closest).map(|hit| {
        let vector = hit.closest.vector / again / points;
        Hit {
            time: hit.time,
            closest: Closest {
                vector,
                squared: vector.length_squared(),
                ..hit.closest
            },
        }
    })
}

/// The power of two that scales a positive, finite `size` to the order of 1, or
/// as near as possible.
fn power_of_two(size: f64) -> f64 {
    2f64.powi((-size.log2()).clamp(-1000.0, 1000.0) as i32)
}
