//! Prints how long the parts of a step take for cloth hung by two corners.

use conatus_cloth::{Elastic, Load, Material, Piece};
use conatus_geometry::Mesh;
use conatus_math::DVec3;
/// User time of this process, s.
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
}
struct Instant(f64);
impl Instant {
    fn now() -> Self {
        Self(cpu())
    }
    fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::from_secs_f64(cpu() - self.0)
    }
}

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
    for n in [41usize, 101] {
        for per_second in [480.0, 120.0] {
            let mut mesh = sheet(n, 1.0);
            let mut ids: Vec<u32> = (0..(n * n) as u32).collect();
            if std::env::var("PERM").is_ok() {
                let mut seed = 12345u64;
                for i in (1..n * n).rev() {
                    seed = seed
                        .wrapping_mul(6364136223846793005)
                        .wrapping_add(1442695040888963407);
                    ids.swap(i, (seed >> 33) as usize % (i + 1));
                }
                let old = mesh.vertices.clone();
                for (i, id) in ids.iter().enumerate() {
                    mesh.vertices[*id as usize] = old[i];
                }
                for t in &mut mesh.triangles {
                    *t = t.map(|i| ids[i as usize]);
                }
            }
            let piece = Piece::flat("sheet", mesh, material);
            let mut x = piece.rest.vertices.clone();
            let mut elastic = Elastic::new(&[piece]);
            let mut v = vec![DVec3::ZERO; x.len()];
            let mut out = v.clone();
            let scripted = [(ids[0], DVec3::ZERO), (ids[n - 1], DVec3::ZERO)];
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
            elastic.settings.solver = conatus_cloth::Solver::Cholesky;
            elastic.candidate_velocities(&x, &v, h, &load, &mut out);
            let start = Instant::now();
            for _ in 0..3 {
                elastic.candidate_velocities(&x, &v, h, &load, &mut out);
            }
            print!("chol {:.3} ", start.elapsed().as_secs_f64() / 3.0 * 1e3);
            elastic.settings.solver = conatus_cloth::Solver::Pcg;
            elastic.settings.most_iterations = 0;
            let start = Instant::now();
            for _ in 0..50 {
                elastic.candidate_velocities(&x, &v, h, &load, &mut out);
            }
            let assembly = start.elapsed().as_secs_f64() / 50.0;
            print!("assembly {:.3} ", assembly * 1e3);
            println!(
                "{:6} vertices, h = 1/{per_second}: {:.2} ms a step, {:.1} iterations",
                n * n,
                total * 1e3,
                iterations as f64 / steps as f64
            );
        }
    }
}
