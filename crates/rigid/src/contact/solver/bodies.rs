//! The bodies as the solver sees them: velocities that constraints change, and how far
//! each has moved within the step.

use super::simd::{Row, Simd};
use conatus_math::lanes::{Lanes, V3};
use conatus_math::{DMat3, DQuat, DVec3, rotation};
use std::sync::atomic::{AtomicU64, Ordering};

/// Constraints that are solved together.
pub const WIDTH: usize = 8;
/// One number for each of them.
pub type Wide = Lanes<WIDTH>;
/// One vector for each of them.
pub type Wide3 = V3<Wide>;

/// Puts a vector into a lane.
pub fn set(v: &mut Wide3, lane: usize, value: DVec3) {
    v.x.0[lane] = value.x;
    v.y.0[lane] = value.y;
    v.z.0[lane] = value.z;
}

/// The vector of a lane.
pub fn get(v: &Wide3, lane: usize) -> DVec3 {
    DVec3::new(v.x.0[lane], v.y.0[lane], v.z.0[lane])
}

/// The numbers of a body that change from substep to substep. Constraints of one
/// colour share no body that moves, so threads never write the same one at the same
/// time; atomic numbers say that to the compiler, and cost nothing.
///
/// The first row has the velocity and the angular velocity, the second the displacement
/// and the turn.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct SolverBody([AtomicU64; 2 * WIDTH]);

const VELOCITY: usize = 0;
const OMEGA: usize = 3;
const SHIFT: usize = WIDTH;
const TURN: usize = WIDTH + 3;

impl Default for SolverBody {
    fn default() -> Self {
        let body = Self(std::array::from_fn(|_| AtomicU64::new(0)));
        body.set(TURN + 3, 1.0);
        body
    }
}

impl SolverBody {
    /// Where its velocities are.
    #[inline(always)]
    pub(super) fn velocity_row(&self) -> *mut Row {
        self.0.as_ptr().cast::<Row>().cast_mut()
    }

    /// Where its displacement is.
    #[inline(always)]
    pub(super) fn motion_row(&self) -> *const Row {
        self.0[WIDTH..].as_ptr().cast()
    }

    #[inline(always)]
    fn get(&self, k: usize) -> f64 {
        f64::from_bits(self.0[k].load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn set(&self, k: usize, value: f64) {
        self.0[k].store(value.to_bits(), Ordering::Relaxed);
    }

    #[inline(always)]
    fn vector(&self, k: usize) -> DVec3 {
        DVec3::new(self.get(k), self.get(k + 1), self.get(k + 2))
    }

    #[inline(always)]
    fn set_vector(&self, k: usize, v: DVec3) {
        self.set(k, v.x);
        self.set(k + 1, v.y);
        self.set(k + 2, v.z);
    }

    /// The velocity of the centre of mass.
    #[inline(always)]
    pub fn velocity(&self) -> DVec3 {
        self.vector(VELOCITY)
    }

    /// Sets it.
    #[inline(always)]
    pub fn set_velocity(&self, v: DVec3) {
        self.set_vector(VELOCITY, v);
    }

    /// The angular velocity in world axes.
    #[inline(always)]
    pub fn omega(&self) -> DVec3 {
        self.vector(OMEGA)
    }

    /// Sets it.
    #[inline(always)]
    pub fn set_omega(&self, w: DVec3) {
        self.set_vector(OMEGA, w);
    }

    /// How far the centre of mass has moved since the start of the step.
    #[inline(always)]
    pub fn shift(&self) -> DVec3 {
        self.vector(SHIFT)
    }

    /// Sets it.
    #[inline(always)]
    pub fn set_shift(&self, d: DVec3) {
        self.set_vector(SHIFT, d);
    }

    /// How the body has turned since the start of the step.
    #[inline(always)]
    pub fn turn(&self) -> DQuat {
        DQuat::from_xyzw(
            self.get(TURN),
            self.get(TURN + 1),
            self.get(TURN + 2),
            self.get(TURN + 3),
        )
    }

    /// Sets it.
    #[inline(always)]
    pub fn set_turn(&self, q: DQuat) {
        self.set(TURN, q.x);
        self.set(TURN + 1, q.y);
        self.set(TURN + 2, q.z);
        self.set(TURN + 3, q.w);
    }
}

/// The velocities of several bodies side by side.
#[derive(Clone, Copy, Debug)]
pub struct WideVelocity<F> {
    /// Of the centres of mass.
    pub linear: V3<F>,
    /// In world axes.
    pub angular: V3<F>,
}

/// The displacements of several bodies side by side.
#[derive(Clone, Copy, Debug)]
pub struct WideMotion<F> {
    /// Of the centres of mass.
    pub shift: V3<F>,
    /// Twice the vector part of the turns, the angle for small ones.
    pub turn: V3<F>,
}

/// The inverse masses and inertias of several bodies side by side.
#[derive(Clone, Copy, Debug)]
pub struct WideMass<F> {
    /// 1/m.
    pub inverse_mass: F,
    /// I⁻¹ in world axes.
    pub inverse_inertia: WideSymmetric<F>,
}

impl<F: Simd> WideVelocity<F> {
    /// Reads the velocities of bodies. Nothing may write them at the same time.
    #[inline(always)]
    pub fn gather(bodies: &[SolverBody], of: &[u32; WIDTH]) -> Self {
        let mut rows = [std::ptr::null(); WIDTH];
        for lane in 0..WIDTH {
            rows[lane] = bodies[of[lane] as usize].velocity_row().cast_const();
        }
        // SAFETY: the rows are numbers of bodies that exist; those that can change belong
        // to one constraint of a colour only.
        let [x, y, z, p, q, r, _, _] = unsafe { F::lanes(rows) };
        Self {
            linear: V3::new(x, y, z),
            angular: V3::new(p, q, r),
        }
    }

    /// Writes those back whose bits are set in `moved`. Nothing else may use these bodies
    /// at the same time.
    #[inline(always)]
    pub fn scatter(&self, bodies: &[SolverBody], of: &[u32; WIDTH], moved: u8) {
        let zero = F::splat(0.0);
        let (v, w) = (self.linear, self.angular);
        let mut rows = [std::ptr::null_mut(); WIDTH];
        for lane in 0..WIDTH {
            if moved >> lane & 1 != 0 {
                rows[lane] = bodies[of[lane] as usize].velocity_row();
            }
        }
        // SAFETY: the rows are atomic numbers, and bodies that move belong to one
        // constraint of a colour only, so no other thread uses them now.
        unsafe { F::write_rows([v.x, v.y, v.z, w.x, w.y, w.z, zero, zero], rows) };
    }

    /// The velocity of points at `arm` from the centres.
    #[inline(always)]
    pub fn at(&self, arm: V3<F>) -> V3<F> {
        self.angular.cross(arm) + self.linear
    }

    /// Applies impulses, and torques about the centres.
    #[inline(always)]
    pub fn push(&mut self, mass: &WideMass<F>, impulse: V3<F>, torque: V3<F>) {
        self.linear = self.linear + impulse * mass.inverse_mass;
        self.angular = self.angular + mass.inverse_inertia.times(torque);
    }

    /// Applies the opposites of impulses and torques.
    #[inline(always)]
    pub fn pull(&mut self, mass: &WideMass<F>, impulse: V3<F>, torque: V3<F>) {
        self.linear = self.linear - impulse * mass.inverse_mass;
        self.angular = self.angular - mass.inverse_inertia.times(torque);
    }
}

impl<F: Simd> WideMotion<F> {
    /// Reads the displacements of bodies.
    #[inline(always)]
    pub fn gather(bodies: &[SolverBody], of: &[u32; WIDTH]) -> Self {
        let mut rows = [std::ptr::null(); WIDTH];
        for lane in 0..WIDTH {
            rows[lane] = bodies[of[lane] as usize].motion_row();
        }
        // SAFETY: the rows are numbers of bodies that exist; passes do not change them.
        let [x, y, z, p, q, r, _, _] = unsafe { F::lanes(rows) };
        Self {
            shift: V3::new(x, y, z),
            turn: V3::new(p + p, q + q, r + r),
        }
    }
}

impl<F: Simd> WideMass<F> {
    /// Reads the masses of bodies.
    #[inline(always)]
    pub fn gather(masses: &[Row], of: &[u32; WIDTH]) -> Self {
        let mut rows = [std::ptr::null(); WIDTH];
        for lane in 0..WIDTH {
            rows[lane] = &raw const masses[of[lane] as usize];
        }
        // SAFETY: references to rows that do not change.
        let [inverse_mass, xx, yy, zz, xy, xz, yz, _] = unsafe { F::lanes(rows) };
        Self {
            inverse_mass,
            inverse_inertia: WideSymmetric {
                diagonal: [xx, yy, zz],
                off: [xy, xz, yz],
            },
        }
    }
}

/// A symmetric matrix in every lane.
#[derive(Clone, Copy, Debug)]
pub struct WideSymmetric<F> {
    /// xx, yy, zz.
    pub diagonal: [F; 3],
    /// xy, xz, yz.
    pub off: [F; 3],
}

impl<F: Simd> WideSymmetric<F> {
    /// The product with a vector.
    #[inline(always)]
    pub fn times(&self, v: V3<F>) -> V3<F> {
        let [xx, yy, zz] = self.diagonal;
        let [xy, xz, yz] = self.off;
        V3::new(
            xx * v.x + xy * v.y + xz * v.z,
            xy * v.x + yy * v.y + yz * v.z,
            xz * v.x + yz * v.y + zz * v.z,
        )
    }
}

/// What does not change within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyConstants {
    /// The mover; unused for what no force moves.
    pub mover: usize,
    /// 1/m.
    pub inverse_mass: f64,
    /// I⁻¹ in world axes at the start of the step.
    pub inverse_inertia: DMat3,
    /// Principal moments of inertia.
    pub moments: DVec3,
    /// The centre of mass at the start of the step.
    pub position: DVec3,
    /// The orientation at the start of the step.
    pub orientation: DQuat,
    /// The mean acceleration by forces over the step.
    pub acceleration: DVec3,
    /// The mean torque of forces over the step, in world axes.
    pub torque: DVec3,
}

impl BodyConstants {
    /// What never moves.
    pub const FIXED: Self = Self {
        mover: usize::MAX,
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
        moments: DVec3::INFINITY,
        position: DVec3::ZERO,
        orientation: DQuat::IDENTITY,
        acceleration: DVec3::ZERO,
        torque: DVec3::ZERO,
    };
}

impl BodyConstants {
    /// Inverse mass and inertia as a row for [`WideMass`].
    pub fn mass_row(&self) -> Row {
        let m = &self.inverse_inertia;
        Row([
            self.inverse_mass,
            m.x_axis.x,
            m.y_axis.y,
            m.z_axis.z,
            m.y_axis.x,
            m.z_axis.x,
            m.z_axis.y,
            0.0,
        ])
    }

    /// The inertia about the centre of mass, in world axes.
    pub fn inertia(&self, body: &SolverBody) -> DMat3 {
        let r = DMat3::from_quat(body.turn() * self.orientation);
        r * DMat3::from_diagonal(self.moments) * r.transpose()
    }

    /// The angular momentum about the centre of mass.
    pub fn spin_momentum(&self, body: &SolverBody) -> DVec3 {
        let to_own = (body.turn() * self.orientation).conjugate();
        to_own.conjugate() * (self.moments * (to_own * body.omega()))
    }

    /// Whether it turns about a fixed axis when it is free.
    #[inline]
    fn has_equal_moments(&self) -> bool {
        self.moments.x == self.moments.y && self.moments.y == self.moments.z
    }

    /// Turns the inverse inertia of [`Self::mass_row`] with its body, so that impulses change
    /// the angular momentum by exactly their torque wherever the body has turned.
    #[inline]
    pub fn turn_mass_row(&self, body: &SolverBody, row: &mut Row) {
        if self.has_equal_moments() || self.inverse_mass == 0.0 {
            return;
        }
        let r = DMat3::from_quat(body.turn());
        let turned = Self {
            inverse_inertia: r * self.inverse_inertia * r.transpose(),
            ..*self
        };
        *row = turned.mass_row();
    }

    /// Turn and angular velocity after a free turn of `h` seconds, which may be negative.
    /// The angular momentum stays; half a step of Euler's equations gives the angular
    /// velocity in the middle, which turns the body by one rotation of second order.
    pub fn free_turn(&self, turn: DQuat, omega: DVec3, h: f64) -> (DQuat, DVec3) {
        let about_fixed_axis = || (rotation::exp_of_step(omega * h) * turn).normalize();
        if self.inverse_mass == 0.0 || self.has_equal_moments() {
            return (about_fixed_axis(), omega);
        }
        let parts = (omega.length() * h.abs() / MAX_PART_TURN).ceil();
        if parts > MAX_TURN_PARTS {
            // So fast that its axis counts as fixed; its energy stays.
            return (about_fixed_axis(), omega);
        }
        let parts = parts.max(1.0);
        let h = h / parts;
        let (mut turn, mut omega) = (turn, omega);
        for _ in 0..parts as u32 {
            let before = turn * self.orientation;
            let own = before.conjugate() * omega;
            let momentum = self.moments * own;
            let rate = -(own.cross(momentum)) / self.moments;
            let middle = before * (own + rate * (0.5 * h));
            turn = (rotation::exp_of_step(middle * h) * turn).normalize();
            let after = turn * self.orientation;
            omega = after * ((after.conjugate() * (before * momentum)) / self.moments);
        }
        (turn, omega)
    }
}

/// A free turn is made in parts of at most this, in radians.
const MAX_PART_TURN: f64 = 0.1;
const MAX_TURN_PARTS: f64 = 16.0;

/// Moves a body on with its velocity for `h` seconds. Its angular momentum stays: the
/// angular velocity follows from it in the new orientation. `free` says that no
/// constraint has changed its velocity: then it has moved under constant acceleration,
/// and its mean velocity is less than the last one by a h/2.
pub fn advance(body: &SolverBody, constants: &BodyConstants, free: bool, h: f64) {
    if constants.inverse_mass == 0.0 {
        // Scripted: its velocities stay.
        body.set_shift(body.shift() + body.velocity() * h);
        if body.omega() != DVec3::ZERO {
            let turn = rotation::exp_of_step(body.omega() * h) * body.turn();
            body.set_turn(turn.normalize());
        }
        return;
    }
    let mut mean = body.velocity();
    if free {
        mean -= constants.acceleration * (0.5 * h);
    }
    body.set_shift(body.shift() + mean * h);
    if body.omega() != DVec3::ZERO {
        let (turn, omega) = constants.free_turn(body.turn(), body.omega(), h);
        body.set_turn(turn);
        body.set_omega(omega);
    }
}
