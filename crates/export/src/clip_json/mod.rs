//! `.clip.json`: the motion of characters for other programs.
//!
//! Numbers are rounded to what matters. A reader that differentiates positions
//! twice divides twice the grain 10⁻ᵈ by dt² at most, so d is chosen to keep
//! that below 10⁻⁵ m/s², a millionth of gravity: 10⁻¹⁰ m at 5 ms.

mod formatter;

use crate::ExportError;
use conatus_math::{DQuat, DVec3};
use conatus_record::Recording;
use conatus_record::clip::{Clip, ClipEffector};
use formatter::EscapingFormatter;
use serde::Serialize;
use std::io::Write;

/// The greatest acceleration that rounding may feign, in m/s².
const FEIGNED: f64 = 1e-5;
/// The grain of forces in newtons and of torques in newton metres.
const FORCE: f64 = 1e7;
/// The grain of velocities in m/s and rad/s.
const VELOCITY: f64 = 1e9;
/// The grain of normals and of times.
const FINE: f64 = 1e12;

/// Writes the recording's clip.
pub fn write(recording: &Recording, out: &mut impl Write) -> Result<(), ExportError> {
    let clip = recording.clip.as_ref().ok_or(ExportError::NoClip)?;
    let fits = |e: serde_json::Error| match e.io_error_kind() {
        Some(_) => ExportError::Output(e.into()),
        None => ExportError::DoesNotFit(e.to_string()),
    };
    let mut json = serde_json::Serializer::with_formatter(&mut *out, EscapingFormatter);
    rounded(clip).serialize(&mut json).map_err(fits)?;
    out.write_all(b"\n").map_err(ExportError::Output)
}

/// The clip with as many digits as readers need.
fn rounded(clip: &Clip) -> Clip {
    let mut clip = clip.clone();
    // 2·10⁻ᵈ/dt² ≤ FEIGNED.
    let digits = (2.0 / (FEIGNED * clip.dt * clip.dt)).log10().ceil();
    let place = 10f64.powi(digits.clamp(9.0, 13.0) as i32);
    numbers(&mut clip.time, FINE);
    numbers(&mut clip.phases, FINE);
    if let Some(velocities) = &mut clip.velocities {
        let of_characters = velocities.characters.iter_mut();
        let all = of_characters
            .flat_map(|c| c.effectors.iter_mut().chain([&mut c.torso]))
            .chain(&mut velocities.objects);
        for twists in all {
            vectors(&mut twists.linear, VELOCITY);
            vectors(&mut twists.angular, VELOCITY);
        }
    }
    for character in &mut clip.characters {
        vectors(&mut character.torso.position, place);
        turns(&mut character.torso.orientation, place);
        for link in &mut character.links {
            vectors(&mut link.start, place);
            vectors(&mut link.end, place);
        }
        character.effectors.iter_mut().for_each(|e| patch(e, place));
    }
    for object in &mut clip.objects {
        vectors(&mut object.position, place);
        turns(&mut object.orientation, place);
        for contact in &mut object.contacts {
            vectors(&mut contact.force, FORCE);
            vectors(&mut contact.point, place);
            vectors(&mut contact.torque, FORCE);
            vectors(&mut contact.normal, FINE);
        }
    }
    clip
}

fn patch(effector: &mut ClipEffector, place: f64) {
    numbers(&mut effector.contact, FORCE);
    vectors(&mut effector.position, place);
    turns(&mut effector.orientation, place);
    vectors(&mut effector.force, FORCE);
    vectors(&mut effector.point, place);
    vectors(&mut effector.torque, FORCE);
    vectors(&mut effector.normal, FINE);
}

/// The nearest whole part of 1/`fine`; adding zero makes the two zeros one.
fn number(value: f64, fine: f64) -> f64 {
    let scaled = value * fine;
    match scaled.abs() < 1e15 {
        true => scaled.round() / fine + 0.0,
        false => value,
    }
}

fn numbers(values: &mut [f64], fine: f64) {
    values.iter_mut().for_each(|v| *v = number(*v, fine));
}

fn vectors(values: &mut [DVec3], fine: f64) {
    for v in values {
        *v = DVec3::from(v.to_array().map(|c| number(c, fine)));
    }
}

fn turns(values: &mut [DQuat], fine: f64) {
    for q in values {
        *q = DQuat::from_array(q.to_array().map(|c| number(c, fine)));
    }
}
