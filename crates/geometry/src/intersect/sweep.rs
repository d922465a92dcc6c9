//! Candidates by sweep and prune: boxes sorted by their lower ends along one
//! axis, each compared with those that begin before it ends.

use conatus_math::DVec3;
use rayon::prelude::*;

/// The bounding box of a triangle; the axis of the sweep comes first.
struct Entry {
    low: [f64; 3],
    high: [f64; 3],
    triangle: u32,
}

/// Triangles handled by one task.
const TRIANGLES_PER_TASK: usize = 8192;

/// The pairs of triangles, the lower index first, whose boxes overlap or touch
/// and for which `meet` is true; at most `limit` of them, in the order of the
/// sweep.
pub(super) fn pairs(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    limit: usize,
    meet: impl Fn(u32, u32) -> bool + Sync,
) -> Vec<(u32, u32)> {
    let axis = widest_axis(vertices, triangles);
    let turned = |p: DVec3| [p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]];
    let mut entries: Vec<Entry> = (0u32..)
        .zip(triangles)
        .filter_map(|(triangle, t)| {
            let [a, b, c] = t.map(|i| vertices[i as usize]);
            (a.is_finite() && b.is_finite() && c.is_finite()).then(|| Entry {
                low: turned(a.min(b).min(c)),
                high: turned(a.max(b).max(c)),
                triangle,
            })
        })
        .collect();
    entries
        .sort_unstable_by(|a, b| (a.low[0].total_cmp(&b.low[0])).then(a.triangle.cmp(&b.triangle)));
    let starts: Vec<usize> = (0..entries.len()).step_by(TRIANGLES_PER_TASK).collect();
    let task = |first: &usize| {
        let mut found = Vec::new();
        for i in *first..entries.len().min(*first + TRIANGLES_PER_TASK) {
            let a = &entries[i];
            for b in &entries[i + 1..] {
                if b.low[0] > a.high[0] || found.len() == limit {
                    break;
                }
                // One branch for both axes: each alone is poorly predicted.
                let apart = (b.low[1] > a.high[1])
                    | (a.low[1] > b.high[1])
                    | (b.low[2] > a.high[2])
                    | (a.low[2] > b.high[2]);
                if apart {
                    continue;
                }
                let pair = (a.triangle.min(b.triangle), a.triangle.max(b.triangle));
                if meet(pair.0, pair.1) {
                    found.push(pair);
                }
            }
        }
        found
    };
    let tasks: Vec<Vec<(u32, u32)>> = starts.par_iter().map(task).collect();
    tasks.into_iter().flatten().take(limit).collect()
}

/// The axis along which the triangles' first corners vary most.
fn widest_axis(vertices: &[DVec3], triangles: &[[u32; 3]]) -> usize {
    let corners = || {
        let corners = triangles.iter().map(|t| vertices[t[0] as usize]);
        corners.filter(|p| p.is_finite())
    };
    let count = triangles.len().max(1) as f64;
    let mean: DVec3 = corners().map(|p| p / count).sum();
    let variance: DVec3 = corners().map(|p| (p - mean) * (p - mean)).sum();
    if variance.x >= variance.y && variance.x >= variance.z {
        0
    } else if variance.y >= variance.z {
        1
    } else {
        2
    }
}
