//! What all blocks of joints share.

use super::JointLink;
use crate::contact::solver::bodies::{SolverBody, WIDTH, Wide, Wide3, WideMass, WideVelocity};
use crate::contact::solver::simd::{Row, Simd};
use conatus_math::lanes::{Lanes, V3};
use conatus_math::{DQuat, DVec3};

pub const ZERO: Wide = Lanes([0.0; WIDTH]);
pub const ZERO3: Wide3 = V3 {
    x: ZERO,
    y: ZERO,
    z: ZERO,
};

/// The bodies as joints see them.
#[derive(Clone, Copy, Debug)]
pub struct JointBodies<'a> {
    /// Velocities; body 0 never moves.
    pub moving: &'a [SolverBody],
    /// Inverse masses, and inverse inertias in the present orientations.
    pub masses: &'a [Row],
    /// Positions and orientations: x, y, z of the centre, x, y, z, w of the quaternion.
    pub poses: &'a [Row],
}

impl JointBodies<'_> {
    /// The centre of mass and the orientation of a body.
    pub fn pose(&self, body: u32) -> (DVec3, DQuat) {
        let [x, y, z, i, j, k, w, _] = self.poses[body as usize].0;
        (DVec3::new(x, y, z), DQuat::from_xyzw(i, j, k, w))
    }
}

/// Which joints are in the lanes of a block, and their bodies.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct JointMembers {
    /// The solver's numbers of the bodies.
    pub bodies: [[u32; WIDTH]; 2],
    /// The lanes whose bodies impulses can move, as bits.
    pub moved: [u8; 2],
    /// The numbers of the links; `u32::MAX` in empty lanes.
    pub of: [u32; WIDTH],
}

impl JointMembers {
    pub const NONE: Self = Self {
        bodies: [[0; WIDTH]; 2],
        moved: [0; 2],
        of: [u32::MAX; WIDTH],
    };

    /// Takes a link into a lane.
    pub fn take(&mut self, lane: usize, index: u32, link: &JointLink) {
        self.of[lane] = index;
        for side in 0..2 {
            self.bodies[side][lane] = link.bodies[side];
            self.moved[side] |= u8::from(link.moved[side] != 0) << lane;
        }
    }

    /// The lanes that hold links, with the numbers of these.
    pub fn links(&self) -> impl Iterator<Item = (usize, u32)> {
        let used = self.of.into_iter().enumerate();
        used.filter(|(_, index)| *index != u32::MAX)
    }

    /// The smaller factor of the two bodies of a lane.
    pub fn factor(&self, lane: usize, factors: &[f64]) -> f64 {
        let [a, b] = [0, 1].map(|side| factors[self.bodies[side][lane] as usize]);
        a.min(b)
    }

    #[inline(always)]
    pub fn masses<F: Simd>(&self, bodies: &JointBodies) -> [WideMass<F>; 2] {
        [
            WideMass::gather(bodies.masses, &self.bodies[0]),
            WideMass::gather(bodies.masses, &self.bodies[1]),
        ]
    }

    #[inline(always)]
    pub fn velocities<F: Simd>(&self, bodies: &JointBodies) -> [WideVelocity<F>; 2] {
        [
            WideVelocity::gather(bodies.moving, &self.bodies[0]),
            WideVelocity::gather(bodies.moving, &self.bodies[1]),
        ]
    }

    #[inline(always)]
    pub fn write<F: Simd>(&self, bodies: &JointBodies, velocities: &[WideVelocity<F>; 2]) {
        velocities[0].scatter(bodies.moving, &self.bodies[0], self.moved[0]);
        velocities[1].scatter(bodies.moving, &self.bodies[1], self.moved[1]);
    }
}

/// 1/x, or 0 where x is not positive.
#[inline(always)]
pub fn inverse<F: Simd>(x: F) -> F {
    let (zero, one) = (F::splat(0.0), F::splat(1.0));
    x.above(zero, one / x.above(zero, x, one), zero)
}
