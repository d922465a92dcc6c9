//! Objects in a clip: where they are, and the forces on them.

use super::{active_force, patch_contacts, patches, push_rotation, rows};
use conatus_math::DVec3;
use conatus_motion::object::Form;
use conatus_motion::program::Against;
use conatus_motion::score::TrueForces;
use conatus_motion::surface::RoundedShape as Solid;
use conatus_motion::variables::MotionState;
use conatus_motion::{Program, Subject};
use conatus_record::Clip;
use conatus_record::clip::{ClipObject, ClipObjectContact, ClipShape};

/// An object without samples.
pub fn empty_object(program: &Program, number: usize) -> ClipObject {
    let object = &program.objects[number];
    let dynamics = &program.dynamics[program.body_of(Subject::Object(number))];
    ClipObject {
        name: object.base.name.clone(),
        mass: dynamics.mass(),
        inertia: rows(dynamics.base_inertia()),
        color: object.base.color,
        shape: match (object.form, object.shape()) {
            (Form::Ball(radius), _) => ClipShape::Sphere { radius },
            (Form::Box(half_extents), Solid::RoundedBox(block)) => ClipShape::Box {
                half_extents,
                radius: block.radius,
            },
            (Form::Box(half_extents), _) => ClipShape::Box {
                half_extents,
                radius: 0.0,
            },
        },
        collision: Some(object.collision_shape()),
        position: Vec::new(),
        orientation: Vec::new(),
        contacts: Vec::new(),
    }
}

/// Appends a sample of every object.
pub fn add_sample(clip: &mut Clip, program: &Program, state: &MotionState, forces: &TrueForces) {
    for (number, object) in clip.objects.iter_mut().enumerate() {
        let body = program.body_of(Subject::Object(number));
        let moments = object.position.len();
        let frame = &state.frames[program.base_frames[body]];
        object.position.push(frame.position);
        push_rotation(&mut object.orientation, frame.matrix);
        // Its own contacts: it lies on something.
        for i in patches(program, body) {
            if let Some((push, with)) = active_force(program, forces, i, program.weight(body)) {
                let contact = find_or_add_contact(object, &with, moments);
                record(contact, push.force, push.point, push.torque, push.normal);
            }
        }
        // Reactions of the contacts of characters with it.
        for (who, other) in program.characters.iter().enumerate() {
            for patch in patches(program, who) {
                let on_it = patch_contacts(program, patch).filter(|&m| {
                    matches!(program.contacts[m].against,
                        Against::Solid(s) if program.solids[s].carrier.is_some_and(|k| k.0 == body))
                });
                for m in on_it {
                    let Some((push, _)) = active_force(program, forces, m, program.weight(who))
                    else {
                        continue;
                    };
                    let with = format!("{}/{}", other.base.name, program.contacts[patch].name);
                    let contact = find_or_add_contact(object, &with, moments);
                    record(contact, -push.force, push.point, -push.torque, -push.normal);
                }
            }
        }
        for contact in &mut object.contacts {
            if contact.force.len() == moments {
                pad_with_zeros(contact, moments + 1);
            }
        }
    }
}

/// The contact of an object with something. A new one is filled up with zero forces. A
/// contact that has this sample already does not count.
fn find_or_add_contact<'a>(
    object: &'a mut ClipObject,
    with: &str,
    moments: usize,
) -> &'a mut ClipObjectContact {
    let fits = |c: &ClipObjectContact| c.with == with && c.force.len() == moments;
    let at = object.contacts.iter().position(fits).unwrap_or_else(|| {
        let mut new = ClipObjectContact {
            with: with.to_owned(),
            force: Vec::new(),
            point: Vec::new(),
            torque: Vec::new(),
            normal: Vec::new(),
            active: Vec::new(),
        };
        pad_with_zeros(&mut new, moments);
        object.contacts.push(new);
        object.contacts.len() - 1
    });
    &mut object.contacts[at]
}

fn record(to: &mut ClipObjectContact, force: DVec3, point: DVec3, torque: DVec3, normal: DVec3) {
    to.force.push(force);
    to.point.push(point);
    to.torque.push(torque);
    to.normal.push(normal);
    to.active.push(true);
}

/// Extends a contact with zero forces to this many samples.
fn pad_with_zeros(contact: &mut ClipObjectContact, moments: usize) {
    contact.force.resize(moments, DVec3::ZERO);
    contact.point.resize(moments, DVec3::ZERO);
    contact.torque.resize(moments, DVec3::ZERO);
    contact.normal.resize(moments, DVec3::Z);
    contact.active.resize(moments, false);
}
