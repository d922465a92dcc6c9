//! The spring of a pointer drag, which pulls a point of a body to a target.

use super::{Force, Loads, Reach, View};
use conatus_math::DVec3;

/// A spring of zero rest length from a point of a body to a target, with a dashpot in all
/// directions, so that the point comes to rest at the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointerSpring {
    /// The body that it pulls.
    pub body: usize,
    /// Where it is attached, in body axes.
    pub point_body: DVec3,
    /// The target of that point, in world coordinates.
    pub target: DVec3,
    /// Force per distance, in N/m.
    pub stiffness: f64,
    /// Force per velocity of the point, in N·s/m.
    pub damping: f64,
}

impl Force for PointerSpring {
    /// F = κ(target − p) − γ dp/dt at the point p.
    fn apply(&mut self, _t: f64, view: &View, loads: &mut Loads) {
        let state = view.state(self.body);
        let point = state.point_position(self.point_body);
        let velocity = state.point_velocity(self.point_body);
        let force = self.stiffness * (self.target - point) - self.damping * velocity;
        loads.force_at(view, self.body, force, point);
    }

    fn reach(&self) -> Reach {
        Reach::Bodies(vec![self.body])
    }

    fn remove_body(&mut self, body: usize) -> bool {
        self.body != body
    }

    fn shift_bodies(&mut self, offset: usize) {
        self.body += offset;
    }

    fn potential(&self, _t: f64, view: &View) -> f64 {
        let point = view.state(self.body).point_position(self.point_body);
        0.5 * self.stiffness * point.distance_squared(self.target)
    }
}
