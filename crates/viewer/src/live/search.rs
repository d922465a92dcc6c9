//! A search for the movement of a scene that a page has opened. It goes on beside
//! the run that is shown, which can still be played, and pages are told how far
//! it is.

use super::state::State;
use conatus_world::motion::{Ask, Progress, STAGES};
use conatus_world::scene::Scene;
use std::io;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Pages are told at most this often.
const BETWEEN: Duration = Duration::from_millis(200);

/// It ends when it is dropped.
pub struct Search {
    worker: Option<JoinHandle<Scene>>,
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
        let told = Arc::new(Mutex::new(Told::At(None)));
        let teller = Arc::clone(&told);
        let name = scene.name.clone();
        let work = move || {
            let movements = ask.find_all(&|at| tell(&name, at, &teller, &pages));
            scene.movement = Some(Arc::clone(&movements.best));
            scene.movements = Some(Arc::new(movements));
            scene
        };
        let worker = thread::Builder::new().name("search".into()).spawn(work)?;
        Ok(Self {
            worker: Some(worker),
            told,
        })
    }

    /// The scene with its movement, once that is found.
    pub fn found(&mut self) -> Option<Scene> {
        let worker = self.worker.take_if(|worker| worker.is_finished())?;
        worker.join().ok()
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Told::Over;
    }
}

fn tell(
    name: &str,
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
            let message = format!(
                "finding the movement of {name}: attempt {} of at most {}, {}, iteration {} of {}",
                at.attempt + 1,
                at.attempts,
                STAGES.get(at.stage).unwrap_or(&"?"),
                at.iteration,
                at.iterations,
            );
            pages.send_modify(|state| state.message = Some(message));
        }
    }
    ControlFlow::Continue(())
}
