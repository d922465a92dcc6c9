//! Volume, centre of mass and inertia of shapes of uniform density: closed forms for solids
//! with a formula, volume integrals for hulls and closed meshes, sums for compounds.

use super::{Axis, Shape};
use crate::Mesh;
use conatus_math::{DMat3, DVec3, Pose, rotation};
use std::f64::consts::PI;

/// What a shape of uniform density weighs and how it resists turning, for every kilogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidProperties {
    /// In m³; that of the round body, not of its mesh.
    pub volume: f64,
    /// The centre of mass.
    pub centre: DVec3,
    /// The inertia tensor about the centre of mass over the mass, in m².
    pub inertia: DMat3,
}

impl SolidProperties {
    /// Of the same shape at a pose: R I Rᵀ and a moved centre.
    #[must_use]
    pub fn at(&self, pose: &Pose) -> Self {
        let r = rotation::to_matrix(pose.rotation);
        Self {
            volume: self.volume,
            centre: pose.point(self.centre),
            inertia: r * self.inertia * r.transpose(),
        }
    }
}

impl Shape {
    /// The exact volume in m³; `None` for shapes that enclose none.
    pub fn volume(&self) -> Option<f64> {
        let ball = |x: f64, y: f64, z: f64| 4.0 / 3.0 * PI * x * y * z;
        Some(match *self {
            Self::Sphere { radius } => ball(radius, radius, radius),
            Self::Box { half_extents: h } => 8.0 * h.x * h.y * h.z,
            Self::Cylinder { radius, height, .. } => PI * radius * radius * height,
            Self::Capsule { radius, height, .. } => {
                PI * radius * radius * height + ball(radius, radius, radius)
            }
            Self::Cone { radius, height, .. } => PI * radius * radius * height / 3.0,
            Self::Ellipsoid { semi_axes: a } => ball(a.x, a.y, a.z),
            _ => return self.solid_properties().map(|solid| solid.volume),
        })
    }

    /// Volume, centre of mass and inertia. Boxes take half extents and cylinders a full
    /// height, as in Chaney §8.2. `None` for shapes that enclose no volume: surfaces that
    /// are not closed, half-spaces, compounds with such a part.
    pub fn solid_properties(&self) -> Option<SolidProperties> {
        let moments = match *self {
            Self::Sphere { radius } => DVec3::splat(0.4 * radius * radius),
            Self::Box { half_extents: e } => ellipsoidal(e) / 3.0,
            Self::Ellipsoid { semi_axes: e } => ellipsoidal(e) / 5.0,
            Self::Cylinder {
                radius,
                height,
                axis,
            } => along(
                axis,
                0.5 * radius * radius,
                radius * radius / 4.0 + height * height / 12.0,
            ),
            Self::Cone {
                radius,
                height,
                axis,
            } => along(
                axis,
                0.3 * radius * radius,
                0.15 * radius * radius + 0.0375 * height * height,
            ),
            Self::Capsule {
                radius,
                height,
                axis,
            } => capsule(radius, height, axis),
            Self::Hull(ref hull) => return of_mesh(&hull.mesh()),
            Self::Mesh(ref mesh) => {
                let mesh = mesh.mesh();
                return mesh.check_closed().ok().and_then(|()| of_mesh(mesh));
            }
            Self::Compound(ref parts) => {
                let own = |(pose, part): &(Pose, Self)| Some(part.solid_properties()?.at(pose));
                let placed = parts.iter().map(own);
                return placed.collect::<Option<Vec<_>>>().and_then(|p| sum(&p));
            }
            Self::Heightfield(_) | Self::HalfSpace(_) => return None,
        };
        Some(SolidProperties {
            volume: self.volume()?,
            centre: DVec3::ZERO,
            inertia: DMat3::from_diagonal(moments),
        })
    }
}

/// Of a closed mesh; an inverted orientation is allowed.
fn of_mesh(mesh: &Mesh) -> Option<SolidProperties> {
    let integrals = mesh.volume_integrals();
    integrals.volume.is_normal().then(|| SolidProperties {
        volume: integrals.volume.abs(),
        centre: integrals.centre(),
        inertia: integrals.inertia(1.0),
    })
}

/// Several solids as one of the same density, with the parallel-axis theorem.
fn sum(parts: &[SolidProperties]) -> Option<SolidProperties> {
    let volume: f64 = parts.iter().map(|p| p.volume).sum();
    let first: DVec3 = parts.iter().map(|p| p.centre * p.volume).sum();
    let centre = first / volume;
    let inertia = parts.iter().fold(DMat3::ZERO, |sum, p| {
        let r = p.centre - centre;
        let rr = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        let away = DMat3::from_diagonal(DVec3::splat(r.length_squared())) - rr;
        sum + (p.inertia + away) * (p.volume / volume)
    });
    volume.is_normal().then_some(SolidProperties {
        volume,
        centre,
        inertia,
    })
}

/// (b² + c², a² + c², a² + b²).
fn ellipsoidal(e: DVec3) -> DVec3 {
    let s = e * e;
    DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y)
}

/// Moments of a body of revolution about `axis`.
fn along(axis: Axis, axial: f64, across: f64) -> DVec3 {
    match axis {
        Axis::X => DVec3::new(axial, across, across),
        Axis::Y => DVec3::new(across, axial, across),
        Axis::Z => DVec3::new(across, across, axial),
    }
}

/// Moments per mass of a capsule: a cylinder and two half balls, whose centres
/// lie 3/8 of the radius beyond the cylinder's ends.
fn capsule(r: f64, h: f64, axis: Axis) -> DVec3 {
    let (cylinder, balls) = (h, 4.0 / 3.0 * r); // volumes over πr²
    let (c, b) = (cylinder / (cylinder + balls), balls / (cylinder + balls));
    let axial = c * 0.5 * r * r + b * 0.4 * r * r;
    let to_ball = 0.5 * h + 0.375 * r;
    // A half ball about its own centre of mass has 2/5 − 9/64 = 83/320 r².
    let across = c * (r * r / 4.0 + h * h / 12.0) + b * (83.0 / 320.0 * r * r + to_ball * to_ball);
    along(axis, axial, across)
}
