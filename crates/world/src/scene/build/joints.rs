//! From the joints of a scene file to joints of the world.

use super::bodies::BuiltBody;
use super::physics::joint_info;
use super::{check, forces};
use crate::scene::diagnostic::Diagnostics;
use crate::scene::model::{
    FreedomSpec, JointKindSpec, JointSpec, JointSpringSpec, MotorSpec, SceneFile,
};
use crate::text;
use crate::world::World;
use conatus_math::{DMat3, DVec3, Pose, rotation};
use conatus_record::{EndInfo, JointInfo, SpringInfo};
use conatus_rigid::joint::{Coordinates, Freedom, Joint, Motor, MotorTarget, Spring};
use std::collections::BTreeSet;
use std::f64::consts::PI;

/// Adds the joints of a scene to its world. Returns ropes and rods for display, and the
/// entries of all joints in the recording's header.
pub fn build(
    world: &mut World,
    file: &SceneFile,
    built: &[BuiltBody],
    diagnostics: &mut Diagnostics,
) -> (Vec<SpringInfo>, Vec<JointInfo>) {
    let (mut lines, mut infos) = (Vec::new(), Vec::new());
    let mut names = BTreeSet::new();
    let all = file.joint.iter().zip(self::names(file));
    for (i, (spec, name)) in all.enumerate() {
        let path = format!("joint[{i}]");
        if !names.insert(name.clone()) {
            diagnostics.at(
                &format!("{path}.name"),
                format!("the name `{name}` is used twice"),
                "give every joint a unique name",
            );
        }
        let before = diagnostics.len();
        let joint =
            joined(spec, &|name| place(built, name), &path, diagnostics).and_then(|bodies| {
                let poses = poses(bodies, |body| built[body].state.pose());
                joint(spec, bodies, poses, &path, diagnostics)
            });
        if let Some(joint) = joint.filter(|_| diagnostics.len() == before) {
            lines.extend(line(&name, &joint));
            infos.push(joint_info(&name, spec.kind, &joint));
            world.add_joint(&name, joint);
        }
    }
    (lines, infos)
}

/// The names of all joints of a scene, those that commands add last.
pub fn names(file: &SceneFile) -> Vec<String> {
    let name = |(i, spec): (usize, &JointSpec)| match spec.name.as_str() {
        "" => format!("joint-{}", i + 1),
        name => name.to_owned(),
    };
    let later = file.command.iter().filter_map(|c| c.add_joint.as_deref());
    let all = file.joint.iter().chain(later);
    all.enumerate().map(name).collect()
}

/// Adds a joint to the world that waits for a command. `poses` are those of its bodies at
/// the start.
pub fn prepare(
    world: &mut World,
    spec: &JointSpec,
    bodies: [Option<usize>; 2],
    poses: [Pose; 2],
    path: &str,
    diagnostics: &mut Diagnostics,
) {
    let before = diagnostics.len();
    let made = joint(spec, bodies, poses, path, diagnostics);
    let Some(made) = made.filter(|_| diagnostics.len() == before) else {
        return;
    };
    // What can be wrong with a joint does not depend on where its bodies are, but for the
    // length of a rod between two that coincide; the world leaves such a joint apart.
    let (own, spare) = (spec.clone(), diagnostics.clone());
    let make = move |poses: [Pose; 2]| {
        let mut diagnostics = spare.clone();
        let before = diagnostics.len();
        let made = joint(&own, bodies, poses, "", &mut diagnostics);
        made.filter(|_| diagnostics.len() == before)
    };
    world.add_later_joint(&spec.name, made, Box::new(make));
}

/// How a rope, a rod or a spring between two points is drawn.
fn line(name: &str, joint: &Joint) -> Option<SpringInfo> {
    let Coordinates::Distance(along) = joint.coordinates else {
        return None;
    };
    let [a, b] = [0, 1].map(|side| {
        let point = joint.frames[side].translation;
        match joint.bodies[side] {
            Some(body) => EndInfo::Body(body, point),
            None => EndInfo::Pin(point),
        }
    });
    let (length, joint) = match (along.spring, along.range) {
        (Some(spring), _) => (spring.rest, None),
        (None, range) => (range.map_or(1.0, |r| r[1]), Some(name.to_owned())),
    };
    Some(SpringInfo {
        a,
        b,
        length,
        joint,
    })
}

/// The names of the bodies of a scene.
fn place(built: &[BuiltBody], name: &str) -> Result<usize, Vec<String>> {
    let found = built.iter().position(|b| b.name == name);
    found.ok_or_else(|| built.iter().map(|b| b.name.clone()).collect())
}

/// The poses of the bodies of a joint.
pub fn poses(bodies: [Option<usize>; 2], pose: impl Fn(usize) -> Pose) -> [Pose; 2] {
    bodies.map(|body| body.map_or(Pose::IDENTITY, &pose))
}

/// A joint between bodies at these poses.
pub fn joint(
    spec: &JointSpec,
    bodies: [Option<usize>; 2],
    poses: [Pose; 2],
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Joint> {
    super::joint_keys::check(spec, path, diagnostics);
    let last = bodies[1].map_or(DVec3::ZERO, |_| poses[1].translation);
    let is_line = matches!(spec.kind, JointKindSpec::Distance | JointKindSpec::Rope);
    let axes = axes(spec, path, diagnostics)?;
    let turn = rotation::from_matrix(axes);
    let in_body = |side: usize, pose: Pose| match bodies[side] {
        Some(_) => poses[side].inverse().after(&pose),
        None => pose,
    };
    let at = Pose::new(turn, spec.at.map_or(last, DVec3::from));
    let frames = [in_body(0, at), in_body(1, at)];
    let ends = spec.ends.map_or_else(
        || {
            let centre = |side: usize| bodies[side].map(|_| poses[side].translation);
            [
                centre(0).unwrap_or_else(|| spec.at.map_or(DVec3::ZERO, DVec3::from)),
                centre(1).unwrap_or_default(),
            ]
        },
        |ends| ends.map(DVec3::from),
    );
    let anchors = [0, 1].map(|side| in_body(side, Pose::shift(ends[side])).translation);
    let length = spec.length.unwrap_or_else(|| ends[0].distance(ends[1]));
    if is_line {
        let key = format!("{path}.length");
        check::positive(diagnostics, &key, "the length", length);
    }
    let along = freedom(
        &FreedomSpec {
            limits: spec.limits,
            spring: spec.spring,
            motor: spec.motor,
        },
        0.0,
        path,
        diagnostics,
    );
    let mut made = match spec.kind {
        JointKindSpec::Fixed => Joint::fixed(bodies, frames),
        JointKindSpec::Ball => {
            let twist = Freedom {
                range: spec.twist,
                ..Freedom::FREE
            };
            Joint::ball(bodies, frames, spec.swing, twist)
        }
        JointKindSpec::Hinge => Joint::hinge(bodies, frames, without_full_turns(along)),
        JointKindSpec::Slider => Joint::slider(bodies, frames, along),
        JointKindSpec::Universal => Joint::universal(bodies, frames, [Freedom::FREE; 2]),
        JointKindSpec::Distance => {
            let mut along = along;
            if let Some(spring) = &mut along.spring {
                spring.rest = spec.spring.and_then(|s| s.rest).unwrap_or(length);
            } else {
                along.range = Some([length, length]);
            }
            Joint::distance(bodies, anchors, along)
        }
        JointKindSpec::Rope => Joint::rope(bodies, anchors, length),
        JointKindSpec::Wheel => {
            let suspension = Freedom {
                motor: None,
                ..along
            };
            let roll = Freedom {
                motor: along.motor,
                ..Freedom::FREE
            };
            let steer = match &spec.steering {
                Some(steering) => Freedom {
                    motor: motor(steering, &format!("{path}.steering"), diagnostics),
                    ..Freedom::FREE
                },
                None => Freedom::LOCKED,
            };
            Joint::wheel(bodies, frames, suspension, roll, steer)
        }
        JointKindSpec::Free => {
            let f = &spec.free;
            let mut of = |given: &Option<FreedomSpec>, key: &str| match given {
                Some(given) => freedom(given, 0.0, &format!("{path}.free.{key}"), diagnostics),
                None => Freedom::LOCKED,
            };
            let linear = [of(&f.x, "x"), of(&f.y, "y"), of(&f.z, "z")];
            let angular = [
                of(&f.turn_x, "turn_x"),
                of(&f.turn_y, "turn_y"),
                of(&f.turn_z, "turn_z"),
            ];
            let mut joint = Joint::axes(bodies, frames, linear, angular);
            joint.chain = true;
            joint
        }
    };
    made.collide = spec.collide;
    for (key, given, own) in [
        ("break_force", spec.break_force, &mut made.strength.force),
        ("break_torque", spec.break_torque, &mut made.strength.torque),
    ] {
        if let Some(most) = given {
            check::positive(diagnostics, &format!("{path}.{key}"), "the bound", most);
            *own = most;
        }
    }
    Some(made)
}

/// The bodies of a joint: the first is `None` if there is only one. `place` returns the
/// number of a body, or the names of all if there is none of that name.
pub fn joined(
    spec: &JointSpec,
    place: &dyn Fn(&str) -> Result<usize, Vec<String>>,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<[Option<usize>; 2]> {
    let path = format!("{path}.bodies");
    let mut find = |k: usize| {
        let at = format!("{path}[{k}]");
        let name = &spec.bodies[k];
        match place(name) {
            Ok(body) => Some(body),
            Err(names) => {
                let names = names.iter().map(String::as_str);
                forces::report_unknown(name, names, &at, diagnostics);
                None
            }
        }
    };
    match spec.bodies.len() {
        1 => Some([None, Some(find(0)?)]),
        2 => {
            let (a, b) = (find(0)?, find(1)?);
            if a == b {
                diagnostics.at(
                    &path,
                    format!("`{}` is joined to itself", spec.bodies[0]),
                    "name two different bodies, or one body to join it to the world",
                );
                return None;
            }
            Some([Some(a), Some(b)])
        }
        count => {
            diagnostics.at(
                &path,
                format!("a joint of {count} bodies"),
                "name two bodies, or one body to join it to the world",
            );
            None
        }
    }
}

/// The axes of the frames as columns: z along `axis`, and y along `second_axis` where the
/// type has one.
fn axes(spec: &JointSpec, path: &str, diagnostics: &mut Diagnostics) -> Option<DMat3> {
    let mut unit = |given: Option<crate::scene::model::Vec3>, key: &str, default: DVec3| {
        let given = given.map_or(default, DVec3::from);
        let unit = given.try_normalize();
        if unit.is_none() {
            diagnostics.at(
                &format!("{path}.{key}"),
                "an axis without a direction",
                "give a vector that is not zero, for example [0, 0, 1]",
            );
        }
        unit
    };
    let z = unit(spec.axis, "axis", DVec3::Z)?;
    let other = conatus_geometry::convex::perpendicular(z);
    let second = unit(spec.second_axis, "second_axis", other)?;
    let Some(y) = (second - z * second.dot(z)).try_normalize() else {
        diagnostics.at(
            &format!("{path}.second_axis"),
            "the second axis is parallel to the first",
            "the two axes must be at an angle, best at a right angle",
        );
        return None;
    };
    // A universal joint has its axes as x and y.
    Some(match spec.kind {
        JointKindSpec::Universal => DMat3::from_cols(y, z, y.cross(z)),
        _ => DMat3::from_cols(y.cross(z), y, z),
    })
}

fn freedom(given: &FreedomSpec, rest: f64, path: &str, diagnostics: &mut Diagnostics) -> Freedom {
    if let Some([low, high]) = given.limits
        && low > high
    {
        diagnostics.at(
            &format!("{path}.limits"),
            format!(
                "the lower limit, {}, is above the upper one, {}",
                text::number(low),
                text::number(high)
            ),
            "give the lower limit first",
        );
    }
    let spring = given.spring.map(|s: JointSpringSpec| {
        let key = format!("{path}.spring");
        check::not_negative(
            diagnostics,
            &format!("{key}.stiffness"),
            "the stiffness",
            s.stiffness,
        );
        check::not_negative(
            diagnostics,
            &format!("{key}.damping"),
            "the damping",
            s.damping,
        );
        Spring {
            rest: s.rest.unwrap_or(rest),
            stiffness: s.stiffness,
            damping: s.damping,
        }
    });
    let motor =
        (given.motor.as_ref()).and_then(|m| motor(m, &format!("{path}.motor"), diagnostics));
    Freedom {
        locked: false,
        range: given.limits,
        spring,
        motor,
    }
}

fn motor(given: &MotorSpec, path: &str, diagnostics: &mut Diagnostics) -> Option<Motor> {
    let key = format!("{path}.max_force");
    check::positive(
        diagnostics,
        &key,
        "the greatest force of a motor",
        given.max_force,
    );
    let target = match (given.speed, given.position) {
        (Some(speed), None) => MotorTarget::Velocity(speed),
        (None, Some(position)) => MotorTarget::Position(position),
        _ => {
            diagnostics.at(
                path,
                "a motor needs one target",
                "give `speed` or `position`, and not both",
            );
            return None;
        }
    };
    if let Some(speed) = given.max_speed {
        let key = format!("{path}.max_speed");
        check::positive(diagnostics, &key, "the greatest speed of a motor", speed);
    }
    Some(Motor {
        target,
        max_force: given.max_force,
        max_speed: given.max_speed.unwrap_or(f64::INFINITY),
    })
}

/// Limits of a full turn and more do nothing: angles lie between −π and π.
fn without_full_turns(freedom: Freedom) -> Freedom {
    let all_around = |[low, high]: [f64; 2]| low <= -PI && high >= PI;
    Freedom {
        range: freedom.range.filter(|range| !all_around(*range)),
        ..freedom
    }
}
