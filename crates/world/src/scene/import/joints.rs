//! The joints of a link as joints of a scene.
//!
//! MJCF gives a link any number of joints. Those that one scene joint can express become
//! one: displacements along right-angled axes, followed by up to three hinges with
//! right-angled axes through one point, or by a ball. Other joints get light bodies between
//! them.

use super::robot::{LinkJoint, LinkJointKind, LinkMotor};
use crate::scene::model::{
    FreedomSpec, FreedomsSpec, JointKindSpec, JointSpec, JointSpringSpec, MotorSpec,
};
use conatus_geometry::convex::perpendicular;
use conatus_math::{DVec3, Pose};
use std::f64::consts::PI;

/// Axes are at right angles if their cosine is below this, and the same above one minus it.
const ANGLE_TOLERANCE: f64 = 1e-4;
/// Anchors are the same within this distance in metres.
const ANCHOR_TOLERANCE: f64 = 1e-6;

/// A joint of a link in world coordinates at the start.
#[derive(Clone, Debug)]
pub struct PlacedJoint<'a> {
    joint: &'a LinkJoint,
    anchor: DVec3,
    axis: DVec3,
}

impl<'a> PlacedJoint<'a> {
    /// A joint of a link that is at `pose` before the joint moves it.
    pub fn new(joint: &'a LinkJoint, pose: &Pose) -> Self {
        Self {
            joint,
            anchor: pose.point(joint.anchor),
            axis: pose.direction(joint.axis),
        }
    }

    /// Where it is.
    pub fn anchor(&self) -> DVec3 {
        self.anchor
    }

    fn is(&self, kind: LinkJointKind) -> bool {
        self.joint.kind == kind
    }
}

/// Splits the joints of a link into runs, each of which one scene joint can express.
pub fn runs<'j, 'a>(mut joints: &'j [PlacedJoint<'a>]) -> Vec<&'j [PlacedJoint<'a>]> {
    let mut runs = Vec::new();
    while !joints.is_empty() {
        let mut length = 1;
        while length < joints.len() && frame(&joints[..=length]).is_some() {
            length += 1;
        }
        runs.push(&joints[..length]);
        joints = &joints[length..];
    }
    runs
}

/// The axes z, y and x and the anchor of a run that one joint can express.
fn frame(run: &[PlacedJoint]) -> Option<([DVec3; 3], DVec3)> {
    let sliders = run
        .iter()
        .take_while(|j| j.is(LinkJointKind::Slider))
        .count();
    let (slid, turned) = run.split_at(sliders);
    let hinges = turned.iter().all(|j| j.is(LinkJointKind::Hinge)) && turned.len() <= 3;
    let ball = turned.len() == 1 && turned[0].is(LinkJointKind::Ball);
    if !(hinges || ball) || slid.len() > 3 {
        return None;
    }
    let anchor = turned.first().or(slid.last())?.anchor;
    if (turned.iter()).any(|j| j.anchor.distance(anchor) > ANCHOR_TOLERANCE) {
        return None;
    }
    let mut axes: Vec<DVec3> = match ball {
        true => Vec::new(),
        false => turned.iter().map(|j| j.axis).collect(),
    };
    // Displacements complete the axes that the hinges leave open.
    for joint in slid {
        if !axes.iter().any(|a| same_line(*a, joint.axis)) {
            axes.push(joint.axis);
        }
    }
    let right = |k: usize| {
        axes[..k]
            .iter()
            .all(|a| a.dot(axes[k]).abs() < ANGLE_TOLERANCE)
    };
    if axes.len() > 3 || !(0..axes.len()).all(right) {
        return None;
    }
    // Two displacements along one axis are not one coordinate.
    let twice = |k: usize| slid[..k].iter().any(|j| same_line(j.axis, slid[k].axis));
    if (0..slid.len()).any(twice) {
        return None;
    }
    let z = axes.first().copied().unwrap_or(DVec3::Z);
    let y = axes.get(1).copied().unwrap_or_else(|| perpendicular(z));
    Some(([z, y, y.cross(z)], anchor))
}

fn same_line(a: DVec3, b: DVec3) -> bool {
    a.dot(b).abs() > 1.0 - ANGLE_TOLERANCE
}

/// The scene's joint of a run, and what it cannot express.
pub fn joint(run: &[PlacedJoint], motors: bool) -> (JointSpec, Vec<String>) {
    let mut missing = Vec::new();
    let names: Vec<&str> = run.iter().map(|j| j.joint.name.as_str()).collect();
    let mut spec = JointSpec {
        name: names.join("+"),
        at: run.first().map(|j| j.anchor.into()),
        ..JointSpec::default()
    };
    if let [single] = run {
        spec.axis = Some(single.axis.into());
        let own = freedom(single.joint, 1.0, motors);
        spec.kind = match single.joint.kind {
            LinkJointKind::Hinge => JointKindSpec::Hinge,
            LinkJointKind::Slider => JointKindSpec::Slider,
            LinkJointKind::Ball => {
                ball(&mut spec, single.joint, &mut missing);
                return (spec, missing);
            }
        };
        (spec.limits, spec.spring, spec.motor) = (own.limits, own.spring, own.motor);
        return (spec, missing);
    }
    let Some(([z, y, x], anchor)) = frame(run) else {
        return (spec, missing);
    };
    spec.kind = JointKindSpec::Free;
    spec.at = Some(anchor.into());
    spec.axis = Some(z.into());
    spec.second_axis = Some(y.into());
    let free = &mut spec.free;
    for placed in run {
        let along = [x, y, z].map(|a| a.dot(placed.axis));
        let largest = (0..3).max_by(|&i, &j| along[i].abs().total_cmp(&along[j].abs()));
        let k = largest.unwrap_or(2);
        let own = freedom(placed.joint, along[k].signum(), motors);
        let slots: [&mut Option<FreedomSpec>; 3] = match placed.joint.kind {
            LinkJointKind::Slider => [&mut free.x, &mut free.y, &mut free.z],
            LinkJointKind::Hinge => [&mut free.turn_x, &mut free.turn_y, &mut free.turn_z],
            LinkJointKind::Ball => {
                free_ball(free, placed.joint);
                if placed.joint.limits.is_some() {
                    missing.push("the limit of the ball joint is left out".into());
                }
                continue;
            }
        };
        if let Some(slot) = slots.into_iter().nth(k) {
            *slot = Some(own);
        }
    }
    (spec, missing)
}

/// A ball joint: with a spring or damping three hinges one after another, which near the
/// start is the same; otherwise with the limit of its angle.
fn ball(spec: &mut JointSpec, joint: &LinkJoint, missing: &mut Vec<String>) {
    spec.axis = None;
    if joint.stiffness == 0.0 && joint.damping == 0.0 {
        spec.kind = JointKindSpec::Ball;
        if let Some([_, most]) = joint.limits {
            (spec.swing, spec.twist) = (Some(most), Some([-most, most]));
        }
        return;
    }
    spec.kind = JointKindSpec::Free;
    free_ball(&mut spec.free, joint);
    if joint.limits.is_some() {
        missing.push("the limit is left out, because the joint has a spring or damping".into());
    }
}

fn free_ball(free: &mut FreedomsSpec, joint: &LinkJoint) {
    let own = FreedomSpec {
        spring: spring(joint, 0.0),
        ..FreedomSpec::default()
    };
    for slot in [&mut free.turn_x, &mut free.turn_y, &mut free.turn_z] {
        *slot = Some(own);
    }
}

fn spring(joint: &LinkJoint, rest: f64) -> Option<JointSpringSpec> {
    (joint.stiffness > 0.0 || joint.damping > 0.0).then_some(JointSpringSpec {
        stiffness: joint.stiffness,
        damping: joint.damping,
        rest: Some(rest).filter(|rest| *rest != 0.0 && joint.stiffness > 0.0),
    })
}

/// The coordinate of a joint against its start; `sign` is −1 if the scene's axis points the
/// other way.
fn freedom(joint: &LinkJoint, sign: f64, motors: bool) -> FreedomSpec {
    // Zero has no sign in a scene file.
    let against_start = |value: f64| sign * (value - joint.start) + 0.0;
    let limits = joint.limits.map(|[low, high]| {
        let [low, high] = [low, high].map(against_start);
        [low.min(high), low.max(high)]
    });
    // Angles lie between −π and π: a limit beyond is never reached.
    let limits = match joint.kind {
        LinkJointKind::Hinge => limits
            .filter(|[low, high]| *low > -PI || *high < PI)
            .map(|[low, high]| [low.max(-PI), high.min(PI)]),
        _ => limits,
    };
    let holding = || {
        let max_force = joint.effort.filter(|_| motors)?;
        Some(LinkMotor::Position(joint.start, max_force))
    };
    let motor = joint.motor.or_else(holding).map(|motor| match motor {
        LinkMotor::Position(position, max_force) => {
            MotorSpec::position(against_start(position), max_force)
        }
        LinkMotor::Speed(speed, max_force) => MotorSpec::speed(sign * speed + 0.0, max_force),
    });
    FreedomSpec {
        limits,
        spring: spring(joint, against_start(joint.rest)),
        motor,
    }
}
