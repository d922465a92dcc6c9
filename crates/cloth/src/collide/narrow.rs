//! The narrow phase: which candidates are close at the end of the step, and
//! which collide during it.

use super::candidates::{Candidate, Candidates, List};
use super::neighbourhood::Neighbourhood;
use super::planes::ClothPlane;
use super::surface::CollisionSurface;
use super::travel::Travel;
use crate::response::ResponseMotion;
use crate::response::constraint::Stencil;
use conatus_geometry::ccd;
use conatus_geometry::distance::{self, Closest};
use conatus_math::DVec3;
use rayon::prelude::*;

/// Minimum gap of continuous detection, as a fraction of the thickness.
pub(crate) const MIN_GAP_RATIO: f64 = 0.05;

/// Contacts persist up to this distance, in thicknesses.
pub(crate) const CONTACT_DISTANCE: f64 = 1.1;

/// The result of [`Neighbourhood::is_real`] is cached until the points have
/// moved this far, in thicknesses. Continuous detection does not depend on it.
const MAX_CACHED_TRAVEL: f64 = 0.05;

/// Candidates handled by one task.
const CANDIDATES_PER_TASK: usize = 4096;

/// Two primitives within the contact distance in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub(crate) stencil: Stencil,
    pub(crate) weights: [f64; 4],
    pub(crate) normal: DVec3,
    /// The distance along the normal at the start of the step.
    pub(crate) distance: f64,
    /// The distance that the two must keep.
    pub(crate) thickness: f64,
}

/// Two primitives that collide within the step.
#[derive(Clone, Copy, Debug)]
pub struct CollisionHit {
    /// The primitives.
    pub stencil: Stencil,
    /// Time of impact, from 0 to 1.
    pub time: f64,
    /// The weights of the paper's gradient at that time.
    pub weights: [f64; 4],
    /// N at that time.
    pub normal: DVec3,
    /// The distance at the start.
    pub(crate) distance: f64,
    /// The distance at that time.
    pub(crate) gap: f64,
    /// The distance that the two must keep.
    pub(crate) thickness: f64,
}

#[inline(always)]
pub(crate) fn gather(points: &[u32; 4], from: &[DVec3]) -> [DVec3; 4] {
    let [a, b, c, d] = *points;
    let at = |p: u32| from[p as usize];
    [at(a), at(b), at(c), at(d)]
}

/// The least of n·(b − a) over all pairs of corners of the two primitives.
#[inline(always)]
pub(super) fn gap_along(list: List, n: DVec3, x: &[DVec3; 4]) -> f64 {
    let [a, b, c, d] = [n.dot(x[0]), n.dot(x[1]), n.dot(x[2]), n.dot(x[3])];
    match list {
        List::VertexTriangle => d - a.max(b).max(c),
        List::EdgeEdge => c.min(d) - a.max(b),
    }
}

#[inline]
pub(crate) fn closest(list: List, x: &[DVec3; 4]) -> Closest {
    match list {
        List::VertexTriangle => distance::vertex_triangle(x),
        List::EdgeEdge => distance::edge_edge(x),
    }
}

/// All pairs closer than their thickness at the end of the step, or passing
/// through each other within it, with their normals there. In a fixed order.
pub(crate) fn near(
    surface: &CollisionSurface,
    planes: &[ClothPlane],
    motion: &ResponseMotion,
    candidates: &mut Candidates,
    found: &mut Vec<Near>,
) {
    found.clear();
    let (travel, around) = (&candidates.travel, &candidates.around);
    let lists = [
        (List::VertexTriangle, &mut candidates.vertex_triangle),
        (List::EdgeEdge, &mut candidates.edge_edge),
    ];
    for (list, candidates) in lists {
        let tasks: Vec<Vec<Near>> = (candidates.par_chunks_mut(CANDIDATES_PER_TASK))
            .map(|chunk| {
                let mut found = Vec::with_capacity(chunk.len() / 8);
                for c in chunk {
                    found.extend(near_candidate(surface, motion, travel, around, list, c));
                }
                found
            })
            .collect();
        tasks.iter().for_each(|t| found.extend_from_slice(t));
    }
    near_planes(surface, planes, motion, found);
}

#[inline]
fn near_candidate(
    surface: &CollisionSurface,
    motion: &ResponseMotion,
    travel: &Travel,
    around: &Neighbourhood,
    list: List,
    c: &mut Candidate,
) -> Option<Near> {
    if travel.within(&c.points, c.look) {
        return None;
    }
    let start = gather(&c.points, &motion.start);
    let end = gather(&c.points, &motion.end);
    let (a, b) = (c.points[0], c.points[3]);
    let thickness = surface.thickness(a, b);
    let far = |c: &mut Candidate| {
        let n = c.axis();
        let slack = gap_along(list, n, &start) - thickness;
        c.limit = travel.limit(&c.points, slack);
        c.look = c.limit;
        let far = slack > 0.0 && gap_along(list, n, &end) > thickness;
        // A distance above the thickness also exceeds the smaller gap of
        // continuous detection.
        c.open = !far;
        far
    };
    if far(c) {
        return None;
    }
    // The contact is taken at the nearest points at the end of the step: a
    // point that slides below an edge is pushed away from the triangle it
    // reaches, not from the edge.
    let ahead = closest(list, &end);
    let reaches = CONTACT_DISTANCE * thickness;
    // If the distance at the end exceeds twice the travel of the stencil's
    // points, the two were farther apart than that travel at the start and on
    // the same side, so the nearest points at the start are not needed.
    let way = travel.way(&c.points);
    let nearest = match ahead.squared > 4.0 * way * way {
        true if ahead.squared > reaches * reaches || ahead.squared <= thickness * thickness => None,
        _ => Some(closest(list, &start)),
    };
    match &nearest {
        Some(nearest) => c.set_axis(nearest.vector, nearest.squared),
        None => c.set_axis(ahead.vector, ahead.squared),
    }
    if far(c) {
        return None;
    }
    let found = |seen: &Closest, distance: f64| {
        let normal = seen.vector / seen.distance();
        normal.is_finite().then_some(Near {
            stencil: Stencil {
                pair: list.pair(),
                points: c.points,
            },
            weights: seen.weights,
            normal,
            distance,
            thickness,
        })
    };
    let real = |x: &[DVec3], seen: &Closest| around.is_real(surface, x, list, &c.points, seen);
    let still = travel.later(&c.points, MAX_CACHED_TRAVEL * thickness);
    if nearest.is_none_or(|nearest| ahead.vector.dot(nearest.vector) > 0.0) {
        // Existing contacts persist up to a slightly larger distance.
        let touches = nearest.is_none_or(|nearest| nearest.distance() <= thickness);
        let limit = if touches { reaches } else { thickness };
        if ahead.distance() > limit {
            return None;
        }
        if !real(&motion.end, &ahead) {
            c.look = still;
            return None;
        }
        let gap: DVec3 = (0..4).map(|i| ahead.weights[i] * start[i]).sum();
        return found(&ahead, gap.dot(ahead.vector / ahead.distance()));
    }
    // The primitives pass through each other.
    let nearest = nearest?;
    let through: DVec3 = (0..4).map(|i| nearest.weights[i] * end[i]).sum();
    if through.dot(nearest.vector) > thickness * nearest.distance()
        || !real(&motion.start, &nearest)
    {
        return None;
    }
    found(&nearest, nearest.distance())
}

fn near_planes(
    surface: &CollisionSurface,
    planes: &[ClothPlane],
    motion: &ResponseMotion,
    found: &mut Vec<Near>,
) {
    for (k, plane) in planes.iter().enumerate() {
        for &p in &plane.vertices {
            let i = p as usize;
            let thickness = surface.part(p).thickness.unwrap_or(1e-3);
            let distance = plane.half_space.height(motion.start[i]);
            if distance > thickness && plane.half_space.height(motion.end[i]) > thickness {
                continue;
            }
            found.push(Near {
                stencil: plane.stencil(k, p),
                weights: [1.0, 0.0, 0.0, 0.0],
                normal: plane.half_space.normal,
                distance,
                thickness,
            });
        }
    }
}

/// All pairs that collide within the step, in a fixed order. Only pairs not yet
/// tested, or with a point that moved since the last test, are checked.
pub(crate) fn hits(
    surface: &CollisionSurface,
    planes: &[ClothPlane],
    motion: &ResponseMotion,
    candidates: &mut Candidates,
    found: &mut Vec<CollisionHit>,
) {
    found.clear();
    let travel = &candidates.travel;
    // The cached limits are for the thickness; continuous detection keeps a
    // smaller gap.
    let closer = (1.0 - 1e-6) * (1.0 - MIN_GAP_RATIO) * surface.least_thickness();
    let lists = [
        (List::VertexTriangle, &mut candidates.vertex_triangle),
        (List::EdgeEdge, &mut candidates.edge_edge),
    ];
    for (list, candidates) in lists {
        let tasks: Vec<Vec<CollisionHit>> = (candidates.par_chunks_mut(CANDIDATES_PER_TASK))
            .map(|chunk| {
                let mut found = Vec::new();
                for c in chunk {
                    if travel.within_by(&c.points, c.limit, closer)
                        || !c.open && !c.points.iter().any(|&p| motion.moved[p as usize])
                    {
                        continue;
                    }
                    c.open = false;
                    found.extend(hit_candidate(surface, motion, list, c));
                }
                found
            })
            .collect();
        found.extend(tasks.into_iter().flatten());
    }
    for (k, plane) in planes.iter().enumerate() {
        for &p in &plane.vertices {
            if motion.moved[p as usize] {
                found.extend(hit_plane(surface, motion, plane, k, p));
            }
        }
    }
}

#[inline]
fn hit_candidate(
    surface: &CollisionSurface,
    motion: &ResponseMotion,
    list: List,
    c: &mut Candidate,
) -> Option<CollisionHit> {
    let start = gather(&c.points, &motion.start);
    let end = gather(&c.points, &motion.end);
    let thickness = surface.thickness(c.points[0], c.points[3]);
    let separation = MIN_GAP_RATIO * thickness;
    let far =
        |n: DVec3| gap_along(list, n, &start) > separation && gap_along(list, n, &end) > separation;
    if far(c.axis()) {
        return None;
    }
    let nearest = closest(list, &start);
    c.set_axis(nearest.vector, nearest.squared);
    if far(c.axis()) {
        return None;
    }
    let hit = match list {
        List::VertexTriangle => ccd::vertex_triangle(&start, &end, separation),
        List::EdgeEdge => ccd::edge_edge(&start, &end, separation),
    }?;
    if !motion.can_change(&c.points) {
        return None;
    }
    let normal = hit.closest.vector.normalize_or_zero();
    Some(CollisionHit {
        stencil: Stencil {
            pair: list.pair(),
            points: c.points,
        },
        time: hit.time,
        weights: hit.closest.weights,
        normal,
        distance: nearest.distance(),
        gap: hit.closest.distance(),
        thickness,
    })
}

fn hit_plane(
    surface: &CollisionSurface,
    motion: &ResponseMotion,
    plane: &ClothPlane,
    index: usize,
    p: u32,
) -> Option<CollisionHit> {
    let i = p as usize;
    if motion.inverse_mass[i] == 0.0 && motion.free_body_of(p).is_none() {
        return None;
    }
    let thickness = surface.part(p).thickness.unwrap_or(1e-3);
    let (a, b) = (
        plane.half_space.height(motion.start[i]),
        plane.half_space.height(motion.end[i]),
    );
    let kept = (MIN_GAP_RATIO * thickness).min(0.5 * a);
    if b > kept {
        return None;
    }
    Some(CollisionHit {
        stencil: plane.stencil(index, p),
        time: ((a - kept) / (a - b)).clamp(0.0, 1.0),
        weights: [1.0, 0.0, 0.0, 0.0],
        normal: plane.half_space.normal,
        distance: a,
        gap: kept,
        thickness,
    })
}

impl CollisionHit {
    /// Whether the stencil is a vertex and a plane.
    pub fn is_plane(&self) -> bool {
        self.stencil.is_plane()
    }
}
