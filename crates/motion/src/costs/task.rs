//! The goals of L_Task, Mordatch (10): |h(q) − h*|² of features h at one moment.
//!
//! Standing as printed in §4.3 is also met by sitting between stretched legs. Here each
//! leg must be vertical below its hip and nearly straight, so that the torso is between
//! the feet. Characters that stand with bent or sprawled legs have a
//! [`stance`](crate::character::Limb::stance).

mod guides;
mod terms;

pub use terms::task_terms;

use super::{TermWeights, comfort};
use crate::character::limb::LimbGradient;
use crate::contact_state::{ContactState, ContactStateGradient};
use crate::program::Program;
use crate::variables::{Moment, MotionState, ResidualSink, add_outer};
use conatus_math::{DMat3, DVec3};

/// The length of the chord of a limb that is stood on, as a fraction of its reach: two equal
/// links are bent by 10 degrees.
pub const STANDING_STRETCH: f64 = 0.9965;

/// The least value of the contact variable c of a required contact.
pub const MIN_REQUIRED_CONTACT: f64 = 10.0;

/// The lever arm that converts errors of directions to metres.
pub const DIRECTION_ARM_M: f64 = 0.3;

/// The least height of a crawling torso, as a fraction of the given height; below it the
/// character lies.
pub const MIN_CRAWL_HEIGHT_FRACTION: f64 = 0.9;

/// A feature of a pose and its target value.
#[derive(Clone, Copy, Debug)]
pub enum Feature {
    /// The position of a point of a frame; only axes with the share 1 count.
    Point {
        /// The frame.
        frame: usize,
        /// The point in its axes.
        local: DVec3,
        /// The target position.
        target: DVec3,
        /// 1 for axes that count, 0 for others.
        share: DVec3,
    },
    /// The velocity of a frame's origin.
    Velocity {
        /// The frame.
        frame: usize,
        /// The target velocity.
        target: DVec3,
    },
    /// The acceleration of a frame; the target is zero.
    Rest {
        /// The frame.
        frame: usize,
    },
    /// The angular velocity of a frame; the target is zero.
    Spin {
        /// The frame.
        frame: usize,
    },
    /// The direction of an axis of a frame.
    Axis {
        /// The frame.
        frame: usize,
        /// The axis.
        local: DVec3,
        /// The target direction.
        target: DVec3,
    },
    /// How far a frame's origin is above a height, or below
    /// [`MIN_CRAWL_HEIGHT_FRACTION`] of it, and how far an axis is from level, at the
    /// end of [`DIRECTION_ARM_M`].
    Low {
        /// The frame.
        frame: usize,
        /// The axis.
        local: DVec3,
        /// The height.
        height: f64,
    },
    /// The vector from the base of a limb to its tip.
    Limb {
        /// The index among all limbs.
        limb: usize,
        /// The target vector.
        target: DVec3,
    },
    /// How far the normal of a contact patch is from that of the surface below it.
    Flat {
        /// The contact.
        contact: usize,
    },
    /// The gap of a contact.
    Touch {
        /// The contact.
        contact: usize,
    },
    /// The contact variable, which must be at least [`MIN_REQUIRED_CONTACT`].
    Hold {
        /// The contact.
        contact: usize,
    },
    /// The vector from the base of a limb to its tip, in torso axes.
    Stance {
        /// The index among all limbs.
        limb: usize,
        /// The target vector.
        target: DVec3,
    },
}

/// A term of L_Task: a feature at one moment.
#[derive(Clone, Debug)]
pub struct TaskTerm {
    /// The moment at which it counts.
    pub moment: Moment,
    /// The feature.
    pub feature: Feature,
    /// Its weight.
    pub weight: f64,
    /// Whether `task_error` leaves it out: velocities, required contacts and guides have no
    /// position error.
    pub excluded_from_score: bool,
    /// Whether it is a guide, which counts only while physics is weak.
    pub is_guide: bool,
}

impl TaskTerm {
    /// Its weight in a stage.
    pub fn weight_in_stage(&self, mix: &TermWeights) -> f64 {
        let share = match self.feature {
            _ if self.is_guide => mix.guide,
            Feature::Rest { .. } => mix.rest,
            _ => mix.task,
        };
        share * self.weight
    }
}

impl Feature {
    /// h(q) − h* of Mordatch (10).
    pub fn error(&self, program: &Program, state: &MotionState) -> DVec3 {
        match self {
            Self::Point {
                frame,
                local,
                target,
                share,
            } => (state.frames[*frame].point(*local) - *target) * *share,
            Self::Velocity { frame, target } => state.frames[*frame].velocity - *target,
            Self::Spin { frame } => state.frames[*frame].omega,
            Self::Rest { frame } => state.frames[*frame].acceleration,
            Self::Axis {
                frame,
                local,
                target,
            } => state.frames[*frame].matrix * *local - *target,
            Self::Low {
                frame,
                local,
                height,
            } => {
                let frame = &state.frames[*frame];
                let z = frame.position.z;
                let off =
                    (z - *height).max(0.0) + (z - MIN_CRAWL_HEIGHT_FRACTION * *height).min(0.0);
                DVec3::new(off, DIRECTION_ARM_M * (frame.matrix * *local).z, 0.0)
            }
            Self::Limb { limb, target } => {
                let _ = program;
                let at = &state.limbs[*limb];
                at.tip - at.base - *target
            }
            Self::Flat { contact } => {
                let touch = ContactState::new(program, state, *contact);
                touch.matrix.z_axis - touch.normal
            }
            Self::Touch { contact } => ContactState::new(program, state, *contact).gap,
            Self::Hold { contact } => {
                DVec3::X * (MIN_REQUIRED_CONTACT.sqrt() - state.contacts[*contact].abs()).max(0.0)
            }
            Self::Stance { limb, target } => comfort::target_error(program, *limb, *target, state),
        }
    }
}

/// Evaluates one term at its moment.
pub fn evaluate(
    program: &Program,
    mix: &TermWeights,
    term: &TaskTerm,
    state: &MotionState,
    sink: &mut impl ResidualSink,
) {
    let weight = term.weight_in_stage(mix);
    let error = term.feature.error(program, state).to_array();
    match term.feature {
        Feature::Point {
            frame,
            local,
            share,
            ..
        } => sink.rows(weight, &error, &[frame], &[], |seed, out| {
            out.frames[frame].add_point_gradient(local, DVec3::from_slice(seed) * share);
        }),
        Feature::Flat { contact } => {
            let touch = ContactState::new(program, state, contact);
            let frames = &program.contacts[contact].frames;
            sink.rows(weight, &error, frames, &[], |seed, out| {
                let by_error = DVec3::from_slice(seed);
                let by = ContactStateGradient {
                    matrix: DMat3::from_cols(DVec3::ZERO, DVec3::ZERO, by_error),
                    normal: -by_error,
                    ..ContactStateGradient::ZERO
                };
                touch.vector_jacobian_product(program, state, contact, &by, out);
            });
        }
        Feature::Touch { contact } => {
            let touch = ContactState::new(program, state, contact);
            let frames = &program.contacts[contact].frames;
            sink.rows(weight, &error, frames, &[], |seed, out| {
                let by = ContactStateGradient {
                    gap: DVec3::from_slice(seed),
                    ..ContactStateGradient::ZERO
                };
                touch.vector_jacobian_product(program, state, contact, &by, out);
            });
        }
        Feature::Hold { contact } if error[0] > 0.0 => {
            sink.rows(weight, &error, &[], &[contact], |seed, out| {
                out.contacts[contact] -= state.contacts[contact].signum() * seed[0];
            });
        }
        Feature::Hold { .. } => {}
        Feature::Velocity { frame, .. } => {
            sink.rows(weight, &error, &[frame], &[], |seed, out| {
                out.frames[frame].velocity += DVec3::from_slice(seed);
            });
        }
        Feature::Rest { frame } => sink.rows(weight, &error, &[frame], &[], |seed, out| {
            out.frames[frame].acceleration += DVec3::from_slice(seed);
        }),
        Feature::Spin { frame } => sink.rows(weight, &error, &[frame], &[], |seed, out| {
            out.frames[frame].omega += DVec3::from_slice(seed);
        }),
        Feature::Axis { frame, local, .. } => {
            sink.rows(weight, &error, &[frame], &[], |seed, out| {
                add_outer(
                    &mut out.frames[frame].matrix,
                    DVec3::from_slice(seed),
                    local,
                );
            });
        }
        Feature::Low { frame, local, .. } => {
            sink.rows(weight, &error, &[frame], &[], |seed, out| {
                let out = &mut out.frames[frame];
                if error[0] != 0.0 {
                    out.position.z += seed[0];
                }
                add_outer(
                    &mut out.matrix,
                    DVec3::Z * (DIRECTION_ARM_M * seed[1]),
                    local,
                );
            });
        }
        Feature::Stance { limb, target } => {
            comfort::evaluate_target(program, weight, limb, target, state, sink);
        }
        Feature::Limb { limb, .. } => {
            let spec = &program.limbs[limb];
            let frames = [spec.torso, spec.effector];
            sink.rows(weight, &error, &frames, &[], |seed, out| {
                let by_offset = DVec3::from_slice(seed);
                let mut gradient = LimbGradient::default();
                gradient.clear(state.limbs[limb].joints.len());
                gradient.tip = by_offset;
                gradient.base = -by_offset;
                let [torso, effector] = out
                    .frames
                    .get_disjoint_mut(frames)
                    .expect("a limb has two frames");
                let limb_of = &program.characters[spec.character].limbs[spec.limb];
                state.limbs[limb].vector_jacobian_product(limb_of, &gradient, torso, effector);
            });
        }
    }
}
