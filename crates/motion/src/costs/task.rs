//! The goals of L_Task, Mordatch (10): |h(q) − h*|² of features h at one moment.
//!
//! Standing, as printed in §4.3, is also reached by sitting between one's
//! stretched legs; here each leg is to be vertical below its hip and nearly
//! straight, which implies that the torso is between the feet. Who stands with
//! bent or sprawled legs has a [`stance`](crate::character::Limb::stance).

mod aims;
mod guides;

pub use aims::aims;

use super::{Mix, comfort};
use crate::character::limb::LimbGradient;
use crate::program::Program;
use crate::touch::{Touch, TouchGradient};
use crate::variables::{Moment, Sink, State, add_outer};
use conatus_math::DVec3;

/// How straight a limb is that one stands on.
pub const STRAIGHT: f64 = 0.97;

/// What a contact variable c is at least if the contact is to hold.
pub const FIRM: f64 = 10.0;

/// Directions are judged by what they do at the end of an arm so long, in metres.
pub const ARM: f64 = 0.3;

/// The share of its height below which nobody crawls any more, but lies.
pub const LOWEST: f64 = 0.9;

/// A feature of a pose and the value it should have.
#[derive(Clone, Copy, Debug)]
pub enum Feature {
    /// Where a point of a frame is; only directions whose share is 1 count.
    Point {
        /// The frame.
        frame: usize,
        /// The point in its axes.
        local: DVec3,
        /// Where it should be.
        target: DVec3,
        /// 1 for what counts, 0 for what does not.
        share: DVec3,
    },
    /// How fast a frame's origin moves.
    Velocity {
        /// The frame.
        frame: usize,
        /// How fast it should.
        target: DVec3,
    },
    /// How a frame's velocity changes: not at all.
    Rest {
        /// The frame.
        frame: usize,
    },
    /// How fast a frame turns: not at all.
    Spin {
        /// The frame.
        frame: usize,
    },
    /// Where an axis of a frame points.
    Axis {
        /// The frame.
        frame: usize,
        /// The axis.
        local: DVec3,
        /// Where it should.
        target: DVec3,
    },
    /// How far a frame's origin is above a height, or below [`LOWEST`] of it, and
    /// how far an axis is from level, at the end of an arm of [`ARM`].
    Low {
        /// The frame.
        frame: usize,
        /// The axis.
        local: DVec3,
        /// The height.
        height: f64,
    },
    /// The way from the base of a limb to its tip.
    Limb {
        /// The limb, among all.
        limb: usize,
        /// What it should be.
        target: DVec3,
    },
    /// How far a contact is from touching.
    Touch {
        /// The contact.
        contact: usize,
    },
    /// How much a contact counts: it is to be [`FIRM`] at least.
    Hold {
        /// The contact.
        contact: usize,
    },
    /// The way from the base of a limb to its tip, in torso axes.
    Stance {
        /// The limb, among all.
        limb: usize,
        /// What it should be.
        target: DVec3,
    },
}

/// A feature that counts at one moment.
#[derive(Clone, Debug)]
pub struct Aim {
    /// When.
    pub moment: Moment,
    /// What.
    pub feature: Feature,
    /// How much.
    pub weight: f64,
    /// Whether it is about no place: what `task_error` does not count.
    pub is_rate: bool,
    /// Whether it only leads the way while physics is weak.
    pub guides: bool,
}

impl Aim {
    /// What it weighs in a stage.
    pub fn weight_in(&self, mix: &Mix) -> f64 {
        let share = match self.feature {
            _ if self.guides => mix.guide,
            Feature::Rest { .. } => mix.rest,
            _ => mix.task,
        };
        share * self.weight
    }
}

impl Feature {
    /// h(q) − h* of Mordatch (10).
    pub fn error(&self, program: &Program, state: &State) -> DVec3 {
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
                let off = (z - *height).max(0.0) + (z - LOWEST * *height).min(0.0);
                DVec3::new(off, ARM * (frame.matrix * *local).z, 0.0)
            }
            Self::Limb { limb, target } => {
                let _ = program;
                let at = &state.limbs[*limb];
                at.tip - at.base - *target
            }
            Self::Touch { contact } => Touch::new(program, state, *contact).gap,
            Self::Hold { contact } => {
                DVec3::X * (FIRM.sqrt() - state.contacts[*contact].abs()).max(0.0)
            }
            Self::Stance { limb, target } => comfort::away(program, *limb, *target, state),
        }
    }
}

/// The cost of one aim at its moment.
pub fn deliver(program: &Program, mix: &Mix, aim: &Aim, state: &State, sink: &mut impl Sink) {
    let weight = aim.weight_in(mix);
    let error = aim.feature.error(program, state).to_array();
    match aim.feature {
        Feature::Point {
            frame,
            local,
            share,
            ..
        } => sink.rows(weight, &error, &[frame], &[], |seed, out| {
            out.frames[frame].pull_point(local, DVec3::from_slice(seed) * share);
        }),
        Feature::Touch { contact } => {
            let touch = Touch::new(program, state, contact);
            let frames = &program.contacts[contact].frames;
            sink.rows(weight, &error, frames, &[], |seed, out| {
                let by = TouchGradient {
                    gap: DVec3::from_slice(seed),
                    ..TouchGradient::ZERO
                };
                touch.pull(program, state, contact, &by, out);
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
                add_outer(&mut out.matrix, DVec3::Z * (ARM * seed[1]), local);
            });
        }
        Feature::Stance { limb, target } => {
            comfort::towards(program, weight, limb, target, state, sink);
        }
        Feature::Limb { limb, .. } => {
            let spec = &program.limbs[limb];
            let frames = [spec.torso, spec.effector];
            sink.rows(weight, &error, &frames, &[], |seed, out| {
                let by_way = DVec3::from_slice(seed);
                let mut gradient = LimbGradient::default();
                gradient.clear(state.limbs[limb].joints.len());
                gradient.tip = by_way;
                gradient.base = -by_way;
                let [torso, effector] = out
                    .frames
                    .get_disjoint_mut(frames)
                    .expect("a limb has two frames");
                let limb_of = &program.characters[spec.character].limbs[spec.limb];
                state.limbs[limb].pull(limb_of, &gradient, torso, effector);
            });
        }
    }
}
