//! A search for the movement of a scene that a page has opened. It goes on beside
//! the run that is shown, which can still be played, and pages are told how far
//! it is.

use super::state::State;
use conatus_world::motion::{Ask, Progress, ROUND};
use conatus_world::scene::Scene;
use std::io;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Pages are told at most this often.
const BETWEEN: Duration = Duration::from_secs(1);

/// It goes on until it is [stopped](Search::stop).
pub struct Search {
    worker: JoinHandle<Scene>,
    told: Arc<Mutex<Told>>,
}

/// When pages were told the last time.
enum Told {
    At(Option<Instant>),
    /// Nobody wants to know any more.
    Over,
}

impl Search {
    /// Looks for what a scene asks for.
    pub fn start(mut scene: Scene, ask: Ask, pages: watch::Sender<State>) -> io::Result<Self> {
        // Attempts keep their threads to themselves for seconds; a world that is
        // shown meanwhile must not wait for one.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(ROUND).build();
        let pool = pool.map_err(io::Error::other)?;
        let told = Arc::new(Mutex::new(Told::At(None)));
        let teller = Arc::clone(&told);
        let finding = format!("finding the movement of {}", scene.name);
        pages.send_modify(|state| state.search = Some(finding.clone()));
        let work = move || {
            let watch = |at: &Progress| tell(&finding, at, &teller, &pages);
            let movements = pool.install(|| ask.find_all(&watch));
            scene.keep(movements);
            scene
        };
        let worker = thread::Builder::new().name("search".into()).spawn(work)?;
        Ok(Self { worker, told })
    }

    /// Whether there is nothing left to wait for.
    pub fn is_over(&self) -> bool {
        self.worker.is_finished()
    }

    /// The scene with its movement; none if the search came to grief.
    pub fn end(self) -> Option<Scene> {
        self.worker.join().ok()
    }

    /// Nobody wants to know any more.
    pub fn stop(&self) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Told::Over;
    }
}

fn tell(
    finding: &str,
    at: &Progress,
    told: &Mutex<Told>,
    pages: &watch::Sender<State>,
) -> ControlFlow<()> {
    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
    match *told {
        Told::Over => return ControlFlow::Break(()),
        Told::At(Some(last)) if last.elapsed() < BETWEEN => {}
        Told::At(_) => {
            *told = Told::At(Some(Instant::now()));
            let news = format!("{finding}: {at}");
            pages.send_modify(|state| state.search = Some(news));
        }
    }
    ControlFlow::Continue(())
}
