//! Impacts: contacts that close in faster than forces alone would make them.
//!
//! A fast contact is not soft. Its bodies are moved to the moment of touch within the
//! substep, the impulses of Di Pierro (75)-(76) are applied there, and the rest of the
//! substep is made with the new velocities; so a bounce neither starts early nor
//! overlaps, and an elastic one keeps the energy.

mod touch;

pub use touch::{NarrowPhase, is_swift};

use super::adjacency::Adjacency;
use super::bodies::{BodyConstants, SolverBody};
use super::constraint::{ConstraintPoint, ContactConstraint};
use super::departure::Departure;
use crate::contact::impulse::{Meeting, Participant, friction_impulse};
use conatus_geometry::convex::Manifold;
use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_math::{DQuat, DVec3};
use rayon::prelude::*;
use std::collections::VecDeque;
use touch::{Moment, Narrow, Side, TOUCH_TOLERANCE_M, first_touch, moment};

/// Impacts in a substep, per contact of the world: a bound for contacts that keep
/// passing an impulse back and forth. The soft contacts hold what is left.
const MAX_IMPACTS_PER_CONTACT: usize = 32;
/// Contacts that count for that bound: bodies that fly through all others in one
/// substep have a contact with each of them.
const MAX_COUNTED_CONTACTS: usize = 500;
/// Candidates that are worth a task.
const MIN_PARALLEL_CANDIDATES: usize = 64;
/// Rounds over the points of one manifold, until their impulses are consistent.
const MAX_ROUNDS: usize = 60;
/// A contact that bounces is fast if it closes in at more than this many times the speed
/// that its relative acceleration makes in a substep.
const FAST_SUBSTEPS: f64 = 4.0;
/// The same for a contact that does not bounce: soft contacts end its approach as well,
/// and spread the impulse over the bodies behind it.
const FAST_INELASTIC_SUBSTEPS: f64 = 16.0;
/// Slower contacts are never impacts, in m/s.
const MIN_IMPACT_SPEED_M_S: f64 = 1e-9;

/// The impulses of the impacts of a contact in this step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounce {
    /// The normal impulses at the points, of all impacts of the step.
    pub normal: [f64; MAX_POINTS],
    /// The impulse of friction on the second body, of all impacts of the step.
    pub tangential: DVec3,
    /// Whether there was one.
    pub acted: bool,
}

/// What the impacts of a substep read.
pub struct Substep<'a> {
    /// The bodies; body 0 never moves.
    pub bodies: &'a [SolverBody],
    /// In the same order.
    pub constants: &'a [BodyConstants],
    /// The contacts of each body.
    pub adjacency: &'a Adjacency,
    /// Finds where they touch.
    pub narrow: &'a NarrowPhase<'a>,
    /// How long the substep is, in seconds.
    pub h: f64,
}

impl Substep<'_> {
    /// Handles all impacts of a substep, first those of `candidates`, then the ones
    /// that these cause, which are candidates from then on. Contacts whose manifold is
    /// detected again at the moment of touch change, and are added to `renewed`.
    pub fn impacts(
        &self,
        contacts: &mut [ContactConstraint],
        bounces: &mut [Bounce],
        candidates: &mut Vec<u32>,
        renewed: &mut Vec<(u32, Manifold)>,
        departures: &mut Vec<Departure>,
    ) {
        // Most candidates touch in no substep or in a later one.
        let touching = (candidates.par_iter().with_min_len(MIN_PARALLEL_CANDIDATES))
            .copied()
            .filter(|&k| self.may_be_impact(&contacts[k as usize]));
        let mut queue: VecDeque<u32> = touching.collect::<Vec<u32>>().into();
        if queue.is_empty() {
            return;
        }
        let mut waiting = vec![false; contacts.len()];
        queue.iter().for_each(|&k| waiting[k as usize] = true);
        let mut known = vec![false; contacts.len()];
        candidates.iter().for_each(|&k| known[k as usize] = true);
        let most = MAX_IMPACTS_PER_CONTACT * contacts.len().min(MAX_COUNTED_CONTACTS);
        let mut left = most;
        while let Some(k) = queue.pop_front() {
            waiting[k as usize] = false;
            let (c, bounce) = (&mut contacts[k as usize], &mut bounces[k as usize]);
            let narrow = Narrow {
                contact: k,
                phase: self.narrow,
            };
            let (acted, found) = self.impact(c, bounce, &narrow, departures);
            renewed.extend(found.map(|manifold| (k, manifold)));
            if !acted {
                continue;
            }
            // Another point of a body that now spins fast may touch later in the substep.
            if is_swift(self.bodies_of(&contacts[k as usize]), self.h) {
                waiting[k as usize] = true;
                queue.push_back(k);
            }
            left -= 1;
            if left == 0 {
                tracing::warn!(
                    impacts = most,
                    "too many impacts in one substep; the rest are inelastic"
                );
                break;
            }
            for b in contacts[k as usize]
                .moved(self.constants)
                .into_iter()
                .filter(|b| *b != 0)
            {
                for &other in self.adjacency.of(b) {
                    if other != k && !waiting[other as usize] {
                        waiting[other as usize] = true;
                        queue.push_back(other);
                        if !known[other as usize] {
                            known[other as usize] = true;
                            candidates.push(other);
                        }
                    }
                }
            }
        }
    }

    /// The two bodies of a contact.
    fn bodies_of(&self, c: &ContactConstraint) -> [(&SolverBody, &BodyConstants); 2] {
        c.bodies
            .map(|k| (&self.bodies[k as usize], &self.constants[k as usize]))
    }

    /// Whether a manifold may be an impact of this substep, as the bodies move now.
    fn may_be_impact(&self, c: &ContactConstraint) -> bool {
        is_swift(self.bodies_of(c), self.h) || self.predicted_touch(c).is_some()
    }

    /// When the first point of a manifold touches that closes in fast, in seconds after the
    /// start of the substep.
    fn predicted_touch(&self, c: &ContactConstraint) -> Option<f64> {
        let fast = c.impact_speed;
        if fast == f64::INFINITY {
            return None;
        }
        let [a, b] = self.bodies_of(c);
        let mut first: Option<f64> = None;
        for p in &c.points[..c.count] {
            let (separation, closing) = approach(a, b, c, p);
            if closing <= fast || separation > closing * self.h {
                continue;
            }
            let t = (separation / closing).clamp(0.0, self.h);
            if first.is_none_or(|least| t < least) {
                first = Some(t);
            }
        }
        first
    }

    /// Handles one manifold, if it closes in fast and touches within the substep.
    /// Returns whether it did, and the manifold of the moment of touch.
    fn impact(
        &self,
        c: &mut ContactConstraint,
        bounce: &mut Bounce,
        narrow: &Narrow,
        departures: &mut Vec<Departure>,
    ) -> (bool, Option<Manifold>) {
        let h = self.h;
        let [a, b] = self.bodies_of(c);
        let sides = |t: f64| [Side::at(a.0, a.1, t, h), Side::at(b.0, b.1, t, h)];
        if is_swift([a, b], h) {
            let fast = impact_speed(a.1, b.1, c.restitution, h);
            let from = departures.iter().filter(|d| c.bodies.contains(&d.body));
            let from = from.map(|d| d.time).fold(0.0, f64::max);
            let Some((t, manifold)) = first_touch(&sides, from, h, narrow) else {
                return (false, None);
            };
            let at = sides(t);
            c.renew(&at, &manifold);
            let acted = self.collide(c, bounce, at, fast, t, departures);
            return (acted, Some(manifold));
        }
        let Some(predicted) = self.predicted_touch(c) else {
            return (false, None);
        };
        let fast = c.impact_speed;
        let moment = match predicted > 0.0 {
            true => moment(&sides, predicted, h, narrow),
            // They touched at the start.
            false => Moment::Inside,
        };
        let (t, renewed) = match moment {
            Moment::Touch(t, manifold) => {
                c.renew(&sides(t), &manifold);
                (t, Some(manifold))
            }
            Moment::Miss(t, Some(manifold)) => {
                c.renew(&sides(t), &manifold);
                return (false, Some(manifold));
            }
            Moment::Miss(_, None) => {
                c.count = 0;
                return (false, Some(Manifold::new(c.normal)));
            }
            Moment::Inside => (predicted, None),
        };
        (
            self.collide(c, bounce, sides(t), fast, t, departures),
            renewed,
        )
    }

    /// The impulses of a manifold whose bodies are at the moment of touch, `t` seconds after
    /// the start of the substep. Returns whether there are any.
    fn collide(
        &self,
        c: &ContactConstraint,
        bounce: &mut Bounce,
        sides: [Side; 2],
        fast: f64,
        t: f64,
        departures: &mut Vec<Departure>,
    ) -> bool {
        let [mut side_a, mut side_b] = sides;
        let normal = c.normal;
        // The points that touch at that moment, and the speeds at which they part.
        let mut meetings: [Option<(Meeting, f64, f64)>; MAX_POINTS] = [None; MAX_POINTS];
        let separation = |p: &ConstraintPoint| c.separation_at(p, [&side_a, &side_b]);
        let deepest = c.points[..c.count].iter().map(separation);
        let deepest = deepest.fold(f64::INFINITY, f64::min);
        for (k, p) in c.points[..c.count].iter().enumerate() {
            let separation = separation(p);
            let point = c.shared_point(p, [&side_a, &side_b]);
            let at = Meeting {
                arm_a: point - side_a.centre,
                arm_b: point - side_b.centre,
                normal,
                friction: c.friction,
            };
            let speed = closing_speed(&side_a.participant, &side_b.participant, &at);
            if separation > deepest.max(0.0) + TOUCH_TOLERANCE_M + 1e-3 * speed.abs() * self.h {
                continue;
            }
            let parting = if speed > fast {
                c.restitution * speed
            } else {
                0.0
            };
            meetings[k] = Some((at, parting, 0.0));
        }
        for _ in 0..MAX_ROUNDS {
            let mut largest: f64 = 0.0;
            for (at, parting, impulse) in meetings.iter_mut().flatten() {
                let (pa, pb) = (&mut side_a.participant, &mut side_b.participant);
                // The impulse on the second body, which pushes it along the normal.
                let change = crate::contact::impulse::normal_impulse(pa, pb, at, *parting);
                let new = (*impulse - change.dot(at.normal)).max(0.0);
                let change = at.normal * (new - *impulse);
                *impulse = new;
                pa.push(-change, at.arm_a);
                pb.push(change, at.arm_b);
                largest = largest.max(change.length() / new.max(f64::MIN_POSITIVE));
            }
            if largest < 1e-12 {
                break;
            }
        }
        for (at, _, impulse) in meetings.iter().flatten() {
            let (pa, pb) = (&mut side_a.participant, &mut side_b.participant);
            let friction = friction_impulse(pa, pb, at, *impulse);
            pa.push(friction, at.arm_a);
            pb.push(-friction, at.arm_b);
            bounce.tangential -= friction;
        }
        for (sum, meeting) in bounce.normal.iter_mut().zip(&meetings) {
            *sum += meeting.as_ref().map_or(0.0, |(_, _, impulse)| *impulse);
        }
        bounce.acted = true;
        for (side, number) in [
            (&side_a, c.moved(self.constants)[0]),
            (&side_b, c.moved(self.constants)[1]),
        ] {
            if number != 0 {
                side.leave(t, self.h);
                departures.push(Departure {
                    body: number,
                    time: t,
                });
            }
        }
        true
    }
}

impl ContactConstraint {
    /// Takes over where the bodies touch at a moment within the substep.
    fn renew(&mut self, sides: &[Side; 2], manifold: &Manifold) {
        let found = manifold.points();
        self.normal = manifold.normal;
        self.count = found.len();
        self.shifts = [0, 1].map(|k| sides[k].moved());
        let mut points = [ConstraintPoint::default(); MAX_POINTS];
        for (own, p) in points.iter_mut().zip(found) {
            own.point = p.point;
            // So that the motion until now leads to the separation that was found.
            own.separation = p.separation;
            own.separation -= self.separation_at(own, [&sides[0], &sides[1]]) - p.separation;
        }
        self.points = points;
    }

    /// Where the impulses on both bodies act at a moment: at one point, so that they have
    /// no torque together. A point that was found earlier has moved on with its bodies, by
    /// the mean of their motions if both can be pushed.
    fn shared_point(&self, p: &ConstraintPoint, sides: [&Side; 2]) -> DVec3 {
        let [a, b] = [0, 1].map(|k| p.point + (sides[k].moved() - self.shifts[k]));
        let [of_a, of_b] = sides.map(|side| side.constants.inverse_mass > 0.0);
        match (of_a, of_b) {
            (true, false) => a,
            (false, true) => b,
            _ => (a + b) * 0.5,
        }
    }

    /// The separation of a point at a moment, to first order in the turn.
    fn separation_at(&self, p: &ConstraintPoint, sides: [&Side; 2]) -> f64 {
        let moved = [0, 1].map(|k| {
            let side = sides[k];
            let arm = p.point - side.constants.position - self.shifts[k];
            displacement(side.moved(), side.turn, arm)
        });
        p.separation + (moved[1] - moved[0]).dot(self.normal)
    }
}

/// How far a point moves with its body, to first order in the turn, as in the blocks of
/// soft contacts.
fn displacement(shift: DVec3, turn: DQuat, arm: DVec3) -> DVec3 {
    shift + (DVec3::new(turn.x, turn.y, turn.z) * 2.0).cross(arm)
}

/// The closing speed from which on a contact is an impact, for substeps of `h`. Two
/// bodies that fall together press on each other as soon as one of them is held up, so
/// the larger acceleration counts, not the difference.
///
/// Slower contacts are held softly, so that bouncing ends. Where no bounce loses
/// anything, none ends, and every contact is an impact.
pub fn impact_speed(a: &BodyConstants, b: &BodyConstants, restitution: f64, h: f64) -> f64 {
    if restitution >= 1.0 {
        return MIN_IMPACT_SPEED_M_S;
    }
    let pressing = a.acceleration.length().max(b.acceleration.length());
    let substeps = match restitution > 0.0 {
        true => FAST_SUBSTEPS,
        false => FAST_INELASTIC_SUBSTEPS,
    };
    MIN_IMPACT_SPEED_M_S.max(substeps * pressing * h)
}

/// Whether a contact may be an impact in a step of `h` seconds, before any other impact.
pub fn may_touch(
    c: &ContactConstraint,
    [a, b]: [(&SolverBody, &BodyConstants); 2],
    h: f64,
) -> bool {
    c.points[..c.count].iter().any(|p| {
        let speed = |(body, constants): (&SolverBody, &BodyConstants)| {
            let v = body.velocity() + body.omega().cross(p.point - constants.position);
            v.dot(c.normal)
        };
        // Forces may speed them up before they touch.
        let gained = (a.1.acceleration - b.1.acceleration).dot(c.normal) * h;
        let closing = speed(a) - speed(b) + gained.max(0.0);
        let arms = [a, b].map(|(_, constants)| (p.point - constants.position).length());
        let swift = closing * h > arms[0].min(arms[1]);
        closing > c.impact_speed && (swift || p.separation <= 2.0 * closing * h)
    })
}

/// The separation of a point at the start of the substep, and how fast it closes in.
fn approach(
    a: (&SolverBody, &BodyConstants),
    b: (&SolverBody, &BodyConstants),
    c: &ContactConstraint,
    point: &ConstraintPoint,
) -> (f64, f64) {
    let [arm_a, arm_b] = c.arms(point.point, [a.1, b.1]);
    let moved = |body: &SolverBody, arm: DVec3| {
        let velocity = body.velocity() + body.omega().cross(arm);
        (displacement(body.shift(), body.turn(), arm), velocity)
    };
    let ((moved_a, va), (moved_b, vb)) = (moved(a.0, arm_a), moved(b.0, arm_b));
    (
        point.separation + (moved_b - moved_a).dot(c.normal),
        (va - vb).dot(c.normal),
    )
}

fn closing_speed(a: &Participant, b: &Participant, at: &Meeting) -> f64 {
    (a.velocity_at(at.arm_a) - b.velocity_at(at.arm_b)).dot(at.normal)
}
