//! Writes a recording during the run, so that a run that is killed leaves everything
//! up to its last complete chunk.

use crate::clip::Clip;
use crate::error::RecordError;
use crate::layout;
use crate::lock::Lock;
use crate::model::{Event, FORMAT, Frame, Header, Source};
use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A chunk is closed once it holds this many bytes before compression.
pub const CHUNK_BYTES: usize = 4 << 20;
/// A chunk is closed once it holds this many frames.
pub const CHUNK_FRAMES: u32 = 64;
/// A chunk is closed before it grows older than about this.
pub const CHUNK_AGE: Duration = Duration::from_millis(500);
/// No message and no source may be longer; readers refuse more.
pub const MAX_RECORD: usize = 512 << 20;

/// The name of the metadata record that holds the command line's changes.
pub(crate) const METADATA: &str = "conatus";
/// The key of the changes in it: a JSON list of texts.
pub(crate) const OVERRIDES: &str = "overrides";

/// An open recording that frames and events are appended to.
///
/// If it is dropped without [`RecordingWriter::finish`] the file is still
/// readable, but counts as cut off.
pub struct RecordingWriter {
    path: PathBuf,
    /// Other programs are refused while this writes.
    _lock: Lock,
    mcap: mcap::Writer<NoSeek<BufWriter<File>>>,
    channels: Channels,
    bodies: usize,
    vertices: usize,
    frames: u32,
    events: u32,
    states: u32,
    /// The time of the last frame.
    end: f64,
    chunk: OpenChunk,
    buffer: Vec<u8>,
}

struct Channels {
    header: u16,
    frames: u16,
    events: u16,
    states: u16,
    report: u16,
}

/// The messages since the last flush.
struct OpenChunk {
    bytes: usize,
    frames: u32,
    flushed: Instant,
    last_frame: Instant,
}

impl RecordingWriter {
    /// Creates (or overwrites) the file and writes the header, the sources and
    /// the overrides. Refuses a file that another run is writing to.
    pub fn create(
        path: impl AsRef<Path>,
        header: &Header,
        sources: &[Source],
        overrides: &[String],
    ) -> Result<Self, RecordError> {
        Self::create_locked(Lock::create(path)?, header, sources, overrides)
    }

    /// Does the same for a file that was locked with [`Lock::create`] before,
    /// and keeps the lock until the recording is finished.
    pub fn create_locked(
        lock: Lock,
        header: &Header,
        sources: &[Source],
        overrides: &[String],
    ) -> Result<Self, RecordError> {
        let path = lock.path().to_path_buf();
        let wrong = |reason: String| RecordError::Header {
            path: path.clone(),
            reason,
        };
        // Everything is validated before an existing file is changed.
        header.check().map_err(wrong)?;
        if header.format != FORMAT {
            return Err(wrong(format!("its format is `{}`", header.format)));
        }
        let text = serde_json::to_vec(header).map_err(|e| wrong(e.to_string()))?;
        let longest = sources.iter().map(|s| s.text.len()).max().unwrap_or(0);
        if longest.max(text.len()) > MAX_RECORD {
            return Err(wrong("the meshes or sources are too large".into()));
        }
        let overrides = serde_json::to_string(overrides).map_err(|e| wrong(e.to_string()))?;

        let file = emptied(&lock).map_err(|source| RecordError::Io {
            path: path.clone(),
            doing: "create",
            source,
        })?;
        let fail = |e| failed(&path, e);
        let mut mcap = mcap::WriteOptions::new()
            .profile("conatus")
            .library(format!("conatus {}", env!("CARGO_PKG_VERSION")))
            .compression(Some(mcap::Compression::Zstd))
            // The low bits of simulated numbers look random: higher levels
            // take twice the time and save almost nothing.
            .compression_level(1)
            .compression_threads(0)
            .chunk_size(None)
            // A chunk must be written in one piece, never with a length that is
            // filled in later.
            .disable_seeking(true)
            .create(NoSeek::new(BufWriter::new(file)))
            .map_err(fail)?;
        mcap.write_metadata(&Metadata {
            name: METADATA.into(),
            metadata: BTreeMap::from([
                ("format".into(), FORMAT.into()),
                ("scene".into(), header.scene.clone()),
                ("seed".into(), header.seed.to_string()),
                (OVERRIDES.into(), overrides),
            ]),
        })
        .map_err(fail)?;
        for source in sources {
            mcap.attach(&mcap::Attachment {
                log_time: 0,
                create_time: 0,
                name: source.name.clone(),
                media_type: "text/plain".into(),
                data: Cow::Borrowed(source.text.as_bytes()),
            })
            .map_err(fail)?;
        }
        let channels = Channels::declare(&mut mcap).map_err(fail)?;
        let now = Instant::now();
        let mut writer = Self {
            path,
            _lock: lock,
            mcap,
            channels,
            bodies: header.bodies.len(),
            vertices: header.cloth_vertices(),
            frames: 0,
            events: 0,
            states: 0,
            end: 0.0,
            chunk: OpenChunk {
                bytes: 0,
                frames: 0,
                flushed: now,
                last_frame: now,
            },
            buffer: Vec::new(),
        };
        writer.message(writer.channels.header, 0, 0.0, &text)?;
        writer.flush()?;
        Ok(writer)
    }

    /// Writes the motion of characters, once, before the first frame.
    pub fn clip(&mut self, clip: &Clip) -> Result<(), RecordError> {
        const WHAT: &str = "the clip";
        clip.check().map_err(|e| self.unrecordable(WHAT, e))?;
        let text = self.json(WHAT, clip)?;
        let schema = br#"{"type":"object"}"#;
        let channel = self
            .mcap
            .add_schema("conatus.Clip", "jsonschema", schema)
            .and_then(|schema| {
                let none = BTreeMap::new();
                self.mcap.add_channel(schema, "/clip", "json", &none)
            })
            .map_err(|e| failed(&self.path, e))?;
        self.message(channel, 0, 0.0, &text)?;
        self.flush()
    }

    /// Appends a frame. It must have as many bodies and as many vertices of
    /// cloth as the header.
    pub fn frame(&mut self, frame: &Frame) -> Result<(), RecordError> {
        if frame.bodies.len() != self.bodies {
            let found = frame.bodies.len();
            return Err(self.unrecordable(
                "a frame",
                format!("it has {found} bodies, the header {}", self.bodies),
            ));
        }
        if frame.cloth.len() != self.vertices {
            let found = frame.cloth.len();
            return Err(self.unrecordable(
                "a frame",
                format!(
                    "it has {found} vertices of cloth, the header {}",
                    self.vertices
                ),
            ));
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        frame.encode(&mut buffer);
        let result = self.message(self.channels.frames, self.frames, frame.time, &buffer);
        self.buffer = buffer;
        result?;
        self.frames = self.frames.wrapping_add(1);
        self.end = frame.time;
        self.chunk.frames += 1;
        // If frames are slow, the next one may come too late to close this chunk in
        // time: the next gap is assumed to be as long as this one.
        let gap = self.chunk.last_frame.elapsed();
        self.chunk.last_frame = Instant::now();
        let is_old = self.chunk.flushed.elapsed() + gap >= CHUNK_AGE;
        if is_old || self.chunk.frames >= CHUNK_FRAMES || self.chunk.bytes >= CHUNK_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Appends an event.
    pub fn event(&mut self, event: &Event) -> Result<(), RecordError> {
        if !event.time.is_finite() {
            return Err(self.unrecordable("an event", "its time is not finite".into()));
        }
        let text = self.json("an event", event)?;
        self.message(self.channels.events, self.events, event.time, &text)?;
        self.events = self.events.wrapping_add(1);
        if self.chunk.bytes >= CHUNK_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Appends a checkpoint and closes the chunk, so that the run can be resumed from
    /// here. A checkpoint that is too long for a recording is left out.
    pub fn state(&mut self, state: &[u8]) -> Result<(), RecordError> {
        if state.len() > MAX_RECORD {
            return Ok(());
        }
        self.message(self.channels.states, self.states, self.end, state)?;
        self.states = self.states.wrapping_add(1);
        self.flush()
    }

    /// Flushes and renames the file, replacing an existing one. Later messages are
    /// appended to the renamed file.
    pub fn rename(&mut self, to: impl AsRef<Path>) -> Result<(), RecordError> {
        self.flush()?;
        let to = to.as_ref();
        std::fs::rename(&self.path, to).map_err(|source| RecordError::Io {
            path: to.to_path_buf(),
            doing: "replace",
            source,
        })?;
        self.path = to.to_path_buf();
        Ok(())
    }

    /// Closes the open chunk and passes everything to the operating system.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.mcap.flush().map_err(|e| failed(&self.path, e))?;
        self.chunk.bytes = 0;
        self.chunk.frames = 0;
        self.chunk.flushed = Instant::now();
        Ok(())
    }

    /// Writes the report, if the run is complete, and MCAP's summary.
    pub fn finish(mut self, report: Option<&serde_json::Value>) -> Result<(), RecordError> {
        self.flush()?;
        if let Some(report) = report {
            let text = self.json("the report", report)?;
            self.message(self.channels.report, 0, self.end, &text)?;
        }
        self.mcap.finish().map_err(|e| failed(&self.path, e))?;
        let file = self.mcap.into_inner().into_inner();
        file.into_inner().map(drop).map_err(|e| RecordError::Io {
            path: self.path,
            doing: "write",
            source: e.into_error(),
        })
    }

    fn json(&self, what: &'static str, value: &impl Serialize) -> Result<Vec<u8>, RecordError> {
        serde_json::to_vec(value).map_err(|e| self.unrecordable(what, e.to_string()))
    }

    fn unrecordable(&self, what: &'static str, reason: String) -> RecordError {
        RecordError::Unrecordable {
            path: self.path.clone(),
            what,
            reason,
        }
    }

    fn message(
        &mut self,
        channel_id: u16,
        sequence: u32,
        time: f64,
        data: &[u8],
    ) -> Result<(), RecordError> {
        if data.len() > MAX_RECORD {
            return Err(self.unrecordable("a message", format!("it has {} bytes", data.len())));
        }
        // A large message gets its own chunk, or the chunk would exceed the
        // reader's limit.
        if self.chunk.bytes + data.len() > MAX_RECORD {
            self.flush()?;
        }
        let log_time = nanoseconds(time);
        let header = MessageHeader {
            channel_id,
            sequence,
            log_time,
            publish_time: log_time,
        };
        self.mcap
            .write_to_known_channel(&header, data)
            .map_err(|e| failed(&self.path, e))?;
        self.chunk.bytes += data.len();
        Ok(())
    }
}

impl Channels {
    fn declare<W: std::io::Write + std::io::Seek>(
        mcap: &mut mcap::Writer<W>,
    ) -> mcap::McapResult<Self> {
        let mut json = |topic: &str, name: &str, schema: &str| {
            let schema = mcap.add_schema(name, "jsonschema", schema.as_bytes())?;
            mcap.add_channel(schema, topic, "json", &BTreeMap::new())
        };
        let any = r#"{"type":"object"}"#;
        let event = r#"{"type":"object","required":["time","step","kind","detail"],"properties":{"time":{"type":"number"},"step":{"type":"integer"},"kind":{"type":"string"},"detail":{}}}"#;
        let header = json("/header", "conatus.Header", any)?;
        let events = json("/events", "conatus.Event", event)?;
        let report = json("/report", "conatus.Report", any)?;
        let schema = mcap.add_schema("conatus.Frame", "text", layout::FRAME_LAYOUT.as_bytes())?;
        let frames = mcap.add_channel(schema, "/frames", "conatus-frame", &BTreeMap::new())?;
        let schema = mcap.add_schema("conatus.State", "text", layout::STATE_LAYOUT.as_bytes())?;
        let states = mcap.add_channel(schema, "/state", "conatus-state", &BTreeMap::new())?;
        Ok(Self {
            header,
            frames,
            events,
            states,
            report,
        })
    }
}

/// A handle of the locked file, without its former contents. A device or pipe
/// has none.
fn emptied(lock: &Lock) -> std::io::Result<File> {
    let file = lock.handle()?;
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

/// Simulated seconds as MCAP's clock of whole nanoseconds; times that it
/// cannot hold become its ends. The exact time is in the message.
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

fn failed(path: &Path, error: mcap::McapError) -> RecordError {
    let source = match error {
        mcap::McapError::Io(e) => e,
        other => std::io::Error::other(other.to_string()),
    };
    RecordError::Io {
        path: path.to_path_buf(),
        doing: "write",
        source,
    }
}
