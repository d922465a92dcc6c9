//! Scratch.
use conatus_cloth::collide::Plane;
use conatus_cloth::response::Response;
use conatus_cloth::script::{Ease, Key, Path};
use conatus_cloth::*;
use conatus_geometry::Mesh;
use conatus_math::{DVec3, Pose};
use std::time::Instant;
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = s.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}

fn sheet(size: f64, nx: usize, ny: usize) -> Mesh {
    let mut m = Mesh::default();
    for j in 0..ny {
        for i in 0..nx {
            m.vertices.push(DVec3::new(
                size * (i as f64 / (nx - 1) as f64 - 0.5),
                size * (j as f64 / (ny - 1) as f64 - 0.5),
                0.0,
            ));
        }
    }
    for j in 0..ny - 1 {
        for i in 0..nx - 1 {
            let a = (j * nx + i) as u32;
            let (b, c, d) = (a + 1, a + nx as u32, a + nx as u32 + 1);
            if (i + j) % 2 == 0 {
                m.triangles.extend([[a, b, d], [a, d, c]]);
            } else {
                m.triangles.extend([[a, b, c], [b, d, c]]);
            }
        }
    }
    m
}

fn material(density: f64, y: f64, bend: f64, h: f64, mu: f64) -> Material {
    Material {
        density,
        stretch_warp: y,
        stretch_weft: y,
        shear: 0.4 * y,
        bend,
        damping_mass: 0.2,
        damping_stiffness: 5e-4,
        thickness: h,
        friction: mu,
        ..named("cotton").unwrap()
    }
}

fn revolve(profile: &[(f64, f64)], seg: usize) -> Mesh {
    let mut m = Mesh::default();
    for &(r, z) in profile {
        for k in 0..seg {
            let a = std::f64::consts::TAU * k as f64 / seg as f64;
            m.vertices.push(DVec3::new(r * a.cos(), r * a.sin(), z));
        }
    }
    for j in 0..profile.len() - 1 {
        for k in 0..seg {
            let a = (j * seg + k) as u32;
            let b = (j * seg + (k + 1) % seg) as u32;
            let (c, d) = (a + seg as u32, b + seg as u32);
            m.triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    m
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let arg = |k: &str, d: f64| -> f64 {
        args.iter()
            .find_map(|a| a.strip_prefix(&format!("{k}=")).map(|v| v.parse().unwrap()))
            .unwrap_or(d)
    };
    let scene = args[1].as_str();
    let response = match args.iter().find_map(|a| a.strip_prefix("response=")) {
        Some("rigid") => Response::RigidImpactZones,
        Some("lcp") => Response::Lcp,
        _ => Response::InelasticProjection,
    };
    let threads = arg("threads", 1.0) as usize;
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .unwrap();
    let mut parts = Parts::default();
    let (mut steps_per_frame, mut frames);
    let mut fps = 24.0;
    let mut collisions = Collisions {
        response,
        ..Default::default()
    };
    let mut gravity = DVec3::new(0.0, 0.0, -9.81);
    match scene {
        "sphere" => {
            let n = arg("n", 41.0) as usize;
            steps_per_frame = arg("steps", 20.0) as u32;
            frames = arg("frames", 72.0) as u32;
            let h = if n > 60 { 2e-3 } else { 4e-3 };
            let mesh = sheet(1.0, n, n);
            parts.positions = mesh
                .vertices
                .iter()
                .map(|v| *v + DVec3::new(0.07, 0.03, 0.8))
                .collect();
            parts.pieces.push(Piece::flat(
                "cloth",
                mesh,
                material(0.2, 300.0, 5e-5, h, arg("mu", 0.3)),
            ));
            let mut ball = conatus_geometry::icosphere(4);
            for v in &mut ball.vertices {
                *v *= 0.3;
            }
            parts.obstacles.push(Obstacle {
                mesh: ball,
                path: Path::at_rest(Pose::shift(DVec3::Z * 0.45)),
                friction: None,
            });
            parts.planes.push(Plane::new(DVec3::ZERO, DVec3::Z, None));
        }
        "incline" => {
            steps_per_frame = 1;
            frames = arg("frames", 600.0) as u32;
            let mat = material(0.2, 300.0, 1e-4, 10e-3, arg("mu", 0.0));
            let a = arg("angle", 8f64).to_radians();
            gravity = DVec3::new(9.81 * a.sin(), 0.0, -9.81 * a.cos());
            for k in 0..61 {
                let mesh = sheet(0.5, 2, 2);
                parts.positions.extend(mesh.vertices.iter().map(|v| {
                    *v + DVec3::new(
                        0.02 * ((k * 7 % 5) as f64),
                        0.03 * ((k * 3 % 7) as f64),
                        0.05 + 0.02 * k as f64,
                    )
                }));
                parts.pieces.push(Piece::flat(format!("s{k}"), mesh, mat));
            }
            parts.planes.push(Plane::new(DVec3::ZERO, DVec3::Z, None));
            collisions.passes = 1;
            collisions.sweeps = 1;
        }
        _ => {
            steps_per_frame = 20;
            frames = arg("frames", 150.0) as u32;
            let (nx, ny) = if scene == "funnel" {
                (arg("n", 71.0) as usize, 78)
            } else {
                (45, 57)
            };
            let mesh = sheet(1.0, nx, ny);
            parts.positions = mesh.vertices.iter().map(|v| *v + DVec3::Z * 0.6).collect();
            parts.pieces.push(Piece::flat(
                "cloth",
                mesh,
                material(0.2, 1000.0, 3e-5, 1.5e-3, arg("mu", 0.0)),
            ));
            let mut profile = vec![];
            for k in 0..=8 {
                let s = k as f64 / 8.0;
                profile.push((0.8 + s * (0.13 - 0.8), 0.55 + s * (0.07 - 0.55)));
            }
            for k in 1..=5 {
                let s = k as f64 / 6.0;
                profile.push((0.13 + s * (0.06 - 0.13), 0.07 + (s * s) * (0.0 - 0.07)));
            }
            for k in 0..=6 {
                profile.push((0.06, -0.4 * k as f64 / 6.0));
            }
            parts.obstacles.push(Obstacle {
                mesh: revolve(&profile, 64),
                path: Path::at_rest(Pose::IDENTITY),
                friction: None,
            });
            let mut ball = conatus_geometry::icosphere(3);
            for v in &mut ball.vertices {
                *v *= 0.04;
            }
            let key = |t: f64, z: f64| Key {
                time: t,
                pose: Pose::shift(DVec3::Z * z),
            };
            parts.obstacles.push(Obstacle {
                mesh: ball,
                path: Path::through(
                    vec![key(0.5, 0.75), key(0.5 + 1.4 / 0.5, -0.65)],
                    Ease::Linear,
                ),
                friction: None,
            });
            collisions.passes = 2;
            collisions.sweeps = 2;
        }
    }
    collisions.passes = arg("passes", collisions.passes as f64) as usize;
    collisions.sweeps = arg("sweeps", collisions.sweeps as f64) as usize;
    collisions.longest = arg("longest", collisions.longest);
    collisions.restore = arg("restore", collisions.restore);
    if args.iter().any(|a| a == "squares") {
        fps = 24.0;
    }
    let h = 1.0 / fps / steps_per_frame as f64;
    let tri: Vec<[u32; 3]> = {
        let mut t = vec![];
        let mut o = 0;
        for p in &parts.pieces {
            t.extend(p.rest.triangles.iter().map(|x| x.map(|i| i + o)));
            o += p.rest.vertices.len() as u32;
        }
        t
    };
    let all: Vec<[u32; 3]> = {
        let mut t = tri.clone();
        let mut o = parts.positions.len() as u32;
        for p in &parts.obstacles {
            t.extend(p.mesh.triangles.iter().map(|x| x.map(|i| i + o)));
            o += p.mesh.vertices.len() as u32;
        }
        t
    };
    let rest = parts.positions.clone();
    let mut cloth = Cloth::new(parts);
    cloth.gravity = gravity;
    cloth.collisions = collisions;
    cloth.elastic.settings.tolerance = arg("tol", 1e-4);
    if scene == "incline" {}
    let begin = Instant::now();
    let mut cpu0 = cpu();
    let mut f0 = 0;
    for f in 0..frames {
        let before = cloth.stats;
        for k in 0..steps_per_frame {
            let t = (f * steps_per_frame + k) as f64 * h;
            if let Err(e) = cloth.step(t, h, &mut []) {
                println!("frame {f}: {:?} {} vertices", e.time, e.vertices.len());
                return;
            }
        }
        let s = cloth.stats;
        let stretch = cloth.max_stretch();
        if stretch > 1.25 && f % 2 == 0 {
            worst(&cloth, &tri, &rest, f);
        }
        let n = cloth.positions().len() as f64;
        let speed = cloth.velocities().iter().map(|v| v.length()).sum::<f64>() / n;
        let low = cloth.positions().iter().filter(|p| p.z < -0.4).count() as f64 / n;
        let inter = if f % 3 == 0 {
            conatus_geometry_check(&cloth, &all, tri.len() as u32)
        } else {
            0
        };
        if f % (arg("every", 6.0) as u32) == 0 || f == frames - 1 {
            let c = cpu();
            let ms = 1e3 * (c - cpu0) / (f + 1 - f0) as f64;
            cpu0 = c;
            f0 = f + 1;
            println!(
                "f {f:4} cpu {ms:6.1} ms  {:7.1} ms (coll {:6.1}) it {:5} coll {:7} fs {:4} zones {:4} largest {:5} sub {:4} rebuild {:3} append {:3} cand {:7} stretch {:.3} speed {:.4} low {low:.3} inter {inter}",
                1e3 * (s.total_seconds - before.total_seconds),
                1e3 * (s.collision_seconds - before.collision_seconds),
                s.iterations - before.iterations,
                s.collisions - before.collisions,
                s.failsafe_calls - before.failsafe_calls,
                s.impact_zones - before.impact_zones,
                s.largest_zone,
                s.substeps - before.substeps,
                s.rebuilds - before.rebuilds,
                s.appends - before.appends,
                s.candidates,
                stretch,
                speed
            );
        }
    }
    println!(
        "cpu {:.2} s total {:.2} s, per frame {:.1} ms",
        cpu(),
        begin.elapsed().as_secs_f64(),
        1e3 * cloth.stats.total_seconds / frames as f64
    );
}
fn conatus_geometry_check(c: &Cloth, tri: &[[u32; 3]], cloth: u32) -> usize {
    conatus_geometry::intersect::intersecting_pairs(c.points(), tri, 1000, |a, b| {
        a >= cloth && b >= cloth
    })
    .len()
}
fn worst(c: &Cloth, tri: &[[u32; 3]], rest: &[DVec3], f: u32) {
    let mut e: Vec<(f64, u32, u32)> = tri
        .iter()
        .flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])])
        .filter(|(a, b)| a < b)
        .map(|(a, b)| {
            (
                c.positions()[a as usize].distance(c.positions()[b as usize])
                    / rest[a as usize].distance(rest[b as usize]),
                a,
                b,
            )
        })
        .collect();
    e.sort_by(|a, b| b.0.total_cmp(&a.0));
    let over = e.iter().filter(|e| e.0 > 1.2).count();
    println!("   frame {f}: {over} edges over 1.2");
    for (s, a, b) in e.iter().take(4) {
        let (x, y) = (c.positions()[*a as usize], c.positions()[*b as usize]);
        println!(
            "   {s:.2} {a}-{b} at {x:.3} {y:.3} v {:.2} {:.2}",
            c.velocities()[*a as usize],
            c.velocities()[*b as usize]
        );
    }
}
