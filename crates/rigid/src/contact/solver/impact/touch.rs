//! When two bodies touch within a substep, and where they are then.

use super::super::bodies::{BodyConstants, SolverBody};
use crate::contact::impulse::Participant;
use conatus_geometry::convex::Manifold;
use conatus_math::{DMat3, DQuat, DVec3, Pose};

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
pub(super) const TOUCH_TOLERANCE_M: f64 = 1e-6;

/// Detection for poses of the two bodies of a contact.
#[derive(Clone, Copy)]
pub struct NarrowPhase<'a> {
    /// Where its colliders touch, or nearly.
    pub touching: &'a (dyn Fn(u32, &Pose, &Pose) -> Option<Manifold> + Sync),
    /// How far apart they are, or zero, and the direction from the first to the second.
    pub gap: &'a (dyn Fn(u32, &Pose, &Pose) -> (f64, DVec3) + Sync),
}

/// The same for one contact.
pub(super) struct Narrow<'a> {
    pub contact: u32,
    pub phase: &'a NarrowPhase<'a>,
}

impl Narrow<'_> {
    fn touching(&self, sides: &[Side; 2]) -> Option<Manifold> {
        (self.phase.touching)(self.contact, &sides[0].pose(), &sides[1].pose())
    }

    fn gap(&self, sides: &[Side; 2]) -> (f64, DVec3) {
        (self.phase.gap)(self.contact, &sides[0].pose(), &sides[1].pose())
    }
}

/// One side of an impact at the moment of touch.
pub(super) struct Side<'a> {
    body: &'a SolverBody,
    pub constants: &'a BodyConstants,
    pub participant: Participant,
    pub centre: DVec3,
    pub turn: DQuat,
}

impl<'a> Side<'a> {
    /// The body `t` seconds after the start of a substep of `h` seconds. Its velocity
    /// has the acceleration of the whole substep already.
    pub fn at(body: &'a SolverBody, constants: &'a BodyConstants, t: f64, h: f64) -> Self {
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
    pub fn moved(&self) -> DVec3 {
        self.centre - self.constants.position
    }

    /// The pose of the body at that moment.
    fn pose(&self) -> Pose {
        let turned = (self.turn * self.constants.orientation).normalize();
        Pose::new(turned, self.centre)
    }

    /// Writes the body back so that the rest of the substep leads from here.
    pub fn leave(&self, t: f64, h: f64) {
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

/// What detection finds at the moment for which a touch was predicted.
pub(super) enum Moment {
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
pub(super) fn first_touch<'a>(
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
pub(super) fn moment<'a>(
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
