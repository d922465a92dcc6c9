//! Writes the files of one run.

use super::{MovementPages, Outputs, Written, size_of, write_file};
use crate::errors::Failure;
use conatus_export::{ExportOptions, Format};
use conatus_record::{Event, Frame, Lock, Recording, RecordingWriter};
use conatus_world::{Checkpoint, Report, RunSink};
use std::path::{Path, PathBuf};

/// Takes the frames of a run and writes the requested files.
pub struct OutputWriter {
    /// Recordings that are written during the run, and their names.
    recordings: Vec<(PathBuf, RecordingWriter)>,
    /// Files that are written at the end.
    exports: Vec<PathBuf>,
    /// The run in memory. Frames and events are kept only if there are exports.
    whole: Recording,
    options: ExportOptions,
    quiet: bool,
    buffer: Vec<u8>,
}

impl OutputWriter {
    /// Without files; `whole` is a recording without frames.
    pub(super) fn new(whole: Recording, outputs: &Outputs) -> Self {
        Self {
            recordings: Vec::new(),
            exports: Vec::new(),
            whole,
            options: outputs.options,
            quiet: outputs.quiet,
            buffer: Vec::new(),
        }
    }

    /// Opens a recording in the locked file; `name` is shown to the user.
    pub(super) fn add_recording(&mut self, name: &Path, lock: Lock) -> Result<(), Failure> {
        let Recording {
            header,
            sources,
            overrides,
            clip,
            ..
        } = &self.whole;
        let mut writer = RecordingWriter::create_locked(lock, header, sources, overrides)?;
        clip.as_ref().map_or(Ok(()), |clip| writer.clip(clip))?;
        self.recordings.push((name.to_path_buf(), writer));
        Ok(())
    }

    /// Adds a file that is written at the end.
    pub(super) fn add_export(&mut self, path: &Path) {
        self.exports.push(path.to_path_buf());
    }

    /// Moves the first recording to `path`, in place of the file there.
    pub fn move_first_to(&mut self, path: &Path) -> Result<(), Failure> {
        match self.recordings.first_mut() {
            Some((_, writer)) => Ok(writer.rename(path)?),
            None => Ok(()),
        }
    }

    /// Takes a checkpoint as bytes.
    pub fn state(&mut self, state: &[u8]) -> Result<(), Failure> {
        for (_, writer) in &mut self.recordings {
            writer.state(state)?;
        }
        Ok(())
    }

    /// Closes the recordings and writes the other files. All of them are tried;
    /// the first failure is returned. If there are `pages`, the run becomes a part
    /// of them instead of a separate page. Without a report the recordings count
    /// as incomplete.
    pub fn finish(
        mut self,
        report: Option<&Report>,
        pages: Option<&mut MovementPages>,
    ) -> Result<Vec<Written>, Failure> {
        let mut first_failure = None;
        let mut note = |result: Result<(), Failure>| {
            if let Err(failure) = result {
                first_failure.get_or_insert(failure);
            }
        };
        let report = report.map(Report::to_json);
        let mut written: Vec<PathBuf> = Vec::new();
        for (path, writer) in self.recordings {
            note(writer.finish(report.as_ref()).map_err(Failure::from));
            written.push(path);
        }
        let is_page = |path: &PathBuf| matches!(Format::from_path(path), Ok(Format::Html));
        if let Some(pages) = pages
            && self.exports.iter().any(is_page)
        {
            self.exports.retain(|path| !is_page(path));
            note(pages.take(&self.whole));
        }
        self.whole.report = report;
        for path in &self.exports {
            note(write_file(&self.whole, path, &self.options, self.quiet));
        }
        written.extend(self.exports);
        match first_failure {
            Some(failure) => Err(failure),
            None => Ok(written
                .into_iter()
                .map(|path| {
                    let bytes = size_of(&path);
                    (path, bytes)
                })
                .collect()),
        }
    }
}

impl RunSink for OutputWriter {
    type Error = Failure;

    fn frame(&mut self, frame: &Frame) -> Result<(), Failure> {
        for (_, writer) in &mut self.recordings {
            writer.frame(frame)?;
        }
        if !self.exports.is_empty() {
            self.whole.frames.push(frame.clone());
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<(), Failure> {
        for (_, writer) in &mut self.recordings {
            writer.event(event)?;
        }
        if !self.exports.is_empty() {
            self.whole.events.push(event.clone());
        }
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        if self.recordings.is_empty() {
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
