//! A half-space against a convex solid.

use super::manifold::{Manifold, ManifoldPoint};
use super::{Convex, perpendicular};
use crate::HalfSpace;
use conatus_math::{DVec3, Pose};

/// The points of a solid at `pose` that are deepest in a half-space, as far as they are within `margin` of its surface. The normal of
/// the manifold leads from the half-space to the solid.
pub fn half_space_convex(
    half_space: &HalfSpace,
    shape: &Convex,
    pose: &Pose,
    margin: f64,
) -> Option<Manifold> {
    let HalfSpace { normal: n, offset } = *half_space;
    let own = pose.rotation.conjugate() * n;
    let base = offset - n.dot(pose.translation);
    let radius = shape.radius();
    let mut points: Vec<ManifoldPoint> = Vec::new();
    let mut add = |p: DVec3, id: u32| {
        let separation = own.dot(p) - radius - base;
        if separation <= margin {
            let world = pose.point(p) - n * (radius + 0.5 * separation);
            points.push(ManifoldPoint {
                point: world,
                separation,
                id,
            });
        }
    };
    match shape {
        Convex::Sphere { .. } => add(DVec3::ZERO, 0),
        Convex::Capsule { half, .. } => {
            add(*half, 0);
            add(-*half, 1);
        }
        Convex::Box { half_extents: h } => {
            for k in 0..8u32 {
                let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
                add(*h * DVec3::new(sign(0), sign(1), sign(2)), k);
            }
        }
        Convex::Hull(hull) => {
            for (k, v) in (0u32..).zip(hull.vertices()) {
                add(*v, k);
            }
        }
        Convex::Triangle(corners) => {
            for (k, c) in (0u32..).zip(corners) {
                add(*c, k);
            }
        }
        Convex::Cylinder {
            axis,
            radius,
            half_height,
        } => {
            let along = own.dot(*axis);
            // The lower end comes first.
            let low = *axis * -half_height.copysign(along);
            let (across, flat) = downhill(own, *axis);
            for (k, p) in (0u32..).zip(rim(low, *axis, *radius, across)) {
                add(p, k);
            }
            if !flat {
                add(-low + across * *radius, 8);
            }
        }
        Convex::Cone {
            axis,
            radius,
            base_and_tip: [bottom, tip],
        } => {
            let (across, _) = downhill(own, *axis);
            for (k, p) in (0u32..).zip(rim(*axis * *bottom, *axis, *radius, across)) {
                add(p, k);
            }
            add(*axis * *tip, 8);
        }
        Convex::Ellipsoid { .. } => add(shape.support(-own).0, 0),
    }
    if points.is_empty() {
        return None;
    }
    let mut manifold = Manifold::new(n);
    manifold.reduce(&points);
    Some(manifold)
}

/// The direction across the axis that leads down fastest, and whether the axis is
/// upright, so that there is none.
fn downhill(n: DVec3, axis: DVec3) -> (DVec3, bool) {
    let across = axis * n.dot(axis) - n;
    match across.length() > 1e-9 {
        true => (across.normalize(), false),
        false => (perpendicular(axis), true),
    }
}

/// Four points on a circle: the first towards `across`.
fn rim(centre: DVec3, axis: DVec3, radius: f64, across: DVec3) -> [DVec3; 4] {
    let aside = axis.cross(across);
    [across, aside, -across, -aside].map(|d| centre + d * radius)
}
