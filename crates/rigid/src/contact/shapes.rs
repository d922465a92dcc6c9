//! Collision shapes and the contact test of each pair.
//!
//! So far: spheres fixed to bodies, and static planes. A new shape adds a file
//! with its pairs; the code after [`Contact`] does not change.

use conatus_math::DVec3;

/// A sphere fixed to a body: the ball itself, or the bounding sphere of a mesh
/// (Di Pierro §11).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The body it belongs to.
    pub body: usize,
    /// Its centre in the body's axes.
    pub centre: DVec3,
    /// Its radius.
    pub radius: f64,
    /// c of Di Pierro (69).
    pub restitution: f64,
    /// Coulomb's μ.
    pub friction: f64,
}

/// A static plane; bodies stay on the side that the normal points to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A point on it.
    pub point: DVec3,
    /// The unit normal.
    pub normal: DVec3,
    /// Its restitution; the body's if `None`.
    pub restitution: Option<f64>,
    /// Its friction; the body's if `None`.
    pub friction: Option<f64>,
}

/// Two shapes that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The mover on the first side.
    pub a: usize,
    /// The mover on the second side; `None` for a static plane.
    pub b: Option<usize>,
    /// The body on the first side.
    pub body_a: usize,
    /// The body on the second side.
    pub body_b: Option<usize>,
    /// The contact point: the middle of the overlap.
    pub point: DVec3,
    /// The unit normal from the first to the second.
    pub normal: DVec3,
    /// The penetration depth.
    pub penetration: f64,
    /// c.
    pub restitution: f64,
    /// μ.
    pub friction: f64,
}

/// The contact of two spheres: point, normal from the first to the second,
/// depth. Spheres with the same centre separate along x.
pub fn sphere_sphere(a: DVec3, r_a: f64, b: DVec3, r_b: f64) -> Option<(DVec3, DVec3, f64)> {
    let d = b - a;
    let reach = r_a + r_b;
    let distance_squared = d.length_squared();
    if distance_squared >= reach * reach {
        return None;
    }
    let distance = distance_squared.sqrt();
    let normal = if distance > 0.0 {
        d / distance
    } else {
        DVec3::X
    };
    let penetration = reach - distance;
    Some((a + normal * (r_a - 0.5 * penetration), normal, penetration))
}

impl Contact {
    /// The points of the two surfaces that touched, on the first side and on
    /// the second. They are `penetration` apart now, and coincided at the
    /// moment of impact: a ball's point is its whole radius away from its
    /// centre.
    pub fn surface_points(&self) -> (DVec3, DVec3) {
        let half = self.normal * (0.5 * self.penetration);
        (self.point + half, self.point - half)
    }
}

/// The contact of a sphere and a plane: point, normal *into* the plane, depth.
pub fn sphere_plane(centre: DVec3, radius: f64, plane: &Plane) -> Option<(DVec3, DVec3, f64)> {
    let height = (centre - plane.point).dot(plane.normal);
    if height >= radius {
        return None;
    }
    let point = centre - plane.normal * (0.5 * (height + radius));
    Some((point, -plane.normal, radius - height))
}
