//! The state of a session that pages see, and the requests it accepts.

use super::run_store::RunStore;
use conatus_math::DVec3;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The session at one moment.
#[derive(Clone)]
pub struct SessionState {
    /// The run that is shown.
    pub run: Arc<RunStore>,
    /// Whether the run advances with the clock.
    pub playing: bool,
    /// Requested simulated seconds per second.
    pub speed: f64,
    /// Frames recorded.
    pub frames: u64,
    /// The time of the newest frame.
    pub time: f64,
    /// Simulated seconds per second reached, once measured.
    pub factor: Option<f64>,
    /// Names of the quarantined bodies.
    pub quarantined: Arc<[String]>,
    /// The drags that act on bodies.
    pub drags: Vec<PointerDrag>,
    /// The number of connected pages.
    pub pages: usize,
    /// Why the run stopped, unless a user paused it.
    pub message: Option<String>,
    /// Progress of the search for the movement of another scene.
    pub search: Option<String>,
}

/// A user drags a point of a body towards a target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PointerDrag {
    /// The index of the body.
    pub body: usize,
    /// The grabbed point, in body axes.
    pub point: DVec3,
    /// The target of that point, in world coordinates.
    pub target: DVec3,
}

impl SessionState {
    /// The `state` message for a page.
    pub fn message(&self) -> Value {
        json!({ "state": {
            "run": self.run.number,
            "playing": self.playing,
            "speed": self.speed,
            "frames": self.frames,
            "time": self.time,
            "factor": self.factor,
            "quarantined": &*self.quarantined,
            "pulls": self.drags,
            "pages": self.pages,
            "message": self.message,
            "search": self.search,
        }})
    }
}

/// A request to the session, usually from a page.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionRequest {
    /// A page has connected.
    PageJoined,
    /// A page has disconnected; its drag ends.
    PageLeft,
    /// Continue the run.
    Play,
    /// Pause the run.
    Pause,
    /// Simulate one more frame.
    Step,
    /// Change the speed, in simulated seconds per second.
    Speed(f64),
    /// Restart the same scene.
    Reset,
    /// Open a built-in scene.
    Open(String),
    /// Restart with another of the movements found.
    Movement(usize),
    /// Kick a body.
    Kick(usize),
    /// Begin a drag, or move its target.
    Drag(PointerDrag),
    /// End the drag.
    ReleaseDrag,
    /// Reply with the report so far.
    Report,
}
