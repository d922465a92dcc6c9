//! The loop of a live run: it steps the world in time with the clock and
//! handles requests between any two steps.

use super::clock::FrameClock;
use super::live_run::{BroadcastSink, LiveRun, LiveStart, active_drags, start_run, title_of};
use super::run_store::RunStore;
use super::search::MovementSearches;
use super::session::{QueuedRequest, Reply, SessionError};
use super::state::SessionState;
use axum::extract::ws::Utf8Bytes;
use conatus_record::Recording;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, oneshot, watch};

/// How often it checks whether a search has ended.
const SEARCH_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Significant digits of numbers in messages.
const MESSAGE_DIGITS: usize = 6;

/// Everything that the thread of a session owns.
pub struct Driver {
    pub(super) state: watch::Sender<SessionState>,
    pub(super) events: broadcast::Sender<Utf8Bytes>,
    pub(super) live: Option<LiveRun>,
    /// Searches for the movement of a scene that was opened and is not shown yet.
    pub(super) searches: MovementSearches,
    /// The built-in scene that is searched.
    pub(super) searched_scene: Option<String>,
    /// The scene whose search stopped when the last page left; the next page
    /// starts it again.
    pub(super) suspended_search: Option<String>,
    pub(super) clock: FrameClock,
    pub(super) pages: BTreeSet<u32>,
    /// Pages that drag a body.
    pub(super) dragging: BTreeSet<u32>,
    /// The run was playing when the last page left; it continues with the next.
    pub(super) resume_with_next_page: bool,
    /// Requests that wait for one more frame.
    pub(super) stepping: Vec<oneshot::Sender<Reply>>,
}

impl Driver {
    /// A driver for a scene, at its first frame.
    pub fn live(
        start: LiveStart,
        events: broadcast::Sender<Utf8Bytes>,
    ) -> Result<Self, SessionError> {
        let (live, run) = start_run(start, 1)?;
        Ok(Self::new(Some(live), run, events))
    }

    /// A driver for a recording: nothing is simulated until a page opens a
    /// scene.
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
        let driver = Self::new(None, RunStore::finished(1, title, recording)?, events);
        driver.state.send_modify(|state| {
            state.time = time;
            state.quarantined = quarantined;
        });
        Ok(driver)
    }

    fn new(live: Option<LiveRun>, run: RunStore, events: broadcast::Sender<Utf8Bytes>) -> Self {
        let resume_with_next_page = live.is_some();
        let state = SessionState {
            frames: run.frames(),
            run: Arc::new(run),
            playing: false,
            speed: 1.0,
            time: 0.0,
            factor: None,
            quarantined: Arc::new([]),
            drags: Vec::new(),
            pages: 0,
            message: None,
            search: None,
        };
        Self {
            state: watch::Sender::new(state),
            events,
            live,
            searches: MovementSearches::default(),
            searched_scene: None,
            suspended_search: None,
            clock: FrameClock::start(Instant::now()),
            pages: BTreeSet::new(),
            dragging: BTreeSet::new(),
            resume_with_next_page,
            stepping: Vec::new(),
        }
    }

    /// The state that pages watch.
    pub fn watch(&self) -> watch::Receiver<SessionState> {
        self.state.subscribe()
    }

    /// Runs until all handles of the session are dropped.
    pub fn drive(mut self, inbox: &Receiver<QueuedRequest>) {
        loop {
            self.poll_search();
            let step = self.next_step();
            let poll = self.searches.is_active().then_some(SEARCH_POLL_INTERVAL);
            let received = match step.into_iter().chain(poll).min() {
                Some(wait) => inbox.recv_timeout(wait),
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(request) => self.handle(request),
                Err(RecvTimeoutError::Timeout) => {
                    if step.is_some_and(|step| poll.is_none_or(|poll| step <= poll)) {
                        self.step();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return self.searches.finish(&self.state),
            }
        }
    }

    /// How long to wait for the next step, if one is scheduled.
    fn next_step(&self) -> Option<Duration> {
        let live = self.live.as_ref()?;
        let between = live.world.steps() % live.schedule.steps_per_frame != 0;
        match (self.playing(), self.stepping.is_empty()) {
            (true, true) if !between => Some(self.clock.wait(Instant::now())),
            (false, true) => None,
            _ => Some(Duration::ZERO),
        }
    }

    pub(super) fn playing(&self) -> bool {
        self.state.borrow().playing
    }

    /// One step of the world, and a frame if one is scheduled.
    fn step(&mut self) {
        let Some(live) = &mut self.live else { return };
        let step = live.world.step();
        live.log.log_step(&step);
        if live.world.steps() % live.schedule.steps_per_frame == 0 {
            self.record();
        }
    }

    /// Records a frame and pauses the run where it must stop.
    fn record(&mut self) {
        let Some(live) = &mut self.live else { return };
        let run = Arc::clone(&self.state.borrow().run);
        let known = live.log.quarantined().len();
        let mut sink = BroadcastSink {
            run: &run,
            events: &self.events,
        };
        let recorded = live.log.record(&mut live.world, &mut sink);
        let frame_seconds = live.schedule.steps_per_frame as f64 * live.world.step_seconds();
        let speed = self.state.borrow().speed;
        self.clock.tick(Instant::now(), frame_seconds, speed);

        let quarantined = live.log.quarantined();
        let mut stop = None;
        if quarantined.len() > known {
            stop = Some(format!(
                "The numbers of these bodies diverged; they are frozen at their last valid \
                 state: {}.",
                quarantined[known..].join(", ")
            ));
        }
        if live.end.is_some_and(|end| live.world.steps() >= end) {
            live.end = None;
            let seconds = live.schedule.steps as f64 * live.world.step_seconds();
            let seconds = rounded(seconds);
            stop.get_or_insert(format!(
                "End of the scene ({seconds} s). Press play to continue."
            ));
        }
        if let Err(error) = recorded {
            live.halted = Some(format!("Recording failed: {error}. Reset to start again."));
        } else if run.is_full() {
            live.halted = Some(
                "The recording has reached its limit of 4 GiB. Save it, or reset to start again."
                    .into(),
            );
        }
        let stop = live.halted.clone().or(stop);
        let world = &live.world;
        let changes = (
            world.time(),
            Arc::<[String]>::from(quarantined),
            active_drags(world),
        );
        let factor = self.clock.factor();
        self.state.send_modify(|state| {
            state.frames = run.frames();
            (state.time, state.quarantined, state.drags) = changes;
            state.factor = factor;
            if let Some(message) = stop {
                state.playing = false;
                state.message = Some(message);
            }
        });
        for reply in self.stepping.drain(..) {
            // A page that has disconnected needs no reply.
            let _ = reply.send(Ok(Value::Null));
        }
    }
}

/// A number without the rounding errors of its computation: 4.999999999999999
/// becomes 5.
fn rounded(number: f64) -> f64 {
    let digits = MESSAGE_DIGITS - 1;
    format!("{number:.digits$e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    /// A user played a scene of 5 s and read "the scene's 4.999999999999999 s
    /// are over". Messages show rounded numbers.
    #[test]
    fn numbers_in_messages_are_rounded() {
        for (number, shown) in [
            (4.999_999_999_999_999, "5"),
            (0.1 + 0.2, "0.3"),
            (1e-4 / 3.0, "0.0000333333"),
            (120.0, "120"),
        ] {
            assert_eq!(rounded(number).to_string(), shown);
        }
    }
}
