//! The search for the movement of a scene that a page has opened.
//!
//! It runs on its own threads beside the run that is shown, and reports its
//! progress to the pages. At most one search runs at a time: a search that is
//! abandoned is cancelled, and the next one starts when its threads have ended.

use super::live_run::LiveStart;
use super::session::SessionError;
use super::state::SessionState;
use conatus_world::motion::{ATTEMPTS_PER_ROUND, Progress};
use conatus_world::scene::{Scene, Setup};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The shortest time between two progress reports to the pages.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// The search that runs, and the one that waits for it to end.
#[derive(Default)]
pub struct MovementSearches {
    running: Option<MovementSearch>,
    /// Starts when the cancelled search has ended.
    next: Option<(Scene, Box<Setup>)>,
}

/// What a search has led to.
pub enum SearchOutcome {
    /// The scene with its movements.
    Found(Box<LiveStart>),
    /// The search could not be started, or its thread panicked.
    Failed(String),
}

impl MovementSearches {
    /// Whether a search runs or waits, a cancelled one included.
    pub fn is_active(&self) -> bool {
        self.running.is_some()
    }

    /// Cancels the present search and begins another as soon as its threads
    /// have ended.
    pub fn begin(
        &mut self,
        scene: Scene,
        setup: Box<Setup>,
        state: &watch::Sender<SessionState>,
    ) -> io::Result<()> {
        self.abandon(state);
        state.send_modify(|state| state.search = Some(message(&scene.name)));
        if self.running.is_some() {
            self.next = Some((scene, setup));
            return Ok(());
        }
        self.running = Some(MovementSearch::start(scene, setup, state.clone())?);
        Ok(())
    }

    /// Cancels the present search. Its threads end shortly afterwards.
    pub fn abandon(&mut self, state: &watch::Sender<SessionState>) {
        self.next = None;
        if let Some(search) = &self.running {
            search.cancel();
        }
        state.send_modify(|state| state.search = None);
    }

    /// Takes the outcome of a search that has ended, and starts the next.
    /// A cancelled search has no outcome.
    pub fn poll(&mut self, state: &watch::Sender<SessionState>) -> Option<SearchOutcome> {
        let search = self.running.take_if(|search| search.worker.is_finished())?;
        let cancelled = search.is_cancelled();
        let found = search.worker.join();
        if cancelled {
            let (scene, setup) = self.next.take()?;
            return match MovementSearch::start(scene, setup, state.clone()) {
                Ok(search) => {
                    self.running = Some(search);
                    None
                }
                Err(error) => {
                    state.send_modify(|state| state.search = None);
                    Some(SearchOutcome::Failed(error.to_string()))
                }
            };
        }
        state.send_modify(|state| state.search = None);
        Some(match found {
            Ok(Ok(start)) => SearchOutcome::Found(Box::new(start)),
            Ok(Err(error)) => SearchOutcome::Failed(error.to_string()),
            Err(_) => SearchOutcome::Failed("The search thread panicked.".into()),
        })
    }

    /// Cancels the search and waits until its threads have ended.
    pub fn finish(&mut self, state: &watch::Sender<SessionState>) {
        self.abandon(state);
        if let Some(search) = self.running.take() {
            // Whether a cancelled search panicked no longer matters.
            let _ = search.worker.join();
        }
    }
}

/// One search on its own threads.
struct MovementSearch {
    worker: JoinHandle<Result<LiveStart, SessionError>>,
    cancelled: Arc<AtomicBool>,
}

impl MovementSearch {
    fn start(
        scene: Scene,
        setup: Box<Setup>,
        state: watch::Sender<SessionState>,
    ) -> io::Result<Self> {
        // Attempts occupy their threads for seconds. The steps of the world
        // that is shown meanwhile must not wait for them.
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(ATTEMPTS_PER_ROUND)
            .thread_name(|index| format!("search-{index}"))
            .build()
            .map_err(io::Error::other)?;
        let cancelled = Arc::new(AtomicBool::new(false));
        let progress = ProgressReporter {
            message: message(&scene.name),
            cancelled: Arc::clone(&cancelled),
            last: Mutex::new(None),
            state,
        };
        let work = move || {
            let watch = |at: &Progress| progress.report(at);
            let movements = match &setup.planner {
                // A cancelled search has no movements; its result is discarded.
                Some(planner) => pool.install(|| planner.plan_all_unless_stopped(&watch)),
                None => None,
            };
            LiveStart::new(scene, *setup, movements.map(Arc::new))
        };
        let worker = thread::Builder::new().name("search".into()).spawn(work)?;
        Ok(Self { worker, cancelled })
    }

    fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Reports progress to the pages, and stops a cancelled search.
struct ProgressReporter {
    message: String,
    cancelled: Arc<AtomicBool>,
    /// When the last report was sent.
    last: Mutex<Option<Instant>>,
    state: watch::Sender<SessionState>,
}

impl ProgressReporter {
    fn report(&self, progress: &Progress) -> ControlFlow<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= PROGRESS_INTERVAL) {
            *last = Some(Instant::now());
            let text = format!("{}: {progress}", self.message);
            // The flag is read again inside: the state must not show a search
            // that was cancelled meanwhile.
            self.state.send_if_modified(|state| {
                let current = !self.cancelled.load(Ordering::Relaxed);
                if current {
                    state.search = Some(text);
                }
                current
            });
        }
        ControlFlow::Continue(())
    }
}

fn message(scene: &str) -> String {
    format!("Finding the movement of {scene}")
}
