//! The compact recording in an HTML file: what the page shows, in single
//! precision and in a layout that gzip compresses well.
//!
//! All numbers are little-endian. F frames, N bodies, C contacts of all frames
//! together, S series:
//!
//! ```text
//! u8[8]      "conatus1"
//! u32[5]     J, F, N, C, S
//! u8[J]      JSON: { "header", "title", "events", "series", "chart" }
//! wide[2+S]  F values each: time (f64), step (u64), the series (f64)
//! narrow[9]  one track of F values: kinetic, potential, momentum xyz, angular
//!            momentum xyz, penetration
//! narrow[13] N tracks of F values: position xyz, orientation wxyz, velocity
//!            xyz, omega_body xyz
//! u8[4 F]    how many contacts a frame has, u32, as planes
//! narrow[7]  one track of C values: point xyz, impulse xyz, penetration
//! u8[F N]    status, each the exclusive or with the frame before; frame by
//!            frame
//! cloth      if the header has pieces of cloth: u32 stride, then each piece
//! ```
//!
//! *Planes* of values are their most significant bytes one after the other,
//! then the next bytes, and so on: similar bytes are adjacent.
//!
//! A *wide* column is the planes of zigzag(d), where d is the second difference
//! of the values' 64 bits, wrapping; before the first value all are zero.
//!
//! A *narrow* column is a byte `order` from 0 to 3 and the planes of zigzag(d),
//! where d is the wrapping difference of rank(value) and rank(prediction), values
//! being f32. The prediction continues the track by the polynomial through its last
//! `order` values a, b, c (the latest first): 0, a, 2a − b, or 3(a − b) + c,
//! computed in f64 and rounded to f32, and 0 where that is not finite. A value
//! with too few before it in its track takes the highest order that it can.
//!
//! *Cloth* is stored for K frames, every stride-th and the last; the page
//! interpolates linearly between them. A piece of V vertices is
//!
//! ```text
//! f64[6]     the corners of the box around it in all K frames, least first
//! u8[3 K]    modes: of each frame three, for x, y and z
//! u8[3 K V]  high bytes, in the order of the modes, vertex by vertex
//! u8[3 K V]  low bytes
//! ```
//!
//! Each coordinate is quantised to 65535ths of the box, with an error of at most
//! half of that. A vertex without a valid position keeps its last one, at first
//! the least corner. The bytes are zigzag(d) modulo 2¹⁶, where d = error − mean.
//! The error is the quantised coordinate less the prediction from the vertex's
//! own track as above, of order `mode & 3`, in integers. The mean is the truncated
//! mean of the errors of all edge neighbours with a lower index, if `mode & 4` and
//! there are any, and else 0.
//!
//! zigzag(d) is (d << 1) ^ (d >> sign), which maps small numbers of either sign
//! to small numbers. rank maps the bits of an f32 to an i32 of the same order: bits, or
//! bits ^ 0x7fff_ffff if they are negative.

mod cloth;

use self::cloth::CompactCloth;
use crate::series::{self, SERIES};
use conatus_export::ExportError;
use conatus_record::{Clip, ContactFrame, Frame, Recording};
use serde_json::json;
use std::io::Write;

/// The first bytes of the layout.
pub const MAGIC: &[u8; 8] = b"conatus1";

/// The largest recording that a page unpacks.
const MAX_UNPACKED_BYTES: usize = 1 << 30;

/// Writes a recording; `title` is the title of its scene.
pub fn write(
    recording: &Recording,
    title: Option<&str>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let Recording { header, frames, .. } = recording;
    let contacts: Vec<&ContactFrame> = frames.iter().flat_map(|frame| &frame.contacts).collect();
    let json = serde_json::to_vec(&json!({
        "header": header,
        "title": title,
        "events": recording.events,
        "series": SERIES,
        "chart": recording.clip.as_ref().map(Clip::chart),
    }))
    .map_err(|error| ExportError::DoesNotFit(error.to_string()))?;
    let bodies = header.bodies.len();
    let bytes = frames
        .len()
        .saturating_mul(bodies.saturating_mul(13 * 4).saturating_add(200))
        .saturating_add(contacts.len().saturating_mul(7 * 4))
        .saturating_add(json.len());
    if bytes > MAX_UNPACKED_BYTES {
        return Err(ExportError::DoesNotFit(format!(
            "a page cannot hold {} frames of {bodies} bodies",
            frames.len()
        )));
    }

    let cloth = CompactCloth::new(header, frames);
    let mut out = Output(out);
    out.bytes(MAGIC)?;
    let counts = [
        json.len(),
        frames.len(),
        bodies,
        contacts.len(),
        SERIES.len(),
    ];
    for count in counts {
        // All are below MAX_UNPACKED_BYTES, which fits.
        out.bytes(&(count as u32).to_le_bytes())?;
    }
    out.bytes(&json)?;

    out.wide(frames.iter().map(|frame| frame.time.to_bits()))?;
    out.wide(frames.iter().map(|frame| frame.step))?;
    let lines: Vec<_> = frames.iter().map(series::values).collect();
    for i in 0..SERIES.len() {
        out.wide(lines.iter().map(|line| line[i].to_bits()))?;
    }
    for i in 0..9 {
        let column: Vec<f32> = frames.iter().map(|frame| totals(frame)[i] as f32).collect();
        out.narrow(&column, frames.len())?;
    }
    for i in 0..13 {
        let track = |body: usize| frames.iter().map(move |frame| pose(frame, body)[i] as f32);
        let column: Vec<f32> = (0..bodies).flat_map(track).collect();
        out.narrow(&column, frames.len())?;
    }
    let counts: Vec<u32> = frames.iter().map(|f| f.contacts.len() as u32).collect();
    out.planes(&counts)?;
    for i in 0..7 {
        let column: Vec<f32> = contacts.iter().map(|c| contact(c)[i] as f32).collect();
        out.narrow(&column, contacts.len())?;
    }
    let mut before = vec![0; bodies];
    for frame in frames {
        let status: Vec<u8> = frame.bodies.iter().map(|body| body.status as u8).collect();
        let change: Vec<u8> = status.iter().zip(&before).map(|(a, b)| a ^ b).collect();
        out.bytes(&change)?;
        before = status;
    }
    cloth.write(&mut out)
}

fn totals(frame: &Frame) -> [f64; 9] {
    let t = &frame.totals;
    let (p, l) = (t.momentum, t.angular_momentum);
    let depth = t.max_penetration;
    [t.kinetic, t.potential, p.x, p.y, p.z, l.x, l.y, l.z, depth]
}

fn pose(frame: &Frame, body: usize) -> [f64; 13] {
    let body = &frame.bodies[body];
    let (x, q, v, w) = (
        body.position,
        body.orientation,
        body.velocity,
        body.omega_body,
    );
    [
        x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z,
    ]
}

fn contact(contact: &ContactFrame) -> [f64; 7] {
    let (p, j) = (contact.point, contact.impulse);
    [p.x, p.y, p.z, j.x, j.y, j.z, contact.penetration]
}

struct Output<'a>(&'a mut dyn Write);

impl Output<'_> {
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.0.write_all(bytes).map_err(ExportError::Output)
    }

    fn planes(&mut self, values: &[u32]) -> Result<(), ExportError> {
        for shift in [24, 16, 8, 0] {
            let plane: Vec<u8> = values.iter().map(|v| (v >> shift) as u8).collect();
            self.bytes(&plane)?;
        }
        Ok(())
    }

    fn wide(&mut self, values: impl Iterator<Item = u64>) -> Result<(), ExportError> {
        let (mut last, mut step) = (0u64, 0u64);
        let values: Vec<u64> = values
            .map(|value| {
                let change = value.wrapping_sub(last);
                let d = change.wrapping_sub(step) as i64;
                (last, step) = (value, change);
                (d << 1 ^ d >> 63) as u64
            })
            .collect();
        let half = |shift: u32| {
            values
                .iter()
                .map(|v| (v >> shift) as u32)
                .collect::<Vec<_>>()
        };
        self.planes(&half(32))?;
        self.planes(&half(0))
    }

    /// Writes a column with the order that leaves the fewest bits.
    fn narrow(&mut self, values: &[f32], track: usize) -> Result<(), ExportError> {
        let coded = |order| differences(values, track, order);
        let bits = |order| -> u64 {
            coded(order)
                .map(|d| u64::from(32 - d.leading_zeros()))
                .sum()
        };
        let order = (0..=3).min_by_key(|order| bits(*order)).unwrap_or(0);
        self.bytes(&[order as u8])?;
        self.planes(&coded(order).collect::<Vec<_>>())
    }
}

/// The encoded difference of each value from its prediction.
fn differences(values: &[f32], track: usize, order: usize) -> impl Iterator<Item = u32> {
    values.chunks(track.max(1)).flat_map(move |track| {
        track.iter().enumerate().map(move |(i, value)| {
            let d = rank(*value).wrapping_sub(rank(predict(&track[..i], order)));
            (d << 1 ^ d >> 31) as u32
        })
    })
}

fn predict(before: &[f32], order: usize) -> f32 {
    let last = |i: usize| f64::from(before[before.len() - 1 - i]);
    let predicted = match order.min(before.len()) {
        0 => 0.0,
        1 => last(0),
        2 => 2.0 * last(0) - last(1),
        _ => 3.0 * (last(0) - last(1)) + last(2),
    } as f32;
    if predicted.is_finite() {
        predicted
    } else {
        0.0
    }
}

fn rank(value: f32) -> i32 {
    let bits = value.to_bits() as i32;
    if bits < 0 { bits ^ 0x7fff_ffff } else { bits }
}
