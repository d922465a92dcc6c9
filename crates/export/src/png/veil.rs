//! Open obstacles, such as funnels, that stand before cloth: they are drawn
//! like glass, so that one sees what is in them.

use super::camera::Camera;
use super::scan;
use super::space::Space;
use crate::shared::surface::Corner;
use conatus_math::DVec3;
use conatus_record::{Frame, Recording};

/// The most layers that a ray is seen to pass.
const LAYERS: usize = 4;
/// Cells along a side of the coarse picture that tells what hides what.
const CELLS: usize = 160;
/// Obstacles that hide more than this part of a piece of cloth are glass.
const HIDDEN: f64 = 0.2;

/// One sheet of glass at a sample.
#[derive(Clone, Copy, Default)]
pub(super) struct Layer {
    /// 1 over the depth, 0 for none.
    pub near: f32,
    pub normal: [f32; 3],
    pub color: [f32; 3],
}

/// The glass at a sample, the nearest first.
#[derive(Clone, Copy, Default)]
pub(super) struct Veil {
    layers: [Layer; LAYERS],
}

impl Veil {
    /// Adds a sheet in its place; the farthest one gives way.
    pub fn insert(&mut self, mut layer: Layer) {
        for slot in &mut self.layers {
            if layer.near > slot.near {
                std::mem::swap(slot, &mut layer);
            }
        }
    }

    /// The sheets before a depth, the farthest first.
    pub fn before(&self, depth: f64) -> impl Iterator<Item = &Layer> {
        let seen = move |l: &&Layer| l.near > 0.0 && 1.0 / f64::from(l.near) < depth;
        self.layers.iter().rev().filter(seen)
    }

    /// Whether both see the same smooth sheets.
    pub fn is_like(&self, other: &Self) -> bool {
        let alike = |(a, b): (&Layer, &Layer)| {
            let turned = a.normal.iter().zip(b.normal).map(|(a, b)| (a - b).abs());
            (a.near - b.near).abs() <= 0.02 * a.near.max(b.near) && turned.fold(0.0, f32::max) < 0.2
        };
        self.layers.iter().zip(&other.layers).all(alike)
    }
}

/// How much of what is behind a sheet it hides, by the cosine of the angle at
/// which it is seen: little where one looks through it, more at its edge.
pub(super) fn opacity(facing: f64) -> f64 {
    let edge = 1.0 - facing.abs().clamp(0.0, 1.0);
    0.24 + 0.6 * edge * edge * edge
}

/// Whether an obstacle with this surface hides a good part of a piece of cloth
/// in any of the frames that are shown.
pub(super) fn stands_before_cloth(
    recording: &Recording,
    shown: &[&Frame],
    body: usize,
    surface: &[Corner],
    space: &Space,
    camera: &Camera,
) -> bool {
    shown.iter().any(|frame| {
        let Some((at, axes)) = frame.bodies.get(body).and_then(|b| space.pose(b)) else {
            return false;
        };
        let place = |p: DVec3| {
            let p = p / space.scale;
            at + axes[0] * p.x + axes[1] * p.y + axes[2] * p.z
        };
        let nearest = nearest(surface, place, camera);
        let hidden = |p: &&DVec3| {
            let Some([x, y, near]) = space.at(**p).and_then(|p| spot(p, camera)) else {
                return false;
            };
            let inside = |v: f64| (0.0..CELLS as f64).contains(&v);
            let cell = y as usize * CELLS + x as usize;
            let before = nearest.get(cell).filter(|_| inside(x) && inside(y));
            before.is_some_and(|before| *before > 1.002 * near)
        };
        recording.header.cloth_pieces().any(|(piece, range)| {
            let points = frame.cloth.get(range).unwrap_or_default();
            points.iter().filter(hidden).count() as f64 > HIDDEN * piece.vertices as f64
        })
    })
}

/// 1 over the least depth of a surface in each cell of a coarse picture.
fn nearest(surface: &[Corner], place: impl Fn(DVec3) -> DVec3, camera: &Camera) -> Vec<f64> {
    let mut cells = vec![0.0; CELLS * CELLS];
    for triangle in surface.as_chunks::<3>().0 {
        let seen = triangle.each_ref().map(|c| spot(place(c.position), camera));
        let [Some(a), Some(b), Some(c)] = seen else {
            continue;
        };
        let flat = [a, b, c].map(|[x, y, _]| [x, y]);
        scan::triangle(flat, 0..CELLS, 0..CELLS, |x, y, [wa, wb, wc]| {
            let near = wa * a[2] + wb * b[2] + wc * c[2];
            if let Some(cell) = cells.get_mut(y * CELLS + x) {
                *cell = f64::max(*cell, near);
            }
        });
    }
    cells
}

/// The place of a point in the coarse picture, and 1 over its depth.
fn spot(p: DVec3, camera: &Camera) -> Option<[f64; 3]> {
    let v = camera.view(p);
    let size = [CELLS as f64; 2];
    let [x, y] = camera.place(v.x / v.z, v.y / v.z, size);
    (v.z > 1e-3).then_some([x, y, 1.0 / v.z])
}
