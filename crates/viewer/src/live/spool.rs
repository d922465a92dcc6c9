//! Stores the frames and events of a live run in unnamed temporary files, so
//! that memory use does not grow with the length of the run, and every frame
//! can be shown again.

use conatus_record::{Event, Frame};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};

/// The size limit of a live recording.
pub const MAX_SPOOL_BYTES: u64 = 4 << 30;
/// The most events that one read returns.
const EVENTS_PER_READ: usize = 1000;

/// Append-only storage of frames and events on disk.
pub struct Spool {
    data: File,
    /// The end offset of each frame, 8 bytes each.
    ends: File,
    /// One line of JSON per event.
    events: File,
    count: u64,
    bytes: u64,
    event_bytes: u64,
    buffer: Vec<u8>,
}

impl Spool {
    /// An empty spool.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            data: tempfile::tempfile()?,
            ends: tempfile::tempfile()?,
            events: tempfile::tempfile()?,
            count: 0,
            bytes: 0,
            event_bytes: 0,
            buffer: Vec::new(),
        })
    }

    /// The number of frames.
    pub fn frames(&self) -> u64 {
        self.count
    }

    /// Whether it has reached its size limit.
    pub fn is_full(&self) -> bool {
        self.bytes + self.event_bytes >= MAX_SPOOL_BYTES
    }

    /// Appends a frame. If that fails, earlier frames are not changed.
    pub fn push(&mut self, frame: &Frame) -> io::Result<()> {
        self.buffer.clear();
        frame.encode(&mut self.buffer);
        self.data.seek(SeekFrom::Start(self.bytes))?;
        self.data.write_all(&self.buffer)?;
        let end = self.bytes + self.buffer.len() as u64;
        self.ends.seek(SeekFrom::Start(8 * self.count))?;
        self.ends.write_all(&end.to_le_bytes())?;
        self.bytes = end;
        self.count += 1;
        Ok(())
    }

    /// Appends the bytes of frame `index` to `out`.
    pub fn read(&mut self, index: u64, out: &mut Vec<u8>) -> io::Result<()> {
        if index >= self.count {
            return Err(io::Error::other("there is no such frame"));
        }
        let begin = match index {
            0 => 0,
            _ => self.end_of(index - 1)?,
        };
        let length = self.end_of(index)?.saturating_sub(begin);
        self.data.seek(SeekFrom::Start(begin))?;
        let read = (&self.data).take(length).read_to_end(out)?;
        match read as u64 == length {
            true => Ok(()),
            false => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
        }
    }

    fn end_of(&mut self, index: u64) -> io::Result<u64> {
        let mut end = [0; 8];
        self.ends.seek(SeekFrom::Start(8 * index))?;
        self.ends.read_exact(&mut end)?;
        Ok(u64::from_le_bytes(end))
    }

    /// Appends an event.
    pub fn push_event(&mut self, event: &Event) -> io::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        self.events.seek(SeekFrom::Start(self.event_bytes))?;
        self.events.write_all(&line)?;
        self.event_bytes += line.len() as u64;
        Ok(())
    }

    /// The next events from a file offset on, which is advanced; none at the
    /// end. Start at 0.
    pub fn events(&mut self, offset: &mut u64) -> io::Result<Vec<Event>> {
        self.events.seek(SeekFrom::Start(*offset))?;
        let left = self.event_bytes.saturating_sub(*offset);
        let mut lines = BufReader::new(Read::by_ref(&mut self.events).take(left));
        let mut events = Vec::new();
        let mut line = String::new();
        while events.len() < EVENTS_PER_READ && lines.read_line(&mut line)? > 0 {
            events.push(serde_json::from_str(&line)?);
            *offset += line.len() as u64;
            line.clear();
        }
        Ok(events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_record::{BodyFrame, ContactFrame};

    fn frame(step: u64) -> Frame {
        let body = BodyFrame {
            position: conatus_math::DVec3::splat(step as f64),
            orientation: conatus_math::DQuat::IDENTITY,
            velocity: conatus_math::DVec3::X,
            omega_body: conatus_math::DVec3::Y,
            status: Default::default(),
        };
        let contact = ContactFrame {
            point: conatus_math::DVec3::Z,
            impulse: conatus_math::DVec3::ONE,
            penetration: 0.5,
        };
        Frame {
            step,
            time: 0.1 * step as f64,
            bodies: vec![body; 2],
            contacts: vec![contact; (step % 3) as usize],
            ..Frame::default()
        }
    }

    #[test]
    fn frames_of_different_sizes_come_back_in_any_order() {
        let mut spool = Spool::new().unwrap();
        for step in 0..20 {
            spool.push(&frame(step)).unwrap();
            for back in [0, step / 2, step] {
                let mut bytes = vec![7];
                spool.read(back, &mut bytes).unwrap();
                assert_eq!(bytes[0], 7);
                assert_eq!(Frame::decode(&bytes[1..], 2, 0).unwrap(), frame(back));
            }
        }
        assert_eq!(spool.frames(), 20);
        assert!(spool.read(20, &mut Vec::new()).is_err());
    }

    #[test]
    fn events_come_back_in_order_while_more_are_written() {
        let mut spool = Spool::new().unwrap();
        let event = |step| Event {
            time: 1.0 / 3.0,
            step,
            kind: "input".into(),
            detail: serde_json::json!({ "lock": "a\nb" }),
        };
        let (mut offset, mut read) = (0, Vec::new());
        for step in 0..2500 {
            spool.push_event(&event(step)).unwrap();
            if step % 700 == 0 {
                read.extend(spool.events(&mut offset).unwrap());
            }
        }
        loop {
            let more = spool.events(&mut offset).unwrap();
            if more.is_empty() {
                break;
            }
            read.extend(more);
        }
        assert_eq!(read, (0..2500).map(event).collect::<Vec<_>>());
    }
}
