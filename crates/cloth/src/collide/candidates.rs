//! The broad phase: which vertices and triangles, and which edges, may meet.
//!
//! Every point has a *swept box*, a moving box that it is expected not to leave
//! for a few steps. Two primitives whose points' swept boxes keep apart cannot
//! touch, so the list of candidates stays complete for as long as every point
//! stays within its swept box. A point that leaves it gets a new one, and only
//! pairs with that point are looked for again; when many leave, or the time
//! looked ahead is over, the list is made anew.
//!
//! Boxes are a coarse measure for slanted triangles. So every candidate is
//! also looked at along the direction of its nearest points, and is none if
//! the swept boxes keep apart along that.

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

/// Two primitives that may meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The stencil's points in the paper's order.
    pub(crate) points: [u32; 4],
    /// A direction, a little shorter than one, along which the two were last
    /// seen apart; zero if none is known. Any value is safe.
    pub(crate) axis: [f32; 3],
    /// Whether nothing is known yet about collisions in this step.
    pub(crate) open: bool,
    /// Up to this reading of its points' [`Travel`] it is beyond its thickness.
    pub(crate) limit: f32,
    /// Up to this reading repulsion need not look at it: it is beyond its
    /// thickness, or was seen to be no contact of its own and has hardly moved.
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

    /// Keeps a direction for the next time.
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
/// A swept box has room about its way by this part of the margin.
const SWEPT_RADIUS_RATIO: f64 = 0.5;
/// Reaches look ahead for as long as points stay within that room on the mean,
/// but for no more steps than this, and no farther than so many thicknesses.
const MAX_LOOK_AHEAD_STEPS: f64 = 60.0;
const MAX_LOOK_AHEAD_THICKNESSES: f64 = 16.0;
/// What moves by no more than this part of a thickness in that time is as good
/// as at rest, and is given it: what makes it turn off its way is taken back.
const REST_THICKNESSES: f64 = 0.1;
/// Beyond this share of points that left their swept box, all boxes are rebuilt.
const REBUILD_FRACTION: f64 = 0.2;
/// After this share of the steps looked ahead, all boxes are rebuilt as soon as one
/// point leaves its swept box.
const MAX_AGE_FRACTION: f64 = 0.6;

/// The lists of candidates, and what keeps them complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) vertex_triangle: Vec<Candidate>,
    pub(crate) edge_edge: Vec<Candidate>,
    swept: Vec<SweptBox>,
    /// How many steps the swept boxes look ahead.
    ahead: f64,
    /// Numbers of the faces that can move freely, and of the others.
    free_faces: Vec<u32>,
    scripted_faces: Vec<u32>,
    free_tree: Bvh,
    scripted_tree: Bvh,
    /// Of all faces, grown by the margin.
    face_swept: Vec<SweptBox>,
    boxes: Vec<Aabb>,
    pairs: Vec<(u32, u32)>,
    refits: u32,
    /// Steps since the lists were made.
    age: u32,
    escaped: Vec<bool>,
    pub(crate) travel: Travel,
    pub(crate) around: Neighbourhood,
    /// The faces of each point: those of p are
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

    /// Forgets all that depends on the steps before, so that the next call of
    /// [`Candidates::update`] makes everything anew.
    pub(crate) fn clear_caches(&mut self) {
        self.vertex_triangle.clear();
        self.edge_edge.clear();
        self.swept.clear();
        (self.ahead, self.age, self.refits) = (0.0, 0, 0);
        self.free_tree = Bvh::default();
        self.scripted_tree = Bvh::default();
        self.travel.clear_caches();
    }

    /// Makes the lists complete for this motion. `before` are the velocities of
    /// the cloth at the start of the step. With `points`, only those changed
    /// since the last call.
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
        // The share of the time looked ahead at the ends of this step.
        let age = f64::from(self.age);
        let over = age + 1.0 > self.ahead;
        let shares = [age, age + 1.0].map(|t| t / self.ahead);
        let escaped = |&p: &u32| {
            let (swept, p) = (&self.swept[p as usize], p as usize);
            over || !(swept.holds(shares[0], motion.start[p])
                && swept.holds(shares[1], motion.end[p]))
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
            // There may be bodies and obstacles alone.
            let count = before.len().max(1) as f64;
            let mean = travelled / count;
            // How its velocity changes within the step leads a point off a
            // straight line. What all of the cloth shares of that is known.
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
        // The way goes on as the step before ended: where a point would go
        // before collisions are answered says little about where it will be.
        let renew = |p: usize| {
            let (a, b) = (motion.start[p], motion.end[p]);
            let way = before
                .get(p)
                .map_or(b - a, |v| *v * motion.h + 0.5 * (ahead + 1.0) * common);
            let swept = SweptBox::along(a - age * way, a + (ahead - age) * way, radius);
            match swept.holds((age + 1.0) / ahead, b) {
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
                // What a response throws about will not fly on like that, and
                // may well come back.
                Some(_) => swept.union(&SweptBox::along(motion.end[p], motion.end[p], radius)),
                None => renew(p),
            };
        }
        self.append(surface, motion, margin, &out);
    }
}
