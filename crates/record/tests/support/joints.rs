//! A machine with a joint of every type and a collider of every shape.

use super::{ball, block, body, header, recording};
use conatus_math::{DQuat, DVec3, Pose};
use conatus_record::*;
use std::f64::consts::{FRAC_PI_2, TAU};

/// A joint of the machine: the second body follows the first by a motion.
struct Link {
    info: JointInfo,
    motion: fn(f64) -> Pose,
}

/// The machine, 30 frames a second. The joint `loop` repeats what `fixed` does.
pub fn machine(frames: usize) -> Recording {
    let mut head = header("machine");
    head.steps_per_frame = 20;
    head.meshes = vec![
        block(DVec3::new(0.5, 0.5, 0.1)),
        ball(0.15, 8),
        block(DVec3::new(0.2, 0.1, 0.1)),
    ];
    let color = [0.3, 0.5, 0.7];
    let names = [
        ("base", 0),
        ("arm", 2),
        ("carriage", 2),
        ("bob", 1),
        ("tip", 1),
        ("shaft", 2),
        ("wheel", 1),
        ("tool", 2),
        ("hook", 1),
        ("weight", 1),
    ];
    head.bodies = names
        .map(|(name, mesh)| body(name, 2.0, color, mesh, 0.15))
        .to_vec();
    for (name, mesh) in [("mill", 0), ("step", 0)] {
        head.bodies.push(BodyInfo {
            mass: 0.0,
            moments: DVec3::ZERO,
            scripted: true,
            ..body(name, 0.0, [0.6; 3], mesh, 0.5)
        });
    }
    head.planes = vec![PlaneInfo {
        point: DVec3::ZERO,
        normal: DVec3::Z,
    }];
    let links = links();
    head.physics = PhysicsInfo {
        shapes: shapes(),
        colliders: colliders(),
        joints: links.iter().map(|link| link.info.clone()).collect(),
        excluded: vec![[0, 2], [3, 5]],
        bodies_pass_through: false,
    };
    let mut recording = recording(head);
    recording.events.clear();
    for n in 0..frames {
        let t = n as f64 / 30.0;
        recording
            .frames
            .push(frame(&recording.header, &links, n, t));
    }
    recording
}

fn frame(header: &Header, links: &[Link], n: usize, t: f64) -> Frame {
    let mut poses = vec![Pose::IDENTITY; header.bodies.len()];
    poses[0] = Pose::shift(DVec3::Z);
    for link in links.iter().filter(|link| link.info.name != "loop") {
        let [a, b] = link.info.frames.each_ref().map(PoseInfo::pose);
        let first = link.info.bodies[0].map_or(Pose::IDENTITY, |body| poses[body]);
        let joined = first.after(&a).after(&(link.motion)(t));
        if let Some(body) = link.info.bodies[1] {
            poses[body] = joined.after(&b.inverse());
        }
    }
    poses[10] = Pose::new(DQuat::from_rotation_z(t), DVec3::new(3.0, 0.0, 0.2));
    poses[11] = Pose::shift(DVec3::new(-3.0, 0.0, 0.2));
    let status = |k: usize| match k {
        0 => Status::Locked,
        10.. => Status::Scripted,
        _ => Status::Free,
    };
    let bodies = poses.iter().enumerate().map(|(k, pose)| BodyFrame {
        position: pose.translation,
        orientation: pose.rotation,
        velocity: DVec3::ZERO,
        omega_body: if k == 1 { DVec3::Z } else { DVec3::ZERO },
        status: status(k),
    });
    Frame {
        time: t,
        step: 20 * n as u64,
        bodies: bodies.collect(),
        ..Frame::default()
    }
}

fn shapes() -> Vec<ShapeInfo> {
    let (radius, half_height) = (0.1, 0.2);
    vec![
        ShapeInfo::Plane,
        ShapeInfo::Box {
            half_extents: DVec3::new(0.5, 0.5, 0.1),
        },
        ShapeInfo::Capsule {
            radius,
            half_height,
        },
        ShapeInfo::Sphere { radius: 0.15 },
        ShapeInfo::Ellipsoid {
            semi_axes: DVec3::new(0.2, 0.15, 0.1),
        },
        ShapeInfo::Cone {
            radius,
            half_height,
        },
        ShapeInfo::Cylinder {
            radius,
            half_height,
        },
        ShapeInfo::Hull { mesh: 2 },
        ShapeInfo::Mesh { mesh: 0 },
    ]
}

fn colliders() -> Vec<ColliderInfo> {
    let on = |body: Option<usize>, shape: usize| ColliderInfo {
        body,
        shape,
        pose: PoseInfo::default(),
        restitution: body.map(|_| 0.25),
        friction: Some(0.5),
        rolling_friction: 0.0,
        sensor: false,
    };
    let tilted = Pose::new(DQuat::from_rotation_x(0.3), DVec3::new(0.0, 0.1, 0.2));
    let mut all = vec![on(None, 0)];
    let shapes = [1, 2, 7, 4, 5, 6, 6, 7, 3, 3, 8, 1];
    all.extend(shapes.iter().enumerate().map(|(k, s)| on(Some(k), *s)));
    // A second collider, and one that is turned.
    all.push(ColliderInfo {
        pose: tilted.into(),
        sensor: true,
        ..on(Some(1), 3)
    });
    all[6].pose = Pose::new(DQuat::from_rotation_y(FRAC_PI_2), DVec3::ZERO).into();
    all
}

fn links() -> Vec<Link> {
    let at = |x: f64, y: f64, z: f64| Pose::shift(DVec3::new(x, y, z));
    let turned = |angle: f64| Pose::new(DQuat::from_rotation_x(angle), DVec3::new(0.3, 0.1, 0.0));
    let link = |name: &str, kind, bodies, frames: [Pose; 2], coordinates, motion| Link {
        info: JointInfo {
            name: name.into(),
            kind,
            bodies,
            frames: frames.map(PoseInfo::from),
            coordinates,
            collide: false,
            break_force: None,
            break_torque: None,
        },
        motion,
    };
    let free = |axis| CoordinateInfo {
        axis,
        limits: None,
        spring: None,
        motor: None,
    };
    let within = |axis, limits| CoordinateInfo {
        limits: Some(limits),
        ..free(axis)
    };
    let motor = |speed, position| MotorInfo {
        speed,
        position,
        max_force: 20.0,
        max_speed: None,
    };
    let spring = JointSpringInfo {
        rest: 0.0,
        stiffness: 400.0,
        damping: 10.0,
    };
    use JointAxis::{Distance, TurnX, TurnY, TurnZ, X, Z};
    let mut links = vec![
        link(
            "hinge",
            JointKind::Hinge,
            [Some(0), Some(1)],
            [at(0.0, 0.0, 0.2), turned(0.4)],
            vec![CoordinateInfo {
                motor: Some(motor(Some(2.0), None)),
                ..within(TurnZ, [-1.5, 2.5])
            }],
            |t| Pose::new(DQuat::from_rotation_z((TAU * t).sin()), DVec3::ZERO),
        ),
        link(
            "slider",
            JointKind::Slider,
            [Some(1), Some(2)],
            [turned(1.2), at(0.0, 0.0, -0.1)],
            vec![CoordinateInfo {
                motor: Some(motor(None, Some(0.1))),
                ..within(Z, [-0.2, 0.3])
            }],
            |t| Pose::shift(DVec3::Z * (0.2 * (3.0 * t).sin())),
        ),
        link(
            "ball",
            JointKind::Ball,
            [Some(2), Some(3)],
            [at(0.2, 0.0, 0.0), at(-0.2, 0.0, 0.0)],
            vec![within(TurnX, [-0.8, 0.8]), free(TurnY), free(TurnZ)],
            |t| Pose::new(DQuat::from_rotation_y(0.7 * (2.0 * t).sin()), DVec3::ZERO),
        ),
        link(
            "fixed",
            JointKind::Fixed,
            [Some(3), Some(4)],
            [turned(0.2), turned(-0.9)],
            Vec::new(),
            |_| Pose::IDENTITY,
        ),
        link(
            "universal",
            JointKind::Universal,
            [Some(4), Some(5)],
            [at(0.0, 0.0, 0.3), at(0.0, 0.0, -0.3)],
            vec![free(TurnX), free(TurnY)],
            |t| Pose::new(DQuat::from_rotation_x(0.5 * t.sin()), DVec3::ZERO),
        ),
        link(
            "wheel",
            JointKind::Wheel,
            [Some(0), Some(6)],
            [at(0.4, 0.6, -0.2), Pose::IDENTITY],
            vec![
                CoordinateInfo {
                    spring: Some(spring),
                    ..within(Z, [-0.1, 0.1])
                },
                CoordinateInfo {
                    motor: Some(motor(Some(5.0), None)),
                    ..free(TurnY)
                },
            ],
            |t| Pose::new(DQuat::from_rotation_y(5.0 * t), DVec3::Z * (0.05 * t.sin())),
        ),
        link(
            "free",
            JointKind::Free,
            [Some(0), Some(7)],
            [at(-0.6, 0.0, 0.0), turned(0.5)],
            vec![
                within(X, [-0.1, 0.4]),
                CoordinateInfo {
                    spring: Some(spring),
                    ..free(TurnZ)
                },
            ],
            |t| Pose::new(DQuat::from_rotation_z(t), DVec3::X * (0.3 * t.sin().abs())),
        ),
        link(
            "rope",
            JointKind::Rope,
            [None, Some(8)],
            [at(0.0, 0.0, 4.0), Pose::IDENTITY],
            vec![within(Distance, [0.0, 2.0])],
            |t| Pose::shift(DVec3::new((2.0 * t).sin(), 0.0, -1.5)),
        ),
        link(
            "rod",
            JointKind::Distance,
            [Some(8), Some(9)],
            [Pose::IDENTITY; 2],
            vec![within(Distance, [0.5, 0.5])],
            |_| Pose::shift(DVec3::Z * -0.5),
        ),
    ];
    links.push(link(
        "loop",
        JointKind::Ball,
        [Some(4), Some(3)],
        [turned(-0.9), turned(0.2)],
        vec![free(TurnX), free(TurnY), within(TurnZ, [-0.1, 0.1])],
        |_| Pose::IDENTITY,
    ));
    links[0].info.collide = true;
    links[1].info.break_force = Some(1e4);
    links
}
