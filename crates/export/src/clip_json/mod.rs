//! `.clip.json`: the motion of characters for other programs.
//!
//! Positions are rounded to 10⁻ᵈ. A second difference of rounded positions is off by
//! at most 2·10⁻ᵈ/dt², so d is chosen to keep that below 10⁻⁵ m/s², a millionth of
//! gravity: 10⁻¹⁰ m at 5 ms.

mod formatter;

use crate::ExportError;
use conatus_math::{DQuat, DVec3};
use conatus_record::Recording;
use conatus_record::clip::{Clip, ClipEffector};
use formatter::EscapingFormatter;
use serde::Serialize;
use std::io::Write;

/// The greatest error of accelerations from rounding, in m/s².
const MAX_ROUNDING_ACCELERATION: f64 = 1e-5;
/// Forces and torques are rounded to 1/this, in N and N·m.
const FORCE_STEPS_PER_UNIT: f64 = 1e7;
/// Velocities are rounded to 1/this, in m/s and rad/s.
const VELOCITY_STEPS_PER_UNIT: f64 = 1e9;
/// Normals and times are rounded to 1/this.
const FINE_STEPS_PER_UNIT: f64 = 1e12;

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
    // 2·10⁻ᵈ/dt² ≤ MAX_ROUNDING_ACCELERATION.
    let digits = (2.0 / (MAX_ROUNDING_ACCELERATION * clip.dt * clip.dt))
        .log10()
        .ceil();
    let place = 10f64.powi(digits.clamp(9.0, 13.0) as i32);
    numbers(&mut clip.time, FINE_STEPS_PER_UNIT);
    numbers(&mut clip.phases, FINE_STEPS_PER_UNIT);
    if let Some(velocities) = &mut clip.velocities {
        let of_characters = velocities.characters.iter_mut();
        let all = of_characters
            .flat_map(|c| c.effectors.iter_mut().chain([&mut c.torso]))
            .chain(&mut velocities.objects);
        for twists in all {
            vectors(&mut twists.linear, VELOCITY_STEPS_PER_UNIT);
            vectors(&mut twists.angular, VELOCITY_STEPS_PER_UNIT);
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
            vectors(&mut contact.force, FORCE_STEPS_PER_UNIT);
            vectors(&mut contact.point, place);
            vectors(&mut contact.torque, FORCE_STEPS_PER_UNIT);
            vectors(&mut contact.normal, FINE_STEPS_PER_UNIT);
        }
    }
    clip
}

fn patch(effector: &mut ClipEffector, place: f64) {
    numbers(&mut effector.contact, FORCE_STEPS_PER_UNIT);
    vectors(&mut effector.position, place);
    turns(&mut effector.orientation, place);
    vectors(&mut effector.force, FORCE_STEPS_PER_UNIT);
    vectors(&mut effector.point, place);
    vectors(&mut effector.torque, FORCE_STEPS_PER_UNIT);
    vectors(&mut effector.normal, FINE_STEPS_PER_UNIT);
}

/// The value rounded to a multiple of 1/`fine`; adding zero turns −0 into 0.
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
