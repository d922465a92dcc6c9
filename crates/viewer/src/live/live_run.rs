//! A live run: the world that is simulated, and what it records.

use super::run_store::{RunDescription, RunStore};
use super::session::{Reply, SessionError};
use super::state::PointerDrag;
use axum::extract::ws::Utf8Bytes;
use conatus_record::{Event, Frame, Recording};
use conatus_rigid::forces::PointerSpring;
use conatus_world::command::INPUT;
use conatus_world::motion::Movements;
use conatus_world::scene::{Scene, Setup};
use conatus_world::{Command, RunLog, RunSchedule, RunSink, World};
use serde_json::{Value, json};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::sync::broadcast;

/// The most kicks and drags that may wait for the next step.
const MAX_QUEUED_INPUTS: usize = 1000;

/// A world and everything needed to continue it.
pub struct LiveRun {
    pub scene: Scene,
    /// The movements of the scene's characters, if there are any.
    pub movements: Option<Arc<Movements>>,
    /// The index of the movement that is shown.
    pub shown: usize,
    pub world: World,
    pub schedule: RunSchedule,
    pub log: RunLog,
    /// The step at which the scene's time ends; `None` once it was reached.
    pub end: Option<u64>,
    /// Why the run cannot continue.
    pub halted: Option<String>,
}

impl LiveRun {
    /// Queues a command for the next step. The queue is bounded, because a
    /// paused run does not empty it.
    pub fn input(&mut self, command: Command) -> Reply {
        if self.world.waiting_inputs() >= MAX_QUEUED_INPUTS {
            return Err("The run is paused and its input queue is full; continue it first.".into());
        }
        self.world.input(command);
        Ok(Value::Null)
    }
}

/// A scene that is ready to run: its setup with the movement of its characters,
/// and the other movements to choose from.
pub struct LiveStart {
    scene: Scene,
    setup: Setup,
    movements: Option<Arc<Movements>>,
    shown: usize,
}

impl LiveStart {
    /// A setup of the scene and the movements that were planned for it. The best
    /// movement is shown.
    pub fn new(
        scene: Scene,
        setup: Setup,
        movements: Option<Arc<Movements>>,
    ) -> Result<Self, SessionError> {
        Self::with_movement(scene, setup, movements, 0)
    }

    /// Builds a scene and plans the movement of its characters, which takes
    /// seconds if there are any.
    pub fn plan(scene: Scene) -> Result<Self, SessionError> {
        let setup = scene.build().map_err(Box::new)?;
        let movements = (setup.planner.as_ref())
            .map(|planner| Arc::new(planner.plan_all(&|_| ControlFlow::Continue(()))));
        Self::new(scene, setup, movements)
    }

    /// Builds a scene again, with one of the movements that were planned before.
    pub fn rebuild(
        scene: Scene,
        movements: Option<Arc<Movements>>,
        shown: usize,
    ) -> Result<Self, SessionError> {
        let setup = scene.build().map_err(Box::new)?;
        Self::with_movement(scene, setup, movements, shown)
    }

    fn with_movement(
        scene: Scene,
        mut setup: Setup,
        movements: Option<Arc<Movements>>,
        shown: usize,
    ) -> Result<Self, SessionError> {
        let movement = movements.as_ref().and_then(|m| m.all().nth(shown));
        if let Some(movement) = movement {
            setup.set_movement(movement)?;
        }
        Ok(Self {
            scene,
            setup,
            movements,
            shown,
        })
    }
}

/// Starts the run of a scene and records its first frame.
pub fn start_run(start: LiveStart, number: u32) -> Result<(LiveRun, RunStore), SessionError> {
    let LiveStart {
        scene,
        setup,
        movements,
        shown,
    } = start;
    let description = RunDescription {
        header: setup.header,
        title: scene.file.title.clone().unwrap_or_default(),
        sources: setup.sources,
        overrides: scene.overrides.clone(),
        clip: (setup.world.motion.as_ref()).map(|motion| motion.clip().clone()),
        movements: movements.as_ref().map(|m| m.labels()).unwrap_or_default(),
        movement: shown,
    };
    let run = RunStore::new(number, true, description)?;
    let mut live = LiveRun {
        scene,
        movements,
        shown,
        world: setup.world,
        end: Some(setup.schedule.steps),
        schedule: setup.schedule,
        log: RunLog::new(),
        halted: None,
    };
    live.log.record(&mut live.world, &mut &run)?;
    Ok((live, run))
}

/// The title of the scene that a recording contains.
pub fn title_of(recording: &Recording) -> String {
    let header = &recording.header;
    Scene::from_recording(
        &header.scene,
        &recording.sources,
        &recording.overrides,
        header.seed,
    )
    .ok()
    .and_then(|scene| scene.file.title)
    .unwrap_or_default()
}

/// The drags that act in a world.
pub fn active_drags(world: &World) -> Vec<PointerDrag> {
    let drag = |(_, hand): &(u32, PointerSpring)| PointerDrag {
        body: hand.body,
        point: hand.point_body,
        target: hand.target,
    };
    world.pointer_springs().iter().map(drag).collect()
}

/// Records frames and events, and sends events to the connected pages.
pub struct BroadcastSink<'a> {
    pub run: &'a RunStore,
    pub events: &'a broadcast::Sender<Utf8Bytes>,
}

impl RunSink for BroadcastSink<'_> {
    type Error = io::Error;

    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        (&mut &*self.run).frame(frame)
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        if is_broadcast(event) {
            let message = json!({ "events": { "run": self.run.number, "events": [event] } });
            // Fails only if no page is connected.
            let _ = self.events.send(message.to_string().into());
        }
        (&mut &*self.run).event(event)
    }
}

/// Whether an event is sent to pages. Drags move sixty times a second and are
/// part of the state instead.
pub fn is_broadcast(event: &Event) -> bool {
    let names = ["pull", "let_go"];
    let is_drag = names.iter().any(|name| event.detail.get(name).is_some());
    !(event.kind == INPUT && (is_drag || event.detail.is_string()))
}
