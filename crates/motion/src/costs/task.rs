//! The goals of L_Task, Mordatch (10): |h(q) − h*|² of features h at one moment.
//!
//! Standing, as printed in §4.3, is also reached by sitting between one's
//! stretched legs; here each leg is to be vertical below its hip and nearly
//! straight, which implies that the torso is between the feet. Who stands with
//! bent or sprawled legs has a [`stance`](crate::character::Limb::stance).

use super::comfort;
use crate::character::limb::LimbGradient;
use crate::problem::{Goal, Problem};
use crate::program::Program;
use crate::surface::Nearness;
use crate::variables::{Moment, Sink, State, add_outer};
use conatus_math::DVec3;

/// How straight a limb is that one stands on.
pub const STRAIGHT: f64 = 0.97;

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
    /// Whether it is a velocity: what `task_error` does not count.
    pub is_rate: bool,
}

/// The aims of all goals.
pub fn aims(problem: &Problem, program: &Program) -> Vec<Aim> {
    let w = &problem.weights;
    let layout = &program.layout;
    let end = layout.moment(layout.blocks() - 1, 1.0, 1.0);
    let knot = |time: f64| {
        let knots = (time / layout.segment_seconds()).round();
        let knot = (knots as usize).clamp(1, layout.blocks());
        layout.moment(knot - 1, 1.0, 1.0)
    };
    let mut aims = Vec::new();
    let mut add = |moment: Moment, feature: Feature, weight: f64| {
        let is_rate = matches!(feature, Feature::Velocity { .. } | Feature::Spin { .. });
        aims.push(Aim {
            moment,
            feature,
            weight,
            is_rate,
        });
    };
    let limb_number = |character: usize, limb: usize| {
        let mut specs = program.limbs.iter();
        specs
            .position(|s| s.character == character && s.limb == limb)
            .expect("goals were checked")
    };
    let axis = |frame: usize, local: DVec3, target: DVec3| Feature::Axis {
        frame,
        local,
        target,
    };
    for goal in &problem.goals {
        match goal {
            Goal::Stand {
                character,
                on,
                up,
                upside_down,
            } => {
                let torso = program.torsos[*character];
                let head = if *upside_down { -DVec3::Z } else { DVec3::Z };
                add(end, axis(torso, DVec3::Z, head), w.task);
                for (limbs, along) in [(on, -DVec3::Z), (up, DVec3::Z)] {
                    for &limb in limbs {
                        let stance = problem.characters[*character].0.limbs[limb].stance;
                        // What points up, and who stands on the head, is stretched.
                        let stance = stance.filter(|_| along.z < 0.0 && !upside_down);
                        let limb = limb_number(*character, limb);
                        let stretched = along * (STRAIGHT * program.limbs[limb].reach);
                        let feature = match stance {
                            Some(target) => Feature::Stance { limb, target },
                            None => Feature::Limb {
                                limb,
                                target: stretched,
                            },
                        };
                        add(end, feature, w.task);
                        if along.z < 0.0 {
                            let contact = program.limbs[limb].contact;
                            add(end, Feature::Touch { contact }, w.task);
                            let frame = program.limbs[limb].effector;
                            add(end, axis(frame, DVec3::Z, DVec3::Z), 0.1 * w.task);
                        }
                    }
                }
            }
            Goal::Sit {
                character,
                height,
                forwards,
            } => {
                let frame = program.torsos[*character];
                add(end, axis(frame, DVec3::Z, DVec3::Z), w.task);
                let low = Feature::Point {
                    frame,
                    local: DVec3::ZERO,
                    target: DVec3::Z * *height,
                    share: DVec3::Z,
                };
                add(end, low, w.task);
                for (contact, patch) in program.contacts.iter().enumerate() {
                    if patch.frame == frame && patch.turn.z_axis.z > 0.9 {
                        add(end, Feature::Touch { contact }, w.task);
                    }
                }
                // Forwards as the torso will face: it starts that way already.
                let ahead = layout.start[frame].1;
                let ahead = if ahead.x_axis.z.abs() > 0.7 {
                    -ahead.z_axis * ahead.x_axis.z.signum()
                } else {
                    ahead.x_axis
                };
                let ahead = (ahead - DVec3::Z * ahead.z).normalize_or(DVec3::X);
                add(end, axis(frame, DVec3::X, ahead), 0.1 * w.task);
                for &limb in forwards {
                    let limb = limb_number(*character, limb);
                    let spec = &program.limbs[limb];
                    let limb_of = &program.characters[spec.character].limbs[spec.limb];
                    // Along the ground, with room for the heel.
                    let lies = limb_of.links.last().map_or(0.0, |link| link.radius) + 0.02;
                    let rise = lies - (height + limb_of.base.z);
                    let target = ahead * (0.95 * spec.reach) + DVec3::Z * rise;
                    add(end, Feature::Limb { limb, target }, 0.3 * w.task);
                }
            }
            Goal::Position {
                character,
                target,
                time,
            } => {
                let number = |k: usize| target[k].unwrap_or(0.0);
                let share = |k: usize| f64::from(u8::from(target[k].is_some()));
                let feature = Feature::Point {
                    frame: program.torsos[*character],
                    local: DVec3::ZERO,
                    target: DVec3::new(number(0), number(1), number(2)),
                    share: DVec3::new(share(0), share(1), share(2)),
                };
                add(time.map_or(end, knot), feature, w.task);
            }
            Goal::Facing {
                character,
                direction,
            } => {
                let torso = program.torsos[*character];
                add(end, axis(torso, DVec3::X, *direction), w.task);
            }
            Goal::Strike {
                character,
                limb,
                time,
                position,
                velocity,
            } => {
                let limb = limb_number(*character, *limb);
                let frame = program.limbs[limb].effector;
                let moment = knot(*time);
                let reach = Feature::Point {
                    frame,
                    local: DVec3::ZERO,
                    target: *position,
                    share: DVec3::ONE,
                };
                add(moment, reach, w.task);
                let target = *velocity;
                add(moment, Feature::Velocity { frame, target }, w.task_velocity);
            }
        }
    }
    // Whatever was to be reached is reached at rest.
    for frame in 0..layout.frames {
        let target = DVec3::ZERO;
        add(end, Feature::Velocity { frame, target }, w.task_velocity);
        add(end, Feature::Spin { frame }, 0.1 * w.task_velocity);
    }
    aims
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
            Self::Axis {
                frame,
                local,
                target,
            } => state.frames[*frame].matrix * *local - *target,
            Self::Limb { limb, target } => {
                let _ = program;
                let at = &state.limbs[*limb];
                at.tip - at.base - *target
            }
            Self::Touch { contact } => near(program, state, *contact).gap,
            Self::Stance { limb, target } => comfort::away(program, *limb, *target, state),
        }
    }
}

/// What a contact is near to.
fn near(program: &Program, state: &State, contact: usize) -> Nearness {
    let spec = &program.contacts[contact];
    let place = state.frames[spec.frame].point(spec.offset);
    Nearness::new(&program.surfaces, place)
}

/// The cost of one aim at its moment.
pub fn deliver(program: &Program, weight: f64, aim: &Aim, state: &State, sink: &mut impl Sink) {
    let weight = weight * aim.weight;
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
            let (near, spec) = (near(program, state, contact), &program.contacts[contact]);
            sink.rows(weight, &error, &[spec.frame], &[], |seed, out| {
                let by_point = near.pull(DVec3::from_slice(seed), DVec3::ZERO);
                out.frames[spec.frame].pull_point(spec.offset, by_point);
            });
        }
        Feature::Velocity { frame, .. } => {
            sink.rows(weight, &error, &[frame], &[], |seed, out| {
                out.frames[frame].velocity += DVec3::from_slice(seed);
            });
        }
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
