//! A contact sheet: pictures of the motion at evenly spaced frames, made by a
//! software renderer.
//!
//! Balls are exact, meshes are smooth where they are nearly flat, and soft
//! shadows fall on the ground and on other bodies. The same recording gives
//! the same bytes, for any number of threads. Contacts, events and totals are
//! not shown.

mod bins;
mod camera;
mod chart;
#[cfg(test)]
mod cloth_tests;
mod font;
mod picture_space;
mod planes;
mod primitives;
mod raster;
mod render_scene;
mod scan;
mod shade;
mod shadow_map;
#[cfg(test)]
mod tests;
mod text;
mod translucent;
mod water;

use crate::ExportError;
use crate::shared::layout;
use conatus_record::{Frame, Recording};
use rayon::prelude::*;
use render_scene::RenderScene;
use std::io::{self, Write};
use text::{Canvas, Style};

/// The default number of frames on a sheet.
pub const FRAMES: usize = 12;
/// The most frames on a sheet.
pub const MAX_FRAMES: usize = 100;

const WIDTH: usize = 1600;
const MARGIN: usize = 24;
const GAP: usize = 8;
/// The height of the title above the pictures.
const TITLE_HEIGHT: usize = 68;
/// The preferred width of a sheet over its height.
const PREFERRED_ASPECT: f64 = 1.8;

const PAPER: [u8; 3] = [252, 252, 250];
const INK: [u8; 3] = [31, 41, 51];
const SOFT: [u8; 3] = [96, 108, 120];

/// Writes a sheet of at most `frames` frames.
pub fn write(
    recording: &Recording,
    frames: usize,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    let sheet = sheet(recording, frames);
    encode(&sheet, out).map_err(|error| {
        ExportError::Output(match error {
            png::EncodingError::IoError(error) => error,
            other => io::Error::other(other),
        })
    })
}

fn encode(sheet: &Canvas, out: &mut impl Write) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(out, sheet.width as u32, sheet.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&sheet.pixels)?;
    writer.finish()
}

fn sheet(recording: &Recording, frames: usize) -> Canvas {
    let moments = moments(&recording.frames, frames);
    if moments.is_empty() {
        let mut sheet = Canvas::new(WIDTH, TITLE_HEIGHT + 60, PAPER);
        title(recording, 0, &mut sheet);
        let style = Style {
            size: 13.0,
            bold: false,
            color: SOFT,
        };
        let y = (TITLE_HEIGHT + 24) as f64;
        sheet.write("This recording has no frames.", MARGIN as f64, y, style);
        return sheet;
    }
    let scene = RenderScene::new(recording, &moments);
    let layout = Layout::new(moments.len(), scene.aspect);
    let pictures: Vec<Vec<u8>> = moments
        .par_iter()
        .map(|frame| shade::picture(&scene, frame, layout.size))
        .collect();
    let pictures_end = layout.height();
    let below = chart::height(&scene.chart);
    let mut sheet = Canvas::new(WIDTH, pictures_end + below, PAPER);
    let times: Vec<f64> = moments.iter().map(|frame| frame.time).collect();
    chart::draw(&scene.chart, &times, pictures_end - MARGIN, &mut sheet);
    title(recording, moments.len(), &mut sheet);
    let digits = digits(&moments);
    let style = Style {
        size: (layout.size[0] as f64 / 33.0).clamp(8.0, 15.0),
        bold: false,
        color: INK,
    };
    for (index, (picture, frame)) in pictures.iter().zip(&moments).enumerate() {
        let [x, y] = layout.place(index);
        sheet.paste([x, y], layout.size, picture);
        let label = match frame.time.is_finite() {
            true => format!("{:.digits$} s", frame.time),
            false => "? s".into(),
        };
        let label = style.fitting(&label, layout.size[0] as f64 - style.size);
        let (x, y) = (x as f64 + 0.8 * style.size, y as f64 + 1.8 * style.size);
        sheet.write(&label, x, y, style);
    }
    sheet
}

/// The arrangement of the pictures on the sheet.
struct Layout {
    columns: usize,
    rows: usize,
    /// Of each picture.
    size: [usize; 2],
}

impl Layout {
    /// Chooses the columns for a good aspect ratio with few empty cells.
    fn new(count: usize, aspect: f64) -> Self {
        let strain = |columns: usize| {
            let rows = count.div_ceil(columns);
            let shape = columns as f64 * aspect / rows as f64;
            let empty = (columns * rows - count) as f64 / count as f64;
            (shape / PREFERRED_ASPECT).ln().abs() + 4.0 * empty
        };
        let columns = (1..=count.max(1))
            .min_by(|a, b| strain(*a).total_cmp(&strain(*b)))
            .unwrap_or(1);
        let width = (WIDTH - 2 * MARGIN + GAP) / columns - GAP;
        Self {
            columns,
            rows: count.div_ceil(columns),
            size: [width, (width as f64 / aspect).round() as usize],
        }
    }

    fn height(&self) -> usize {
        TITLE_HEIGHT + self.rows * (self.size[1] + GAP) - GAP + MARGIN
    }

    /// The upper left corner of a picture.
    fn place(&self, index: usize) -> [usize; 2] {
        let (column, row) = (index % self.columns, index / self.columns);
        [
            MARGIN + column * (self.size[0] + GAP),
            TITLE_HEIGHT + row * (self.size[1] + GAP),
        ]
    }
}

/// Draws the scene's name and a summary of the run.
fn title(recording: &Recording, shown: usize, sheet: &mut Canvas) {
    let name = Style {
        size: 20.0,
        bold: true,
        color: INK,
    };
    let note = Style {
        size: 12.0,
        bold: false,
        color: SOFT,
    };
    let what = layout::contents_summary(recording);
    let frames = recording.frames.len();
    let summary = format!("{what} · {shown} of {frames} frames");
    let (left, right) = (MARGIN as f64, (WIDTH - MARGIN) as f64);
    let available = right - left - note.width(&summary) - 40.0;
    let y = 44.0;
    let scene = name.fitting(&recording.header.scene, available);
    sheet.write(&scene, left, y, name);
    sheet.write(&summary, right - note.width(&summary), y, note);
}

/// The frames that are shown.
fn moments(frames: &[Frame], wanted: usize) -> Vec<&Frame> {
    let picked = layout::evenly_spaced(frames.len(), wanted.clamp(1, MAX_FRAMES));
    picked.into_iter().filter_map(|k| frames.get(k)).collect()
}

/// The number of decimals that distinguishes the times, at least two.
fn digits(moments: &[&Frame]) -> usize {
    let (Some(first), Some(last)) = (moments.first(), moments.last()) else {
        return 2;
    };
    let step = (last.time - first.time).abs() / moments.len().max(2) as f64;
    let wanted = 1.0 - step.log10().floor();
    match wanted.is_finite() {
        true => wanted.clamp(2.0, 9.0) as usize,
        false => 2,
    }
}
