//! Samples a movement into a clip: positions, orientations and contact forces.
//!
//! Forces are solved again at the times of the clip, with only the contacts that touch;
//! forces at a distance, which the optimiser may use, are not part of a clip.

mod force;
mod objects;

use super::MotionPlanner;
use super::contact_report::reaction_imbalance;
use conatus_geometry::PartShape;
use conatus_math::{DMat3, DQuat, DVec3};
use conatus_motion::contact_state::ContactState;
use conatus_motion::program::{Against, Anchor, ContactCandidate};
use conatus_motion::score::TrueForces;
use conatus_motion::surface::{RoundedShape as Solid, Surface as Given};
use conatus_motion::variables::MotionState;
use conatus_motion::{Character, Program, Subject};
use conatus_record::clip::{
    ClipCharacter, ClipEffector, ClipFixedShape, ClipLink, ClipShape, ClipSurface, ClipSurfaceKind,
    ClipTorso, ClipVelocities,
};
use conatus_record::{Clip, Up};
use force::{ContactForce, contact_force};

/// The longest time between two samples of a clip, in seconds.
const MAX_SAMPLE_STEP_S: f64 = 0.005;
/// The least force of an active contact, in weights of its owner.
const MIN_ACTIVE_FORCE: f64 = 1e-3;

/// A sampled movement.
pub struct Sampled {
    /// The samples.
    pub clip: Clip,
    /// The largest difference, in newtons, between the force of a contact on its owner and
    /// its reaction, as the equations of motion have them.
    pub reaction_error: f64,
}

/// Samples the movement with these unknowns.
pub fn sample_movement(planner: &MotionPlanner, program: &Program, x: &[f64]) -> Sampled {
    let segment = program.layout.segment_seconds();
    // Knots are among the samples.
    let pieces = (segment / MAX_SAMPLE_STEP_S - 1e-9).ceil().max(1.0);
    let moments = program.layout.blocks() * pieces as usize + 1;
    let mut clip = empty_clip(planner, program, segment / pieces, moments);
    let phases = 0..=program.layout.phases;
    clip.phases = phases
        .map(|k| planner.start_seconds + k as f64 * program.layout.phase_seconds)
        .collect();
    let (mut state, mut forces) = (MotionState::default(), TrueForces::default());
    let weights: Vec<f64> = (0..program.body_count())
        .map(|body| program.weight(body))
        .collect();
    let mut reaction_error = 0.0f64;
    for i in 0..moments {
        let time = i as f64 * clip.dt;
        state.update(&program.layout, x, &program.layout.moment_at(time));
        add_sample(&mut clip, program, &mut state, &mut forces);
        reaction_error = reaction_error.max(reaction_imbalance(&weights, &forces));
    }
    for (c, character) in clip.characters.iter_mut().enumerate() {
        for (patch, effector) in patches(program, c).zip(&mut character.effectors) {
            let variable = |phase: usize| {
                let all =
                    patch_contacts(program, patch).map(|i| x[program.layout.contact(phase, i)]);
                all.map(|a| a * a).fold(0.0, f64::max)
            };
            effector.contact = (0..program.layout.phases).map(variable).collect();
        }
    }
    clip.targets = planner.targets.clone();
    Sampled {
        clip,
        reaction_error,
    }
}

/// A clip with one sample: the start state.
pub fn start_clip(planner: &MotionPlanner, program: &Program) -> Clip {
    let mut clip = empty_clip(planner, program, MAX_SAMPLE_STEP_S, 1);
    let mut state = program.start_state();
    add_sample(&mut clip, program, &mut state, &mut TrueForces::default());
    clip.targets = planner.targets.clone();
    clip
}

/// A clip without samples.
fn empty_clip(planner: &MotionPlanner, program: &Program, dt: f64, moments: usize) -> Clip {
    let mut clip = Clip::empty(Up::Z, program.gravity, dt, moments);
    clip.seed = planner.problem.effort.seed;
    clip.surfaces = program.around.surfaces.iter().map(surface).collect();
    let characters = program.characters.iter().enumerate();
    clip.characters = characters
        .map(|(c, described)| empty_character(program, c, described))
        .collect();
    clip.objects = (0..program.objects.len())
        .map(|number| objects::empty_object(program, number))
        .collect();
    for time in &mut clip.time {
        *time += planner.start_seconds;
    }
    clip.velocities = Some(ClipVelocities::empty(&clip));
    clip
}

fn surface(given: &Given) -> ClipSurface {
    let kind = match &given.shape {
        Solid::HalfSpace(plane) => ClipSurfaceKind::Plane {
            point: plane.normal * plane.offset,
            normal: plane.normal,
        },
        Solid::RoundedBox(block) => ClipSurfaceKind::Box {
            half_extents: block.half_extents,
            position: block.position,
            orientation: DQuat::from_mat3(&block.orientation).normalize(),
            radius: block.radius,
        },
        Solid::Capsule(capsule) if capsule.start == capsule.end => ClipSurfaceKind::Sphere {
            radius: capsule.radius,
            position: capsule.start,
        },
        Solid::Capsule(capsule) => ClipSurfaceKind::Capsule {
            radius: capsule.radius,
            start: capsule.start,
            end: capsule.end,
        },
        Solid::Heightfield(field) => ClipSurfaceKind::Heightfield {
            origin: field.origin,
            spacing: field.spacing,
            columns: field.columns,
            heights: field.heights.clone(),
        },
    };
    ClipSurface {
        name: given.name.clone(),
        kind,
    }
}

/// A character without samples.
fn empty_character(program: &Program, c: usize, described: &Character) -> ClipCharacter {
    let mut links = Vec::new();
    for limb in &described.limbs {
        for (index, link) in limb.links.iter().enumerate() {
            links.push(ClipLink {
                name: link_name(&limb.name, index, limb.links.len()),
                limb: limb.name.clone(),
                index,
                length: link.length,
                radius: link.radius,
                collision: Some(limb.link_shape(index)),
                start: Vec::new(),
                end: Vec::new(),
            });
        }
    }
    let contacts = patches(program, c).map(|i| &program.contacts[i]);
    let limb_of =
        |spec: &ContactCandidate| spec.limb.map(|l| &described.limbs[program.limbs[l].limb]);
    let effectors = contacts.map(|spec| ClipEffector {
        name: spec.name.clone(),
        limb: limb_of(spec).map(|limb| limb.name.clone()),
        half_extents: spec.half_extents,
        collision: Some(match limb_of(spec) {
            Some(limb) if spec.anchor == Anchor::Patch => limb.effector_shape(),
            _ => PartShape::pad(spec.half_extents),
        }),
        friction: spec.friction,
        grasps: spec.grasps,
        contact: Vec::new(),
        position: Vec::new(),
        orientation: Vec::new(),
        force: Vec::new(),
        point: Vec::new(),
        torque: Vec::new(),
        normal: Vec::new(),
        active: Vec::new(),
        touches: Vec::new(),
    });
    let dynamics = &program.dynamics[c];
    ClipCharacter {
        name: described.base.name.clone(),
        mass: dynamics.mass(),
        inertia: rows(dynamics.base_inertia()),
        color: described.base.color,
        torso: ClipTorso {
            half_extents: described.base.half_extents,
            collision: Some(described.torso_shape()),
            ..ClipTorso::default()
        },
        shapes: (described.base.hull.iter())
            .filter_map(|ball| {
                Some(ClipFixedShape {
                    name: ball.name.clone()?,
                    shape: ClipShape::Sphere {
                        radius: ball.radius,
                    },
                    position: ball.position,
                    orientation: DQuat::IDENTITY,
                })
            })
            .collect(),
        links,
        effectors: effectors.collect(),
    }
}

/// A symmetric matrix row by row, as clips have it.
fn rows(matrix: DMat3) -> [[f64; 3]; 3] {
    matrix.to_cols_array_2d()
}

/// The anatomical names of the links of legs and arms; other links are numbered.
fn link_name(limb: &str, index: usize, count: usize) -> String {
    let bones = [
        ("leg", ["thigh", "shin"]),
        ("arm", ["upper arm", "forearm"]),
    ];
    for (word, names) in bones {
        if count == 2 && limb.ends_with(word) {
            let side = &limb[..limb.len() - word.len()];
            return format!("{side}{}", names[index.min(1)]);
        }
    }
    match count {
        1 => limb.to_owned(),
        _ => format!("{limb} {}", index + 1),
    }
}

/// Appends a sample.
fn add_sample(
    clip: &mut Clip,
    program: &Program,
    state: &mut MotionState,
    forces: &mut TrueForces,
) {
    state.update_limbs(&program.characters, true);
    forces.solve(program, state);
    for (c, character) in clip.characters.iter_mut().enumerate() {
        let torso = &state.frames[program.base_frames[c]];
        character.torso.position.push(torso.position);
        push_rotation(&mut character.torso.orientation, torso.matrix);
        let mut links = character.links.iter_mut();
        let limbs = (program.limbs.iter().zip(&state.limbs)).filter(|(s, _)| s.character == c);
        for (_, limb) in limbs {
            let points: Vec<DVec3> = limb.points().collect();
            for pair in points.windows(2) {
                if let Some(link) = links.next() {
                    link.start.push(pair[0]);
                    link.end.push(pair[1]);
                }
            }
        }
        let weight = program.weight(c);
        for (i, effector) in patches(program, c).zip(&mut character.effectors) {
            let contact = ContactState::new(program, state, i);
            let place = contact.position;
            let acting = patch_contacts(program, i)
                .filter_map(|m| active_force(program, forces, m, weight))
                .max_by(|a, b| a.0.force.length().total_cmp(&b.0.force.length()));
            effector.position.push(place);
            push_rotation(&mut effector.orientation, contact.matrix);
            effector.active.push(acting.is_some());
            let normal = contact.normal;
            let (push, touches) = match acting {
                Some((push, touches)) => (push, Some(touches)),
                None => (ContactForce::zero(place, normal), None),
            };
            effector.touches.push(touches);
            effector.force.push(push.force);
            effector.point.push(push.point);
            effector.torque.push(push.torque);
            effector.normal.push(push.normal);
        }
    }
    objects::add_sample(clip, program, state, forces);
    add_velocities(clip, program, state);
}

/// Appends the velocities of a moment. Patches that roll and knees touch with
/// another point at every moment, and have none.
fn add_velocities(clip: &mut Clip, program: &Program, state: &MotionState) {
    let Some(velocities) = &mut clip.velocities else {
        return;
    };
    for (c, character) in velocities.characters.iter_mut().enumerate() {
        let torso = &state.frames[program.base_frames[c]];
        character.torso.push(torso.velocity, torso.omega);
        for (i, twists) in patches(program, c).zip(&mut character.effectors) {
            let spec = &program.contacts[i];
            if spec.anchor == Anchor::Patch {
                let frame = &state.frames[spec.frame];
                twists.push(frame.point_velocity(spec.offset), frame.omega);
            }
        }
    }
    for (number, twists) in velocities.objects.iter_mut().enumerate() {
        let frame = &state.frames[program.base_frames[program.body_of(Subject::Object(number))]];
        twists.push(frame.velocity, frame.omega);
    }
}

/// The contacts of the patches of a body with the surroundings, one for each patch.
fn patches(program: &Program, character: usize) -> impl Iterator<Item = usize> {
    let contacts = program.contacts.iter().enumerate();
    let own = move |spec: &ContactCandidate| {
        spec.body == character && spec.against == Against::Surroundings
    };
    contacts.filter(move |(_, s)| own(s)).map(|(i, _)| i)
}

/// All contacts of a patch: with the surroundings, objects and other characters.
fn patch_contacts(program: &Program, patch: usize) -> impl Iterator<Item = usize> {
    let spec = &program.contacts[patch];
    let others = program
        .contacts
        .iter()
        .enumerate()
        .filter(move |(_, other)| {
            spec.limb.is_some()
                && spec.anchor == Anchor::Patch
                && other.limb == spec.limb
                && other.anchor == Anchor::Patch
                && other.against != Against::Surroundings
        });
    std::iter::once(patch).chain(others.map(|(i, _)| i))
}

/// The force of a contact and the name of what it touches; none if it is not active.
fn active_force(
    program: &Program,
    forces: &TrueForces,
    i: usize,
    weight: f64,
) -> Option<(ContactForce, String)> {
    let k = forces.touching.iter().position(|t| *t == i)?;
    let contact = &forces.contacts[k];
    let push = contact_force(contact, &forces.solution.forces[k], weight);
    let with = match program.contacts[i].against {
        Against::Surroundings => {
            let (nearest, _) = program.around.nearest(contact.position)?;
            program.around.surfaces[nearest].name.clone()
        }
        Against::Solid(s) => {
            let solid = &program.solids[s];
            solid.link.map_or(solid.name.clone(), |(limb, link)| {
                let spec = &program.limbs[limb];
                let whose = &program.characters[spec.character];
                let limb = &whose.limbs[spec.limb];
                let name = link_name(&limb.name, link, limb.links.len());
                format!("{}/{name}", whose.base.name)
            })
        }
    };
    (push.force.length() > MIN_ACTIVE_FORCE * weight).then_some((push, with))
}

/// Appends a rotation as the one of its two quaternions that is closer to the previous.
fn push_rotation(list: &mut Vec<DQuat>, matrix: DMat3) {
    let turn = DQuat::from_mat3(&matrix).normalize();
    let near = list.last().is_none_or(|last| last.dot(turn) >= 0.0);
    list.push(if near { turn } else { -turn });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bones_have_names() {
        assert_eq!(link_name("left leg", 0, 2), "left thigh");
        assert_eq!(link_name("left leg", 1, 2), "left shin");
        assert_eq!(link_name("right arm", 1, 2), "right forearm");
        assert_eq!(link_name("tail", 2, 4), "tail 3");
        assert_eq!(link_name("leg", 0, 1), "leg");
    }
}
