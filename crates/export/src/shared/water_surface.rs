//! The surface of water and its horizontal extent.

use super::bounds;
use conatus_math::{DVec3, sincos};
use conatus_record::{Recording, Up, WaterInfo};

/// The most waves of a stretch of water that pictures show.
const MAX_WAVES: usize = 64;

/// The height of water at a place and a moment, and its slopes along the two
/// horizontal axes.
pub(crate) fn height_and_slope(water: &WaterInfo, h: [f64; 2], time: f64) -> (f64, [f64; 2]) {
    let (mut height, mut slope) = (water.level, [0.0; 2]);
    for wave in water.waves.iter().take(MAX_WAVES) {
        let [kx, ky] = wave.wave_vector;
        let angle = kx * h[0] + ky * h[1] - wave.angular_frequency * time + wave.phase;
        let (sin, cos) = sincos(angle);
        height += wave.amplitude * sin;
        slope[0] += wave.amplitude * cos * kx;
        slope[1] += wave.amplitude * cos * ky;
    }
    (height, slope)
}

/// The horizontal extent of a stretch of water: its own, or that of the motion
/// with a margin.
pub(crate) fn horizontal_extent(recording: &Recording, water: &WaterInfo) -> [[f64; 2]; 2] {
    water.extent.unwrap_or_else(|| {
        let outer = bounds::display_box(recording);
        let flat = |v: DVec3| match recording.header.up {
            Up::Y => [v.x, v.z],
            Up::Z => [v.x, v.y],
        };
        [flat(outer.lo), flat(outer.hi)]
    })
}
