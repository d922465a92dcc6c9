//! Cloth in the world. In every step cloth moves after the rigid bodies, resolves its
//! collisions, and changes the motion of bodies that it collides with.

mod wire;

pub(crate) use conatus_cloth::ClothState;

use crate::checkpoint::CheckpointError;
use crate::motion::MotionWorld;
use crate::report::ClothReport;
use crate::run::RunStats;
use conatus_cloth::collide::Kind;
use conatus_cloth::script::{Ease, Key, Path};
use conatus_cloth::{BodyState, Cloth, Pinch};
use conatus_geometry::intersect;
use conatus_math::{DVec3, Pose, rotation};
use conatus_rigid::contact::ScriptedMotion;
use conatus_rigid::{Activity, Bodies, State};
use serde_json::{Value, json};

/// The cloth of a world, and the states of bodies that it can collide with.
pub struct ClothWorld {
    /// Cloth, obstacles and planes.
    pub cloth: Cloth,
    /// The number of obstacles of the scene; the parts of characters follow them.
    own_obstacles: usize,
    /// The bodies that it can collide with.
    bodies: Vec<usize>,
    before: Vec<State>,
    /// Triangles of all surfaces, by point, and the part each belongs to.
    triangles: Vec<[u32; 3]>,
    part_of: Vec<u32>,
    /// How many of them are cloth.
    of_cloth: usize,
    failure: Option<Pinch>,
    /// The beginning of the step that failed.
    stopped: f64,
}

impl ClothWorld {
    /// Cloth that can collide with the bodies of these indices; `states` are the states of
    /// all bodies.
    /// Obstacles after the first `own_obstacles` are parts of characters.
    pub fn new<'a>(
        cloth: Cloth,
        own_obstacles: usize,
        bodies: Vec<usize>,
        states: impl Iterator<Item = &'a State>,
    ) -> Self {
        let (triangles, part_of) = cloth.surface().triangles();
        let kinds = cloth.surface().parts();
        let of_cloth = part_of
            .iter()
            .filter(|&&p| kinds[p as usize].kind == Kind::Cloth)
            .count();
        let states: Vec<State> = states.copied().collect();
        let mut world = Self {
            cloth,
            own_obstacles,
            before: bodies.iter().map(|&i| states[i]).collect(),
            bodies,
            triangles,
            part_of,
            of_cloth,
            failure: None,
            stopped: 0.0,
        };
        let placed: Vec<BodyState> = world.before.iter().map(resting).collect();
        world.cloth.place_bodies(&placed);
        world
    }

    /// The bodies that cloth can collide with.
    pub fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    /// The bodies that cloth may set in motion: none where there are only obstacles.
    pub fn moved_bodies(&self) -> &[usize] {
        match self.of_cloth {
            0 => &[],
            _ => &self.bodies,
        }
    }

    /// Whether the cloth stopped.
    pub fn is_halted(&self) -> bool {
        self.failure.is_some()
    }

    /// The last valid time of cloth that stopped.
    pub(crate) fn stopped(&self) -> Option<f64> {
        self.failure.as_ref().map(|_| self.stopped)
    }

    /// Why the cloth stopped, if it did.
    pub fn failure(&self) -> Option<&Pinch> {
        self.failure.as_ref()
    }

    /// A short description of the failure.
    pub fn reason(&self) -> Option<&'static str> {
        let pinch = self.failure()?;
        Some(match (pinch.ran_away, pinch.pinched) {
            (true, _) => "its numbers diverged: the step is too long for the forces on it",
            (_, true) => "objects moved by the scene press the cloth from opposite sides",
            (_, false) => "collisions could not be resolved in the smallest step",
        })
    }

    /// A message that says why the cloth stopped, when and at which vertices.
    pub fn failure_message(&self) -> Option<String> {
        let pinch = self.failure()?;
        let names = self.cloth.piece_names();
        let mut vertices: Vec<String> = (pinch.vertices.iter().take(8))
            .map(|&(piece, v)| {
                let name = names.get(piece).map_or("?", String::as_str);
                format!("{} of `{name}`", v + 1)
            })
            .collect();
        if pinch.vertices.len() > 8 {
            vertices.push(format!("{} more", pinch.vertices.len() - 8));
        }
        let why = self.reason()?;
        Some(format!(
            "at {:.4} s {why}, at {} {}",
            pinch.time,
            match vertices.len() {
                1 => "vertex",
                _ => "vertices",
            },
            vertices.join(", ")
        ))
    }

    /// The failure as the detail of an event.
    pub(crate) fn failure_event(&self) -> Option<Value> {
        let pinch = self.failure()?;
        Some(json!({
            "time": pinch.time,
            "vertices": pinch.vertices.iter().take(100).collect::<Vec<_>>(),
            "reason": self.reason(),
        }))
    }

    /// The poses of the scene's obstacles at time `t`, or at the last valid time.
    pub fn obstacle_poses(&self, t: f64) -> impl Iterator<Item = Pose> + '_ {
        let t = self.stopped().unwrap_or(t);
        let own = &self.cloth.obstacles()[..self.own_obstacles];
        own.iter().map(move |o| o.path.pose(t))
    }

    /// How obstacles and parts of characters move in the step of `h` seconds from `t`.
    pub(crate) fn scripted_motions(
        &self,
        t: f64,
        h: f64,
    ) -> impl Iterator<Item = ScriptedMotion> + '_ {
        let stopped = self.stopped();
        let obstacles = self.cloth.obstacles().iter();
        obstacles.map(move |o| match stopped {
            Some(stopped) => ScriptedMotion::at_rest(o.path.pose(stopped)),
            None => ScriptedMotion::between(o.path.pose(t), o.path.pose(t + h), h),
        })
    }

    /// Makes the parts of characters move as they do in their present movement.
    pub fn follow(&mut self, motion: &MotionWorld) {
        if self.cloth.obstacles().len() == self.own_obstacles {
            return;
        }
        for (k, path) in part_paths(motion).into_iter().enumerate() {
            self.cloth.set_path(self.own_obstacles + k, path);
        }
    }

    /// Everything that the next step depends on.
    pub(crate) fn state(&self) -> ClothState {
        self.cloth.state()
    }

    /// Restores an earlier state of the cloth, with the present bodies.
    pub(crate) fn restore(
        &mut self,
        state: &ClothState,
        bodies: &Bodies,
    ) -> Result<(), CheckpointError> {
        self.cloth.restore(state)?;
        self.before(bodies);
        let placed: Vec<BodyState> = self.before.iter().map(resting).collect();
        self.cloth.place_bodies(&placed);
        Ok(())
    }

    /// Clears the caches of collision detection.
    pub(crate) fn clear_caches(&mut self) {
        self.cloth.clear_caches();
    }

    /// Stores the states of the bodies before they move.
    pub(crate) fn before(&mut self, bodies: &Bodies) {
        for (before, &i) in self.before.iter_mut().zip(&self.bodies) {
            *before = bodies.state(i);
        }
    }

    /// Moves the cloth from `t` to `t + h` and changes the motion of the bodies, which have
    /// completed their own step. Cloth that has failed stays where it is.
    pub(crate) fn step(&mut self, t: f64, h: f64, bodies: &mut Bodies) {
        // Without cloth there are only obstacles, which move by themselves.
        if self.failure.is_some() || self.of_cloth == 0 {
            return;
        }
        let mut moving: Vec<BodyState> = (self.bodies.iter().zip(&self.before))
            .map(|(&i, before)| {
                let after = bodies.state(i);
                let mover = bodies.mount(i).mover;
                // Merged and locked bodies cannot be pushed through one of their parts.
                let free =
                    bodies.activity(mover) == Activity::Free && bodies.mount(i).pose.is_none();
                let constants = bodies.constants(mover);
                let turn = after.orientation * before.orientation.conjugate();
                BodyState {
                    velocity: (after.position - before.position) / h,
                    omega: rotation::log(turn) / h,
                    inverse_mass: if free { 1.0 / constants.mass } else { 0.0 },
                    inverse_moments: match free {
                        true => constants.moments.recip(),
                        false => DVec3::ZERO,
                    },
                    ..resting(before)
                }
            })
            .collect();
        let unmet = moving.clone();
        let result = self.cloth.step(t, h, &mut moving);
        if result.is_err() {
            // The last valid state is shown: the cloth has been restored already, obstacles
            // and bodies are set back here.
            self.cloth.place_bodies(&moving);
            self.stopped = t;
        }
        for ((&i, unmet), met) in self.bodies.iter().zip(&unmet).zip(&moving) {
            let unchanged = met.velocity == unmet.velocity && met.omega == unmet.omega;
            let set_back = result.is_err() && met.inverse_mass > 0.0;
            if unchanged && !set_back {
                continue;
            }
            let mut state = bodies.state(i);
            state.position = met.centre;
            state.orientation = met.orientation;
            state.velocity += met.velocity - unmet.velocity;
            state.omega_body += met.orientation.conjugate() * (met.omega - unmet.omega);
            bodies.set_mover_state(bodies.mount(i).mover, &state);
        }
        self.failure = result.err();
        if let Some(pinch) = &self.failure {
            tracing::warn!(time = pinch.time, "cloth halted");
        }
    }

    /// Pairs of triangles that intersect, at most `limit`, found by exact predicates that
    /// are independent of collision handling. Only pairs with at least one triangle of
    /// cloth count.
    pub fn intersecting_triangles(&self, limit: usize) -> Vec<(u32, u32)> {
        let of_cloth = self.of_cloth as u32;
        intersect::intersecting_pairs(self.cloth.points(), &self.triangles, limit, |a, b| {
            a >= of_cloth && b >= of_cloth
        })
    }

    /// How many pairs of triangles intersect, and triangles reach behind a plane.
    pub(crate) fn intersections(&self) -> u64 {
        if self.of_cloth == 0 {
            return 0;
        }
        (self.intersecting_triangles(usize::MAX).len() + self.below_planes()) as u64
    }

    /// Triangles of cloth that reach behind a plane.
    pub fn below_planes(&self) -> usize {
        let cloth = &self.triangles[..self.of_cloth];
        let planes = self.cloth.planes().iter();
        planes
            .map(|p| intersect::reaches_half_space(self.cloth.points(), cloth, &p.half_space))
            .sum()
    }

    /// The planes with cloth behind them: the plane, the first such triangle,
    /// and how many there are.
    pub fn behind_planes(&self) -> Vec<(usize, u32, usize)> {
        let behind = |t: &[u32; 3], half_space| {
            intersect::reaches_half_space(self.cloth.points(), &[*t], half_space) > 0
        };
        let planes = self.cloth.planes().iter().enumerate();
        let found = planes.filter_map(|(k, plane)| {
            let mut behind = (0u32..)
                .zip(&self.triangles[..self.of_cloth])
                .filter(|(_, t)| behind(t, &plane.half_space))
                .map(|(i, _)| i);
            let first = behind.next()?;
            Some((k, first, 1 + behind.count()))
        });
        found.collect()
    }

    /// The part that a triangle belongs to, and its number there.
    pub fn triangle(&self, triangle: u32) -> (usize, usize) {
        let part = self.part_of[triangle as usize];
        let first = self.part_of.partition_point(|&p| p < part);
        (part as usize, triangle as usize - first)
    }

    /// How many vertices and triangles the cloth has.
    pub fn size(&self) -> (usize, usize) {
        (self.cloth.positions().len(), self.of_cloth)
    }

    /// The positions of all vertices, piece by piece.
    pub fn positions(&self) -> &[DVec3] {
        self.cloth.positions()
    }

    /// The longest edge against its length at rest.
    pub(crate) fn max_stretch(&self) -> f64 {
        self.cloth.max_stretch()
    }

    /// Whether wind, or an obstacle or pin that the scene moves, can add energy.
    pub(crate) fn is_driven(&self) -> bool {
        self.cloth.is_driven()
    }

    /// Its mass times a tenth of its extent, in kg·m.
    pub(crate) fn lift(&self) -> f64 {
        let mut points = self.positions().iter();
        let Some(&first) = points.next() else {
            return 0.0;
        };
        let (low, high) = points.fold((first, first), |(low, high), p| (low.min(*p), high.max(*p)));
        let mass: f64 = self.cloth.elastic.masses().iter().sum();
        0.1 * mass * low.distance(high)
    }

    /// The report at the end of a run with these figures.
    pub(crate) fn report(&self, run: &RunStats) -> ClothReport {
        let (vertices, triangles) = self.size();
        let stats = &self.cloth.stats;
        let speeds = self.cloth.velocities().iter().map(|v| v.length());
        ClothReport {
            vertices,
            triangles,
            dofs: 3 * vertices,
            frames: run.frames,
            collisions: stats.collisions,
            impact_zones: stats.impact_zones,
            largest_zone: stats.largest_zone,
            failsafe_calls: stats.failsafe_calls,
            substeps: stats.substeps,
            intersections: run.intersections,
            max_stretch: run.max_stretch,
            mean_speed: speeds.sum::<f64>() / vertices.max(1) as f64,
            total_seconds: stats.total_seconds,
            collision_seconds: stats.collision_seconds,
            failure: self.failure_message(),
        }
    }

    /// Kinetic energy, potential energy of gravity and strain, momentum and
    /// angular momentum.
    pub(crate) fn totals(&self, gravity: DVec3) -> (f64, f64, DVec3, DVec3) {
        let (x, v) = (self.cloth.positions(), self.cloth.velocities());
        let mut sums = (0.0, self.cloth.elastic.energy(x), DVec3::ZERO, DVec3::ZERO);
        for ((&x, &v), &m) in x.iter().zip(v).zip(self.cloth.elastic.masses()) {
            sums.0 += 0.5 * m * v.length_squared();
            sums.1 -= m * gravity.dot(x);
            sums.2 += m * v;
            sums.3 += m * x.cross(v);
        }
        sums
    }
}

fn resting(state: &State) -> BodyState {
    BodyState {
        centre: state.position,
        orientation: state.orientation,
        velocity: DVec3::ZERO,
        omega: DVec3::ZERO,
        inverse_mass: 0.0,
        inverse_moments: DVec3::ZERO,
    }
}

/// The paths of all parts of characters, as they move at present.
pub(crate) fn part_paths(motion: &MotionWorld) -> Vec<Path> {
    let mut keys: Vec<Vec<Key>> = Vec::new();
    for &time in &motion.clip().time {
        let poses = motion.parts(time);
        keys.resize(poses.len(), Vec::new());
        for (keys, pose) in keys.iter_mut().zip(poses) {
            keys.push(Key {
                time,
                pose: Pose::new(pose.orientation, pose.position),
            });
        }
    }
    let through = |keys| Path::through(keys, Ease::Linear);
    keys.into_iter().map(through).collect()
}
