//! The loop that drives a live run: it steps the world in time with the
//! clock, and listens between any two steps.

use super::clock::{Clock, SPEEDS};
use super::run::{Origin, Run};
use super::session::{Answer, Envelope, SessionError};
use super::state::{Order, Pull, State};
use super::strength;
use axum::extract::ws::Utf8Bytes;
use conatus_math::DVec3;
use conatus_record::{Event, Frame, Recording};
use conatus_world::command::INPUT;
use conatus_world::scene::{Options, Scene, library};
use conatus_world::{Command, Logbook, Plan, Sink, World};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, oneshot, watch};

/// Numbers from pages beyond this make no sense as places.
const FAR: f64 = 1e9;
/// Kicks and pulls that may wait for the next step.
const MOST_INPUTS: usize = 1000;

/// A world on its way.
struct Live {
    scene: Scene,
    world: World,
    plan: Plan,
    log: Logbook,
    /// The step at which the scene's time is over; `None` once it has been.
    end: Option<u64>,
    /// Why it cannot go on.
    stuck: Option<String>,
}

impl Live {
    /// Has something done in the next step, unless far too much is waiting for
    /// that already: a run that stands still must not gather without end.
    fn input(&mut self, command: Command) -> Answer {
        if self.world.waiting_inputs() >= MOST_INPUTS {
            return Err("the run stands still; let it go on first".into());
        }
        self.world.input(command);
        Ok(Value::Null)
    }
}

/// What the thread of a session owns.
pub struct Driver {
    state: watch::Sender<State>,
    events: broadcast::Sender<Utf8Bytes>,
    live: Option<Live>,
    clock: Clock,
    pages: BTreeSet<u32>,
    /// Pages whose hand holds a body.
    holding: BTreeSet<u32>,
    /// It was playing when the last page left, and goes on with the next.
    left_playing: bool,
    /// Someone waits for one more frame.
    stepping: Option<oneshot::Sender<Answer>>,
}

impl Driver {
    /// A driver for a scene, at its first frame.
    pub fn live(scene: Scene, events: broadcast::Sender<Utf8Bytes>) -> Result<Self, SessionError> {
        let (live, run) = begin(scene, 1)?;
        Ok(Self::new(Some(live), run, events))
    }

    /// A driver for a recording: there is nothing to drive until a page opens
    /// a scene.
    pub fn recording(run: Run, events: broadcast::Sender<Utf8Bytes>) -> Self {
        Self::new(None, run, events)
    }

    fn new(live: Option<Live>, run: Run, events: broadcast::Sender<Utf8Bytes>) -> Self {
        let left_playing = live.is_some();
        let state = State {
            frames: run.frames(),
            run: Arc::new(run),
            playing: false,
            speed: 1.0,
            time: 0.0,
            factor: None,
            quarantined: Arc::new([]),
            pulls: Vec::new(),
            pages: 0,
            message: None,
        };
        Self {
            state: watch::Sender::new(state),
            events,
            live,
            clock: Clock::start(Instant::now()),
            pages: BTreeSet::new(),
            holding: BTreeSet::new(),
            left_playing,
            stepping: None,
        }
    }

    /// What pages look at.
    pub fn watch(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Drives until nobody can give orders any more.
    pub fn drive(mut self, inbox: &Receiver<Envelope>) {
        loop {
            let received = match self.next_step() {
                Some(wait) => inbox.recv_timeout(wait),
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(envelope) => self.obey(envelope),
                Err(RecvTimeoutError::Timeout) => self.step(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// When the next step is due, if any is.
    fn next_step(&self) -> Option<Duration> {
        let live = self.live.as_ref()?;
        let between = live.world.steps() % live.plan.steps_per_frame != 0;
        match (self.playing(), &self.stepping) {
            (true, None) if !between => Some(self.clock.wait(Instant::now())),
            (false, None) => None,
            _ => Some(Duration::ZERO),
        }
    }

    fn playing(&self) -> bool {
        self.state.borrow().playing
    }

    /// One step of the world, and a frame where one is due.
    fn step(&mut self) {
        let Some(live) = &mut self.live else { return };
        let step = live.world.step();
        live.log.step(&step);
        if live.world.steps() % live.plan.steps_per_frame == 0 {
            self.record();
        }
    }

    /// Records a frame and looks whether to stand still.
    fn record(&mut self) {
        let Some(live) = &mut self.live else { return };
        let run = Arc::clone(&self.state.borrow().run);
        let known = live.log.quarantined().len();
        let mut tape = Tape {
            run: &run,
            events: &self.events,
        };
        let recorded = live.log.record(&mut live.world, &mut tape);
        let frame_seconds = live.plan.steps_per_frame as f64 * live.world.step_seconds();
        let speed = self.state.borrow().speed;
        self.clock.tick(Instant::now(), frame_seconds, speed);

        let quarantined = live.log.quarantined();
        let mut halt = None;
        if quarantined.len() > known {
            halt = Some(format!(
                "numbers ran away; frozen where they last made sense: {}",
                quarantined[known..].join(", ")
            ));
        }
        if live.end.is_some_and(|end| live.world.steps() >= end) {
            live.end = None;
            let seconds = live.plan.steps as f64 * live.world.step_seconds();
            let over = format!("the scene's {seconds} s are over; play goes on");
            halt.get_or_insert(over);
        }
        if let Err(error) = recorded {
            live.stuck = Some(format!(
                "cannot record any more: {error}; reset to begin anew"
            ));
        } else if run.is_full() {
            live.stuck = Some(
                "the recording has grown to 4 GiB and ends here; save it, or reset to begin anew"
                    .into(),
            );
        }
        let halt = live.stuck.clone().or(halt);
        let world = &live.world;
        let news = (
            world.time(),
            Arc::<[String]>::from(quarantined),
            pulls(world),
        );
        let factor = self.clock.factor();
        self.state.send_modify(|state| {
            state.frames = run.frames();
            (state.time, state.quarantined, state.pulls) = news;
            state.factor = factor;
            if let Some(message) = halt {
                state.playing = false;
                state.message = Some(message);
            }
        });
        if let Some(answer) = self.stepping.take() {
            // A page that has gone needs no answer.
            let _ = answer.send(Ok(Value::Null));
        }
    }

    fn obey(&mut self, envelope: Envelope) {
        let Envelope {
            page,
            order,
            answer,
        } = envelope;
        if order == Order::Step {
            return self.begin_step(answer);
        }
        let done = match order {
            Order::Come => self.come(page),
            Order::Gone => self.gone(page),
            Order::Play => self.play(true),
            Order::Pause => self.play(false),
            Order::Speed(speed) => self.speed(speed),
            Order::Reset => self.reset(),
            Order::Open(name) => self.open(&name),
            Order::Kick(body) => self.kick(body),
            Order::Pull(pull) => self.pull(page, pull),
            Order::LetGo => self.let_go(page),
            Order::Report => Ok(self.report()),
            Order::Step => Ok(Value::Null),
        };
        let _ = answer.send(done);
    }

    fn world(&mut self) -> Result<&mut Live, String> {
        self.live
            .as_mut()
            .ok_or_else(|| "this is a recording: what is done is done".to_owned())
    }

    fn come(&mut self, page: u32) -> Answer {
        self.pages.insert(page);
        if std::mem::take(&mut self.left_playing) {
            self.set_playing(true);
        }
        self.tell_pages();
        Ok(Value::Null)
    }

    fn gone(&mut self, page: u32) -> Answer {
        self.pages.remove(&page);
        self.let_go(page)?;
        if self.pages.is_empty() && self.playing() {
            self.left_playing = true;
            self.set_playing(false);
        }
        self.tell_pages();
        Ok(Value::Null)
    }

    fn tell_pages(&mut self) {
        let pages = self.pages.len();
        self.state.send_modify(|state| state.pages = pages);
    }

    fn play(&mut self, playing: bool) -> Answer {
        let live = self.world()?;
        if let (true, Some(stuck)) = (playing, &live.stuck) {
            return Err(stuck.clone());
        }
        if self.playing() != playing {
            let mark = if playing {
                Command::Resume
            } else {
                Command::Pause
            };
            self.world()?.world.input(mark);
            self.set_playing(playing);
        }
        Ok(Value::Null)
    }

    fn set_playing(&mut self, playing: bool) {
        self.clock = Clock::start(Instant::now());
        self.state.send_modify(|state| {
            state.playing = playing;
            if playing {
                state.message = None;
            }
        });
    }

    fn begin_step(&mut self, answer: oneshot::Sender<Answer>) {
        let refused = match (self.playing(), self.world()) {
            (true, _) => Some("pause first".to_owned()),
            (_, Err(reason)) => Some(reason),
            (_, Ok(live)) => live.stuck.clone(),
        };
        match refused {
            Some(reason) => {
                let _ = answer.send(Err(reason));
            }
            None => {
                self.state.send_modify(|state| state.message = None);
                self.stepping = Some(answer);
            }
        }
    }

    fn speed(&mut self, speed: f64) -> Answer {
        if !SPEEDS.contains(&speed) {
            return Err(format!(
                "the speed is from {} to {}",
                SPEEDS.start(),
                SPEEDS.end()
            ));
        }
        self.clock = Clock::start(Instant::now());
        self.state.send_modify(|state| state.speed = speed);
        Ok(Value::Null)
    }

    fn reset(&mut self) -> Answer {
        let scene = self.world()?.scene.clone();
        self.switch(scene)
    }

    fn open(&mut self, name: &str) -> Answer {
        // Only what comes with the program: a page may not name files.
        if library::find(name).is_none() {
            return Err(format!("there is no built-in scene `{name}`"));
        }
        let scene = Scene::load(name, &Options::default()).map_err(|e| e.to_string())?;
        let first_life = self.live.is_none();
        self.switch(scene)?;
        if first_life {
            self.set_playing(true);
        }
        Ok(Value::Null)
    }

    fn switch(&mut self, scene: Scene) -> Answer {
        let number = self.state.borrow().run.number.wrapping_add(1);
        let (live, run) = begin(scene, number).map_err(|e| e.to_string())?;
        self.live = Some(live);
        self.holding.clear();
        self.stepping = None;
        self.clock = Clock::start(Instant::now());
        self.state.send_modify(|state| {
            state.frames = run.frames();
            state.run = Arc::new(run);
            state.time = 0.0;
            state.factor = None;
            state.quarantined = Arc::new([]);
            state.pulls = Vec::new();
            state.message = None;
        });
        Ok(Value::Null)
    }

    fn kick(&mut self, body: usize) -> Answer {
        let run = Arc::clone(&self.state.borrow().run);
        let live = self.world()?;
        let kick = strength::kick(&run.header, body)
            .ok_or_else(|| format!("there are only {} bodies", run.header.bodies.len()))?;
        live.input(kick)
    }

    fn pull(&mut self, page: u32, pull: Pull) -> Answer {
        let run = Arc::clone(&self.state.borrow().run);
        let live = self.world()?;
        let near = |v: DVec3| v.is_finite() && v.abs().max_element() < FAR;
        if !near(pull.point) || !near(pull.target) {
            return Err("nothing can be pulled so far".into());
        }
        let (stiffness, damping) = strength::hand(&run.header, pull.body, pull.point)
            .ok_or_else(|| format!("there are only {} bodies", run.header.bodies.len()))?;
        live.input(Command::Pull {
            hand: page,
            body: pull.body,
            point_body: pull.point,
            target: pull.target,
            stiffness,
            damping,
        })?;
        self.holding.insert(page);
        Ok(Value::Null)
    }

    fn let_go(&mut self, page: u32) -> Answer {
        if self.holding.remove(&page) {
            self.world()?.world.input(Command::LetGo { hand: page });
        }
        Ok(Value::Null)
    }

    fn report(&self) -> Value {
        match &self.live {
            Some(live) => {
                let report = live.log.report(&live.world, &live.plan, false);
                serde_json::to_value(report).unwrap_or_default()
            }
            None => Value::Null,
        }
    }
}

/// A world at its first frame.
fn begin(mut scene: Scene, number: u32) -> Result<(Live, Run), SessionError> {
    let setup = scene.build().map_err(Box::new)?;
    let origin = Origin {
        header: setup.header,
        title: scene.file.title.clone().unwrap_or_default(),
        sources: scene.record_sources(),
        overrides: scene.overrides.clone(),
    };
    let run = Run::new(number, true, origin)?;
    let mut live = Live {
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

fn pulls(world: &World) -> Vec<Pull> {
    let pull = |(_, hand): &(u32, conatus_rigid::forces::Hand)| Pull {
        body: hand.body,
        point: hand.point_body,
        target: hand.target,
    };
    world.hands().iter().map(pull).collect()
}

/// Records, and tells pages of events.
struct Tape<'a> {
    run: &'a Run,
    events: &'a broadcast::Sender<Utf8Bytes>,
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
pub(super) fn is_news(event: &Event) -> bool {
    let names = ["pull", "let_go"];
    let by_hand = names.iter().any(|name| event.detail.get(name).is_some());
    !(event.kind == INPUT && (by_hand || event.detail.is_string()))
}
