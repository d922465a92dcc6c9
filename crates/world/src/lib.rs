//! Scene files and the one loop that runs them:
//! scene → [`World`] → [`World::step`] → recording.

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
pub use run::{Logbook, Plan, Sink, resume, run};
pub use step::StepReport;
pub use world::{ForceId, StepContact, World};

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
