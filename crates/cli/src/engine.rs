//! The seam between the program and the world: what a command needs to turn
//! a checked scene into frames and a report.
//!
//! THE WORLD IS NOT PLUGGED IN YET. To plug it in: give [`Prepared`] the world
//! and its plan, build them in [`prepare`] (`scene::build`), call
//! `conatus_world::run` in [`Prepared::run`], and take [`Sink`] from there.

// Nothing constructs `Prepared` before the world is plugged in.
#![allow(dead_code)]

use crate::errors::Failure;
use conatus_record::{Event, Frame, Header};
use conatus_world::scene::{Scene, SceneError};

/// Where frames and events go.
pub trait Sink {
    /// What can go wrong with it.
    type Error;
    /// Takes a frame.
    fn frame(&mut self, frame: &Frame) -> Result<(), Self::Error>;
    /// Takes an event.
    fn event(&mut self, event: &Event) -> Result<(), Self::Error>;
}

/// A scene that is ready to run: after this, nothing from its file can fail.
pub struct Prepared {
    /// What the recording says before its first frame.
    pub header: Header,
    /// How many steps the run takes.
    pub steps: u64,
    /// How many frames it records, the first and the last included.
    pub frames: u64,
}

/// How a run went.
pub struct Outcome {
    /// The report, all keys but `cpu_seconds` and `threads`.
    pub report: serde_json::Value,
    /// What went wrong in the run, if anything did: exit code 3.
    pub failed: Option<String>,
}

/// Checks a scene's physics and builds its world; meshes are read through
/// [`Scene::files`], problems told through [`Scene::problems`].
pub fn prepare(_scene: &mut Scene) -> Result<Prepared, Prevented> {
    Err(Prevented::NoWorld)
}

impl Prepared {
    /// Runs it. `go_on` is called after every frame with the steps made so far
    /// and ends the run by returning false.
    pub fn run<S: Sink<Error = Failure>>(
        &mut self,
        _sink: &mut S,
        _go_on: impl FnMut(u64) -> bool,
    ) -> Result<Outcome, Failure> {
        Err(Prevented::NoWorld.into())
    }
}

/// Why a scene cannot be run.
pub enum Prevented {
    /// It is wrong.
    Scene(SceneError),
    /// This build cannot run anything yet.
    NoWorld,
}

impl From<Prevented> for Failure {
    fn from(prevented: Prevented) -> Self {
        match prevented {
            Prevented::Scene(error) => error.into(),
            Prevented::NoWorld => Failure::run(
                "internal error: the world is not plugged into this build yet",
                "`conatus check` reads and checks the scene",
            ),
        }
    }
}
