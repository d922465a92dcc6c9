//! Reads a recording, complete or cut off, and validates everything.
//!
//! The outer records of the file are parsed here rather than by the `mcap` crate: a
//! record that is cut off must end the reading without an error, and a wrong length
//! must neither panic nor allocate.

use crate::bytes::Bytes;
use crate::clip::Clip;
use crate::error::RecordError;
use crate::model::{FORMAT, Frame, Header, Source};
use crate::outline::{Entry, Outline};
use crate::writer::{MAX_RECORD, METADATA, OVERRIDES};
use mcap::records::op;
use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader, LinearReaderOptions};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// A recording may always unpack to this much …
const MEMORY_FLOOR: u64 = 1 << 30;
/// … and beyond it to this many times the size of its file. Simulated motion
/// compresses to about half; more than this is a decompression bomb.
const MEMORY_FACTOR: u64 = 64;
/// Parsed JSON takes up to about this many times its text in memory.
const JSON_FACTOR: u64 = 32;
/// The largest chunk: the longest message and its overhead.
const MAX_CHUNK: usize = MAX_RECORD + (16 << 20);

/// Reads a recording and passes its entries to `take`, one by one.
pub(crate) fn walk(path: &Path, take: &mut Take) -> Result<Outline, RecordError> {
    let io = |source| RecordError::Io {
        path: path.to_path_buf(),
        doing: "open",
        source,
    };
    let file = File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let mut reader = Reader {
        path: path.to_path_buf(),
        input: BufReader::with_capacity(1 << 16, file),
        offset: 0,
        left: size,
        budget: MEMORY_FLOOR.max(size.saturating_mul(MEMORY_FACTOR)),
        spent: 0,
        found: Found::default(),
        take,
    };
    reader.walk()?;
    reader.finish()
}

/// Receives the entries of a recording.
pub(crate) type Take<'a> = dyn FnMut(Entry) -> Result<(), RecordError> + 'a;

struct Reader<'a, 'b> {
    path: PathBuf,
    input: BufReader<File>,
    /// The offset of the current record.
    offset: u64,
    /// How many bytes of the file are left.
    left: u64,
    budget: u64,
    spent: u64,
    found: Found,
    take: &'a mut Take<'b>,
}

/// What has been read so far.
#[derive(Default)]
struct Found {
    topics: BTreeMap<u16, Topic>,
    header: Option<Header>,
    sources: Vec<Source>,
    overrides: Vec<String>,
    report: Option<serde_json::Value>,
    clip: Option<Clip>,
}

#[derive(Clone, Copy)]
enum Topic {
    Header,
    Frames,
    Events,
    States,
    Report,
    Clip,
}

impl Reader<'_, '_> {
    /// Reads the outer records up to the end of the data or of the file.
    fn walk(&mut self) -> Result<(), RecordError> {
        if self.left == 0 {
            return Ok(());
        }
        let mut magic = [0; mcap::MAGIC.len()];
        let known = magic.len().min(self.left as usize);
        self.read_into(&mut magic[..known])?;
        if magic[..known] != mcap::MAGIC[..known] {
            let path = self.path.clone();
            return Err(RecordError::NotARecording { path });
        }
        self.offset = known as u64;
        let mut body = Vec::new();
        while self.left >= 9 {
            let mut head = [0; 9];
            self.read_into(&mut head)?;
            let [opcode, length @ ..] = head;
            let length = u64::from_le_bytes(length);
            if length > self.left {
                break;
            }
            match opcode {
                // The summary that follows repeats what has been read.
                op::DATA_END => break,
                op::CHUNK | op::ATTACHMENT | op::METADATA | op::CHANNEL | op::MESSAGE => {
                    if length > MAX_CHUNK as u64 {
                        return Err(self.corrupt(format!("a record of {length} bytes")));
                    }
                    body.resize(length as usize, 0);
                    self.read_into(&mut body)?;
                    self.record(opcode, &body)?;
                }
                _ => self.skip(length)?,
            }
            self.offset += 9 + length;
        }
        Ok(())
    }

    fn record(&mut self, opcode: u8, body: &[u8]) -> Result<(), RecordError> {
        let understood = match opcode {
            op::CHUNK => return self.chunk(body),
            op::ATTACHMENT => return self.attachment(body),
            op::CHANNEL => self.channel(body),
            op::METADATA => self.metadata(body),
            op::MESSAGE => return self.message(body),
            _ => Some(()),
        };
        understood.ok_or_else(|| self.corrupt(format!("the record of type {opcode} is invalid")))
    }

    /// Unpacks a chunk and reads the records in it.
    fn chunk(&mut self, body: &[u8]) -> Result<(), RecordError> {
        let cut = || "a chunk's header is invalid".to_string();
        let mut b = Bytes(body);
        let header = (|| {
            let _times = b.take(16)?;
            let (size, _crc) = (b.u64()?, b.u32()?);
            let compression = b.string()?;
            let packed = usize::try_from(b.u64()?).ok()?;
            Some((size, compression, b.take(packed)?))
        })();
        let (size, compression, packed) = header.ok_or_else(|| self.corrupt(cut()))?;
        if size > MAX_CHUNK as u64 {
            return Err(self.corrupt(format!("a chunk of {size} bytes")));
        }
        match compression {
            "" => self.plain_records(packed),
            "zstd" => self.packed_records(body),
            other => Err(self.corrupt(format!("chunks packed with `{other}` are not supported"))),
        }
    }

    fn plain_records(&mut self, records: &[u8]) -> Result<(), RecordError> {
        let mut b = Bytes(records);
        while !b.0.is_empty() {
            let next = (|| Some((b.u8()?, b.u64().and_then(|n| usize::try_from(n).ok())?)))();
            let data = next.and_then(|(opcode, n)| Some((opcode, b.take(n)?)));
            let (opcode, data) =
                data.ok_or_else(|| self.corrupt("a chunk ends within a record".into()))?;
            self.inner_record(opcode, data)?;
        }
        Ok(())
    }

    /// Unpacks one chunk with `mcap`, which verifies its checksum before any record
    /// of it is used.
    fn packed_records(&mut self, body: &[u8]) -> Result<(), RecordError> {
        let options = LinearReaderOptions::default()
            .with_skip_start_magic(true)
            .with_skip_end_magic(true)
            .with_prevalidate_chunk_crcs(true)
            .with_record_length_limit(MAX_CHUNK);
        let mut unpack = LinearReader::new_with_options(options);
        let mut head = vec![op::CHUNK];
        head.extend_from_slice(&(body.len() as u64).to_le_bytes());
        let mut input = (&head[..]).chain(body);
        while let Some(event) = unpack.next_event() {
            match event.map_err(|e| self.corrupt(e.to_string()))? {
                LinearReadEvent::ReadRequest(wanted) => {
                    // After the chunk the reader requests another record and
                    // gets an end of file.
                    let wanted = wanted.min(body.len() + head.len());
                    let got = input.read(unpack.insert(wanted));
                    unpack.notify_read(got.map_err(|e| self.corrupt(e.to_string()))?);
                }
                LinearReadEvent::Record { opcode, data } => self.inner_record(opcode, data)?,
            }
        }
        Ok(())
    }

    fn inner_record(&mut self, opcode: u8, data: &[u8]) -> Result<(), RecordError> {
        match opcode {
            op::CHANNEL | op::MESSAGE => self.record(opcode, data),
            _ => Ok(()),
        }
    }

    fn channel(&mut self, body: &[u8]) -> Option<()> {
        let mut b = Bytes(body);
        let (id, _schema) = (b.u16()?, b.u16()?);
        let topic = match (b.string()?, b.string()?) {
            ("/header", "json") => Topic::Header,
            ("/frames", "conatus-frame") => Topic::Frames,
            ("/events", "json") => Topic::Events,
            ("/state", "conatus-state") => Topic::States,
            ("/report", "json") => Topic::Report,
            ("/clip", "json") => Topic::Clip,
            // Other programs may have added channels.
            _ => return Some(()),
        };
        self.found.topics.insert(id, topic);
        Some(())
    }

    fn metadata(&mut self, body: &[u8]) -> Option<()> {
        let mut b = Bytes(body);
        if b.string()? != METADATA {
            return Some(());
        }
        let length = b.u32()?;
        let mut map = Bytes(b.take(usize::try_from(length).ok()?)?);
        while !map.0.is_empty() {
            let (key, value) = (map.string()?, map.string()?);
            if key == OVERRIDES {
                self.found.overrides = serde_json::from_str(value).ok()?;
            }
        }
        Some(())
    }

    fn attachment(&mut self, body: &[u8]) -> Result<(), RecordError> {
        let mut b = Bytes(body);
        let parts = (|| {
            let _times = b.take(16)?;
            let (name, _media_type) = (b.string()?, b.string()?);
            let length = usize::try_from(b.u64()?).ok()?;
            let text = std::str::from_utf8(b.take(length)?).ok()?;
            // Only the checksum is left, so `mcap` can verify it safely.
            (b.0.len() == 4).then_some((name, text))
        })();
        let (name, text) =
            parts.ok_or_else(|| self.corrupt("an attachment is invalid".to_string()))?;
        mcap::parse_record(op::ATTACHMENT, body).map_err(|e| self.corrupt(e.to_string()))?;
        self.found.sources.push(Source {
            name: name.into(),
            text: text.into(),
        });
        Ok(())
    }

    fn message(&mut self, body: &[u8]) -> Result<(), RecordError> {
        let mut b = Bytes(body);
        let id = b.u16();
        let data = b.take(4 + 8 + 8).map(|_| b.0);
        let (Some(id), Some(data)) = (id, data) else {
            return Err(self.corrupt("a message is too short".into()));
        };
        let Some(&topic) = self.found.topics.get(&id) else {
            return Ok(());
        };
        match topic {
            Topic::Frames => {
                self.spend(data.len() as u64)?;
                let Some(header) = &self.found.header else {
                    return Err(self.corrupt("a frame comes before the header".into()));
                };
                let frame = Frame::decode(data, header.bodies.len(), header.cloth_vertices())
                    .map_err(|reason| self.corrupt(reason))?;
                (self.take)(Entry::Frame(frame))?;
            }
            Topic::Events => {
                let event = self.json(data)?;
                (self.take)(Entry::Event(event))?;
            }
            Topic::States => (self.take)(Entry::State(data))?,
            Topic::Report => self.found.report = Some(self.json(data)?),
            Topic::Header => self.header(data)?,
            Topic::Clip => self.clip(data)?,
        }
        Ok(())
    }

    fn header(&mut self, data: &[u8]) -> Result<(), RecordError> {
        #[derive(Deserialize)]
        struct Version {
            format: String,
        }
        if self.found.header.is_some() {
            return Err(self.corrupt("there are two headers".into()));
        }
        // The version is checked first: the rest of another version's header
        // may be unreadable.
        let Version { format: found } = self.json(data)?;
        if major(FORMAT) != major(&found) {
            let path = self.path.clone();
            return Err(RecordError::Version { path, found });
        }
        let mut header: Header = self.json(data)?;
        // In memory it is of this version, and is written as such.
        header.format = FORMAT.into();
        header.check().map_err(|reason| RecordError::Header {
            path: self.path.clone(),
            reason,
        })?;
        self.found.header = Some(header);
        Ok(())
    }

    fn clip(&mut self, data: &[u8]) -> Result<(), RecordError> {
        if self.found.clip.is_some() {
            return Err(self.corrupt("there are two clips".into()));
        }
        let clip: Clip = self.json(data)?;
        let checked = clip.check();
        checked.map_err(|reason| self.corrupt(format!("the clip is wrong: {reason}")))?;
        self.found.clip = Some(clip);
        Ok(())
    }

    fn json<'a, T: Deserialize<'a>>(&mut self, data: &'a [u8]) -> Result<T, RecordError> {
        self.spend((data.len() as u64).saturating_mul(JSON_FACTOR))?;
        serde_json::from_slice(data).map_err(|e| self.corrupt(e.to_string()))
    }

    /// Counts memory against the recording's budget.
    fn spend(&mut self, bytes: u64) -> Result<(), RecordError> {
        self.spent = self.spent.saturating_add(bytes);
        if self.spent > self.budget {
            let (path, limit) = (self.path.clone(), self.budget);
            return Err(RecordError::TooLarge { path, limit });
        }
        Ok(())
    }

    fn read_into(&mut self, buffer: &mut [u8]) -> Result<(), RecordError> {
        self.left = self.left.saturating_sub(buffer.len() as u64);
        self.input.read_exact(buffer).map_err(|e| self.io(e))
    }

    fn skip(&mut self, length: u64) -> Result<(), RecordError> {
        self.left = self.left.saturating_sub(length);
        let by = i64::try_from(length).unwrap_or(i64::MAX);
        self.input.seek_relative(by).map_err(|e| self.io(e))
    }

    fn io(&self, source: std::io::Error) -> RecordError {
        RecordError::Io {
            path: self.path.clone(),
            doing: "read",
            source,
        }
    }

    fn corrupt(&self, reason: String) -> RecordError {
        RecordError::Corrupt {
            path: self.path.clone(),
            offset: self.offset,
            reason,
        }
    }

    fn finish(self) -> Result<Outline, RecordError> {
        let Some(header) = self.found.header else {
            return Err(RecordError::NoHeader { path: self.path });
        };
        Ok(Outline {
            header,
            sources: self.found.sources,
            overrides: self.found.overrides,
            report: self.found.report,
            clip: self.found.clip,
        })
    }
}

/// `conatus-recording/1` of `conatus-recording/1.4`: later minor versions only
/// add what earlier readers may ignore.
fn major(format: &str) -> &str {
    match format.rsplit_once('/') {
        Some((name, version)) => {
            let major = version.split('.').next().unwrap_or_default();
            &format[..name.len() + 1 + major.len()]
        }
        None => format,
    }
}
