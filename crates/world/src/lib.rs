//! Scene files, the world that is built from them, and the loop that runs it:
//! scene → [`Setup`](scene::Setup) → [`World::step`] → recording.
//!
//! The features `cloth` and `motion`, both on by default, bring the crates of that name.
//! Where one is off, `cloth/disabled.rs` or `motion/disabled.rs` takes the place of the
//! module, and scenes that need it are refused.

pub mod checkpoint;
#[cfg_attr(not(feature = "cloth"), path = "cloth/disabled.rs")]
pub mod cloth;
pub mod command;
mod energy;
mod later;
pub mod memory;
#[cfg_attr(not(feature = "motion"), path = "motion/disabled.rs")]
pub mod motion;
mod queries;
mod removal;
pub mod report;
pub mod run;
pub mod scene;
mod step;
pub mod text;
mod touches;
mod world;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use command::Command;
pub use conatus_rigid::contact::BodyContact;
pub use removal::RemovalError;
pub use report::Report;
pub use run::{RunLog, RunSchedule, RunSink, resume, run};
pub use step::{JointExtremes, StepReport};
pub use world::{ForceId, World};
