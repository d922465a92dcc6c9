//! From constraints to blocks: the frame of each contact and its mobility.

#![expect(
    clippy::needless_range_loop,
    reason = "closures of iterators would be compiled without the width of the caller"
)]

use super::mobility::Mobility;
use super::{ContactBlock, Members, WIDTH, Wide, Wide3, ZERO, ZERO3, load_tangent};
use crate::contact::solver::bodies::{BodyConstants, WideMass, set};
use crate::contact::solver::constraint::ContactConstraint;
use crate::contact::solver::kernels::FillInput;
use crate::contact::solver::simd::{Half, Row, Simd};
use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_math::DVec3;
use conatus_math::lanes::V3;

/// The constraints of a block, lane by lane.
struct Raw {
    /// From the first body's centre of mass to the points.
    arms: [Wide3; MAX_POINTS],
    /// 1 for points that exist.
    exists: [Wide; MAX_POINTS],
    /// One over the number of points.
    share: Wide,
    /// In world axes.
    friction_impulse: Wide3,
    rolling_impulse: Wide3,
}

/// 1/x, or 0 where x is not positive.
#[inline(always)]
fn inverse<F: Simd>(x: F) -> F {
    let (zero, one) = (F::splat(0.0), F::splat(1.0));
    x.above(zero, one / x.above(zero, x, one), zero)
}

impl ContactBlock {
    /// Takes up to [`WIDTH`] constraints, given by their numbers, in place of others.
    #[inline(always)]
    pub fn fill<F: Simd>(&mut self, indices: &[u32], input: &FillInput) {
        self.reset();
        let mut raw = Raw {
            arms: [ZERO3; MAX_POINTS],
            exists: [ZERO; MAX_POINTS],
            share: ZERO,
            friction_impulse: ZERO3,
            rolling_impulse: ZERO3,
        };
        for (lane, &index) in indices.iter().enumerate().take(WIDTH) {
            let c = &input.contacts[index as usize];
            self.take(&mut raw, lane, index, c, input.constants);
        }
        self.prepare::<F>(&raw, input.bodies.masses);
    }

    /// Empties all lanes.
    fn reset(&mut self) {
        let none = Half([0.0; WIDTH]);
        self.members = Members::NONE;
        for v in [&mut self.normal, &mut self.between, &mut self.found_at] {
            *v = ZERO3;
        }
        for x in [
            &mut self.friction,
            &mut self.stiff,
            &mut self.impact_speed,
            &mut self.fast,
            &mut self.acted,
        ] {
            *x = none;
        }
        self.twist_impulse = ZERO;
        self.rolling.length = ZERO;
        self.tangent_total = [ZERO; 2];
        // Never touches.
        self.points.separation = [Half([1e30; WIDTH]); MAX_POINTS];
        self.points.impulse = [ZERO; MAX_POINTS];
        self.points.total = [ZERO; MAX_POINTS];
    }

    /// Copies a constraint into a lane.
    fn take(
        &mut self,
        raw: &mut Raw,
        lane: usize,
        index: u32,
        c: &ContactConstraint,
        constants: &[BodyConstants],
    ) {
        let [a, b] = c.bodies.map(|k| &constants[k as usize]);
        let members = &mut self.members;
        members.of[lane] = index;
        members.a[lane] = c.bodies[0];
        members.b[lane] = c.bodies[1];
        for (own, body) in members.moved.iter_mut().zip([a, b]) {
            *own |= u8::from(body.inverse_mass > 0.0) << lane;
        }
        members.has_rolling |= c.rolling > 0.0;
        members.points_used = members.points_used.max(c.count as u8);
        set(&mut self.normal, lane, c.normal);
        self.friction.0[lane] = c.friction as f32;
        self.rolling.length.0[lane] = c.rolling;
        let fixed = a.inverse_mass == 0.0 || b.inverse_mass == 0.0;
        self.stiff.0[lane] = f32::from(u8::from(fixed));
        self.impact_speed.0[lane] = c.impact_speed as f32;
        // Both impulses act at one point, so that they have no torque together.
        let centres = [a.position + c.shifts[0], b.position + c.shifts[1]];
        set(&mut self.between, lane, centres[0] - centres[1]);
        let found_at = c.shifts[1] - c.shifts[0];
        set(&mut self.found_at, lane, found_at);
        members.found_later |= found_at != DVec3::ZERO;
        for (k, p) in c.points[..c.count].iter().enumerate() {
            set(&mut raw.arms[k], lane, p.point - centres[0]);
            raw.exists[k].0[lane] = 1.0;
            self.points.separation[k].0[lane] = p.separation as f32;
            self.points.impulse[k].0[lane] = p.impulse;
        }
        raw.share.0[lane] = 1.0 / c.count.max(1) as f64;
        self.twist_impulse.0[lane] = c.twist_impulse;
        set(&mut raw.friction_impulse, lane, c.friction_impulse);
        set(&mut raw.rolling_impulse, lane, c.rolling_impulse);
    }

    /// Computes what follows from the constraints.
    #[inline(always)]
    fn prepare<F: Simd>(&mut self, raw: &Raw, masses: &[Row]) {
        let (zero, one, two) = (F::splat(0.0), F::splat(1.0), F::splat(2.0));
        let n = F::load3(&self.normal);
        let t = perpendicular(n);
        t.x.store_half(&mut self.tangent[0]);
        t.y.store_half(&mut self.tangent[1]);
        t.z.store_half(&mut self.tangent[2]);
        // As the passes see it.
        let t = load_tangent(&self.tangent);
        let u = n.cross(t);
        let points = usize::from(self.members.points_used);
        let mut centre = V3::new(zero, zero, zero);
        for k in 0..points {
            centre = centre + F::load3(&raw.arms[k]) * F::load(&raw.exists[k]);
        }
        centre = centre * F::load(&raw.share);
        F::store3(centre, &mut self.arm);
        let sides = [
            WideMass::<F>::gather(masses, &self.members.a),
            WideMass::<F>::gather(masses, &self.members.b),
        ];
        let sum = sides[0].inverse_mass + sides[1].inverse_mass;
        (sides[1].inverse_mass * inverse(sum)).store_half(&mut self.share);

        let frame = [n, t, u];
        let arms = [centre, centre + F::load3(&self.between)];
        let m = Mobility::new(&frame, &sides, &arms);
        let [tt, tu, uu] = Mobility::tangent(&frame, &sides, &arms);
        let det = inverse(tt * uu - tu * tu);
        (uu * det).store_half(&mut self.tangent_mass[0]);
        (-(tu * det)).store_half(&mut self.tangent_mass[1]);
        (tt * det).store_half(&mut self.tangent_mass[2]);
        inverse(m.spin[0][0]).store_half(&mut self.twist_mass);

        let mut pressed = [zero; 3];
        for k in 0..points {
            let exists = F::load(&raw.exists[k]);
            let away = (F::load3(&raw.arms[k]) - centre) * exists;
            let [along_t, along_u] = &mut self.points.along[k];
            away.dot(t).store_half(along_t);
            away.dot(u).store_half(along_u);
            let (x, y) = (F::load_half(along_t), F::load_half(along_u));
            away.dot(away).sqrt().store_half(&mut self.points.lever[k]);
            // The response at the point to an impulse there: J = n, T = y t − x u.
            let response = m.normal[0]
                + two * (m.mixed[0][1] * y - m.mixed[0][2] * x)
                + m.spin[1][1] * y * y
                + m.spin[2][2] * x * x
                - two * m.spin[1][2] * x * y;
            (inverse(response) * exists).store_half(&mut self.points.mass[k]);
            let impulse = F::load(&self.points.impulse[k]);
            pressed[0] = pressed[0] + impulse;
            pressed[1] = pressed[1] + impulse * y;
            pressed[2] = pressed[2] - impulse * x;
        }
        for k in 0..3 {
            pressed[k].store(&mut self.pressed[k]);
        }
        let friction = F::load3(&raw.friction_impulse);
        friction.dot(t).store(&mut self.tangent_impulse[0]);
        friction.dot(u).store(&mut self.tangent_impulse[1]);
        if self.members.has_rolling {
            for (own, value) in self.rolling.mass.iter_mut().zip(inverse_symmetric(&m.spin)) {
                value.store(own);
            }
            let rolls = F::load(&self.rolling.length).above(zero, one, zero);
            let world = F::load3(&raw.rolling_impulse) * rolls;
            let own = V3::new(world.dot(n), world.dot(t), world.dot(u));
            F::store3(own, &mut self.rolling.impulse);
        }
    }
}

/// A unit vector at right angles to another: that vector times the axis along which it
/// is shortest.
#[inline(always)]
fn perpendicular<F: Simd>(n: V3<F>) -> V3<F> {
    let (zero, one) = (F::splat(0.0), F::splat(1.0));
    let (x, y, z) = (n.x.abs(), n.y.abs(), n.z.abs());
    // 1 where the first is above the second.
    let x_over_y = x.above(y, one, zero);
    let x_over_z = x.above(z, one, zero);
    let y_over_z = y.above(z, one, zero);
    let use_x = (one - x_over_y) * (one - x_over_z);
    let use_y = (one - use_x) * (one - y_over_z);
    let use_z = one - use_x - use_y;
    let t = n.cross(V3::new(use_x, use_y, use_z));
    let square = t.dot(t);
    // Empty lanes have no normal.
    t * (one / square.above(zero, square, one).sqrt())
}

/// The inverse of a symmetric matrix given by its upper half: 00, 11, 22, 01, 02, 12; zero
/// where there is none.
#[inline(always)]
fn inverse_symmetric<F: Simd>(m: &[[F; 3]; 3]) -> [F; 6] {
    let (a, b, c) = (m[0][0], m[0][1], m[0][2]);
    let (d, e, f) = (m[1][1], m[1][2], m[2][2]);
    let x = d * f - e * e;
    let y = c * e - b * f;
    let z = b * e - c * d;
    let det = inverse(a * x + b * y + c * z);
    [
        x * det,
        (a * f - c * c) * det,
        (a * d - b * b) * det,
        y * det,
        z * det,
        (b * c - a * e) * det,
    ]
}
