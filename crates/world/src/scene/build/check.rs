//! Checks of single values, of the `time` table and of the surroundings.

use crate::scene::diagnostic::Diagnostics;
use crate::scene::model::SceneFile;
use crate::text::number;
use conatus_math::{DQuat, DVec3, rotation};

/// The most substeps of a step.
const MAX_SUBSTEPS: u32 = 256;

/// The value must be greater than zero.
pub fn positive(diagnostics: &mut Diagnostics, path: &str, what: &str, value: f64) {
    if value <= 0.0 {
        diagnostics.at(
            path,
            format!("{what} is {}, but must be greater than zero", number(value)),
            format!("give {what} as a positive number"),
        );
    }
}

/// The value must not be less than zero.
pub fn not_negative(diagnostics: &mut Diagnostics, path: &str, what: &str, value: f64) {
    if value < 0.0 {
        diagnostics.at(
            path,
            format!("{what} is {}, but must not be negative", number(value)),
            "give zero or a positive number",
        );
    }
}

/// Restitution lies between 0 and 1.
pub fn restitution(diagnostics: &mut Diagnostics, path: &str, value: f64) {
    if !(0.0..=1.0).contains(&value) {
        diagnostics.at(
            path,
            format!(
                "the restitution is {}, but must lie between 0 and 1",
                number(value)
            ),
            "0 does not bounce at all, 1 loses no energy",
        );
    }
}

/// The unit vector of a direction that must not be zero.
pub fn direction(diagnostics: &mut Diagnostics, path: &str, what: &str, value: [f64; 3]) -> DVec3 {
    let v = DVec3::from(value);
    v.try_normalize().unwrap_or_else(|| {
        diagnostics.at(
            path,
            format!("{what} has no direction: its length is zero or far too small or large"),
            "give a vector such as [0, 0, 1]; its length does not matter",
        );
        DVec3::Z
    })
}

/// At most one of several keys that exclude each other.
pub fn at_most_one(diagnostics: &mut Diagnostics, path: &str, keys: &[(&str, bool)]) {
    let given: Vec<&str> = keys.iter().filter(|k| k.1).map(|k| k.0).collect();
    if let [first, second, ..] = given[..] {
        diagnostics.at(
            &format!("{path}.{second}"),
            format!("`{first}` and `{second}` exclude each other"),
            format!("keep one of them: either `{first}` or `{second}`"),
        );
    }
}

/// An orientation given as a quaternion (w, x, y, z) or as a turn.
pub fn orientation(
    diagnostics: &mut Diagnostics,
    path: &str,
    quaternion: Option<[f64; 4]>,
    turn: Option<&crate::scene::model::TurnSpec>,
) -> DQuat {
    at_most_one(
        diagnostics,
        path,
        &[
            ("orientation", quaternion.is_some()),
            ("turn", turn.is_some()),
        ],
    );
    if let Some([w, x, y, z]) = quaternion {
        let q = DQuat::from_xyzw(x, y, z, w);
        if q.length_squared().is_normal() {
            return q.normalize();
        }
        diagnostics.at(
            &format!("{path}.orientation"),
            "the quaternion has no direction: its length is zero or far too small or large",
            "[1, 0, 0, 0] (w, x, y, z) is no rotation",
        );
    }
    let Some(turn) = turn else {
        return DQuat::IDENTITY;
    };
    let path = format!("{path}.turn");
    let axis = direction(diagnostics, &format!("{path}.axis"), "the axis", turn.axis);
    at_most_one(
        diagnostics,
        &path,
        &[
            ("angle", turn.angle.is_some()),
            ("degrees", turn.degrees.is_some()),
        ],
    );
    match (turn.angle, turn.degrees) {
        (Some(angle), _) => rotation::from_axis_angle(axis, angle),
        (None, Some(degrees)) => rotation::from_axis_angle(axis, degrees.to_radians()),
        (None, None) => {
            diagnostics.at(
                &path,
                "the turn has no angle",
                "add `angle` in radians or `degrees`",
            );
            DQuat::IDENTITY
        }
    }
}

/// The `time` table.
pub fn time(file: &SceneFile, diagnostics: &mut Diagnostics) {
    let time = &file.time;
    positive(diagnostics, "time.step", "the step", time.step);
    not_negative(
        diagnostics,
        "time.seconds",
        "the length of the run",
        time.seconds,
    );
    if time.steps_per_frame == 0 {
        diagnostics.at(
            "time.steps_per_frame",
            "there must be at least one step between two frames",
            "1 records every step",
        );
    }
    // Beyond 2⁵³ a number of steps is no longer exact.
    if time.step > 0.0 && time.seconds / time.step > 9.0e15 {
        diagnostics.at(
            "time.step",
            format!(
                "{} s in steps of {} s are more steps than can be counted",
                number(time.seconds),
                number(time.step)
            ),
            "take a larger step or a shorter run",
        );
    }
}

/// Damping, contact and planes.
pub fn surroundings(file: &SceneFile, diagnostics: &mut Diagnostics) {
    not_negative(
        diagnostics,
        "damping.linear",
        "the damping",
        file.damping.linear,
    );
    not_negative(
        diagnostics,
        "damping.angular",
        "the damping",
        file.damping.angular,
    );
    restitution(diagnostics, "contact.restitution", file.contact.restitution);
    not_negative(
        diagnostics,
        "contact.friction",
        "the friction",
        file.contact.friction,
    );
    not_negative(
        diagnostics,
        "contact.rolling_friction",
        "the rolling friction",
        file.contact.rolling_friction,
    );
    for (key, what, value) in [
        ("contact.sleep_speed", "the speed", file.contact.sleep_speed),
        (
            "contact.sleep_seconds",
            "the time",
            file.contact.sleep_seconds,
        ),
    ] {
        not_negative(diagnostics, key, what, value);
    }
    if !(1..=MAX_SUBSTEPS).contains(&file.contact.substeps) {
        diagnostics.at(
            "contact.substeps",
            format!("{} substeps are not possible", file.contact.substeps),
            format!("use 1 to {MAX_SUBSTEPS}; 4 is the default, and more are stiffer"),
        );
    }
    for (i, plane) in file.plane.iter().enumerate() {
        let path = format!("plane[{i}]");
        direction(
            diagnostics,
            &format!("{path}.normal"),
            "the normal",
            plane.normal,
        );
        if let Some(c) = plane.restitution {
            restitution(diagnostics, &format!("{path}.restitution"), c);
        }
        if let Some(mu) = plane.friction {
            not_negative(diagnostics, &format!("{path}.friction"), "the friction", mu);
        }
    }
}
