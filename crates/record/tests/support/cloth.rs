//! A synthetic run with cloth: a sheet hangs over a ball that the scene moves and turns,
//! and two small squares fall, one of them into an open funnel.

use super::{ball, header, recording};
use conatus_math::{DQuat, DVec3};
use conatus_record::*;
use std::f64::consts::TAU;

/// Two triangles per cell of a square of `n` times `n` vertices.
pub fn square(name: &str, color: [f32; 3], n: usize) -> ClothInfo {
    let at = |i: usize, j: usize| (j * n + i) as u32;
    let cell = |k: usize| {
        let (i, j) = (k % (n - 1), k / (n - 1));
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        match (i + j) % 2 {
            0 => [[a, b, c], [a, c, d]],
            _ => [[a, b, d], [b, c, d]],
        }
    };
    ClothInfo {
        name: name.into(),
        color,
        thickness: 0.002,
        vertices: n * n,
        triangles: (0..(n - 1) * (n - 1)).flat_map(cell).collect(),
    }
}

/// A funnel about the z axis: a cone that ends in a pipe, open at both ends.
pub fn funnel() -> MeshData {
    const AROUND: usize = 48;
    let rings = [
        (0.62, 0.5),
        (0.45, 0.28),
        (0.28, 0.06),
        (0.12, -0.15),
        (0.12, -0.5),
    ];
    let mut mesh = MeshData::default();
    for (radius, z) in rings {
        for k in 0..AROUND {
            let (sin, cos) = (TAU * k as f64 / AROUND as f64).sin_cos();
            mesh.vertices
                .push(DVec3::new(radius * cos, radius * sin, z));
        }
    }
    let at = |i: usize, k: usize| (i * AROUND + k % AROUND) as u32;
    for i in 0..rings.len() - 1 {
        for k in 0..AROUND {
            let [a, b, c, d] = [at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

fn obstacle(name: &str, mesh: usize) -> BodyInfo {
    BodyInfo {
        name: name.into(),
        mass: 0.0,
        moments: DVec3::ZERO,
        color: [0.66, 0.67, 0.69],
        mesh: Some(mesh),
        spheres: Vec::new(),
        scripted: true,
        character: None,
    }
}

/// The run, with a sheet of `n` times `n` vertices and squares of a third.
pub fn drape(n: usize, frames: usize) -> Recording {
    let mut head = header("drape");
    head.meshes = vec![ball(0.34, 16), funnel()];
    head.bodies = vec![obstacle("ball", 0), obstacle("funnel", 1)];
    head.planes = vec![PlaneInfo {
        point: DVec3::ZERO,
        normal: DVec3::Z,
    }];
    let small = (n / 3).max(2);
    head.cloths = vec![
        square("sheet", [0.78, 0.25, 0.22], n),
        square("first square", [0.16, 0.42, 0.62], small),
        square("second square", [0.93, 0.66, 0.20], small),
    ];
    let mut recording = recording(head);
    for number in 0..frames {
        let along = number as f64 / (frames.max(2) - 1) as f64;
        recording.frames.push(frame(n, small, number, along));
    }
    recording
}

fn frame(n: usize, small: usize, number: usize, along: f64) -> Frame {
    let middle = DVec3::new(-0.9 + 0.3 * along, 0.1 * along, 0.45);
    let turn = DQuat::from_rotation_z(1.5 * along);
    let still = |position, orientation| BodyFrame {
        position,
        orientation,
        velocity: DVec3::ZERO,
        omega_body: DVec3::ZERO,
        status: Status::Scripted,
    };
    let mut cloth = sheet(n, 1.9, |u, v| over_ball(middle, turn, u, v, along));
    cloth.extend(sheet(small, 0.62, |u, v| into_funnel(u, v, along)));
    cloth.extend(sheet(small, 0.4, |u, v| falling(u, v, along)));
    Frame {
        time: number as f64 / 60.0,
        step: 10 * number as u64,
        bodies: vec![
            still(middle, turn),
            still(DVec3::new(1.1, 0.0, 0.75), DQuat::IDENTITY),
        ],
        cloth,
        ..Frame::default()
    }
}

fn sheet(n: usize, side: f64, place: impl Fn(f64, f64) -> DVec3) -> Vec<DVec3> {
    let along = |i: usize| side * (i as f64 / (n - 1) as f64 - 0.5);
    (0..n * n)
        .map(|k| place(along(k % n), along(k / n)))
        .collect()
}

/// Flat at first; then it bends over the ball and hangs down in folds.
fn over_ball(middle: DVec3, turn: DQuat, u: f64, v: f64, along: f64) -> DVec3 {
    let reach = u.hypot(v).max(1e-9);
    let (dx, dy) = (u / reach, v / reach);
    let fall = (1.6 * along).min(1.0);
    let radius = 0.35;
    // How far down the ball the cloth is in contact.
    let most = 1.35 * fall;
    let angle = (reach / radius).min(most);
    let rest = reach - angle * radius;
    let steep = 0.25 + 1.15 * fall;
    let hem = (rest / 0.6).min(1.0) * fall;
    let ripple = hem * 0.11 * (9.0 * v.atan2(u) + 1.5 * along).sin();
    let out = radius * angle.sin() + rest * steep.cos().max(0.12) + ripple;
    let down = radius * (1.0 - angle.cos()) + rest * steep.sin() * fall;
    let p = turn * DVec3::new(dx * out, dy * out, radius - down);
    (middle + p).with_z(
        (middle + p)
            .z
            .max(0.004 + 0.01 * (1.0 + (14.0 * u).sin() * hem)),
    )
}

fn into_funnel(u: f64, v: f64, along: f64) -> DVec3 {
    let sunk = (1.4 * along).min(1.0);
    let reach = u.hypot(v);
    let out = 1.0 - 0.45 * sunk * (reach / 0.3).min(1.0);
    let fold = 0.05 * sunk * (7.0 * v.atan2(u)).cos() * (reach / 0.3);
    let z = 1.55 - 0.68 * sunk + (0.9 * reach + fold) * sunk;
    DVec3::new(1.1 + u * out, v * out, z)
}

fn falling(u: f64, v: f64, along: f64) -> DVec3 {
    let wave = 0.05 * (9.0 * u + 6.0 * along).sin() * (1.0 - 0.8 * along);
    let z = 1.9 - 1.5 * along + 0.5 * v * (1.0 - along) + wave;
    DVec3::new(0.25 + u, -0.6 + v, z)
}
