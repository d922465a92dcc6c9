//! Impacts: contacts that close in faster than forces alone would make them.
//!
//! A fast contact is not soft. Its bodies are moved to the moment of touch within the
//! substep, the impulses of Di Pierro (75)-(76) are applied there, and the rest of the
//! substep is made with the new velocities; so a bounce neither starts early nor
//! overlaps, and an elastic one keeps the energy.

use super::block::{ConstraintPoint, ContactConstraint};
use super::bodies::{BodyConstants, SolverBody};
use crate::contact::impulse::{Meeting, Participant, friction_impulse};
use conatus_geometry::convex::Manifold;
use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_math::{DMat3, DQuat, DVec3, Pose, rotation};
use std::collections::VecDeque;

/// Impacts in a substep, per contact of the world: a bound for contacts that keep
/// passing an impulse back and forth. The soft contacts hold what is left.
const MAX_IMPACTS_PER_CONTACT: usize = 32;
/// Rounds over the points of one manifold, until their impulses are consistent.
const MAX_ROUNDS: usize = 60;
/// A contact is fast if it closes in at more than this many times the speed that its
/// relative acceleration makes in a substep.
const FAST_SUBSTEPS: f64 = 4.0;
/// Corrections of the moment of touch.
const MAX_REFINEMENTS: usize = 5;
/// Points this near to each other touch at the same moment, in metres.
const TOUCH_TOLERANCE_M: f64 = 1e-6;
/// Slower contacts are never impacts, in m/s.
const MIN_IMPACT_SPEED_M_S: f64 = 1e-9;

/// Where the colliders of a contact touch, at poses of their bodies.
pub type NarrowPhase<'a> = dyn Fn(u32, &Pose, &Pose) -> Option<Manifold> + 'a;

/// The same for one contact.
type Narrow<'a> = dyn Fn(&Pose, &Pose) -> Option<Manifold> + 'a;

/// The restitution of a contact, and the impulses of its impacts in this step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounce {
    /// c of Di Pierro (69).
    pub restitution: f64,
    /// The normal impulses at the points, of all impacts of the step.
    pub normal: [f64; MAX_POINTS],
    /// The impulse of friction on the second body, of all impacts of the step.
    pub tangential: DVec3,
    /// The normal of the last of them.
    pub direction: DVec3,
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
        let turn = (rotation::exp(body.omega() * t) * body.turn()).normalize();
        let r = DMat3::from_quat(turn);
        let omega = constants.omega_after_turn(body.omega(), body.turn(), turn);
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
        let back = (rotation::exp(-omega * t) * self.turn).normalize();
        self.body.set_turn(back);
        let omega = self.constants.omega_after_turn(omega, self.turn, back);
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
    /// The contacts.
    pub contacts: &'a [ContactConstraint],
    /// The contacts of each body.
    pub adjacency: &'a Adjacency,
    /// Finds where they touch.
    pub narrow: &'a NarrowPhase<'a>,
    /// How long the substep is, in seconds.
    pub h: f64,
}

/// Handles all impacts of a substep, first those of `candidates`, then the ones that
/// these cause, which are candidates from then on.
pub fn impacts(substep: &Substep, bounces: &mut [Bounce], candidates: &mut Vec<u32>) {
    let Substep {
        bodies,
        constants,
        contacts,
        adjacency,
        narrow,
        h,
    } = *substep;
    let mut queue: VecDeque<u32> = candidates.iter().copied().collect();
    let mut waiting = vec![false; contacts.len()];
    candidates.iter().for_each(|&k| waiting[k as usize] = true);
    let mut known = waiting.clone();
    let mut left = MAX_IMPACTS_PER_CONTACT * contacts.len();
    while let Some(k) = queue.pop_front() {
        waiting[k as usize] = false;
        let (c, bounce) = (&contacts[k as usize], &mut bounces[k as usize]);
        if !impact(bodies, constants, c, bounce, &|a, b| narrow(k, a, b), h) {
            continue;
        }
        left -= 1;
        if left == 0 {
            break;
        }
        for b in c.bodies.into_iter().filter(|b| *b != 0) {
            for &other in adjacency.of(b) {
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

/// Handles one manifold, if it closes in fast and touches within the substep.
fn impact(
    bodies: &[SolverBody],
    constants: &[BodyConstants],
    c: &ContactConstraint,
    bounce: &mut Bounce,
    narrow: &Narrow,
    h: f64,
) -> bool {
    let [a, b] = c
        .bodies
        .map(|k| (&bodies[k as usize], &constants[k as usize]));
    let fast = impact_speed(a.1, b.1, h);
    // The first point that touches.
    let mut first: Option<f64> = None;
    for p in &c.points[..c.count] {
        let (separation, closing) = approach(a, b, c.normal, p);
        if closing <= fast || separation > closing * h {
            continue;
        }
        let t = (separation / closing).clamp(0.0, h);
        if first.is_none_or(|least| t < least) {
            first = Some(t);
        }
    }
    let Some(t) = first else {
        return false;
    };
    let (t, normal, points, count) = refined(a, b, c, t, h, narrow);
    let mut side_a = Side::at(a.0, a.1, t, h);
    let mut side_b = Side::at(b.0, b.1, t, h);
    // The points that touch at that moment, and the speeds at which they part.
    let mut meetings: [Option<(Meeting, f64, f64)>; MAX_POINTS] = [None; MAX_POINTS];
    let deepest = points[..count].iter().map(|p| p.separation);
    let deepest = deepest.fold(f64::INFINITY, f64::min);
    for (k, p) in points[..count].iter().enumerate() {
        let [on_a, on_b] = p.on_surfaces(normal);
        let at = Meeting {
            arm_a: on_a - side_a.centre,
            arm_b: on_b - side_b.centre,
            normal,
            friction: c.friction,
        };
        let speed = closing_speed(&side_a.participant, &side_b.participant, &at);
        if p.separation > deepest.max(0.0) + TOUCH_TOLERANCE_M + 1e-3 * speed.abs() * h {
            continue;
        }
        let parting = if speed > fast {
            bounce.restitution * speed
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
        if largest < 1e-14 {
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
    bounce.direction = normal;
    bounce.acted = true;
    for (side, number) in [(&side_a, c.bodies[0]), (&side_b, c.bodies[1])] {
        if number != 0 {
            side.leave(t, h);
        }
    }
    true
}

/// The moment of touch, and the normal and points there. The first estimate is linear;
/// detection at that moment corrects it.
fn refined(
    a: (&SolverBody, &BodyConstants),
    b: (&SolverBody, &BodyConstants),
    c: &ContactConstraint,
    mut t: f64,
    h: f64,
    narrow: &Narrow,
) -> (f64, DVec3, [ConstraintPoint; MAX_POINTS], usize) {
    let mut found = None;
    for _ in 0..MAX_REFINEMENTS {
        let (side_a, side_b) = (Side::at(a.0, a.1, t, h), Side::at(b.0, b.1, t, h));
        let Some(manifold) = narrow(&side_a.pose(), &side_b.pose()) else {
            break;
        };
        let mut points = [ConstraintPoint::default(); MAX_POINTS];
        let mut next: Option<(f64, f64)> = None;
        for (own, p) in points.iter_mut().zip(manifold.points()) {
            own.point = p.point;
            own.separation = p.separation;
            let velocity = |side: &Side| side.participant.velocity_at(p.point - side.centre);
            let closing = (velocity(&side_a) - velocity(&side_b)).dot(manifold.normal);
            if closing > 0.0 && next.is_none_or(|(least, _)| p.separation < least) {
                next = Some((p.separation, closing));
            }
        }
        // Bodies that part already were found in another constellation than the one
        // that was predicted.
        let Some((separation, closing)) = next else {
            break;
        };
        found = Some((t, manifold.normal, points, manifold.points().len()));
        let corrected = (t + separation / closing).clamp(0.0, h);
        if (corrected - t).abs() * closing < TOUCH_TOLERANCE_M * 1e-3 {
            break;
        }
        t = corrected;
    }
    found.unwrap_or_else(|| {
        // As predicted from the start of the step.
        let (side_a, side_b) = (Side::at(a.0, a.1, t, h), Side::at(b.0, b.1, t, h));
        let mut points = c.points;
        for p in &mut points[..c.count] {
            let (separation, closing) = approach(a, b, c.normal, p);
            let shift = side_b.centre - b.1.position;
            let shift = if c.bodies[1] == 0 {
                side_a.centre - a.1.position
            } else {
                shift
            };
            p.point += shift;
            p.separation = separation - closing * t;
        }
        (t, c.normal, points, c.count)
    })
}

/// The closing speed from which on a contact is an impact, for substeps of `h`. Two
/// bodies that fall together press on each other as soon as one of them is held up, so
/// the larger acceleration counts, not the difference.
pub fn impact_speed(a: &BodyConstants, b: &BodyConstants, h: f64) -> f64 {
    let pressing = a.acceleration.length().max(b.acceleration.length());
    MIN_IMPACT_SPEED_M_S.max(FAST_SUBSTEPS * pressing * h)
}

/// The separation of a point at the start of the substep, and how fast it closes in.
fn approach(
    a: (&SolverBody, &BodyConstants),
    b: (&SolverBody, &BodyConstants),
    normal: DVec3,
    point: &ConstraintPoint,
) -> (f64, f64) {
    // To first order in the turn, as in the blocks of soft contacts.
    let moved = |(body, constants): (&SolverBody, &BodyConstants), on: DVec3| {
        let arm = on - constants.position;
        let turn = body.turn();
        let shift = body.shift() + (DVec3::new(turn.x, turn.y, turn.z) * 2.0).cross(arm);
        (shift, body.velocity() + body.omega().cross(arm))
    };
    let [on_a, on_b] = point.on_surfaces(normal);
    let ((shift_a, va), (shift_b, vb)) = (moved(a, on_a), moved(b, on_b));
    (
        point.separation + (shift_b - shift_a).dot(normal),
        (va - vb).dot(normal),
    )
}

fn closing_speed(a: &Participant, b: &Participant, at: &Meeting) -> f64 {
    (a.velocity_at(at.arm_a) - b.velocity_at(at.arm_b)).dot(at.normal)
}
