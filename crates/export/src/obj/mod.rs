//! A folder with a Wavefront OBJ file for every frame: all pieces of cloth and all
//! bodies in world coordinates.
//!
//! Numbers are written with the shortest digits that give the same f64 back, so that
//! measurements in these files are exact. Comments distinguish cloth from solids and
//! describe planes, so that other programs can check for intersections.

use crate::ExportError;
use crate::shared::body_surfaces::BodySurfaces;
use crate::shared::layout;
use conatus_math::DVec3;
use conatus_record::text::escape_control_characters;
use conatus_record::{BodyInfo, Frame, Recording, Up};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The start of every file, by which existing folders are recognised.
const FILE_START: &str = "# Conatus ";

/// Writes all frames, or `frames` evenly spaced ones, into an existing folder.
pub fn write(
    recording: &Recording,
    frames: Option<usize>,
    folder: &Path,
) -> Result<(), ExportError> {
    let count = recording.frames.len();
    let picked = layout::evenly_spaced(count, frames.unwrap_or(count).max(1));
    let wide = count.saturating_sub(1).to_string().len().max(4);
    let header = &recording.header;
    let surfaces = BodySurfaces::new(header);
    picked.into_par_iter().try_for_each(|number| {
        let Some(frame) = recording.frames.get(number) else {
            return Ok(());
        };
        let text = text(recording, number, frame, &surfaces);
        let name = format!("frame-{number:0wide$}.obj");
        fs::write(folder.join(name), text).map_err(ExportError::Output)
    })
}

/// Whether a file is a frame that was written by this module.
pub(crate) fn is_frame(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    let number = name
        .strip_prefix("frame-")
        .and_then(|n| n.strip_suffix(".obj"));
    let named = number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let begins = |path: &Path| -> io::Result<bool> {
        let mut start = [0; FILE_START.len()];
        File::open(path)?.read_exact(&mut start)?;
        Ok(start == FILE_START.as_bytes())
    };
    named && path.is_file() && begins(path).unwrap_or(false)
}

fn text(recording: &Recording, number: usize, frame: &Frame, surfaces: &BodySurfaces) -> String {
    let header = &recording.header;
    let up = match header.up {
        Up::Y => 'y',
        Up::Z => 'z',
    };
    let mut out = Objects {
        text: format!(
            "{FILE_START}{}: {}, frame {number} at {:?} s\n# metres, {up} up\n",
            env!("CARGO_PKG_VERSION"),
            escape_control_characters(&header.scene),
            frame.time
        ),
        vertices: 0,
    };
    for plane in &header.planes {
        let ([x, y, z], [u, v, w]) = (plane.point.to_array(), plane.normal.to_array());
        let line = format!("# plane through {x:?} {y:?} {z:?}, normal {u:?} {v:?} {w:?}\n");
        out.text.push_str(&line);
    }
    for (piece, range) in header.cloth_pieces() {
        let points = frame.cloth.get(range).unwrap_or_default();
        let points = points.iter().copied();
        out.add("cloth", &piece.name, points, &piece.triangles);
    }
    for (index, body) in frame.present_bodies() {
        let (Some(info), Some(surface)) = (header.bodies.get(index), surfaces.get(index)) else {
            continue;
        };
        let place = |v: &DVec3| body.position + body.orientation * *v;
        let points = surface.vertices.iter().map(place);
        out.add(kind(info), &info.name, points, &surface.triangles);
    }
    out.text
}

/// The kind of a body: cloth collides with the meshes of bodies that collide.
fn kind(body: &BodyInfo) -> &'static str {
    match (
        body.scripted,
        body.mesh.is_some() && !body.spheres.is_empty(),
    ) {
        (true, _) => "obstacle",
        (false, true) => "body",
        (false, false) => "body that meets no cloth",
    }
}

/// The objects of a file.
struct Objects {
    text: String,
    /// The number of vertices so far: indices count through the whole file.
    vertices: u64,
}

impl Objects {
    /// Adds an object, or a comment if its coordinates are not finite: readers do
    /// not support `NaN`.
    fn add(
        &mut self,
        kind: &str,
        name: &str,
        points: impl Iterator<Item = DVec3> + Clone,
        triangles: &[[u32; 3]],
    ) {
        let (text, name) = (&mut self.text, escape_control_characters(name));
        // Writing to a string cannot fail.
        if !points.clone().all(|p| p.is_finite()) {
            let _ = writeln!(text, "# {name} is left out: its numbers are not finite");
            return;
        }
        let _ = writeln!(text, "# {kind}\no {name}");
        let before = self.vertices;
        for [x, y, z] in points.map(|p| p.to_array()) {
            let _ = writeln!(text, "v {x:?} {y:?} {z:?}");
            self.vertices += 1;
        }
        for corners in triangles {
            let [a, b, c] = corners.map(|i| before + u64::from(i) + 1);
            let _ = writeln!(text, "f {a} {b} {c}");
        }
    }
}
