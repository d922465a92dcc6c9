//! The input of a search: characters and objects with their start states, the
//! surroundings, and goals.

use crate::costs::physics::Objective;
use crate::program::Program;
use crate::score::{self, Thresholds};
use crate::start::{CharacterStart, ObjectStart};
use crate::surface::Surface;
use crate::variables::FrameState;
use crate::weights::CostWeights;
use conatus_math::DVec3;

/// A character or an object of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One of [`Problem::characters`].
    Character(usize),
    /// One of [`Problem::objects`].
    Object(usize),
}

/// A goal (Mordatch §4.3, §5). Unless it has a time, it applies to the end of the
/// movement.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// Stand on some limbs: they are vertical and nearly straight below the torso, or
    /// as their description says, and the torso is upright. Other limbs may have to
    /// point up.
    Stand {
        /// The character.
        character: usize,
        /// The limbs to stand on: feet or hands.
        on: Vec<usize>,
        /// The limbs that point straight up.
        up: Vec<usize>,
        /// Whether the head points down: a handstand.
        upside_down: bool,
    },
    /// Sit: the torso upright, its seat on the ground, some limbs stretched forwards.
    Sit {
        /// The character.
        character: usize,
        /// The height of the centre of mass.
        height: f64,
        /// The limbs that are stretched forwards.
        forwards: Vec<usize>,
    },
    /// Keep low during the whole movement, the torso level and off the ground, and end
    /// on some limbs.
    Crawl {
        /// The character.
        character: usize,
        /// The largest height of the centre of the torso, in metres above zero.
        height: f64,
        /// The limbs to end on: hands and feet.
        on: Vec<usize>,
    },
    /// A torso or an object is at a position, in the directions that are given.
    Position {
        /// The character or object.
        subject: Subject,
        /// The position.
        target: [Option<f64>; 3],
        /// The time in seconds if it is not the end; rounded to the nearest knot.
        time: Option<f64>,
        /// For how many seconds before that time it has to be there.
        hold: f64,
        /// Whether it may still move at that time, as a thrown object does.
        moving: bool,
    },
    /// Face a direction.
    Facing {
        /// The character.
        character: usize,
        /// A horizontal direction.
        direction: DVec3,
    },
    /// An effector is at a position with a velocity at a time.
    Strike {
        /// The character.
        character: usize,
        /// The limb.
        limb: usize,
        /// The time in seconds; rounded to the nearest knot.
        time: f64,
        /// The position.
        position: DVec3,
        /// The velocity.
        velocity: DVec3,
    },
}

/// The effort of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// The seed of all randomness.
    pub seed: u64,
    /// Iterations of the three stages of continuation (§4.5).
    pub iterations: [usize; 3],
    /// Iterations of the polish.
    pub polish: usize,
    /// Moments per segment at which costs are evaluated.
    pub samples: usize,
    /// The same for the polish.
    pub polish_samples: usize,
    /// The standard deviation of the noise between stages.
    pub noise: f64,
    /// The largest number of attempts.
    pub attempts: usize,
    /// How many [different](crate::contact_pattern) movements are requested. With
    /// more than one, all attempts are made.
    pub keep: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            seed: 0,
            iterations: [150, 400, 450],
            polish: 30,
            samples: 6,
            polish_samples: 10,
            noise: 0.01,
            attempts: 6,
            keep: 1,
        }
    }
}

/// The input of a search.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The characters, with the states in which they start.
    pub characters: Vec<CharacterStart>,
    /// The objects that they handle, with the states in which those start.
    pub objects: Vec<ObjectStart>,
    /// The surroundings, which do not move.
    pub surfaces: Vec<Surface>,
    /// The acceleration of gravity, along −z.
    pub gravity: DVec3,
    /// The number of phases of the movement.
    pub phases: usize,
    /// The length of a phase, in seconds.
    pub phase_seconds: f64,
    /// Segments of the splines in a phase, 1 or 2.
    pub segments: usize,
    /// The goals.
    pub goals: Vec<Goal>,
    /// The weights of the costs.
    pub weights: CostWeights,
    /// The form of (8).
    pub objective: Objective,
    /// The effort of the search.
    pub effort: Effort,
    /// The largest errors that a good movement may have.
    pub thresholds: Thresholds,
}

impl Problem {
    /// The faults of the start state: limbs that do not reach their effectors, parts
    /// that penetrate each other or the ground, velocities that are not finite.
    pub fn check(&self) -> Vec<String> {
        /// Errors of rounded input that are accepted, in metres.
        const TOLERANCE_M: f64 = 1e-3;
        let program = Program::new(self);
        let state = program.start_state();
        let mut faults = Vec::new();
        let finite = |f: &FrameState| f.velocity.is_finite() && f.omega.is_finite();
        if !state.frames.iter().all(finite) {
            faults.push("a velocity is not a finite number".to_owned());
        }
        for (spec, limb) in program.limbs.iter().zip(&state.limbs) {
            let name = &program.characters[spec.character].limbs[spec.limb].name;
            let (chord, least, most) = (limb.chord, spec.shortest, spec.reach);
            if !(least - TOLERANCE_M..=most + TOLERANCE_M).contains(&chord) {
                faults.push(format!(
                    "`{name}` spans {chord:.3} m from its base to its tip, but can span {least:.3} to {most:.3} m"
                ));
            }
        }
        let depth = score::penetration(&program, &state);
        if depth > TOLERANCE_M {
            faults.push(format!(
                "it is {depth:.3} m deep in the ground, in an obstacle or in itself"
            ));
        }
        faults
    }
}
