//! The files that a command writes.
//!
//! Endings and folders are checked before anything runs. Recordings are written
//! during the run, so that they survive if the program is killed. All other
//! formats are written at the end, each as a whole or not at all.

mod place;
mod several;
mod writer;

pub use several::MovementPages;
pub use writer::OutputWriter;

use place::Place;

use crate::errors::Failure;
use crate::terminal::{eprint_line, shown};
use conatus_export::{self as export, ExportError, ExportOptions, Format};
use conatus_record::{Clip, Header, Lock, RecordError, Recording, Source};
use conatus_viewer::html;
use conatus_viewer::page::{self, Page};
use conatus_world::memory;
use std::path::{Path, PathBuf};

/// Files to write. Their endings are known and their folders can be written to.
#[derive(Debug)]
pub struct Outputs {
    paths: Vec<(PathBuf, Format)>,
    options: ExportOptions,
    quiet: bool,
}

/// Locks of recordings that are going to be written.
#[derive(Debug, Default)]
pub struct OutputLocks(Vec<Lock>);

impl OutputLocks {
    /// The lock of a file; a new one if it is not among these.
    fn take(&mut self, path: &Path) -> Result<Lock, RecordError> {
        match self.0.iter().position(|lock| lock.path() == path) {
            Some(index) => Ok(self.0.swap_remove(index)),
            None => Lock::create(path),
        }
    }
}

/// A file that was written, and its size in bytes.
pub type Written = (PathBuf, u64);

impl Outputs {
    /// Checks all files; `input` is the file that the command reads, which must
    /// not be overwritten.
    pub fn check(paths: &[PathBuf], input: &Path, options: ExportOptions) -> Result<Self, Failure> {
        let mut checked: Vec<(PathBuf, Format)> = Vec::new();
        let input = input.exists().then(|| Place::of(input));
        let mut places = Vec::new();
        for path in paths {
            let format = Format::from_path(path)?;
            if format == Format::Html {
                page_or_error()?;
            }
            export::check_writable(path)?;
            let place = Place::of(path);
            if places.contains(&place) {
                return Err(Failure::usage(
                    format!("{} is requested twice", path.display()),
                    "name each output once",
                ));
            }
            if input.as_ref() == Some(&place) {
                return Err(Failure::usage(
                    format!("{} would overwrite its own input", path.display()),
                    "choose another name for the output",
                ));
            }
            places.push(place);
            checked.push((path.clone(), format));
        }
        Ok(Self {
            paths: checked,
            options,
            quiet: false,
        })
    }

    /// If `quiet`, notes about what a format cannot hold are not printed.
    pub fn quiet(self, quiet: bool) -> Self {
        Self { quiet, ..self }
    }

    /// Whether the whole run must be kept in memory for them.
    pub fn need_memory(&self) -> bool {
        self.paths.iter().any(|(_, format)| *format != Format::Mcap)
    }

    /// Refuses formats that hold characters only, for a scene without any.
    pub fn check_characters(&self, has_characters: bool) -> Result<(), Failure> {
        let unusable = (self.paths.iter()).find(|(_, f)| f.needs_clip() && !has_characters);
        match unusable {
            None => Ok(()),
            Some((path, _)) => Err(Failure::usage(
                format!(
                    "{} would hold the motion of characters, but the scene has none",
                    path.display()
                ),
                "add [[character]] to the scene, or choose another ending",
            )),
        }
    }

    /// Locks all recordings among the files. A file that another run is writing
    /// to is refused here, before any work is done for it.
    pub fn lock(&self) -> Result<OutputLocks, Failure> {
        let recordings = self.paths.iter().filter(|(_, f)| *f == Format::Mcap);
        let locks: Result<Vec<Lock>, RecordError> =
            recordings.map(|(path, _)| Lock::create(path)).collect();
        Ok(OutputLocks(locks?))
    }

    /// Opens the recordings; `clip` is the motion of characters.
    pub fn begin(
        &self,
        locks: OutputLocks,
        header: &Header,
        sources: &[Source],
        overrides: &[String],
        clip: Option<&Clip>,
    ) -> Result<OutputWriter, Failure> {
        self.begin_beside(None, locks, header, sources, overrides, clip)
    }

    /// Does the same with one more recording. The first path is its name, the
    /// second the file it is written to until [`OutputWriter::move_first_to`].
    pub fn begin_beside(
        &self,
        further: Option<(&Path, &Path)>,
        mut locks: OutputLocks,
        header: &Header,
        sources: &[Source],
        overrides: &[String],
        clip: Option<&Clip>,
    ) -> Result<OutputWriter, Failure> {
        let recording = Recording {
            header: header.clone(),
            sources: sources.to_vec(),
            overrides: overrides.to_vec(),
            frames: Vec::new(),
            events: Vec::new(),
            report: None,
            clip: clip.cloned(),
        };
        let mut writer = OutputWriter::new(recording, self);
        if let Some((name, temporary)) = further {
            writer.add_recording(name, locks.take(temporary)?)?;
        }
        for (path, format) in &self.paths {
            match format {
                Format::Mcap => writer.add_recording(path, locks.take(path)?)?,
                _ => writer.add_export(path),
            }
        }
        Ok(writer)
    }

    /// Writes all files from a recording.
    pub fn export(&self, recording: &Recording) -> Result<Vec<Written>, Failure> {
        // Held until the files are replaced: a run that writes to one of them
        // would lose its recording.
        let _locks = self.lock()?;
        let mut written = Vec::new();
        for (path, _) in &self.paths {
            write_file(recording, path, &self.options, self.quiet)?;
            written.push((path.clone(), size_of(path)));
        }
        Ok(written)
    }
}

/// Writes one file. Unless `quiet`, prints notes about what its format cannot hold.
fn write_file(
    recording: &Recording,
    path: &Path,
    options: &ExportOptions,
    quiet: bool,
) -> Result<(), Failure> {
    let notes = match Format::from_path(path)? {
        Format::Html => {
            html::write_file(recording, page_or_error()?, path)?;
            Vec::new()
        }
        _ => export::write_file(recording, path, options)?,
    };
    for note in notes.iter().filter(|_| !quiet) {
        eprint_line(&format!("note: {}: {note}", shown(path)));
    }
    Ok(())
}

/// The viewer's page, or how to get one.
pub fn page_or_error() -> Result<&'static Page, Failure> {
    let (message, help) = page::MISSING;
    page::page().ok_or_else(|| Failure::file(message, help))
}

/// The size of a file, or of all files in a folder of frames.
fn size_of(path: &Path) -> u64 {
    match std::fs::read_dir(path) {
        Ok(entries) => entries
            .filter_map(|entry| entry.ok()?.metadata().ok())
            .map(|metadata| metadata.len())
            .sum(),
        Err(_) => std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Failure::file(error.to_string(), error.help())
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        let (message, help) = (error.to_string(), error.help());
        match error {
            // The request is wrong, not a file.
            ExportError::UnknownFormat { .. } => Failure::usage(message, help),
            _ => Failure::file(message, help),
        }
    }
}

/// A line for every file that was written.
pub fn list_written(written: &[Written]) -> String {
    written
        .iter()
        .map(|(path, bytes)| {
            format!(
                "  wrote {} ({})\n",
                shown(path),
                memory::format_bytes(*bytes)
            )
        })
        .collect()
}
