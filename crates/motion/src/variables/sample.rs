//! The state at one moment, and derivatives by it.

use super::{FRAME, FrameStart, Layout};
use crate::character::limb::LimbGradient;
use crate::character::{Character, LimbState};
use crate::inverse_dynamics::{Adjoint, Vector6};
use crate::start::Twist;
use conatus_math::exp_map::Rotation;
use conatus_math::hermite::{Weights, blend};
use conatus_math::{DMat3, DVec3};

/// A moment of the movement at which costs are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The segment it is in.
    pub segment: usize,
    /// The phase it is in.
    pub phase: usize,
    /// Seconds since the start.
    pub time: f64,
    /// Its weight in the quadrature over time, in seconds.
    pub weight: f64,
    /// The weights of the two knots of the segment.
    pub weights: Weights,
}

/// A frame at one moment, in world axes.
#[derive(Clone, Copy, Debug)]
pub struct FrameState {
    /// The position of its origin.
    pub position: DVec3,
    /// The velocity of its origin.
    pub velocity: DVec3,
    /// The acceleration of its origin.
    pub acceleration: DVec3,
    /// From its own axes to world axes.
    pub matrix: DMat3,
    /// Its angular velocity.
    pub omega: DVec3,
    /// Its angular acceleration.
    pub alpha: DVec3,
    /// The exponential map since the start, and its rates.
    pub turn: [DVec3; 3],
    rotation: Rotation,
}

impl Default for FrameState {
    fn default() -> Self {
        Self {
            position: DVec3::ZERO,
            velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            matrix: DMat3::IDENTITY,
            omega: DVec3::ZERO,
            alpha: DVec3::ZERO,
            turn: [DVec3::ZERO; 3],
            rotation: Rotation::new(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO),
        }
    }
}

impl FrameState {
    /// A frame at rest.
    pub fn at_rest(position: DVec3, matrix: DMat3) -> Self {
        Self {
            position,
            matrix,
            ..Self::default()
        }
    }

    /// A frame at the start, without acceleration.
    pub fn at_start(start: &FrameStart) -> Self {
        let Twist { linear, angular } = start.velocity;
        Self {
            position: start.position,
            velocity: linear,
            matrix: start.orientation,
            omega: angular,
            turn: [DVec3::ZERO, angular, DVec3::ZERO],
            rotation: Rotation::new(DVec3::ZERO, angular, DVec3::ZERO),
            ..Self::default()
        }
    }

    /// The position of a point fixed to the frame.
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.position + self.matrix * local
    }

    /// The velocity of a point fixed to the frame.
    pub fn point_velocity(&self, local: DVec3) -> DVec3 {
        self.velocity + self.omega.cross(self.matrix * local)
    }
}

/// Derivatives of a number by a frame at one moment.
#[derive(Clone, Copy, Debug)]
pub struct FrameGradient {
    /// By the position.
    pub position: DVec3,
    /// By the velocity.
    pub velocity: DVec3,
    /// By the acceleration.
    pub acceleration: DVec3,
    /// By the entries of the matrix.
    pub matrix: DMat3,
    /// By ω.
    pub omega: DVec3,
    /// By ω̇.
    pub alpha: DVec3,
    /// By the exponential map and its rates, in addition to the derivatives by the
    /// matrix, ω and ω̇.
    pub turn: [DVec3; 3],
}

impl FrameGradient {
    /// All zero. (The default of a matrix is the identity.)
    pub const ZERO: Self = Self {
        position: DVec3::ZERO,
        velocity: DVec3::ZERO,
        acceleration: DVec3::ZERO,
        matrix: DMat3::ZERO,
        omega: DVec3::ZERO,
        alpha: DVec3::ZERO,
        turn: [DVec3::ZERO; 3],
    };

    /// The gradient of a number that depends on a point fixed to the frame.
    #[inline]
    pub fn add_point_gradient(&mut self, local: DVec3, by_point: DVec3) {
        self.position += by_point;
        add_outer(&mut self.matrix, by_point, local);
    }

    /// The same for the point's velocity v + ω × (R local).
    #[inline]
    pub fn add_point_velocity_gradient(
        &mut self,
        state: &FrameState,
        local: DVec3,
        by_velocity: DVec3,
    ) {
        self.velocity += by_velocity;
        self.omega += (state.matrix * local).cross(by_velocity);
        add_outer(&mut self.matrix, by_velocity.cross(state.omega), local);
    }
}

/// matrix += u vᵀ.
#[inline]
pub fn add_outer(matrix: &mut DMat3, u: DVec3, v: DVec3) {
    matrix.x_axis += u * v.x;
    matrix.y_axis += u * v.y;
    matrix.z_axis += u * v.z;
}

/// Derivatives of a number by the state at one moment.
#[derive(Clone, Debug, Default)]
pub struct MomentGradient {
    /// By the frames.
    pub frames: Vec<FrameGradient>,
    /// By the contact variables a of the phase.
    pub contacts: Vec<f64>,
    /// Buffers for vector-Jacobian products.
    pub(crate) buffers: WorkBuffers,
}

/// Buffers for vector-Jacobian products, so that none is allocated at every moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkBuffers {
    pub numbers: Vec<f64>,
    pub forces: Vec<Vector6>,
    pub adjoint: Adjoint,
    pub limb: LimbGradient,
    pub torques: Vec<DVec3>,
}

impl MomentGradient {
    /// All zero.
    pub fn new(frames: usize, contacts: usize) -> Self {
        Self {
            frames: vec![FrameGradient::ZERO; frames],
            contacts: vec![0.0; contacts],
            buffers: WorkBuffers::default(),
        }
    }
}

/// The state at one moment.
#[derive(Clone, Debug, Default)]
pub struct MotionState {
    /// The frames: for each character its torso, then its effectors.
    pub frames: Vec<FrameState>,
    /// The contact variables a of the phase.
    pub contacts: Vec<f64>,
    /// The limbs of all characters.
    pub limbs: Vec<LimbState>,
}

impl MotionState {
    /// Reads the unknowns at a moment.
    pub fn update(&mut self, layout: &Layout, x: &[f64], moment: &Moment) {
        self.frames.clear();
        let read = |knot: Option<usize>, frame: usize| match knot {
            Some(at) => {
                let numbers = &x[at + frame * FRAME..][..FRAME];
                std::array::from_fn(|i| DVec3::from_slice(&numbers[3 * i..]))
            }
            // The exponential map starts at zero, where its rate is the angular
            // velocity.
            None => {
                let start = &layout.start[frame];
                let Twist { linear, angular } = start.velocity;
                [start.position, DVec3::ZERO, linear, angular]
            }
        };
        let w = &moment.weights;
        let first = layout.frame(moment.segment, 0);
        let second = layout.frame(moment.segment + 1, 0);
        for frame in 0..layout.frames {
            let [p0, r0, v0, q0] = read(first, frame);
            let [p1, r1, v1, q1] = read(second, frame);
            let (path, turns) = ([p0, v0, p1, v1], [r0, q0, r1, q1]);
            let turn = [w.position, w.velocity, w.acceleration].map(|w| blend(&w, &turns));
            let rotation = Rotation::new(turn[0], turn[1], turn[2]);
            self.frames.push(FrameState {
                position: blend(&w.position, &path),
                velocity: blend(&w.velocity, &path),
                acceleration: blend(&w.acceleration, &path),
                matrix: rotation.matrix * layout.start[frame].orientation,
                omega: rotation.omega,
                alpha: rotation.alpha,
                turn,
                rotation,
            });
        }
        let at = layout.contact(moment.phase, 0);
        self.contacts.clear();
        self.contacts
            .extend_from_slice(&x[at..at + layout.contacts]);
    }

    /// Places the joints of all limbs. `exact` keeps the lengths of links.
    pub fn update_limbs(&mut self, characters: &[Character], exact: bool) {
        let count = characters.iter().map(|c| c.limbs.len()).sum();
        self.limbs.resize_with(count, LimbState::default);
        let (mut torso, mut at) = (0, 0);
        for character in characters {
            for (k, limb) in character.limbs.iter().enumerate() {
                let (torso, effector) = (&self.frames[torso], &self.frames[torso + 1 + k]);
                self.limbs[at].update(limb, torso, effector, exact);
                at += 1;
            }
            torso += character.frames();
        }
    }

    /// The gradient of a frame by its numbers at the two knots of the segment:
    /// position, rotation and their rates at the first, the same at the second.
    #[inline]
    pub(super) fn to_knots(
        &self,
        layout: &Layout,
        moment: &Moment,
        frame: usize,
        gradient: &FrameGradient,
        out: &mut [f64; 2 * FRAME],
    ) {
        let state = &self.frames[frame];
        let start = layout.start[frame].orientation.transpose();
        let turn =
            state
                .rotation
                .adjoint(&(gradient.matrix * start), gradient.omega, gradient.alpha);
        let turn = [
            turn.r + gradient.turn[0],
            turn.r_dot + gradient.turn[1],
            turn.r_ddot + gradient.turn[2],
        ];
        let w = &moment.weights;
        for knot in 0..2 {
            for rate in 0..2 {
                let k = 2 * knot + rate;
                let (a, b, c) = (w.position[k], w.velocity[k], w.acceleration[k]);
                let path =
                    gradient.position * a + gradient.velocity * b + gradient.acceleration * c;
                let turn = turn[0] * a + turn[1] * b + turn[2] * c;
                let at = knot * FRAME + rate * 6;
                out[at..at + 3].copy_from_slice(&path.to_array());
                out[at + 3..at + 6].copy_from_slice(&turn.to_array());
            }
        }
    }
}
