//! One collision as a linear constraint on velocities (Harmon et al. §2).
//!
//! The constraint function of a stencil is C = N · Σ wᵢ Xᵢ, with weights
//! (−α₁, −α₂, −α₃, 1) for a triangle and a vertex, Harmon (1), and (−α₁, −α₂,
//! α₃, α₄) for two edges, Harmon (2). Its rate is the normal velocity
//! Ċ = N · Σ wᵢ Ẋᵢ.
//!
//! Points are classified once by what moves them, so that later code needs no
//! case distinctions: free vertices with their weights, at most one rigid body,
//! and the scripted part of the relative velocity, which no impulse can change.

use super::motion::{NO_BODY, ResponseMotion};
use conatus_math::DVec3;

/// The four points of a stencil in the paper's order; a vertex and a plane are
/// a stencil of one point and three times [`Stencil::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stencil {
    /// The kind of the two primitives.
    pub pair: StencilPair,
    /// The points X₁ to X₄.
    pub points: [u32; 4],
}

/// The kind of the two primitives of a stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StencilPair {
    /// A triangle X₁ X₂ X₃ and a vertex X₄.
    VertexTriangle,
    /// An edge X₁ X₂ and an edge X₃ X₄.
    EdgeEdge,
    /// A vertex X₁ and the plane with that index.
    VertexPlane(u32),
}

impl Stencil {
    /// No point.
    pub const NONE: u32 = u32::MAX;

    /// The points that are not [`Stencil::NONE`].
    pub fn points(&self) -> impl Iterator<Item = u32> + '_ {
        self.points.iter().copied().filter(|&p| p != Self::NONE)
    }

    /// Whether it is a vertex and a plane.
    pub(crate) fn is_plane(&self) -> bool {
        matches!(self.pair, StencilPair::VertexPlane(_))
    }

    /// One point of each side; for a plane, the vertex twice.
    pub(crate) fn sides(&self) -> (u32, u32) {
        match self.pair {
            StencilPair::VertexPlane(_) => (self.points[0], self.points[0]),
            _ => (self.points[0], self.points[3]),
        }
    }
}

/// A share of a free vertex in a constraint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    pub(crate) point: u32,
    pub(crate) weight: f64,
    /// weight / mass: what an impulse does to the vertex's velocity.
    pub(crate) response: f64,
}

/// A collision, ready to be resolved.
#[derive(Clone, Copy, Debug)]
pub struct Constraint {
    /// The stencil.
    pub stencil: Stencil,
    /// N: a unit vector towards the vertex or the second edge.
    pub normal: DVec3,
    /// Coulomb's coefficient.
    pub friction: f64,
    pub(crate) shares: [Share; 4],
    pub(crate) count: u8,
    /// The rigid body, if there is one, with Σ wᵢ over its points and Σ wᵢ rᵢ
    /// over their arms.
    pub(crate) body: u32,
    pub(crate) body_weight: f64,
    pub(crate) body_arm: DVec3,
    /// Σ wᵢ Ẋᵢ over scripted points.
    pub(crate) drift: DVec3,
    /// N · K N, the inverse of the effective mass along N, where K maps an
    /// impulse to the change of relative velocity.
    pub(crate) inverse_mass: f64,
}

impl Constraint {
    /// A constraint on `stencil` with the gradient weights·normal, Harmon (1)
    /// and (2); its function is C = N·Σ wᵢ Xᵢ, Harmon §2.
    pub fn new(
        motion: &ResponseMotion,
        stencil: Stencil,
        weights: &[f64; 4],
        normal: DVec3,
        friction: f64,
    ) -> Self {
        let mut c = Self {
            stencil,
            normal,
            friction,
            shares: Default::default(),
            count: 0,
            body: NO_BODY,
            body_weight: 0.0,
            body_arm: DVec3::ZERO,
            drift: DVec3::ZERO,
            inverse_mass: 0.0,
        };
        for (&p, &weight) in stencil.points.iter().zip(weights) {
            if p == Stencil::NONE {
                continue;
            }
            let i = p as usize;
            if let Some(body) = motion.free_body_of(p) {
                if c.body != NO_BODY && c.body != body {
                    // Vertices pinned to one body at another one. Impulses act
                    // on the first alone.
                    c.drift += weight * motion.point_velocity(p);
                    continue;
                }
                c.body = body;
                c.body_weight += weight;
                c.body_arm += weight * motion.bodies[body as usize].arm(p);
            } else if motion.inverse_mass[i] > 0.0 {
                c.shares[c.count as usize] = Share {
                    point: p,
                    weight,
                    response: weight * motion.inverse_mass[i],
                };
                c.count += 1;
            } else {
                c.drift += weight * motion.velocity[i];
            }
        }
        // Points of one rigid body keep their distances; without rounding errors
        // this would be zero.
        let of_one_body =
            c.count == 0 && !c.stencil.is_plane() && !motion.can_change(&c.stencil.points);
        if !of_one_body {
            c.inverse_mass = normal.dot(c.velocity_change(motion, normal));
        }
        c
    }

    /// The free vertices.
    #[inline]
    pub(crate) fn shares(&self) -> &[Share] {
        &self.shares[..self.count as usize]
    }

    /// Whether none of its points can move freely.
    pub fn is_rigid(&self) -> bool {
        self.inverse_mass <= 0.0
    }

    /// Σ wᵢ Ẋᵢ, Harmon (7): the relative velocity.
    #[inline]
    pub fn relative_velocity(&self, motion: &ResponseMotion) -> DVec3 {
        let mut u = self.drift;
        for s in self.shares() {
            u += s.weight * motion.velocity[s.point as usize];
        }
        if self.body != NO_BODY {
            let b = &motion.bodies[self.body as usize];
            u += self.body_weight * b.velocity + b.omega.cross(self.body_arm);
        }
        u
    }

    /// K P: how the impulse P changes the relative velocity.
    #[inline]
    pub(crate) fn velocity_change(&self, motion: &ResponseMotion, impulse: DVec3) -> DVec3 {
        let free: f64 = self.shares().iter().map(|s| s.weight * s.response).sum();
        let mut u = free * impulse;
        if self.body != NO_BODY {
            let b = &motion.bodies[self.body as usize];
            u += self.body_weight * self.body_weight * b.inverse_mass * impulse;
            let turn = b.inverse_inertia * self.body_arm.cross(impulse);
            u += turn.cross(self.body_arm);
        }
        u
    }

    /// Applies the impulse P to the stencil: wᵢ P to each point.
    #[inline]
    pub(crate) fn apply(&self, motion: &mut ResponseMotion, impulse: DVec3) {
        for s in self.shares() {
            motion.velocity[s.point as usize] += s.response * impulse;
        }
        if self.body != NO_BODY {
            let b = &mut motion.bodies[self.body as usize];
            b.velocity += self.body_weight * b.inverse_mass * impulse;
            b.omega += b.inverse_inertia * self.body_arm.cross(impulse);
        }
    }

    /// Marks its points as moved.
    pub(crate) fn touch(&self, motion: &mut ResponseMotion) {
        for s in self.shares() {
            motion.touch(s.point);
        }
        if self.body != NO_BODY {
            motion.touch_body(self.body);
        }
    }
}
