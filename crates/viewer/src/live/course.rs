//! A world on its way: everything that a live run needs to go on.

use super::run::{Origin, Run};
use super::session::{Answer, SessionError};
use super::state::Pull;
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

/// Kicks and pulls that may wait for the next step.
const MOST_INPUTS: usize = 1000;

/// A world on its way.
pub struct Course {
    pub scene: Scene,
    pub world: World,
    pub plan: Plan,
    pub log: Logbook,
    /// The step at which the scene's time is over; `None` once it has been.
    pub end: Option<u64>,
    /// Why it cannot go on.
    pub stuck: Option<String>,
}

impl Course {
    /// Has something done in the next step, unless far too much is waiting for
    /// that already: a run that stands still must not gather without end.
    pub fn input(&mut self, command: Command) -> Answer {
        if self.world.waiting_inputs() >= MOST_INPUTS {
            return Err("the run stands still; let it go on first".into());
        }
        self.world.input(command);
        Ok(Value::Null)
    }
}

/// A world at its first frame.
pub fn begin(mut scene: Scene, number: u32) -> Result<(Course, Run), SessionError> {
    let mut setup = scene.build().map_err(Box::new)?;
    if let (Some(ask), None) = (&setup.ask, &scene.movement) {
        // Whoever starts with a scene waits for its movement once; resets do not.
        let movements = ask.find_all(&|_| ControlFlow::Continue(()));
        setup.put(&movements.best);
        scene.keep(movements);
    }
    let (movements, movement) = choice(&scene);
    let origin = Origin {
        header: setup.header,
        title: scene.file.title.clone().unwrap_or_default(),
        sources: scene.record_sources(),
        overrides: scene.overrides.clone(),
        clip: (setup.world.motion.as_ref()).map(|motion| motion.clip().clone()),
        movements,
        movement,
    };
    let run = Run::new(number, true, origin)?;
    let mut live = Course {
        scene,
        world: setup.world,
        end: Some(setup.plan.steps),
        plan: setup.plan,
        log: Logbook::new(),
        stuck: None,
    };
    live.log.record(&mut live.world, &mut &run)?;
    Ok((live, run))
}

/// What the movements to choose from are called, and which of them is shown.
fn choice(scene: &Scene) -> (Vec<String>, usize) {
    let (Some(all), Some(shown)) = (&scene.movements, &scene.movement) else {
        return (Vec::new(), 0);
    };
    let index = all.all().position(|m| Arc::ptr_eq(m, shown));
    (all.labels(), index.unwrap_or(0))
}

/// What a recording's scene says to look for.
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

pub fn pulls(world: &World) -> Vec<Pull> {
    let pull = |(_, hand): &(u32, Hand)| Pull {
        body: hand.body,
        point: hand.point_body,
        target: hand.target,
    };
    world.hands().iter().map(pull).collect()
}

/// Records, and tells pages of events.
pub struct Tape<'a> {
    pub run: &'a Run,
    pub events: &'a broadcast::Sender<Utf8Bytes>,
}

impl Sink for Tape<'_> {
    type Error = io::Error;

    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        (&mut &*self.run).frame(frame)
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        if is_news(event) {
            let message = json!({ "events": { "run": self.run.number, "events": [event] } });
            // Nobody may be watching.
            let _ = self.events.send(message.to_string().into());
        }
        (&mut &*self.run).event(event)
    }
}

/// Hands move sixty times a second; pages hear of them with the state.
pub fn is_news(event: &Event) -> bool {
    let names = ["pull", "let_go"];
    let by_hand = names.iter().any(|name| event.detail.get(name).is_some());
    !(event.kind == INPUT && (by_hand || event.detail.is_string()))
}
