//! Reads a recording into memory or passes its entries on.

use crate::clip::Clip;
use crate::error::RecordError;
use crate::model::{Event, Frame, Header, Recording, Source};
use crate::reader;
use std::path::Path;

impl Recording {
    /// Reads a recording. If the file was cut off, everything in its complete
    /// chunks is returned and [`Recording::is_complete`] is false.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let (mut frames, mut events) = (Vec::new(), Vec::new());
        let outline = Outline::walk(path, |entry| {
            match entry {
                Entry::Frame(frame) => frames.push(frame),
                Entry::Event(event) => events.push(event),
                Entry::State(_) => {}
            }
            Ok(())
        })?;
        Ok(Self {
            header: outline.header,
            sources: outline.sources,
            overrides: outline.overrides,
            frames,
            events,
            report: outline.report,
            clip: outline.clip,
        })
    }
}

/// An entry of a recording.
#[derive(Debug)]
pub enum Entry<'a> {
    /// A frame.
    Frame(Frame),
    /// An event.
    Event(Event),
    /// A checkpoint: the state after the frames and events so far, in the layout of
    /// `conatus-world`.
    State(&'a [u8]),
}

/// A recording without its frames, events and checkpoints.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The header.
    pub header: Header,
    /// The input files of the run, the scene first.
    pub sources: Vec<Source>,
    /// The command line's changes to the scene, as `key=value`.
    pub overrides: Vec<String>,
    /// The report at the end of a run; missing if the run was cut off.
    pub report: Option<serde_json::Value>,
    /// The motion of characters, if there are any.
    pub clip: Option<Clip>,
}

impl Outline {
    /// Reads a recording and passes its entries to `take` in the order of the file, so
    /// that it need not fit into memory. If the file was cut off, these are the
    /// entries of its complete chunks.
    pub fn walk<E: From<RecordError>>(
        path: impl AsRef<Path>,
        mut take: impl FnMut(Entry) -> Result<(), E>,
    ) -> Result<Self, E> {
        // The reader has one error type; the receiver's error is kept separately.
        let mut stopped = None;
        let mut pass = |entry: Entry| {
            take(entry).map_err(|error| {
                stopped = Some(error);
                RecordError::Stopped
            })
        };
        let walked = reader::walk(path.as_ref(), &mut pass);
        match stopped {
            Some(error) => Err(error),
            None => walked.map_err(E::from),
        }
    }
}
