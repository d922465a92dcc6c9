//! Impacts: contacts that close in faster than forces alone would make them.
//!
//! A fast contact is not soft. Its bodies are moved to the moment of touch within the
//! substep, the impulses of Di Pierro (75)-(76) are applied there, and the rest of the
//! substep is made with the new velocities; so a bounce neither starts early nor
//! overlaps, and an elastic one keeps the energy.

use super::bodies::{BodyConstants, SolverBody};
use super::constraint::{ConstraintPoint, ContactConstraint};
use super::departure::Departure;
use crate::contact::impulse::{Meeting, Participant, friction_impulse};
use conatus_geometry::convex::Manifold;
use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_math::{DMat3, DQuat, DVec3, Pose};
use rayon::prelude::*;
use std::collections::VecDeque;

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
/// Corrections of the moment of touch.
const MAX_REFINEMENTS: usize = 5;
/// Steps of conservative advancement, and the least way of one, as a share of the smaller
/// radius of gyration.
const MAX_ADVANCES: usize = 64;
const LEAST_ADVANCE: f64 = 0.05;
/// Bodies that move by more than this share of their radius of gyration in a substep are
/// advanced conservatively.
const SWIFT_SHARE: f64 = 1.0;
/// Bounds the radius of a solid by its greatest radius of gyration.
const RADIUS_PER_GYRATION: f64 = 4.0;
/// Points this near to each other touch at the same moment, in metres.
const TOUCH_TOLERANCE_M: f64 = 1e-6;
/// Slower contacts are never impacts, in m/s.
const MIN_IMPACT_SPEED_M_S: f64 = 1e-9;

/// Detection for poses of the two bodies of a contact.
#[derive(Clone, Copy)]
pub struct NarrowPhase<'a> {
    /// Where its colliders touch, or nearly.
    pub touching: &'a (dyn Fn(u32, &Pose, &Pose) -> Option<Manifold> + Sync),
    /// How far apart they are, or zero, and the direction from the first to the second.
    pub gap: &'a (dyn Fn(u32, &Pose, &Pose) -> (f64, DVec3) + Sync),
}

/// The same for one contact.
struct Narrow<'a> {
    contact: u32,
    phase: &'a NarrowPhase<'a>,
}

impl Narrow<'_> {
    fn touching(&self, sides: &[Side; 2]) -> Option<Manifold> {
        (self.phase.touching)(self.contact, &sides[0].pose(), &sides[1].pose())
    }

    fn gap(&self, sides: &[Side; 2]) -> (f64, DVec3) {
        (self.phase.gap)(self.contact, &sides[0].pose(), &sides[1].pose())
    }
}

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

/// One side of an impact at the moment of touch.
struct Side<'a> {
    body: &'a SolverBody,
    constants: &'a BodyConstants,
    participant: Participant,
    centre: DVec3,
    turn: DQuat,
}

impl<'a> Side<'a> {
    /// The body `t` seconds after the start of a substep of `h` seconds. Its velocity
    /// has the acceleration of the whole substep already.
    fn at(body: &'a SolverBody, constants: &'a BodyConstants, t: f64, h: f64) -> Self {
        let a = constants.acceleration;
        let velocity = body.velocity() - a * (h - t);
        let start = body.velocity() - a * h;
        let moved = body.shift() + start * t + a * (0.5 * t * t);
        let (turn, omega) = constants.free_turn(body.turn(), body.omega(), t);
        let r = DMat3::from_quat(turn);
        Self {
            participant: Participant {
                velocity,
                omega,
                inverse_mass: constants.inverse_mass,
                inverse_inertia: r * constants.inverse_inertia * r.transpose(),
            },
            centre: constants.position + moved,
            body,
            constants,
            turn,
        }
    }

    /// A bound of the speed of its points that its rotation gives them.
    fn greatest_turning_speed(&self) -> f64 {
        match self.constants.inverse_mass > 0.0 {
            true => self.participant.omega.length() * self.size() * RADIUS_PER_GYRATION,
            false => 0.0,
        }
    }

    /// Its greatest radius of gyration.
    fn size(&self) -> f64 {
        size(self.constants)
    }

    /// How far the centre has moved since the start of the step.
    fn moved(&self) -> DVec3 {
        self.centre - self.constants.position
    }

    /// The pose of the body at that moment.
    fn pose(&self) -> Pose {
        let turned = (self.turn * self.constants.orientation).normalize();
        Pose::new(turned, self.centre)
    }

    /// Writes the body back so that the rest of the substep leads from here.
    fn leave(&self, t: f64, h: f64) {
        let a = self.constants.acceleration;
        let rest = h - t;
        let velocity = self.participant.velocity + a * rest;
        let end = self.centre + self.participant.velocity * rest + a * (0.5 * rest * rest);
        self.body.set_velocity(velocity);
        // As `advance` will move it.
        let mean = velocity - a * (0.5 * h);
        self.body
            .set_shift(end - self.constants.position - mean * h);
        let omega = self.participant.omega;
        let (back, omega) = self.constants.free_turn(self.turn, omega, -t);
        self.body.set_turn(back);
        self.body.set_omega(omega);
    }
}

/// The contacts of each body, one body after the other.
#[derive(Debug, Default)]
pub struct Adjacency {
    /// Where the list of each body begins, and the end of the last.
    starts: Vec<u32>,
    contacts: Vec<u32>,
}

impl Adjacency {
    /// Collects the contacts of all bodies but body 0.
    pub fn rebuild(&mut self, bodies: usize, contacts: &[ContactConstraint]) {
        self.starts.clear();
        self.starts.resize(bodies + 1, 0);
        let moving = |c: &ContactConstraint| c.bodies.into_iter().filter(|b| *b != 0);
        for b in contacts.iter().flat_map(moving) {
            self.starts[b as usize + 1] += 1;
        }
        for k in 1..self.starts.len() {
            self.starts[k] += self.starts[k - 1];
        }
        let mut next = self.starts.clone();
        self.contacts.clear();
        self.contacts.resize(self.starts[bodies] as usize, 0);
        for (k, c) in (0u32..).zip(contacts) {
            for b in moving(c) {
                self.contacts[next[b as usize] as usize] = k;
                next[b as usize] += 1;
            }
        }
    }

    fn of(&self, body: u32) -> &[u32] {
        let [from, to] = [0, 1].map(|k| self.starts[body as usize + k] as usize);
        &self.contacts[from..to]
    }
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
            let side = |n: u32| (&self.bodies[n as usize], &self.constants[n as usize]);
            if is_swift(contacts[k as usize].bodies.map(side), self.h) {
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

    /// Whether a manifold may be an impact of this substep, as the bodies move now.
    fn may_be_impact(&self, c: &ContactConstraint) -> bool {
        let sides = c
            .bodies
            .map(|k| (&self.bodies[k as usize], &self.constants[k as usize]));
        is_swift(sides, self.h) || self.predicted_touch(c).is_some()
    }

    /// When the first point of a manifold touches that closes in fast, in seconds after the
    /// start of the substep.
    fn predicted_touch(&self, c: &ContactConstraint) -> Option<f64> {
        let fast = c.impact_speed;
        if fast == f64::INFINITY {
            return None;
        }
        let [a, b] = c
            .bodies
            .map(|k| (&self.bodies[k as usize], &self.constants[k as usize]));
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
        let [a, b] = c
            .bodies
            .map(|k| (&self.bodies[k as usize], &self.constants[k as usize]));
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

/// What detection finds at the moment for which a touch was predicted.
enum Moment {
    /// They touch then.
    Touch(f64, Manifold),
    /// They pass each other, or do not touch yet. Without a manifold they are far apart.
    Miss(f64, Option<Manifold>),
    /// The touch was before.
    Inside,
}

/// The first touch in a substep, by conservative advancement: bodies at a distance d with
/// the normal n cannot touch before they have closed d along n. A prediction from the
/// start alone misses a thin plate that is far away, for its nearest point is its edge.
fn first_touch<'a>(
    sides: &dyn Fn(f64) -> [Side<'a>; 2],
    from: f64,
    h: f64,
    narrow: &Narrow,
) -> Option<(f64, Manifold)> {
    let mut t = from;
    for _ in 0..MAX_ADVANCES {
        let now = sides(t);
        let (gap, normal) = narrow.gap(&now);
        let [a, b] = &now;
        let relative = a.participant.velocity - b.participant.velocity;
        let turning = a.greatest_turning_speed() + b.greatest_turning_speed();
        let closing = relative.dot(normal) + turning;
        if gap < TOUCH_TOLERANCE_M {
            let manifold = narrow.touching(&now)?;
            let parting = manifold.points().iter().all(|p| {
                let [va, vb] = [a, b].map(|s| s.participant.velocity_at(p.point - s.centre));
                (va - vb).dot(manifold.normal) <= 0.0
            });
            if !parting {
                return Some((t, manifold));
            }
            // They part here; others of their points may still meet.
        }
        if closing <= 0.0 {
            return None;
        }
        t += gap.max(LEAST_ADVANCE * a.size().min(b.size())) / closing;
        if t > h {
            return None;
        }
    }
    None
}

/// Whether two bodies move by more than a part of their size in `h` seconds.
pub fn is_swift(sides: [(&SolverBody, &BodyConstants); 2], h: f64) -> bool {
    let [a, b] = sides;
    let speed = (a.0.velocity() - b.0.velocity()).length();
    let turning = greatest_turning_speed(a) + greatest_turning_speed(b);
    (speed + turning) * h > SWIFT_SHARE * size(a.1).min(size(b.1))
}

/// A bound of the speed of a body's points that its rotation gives them.
fn greatest_turning_speed((body, c): (&SolverBody, &BodyConstants)) -> f64 {
    match c.inverse_mass > 0.0 {
        true => body.omega().length() * size(c) * RADIUS_PER_GYRATION,
        false => 0.0,
    }
}

/// The greatest radius of gyration of a body.
fn size(c: &BodyConstants) -> f64 {
    match c.inverse_mass > 0.0 {
        true => (c.moments.max_element() * c.inverse_mass).sqrt(),
        false => f64::INFINITY,
    }
}

/// Corrects the predicted moment of touch by detection at that moment.
fn moment<'a>(
    sides: &dyn Fn(f64) -> [Side<'a>; 2],
    predicted: f64,
    h: f64,
    narrow: &Narrow,
) -> Moment {
    let mut t = predicted;
    let mut last = None;
    for _ in 0..MAX_REFINEMENTS {
        let now = sides(t);
        let Some(manifold) = narrow.touching(&now) else {
            return Moment::Miss(t, None);
        };
        let [a, b] = now;
        let mut next: Option<(f64, f64)> = None;
        for p in manifold.points() {
            let velocity = |side: &Side| side.participant.velocity_at(p.point - side.centre);
            let closing = (velocity(&a) - velocity(&b)).dot(manifold.normal);
            if closing > 0.0 && next.is_none_or(|(least, _)| p.separation < least) {
                next = Some((p.separation, closing));
            }
        }
        let Some((separation, closing)) = next else {
            let apart = manifold.points().iter().all(|p| p.separation > 0.0);
            return match apart {
                true => Moment::Miss(t, Some(manifold)),
                false => Moment::Inside,
            };
        };
        let corrected = (t + separation / closing).clamp(0.0, h);
        if (corrected - t).abs() * closing < TOUCH_TOLERANCE_M * 1e-3 {
            return match separation > TOUCH_TOLERANCE_M {
                true => Moment::Miss(t, Some(manifold)),
                false => Moment::Touch(t, manifold),
            };
        }
        last = Some((t, manifold));
        t = corrected;
    }
    last.map_or(Moment::Inside, |(t, manifold)| Moment::Touch(t, manifold))
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
