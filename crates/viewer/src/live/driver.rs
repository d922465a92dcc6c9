//! The loop that drives a live run: it steps the world in time with the
//! clock, and listens between any two steps.

use super::clock::Clock;
use super::course::{Course, Tape, begin, pulls, title_of};
use super::run::Run;
use super::search::Search;
use super::session::{Answer, Envelope, SessionError};
use super::state::State;
use axum::extract::ws::Utf8Bytes;
use conatus_record::Recording;
use conatus_world::scene::Scene;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, oneshot, watch};

/// How often it looks whether a search has ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// What the thread of a session owns.
pub struct Driver {
    pub(super) state: watch::Sender<State>,
    pub(super) events: broadcast::Sender<Utf8Bytes>,
    pub(super) live: Option<Course>,
    /// For the movement of a scene that was opened and is not shown yet.
    pub(super) search: Option<Search>,
    pub(super) clock: Clock,
    pub(super) pages: BTreeSet<u32>,
    /// Pages whose hand holds a body.
    pub(super) holding: BTreeSet<u32>,
    /// It was playing when the last page left, and goes on with the next.
    pub(super) left_playing: bool,
    /// Those who wait for one more frame.
    pub(super) stepping: Vec<oneshot::Sender<Answer>>,
}

impl Driver {
    /// A driver for a scene, at its first frame.
    pub fn live(scene: Scene, events: broadcast::Sender<Utf8Bytes>) -> Result<Self, SessionError> {
        let (live, run) = begin(scene, 1)?;
        Ok(Self::new(Some(live), run, events))
    }

    /// A driver for a recording: there is nothing to drive until a page opens
    /// a scene.
    pub fn recording(
        recording: Recording,
        events: broadcast::Sender<Utf8Bytes>,
    ) -> Result<Self, SessionError> {
        let time = recording.frames.last().map_or(0.0, |frame| frame.time);
        let quarantined = recording.events.iter();
        let quarantined: Arc<[String]> = quarantined
            .filter_map(|event| event.quarantined().map(str::to_owned))
            .collect();
        let title = title_of(&recording);
        let driver = Self::new(None, Run::finished(1, title, recording)?, events);
        driver.state.send_modify(|state| {
            state.time = time;
            state.quarantined = quarantined;
        });
        Ok(driver)
    }

    fn new(live: Option<Course>, run: Run, events: broadcast::Sender<Utf8Bytes>) -> Self {
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
            search: None,
        };
        Self {
            state: watch::Sender::new(state),
            events,
            live,
            search: None,
            clock: Clock::start(Instant::now()),
            pages: BTreeSet::new(),
            holding: BTreeSet::new(),
            left_playing,
            stepping: Vec::new(),
        }
    }

    /// What pages look at.
    pub fn watch(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Drives until nobody can give orders any more.
    pub fn drive(mut self, inbox: &Receiver<Envelope>) {
        loop {
            self.look_at_search();
            let step = self.next_step();
            let look = self.search.as_ref().map(|_| BETWEEN_LOOKS);
            let received = match step.into_iter().chain(look).min() {
                Some(wait) => inbox.recv_timeout(wait),
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(envelope) => self.obey(envelope),
                Err(RecvTimeoutError::Timeout) => {
                    if step.is_some_and(|step| look.is_none_or(|look| step <= look)) {
                        self.step();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return self.leave_search(),
            }
        }
    }

    /// When the next step is due, if any is.
    fn next_step(&self) -> Option<Duration> {
        let live = self.live.as_ref()?;
        let between = live.world.steps() % live.plan.steps_per_frame != 0;
        match (self.playing(), self.stepping.is_empty()) {
            (true, true) if !between => Some(self.clock.wait(Instant::now())),
            (false, true) => None,
            _ => Some(Duration::ZERO),
        }
    }

    pub(super) fn playing(&self) -> bool {
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
        for answer in self.stepping.drain(..) {
            // A page that has gone needs no answer.
            let _ = answer.send(Ok(Value::Null));
        }
    }
}
