//! The broad phase: which vertices and triangles, and which edges, may collide.
//!
//! Every point has a *swept box*, a moving box that it is expected to stay in
//! for several steps. Two primitives with disjoint swept boxes cannot touch, so
//! the list of candidates is complete as long as every point stays in its swept
//! box. A point that leaves its box gets a new one, and only pairs with that
//! point are searched again; when many points leave, or the look-ahead time is
//! over, the list is rebuilt.
//!
//! Boxes are coarse bounds for slanted triangles. So every pair is also tested
//! along the direction of its nearest points, and discarded if the swept boxes
//! are disjoint along it.

mod search;

use super::neighbourhood::Neighbourhood;
use super::surface::{CollisionSurface, Kind};
use super::swept_box::SweptBox;
use super::travel::Travel;
use crate::response::ResponseMotion;
use crate::response::constraint::StencilPair;
use conatus_geometry::{Aabb, Bvh};
use conatus_math::DVec3;
use rayon::prelude::*;

/// Two primitives that may collide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The stencil's points in the paper's order.
    pub(crate) points: [u32; 4],
    /// The last separating axis, slightly shorter than one; zero if none is
    /// known. Any value is safe.
    pub(crate) axis: [f32; 3],
    /// Whether continuous detection has not yet excluded a collision in this
    /// step.
    pub(crate) open: bool,
    /// Up to this reading of its points' [`Travel`] the distance exceeds the
    /// thickness.
    pub(crate) limit: f32,
    /// Up to this reading repulsion can skip it: the distance exceeds the
    /// thickness, or it was not a real contact and has hardly moved.
    pub(crate) look: f32,
}

impl Candidate {
    fn new(points: [u32; 4]) -> Self {
        Self {
            points,
            axis: [0.0; 3],
            open: true,
            limit: f32::NEG_INFINITY,
            look: f32::NEG_INFINITY,
        }
    }

    /// The direction as a vector.
    #[inline]
    pub(crate) fn axis(&self) -> DVec3 {
        let [x, y, z] = self.axis;
        DVec3::new(x.into(), y.into(), z.into())
    }

    /// Caches a direction for the next test.
    #[inline]
    pub(crate) fn set_axis(&mut self, closest: DVec3, squared: f64) {
        // Rounding to f32 must not make it longer than one.
        let scale = if squared > 0.0 {
            (1.0 - 1e-6) / squared.sqrt()
        } else {
            0.0
        };
        self.axis = (closest * scale).to_array().map(|c| c as f32);
    }
}

/// Which list a candidate is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum List {
    VertexTriangle,
    EdgeEdge,
}

impl List {
    pub(crate) fn pair(self) -> StencilPair {
        match self {
            Self::VertexTriangle => StencilPair::VertexTriangle,
            Self::EdgeEdge => StencilPair::EdgeEdge,
        }
    }
}

/// Pairs of triangles handled by one task.
const PAIRS_PER_TASK: usize = 2048;
/// Radius of a swept box around its path, as a fraction of the margin.
const SWEPT_RADIUS_RATIO: f64 = 0.5;
/// Swept boxes look ahead for as long as points stay within that radius on
/// average, limited to this many steps and this many thicknesses of travel.
const MAX_LOOK_AHEAD_STEPS: f64 = 60.0;
const MAX_LOOK_AHEAD_THICKNESSES: f64 = 16.0;
/// The look-ahead is at least the time in which points travel this fraction of
/// a thickness on average: cloth that slow counts as at rest, where
/// accelerations cancel.
const REST_THICKNESSES: f64 = 0.1;
/// Beyond this share of points that left their swept box, all boxes are rebuilt.
const REBUILD_FRACTION: f64 = 0.2;
/// After this share of the steps looked ahead, all boxes are rebuilt as soon as one
/// point leaves its swept box.
const MAX_AGE_FRACTION: f64 = 0.6;

/// The lists of candidates and the data that keeps them complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) vertex_triangle: Vec<Candidate>,
    pub(crate) edge_edge: Vec<Candidate>,
    swept: Vec<SweptBox>,
    /// Look-ahead of the swept boxes in steps.
    ahead: f64,
    /// Indices of the faces that can move freely, and of the others.
    free_faces: Vec<u32>,
    scripted_faces: Vec<u32>,
    free_tree: Bvh,
    scripted_tree: Bvh,
    /// Swept boxes of all faces, grown by the margin.
    face_swept: Vec<SweptBox>,
    boxes: Vec<Aabb>,
    pairs: Vec<(u32, u32)>,
    refits: u32,
    /// Steps since the lists were rebuilt.
    age: u32,
    escaped: Vec<bool>,
    pub(crate) travel: Travel,
    pub(crate) around: Neighbourhood,
    /// Adjacency of points and faces: the faces of p are
    /// `faces_of[first_face[p]..first_face[p + 1]]`.
    first_face: Vec<u32>,
    faces_of: Vec<u32>,
    pub(crate) rebuilds: u64,
    pub(crate) appends: u64,
}

impl Candidates {
    /// For the faces of `surface`; the lists are empty until
    /// [`Candidates::update`].
    pub(crate) fn new(surface: &CollisionSurface) -> Self {
        let of = |scripted: bool| {
            let faces = surface.faces.iter().enumerate();
            let chosen = faces.filter(|(_, f)| {
                (surface.parts[f.part as usize].kind == Kind::Obstacle) == scripted
            });
            chosen.map(|(i, _)| i as u32).collect::<Vec<_>>()
        };
        let mut corners: Vec<(u32, u32)> = (surface.faces.iter().enumerate())
            .flat_map(|(i, f)| f.corners.map(|p| (p, i as u32)))
            .collect();
        corners.sort_unstable();
        let first = |p: u32| corners.partition_point(|c| c.0 < p) as u32;
        let is_cloth = |p: &&u32| surface.parts[**p as usize].kind == Kind::Cloth;
        Self {
            around: Neighbourhood::new(surface),
            travel: Travel::new(surface.part_of.iter().take_while(is_cloth).count()),
            first_face: (0..=surface.points() as u32).map(first).collect(),
            faces_of: corners.iter().map(|c| c.1).collect(),
            free_faces: of(false),
            scripted_faces: of(true),
            escaped: vec![false; surface.points()],
            ..Self::default()
        }
    }

    /// Clears all data from earlier steps, so that the next call of
    /// [`Candidates::update`] rebuilds everything.
    pub(crate) fn clear_caches(&mut self) {
        self.vertex_triangle.clear();
        self.edge_edge.clear();
        self.swept.clear();
        (self.ahead, self.age, self.refits) = (0.0, 0, 0);
        self.free_tree = Bvh::default();
        self.scripted_tree = Bvh::default();
        self.travel.clear_caches();
    }

    /// Completes the lists for this motion. `before` are the velocities of the
    /// cloth at the start of the step. `points` are the points that changed
    /// since the last call; without it, all.
    pub(crate) fn update(
        &mut self,
        surface: &CollisionSurface,
        motion: &ResponseMotion,
        before: &[DVec3],
        points: Option<&[u32]>,
    ) {
        let margin = 0.5 * surface.greatest_thickness() * (1.0 + 1e-9);
        match points {
            Some(points) => self.travel.update(motion, points),
            None => self.travel.begin(motion),
        }
        if self.swept.len() != surface.points() {
            self.swept = vec![SweptBox::EMPTY; surface.points()];
        } else if points.is_none() {
            self.age += 1;
        }
        // The fractions of the look-ahead time at the start and end of this
        // step.
        let age = f64::from(self.age);
        let over = age + 1.0 > self.ahead;
        let shares = [age, age + 1.0].map(|t| t / self.ahead);
        let escaped = |&p: &u32| {
            let (swept, p) = (&self.swept[p as usize], p as usize);
            over || !(swept.contains(shares[0], motion.start[p])
                && swept.contains(shares[1], motion.end[p]))
        };
        let out: Vec<u32> = match points {
            Some(points) => points.iter().copied().filter(escaped).collect(),
            None => {
                let points = (0..surface.points() as u32).into_par_iter();
                points
                    .with_min_len(4 * PAIRS_PER_TASK)
                    .filter(escaped)
                    .collect()
            }
        };
        if out.is_empty() {
            return;
        }
        let all = out.len() as f64 > REBUILD_FRACTION * surface.points() as f64
            || points.is_none() && f64::from(self.age) >= MAX_AGE_FRACTION * self.ahead;
        let mut common = DVec3::ZERO;
        if all {
            let travelled: f64 = before.iter().map(|v| v.length() * motion.h).sum();
            // There may be no cloth, only bodies and obstacles.
            let count = before.len().max(1) as f64;
            let mean = travelled / count;
            // Acceleration bends a point's path. The mean acceleration of the
            // cloth is known and part of the prediction.
            let turn = |p: usize| motion.end[p] - motion.start[p] - before[p] * motion.h;
            common = (0..before.len()).map(turn).sum::<DVec3>() / count;
            let own: f64 = (0..before.len()).map(|p| (turn(p) - common).length()).sum();
            let off = own / count + 0.25 * common.length();
            let steps = |thicknesses: f64| (thicknesses * 2.0 * margin / mean).floor();
            let straight = (2.0 * SWEPT_RADIUS_RATIO * margin / off).sqrt().floor();
            let most = steps(MAX_LOOK_AHEAD_THICKNESSES).clamp(1.0, MAX_LOOK_AHEAD_STEPS);
            self.ahead = straight.max(steps(REST_THICKNESSES)).clamp(1.0, most);
            self.age = 0;
        }
        let (age, ahead) = (f64::from(self.age), self.ahead);
        let radius = SWEPT_RADIUS_RATIO * margin;
        // Extrapolates the velocity at the end of the previous step: the
        // candidate velocity before collision response predicts later positions
        // poorly.
        let renew = |p: usize| {
            let (a, b) = (motion.start[p], motion.end[p]);
            let way = before
                .get(p)
                .map_or(b - a, |v| *v * motion.h + 0.5 * (ahead + 1.0) * common);
            let swept = SweptBox::along(a - age * way, a + (ahead - age) * way, radius);
            match swept.contains((age + 1.0) / ahead, b) {
                true => swept,
                false => swept.union(&SweptBox::along(b, b, radius)),
            }
        };
        if all {
            let points = (0..surface.points())
                .into_par_iter()
                .with_min_len(PAIRS_PER_TASK);
            points.map(renew).collect_into_vec(&mut self.swept);
            self.travel.restart(motion);
            self.rebuild(surface, motion, margin);
            return;
        }
        for &p in &out {
            let p = p as usize;
            let swept = &mut self.swept[p];
            *swept = match points {
                // A velocity changed by a response is not extrapolated; the
                // point may return.
                Some(_) => swept.union(&SweptBox::along(motion.end[p], motion.end[p], radius)),
                None => renew(p),
            };
        }
        self.append(surface, motion, margin, &out);
    }
}
