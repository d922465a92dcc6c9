//! A row of pictures for bodies that rotate in place: a stroboscopic picture would
//! show them on top of each other.

use super::bodies::BodyPainter;
use super::view::View;
use super::{MARGIN, SOFT, WIDTH, put, short};
use crate::shared::bounds;
use crate::shared::bounds::Extent;
use conatus_record::Recording;
use std::fmt::Write as _;

const PICTURES: usize = 6;
const MAX_BODIES: usize = 12;
const MAX_HEIGHT: f64 = 340.0;
/// The height of the times below the pictures.
const LABEL_HEIGHT: f64 = 34.0;

/// Whether every body stays within its own size.
pub(super) fn is_suitable(recording: &Recording) -> bool {
    let header = &recording.header;
    let bodies = header.bodies.len();
    let stays = |b: usize| {
        let mut path_extent = Extent::EMPTY;
        for body in recording.frames.iter().filter_map(|f| f.bodies.get(b)) {
            path_extent.add(body.position, 0.0);
        }
        let size = header
            .bodies
            .get(b)
            .map_or(0.0, |b| bounds::radius(header, b));
        path_extent.lo.x > path_extent.hi.x || path_extent.diagonal() < 2.0 * size
    };
    recording.frames.len() > 1 && (1..=MAX_BODIES).contains(&bodies) && (0..bodies).all(stays)
}

/// Draws the row with its top at `top`; returns its height.
pub(super) fn draw(recording: &Recording, mut view: View, top: f64, out: &mut String) -> f64 {
    let frames = &recording.frames;
    let count = PICTURES.min(frames.len());
    let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for corner in bounds::extent(recording).corners() {
        let at = view.flat(corner);
        for k in 0..2 {
            lo[k] = lo[k].min(at[k]);
            hi[k] = hi[k].max(at[k]);
        }
    }
    let cell = (WIDTH - 2.0 * MARGIN) / count as f64;
    // The corners of the box are farther out than any body.
    let size = [hi[0] - lo[0], hi[1] - lo[1]].map(|s| 0.86 * s.max(1e-9));
    view.scale = (cell / size[0]).min((MAX_HEIGHT - LABEL_HEIGHT) / size[1]);
    let high = size[1] * view.scale;
    let middle = [0, 1].map(|k| view.scale * (lo[k] + hi[k]) / 2.0);
    let mut painter = BodyPainter::new(recording, view, count);
    for k in 0..count {
        let along = k as f64 / (count - 1).max(1) as f64;
        let index = (along * (frames.len() - 1) as f64).round() as usize;
        let Some(frame) = frames.get(index) else {
            continue;
        };
        let x = MARGIN + cell * (k as f64 + 0.5);
        painter.view.origin = [x - middle[0], top + high / 2.0 - middle[1]];
        painter.springs(frame, 1.0, out);
        painter.bodies(frame, 1.0, out);
        put!(
            out,
            r#"<text x="{x:.1}" y="{:.1}" font-size="12.5" fill="{SOFT}" text-anchor="middle">{} s</text>"#,
            top + high + LABEL_HEIGHT - 10.0,
            short(frame.time)
        );
    }
    out.push('\n');
    high + LABEL_HEIGHT
}
