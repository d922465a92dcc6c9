//! A constant force and torque on one body, in world or in body axes.

use super::{Force, Loads, Reach, View};
use conatus_math::DVec3;

/// The axes that a push is given in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceFrame {
    /// Fixed in the world.
    World,
    /// Turning with the body.
    Body,
}

/// A constant force and torque.
#[derive(Clone, Debug, PartialEq)]
pub struct Push {
    /// The body it acts on.
    pub body: usize,
    /// The force in newtons.
    pub force: DVec3,
    /// Where it acts, in body axes.
    pub point_body: DVec3,
    /// The torque in N·m.
    pub torque: DVec3,
    /// The axes of force and torque.
    pub frame: ReferenceFrame,
    /// When it begins.
    pub from: f64,
    /// When it ends.
    pub until: f64,
}

impl Push {
    fn has_potential(&self) -> bool {
        let lasting = self.from <= 0.0 && self.until == f64::INFINITY;
        self.frame == ReferenceFrame::World && lasting
    }
}

impl Force for Push {
    fn apply(&mut self, t: f64, view: &View, loads: &mut Loads) {
        if t < self.from || t >= self.until {
            return;
        }
        let s = view.state(self.body);
        let (force, torque) = match self.frame {
            ReferenceFrame::World => (self.force, self.torque),
            // Chaney (24)-(25): what turns with the body.
            ReferenceFrame::Body => (s.rotation() * self.force, s.rotation() * self.torque),
        };
        loads.force_at(view, self.body, force, s.point_position(self.point_body));
        loads.torque(view, self.body, torque);
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

    /// −F·r for a lasting force in world axes; other pushes have no potential.
    fn potential(&self, _t: f64, view: &View) -> f64 {
        match self.has_potential() {
            true => -self
                .force
                .dot(view.state(self.body).point_position(self.point_body)),
            false => 0.0,
        }
    }

    fn can_add_energy(&self) -> bool {
        !self.has_potential() || self.torque != DVec3::ZERO
    }
}
