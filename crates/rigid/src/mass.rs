//! Mass properties: total mass, centre of mass and inertia tensor, for
//! particles, solids, closed meshes and any combination of them.
//!
//! [`MassProperties::diagonalise`] gives the coordinates in which motion is
//! computed.

use conatus_geometry::{Mesh, Shape};
use conatus_math::{DMat3, DVec3, Pose, eigen, rotation};
use thiserror::Error;

/// Mass, centre of mass and inertia tensor about that centre, in the
/// coordinates that a shape is described in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Kilograms.
    pub mass: f64,
    /// The centre of mass.
    pub centre: DVec3,
    /// The inertia tensor about the centre of mass, Chaney (3), in kg·m².
    pub inertia: DMat3,
}

/// Why numbers are not valid mass properties.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MassError {
    /// The mass is not a positive number.
    #[error("the mass is {0} kg, but must be greater than zero and finite")]
    NotPositive(f64),
    /// Something is NaN or infinite.
    #[error("the centre of mass or the inertia tensor is not finite")]
    NotFinite,
    /// The tensor is not symmetric.
    #[error("the inertia tensor is not symmetric: entry ({0}, {1}) differs from ({1}, {0})")]
    NotSymmetric(usize, usize),
    /// A principal moment is zero or negative.
    #[error("the inertia tensor is not positive definite: its principal moments are {0}, {1}, {2}")]
    NotPositiveDefinite(f64, f64, f64),
    /// One principal moment exceeds the sum of the others.
    #[error(
        "the inertia tensor breaks the triangle inequality: its principal moments are {0}, {1}, {2}, and no body has one larger than the sum of the others"
    )]
    TriangleInequality(f64, f64, f64),
}

/// A body in its principal axes, Chaney §2.2: the centre of mass is the
/// origin and the inertia tensor is diagonal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diagonal {
    /// Kilograms.
    pub mass: f64,
    /// The principal moments (Ixx, Iyy, Izz) of Chaney (17).
    pub moments: DVec3,
    /// Turns old coordinates into principal axes: rows are the eigenvectors.
    pub diag_rotation: DMat3,
    /// new = `diag_rotation` · old + `diag_offset`.
    pub diag_offset: DVec3,
}

impl Diagonal {
    /// The pose that maps meshes and attachment points to principal axes:
    /// new = `diag_rotation` · old + `diag_offset`.
    pub fn carry(&self) -> Pose {
        Pose::new(rotation::from_matrix(self.diag_rotation), self.diag_offset)
    }
}

/// ΔI of Di Pierro (67): the contribution of a mass at `r` to an inertia tensor
/// about the origin, m(δ|r|² − r rᵀ). The parallel-axis theorem. For a rotation
/// across `r` it is m|r|², Di Pierro (43).
pub fn parallel_axis(mass: f64, r: DVec3) -> DMat3 {
    let rr = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
    (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - rr) * mass
}

impl MassProperties {
    /// Checks numbers given directly.
    pub fn new(mass: f64, centre: DVec3, inertia: DMat3) -> Result<Self, MassError> {
        let properties = Self {
            mass,
            centre,
            inertia,
        };
        properties.check()?;
        Ok(properties)
    }

    /// From point masses, Chaney (1)-(4), the first moments of (1) corrected;
    /// Di Pierro (46)-(47).
    pub fn from_particles(particles: &[(f64, DVec3)]) -> Self {
        let mass: f64 = particles.iter().map(|(m, _)| m).sum();
        let first: DVec3 = particles.iter().map(|(m, r)| *r * *m).sum();
        let centre = first / mass;
        let inertia = particles.iter().fold(DMat3::ZERO, |sum, (m, r)| {
            sum + parallel_axis(*m, *r - centre)
        });
        Self {
            mass,
            centre,
            inertia,
        }
    }

    /// A shape of uniform density; `None` if it encloses no volume.
    pub fn of_shape(shape: &Shape, mass: f64) -> Option<Self> {
        let solid = shape.solid_properties()?;
        Some(Self {
            mass,
            centre: solid.centre,
            inertia: solid.inertia * mass,
        })
    }

    /// A closed mesh of uniform density, by its volume integrals. The mesh must
    /// be closed; an inverted orientation is allowed.
    pub fn of_mesh(mesh: &Mesh, mass: f64) -> Self {
        let integrals = mesh.volume_integrals();
        Self {
            mass,
            centre: integrals.centre(),
            inertia: integrals.inertia(mass),
        }
    }

    /// The same body at another pose: R I Rᵀ and a shifted centre.
    pub fn at(&self, pose: &Pose) -> Self {
        let r = rotation::to_matrix(pose.rotation);
        Self {
            mass: self.mass,
            centre: pose.point(self.centre),
            inertia: r * self.inertia * r.transpose(),
        }
    }

    /// Any number of bodies, each at its pose, as one: Di Pierro (64)-(67),
    /// Chaney's `combine`.
    pub fn combine(parts: &[(Self, Pose)]) -> Self {
        let placed: Vec<Self> = parts.iter().map(|(p, pose)| p.at(pose)).collect();
        let mass: f64 = placed.iter().map(|p| p.mass).sum();
        let first: DVec3 = placed.iter().map(|p| p.centre * p.mass).sum();
        let centre = first / mass;
        let inertia = placed.iter().fold(DMat3::ZERO, |sum, p| {
            sum + p.inertia + parallel_axis(p.mass, p.centre - centre)
        });
        Self {
            mass,
            centre,
            inertia,
        }
    }

    /// Principal moments, a proper rotation and an offset, Chaney §2.2. A body
    /// with a diagonal tensor keeps its axes.
    pub fn diagonalise(&self) -> Diagonal {
        let (moments, diag_rotation) = eigen::symmetric_eigen(self.inertia);
        Diagonal {
            mass: self.mass,
            moments,
            diag_rotation,
            diag_offset: -(diag_rotation * self.centre),
        }
    }

    /// Whether these properties are physical: positive mass, symmetric positive
    /// definite tensor, principal moments within the triangle inequality (up to
    /// rounding).
    pub fn check(&self) -> Result<(), MassError> {
        if !(self.mass > 0.0 && self.mass.is_finite()) {
            return Err(MassError::NotPositive(self.mass));
        }
        if !self.centre.is_finite() || !self.inertia.is_finite() {
            return Err(MassError::NotFinite);
        }
        let i = self.inertia.to_cols_array_2d();
        let largest = i.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (j, k) in [(0, 1), (0, 2), (1, 2)] {
            if (i[j][k] - i[k][j]).abs() > 1e-9 * largest {
                return Err(MassError::NotSymmetric(j + 1, k + 1));
            }
        }
        let m = self.diagonalise().moments;
        if m.is_nan() || m.min_element() <= 1e-12 * largest {
            return Err(MassError::NotPositiveDefinite(m.x, m.y, m.z));
        }
        if 2.0 * m.max_element() > m.element_sum() * (1.0 + 1e-9) {
            return Err(MassError::TriangleInequality(m.x, m.y, m.z));
        }
        Ok(())
    }
}
