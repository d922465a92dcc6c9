//! Stage 3, Algorithm 1, lines 3-11: the remaining collisions are put into
//! impact zones that grow and merge until none is left.

use super::constraint::{Constraint, Stencil};
use super::friction::{self, ZoneFriction};
use super::inelastic_projection::{complementarity, inelastic_projection};
use super::motion::{NO_BODY, ResponseMotion};
use super::rigid_zones::rigid_motion;
use crate::collide::narrow::CollisionHit;
use conatus_math::DVec3;
use std::collections::HashMap;

/// How a zone is resolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// Impact is cancelled, sliding is kept (Harmon et al. 2008).
    #[default]
    InelasticProjection,
    /// The zone moves as one rigid body (Provot 1997).
    RigidImpactZones,
    /// Impulses are nonnegative: a linear complementarity problem.
    Lcp,
}

/// Why the fail-safe gave up.
#[derive(Clone, Debug)]
pub(crate) struct GaveUp {
    /// The points of the collisions that could not be resolved.
    pub(crate) points: Vec<u32>,
    /// Whether scripted motions contradict each other.
    pub(crate) pinched: bool,
}

/// Constraints are contradictory if normal velocities remain above this
/// fraction of the fastest velocity, or of 1 m/s if that is larger.
const CONTRADICTION_VELOCITY_RATIO: f64 = 1e-3;

/// How often the row of a stencil that collides again is replaced before a
/// second row is added.
const MAX_ROW_REPLACEMENTS: u32 = 3;

struct Entry {
    constraint: Constraint,
    replaced: u32,
}

/// The zones of one step.
#[derive(Default)]
pub(crate) struct FailSafe {
    entries: Vec<Entry>,
    by_stencil: HashMap<Stencil, Vec<u32>>,
    /// Union-find over free vertices and, after them, bodies.
    parent: Vec<u32>,
    /// Velocities before the fail-safe, of everything in a zone.
    before: HashMap<u32, DVec3>,
    bodies_before: HashMap<u32, (DVec3, DVec3)>,
    /// The most constraints in one zone, and zones resolved.
    pub(crate) largest: usize,
    pub(crate) resolved: usize,
}

impl FailSafe {
    /// No zones yet.
    pub(crate) fn new(motion: &ResponseMotion) -> Self {
        let movers = motion.start.len() + motion.bodies.len();
        Self {
            parent: (0..movers as u32).collect(),
            ..Self::default()
        }
    }

    /// How many zones there are.
    pub(crate) fn zones(&mut self) -> usize {
        let count = self.entries.len();
        let mut roots: Vec<u32> = (0..count).filter_map(|e| self.root_of(e)).collect();
        roots.sort_unstable();
        roots.dedup();
        roots.len()
    }

    /// Algorithm 1, lines 4-10: adds the collisions of one pass to zones and
    /// resolves the zones that changed.
    pub(crate) fn resolve(
        &mut self,
        motion: &mut ResponseMotion,
        hits: &[CollisionHit],
        response: Response,
        how: ZoneFriction,
        friction_of: impl Fn(&CollisionHit) -> f64,
    ) -> Result<(), GaveUp> {
        let mut changed = Vec::new();
        for hit in admit(motion, hits) {
            let c = Constraint::new(
                motion,
                hit.stencil,
                &hit.weights,
                hit.normal,
                friction_of(hit),
            );
            if !c.is_rigid() && c.normal != DVec3::ZERO {
                changed.push(self.insert(motion, c));
            }
        }
        // Zones that changed, in a fixed order.
        let mut roots: Vec<u32> = changed
            .into_iter()
            .filter_map(|e| self.root_of(e as usize))
            .collect();
        roots.sort_unstable();
        roots.dedup();
        let mut zones: HashMap<u32, Vec<Constraint>> =
            roots.iter().map(|&r| (r, Vec::new())).collect();
        for e in 0..self.entries.len() {
            let root = self.root_of(e);
            if let Some(zone) = root.and_then(|r| zones.get_mut(&r)) {
                zone.push(self.entries[e].constraint);
            }
        }
        for root in roots {
            let zone = &zones[&root];
            self.largest = self.largest.max(zone.len());
            self.resolved += 1;
            self.resolve_zone(motion, zone, response, how)?;
        }
        Ok(())
    }

    /// Algorithm 1, lines 7-9, for one zone (Harmon §3).
    fn resolve_zone(
        &self,
        motion: &mut ResponseMotion,
        zone: &[Constraint],
        response: Response,
        how: ZoneFriction,
    ) -> Result<(), GaveUp> {
        for c in zone {
            self.reset(motion, c);
        }
        let outcome = match response {
            Response::InelasticProjection => inelastic_projection(motion, zone),
            Response::RigidImpactZones => rigid_motion(motion, zone),
            Response::Lcp => complementarity(motion, zone),
        };
        let fastest = zone
            .iter()
            .flat_map(|c| c.shares())
            .map(|s| self.before[&s.point].length())
            .fold(1.0, f64::max);
        if outcome.violation.is_nan() || outcome.violation > CONTRADICTION_VELOCITY_RATIO * fastest
        {
            let mut points: Vec<u32> = zone.iter().flat_map(|c| c.stencil.points()).collect();
            points.sort_unstable();
            points.dedup();
            return Err(GaveUp {
                points,
                pinched: true,
            });
        }
        friction::apply(motion, zone, &outcome, response, how);
        for c in zone {
            c.touch(motion);
        }
        Ok(())
    }

    /// Resets the velocities of a constraint's points to those before the
    /// fail-safe.
    fn reset(&self, motion: &mut ResponseMotion, c: &Constraint) {
        for s in c.shares() {
            motion.velocity[s.point as usize] = self.before[&s.point];
        }
        if c.body != NO_BODY {
            let (velocity, omega) = self.bodies_before[&c.body];
            let b = &mut motion.bodies[c.body as usize];
            (b.velocity, b.omega) = (velocity, omega);
        }
    }

    /// Adds a constraint, or replaces the one on its stencil, and merges the
    /// zones that it connects. Returns its index.
    fn insert(&mut self, motion: &ResponseMotion, c: Constraint) -> u32 {
        for s in c.shares() {
            let velocity = motion.velocity[s.point as usize];
            self.before.entry(s.point).or_insert(velocity);
        }
        if c.body != NO_BODY {
            let b = &motion.bodies[c.body as usize];
            let entry = self.bodies_before.entry(c.body);
            entry.or_insert((b.velocity, b.omega));
        }
        // Only free vertices and bodies connect zones; a common floor does not.
        let movers = movers(motion, &c);
        for pair in movers.windows(2) {
            self.join(pair[0], pair[1]);
        }
        let on_stencil = self.by_stencil.entry(c.stencil).or_default();
        if let Some(&last) = on_stencil.last() {
            let entry = &mut self.entries[last as usize];
            if entry.replaced < MAX_ROW_REPLACEMENTS {
                entry.constraint = c;
                entry.replaced += 1;
                return last;
            }
        }
        let index = self.entries.len() as u32;
        on_stencil.push(index);
        self.entries.push(Entry {
            constraint: c,
            replaced: 0,
        });
        index
    }

    fn root_of(&mut self, entry: usize) -> Option<u32> {
        let c = &self.entries[entry].constraint;
        let points = self.parent.len() as u32;
        // Bodies are numbered from the end.
        let mover = match c.shares().first() {
            Some(s) => s.point,
            None if c.body != NO_BODY => points - 1 - c.body,
            None => return None,
        };
        Some(self.find(mover))
    }

    fn find(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let up = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = up;
            i = up;
        }
        i
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
    }
}

/// The free vertices and the body of a constraint, as indices of the
/// union-find.
fn movers(motion: &ResponseMotion, c: &Constraint) -> Vec<u32> {
    let all = (motion.start.len() + motion.bodies.len()) as u32;
    let mut movers: Vec<u32> = c.shares().iter().map(|s| s.point).collect();
    if c.body != NO_BODY {
        movers.push(all - 1 - c.body);
    }
    movers
}

/// The collisions that are the earliest for at least one of their free points.
/// Later ones may disappear once these are resolved, and zones stay small.
fn admit<'a>(motion: &ResponseMotion, hits: &'a [CollisionHit]) -> Vec<&'a CollisionHit> {
    let free = |p: u32| {
        let p = p as usize;
        motion.inverse_mass[p] > 0.0 || motion.body_of[p] != NO_BODY
    };
    let mut earliest: HashMap<u32, f64> = HashMap::new();
    for hit in hits {
        for p in hit.stencil.points().filter(|&p| free(p)) {
            let time = earliest.entry(p).or_insert(f64::INFINITY);
            *time = time.min(hit.time);
        }
    }
    hits.iter()
        .filter(|hit| {
            let mut points = hit.stencil.points().filter(|&p| free(p));
            points.any(|p| hit.time <= earliest[&p])
        })
        .collect()
}
