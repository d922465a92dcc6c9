//! Harmon et al., Algorithm 1, over one step.

use super::Cloth;
use crate::collide::candidates::Candidates;
use crate::collide::narrow::{self, Hit};
use crate::collide::{Plane, Surface};
use crate::parts::Collisions;
use crate::pressing::{LoadShares, balance};
use crate::response::constraint::{Pair, Stencil};
use crate::response::{Contact, FailSafe, GaveUp, Limit, Motion, Tied, stages};
use rayon::prelude::*;

/// Contacts handled by one task.
const CONTACTS: usize = 1024;

impl Cloth {
    /// Harmon et al., Algorithm 1: filters the velocities until nothing
    /// collides.
    pub(super) fn collide(&mut self, tied: &[(Stencil, Tied)]) -> Result<(), GaveUp> {
        let Collisions {
            response,
            zone_friction,
            sweeps,
            passes,
            restore,
            longest,
            most_passes,
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
            ..
        } = self;
        let friction_of = |stencil: &Stencil| match stencil.pair {
            Pair::VertexPlane(k) => {
                let own = surface.part(stencil.points[0]).friction.unwrap_or(0.0);
                let plane = planes[k as usize].friction;
                plane.unwrap_or(own)
            }
            _ => {
                let (a, b) = stencil.sides();
                surface.friction(a, b)
            }
        };
        let load = LoadShares::new(surface, tied);
        motion.settle_all();
        candidates.update(surface, motion, None);

        // Stage 1.
        narrow::near(surface, planes, motion, candidates, near);
        let made = near.par_iter().with_min_len(CONTACTS).map(|n| {
            let place = tied.binary_search_by(|t| t.0.cmp(&n.stencil));
            let tied = place.map_or(Tied::default(), |i| tied[i].1);
            let friction = friction_of(&n.stencil) * load.of(surface, &n.stencil);
            Contact::new(motion, n, friction, restore, tied)
        });
        made.collect_into_vec(contacts);
        contacts.retain(|c| !c.constraint.is_rigid());
        balance(surface, contacts);
        let limits = edges.par_iter().with_min_len(super::EDGES);
        let limits = limits.filter_map(|&(e, rest)| Limit::new(motion, e, longest * rest, restore));
        let mut limits: Vec<Limit> = limits.collect();
        // A tenth of what gravity does in a step is not worth a sweep.
        let tolerance = 1e-5;
        stages::repulsion(motion, contacts, &mut limits, sweeps, tolerance);
        let moved = motion.settle();
        let moved: Vec<u32> = moved.to_vec();
        candidates.update(surface, motion, Some(&moved));

        // Stage 2.
        narrow::hits(surface, planes, motion, candidates, hits);
        motion.seen();
        for _ in 0..passes {
            if hits.is_empty() {
                return Ok(());
            }
            stats.collisions += hits.len() as u64;
            stages::continuous(motion, hits, |hit| friction_of(&hit.stencil));
            look_again(surface, planes, motion, candidates, hits);
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
            look_again(surface, planes, motion, candidates, hits);
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

/// Detection after a response: only what moved.
fn look_again(
    surface: &Surface,
    planes: &[Plane],
    motion: &mut Motion,
    candidates: &mut Candidates,
    hits: &mut Vec<Hit>,
) {
    let moved = motion.settle().to_vec();
    candidates.update(surface, motion, Some(&moved));
    narrow::hits(surface, planes, motion, candidates, hits);
    motion.seen();
}
