//! Motions that nothing can change: obstacles and parts of characters.

use super::collider::Collider;
use conatus_math::{DVec3, Pose, rotation};

/// How something that no force moves moves in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScriptedMotion {
    /// Its pose at the start of the step.
    pub pose: Pose,
    /// Its velocity in the step.
    pub velocity: DVec3,
    /// Its angular velocity in world axes.
    pub omega: DVec3,
}

impl ScriptedMotion {
    /// From one pose to another in `h` seconds.
    pub fn between(from: Pose, to: Pose, h: f64) -> Self {
        let turn = to.rotation * from.rotation.conjugate();
        Self {
            pose: from,
            velocity: (to.translation - from.translation) / h,
            omega: rotation::log(turn) / h,
        }
    }

    /// Whether it moves.
    pub fn moves(&self) -> bool {
        self.velocity != DVec3::ZERO || self.omega != DVec3::ZERO
    }

    /// At rest.
    pub fn at_rest(pose: Pose) -> Self {
        Self {
            pose,
            velocity: DVec3::ZERO,
            omega: DVec3::ZERO,
        }
    }
}

/// The scripted motion that a collider follows.
pub(super) fn script<'a>(
    scripted: &'a [ScriptedMotion],
    c: &Collider,
) -> Option<&'a ScriptedMotion> {
    c.script.and_then(|k| scripted.get(k as usize))
}
