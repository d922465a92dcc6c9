//! A synthetic recording of cloth: a sheet that sinks onto a ball, and a cap that
//! slides into a funnel.

use conatus_math::{DQuat, DVec3};
use conatus_record::*;
use std::f64::consts::TAU;

/// The sheet's name; blue at its front.
pub const SHEET: &str = "sheet";
/// The vertex above the middle of the obstacle.
pub const MIDDLE: usize = SIDE * (SIDE / 2) + SIDE / 2;
/// The piece in the funnel; green.
pub const CAP: &str = "cap";
/// Vertices along a side of the sheet.
const SIDE: usize = 41;
/// Rings of the cap and of the funnel, and vertices of each.
const RINGS: usize = 12;
const AROUND: usize = 48;

/// The recording: 2 s, 30 frames a second.
pub fn recording() -> Recording {
    let bodies = vec![
        body("marble", 1.0, [0.8, 0.2, 0.2], 0, false),
        body("ball", 0.0, [0.6, 0.6, 0.62], 1, true),
        body("funnel", 0.0, [0.75, 0.65, 0.5], 2, true),
    ];
    Recording {
        header: Header {
            format: FORMAT.into(),
            program: "test".into(),
            scene: "sheets".into(),
            seed: 1,
            up: Up::Z,
            gravity: DVec3::NEG_Z,
            step_seconds: 1.0 / 60.0,
            steps_per_frame: 2,
            meshes: vec![globe(0.3), globe(0.5), funnel()],
            bodies,
            planes: vec![PlaneInfo {
                point: DVec3::ZERO,
                normal: DVec3::Z,
            }],
            springs: Vec::new(),
            waters: Vec::new(),
            cloths: vec![
                cloth(SHEET, [0.16, 0.35, 0.8], SIDE, SIDE, false),
                cloth(CAP, [0.15, 0.6, 0.25], RINGS, AROUND, true),
            ],
            physics: PhysicsInfo::default(),
        },
        sources: Vec::new(),
        overrides: Vec::new(),
        frames: (0..60).map(frame).collect(),
        events: vec![
            pull(10, [-1.6, -0.6, 0.9]),
            pull(20, [-1.6, -0.6, 1.2]),
            input(40, serde_json::json!({ "let_go": { "hand": 1 } })),
        ],
        report: None,
        clip: None,
    }
}

fn input(step: u64, detail: serde_json::Value) -> Event {
    Event {
        time: step as f64 / 60.0,
        step,
        kind: "input".into(),
        detail,
    }
}

fn pull(step: u64, target: [f64; 3]) -> Event {
    let detail = serde_json::json!({ "pull": {
        "hand": 1, "body": "marble", "point_body": [0, 0, 0.3], "target": target,
        "stiffness": 1, "damping": 1,
    }});
    input(step, detail)
}

fn body(name: &str, mass: f64, color: [f32; 3], mesh: usize, scripted: bool) -> BodyInfo {
    BodyInfo {
        name: name.into(),
        mass,
        moments: DVec3::splat(0.4 * mass),
        color,
        mesh: Some(mesh),
        spheres: Vec::new(),
        scripted,
        character: None,
    }
}

fn cloth(name: &str, color: [f32; 3], rows: usize, columns: usize, round: bool) -> ClothInfo {
    ClothInfo {
        name: name.into(),
        color,
        thickness: 0.002,
        vertices: rows * columns,
        triangles: grid(rows, columns, round),
    }
}

/// Two triangles for each cell of a grid, whose last column may meet its first.
fn grid(rows: usize, columns: usize, round: bool) -> Vec<[u32; 3]> {
    let at = |i: usize, j: usize| (i * columns + j % columns) as u32;
    let cells = columns - usize::from(!round);
    let cell = |i: usize, j: usize| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
        [[a, b, c], [c, b, d]]
    };
    (1..rows)
        .flat_map(|i| (0..cells).flat_map(move |j| cell(i - 1, j)))
        .collect()
}

/// A place on a circle.
fn round(j: usize, radius: f64, height: f64) -> DVec3 {
    let (sin, cos) = (TAU * j as f64 / AROUND as f64).sin_cos();
    DVec3::new(radius * cos, radius * sin, height)
}

fn globe(radius: f64) -> MeshData {
    let rings = 24;
    let point = |k: usize| {
        let (sin, cos) = (0.5 * TAU * (k / AROUND) as f64 / rings as f64).sin_cos();
        // All of the first and the last ring lie at one place, exactly.
        let sin = if (k / AROUND).is_multiple_of(rings) {
            0.0
        } else {
            sin
        };
        round(k % AROUND, radius * sin, radius * cos)
    };
    MeshData {
        vertices: (0..(rings + 1) * AROUND).map(point).collect(),
        triangles: grid(rings + 1, AROUND, true),
    }
}

/// An open cone above a pipe.
fn funnel() -> MeshData {
    let ring = |i: usize| match i {
        0..8 => (0.12, 0.06 * i as f64),
        _ => (0.12 + 0.055 * (i - 8) as f64, 0.42 + 0.06 * (i - 8) as f64),
    };
    let point = |k: usize| round(k % AROUND, ring(k / AROUND).0, ring(k / AROUND).1);
    MeshData {
        vertices: (0..2 * RINGS * AROUND).map(point).collect(),
        triangles: grid(2 * RINGS, AROUND, true),
    }
}

fn frame(f: usize) -> Frame {
    let time = f as f64 / 30.0;
    let fallen = (time / 1.2).min(1.0);
    let at = |position, status| BodyFrame {
        position,
        orientation: DQuat::IDENTITY,
        velocity: DVec3::ZERO,
        omega_body: DVec3::ZERO,
        status,
    };
    let sheet = (0..SIDE * SIDE).map(|k| {
        let place = |i: usize| 2.4 * (i as f64 / (SIDE - 1) as f64 - 0.5);
        let (x, y) = (place(k / SIDE), place(k % SIDE));
        let hanging = 1.35 + 0.05 * (3.0 * x + 4.0 * time).sin() * (3.0 * y).cos();
        let radius = x.hypot(y);
        let folds = 1.0 + 0.25 * (7.0 * y.atan2(x)).sin() * (radius - 0.4).clamp(0.0, 0.6);
        let on_ball = match radius < 0.5 {
            true => 0.51 + (0.26 - radius * radius).sqrt(),
            false => (0.61 - 0.85 * (radius - 0.5)).max(0.02),
        };
        let pulled = 1.0 - fallen * 0.35 * ((radius - 0.5) / 1.2).clamp(0.0, 1.0) * folds;
        let lifted = fallen * 0.1 * (folds - 1.0).max(0.0);
        let height = hanging + fallen * fallen * (on_ball + lifted - hanging);
        DVec3::new(pulled * x, pulled * y, height)
    });
    let cap = (0..RINGS * AROUND).map(|k| {
        let radius = 0.05 + 0.5 * (k / AROUND) as f64 / RINGS as f64;
        let slope = (0.62 + 1.05 * (radius - 0.12)).max(0.55);
        let wave = 1.0 + 0.12 * fallen * (TAU * 6.0 * (k % AROUND) as f64 / AROUND as f64).sin();
        let height = 1.5 + fallen * (slope + 0.06 - 1.5);
        DVec3::new(1.9, 0.0, 0.0) + round(k % AROUND, radius * wave, height)
    });
    Frame {
        time,
        step: 2 * f as u64,
        bodies: vec![
            at(DVec3::new(-1.6, -0.6, 0.3), Status::Free),
            at(DVec3::new(0.0, 0.0, 0.5), Status::Scripted),
            at(DVec3::new(1.9, 0.0, 0.2), Status::Scripted),
        ],
        cloth: sheet.chain(cap).collect(),
        ..Frame::default()
    }
}
