//! Sleeping: cloth at rest is not simulated until it is disturbed.
//!
//! A pile of cloth never stops completely: contacts yield and are restored by
//! micrometres, and each such step costs as much as any other. When all of it
//! has hardly moved for a while it *rests*: velocities are zero, and steps
//! change nothing until something outside moves.
//!
//! Cloth that only begins to move is slow, too. So two time windows of the same
//! length are compared: in the second nothing may have moved much farther than
//! in the first. And swinging cloth is slow at its turning points: only cloth
//! in contact rests.
//!
//! All data for this is in [`ClothState`](crate::ClothState): cloth rests if
//! all its velocities are zero after a first step. The windows restart at every
//! checkpoint, see [`Cloth::clear_caches`].

use crate::cloth::Cloth;
use crate::integrate::ClothIntegrator;
use crate::parts::{BodyState, PinFrame};
use conatus_math::DVec3;

/// Steps in each of the two windows. Worlds clear caches every 32 steps.
const WINDOW_STEPS: u32 = 15;
/// Cloth at rest has a mean speed below this, in m/s,
const MAX_MEAN_SPEED_M_S: f64 = 5e-4;
/// and a maximum speed below this.
const MAX_SPEED_M_S: f64 = 1e-2;
/// A mean speed that grows by less than this factor is not the beginning of a
/// motion.
const MAX_SPEED_GROWTH: f64 = 1.5;
/// Speeds below this, in m/s, are rounding errors.
const ROUNDING_SPEED_M_S: f64 = 1e-5;

/// Positions at the starts of the two windows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest {
    steps: u32,
    /// At the start of the first and of the second window.
    from: Vec<DVec3>,
    half: Vec<DVec3>,
}

impl Rest {
    /// Starts the windows.
    pub(crate) fn begin(&mut self, x: &[DVec3]) {
        self.steps = 0;
        self.from.clear();
        self.from.extend_from_slice(x);
    }
}

/// Mean and maximum speed of points between two sets of positions.
fn speeds(from: &[DVec3], to: &[DVec3], seconds: f64) -> (f64, f64) {
    let ways = from.iter().zip(to).map(|(a, b)| a.distance(*b));
    let (sum, most) = ways.fold((0.0, 0.0), |(sum, most): (f64, f64), way| {
        (sum + way, most.max(way))
    });
    (sum / from.len().max(1) as f64 / seconds, most / seconds)
}

impl Cloth {
    /// Whether the cloth itself is at rest.
    pub fn is_at_rest(&self) -> bool {
        self.may_rest() && self.elastic.work.step > 0.0 && self.v.iter().all(|v| *v == DVec3::ZERO)
    }

    fn may_rest(&self) -> bool {
        let c = &self.collisions;
        c.rests
            && c.contacts_in_solve
            && self.gust.is_none()
            && self.elastic.settings.integrator == ClothIntegrator::ImplicitEuler
    }

    /// Whether wind, a scripted obstacle or a scripted pin can do work on the cloth.
    pub fn is_driven(&self) -> bool {
        self.wind != DVec3::ZERO
            || self.gust.is_some()
            || self.obstacles.iter().any(|o| !o.path.rests())
            || (self.pins.iter()).any(|p| matches!(&p.frame, PinFrame::Path(path) if !path.rests()))
    }

    /// Whether something outside moves, or a pin is released, in the step from
    /// `t` on.
    pub(crate) fn is_disturbed(&self, t: f64, h: f64, bodies: &[BodyState]) -> bool {
        let moves = |path: &crate::script::Path| path.pose(t) != path.pose(t + h);
        // A pin released in this step was still held in the previous one.
        let lets_go = |until: f64| until <= t && t - h < until;
        self.obstacles.iter().any(|o| moves(&o.path))
            || (self.pins.iter()).any(|p| {
                lets_go(p.until) || matches!(&p.frame, PinFrame::Path(path) if moves(path))
            })
            || bodies.iter().any(|b| {
                b.inverse_mass > 0.0 || b.velocity != DVec3::ZERO || b.omega != DVec3::ZERO
            })
    }

    /// After a step: updates the windows, and sets velocities to zero if the
    /// cloth is at rest.
    pub(crate) fn update_rest(&mut self, t: f64, h: f64, bodies: &[BodyState]) {
        self.rest.steps += 1;
        if self.rest.steps == WINDOW_STEPS {
            self.rest.half.clear();
            self.rest.half.extend_from_slice(&self.x);
        }
        let watched = self.rest.steps == 2 * WINDOW_STEPS && self.rest.from.len() == self.x.len();
        if !watched || self.memory.is_empty() || !self.may_rest() || self.is_disturbed(t, h, bodies)
        {
            return;
        }
        let seconds = f64::from(WINDOW_STEPS) * h;
        let first = speeds(&self.rest.from, &self.rest.half, seconds);
        let second = speeds(&self.rest.half, &self.x, seconds);
        let still = |(mean, most): (f64, f64)| mean < MAX_MEAN_SPEED_M_S && most < MAX_SPEED_M_S;
        if still(first)
            && still(second)
            && second.0 <= MAX_SPEED_GROWTH * first.0 + ROUNDING_SPEED_M_S
        {
            self.v.fill(DVec3::ZERO);
        }
    }
}
