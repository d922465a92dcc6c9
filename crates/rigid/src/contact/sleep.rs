//! Islands and sleeping.
//!
//! Bodies that touch, or are joined, form an island. When all bodies of an island that
//! rests on something fixed have been slow for a while, it falls asleep: its velocities
//! become zero, and its bodies cost nothing until something wakes them.

use super::engine::ContactEngine;
use super::record::EngineContact;
use super::scripted::{ScriptedMotion, script};
use crate::bodies::{Activity, Bodies};
use crate::state::State;
use conatus_math::DVec3;

/// When bodies fall asleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SleepSettings {
    /// Bodies are slow below this speed, in m/s; the rotation counts at the radius of
    /// gyration. Zero keeps all bodies awake.
    pub speed: f64,
    /// How long they have to be slow, in seconds.
    pub seconds: f64,
}

impl Default for SleepSettings {
    fn default() -> Self {
        Self {
            speed: 2e-3,
            seconds: 0.5,
        }
    }
}

/// Which bodies sleep, in which islands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SleepState {
    /// For how long each mover has been slow, in seconds.
    pub slow_seconds: Vec<f64>,
    /// The number of the island that each mover sleeps in; zero if it is awake.
    pub islands: Vec<u32>,
    /// How many islands fell asleep so far.
    pub count: u32,
}

/// A union-find over movers.
#[derive(Debug, Default)]
pub(super) struct Islands {
    parents: Vec<u32>,
    /// Of each root: whether all of its island may sleep, and whether it is supported.
    may_sleep: Vec<bool>,
    supported: Vec<bool>,
}

impl Islands {
    fn reset(&mut self, count: usize) {
        self.parents.clear();
        self.parents.extend(0..count as u32);
        self.may_sleep.clear();
        self.may_sleep.resize(count, true);
        self.supported.clear();
        self.supported.resize(count, false);
    }

    fn root(&mut self, mut m: usize) -> usize {
        while self.parents[m] as usize != m {
            let above = self.parents[m] as usize;
            self.parents[m] = self.parents[above];
            m = above;
        }
        m
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b) as u32;
    }
}

impl ContactEngine {
    /// Lets islands of bodies that are at rest fall asleep, at the end of a step of `h`
    /// seconds. Movers for which `keep_awake` is true stay awake, with their islands.
    pub fn let_sleep(&mut self, bodies: &mut Bodies, keep_awake: impl Fn(usize) -> bool, h: f64) {
        let SleepSettings { speed, seconds } = self.sleep_settings;
        if speed <= 0.0 {
            return;
        }
        let sleep = &mut self.sleep;
        sleep.slow_seconds.resize(bodies.len(), 0.0);
        sleep.islands.resize(bodies.len(), 0);
        let mut tired = false;
        for (m, slow) in sleep.slow_seconds.iter_mut().enumerate() {
            if bodies.activity(m) != Activity::Free {
                continue;
            }
            *slow = match is_slow(bodies, m, speed) {
                true => *slow + h,
                false => 0.0,
            };
            tired |= *slow >= seconds;
        }
        if tired {
            self.find_islands(bodies, keep_awake);
            self.put_to_sleep(bodies);
        }
    }

    fn find_islands(&mut self, bodies: &Bodies, keep_awake: impl Fn(usize) -> bool) {
        let islands = &mut self.islands;
        islands.reset(bodies.len());
        let is_free = |m: usize| bodies.activity(m) == Activity::Free;
        let colliders = &self.colliders;
        let movers = |c: &EngineContact| {
            (c.colliders).map(|k| colliders[k as usize].body.map(|b| bodies.mount(b).mover))
        };
        let of_joints = (self.joints.iter().filter(|joint| !joint.broken))
            .map(|joint| joint.bodies.map(|b| b.map(|b| bodies.mount(b).mover)));
        for pair in self.contacts.iter().map(movers).chain(of_joints.clone()) {
            if let [Some(a), Some(b)] = pair
                && is_free(a)
                && is_free(b)
            {
                islands.join(a, b);
            }
        }
        for m in (0..bodies.len()).filter(|&m| is_free(m)) {
            let tired = self.sleep.slow_seconds[m] >= self.sleep_settings.seconds;
            let root = islands.root(m);
            islands.may_sleep[root] &= tired && !keep_awake(m);
        }
        let mut support = |pair: [Option<usize>; 2], moves: bool| {
            let free = pair.map(|m| m.filter(|&m| is_free(m)));
            if let [Some(m), None] | [None, Some(m)] = free {
                let root = islands.root(m);
                islands.supported[root] = true;
                islands.may_sleep[root] &= !moves;
            }
        };
        for contact in self.contacts.iter().filter(|c| c.acted) {
            let moves = contact.colliders.iter().any(|&k| {
                let motion = script(&self.scripted, &colliders[k as usize]);
                motion.is_some_and(ScriptedMotion::moves)
            });
            support(movers(contact), moves);
        }
        of_joints.for_each(|pair| support(pair, false));
    }

    fn put_to_sleep(&mut self, bodies: &mut Bodies) {
        let first = self.sleep.count;
        let mut numbers = vec![0; bodies.len()];
        for m in 0..bodies.len() {
            let root = self.islands.root(m);
            let rests = self.islands.may_sleep[root] && self.islands.supported[root];
            if !rests || bodies.activity(m) != Activity::Free {
                continue;
            }
            if numbers[root] == 0 {
                self.sleep.count = self.sleep.count.wrapping_add(1).max(1);
                numbers[root] = self.sleep.count;
            }
            self.sleep.islands[m] = numbers[root];
            let state = State {
                velocity: DVec3::ZERO,
                omega_body: DVec3::ZERO,
                ..bodies.mover_state(m)
            };
            bodies.set_mover_state(m, &state);
            bodies.set_activity(m, Activity::Asleep);
        }
        if self.sleep.count != first {
            self.store_sleeping_contacts(bodies);
        }
    }

    /// Takes the contacts of sleeping bodies out of the list of present contacts.
    pub(super) fn store_sleeping_contacts(&mut self, bodies: &Bodies) {
        let colliders = &self.colliders;
        let activities = |c: &EngineContact| {
            let body = |k: u32| colliders[k as usize].body;
            (c.colliders).map(|k| body(k).map(|b| bodies.activity(bodies.mount(b).mover)))
        };
        let sleeps = |c: &EngineContact| {
            let pair = activities(c);
            pair.contains(&Some(Activity::Asleep)) && !pair.contains(&Some(Activity::Free))
        };
        let (asleep, awake) = std::mem::take(&mut self.contacts)
            .into_iter()
            .partition(sleeps);
        self.contacts = awake;
        self.sleeping_contacts.extend::<Vec<_>>(asleep);
    }

    /// Wakes the islands that something touches which moves. `before` gets the states of
    /// the bodies, and `bodies` their free motion in the step. Returns whether there were
    /// any.
    pub(super) fn wake_touched(
        &mut self,
        bodies: &mut Bodies,
        before: &mut [State],
        h: f64,
    ) -> bool {
        if self.sleep.islands.iter().all(|&island| island == 0) {
            return false;
        }
        let mut touched: Vec<u32> = Vec::new();
        for contact in &self.contacts {
            for k in contact.colliders {
                if let Some(body) = self.colliders[k as usize].body {
                    let m = bodies.mount(body).mover;
                    if bodies.activity(m) == Activity::Asleep {
                        touched.push(self.sleep.islands[m]);
                    }
                }
            }
        }
        if touched.is_empty() {
            return false;
        }
        for m in self.wake_islands(bodies, &mut touched) {
            before[m] = bodies.mover_state(m);
            bodies.free_step(m, self.gravity, h);
        }
        true
    }

    /// Wakes the bodies of these islands, and returns them.
    fn wake_islands(&mut self, bodies: &mut Bodies, islands: &mut Vec<u32>) -> Vec<usize> {
        islands.sort_unstable();
        islands.dedup();
        let mut woken = Vec::new();
        for m in 0..bodies.len() {
            let asleep = bodies.activity(m) == Activity::Asleep;
            if asleep && islands.binary_search(&self.sleep.islands[m]).is_ok() {
                self.sleep.islands[m] = 0;
                self.sleep.slow_seconds[m] = 0.0;
                bodies.set_activity(m, Activity::Free);
                woken.push(m);
            }
        }
        let colliders = &self.colliders;
        let is_awake = |c: &EngineContact| {
            let body = |k: u32| colliders[k as usize].body;
            let free = |k| {
                body(k).is_some_and(|b| bodies.activity(bodies.mount(b).mover) == Activity::Free)
            };
            c.colliders.into_iter().any(free)
        };
        let (awake, asleep) = std::mem::take(&mut self.sleeping_contacts)
            .into_iter()
            .partition(is_awake);
        self.sleeping_contacts = asleep;
        self.contacts.extend::<Vec<_>>(awake);
        // A contact that was found in this step is in front of the one that slept.
        self.contacts.sort_by_key(EngineContact::key);
        self.contacts.dedup_by_key(|c| c.key());
        woken
    }

    /// Wakes a body and its island.
    pub fn wake_body(&mut self, bodies: &mut Bodies, body: usize) {
        let m = bodies.mount(body).mover;
        if bodies.activity(m) == Activity::Asleep {
            let island = self.sleep.islands[m];
            self.wake_islands(bodies, &mut vec![island]);
        }
    }

    /// Wakes all bodies.
    pub fn wake_all(&mut self, bodies: &mut Bodies) {
        if !self.sleep.islands.iter().all(|&island| island == 0) {
            let mut islands = self.sleep.islands.clone();
            self.wake_islands(bodies, &mut islands);
        }
    }
}

fn is_slow(bodies: &Bodies, m: usize, speed: f64) -> bool {
    let (velocity, omega) = bodies.velocities(m);
    let c = bodies.constants(m);
    let gyration = c.moments.max_element() / c.mass;
    let squared = speed * speed;
    velocity.length_squared() < squared && omega.length_squared() * gyration < squared
}
