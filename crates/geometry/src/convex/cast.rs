//! The distance of two convex solids, and when a solid that moves along a line touches
//! another one.

use super::gjk::{Placed, Proximity, proximity};
use super::{Convex, PairCache, collide};
use conatus_math::{DVec3, Pose};

/// Steps of a cast until it is given up as converged.
const MAX_ROUNDS: usize = 200;
/// Starts of the search for the nearest points.
const MAX_STARTS: usize = 4;
/// Solids this close touch, relative to their sizes.
const RELATIVE_TOUCH: f64 = 1e-9;
/// A normal whose plane leaves less than this share of the distance is improved: those of
/// round solids that are near each other are not accurate.
const GOOD_PLANE: f64 = 0.5;
/// The first and the last step of that search, in radians.
const TILTS: [f64; 2] = [1e-2, 1e-10];

/// How two solids that do not overlap lie to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// The distance in metres.
    pub distance: f64,
    /// The unit normal from the first to the second.
    pub normal: DVec3,
    /// The nearest point of the first.
    pub a: DVec3,
    /// The nearest point of the second.
    pub b: DVec3,
}

/// Where a moving solid touches another one first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit {
    /// How far it moved, in metres; 0 if they overlap at the start.
    pub distance: f64,
    /// The outward unit normal of the solid that was hit.
    pub normal: DVec3,
    /// Where they touch.
    pub point: DVec3,
}

/// The distance of two solids at their poses; `None` if they touch or overlap.
pub fn gap(first: &Convex, pose_a: &Pose, second: &Convex, pose_b: &Pose) -> Option<Gap> {
    let relative = pose_a.inverse().after(pose_b);
    let placed = Placed::new(second, &relative);
    let radii = first.radius() + second.radius();
    let size = first.bounding_radius() + second.bounding_radius();
    let mut guess = relative.translation;
    let mut best: Option<(f64, DVec3, DVec3)> = None;
    for _ in 0..MAX_STARTS {
        let Proximity::Apart { a, b } = proximity(first, &placed, guess, f64::INFINITY) else {
            // Rounding on the surface, if another start found them apart.
            best?;
            break;
        };
        let length = a.distance(b);
        if best.is_none_or(|(least, _, _)| length < least) {
            best = Some((length, a, b));
        }
        // Round cores converge slowly from some starts: the plane across the nearest points
        // says how far the distance may be off.
        let normal = (b - a) / length;
        let least = placed.support(-normal).dot(normal) - first.support(normal).0.dot(normal);
        if length - least <= RELATIVE_TOUCH * size {
            break;
        }
        guess = normal;
    }
    let (length, a, b) = best?;
    if length <= radii {
        return None;
    }
    let normal = (b - a) / length;
    Some(Gap {
        distance: length - radii,
        normal: pose_a.direction(normal),
        a: pose_a.point(a + normal * first.radius()),
        b: pose_a.point(b - normal * second.radius()),
    })
}

/// The distance of two solids along a unit direction: how far the second is beyond the
/// first. No distance is greater.
fn gap_along(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose, direction: DVec3) -> f64 {
    let top = |shape: &Convex, pose: &Pose, direction: DVec3| {
        let own = pose.rotation.conjugate() * direction;
        let core = pose.direction(shape.support(own).0).dot(direction);
        core + pose.translation.dot(direction) + shape.radius()
    };
    -top(b, pose_b, -direction) - top(a, pose_a, direction)
}

/// The unit direction near `start` in which a function is greatest, and its value there: by
/// small tilts, which become smaller where none helps.
fn greatest_near(start: DVec3, value: impl Fn(DVec3) -> f64) -> (DVec3, f64) {
    let mut best = (start, value(start));
    let [mut tilt, last] = TILTS;
    while tilt > last {
        let (u, v) = best.0.any_orthonormal_pair();
        let before = best;
        for (x, y) in [(1.0, 0.0), (0.0, 1.0), (0.7, 0.7), (0.7, -0.7)] {
            for sign in [tilt, -tilt] {
                let next = (before.0 + (u * x + v * y) * sign).normalize();
                let reached = value(next);
                if reached > best.1 {
                    best = (next, reached);
                }
            }
        }
        if best.1 <= before.1 {
            tilt *= 0.5;
        }
    }
    best
}

/// Where a solid that moves from `pose` along a unit `direction`, without turning, touches
/// another one within `max_distance`.
///
/// Conservative advancement: the plane that separates them with the normal n holds until
/// the solid has moved by gap / (n · direction). It moves so far, again and again, until
/// they touch or the plane is never reached.
pub fn shape_cast(
    moving: &Convex,
    pose: &Pose,
    direction: DVec3,
    target: &Convex,
    target_pose: &Pose,
    max_distance: f64,
) -> Option<CastHit> {
    let size = moving.bounding_radius() + target.bounding_radius();
    let touching = RELATIVE_TOUCH * size;
    let at = |distance: f64| Pose::new(pose.rotation, pose.translation + direction * distance);
    let mut moved = 0.0;
    let mut last: Option<CastHit> = None;
    for _ in 0..MAX_ROUNDS {
        let present = at(moved);
        let Some(found) = gap(moving, &present, target, target_pose) else {
            let touched = last.map(|hit| CastHit {
                distance: moved,
                ..hit
            });
            return touched
                .or_else(|| Some(overlapping(moving, pose, direction, target, target_pose)));
        };
        let hit = CastHit {
            distance: moved,
            normal: -found.normal,
            point: found.b,
        };
        let along = |n: DVec3| gap_along(moving, &present, target, target_pose, n);
        let (normal, least) = match along(found.normal) {
            least if least < GOOD_PLANE * found.distance => greatest_near(found.normal, along),
            least => (found.normal, least),
        };
        let closing = direction.dot(normal);
        if found.distance <= touching {
            // At rest against each other, or leaving: that is no hit.
            return (closing > 0.0 || last.is_some()).then_some(hit);
        }
        if closing <= 0.0 {
            return None;
        }
        last = Some(hit);
        let next = moved + least.max(0.0) / closing;
        if next > max_distance {
            return None;
        }
        if next <= moved {
            break;
        }
        moved = next;
    }
    last.map(|hit| CastHit {
        distance: moved,
        ..hit
    })
}

/// The hit of solids that overlap before one moves.
fn overlapping(
    moving: &Convex,
    pose: &Pose,
    direction: DVec3,
    target: &Convex,
    target_pose: &Pose,
) -> CastHit {
    let manifold = collide(
        moving,
        pose,
        target,
        target_pose,
        0.0,
        &mut PairCache::default(),
    );
    let point = manifold.and_then(|m| m.points().first().map(|p| p.point));
    CastHit {
        distance: 0.0,
        normal: manifold.map_or(-direction, |m| -m.normal),
        point: point.unwrap_or(pose.translation),
    }
}
