//! The recording of a run: an append-only stream of frames and events, the
//! only input of exporters and viewers.
//!
//! [`Recording`] holds a whole run in memory, [`RecordingWriter`] writes an MCAP
//! file during the run, and [`Recording::read`] reads that file back. The
//! file format is specified in docs/formats.md. Other formats are written by the
//! crate `conatus-export`.

pub mod bytes;
mod check;
pub mod clip;
mod error;
mod identity;
mod layout;
mod lock;
pub mod model;
mod outline;
mod physics;
mod reader;
pub mod text;
mod writer;

pub use clip::Clip;
pub use error::RecordError;
pub use identity::FileIdentity;
pub use layout::FRAME_LAYOUT;
pub use lock::Lock;
pub use model::*;
pub use outline::{Entry, Outline};
pub use physics::{
    ColliderInfo, CoordinateInfo, JointAxis, JointInfo, JointKind, JointSpringInfo, MotorInfo,
    PhysicsInfo, PoseInfo, ShapeInfo,
};
pub use writer::{CHUNK_AGE, CHUNK_BYTES, CHUNK_FRAMES, MAX_RECORD, RecordingWriter};

/// About how many bytes a frame of so many bodies and vertices of cloth takes
/// in memory, without its contacts.
pub fn bytes_per_frame(bodies: usize, vertices: usize) -> usize {
    size_of::<Frame>()
        .saturating_add(bodies.saturating_mul(size_of::<BodyFrame>()))
        .saturating_add(vertices.saturating_mul(size_of::<conatus_math::DVec3>()))
}

impl Recording {
    /// Whether the run came to its end and left a report.
    pub fn is_complete(&self) -> bool {
        self.report.is_some()
    }

    /// Writes the whole recording to an MCAP file.
    pub fn write(&self, path: impl AsRef<std::path::Path>) -> Result<(), RecordError> {
        let mut writer =
            RecordingWriter::create(path, &self.header, &self.sources, &self.overrides)?;
        if let Some(clip) = &self.clip {
            writer.clip(clip)?;
        }
        let mut events = self.events.iter().peekable();
        for frame in &self.frames {
            while let Some(event) = events.next_if(|e| e.step <= frame.step) {
                writer.event(event)?;
            }
            writer.frame(frame)?;
        }
        events.try_for_each(|event| writer.event(event))?;
        writer.finish(self.report.as_ref())
    }
}
