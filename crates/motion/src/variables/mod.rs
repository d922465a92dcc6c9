//! The unknowns: positions and velocities of every frame at the knots, and the contact
//! variables of every phase (Mordatch (13)).
//!
//! A *frame* is a torso or an effector: a place and a rotation that change in
//! time, as cubic Hermite splines of a position and of an exponential map. Knots
//! are phase boundaries, and with two segments to a phase also the middles of
//! phases. The first knot is the state at the start, which is given, and is no unknown.
//!
//! Unknowns are in blocks, one for each knot but the first:
//! position, rotation, velocity and rate of rotation (12 numbers) of each frame,
//! then the contact variables of the phase whose first segment ends there. So a
//! segment depends on two neighbouring blocks only.

mod sample;
mod sink;

pub use sample::{FrameGradient, FrameState, Moment, MomentGradient, MotionState, add_outer};
pub use sink::{CostSum, GradientSink, NormalEquations, ResidualSink, RowBuffer};

use crate::character::Placement;
use crate::start::Twist;
use conatus_math::hermite::Weights;
use conatus_math::{DMat3, DVec3};

/// Numbers of one frame at one knot.
pub const FRAME: usize = 12;

/// How the unknowns of Mordatch (13) are laid out.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The number of frames.
    pub frames: usize,
    /// The number of contacts.
    pub contacts: usize,
    /// The number of phases.
    pub phases: usize,
    /// Segments of the splines in a phase: 1 or 2.
    pub segments: usize,
    /// The length of a phase, in seconds.
    pub phase_seconds: f64,
    /// The state of each frame at the start.
    pub start: Vec<FrameStart>,
}

/// A frame at the start: the first knot of its splines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameStart {
    /// Where its origin is.
    pub position: DVec3,
    /// From its own axes to world axes.
    pub orientation: DMat3,
    /// How fast it moves.
    pub velocity: Twist,
}

impl FrameStart {
    /// At a place, with a velocity.
    pub fn new(place: &Placement, velocity: Twist) -> Self {
        Self {
            position: place.position,
            orientation: place.orientation,
            velocity,
        }
    }
}

impl Layout {
    /// The number of blocks of unknowns: all knots but the first.
    pub fn blocks(&self) -> usize {
        self.phases * self.segments
    }

    /// The length of a segment, in seconds.
    pub fn segment_seconds(&self) -> f64 {
        self.phase_seconds / self.segments as f64
    }

    /// The length of the movement, in seconds.
    pub fn seconds(&self) -> f64 {
        self.phase_seconds * self.phases as f64
    }

    /// The index of a block's first unknown.
    pub fn block_start(&self, block: usize) -> usize {
        block * self.frames * FRAME + block.div_ceil(self.segments) * self.contacts
    }

    /// The sizes of all blocks.
    pub fn sizes(&self) -> Vec<usize> {
        let size = |b| self.block_start(b + 1) - self.block_start(b);
        (0..self.blocks()).map(size).collect()
    }

    /// The number of unknowns.
    pub fn len(&self) -> usize {
        self.block_start(self.blocks())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of a frame's first unknown at a knot; none at the first knot.
    pub fn frame(&self, knot: usize, frame: usize) -> Option<usize> {
        let block = knot.checked_sub(1)?;
        Some(self.block_start(block) + frame * FRAME)
    }

    /// The index of a contact's variable a (of c = a²) in a phase.
    pub fn contact(&self, phase: usize, contact: usize) -> usize {
        self.block_start(phase * self.segments) + self.frames * FRAME + contact
    }

    /// The start pose at all knots, without motion and with all contacts at c = 1
    /// (§4.5). c = 0 is a stationary point, because the derivative of (7) is zero there.
    pub fn still(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.len()];
        for knot in 1..=self.blocks() {
            for frame in 0..self.frames {
                let at = self.block_start(knot - 1) + frame * FRAME;
                x[at..at + 3].copy_from_slice(&self.start[frame].position.to_array());
            }
        }
        for phase in 0..self.phases {
            for contact in 0..self.contacts {
                x[self.contact(phase, contact)] = 1.0;
            }
        }
        x
    }

    /// The moment at the fraction `s` of a segment.
    pub fn moment(&self, segment: usize, s: f64, weight: f64) -> Moment {
        Moment {
            segment,
            phase: segment / self.segments,
            time: (segment as f64 + s) * self.segment_seconds(),
            weight,
            weights: Weights::new(s, self.segment_seconds()),
        }
    }

    /// `count` moments in every segment, its two ends among them, with the
    /// weights of the trapezoid rule (in seconds).
    pub fn moments(&self, count: usize) -> Vec<Moment> {
        let gaps = count.max(2) - 1;
        let step = self.segment_seconds() / gaps as f64;
        let mut out = Vec::new();
        for segment in 0..self.blocks() {
            for i in 0..=gaps {
                let end = i == 0 || i == gaps;
                let weight = if end { 0.5 * step } else { step };
                out.push(self.moment(segment, i as f64 / gaps as f64, weight));
            }
        }
        out
    }

    /// The moment at a time, at the end of a segment rather than at the
    /// beginning of the next.
    pub fn moment_at(&self, time: f64) -> Moment {
        let place = (time / self.segment_seconds()).clamp(0.0, self.blocks() as f64);
        let segment = (place.ceil() as usize).saturating_sub(1);
        self.moment(segment, (place - segment as f64).clamp(0.0, 1.0), 1.0)
    }
}
