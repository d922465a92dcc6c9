//! Joints, with limits, springs and motors as the schemas of UsdPhysics have them.
//!
//! Springs and motors are drives. A motor of Conatus reaches its target as exactly as its
//! greatest force allows; its drive is a stiff one with the same greatest force. A rod with
//! a spring has no schema and is left out.

use super::colliders::{quaternion, vec3};
use super::names::Names;
use super::text::{Stage, float};
use conatus_record::{
    CoordinateInfo, JointAxis, JointInfo, JointKind, JointSpringInfo, MotorInfo, PhysicsInfo,
};
use std::io::{self, Write};

/// The error at which the drive of a motor has its greatest force, in m/s, rad/s, m or rad.
const DRIVE_ERROR: f64 = 0.01;
/// The damping of a drive that holds a position, as a share of its stiffness, in seconds.
const DRIVE_DAMPING_S: f64 = 0.1;
/// UsdPhysics marks a locked coordinate by limits in the wrong order.
const LOCKED: [f64; 2] = [1.0, -1.0];

const AXES: [(JointAxis, &str); 6] = [
    (JointAxis::X, "transX"),
    (JointAxis::Y, "transY"),
    (JointAxis::Z, "transZ"),
    (JointAxis::TurnX, "rotX"),
    (JointAxis::TurnY, "rotY"),
    (JointAxis::TurnZ, "rotZ"),
];

/// The joints that have a schema.
pub(super) fn written(info: &PhysicsInfo) -> impl Iterator<Item = &JointInfo> {
    info.joints.iter().filter(|joint| schema(joint).is_some())
}

/// Writes all joints; `bodies` are the paths of the bodies.
pub(super) fn write(
    info: &PhysicsInfo,
    scope: &str,
    bodies: &[String],
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    if written(info).next().is_none() {
        return Ok(());
    }
    stage.open("Scope", scope, scope, &[])?;
    let mut names = Names::default();
    for joint in written(info) {
        write_joint(joint, &names.unique(&joint.name), bodies, stage)?;
    }
    stage.close()
}

/// The schema of a joint.
fn schema(joint: &JointInfo) -> Option<&'static str> {
    let is_sprung = joint.coordinates.iter().any(|c| c.spring.is_some());
    let twist = joint.coordinate(JointAxis::TurnZ).and_then(|c| c.limits);
    Some(match joint.kind {
        JointKind::Fixed => "PhysicsFixedJoint",
        JointKind::Hinge => "PhysicsRevoluteJoint",
        JointKind::Slider => "PhysicsPrismaticJoint",
        JointKind::Ball if twist.is_none() => "PhysicsSphericalJoint",
        JointKind::Distance | JointKind::Rope if is_sprung => return None,
        JointKind::Distance | JointKind::Rope => "PhysicsDistanceJoint",
        JointKind::Ball | JointKind::Universal | JointKind::Wheel | JointKind::Free => {
            "PhysicsJoint"
        }
    })
}

/// An attribute of a joint, with the drives and limits that hold it.
#[derive(Default)]
struct Attributes {
    apis: Vec<String>,
    lines: Vec<String>,
}

fn write_joint(
    joint: &JointInfo,
    name: &str,
    bodies: &[String],
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    let Some(schema) = schema(joint) else {
        return Ok(());
    };
    let attributes = attributes(joint, schema);
    let apis: Vec<&str> = attributes.apis.iter().map(String::as_str).collect();
    stage.open(schema, name, &joint.name, &apis)?;
    for (side, (body, frame)) in joint.bodies.iter().zip(&joint.frames).enumerate() {
        if let Some(path) = body.and_then(|b| bodies.get(b)) {
            stage.line(&format!("rel physics:body{side} = <{path}>"))?;
        }
        let position = vec3(frame.position);
        stage.line(&format!("point3f physics:localPos{side} = {position}"))?;
        let turn = quaternion(frame);
        stage.line(&format!("quatf physics:localRot{side} = {turn}"))?;
    }
    if joint.collide {
        stage.line("bool physics:collisionEnabled = 1")?;
    }
    for (name, bound) in [
        ("breakForce", joint.break_force),
        ("breakTorque", joint.break_torque),
    ] {
        if let Some(bound) = bound {
            stage.line(&format!("float physics:{name} = {}", float(bound)))?;
        }
    }
    for line in &attributes.lines {
        stage.line(line)?;
    }
    stage.close()
}

fn attributes(joint: &JointInfo, schema: &str) -> Attributes {
    let mut out = Attributes::default();
    let along = |axis| joint.coordinate(axis);
    match schema {
        "PhysicsRevoluteJoint" => out.single(along(JointAxis::TurnZ), "angular"),
        "PhysicsPrismaticJoint" => out.single(along(JointAxis::Z), "linear"),
        "PhysicsSphericalJoint" => {
            out.lines.push("uniform token physics:axis = \"Z\"".into());
            let cone = along(JointAxis::TurnX).and_then(|c| c.limits);
            if let Some([_, swing]) = cone {
                let swing = float(swing.to_degrees());
                for side in 0..2 {
                    let line = format!("float physics:coneAngle{side}Limit = {swing}");
                    out.lines.push(line);
                }
            }
        }
        "PhysicsDistanceJoint" => {
            if let Some([least, most]) = along(JointAxis::Distance).and_then(|c| c.limits) {
                // Negative is without a limit.
                let least = if least > 0.0 { least } else { -1.0 };
                let (least, most) = (float(least), float(most));
                out.lines
                    .push(format!("float physics:maxDistance = {most}"));
                out.lines
                    .push(format!("float physics:minDistance = {least}"));
            }
        }
        "PhysicsJoint" => {
            let mut swing = None;
            for (axis, name) in AXES {
                let Some(c) = along(axis) else {
                    out.limit(name, LOCKED);
                    continue;
                };
                // The cone of a ball joint bounds both rotations across the axis.
                let mut limits = c.limits;
                if joint.kind == JointKind::Ball {
                    match axis {
                        JointAxis::TurnX => swing = limits,
                        JointAxis::TurnY => limits = swing,
                        _ => {}
                    }
                }
                if let Some(limits) = limits {
                    out.limit(name, in_units(name, limits));
                }
                out.drive(name, c);
            }
        }
        _ => {}
    }
    out
}

impl Attributes {
    /// The coordinate of a hinge or slider.
    fn single(&mut self, coordinate: Option<&CoordinateInfo>, drive: &str) {
        self.lines.push("uniform token physics:axis = \"Z\"".into());
        let Some(c) = coordinate else { return };
        if let Some(limits) = c.limits {
            let [low, high] = in_units(drive, limits).map(float);
            self.lines.push(format!("float physics:lowerLimit = {low}"));
            self.lines
                .push(format!("float physics:upperLimit = {high}"));
        }
        self.drive(drive, c);
    }

    fn limit(&mut self, name: &str, [low, high]: [f64; 2]) {
        self.apis.push(format!("PhysicsLimitAPI:{name}"));
        for (end, value) in [("high", high), ("low", low)] {
            let value = float(value);
            let line = format!("float limit:{name}:physics:{end} = {value}");
            self.lines.push(line);
        }
    }

    /// The drive of a motor, or else of a spring.
    fn drive(&mut self, name: &str, c: &CoordinateInfo) {
        let drive = match (c.motor, c.spring) {
            (Some(motor), _) => Drive::of_motor(&motor),
            (None, Some(spring)) => Drive::of_spring(&spring),
            (None, None) => return,
        };
        self.apis.push(format!("PhysicsDriveAPI:{name}"));
        // Angles are in degrees.
        let unit = if is_angle(name) {
            1f64.to_degrees()
        } else {
            1.0
        };
        let values = [
            ("damping", drive.damping / unit),
            ("maxForce", drive.max_force),
            ("stiffness", drive.stiffness / unit),
            ("targetPosition", drive.position * unit),
            ("targetVelocity", drive.speed * unit),
        ];
        for (key, value) in values {
            // The largest force without a bound is the default.
            if value.is_finite() {
                let value = float(value);
                self.lines
                    .push(format!("float drive:{name}:physics:{key} = {value}"));
            }
        }
        self.lines.push(format!(
            "uniform token drive:{name}:physics:type = \"force\""
        ));
    }
}

/// A spring that pulls towards a position and a velocity.
struct Drive {
    position: f64,
    speed: f64,
    stiffness: f64,
    damping: f64,
    max_force: f64,
}

impl Drive {
    fn of_spring(spring: &JointSpringInfo) -> Self {
        Self {
            position: spring.rest,
            speed: 0.0,
            stiffness: spring.stiffness,
            damping: spring.damping,
            max_force: f64::INFINITY,
        }
    }

    fn of_motor(motor: &MotorInfo) -> Self {
        let strength = motor.max_force / DRIVE_ERROR;
        let (stiffness, damping) = match motor.position {
            Some(_) => (strength, strength * DRIVE_DAMPING_S),
            None => (0.0, strength),
        };
        Self {
            position: motor.position.unwrap_or(0.0),
            speed: motor.speed.unwrap_or(0.0),
            stiffness,
            damping,
            max_force: motor.max_force,
        }
    }
}

fn is_angle(name: &str) -> bool {
    name == "angular" || name.starts_with("rot")
}

fn in_units(name: &str, limits: [f64; 2]) -> [f64; 2] {
    match is_angle(name) {
        true => limits.map(f64::to_degrees),
        false => limits,
    }
}
