//! One run as pages see it: what does not change, and everything recorded so
//! far.

use super::plot::Plot;
use super::spool::Spool;
use conatus_record::clip::{Chart, Clip};
use conatus_record::{Event, Frame, Header, RecordError, Recording, RecordingWriter, Source};
use conatus_world::Sink;
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A run and its recording. Several pages read it while one thread appends.
pub struct Run {
    /// Counts runs: a reset or another scene begins a new one.
    pub number: u32,
    /// Whether it goes on, rather than being a finished recording.
    pub live: bool,
    /// What does not change.
    pub header: Header,
    /// What to look for.
    pub title: String,
    /// The movements to choose from by name, if there are several.
    pub movements: Vec<String>,
    /// Which of them this is.
    pub movement: usize,
    sources: Vec<Source>,
    overrides: Vec<String>,
    /// The motion of characters, if there are any.
    clip: Option<Clip>,
    /// The report of a finished recording.
    report: Option<Value>,
    store: Mutex<Store>,
}

/// What grows.
struct Store {
    spool: Spool,
    plot: Plot,
    last_step: u64,
}

/// Where a run comes from.
pub struct Origin {
    /// What does not change.
    pub header: Header,
    /// What to look for.
    pub title: String,
    /// The files that it is made from, the scene first.
    pub sources: Vec<Source>,
    /// The command line's changes to the scene.
    pub overrides: Vec<String>,
    /// The motion of characters, if there are any.
    pub clip: Option<Clip>,
    /// The movements to choose from by name, if there are several.
    pub movements: Vec<String>,
    /// Which of them this is.
    pub movement: usize,
}

impl Run {
    /// A run without frames yet.
    pub fn new(number: u32, live: bool, origin: Origin) -> io::Result<Self> {
        Ok(Self {
            number,
            live,
            header: origin.header,
            title: origin.title,
            movements: origin.movements,
            movement: origin.movement,
            sources: origin.sources,
            overrides: origin.overrides,
            clip: origin.clip,
            report: None,
            store: Mutex::new(Store {
                spool: Spool::new()?,
                plot: Plot::default(),
                last_step: 0,
            }),
        })
    }

    /// A finished recording.
    pub fn finished(number: u32, title: String, recording: Recording) -> io::Result<Self> {
        let origin = Origin {
            header: recording.header,
            title,
            sources: recording.sources,
            overrides: recording.overrides,
            clip: recording.clip,
            movements: Vec::new(),
            movement: 0,
        };
        let mut run = Self::new(number, false, origin)?;
        run.report = recording.report;
        let mut tape = &run;
        recording.frames.iter().try_for_each(|f| tape.frame(f))?;
        recording.events.iter().try_for_each(|e| tape.event(e))?;
        Ok(run)
    }

    /// The thread that appends cannot leave a store half changed, so a panic
    /// there does not matter here.
    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many frames are recorded.
    pub fn frames(&self) -> u64 {
        self.store().spool.frames()
    }

    /// The contacts of characters over time, if there are any.
    pub fn chart(&self) -> Option<Chart> {
        self.clip.as_ref().map(Clip::chart)
    }

    /// Whether no more can be recorded.
    pub fn is_full(&self) -> bool {
        self.store().spool.is_full()
    }

    /// Appends the bytes of a frame to `out`.
    pub fn read(&self, index: u64, out: &mut Vec<u8>) -> io::Result<()> {
        self.store().spool.read(index, out)
    }

    /// The next events from a place on; see [`Spool::events`].
    pub fn events(&self, place: &mut u64) -> io::Result<Vec<Event>> {
        self.store().spool.events(place)
    }

    /// The plots' points from one on; all of them if the stride is not the one
    /// that the page knows.
    pub fn series(&self, from: usize, stride: u64) -> Value {
        let store = self.store();
        let now = store.plot.stride();
        let from = if stride == now { from } else { 0 };
        let points = store.plot.from(from);
        let times: Vec<f64> = points.iter().map(|(time, _)| *time).collect();
        let values: Vec<_> = points.iter().map(|(_, values)| values).collect();
        // serde_json writes null for numbers that are not finite.
        json!({ "run": self.number, "stride": now, "from": from, "times": times, "values": values })
    }

    /// Writes everything recorded so far to an MCAP file that runs again to
    /// the same bits: as long as it is now, with all that was done by hand.
    /// `report` is that of a live run.
    pub fn save(&self, path: &Path, report: Value) -> Result<(), RecordError> {
        let (frames, last_step) = {
            let store = self.store();
            (store.spool.frames(), store.last_step)
        };
        let mut overrides = self.overrides.clone();
        let mut report = if self.live {
            Some(report)
        } else {
            self.report.clone()
        };
        if self.live {
            let seconds = last_step as f64 * self.header.step_seconds;
            // Without a step there is no length; without a report it counts as
            // cut off, and is compared as far as it goes.
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
        let (mut place, mut events) = (0, Vec::new().into_iter().peekable());
        let mut bytes = Vec::new();
        for index in 0..frames {
            bytes.clear();
            self.read(index, &mut bytes).map_err(lost)?;
            let frame =
                Frame::decode(&bytes, bodies, vertices).map_err(|e| lost(io::Error::other(e)))?;
            loop {
                if events.peek().is_none() {
                    events = self
                        .events(&mut place)
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

impl Sink for &Run {
    type Error = io::Error;

    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        let mut store = self.store();
        store.spool.push(frame)?;
        store.plot.push(frame);
        store.last_step = frame.step;
        Ok(())
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.store().spool.push_event(event)
    }
}
