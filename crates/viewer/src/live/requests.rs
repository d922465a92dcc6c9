//! How a session handles the requests of its pages.

use super::clock::{FrameClock, SPEEDS};
use super::driver::Driver;
use super::input_strength;
use super::live_run::{LiveRun, LiveStart, start_run};
use super::search::SearchOutcome;
use super::session::{QueuedRequest, Reply, SessionError};
use super::state::{PointerDrag, SessionRequest};
use conatus_math::DVec3;
use conatus_world::Command;
use conatus_world::scene::{LoadOptions, Scene, library};
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;

/// The largest coordinate of a drag that is accepted.
const MAX_DRAG_COORDINATE_M: f64 = 1e9;

impl Driver {
    /// Carries out a request and replies to it.
    pub(super) fn handle(&mut self, queued: QueuedRequest) {
        let QueuedRequest {
            page,
            request,
            reply,
        } = queued;
        let result = match request {
            SessionRequest::PageJoined => self.page_joined(page),
            SessionRequest::PageLeft => self.page_left(page),
            SessionRequest::Play => self.play(true),
            SessionRequest::Pause => self.play(false),
            SessionRequest::Speed(speed) => self.change_speed(speed),
            SessionRequest::Reset => self.reset(),
            SessionRequest::Open(name) => self.open(&name),
            SessionRequest::Movement(index) => self.show_movement(index),
            SessionRequest::Kick(body) => self.kick(body),
            SessionRequest::Drag(drag) => self.drag(page, drag),
            SessionRequest::ReleaseDrag => self.release_drag(page),
            SessionRequest::Report => Ok(self.report()),
            SessionRequest::Step => return self.begin_step(reply),
        };
        // A page that has disconnected needs no reply.
        let _ = reply.send(result);
    }

    fn live_run(&mut self) -> Result<&mut LiveRun, String> {
        self.live
            .as_mut()
            .ok_or_else(|| "Recordings are read-only; open a scene to run it.".to_owned())
    }

    fn page_joined(&mut self, page: u32) -> Reply {
        self.pages.insert(page);
        self.publish_page_count();
        if std::mem::take(&mut self.resume_with_next_page) {
            self.set_playing(true);
        }
        if let Some(scene) = self.suspended_search.take() {
            self.open(&scene)?;
        }
        Ok(Value::Null)
    }

    /// Without pages the run pauses and the search stops; both continue with
    /// the next page.
    fn page_left(&mut self, page: u32) -> Reply {
        self.pages.remove(&page);
        self.release_drag(page)?;
        if self.pages.is_empty() {
            if self.playing() {
                self.resume_with_next_page = true;
                self.set_playing(false);
            }
            self.suspended_search = self.searched_scene.take();
            self.searches.abandon(&self.state);
        }
        self.publish_page_count();
        Ok(Value::Null)
    }

    fn publish_page_count(&mut self) {
        let pages = self.pages.len();
        self.state.send_modify(|state| state.pages = pages);
    }

    fn play(&mut self, playing: bool) -> Reply {
        let live = self.live_run()?;
        if let (true, Some(reason)) = (playing, &live.halted) {
            return Err(reason.clone());
        }
        if self.playing() != playing {
            let mark = if playing {
                Command::Resume
            } else {
                Command::Pause
            };
            self.live_run()?.world.input(mark);
            self.set_playing(playing);
        }
        Ok(Value::Null)
    }

    fn set_playing(&mut self, playing: bool) {
        self.clock = FrameClock::start(Instant::now());
        self.state.send_modify(|state| {
            state.playing = playing;
            if playing {
                state.message = None;
            }
        });
    }

    fn begin_step(&mut self, reply: oneshot::Sender<Reply>) {
        let refused = match (self.playing(), self.live_run()) {
            (true, _) => Some("Pause the run first.".to_owned()),
            (_, Err(reason)) => Some(reason),
            (_, Ok(live)) => live.halted.clone(),
        };
        match refused {
            Some(reason) => {
                let _ = reply.send(Err(reason));
            }
            None => {
                self.state.send_modify(|state| state.message = None);
                self.stepping.push(reply);
            }
        }
    }

    fn change_speed(&mut self, speed: f64) -> Reply {
        if !SPEEDS.contains(&speed) {
            return Err(format!(
                "The speed must be from {} to {}.",
                SPEEDS.start(),
                SPEEDS.end()
            ));
        }
        self.clock = FrameClock::start(Instant::now());
        self.state.send_modify(|state| state.speed = speed);
        Ok(Value::Null)
    }

    /// Restarts the scene. It plays if the run had stopped by itself (at its
    /// end, or because the recording was full), and stays paused if a user
    /// paused it.
    fn reset(&mut self) -> Reply {
        let live = self.live_run()?;
        let (scene, movements, shown) = (live.scene.clone(), live.movements.clone(), live.shown);
        let stopped_itself = self.state.borrow().message.is_some();
        self.switch(LiveStart::rebuild(scene, movements, shown))?;
        if stopped_itself {
            self.set_playing(true);
        }
        Ok(Value::Null)
    }

    /// Opens a built-in scene and plays it. If it has characters, the run that
    /// is shown continues until their movement is found.
    fn open(&mut self, name: &str) -> Reply {
        // Built-in scenes only: a page must not name files.
        if library::find(name).is_none() {
            return Err(format!("There is no built-in scene `{name}`."));
        }
        let scene = Scene::load(name, &LoadOptions::default()).map_err(|e| e.to_string())?;
        self.abandon_search();
        let setup = scene.build().map_err(|e| e.to_string())?;
        if setup.planner.is_some() {
            if let Err(error) = self.searches.begin(scene, Box::new(setup), &self.state) {
                self.abandon_search();
                return Err(error.to_string());
            }
            self.searched_scene = Some(name.to_owned());
            return Ok(Value::Null);
        }
        self.switch(LiveStart::new(scene, setup, None))?;
        self.set_playing(true);
        Ok(Value::Null)
    }

    /// Shows the scene of a search that has ended.
    pub(super) fn poll_search(&mut self) {
        let Some(outcome) = self.searches.poll(&self.state) else {
            return;
        };
        self.searched_scene = None;
        let shown = match outcome {
            SearchOutcome::Found(start) => self.switch(Ok(*start)),
            SearchOutcome::Failed(reason) => Err(reason),
        };
        match shown {
            Ok(_) if self.pages.is_empty() => self.resume_with_next_page = true,
            Ok(_) => self.set_playing(true),
            Err(reason) => self.state.send_modify(|state| state.message = Some(reason)),
        }
    }

    /// Cancels the search for the movement of another scene.
    fn abandon_search(&mut self) {
        self.searched_scene = None;
        self.searches.abandon(&self.state);
    }

    /// Restarts with another of the movements found.
    fn show_movement(&mut self, index: usize) -> Reply {
        let live = self.live_run()?;
        let (scene, movements) = (live.scene.clone(), live.movements.clone());
        let count = movements.as_ref().map_or(0, |m| m.all().count());
        if index >= count {
            return Err(format!("There is no movement {}.", index.saturating_add(1)));
        }
        self.switch(LiveStart::rebuild(scene, movements, index))?;
        self.set_playing(true);
        Ok(Value::Null)
    }

    fn switch(&mut self, start: Result<LiveStart, SessionError>) -> Reply {
        let number = self.state.borrow().run.number.wrapping_add(1);
        let started = start.and_then(|start| start_run(start, number));
        let (live, run) = started.map_err(|e| e.to_string())?;
        self.live = Some(live);
        self.abandon_search();
        self.dragging.clear();
        self.stepping.clear();
        self.clock = FrameClock::start(Instant::now());
        self.state.send_modify(|state| {
            state.frames = run.frames();
            state.run = Arc::new(run);
            state.time = 0.0;
            state.factor = None;
            state.quarantined = Arc::new([]);
            state.drags = Vec::new();
            state.message = None;
        });
        Ok(Value::Null)
    }

    fn kick(&mut self, body: usize) -> Reply {
        let run = Arc::clone(&self.state.borrow().run);
        let live = self.live_run()?;
        live.input(input_strength::kick_command(&run.header, body)?)
    }

    fn drag(&mut self, page: u32, drag: PointerDrag) -> Reply {
        let run = Arc::clone(&self.state.borrow().run);
        let live = self.live_run()?;
        let in_range = |v: DVec3| v.is_finite() && v.abs().max_element() < MAX_DRAG_COORDINATE_M;
        if !in_range(drag.point) || !in_range(drag.target) {
            return Err("The target of the drag is too far away.".into());
        }
        let (stiffness, damping) = input_strength::drag_spring(&run.header, drag.body, drag.point)?;
        live.input(Command::Pull {
            hand: page,
            body: drag.body,
            point_body: drag.point,
            target: drag.target,
            stiffness,
            damping,
        })?;
        self.dragging.insert(page);
        Ok(Value::Null)
    }

    fn release_drag(&mut self, page: u32) -> Reply {
        if self.dragging.remove(&page) {
            self.live_run()?.world.input(Command::LetGo { hand: page });
        }
        Ok(Value::Null)
    }

    fn report(&self) -> Value {
        match &self.live {
            Some(live) => {
                let report = live.log.report(&live.world, &live.schedule, false);
                serde_json::to_value(report).unwrap_or_default()
            }
            None => Value::Null,
        }
    }
}
