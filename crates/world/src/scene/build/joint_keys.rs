//! Which keys belong to which types of joints.

use crate::scene::diagnostic::Diagnostics;
use crate::scene::model::{JointKindSpec, JointSpec};

/// Refuses keys that the type of the joint does not read.
pub fn check(spec: &JointSpec, path: &str, diagnostics: &mut Diagnostics) {
    use JointKindSpec::{Ball, Distance, Free, Hinge, Rope, Slider, Universal, Wheel};
    let kind = spec.kind;
    let free = &spec.free;
    let any_free = [
        &free.x,
        &free.y,
        &free.z,
        &free.turn_x,
        &free.turn_y,
        &free.turn_z,
    ];
    let keys: [(&str, bool, &[JointKindSpec]); 10] = [
        ("limits", spec.limits.is_some(), &[Hinge, Slider, Wheel]),
        ("swing", spec.swing.is_some(), &[Ball]),
        ("twist", spec.twist.is_some(), &[Ball]),
        (
            "spring",
            spec.spring.is_some(),
            &[Hinge, Slider, Wheel, Distance],
        ),
        ("motor", spec.motor.is_some(), &[Hinge, Slider, Wheel]),
        ("steering", spec.steering.is_some(), &[Wheel]),
        ("ends", spec.ends.is_some(), &[Distance, Rope]),
        ("length", spec.length.is_some(), &[Distance, Rope]),
        (
            "second_axis",
            spec.second_axis.is_some(),
            &[Universal, Wheel, Free],
        ),
        ("free", any_free.iter().any(|f| f.is_some()), &[Free]),
    ];
    for (key, given, kinds) in keys {
        if given && !kinds.contains(&kind) {
            let kinds: Vec<String> = kinds
                .iter()
                .map(|k| format!("{k:?}").to_lowercase())
                .collect();
            diagnostics.at(
                &format!("{path}.{key}"),
                format!(
                    "a joint of type `{}` has no `{key}`",
                    format!("{kind:?}").to_lowercase()
                ),
                format!("`{key}` belongs to {}", kinds.join(", ")),
            );
        }
    }
}
