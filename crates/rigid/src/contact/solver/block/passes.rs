//! The passes of the solver over a block.

#![expect(
    clippy::needless_range_loop,
    reason = "closures of iterators would be compiled without the width of the caller"
)]

use super::mobility::Mobility;
use super::{ContactBlock, load_tangent};
use crate::contact::solver::bodies::{SolverBody, WIDTH, WideMass, WideMotion, WideVelocity};
use crate::contact::solver::constraint::SubstepSettings;
use crate::contact::solver::simd::{Row, Simd, shortening};
use conatus_math::lanes::V3;

/// The part of a block that every pass reads.
const PREFETCHED_BYTES: usize = std::mem::offset_of!(ContactBlock, fast);

/// The bodies as passes see them.
#[derive(Clone, Copy, Debug)]
pub struct SolverBodies<'a> {
    /// Velocities and displacements; body 0 never moves.
    pub moving: &'a [SolverBody],
    /// Inverse masses and inertias.
    pub masses: &'a [Row],
}

#[inline(always)]
fn pick<F: Simd>(is_stiff: F, half: F, soft: f64, stiff: f64) -> F {
    is_stiff.above(half, F::splat(stiff), F::splat(soft))
}

/// What belongs to the two bodies of each lane.
struct Sides<F> {
    velocities: [WideVelocity<F>; 2],
    masses: [WideMass<F>; 2],
    motions: [WideMotion<F>; 2],
    /// How far the second body has moved against the first.
    moved: V3<F>,
    /// Their arms to the centre of the points. Both impulses act at one point, wherever
    /// the bodies have moved.
    arms: [V3<F>; 2],
}

impl ContactBlock {
    /// Fetches the block, which is longer than what processors fetch by themselves.
    #[inline(always)]
    pub fn prefetch<F: Simd>(&self) {
        let start = std::ptr::from_ref(self).cast::<u8>();
        for line in (0..PREFETCHED_BYTES).step_by(64) {
            F::prefetch(start.wrapping_add(line));
        }
    }

    /// Fetches the bodies of the block: scattered lines, whose latency would take longer
    /// than the arithmetic.
    #[inline(always)]
    pub fn prefetch_bodies<F: Simd>(&self, bodies: &SolverBodies) {
        for of in [&self.members.a, &self.members.b] {
            for lane in 0..WIDTH {
                let k = of[lane] as usize;
                let (Some(body), Some(mass)) = (bodies.moving.get(k), bodies.masses.get(k)) else {
                    continue;
                };
                F::prefetch(body.velocity_row());
                F::prefetch(body.motion_row());
                F::prefetch(mass);
            }
        }
    }

    #[inline(always)]
    fn sides<F: Simd>(&self, bodies: &SolverBodies) -> Sides<F> {
        let motions = [
            WideMotion::gather(bodies.moving, &self.members.a),
            WideMotion::gather(bodies.moving, &self.members.b),
        ];
        let moved = motions[1].shift - motions[0].shift;
        let mut since = moved;
        if self.members.found_later {
            since = since - F::load3(&self.found_at);
        }
        let first = F::load3(&self.arm) + since * F::load_half(&self.share);
        Sides {
            velocities: [
                WideVelocity::gather(bodies.moving, &self.members.a),
                WideVelocity::gather(bodies.moving, &self.members.b),
            ],
            masses: [
                WideMass::gather(bodies.masses, &self.members.a),
                WideMass::gather(bodies.masses, &self.members.b),
            ],
            motions,
            moved,
            arms: [first, first + F::load3(&self.between) - since],
        }
    }

    /// Applies an impulse at the centre and a torque, on the second body, and the
    /// opposites on the first.
    #[inline(always)]
    fn apply<F: Simd>(
        &self,
        bodies: &SolverBodies,
        sides: &mut Sides<F>,
        impulse: V3<F>,
        torque: V3<F>,
    ) {
        let Sides {
            velocities,
            masses,
            arms,
            ..
        } = sides;
        velocities[0].pull(&masses[0], impulse, arms[0].cross(impulse) + torque);
        velocities[1].push(&masses[1], impulse, arms[1].cross(impulse) + torque);
        let members = &self.members;
        velocities[0].scatter(bodies.moving, &members.a, members.moved[0]);
        velocities[1].scatter(bodies.moving, &members.b, members.moved[1]);
    }

    /// Applies the impulses of the last substep.
    #[inline(always)]
    pub fn warm_start<F: Simd>(&self, bodies: &SolverBodies) {
        let mut sides = self.sides::<F>(bodies);
        let (n, t) = (F::load3(&self.normal), load_tangent(&self.tangent));
        let u = n.cross(t);
        let (sum, along_t, along_u) = (
            F::load(&self.pressed[0]),
            F::load(&self.pressed[1]),
            F::load(&self.pressed[2]),
        );
        let (friction_t, friction_u) = (
            F::load(&self.tangent_impulse[0]),
            F::load(&self.tangent_impulse[1]),
        );
        let impulse = n * sum + t * friction_t + u * friction_u;
        let mut torque = t * along_t + u * along_u + n * F::load(&self.twist_impulse);
        if self.members.has_rolling {
            let r = F::load3(&self.rolling.impulse);
            torque = torque + n * r.x + t * r.y + u * r.z;
        }
        self.apply::<F>(bodies, &mut sides, impulse, torque);
    }

    /// One pass over the constraints of the block; with bias overlaps are pushed out.
    #[inline(always)]
    pub fn solve<F: Simd, const BIAS: bool>(
        &mut self,
        bodies: &SolverBodies,
        settings: &SubstepSettings,
    ) {
        let (zero, one) = (F::splat(0.0), F::splat(1.0));
        let mut sides = self.sides::<F>(bodies);
        let (n, t) = (F::load3(&self.normal), load_tangent(&self.tangent));
        let u = n.cross(t);
        let inverse_h = F::splat(settings.inverse_h);
        let slowest = F::splat(-settings.max_push_speed);
        let (soft, stiff) = (&settings.soft, &settings.soft_static);
        let (is_stiff, half) = (F::load_half(&self.stiff), F::splat(0.5));
        let bias_rate = pick(is_stiff, half, soft.bias_rate, stiff.bias_rate);
        let soft_mass = pick(is_stiff, half, soft.mass_scale, stiff.mass_scale);
        let soft_impulse = pick(is_stiff, half, soft.impulse_scale, stiff.impulse_scale);

        // How far the centres of the points have moved along the normal, to first order
        // in the turns: the point of a ball that rolls does not turn with it, and
        // second-order terms would lift it. Likewise the turn in the frame.
        let [motion_a, motion_b] = &sides.motions;
        let arm = F::load3(&self.arm);
        let opened = n.dot(sides.moved)
            + motion_b.turn.dot((arm + F::load3(&self.between)).cross(n))
            - motion_a.turn.dot(arm.cross(n));
        let turned = motion_b.turn - motion_a.turn;
        let (turned_t, turned_u) = (turned.dot(t), turned.dot(u));

        let [velocity_a, velocity_b] = &sides.velocities;
        let v = velocity_b.at(sides.arms[1]) - velocity_a.at(sides.arms[0]);
        let w = velocity_b.angular - velocity_a.angular;
        let (mut vn, mut vt, mut vu) = (n.dot(v), t.dot(v), u.dot(v));
        let (mut wn, mut wt, mut wu) = (n.dot(w), t.dot(w), u.dot(w));

        let m = Mobility::new(&[n, t, u], &sides.masses, &sides.arms);
        let (ann, bnt, bnu) = (m.normal[0], m.mixed[0][1], m.mixed[0][2]);
        let (ctt, ctu, cuu) = (m.spin[1][1], m.spin[1][2], m.spin[2][2]);
        let fast_limit = -F::load_half(&self.impact_speed);
        let (mut sum, mut levers) = (zero, zero);
        let (mut pressed_t, mut pressed_u) = (zero, zero);
        // The changes of the normal impulses: force, torque along t and u.
        let (mut force, mut torque_t, mut torque_u) = (zero, zero, zero);
        let mut fast = zero;
        let points = &mut self.points;
        for k in 0..usize::from(self.members.points_used) {
            let x = F::load_half(&points.along[k][0]);
            let y = F::load_half(&points.along[k][1]);
            let s = F::load_half(&points.separation[k]) + opened + y * turned_t - x * turned_u;
            // Apart: the gap may close within the substep, and no more.
            let apart = s * inverse_h;
            let speed = vn + y * wt - x * wu;
            let old = F::load(&points.impulse[k]);
            let mass = F::load_half(&points.mass[k]);
            let change = if BIAS {
                let pushed = (s * bias_rate).max(slowest);
                let bias = s.above(zero, apart, pushed);
                let mass_scale = s.above(zero, one, soft_mass);
                let impulse_scale = s.above(zero, zero, soft_impulse);
                -(mass * mass_scale * (speed + bias)) - impulse_scale * old
            } else {
                -(mass * (speed + s.above(zero, apart, zero)))
            };
            let new = (old + change).max(zero);
            // What closes in fast and holds nothing is left to the impacts of the next
            // substep, if it does not overlap yet; those of this one are done.
            let slow = speed.above(fast_limit, new, old);
            let slow = old.above(zero, new, slow);
            let new = if BIAS { s.above(zero, slow, new) } else { slow };
            if !BIAS {
                let near = (speed + apart).above(zero, zero, one);
                fast = fast.max(speed.above(fast_limit, zero, near));
                (F::load(&points.total[k]) + new).store(&mut points.total[k]);
                pressed_t = pressed_t + new * y;
                pressed_u = pressed_u - new * x;
            }
            let j = new - old;
            new.store(&mut points.impulse[k]);
            sum = sum + new;
            levers = levers + new * F::load_half(&points.lever[k]);
            let (jt, ju) = (j * y, -(j * x));
            vn = vn + (ann * j + bnt * jt + bnu * ju);
            wt = wt + (bnt * j + ctt * jt + ctu * ju);
            wu = wu + (bnu * j + ctu * jt + cuu * ju);
            force = force + j;
            torque_t = torque_t + jt;
            torque_u = torque_u + ju;
        }
        if sum.any_above(zero) {
            let acted = F::load_half(&self.acted);
            sum.above(zero, one, acted).store_half(&mut self.acted);
        }
        if !BIAS {
            sum.store(&mut self.pressed[0]);
            pressed_t.store(&mut self.pressed[1]);
            pressed_u.store(&mut self.pressed[2]);
            if fast.any_above(zero) {
                F::load_half(&self.fast)
                    .max(fast)
                    .store_half(&mut self.fast);
                self.members.has_fast = true;
            }
        }
        let [[bnn, ..], [btn, btt, btu], [bun, but, buu]] = m.mixed;
        let [cnn, cnt, cnu] = m.spin[0];
        vt = vt + (m.normal[1] * force + btt * torque_t + btu * torque_u);
        vu = vu + (m.normal[2] * force + but * torque_t + buu * torque_u);
        wn = wn + (bnn * force + cnt * torque_t + cnu * torque_u);
        let mut torque_n = zero;
        if self.members.has_rolling {
            let r = &mut self.rolling;
            let (nn, tt, uu, nt, nu, tu) = (
                F::load(&r.mass[0]),
                F::load(&r.mass[1]),
                F::load(&r.mass[2]),
                F::load(&r.mass[3]),
                F::load(&r.mass[4]),
                F::load(&r.mass[5]),
            );
            let old = F::load3(&r.impulse);
            let new = V3::new(
                old.x - (nn * wn + nt * wt + nu * wu),
                old.y - (nt * wn + tt * wt + tu * wu),
                old.z - (nu * wn + tu * wt + uu * wu),
            );
            let new = new * shortening(new.dot(new), F::load(&r.length) * sum);
            F::store3(new, &mut r.impulse);
            let j = new - old;
            vt = vt + (btn * j.x + btt * j.y + btu * j.z);
            vu = vu + (bun * j.x + but * j.y + buu * j.z);
            wn = wn + (cnn * j.x + cnt * j.y + cnu * j.z);
            torque_n = torque_n + j.x;
            torque_t = torque_t + j.y;
            torque_u = torque_u + j.z;
        }
        // Torsion.
        let friction = F::load_half(&self.friction);
        let bound = friction * levers;
        let old = F::load(&self.twist_impulse);
        let new = (old - F::load_half(&self.twist_mass) * wn)
            .max(-bound)
            .min(bound);
        new.store(&mut self.twist_impulse);
        let j = new - old;
        vt = vt + btn * j;
        vu = vu + bun * j;
        torque_n = torque_n + j;
        // Friction.
        let (mtt, mtu, muu) = (
            F::load_half(&self.tangent_mass[0]),
            F::load_half(&self.tangent_mass[1]),
            F::load_half(&self.tangent_mass[2]),
        );
        let (old_t, old_u) = (
            F::load(&self.tangent_impulse[0]),
            F::load(&self.tangent_impulse[1]),
        );
        let mut new_t = old_t - (mtt * vt + mtu * vu);
        let mut new_u = old_u - (mtu * vt + muu * vu);
        let bound = friction * sum;
        let square = new_t * new_t + new_u * new_u;
        if square.any_above(bound * bound) {
            let scale = shortening(square, bound);
            new_t = new_t * scale;
            new_u = new_u * scale;
        }
        new_t.store(&mut self.tangent_impulse[0]);
        new_u.store(&mut self.tangent_impulse[1]);
        if !BIAS {
            let [total_t, total_u] = &mut self.tangent_total;
            (F::load(total_t) + new_t).store(total_t);
            (F::load(total_u) + new_u).store(total_u);
        }
        let impulse = n * force + t * (new_t - old_t) + u * (new_u - old_u);
        let torque = n * torque_n + t * torque_t + u * torque_u;
        self.apply::<F>(bodies, &mut sides, impulse, torque);
    }
}
