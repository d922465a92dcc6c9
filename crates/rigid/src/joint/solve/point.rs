//! Blocks of joints that hold two points together: ball joints without limits.
//!
//! With the arms r_a and r_b of the second anchor, the gap g changes at
//! u = v_b + ω_b × r_b − v_a − ω_a × r_a, and an impulse J there changes that by K J,
//!
//!   K = (1/m_a + 1/m_b) 1 − [r_a] I_a⁻¹ [r_a] − [r_b] I_b⁻¹ [r_b].
//!
//! All vectors are in the axes of the world.

use super::block::{JointBodies, JointMembers, ZERO, ZERO3, inverse};
use super::{JointLink, JointSettings, JointStage, LinkLoad};
use crate::contact::solver::bodies::{WIDTH, Wide, Wide3, WideMass, WideVelocity, get, set};
use crate::contact::solver::simd::{Row, Simd, shortening};
use crate::joint::Joint;
use conatus_math::DVec3;
use conatus_math::lanes::V3;

/// Up to [`WIDTH`] joints that share no moving body.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct PointBlock {
    members: JointMembers,
    /// The anchors in the axes of the bodies, from their centres of mass.
    anchors: [Wide3; 2],
    /// From the centres of mass to the second anchor, in the world.
    arms: [Wide3; 2],
    /// From the first anchor to the second.
    gap: Wide3,
    /// K⁻¹: xx, yy, zz, xy, xz, yz.
    inverse: [Wide; 6],
    impulse: Wide3,
    /// The sum of the impulses of the step.
    total: Wide3,
    /// The square of the largest gap of the step.
    worst: Wide,
}

impl PointBlock {
    /// A block without joints.
    pub const EMPTY: Self = Self {
        members: JointMembers::NONE,
        anchors: [ZERO3; 2],
        arms: [ZERO3; 2],
        gap: ZERO3,
        inverse: [ZERO; 6],
        impulse: ZERO3,
        total: ZERO3,
        worst: ZERO,
    };

    /// Takes links in place of others.
    pub fn fill(&mut self, indices: &[u32], links: &[JointLink], joints: &[Joint]) {
        *self = Self::EMPTY;
        for (lane, &index) in indices.iter().enumerate().take(WIDTH) {
            let link = &links[index as usize];
            self.members.take(lane, index, link);
            for side in 0..2 {
                set(&mut self.anchors[side], lane, link.frames[side].translation);
            }
            let [x, y, z, ..] = joints[link.joint as usize].impulses.locked;
            set(&mut self.impulse, lane, DVec3::new(x, y, z));
        }
    }

    /// Hands out impulses and loads.
    pub fn store(&self, links: &[JointLink], joints: &mut [Joint], loads: &mut [LinkLoad]) {
        for (lane, index) in self.members.links() {
            let link = &links[index as usize];
            let impulse = get(&self.impulse, lane).to_array();
            joints[link.joint as usize].impulses.locked[..3].copy_from_slice(&impulse);
            loads[index as usize] = LinkLoad {
                impulses: [get(&self.total, lane), DVec3::ZERO],
                errors: [self.worst.0[lane].sqrt(), 0.0],
            };
        }
    }

    /// Multiplies the impulse of each lane with the factor of its bodies.
    pub fn scale_impulses(&mut self, factors: &[f64]) {
        for lane in 0..WIDTH {
            let factor = self.members.factor(lane, factors);
            if factor != 1.0 {
                let impulse = get(&self.impulse, lane) * factor;
                set(&mut self.impulse, lane, impulse);
            }
        }
    }

    /// Does what a stage asks for.
    #[inline(always)]
    pub fn run<F: Simd>(
        &mut self,
        bodies: &JointBodies,
        settings: &JointSettings,
        stage: JointStage,
    ) {
        match stage {
            JointStage::Prepare => {
                let masses = self.members.masses::<F>(bodies);
                self.prepare::<F>(bodies, &masses);
            }
            JointStage::StartMotors => {}
            JointStage::WarmStart => {
                let masses = self.members.masses::<F>(bodies);
                let mut velocities = self.members.velocities::<F>(bodies);
                let arms = [F::load3(&self.arms[0]), F::load3(&self.arms[1])];
                let impulse = F::load3(&self.impulse);
                self.push(bodies, &masses, &mut velocities, &arms, impulse);
            }
            JointStage::Solve => {
                let masses = self.members.masses::<F>(bodies);
                self.solve::<F, true>(bodies, &masses, settings);
            }
            JointStage::Relax => {
                let masses = self.members.masses::<F>(bodies);
                self.prepare::<F>(bodies, &masses);
                self.solve::<F, false>(bodies, &masses, settings);
            }
        }
    }

    #[inline(always)]
    fn push<F: Simd>(
        &self,
        bodies: &JointBodies,
        masses: &[WideMass<F>; 2],
        velocities: &mut [WideVelocity<F>; 2],
        arms: &[V3<F>; 2],
        impulse: V3<F>,
    ) {
        velocities[0].pull(&masses[0], impulse, arms[0].cross(impulse));
        velocities[1].push(&masses[1], impulse, arms[1].cross(impulse));
        self.members.write(bodies, velocities);
    }

    #[inline(always)]
    fn solve<F: Simd, const BIAS: bool>(
        &mut self,
        bodies: &JointBodies,
        masses: &[WideMass<F>; 2],
        settings: &JointSettings,
    ) {
        let mut velocities = self.members.velocities::<F>(bodies);
        let arms = [F::load3(&self.arms[0]), F::load3(&self.arms[1])];
        let mut u = velocities[1].at(arms[1]) - velocities[0].at(arms[0]);
        if BIAS {
            let closing = F::load3(&self.gap) * F::splat(settings.soft.bias_rate);
            let most = F::splat(settings.max_push_speed);
            u = u + closing * shortening(closing.dot(closing), most);
        }
        let m = &self.inverse;
        let (xx, yy, zz) = (F::load(&m[0]), F::load(&m[1]), F::load(&m[2]));
        let (xy, xz, yz) = (F::load(&m[3]), F::load(&m[4]), F::load(&m[5]));
        let x = V3::new(
            xx * u.x + xy * u.y + xz * u.z,
            xy * u.x + yy * u.y + yz * u.z,
            xz * u.x + yz * u.y + zz * u.z,
        );
        let old = F::load3(&self.impulse);
        let change = if BIAS {
            let soft = &settings.soft;
            x * F::splat(-soft.mass_scale) - old * F::splat(soft.impulse_scale)
        } else {
            x * F::splat(-1.0)
        };
        let new = old + change;
        F::store3(new, &mut self.impulse);
        if !BIAS {
            F::store3(F::load3(&self.total) + new, &mut self.total);
        }
        self.push(bodies, masses, &mut velocities, &arms, change);
    }

    /// Finds gaps, arms and K⁻¹ at the present positions.
    #[inline(always)]
    fn prepare<F: Simd>(&mut self, bodies: &JointBodies, masses: &[WideMass<F>; 2]) {
        let (centre_a, turned_a) = placed::<F>(bodies, &self.members.bodies[0], &self.anchors[0]);
        let (centre_b, second) = placed::<F>(bodies, &self.members.bodies[1], &self.anchors[1]);
        // Both impulses act at the second anchor, so that they have no torque together.
        let first = centre_b - centre_a + second;
        let gap = first - turned_a;
        F::store3(first, &mut self.arms[0]);
        F::store3(second, &mut self.arms[1]);
        F::store3(gap, &mut self.gap);
        F::load(&self.worst)
            .max(gap.dot(gap))
            .store(&mut self.worst);
        let (a, b) = (response(&masses[0], first), response(&masses[1], second));
        let straight = masses[0].inverse_mass + masses[1].inverse_mass;
        let (xx, yy, zz) = (
            straight + (a[0] + b[0]),
            straight + (a[1] + b[1]),
            straight + (a[2] + b[2]),
        );
        let (xy, xz, yz) = (a[3] + b[3], a[4] + b[4], a[5] + b[5]);
        let (x, y, z) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
        let det = inverse(xx * x + xy * y + xz * z);
        (x * det).store(&mut self.inverse[0]);
        ((xx * zz - xz * xz) * det).store(&mut self.inverse[1]);
        ((xx * yy - xy * xy) * det).store(&mut self.inverse[2]);
        (y * det).store(&mut self.inverse[3]);
        (z * det).store(&mut self.inverse[4]);
        ((xy * xz - xx * yz) * det).store(&mut self.inverse[5]);
    }
}

/// The centres of bodies, and points of them in the axes of the world from there.
#[inline(always)]
fn placed<F: Simd>(bodies: &JointBodies, of: &[u32; WIDTH], local: &Wide3) -> (V3<F>, V3<F>) {
    let mut rows: [*const Row; WIDTH] = [std::ptr::null(); WIDTH];
    for lane in 0..WIDTH {
        rows[lane] = &raw const bodies.poses[of[lane] as usize];
    }
    // SAFETY: references to rows that do not change.
    let [x, y, z, i, j, k, w, _] = unsafe { F::lanes(rows) };
    let axis = V3::new(i, j, k);
    let local = F::load3(local);
    let across = axis.cross(local) * F::splat(2.0);
    let turned = local + across * w + axis.cross(across);
    (V3::new(x, y, z), turned)
}

/// −[r] I⁻¹ [r]: xx, yy, zz, xy, xz, yz.
#[inline(always)]
fn response<F: Simd>(mass: &WideMass<F>, r: V3<F>) -> [F; 6] {
    let [ixx, iyy, izz] = mass.inverse_inertia.diagonal;
    let [ixy, ixz, iyz] = mass.inverse_inertia.off;
    let columns = [
        V3::new(ixx, ixy, ixz),
        V3::new(ixy, iyy, iyz),
        V3::new(ixz, iyz, izz),
    ];
    // I⁻¹ (r × e) for the three axes.
    let x = columns[1] * r.z - columns[2] * r.y;
    let y = columns[2] * r.x - columns[0] * r.z;
    let z = columns[0] * r.y - columns[1] * r.x;
    [
        r.z * x.y - r.y * x.z,
        r.x * y.z - r.z * y.x,
        r.y * z.x - r.x * z.y,
        r.z * y.y - r.y * y.z,
        r.z * z.y - r.y * z.z,
        r.x * z.z - r.z * z.x,
    ]
}
