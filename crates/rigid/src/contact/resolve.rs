//! Answers contacts with impulses, moves bodies out of each other in
//! proportion to their masses (Di Pierro §10), and keeps the energy of that
//! right.

use super::detect::Detector;
use super::impulse::{Meeting, Participant, collide};
use super::shapes::Contact;
use crate::bodies::{Activity, Bodies};
use crate::state::State;
use conatus_math::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Impulses travel through a chain of touching bodies one contact at a time;
/// this many passes are made over all contacts at most.
const PASSES: usize = 16;

/// Below this speed, in m/s, bodies that touch are not closing in.
const REST: f64 = 1e-12;

/// Working memory of [`Resolver::resolve`], kept between steps.
#[derive(Debug, Default)]
pub struct Resolver {
    /// The movers that touch anything, in order.
    touched: Vec<usize>,
    /// One for each mover; only those of `touched` are kept up.
    participants: Vec<Participant>,
    /// How far each of `touched` is moved.
    shifts: Vec<DVec3>,
    /// Where each of `touched` was, and its mean acceleration over the step.
    arrived: Vec<(DVec3, DVec3)>,
    /// What each contact's touch speed accounts for of the work of lifting, in
    /// joules; that of an overlap from before the step is forgiven.
    accounted: Vec<f64>,
    /// The impulse on the first side of each contact of the last call.
    pub impulses: Vec<DVec3>,
}

impl Resolver {
    /// Changes velocities and positions of the movers' `states` so that
    /// nothing that touches closes in, and nothing is in anything else or
    /// beyond a plane of `detector`. `before` holds the velocities at the start
    /// of the step of size `h`.
    pub fn resolve(
        &mut self,
        detector: &Detector,
        bodies: &Bodies,
        contacts: &[Contact],
        states: &mut [State],
        before: &[DVec3],
        h: f64,
    ) {
        self.impulses.clear();
        self.impulses.resize(contacts.len(), DVec3::ZERO);
        if contacts.is_empty() {
            return;
        }
        self.gather(bodies, contacts, states, before, h);
        self.answer(contacts, states, h);
        self.separate(contacts);
        for &m in &self.touched {
            if self.participants[m].inverse_mass == 0.0 {
                continue;
            }
            let state = &mut states[m];
            state.velocity = self.participants[m].velocity;
            state.omega_body = state.rotation().transpose() * self.participants[m].omega;
            state.position += self.shifts[m];
        }
        detector.keep_behind_planes(bodies, &self.touched, states);
        self.balance(contacts, states);
    }

    /// Prepares those that touch; most bodies do not.
    fn gather(
        &mut self,
        bodies: &Bodies,
        contacts: &[Contact],
        states: &[State],
        before: &[DVec3],
        h: f64,
    ) {
        self.touched.clear();
        for c in contacts {
            self.touched.extend(std::iter::once(c.a).chain(c.b));
        }
        self.touched.sort_unstable();
        self.touched.dedup();
        self.shifts.resize(states.len(), DVec3::ZERO);
        self.participants.resize(states.len(), Participant::FIXED);
        self.arrived
            .resize(states.len(), (DVec3::ZERO, DVec3::ZERO));
        self.accounted.clear();
        self.accounted.resize(contacts.len(), 0.0);
        for &m in &self.touched {
            self.shifts[m] = DVec3::ZERO;
            let s = &states[m];
            self.arrived[m] = (s.position, (s.velocity - before[m]) / h);
            self.participants[m] = participant(bodies, m, &states[m]);
        }
    }

    /// Impulses, pass after pass, until nothing closes in any more.
    fn answer(&mut self, contacts: &[Contact], states: &[State], h: f64) {
        for pass in 0..PASSES {
            let mut quiet = true;
            for (k, c) in contacts.iter().enumerate() {
                let mut a = self.participants[c.a];
                let mut b = c.b.map_or(Participant::FIXED, |b| self.participants[b]);
                let (point_a, point_b) = c.surface_points();
                let at = Meeting {
                    arm_a: point_a - states[c.a].position,
                    arm_b: c.b.map_or(DVec3::ZERO, |b| point_b - states[b].position),
                    normal: c.normal,
                    friction: c.friction,
                };
                let closing = (a.velocity_at(at.arm_a) - b.velocity_at(at.arm_b)).dot(c.normal);
                if closing <= REST {
                    continue;
                }
                quiet = false;
                let speed = if pass == 0 {
                    let pull = |m: usize, p: &Participant| match p.inverse_mass {
                        0.0 => 0.0,
                        _ => self.arrived[m].1.dot(c.normal),
                    };
                    let pressing = pull(c.a, &a) - c.b.map_or(0.0, |m| pull(m, &b));
                    // What is deeper than one step's way was placed there.
                    let depth = c.penetration.min(closing * h);
                    let mass = 1.0 / (a.inverse_mass + b.inverse_mass);
                    self.accounted[k] = pressing * c.penetration * mass;
                    touch_speed(closing, pressing, depth)
                } else {
                    closing
                };
                self.impulses[k] += collide(&mut a, &mut b, &at, c.restitution * speed);
                self.participants[c.a] = a;
                if let Some(m) = c.b {
                    self.participants[m] = b;
                }
            }
            if quiet {
                break;
            }
        }
    }

    /// Removes penetration, each side moving in proportion to the other's
    /// mass. Planes come last in `contacts`, so nothing is left beyond one.
    fn separate(&mut self, contacts: &[Contact]) {
        for _ in 0..4 {
            let mut deepest: f64 = 0.0;
            for c in contacts {
                let shift_b = c.b.map_or(DVec3::ZERO, |b| self.shifts[b]);
                let left = c.penetration - (shift_b - self.shifts[c.a]).dot(c.normal);
                let w_a = self.participants[c.a].inverse_mass;
                let w_b = c.b.map_or(0.0, |b| self.participants[b].inverse_mass);
                if left <= 0.0 || w_a + w_b == 0.0 {
                    continue;
                }
                deepest = deepest.max(left / c.penetration);
                let q = c.normal * (left / (w_a + w_b));
                self.shifts[c.a] -= q * w_a;
                if let Some(b) = c.b {
                    self.shifts[b] += q * w_b;
                }
            }
            if deepest < 1e-3 {
                break;
            }
        }
    }

    /// Takes back what moving bodies apart has given to them.
    ///
    /// Whoever is lifted gains potential energy, −m a·shift. Touch speeds
    /// account for it where one body meets a plane. In a heap, bodies push
    /// each other, and the floor lifts those that were pushed into it: what
    /// is gained so is taken, heap by heap, from the speeds along the bodies'
    /// own accelerations, or given back to them.
    fn balance(&self, contacts: &[Contact], states: &mut [State]) {
        // What cannot move does not make one heap of all that lies on it.
        let moves = |m: usize| self.participants[m].inverse_mass > 0.0;
        let mut heap: BTreeMap<usize, usize> = self.touched.iter().map(|&m| (m, m)).collect();
        for c in contacts {
            if let Some(b) = c.b
                && moves(c.a)
                && moves(b)
            {
                let (a, b) = (root(&heap, c.a), root(&heap, b));
                heap.insert(a.max(b), a.min(b));
            }
        }
        // Of each heap: the energy gained, and the energy along accelerations.
        let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for &m in self.touched.iter().filter(|&&m| moves(m)) {
            let inverse = self.participants[m].inverse_mass;
            let (place, a) = self.arrived[m];
            let along = states[m].velocity.dot(a.normalize_or_zero());
            let sum = sums.entry(root(&heap, m)).or_default();
            sum.0 -= a.dot(states[m].position - place) / inverse;
            sum.1 += 0.5 * along * along / inverse;
        }
        for (c, accounted) in contacts.iter().zip(&self.accounted) {
            let mover = c.b.filter(|_| !moves(c.a)).unwrap_or(c.a);
            if let Some(sum) = sums.get_mut(&root(&heap, mover)) {
                sum.0 -= accounted;
            }
        }
        for &m in &self.touched {
            let Some(&(gained, energy)) = sums.get(&root(&heap, m)) else {
                continue;
            };
            // Rounding is no reason to touch a single bounce.
            if moves(m) && gained.abs() > 1e-12 * energy {
                let factor = (1.0 - gained / energy).clamp(0.0, 1.21).sqrt();
                let along = self.arrived[m].1.normalize_or_zero();
                let v = &mut states[m].velocity;
                *v += along * (v.dot(along) * (factor - 1.0));
            }
        }
    }
}

/// The first member of the heap that `m` belongs to.
fn root(heap: &BTreeMap<usize, usize>, mut m: usize) -> usize {
    while let Some(&next) = heap.get(&m)
        && next != m
    {
        m = next;
    }
    m
}

fn participant(bodies: &Bodies, m: usize, s: &State) -> Participant {
    if bodies.activity(m) != Activity::Free {
        return Participant::FIXED;
    }
    let (r, c) = (s.rotation(), bodies.constants(m));
    Participant {
        velocity: s.velocity,
        omega: r * s.omega_body,
        inverse_mass: 1.0 / c.mass,
        inverse_inertia: r * DMat3::from_diagonal(c.moments.recip()) * r.transpose(),
    }
}

/// The speed at which two bodies met that now close in at `closing` and have
/// come `depth` further since.
///
/// A step ends after the moment of touch. Since then the bodies were pressed
/// together with acceleration `pressing`, so v² = v_touch² + 2·pressing·depth.
/// Taking v_touch for the bounce keeps the work of gravity over the depth,
/// which moving the bodies apart gives back, out of the energy: an elastic ball
/// bounces for ever, and a resting one rests.
fn touch_speed(closing: f64, pressing: f64, depth: f64) -> f64 {
    (closing * closing - 2.0 * pressing * depth).max(0.0).sqrt()
}
