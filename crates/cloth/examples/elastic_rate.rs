//! Prints how long the parts of a step take, in milliseconds of wall time on
//! one thread, for cloth hung by two corners.
//!
//! `cargo run --release -p conatus-cloth --example elastic_rate`

use conatus_cloth::{ClothLoad, Elastic, Material, Piece, Solver, named};
use conatus_geometry::Mesh;
use conatus_math::DVec3;
use std::time::Instant;

/// A square of 1 m with n × n vertices.
fn sheet(n: usize) -> Mesh {
    let mut mesh = Mesh::default();
    let at = |k: usize| k as f64 / (n - 1) as f64;
    for j in 0..n {
        for i in 0..n {
            mesh.vertices.push(DVec3::new(at(i), at(j), 0.0));
        }
    }
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let a = (j * n + i) as u32;
            let (b, c, d) = (a + 1, a + n as u32, a + n as u32 + 1);
            if (i + j) % 2 == 0 {
                mesh.triangles.extend([[a, b, d], [a, d, c]]);
            } else {
                mesh.triangles.extend([[a, b, c], [b, d, c]]);
            }
        }
    }
    mesh
}

/// The shortest time of a few calls, ms: other programs only add time.
fn best(times: usize, mut call: impl FnMut()) -> f64 {
    (0..times)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64() * 1e3
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let material = Material {
        density: 0.2,
        stretch_warp: 300.0,
        stretch_weft: 300.0,
        shear: 100.0,
        bend: 5e-5,
        ..named("cotton").expect("a known material")
    };
    println!("vertices  step   assembly  conjugate gradients   Cholesky  step in all (median)");
    for n in [41, 101, 201] {
        for per_second in [480.0, 120.0] {
            let piece = Piece::flat("sheet", sheet(n), material);
            let mut x = piece.rest.vertices.clone();
            let mut elastic = Elastic::new(&[piece]);
            let mut v = vec![DVec3::ZERO; x.len()];
            let mut out = v.clone();
            let scripted = [(0, DVec3::ZERO), (n as u32 - 1, DVec3::ZERO)];
            let load = ClothLoad {
                gravity: DVec3::new(0.0, 0.0, -9.81),
                scripted: &scripted,
                ..ClothLoad::default()
            };
            let h = 1.0 / per_second;
            let steps = (0.5 * per_second) as usize;
            let (mut iterations, mut times) = (0, Vec::new());
            for _ in 0..steps {
                let start = Instant::now();
                let stats = elastic.candidate_velocities(&x, &v, h, &load, &mut out);
                times.push(start.elapsed().as_secs_f64() * 1e3);
                iterations += stats.iterations;
                v.copy_from_slice(&out);
                for (x, v) in x.iter_mut().zip(&v) {
                    *x += *v * h;
                }
            }
            times.sort_by(f64::total_cmp);
            let median = times[steps / 2];
            let warm = elastic.warm_start();
            let mut timed = |solver, most| {
                elastic.settings.solver = solver;
                elastic.settings.most_iterations = most;
                best(if n > 101 { 2 } else { 20 }, || {
                    elastic.set_warm_start(&warm);
                    elastic.candidate_velocities(&x, &v, h, &load, &mut out);
                })
            };
            // With zero iterations only the setup is timed.
            let assembly = timed(Solver::Pcg, 0);
            let gradients = timed(Solver::Pcg, 400) - assembly;
            let cholesky = timed(Solver::Cholesky, 0) - assembly;
            println!(
                "{:8}  1/{per_second:3}  {assembly:8.2}  {gradients:8.2} ({:5.1} it.)  {cholesky:11.1}  {median:8.2}",
                n * n,
                iterations as f64 / steps as f64,
            );
        }
    }
}
