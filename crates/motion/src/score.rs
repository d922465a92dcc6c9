//! Scores a movement on a grid that is far denser than the one it was optimised on.
//!
//! The residual that (6) leaves is too optimistic: it includes forces from contacts
//! that do not touch. The *true* residual remains when only contacts that touch may
//! push: near enough, flat enough and slow enough.

use crate::contact_state::ContactState;
use crate::costs::obstacles;
use crate::costs::penetration::{link_ends, pair_distance};
use crate::costs::physics;
use crate::costs::physics::torque::{joint, torque_about};
use crate::costs::task::{DIRECTION_ARM_M, Feature};
use crate::inverse_dynamics::{PatchContact, Solution, wrench};
use crate::program::{Against, Anchor, Program};
use crate::slide::SlidingFriction;
use crate::variables::MotionState;
use conatus_math::DVec3;
use serde::{Deserialize, Serialize};

/// A contact touches if its distance is below this, in metres,
pub const TOUCH_GAP_M: f64 = 0.009;
/// its tilt is below this, in radians,
pub const TOUCH_TILT_RAD: f64 = 0.2;
/// and its speed is below this, in metres per second.
pub const TOUCH_SPEED_M_S: f64 = 0.1;
/// A contact is active if its variable c is above this; others may not push.
pub const MIN_ACTIVE_CONTACT: f64 = 0.1;
/// Moments per segment at which a movement is scored.
pub const MOMENTS_PER_SEGMENT: usize = 21;
/// W of contacts that touch: so small that the residual it causes, W f, does not
/// matter.
const TRUE_FORCE_WEIGHT: f64 = 1e-4;
/// A contact is in use if it bears at least this share of the weight.
const MIN_LOAD_SHARE: f64 = 0.01;

/// The errors of a movement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The largest true residual, in body weights.
    pub true_residual_max_bw: f64,
    /// Its mean over time.
    pub true_residual_mean_bw: f64,
    /// How far a contact moves while it is in use, in metres.
    pub contact_drift_max: f64,
    /// How far the length of a limb is outside of its range, in metres.
    pub limb_error_max: f64,
    /// The largest penetration, in metres.
    pub penetration_max: f64,
    /// The largest error of a goal, in metres.
    pub task_error: f64,
    /// How far the torque of a joint is above its strength, as a share of that.
    #[serde(default)]
    pub torque_excess: f64,
}

/// The largest errors that a good movement may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Largest true residual, in body weights.
    pub residual_max: f64,
    /// Mean true residual.
    pub residual_mean: f64,
    /// Drift, in metres.
    pub drift: f64,
    /// Limb error, in metres.
    pub limb: f64,
    /// Penetration, in metres.
    pub penetration: f64,
    /// Task error, in metres.
    pub task: f64,
    /// Torque above the strength of a joint, as a share of that.
    pub torque: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            residual_max: 0.01,
            residual_mean: 0.001,
            drift: 0.005,
            limb: 0.005,
            penetration: 0.005,
            task: 0.02,
            torque: f64::INFINITY,
        }
    }
}

impl Score {
    /// Each error with its threshold: name, error, threshold.
    pub fn against(&self, thresholds: &Thresholds) -> [(&'static str, f64, f64); 7] {
        [
            (
                "true_residual_max_bw",
                self.true_residual_max_bw,
                thresholds.residual_max,
            ),
            (
                "true_residual_mean_bw",
                self.true_residual_mean_bw,
                thresholds.residual_mean,
            ),
            (
                "contact_drift_max",
                self.contact_drift_max,
                thresholds.drift,
            ),
            ("limb_error_max", self.limb_error_max, thresholds.limb),
            (
                "penetration_max",
                self.penetration_max,
                thresholds.penetration,
            ),
            ("task_error", self.task_error, thresholds.task),
            ("torque_excess", self.torque_excess, thresholds.torque),
        ]
    }

    /// Whether all errors are within their thresholds.
    pub fn is_good(&self, thresholds: &Thresholds) -> bool {
        self.against(thresholds)
            .iter()
            .all(|(_, error, threshold)| error <= threshold)
    }

    /// The largest ratio of an error to its threshold: at most 1 if the movement is
    /// good.
    pub fn worst_ratio(&self, thresholds: &Thresholds) -> f64 {
        let errors = self.against(thresholds);
        let ratios = errors.map(|(_, error, threshold)| error / threshold);
        ratios.into_iter().fold(0.0, f64::max)
    }
}

/// The normal of the surface that an active contact touches; none if it does not
/// touch.
pub fn touches(program: &Program, state: &MotionState, i: usize) -> Option<DVec3> {
    if state.contacts[i].powi(2) < MIN_ACTIVE_CONTACT {
        return None;
    }
    let touch = ContactState::new(program, state, i);
    let (gap, n) = match program.contacts[i].against {
        // The nearest surface, not the average (3) of all that are near.
        Against::Surroundings if program.contacts[i].anchor == Anchor::Patch => {
            let (_, nearest) = program.around.nearest(touch.position)?;
            (nearest.value.abs(), nearest.normal)
        }
        _ => (touch.gap.length(), touch.normal),
    };
    let z = touch.matrix.z_axis;
    let tilt = libm::atan2(z.cross(n).length(), z.dot(n));
    let speed = match program.contacts[i].slides {
        true => touch.velocity.dot(n).abs(),
        false => touch.velocity.length(),
    };
    (gap < TOUCH_GAP_M && tilt < TOUCH_TILT_RAD && speed < TOUCH_SPEED_M_S).then_some(n)
}

/// The forces of contacts that touch, and the true residual.
#[derive(Clone, Debug, Default)]
pub struct TrueForces {
    /// The contacts that touch.
    pub touching: Vec<usize>,
    /// Their positions and cones.
    pub contacts: Vec<PatchContact>,
    /// Their forces.
    pub solution: Solution,
    /// The true residual: six numbers for each body.
    pub unexplained: Vec<f64>,
}

impl TrueForces {
    /// Solves (6) with the contacts that touch.
    pub fn solve(&mut self, program: &Program, state: &MotionState) {
        self.touching.clear();
        self.contacts.clear();
        for i in 0..program.contacts.len() {
            let Some(normal) = touches(program, state, i) else {
                continue;
            };
            let spec = &program.contacts[i];
            // The friction cone is about the surface's normal, not the patch's.
            let ContactState {
                position,
                matrix,
                velocity,
                ..
            } = ContactState::new(program, state, i);
            let x = (matrix.x_axis - normal * matrix.x_axis.dot(normal)).normalize();
            let tilt = match spec.slides {
                true => {
                    let speed = program.regularisation_speed;
                    SlidingFriction::new(spec.friction, speed, normal, velocity).tilt
                }
                false => DVec3::ZERO,
            };
            self.touching.push(i);
            self.contacts.push(PatchContact {
                on: spec.body,
                against: physics::reaction(program, i),
                position,
                matrix: conatus_math::DMat3::from_cols(x, normal.cross(x), normal + tilt),
                cone: spec.cone,
                weight: TRUE_FORCE_WEIGHT * spec.effort,
            });
        }
        let bodies: Vec<_> = (0..program.body_count())
            .map(|b| physics::body(program, state, b))
            .collect();
        self.solution.solve(&bodies, &self.contacts);
        self.unexplained = self.solution.unexplained(&bodies, &self.contacts);
    }

    /// The contacts that touch and bear load.
    pub fn in_use(&self) -> impl Iterator<Item = usize> {
        let pairs = self.touching.iter().zip(&self.solution.forces);
        pairs
            .filter(|(_, f)| DVec3::new(f[0], f[1], f[2]).length() > MIN_LOAD_SHARE)
            .map(|(contact, _)| *contact)
    }

    /// The largest residual of any body.
    pub fn residual(&self) -> f64 {
        let bodies = self.unexplained.chunks_exact(6);
        bodies.fold(0.0f64, |m, b| {
            m.max(b.iter().map(|l| l * l).sum::<f64>().sqrt())
        })
    }
}

/// Scores a movement.
pub fn score(program: &Program, x: &[f64]) -> Score {
    let layout = &program.layout;
    let mut score = Score::default();
    let mut state = MotionState::default();
    let mut forces = TrueForces::default();
    // The position of each contact when it came into use.
    let mut began: Vec<Option<DVec3>> = vec![None; program.contacts.len()];
    let (mut sum, mut time) = (0.0, 0.0);
    for moment in layout.moments(MOMENTS_PER_SEGMENT) {
        program.update_state(x, &moment, &mut state);
        forces.solve(program, &state);
        let residual = forces.residual();
        score.true_residual_max_bw = score.true_residual_max_bw.max(residual);
        sum += residual * moment.weight;
        time += moment.weight;

        for (i, began) in began.iter_mut().enumerate() {
            let used = forces.in_use().any(|contact| contact == i);
            let spec = &program.contacts[i];
            if !used || spec.anchor != Anchor::Patch || spec.slides {
                *began = None;
                continue;
            }
            let p = position_on_solid(program, &state, i);
            let drift = p.distance(*began.get_or_insert(p));
            score.contact_drift_max = score.contact_drift_max.max(drift);
        }
        score.torque_excess = score
            .torque_excess
            .max(torque_excess(program, &state, &forces));
        let (limb, depth) = (limb_error(program, &state), penetration(program, &state));
        score.limb_error_max = score.limb_error_max.max(limb);
        score.penetration_max = score.penetration_max.max(depth);
    }
    score.true_residual_mean_bw = sum / time;
    for term in program
        .task_terms
        .iter()
        .filter(|term| !term.excluded_from_score)
    {
        program.update_state(x, &term.moment, &mut state);
        let error = term.feature.error(program, &state).length();
        let arm = match term.feature {
            Feature::Axis { .. } | Feature::Flat { .. } => DIRECTION_ARM_M,
            _ => 1.0,
        };
        score.task_error = score.task_error.max(error * arm);
    }
    score
}

/// The position of a contact in the axes of what it touches.
fn position_on_solid(program: &Program, state: &MotionState, i: usize) -> DVec3 {
    let spec = &program.contacts[i];
    let p = state.frames[spec.frame].point(spec.offset);
    let Against::Solid(s) = spec.against else {
        return p;
    };
    let solid = &program.solids[s];
    let Some((_, frame)) = solid.carrier else {
        return p;
    };
    let frame = &state.frames[frame];
    let Some((limb, link)) = solid.link else {
        return frame.matrix.transpose() * (p - frame.position);
    };
    // Axes along the link; the torso gives the rotation about it.
    let (start, end) = link_ends(state, limb, link);
    let along = (end - start).normalize_or(DVec3::Z);
    let beside = along
        .cross(frame.matrix.x_axis)
        .normalize_or(frame.matrix.y_axis);
    let offset = p - start;
    DVec3::new(
        offset.dot(along),
        offset.dot(beside),
        offset.dot(along.cross(beside)),
    )
}

/// How far the torque of a joint is above its strength, as a share of that, with the forces of
/// the contacts that touch.
pub fn torque_excess(program: &Program, state: &MotionState, forces: &TrueForces) -> f64 {
    let wrench_of = |contact: usize| {
        let k = forces
            .touching
            .iter()
            .position(|touching| *touching == contact)?;
        let at = &forces.contacts[k];
        let (force, moment) = wrench(at, &forces.solution.forces[k]);
        Some((at.position, force, moment))
    };
    let mut excess = 0.0f64;
    for (spec, limb) in program.limbs.iter().zip(&state.limbs) {
        for (k, most) in spec.strength.iter().enumerate() {
            let torque = torque_about(spec, joint(limb, k), k, wrench_of).length();
            excess = excess.max(torque / most - 1.0);
        }
    }
    excess
}

/// The largest distance of a limb's length from its range.
pub fn limb_error(program: &Program, state: &MotionState) -> f64 {
    let errors = program.limbs.iter().zip(&state.limbs);
    errors.fold(0.0, |m, (spec, at)| {
        m.max(at.chord - spec.reach).max(spec.shortest - at.chord)
    })
}

/// The largest penetration of anything into anything.
pub fn penetration(program: &Program, state: &MotionState) -> f64 {
    let mut max_penetration = 0.0f64;
    let mut point = |p: DVec3, radius: f64| {
        for surface in program.around.within(p, radius) {
            max_penetration = max_penetration.max(radius - surface.distance(p).value);
        }
    };
    for body in 0..program.body_count() {
        let frame = &state.frames[program.base_frames[body]];
        for ball in &program.base(body).hull {
            point(frame.point(ball.position), ball.radius);
        }
    }
    for (i, spec) in program.limbs.iter().enumerate() {
        let limb = &program.characters[spec.character].limbs[spec.limb];
        let ends = state.limbs[i].points().skip(1);
        for (link, end) in limb.links.iter().zip(ends) {
            point(end, link.radius);
        }
    }
    for contact in program.contacts.iter().filter(|c| c.has_corners()) {
        let frame = &state.frames[contact.frame];
        for corner in contact.corners() {
            point(frame.point(corner), 0.0);
        }
    }
    for pair in &program.pairs {
        max_penetration = max_penetration.max(-pair_distance(program, state, pair));
    }
    max_penetration.max(obstacles::max_penetration(program, state))
}
