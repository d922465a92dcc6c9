//! A live run: the world that is simulated, and what it records.

use super::run_store::{RunDescription, RunStore};
use super::session::{Reply, SessionError};
use super::state::PointerDrag;
use axum::extract::ws::Utf8Bytes;
use conatus_record::{Event, Frame, Recording};
use conatus_rigid::forces::Hand;
use conatus_world::command::INPUT;
use conatus_world::scene::Scene;
use conatus_world::{Command, Logbook, Plan, Sink, World};
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
    pub world: World,
    pub plan: Plan,
    pub log: Logbook,
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

/// Builds the world of a scene and records its first frame.
pub fn start_run(mut scene: Scene, number: u32) -> Result<(LiveRun, RunStore), SessionError> {
    let mut setup = scene.build().map_err(Box::new)?;
    if let (Some(ask), None) = (&setup.ask, &scene.movement) {
        // Searched once; resets reuse the movement.
        let movements = ask.find_all(&|_| ControlFlow::Continue(()));
        setup.put(&movements.best);
        scene.keep(movements);
    }
    let (movements, movement) = movement_choice(&scene);
    let description = RunDescription {
        header: setup.header,
        title: scene.file.title.clone().unwrap_or_default(),
        sources: scene.record_sources(),
        overrides: scene.overrides.clone(),
        clip: (setup.world.motion.as_ref()).map(|motion| motion.clip().clone()),
        movements,
        movement,
    };
    let run = RunStore::new(number, true, description)?;
    let mut live = LiveRun {
        scene,
        world: setup.world,
        end: Some(setup.plan.steps),
        plan: setup.plan,
        log: Logbook::new(),
        halted: None,
    };
    live.log.record(&mut live.world, &mut &run)?;
    Ok((live, run))
}

/// The labels of the movements to choose from, and the index of the shown one.
fn movement_choice(scene: &Scene) -> (Vec<String>, usize) {
    let (Some(all), Some(shown)) = (&scene.movements, &scene.movement) else {
        return (Vec::new(), 0);
    };
    let index = all.all().position(|m| Arc::ptr_eq(m, shown));
    (all.labels(), index.unwrap_or(0))
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
    let drag = |(_, hand): &(u32, Hand)| PointerDrag {
        body: hand.body,
        point: hand.point_body,
        target: hand.target,
    };
    world.hands().iter().map(drag).collect()
}

/// Records frames and events, and sends events to the connected pages.
pub struct BroadcastSink<'a> {
    pub run: &'a RunStore,
    pub events: &'a broadcast::Sender<Utf8Bytes>,
}

impl Sink for BroadcastSink<'_> {
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
