//! One run as pages see it: its constant description, and everything recorded
//! so far.

use super::plot::PlotPoints;
use super::spool::Spool;
use conatus_record::clip::{Clip, ContactChart};
use conatus_record::{Event, Frame, Header, RecordError, Recording, RecordingWriter, Source};
use conatus_world::RunSink;
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A run and its recording. Pages read it while one thread appends.
pub struct RunStore {
    /// Counts the runs of a session: a reset or another scene starts a new one.
    pub number: u32,
    /// Whether it is being simulated, rather than a finished recording.
    pub live: bool,
    /// The header of the recording.
    pub header: Header,
    /// The title of the scene.
    pub title: String,
    /// The labels of the movements to choose from, if there are several.
    pub movements: Vec<String>,
    /// The index of the movement that is shown.
    pub movement: usize,
    sources: Vec<Source>,
    overrides: Vec<String>,
    /// The motion of characters, if there are any.
    clip: Option<Clip>,
    /// The report of a finished recording.
    report: Option<Value>,
    data: Mutex<RunData>,
}

/// The part of a run that grows.
struct RunData {
    spool: Spool,
    plot: PlotPoints,
    last_step: u64,
}

/// The part of a run that does not change.
pub struct RunDescription {
    /// The header of the recording.
    pub header: Header,
    /// The title of the scene.
    pub title: String,
    /// The source files, the scene first.
    pub sources: Vec<Source>,
    /// The overrides of the command line.
    pub overrides: Vec<String>,
    /// The motion of characters, if there are any.
    pub clip: Option<Clip>,
    /// The labels of the movements to choose from, if there are several.
    pub movements: Vec<String>,
    /// The index of the movement that is shown.
    pub movement: usize,
}

impl RunStore {
    /// A run without frames yet.
    pub fn new(number: u32, live: bool, description: RunDescription) -> io::Result<Self> {
        Ok(Self {
            number,
            live,
            header: description.header,
            title: description.title,
            movements: description.movements,
            movement: description.movement,
            sources: description.sources,
            overrides: description.overrides,
            clip: description.clip,
            report: None,
            data: Mutex::new(RunData {
                spool: Spool::new()?,
                plot: PlotPoints::default(),
                last_step: 0,
            }),
        })
    }

    /// A finished recording.
    pub fn finished(number: u32, title: String, recording: Recording) -> io::Result<Self> {
        let description = RunDescription {
            header: recording.header,
            title,
            sources: recording.sources,
            overrides: recording.overrides,
            clip: recording.clip,
            movements: Vec::new(),
            movement: 0,
        };
        let mut run = Self::new(number, false, description)?;
        run.report = recording.report;
        let mut sink = &run;
        recording.frames.iter().try_for_each(|f| sink.frame(f))?;
        recording.events.iter().try_for_each(|e| sink.event(e))?;
        Ok(run)
    }

    /// Appending leaves no half-changed data behind, so the lock is usable after
    /// a panic as well.
    fn data(&self) -> MutexGuard<'_, RunData> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of recorded frames.
    pub fn frames(&self) -> u64 {
        self.data().spool.frames()
    }

    /// The contacts of characters over time, if there are any.
    pub fn chart(&self) -> Option<ContactChart> {
        self.clip.as_ref().map(Clip::chart)
    }

    /// Whether the recording has reached its size limit.
    pub fn is_full(&self) -> bool {
        self.data().spool.is_full()
    }

    /// Appends the bytes of a frame to `out`.
    pub fn read(&self, index: u64, out: &mut Vec<u8>) -> io::Result<()> {
        self.data().spool.read(index, out)
    }

    /// The next events from a file offset on; see [`Spool::events`].
    pub fn events(&self, offset: &mut u64) -> io::Result<Vec<Event>> {
        self.data().spool.events(offset)
    }

    /// The points of the plots from an index on; all of them if the stride is
    /// not that of the page's points.
    pub fn series(&self, from: usize, stride: u64) -> Value {
        let data = self.data();
        let now = data.plot.stride();
        let from = if stride == now { from } else { 0 };
        let points = data.plot.from(from);
        let times: Vec<f64> = points.iter().map(|(time, _)| *time).collect();
        let values: Vec<_> = points.iter().map(|(_, values)| values).collect();
        // serde_json writes null for numbers that are not finite.
        json!({ "run": self.number, "stride": now, "from": from, "times": times, "values": values })
    }

    /// Writes everything recorded so far to an MCAP file, with its present
    /// length and all inputs, so that it can be replayed bit for bit. `report`
    /// is the report of a live run.
    pub fn save(&self, path: &Path, report: Value) -> Result<(), RecordError> {
        let (frames, last_step) = {
            let data = self.data();
            (data.spool.frames(), data.last_step)
        };
        let mut overrides = self.overrides.clone();
        let mut report = if self.live {
            Some(report)
        } else {
            self.report.clone()
        };
        if self.live {
            let seconds = last_step as f64 * self.header.step_seconds;
            // Without a step the length is unknown. A recording without a report
            // counts as interrupted, and a replay compares the frames it has.
            match last_step > 0 {
                true => overrides.push(format!("time.seconds={seconds:?}")),
                false => report = None,
            }
            if let Some(report) = &mut report {
                report["steps"] = last_step.into();
                report["seconds"] = seconds.into();
            }
        }
        let mut writer = RecordingWriter::create(path, &self.header, &self.sources, &overrides)?;
        if let Some(clip) = &self.clip {
            writer.clip(clip)?;
        }
        let (bodies, vertices) = (self.header.bodies.len(), self.header.cloth_vertices());
        let lost = |source| RecordError::Io {
            path: path.to_path_buf(),
            doing: "read back",
            source,
        };
        let (mut offset, mut events) = (0, Vec::new().into_iter().peekable());
        let mut bytes = Vec::new();
        for index in 0..frames {
            bytes.clear();
            self.read(index, &mut bytes).map_err(lost)?;
            let frame =
                Frame::decode(&bytes, bodies, vertices).map_err(|e| lost(io::Error::other(e)))?;
            loop {
                if events.peek().is_none() {
                    events = self
                        .events(&mut offset)
                        .map_err(lost)?
                        .into_iter()
                        .peekable();
                }
                match events.next_if(|event: &Event| event.step <= frame.step) {
                    Some(event) => writer.event(&event)?,
                    None => break,
                }
            }
            writer.frame(&frame)?;
        }
        writer.finish(report.as_ref())
    }
}

impl RunSink for &RunStore {
    type Error = io::Error;

    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        let mut data = self.data();
        data.spool.push(frame)?;
        data.plot.push(frame);
        data.last_step = frame.step;
        Ok(())
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.data().spool.push_event(event)
    }
}
