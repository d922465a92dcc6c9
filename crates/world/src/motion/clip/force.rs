//! Contact forces of a clip: a force at the centre of pressure, and a torque.

use conatus_math::DVec3;
use conatus_motion::inverse_dynamics::{PatchContact, Vector6};

/// The wrench of a contact as a force at a point and a torque.
pub struct ContactForce {
    /// In newtons.
    pub force: DVec3,
    /// The centre of pressure.
    pub point: DVec3,
    /// The remaining torque: torsion about the normal, or any torque of a grip.
    pub torque: DVec3,
    /// The normal of the surface.
    pub normal: DVec3,
}

impl ContactForce {
    /// No force at a point.
    pub fn zero(point: DVec3, normal: DVec3) -> Self {
        Self {
            force: DVec3::ZERO,
            point,
            torque: DVec3::ZERO,
            normal,
        }
    }
}

/// The wrench `f` of a contact, in units of `weight`, as a force at the centre of
/// pressure r = (−f₄/f₂, f₃/f₂, 0). There the force has the moments f₃ and f₄ about the
/// patch's centre, so that only torsion is left.
pub fn contact_force(contact: &PatchContact, f: &Vector6, weight: f64) -> ContactForce {
    let matrix = contact.matrix;
    let force = DVec3::new(f[0], f[1], f[2]);
    if contact.cone.is_none() {
        // A grip bears any torque and may pull: its force acts at its centre.
        return ContactForce {
            force: matrix * force * weight,
            point: contact.position,
            torque: matrix * DVec3::new(f[3], f[4], f[5]) * weight,
            normal: matrix.z_axis,
        };
    }
    // The z axis of a sliding contact leans against the sliding direction.
    let normal = matrix.x_axis.cross(matrix.y_axis);
    if f[2] <= 0.0 {
        return ContactForce::zero(contact.position, normal);
    }
    let force = matrix * force;
    let arm = matrix * DVec3::new(-f[4] / f[2], f[3] / f[2], 0.0);
    let torsion = f[5] - arm.cross(force).dot(normal);
    ContactForce {
        force: force * weight,
        point: contact.position + arm,
        torque: normal * (torsion * weight),
        normal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_math::DMat3;
    use conatus_motion::inverse_dynamics::{Cone, wrench};

    #[test]
    fn a_contact_force_is_the_same_wrench_and_leaves_only_torsion() {
        let z = DVec3::new(0.1, -0.2, 0.9).normalize();
        let x = DVec3::X.cross(z).normalize();
        let contact = PatchContact {
            on: 0,
            against: None,
            position: DVec3::new(0.3, -0.4, 0.02),
            matrix: DMat3::from_cols(x, z.cross(x), z),
            cone: Some(Cone::new(0.8, [0.1, 0.05])),
            weight: 1.0,
        };
        let f = [0.11, -0.07, 0.8, 0.02, -0.05, 0.013];
        let weight = 686.7;
        let found = contact_force(&contact, &f, weight);
        let (force, moment) = wrench(&contact, &f);
        let about = found.torque + (found.point - contact.position).cross(found.force);
        assert!(found.force.distance(force * weight) < 1e-9);
        assert!(about.distance(moment * weight) < 1e-9, "{about} {moment}");
        assert!(found.torque.cross(z).length() < 1e-12 * weight);
        assert!((found.point - contact.position).dot(z).abs() < 1e-15);
    }
}
