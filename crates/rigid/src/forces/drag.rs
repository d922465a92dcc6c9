//! Linear drag, Di Pierro (19): F = −γ v, and the same for rotation.

use super::{Force, Loads, Reach, View};

/// Slows bodies in proportion to their velocity, Di Pierro (19).
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// The bodies it acts on.
    pub reach: Reach,
    /// γ, in N·s/m.
    pub linear: f64,
    /// The same for rotation, in N·m·s.
    pub angular: f64,
}

impl Drag {
    fn on(&self, view: &View, i: usize, loads: &mut Loads) {
        let s = view.state(i);
        loads.drag_at(view, i, s.velocity * -self.linear, s.position, self.linear);
        if self.angular != 0.0 {
            loads.drag_torque(view, i, s.omega() * -self.angular, self.angular);
        }
    }
}

impl Force for Drag {
    fn apply(&mut self, _t: f64, view: &View, loads: &mut Loads) {
        match &self.reach {
            Reach::All => (0..view.len()).for_each(|i| self.on(view, i, loads)),
            Reach::Bodies(list) => list.iter().for_each(|&i| self.on(view, i, loads)),
        }
    }

    fn reach(&self) -> Reach {
        self.reach.clone()
    }

    fn lets_sleep(&self) -> bool {
        true
    }

    fn can_add_energy(&self) -> bool {
        self.linear < 0.0 || self.angular < 0.0
    }

    fn shift_bodies(&mut self, offset: usize) {
        if let Reach::Bodies(list) = &mut self.reach {
            list.iter_mut().for_each(|body| *body += offset);
        }
    }

    fn remove_body(&mut self, body: usize) -> bool {
        match &mut self.reach {
            Reach::All => true,
            Reach::Bodies(list) => {
                list.retain(|&i| i != body);
                !list.is_empty()
            }
        }
    }
}
