//! The passes of the solver over a block of rows.

#![expect(
    clippy::needless_range_loop,
    reason = "closures of iterators would be compiled without the width of the caller"
)]

use super::{RowBlock, WideDrive, at, zero3};
use crate::contact::solver::bodies::{WIDTH, WideVelocity};
use crate::contact::solver::simd::Simd;
use crate::joint::solve::block::{JointBodies, inverse};
use crate::joint::solve::{JointSettings, MAX_ROWS};

impl RowBlock {
    /// Applies the impulses of the last substep, but for those of motors.
    #[inline(always)]
    pub fn warm_start<F: Simd>(&self, bodies: &JointBodies) {
        let mut impulses = [F::splat(0.0); MAX_ROWS];
        for k in 0..self.count {
            impulses[k] = self.held_impulse(k);
        }
        let mut velocities = self.members.velocities(bodies);
        self.push::<F>(bodies, &mut velocities, &impulses);
    }

    /// Applies the impulses of motors of the last substep.
    #[inline(always)]
    pub fn start_motors<F: Simd>(&self, bodies: &JointBodies) {
        if !self.has_motors {
            return;
        }
        let mut impulses = [F::splat(0.0); MAX_ROWS];
        for k in self.locked..self.count {
            impulses[k] = F::load(&self.rows[k].drive.motor);
        }
        let mut velocities = self.members.velocities(bodies);
        self.push::<F>(bodies, &mut velocities, &impulses);
    }

    /// Multiplies the impulses of each lane, but for those of motors, with the factor of
    /// its bodies.
    pub fn scale_impulses(&mut self, factors: &[f64]) {
        for lane in 0..WIDTH {
            let factor = self.members.factor(lane, factors);
            if factor == 1.0 {
                continue;
            }
            for row in &mut self.rows[..self.count] {
                row.impulse.0[lane] *= factor;
                row.drive.spring.0[lane] *= factor;
                row.drive.limits[0].0[lane] *= factor;
                row.drive.limits[1].0[lane] *= factor;
            }
        }
    }

    /// The impulse along a row.
    #[inline(always)]
    fn impulse<F: Simd>(&self, k: usize) -> F {
        let held = self.held_impulse(k);
        if k < self.locked {
            return held;
        }
        held + F::load(&self.rows[k].drive.motor)
    }

    /// The same without that of a motor.
    #[inline(always)]
    fn held_impulse<F: Simd>(&self, k: usize) -> F {
        if k < self.locked {
            return F::load(&self.rows[k].impulse);
        }
        let drive = &self.rows[k].drive;
        F::load(&drive.spring) + F::load(&drive.limits[0]) - F::load(&drive.limits[1])
    }

    /// Applies impulses along the rows.
    #[inline(always)]
    fn push<F: Simd>(
        &self,
        bodies: &JointBodies,
        velocities: &mut [WideVelocity<F>; 2],
        impulses: &[F; MAX_ROWS],
    ) {
        let masses = self.members.masses::<F>(bodies);
        let mut impulse = zero3();
        let mut torques = [zero3(); 2];
        for k in 0..self.count {
            let row = &self.rows[k];
            impulse = impulse + F::load3(&row.direction) * impulses[k];
            torques[0] = torques[0] + F::load3(&row.angular[0]) * impulses[k];
            torques[1] = torques[1] + F::load3(&row.angular[1]) * impulses[k];
        }
        velocities[0].pull(&masses[0], impulse, torques[0]);
        velocities[1].push(&masses[1], impulse, torques[1]);
        self.members.write(bodies, velocities);
    }

    /// One pass over the rows; with bias errors are pushed back.
    #[inline(always)]
    pub fn solve<F: Simd, const BIAS: bool>(
        &mut self,
        bodies: &JointBodies,
        settings: &JointSettings,
    ) {
        let zero = F::splat(0.0);
        let locked = self.locked;
        let mut velocities = self.members.velocities::<F>(bodies);
        let mut speeds = [zero; MAX_ROWS];
        let [a, b] = &velocities;
        let apart = b.linear - a.linear;
        for k in 0..self.count {
            let row = &self.rows[k];
            speeds[k] = F::load3(&row.direction).dot(apart)
                + F::load3(&row.angular[1]).dot(b.angular)
                - F::load3(&row.angular[0]).dot(a.angular);
        }
        let mut changes = [zero; MAX_ROWS];
        let soft = &settings.soft;
        let fastest = F::splat(settings.max_push_speed);
        let fastest_turn = F::splat(settings.max_push_turn);
        for k in 0..locked {
            changes[k] = speeds[k];
            if BIAS {
                let row = &self.rows[k];
                let most = F::load(&row.turns).above(zero, fastest_turn, fastest);
                let closing = F::load(&row.error) * F::splat(soft.bias_rate);
                changes[k] = speeds[k] + closing.min(most).max(-most);
            }
        }
        self.forward(&mut changes);
        self.backward(&mut changes);
        for k in 0..locked {
            changes[k] = if BIAS {
                let old = F::load(&self.rows[k].impulse);
                changes[k] * F::splat(-soft.mass_scale) - old * F::splat(soft.impulse_scale)
            } else {
                -changes[k]
            };
        }
        if locked < self.count {
            self.drive::<F, BIAS>(&mut speeds, &mut changes, settings);
        }
        for k in 0..locked {
            let impulse = &mut self.rows[k].impulse;
            (F::load(impulse) + changes[k]).store(impulse);
        }
        if !BIAS {
            let [mut linear, mut angular] = [F::load3(&self.totals[0]), F::load3(&self.totals[1])];
            for k in 0..self.count {
                let (row, impulse) = (&self.rows[k], self.impulse::<F>(k));
                linear = linear + F::load3(&row.direction) * impulse;
                let turning = impulse * F::load(&row.turns);
                angular = angular + F::load3(&row.angular[1]) * turning;
            }
            F::store3(linear, &mut self.totals[0]);
            F::store3(angular, &mut self.totals[1]);
        }
        self.push::<F>(bodies, &mut velocities, &changes);
    }

    /// x = C⁻¹ x.
    #[inline(always)]
    fn forward<F: Simd>(&self, x: &mut [F; MAX_ROWS]) {
        for i in 0..self.locked {
            for k in 0..i {
                x[i] = x[i] - F::load(&self.factor[at(i, k)]) * x[k];
            }
            x[i] = x[i] * F::load(&self.rows[i].inverse);
        }
    }

    /// x = C⁻ᵀ x.
    #[inline(always)]
    fn backward<F: Simd>(&self, x: &mut [F; MAX_ROWS]) {
        for i in (0..self.locked).rev() {
            for k in i + 1..self.locked {
                x[i] = x[i] - F::load(&self.factor[at(k, i)]) * x[k];
            }
            x[i] = x[i] * F::load(&self.rows[i].inverse);
        }
    }

    /// Springs, motors and limits, while the locked rows hold.
    #[inline(always)]
    fn drive<F: Simd, const BIAS: bool>(
        &mut self,
        speeds: &mut [F; MAX_ROWS],
        changes: &mut [F; MAX_ROWS],
        settings: &JointSettings,
    ) {
        let zero = F::splat(0.0);
        let (locked, count) = (self.locked, self.count);
        let fastest = F::splat(settings.max_push_speed);
        let fastest_turn = F::splat(settings.max_push_turn);
        // What the locked rows did to the driven ones: E Cᵀ λ.
        for i in 0..locked {
            let mut y = zero;
            for k in i..locked {
                y = y + F::load(&self.factor[at(k, i)]) * changes[k];
            }
            for f in locked..count {
                speeds[f] = speeds[f] + F::load(&self.factor[at(f, i)]) * y;
            }
        }
        for f in locked..count {
            let yielding = F::load(&self.factor[at(f, f)]);
            let turns = F::load(&self.rows[f].turns);
            let most = turns.above(zero, fastest_turn, fastest);
            let drive = &mut self.rows[f].drive;
            let change = drive.solve::<F, BIAS>(speeds[f], yielding, most, settings);
            changes[f] = change;
            for g in locked..count {
                let index = if f > g { at(f, g) } else { at(g, f) };
                speeds[g] = speeds[g] + F::load(&self.factor[index]) * change;
            }
        }
        // The locked rows hold: λ_L −= C⁻ᵀ Eᵀ λ_D.
        let mut held = [zero; MAX_ROWS];
        for i in 0..locked {
            for f in locked..count {
                held[i] = held[i] + F::load(&self.factor[at(f, i)]) * changes[f];
            }
        }
        self.backward(&mut held);
        for k in 0..locked {
            changes[k] = changes[k] - held[k];
        }
    }
}

impl WideDrive {
    /// Solves the spring, the motor and the limits of a coordinate with this velocity,
    /// one after another, and returns the change of their common impulse. Limits push back
    /// at most at the speed `fastest`.
    #[inline(always)]
    fn solve<F: Simd, const BIAS: bool>(
        &mut self,
        speed: F,
        yielding: F,
        fastest: F,
        settings: &JointSettings,
    ) -> F {
        let (zero, one) = (F::splat(0.0), F::splat(1.0));
        let mass = inverse(yielding);
        let mut speed = speed;
        let mut sum = zero;

        let gamma = F::load(&self.spring_gamma);
        let old = F::load(&self.spring);
        // Without a spring, or where other rows hold the coordinate, nothing.
        let works = gamma.above(zero, yielding.above(zero, one, zero), zero);
        let divisor = works.above(zero, yielding + gamma, one);
        let change = -((speed + F::load(&self.spring_bias) + gamma * old) * works / divisor);
        (old + change).store(&mut self.spring);
        speed = speed + yielding * change;
        sum = sum + change;

        let old = F::load(&self.motor);
        let most = F::load(&self.motor_most);
        let wanted = old - mass * (speed - F::load(&self.motor_speed));
        let new = wanted.max(-most).min(most);
        new.store(&mut self.motor);
        let change = new - old;
        speed = speed + yielding * change;
        sum = sum + change;

        // The lower limit, then the upper one, with the opposite sign.
        let soft = &settings.soft;
        for side in 0..2 {
            let sign = F::splat(if side == 0 { 1.0 } else { -1.0 });
            let gap = F::load(&self.gaps[side]);
            let old = F::load(&self.limits[side]);
            // Apart: the gap may close within the substep, and no more.
            let closing = gap * F::splat(1.0 / settings.h);
            let (bias, mass_scale, impulse_scale) = if BIAS {
                let pushed = (gap * F::splat(soft.bias_rate)).max(-fastest);
                (
                    gap.above(zero, closing, pushed),
                    gap.above(zero, one, F::splat(soft.mass_scale)),
                    gap.above(zero, zero, F::splat(soft.impulse_scale)),
                )
            } else {
                (gap.above(zero, closing, zero), one, zero)
            };
            let change = -(mass * mass_scale * (speed * sign + bias)) - impulse_scale * old;
            let new = (old + change).max(zero);
            new.store(&mut self.limits[side]);
            let change = (new - old) * sign;
            speed = speed + yielding * change;
            sum = sum + change;
        }
        sum
    }
}
