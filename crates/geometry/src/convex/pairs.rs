//! The manifold of any two convex solids.

use super::box_box::box_box;
use super::feature::{facing, meet, on_segment, segments};
use super::gjk::{NearCorners, Placed, Proximity, proximity, proximity_from};
use super::manifold::{Manifold, ManifoldPoint};
use super::sat::{self, AxisSource, SeparatingAxis};
use super::{Convex, epa, perpendicular};
use conatus_math::{DVec3, Pose};

/// What is known about a pair from the last steps, to save work. Results depend on `near`
/// within rounding, and not on the axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairCache {
    /// The axis that separated the pair last.
    axis: Option<AxisSource>,
    /// The corners of two hulls that were nearest to each other.
    pub near: NearCorners,
}

impl PairCache {
    /// Nothing is known.
    pub const EMPTY: Self = Self {
        axis: None,
        near: NearCorners::NONE,
    };

    /// What was stored of a pair.
    pub fn of_corners(near: NearCorners) -> Self {
        Self { axis: None, near }
    }
}

/// The most pairs of edges for which separating axes are tested.
const MAX_EDGE_PAIRS: usize = 400;
/// Hulls with many edges that are farther apart than this share of their size have one
/// contact point.
const SINGLE_POINT_GAP: f64 = 0.02;

/// The manifold of two convex solids at their poses; none if they are farther apart
/// than `margin`. The normal leads from the first to the second.
pub fn collide(
    first: &Convex,
    pose_a: &Pose,
    second: &Convex,
    pose_b: &Pose,
    margin: f64,
    cache: &mut PairCache,
) -> Option<Manifold> {
    let manifold = match (first, second) {
        (Convex::Sphere { radius: r }, Convex::Sphere { radius: s }) => {
            return balls(pose_a.translation, *r, pose_b.translation, *s, margin);
        }
        (Convex::Box { half_extents }, Convex::Sphere { radius }) => {
            let centre = pose_a.inverse().point(pose_b.translation);
            box_ball(*half_extents, centre, *radius, margin)?
        }
        (
            Convex::Cylinder {
                axis,
                radius,
                half_height: h,
            },
            Convex::Sphere { radius: ball },
        ) => {
            let centre = pose_a.inverse().point(pose_b.translation);
            let profile = [(0.0, -h), (*radius, -h), (*radius, *h), (0.0, *h)];
            revolved_ball(*axis, &profile, centre, *ball, margin)?
        }
        (
            Convex::Cone {
                axis,
                radius,
                base_and_tip: [base, tip],
            },
            Convex::Sphere { radius: ball },
        ) => {
            let centre = pose_a.inverse().point(pose_b.translation);
            let profile = [(0.0, *base), (*radius, *base), (0.0, *tip)];
            revolved_ball(*axis, &profile, centre, *ball, margin)?
        }
        (
            Convex::Sphere { .. },
            Convex::Box { .. }
            | Convex::Capsule { .. }
            | Convex::Cylinder { .. }
            | Convex::Cone { .. },
        ) => {
            return collide(second, pose_b, first, pose_a, margin, cache).map(Manifold::flipped);
        }
        (Convex::Capsule { half, radius: r }, Convex::Sphere { radius: s }) => {
            let [a, b] = [-*half, *half].map(|p| pose_a.point(p));
            let centre = pose_b.translation;
            let t = on_segment(a, b, centre);
            return balls(a + (b - a) * t, *r, centre, *s, margin);
        }
        (Convex::Capsule { half: g, radius: r }, Convex::Capsule { half: h, radius: s }) => {
            let own = [-*g, *g].map(|p| pose_a.point(p));
            let other = [-*h, *h].map(|p| pose_b.point(p));
            return capsules(own, *r, other, *s, margin);
        }
        (Convex::Box { half_extents: h }, Convex::Box { half_extents: k }) => {
            let relative = pose_a.inverse().after(pose_b);
            let rotation = conatus_math::DMat3::from_quat(relative.rotation);
            let manifold = box_box(*h, *k, &rotation, relative.translation, margin)?;
            match manifold.is_empty() {
                true => rounded(first, &Placed::new(second, &relative), margin, true)?,
                false => manifold,
            }
        }
        _ => {
            // The balls around them are apart in many pairs whose boxes overlap.
            let reach = first.bounding_radius() + second.bounding_radius() + margin;
            let between = pose_b.translation - pose_a.translation;
            if between.length_squared() > reach * reach {
                return None;
            }
            let relative = pose_a.inverse().after(pose_b);
            let placed = Placed::new(second, &relative);
            let polytopes = first.is_polytope() && second.is_polytope();
            if !polytopes || first.radius() > 0.0 || second.radius() > 0.0 {
                let few = polytopes && few_edges(first, second);
                rounded(first, &placed, margin, few)?
            } else if few_edges(first, second) {
                by_axes(first, &placed, margin, cache)?
            } else {
                by_distance(first, &placed, margin, &mut cache.near)?
            }
        }
    };
    Some(manifold.moved(pose_a))
}

/// Two balls.
fn balls(a: DVec3, r: f64, b: DVec3, s: f64, margin: f64) -> Option<Manifold> {
    let between = b - a;
    let distance = between.length();
    let separation = distance - r - s;
    if separation > margin {
        return None;
    }
    let normal = match distance > 0.0 {
        true => between / distance,
        false => DVec3::Z,
    };
    let point = a + normal * (r + 0.5 * separation);
    Some(Manifold::single(
        normal,
        ManifoldPoint {
            point,
            separation,
            id: 0,
        },
    ))
}

/// A ball whose centre is `gap` beyond the point `at` of a surface, along its normal.
fn ball_at(at: DVec3, normal: DVec3, gap: f64, radius: f64, margin: f64) -> Option<Manifold> {
    let separation = gap - radius;
    let point = ManifoldPoint {
        point: at + normal * (0.5 * separation),
        separation,
        id: 0,
    };
    (separation <= margin).then(|| Manifold::single(normal, point))
}

/// A box at the origin and a ball.
fn box_ball(h: DVec3, centre: DVec3, radius: f64, margin: f64) -> Option<Manifold> {
    let nearest = centre.clamp(-h, h);
    let between = centre - nearest;
    let distance = between.length();
    let (normal, distance, at) = if distance > 0.0 {
        (between / distance, distance, nearest)
    } else {
        // The centre is inside: out through the nearest face.
        let depth = h - centre.abs();
        let axis = if depth.x <= depth.y && depth.x <= depth.z {
            0
        } else if depth.y <= depth.z {
            1
        } else {
            2
        };
        let mut normal = DVec3::ZERO;
        normal[axis] = 1.0f64.copysign(centre[axis]);
        (normal, -depth[axis], centre + normal * depth[axis])
    };
    ball_at(at, normal, distance, radius, margin)
}

/// A solid of revolution about `axis` through the origin and a ball. The convex profile
/// is given as (radius, height), counter-clockwise from the axis back to it.
fn revolved_ball(
    axis: DVec3,
    profile: &[(f64, f64)],
    centre: DVec3,
    radius: f64,
    margin: f64,
) -> Option<Manifold> {
    let height = centre.dot(axis);
    let across = centre - axis * height;
    let distance = across.length();
    let outward = match distance > 0.0 {
        true => across / distance,
        false => perpendicular(axis),
    };
    // The nearest point of the boundary, and whether the centre is inside.
    let mut inside = true;
    let mut nearest = (f64::INFINITY, (0.0, 0.0), (0.0, 0.0));
    for pair in profile.windows(2) {
        let [(r0, z0), (r1, z1)] = [pair[0], pair[1]];
        let (dr, dz) = (r1 - r0, z1 - z0);
        let square = dr * dr + dz * dz;
        let t = ((distance - r0) * dr + (height - z0) * dz) / square;
        let t = t.clamp(0.0, 1.0);
        let (r, z) = (r0 + dr * t, z0 + dz * t);
        let away = (distance - r).hypot(height - z);
        let length = square.sqrt();
        let face = (dz / length, -dr / length);
        inside &= (distance - r0) * face.0 + (height - z0) * face.1 <= 0.0;
        if away < nearest.0 {
            nearest = (away, (r, z), face);
        }
    }
    let (away, (r, z), face) = nearest;
    let at = outward * r + axis * z;
    let on_face = outward * face.0 + axis * face.1;
    let (normal, gap) = match inside {
        true => (on_face, -away),
        false => ((centre - at).try_normalize().unwrap_or(on_face), away),
    };
    ball_at(at, normal, gap, radius, margin)
}

/// Two capsules: the nearest points, and two points if they lie side by side.
fn capsules(own: [DVec3; 2], r: f64, other: [DVec3; 2], s: f64, margin: f64) -> Option<Manifold> {
    let (t, q) = segments(own, other);
    let a = own[0] + (own[1] - own[0]) * t;
    let b = other[0] + (other[1] - other[0]) * q;
    let nearest = balls(a, r, b, s, margin)?;
    let (u, v) = (own[1] - own[0], other[1] - other[0]);
    let sine = u.cross(v).length();
    if sine > 0.05 * u.length() * v.length() || a == b {
        return Some(nearest);
    }
    // The ends of the common part, each with the point across.
    let mut manifold = Manifold::new(nearest.normal);
    let square = u.length_squared();
    let ends = other.map(|p| (p - own[0]).dot(u) / square);
    let (low, high) = (ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(1.0));
    if high - low < 1e-6 {
        return Some(nearest);
    }
    for (id, t) in [(1, low), (2, high)] {
        let a = own[0] + u * t;
        let b = other[0] + v * on_segment(other[0], other[1], a);
        let gap = (b - a).dot(nearest.normal);
        let separation = gap - r - s;
        if separation <= margin {
            manifold.push(ManifoldPoint {
                point: a + nearest.normal * (r + 0.5 * separation),
                separation,
                id,
            });
        }
    }
    Some(match manifold.is_empty() {
        true => nearest,
        false => manifold,
    })
}

/// Whether the test of all pairs of edges takes no longer than GJK and EPA.
fn few_edges(first: &Convex, second: &Convex) -> bool {
    first.edge_count() * second.edge_count() <= MAX_EDGE_PAIRS
}

/// Two polytopes without radii, by the separating-axis test. The axis of the last
/// step is tried first: most pairs that are near each other never touch.
fn by_axes(
    first: &Convex,
    second: &Placed,
    margin: f64,
    cache: &mut PairCache,
) -> Option<Manifold> {
    if let Some(source) = cache.axis
        && let Some(axis) = sat::separation_along(first, second, source)
        && axis.separation > margin
    {
        return None;
    }
    let axis = sat::best_axis(first, second, margin)?;
    cache.axis = Some(axis.source);
    (axis.separation <= margin).then(|| along_axis(first, second, margin, &axis))
}

/// Two polytopes without radii, by their distance or depth.
fn by_distance(
    first: &Convex,
    second: &Placed,
    margin: f64,
    near: &mut NearCorners,
) -> Option<Manifold> {
    let axis = match proximity_from(first, second, second.translation, margin, near) {
        Proximity::Beyond => return None,
        Proximity::Apart { a, b } => {
            let between = b - a;
            let distance = between.length();
            let size = first.bounding_radius().min(second.shape.bounding_radius());
            if distance > SINGLE_POINT_GAP * size && distance <= margin {
                // They do not touch yet: the nearest points keep them apart.
                let point = ManifoldPoint {
                    point: (a + b) * 0.5,
                    separation: distance,
                    id: 1 << 28,
                };
                return Some(Manifold::single(between / distance, point));
            }
            SeparatingAxis {
                direction: between / distance,
                separation: distance,
                source: AxisSource::Points,
            }
        }
        Proximity::Overlap(simplex) => match epa::polytope_penetration(first, second, &simplex) {
            Some(p) => SeparatingAxis {
                direction: p.normal,
                separation: -p.depth,
                source: AxisSource::Points,
            },
            None => sat::best_axis(first, second, f64::INFINITY)?,
        },
    };
    if axis.separation > margin {
        return None;
    }
    let axis = sat::prefer_face(first, second, axis);
    Some(along_axis(first, second, margin, &axis))
}

/// The manifold of two polytopes along an axis.
fn along_axis(first: &Convex, second: &Placed, margin: f64, axis: &SeparatingAxis) -> Manifold {
    let normal = axis.direction;
    let turned = second.rotation.transpose() * -normal;
    let own = facing(first, normal);
    let mut other = facing(second.shape, turned);
    let of_face = matches!(axis.source, AxisSource::First(_) | AxisSource::Second(_));
    let manifold = if !of_face && own.level_count(normal) <= 2 && other.level_count(turned) <= 2 {
        let own = own.level(normal);
        let mut other = other.level(turned);
        other.move_by(&second.rotation, second.translation);
        meet(&own, &other, normal, [0.0; 2], margin)
    } else {
        other.move_by(&second.rotation, second.translation);
        meet(&own, &other, normal, [0.0; 2], margin)
    };
    or_deepest(manifold, second, normal, axis.separation)
}

/// The manifold, or the deepest point of the second solid if clipping left nothing.
fn or_deepest(manifold: Manifold, second: &Placed, normal: DVec3, separation: f64) -> Manifold {
    let least = manifold.points().iter().map(|p| p.separation);
    let least = least.fold(f64::INFINITY, f64::min);
    let size = second.shape.bounding_radius();
    if least <= separation + 0.02 * size {
        return manifold.no_deeper_than(separation);
    }
    let deepest = second.support(-normal);
    Manifold::single(
        normal,
        ManifoldPoint {
            point: deepest - normal * (0.5 * separation),
            separation,
            id: 1 << 29,
        },
    )
}

/// Solids with a radius or a round core.
fn rounded(first: &Convex, second: &Placed, margin: f64, polytopes: bool) -> Option<Manifold> {
    let radii = [first.radius(), second.shape.radius()];
    let guess = second.translation;
    let reach = margin + radii[0] + radii[1];
    let (normal, gap, a, b) = match proximity(first, second, guess, reach) {
        Proximity::Beyond => return None,
        Proximity::Apart { a, b } => {
            let between = b - a;
            let distance = between.length();
            if distance - radii[0] - radii[1] > margin {
                return None;
            }
            (between / distance, distance, a, b)
        }
        Proximity::Overlap(_) if polytopes => {
            let axis = sat::best_axis(first, second, f64::INFINITY);
            let (direction, separation) = match axis {
                Some(axis) => (axis.direction, axis.separation),
                None => (perpendicular(second.translation), 0.0),
            };
            let b = second.support(-direction);
            (direction, separation, b - direction * separation, b)
        }
        Proximity::Overlap(simplex) => {
            let p = epa::penetration(first, second, &simplex);
            (p.normal, -p.depth, p.a, p.b)
        }
    };
    let separation = gap - radii[0] - radii[1];
    let single = Manifold::single(
        normal,
        ManifoldPoint {
            point: 0.5 * (a + normal * radii[0] + b - normal * radii[1]),
            separation,
            id: 1 << 28,
        },
    );
    let own = facing(first, normal).level(normal);
    let turned = second.rotation.transpose() * -normal;
    let other = facing(second.shape, turned)
        .level(turned)
        .moved(&second.rotation, second.translation);
    if own.corners().len() < 2 || other.corners().len() < 2 {
        return Some(single);
    }
    let manifold = meet(&own, &other, normal, radii, margin);
    let least = manifold.points().iter().map(|p| p.separation);
    let least = least.fold(f64::INFINITY, f64::min);
    let size = first.bounding_radius().min(second.shape.bounding_radius());
    Some(match least <= separation + 0.02 * size {
        true => manifold.no_deeper_than(separation),
        false => single,
    })
}
