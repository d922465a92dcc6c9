//! Contacts as the engine keeps, reports and stores them.

use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_geometry::convex::{Manifold, ManifoldPoint, NearCorners, PairCache};
use conatus_math::DVec3;

/// A contact of the last step.
#[derive(Clone, Copy, Debug)]
pub struct EngineContact {
    /// The two colliders, the one with the smaller number first.
    pub colliders: [u32; 2],
    /// The triangle of a mesh, or 0.
    pub part: u32,
    /// Where they touch at the start of the step.
    pub manifold: Manifold,
    /// What is known about the pair.
    pub(super) cache: PairCache,
    /// The impulses of the last substep, at the points of the manifold.
    pub(super) impulses: [f64; MAX_POINTS],
    pub(super) friction_impulse: DVec3,
    pub(super) twist_impulse: f64,
    pub(super) rolling_impulse: DVec3,
    /// The normal impulses at the points over the whole step.
    pub normal_impulses: [f64; MAX_POINTS],
    /// The impulse of friction on the second collider over the whole step.
    pub tangential_impulse: DVec3,
    /// Whether it held or pushed anything in the last step.
    pub acted: bool,
}

/// A point where a body touches another body or what never moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// A body.
    pub a: usize,
    /// The other body; `None` for what never moves.
    pub b: Option<usize>,
    /// Where they touch, in world coordinates.
    pub point: DVec3,
    /// The unit normal, from `a` into the other.
    pub normal: DVec3,
    /// How deep they were in each other at the start of the step, in metres.
    pub penetration: f64,
    /// The impulse on `a` over the step, in N·s.
    pub impulse: DVec3,
}

/// Two colliders that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// A body.
    pub a: usize,
    /// The other body; `None` for what never moves.
    pub b: Option<usize>,
    /// How deep they are in each other, in metres.
    pub depth: f64,
    /// The smaller of the radii of balls around the two colliders, in metres.
    pub size: f64,
    /// Whether the other one is scripted.
    pub scripted: bool,
}

/// What a contact passes from one step to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StoredContact {
    /// The two colliders.
    pub colliders: [u32; 2],
    /// The triangle of a mesh, or 0.
    pub part: u32,
    /// The features of its points.
    pub ids: [u32; MAX_POINTS],
    /// Where they are.
    pub points: [DVec3; MAX_POINTS],
    /// Their normal impulses in the last substep.
    pub impulses: [f64; MAX_POINTS],
    /// How many there are.
    pub count: u32,
    /// Friction, torsion and rolling impulse of the last substep.
    pub friction: DVec3,
    /// The torsion about the normal.
    pub twist: f64,
    /// Of rolling resistance.
    pub rolling: DVec3,
    /// The corners of two hulls that were nearest to each other.
    pub near: NearCorners,
}

impl EngineContact {
    /// No contact.
    pub(super) const NONE: Self = Self {
        colliders: [0; 2],
        part: 0,
        manifold: Manifold::EMPTY,
        cache: PairCache::EMPTY,
        impulses: [0.0; MAX_POINTS],
        friction_impulse: DVec3::ZERO,
        twist_impulse: 0.0,
        rolling_impulse: DVec3::ZERO,
        normal_impulses: [0.0; MAX_POINTS],
        tangential_impulse: DVec3::ZERO,
        acted: false,
    };

    /// A contact without impulses.
    #[inline]
    pub(super) fn new(
        colliders: [u32; 2],
        part: u32,
        cache: PairCache,
        manifold: Manifold,
    ) -> Self {
        Self {
            colliders,
            part,
            manifold,
            cache,
            ..Self::NONE
        }
    }

    #[inline]
    pub(super) fn key(&self) -> (u32, u32, u32) {
        (self.colliders[0], self.colliders[1], self.part)
    }

    /// What it passes to the next step.
    pub(super) fn stored(&self) -> StoredContact {
        let mut stored = StoredContact {
            colliders: self.colliders,
            part: self.part,
            impulses: self.impulses,
            count: self.manifold.points().len() as u32,
            friction: self.friction_impulse,
            twist: self.twist_impulse,
            rolling: self.rolling_impulse,
            near: self.cache.near,
            ..StoredContact::default()
        };
        for (k, p) in self.manifold.points().iter().enumerate() {
            stored.ids[k] = p.id;
            stored.points[k] = p.point;
        }
        stored
    }

    /// From what was stored.
    pub(super) fn restored(stored: &StoredContact) -> Self {
        let mut manifold = Manifold::default();
        for k in 0..stored.count as usize {
            manifold.push(ManifoldPoint {
                point: stored.points[k],
                separation: 1.0,
                id: stored.ids[k],
            });
        }
        let cache = PairCache::of_corners(stored.near);
        Self {
            impulses: stored.impulses,
            friction_impulse: stored.friction,
            twist_impulse: stored.twist,
            rolling_impulse: stored.rolling,
            ..Self::new(stored.colliders, stored.part, cache, manifold)
        }
    }

    /// Takes over the impulses that its points had in the last step.
    pub(super) fn inherit(&mut self, known: &Self) {
        self.friction_impulse = known.friction_impulse;
        self.twist_impulse = known.twist_impulse;
        self.rolling_impulse = known.rolling_impulse;
        match_points(known, self);
    }
}

/// Gives the points of a contact the impulses of the old points with the same features
/// or, where features changed, of the nearest old point that no other has.
fn match_points(known: &EngineContact, contact: &mut EngineContact) {
    let old = known.manifold.points();
    let mut taken = [false; MAX_POINTS];
    let mut open = [true; MAX_POINTS];
    for (k, p) in contact.manifold.points().iter().enumerate() {
        if let Some(at) = old.iter().position(|o| o.id == p.id)
            && !taken[at]
        {
            contact.impulses[k] = known.impulses[at];
            taken[at] = true;
            open[k] = false;
        }
    }
    if !open[..contact.manifold.points().len()].contains(&true) {
        return;
    }
    for (k, p) in contact.manifold.points().iter().enumerate() {
        let rest = old.iter().enumerate().filter(|(at, _)| !taken[*at]);
        let nearest = rest.min_by(|(_, a), (_, b)| {
            let distance = |o: &ManifoldPoint| o.point.distance_squared(p.point);
            distance(a).total_cmp(&distance(b))
        });
        if open[k]
            && let Some((at, _)) = nearest
        {
            contact.impulses[k] = known.impulses[at];
            taken[at] = true;
        }
    }
}
