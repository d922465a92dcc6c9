//! Water at the end of the run: small tiles of its surface, drawn from far to
//! near with the bodies between them.

use super::bodies::BodyPainter;
use super::put;
use super::view::{hex, lit};
use crate::shared::{bounds, water_surface};
use conatus_math::DVec3;
use conatus_record::{Frame, Recording, Up, WaterInfo};
use std::fmt::Write as _;

const WATER_COLOR: [f64; 3] = [126.0, 178.0, 208.0];
/// Tiles along the longer side.
const TILES_PER_SIDE: f64 = 44.0;

/// Bounds the size of the file.
const MAX_WATERS: usize = 8;

enum Piece {
    Tile([DVec3; 4]),
    Body(usize),
}

/// Draws the water and the bodies of the frame.
pub(super) fn draw(
    recording: &Recording,
    frame: &Frame,
    painter: &mut BodyPainter,
    out: &mut String,
) {
    let view = painter.view;
    let mut pieces: Vec<(f64, Piece)> = Vec::new();
    for (index, body) in frame.present_bodies() {
        pieces.push((
            view.depth(level(body.position, recording.header.up)),
            Piece::Body(index),
        ));
    }
    for water in recording.header.waters.iter().take(MAX_WATERS) {
        for tile in tiles(recording, water, frame.time) {
            let middle = tile.iter().copied().sum::<DVec3>() / 4.0;
            let depth = view.depth(level(middle, recording.header.up));
            pieces.push((depth, Piece::Tile(tile)));
        }
    }
    pieces.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, piece) in pieces {
        match piece {
            Piece::Body(index) => painter.body(frame, index, 1.0, out),
            Piece::Tile(corners) => {
                let [a, b, c, d] = corners;
                let normal = (c - a).cross(d - b).normalize_or_zero();
                let normal = normal * normal.dot(bounds::up(&recording.header)).signum();
                let light = view.slope_light(normal, bounds::up(&recording.header));
                let fill = hex(lit(WATER_COLOR, light.clamp(0.62, 1.5)));
                let [a, b, c, d] = corners.map(|p| view.at(p));
                put!(
                    out,
                    r#"<path d="M{:.1} {:.1}L{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}Z" fill="{fill}" stroke="{fill}" stroke-width=".7"/>"#,
                    a[0],
                    a[1],
                    b[0],
                    b[1],
                    c[0],
                    c[1],
                    d[0],
                    d[1]
                );
            }
        }
    }
    painter.springs(frame, 1.0, out);
    out.push('\n');
}

/// A point at height 0: the drawing order depends on the horizontal position only,
/// or a high body would be drawn before the waves that hide its hull.
fn level(p: DVec3, up: Up) -> DVec3 {
    match up {
        Up::Y => DVec3::new(p.x, 0.0, p.z),
        Up::Z => DVec3::new(p.x, p.y, 0.0),
    }
}

fn tiles(recording: &Recording, water: &WaterInfo, time: f64) -> Vec<[DVec3; 4]> {
    let up = recording.header.up;
    let world = |h: [f64; 2], z: f64| match up {
        Up::Y => DVec3::new(h[0], z, h[1]),
        Up::Z => DVec3::new(h[0], h[1], z),
    };
    let [lo, hi] = water_surface::horizontal_extent(recording, water);
    let size = [hi[0] - lo[0], hi[1] - lo[1]];
    let tile = size[0].max(size[1]) / TILES_PER_SIDE;
    if !(tile.is_finite() && tile > 0.0 && size[0] > 0.0 && size[1] > 0.0) {
        return Vec::new();
    }
    let count = size.map(|s| (s / tile).ceil().clamp(1.0, TILES_PER_SIDE));
    let at = |i: f64, j: f64| {
        let h = [
            lo[0] + size[0] * i / count[0],
            lo[1] + size[1] * j / count[1],
        ];
        world(h, water_surface::height_and_slope(water, h, time).0)
    };
    let mut out = Vec::new();
    for j in 0..count[1] as usize {
        for i in 0..count[0] as usize {
            let (i, j) = (i as f64, j as f64);
            let tile = [
                at(i, j),
                at(i + 1.0, j),
                at(i + 1.0, j + 1.0),
                at(i, j + 1.0),
            ];
            if tile.iter().all(|p| p.is_finite()) {
                out.push(tile);
            }
        }
    }
    out
}
