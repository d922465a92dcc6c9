//! How many queries of continuous collision detection one core answers in a
//! second of its own time, and how long the witness of intersections takes:
//! `cargo run --release -p conatus-geometry --example ccd_rate`.
//!
//! The stencils are triangles and edges of 1 cm, as in a cloth, with gaps and
//! motions of about a millimetre and a separation of 50 µm.

use conatus_geometry::generate::rectangle;
use conatus_geometry::{ccd, distance, intersect};
use conatus_math::DVec3;
use cpu_time::ThreadTime;
use std::hint::black_box;

type Stencil = [DVec3; 4];
type Query = fn(&Stencil, &Stencil, f64) -> Option<ccd::Hit>;
type Cull = fn(DVec3, &Stencil, &Stencil, f64) -> bool;
type Distance = fn(&Stencil) -> distance::Closest;

const SEPARATION: f64 = 5e-5;

/// The same numbers every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// Two layers `gap` apart that move by `motion`; `first` points in the lower.
fn stencils(first: usize, gap: f64, motion: f64, count: usize) -> Vec<(Stencil, Stencil)> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    (0..count)
        .map(|_| {
            let place = random.vector();
            let start = std::array::from_fn(|i| {
                let flat = random.vector() * DVec3::new(0.01, 0.01, 0.0005);
                let layer = if i < first { 0.0 } else { gap };
                place + flat + DVec3::Z * layer
            });
            let common = random.vector() * 0.01;
            let end = start.map(|x: DVec3| x + common + random.vector() * motion);
            (start, end)
        })
        .collect()
}

fn rate(name: &str, stencils: &[(Stencil, Stencil)], mut ask: impl FnMut(usize) -> bool) {
    let rounds = 100;
    let mut hits = 0;
    let begin = ThreadTime::now();
    for _ in 0..rounds {
        hits += (0..stencils.len()).filter(|&i| black_box(ask(i))).count();
    }
    let count = (rounds * stencils.len()) as f64;
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{name:<44} {:6.2} million/s   {:5.1} % yes",
        count / seconds * 1e-6,
        100.0 * hits as f64 / count
    );
}

fn main() {
    let kinds: [(&str, usize, Query, Cull, Distance); 2] = [
        (
            "vertex-triangle",
            3,
            ccd::vertex_triangle,
            ccd::separated_vertex_triangle,
            distance::vertex_triangle,
        ),
        (
            "edge-edge",
            2,
            ccd::edge_edge,
            ccd::separated_edge_edge,
            distance::edge_edge,
        ),
    ];
    for (name, first, query, cull, closest) in kinds {
        let mixes = [
            ("far, nearly all culled", 0.004, 0.001),
            ("near", 0.002, 0.002),
            ("violent", 0.002, 0.01),
        ];
        for (mix, gap, motion) in mixes {
            let all = stencils(first, gap, motion, 4_000);
            let ask = |i: usize| query(&all[i].0, &all[i].1, SEPARATION).is_some();
            rate(&format!("{name}, {mix}"), &all, ask);
            let hard: Vec<_> = all
                .iter()
                .filter(|(a, b)| !cull(closest(a).vector, a, b, SEPARATION))
                .copied()
                .collect();
            let ask = |i: usize| query(&hard[i].0, &hard[i].1, SEPARATION).is_some();
            rate("  of these, those that are not culled", &hard, ask);
        }
        let all = stencils(first, 0.004, 0.001, 4_000);
        let axes: Vec<_> = all.iter().map(|(a, _)| closest(a).vector).collect();
        let ask = |i: usize| cull(axes[i], &all[i].0, &all[i].1, SEPARATION);
        rate("  the cull alone, with an axis that was kept", &all, ask);
        let ask = |i: usize| closest(&all[i].0).squared > 1e-5;
        rate("  the distance alone", &all, ask);
    }
    for (nx, ny) in [(51, 51), (174, 174)] {
        let mut cloth = rectangle(1.0, 1.0, nx, ny);
        // Crumpled, so that it crosses itself in places.
        for v in &mut cloth.vertices {
            let p = *v * 12.0;
            v.x = 0.2 * p.x.sin() + 0.1 * (p.y + v.x * 3.0).cos() + 0.05 * v.y;
            v.z = 0.2 * (p.y + 0.5 * p.x).sin();
        }
        let begin = ThreadTime::now();
        let never = |_, _| false;
        let found =
            intersect::intersecting_pairs(&cloth.vertices, &cloth.triangles, usize::MAX, never);
        println!(
            "witness: {} triangles, {} intersections: {:.1} ms",
            cloth.triangles.len(),
            found.len(),
            begin.elapsed().as_secs_f64() * 1e3
        );
    }
}
