//! A recording that was cut short, and the sink that continues it.
//!
//! What is new is written beside the recording and takes its place only once
//! it holds as much. So whenever the program is killed, the file of the
//! recording's name holds at least as many frames as before.

use crate::errors::Failure;
use crate::outputs::Tape;
use conatus_record::{Entry, Event, Frame, Lock, Outline, RecordError};
use conatus_world::command::INPUT;
use conatus_world::motion::{MOVEMENT_EVENT, MotionReport, Movement};
use conatus_world::{Checkpoint, RunSink};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What there is of a recording, without its frames.
pub struct Unfinished {
    /// What does not change.
    pub outline: Outline,
    /// Where the run can be taken up, if it can.
    pub checkpoint: Option<Stored>,
    /// What was done by hand.
    pub inputs: Vec<Event>,
    /// How characters move, if it was found.
    pub movement: Option<Arc<Movement>>,
    /// Of all frames their steps, and sums of their bytes.
    frames: VecDeque<(u64, u64)>,
}

/// A checkpoint of a recording.
pub struct Stored {
    /// Its bytes.
    pub state: Vec<u8>,
    /// How many frames come before it.
    pub frames: usize,
    /// How many checkpoints do, itself counted.
    number: u64,
}

impl Unfinished {
    /// Reads all but the frames.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let (mut checkpoint, mut inputs) = (None, Vec::new());
        let (mut frames, mut number) = (VecDeque::new(), 0);
        let mut sum = Sum::default();
        let mut report = None;
        let outline = Outline::walk(path, |entry| -> Result<(), RecordError> {
            match entry {
                Entry::Frame(frame) => frames.push_back((frame.step, sum.of(&frame))),
                Entry::Event(event) if event.kind == INPUT => inputs.push(event),
                Entry::Event(event) if event.kind == MOVEMENT_EVENT => report = Some(event.detail),
                Entry::Event(_) => {}
                Entry::State(state) => {
                    number += 1;
                    checkpoint = Some(Stored {
                        state: state.to_vec(),
                        frames: frames.len(),
                        number,
                    });
                }
            }
            Ok(())
        })?;
        // What was found is not searched for again.
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

    /// The report of a run that came to its end.
    pub fn finished(&self) -> Option<&serde_json::Value> {
        let report = self.outline.report.as_ref()?;
        (report["interrupted"] != true).then_some(report)
    }

    /// The frames behind the checkpoint.
    fn behind(mut self) -> VecDeque<(u64, u64)> {
        let before = self.checkpoint.map_or(0, |c| c.frames);
        self.frames.split_off(before)
    }

    /// Hands everything up to the checkpoint to a tape.
    fn copy(&self, path: &Path, tape: &mut Tape) -> Result<(), Failure> {
        let Some(checkpoint) = &self.checkpoint else {
            return Ok(());
        };
        let mut copied = 0;
        Outline::walk(path, |entry| {
            if copied == checkpoint.number {
                return Ok(());
            }
            match entry {
                Entry::Frame(frame) => tape.frame(&frame),
                Entry::Event(event) => tape.event(&event),
                Entry::State(state) => {
                    copied += 1;
                    tape.state(state)
                }
            }
        })
        .map(drop)
    }
}

/// The name under which a continued recording is written at first.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".resuming");
    name.into()
}

/// Continues a recording: what comes again is compared with what was there.
pub struct Takeover {
    tape: Tape,
    /// Frames of the old recording that are still to come again.
    expected: VecDeque<(u64, u64)>,
    /// The old recording, until the new one has its place.
    old: Option<Old>,
    sum: Sum,
}

struct Old {
    /// Until it is dropped, nobody else continues the recording.
    _lock: Lock,
    place: PathBuf,
    beside: PathBuf,
}

impl Takeover {
    /// Copies what comes before the checkpoint from the recording at `path`,
    /// whose lock is handed over.
    pub fn begin(
        unfinished: Unfinished,
        path: &Path,
        lock: Lock,
        mut tape: Tape,
    ) -> Result<Self, Failure> {
        let beside = beside(path);
        if let Err(failure) = unfinished.copy(path, &mut tape) {
            let _ = std::fs::remove_file(&beside);
            return Err(failure);
        }
        let mut takeover = Self {
            tape,
            expected: unfinished.behind(),
            old: Some(Old {
                _lock: lock,
                place: path.to_path_buf(),
                beside,
            }),
            sum: Sum::default(),
        };
        takeover.take_place_if_due()?;
        Ok(takeover)
    }

    /// The tape behind. If the new recording has not come as far as the old
    /// one, it goes away, and the old one stays: then the second is false.
    pub fn finish(self) -> (Tape, bool) {
        if let Some(old) = &self.old {
            let _ = std::fs::remove_file(&old.beside);
        }
        (self.tape, self.old.is_none())
    }

    fn take_place_if_due(&mut self) -> Result<(), Failure> {
        if let Some(old) = &self.old
            && self.expected.is_empty()
        {
            self.tape.put_in_place(&old.place)?;
            self.old = None;
        }
        Ok(())
    }
}

impl RunSink for Takeover {
    type Error = Failure;

    fn frame(&mut self, frame: &Frame) -> Result<(), Failure> {
        let mut same = true;
        // Where a run was stopped it may have left a frame that is not of the
        // plan, and that does not come again.
        while self.expected.front().is_some_and(|e| e.0 < frame.step) {
            self.expected.pop_front();
        }
        let expected = self.expected.front().copied();
        if let Some((_, sum)) = expected.filter(|e| e.0 == frame.step) {
            self.expected.pop_front();
            same = sum == self.sum.of(frame);
        }
        if !same {
            return Err(Failure::run(
                format!(
                    "at {} s the run differs from the recording, which stays as it is",
                    frame.time
                ),
                "was it recorded by another version of the program, or on another kind of processor?",
            ));
        }
        self.tape.frame(frame)?;
        self.take_place_if_due()
    }

    fn event(&mut self, event: &Event) -> Result<(), Failure> {
        self.tape.event(event)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        self.tape.checkpoint(checkpoint)
    }
}

/// Sums up frames, so that they can be compared without being kept.
#[derive(Default)]
struct Sum {
    bytes: Vec<u8>,
}

impl Sum {
    fn of(&mut self, frame: &Frame) -> u64 {
        self.bytes.clear();
        frame.encode(&mut self.bytes);
        let mut hasher = DefaultHasher::new();
        hasher.write(&self.bytes);
        hasher.finish()
    }
}
