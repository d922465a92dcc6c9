//! The motion of every point over one step, and what determines it: a vertex of
//! cloth (three degrees of freedom), a rigid body (six) or a script (none).
//!
//! Collision response changes velocities; [`ResponseMotion::settle`] computes
//! from them the positions at the end of the step, which detection uses.

use conatus_math::{DMat3, DVec3, rotation};
use rayon::prelude::*;

/// Points handled by one task.
const POINTS_PER_TASK: usize = 8192;

/// No body: the value of [`ResponseMotion::body_of`] for all other points.
pub const NO_BODY: u32 = u32::MAX;

/// A rigid body over one step, together with the vertices of cloth that are
/// pinned to it.
#[derive(Clone, Debug, Default)]
pub struct ResponseBody {
    /// The centre of mass at the start.
    pub centre: DVec3,
    /// The velocity of the centre over the step (the secant).
    pub velocity: DVec3,
    /// The rotation vector of the step divided by the time step, in world axes.
    pub omega: DVec3,
    /// One over the mass; zero for a locked body.
    pub inverse_mass: f64,
    /// The inverse of the inertia tensor in world axes at the start.
    pub inverse_inertia: DMat3,
    /// Its first point.
    pub first: u32,
    /// Its points at the start, relative to the centre.
    pub arms: Vec<DVec3>,
    /// The vertices pinned to it, in ascending order, and their arms.
    pub pinned: Vec<(u32, DVec3)>,
    /// From the centre to that of the body without the pinned vertices.
    pub offset: DVec3,
}

impl ResponseBody {
    /// The arm of one of its points.
    #[inline]
    pub(crate) fn arm(&self, p: u32) -> DVec3 {
        // Vertices of cloth come before the points of all bodies.
        match p.checked_sub(self.first) {
            Some(k) => self.arms[k as usize],
            None => {
                let place = self.pinned.binary_search_by_key(&p, |pinned| pinned.0);
                place.map_or(DVec3::ZERO, |k| self.pinned[k].1)
            }
        }
    }

    /// The position of the point with this arm at the end of a step of `h`
    /// seconds.
    fn end(&self, arm: DVec3, turn: DMat3, h: f64) -> DVec3 {
        self.centre + h * self.velocity + turn * arm
    }
}

/// All points over one step.
#[derive(Clone, Debug, Default)]
pub struct ResponseMotion {
    /// The length of the step in seconds.
    pub h: f64,
    /// Positions at the start of the step.
    pub start: Vec<DVec3>,
    /// Positions at its end.
    pub end: Vec<DVec3>,
    /// Velocities over the step. For points of bodies see [`ResponseMotion::bodies`].
    pub velocity: Vec<DVec3>,
    /// One over the mass of each vertex of cloth; zero for scripted points and
    /// for points of bodies.
    pub inverse_mass: Vec<f64>,
    /// The body of each point, or [`NO_BODY`].
    pub body_of: Vec<u32>,
    /// The bodies.
    pub bodies: Vec<ResponseBody>,
    /// Points whose motion changed since the last detection.
    pub(crate) moved: Vec<bool>,
    moved_points: Vec<u32>,
    moved_bodies: Vec<u32>,
}

impl ResponseMotion {
    /// Points at rest at `start`, none of them free.
    pub fn new(start: Vec<DVec3>) -> Self {
        let n = start.len();
        Self {
            h: 0.0,
            end: start.clone(),
            velocity: vec![DVec3::ZERO; n],
            inverse_mass: vec![0.0; n],
            body_of: vec![NO_BODY; n],
            bodies: Vec::new(),
            moved: vec![false; n],
            moved_points: Vec::new(),
            moved_bodies: Vec::new(),
            start,
        }
    }

    /// Adds a body whose points begin at `body.first`.
    pub fn add_body(&mut self, body: ResponseBody) {
        let index = self.bodies.len() as u32;
        let first = body.first as usize;
        self.body_of[first..first + body.arms.len()].fill(index);
        self.bodies.push(body);
    }

    /// The velocity of a point over the step; of a body's, to first order.
    #[inline]
    pub fn point_velocity(&self, p: u32) -> DVec3 {
        match self.body_of[p as usize] {
            NO_BODY => self.velocity[p as usize],
            b => {
                let body = &self.bodies[b as usize];
                body.velocity + body.omega.cross(body.arm(p))
            }
        }
    }

    /// The body of a point that impulses can move, if the point is of one.
    #[inline]
    pub(crate) fn free_body_of(&self, p: u32) -> Option<u32> {
        let b = self.body_of[p as usize];
        let body = self.bodies.get(b as usize)?;
        (body.inverse_mass > 0.0).then_some(b)
    }

    /// Whether impulses can change the relative velocity of these points: at
    /// least one of them can move, and they are not all of one rigid body.
    pub(crate) fn can_change(&self, points: &[u32]) -> bool {
        let movable =
            |&p: &u32| self.inverse_mass[p as usize] > 0.0 || self.free_body_of(p).is_some();
        let mut bodies = points.iter().map(|&p| self.free_body_of(p));
        let first = bodies.next().flatten();
        points.iter().any(movable) && !(first.is_some() && bodies.all(|b| b == first))
    }

    /// Marks a point whose velocity changed, with its body if it is of one.
    #[inline]
    pub(crate) fn touch(&mut self, p: u32) {
        match self.body_of[p as usize] {
            NO_BODY => self.mark(p),
            b => self.touch_body(b),
        }
    }

    #[inline]
    fn mark(&mut self, p: u32) {
        if !std::mem::replace(&mut self.moved[p as usize], true) {
            self.moved_points.push(p);
        }
    }

    /// Marks a body whose velocity changed.
    #[inline]
    pub(crate) fn touch_body(&mut self, b: u32) {
        if !self.moved_bodies.contains(&b) {
            self.moved_bodies.push(b);
        }
    }

    /// Updates the end positions of everything that changed, and returns those
    /// points. `moved` stays set until [`ResponseMotion::clear_moved`].
    pub(crate) fn settle(&mut self) -> &[u32] {
        for k in 0..self.moved_bodies.len() {
            let b = self.moved_bodies[k] as usize;
            self.settle_body(b);
            let first = self.bodies[b].first;
            for p in first..first + self.bodies[b].arms.len() as u32 {
                self.mark(p);
            }
            for k in 0..self.bodies[b].pinned.len() {
                self.mark(self.bodies[b].pinned[k].0);
            }
        }
        for &p in &self.moved_points {
            let p = p as usize;
            if self.body_of[p] == NO_BODY {
                self.end[p] = self.start[p] + self.h * self.velocity[p];
            }
        }
        &self.moved_points
    }

    fn settle_body(&mut self, b: usize) {
        let body = &self.bodies[b];
        let turn = DMat3::from_quat(rotation::exp(self.h * body.omega));
        let first = body.first as usize;
        for (k, &arm) in body.arms.iter().enumerate() {
            let end = body.end(arm, turn, self.h);
            self.end[first + k] = end;
            self.velocity[first + k] = (end - self.start[first + k]) / self.h;
        }
        for &(p, arm) in &body.pinned {
            let (p, end) = (p as usize, body.end(arm, turn, self.h));
            self.end[p] = end;
            self.velocity[p] = (end - self.start[p]) / self.h;
        }
    }

    /// Updates all end positions, at the beginning of a step, and clears
    /// `moved`.
    pub(crate) fn settle_all(&mut self) {
        self.clear_moved();
        let each = self
            .end
            .par_iter_mut()
            .with_min_len(POINTS_PER_TASK)
            .enumerate();
        each.for_each(|(p, end)| {
            if self.body_of[p] == NO_BODY {
                *end = self.start[p] + self.h * self.velocity[p];
            }
        });
        for b in 0..self.bodies.len() {
            self.settle_body(b);
        }
    }

    /// Clears the list of moved points, after detection.
    pub(crate) fn clear_moved(&mut self) {
        for p in self.moved_points.drain(..) {
            self.moved[p as usize] = false;
        }
        self.moved_bodies.clear();
    }
}
