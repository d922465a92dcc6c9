//! Prints how long the parts of a step take for cloth hung by two corners.

use conatus_cloth::{Elastic, Load, Material, Piece};
use conatus_geometry::Mesh;
use conatus_math::DVec3;
use std::time::Instant;

fn sheet(n: usize, side: f64) -> Mesh {
    let mut mesh = Mesh::default();
    for j in 0..n {
        for i in 0..n {
            let at = |k: usize| side * k as f64 / (n - 1) as f64;
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

fn main() {
    let material = Material {
        density: 0.2,
        stretch_warp: 300.0,
        stretch_weft: 300.0,
        shear: 100.0,
        bend: 5e-5,
        ..conatus_cloth::named("cotton").unwrap()
    };
    for n in [41usize, 101, 201] {
        for per_second in [480.0, 120.0] {
            let piece = Piece::flat("sheet", sheet(n, 1.0), material);
            let mut x = piece.rest.vertices.clone();
            let mut elastic = Elastic::new(&[piece]);
            let mut v = vec![DVec3::ZERO; x.len()];
            let mut out = v.clone();
            let scripted = [(0, DVec3::ZERO), (n as u32 - 1, DVec3::ZERO)];
            let load = Load {
                gravity: DVec3::new(0.0, 0.0, -9.81),
                scripted: &scripted,
                ..Load::default()
            };
            let h = 1.0 / per_second;
            let steps = (0.5 / h) as usize;
            let mut iterations = 0;
            let start = Instant::now();
            for _ in 0..steps {
                let stats = elastic.candidate_velocities(&x, &v, h, &load, &mut out);
                iterations += stats.iterations;
                v.copy_from_slice(&out);
                for (x, v) in x.iter_mut().zip(&v) {
                    *x += *v * h;
                }
            }
            let total = start.elapsed().as_secs_f64() / steps as f64;
            println!(
                "{:6} vertices, h = 1/{per_second}: {:.2} ms a step, {:.1} iterations",
                n * n,
                total * 1e3,
                iterations as f64 / steps as f64
            );
        }
    }
}
