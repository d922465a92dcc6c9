//! The files that a command was asked to write.
//!
//! Endings and folders are checked before anything runs. Recordings are
//! written while the run goes on, so that what there is survives its end; all
//! other formats at the end, each as a whole or not at all.

mod place;
mod several;

pub use several::Pages;

use place::Place;

use crate::errors::Failure;
use conatus_export::{self as export, ExportError, ExportOptions, Format};
use conatus_record::{
    Clip, Event, Frame, Header, Lock, RecordError, Recording, RecordingWriter, Source,
};
use conatus_viewer::html;
use conatus_viewer::page::{self, Page};
use conatus_world::{Checkpoint, RunSink, memory};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Files to write, known to have a known ending and a folder that can be
/// written to.
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
    /// Checks all files; `input` is what the command reads, which must not be
    /// overwritten.
    pub fn check(paths: &[PathBuf], input: &Path, options: ExportOptions) -> Result<Self, Failure> {
        let mut checked: Vec<(PathBuf, Format)> = Vec::new();
        let input = input.exists().then(|| Place::of(input));
        let mut places = Vec::new();
        for path in paths {
            let format = Format::from_path(path)?;
            if format == Format::Html {
                page_or_why()?;
            }
            export::check_writable(path)?;
            let place = Place::of(path);
            if places.contains(&place) {
                return Err(Failure::usage(
                    format!("{} is asked for twice", path.display()),
                    "name each output once",
                ));
            }
            if input.as_ref() == Some(&place) {
                return Err(Failure::usage(
                    format!("{} would overwrite what it is made from", path.display()),
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

    /// Keeps to itself what exports had to leave out, if `quiet`.
    pub fn quiet(self, quiet: bool) -> Self {
        Self { quiet, ..self }
    }

    /// Whether the whole run has to be held in memory for them.
    pub fn need_memory(&self) -> bool {
        self.paths.iter().any(|(_, format)| *format != Format::Mcap)
    }

    /// Refuses formats of characters for a scene without any, before it runs.
    pub fn check_characters(&self, there_are: bool) -> Result<(), Failure> {
        let vain = self
            .paths
            .iter()
            .find(|(_, f)| f.needs_clip() && !there_are);
        match vain {
            None => Ok(()),
            Some((path, _)) => Err(Failure::usage(
                format!(
                    "{} would hold the motion of characters, and the scene has none",
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

    /// Opens recordings and gets ready for frames; `clip` is what characters
    /// do.
    pub fn begin(
        &self,
        locks: OutputLocks,
        header: &Header,
        sources: &[Source],
        overrides: &[String],
        clip: Option<&Clip>,
    ) -> Result<Tape, Failure> {
        self.begin_beside(None, locks, header, sources, overrides, clip)
    }

    /// The same with one more recording. The first path is its name, the second
    /// where it is written until [`Tape::put_in_place`].
    pub fn begin_beside(
        &self,
        further: Option<(&Path, &Path)>,
        mut locks: OutputLocks,
        header: &Header,
        sources: &[Source],
        overrides: &[String],
        clip: Option<&Clip>,
    ) -> Result<Tape, Failure> {
        let mut create = |path: &Path| -> Result<RecordingWriter, RecordError> {
            let lock = locks.take(path)?;
            let mut writer = RecordingWriter::create_locked(lock, header, sources, overrides)?;
            clip.map_or(Ok(()), |clip| writer.clip(clip))?;
            Ok(writer)
        };
        let mut live = Vec::new();
        if let Some((path, beside)) = further {
            live.push((path.to_path_buf(), create(beside)?));
        }
        for (path, format) in &self.paths {
            if *format == Format::Mcap {
                live.push((path.clone(), create(path)?));
            }
        }
        let whole = self.need_memory().then(|| Recording {
            header: header.clone(),
            sources: sources.to_vec(),
            overrides: overrides.to_vec(),
            frames: Vec::new(),
            events: Vec::new(),
            report: None,
            clip: clip.cloned(),
        });
        let further = further.map(|(path, _)| path.to_path_buf());
        let named = self.paths.iter().map(|(path, _)| path.clone());
        Ok(Tape {
            live,
            whole,
            paths: further.into_iter().chain(named).collect(),
            options: self.options,
            quiet: self.quiet,
            buffer: Vec::new(),
        })
    }

    /// Writes all files from a recording.
    pub fn export(&self, recording: &Recording) -> Result<Vec<Written>, Failure> {
        // Held until the files are in place: a run that writes to one of them
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

/// Writes one file; pages are the viewer's to write, all else the recording's.
/// What had to be left out is told of, unless `quiet`.
fn write_file(
    recording: &Recording,
    path: &Path,
    options: &ExportOptions,
    quiet: bool,
) -> Result<(), Failure> {
    let notes = match Format::from_path(path)? {
        Format::Html => {
            html::write_file(recording, page_or_why()?, path)?;
            Vec::new()
        }
        _ => export::write_file(recording, path, options)?,
    };
    for note in notes.iter().filter(|_| !quiet) {
        let _ = writeln!(std::io::stderr(), "note: {}: {note}", path.display());
    }
    Ok(())
}

/// The viewer's page, or what to do to have one.
pub fn page_or_why() -> Result<&'static Page, Failure> {
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

/// Takes the frames of a run and becomes the files that were asked for.
pub struct Tape {
    live: Vec<(PathBuf, RecordingWriter)>,
    whole: Option<Recording>,
    paths: Vec<PathBuf>,
    options: ExportOptions,
    quiet: bool,
    buffer: Vec<u8>,
}

impl Tape {
    /// Puts the recording that was begun beside its place there. What was there
    /// before is gone.
    pub fn put_in_place(&mut self, place: &Path) -> Result<(), Failure> {
        match self.live.first_mut() {
            Some((_, writer)) => Ok(writer.rename(place)?),
            None => Ok(()),
        }
    }

    /// Takes a checkpoint as bytes.
    pub fn state(&mut self, state: &[u8]) -> Result<(), Failure> {
        for (_, writer) in &mut self.live {
            writer.state(state)?;
        }
        Ok(())
    }

    /// Closes recordings and writes the other files. All of them are tried;
    /// the first that fails is told of. The run goes into `pages`, if there are
    /// any, instead of into a page of its own.
    pub fn finish(
        self,
        report: &serde_json::Value,
        pages: Option<&mut Pages>,
    ) -> Result<Vec<Written>, Failure> {
        let mut first_failure = None;
        let mut keep = |result: Result<(), Failure>| {
            if let Err(error) = result {
                first_failure.get_or_insert(error);
            }
        };
        let mut paths = self.paths;
        let is_page = |path: &PathBuf| matches!(Format::from_path(path), Ok(Format::Html));
        if let (Some(pages), Some(recording)) = (pages, &self.whole)
            && paths.iter().any(is_page)
        {
            paths.retain(|path| !is_page(path));
            keep(pages.take(recording));
        }
        let live: Vec<PathBuf> = self.live.iter().map(|(path, _)| path.clone()).collect();
        for (_, writer) in self.live {
            keep(writer.finish(Some(report)).map_err(Failure::from));
        }
        if let Some(mut recording) = self.whole {
            recording.report = Some(report.clone());
            for path in paths.iter().filter(|path| !live.contains(path)) {
                keep(write_file(&recording, path, &self.options, self.quiet));
            }
        }
        match first_failure {
            Some(failure) => Err(failure),
            None => Ok(paths
                .into_iter()
                .map(|path| {
                    let bytes = size_of(&path);
                    (path, bytes)
                })
                .collect()),
        }
    }
}

impl RunSink for Tape {
    type Error = Failure;

    fn frame(&mut self, frame: &Frame) -> Result<(), Failure> {
        for (_, writer) in &mut self.live {
            writer.frame(frame)?;
        }
        if let Some(recording) = &mut self.whole {
            recording.frames.push(frame.clone());
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<(), Failure> {
        for (_, writer) in &mut self.live {
            writer.event(event)?;
        }
        if let Some(recording) = &mut self.whole {
            recording.events.push(event.clone());
        }
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        if self.live.is_empty() {
            return Ok(());
        }
        let mut state = std::mem::take(&mut self.buffer);
        state.clear();
        checkpoint.encode(&mut state);
        let taken = self.state(&state);
        self.buffer = state;
        taken
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
pub fn human_list(written: &[Written]) -> String {
    written
        .iter()
        .map(|(path, bytes)| {
            format!(
                "  wrote {} ({})\n",
                path.display(),
                memory::format_bytes(*bytes)
            )
        })
        .collect()
}
