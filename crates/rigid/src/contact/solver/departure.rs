//! Jointed bodies that left an impact within a substep.
//!
//! Impacts happen at their moment; joints and soft contacts act at the start of the substep.
//! What they do to a jointed body after its impact must count for the rest of the substep
//! only, or the impact opens its joints by its impulse times the time before it. So the body
//! is moved back by the change of its velocity times that time.
//!
//! That, and impulses of joints at places before the impact, would change the angular momentum
//! of bodies that float freely. Their island takes this back as a whole: it is shifted so that
//! its centre of mass stays, and turned by one angular velocity, which opens no joint, so that
//! its angular momentum stays. Contacts without joints need no
//! correction: they end the approach of the motion that leads to the end of the substep.

use super::bodies::{BodyConstants, SolverBody};
use super::energy::EnergyBound;
use conatus_math::{DMat3, DVec3, rotation};

/// A body that left an impact within the substep.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// Its number.
    pub body: u32,
    /// When, in seconds after the start of the substep.
    pub time: f64,
}

/// The departures of a substep.
#[derive(Debug, Default)]
pub struct Departures {
    /// In the order of the impacts.
    pub list: Vec<Departure>,
    /// The angular velocities after them.
    spins: Vec<DVec3>,
    floating: Vec<Floating>,
}

/// An island that floats freely, and its sums after the impacts.
#[derive(Clone, Copy, Debug)]
struct Floating {
    island: u32,
    sums: Sums,
}

/// Mass, momentum and angular momentum of bodies about the origin.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    mass: f64,
    /// Σ m x.
    moment: DVec3,
    momentum: DVec3,
    angular_momentum: DVec3,
}

/// The bodies of the solver.
#[derive(Clone, Copy)]
pub struct Moving<'a> {
    /// What moves.
    pub bodies: &'a [SolverBody],
    /// In the same order.
    pub constants: &'a [BodyConstants],
}

impl Moving<'_> {
    fn sums(&self, members: impl Iterator<Item = u32>) -> Sums {
        let mut sums = Sums::default();
        for k in members {
            let (body, c) = (&self.bodies[k as usize], &self.constants[k as usize]);
            let mass = c.inverse_mass.recip();
            let (centre, momentum) = (c.position + body.shift(), body.velocity() * mass);
            sums.mass += mass;
            sums.moment += centre * mass;
            sums.momentum += momentum;
            sums.angular_momentum += centre.cross(momentum) + c.spin_momentum(body);
        }
        sums
    }

    /// Shifts and turns bodies together, which changes the sums by those given.
    fn shift_and_turn(&self, members: &[u32], moment: DVec3, angular_momentum: DVec3) {
        let now = self.sums(members.iter().copied());
        let shift = moment / now.mass;
        let centre = now.moment / now.mass + shift;
        let mut inertia = DMat3::ZERO;
        for &k in members {
            let (body, c) = (&self.bodies[k as usize], &self.constants[k as usize]);
            body.set_shift(body.shift() + shift);
            let arm = c.position + body.shift() - centre;
            let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            let about_centre = DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer;
            inertia += c.inertia(body) + about_centre * c.inverse_mass.recip();
        }
        let turning = inertia.inverse() * (angular_momentum - shift.cross(now.momentum));
        if !turning.is_finite() {
            return;
        }
        for &k in members {
            let (body, c) = (&self.bodies[k as usize], &self.constants[k as usize]);
            let arm = c.position + body.shift() - centre;
            body.set_velocity(body.velocity() + turning.cross(arm));
            body.set_omega(body.omega() + turning);
        }
    }
}

impl Departures {
    /// Keeps the last departure of each jointed body, and what has to stay.
    pub fn note(
        &mut self,
        moving: Moving,
        islands: &EnergyBound,
        is_jointed: impl Fn(u32) -> bool,
    ) {
        self.list.reverse();
        self.list.sort_by_key(|d| d.body);
        self.list.dedup_by_key(|d| d.body);
        self.list.retain(|d| is_jointed(d.body));
        self.spins.clear();
        self.floating.clear();
        for departure in &self.list {
            self.spins
                .push(moving.bodies[departure.body as usize].omega());
            if let Some(island) = islands.floating_island(departure.body)
                && self.floating.iter().all(|known| known.island != island)
            {
                let sums = moving.sums(islands.bodies_of(island));
                self.floating.push(Floating { island, sums });
            }
        }
    }

    /// Corrects the motion of the bodies after the pass over the constraints.
    /// `unconstrained` has the velocities before it.
    pub fn correct(&self, moving: Moving, unconstrained: &[DVec3], islands: &EnergyBound) {
        for (departure, spin) in self.list.iter().zip(&self.spins) {
            let k = departure.body as usize;
            let body = &moving.bodies[k];
            let (velocity, omega) = (body.velocity() - unconstrained[k], body.omega() - *spin);
            if velocity != DVec3::ZERO {
                body.set_shift(body.shift() - velocity * departure.time);
            }
            if omega != DVec3::ZERO {
                let turn = rotation::exp(-omega * departure.time) * body.turn();
                body.set_turn(turn.normalize());
            }
        }
        for Floating { island, sums } in &self.floating {
            let now = moving.sums(islands.bodies_of(*island));
            let moment = sums.moment - now.moment;
            let angular_momentum = sums.angular_momentum - now.angular_momentum;
            let acted =
                |k: &u32| moving.bodies[*k as usize].velocity() != unconstrained[*k as usize];
            let members: Vec<u32> = islands.bodies_of(*island).filter(acted).collect();
            if !members.is_empty() {
                moving.shift_and_turn(&members, moment, angular_momentum);
            }
        }
    }
}
