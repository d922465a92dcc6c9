//! An honest judgement of a movement, on a grid far denser than the one it was
//! optimised on.
//!
//! The residual that (6) leaves hides wishful thinking: forces from contacts that
//! do not touch. The *true* residual is what is left when only contacts that touch
//! may push: near enough, flat enough and slow enough.

use crate::contact_state::ContactState;
use crate::costs::obstacles;
use crate::costs::penetration::{link_ends, pair_distance};
use crate::costs::physics;
use crate::costs::task::{DIRECTION_ARM_M, Feature};
use crate::inverse_dynamics::{Contact, Solution};
use crate::program::{Against, Anchor, Program};
use crate::slide::Lean;
use crate::variables::State;
use conatus_math::DVec3;
use serde::{Deserialize, Serialize};

/// A contact touches when it is no farther than this, in metres,
pub const TOUCH_GAP: f64 = 0.009;
/// tilted by no more than this, in radians,
pub const TOUCH_TILT: f64 = 0.2;
/// and no faster than this, in metres per second.
pub const TOUCH_SPEED: f64 = 0.1;
/// Contact variables above this count: what was given up may not push.
pub const COUNTS: f64 = 0.1;
/// Moments to a segment.
pub const DENSE: usize = 21;
/// W of contacts that touch: so cheap that what it leaves unexplained, W f, is
/// far below what matters.
const FREE: f64 = 1e-4;
/// A contact is in use when it bears at least this share of the weight.
const IN_USE: f64 = 0.01;

/// How good a movement is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The largest true residual, in body weights.
    pub true_residual_max_bw: f64,
    /// Its mean over time.
    pub true_residual_mean_bw: f64,
    /// How far a contact moves along while it is in use, in metres.
    pub contact_drift_max: f64,
    /// How much longer or shorter than possible a limb gets, in metres.
    pub limb_error_max: f64,
    /// How deep anything is in anything, in metres.
    pub penetration_max: f64,
    /// How far goals are missed, in metres.
    pub task_error: f64,
}

/// What a movement has to keep to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bars {
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
}

impl Default for Bars {
    fn default() -> Self {
        Self {
            residual_max: 0.01,
            residual_mean: 0.001,
            drift: 0.005,
            limb: 0.008,
            penetration: 0.005,
            task: 0.03,
        }
    }
}

impl Score {
    /// Each figure with its bar: name, figure, bar.
    pub fn against(&self, bars: &Bars) -> [(&'static str, f64, f64); 6] {
        [
            (
                "true_residual_max_bw",
                self.true_residual_max_bw,
                bars.residual_max,
            ),
            (
                "true_residual_mean_bw",
                self.true_residual_mean_bw,
                bars.residual_mean,
            ),
            ("contact_drift_max", self.contact_drift_max, bars.drift),
            ("limb_error_max", self.limb_error_max, bars.limb),
            ("penetration_max", self.penetration_max, bars.penetration),
            ("task_error", self.task_error, bars.task),
        ]
    }

    /// Whether all bars are kept.
    pub fn is_good(&self, bars: &Bars) -> bool {
        self.against(bars)
            .iter()
            .all(|(_, value, bar)| value <= bar)
    }

    /// How far the worst figure is from its bar: 1 is just good.
    pub fn worst(&self, bars: &Bars) -> f64 {
        let ratios = self.against(bars).map(|(_, value, bar)| value / bar);
        ratios.into_iter().fold(0.0, f64::max)
    }
}

/// Whether a contact that counts touches, and the normal of what it touches.
pub fn touches(program: &Program, state: &State, i: usize) -> Option<DVec3> {
    if state.contacts[i].powi(2) < COUNTS {
        return None;
    }
    let touch = ContactState::new(program, state, i);
    let (gap, n) = match program.contacts[i].against {
        // What is nearest, not what (3) makes of all that is near.
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
    (gap < TOUCH_GAP && tilt < TOUCH_TILT && speed < TOUCH_SPEED).then_some(n)
}

/// The forces of contacts that touch, and what they leave unexplained.
#[derive(Clone, Debug, Default)]
pub struct TrueForces {
    /// Which contacts touch.
    pub touching: Vec<usize>,
    /// Their places and cones.
    pub contacts: Vec<Contact>,
    /// Their forces.
    pub solution: Solution,
    /// What they leave unexplained: six numbers for each body.
    pub unexplained: Vec<f64>,
}

impl TrueForces {
    /// Solves (6) with the contacts that touch.
    pub fn solve(&mut self, program: &Program, state: &State) {
        self.touching.clear();
        self.contacts.clear();
        for i in 0..program.contacts.len() {
            let Some(normal) = touches(program, state, i) else {
                continue;
            };
            let spec = &program.contacts[i];
            // Friction is about the surface's normal, not the patch's.
            let ContactState {
                position,
                matrix,
                velocity,
                ..
            } = ContactState::new(program, state, i);
            let x = (matrix.x_axis - normal * matrix.x_axis.dot(normal)).normalize();
            let lean = match spec.slides {
                true => Lean::new(spec.friction, program.slow, normal, velocity).by,
                false => DVec3::ZERO,
            };
            self.touching.push(i);
            self.contacts.push(Contact {
                on: spec.body,
                against: physics::reaction(program, i),
                position,
                matrix: conatus_math::DMat3::from_cols(x, normal.cross(x), normal + lean),
                cone: spec.cone,
                weight: FREE * spec.effort,
            });
        }
        let bodies: Vec<_> = (0..program.body_count())
            .map(|b| physics::body(program, state, b))
            .collect();
        self.solution.solve(&bodies, &self.contacts);
        self.unexplained = self.solution.unexplained(&bodies, &self.contacts);
    }

    /// Which of the contacts that touch bear load.
    pub fn in_use(&self) -> impl Iterator<Item = usize> {
        let pairs = self.touching.iter().zip(&self.solution.forces);
        pairs
            .filter(|(_, f)| DVec3::new(f[0], f[1], f[2]).length() > IN_USE)
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

/// Judges a movement.
pub fn score(program: &Program, x: &[f64]) -> Score {
    let layout = &program.layout;
    let mut score = Score::default();
    let mut state = State::default();
    let mut forces = TrueForces::default();
    // Where each contact began to be in use.
    let mut began: Vec<Option<DVec3>> = vec![None; program.contacts.len()];
    let (mut sum, mut time) = (0.0, 0.0);
    for moment in layout.moments(DENSE) {
        state.update(layout, x, &moment);
        state.update_limbs(&program.characters, false);
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
            let p = place_on(program, &state, i);
            let drift = p.distance(*began.get_or_insert(p));
            score.contact_drift_max = score.contact_drift_max.max(drift);
        }
        let (limb, depth) = (limb_error(program, &state), penetration(program, &state));
        score.limb_error_max = score.limb_error_max.max(limb);
        score.penetration_max = score.penetration_max.max(depth);
    }
    score.true_residual_mean_bw = sum / time;
    for aim in program.task_terms.iter().filter(|aim| !aim.is_rate) {
        state.update(layout, x, &aim.moment);
        state.update_limbs(&program.characters, false);
        let error = aim.feature.error(program, &state).length();
        let arm = match aim.feature {
            Feature::Axis { .. } => DIRECTION_ARM_M,
            _ => 1.0,
        };
        score.task_error = score.task_error.max(error * arm);
    }
    score
}

/// Where a contact is, as seen from what it touches.
fn place_on(program: &Program, state: &State, i: usize) -> DVec3 {
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
    // Axes along the link; how they are turned about it, the torso tells.
    let (start, end) = link_ends(state, limb, link);
    let along = (end - start).normalize_or(DVec3::Z);
    let beside = along
        .cross(frame.matrix.x_axis)
        .normalize_or(frame.matrix.y_axis);
    let way = p - start;
    DVec3::new(
        way.dot(along),
        way.dot(beside),
        way.dot(along.cross(beside)),
    )
}

/// How much longer or shorter than possible a limb is.
pub fn limb_error(program: &Program, state: &State) -> f64 {
    let errors = program.limbs.iter().zip(&state.limbs);
    errors.fold(0.0, |m, (spec, at)| {
        m.max(at.chord - spec.reach).max(spec.shortest - at.chord)
    })
}

/// How deep anything is in anything.
pub fn penetration(program: &Program, state: &State) -> f64 {
    let mut deepest = 0.0f64;
    let mut point = |p: DVec3, radius: f64| {
        for surface in program.around.within(p, radius) {
            deepest = deepest.max(radius - surface.distance(p).value);
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
        deepest = deepest.max(-pair_distance(program, state, pair));
    }
    deepest.max(obstacles::max_penetration(program, state))
}
