//! Water as a grid whose travelling waves are morph targets.
//!
//! Each wave needs two, since A·sin(θ − ωt) = A·sin θ · cos ωt − A·cos θ · sin ωt
//! with θ = k·x + φ: the targets hold A·sin θ and A·cos θ, the weights cos ωt
//! and −sin ωt. So the surface is exact at every key and every grid point. The
//! normals are exact too: before normalisation they are linear in the slopes.

use super::NodeIndex;
use super::builder::{Builder, Surface};
use super::keyframes::{Keyframes, Track};
use crate::ExportError;
use crate::shared::water_surface;
use conatus_record::{Recording, Up, WaterInfo, WaveInfo};
use gltf_json as json;
use json::accessor::Type;
use std::f64::consts::TAU;

/// The most cells along a side.
const MAX_CELLS: usize = 96;
/// Cells per wavelength, if that many fit.
const CELLS_PER_WAVE: f64 = 12.0;
/// The most waves that are shown, the highest ones.
const MAX_WAVES: usize = 16;

/// Adds a node for each stretch of water.
pub(super) fn add(
    recording: &Recording,
    keys: &Keyframes,
    builder: &mut Builder,
    children: &mut Vec<NodeIndex>,
) -> Result<(), ExportError> {
    for water in &recording.header.waters {
        let mut waves: Vec<_> = water.waves.iter().collect();
        waves.sort_by(|a, b| b.amplitude.abs().total_cmp(&a.amplitude.abs()));
        waves.truncate(MAX_WAVES);
        let Some(surface) = surface(recording, water, &waves, builder)? else {
            continue;
        };
        let material = builder.double_sided_material("water", [0.13, 0.42, 0.66], 0.55);
        let mesh = builder.mesh("water", &surface, material);
        let mut track = Track::default();
        for frame in keys.frames.iter().filter_map(|&f| recording.frames.get(f)) {
            track.weights.extend(weights(&waves, frame.time));
        }
        let first = weights(&waves, recording.frames.first().map_or(0.0, |f| f.time));
        let node = builder.root.push(json::Node {
            name: Some("water".into()),
            mesh: Some(mesh),
            weights: (!first.is_empty()).then_some(first),
            ..json::Node::default()
        });
        children.push(node);
        builder.animate(node, keys, &track)?;
    }
    Ok(())
}

/// The weights of the targets at a moment.
fn weights(waves: &[&WaveInfo], time: f64) -> Vec<f32> {
    let of_wave = |w: &&WaveInfo| {
        let (sin, cos) = (w.angular_frequency * time).sin_cos();
        [cos, -sin].map(|v| if v.is_finite() { v as f32 } else { 0.0 })
    };
    waves.iter().flat_map(of_wave).collect()
}

fn surface(
    recording: &Recording,
    water: &WaterInfo,
    waves: &[&WaveInfo],
    builder: &mut Builder,
) -> Result<Option<Surface>, ExportError> {
    let up = recording.header.up;
    // From horizontal coordinates and height to the recording's axes.
    let world = |h: [f64; 2], z: f64| match up {
        Up::Y => [h[0], z, h[1]].map(|v| v as f32),
        Up::Z => [h[0], h[1], z].map(|v| v as f32),
    };
    let [lo, hi] = water_surface::horizontal_extent(recording, water);
    let size = [hi[0] - lo[0], hi[1] - lo[1]];
    let fits = |v: f64| v.abs() < 1e30;
    let in_range = lo.into_iter().chain(hi).all(fits) && fits(water.level);
    if !(in_range && size[0] > 0.0 && size[1] > 0.0) {
        return Ok(None);
    }
    let max_wave_number = waves
        .iter()
        .map(|w| w.wave_vector[0].hypot(w.wave_vector[1]))
        .fold(0.0, f64::max);
    let cells = size.map(|s| {
        let wanted = CELLS_PER_WAVE * s * max_wave_number / TAU;
        wanted.clamp(1.0, MAX_CELLS as f64).ceil() as usize
    });
    let mut grid = Vec::with_capacity((cells[0] + 1) * (cells[1] + 1));
    for j in 0..=cells[1] {
        for i in 0..=cells[0] {
            grid.push([
                lo[0] + size[0] * i as f64 / cells[0] as f64,
                lo[1] + size[1] * j as f64 / cells[1] as f64,
            ]);
        }
    }
    let per_point = |f: &dyn Fn([f64; 2]) -> [f32; 3]| -> Vec<f32> {
        grid.iter().flat_map(|&h| f(h)).collect()
    };
    let positions = per_point(&|h| world(h, water.level));
    let normals = per_point(&|_| world([0.0; 2], 1.0));
    let positions = builder.floats(&positions, Type::Vec3, true)?;
    let normals = builder.floats(&normals, Type::Vec3, true)?;
    let mut targets = Vec::new();
    for wave in waves {
        let k = wave.wave_vector;
        // For A·sin θ the slope is A·cos θ·k, for A·cos θ it is −A·sin θ·k.
        for phase_shift in [0.0, TAU / 4.0] {
            let angle = |h: [f64; 2]| k[0] * h[0] + k[1] * h[1] + wave.phase + phase_shift;
            let a = wave.amplitude;
            let rise = per_point(&|h| finite_or_zero(world([0.0; 2], a * angle(h).sin())));
            let tilt = per_point(&|h| {
                let slope = a * angle(h).cos();
                finite_or_zero(world([-slope * k[0], -slope * k[1]], 0.0))
            });
            targets.push([
                builder.floats(&rise, Type::Vec3, true)?,
                builder.floats(&tilt, Type::Vec3, true)?,
            ]);
        }
    }
    let indices = builder.indices(&triangles(cells, up))?;
    Ok(Some(Surface {
        positions,
        normals,
        colors: None,
        indices: Some(indices),
        targets,
    }))
}

fn finite_or_zero(v: [f32; 3]) -> [f32; 3] {
    v.map(|v| if v.is_finite() { v } else { 0.0 })
}

/// Two triangles per cell that face up; (x, z, y) is a left-handed order.
fn triangles(cells: [usize; 2], up: Up) -> Vec<u32> {
    let mut out = Vec::with_capacity(cells[0] * cells[1] * 6);
    for j in 0..cells[1] {
        for i in 0..cells[0] {
            let a = (j * (cells[0] + 1) + i) as u32;
            let [b, d] = [a + 1, a + cells[0] as u32 + 1];
            let c = d + 1;
            out.extend(match up {
                Up::Z => [a, b, c, a, c, d],
                Up::Y => [a, c, b, a, d, c],
            });
        }
    }
    out
}
