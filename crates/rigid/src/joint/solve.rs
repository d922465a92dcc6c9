//! Joints as soft constraints, in the substeps of [`crate::contact::solver`].
//!
//! Each coordinate gives a row: a direction d for forces and angular parts α, β for
//! torques, so that its rate is d·(v_b − v_a) + β·ω_b − α·ω_a. The rows of locked
//! coordinates are solved together, by the Cholesky factors of their matrix
//! K = J M⁻¹ Jᵀ; limits, springs and motors one after another before them.

use super::{Coordinates, Freedom, Joint, JointLoad, MotorTarget};
use crate::contact::solver::bodies::{BodyConstants, SolverBody};
use crate::contact::solver::softness::Softness;
use conatus_math::{DMat3, DQuat, DVec3, Pose, atan2};
use std::f64::consts::{PI, TAU};

/// A motor with a target position comes nearer by this share of the rest in a second.
const SERVO_RATE: f64 = 20.0;
const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];
/// Rows that depend on others up to this share of their own size do nothing.
const DEPENDENT: f64 = 1e-10;
const MAX_LOCKED: usize = 6;

/// The derivative of a coordinate.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// Along which forces act on the second body.
    direction: DVec3,
    /// The angular parts of the two bodies.
    angular: [DVec3; 2],
}

/// A limit, spring or motor.
#[derive(Clone, Copy, Debug)]
struct Single {
    row: Row,
    slot: usize,
    kind: Kind,
    /// 1/K.
    mass: f64,
    /// The velocity that is wanted, besides what softness asks for.
    bias: f64,
    /// σ and γ of a soft constraint.
    mass_scale: f64,
    impulse_scale: f64,
    /// Bounds of the impulse of a substep.
    bounds: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Spring,
    Motor,
}

/// One side of a joint at a moment.
#[derive(Clone, Copy, Debug)]
struct Side {
    inverse_mass: f64,
    inverse_inertia: DMat3,
    centre: DVec3,
    frame: Pose,
}

impl Side {
    fn at(body: &SolverBody, constants: &BodyConstants, frame: &Pose) -> Self {
        let turn = body.turn();
        let r = DMat3::from_quat(turn);
        let pose = Pose::new(
            (turn * constants.orientation).normalize(),
            constants.position + body.shift(),
        );
        Self {
            inverse_mass: constants.inverse_mass,
            inverse_inertia: r * constants.inverse_inertia * r.transpose(),
            centre: pose.translation,
            frame: pose.after(frame),
        }
    }
}

/// A joint that is ready for a substep.
#[derive(Clone, Debug)]
pub struct PreparedJoint {
    /// The solver's numbers of the bodies; 0 for the world.
    bodies: [u32; 2],
    /// The frames in the axes of the movers.
    frames: [Pose; 2],
    inverse_masses: [f64; 2],
    inverse_inertias: [DMat3; 2],
    locked: [Row; MAX_LOCKED],
    slots: [usize; MAX_LOCKED],
    errors: [f64; MAX_LOCKED],
    count: usize,
    /// The lower triangle of the Cholesky factor, with inverse diagonal.
    factor: [[f64; MAX_LOCKED]; MAX_LOCKED],
    singles: Vec<Single>,
    /// The impulse and angular impulse about the anchor on the second body in this step.
    total: [DVec3; 2],
    anchor: DVec3,
    /// The greatest errors of the step: translation and rotation.
    worst: [f64; 2],
}

/// What all joints of a substep share.
#[derive(Clone, Copy, Debug)]
pub struct JointSettings {
    /// The length of a substep in seconds.
    pub h: f64,
    /// Of locked coordinates and limits.
    pub soft: Softness,
}

impl PreparedJoint {
    /// A joint between the solver's bodies, with its frames in their axes.
    pub fn new(bodies: [u32; 2], frames: [Pose; 2]) -> Self {
        Self {
            bodies,
            frames,
            inverse_masses: [0.0; 2],
            inverse_inertias: [DMat3::ZERO; 2],
            locked: [Row::default(); MAX_LOCKED],
            slots: [0; MAX_LOCKED],
            errors: [0.0; MAX_LOCKED],
            count: 0,
            factor: [[0.0; MAX_LOCKED]; MAX_LOCKED],
            singles: Vec::new(),
            total: [DVec3::ZERO; 2],
            anchor: DVec3::ZERO,
            worst: [0.0; 2],
        }
    }

    /// Finds the rows at the present positions.
    pub fn prepare(
        &mut self,
        joint: &Joint,
        bodies: &[SolverBody],
        constants: &[BodyConstants],
        settings: &JointSettings,
    ) {
        let side = |k: usize| {
            let n = self.bodies[k] as usize;
            Side::at(&bodies[n], &constants[n], &self.frames[k])
        };
        let sides = [side(0), side(1)];
        self.inverse_masses = [0, 1].map(|k| sides[k].inverse_mass);
        self.inverse_inertias = [0, 1].map(|k| sides[k].inverse_inertia);
        self.anchor = sides[1].frame.translation;
        self.count = 0;
        self.singles.clear();
        match &joint.coordinates {
            Coordinates::Distance(along) => self.add_distance(&sides, along, settings),
            Coordinates::Axes { linear, angular } => {
                self.add_linear(&sides, linear, settings);
                self.add_angular(&sides, angular, joint.chain, settings);
            }
        }
        self.factorise();
    }

    fn add_distance(&mut self, sides: &[Side; 2], along: &Freedom, settings: &JointSettings) {
        let [a, b] = [0, 1].map(|k| sides[k].frame.translation);
        let between = b - a;
        let length = between.length();
        let direction = between.try_normalize().unwrap_or(DVec3::Z);
        let row = Row {
            direction,
            angular: [
                (a - sides[0].centre).cross(direction),
                (b - sides[1].centre).cross(direction),
            ],
        };
        match along.range {
            _ if along.locked => self.add_locked(row, 0, length),
            Some([low, high]) if low == high => self.add_locked(row, 0, length - low),
            _ => self.add_singles(row, 0, length, along, settings),
        }
    }

    fn add_linear(&mut self, sides: &[Side; 2], linear: &[Freedom; 3], settings: &JointSettings) {
        let between = sides[1].frame.translation - sides[0].frame.translation;
        // The axes turn with the first body, so both forces act at the second anchor.
        let arms = [0, 1].map(|k| sides[1].frame.translation - sides[k].centre);
        for (k, freedom) in linear.iter().enumerate() {
            let direction = sides[0].frame.direction(AXES[k]);
            let row = Row {
                direction,
                angular: arms.map(|arm| arm.cross(direction)),
            };
            let value = between.dot(direction);
            match freedom.locked {
                true => self.add_locked(row, k, value),
                false => self.add_singles(row, k, value, freedom, settings),
            }
        }
    }

    fn add_angular(
        &mut self,
        sides: &[Side; 2],
        angular: &[Freedom; 3],
        chain: bool,
        settings: &JointSettings,
    ) {
        let turns = [0, 1].map(|k| sides[k].frame.rotation);
        let about = rotations(angular, chain, turns[0], turns[1]);
        for (k, (axis, value)) in about.into_iter().enumerate() {
            let row = Row {
                direction: DVec3::ZERO,
                angular: [axis; 2],
            };
            match angular[k].locked {
                true => self.add_locked(row, 3 + k, value),
                false => self.add_singles(row, 3 + k, value, &angular[k], settings),
            }
        }
    }

    fn add_locked(&mut self, row: Row, slot: usize, error: f64) {
        self.locked[self.count] = row;
        self.slots[self.count] = slot;
        self.errors[self.count] = error;
        self.count += 1;
        self.note_error(slot, error.abs());
    }

    fn note_error(&mut self, slot: usize, error: f64) {
        let worst = &mut self.worst[usize::from(slot >= 3)];
        *worst = worst.max(error);
    }

    fn add_singles(
        &mut self,
        row: Row,
        slot: usize,
        value: f64,
        freedom: &Freedom,
        settings: &JointSettings,
    ) {
        let yielding = self.product(&row, &row);
        if yielding <= 0.0 {
            return;
        }
        let (h, inverse) = (settings.h, 1.0 / yielding);
        let rigid = Single {
            row,
            slot,
            kind: Kind::Motor,
            mass: inverse,
            bias: 0.0,
            mass_scale: 1.0,
            impulse_scale: 0.0,
            bounds: [f64::NEG_INFINITY, f64::INFINITY],
        };
        if let Some(spring) = freedom.spring {
            // An implicit spring: (K + γ) λ = −(v + γ h k x) − γ Λ.
            let gamma = 1.0 / (h * (spring.damping + h * spring.stiffness));
            if gamma.is_finite() {
                let mass = 1.0 / (yielding + gamma);
                let stretched = difference(slot, value, spring.rest);
                self.singles.push(Single {
                    kind: Kind::Spring,
                    mass,
                    bias: gamma * h * spring.stiffness * stretched,
                    impulse_scale: gamma * mass,
                    ..rigid
                });
            }
        }
        if let Some(motor) = freedom.motor {
            let speed = match motor.target {
                MotorTarget::Velocity(speed) => speed,
                MotorTarget::Position(target) => {
                    let speed = SERVO_RATE.min(0.5 / h) * difference(slot, target, value);
                    speed.clamp(-motor.max_speed, motor.max_speed)
                }
            };
            let most = motor.max_force * h;
            self.singles.push(Single {
                bias: -speed,
                bounds: [-most, most],
                ..rigid
            });
        }
        if let Some([low, high]) = freedom.range {
            for (kind, gap, sign) in [
                (Kind::Lower, value - low, 1.0),
                (Kind::Upper, high - value, -1.0),
            ] {
                self.note_error(slot, (-gap).max(0.0));
                let turned = Row {
                    direction: row.direction * sign,
                    angular: row.angular.map(|j| j * sign),
                };
                let soft = settings.soft;
                let (bias, mass_scale, impulse_scale) = match gap > 0.0 {
                    true => (gap / h, 1.0, 0.0),
                    false => (gap * soft.bias_rate, soft.mass_scale, soft.impulse_scale),
                };
                self.singles.push(Single {
                    row: turned,
                    kind,
                    bias,
                    mass_scale,
                    impulse_scale,
                    bounds: [0.0, f64::INFINITY],
                    ..rigid
                });
            }
        }
    }

    /// Two rows multiplied through the inverse masses.
    fn product(&self, a: &Row, b: &Row) -> f64 {
        let masses = self.inverse_masses[0] + self.inverse_masses[1];
        let turning = [0, 1].map(|k| a.angular[k].dot(self.inverse_inertias[k] * b.angular[k]));
        masses * a.direction.dot(b.direction) + turning[0] + turning[1]
    }

    fn factorise(&mut self) {
        for i in 0..self.count {
            for j in 0..=i {
                let mut sum = self.product(&self.locked[i], &self.locked[j]);
                let own = sum;
                for k in 0..j {
                    sum -= self.factor[i][k] * self.factor[j][k];
                }
                self.factor[i][j] = match i == j {
                    true if sum > DEPENDENT * own => 1.0 / sum.sqrt(),
                    true => 0.0,
                    false => sum * self.factor[j][j],
                };
            }
        }
    }

    /// K⁻¹ times a vector, in place.
    fn solve_locked(&self, x: &mut [f64; MAX_LOCKED]) {
        for i in 0..self.count {
            for k in 0..i {
                x[i] -= self.factor[i][k] * x[k];
            }
            x[i] *= self.factor[i][i];
        }
        for i in (0..self.count).rev() {
            for k in i + 1..self.count {
                x[i] -= self.factor[k][i] * x[k];
            }
            x[i] *= self.factor[i][i];
        }
    }

    fn speed(&self, row: &Row, bodies: &[SolverBody]) -> f64 {
        let [a, b] = self.bodies.map(|k| &bodies[k as usize]);
        row.direction.dot(b.velocity() - a.velocity()) + row.angular[1].dot(b.omega())
            - row.angular[0].dot(a.omega())
    }

    fn push(&mut self, row: &Row, impulse: f64, bodies: &[SolverBody]) {
        let linear = row.direction * impulse;
        self.total[0] += linear;
        if row.direction == DVec3::ZERO {
            self.total[1] += row.angular[1] * impulse;
        }
        for (k, sign) in [(0, -1.0), (1, 1.0)] {
            if self.inverse_masses[k] > 0.0 {
                let body = &bodies[self.bodies[k] as usize];
                body.set_velocity(body.velocity() + linear * (sign * self.inverse_masses[k]));
                let turn = self.inverse_inertias[k] * (row.angular[k] * (sign * impulse));
                body.set_omega(body.omega() + turn);
            }
        }
    }

    /// Applies the impulses of the last substep.
    pub fn warm_start(&mut self, joint: &mut Joint, bodies: &[SolverBody]) {
        for k in 0..self.singles.len() {
            let single = self.singles[k];
            let stored = stored(joint, &single);
            *stored = stored.clamp(single.bounds[0], single.bounds[1]);
            let impulse = *stored;
            self.push(&single.row, impulse, bodies);
        }
        for k in 0..self.count {
            let row = self.locked[k];
            self.push(&row, joint.impulses.locked[self.slots[k]], bodies);
        }
    }

    /// One pass over the rows; with bias errors are pushed back.
    pub fn solve(
        &mut self,
        joint: &mut Joint,
        bodies: &[SolverBody],
        settings: &JointSettings,
        with_bias: bool,
    ) {
        for k in 0..self.singles.len() {
            let single = self.singles[k];
            let is_limit = matches!(single.kind, Kind::Lower | Kind::Upper);
            // Limits without bias keep what is apart apart, and hold what touches.
            let (bias, mass_scale, impulse_scale) = match is_limit && !with_bias {
                true => (single.bias.max(0.0), 1.0, 0.0),
                false => (single.bias, single.mass_scale, single.impulse_scale),
            };
            let speed = self.speed(&single.row, bodies) + bias;
            let stored = stored(joint, &single);
            let change = -single.mass * mass_scale * speed - impulse_scale * *stored;
            let new = (*stored + change).clamp(single.bounds[0], single.bounds[1]);
            let change = new - *stored;
            *stored = new;
            self.push(&single.row, change, bodies);
        }
        if self.count == 0 {
            return;
        }
        let soft = match with_bias {
            true => settings.soft,
            false => Softness::RIGID,
        };
        let mut x = [0.0; MAX_LOCKED];
        for (k, x) in x.iter_mut().enumerate().take(self.count) {
            *x = self.speed(&self.locked[k], bodies) + soft.bias_rate * self.errors[k];
        }
        self.solve_locked(&mut x);
        for (k, x) in x.into_iter().enumerate().take(self.count) {
            let stored = &mut joint.impulses.locked[self.slots[k]];
            let change = -soft.mass_scale * x - soft.impulse_scale * *stored;
            *stored += change;
            let row = self.locked[k];
            self.push(&row, change, bodies);
        }
    }

    /// The solver's numbers of its bodies; 0 for the world.
    pub fn bodies(&self) -> [u32; 2] {
        self.bodies
    }

    /// What the joint carried in a step of `h` seconds.
    pub fn load(&self, h: f64) -> JointLoad {
        JointLoad {
            force: self.total[0] / h,
            torque: self.total[1] / h,
            error: self.worst[0],
            angle_error: self.worst[1],
        }
    }
}

/// The stored impulse of a limit, spring or motor.
fn stored<'a>(joint: &'a mut Joint, single: &Single) -> &'a mut f64 {
    let impulses = &mut joint.impulses;
    let list = match single.kind {
        Kind::Lower => &mut impulses.lower,
        Kind::Upper => &mut impulses.upper,
        Kind::Spring => &mut impulses.spring,
        Kind::Motor => &mut impulses.motor,
    };
    &mut list[single.slot]
}

/// a − b; angles by the shorter way.
pub(super) fn difference(slot: usize, a: f64, b: f64) -> f64 {
    match slot >= 3 {
        true => wrapped(a - b),
        false => a - b,
    }
}

/// An angle between −π and π.
fn wrapped(angle: f64) -> f64 {
    let turns = ((angle + PI) / TAU).floor();
    angle - turns * TAU
}

/// The values of the rotations of a joint (see [`Coordinates::Axes`]).
pub fn angles(angular: &[Freedom; 3], chain: bool, a: DQuat, b: DQuat) -> [f64; 3] {
    rotations(angular, chain, a, b).map(|(_, value)| value)
}

/// For each rotation the axis in the world about which it changes, and its value.
fn rotations(angular: &[Freedom; 3], chain: bool, a: DQuat, b: DQuat) -> [(DVec3, f64); 3] {
    let mut out = [(DVec3::ZERO, 0.0); 3];
    let mut q = a.conjugate() * b;
    if q.w < 0.0 {
        q = -q;
    }
    let part = [q.x, q.y, q.z];
    let twist = |k: usize| 2.0 * atan2(part[k], q.w);
    let free: Vec<usize> = (0..3).filter(|&k| !angular[k].locked).collect();
    match free[..] {
        [] => {
            for k in 0..3 {
                out[k] = (a * AXES[k], 2.0 * part[k]);
            }
        }
        [k] => {
            let apart = (a * AXES[k]).cross(b * AXES[k]);
            for other in [(k + 1) % 3, (k + 2) % 3] {
                let axis = a * AXES[other];
                out[other] = (axis, apart.dot(axis));
            }
            out[k] = (a * AXES[k], twist(k));
        }
        [low, high] => {
            // The first frame carries the later axis, the second the earlier one.
            let (on_a, on_b) = (a * AXES[high], b * AXES[low]);
            let seen_a = a.conjugate() * on_b;
            let seen_b = b.conjugate() * on_a;
            let side_a = AXES[high].cross(AXES[low]);
            let side_b = AXES[low].cross(AXES[high]);
            out[high] = (on_a, atan2(seen_a.dot(side_a), seen_a.dot(AXES[low])));
            out[low] = (on_b, atan2(-seen_b.dot(side_b), seen_b.dot(AXES[high])));
            let locked = 3 - low - high;
            out[locked] = (on_b.cross(on_a), on_a.dot(on_b));
        }
        _ if chain => return hinges(a, b),
        _ => {
            let (za, zb) = (a * DVec3::Z, b * DVec3::Z);
            let (across, along) = (za.cross(zb), za.dot(zb));
            let sine = across.length();
            if sine > 1e-9 {
                out[0] = (across / sine, atan2(sine, along));
            }
            if along > -0.99 {
                out[2] = ((za + zb) / (1.0 + along), twist(2));
            }
        }
    }
    out
}

/// Three hinges one after another, about z, y and x, whose links have no mass.
///
/// With the axes a_k in the world, ω_b − ω_a = Σ θ̇_k a_k. A torque T between the bodies
/// does the work Σ T·a_k θ̇_k, so hinge k feels T·a_k. Both give the dual basis b_k with
/// b_k·a_j = δ_kj: θ̇_k = b_k·(ω_b − ω_a), and a torque of hinge k alone is along b_k.
fn hinges(a: DQuat, b: DQuat) -> [(DVec3, f64); 3] {
    /// The least cosine of the middle angle that is divided by: at a right angle the first
    /// and the last axis are parallel.
    const LEAST_COSINE: f64 = 1e-2;
    // The columns of Rz(ψ) Ry(θ) Rx(φ): the first is (cψ cθ, sψ cθ, −sθ), and the last row
    // is (−sθ, cθ sφ, cθ cφ).
    let r = DMat3::from_quat(a.conjugate() * b);
    let cosine = r.x_axis.x.hypot(r.x_axis.y);
    let first = atan2(r.x_axis.y, r.x_axis.x);
    let middle = atan2(-r.x_axis.z, cosine);
    let last = atan2(r.y_axis.z, r.z_axis.z);
    let (z, x) = (a * DVec3::Z, b * DVec3::X);
    // The middle axis is at right angles to both; z × x has the length cos θ.
    let across = z.cross(x);
    let Some(y) = across.try_normalize().filter(|_| cosine > LEAST_COSINE) else {
        return [(x, last), (DVec3::ZERO, middle), (DVec3::ZERO, first)];
    };
    let volume = across.dot(y);
    [
        (y.cross(z) / volume, last),
        (y, middle),
        (x.cross(y) / volume, first),
    ]
}
