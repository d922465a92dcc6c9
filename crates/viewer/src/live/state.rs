//! What pages are told of a session, and what they may ask of it.

use super::run::Run;
use conatus_math::DVec3;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The session at a moment.
#[derive(Clone)]
pub struct State {
    /// The run that is shown.
    pub run: Arc<Run>,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// Simulated seconds per second that are asked for.
    pub speed: f64,
    /// Frames recorded.
    pub frames: u64,
    /// The time of the latest frame.
    pub time: f64,
    /// Simulated seconds per second that are reached, once it is known.
    pub factor: Option<f64>,
    /// Bodies whose numbers ran away.
    pub quarantined: Arc<[String]>,
    /// Hands that pull.
    pub pulls: Vec<Pull>,
    /// Pages that watch.
    pub pages: usize,
    /// Why it stands still, if not because someone paused it.
    pub message: Option<String>,
    /// How far the search for the movement of another scene is.
    pub search: Option<String>,
}

/// A hand that pulls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pull {
    /// The body.
    pub body: usize,
    /// The point that it holds, in body axes.
    pub point: DVec3,
    /// Where it wants the point to be.
    pub target: DVec3,
}

impl State {
    /// The message that tells a page of it.
    pub fn message(&self) -> Value {
        json!({ "state": {
            "run": self.run.number,
            "playing": self.playing,
            "speed": self.speed,
            "frames": self.frames,
            "time": self.time,
            "factor": self.factor,
            "quarantined": &*self.quarantined,
            "pulls": self.pulls,
            "pages": self.pages,
            "message": self.message,
            "search": self.search,
        }})
    }
}

/// What a page asks the session to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// A page begins to watch.
    Come,
    /// A page is gone; its hand lets go.
    Gone,
    /// Go on.
    Play,
    /// Stand still.
    Pause,
    /// Go on by one frame.
    Step,
    /// So many simulated seconds per second.
    Speed(f64),
    /// The same scene from its beginning.
    Reset,
    /// Another built-in scene.
    Open(String),
    /// Show another of the movements that were kept.
    Movement(usize),
    /// Kick a body.
    Kick(usize),
    /// Begin to pull a body, or pull elsewhere.
    Pull(Pull),
    /// Let go of it.
    LetGo,
    /// Answer with the report so far.
    Report,
}
