//! Blocks of joints with any coordinates: up to six rows, locked ones first.
//!
//! With the rows J of the joint, the velocities u = J v of its coordinates respond to
//! impulses λ along them by A = J M⁻¹ Jᵀ. The rows of locked coordinates, L, are solved
//! together by the Cholesky factor C of A_LL. The springs, motors and limits of the
//! driven rows, D, are solved one after another while the locked rows hold: an impulse
//! λ_D takes with it λ_L = −A_LL⁻¹ A_LD λ_D, and the driven rows respond by the Schur
//! complement
//!
//!   S = A_DD − A_DL A_LL⁻¹ A_LD.
//!
//! A Cholesky factorisation of A that stops after L rows gives all of them: A_LL = C Cᵀ,
//! the rows E of the driven coordinates with A_DL = E Cᵀ, and S. So a pass reads the
//! velocities of the bodies once, solves in the coordinates of the joint, and writes once.

use super::block::{JointBodies, JointMembers, ZERO, ZERO3, inverse};
use super::coordinates::{JointPlace, JointRows, NO_LIMIT};
use super::{JointLink, JointSettings, LinkLoad, MAX_ROWS};
use crate::contact::solver::bodies::{WIDTH, Wide, Wide3, WideMass, get, set};
use crate::contact::solver::simd::Simd;
use crate::joint::Joint;
use conatus_math::Pose;
use conatus_math::lanes::{Lanes, V3};

mod passes;

/// Rows that depend on others up to this share of their own size do nothing.
const DEPENDENT: f64 = 1e-10;

/// One row in every lane.
#[derive(Clone, Copy, Debug)]
struct WideRow {
    direction: Wide3,
    angular: [Wide3; 2],
    /// 1 in the lanes of rotations.
    turns: Wide,
    /// Of locked coordinates.
    error: Wide,
    impulse: Wide,
    /// 1/C_kk of locked coordinates, 0 where the row depends on others.
    inverse: Wide,
    drive: WideDrive,
}

/// What drives a coordinate, in every lane.
#[derive(Clone, Copy, Debug)]
struct WideDrive {
    spring_gamma: Wide,
    spring_bias: Wide,
    motor_speed: Wide,
    motor_most: Wide,
    gaps: [Wide; 2],
    /// The impulses of the spring, the motor, and the lower and upper limit.
    spring: Wide,
    motor: Wide,
    limits: [Wide; 2],
}

/// Up to [`WIDTH`] joints that share no moving body, with equally many locked and equally
/// many driven coordinates.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct RowBlock {
    members: JointMembers,
    /// The number of each row's coordinate, in each lane.
    slots: [[u8; MAX_ROWS]; WIDTH],
    locked: usize,
    count: usize,
    has_motors: bool,
    rows: [WideRow; MAX_ROWS],
    /// The lower triangles of C and S, and E.
    factor: [Wide; MAX_ROWS * (MAX_ROWS + 1) / 2],
    /// The sums of impulses and of angular impulses of the step.
    totals: [Wide3; 2],
    /// The largest errors of the step: translation and rotation.
    worst: [Wide; 2],
    frames: [[Pose; WIDTH]; 2],
}

/// Where a number of a lower triangle is.
#[inline(always)]
const fn at(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

impl RowBlock {
    /// A block without joints.
    pub const EMPTY: Self = {
        let drive = WideDrive {
            spring_gamma: ZERO,
            spring_bias: ZERO,
            motor_speed: ZERO,
            motor_most: ZERO,
            gaps: [Lanes([NO_LIMIT; WIDTH]); 2],
            spring: ZERO,
            motor: ZERO,
            limits: [ZERO; 2],
        };
        let row = WideRow {
            direction: ZERO3,
            angular: [ZERO3; 2],
            turns: ZERO,
            error: ZERO,
            impulse: ZERO,
            inverse: ZERO,
            drive,
        };
        Self {
            members: JointMembers::NONE,
            slots: [[0; MAX_ROWS]; WIDTH],
            locked: 0,
            count: 0,
            has_motors: false,
            rows: [row; MAX_ROWS],
            factor: [ZERO; MAX_ROWS * (MAX_ROWS + 1) / 2],
            totals: [ZERO3; 2],
            worst: [ZERO; 2],
            frames: [[Pose::IDENTITY; WIDTH]; 2],
        }
    };

    /// Takes links in place of others. All have the same structure.
    pub fn fill(
        &mut self,
        indices: &[u32],
        links: &[JointLink],
        joints: &[Joint],
        bodies: &JointBodies,
        settings: &JointSettings,
    ) {
        *self = Self::EMPTY;
        for (lane, &index) in indices.iter().enumerate().take(WIDTH) {
            let link = &links[index as usize];
            self.members.take(lane, index, link);
            for side in 0..2 {
                self.frames[side][lane] = link.frames[side];
            }
            let joint = &joints[link.joint as usize];
            let rows = self.place(lane, joint, bodies, settings);
            (self.locked, self.count) = (rows.locked, rows.count);
            let stored = &joint.impulses;
            for (k, row) in rows.rows[..rows.count].iter().enumerate() {
                let (own, slot) = (&mut self.rows[k], row.slot);
                self.slots[lane][k] = slot as u8;
                if k < rows.locked {
                    own.impulse.0[lane] = stored.locked[slot];
                    continue;
                }
                let most = rows.drives[k].motor_most;
                self.has_motors |= most > 0.0;
                let drive = &mut own.drive;
                let sprung = rows.drives[k].spring_gamma > 0.0;
                drive.spring.0[lane] = if sprung { stored.spring[slot] } else { 0.0 };
                drive.motor.0[lane] = stored.motor[slot].clamp(-most, most);
                let [low, high] = rows.drives[k].gaps;
                let limit =
                    |gap: f64, stored: f64| if gap < NO_LIMIT { stored.max(0.0) } else { 0.0 };
                drive.limits[0].0[lane] = limit(low, stored.lower[slot]);
                drive.limits[1].0[lane] = limit(high, stored.upper[slot]);
            }
        }
    }

    /// Hands out impulses and loads.
    pub fn store(&self, links: &[JointLink], joints: &mut [Joint], loads: &mut [LinkLoad]) {
        for (lane, index) in self.members.links() {
            let stored = &mut joints[links[index as usize].joint as usize].impulses;
            for (k, row) in self.rows[..self.count].iter().enumerate() {
                let slot = usize::from(self.slots[lane][k]);
                if k < self.locked {
                    stored.locked[slot] = row.impulse.0[lane];
                    continue;
                }
                stored.spring[slot] = row.drive.spring.0[lane];
                stored.motor[slot] = row.drive.motor.0[lane];
                stored.lower[slot] = row.drive.limits[0].0[lane];
                stored.upper[slot] = row.drive.limits[1].0[lane];
            }
            loads[index as usize] = LinkLoad {
                impulses: [get(&self.totals[0], lane), get(&self.totals[1], lane)],
                errors: [self.worst[0].0[lane], self.worst[1].0[lane]],
            };
        }
    }

    /// Finds the rows of all lanes at the present positions.
    pub fn place_all(
        &mut self,
        links: &[JointLink],
        joints: &[Joint],
        bodies: &JointBodies,
        settings: &JointSettings,
    ) {
        for lane in 0..WIDTH {
            let index = self.members.of[lane];
            if index != u32::MAX {
                let joint = &joints[links[index as usize].joint as usize];
                self.place(lane, joint, bodies, settings);
            }
        }
    }

    /// Finds the rows of a lane.
    fn place(
        &mut self,
        lane: usize,
        joint: &Joint,
        bodies: &JointBodies,
        settings: &JointSettings,
    ) -> JointRows {
        let poses = [0, 1].map(|side| {
            let (centre, turn) = bodies.pose(self.members.bodies[side][lane]);
            Pose::new(turn, centre)
        });
        let place = JointPlace {
            frames: [0, 1].map(|side| poses[side].after(&self.frames[side][lane])),
            centres: poses.map(|pose| pose.translation),
        };
        let rows = JointRows::of(joint, &place, settings);
        for (k, row) in rows.rows[..rows.count].iter().enumerate() {
            let own = &mut self.rows[k];
            set(&mut own.direction, lane, row.direction);
            set(&mut own.angular[0], lane, row.angular[0]);
            set(&mut own.angular[1], lane, row.angular[1]);
            own.turns.0[lane] = f64::from(u8::from(row.direction == conatus_math::DVec3::ZERO));
            own.error.0[lane] = row.error;
            let (drive, found) = (&mut own.drive, &rows.drives[k]);
            drive.spring_gamma.0[lane] = found.spring_gamma;
            drive.spring_bias.0[lane] = found.spring_bias;
            drive.motor_speed.0[lane] = found.motor_speed;
            drive.motor_most.0[lane] = found.motor_most;
            drive.gaps[0].0[lane] = found.gaps[0];
            drive.gaps[1].0[lane] = found.gaps[1];
        }
        for (worst, error) in self.worst.iter_mut().zip(rows.errors) {
            worst.0[lane] = worst.0[lane].max(error);
        }
        rows
    }

    /// Computes C, E and S.
    #[inline(always)]
    pub fn factorise<F: Simd>(&mut self, bodies: &JointBodies) {
        let zero = F::splat(0.0);
        let masses: [WideMass<F>; 2] = self.members.masses(bodies);
        let straight = masses[0].inverse_mass + masses[1].inverse_mass;
        for i in 0..self.count {
            let row = &self.rows[i];
            let direction = F::load3(&row.direction) * straight;
            let first = masses[0].inverse_inertia.times(F::load3(&row.angular[0]));
            let second = masses[1].inverse_inertia.times(F::load3(&row.angular[1]));
            for j in 0..=i {
                let other = &self.rows[j];
                let own = direction.dot(F::load3(&other.direction))
                    + first.dot(F::load3(&other.angular[0]))
                    + second.dot(F::load3(&other.angular[1]));
                let mut sum = own;
                for k in 0..j.min(self.locked) {
                    let product = F::load(&self.factor[at(i, k)]) * F::load(&self.factor[at(j, k)]);
                    sum = sum - product;
                }
                if i == j {
                    let least = own * F::splat(DEPENDENT);
                    let kept = sum.above(least, sum, zero);
                    if i < self.locked {
                        let root = kept.sqrt();
                        root.store(&mut self.factor[at(i, i)]);
                        inverse(root).store(&mut self.rows[i].inverse);
                    } else {
                        kept.store(&mut self.factor[at(i, i)]);
                    }
                } else if j < self.locked {
                    (sum * F::load(&self.rows[j].inverse)).store(&mut self.factor[at(i, j)]);
                } else {
                    sum.store(&mut self.factor[at(i, j)]);
                }
            }
        }
    }
}

/// A vector of zeros.
#[inline(always)]
fn zero3<F: Simd>() -> V3<F> {
    let zero = F::splat(0.0);
    V3::new(zero, zero, zero)
}
