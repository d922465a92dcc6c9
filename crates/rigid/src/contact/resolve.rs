//! Contact resolution: applies impulses, moves bodies out of each other in
//! proportion to their masses (Di Pierro §10), and corrects the energy that
//! this adds.

use super::detect::Detector;
use super::impulse::{Meeting, Participant, collide};
use super::shapes::Contact;
use crate::bodies::{Activity, Bodies};
use crate::state::State;
use conatus_math::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Maximum number of passes over all contacts: impulses travel through a chain
/// of touching bodies one contact at a time.
const MAX_PASSES: usize = 16;

/// Minimum closing speed, in m/s: slower contacts get no impulse.
const MIN_CLOSING_SPEED_M_S: f64 = 1e-12;

/// Buffers of [`Resolver::resolve`], kept between steps.
#[derive(Debug, Default)]
pub struct Resolver {
    /// The movers in any contact, in order.
    touched: Vec<usize>,
    /// One for each mover; only those of `touched` are valid.
    participants: Vec<Participant>,
    /// The displacement of each of `touched`.
    shifts: Vec<DVec3>,
    /// The position of each of `touched` before, and its mean acceleration over
    /// the step.
    arrived: Vec<(DVec3, DVec3)>,
    /// The part of the work of lifting that each contact's impact speed
    /// accounts for, in joules; overlap from before the step is not counted.
    accounted: Vec<f64>,
    /// The impulse on the first side of each contact of the last call.
    pub impulses: Vec<DVec3>,
}

impl Resolver {
    /// Changes velocities and positions of the movers' `states` so that no
    /// contact closes in, and no body penetrates another or a plane of
    /// `detector`. `before` holds the velocities at the start of the step of
    /// size `h`.
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
        self.apply_impulses(contacts, states, h);
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
        self.correct_energy(contacts, states);
    }

    /// Sets up the bodies in contact; most bodies are not.
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

    /// Applies impulses in several passes, until no contact closes in.
    fn apply_impulses(&mut self, contacts: &[Contact], states: &[State], h: f64) {
        for pass in 0..MAX_PASSES {
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
                if closing <= MIN_CLOSING_SPEED_M_S {
                    continue;
                }
                quiet = false;
                let speed = if pass == 0 {
                    let pull = |m: usize, p: &Participant| match p.inverse_mass {
                        0.0 => 0.0,
                        _ => self.arrived[m].1.dot(c.normal),
                    };
                    let pressing = pull(c.a, &a) - c.b.map_or(0.0, |m| pull(m, &b));
                    // A penetration deeper than the travel of one step existed
                    // before it.
                    let depth = c.penetration.min(closing * h);
                    let mass = 1.0 / (a.inverse_mass + b.inverse_mass);
                    self.accounted[k] = pressing * c.penetration * mass;
                    impact_speed(closing, pressing, depth)
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

    /// Removes penetration; each side moves in proportion to the other's mass.
    /// Planes come last in `contacts`, so no body is left beyond one.
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

    /// Removes the energy that was added by moving bodies apart.
    ///
    /// A body that is lifted gains potential energy, −m a·shift. Impact speeds
    /// account for it where one body touches a plane. In a pile, bodies push
    /// each other, and the floor lifts those that were pushed into it: the
    /// energy gained that way is removed, for each contact island, from the
    /// velocities along the bodies' own accelerations, or added to them.
    fn correct_energy(&self, contacts: &[Contact], states: &mut [State]) {
        // Immovable bodies do not connect the islands that touch them.
        let moves = |m: usize| self.participants[m].inverse_mass > 0.0;
        let mut island: BTreeMap<usize, usize> = self.touched.iter().map(|&m| (m, m)).collect();
        for c in contacts {
            if let Some(b) = c.b
                && moves(c.a)
                && moves(b)
            {
                let (a, b) = (island_root(&island, c.a), island_root(&island, b));
                island.insert(a.max(b), a.min(b));
            }
        }
        // For each island: the energy gained, and the energy along
        // accelerations.
        let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for &m in self.touched.iter().filter(|&&m| moves(m)) {
            let inverse = self.participants[m].inverse_mass;
            let (place, a) = self.arrived[m];
            let along = states[m].velocity.dot(a.normalize_or_zero());
            let sum = sums.entry(island_root(&island, m)).or_default();
            sum.0 -= a.dot(states[m].position - place) / inverse;
            sum.1 += 0.5 * along * along / inverse;
        }
        for (c, accounted) in contacts.iter().zip(&self.accounted) {
            let mover = c.b.filter(|_| !moves(c.a)).unwrap_or(c.a);
            if let Some(sum) = sums.get_mut(&island_root(&island, mover)) {
                sum.0 -= accounted;
            }
        }
        for &m in &self.touched {
            let Some(&(gained, energy)) = sums.get(&island_root(&island, m)) else {
                continue;
            };
            // Differences from rounding are ignored, so that a single bounce is
            // exact.
            if moves(m) && gained.abs() > 1e-12 * energy {
                let factor = (1.0 - gained / energy).clamp(0.0, 1.21).sqrt();
                let along = self.arrived[m].1.normalize_or_zero();
                let v = &mut states[m].velocity;
                *v += along * (v.dot(along) * (factor - 1.0));
            }
        }
    }
}

/// The first member of the contact island of `m`.
fn island_root(island: &BTreeMap<usize, usize>, mut m: usize) -> usize {
    while let Some(&next) = island.get(&m)
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

/// The impact speed of two bodies that now close in at `closing` and have
/// travelled `depth` since the impact.
///
/// A step ends after the moment of impact. Since then the bodies were
/// accelerated towards each other by `pressing`, so
/// v² = v_touch² + 2·pressing·depth. Using v_touch for the bounce excludes from
/// the energy the work of gravity over the depth, which moving the bodies apart
/// adds again: an elastic ball bounces for ever, and a resting one stays at
/// rest.
fn impact_speed(closing: f64, pressing: f64, depth: f64) -> f64 {
    (closing * closing - 2.0 * pressing * depth).max(0.0).sqrt()
}
