//! Things in a clip: where they are, and what acts on them.

use super::{acting, members, patches, push_turn};
use conatus_math::DVec3;
use conatus_motion::object::Form;
use conatus_motion::program::Against;
use conatus_motion::score::TrueForces;
use conatus_motion::surface::Shape as Solid;
use conatus_motion::variables::State;
use conatus_motion::{Character as Cast, Program};
use conatus_record::Clip;
use conatus_record::clip::{Object, ObjectContact, Shape};

/// A thing that has not moved yet; none of a character.
pub fn begun(cast: &Cast) -> Option<Object> {
    let object = cast.object.as_ref()?;
    let i = cast.inertia;
    Some(Object {
        name: cast.name.clone(),
        mass: cast.mass,
        inertia: [[i.x, 0.0, 0.0], [0.0, i.y, 0.0], [0.0, 0.0, i.z]],
        color: cast.color,
        shape: match (object.form, object.shape()) {
            (Form::Ball(radius), _) => Shape::Sphere { radius },
            (Form::Box(half_extents), Solid::Block(block)) => Shape::Box {
                half_extents,
                radius: block.radius,
            },
            (Form::Box(half_extents), _) => Shape::Box {
                half_extents,
                radius: 0.0,
            },
        },
        position: Vec::new(),
        orientation: Vec::new(),
        contacts: Vec::new(),
    })
}

/// Appends a moment.
pub fn add(clip: &mut Clip, program: &Program, state: &State, forces: &TrueForces) {
    let g = program.gravity.length();
    let everybody = program.characters.iter().enumerate();
    let things = everybody.clone().filter(|(_, cast)| cast.is_object());
    for ((c, cast), object) in things.zip(&mut clip.objects) {
        let moments = object.position.len();
        let frame = &state.frames[program.torsos[c]];
        object.position.push(frame.position);
        push_turn(&mut object.orientation, frame.matrix);
        // What it does itself: it lies on something.
        for i in patches(program, c) {
            if let Some((push, with)) = acting(program, forces, i, cast.mass * g) {
                let contact = contact(object, &with, moments);
                record(contact, push.force, push.point, push.torque, push.normal);
            }
        }
        // What others do to it, turned round.
        for (who, other) in everybody.clone().filter(|(_, o)| !o.is_object()) {
            for patch in patches(program, who) {
                let on_it = members(program, patch).filter(|&m| {
                    matches!(program.contacts[m].against,
                        Against::Solid(s) if program.solids[s].carrier.is_some_and(|k| k.0 == c))
                });
                for m in on_it {
                    let Some((push, _)) = acting(program, forces, m, other.mass * g) else {
                        continue;
                    };
                    let with = format!("{}/{}", other.name, program.contacts[patch].name);
                    let contact = contact(object, &with, moments);
                    record(contact, -push.force, push.point, -push.torque, -push.normal);
                }
            }
        }
        for contact in &mut object.contacts {
            if contact.force.len() == moments {
                rest(contact, moments + 1);
            }
        }
    }
}

/// The contact of a thing with something, from the start on if it is new. One
/// that has this moment already is another.
fn contact<'a>(object: &'a mut Object, with: &str, moments: usize) -> &'a mut ObjectContact {
    let fits = |c: &ObjectContact| c.with == with && c.force.len() == moments;
    let at = object.contacts.iter().position(fits).unwrap_or_else(|| {
        let mut new = ObjectContact {
            with: with.to_owned(),
            force: Vec::new(),
            point: Vec::new(),
            torque: Vec::new(),
            normal: Vec::new(),
            active: Vec::new(),
        };
        rest(&mut new, moments);
        object.contacts.push(new);
        object.contacts.len() - 1
    });
    &mut object.contacts[at]
}

fn record(to: &mut ObjectContact, force: DVec3, point: DVec3, torque: DVec3, normal: DVec3) {
    to.force.push(force);
    to.point.push(point);
    to.torque.push(torque);
    to.normal.push(normal);
    to.active.push(true);
}

/// Nothing acts up to so many moments.
fn rest(contact: &mut ObjectContact, moments: usize) {
    contact.force.resize(moments, DVec3::ZERO);
    contact.point.resize(moments, DVec3::ZERO);
    contact.torque.resize(moments, DVec3::ZERO);
    contact.normal.resize(moments, DVec3::Z);
    contact.active.resize(moments, false);
}
