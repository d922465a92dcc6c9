//! Rigid impact zones (Provot 1997, Bridson et al. 2002), the paper's baseline:
//! the whole zone moves as one rigid body and keeps its momentum and angular
//! momentum. Its points can neither collide nor slide.

use super::constraint::{Constraint, StencilPair};
use super::inelastic_projection::Outcome;
use super::motion::{NO_BODY, ResponseMotion};
use conatus_math::{DMat3, DVec3, rotation};
use std::collections::BTreeSet;

/// Weight of a scripted point, as a multiple of the zone's mass: the motion
/// follows scripted points as far as one rigid motion can.
const SCRIPTED_MASS_RATIO: f64 = 1e8;

/// Makes the zone rigid (Harmon §3). The violation is the largest difference,
/// in m/s, between a scripted velocity and the rigid motion.
pub(crate) fn rigid_motion(motion: &mut ResponseMotion, constraints: &[Constraint]) -> Outcome {
    let mut points = BTreeSet::new();
    let mut bodies = BTreeSet::new();
    let mut plane = false;
    for c in constraints {
        plane |= matches!(c.stencil.pair, StencilPair::VertexPlane(_));
        for p in c.stencil.points() {
            // A locked body counts as scripted, like an obstacle.
            match motion.body_of[p as usize] {
                b if b != NO_BODY && motion.bodies[b as usize].inverse_mass > 0.0 => {
                    bodies.insert(b)
                }
                _ => points.insert(p),
            };
        }
    }
    let mut fit = Fit::about(centre(motion, &points, &bodies));
    for &p in &points {
        let i = p as usize;
        if motion.inverse_mass[i] > 0.0 {
            let mass = 1.0 / motion.inverse_mass[i];
            fit.point(mass, motion.start[i], motion.velocity[i]);
        }
    }
    for &b in &bodies {
        let b = &motion.bodies[b as usize];
        fit.point(1.0 / b.inverse_mass, b.centre, b.velocity);
        let inertia = b.inverse_inertia.inverse();
        fit.angular += inertia;
        fit.spin += inertia * b.omega;
    }
    let insist = SCRIPTED_MASS_RATIO * fit.mass.max(1e-9);
    let scripted: Vec<(DVec3, DVec3)> = points
        .iter()
        .filter(|&&p| motion.inverse_mass[p as usize] == 0.0)
        .map(|&p| (motion.start[p as usize], motion.velocity[p as usize]))
        .collect();
    for &(x, v) in &scripted {
        fit.point(insist, x, v);
    }
    // A plane stops every zone that touches it.
    let (velocity, omega) = match plane {
        true => (DVec3::ZERO, DVec3::ZERO),
        false => fit.solve(),
    };
    let centre = fit.centre;
    let disagreement = scripted
        .iter()
        .map(|&(x, v)| (velocity + omega.cross(x - centre) - v).length())
        .fold(0.0, f64::max);

    let turn = DMat3::from_quat(rotation::exp(motion.h * omega));
    let mut change = 0.0;
    for &p in &points {
        let i = p as usize;
        if motion.inverse_mass[i] > 0.0 {
            let arm = motion.start[i] - centre;
            let after = velocity + (turn * arm - arm) / motion.h;
            change += (after - motion.velocity[i]).length_squared() / motion.inverse_mass[i];
            motion.velocity[i] = after;
        }
    }
    for &b in &bodies {
        let b = &mut motion.bodies[b as usize];
        let arm = b.centre - centre;
        b.velocity = velocity + (turn * arm - arm) / motion.h;
        b.omega = omega;
    }
    Outcome {
        impulses: vec![0.0; constraints.len()],
        violation: disagreement,
        change: f64::sqrt(change),
    }
}

fn centre(motion: &ResponseMotion, points: &BTreeSet<u32>, bodies: &BTreeSet<u32>) -> DVec3 {
    let free = points.iter().map(|&p| p as usize);
    let free = free.filter(|&i| motion.inverse_mass[i] > 0.0);
    let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
    for i in free {
        let m = 1.0 / motion.inverse_mass[i];
        sum += m * motion.start[i];
        mass += m;
    }
    for &b in bodies {
        let b = &motion.bodies[b as usize];
        sum += b.centre / b.inverse_mass;
        mass += 1.0 / b.inverse_mass;
    }
    if mass > 0.0 { sum / mass } else { sum }
}

/// The rigid motion nearest to given velocities: minimises
/// Σ m |V + Ω × r − v|², whose normal equations are those of momentum and
/// angular momentum.
struct Fit {
    centre: DVec3,
    mass: f64,
    momentum: DVec3,
    /// Σ m r.
    first: DVec3,
    /// Σ m (|r|² − r rᵀ).
    angular: DMat3,
    /// Σ m r × v.
    spin: DVec3,
}

impl Fit {
    fn about(centre: DVec3) -> Self {
        Self {
            centre,
            mass: 0.0,
            momentum: DVec3::ZERO,
            first: DVec3::ZERO,
            angular: DMat3::ZERO,
            spin: DVec3::ZERO,
        }
    }

    fn point(&mut self, mass: f64, x: DVec3, v: DVec3) {
        let r = x - self.centre;
        self.mass += mass;
        self.momentum += mass * v;
        self.first += mass * r;
        let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        self.angular += mass * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer);
        self.spin += mass * r.cross(v);
    }

    /// V and Ω about the centre.
    fn solve(&self) -> (DVec3, DVec3) {
        if self.mass == 0.0 {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        // About the weighted mean the equations decouple.
        let mean = self.first / self.mass;
        let shift = self.mass
            * (DMat3::from_diagonal(DVec3::splat(mean.length_squared()))
                - DMat3::from_cols(mean * mean.x, mean * mean.y, mean * mean.z));
        let inertia = self.angular - shift;
        let v = self.momentum / self.mass;
        let spin = self.spin - mean.cross(self.momentum);
        // Points on a line have no inertia about it: a small fraction of the
        // largest moment keeps that rotation at zero.
        let size = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let omega = if size > 0.0 {
            (inertia + DMat3::from_diagonal(DVec3::splat(1e-9 * size))).inverse() * spin
        } else {
            DVec3::ZERO
        };
        (v - omega.cross(mean), omega)
    }
}
