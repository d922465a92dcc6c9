//! The bodies as the solver sees them: velocities that constraints change, and how far
//! each has moved within the step.

use conatus_math::lanes::{Lanes, V3};
use conatus_math::{DMat3, DQuat, DVec3, rotation};
use std::sync::atomic::{AtomicU64, Ordering};

/// Constraints that are solved together.
pub const WIDTH: usize = 4;
/// One number for each of them.
pub type Wide = Lanes<WIDTH>;
/// One vector for each of them.
pub type Wide3 = V3<Wide>;

/// The numbers of a body that change from substep to substep. Constraints of one
/// colour share no body that moves, so threads never write the same one at the same
/// time; atomic numbers say that to the compiler, and cost nothing.
#[derive(Debug)]
#[repr(align(128))]
pub struct SolverBody([AtomicU64; 13]);

const VELOCITY: usize = 0;
const OMEGA: usize = 3;
const SHIFT: usize = 6;
const TURN: usize = 9;

impl Default for SolverBody {
    fn default() -> Self {
        let body = Self(std::array::from_fn(|_| AtomicU64::new(0)));
        body.set(TURN + 3, 1.0);
        body
    }
}

impl SolverBody {
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
pub struct WideVelocity {
    /// Of the centres of mass.
    pub linear: Wide3,
    /// In world axes.
    pub angular: Wide3,
}

/// The displacements of several bodies side by side.
#[derive(Clone, Copy, Debug)]
pub struct WideMotion {
    /// Of the centres of mass.
    pub shift: Wide3,
    /// The vector part of the turns, half of the angle for small ones.
    pub turn: Wide3,
}

#[inline(always)]
fn gather(bodies: &[SolverBody], of: &[u32; WIDTH], k: usize) -> Wide {
    Lanes(std::array::from_fn(|lane| bodies[of[lane] as usize].get(k)))
}

#[inline(always)]
fn gather3(bodies: &[SolverBody], of: &[u32; WIDTH], k: usize) -> Wide3 {
    V3::new(
        gather(bodies, of, k),
        gather(bodies, of, k + 1),
        gather(bodies, of, k + 2),
    )
}

impl WideVelocity {
    /// Reads the velocities of bodies.
    #[inline(always)]
    pub fn gather(bodies: &[SolverBody], of: &[u32; WIDTH]) -> Self {
        Self {
            linear: gather3(bodies, of, VELOCITY),
            angular: gather3(bodies, of, OMEGA),
        }
    }

    /// Writes them back, but for bodies that are given as 0.
    #[inline(always)]
    pub fn scatter(&self, bodies: &[SolverBody], of: &[u32; WIDTH]) {
        for lane in 0..WIDTH {
            if of[lane] != 0 {
                let body = &bodies[of[lane] as usize];
                body.set(VELOCITY, self.linear.x.0[lane]);
                body.set(VELOCITY + 1, self.linear.y.0[lane]);
                body.set(VELOCITY + 2, self.linear.z.0[lane]);
                body.set(OMEGA, self.angular.x.0[lane]);
                body.set(OMEGA + 1, self.angular.y.0[lane]);
                body.set(OMEGA + 2, self.angular.z.0[lane]);
            }
        }
    }

    /// The velocity of points at `arm` from the centres.
    #[inline(always)]
    pub fn at(&self, arm: Wide3) -> Wide3 {
        self.angular.cross(arm) + self.linear
    }
}

impl WideMotion {
    /// Reads the displacements of bodies.
    #[inline(always)]
    pub fn gather(bodies: &[SolverBody], of: &[u32; WIDTH]) -> Self {
        Self {
            shift: gather3(bodies, of, SHIFT),
            turn: gather3(bodies, of, TURN),
        }
    }

    /// How far the contact points at `arm` from the centres have moved, to first order
    /// in the turn. The point of a ball that rolls does not turn with it; second-order
    /// terms would lift it.
    #[inline(always)]
    pub fn displacement(&self, arm: Wide3) -> Wide3 {
        let two = Lanes([2.0; WIDTH]);
        self.shift + self.turn.cross(arm) * two
    }
}

/// A symmetric matrix in every lane.
#[derive(Clone, Copy, Debug, Default)]
pub struct WideSymmetric {
    /// xx, yy, zz.
    pub diagonal: [Wide; 3],
    /// xy, xz, yz.
    pub off: [Wide; 3],
}

impl WideSymmetric {
    /// Sets one lane.
    pub fn set(&mut self, lane: usize, m: &DMat3) {
        for (k, value) in [m.x_axis.x, m.y_axis.y, m.z_axis.z].into_iter().enumerate() {
            self.diagonal[k].0[lane] = value;
        }
        for (k, value) in [m.y_axis.x, m.z_axis.x, m.z_axis.y].into_iter().enumerate() {
            self.off[k].0[lane] = value;
        }
    }

    /// The product with a vector.
    #[inline(always)]
    pub fn times(&self, v: Wide3) -> Wide3 {
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
    /// The angular velocity after a free turn, given that before it: the angular momentum
    /// stays. Turns are since the start of the step.
    pub fn omega_after_turn(&self, omega: DVec3, from: DQuat, to: DQuat) -> DVec3 {
        if self.inverse_mass == 0.0 {
            return omega;
        }
        let (from, to) = (from * self.orientation, to * self.orientation);
        let momentum = from * (self.moments * (from.conjugate() * omega));
        to * ((to.conjugate() * momentum) / self.moments)
    }
}

/// Moves a body on with its velocity for `h` seconds. Its angular momentum stays: the
/// angular velocity follows from it in the new orientation. `free` says that no
/// constraint has changed its velocity: then it has moved under constant acceleration,
/// and its mean velocity is less than the last one by a h/2.
pub fn advance(body: &SolverBody, constants: &BodyConstants, free: bool, h: f64) {
    if constants.inverse_mass == 0.0 {
        // Scripted: its velocities stay.
        body.set_shift(body.shift() + body.velocity() * h);
        if body.omega() != DVec3::ZERO {
            body.set_turn((rotation::exp(body.omega() * h) * body.turn()).normalize());
        }
        return;
    }
    let mut mean = body.velocity();
    if free {
        mean -= constants.acceleration * (0.5 * h);
    }
    body.set_shift(body.shift() + mean * h);
    let omega = body.omega();
    if omega == DVec3::ZERO {
        return;
    }
    let from = body.turn();
    let before = from * constants.orientation;
    let own = before.conjugate() * omega;
    let momentum = constants.moments * own;
    // Half a step of Euler's equations gives the angular velocity in the middle, which
    // turns the body by one rotation of second order.
    let rate = -(own.cross(momentum)) / constants.moments;
    let middle = before * (own + rate * (0.5 * h));
    let turn = (rotation::exp(middle * h) * body.turn()).normalize();
    body.set_turn(turn);
    body.set_omega(constants.omega_after_turn(omega, from, turn));
}
