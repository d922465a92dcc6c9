//! Springs between bodies or from a body to a pin, Di Pierro (18).

use super::{Force, Loads, Reach, View};
use conatus_math::DVec3;

/// The attachment of one end of a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// A fixed point of the world (Di Pierro's `AnchoredSpringForce`).
    Pin(DVec3),
    /// A point of a body, in body axes.
    Body(usize, DVec3),
}

impl End {
    /// Position and velocity of the end.
    fn motion(&self, view: &View) -> (DVec3, DVec3) {
        match *self {
            End::Pin(p) => (p, DVec3::ZERO),
            End::Body(i, r) => {
                let s = view.state(i);
                (s.point_position(r), s.point_velocity(r))
            }
        }
    }

    fn body(&self) -> Option<usize> {
        match *self {
            End::Pin(_) => None,
            End::Body(i, _) => Some(i),
        }
    }
}

/// A spring with a dashpot along it.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// One end.
    pub a: End,
    /// The other end.
    pub b: End,
    /// κ, in N/m.
    pub stiffness: f64,
    /// L, the length at rest.
    pub length: f64,
    /// Force per stretching velocity, in N·s/m.
    pub damping: f64,
}

impl Spring {
    /// The present length.
    pub fn present_length(&self, view: &View) -> f64 {
        self.a.motion(view).0.distance(self.b.motion(view).0)
    }
}

impl Force for Spring {
    /// F on a = κ(|q − p| − L) (q − p)/|q − p|, Di Pierro (18): a stretched
    /// spring pulls. If the ends coincide, the force is zero.
    fn apply(&mut self, _t: f64, view: &View, loads: &mut Loads) {
        let (p, v_p) = self.a.motion(view);
        let (q, v_q) = self.b.motion(view);
        let length = p.distance(q);
        if length == 0.0 {
            return;
        }
        let along = (q - p) / length;
        let stretching = (v_q - v_p).dot(along);
        let force = along * (self.stiffness * (length - self.length) + self.damping * stretching);
        if let Some(i) = self.a.body() {
            loads.force_at(view, i, force, p);
        }
        if let Some(i) = self.b.body() {
            loads.force_at(view, i, -force, q);
        }
    }

    fn reach(&self) -> Reach {
        Reach::Bodies(self.a.body().into_iter().chain(self.b.body()).collect())
    }

    fn shift_bodies(&mut self, offset: usize) {
        for end in [&mut self.a, &mut self.b] {
            if let End::Body(body, _) = end {
                *body += offset;
            }
        }
    }

    /// Removing the body of one end removes the spring.
    fn remove_body(&mut self, body: usize) -> bool {
        self.a.body() != Some(body) && self.b.body() != Some(body)
    }

    fn potential(&self, _t: f64, view: &View) -> f64 {
        let stretch = self.present_length(view) - self.length;
        0.5 * self.stiffness * stretch * stretch
    }

    fn can_add_energy(&self) -> bool {
        self.damping < 0.0
    }
}
