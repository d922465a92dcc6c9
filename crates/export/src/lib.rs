//! Turns a recording into files for other programs, one folder per format.
//!
//! [`write_file`] writes any format but HTML, whose page belongs to the viewer.
//! Exporters read recordings only: they compute no physics.

pub mod bvh;
pub mod clip_json;
pub mod csv;
mod error;
pub mod glb;
pub mod obj;
mod output_file;
pub mod png;
mod shared;
pub mod svg;
pub mod usda;

pub use error::ExportError;
pub use output_file::{check_writable, replace_file};

use conatus_record::Recording;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The file extensions of all formats.
pub const ENDINGS: &str = "`.mcap`, `.glb`, `.usda`, `.obj`, `.csv`, `.svg`, `.html`, `.png`, \
                           `.bvh`, `.clip.json`";

/// An export format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The recording itself.
    Mcap,
    /// Binary glTF 2.0: an animated 3D scene.
    Glb,
    /// OpenUSD as text: an animated 3D scene.
    Usda,
    /// A folder with a Wavefront OBJ file for every frame.
    Obj,
    /// Comma-separated numbers, one row per body and frame.
    Csv,
    /// A sheet with a picture of the motion and plots against time.
    Svg,
    /// A page that plays the recording. It is written by the viewer;
    /// [`write_file`] refuses this format.
    Html,
    /// A sheet of pictures at evenly spaced moments.
    Png,
    /// Biovision hierarchy: the moving skeleton of a character.
    Bvh,
    /// The motion of characters with contacts and forces, as JSON.
    ClipJson,
}

/// Options of exports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportOptions {
    /// How many evenly spaced frames a `.png` shows (default [`png::FRAMES`], at
    /// most [`png::MAX_FRAMES`]) and an `.obj` folder contains (default all).
    pub frames: Option<usize>,
}

impl Format {
    /// The format of a file name's extension, in upper or lower case.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, ExportError> {
        let path = path.as_ref();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
        if name.to_ascii_lowercase().ends_with(".clip.json") {
            return Ok(Self::ClipJson);
        }
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        match ending.to_ascii_lowercase().as_str() {
            "mcap" => Ok(Self::Mcap),
            "glb" => Ok(Self::Glb),
            "usda" => Ok(Self::Usda),
            "obj" => Ok(Self::Obj),
            "csv" => Ok(Self::Csv),
            "svg" => Ok(Self::Svg),
            "html" => Ok(Self::Html),
            "png" => Ok(Self::Png),
            "bvh" => Ok(Self::Bvh),
            _ => Err(ExportError::UnknownFormat {
                path: path.to_path_buf(),
            }),
        }
    }

    /// Whether it holds the motion of characters only.
    pub fn needs_clip(self) -> bool {
        matches!(self, Self::Bvh | Self::ClipJson)
    }
}

/// Writes a recording to a file in the format of its extension, atomically: if
/// anything fails, an existing file is unchanged. Returns notes for the user, one
/// sentence for each part of the recording that was left out.
pub fn write_file(
    recording: &Recording,
    path: impl AsRef<Path>,
    options: &ExportOptions,
) -> Result<Vec<String>, ExportError> {
    let path = path.as_ref();
    let format = Format::from_path(path)?;
    if format == Format::Obj {
        let fill = |folder: &Path| obj::write(recording, options.frames, folder);
        return output_file::replace_folder(path, fill).map(|()| Vec::new());
    }
    if format == Format::Bvh {
        return bvh::write_files(recording, path);
    }
    output_file::replace(path, |place, file| {
        write_to(recording, format, options, place, file)
    })
}

fn write_to(
    recording: &Recording,
    format: Format,
    options: &ExportOptions,
    temporary: &Path,
    file: File,
) -> Result<Vec<String>, ExportError> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let mut notes = Vec::new();
    match format {
        Format::Mcap => {
            recording.write(temporary)?;
            return Ok(notes);
        }
        Format::Glb => notes = glb::write(recording, &mut out)?,
        Format::Usda => usda::write(recording, &mut out)?,
        Format::Csv => csv::write(recording, &mut out)?,
        Format::Svg => svg::write(recording, &mut out)?,
        Format::Html => return Err(ExportError::NeedsPage),
        Format::Png => png::write(recording, options.frames.unwrap_or(png::FRAMES), &mut out)?,
        Format::ClipJson => clip_json::write(recording, &mut out)?,
        Format::Obj | Format::Bvh => {
            let several = "the format consists of several files".into();
            return Err(ExportError::DoesNotFit(several));
        }
    }
    out.flush().map_err(ExportError::Output)?;
    Ok(notes)
}
