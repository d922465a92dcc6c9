//! A recording that ended early, and the sink that continues it.
//!
//! The continued recording is written to a temporary file beside the old one and
//! replaces it only when it holds at least as many frames. So whenever the
//! program is killed, no recorded frame is lost.

use crate::errors::Failure;
use crate::outputs::OutputWriter;
use crate::replay::OTHER_PROGRAM;
use conatus_record::{Entry, Event, Frame, Lock, Outline, RecordError};
use conatus_world::command::INPUT;
use conatus_world::motion::{MOVEMENT_EVENT, MotionReport, Movement};
use conatus_world::text::number;
use conatus_world::{Checkpoint, Report, RunSink};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A recording that may have ended early, without its frames.
pub struct PartialRecording {
    /// Header, sources, overrides, report and clip.
    pub outline: Outline,
    /// The last checkpoint, if there is one.
    pub checkpoint: Option<StoredCheckpoint>,
    /// The commands that a user gave by hand.
    pub inputs: Vec<Event>,
    /// How characters move, if that was found.
    pub movement: Option<Arc<Movement>>,
    /// The step and the hash of each frame.
    frames: VecDeque<(u64, u64)>,
}

/// A checkpoint in a recording.
pub struct StoredCheckpoint {
    /// Its bytes.
    pub state: Vec<u8>,
    /// The number of frames before it.
    pub frames: usize,
    /// Its number among all checkpoints, from 1.
    number: u64,
}

impl PartialRecording {
    /// Reads a recording without keeping its frames.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let (mut checkpoint, mut inputs) = (None, Vec::new());
        let (mut frames, mut number) = (VecDeque::new(), 0);
        let mut hasher = FrameHasher::default();
        let mut report = None;
        let outline = Outline::walk(path, |entry| -> Result<(), RecordError> {
            match entry {
                Entry::Frame(frame) => frames.push_back((frame.step, hasher.hash(&frame))),
                Entry::Event(event) if event.kind == INPUT => inputs.push(event),
                Entry::Event(event) if event.kind == MOVEMENT_EVENT => report = Some(event.detail),
                Entry::Event(_) => {}
                Entry::State(state) => {
                    number += 1;
                    checkpoint = Some(StoredCheckpoint {
                        state: state.to_vec(),
                        frames: frames.len(),
                        number,
                    });
                }
            }
            Ok(())
        })?;
        // A movement that was found is not searched for again.
        let report = report.and_then(|r| serde_json::from_value::<MotionReport>(r).ok());
        let movement = (outline.clip.clone().zip(report))
            .map(|(clip, report)| Arc::new(Movement { clip, report }));
        Ok(Self {
            outline,
            checkpoint,
            inputs,
            movement,
            frames,
        })
    }

    /// How many frames it holds.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// The report of a run that was not killed.
    pub fn report(&self, path: &Path) -> Result<Option<Report>, Failure> {
        let report = self.outline.report.as_ref().map(Report::from_json);
        report.transpose().map_err(|error| {
            Failure::file(
                format!("the report in {} cannot be read: {error}", path.display()),
                "run the scene again",
            )
        })
    }

    /// The frames after the checkpoint.
    fn frames_after_checkpoint(mut self) -> VecDeque<(u64, u64)> {
        let before = self.checkpoint.map_or(0, |c| c.frames);
        self.frames.split_off(before)
    }

    /// Copies everything up to the checkpoint.
    fn copy(&self, path: &Path, writer: &mut OutputWriter) -> Result<(), Failure> {
        let Some(checkpoint) = &self.checkpoint else {
            return Ok(());
        };
        let mut copied = 0;
        Outline::walk(path, |entry| {
            if copied == checkpoint.number {
                return Ok(());
            }
            match entry {
                Entry::Frame(frame) => writer.frame(&frame),
                Entry::Event(event) => writer.event(&event),
                Entry::State(state) => {
                    copied += 1;
                    writer.state(state)
                }
            }
        })
        .map(drop)
    }
}

/// The file that a continued recording is written to until it replaces the old one.
pub fn temporary_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".resuming");
    name.into()
}

/// Continues a recording. Frames that the old recording holds too are compared.
pub struct ResumeSink {
    writer: OutputWriter,
    /// Frames of the old recording that have not been repeated yet.
    expected: VecDeque<(u64, u64)>,
    /// The old recording, until it is replaced.
    old: Option<OldRecording>,
    hasher: FrameHasher,
}

struct OldRecording {
    /// Other programs cannot continue the recording until this is dropped.
    _lock: Lock,
    path: PathBuf,
    temporary: PathBuf,
}

impl ResumeSink {
    /// Copies everything up to the checkpoint from the recording at `path`, whose
    /// lock is kept until it is replaced.
    pub fn begin(
        recorded: PartialRecording,
        path: &Path,
        lock: Lock,
        mut writer: OutputWriter,
    ) -> Result<Self, Failure> {
        let temporary = temporary_path(path);
        if let Err(failure) = recorded.copy(path, &mut writer) {
            let _ = std::fs::remove_file(&temporary);
            return Err(failure);
        }
        let mut sink = Self {
            writer,
            expected: recorded.frames_after_checkpoint(),
            old: Some(OldRecording {
                _lock: lock,
                path: path.to_path_buf(),
                temporary,
            }),
            hasher: FrameHasher::default(),
        };
        sink.replace_old_if_as_long()?;
        Ok(sink)
    }

    /// The writer, and whether the old recording was replaced. A new recording
    /// that holds fewer frames is removed instead.
    pub fn finish(self) -> (OutputWriter, bool) {
        if let Some(old) = &self.old {
            let _ = std::fs::remove_file(&old.temporary);
        }
        (self.writer, self.old.is_none())
    }

    fn replace_old_if_as_long(&mut self) -> Result<(), Failure> {
        if let Some(old) = &self.old
            && self.expected.is_empty()
        {
            self.writer.move_first_to(&old.path)?;
            self.old = None;
        }
        Ok(())
    }
}

impl RunSink for ResumeSink {
    type Error = Failure;

    fn frame(&mut self, frame: &Frame) -> Result<(), Failure> {
        let mut same = true;
        // A run that was stopped may have left a last frame at a step that the
        // schedule does not have.
        while self.expected.front().is_some_and(|e| e.0 < frame.step) {
            self.expected.pop_front();
        }
        let expected = self.expected.front().copied();
        if let Some((_, hash)) = expected.filter(|e| e.0 == frame.step) {
            self.expected.pop_front();
            same = hash == self.hasher.hash(frame);
        }
        if !same {
            return Err(Failure::run(
                format!(
                    "at {} s the run differs from the recording, which is left unchanged",
                    number(frame.time)
                ),
                OTHER_PROGRAM,
            ));
        }
        self.writer.frame(frame)?;
        self.replace_old_if_as_long()
    }

    fn event(&mut self, event: &Event) -> Result<(), Failure> {
        self.writer.event(event)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        self.writer.checkpoint(checkpoint)
    }
}

/// Hashes frames, so that they can be compared without being kept.
#[derive(Default)]
struct FrameHasher {
    bytes: Vec<u8>,
}

impl FrameHasher {
    fn hash(&mut self, frame: &Frame) -> u64 {
        self.bytes.clear();
        frame.encode(&mut self.bytes);
        let mut hasher = DefaultHasher::new();
        hasher.write(&self.bytes);
        hasher.finish()
    }
}
