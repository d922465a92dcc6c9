//! `[[object]]`: boxes and balls that characters handle.

use super::short;
use super::surroundings::ground;
use crate::scene::build::bodies::color;
use crate::scene::build::check;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::model::{ObjectShapeSpec, ObjectSpec, SceneFile};
use conatus_math::{DMat3, DVec3};
use conatus_motion::character::Placement;
use conatus_motion::object::Form;
use conatus_motion::{Object, ObjectStart};

/// A scene may have at most this many objects.
const MAX_OBJECTS: usize = 16;
/// The default coefficient of Coulomb friction.
const DEFAULT_FRICTION: f64 = 0.6;
/// The default colour.
const DEFAULT_COLOR: &str = "#cc9952";

/// All objects, each at rest in its start pose; those with errors are left out.
pub fn build(file: &SceneFile, diagnostics: &mut Diagnostics) -> Vec<ObjectStart> {
    if file.object.len() > MAX_OBJECTS {
        diagnostics.at(
            &format!("object[{MAX_OBJECTS}]"),
            format!("there are {} objects", file.object.len()),
            format!("at most {MAX_OBJECTS} can be handled"),
        );
        return Vec::new();
    }
    let mut objects = Vec::new();
    for (i, spec) in file.object.iter().enumerate() {
        let path = format!("object[{i}]");
        let name = match spec.name.as_str() {
            "" => format!("object-{}", i + 1),
            name => name.to_owned(),
        };
        let taken = |name: &str| {
            let others = file.object[..i].iter().map(|o| o.name.as_str());
            let characters = file.character.iter().map(|c| c.name.as_str());
            let obstacles = file.obstacle.iter().map(|o| o.name.as_str());
            others.chain(characters).chain(obstacles).any(|n| n == name)
        };
        if taken(&name) {
            diagnostics.at(
                &format!("{path}.name"),
                format!("the name `{name}` is used twice"),
                "give every character, obstacle and object a unique name",
            );
        }
        let Some(form) = form(spec, &path, diagnostics) else {
            continue;
        };
        let before = diagnostics.len();
        let mass = spec.mass.unwrap_or_else(|| {
            diagnostics.at(
                &path,
                format!("`{name}` has no mass"),
                "add for example mass = 5",
            );
            1.0
        });
        check::positive(diagnostics, &format!("{path}.mass"), "the mass", mass);
        let friction = spec.friction.unwrap_or(DEFAULT_FRICTION);
        let at = format!("{path}.friction");
        check::not_negative(diagnostics, &at, "the friction", friction);
        let place = place(file, spec, form, &path, diagnostics);
        let color = color(
            spec.color.as_deref().or(Some(DEFAULT_COLOR)),
            0,
            &path,
            diagnostics,
        );
        if diagnostics.len() > before {
            continue;
        }
        if spec.slides && matches!(form, Form::Ball(_)) {
            diagnostics.at(
                &format!("{path}.slides"),
                format!("`{name}` is a ball, which rolls"),
                "leave `slides` out, or give it the shape of a box",
            );
            continue;
        }
        let grip = spec.grip.unwrap_or(true);
        let mut object = Object::new(&name, form, mass, friction, grip, color);
        object.slides = spec.slides;
        objects.push(ObjectStart::at_rest(object, place));
    }
    objects
}

fn form(spec: &ObjectSpec, path: &str, diagnostics: &mut Diagnostics) -> Option<Form> {
    let before = diagnostics.len();
    let form = match &spec.shape {
        None => {
            diagnostics.at(
                path,
                "the object has no shape",
                "add for example shape.box.half_extents = [0.2, 0.15, 0.15], or shape.sphere.radius = 0.12",
            );
            return None;
        }
        Some(ObjectShapeSpec::Box(b)) => {
            for (k, h) in b.half_extents.iter().enumerate() {
                let path = format!("{path}.shape.box.half_extents[{k}]");
                check::positive(diagnostics, &path, "half of an edge", *h);
            }
            Form::Box(b.half_extents.into())
        }
        Some(ObjectShapeSpec::Sphere(s)) => {
            let path = format!("{path}.shape.sphere.radius");
            check::positive(diagnostics, &path, "the radius", s.radius);
            Form::Ball(s.radius)
        }
    };
    (diagnostics.len() == before).then_some(form)
}

fn place(
    file: &SceneFile,
    spec: &ObjectSpec,
    form: Form,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Placement {
    let rest_height = ground(file)
        + match form {
            Form::Box(half) => half.z,
            Form::Ball(radius) => radius,
        };
    let position = match spec.position[..] {
        [] => DVec3::Z * rest_height,
        [x, y] => DVec3::new(x, y, rest_height),
        [x, y, z] => DVec3::new(x, y, z),
        _ => {
            diagnostics.at(
                &format!("{path}.position"),
                format!("expected 2 or 3 numbers, found {}", spec.position.len()),
                "give x and y, or x, y and the height of its centre",
            );
            DVec3::ZERO
        }
    };
    if position.abs().max_element() > 1000.0 {
        diagnostics.at(
            &format!("{path}.position"),
            format!(
                "the object is {} m away",
                short(position.abs().max_element())
            ),
            "lengths are in metres; is the number far too large?",
        );
    }
    let (sin, cos) = conatus_math::sincos(spec.heading.to_radians());
    let x = DVec3::new(cos, sin, 0.0);
    Placement {
        position,
        orientation: DMat3::from_cols(x, DVec3::Z.cross(x), DVec3::Z),
    }
}
