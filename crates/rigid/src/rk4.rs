//! Runge-Kutta of fourth order in the staged form of Chaney §6.3, written once
//! for one body or for lanes of bodies.
//!
//! The caller evaluates forces before each of the four stages with one and the
//! same function; a stage then stores what (29) needs and moves the state to
//! the point of the next evaluation. Forces are supplied by the caller, except
//! in [`free`], which runs all four stages for bodies with only gravity and
//! automatic damping.

use conatus_math::lanes::{Real, V3};

/// The state vector q of Chaney (27): position, velocity, orientation and
/// angular velocity, for one body (`F = f64`) or several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<F> {
    /// x, the centre of mass in world coordinates.
    pub x: V3<F>,
    /// ẋ, its velocity.
    pub v: V3<F>,
    /// Q as (w, x, y, z).
    pub q: [F; 4],
    /// ω in body axes.
    pub w: V3<F>,
}

/// The accelerations of a body at one stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acceleration<F> {
    /// The derivative of the velocity, Chaney (7).
    pub linear: V3<F>,
    /// The derivative of the body's angular velocity, Chaney (18)-(20).
    pub angular: V3<F>,
}

/// The constants of Euler's equations, Chaney (18)-(20): ((Iyy − Izz)/Ixx, …).
pub fn euler_coefficients(moments: conatus_math::DVec3) -> conatus_math::DVec3 {
    conatus_math::DVec3::new(
        (moments.y - moments.z) / moments.x,
        (moments.z - moments.x) / moments.y,
        (moments.x - moments.y) / moments.z,
    )
}

/// The torque-free part of Euler's equations, Chaney (18)-(20).
#[inline(always)]
pub fn euler_equations<F: Real>(coefficients: V3<F>, w: V3<F>) -> V3<F> {
    coefficients.times(V3::new(w.y * w.z, w.z * w.x, w.x * w.y))
}

/// Q̇, Chaney (14).
#[inline(always)]
fn quaternion_rate<F: Real>(q: [F; 4], w: V3<F>) -> [F; 4] {
    let half = F::splat(0.5);
    let (hx, hy, hz) = (w.x * half, w.y * half, w.z * half);
    [
        -(q[1] * hx) - q[2] * hy - q[3] * hz,
        q[0] * hx - q[3] * hy + q[2] * hz,
        q[3] * hx + q[0] * hy - q[1] * hz,
        q[0] * hz - q[2] * hx + q[1] * hy,
    ]
}

#[inline(always)]
fn add4<F: Real>(a: [F; 4], b: [F; 4]) -> [F; 4] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}

#[inline(always)]
fn scale4<F: Real>(a: [F; 4], s: F) -> [F; 4] {
    [a[0] * s, a[1] * s, a[2] * s, a[3] * s]
}

/// The normalised quaternion. Chaney §4.1.
#[inline(always)]
pub fn normalised<F: Real>(q: [F; 4]) -> [F; 4] {
    let length = ((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3])).sqrt();
    scale4(q, F::splat(1.0) / length)
}

/// The temporary data of a step of Chaney (29), in which positions follow
/// velocities as in Chaney (6). Where Chaney stores every stage, only the sums
/// that the last stage needs are stored, in the document's order of summation.
#[derive(Clone, Copy, Debug)]
pub struct Stages<F> {
    /// The state at the start: pos0 and vel1.
    start: Motion<F>,
    /// Q̇ at the first stage.
    rate1: [F; 4],
    /// vel2, then vel2 + vel3.
    v23: V3<F>,
    /// Q̇ at the second stage, then second plus third.
    rate23: [F; 4],
    /// acc1 + 2 acc2 + acc3 as far as known.
    acc: V3<F>,
    /// The same for the angular velocity.
    angular: V3<F>,
}

impl<F: Real> Stages<F> {
    /// RKInit and RKStep1.
    #[inline(always)]
    pub fn step1(s: &mut Motion<F>, a: Acceleration<F>, h: f64) -> Self {
        let half = F::splat(0.5 * h);
        let stages = Self {
            start: *s,
            rate1: quaternion_rate(s.q, s.w),
            v23: s.v,
            rate23: s.q,
            acc: a.linear * half,
            angular: a.angular * half,
        };
        s.x = stages.start.x + s.v * half;
        s.q = add4(stages.start.q, scale4(stages.rate1, half));
        s.v = stages.start.v + stages.acc;
        s.w = stages.start.w + stages.angular;
        stages
    }

    /// RKStep2.
    #[inline(always)]
    pub fn step2(&mut self, s: &mut Motion<F>, a: Acceleration<F>, h: f64) {
        let half = F::splat(0.5 * h);
        let (acc2, angular2) = (a.linear * half, a.angular * half);
        self.v23 = s.v;
        self.rate23 = quaternion_rate(s.q, s.w);
        s.x = self.start.x + s.v * half;
        s.q = add4(self.start.q, scale4(self.rate23, half));
        s.v = self.start.v + acc2;
        s.w = self.start.w + angular2;
        self.acc = self.acc + (acc2 + acc2);
        self.angular = self.angular + (angular2 + angular2);
    }

    /// RKStep3.
    #[inline(always)]
    pub fn step3(&mut self, s: &mut Motion<F>, a: Acceleration<F>, h: f64) {
        let whole = F::splat(h);
        let (acc3, angular3) = (a.linear * whole, a.angular * whole);
        let rate3 = quaternion_rate(s.q, s.w);
        s.x = self.start.x + s.v * whole;
        s.q = add4(self.start.q, scale4(rate3, whole));
        self.v23 = self.v23 + s.v;
        self.rate23 = add4(self.rate23, rate3);
        s.v = self.start.v + acc3;
        s.w = self.start.w + angular3;
        self.acc = self.acc + acc3;
        self.angular = self.angular + angular3;
    }

    /// RKStep4; the quaternion is normalised at its end.
    #[inline(always)]
    pub fn step4(&mut self, s: &mut Motion<F>, a: Acceleration<F>, h: f64) {
        let half = F::splat(0.5 * h);
        let sixth = F::splat(h / 6.0);
        let third = F::splat(1.0 / 3.0);
        let rate4 = quaternion_rate(s.q, s.w);
        let v23 = self.v23 + self.v23;
        let rate23 = add4(self.rate23, self.rate23);
        s.x = self.start.x + (self.start.v + v23 + s.v) * sixth;
        s.q = normalised(add4(
            self.start.q,
            scale4(add4(add4(self.rate1, rate23), rate4), sixth),
        ));
        s.v = self.start.v + (self.acc + a.linear * half) * third;
        s.w = self.start.w + (self.angular + a.angular * half) * third;
    }
}

/// The constants of a body for motion under gravity and automatic damping
/// alone.
#[derive(Clone, Copy, Debug)]
pub struct FreeConstants<F> {
    /// [`euler_coefficients`].
    pub euler: V3<F>,
    /// linKD / m.
    pub linear_damping: F,
    /// rotKD / I, one per axis.
    pub angular_damping: V3<F>,
}

/// The acceleration from gravity and automatic damping: (7) and (18)-(20) with
/// F = m g − linKD v and τ_b = −rotKD ω_b. Gravity is any vector, where Di
/// Pierro (17) has −g along y and Chaney along z.
#[inline(always)]
pub fn automatic<F: Real, const DAMPED: bool>(
    s: &Motion<F>,
    c: &FreeConstants<F>,
    gravity: V3<F>,
) -> Acceleration<F> {
    let free = Acceleration {
        linear: gravity,
        angular: euler_equations(c.euler, s.w),
    };
    if DAMPED {
        Acceleration {
            linear: free.linear - s.v * c.linear_damping,
            angular: free.angular - s.w.times(c.angular_damping),
        }
    } else {
        free
    }
}

/// A whole step of free motion: all four stages with [`automatic`] forces.
#[inline(always)]
pub fn free<F: Real, const DAMPED: bool>(
    s: &mut Motion<F>,
    c: &FreeConstants<F>,
    gravity: V3<F>,
    h: f64,
) {
    let mut stages = Stages::step1(s, automatic::<F, DAMPED>(s, c, gravity), h);
    stages.step2(s, automatic::<F, DAMPED>(s, c, gravity), h);
    stages.step3(s, automatic::<F, DAMPED>(s, c, gravity), h);
    stages.step4(s, automatic::<F, DAMPED>(s, c, gravity), h);
}
