//! Where a ray enters a convex solid, in closed form.

use super::Convex;
use super::hull::ConvexHull;
use crate::ray::{Ray, RayHit};
use conatus_math::DVec3;

impl Convex {
    /// Where a ray in the solid's own axes enters it.
    pub fn ray_cast(&self, ray: &Ray) -> Option<RayHit> {
        match self {
            Self::Sphere { radius } => sphere(ray, *radius),
            Self::Capsule { half, radius } => capsule(ray, *half, *radius),
            Self::Box { half_extents } => block(ray, *half_extents),
            Self::Hull(hull) => polytope(ray, hull),
            Self::Cylinder {
                axis,
                radius,
                half_height,
            } => cylinder(ray, *axis, *radius, *half_height),
            Self::Cone {
                axis,
                radius,
                base_and_tip,
            } => cone(ray, *axis, *radius, *base_and_tip),
            Self::Ellipsoid { semi_axes } => ellipsoid(ray, *semi_axes),
            Self::Triangle(corners) => triangle(ray, corners),
        }
    }
}

/// The ray moved to its point nearest to `centre`, relative to it, and the distance by
/// which it moved. Quadratic equations lose the fewest digits there.
fn centred(ray: &Ray, centre: DVec3) -> (DVec3, f64) {
    let from = ray.origin - centre;
    let shift = -from.dot(ray.direction);
    (from + ray.direction * shift, shift)
}

fn sphere(ray: &Ray, radius: f64) -> Option<RayHit> {
    if ray.origin.length_squared() <= radius * radius {
        return Some(RayHit::inside(ray));
    }
    let distance = sphere_entry(ray, DVec3::ZERO, radius)?;
    Some(RayHit {
        distance,
        normal: ray.at(distance) / radius,
    })
}

/// The first of the two points on a sphere, if it lies ahead.
fn sphere_entry(ray: &Ray, centre: DVec3, radius: f64) -> Option<f64> {
    let (nearest, shift) = centred(ray, centre);
    let square = radius * radius - nearest.length_squared();
    let distance = shift - square.max(0.0).sqrt();
    (square >= 0.0 && distance >= 0.0).then_some(distance)
}

fn capsule(ray: &Ray, half: DVec3, radius: f64) -> Option<RayHit> {
    let square = half.length_squared();
    let on_axis = |p: DVec3| match square > 0.0 {
        true => half * (p.dot(half) / square).clamp(-1.0, 1.0),
        false => DVec3::ZERO,
    };
    let origin = ray.origin;
    if origin.distance_squared(on_axis(origin)) <= radius * radius {
        return Some(RayHit::inside(ray));
    }
    let side = half.try_normalize().and_then(|axis| {
        let [enter, _] = infinite_cylinder(ray, axis, radius)?;
        let inside = ray.at(enter).dot(axis).abs() <= half.length();
        (enter >= 0.0 && inside).then_some(enter)
    });
    let ends = [half, -half].map(|centre| sphere_entry(ray, centre, radius));
    let distance = (side.into_iter().chain(ends.into_iter().flatten())).min_by(f64::total_cmp)?;
    let point = ray.at(distance);
    Some(RayHit {
        distance,
        normal: (point - on_axis(point)) / radius,
    })
}

fn block(ray: &Ray, half: DVec3) -> Option<RayHit> {
    if ray.origin.abs().cmple(half).all() {
        return Some(RayHit::inside(ray));
    }
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut normal = DVec3::ZERO;
    for axis in 0..3 {
        let (o, d) = (ray.origin[axis], ray.direction[axis]);
        if d == 0.0 {
            if o.abs() > half[axis] {
                return None;
            }
            continue;
        }
        let near = (-half[axis].copysign(d) - o) / d;
        if near > enter {
            enter = near;
            normal = DVec3::ZERO;
            normal[axis] = -d.signum();
        }
        leave = leave.min((half[axis].copysign(d) - o) / d);
    }
    (enter <= leave && enter >= 0.0).then_some(RayHit {
        distance: enter,
        normal,
    })
}

fn polytope(ray: &Ray, hull: &ConvexHull) -> Option<RayHit> {
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut normal = DVec3::ZERO;
    let mut inside = true;
    for face in hull.faces() {
        let height = face.normal.dot(ray.origin) - face.offset;
        let along = face.normal.dot(ray.direction);
        inside &= height <= 0.0;
        if along == 0.0 {
            if height > 0.0 {
                return None;
            }
            continue;
        }
        let distance = -height / along;
        if along > 0.0 {
            leave = leave.min(distance);
        } else if distance > enter {
            enter = distance;
            normal = face.normal;
        }
    }
    if inside {
        return Some(RayHit::inside(ray));
    }
    (enter <= leave && enter >= 0.0).then_some(RayHit {
        distance: enter,
        normal,
    })
}

/// The distances between which a line is in an endless cylinder about an axis through the
/// origin.
fn infinite_cylinder(ray: &Ray, axis: DVec3, radius: f64) -> Option<[f64; 2]> {
    let flat = |v: DVec3| v - axis * v.dot(axis);
    let (from, along) = (flat(ray.origin), flat(ray.direction));
    let a = along.length_squared();
    // Along the axis but for rounding.
    if a <= 1e-30 {
        let inside = from.length_squared() <= radius * radius;
        return inside.then_some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    let shift = -from.dot(along) / a;
    let square = (radius * radius - (from + along * shift).length_squared()) / a;
    let half = square.max(0.0).sqrt();
    (square >= 0.0).then_some([shift - half, shift + half])
}

fn cylinder(ray: &Ray, axis: DVec3, radius: f64, half_height: f64) -> Option<RayHit> {
    let (o, d) = (ray.origin.dot(axis), ray.direction.dot(axis));
    let from_axis = |p: DVec3| p - axis * p.dot(axis);
    if o.abs() <= half_height && from_axis(ray.origin).length_squared() <= radius * radius {
        return Some(RayHit::inside(ray));
    }
    let [mut enter, mut leave] = infinite_cylinder(ray, axis, radius)?;
    let mut on_end = false;
    if d == 0.0 {
        if o.abs() > half_height {
            return None;
        }
    } else {
        let near = (-half_height.copysign(d) - o) / d;
        on_end = near > enter;
        enter = enter.max(near);
        leave = leave.min((half_height.copysign(d) - o) / d);
    }
    let normal = match on_end {
        true => axis * -d.signum(),
        false => from_axis(ray.at(enter)) / radius,
    };
    (enter <= leave && enter >= 0.0).then_some(RayHit {
        distance: enter,
        normal,
    })
}

/// The lateral surface has |p⊥|² = k²·s², with s the distance below the tip and k the
/// radius over the height.
fn cone(ray: &Ray, axis: DVec3, radius: f64, [base, tip]: [f64; 2]) -> Option<RayHit> {
    let height = tip - base;
    let k = radius / height;
    let below = |p: DVec3| tip - p.dot(axis);
    let from_axis = |p: DVec3| p - axis * p.dot(axis);
    let s = below(ray.origin);
    let out = from_axis(ray.origin).length();
    if s >= 0.0 && s <= height && out <= k * s {
        return Some(RayHit::inside(ray));
    }
    let mut first: Option<RayHit> = None;
    let mut add = |distance: f64, normal: DVec3| {
        if distance >= 0.0 && first.is_none_or(|f| distance < f.distance) {
            first = Some(RayHit { distance, normal });
        }
    };
    let d = ray.direction.dot(axis);
    if d > 0.0 {
        let distance = (base - ray.origin.dot(axis)) / d;
        if from_axis(ray.at(distance)).length_squared() <= radius * radius {
            add(distance, -axis);
        }
    }
    let (from, shift) = centred(ray, axis * tip);
    let flat = [from_axis(from), from_axis(ray.direction)];
    let (s0, ds) = (-from.dot(axis), -d);
    let a = flat[1].length_squared() - k * k * ds * ds;
    let b = flat[0].dot(flat[1]) - k * k * s0 * ds;
    let c = flat[0].length_squared() - k * k * s0 * s0;
    let square = b * b - a * c;
    if square >= 0.0 {
        let q = -(b + square.sqrt().copysign(b));
        for t in [q / a, c / q] {
            let s = s0 + ds * t;
            if t.is_finite() && s >= 0.0 && s <= height {
                let side = (flat[0] + flat[1] * t).normalize_or_zero();
                add(shift + t, (side + axis * k).normalize_or(axis));
            }
        }
    }
    first
}

fn ellipsoid(ray: &Ray, semi_axes: DVec3) -> Option<RayHit> {
    let (from, along) = (ray.origin / semi_axes, ray.direction / semi_axes);
    if from.length_squared() <= 1.0 {
        return Some(RayHit::inside(ray));
    }
    let a = along.length_squared();
    let shift = -from.dot(along) / a;
    let square = (1.0 - (from + along * shift).length_squared()) / a;
    let distance = shift - square.max(0.0).sqrt();
    if square < 0.0 || distance < 0.0 {
        return None;
    }
    let normal = (ray.at(distance) / (semi_axes * semi_axes)).normalize_or(-ray.direction);
    Some(RayHit { distance, normal })
}

/// A triangle from both sides. The three volumes have exactly opposite signs on the two
/// sides of an edge that triangles share, so a ray cannot slip between them.
fn triangle(ray: &Ray, corners: &[DVec3; 3]) -> Option<RayHit> {
    let [a, b, c] = corners.map(|p| p - ray.origin);
    let d = ray.direction;
    let weights = [b.cross(c).dot(d), c.cross(a).dot(d), a.cross(b).dot(d)];
    let all = |sign: f64| weights.iter().all(|w| w * sign >= 0.0);
    if !(all(1.0) || all(-1.0)) {
        return None;
    }
    let sum: f64 = weights.iter().sum();
    let normal = (corners[1] - corners[0])
        .cross(corners[2] - corners[0])
        .try_normalize()?;
    // Along the plane of the triangle: it is seen edge-on.
    if sum == 0.0 {
        return None;
    }
    let distance = (weights[0] * a.dot(d) + weights[1] * b.dot(d) + weights[2] * c.dot(d)) / sum;
    (distance >= 0.0 && distance.is_finite()).then_some(RayHit {
        distance,
        normal: normal * -normal.dot(d).signum(),
    })
}
