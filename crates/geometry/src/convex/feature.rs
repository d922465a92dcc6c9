//! The feature of a solid that faces a direction (a corner, an edge, a face), and
//! how two of them overlap.

use super::manifold::{Manifold, ManifoldPoint};
use super::polygon::CAPACITY;
pub use super::polygon::{Corner, MAX_CORNERS, Polygon};
use super::{Convex, perpendicular};
use conatus_math::DVec3;

/// The feature of a solid's core that faces `direction`.
pub fn facing(shape: &Convex, direction: DVec3) -> Polygon {
    let mut polygon = Polygon::default();
    match shape {
        Convex::Sphere { .. } => polygon.push(DVec3::ZERO, 0),
        Convex::Capsule { half, .. } => {
            let slope = direction.dot(*half).abs();
            if slope > 0.05 * half.length() {
                let (point, id) = shape.support(direction);
                polygon.push(point, id);
            } else {
                polygon.push(*half, 0);
                polygon.push(-*half, 1);
            }
        }
        Convex::Box { half_extents: h } => {
            let a = direction.abs();
            let axis = if a.x >= a.y && a.x >= a.z {
                0
            } else if a.y >= a.z {
                1
            } else {
                2
            };
            let sign = 1.0f64.copysign(direction[axis]);
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            // Counter-clockwise seen from outside.
            let mut order = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
            if sign < 0.0 {
                order.reverse();
            }
            for (su, sv) in order {
                let mut p = DVec3::ZERO;
                p[axis] = sign * h[axis];
                p[u] = su * h[u];
                p[v] = sv * h[v];
                let bit = |k: usize| u32::from(p[k] > 0.0) << k;
                polygon.push(p, bit(0) | bit(1) | bit(2));
            }
        }
        Convex::Hull(hull) => {
            let face = hull.faces().get(hull.face_towards(direction));
            let corners = face.map_or(&[][..], |f| &f.corners);
            let every = corners.len().div_ceil(MAX_CORNERS).max(1);
            for &k in corners.iter().step_by(every) {
                polygon.push(hull.vertices()[k as usize], k);
            }
        }
        Convex::Triangle(corners) => {
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let mut ids = [0, 1, 2];
            if normal.dot(direction) < 0.0 {
                ids.reverse();
            }
            for k in ids {
                polygon.push(corners[k], k as u32);
            }
        }
        Convex::Cylinder {
            axis,
            radius,
            half_height,
        } => {
            let along = direction.dot(*axis);
            let across = super::across(direction, *axis);
            let aside = direction.cross(*axis).length();
            let cap = *axis * half_height.copysign(along);
            if along.abs() > aside {
                rim(
                    &mut polygon,
                    cap,
                    *axis * 1.0f64.copysign(along),
                    *radius,
                    across,
                );
            } else {
                polygon.push(*axis * *half_height + across * *radius, 100);
                polygon.push(*axis * -*half_height + across * *radius, 101);
            }
        }
        Convex::Cone {
            axis,
            radius,
            base_and_tip: [base, tip],
        } => {
            let along = direction.dot(*axis);
            let across = super::across(direction, *axis);
            let aside = direction.cross(*axis).length();
            // The normal of the side has this slope.
            let height = tip - base;
            let side_along = radius / radius.hypot(height);
            if along < 0.0 && -along > aside {
                rim(&mut polygon, *axis * *base, -*axis, *radius, across);
            } else if along > side_along + 0.3 {
                polygon.push(*axis * *tip, 102);
            } else {
                polygon.push(*axis * *tip, 102);
                polygon.push(*axis * *base + across * *radius, 101);
            }
        }
        Convex::Ellipsoid { .. } => polygon.push(shape.support(direction).0, 0),
    }
    polygon
}

/// Eight points on the rim of a disc, counter-clockwise seen from its normal; the
/// first is the one towards `across`.
fn rim(polygon: &mut Polygon, centre: DVec3, normal: DVec3, radius: f64, across: DVec3) {
    let x = if across == DVec3::ZERO {
        perpendicular(normal)
    } else {
        across
    };
    let y = normal.cross(x);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let around = [
        (1.0, 0.0),
        (half, half),
        (0.0, 1.0),
        (-half, half),
        (-1.0, 0.0),
        (-half, -half),
        (0.0, -1.0),
        (half, -half),
    ];
    for (k, (cos, sin)) in (0u32..).zip(around) {
        polygon.push(centre + (x * cos + y * sin) * radius, 110 + k);
    }
}

/// The points where the features of two cores meet, the first in its own axes and the
/// second moved into them. `normal` leads from the first core to the second; the
/// radii are around the cores. Points farther apart than `margin` are left out.
pub fn meet(
    first: &Polygon,
    second: &Polygon,
    normal: DVec3,
    radii: [f64; 2],
    margin: f64,
) -> Manifold {
    let mut manifold = Manifold::new(normal);
    // The reference is the polygon that is more nearly at right angles to the normal.
    let newell = [first.normal(), second.normal()];
    let flatness = |p: &Polygon, n: DVec3| match p.corners().len() {
        0..3 => 0.0,
        _ => (n.dot(normal) / n.length().max(f64::MIN_POSITIVE)).abs(),
    };
    let (flat_a, flat_b) = (flatness(first, newell[0]), flatness(second, newell[1]));
    if flat_a == 0.0 && flat_b == 0.0 {
        return edges(first, second, normal, radii, margin);
    }
    // A bias, so that two parallel faces keep their roles.
    let flip = flat_b > flat_a * 1.001;
    let (reference, incident, newell) = if flip {
        (second, first, newell[1])
    } else {
        (first, second, newell[0])
    };
    let out = if flip { -normal } else { normal };
    let corners = reference.corners();
    let mut face = newell.normalize_or(out);
    if face.dot(out) < 0.0 {
        face = -face;
    }
    let sense = if newell.dot(out) < 0.0 { -1.0 } else { 1.0 };
    let (mut one, mut other) = (Polygon::default(), Polygon::default());
    let (mut clipped, mut cut) = (&mut one, &mut other);
    let mut untouched = true;
    for (k, a) in corners.iter().enumerate() {
        let b = &corners[if k + 1 == corners.len() { 0 } else { k + 1 }];
        let inward = (face.cross(b.point - a.point) * sense).normalize_or_zero();
        let current = if untouched { incident } else { &*clipped };
        if current.clip(cut, k as u32 + 1, |p| (p - a.point).dot(inward)) {
            std::mem::swap(&mut clipped, &mut cut);
            untouched = false;
        }
    }
    let incident = if untouched { incident } else { &*clipped };
    let offset = corners[0].point.dot(face);
    let along = face.dot(out);
    let mut points = [ManifoldPoint::default(); CAPACITY];
    let mut count = 0;
    for corner in incident.corners() {
        // Along the contact normal to the plane of the reference face.
        let gap = (corner.point.dot(face) - offset) / along;
        let separation = gap - radii[0] - radii[1];
        if separation <= margin {
            let (here, there) = if flip {
                (radii[0], radii[1])
            } else {
                (radii[1], radii[0])
            };
            // `here` is the radius around the incident corner.
            let middle = corner.point - out * (0.5 * (gap + here - there));
            points[count] = ManifoldPoint {
                point: middle,
                separation,
                id: corner.id | u32::from(flip) << 30,
            };
            count += 1;
        }
    }
    manifold.reduce(&points[..count]);
    manifold
}

/// Two edges, or an edge and a corner, or two corners.
fn edges(
    first: &Polygon,
    second: &Polygon,
    normal: DVec3,
    radii: [f64; 2],
    margin: f64,
) -> Manifold {
    let mut manifold = Manifold::new(normal);
    let mut add = |a: DVec3, b: DVec3, id: u32| {
        let gap = (b - a).dot(normal);
        let separation = gap - radii[0] - radii[1];
        if separation <= margin {
            let middle = 0.5 * (a + normal * radii[0] + b - normal * radii[1]);
            manifold.push(ManifoldPoint {
                point: middle,
                separation,
                id,
            });
        }
    };
    match (first.corners(), second.corners()) {
        ([a, b], [c, d]) => {
            let (u, v) = (b.point - a.point, d.point - c.point);
            let sine = u.cross(v).length() / (u.length() * v.length()).max(f64::MIN_POSITIVE);
            if sine < 0.05 {
                // Nearly parallel: the ends of the common part.
                let mut common = second.clone();
                let direction = u.normalize_or_zero();
                let mut cut = Polygon::default();
                if common.clip(&mut cut, 1, |p| (p - a.point).dot(direction)) {
                    std::mem::swap(&mut common, &mut cut);
                }
                if common.clip(&mut cut, 2, |p| (b.point - p).dot(direction)) {
                    std::mem::swap(&mut common, &mut cut);
                }
                for corner in common.corners() {
                    let t = (corner.point - a.point).dot(direction);
                    add(a.point + direction * t, corner.point, corner.id);
                }
            } else {
                let (s, t) = segments([a.point, b.point], [c.point, d.point]);
                add(a.point + u * s, c.point + v * t, 7);
            }
        }
        ([a, b], [c]) => {
            let t = on_segment(a.point, b.point, c.point);
            add(a.point + (b.point - a.point) * t, c.point, 8);
        }
        ([a], [c, d]) => {
            let t = on_segment(c.point, d.point, a.point);
            add(a.point, c.point + (d.point - c.point) * t, 9);
        }
        ([a, ..], [c, ..]) => add(a.point, c.point, 10),
        _ => {}
    }
    manifold
}

/// Where on the segment from a to b the point nearest to p lies, from 0 to 1.
pub fn on_segment(a: DVec3, b: DVec3, p: DVec3) -> f64 {
    let along = b - a;
    let square = along.length_squared();
    if square == 0.0 {
        return 0.0;
    }
    ((p - a).dot(along) / square).clamp(0.0, 1.0)
}

/// Where on two segments their nearest points lie, from 0 to 1 (Ericson 5.1.9).
pub fn segments([p, p2]: [DVec3; 2], [q, q2]: [DVec3; 2]) -> (f64, f64) {
    let (d1, d2, r) = (p2 - p, q2 - q, p - q);
    let (a, e, f) = (d1.dot(d1), d2.dot(d2), d2.dot(r));
    if a == 0.0 {
        return (0.0, on_segment(q, q2, p));
    }
    if e == 0.0 {
        return (on_segment(p, p2, q), 0.0);
    }
    let (b, c) = (d1.dot(d2), d1.dot(r));
    let denominator = a * e - b * b;
    let s = match denominator > 1e-14 * a * e {
        true => ((b * f - c * e) / denominator).clamp(0.0, 1.0),
        false => 0.5,
    };
    let t = (b * s + f) / e;
    if t < 0.0 {
        ((-c / a).clamp(0.0, 1.0), 0.0)
    } else if t > 1.0 {
        (((b - c) / a).clamp(0.0, 1.0), 1.0)
    } else {
        (s, t)
    }
}
