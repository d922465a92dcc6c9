//! Scene files, the world that is built from them, and the loop that runs it:
//! scene → [`Setup`](scene::Setup) → [`World::step`] → recording.

pub mod checkpoint;
pub mod cloth;
pub mod command;
mod energy;
pub mod memory;
pub mod motion;
pub mod report;
pub mod run;
pub mod scene;
mod step;
pub mod text;
mod world;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use command::{Command, RemovalError};
pub use report::Report;
pub use run::{RunLog, RunSchedule, RunSink, resume, run};
pub use step::StepReport;
pub use world::{ForceId, StepContact, World};
