//! Harmon et al., Algorithm 1, over one step.

use super::Cloth;
use crate::collide::candidates::Candidates;
use crate::collide::narrow::{self, CollisionHit};
use crate::collide::{ClothPlane, CollisionSurface};
use crate::implicit_contacts::{LoadShares, balance};
use crate::parts::Collisions;
use crate::response::constraint::{Stencil, StencilPair};
use crate::response::{Contact, FailSafe, GaveUp, ImplicitImpulse, Limit, ResponseMotion, stages};
use conatus_math::DVec3;
use rayon::prelude::*;
use std::collections::HashSet;

/// Maximum number of restarts of stage 1 after it overstretched edges.
const MAX_STRETCH_RESTARTS: usize = 8;
/// Edges longer than their limit by this factor cause a restart.
const STRETCH_TOLERANCE: f64 = 1.05;
/// Sweeps over edges only, in stage 2.
const EDGE_SWEEPS: usize = 4;

/// Contacts handled by one task.
const CONTACTS_PER_TASK: usize = 1024;

impl Cloth {
    /// Harmon et al., Algorithm 1: filters the velocities until nothing
    /// collides.
    pub(super) fn collide(
        &mut self,
        implicit: &[(Stencil, ImplicitImpulse)],
    ) -> Result<(), GaveUp> {
        let Collisions {
            response,
            zone_friction,
            sweeps,
            passes,
            restore,
            longest,
            most_passes,
            contacts_in_solve,
            ..
        } = self.collisions;
        let Self {
            surface,
            planes,
            motion,
            candidates,
            near,
            contacts,
            hits,
            stats,
            edges,
            v,
            ..
        } = self;
        let friction_of = |stencil: &Stencil| match stencil.pair {
            StencilPair::VertexPlane(k) => {
                let own = surface.part(stencil.points[0]).friction.unwrap_or(0.0);
                let plane = planes[k as usize].friction;
                plane.unwrap_or(own)
            }
            _ => {
                let (a, b) = stencil.sides();
                surface.friction(a, b)
            }
        };
        let load = LoadShares::new(surface, implicit);
        motion.settle_all();
        candidates.update(surface, motion, v, None);

        // Stage 1.
        narrow::near(surface, planes, motion, candidates, near);
        let made = near.par_iter().with_min_len(CONTACTS_PER_TASK).map(|n| {
            let place = implicit.binary_search_by(|t| t.0.cmp(&n.stencil));
            let implicit = place.map_or(ImplicitImpulse::default(), |i| implicit[i].1);
            let friction = friction_of(&n.stencil) * load.of(surface, &n.stencil);
            Contact::new(motion, n, friction, restore, implicit)
        });
        made.collect_into_vec(contacts);
        contacts.retain(|c| !c.constraint.is_rigid());
        balance(surface, contacts);
        let mut limits = overstretched_edges(motion, edges, longest, restore);
        // Far below the velocity that gravity adds in a step, so not worth
        // another sweep.
        let tolerance = 1e-5;
        stages::repulsion(motion, contacts, &mut limits, sweeps, tolerance);
        // Contacts may have stretched edges without a strain limit so far. This
        // is not part of the paper's algorithm.
        let rounds = if contacts_in_solve {
            MAX_STRETCH_RESTARTS
        } else {
            0
        };
        for _ in 0..rounds {
            motion.settle();
            let more = overstretched_edges(motion, edges, STRETCH_TOLERANCE * longest, restore);
            if more.is_empty() {
                break;
            }
            let known: HashSet<[u32; 2]> = limits.iter().map(|l| l.ends).collect();
            let new = overstretched_edges(motion, edges, longest, restore);
            limits.extend(new.into_iter().filter(|l| !known.contains(&l.ends)));
            stages::repulsion(motion, contacts, &mut limits, sweeps, tolerance);
        }
        let moved = motion.settle();
        let moved: Vec<u32> = moved.to_vec();
        candidates.update(surface, motion, v, Some(&moved));

        // Stage 2.
        narrow::hits(surface, planes, motion, candidates, hits);
        motion.clear_moved();
        for pass in 0..passes {
            if hits.is_empty() {
                return Ok(());
            }
            stats.collisions += hits.len() as u64;
            stages::continuous(motion, hits, |hit| friction_of(&hit.stencil));
            // Stopping single vertices also stretches edges. Late passes ignore
            // that and only resolve collisions.
            if contacts_in_solve && 2 * pass < passes {
                motion.settle();
                let mut limits =
                    overstretched_edges(motion, edges, STRETCH_TOLERANCE * longest, restore);
                stages::repulsion(motion, &mut [], &mut limits, EDGE_SWEEPS, tolerance);
            }
            detect_moved(surface, planes, motion, v, candidates, hits);
        }
        if hits.is_empty() {
            return Ok(());
        }

        // Stage 3.
        stats.failsafe_calls += 1;
        let mut zones = FailSafe::new(motion);
        for _ in 0..most_passes {
            stats.collisions += hits.len() as u64;
            zones.resolve(motion, hits, response, zone_friction, |hit| {
                friction_of(&hit.stencil)
            })?;
            detect_moved(surface, planes, motion, v, candidates, hits);
            if hits.is_empty() {
                stats.impact_zones += zones.zones() as u64;
                stats.largest_zone = stats.largest_zone.max(zones.largest);
                return Ok(());
            }
        }
        let mut points: Vec<u32> = hits.iter().flat_map(|h| h.stencil.points()).collect();
        points.sort_unstable();
        points.dedup();
        Err(GaveUp {
            points,
            pinched: false,
        })
    }
}

/// The edges that would be longer at the end of the step than `longest` times
/// their length at rest, in a fixed order.
fn overstretched_edges(
    motion: &ResponseMotion,
    edges: &[([u32; 2], f64)],
    longest: f64,
    restore: f64,
) -> Vec<Limit> {
    let edges = edges.par_iter().with_min_len(super::EDGES_PER_TASK);
    let limits = edges.filter_map(|&(e, rest)| Limit::new(motion, e, longest * rest, restore));
    limits.collect()
}

/// Runs detection again for points that moved in a response.
fn detect_moved(
    surface: &CollisionSurface,
    planes: &[ClothPlane],
    motion: &mut ResponseMotion,
    v: &[DVec3],
    candidates: &mut Candidates,
    hits: &mut Vec<CollisionHit>,
) {
    let moved = motion.settle().to_vec();
    candidates.update(surface, motion, v, Some(&moved));
    narrow::hits(surface, planes, motion, candidates, hits);
    motion.clear_moved();
}
