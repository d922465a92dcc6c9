//! Water as blocks: the moving surface, the sides and the bottom.

use super::picture_space::narrow;
use super::primitives::Triangle;
use super::render_scene::RenderScene;
use crate::shared::water_surface;
use conatus_math::DVec3;
use conatus_record::{Up, WaterInfo};
use std::f64::consts::TAU;

/// The most stretches of water, and the most grid cells along a side.
const MAX_WATERS: usize = 8;
const MAX_CELLS: f64 = 128.0;
/// Cells per wavelength, if that many fit.
const CELLS_PER_WAVE: f64 = 16.0;

/// The triangles of all water at a time.
pub(super) fn surfaces(scene: &RenderScene, time: f64) -> Vec<Triangle> {
    let mut out = Vec::new();
    if time.is_finite() {
        for water in scene.recording.header.waters.iter().take(MAX_WATERS) {
            block(scene, water, time, &mut out);
        }
    }
    out
}

fn block(scene: &RenderScene, water: &WaterInfo, time: f64, out: &mut Vec<Triangle>) {
    let up = scene.recording.header.up;
    let [lo, hi] = water_surface::horizontal_extent(scene.recording, water);
    let size = [hi[0] - lo[0], hi[1] - lo[1]];
    if !size.iter().all(|s| *s > 0.0 && s.is_finite()) {
        return;
    }
    let steepest = water
        .waves
        .iter()
        .map(|w| w.wave_vector[0].hypot(w.wave_vector[1]));
    let steepest = steepest.fold(0.0, f64::max);
    let cells = size.map(|s| {
        let wanted = CELLS_PER_WAVE * s * steepest / TAU;
        wanted.clamp(8.0, MAX_CELLS).ceil() as usize
    });
    // Horizontal coordinates and height to the picture's space.
    let world = |h: [f64; 2], z: f64| {
        scene.space.at(match up {
            Up::Y => DVec3::new(h[0], z, h[1]),
            Up::Z => DVec3::new(h[0], h[1], z),
        })
    };
    let direction = |h: [f64; 2], z: f64| {
        scene.space.turn(match up {
            Up::Y => DVec3::new(h[0], z, h[1]),
            Up::Z => DVec3::new(h[0], h[1], z),
        })
    };
    let mut put = |corners: [(DVec3, DVec3); 3]| {
        out.push(Triangle {
            corners: corners.map(|(p, _)| narrow(p)),
            normals: corners.map(|(_, n)| narrow(n)),
            color: [0.0; 3],
            octants: None,
            quarantined: false,
            cloth: false,
        });
    };
    let mut quad = |corners: [Option<(DVec3, DVec3)>; 4]| {
        if let [Some(a), Some(b), Some(c), Some(d)] = corners {
            put([a, b, c]);
            put([a, c, d]);
        }
    };
    let place = |i: usize, j: usize| {
        [
            lo[0] + size[0] * i as f64 / cells[0] as f64,
            lo[1] + size[1] * j as f64 / cells[1] as f64,
        ]
    };
    let mut grid = Vec::with_capacity((cells[0] + 1) * (cells[1] + 1));
    for j in 0..=cells[1] {
        for i in 0..=cells[0] {
            let h = place(i, j);
            let (height, slope) = water_surface::height_and_slope(water, h, time);
            let normal = direction([-slope[0], -slope[1]], 1.0).try_normalize();
            grid.push(world(h, height).zip(normal));
        }
    }
    let at = |i: usize, j: usize| grid.get(j * (cells[0] + 1) + i).copied().flatten();
    for j in 0..cells[1] {
        for i in 0..cells[0] {
            quad([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    // Unbounded water has no sides.
    let (Some(_), Some(bed)) = (water.extent, bed(scene, water)) else {
        return;
    };
    let corner = |i: usize, j: usize| {
        let down = direction([0.0; 2], -1.0);
        Some((world(place(i * cells[0], j * cells[1]), bed)?, down))
    };
    quad([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]);
    let mut wall = |from: [usize; 2], to: [usize; 2], outward: [f64; 2]| {
        let normal = direction(outward, 0.0);
        let below = |[i, j]: [usize; 2]| Some((world(place(i, j), bed)?, normal));
        let above = |[i, j]: [usize; 2]| Some((at(i, j)?.0, normal));
        quad([below(from), below(to), above(to), above(from)]);
    };
    for i in 0..cells[0] {
        wall([i, 0], [i + 1, 0], [0.0, -1.0]);
        wall([i, cells[1]], [i + 1, cells[1]], [0.0, 1.0]);
    }
    for j in 0..cells[1] {
        wall([0, j], [0, j + 1], [-1.0, 0.0]);
        wall([cells[0], j], [cells[0], j + 1], [1.0, 0.0]);
    }
}

/// The height of the ground below the water.
fn bed(scene: &RenderScene, water: &WaterInfo) -> Option<f64> {
    let swell: f64 = water.waves.iter().map(|w| w.amplitude.abs()).sum();
    Some(scene.ground).filter(|ground| *ground < water.level - swell)
}
