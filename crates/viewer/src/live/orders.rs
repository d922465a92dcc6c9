//! What pages may ask of a run, and what comes of it.

use super::clock::{Clock, SPEEDS};
use super::course::{Course, begin};
use super::driver::Driver;
use super::search::Search;
use super::session::{Answer, Envelope};
use super::state::{Order, Pull};
use super::strength;
use conatus_math::DVec3;
use conatus_world::Command;
use conatus_world::scene::{LoadOptions, Scene, library};
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;

/// Numbers from pages beyond this make no sense as places.
const FAR: f64 = 1e9;

impl Driver {
    /// Carries out an order and answers it.
    pub(super) fn obey(&mut self, envelope: Envelope) {
        let Envelope {
            page,
            order,
            answer,
        } = envelope;
        let done = match order {
            Order::Come => self.come(page),
            Order::Gone => self.gone(page),
            Order::Play => self.play(true),
            Order::Pause => self.play(false),
            Order::Speed(speed) => self.speed(speed),
            Order::Reset => self.reset(),
            Order::Open(name) => self.open(&name),
            Order::Movement(index) => self.movement(index),
            Order::Kick(body) => self.kick(body),
            Order::Pull(pull) => self.pull(page, pull),
            Order::LetGo => self.let_go(page),
            Order::Report => Ok(self.report()),
            Order::Step => return self.begin_step(answer),
        };
        let _ = answer.send(done);
    }

    fn world(&mut self) -> Result<&mut Course, String> {
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
                self.stepping.push(answer);
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

    /// Begins anew. What stood still by itself, at its end or for lack of
    /// room, goes on; what someone paused does not.
    fn reset(&mut self) -> Answer {
        let scene = self.world()?.scene.clone();
        let by_itself = self.state.borrow().message.is_some();
        self.switch(scene)?;
        if by_itself {
            self.set_playing(true);
        }
        Ok(Value::Null)
    }

    /// Whoever chooses a scene wants to see it run.
    fn open(&mut self, name: &str) -> Answer {
        // Only what comes with the program: a page may not name files.
        if library::find(name).is_none() {
            return Err(format!("there is no built-in scene `{name}`"));
        }
        let mut scene = Scene::load(name, &LoadOptions::default()).map_err(|e| e.to_string())?;
        self.leave_search();
        if !scene.file.character.is_empty()
            && let Some(ask) = scene.build().map_err(|e| e.to_string())?.ask
        {
            let search = Search::start(scene, ask, self.state.clone());
            self.search = Some(search.map_err(|why| {
                self.leave_search();
                why.to_string()
            })?);
            return Ok(Value::Null);
        }
        self.switch(scene)?;
        self.set_playing(true);
        Ok(Value::Null)
    }

    /// Shows a scene whose movement has been found.
    pub(super) fn look_at_search(&mut self) {
        let Some(search) = self.search.take_if(|search| search.is_over()) else {
            return;
        };
        self.state.send_modify(|state| state.search = None);
        let shown = match search.end() {
            Some(scene) => self.switch(scene),
            None => Err("the search for a movement came to grief".into()),
        };
        match shown {
            Ok(_) if self.pages.is_empty() => self.left_playing = true,
            Ok(_) => self.set_playing(true),
            Err(why) => self.state.send_modify(|state| state.message = Some(why)),
        }
    }

    /// Nobody waits for the movement of another scene any more.
    pub(super) fn leave_search(&mut self) {
        if let Some(search) = self.search.take() {
            search.stop();
        }
        self.state.send_modify(|state| state.search = None);
    }

    /// Begins anew with another of the movements that were kept.
    fn movement(&mut self, index: usize) -> Answer {
        let mut scene = self.world()?.scene.clone();
        let all = scene.movements.as_ref();
        let movement = all.and_then(|all| all.all().nth(index).cloned());
        let Some(movement) = movement else {
            return Err(format!("there is no movement {}", index.saturating_add(1)));
        };
        scene.movement = Some(movement);
        self.switch(scene)?;
        self.set_playing(true);
        Ok(Value::Null)
    }

    fn switch(&mut self, scene: Scene) -> Answer {
        let number = self.state.borrow().run.number.wrapping_add(1);
        let (live, run) = begin(scene, number).map_err(|e| e.to_string())?;
        self.live = Some(live);
        self.leave_search();
        self.holding.clear();
        self.stepping.clear();
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
        live.input(strength::kick(&run.header, body)?)
    }

    fn pull(&mut self, page: u32, pull: Pull) -> Answer {
        let run = Arc::clone(&self.state.borrow().run);
        let live = self.world()?;
        let near = |v: DVec3| v.is_finite() && v.abs().max_element() < FAR;
        if !near(pull.point) || !near(pull.target) {
            return Err("nothing can be pulled so far".into());
        }
        let (stiffness, damping) = strength::hand(&run.header, pull.body, pull.point)?;
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
