//! Queries of continuous collision detection per second of processor time on one
//! core, and the time of the exact intersection check.
//!
//! The stencils are triangles and edges of 1 cm, as in a cloth, with gaps and
//! motions of about a millimetre and a separation of 50 µm.

use crate::Failure;
use crate::output::Output;
use crate::table::{Cell, Table, at_least, blank, count, fixed};
use conatus_geometry::generate::rectangle;
use conatus_geometry::{ccd, distance, intersect};
use conatus_math::DVec3;
use cpu_time::ThreadTime;
use std::hint::black_box;

type Stencil = [DVec3; 4];

/// A kind of query.
struct Kind {
    name: &'static str,
    /// Points in the lower layer.
    lower: usize,
    query: fn(&Stencil, &Stencil, f64) -> Option<ccd::Hit>,
    separated: fn(DVec3, &Stencil, &Stencil, f64) -> bool,
    closest: fn(&Stencil) -> distance::Closest,
}

const KINDS: [Kind; 2] = [
    Kind {
        name: "vertex-triangle",
        lower: 3,
        query: ccd::vertex_triangle,
        separated: ccd::separated_vertex_triangle,
        closest: distance::vertex_triangle,
    },
    Kind {
        name: "edge-edge",
        lower: 2,
        query: ccd::edge_edge,
        separated: ccd::separated_edge_edge,
        closest: distance::edge_edge,
    },
];

/// Name, gap between the layers and distance that points move, both in metres.
const CASES: [(&str, f64, f64); 3] = [
    ("distant, nearly all culled", 0.004, 0.001),
    ("near", 0.002, 0.002),
    ("fast", 0.002, 0.01),
];

const SEPARATION_M: f64 = 5e-5;
const STENCILS: usize = 4_000;
const ROUNDS: usize = 100;
/// Millions of queries per second that are expected at least.
const MIN_RATE: f64 = 1.5;

/// Measures both kinds of queries and the exact intersection check.
pub fn measure(output: &mut Output) -> Result<(), Failure> {
    let mut table = output.begin(Table::new(
        "Continuous collision detection, one core: millions of queries per second",
        &["queries of candidates", "million/s", "target", "% hit"],
    ))?;
    for kind in &KINDS {
        for (case, gap, motion) in CASES {
            let all = stencils(kind.lower, gap, motion);
            let hits = |(a, b): &(Stencil, Stencil)| (kind.query)(a, b, SEPARATION_M).is_some();
            let (rate, hit) = rate(&all, hits);
            let mut row: Vec<Cell> = vec![format!("{}, {case}", kind.name).into()];
            row.extend([fixed(rate, 2), at_least(rate, MIN_RATE), fixed(hit, 1)]);
            table.row(row)?;
            let kept = |(a, b): &(Stencil, Stencil)| {
                (kind.separated)((kind.closest)(a).vector, a, b, SEPARATION_M)
            };
            let hard: Vec<_> = all.iter().filter(|s| !kept(s)).copied().collect();
            if !hard.is_empty() {
                let (rate, hit) = self::rate(&hard, hits);
                let mut row: Vec<Cell> = vec!["  those not culled".into()];
                row.extend([fixed(rate, 2), blank(), fixed(hit, 1)]);
                table.row(row)?;
            }
        }
        let with_axes: Vec<_> = stencils(kind.lower, CASES[0].1, CASES[0].2)
            .into_iter()
            .map(|(a, b)| (a, b, (kind.closest)(&a).vector))
            .collect();
        let (rate, _) = rate(&with_axes, |(a, b, axis)| {
            (kind.separated)(*axis, a, b, SEPARATION_M)
        });
        table.row(vec!["  cull with a cached axis".into(), fixed(rate, 2)])?;
        let (rate, _) = self::rate(&with_axes, |(a, ..)| (kind.closest)(a).squared > 1e-5);
        table.row(vec!["  distance alone".into(), fixed(rate, 2)])?;
    }
    table.finish()?;
    intersection_check(output)
}

/// Millions of calls per second, and the percentage that return true.
fn rate<T>(all: &[T], query: impl Fn(&T) -> bool) -> (f64, f64) {
    let mut hits = 0;
    let begin = ThreadTime::now();
    for _ in 0..ROUNDS {
        hits += all.iter().filter(|s| black_box(query(s))).count();
    }
    let calls = (ROUNDS * all.len()) as f64;
    let seconds = begin.elapsed().as_secs_f64();
    (calls / seconds * 1e-6, 100.0 * hits as f64 / calls)
}

/// Times the exact search for intersections in a crumpled sheet.
fn intersection_check(output: &mut Output) -> Result<(), Failure> {
    let mut table = output.begin(Table::new(
        "Exact search for intersecting triangles in a crumpled sheet",
        &["triangles", "intersections", "ms"],
    ))?;
    for side in [51, 174] {
        let mut cloth = rectangle(1.0, 1.0, side, side);
        for v in &mut cloth.vertices {
            let p = *v * 12.0;
            v.x = 0.2 * p.x.sin() + 0.1 * (p.y + v.x * 3.0).cos() + 0.05 * v.y;
            v.z = 0.2 * (p.y + 0.5 * p.x).sin();
        }
        let begin = ThreadTime::now();
        let (vertices, triangles) = (&cloth.vertices, &cloth.triangles);
        let found = intersect::intersecting_pairs(vertices, triangles, usize::MAX, |_, _| false);
        table.row(vec![
            count(triangles.len() as u64),
            count(found.len() as u64),
            fixed(begin.elapsed().as_secs_f64() * 1e3, 1),
        ])?;
    }
    Ok(table.finish()?)
}

/// Two layers `gap` apart that move by `motion`, with `lower` points in the lower
/// layer.
fn stencils(lower: usize, gap: f64, motion: f64) -> Vec<(Stencil, Stencil)> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    (0..STENCILS)
        .map(|_| {
            let place = random.vector();
            let start = std::array::from_fn(|i| {
                let flat = random.vector() * DVec3::new(0.01, 0.01, 0.0005);
                let layer = if i < lower { 0.0 } else { gap };
                place + flat + DVec3::Z * layer
            });
            let common = random.vector() * 0.01;
            let end = start.map(|x: DVec3| x + common + random.vector() * motion);
            (start, end)
        })
        .collect()
}

/// A generator of the same numbers in every run (xorshift).
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
