//! Translucent surfaces: open obstacles, such as funnels, that would hide cloth.

use super::camera::Camera;
use super::picture_space::PictureSpace;
use super::scan;
use crate::shared::surface::Corner;
use conatus_math::DVec3;
use conatus_record::{Frame, Recording};

/// The most layers that are blended at a sample.
const MAX_LAYERS: usize = 4;
/// Cells along a side of the depth grid for visibility.
const GRID_CELLS: usize = 160;
/// Obstacles that hide more than this fraction of a piece of cloth become
/// translucent.
const MIN_HIDDEN_FRACTION: f64 = 0.2;

/// One translucent layer at a sample.
#[derive(Clone, Copy, Default)]
pub(super) struct TranslucentLayer {
    /// 1/depth; 0 if there is none.
    pub inverse_depth: f32,
    pub normal: [f32; 3],
    pub color: [f32; 3],
}

/// The translucent layers at a sample, the nearest first.
#[derive(Clone, Copy, Default)]
pub(super) struct TranslucentLayers {
    layers: [TranslucentLayer; MAX_LAYERS],
}

impl TranslucentLayers {
    /// Inserts a layer by depth; the farthest one is dropped.
    pub fn insert(&mut self, mut layer: TranslucentLayer) {
        for slot in &mut self.layers {
            if layer.inverse_depth > slot.inverse_depth {
                std::mem::swap(slot, &mut layer);
            }
        }
    }

    /// The layers in front of a depth, the farthest first.
    pub fn before(&self, depth: f64) -> impl Iterator<Item = &TranslucentLayer> {
        let seen = move |l: &&TranslucentLayer| {
            l.inverse_depth > 0.0 && 1.0 / f64::from(l.inverse_depth) < depth
        };
        self.layers.iter().rev().filter(seen)
    }

    /// Whether both samples have the same smooth layers.
    pub fn is_like(&self, other: &Self) -> bool {
        let alike = |(a, b): (&TranslucentLayer, &TranslucentLayer)| {
            let turned = a.normal.iter().zip(b.normal).map(|(a, b)| (a - b).abs());
            (a.inverse_depth - b.inverse_depth).abs() <= 0.02 * a.inverse_depth.max(b.inverse_depth)
                && turned.fold(0.0, f32::max) < 0.2
        };
        self.layers.iter().zip(&other.layers).all(alike)
    }
}

/// The opacity of a layer by the cosine of its angle to the view: greater at
/// grazing angles.
pub(super) fn opacity(facing: f64) -> f64 {
    let edge = 1.0 - facing.abs().clamp(0.0, 1.0);
    0.24 + 0.6 * edge * edge * edge
}

/// Whether an obstacle with this surface hides a large part of a piece of cloth in
/// any of the shown frames.
pub(super) fn hides_cloth(
    recording: &Recording,
    shown: &[&Frame],
    body: usize,
    surface: &[Corner],
    space: &PictureSpace,
    camera: &Camera,
) -> bool {
    shown.iter().any(|frame| {
        let Some((at, axes)) = frame.present_body(body).and_then(|b| space.pose(b)) else {
            return false;
        };
        let place = |p: DVec3| {
            let p = p / space.scale;
            at + axes[0] * p.x + axes[1] * p.y + axes[2] * p.z
        };
        let nearest = nearest(surface, place, camera);
        let hidden = |p: &&DVec3| {
            let Some([x, y, inverse_depth]) = space.at(**p).and_then(|p| spot(p, camera)) else {
                return false;
            };
            let inside = |v: f64| (0.0..GRID_CELLS as f64).contains(&v);
            let cell = y as usize * GRID_CELLS + x as usize;
            let before = nearest.get(cell).filter(|_| inside(x) && inside(y));
            before.is_some_and(|before| *before > 1.002 * inverse_depth)
        };
        recording.header.cloth_pieces().any(|(piece, range)| {
            let points = frame.cloth.get(range).unwrap_or_default();
            points.iter().filter(hidden).count() as f64
                > MIN_HIDDEN_FRACTION * piece.vertices as f64
        })
    })
}

/// The greatest 1/depth of a surface in each cell of the depth grid.
fn nearest(surface: &[Corner], place: impl Fn(DVec3) -> DVec3, camera: &Camera) -> Vec<f64> {
    let mut cells = vec![0.0; GRID_CELLS * GRID_CELLS];
    for triangle in surface.as_chunks::<3>().0 {
        let seen = triangle.each_ref().map(|c| spot(place(c.position), camera));
        let [Some(a), Some(b), Some(c)] = seen else {
            continue;
        };
        let flat = [a, b, c].map(|[x, y, _]| [x, y]);
        scan::triangle(flat, 0..GRID_CELLS, 0..GRID_CELLS, |x, y, [wa, wb, wc]| {
            let inverse_depth = wa * a[2] + wb * b[2] + wc * c[2];
            if let Some(cell) = cells.get_mut(y * GRID_CELLS + x) {
                *cell = f64::max(*cell, inverse_depth);
            }
        });
    }
    cells
}

/// The cell coordinates of a point in the depth grid, and its 1/depth.
fn spot(p: DVec3, camera: &Camera) -> Option<[f64; 3]> {
    let v = camera.view(p);
    let size = [GRID_CELLS as f64; 2];
    let [x, y] = camera.place(v.x / v.z, v.y / v.z, size);
    (v.z > 1e-3).then_some([x, y, 1.0 / v.z])
}
