//! Contacts as the solver gets them: one manifold of up to four points each.

use super::bodies::BodyConstants;
use super::softness::Softness;
use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_math::DVec3;

/// One manifold, prepared for the solver.
#[derive(Clone, Copy, Debug)]
pub struct ContactConstraint {
    /// The solver's numbers of the two bodies; 0 for what never moves.
    pub bodies: [u32; 2],
    /// The unit normal from the first to the second.
    pub normal: DVec3,
    /// c of Di Pierro (69).
    pub restitution: f64,
    /// Faster contacts are impacts, in m/s; infinite if none is.
    pub impact_speed: f64,
    /// Coulomb's μ.
    pub friction: f64,
    /// The lever of rolling resistance in metres.
    pub rolling: f64,
    /// The points where they were found.
    pub points: [ConstraintPoint; MAX_POINTS],
    /// How far each body had moved since the start of the step when they were found.
    pub shifts: [DVec3; 2],
    /// How many there are.
    pub count: usize,
    /// The friction impulse in world axes, of the last substep.
    pub friction_impulse: DVec3,
    /// The torsion impulse about the normal.
    pub twist_impulse: f64,
    /// The rolling impulse in world axes.
    pub rolling_impulse: DVec3,
}

/// One point of a manifold.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConstraintPoint {
    /// Where it was found.
    pub point: DVec3,
    /// The separation that belongs to the start of the step.
    pub separation: f64,
    /// The normal impulse of the last substep.
    pub impulse: f64,
}

impl ContactConstraint {
    /// The bodies that impulses can move; 0 in place of others.
    pub fn moved(&self, constants: &[BodyConstants]) -> [u32; 2] {
        self.bodies
            .map(|k| match constants[k as usize].inverse_mass > 0.0 {
                true => k,
                false => 0,
            })
    }

    /// The arms of a point from the centres of the two bodies.
    pub fn arms(&self, point: DVec3, bodies: [&BodyConstants; 2]) -> [DVec3; 2] {
        [0, 1].map(|k| point - bodies[k].position - self.shifts[k])
    }
}

/// The numbers that all contacts of a substep share.
#[derive(Clone, Copy, Debug)]
pub struct SubstepSettings {
    /// 1/h of a substep.
    pub inverse_h: f64,
    /// Of contacts between bodies that move.
    pub soft: Softness,
    /// Of contacts with what never moves.
    pub soft_static: Softness,
    /// The fastest that an overlap is pushed out, in m/s.
    pub max_push_speed: f64,
}

/// What happened to a contact in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepResult {
    /// The normal impulses of the last substep.
    pub impulses: [f64; MAX_POINTS],
    /// The friction impulse of the last substep, in world axes.
    pub friction_impulse: DVec3,
    /// The torsion impulse of the last substep.
    pub twist_impulse: f64,
    /// The rolling impulse of the last substep, in world axes.
    pub rolling_impulse: DVec3,
    /// The normal impulses of the step at every point.
    pub normal: [f64; MAX_POINTS],
    /// The friction impulse of the step on the second body.
    pub friction: DVec3,
    /// Whether anything acted. Impulses that push an overlap out add up to zero.
    pub acted: bool,
}

impl StepResult {
    /// Gives a constraint the impulses of the last substep.
    pub fn keep(&self, c: &mut ContactConstraint) {
        for (p, impulse) in c.points[..c.count].iter_mut().zip(self.impulses) {
            p.impulse = impulse;
        }
        c.friction_impulse = self.friction_impulse;
        c.twist_impulse = self.twist_impulse;
        c.rolling_impulse = self.rolling_impulse;
    }
}
