//! Turns a recording into files for other programs, one module per format.

mod coarse;
mod color;
pub mod csv;
pub mod glb;
mod motion;
pub mod png;
mod shapes;
mod surface;
pub mod svg;

use crate::error::RecordError;
use crate::model::Recording;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The endings of file names that stand for a format.
pub const ENDINGS: &str = "`.mcap`, `.glb`, `.csv`, `.svg`, `.html`, `.png`";

/// A format that recordings can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The recording itself.
    Mcap,
    /// Binary glTF 2.0: an animated 3D scene.
    Glb,
    /// Comma-separated numbers, one row per body and frame.
    Csv,
    /// A sheet with a picture of the motion and plots against time.
    Svg,
    /// A page that plays the recording. The page is the viewer's, and so is
    /// the writer: [`write_file`] refuses this one.
    Html,
    /// A sheet of pictures at evenly spaced moments.
    Png,
}

/// What the user may choose about exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many frames a `.png` shows, from 1 to [`png::MAX_FRAMES`].
    pub frames: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { frames: 12 }
    }
}

impl Format {
    /// The format that a file name's ending stands for, in any case.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        match ending.to_ascii_lowercase().as_str() {
            "mcap" => Ok(Self::Mcap),
            "glb" => Ok(Self::Glb),
            "csv" => Ok(Self::Csv),
            "svg" => Ok(Self::Svg),
            "html" => Ok(Self::Html),
            "png" => Ok(Self::Png),
            _ => Err(RecordError::UnknownFormat {
                path: path.to_path_buf(),
            }),
        }
    }
}

/// Checks that a file could be written, and neither creates nor alters it.
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), RecordError> {
    let path = path.as_ref();
    let folder = folder_of(path);
    let refuse = |source| RecordError::NotWritable {
        path: path.to_path_buf(),
        source,
    };
    match fs::metadata(&folder) {
        Ok(found) if !found.is_dir() => {
            return Err(RecordError::NotAFolder {
                path: path.to_path_buf(),
                folder,
            });
        }
        Ok(_) => {}
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Err(RecordError::NoFolder {
                path: path.to_path_buf(),
                folder,
            });
        }
        Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
            return Err(RecordError::NotAFolder {
                path: path.to_path_buf(),
                folder,
            });
        }
        Err(e) => return Err(refuse(e)),
    }
    if path.is_dir() {
        return Err(RecordError::IsAFolder {
            path: path.to_path_buf(),
        });
    }
    if path.exists() {
        // Opened for writing, but not truncated.
        OpenOptions::new().write(true).open(path).map_err(refuse)?;
    }
    // Permissions are told truthfully only by trying.
    let (probe, _file) = temporary_sibling(path).map_err(refuse)?;
    drop(_file);
    fs::remove_file(probe).map_err(refuse)
}

/// Writes a recording to a file in the format of its ending. The file appears
/// whole or not at all: an existing one is left alone when anything fails.
pub fn write_file(
    recording: &Recording,
    path: impl AsRef<Path>,
    options: &Options,
) -> Result<(), RecordError> {
    let path = path.as_ref();
    let format = Format::from_path(path)?;
    replace(path, |place, file| {
        write_to(recording, format, options, place, file)
    })
}

/// Puts what `write` writes into the place of a file. It appears whole or not
/// at all: an existing file is left alone when anything fails.
pub fn replace_file(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), RecordError>,
) -> Result<(), RecordError> {
    replace(path.as_ref(), |_, file| {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        write(&mut out)?;
        out.flush().map_err(RecordError::Output)
    })
}

/// Hands `write` the file to write to, with its path for the time being, and
/// moves it into place.
fn replace(
    path: &Path,
    write: impl FnOnce(&Path, File) -> Result<(), RecordError>,
) -> Result<(), RecordError> {
    check_writable(path)?;
    // A link stays a link: what it points to is replaced.
    let linked = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let path = linked.as_path();
    let at = |doing| {
        move |source| RecordError::Io {
            path: path.to_path_buf(),
            doing,
            source,
        }
    };
    if path.exists() && !path.is_file() {
        // A device or pipe cannot be replaced, only written to.
        let file = File::options().write(true).open(path).map_err(at("open"))?;
        return write(path, file);
    }
    let (temporary, file) = temporary_sibling(path).map_err(at("create"))?;
    let result =
        write(&temporary, file).and_then(|()| fs::rename(&temporary, path).map_err(at("rename")));
    result.map_err(|error| {
        // The first failure is the one to tell of.
        let _ = fs::remove_file(&temporary);
        match error {
            RecordError::Output(source) => at("write")(source),
            RecordError::Io { doing, source, .. } => at(doing)(source),
            other => other,
        }
    })
}

fn write_to(
    recording: &Recording,
    format: Format,
    options: &Options,
    temporary: &Path,
    file: File,
) -> Result<(), RecordError> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    match format {
        Format::Mcap => return recording.write(temporary),
        Format::Glb => glb::write(recording, &mut out)?,
        Format::Csv => csv::write(recording, &mut out)?,
        Format::Svg => svg::write(recording, &mut out)?,
        Format::Html => return Err(RecordError::NeedsPage),
        Format::Png => png::write(recording, options.frames, &mut out)?,
    }
    out.flush().map_err(RecordError::Output)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// A new, hidden file in the folder of `path`, so that a rename stays within
/// one file system.
fn temporary_sibling(path: &Path) -> io::Result<(PathBuf, File)> {
    let folder = folder_of(path);
    for attempt in 0..1000 {
        let name = format!(".conatus-{}-{attempt}.part", std::process::id());
        let candidate = folder.join(name);
        let made = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&candidate);
        match made {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            made => return made.map(|file| (candidate, file)),
        }
    }
    Err(io::Error::other("too many unfinished files in the folder"))
}
