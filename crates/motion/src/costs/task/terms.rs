//! The terms of all goals: features, the moments at which they count, and their weights.

use super::guides::guide_terms;
use super::{Feature, STANDING_STRETCH, TaskTerm};
use crate::problem::{Goal, Problem};
use crate::program::{Anchor, Program};
use crate::score::TrueForces;
use crate::variables::Moment;
use conatus_math::DVec3;

/// The terms of all goals.
pub fn task_terms(problem: &Problem, program: &Program) -> Vec<TaskTerm> {
    let w = &problem.weights;
    let layout = &program.layout;
    let end = layout.moment(layout.blocks() - 1, 1.0, 1.0);
    let knot = |time: f64| {
        let knots = (time / layout.segment_seconds()).round();
        let knot = (knots as usize).clamp(1, layout.blocks());
        layout.moment(knot - 1, 1.0, 1.0)
    };
    let mut terms = Vec::new();
    let mut add = |moment: Moment, feature: Feature, weight: f64| {
        let excluded_from_score = matches!(
            feature,
            Feature::Velocity { .. }
                | Feature::Spin { .. }
                | Feature::Rest { .. }
                | Feature::Hold { .. }
        );
        terms.push(TaskTerm {
            moment,
            feature,
            weight,
            excluded_from_score,
            is_guide: false,
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
    let mut moving_at_end = Vec::new();
    for goal in &problem.goals {
        match goal {
            Goal::Stand {
                character,
                on,
                up,
                upside_down,
            } => {
                let torso = program.base_frames[*character];
                let head = if *upside_down { -DVec3::Z } else { DVec3::Z };
                add(end, axis(torso, DVec3::Z, head), w.task);
                for (limbs, along) in [(on, -DVec3::Z), (up, DVec3::Z)] {
                    for &limb in limbs {
                        let stance = problem.characters[*character].character.limbs[limb].stance;
                        // Limbs that point up, and those of a handstand, are stretched.
                        let stance = stance.filter(|_| along.z < 0.0 && !upside_down);
                        let limb = limb_number(*character, limb);
                        let stretched = along * (STANDING_STRETCH * program.limbs[limb].reach);
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
                            // Between level ground and the top of an obstacle the nearest
                            // surface may be a wall.
                            let level = match program.around.has_slopes() {
                                true => Feature::Flat { contact },
                                false => axis(frame, DVec3::Z, DVec3::Z),
                            };
                            add(end, level, 0.1 * w.task);
                        }
                    }
                }
            }
            Goal::Sit {
                character,
                height,
                forwards,
            } => {
                let frame = program.base_frames[*character];
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
                // The direction in which the torso will face, from its start orientation.
                let ahead = layout.start[frame].orientation;
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
                    // Along the ground, with a margin for the heel.
                    let leg_height = limb_of.links.last().map_or(0.0, |link| link.radius) + 0.02;
                    let rise = leg_height - (height + limb_of.base.z);
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
                    // On the knee, if the limb has one.
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
                    frame: program.base_frames[*character],
                    local: DVec3::Z,
                    height: *height,
                };
                for segment in 0..layout.blocks() {
                    let moment = layout.moment(segment, 1.0, 1.0);
                    add(moment, feature, w.task);
                }
            }
            Goal::Position {
                subject,
                target,
                time,
                hold,
                moving,
            } => {
                let body = program.body_of(*subject);
                let frame = program.base_frames[body];
                let number = |k: usize| target[k].unwrap_or(0.0);
                let share = |k: usize| f64::from(u8::from(target[k].is_some()));
                let feature = Feature::Point {
                    frame,
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
                // A box is put down upright.
                let object = program.object(body);
                if object.is_some_and(|o| o.ball_radius().is_none()) && !moving {
                    let up = layout.start[frame].orientation.transpose() * DVec3::Z;
                    add(until, axis(frame, up, DVec3::Z), 0.3 * w.task);
                }
                if *moving {
                    moving_at_end.push(frame);
                }
            }
            Goal::Facing {
                character,
                direction,
            } => {
                let torso = program.base_frames[*character];
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
    for contact in find_held_start_contacts(problem, program) {
        add(begin, Feature::Hold { contact }, w.task);
    }
    // Goals at the end are reached at rest.
    for frame in (0..layout.frames).filter(|f| !moving_at_end.contains(f)) {
        let target = DVec3::ZERO;
        add(end, Feature::Velocity { frame, target }, w.task_velocity);
        add(end, Feature::Spin { frame }, 0.1 * w.task_velocity);
    }
    // At the end contacts carry the weight without acceleration.
    for &frame in program
        .base_frames
        .iter()
        .filter(|f| !moving_at_end.contains(f))
    {
        add(end, Feature::Rest { frame }, 0.1 * w.task_velocity);
    }
    terms.extend(guide_terms(problem, program));
    terms
}

/// The contacts that hold for the first phase. Those of a moving start are given.
fn find_held_start_contacts(problem: &Problem, program: &Program) -> Vec<usize> {
    if problem.starts_at_rest() {
        return find_required_start_contacts(program);
    }
    let characters = problem.characters.iter().map(|c| &c.held_contacts);
    let objects = problem.objects.iter().map(|o| &o.held_contacts);
    let held: Vec<&Vec<String>> = characters.chain(objects).collect();
    let contacts = program.contacts.iter().enumerate();
    let held = contacts.filter(|(_, c)| held[c.body].contains(&c.name));
    held.map(|(i, _)| i).collect()
}

/// The contacts without which the start pose has no static equilibrium. A movement that
/// starts at rest cannot start in the middle of a step, so these contacts must hold for
/// the first phase.
fn find_required_start_contacts(program: &Program) -> Vec<usize> {
    /// The increase of the residual that makes a contact required, in body weights.
    const RESIDUAL_INCREASE: f64 = 0.01;
    let mut state = program.start_state();
    let mut forces = TrueForces::default();
    forces.solve(program, &state);
    let threshold = forces.residual() + RESIDUAL_INCREASE;
    let touching = forces.touching.clone();
    let mut is_required = |contact: &usize| {
        let a = std::mem::take(&mut state.contacts[*contact]);
        forces.solve(program, &state);
        state.contacts[*contact] = a;
        forces.residual() > threshold
    };
    touching.into_iter().filter(|i| is_required(i)).collect()
}
