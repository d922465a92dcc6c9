//! The goals of L_Task, Mordatch (10): |h(q) − h*|² of features h at one moment.
//!
//! Standing, as printed in §4.3, is also reached by sitting between one's
//! stretched legs; here each leg is to be vertical below its hip and nearly
//! straight, which implies that the torso is between the feet. Who stands with
//! bent or sprawled legs has a [`stance`](crate::character::Limb::stance).

use super::{Mix, comfort};
use crate::character::limb::LimbGradient;
use crate::problem::{Goal, Problem};
use crate::program::{Anchor, Program};
use crate::score::TrueForces;
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

/// How much a place on the way weighs against the goal at its end.
const GUIDE: f64 = 0.1;

/// From which share of the time to which things are on their way.
const FETCHED: (f64, f64) = (0.25, 0.85);
/// The same for what is thrown.
const THROWN: (f64, f64) = (0.75, 1.0);

/// Things are carried at this share of the height of who could carry them,
const CARRIED: f64 = 0.8;
/// at least where they are farther than this share of the way from both its ends,
const LIFTED: f64 = 0.2;
/// if the way is longer than this, in metres.
const FAR: f64 = 0.5;
/// They are put down from above: from so far, in metres.
const ABOVE: f64 = 0.15;

/// How much higher than the straight way a thing is led at a share of it, so that
/// it is carried at a height and put down from above.
fn lift(share: f64, from: DVec3, to: DVec3, height: f64) -> f64 {
    let straight = from.lerp(to, share).z;
    let near = (share.min(1.0 - share) / LIFTED).clamp(0.0, 1.0);
    if (to - from).truncate().length() < FAR {
        return 0.0;
    }
    let height = height.max(from.z.max(to.z) + ABOVE);
    (height - straight) * near * near * (3.0 - 2.0 * near)
}

/// The share of the way that is behind one at a share of the time: an even pace
/// that begins and ends at rest.
fn pace(time: f64) -> f64 {
    /// How long it takes to get going, and to stop.
    const RAMP: f64 = 0.2;
    let whole = 1.0 - RAMP;
    if time < RAMP {
        0.5 * time * time / RAMP / whole
    } else if time > 1.0 - RAMP {
        1.0 - 0.5 * (1.0 - time) * (1.0 - time) / RAMP / whole
    } else {
        (time - 0.5 * RAMP) / whole
    }
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
        let is_rate = matches!(
            feature,
            Feature::Velocity { .. }
                | Feature::Spin { .. }
                | Feature::Rest { .. }
                | Feature::Hold { .. }
        );
        aims.push(Aim {
            moment,
            feature,
            weight,
            is_rate,
            guides: false,
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
    let mut flying = Vec::new();
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
                            add(end, Feature::Hold { contact }, w.task);
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
                        add(end, Feature::Hold { contact }, w.task);
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
            Goal::Crawl {
                character,
                height,
                on,
            } => {
                for &limb in on {
                    // On the knee, if there is one.
                    let limb = limb_number(*character, limb);
                    let knee = |i: &&usize| {
                        let anchor = program.contacts[**i].anchor;
                        matches!(anchor, Anchor::Joint { .. })
                    };
                    let own = &program.limbs[limb];
                    let contact = *own.contacts.iter().find(knee).unwrap_or(&own.contact);
                    add(end, Feature::Touch { contact }, w.task);
                    add(end, Feature::Hold { contact }, w.task);
                }
                let feature = Feature::Low {
                    frame: program.torsos[*character],
                    local: DVec3::Z,
                    height: *height,
                };
                for segment in 0..layout.blocks() {
                    let moment = layout.moment(segment, 1.0, 1.0);
                    add(moment, feature, w.task);
                }
            }
            Goal::Position {
                character,
                target,
                time,
                hold,
                moving,
            } => {
                let number = |k: usize| target[k].unwrap_or(0.0);
                let share = |k: usize| f64::from(u8::from(target[k].is_some()));
                let feature = Feature::Point {
                    frame: program.torsos[*character],
                    local: DVec3::ZERO,
                    target: DVec3::new(number(0), number(1), number(2)),
                    share: DVec3::new(share(0), share(1), share(2)),
                };
                let until = time.map_or(end, knot);
                add(until, feature, w.task);
                for segment in 0..until.segment {
                    let held = layout.moment(segment, 1.0, 1.0);
                    if held.time >= until.time - hold - 1e-9 {
                        add(held, feature, w.task);
                    }
                }
                let frame = program.torsos[*character];
                let thing = &problem.characters[*character].0.object;
                // What is put down stands as it stood.
                if thing.as_ref().is_some_and(|o| o.ball().is_none()) && !moving {
                    let up = layout.start[frame].1.transpose() * DVec3::Z;
                    add(until, axis(frame, up, DVec3::Z), 0.3 * w.task);
                }
                if *moving {
                    flying.push(frame);
                }
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
    let begin = layout.moment(0, 0.0, 1.0);
    for contact in indispensable(program) {
        add(begin, Feature::Hold { contact }, w.task);
    }
    // Whatever was to be reached is reached at rest.
    for frame in (0..layout.frames).filter(|f| !flying.contains(f)) {
        let target = DVec3::ZERO;
        add(end, Feature::Velocity { frame, target }, w.task_velocity);
        add(end, Feature::Spin { frame }, 0.1 * w.task_velocity);
    }
    // Weight is carried at the end, not braked.
    for &frame in program.torsos.iter().filter(|f| !flying.contains(f)) {
        add(end, Feature::Rest { frame }, 0.1 * w.task_velocity);
    }
    aims.extend(guides(problem, program));
    aims
}

/// Places on the straight way to where somebody is to be in the end. Goals of the
/// end alone are left to the last moment: nothing asks for anything before, and a
/// step that was not begun early is not found later.
fn guides(problem: &Problem, program: &Program) -> Vec<Aim> {
    let layout = &program.layout;
    let mut guides = Vec::new();
    let people = (0..program.torsos.len()).filter(|c| !program.characters[*c].is_object());
    let heights = people.map(|c| CARRIED * layout.start[program.torsos[c]].0.z);
    let height = heights.fold(f64::INFINITY, f64::min);
    for goal in &problem.goals {
        let &Goal::Position {
            character,
            target,
            time: None,
            hold,
            moving,
        } = goal
        else {
            continue;
        };
        // Things wait for who comes for them, and are there before the end.
        let (from, to) = match problem.characters[character].0.is_object() {
            true if moving => THROWN,
            true => FETCHED,
            false => (0.0, 1.0),
        };
        let frame = program.torsos[character];
        let start = layout.start[frame].0;
        let end = DVec3::from_array([0, 1, 2].map(|k| target[k].unwrap_or(start[k])));
        let carried = match &problem.characters[character].0.object {
            Some(thing) => !thing.slides && !moving,
            None => false,
        };
        let there = (layout.seconds() - hold).max(layout.segment_seconds());
        for segment in 0..layout.blocks() - 1 {
            let moment = layout.moment(segment, 1.0, 1.0);
            let share = (moment.time / there - from) / (to - from);
            let share = pace(share.clamp(0.0, 1.0));
            let mut place = start.lerp(end, share);
            if carried {
                place.z += lift(share, start, end, height);
            }
            let counts = |k: usize| f64::from(u8::from(target[k].is_some()));
            guides.push(Aim {
                moment,
                feature: Feature::Point {
                    frame,
                    local: DVec3::ZERO,
                    target: place,
                    share: DVec3::new(counts(0), counts(1), counts(2)),
                },
                weight: GUIDE * problem.weights.task,
                is_rate: true,
                guides: true,
            });
        }
    }
    guides
}

/// The contacts without which the start pose could not be still. Who starts at
/// rest cannot be in the middle of a step, so these carry for a phase.
fn indispensable(program: &Program) -> Vec<usize> {
    /// What counts as unexplained, in body weights.
    const UNEXPLAINED: f64 = 0.01;
    let mut state = program.start_state();
    let mut forces = TrueForces::default();
    forces.solve(program, &state);
    let least = forces.residual() + UNEXPLAINED;
    let touching = forces.touching.clone();
    let mut without = |contact: &usize| {
        let a = std::mem::take(&mut state.contacts[*contact]);
        forces.solve(program, &state);
        state.contacts[*contact] = a;
        forces.residual() > least
    };
    touching.into_iter().filter(|i| without(i)).collect()
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
