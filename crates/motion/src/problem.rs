//! What is asked for: characters where they start, what surrounds them, and what
//! they are to have done in the end.

use crate::costs::physics::Objective;
use crate::program::Program;
use crate::score::{self, Thresholds};
use crate::start::{CharacterStart, ObjectStart};
use crate::surface::Surface;
use crate::variables::FrameState;
use crate::weights::Weights;
use conatus_math::DVec3;

/// A character or an object of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One of [`Problem::characters`].
    Character(usize),
    /// One of [`Problem::objects`].
    Object(usize),
}

/// A goal of one or two lines (Mordatch §4.3, §5). Unless it says otherwise, it
/// is about the end of the movement.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// To stand on some limbs: they are vertical and nearly straight below the
    /// torso, or as their description says, and the torso is upright; other limbs
    /// point up if that is asked for.
    Stand {
        /// Who.
        character: usize,
        /// On what: the feet, or the hands.
        on: Vec<usize>,
        /// What points straight up.
        up: Vec<usize>,
        /// Whether the head is below: a handstand.
        upside_down: bool,
    },
    /// To sit: the torso upright, its seat on the ground, some limbs stretched
    /// forwards.
    Sit {
        /// Who.
        character: usize,
        /// The height of the centre of mass.
        height: f64,
        /// What is stretched forwards.
        forwards: Vec<usize>,
    },
    /// To keep low all the way, the torso level and off the ground, and to end on
    /// some limbs.
    Crawl {
        /// Who.
        character: usize,
        /// What the centre of the torso may have at most, in metres above zero.
        height: f64,
        /// On what: hands and feet.
        on: Vec<usize>,
    },
    /// The torso, or a thing, to be somewhere, in the directions that are given.
    Position {
        /// The character or object.
        subject: Subject,
        /// Where.
        target: [Option<f64>; 3],
        /// When, in seconds, if it is not the end; it becomes the nearest knot.
        time: Option<f64>,
        /// For how many seconds before that it is there already.
        hold: f64,
        /// Whether it may still move then: what is thrown does.
        moving: bool,
    },
    /// To face somewhere.
    Facing {
        /// Who.
        character: usize,
        /// A horizontal direction.
        direction: DVec3,
    },
    /// An effector to be at a place with a velocity at a time.
    Strike {
        /// Who.
        character: usize,
        /// With which limb.
        limb: usize,
        /// When, in seconds; it becomes the nearest knot.
        time: f64,
        /// Where.
        position: DVec3,
        /// How fast.
        velocity: DVec3,
    },
}

/// How hard to try.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// The seed of all randomness.
    pub seed: u64,
    /// Iterations of the three stages of continuation (§4.5).
    pub iterations: [usize; 3],
    /// Iterations of the polish.
    pub polish: usize,
    /// Moments that are looked at in each segment.
    pub samples: usize,
    /// The same for the polish.
    pub polish_samples: usize,
    /// The size of the noise between stages.
    pub noise: f64,
    /// Attempts of the portfolio.
    pub attempts: usize,
    /// How many [different](crate::contact_pattern) movements are asked for. With more
    /// than one, all attempts are made.
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

/// A problem.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The characters, with the states in which they start.
    pub characters: Vec<CharacterStart>,
    /// The objects that they handle, with the states in which those start.
    pub objects: Vec<ObjectStart>,
    /// What surrounds them.
    pub surfaces: Vec<Surface>,
    /// The acceleration of gravity, along −z.
    pub gravity: DVec3,
    /// How many phases the movement has.
    pub phases: usize,
    /// How long each is, in seconds.
    pub phase_seconds: f64,
    /// Segments of the splines in a phase, 1 or 2.
    pub segments: usize,
    /// What is to be reached.
    pub goals: Vec<Goal>,
    /// What each cost weighs.
    pub weights: Weights,
    /// Which form of (8) counts.
    pub objective: Objective,
    /// How hard to try.
    pub effort: Effort,
    /// The largest errors that a good movement may have.
    pub thresholds: Thresholds,
}

impl Problem {
    /// What is wrong with how it starts: limbs that do not reach their
    /// effectors, and parts that are in each other or in the ground.
    pub fn check(&self) -> Vec<String> {
        /// What rounding and numbers with few digits may leave, in metres.
        const SLACK: f64 = 1e-3;
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
            if !(least - SLACK..=most + SLACK).contains(&chord) {
                faults.push(format!(
                    "`{name}` spans {chord:.3} m from its base to its tip, but can span {least:.3} to {most:.3} m"
                ));
            }
        }
        let depth = score::penetration(&program, &state);
        if depth > SLACK {
            faults.push(format!(
                "it is {depth:.3} m deep in the ground, in an obstacle or in itself"
            ));
        }
        faults
    }
}
