//! Contacts in blocks: each lane of a block is one manifold of up to four points.
//!
//! Normal impulses act at the points. Friction acts at their centre: two tangential
//! directions as one block, bounded by a circle of radius μ Σλ; torsion about the
//! normal, bounded by μ Σλᵢrᵢ with the levers rᵢ of the points; and rolling resistance,
//! bounded by a length times Σλ.
//!
//! # The frame of a contact
//!
//! With the unit normal n and tangents t, u = n × t, a contact has six relative speeds:
//! v = v_b − v_a at the centre of its points and w = ω_b − ω_a, each along n, t and u. An
//! impulse J at the centre and a torque impulse T, on the second body, with the opposites
//! on the first, change them by the symmetric matrix
//!
//!   A = Σ (1/m) 1 − X I⁻¹ X,   B = −Σ X I⁻¹,   C = Σ I⁻¹:   Δv = A J + B T, Δw = Bᵀ J + C T,
//!
//! summed over both bodies, X the matrix of the cross product with the arm c to the centre. A point at x_t t + x_u u from the
//! centre closes with v_n + x_u w_t − x_t w_u, and an impulse j along the normal there is
//! J = j n, T = j (x_u t − x_t u). So a pass over a manifold reads the velocities of its
//! bodies once, solves in these six numbers, and applies one impulse and one torque.

mod fill;
mod mobility;
mod passes;

pub use passes::SolverBodies;

use super::bodies::{WIDTH, Wide, Wide3, get, set};
use super::constraint::StepResult;
use super::simd::{Half, Simd};
use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_math::DVec3;
use conatus_math::lanes::{Lanes, V3};

const ZERO: Wide = Lanes([0.0; WIDTH]);
const ZERO3: Wide3 = V3 {
    x: ZERO,
    y: ZERO,
    z: ZERO,
};

/// The points of the manifolds.
#[derive(Clone, Debug)]
#[repr(C)]
struct Points {
    impulse: [Wide; MAX_POINTS],
    /// Their places in the tangent plane, from the centre of the points.
    along: [[Half; 2]; MAX_POINTS],
    /// The separations at the start of the step.
    separation: [Half; MAX_POINTS],
    mass: [Half; MAX_POINTS],
    /// Their distances from the centre.
    lever: [Half; MAX_POINTS],
    /// The sums of impulses over the step, for the report.
    total: [Wide; MAX_POINTS],
}

/// Rolling resistance in the frame n, t, u.
#[derive(Clone, Debug)]
#[repr(C)]
struct Rolling {
    /// The lever of the resistance.
    length: Wide,
    /// C⁻¹: nn, tt, uu, nt, nu, tu.
    mass: [Wide; 6],
    impulse: Wide3,
}

/// Which bodies and constraints are in the lanes of a block.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Members {
    a: [u32; WIDTH],
    b: [u32; WIDTH],
    /// Which constraints; `u32::MAX` in empty lanes.
    of: [u32; WIDTH],
    /// The lanes whose bodies impulses can move, as bits.
    moved: [u8; 2],
    points_used: u8,
    has_rolling: bool,
    /// Whether a lane of `fast` is set.
    has_fast: bool,
    /// Whether `found_at` is not zero.
    found_later: bool,
}

impl Members {
    const NONE: Self = Self {
        a: [0; WIDTH],
        b: [0; WIDTH],
        of: [u32::MAX; WIDTH],
        moved: [0; 2],
        points_used: 0,
        has_rolling: false,
        has_fast: false,
        found_later: false,
    };
}

/// Up to [`WIDTH`] manifolds that share no moving body. All numbers lie on lines of the
/// cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct ContactBlock {
    members: Members,
    normal: Wide3,
    /// From the centre of mass of the first body to the centre of the points.
    arm: Wide3,
    /// From that of the second to that of the first.
    between: Wide3,
    /// The sum of the normal impulses, and their torque along t and u.
    pressed: [Wide; 3],
    tangent_impulse: [Wide; 2],
    twist_impulse: Wide,
    tangent: [Half; 3],
    /// How much of a relative displacement changes the arm of the first body.
    share: Half,
    friction: Half,
    /// 1 where one of the bodies never moves.
    stiff: Half,
    /// Contacts that close in faster than this are impacts, which are not soft.
    impact_speed: Half,
    twist_mass: Half,
    /// The inverse of the mobility in the tangent plane: tt, tu, uu.
    tangent_mass: [Half; 3],
    /// 1 in the lanes where anything acted in the step.
    acted: Half,
    points: Points,
    tangent_total: [Wide; 2],
    /// 1 in the lanes that will touch as impacts in the next substep.
    fast: Half,
    rolling: Rolling,
    /// How far the second body had moved against the first when the points were found.
    found_at: Wide3,
}

impl Default for ContactBlock {
    fn default() -> Self {
        let none = Half([0.0; WIDTH]);
        Self {
            members: Members::NONE,
            normal: ZERO3,
            arm: ZERO3,
            between: ZERO3,
            pressed: [ZERO; 3],
            tangent_impulse: [ZERO; 2],
            twist_impulse: ZERO,
            tangent: [none; 3],
            share: none,
            friction: none,
            stiff: none,
            impact_speed: none,
            twist_mass: none,
            tangent_mass: [none; 3],
            acted: none,
            points: Points {
                impulse: [ZERO; MAX_POINTS],
                along: [[none; 2]; MAX_POINTS],
                separation: [none; MAX_POINTS],
                mass: [none; MAX_POINTS],
                lever: [none; MAX_POINTS],
                total: [ZERO; MAX_POINTS],
            },
            tangent_total: [ZERO; 2],
            fast: none,
            rolling: Rolling {
                length: ZERO,
                mass: [ZERO; 6],
                impulse: ZERO3,
            },
            found_at: ZERO3,
        }
    }
}

/// The tangent t in double precision.
#[inline(always)]
fn load_tangent<F: Simd>(tangent: &[Half; 3]) -> V3<F> {
    V3::new(
        F::load_half(&tangent[0]),
        F::load_half(&tangent[1]),
        F::load_half(&tangent[2]),
    )
}

impl ContactBlock {
    /// The numbers of the constraints in its lanes; `u32::MAX` in empty ones.
    pub fn constraints(&self) -> &[u32; WIDTH] {
        &self.members.of
    }

    /// The constraints that will touch as impacts in the next substep, which forgets
    /// them.
    pub fn take_fast(&mut self, found: &mut Vec<u32>) {
        if !self.members.has_fast {
            return;
        }
        self.members.has_fast = false;
        let fast = std::mem::take(&mut self.fast);
        for (of, fast) in self.members.of.into_iter().zip(fast.0) {
            if fast > 0.0 && of != u32::MAX {
                found.push(of);
            }
        }
    }

    /// Multiplies the impulses of each lane with the smaller factor of its bodies.
    pub fn scale_impulses(&mut self, factors: &[f64]) {
        for lane in 0..WIDTH {
            let [a, b] = [&self.members.a, &self.members.b].map(|of| factors[of[lane] as usize]);
            let factor = a.min(b);
            if factor == 1.0 {
                continue;
            }
            let points = self.points.impulse.iter_mut();
            let others = self.pressed.iter_mut().chain(&mut self.tangent_impulse);
            points
                .chain(others)
                .chain([&mut self.twist_impulse])
                .for_each(|of| of.0[lane] *= factor);
            if self.members.has_rolling {
                let r = &mut self.rolling.impulse;
                set(r, lane, get(r, lane) * factor);
            }
        }
    }

    /// What happened in a lane: the impulses to start the next step with, and those of the
    /// whole step on the second body, at every point (the normal part) and at the centre
    /// (the friction).
    pub fn result(&self, lane: usize) -> StepResult {
        let mut result = StepResult::default();
        for k in 0..usize::from(self.members.points_used) {
            result.impulses[k] = self.points.impulse[k].0[lane];
            result.normal[k] = self.points.total[k].0[lane];
        }
        result.acted = self.acted.0[lane] > 0.0;
        let n = get(&self.normal, lane);
        let t = [0, 1, 2].map(|k| f64::from(self.tangent[k].0[lane]));
        let t = DVec3::from_array(t);
        let u = n.cross(t);
        let [x, y] = [0, 1].map(|k| self.tangent_impulse[k].0[lane]);
        result.friction_impulse = t * x + u * y;
        result.twist_impulse = self.twist_impulse.0[lane];
        if self.members.has_rolling {
            let rolling = get(&self.rolling.impulse, lane);
            result.rolling_impulse = n * rolling.x + t * rolling.y + u * rolling.z;
        }
        let [x, y] = [0, 1].map(|k| self.tangent_total[k].0[lane]);
        result.friction = t * x + u * y;
        result
    }

    /// What is summed up over the step.
    pub fn totals(&self) -> ImpulseTotals {
        ImpulseTotals {
            acted: self.acted,
            tangent: self.tangent_total,
            points: self.points.total,
        }
    }

    /// Puts the sums back, after contacts were detected again.
    pub fn set_totals(&mut self, totals: &ImpulseTotals) {
        self.acted = totals.acted;
        self.tangent_total = totals.tangent;
        self.points.total = totals.points;
    }
}

/// What a block sums up over a step.
pub struct ImpulseTotals {
    acted: Half,
    tangent: [Wide; 2],
    points: [Wide; MAX_POINTS],
}
