//! Contacts in blocks: each lane of a block is one manifold of up to four points.
//!
//! Normal impulses act at the points. Friction acts at their centre: two tangential
//! directions as one block, bounded by a circle of radius μ Σλ; torsion about the
//! normal, bounded by μ Σλᵢrᵢ with the levers rᵢ of the points; and rolling resistance,
//! bounded by a length times Σλ.

use super::bodies::{
    BodyConstants, SolverBody, WIDTH, Wide, Wide3, WideMotion, WideSymmetric, WideVelocity,
};
use super::impact::impact_speed;
use super::softness::Softness;
use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_geometry::convex::perpendicular;
use conatus_math::DVec3;
use conatus_math::lanes::{Lanes, Real, V3};

/// One manifold, prepared for the solver.
#[derive(Clone, Copy, Debug)]
pub struct ContactConstraint {
    /// The solver's numbers of the two bodies; 0 for what never moves.
    pub bodies: [u32; 2],
    /// The unit normal from the first to the second.
    pub normal: DVec3,
    /// c of Di Pierro (69).
    pub restitution: f64,
    /// Coulomb's μ.
    pub friction: f64,
    /// The lever of rolling resistance in metres.
    pub rolling: f64,
    /// The points where they were found.
    pub points: [ConstraintPoint; MAX_POINTS],
    /// How far each body had moved since the start of the step when they were found.
    pub shifts: [DVec3; 2],
    /// How many there are.
    pub count: usize,
    /// The friction impulse in world axes, of the last substep.
    pub friction_impulse: DVec3,
    /// The torsion impulse about the normal.
    pub twist_impulse: f64,
    /// The rolling impulse in world axes.
    pub rolling_impulse: DVec3,
}

/// One point of a manifold.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConstraintPoint {
    /// Where it was found.
    pub point: DVec3,
    /// The separation that belongs to the start of the step.
    pub separation: f64,
    /// The normal impulse of the last substep.
    pub impulse: f64,
}

impl ContactConstraint {
    /// The bodies that impulses can move; 0 in place of others.
    pub fn moved(&self, constants: &[BodyConstants]) -> [u32; 2] {
        self.bodies
            .map(|k| match constants[k as usize].inverse_mass > 0.0 {
                true => k,
                false => 0,
            })
    }

    /// The arms of a point from the centres of the two bodies.
    pub fn arms(&self, point: DVec3, bodies: [&BodyConstants; 2]) -> [DVec3; 2] {
        [0, 1].map(|k| point - bodies[k].position - self.shifts[k])
    }
}

/// The numbers that all contacts of a substep share.
#[derive(Clone, Copy, Debug)]
pub struct SubstepSettings {
    /// 1/h of a substep.
    pub inverse_h: f64,
    /// Of contacts between bodies that move.
    pub soft: Softness,
    /// Of contacts with what never moves.
    pub soft_static: Softness,
    /// The fastest that an overlap is pushed out, in m/s.
    pub max_push_speed: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct BlockPoint {
    arm_a: V3Default,
    arm_b: V3Default,
    /// The separation at the start of the step.
    separation: Wide,
    mass: Wide,
    impulse: Wide,
    lever: Wide,
    /// The sum of impulses over the step, for the report.
    total: Wide,
    /// The largest impulse of the step.
    peak: Wide,
}

/// A vector in every lane that starts as zero.
#[derive(Clone, Copy, Debug)]
struct V3Default(Wide3);

impl Default for V3Default {
    fn default() -> Self {
        Self(zero3())
    }
}

#[inline(always)]
fn zero3() -> Wide3 {
    let zero = Lanes([0.0; WIDTH]);
    V3::new(zero, zero, zero)
}

#[inline(always)]
fn max(a: Wide, b: Wide) -> Wide {
    a.above(b, a, b)
}

#[inline(always)]
fn min(a: Wide, b: Wide) -> Wide {
    a.above(b, b, a)
}

fn set(v: &mut Wide3, lane: usize, value: DVec3) {
    v.x.0[lane] = value.x;
    v.y.0[lane] = value.y;
    v.z.0[lane] = value.z;
}

fn get(v: &Wide3, lane: usize) -> DVec3 {
    DVec3::new(v.x.0[lane], v.y.0[lane], v.z.0[lane])
}

/// Up to [`WIDTH`] manifolds that share no moving body.
#[derive(Clone, Debug)]
pub struct ContactBlock {
    a: [u32; WIDTH],
    b: [u32; WIDTH],
    /// The same, but 0 for bodies that impulses cannot move.
    moved: [[u32; WIDTH]; 2],
    /// Which constraints are in the lanes; `u32::MAX` in empty ones.
    pub of: [u32; WIDTH],
    points_used: usize,
    has_rolling: bool,
    inverse_mass_a: Wide,
    inverse_mass_b: Wide,
    inverse_inertia_a: WideSymmetric,
    inverse_inertia_b: WideSymmetric,
    normal: Wide3,
    tangent: Wide3,
    friction: Wide,
    rolling: Wide,
    bias_rate: Wide,
    mass_scale: Wide,
    impulse_scale: Wide,
    /// Contacts that close in faster than this are impacts, which are not soft.
    impact_speed: Wide,
    /// 1 in the lanes that will touch as impacts in the next substep.
    fast: Wide,
    points: [BlockPoint; MAX_POINTS],
    centre_a: Wide3,
    centre_b: Wide3,
    /// The inverse of the tangential matrix: 11, 12, 22.
    tangent_mass: [Wide; 3],
    tangent_impulse: [Wide; 2],
    twist_mass: Wide,
    twist_impulse: Wide,
    rolling_mass: WideSymmetric,
    rolling_impulse: Wide3,
    tangent_total: [Wide; 2],
}

impl Default for ContactBlock {
    fn default() -> Self {
        let zero = Lanes([0.0; WIDTH]);
        Self {
            a: [0; WIDTH],
            b: [0; WIDTH],
            moved: [[0; WIDTH]; 2],
            of: [u32::MAX; WIDTH],
            points_used: 0,
            has_rolling: false,
            inverse_mass_a: zero,
            inverse_mass_b: zero,
            inverse_inertia_a: WideSymmetric::default(),
            inverse_inertia_b: WideSymmetric::default(),
            normal: zero3(),
            tangent: zero3(),
            friction: zero,
            rolling: zero,
            bias_rate: zero,
            mass_scale: Lanes([1.0; WIDTH]),
            impulse_scale: zero,
            impact_speed: zero,
            fast: zero,
            points: [BlockPoint::default(); MAX_POINTS],
            centre_a: zero3(),
            centre_b: zero3(),
            tangent_mass: [zero; 3],
            tangent_impulse: [zero; 2],
            twist_mass: zero,
            twist_impulse: zero,
            rolling_mass: WideSymmetric::default(),
            rolling_impulse: zero3(),
            tangent_total: [zero; 2],
        }
    }
}

/// 1/x, or 0 where x is not positive.
fn inverse(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

impl ContactBlock {
    /// Puts a constraint into a lane.
    pub fn fill(
        &mut self,
        lane: usize,
        index: u32,
        c: &ContactConstraint,
        constants: &[BodyConstants],
        settings: &SubstepSettings,
    ) {
        let [a, b] = c.bodies.map(|k| &constants[k as usize]);
        self.of[lane] = index;
        self.a[lane] = c.bodies[0];
        self.b[lane] = c.bodies[1];
        for (own, body) in self.moved.iter_mut().zip(c.moved(constants)) {
            own[lane] = body;
        }
        self.inverse_mass_a.0[lane] = a.inverse_mass;
        self.inverse_mass_b.0[lane] = b.inverse_mass;
        self.inverse_inertia_a.set(lane, &a.inverse_inertia);
        self.inverse_inertia_b.set(lane, &b.inverse_inertia);
        let n = c.normal;
        let t = perpendicular(n);
        let s = n.cross(t);
        set(&mut self.normal, lane, n);
        set(&mut self.tangent, lane, t);
        self.friction.0[lane] = c.friction;
        self.rolling.0[lane] = c.rolling;
        self.has_rolling |= c.rolling > 0.0;
        let fixed = a.inverse_mass == 0.0 || b.inverse_mass == 0.0;
        let soft = if fixed {
            settings.soft_static
        } else {
            settings.soft
        };
        self.bias_rate.0[lane] = soft.bias_rate;
        self.mass_scale.0[lane] = soft.mass_scale;
        self.impulse_scale.0[lane] = soft.impulse_scale;
        self.impact_speed.0[lane] = impact_speed(a, b, c.restitution, 1.0 / settings.inverse_h);
        let masses = a.inverse_mass + b.inverse_mass;
        let yielding = |arm_a: DVec3, arm_b: DVec3, d: DVec3, e: DVec3| {
            let (ad, bd) = (arm_a.cross(d), arm_b.cross(d));
            let (ae, be) = (arm_a.cross(e), arm_b.cross(e));
            masses * d.dot(e) + ad.dot(a.inverse_inertia * ae) + bd.dot(b.inverse_inertia * be)
        };
        let points = &c.points[..c.count];
        self.points_used = self.points_used.max(c.count);
        let centre = points.iter().map(|p| p.point).sum::<DVec3>() / c.count.max(1) as f64;
        for (own, p) in self.points.iter_mut().zip(points) {
            // Both impulses act at one point, so that they have no torque together.
            let [arm_a, arm_b] = c.arms(p.point, [a, b]);
            set(&mut own.arm_a.0, lane, arm_a);
            set(&mut own.arm_b.0, lane, arm_b);
            own.separation.0[lane] = p.separation;
            own.mass.0[lane] = inverse(yielding(arm_a, arm_b, n, n));
            own.impulse.0[lane] = p.impulse;
            own.lever.0[lane] = (p.point - centre).length();
        }
        for own in &mut self.points[c.count..] {
            // Never touches.
            own.separation.0[lane] = 1e30;
            own.impulse.0[lane] = 0.0;
        }
        let [arm_a, arm_b] = c.arms(centre, [a, b]);
        set(&mut self.centre_a, lane, arm_a);
        set(&mut self.centre_b, lane, arm_b);
        let k11 = yielding(arm_a, arm_b, t, t);
        let k12 = yielding(arm_a, arm_b, t, s);
        let k22 = yielding(arm_a, arm_b, s, s);
        let det = inverse(k11 * k22 - k12 * k12);
        self.tangent_mass[0].0[lane] = k22 * det;
        self.tangent_mass[1].0[lane] = -k12 * det;
        self.tangent_mass[2].0[lane] = k11 * det;
        self.tangent_impulse[0].0[lane] = c.friction_impulse.dot(t);
        self.tangent_impulse[1].0[lane] = c.friction_impulse.dot(s);
        let sum = a.inverse_inertia + b.inverse_inertia;
        self.twist_mass.0[lane] = inverse(n.dot(sum * n));
        self.twist_impulse.0[lane] = c.twist_impulse;
        if c.rolling > 0.0 && sum.determinant() > 0.0 {
            self.rolling_mass.set(lane, &sum.inverse());
            set(&mut self.rolling_impulse, lane, c.rolling_impulse);
        }
    }

    /// The constraints that will touch as impacts in the next substep, which forgets
    /// them.
    pub fn take_fast(&mut self) -> impl Iterator<Item = u32> {
        let fast = std::mem::replace(&mut self.fast, Lanes([0.0; WIDTH]));
        let lanes = self.of.into_iter().zip(fast.0);
        lanes.filter_map(|(of, fast)| (fast > 0.0 && of != u32::MAX).then_some(of))
    }

    /// Applies the impulses of the last substep.
    #[inline(always)]
    pub fn warm_start(&mut self, bodies: &[SolverBody]) {
        let mut a = WideVelocity::gather(bodies, &self.a);
        let mut b = WideVelocity::gather(bodies, &self.b);
        for p in &mut self.points[..self.points_used] {
            p.total = p.total + p.impulse;
            p.peak = max(p.peak, p.impulse);
            let j = self.normal * p.impulse;
            push(
                &mut a,
                &mut b,
                j,
                p.arm_a.0,
                p.arm_b.0,
                self.inverse_mass_a,
                self.inverse_mass_b,
                &self.inverse_inertia_a,
                &self.inverse_inertia_b,
            );
        }
        let other = self.normal.cross(self.tangent);
        let j = self.tangent * self.tangent_impulse[0] + other * self.tangent_impulse[1];
        for k in 0..2 {
            self.tangent_total[k] = self.tangent_total[k] + self.tangent_impulse[k];
        }
        push(
            &mut a,
            &mut b,
            j,
            self.centre_a,
            self.centre_b,
            self.inverse_mass_a,
            self.inverse_mass_b,
            &self.inverse_inertia_a,
            &self.inverse_inertia_b,
        );
        let mut torque = self.normal * self.twist_impulse;
        if self.has_rolling {
            torque = torque + self.rolling_impulse;
        }
        a.angular = a.angular - self.inverse_inertia_a.times(torque);
        b.angular = b.angular + self.inverse_inertia_b.times(torque);
        a.scatter(bodies, &self.moved[0]);
        b.scatter(bodies, &self.moved[1]);
    }

    /// One pass over the constraints of the block; with bias overlaps are pushed out.
    #[inline(always)]
    pub fn solve<const BIAS: bool>(&mut self, bodies: &[SolverBody], settings: &SubstepSettings) {
        let zero = Lanes([0.0; WIDTH]);
        let one = Lanes([1.0; WIDTH]);
        let mut a = WideVelocity::gather(bodies, &self.a);
        let mut b = WideVelocity::gather(bodies, &self.b);
        let motion_a = WideMotion::gather(bodies, &self.a);
        let motion_b = WideMotion::gather(bodies, &self.b);
        let n = self.normal;
        let inverse_h = Lanes::splat(settings.inverse_h);
        let slowest = Lanes::splat(-settings.max_push_speed);
        let (mut sum, mut levers) = (zero, zero);
        for p in &mut self.points[..self.points_used] {
            let (arm_a, arm_b) = (p.arm_a.0, p.arm_b.0);
            let moved = motion_b.displacement(arm_b) - motion_a.displacement(arm_a);
            let s = p.separation + n.dot(moved);
            // Apart: the gap may close within the substep, and no more.
            let apart = s * inverse_h;
            let (bias, mass_scale, impulse_scale) = if BIAS {
                let pushed = max(s * self.bias_rate, slowest);
                (
                    s.above(zero, apart, pushed),
                    s.above(zero, one, self.mass_scale),
                    s.above(zero, zero, self.impulse_scale),
                )
            } else {
                (s.above(zero, apart, zero), one, zero)
            };
            let speed = n.dot(b.at(arm_b) - a.at(arm_a));
            let change = -(p.mass * mass_scale * (speed + bias)) - impulse_scale * p.impulse;
            let new = max(p.impulse + change, zero);
            // What closes in fast and holds nothing is left to the impacts of the next
            // substep, if it does not overlap yet; those of this one are done.
            let slow = speed.above(-self.impact_speed, new, p.impulse);
            let slow = p.impulse.above(zero, new, slow);
            let new = if BIAS { s.above(zero, slow, new) } else { slow };
            if !BIAS {
                let near = (speed + s * inverse_h).above(zero, zero, one);
                let fast = speed.above(-self.impact_speed, zero, near);
                self.fast = max(self.fast, fast);
            }
            let change = new - p.impulse;
            p.impulse = new;
            p.total = p.total + change;
            p.peak = max(p.peak, new);
            sum = sum + new;
            levers = levers + new * p.lever;
            push(
                &mut a,
                &mut b,
                n * change,
                arm_a,
                arm_b,
                self.inverse_mass_a,
                self.inverse_mass_b,
                &self.inverse_inertia_a,
                &self.inverse_inertia_b,
            );
        }
        if self.has_rolling {
            let relative = b.angular - a.angular;
            let new = self.rolling_impulse - self.rolling_mass.times(relative);
            let bound = self.rolling * sum;
            let square = new.dot(new);
            let scale = square.above(
                bound * bound,
                bound / max(square, one * Lanes::splat(1e-300)).sqrt(),
                one,
            );
            let new = new * scale;
            let change = new - self.rolling_impulse;
            self.rolling_impulse = new;
            a.angular = a.angular - self.inverse_inertia_a.times(change);
            b.angular = b.angular + self.inverse_inertia_b.times(change);
        }
        // Torsion.
        let spin = n.dot(b.angular - a.angular);
        let bound = self.friction * levers;
        let new = self.twist_impulse - self.twist_mass * spin;
        let new = min(max(new, -bound), bound);
        let change = n * (new - self.twist_impulse);
        self.twist_impulse = new;
        a.angular = a.angular - self.inverse_inertia_a.times(change);
        b.angular = b.angular + self.inverse_inertia_b.times(change);
        // Friction.
        let (t, u) = (self.tangent, n.cross(self.tangent));
        let sliding = b.at(self.centre_b) - a.at(self.centre_a);
        let (vt, vu) = (sliding.dot(t), sliding.dot(u));
        let [m11, m12, m22] = self.tangent_mass;
        let [old_t, old_u] = self.tangent_impulse;
        let new_t = old_t - (m11 * vt + m12 * vu);
        let new_u = old_u - (m12 * vt + m22 * vu);
        let bound = self.friction * sum;
        let square = new_t * new_t + new_u * new_u;
        let scale = square.above(
            bound * bound,
            bound / max(square, Lanes::splat(1e-300)).sqrt(),
            one,
        );
        let (new_t, new_u) = (new_t * scale, new_u * scale);
        let change = t * (new_t - old_t) + u * (new_u - old_u);
        self.tangent_total[0] = self.tangent_total[0] + (new_t - old_t);
        self.tangent_total[1] = self.tangent_total[1] + (new_u - old_u);
        self.tangent_impulse = [new_t, new_u];
        push(
            &mut a,
            &mut b,
            change,
            self.centre_a,
            self.centre_b,
            self.inverse_mass_a,
            self.inverse_mass_b,
            &self.inverse_inertia_a,
            &self.inverse_inertia_b,
        );
        a.scatter(bodies, &self.moved[0]);
        b.scatter(bodies, &self.moved[1]);
    }

    /// The impulses of a lane, to start the next step with, and the impulse of the
    /// whole step on the second body at every point (the normal part) and at the
    /// centre (the friction).
    pub fn store(&self, lane: usize, c: &mut ContactConstraint) -> StepImpulse {
        let mut step = StepImpulse::default();
        for (k, p) in self.points[..c.count].iter().enumerate() {
            c.points[k].impulse = p.impulse.0[lane];
            step.normal[k] = p.total.0[lane];
            step.acted |= p.peak.0[lane] > 0.0;
        }
        let (n, t) = (get(&self.normal, lane), get(&self.tangent, lane));
        let u = n.cross(t);
        let [x, y] = self.tangent_impulse.map(|w| w.0[lane]);
        c.friction_impulse = t * x + u * y;
        c.twist_impulse = self.twist_impulse.0[lane];
        c.rolling_impulse = get(&self.rolling_impulse, lane);
        let [x, y] = self.tangent_total.map(|w| w.0[lane]);
        step.friction = t * x + u * y;
        step
    }
}

/// The impulses of one contact over a whole step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepImpulse {
    /// The normal impulse at every point.
    pub normal: [f64; MAX_POINTS],
    /// The friction impulse on the second body.
    pub friction: DVec3,
    /// Whether anything acted. Impulses that push an overlap out add up to zero.
    pub acted: bool,
}

/// An impulse on the second body and its opposite on the first.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
fn push(
    a: &mut WideVelocity,
    b: &mut WideVelocity,
    j: Wide3,
    arm_a: Wide3,
    arm_b: Wide3,
    inverse_mass_a: Wide,
    inverse_mass_b: Wide,
    inverse_inertia_a: &WideSymmetric,
    inverse_inertia_b: &WideSymmetric,
) {
    a.linear = a.linear - j * inverse_mass_a;
    a.angular = a.angular - inverse_inertia_a.times(arm_a.cross(j));
    b.linear = b.linear + j * inverse_mass_b;
    b.angular = b.angular + inverse_inertia_b.times(arm_b.cross(j));
}
