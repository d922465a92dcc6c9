//! Synthetic recordings for tests and the example: plausible motion from closed
//! formulas, without a simulation.
#![allow(dead_code)]

pub mod cloth;
pub mod joints;
pub mod walker;

use conatus_math::{DQuat, DVec3};
use conatus_record::*;
use std::f64::consts::{PI, TAU};

/// A ball of `n` times `2n` patches.
pub fn ball(radius: f64, n: usize) -> MeshData {
    let mut mesh = MeshData::default();
    for i in 0..=n {
        let (s, c) = (PI * i as f64 / n as f64).sin_cos();
        for j in 0..2 * n {
            let (sj, cj) = (PI * j as f64 / n as f64).sin_cos();
            mesh.vertices.push(radius * DVec3::new(s * cj, s * sj, c));
        }
    }
    let at = |i: usize, j: usize| (i * 2 * n + j % (2 * n)) as u32;
    for i in 0..n {
        for j in 0..2 * n {
            if i > 0 {
                mesh.triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            }
            if i + 1 < n {
                mesh.triangles
                    .push([at(i, j + 1), at(i + 1, j), at(i + 1, j + 1)]);
            }
        }
    }
    mesh
}

/// A rectangular block.
pub fn block(h: DVec3) -> MeshData {
    let vertices = (0..8)
        .map(|i| {
            let side = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
            h * DVec3::new(side(0), side(1), side(2))
        })
        .collect();
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles = quads
        .into_iter()
        .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    MeshData {
        vertices,
        triangles,
    }
}

/// A header without bodies.
pub fn header(scene: &str) -> Header {
    Header {
        format: FORMAT.into(),
        program: "0.0.0-test".into(),
        scene: scene.into(),
        seed: 7,
        up: Up::Z,
        gravity: DVec3::new(0.0, 0.0, -9.81),
        step_seconds: 1.0 / 600.0,
        steps_per_frame: 10,
        meshes: Vec::new(),
        bodies: Vec::new(),
        planes: Vec::new(),
        springs: Vec::new(),
        waters: Vec::new(),
        cloths: Vec::new(),
        physics: Default::default(),
    }
}

/// A body.
pub fn body(name: &str, mass: f64, color: [f32; 3], mesh: usize, radius: f64) -> BodyInfo {
    BodyInfo {
        name: name.into(),
        mass,
        moments: DVec3::splat(0.4 * mass * radius * radius),
        color,
        mesh: Some(mesh),
        spheres: vec![(DVec3::ZERO, radius)],
        scripted: false,
        character: None,
    }
}

/// A recording without frames.
pub fn recording(header: Header) -> Recording {
    Recording {
        header,
        sources: vec![Source {
            name: "scene.toml".into(),
            text: "# synthetic: Ω ≠ 0\n".into(),
        }],
        overrides: vec!["seconds=4".into()],
        frames: Vec::new(),
        events: vec![Event {
            time: 0.5,
            step: 300,
            kind: "command".into(),
            detail: serde_json::json!({"kick": "red", "impulse": [0.1, 0.2, -0.0]}),
        }],
        report: Some(serde_json::json!({"seconds": 4.0})),
        clip: None,
    }
}

/// The height and vertical velocity of a ball dropped from `height` that
/// bounces with restitution `e`.
fn bounce(height: f64, e: f64, t: f64) -> (f64, f64) {
    let g = 9.81;
    let mut v = 0.0;
    let mut h = height;
    let mut left = t;
    for _ in 0..60 {
        // Until it lands: h + v s - g s²/2 = 0.
        let s = (v + f64::sqrt(v * v + 2.0 * g * h)) / g;
        if left <= s {
            return (h + v * left - g * left * left / 2.0, v - g * left);
        }
        left -= s;
        v = e * (g * s - v);
        h = 0.0;
    }
    (0.0, 0.0)
}

/// Three bouncing balls, a tumbling box and a ball on a spring.
pub fn demo(frames: usize) -> Recording {
    let mut head = header("bounce");
    head.meshes = vec![
        ball(0.3, 12),
        block(DVec3::new(0.5, 0.3, 0.12)),
        ball(0.2, 12),
    ];
    head.bodies = vec![
        body("red", 1.0, [0.86, 0.24, 0.22], 0, 0.3),
        body("amber", 1.0, [0.93, 0.64, 0.16], 0, 0.3),
        body("teal", 1.0, [0.10, 0.58, 0.56], 0, 0.3),
        body("slab", 2.0, [0.27, 0.36, 0.72], 1, 0.6),
        body("bob", 0.5, [0.55, 0.30, 0.62], 2, 0.2),
    ];
    head.planes = vec![PlaneInfo {
        point: DVec3::ZERO,
        normal: DVec3::Z,
    }];
    head.springs = vec![SpringInfo {
        a: EndInfo::Pin(DVec3::new(-2.2, 0.8, 3.0)),
        b: EndInfo::Body(4, DVec3::new(0.0, 0.0, 0.2)),
        length: 1.0,
        joint: None,
    }];
    let mut recording = recording(head);
    for n in 0..frames {
        let t = n as f64 / 60.0;
        recording.frames.push(demo_frame(&recording.header, n, t));
    }
    recording
}

fn demo_frame(header: &Header, n: usize, t: f64) -> Frame {
    let mut bodies = Vec::new();
    let moving = |position, orientation, velocity, omega_body| BodyFrame {
        position,
        orientation,
        velocity,
        omega_body,
        status: Status::Free,
    };
    for (i, (x, y, speed, height)) in [
        (-2.5, -0.9, 1.15, 2.4),
        (-2.6, 0.2, 0.95, 1.6),
        (-2.3, 1.4, 1.3, 2.0),
    ]
    .into_iter()
    .enumerate()
    {
        let (h, v) = bounce(height, 0.8, t);
        bodies.push(moving(
            DVec3::new(x + speed * t, y, 0.3 + h),
            DQuat::from_rotation_y(speed * t / 0.3),
            DVec3::new(speed, 0.0, v),
            DVec3::new(0.0, speed / 0.3 + i as f64, 0.0),
        ));
    }
    let v = 5.2;
    let landed = (t * 9.81 / (2.0 * v)).min(1.0);
    let s = landed * 2.0 * v / 9.81;
    bodies.push(moving(
        DVec3::new(
            2.4 - 1.4 * s,
            -1.6 + 1.2 * s,
            0.6 + v * s - 9.81 * s * s / 2.0,
        ),
        DQuat::from_axis_angle(DVec3::new(0.3, 0.9, 0.2).normalize(), 4.0 * s)
            * DQuat::from_rotation_x(1.5 * s),
        DVec3::new(-1.4, 1.2, v - 9.81 * s),
        DVec3::new(1.5, 4.0, 0.4),
    ));
    bodies.push(moving(
        DVec3::new(-2.2, 0.8, 1.5 + 0.5 * (4.0 * t).cos()),
        DQuat::from_rotation_z(0.3 * t),
        DVec3::new(0.0, 0.0, -2.0 * (4.0 * t).sin()),
        DVec3::new(0.0, 0.0, 0.3),
    ));
    let mut totals = Totals::default();
    for (b, info) in bodies.iter().zip(&header.bodies) {
        totals.kinetic += 0.5 * info.mass * b.velocity.length_squared()
            + 0.5 * b.omega_body.dot(info.moments * b.omega_body);
        totals.potential += info.mass * 9.81 * b.position.z;
        totals.momentum += info.mass * b.velocity;
        totals.angular_momentum += info.mass * b.position.cross(b.velocity)
            + b.orientation * (info.moments * b.omega_body);
    }
    totals.max_penetration = 0.002 * (1.0 + (9.0 * t).sin()) * (-t / 2.0).exp();
    Frame {
        time: t,
        step: 10 * n as u64,
        totals,
        bodies,
        contacts: vec![ContactFrame {
            point: DVec3::new(t, 0.0, 0.0),
            impulse: DVec3::Z,
            penetration: 1e-3,
        }],
        cloth: Vec::new(),
    }
}

/// A block and two balls that float on waves, with z or y up.
pub fn sea(up: Up, frames: usize) -> Recording {
    let mut head = header("sea");
    head.up = up;
    head.meshes = vec![block(DVec3::new(0.6, 0.35, 0.2)), ball(0.3, 12)];
    head.bodies = vec![
        body("raft", 200.0, [0.78, 0.52, 0.28], 0, 0.6),
        body("buoy <1>", 20.0, [0.86, 0.24, 0.22], 1, 0.3),
        body("buoy & \"2\"", 20.0, [0.95, 0.78, 0.2], 1, 0.3),
    ];
    let waves = vec![
        WaveInfo {
            amplitude: 0.25,
            wave_vector: [TAU / 3.0, 0.0],
            angular_frequency: 2.4,
            phase: 0.3,
        },
        WaveInfo {
            amplitude: 0.08,
            wave_vector: [1.0, 3.0],
            angular_frequency: 3.6,
            phase: 1.0,
        },
    ];
    head.waters = vec![WaterInfo {
        level: 0.5,
        extent: Some([[-4.0, -3.0], [4.0, 3.0]]),
        waves: waves.clone(),
    }];
    let surface = |h: [f64; 2], t: f64| {
        0.5 + waves
            .iter()
            .map(|w| {
                let k = w.wave_vector[0] * h[0] + w.wave_vector[1] * h[1];
                w.amplitude * (k - w.angular_frequency * t + w.phase).sin()
            })
            .sum::<f64>()
    };
    let mut recording = recording(head);
    for n in 0..frames {
        let t = n as f64 / 60.0;
        let bodies = [[-1.5 + 0.3 * t, 0.0], [0.8, 1.2], [2.0 + 0.1 * t, -1.2]]
            .into_iter()
            .map(|h| {
                let z = surface(h, t);
                let slope = (surface([h[0] + 0.1, h[1]], t) - z) / 0.1;
                let (position, orientation) = match up {
                    Up::Z => (
                        DVec3::new(h[0], h[1], z),
                        DQuat::from_rotation_y(-slope.atan()),
                    ),
                    Up::Y => (
                        DVec3::new(h[0], z, h[1]),
                        DQuat::from_rotation_z(slope.atan()),
                    ),
                };
                BodyFrame {
                    position,
                    orientation,
                    velocity: DVec3::ZERO,
                    omega_body: DVec3::ZERO,
                    status: Status::Free,
                }
            })
            .collect();
        recording.frames.push(Frame {
            time: t,
            step: 10 * n as u64,
            bodies,
            ..Frame::default()
        });
    }
    recording
}
