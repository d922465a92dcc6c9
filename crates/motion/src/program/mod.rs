//! A problem made ready for evaluation: its frames, contacts, limbs and pairs of parts,
//! and the layout of the unknowns.
//!
//! # Surroundings, objects and other characters
//!
//! The static surroundings are one set of rounded shapes ([`crate::surface`]), of which
//! every contact may touch the nearest (3). Everything that moves or can be gripped is a
//! [`ContactSolid`] with separate contacts. [`crate::contact_state`] computes the state of
//! a contact relative to its surface, for all costs. The surface may also be a torso or,
//! if `limb_contacts` is set for a character, a link of its limbs, whose joints then bear the
//! load too.
//!
//! - The friction of a sliding object is determined: the ground exerts one tilted force
//!   ([`crate::slide`]), and characters push until the object stops.
//! - Forces on an object are measured in its own weight; otherwise a light object could
//!   be held from a distance at almost no cost.
//! - Penetration of obstacles and objects is tested with points along all parts
//!   (`costs/obstacles.rs`).
//! - Every hand and foot may touch every object and every other character, but most
//!   never do. Contacts with moving surfaces are off where their variables are nearly zero
//!   ([`Program::contact_fade`]). Bodies that then exert no force on each other are
//!   solved separately ([`crate::inverse_dynamics`], `Cluster`), and their zero blocks
//!   cost nothing in the normal equations.

mod contacts;
mod parts;

pub use contacts::{Against, Anchor, ContactCandidate, ContactSolid};
pub(crate) use parts::MAX_PAIR_MARGIN_M;
pub use parts::{BodyPart, PairRun, PartPair};

use crate::base::RigidBase;
use crate::character::{Character, CharacterPose, Placement};
use crate::costs::obstacles::Probe;
use crate::costs::task::TaskTerm;
use crate::dynamics::{BodyMotion, DynamicModel, SingleRigidBody};
use crate::object::Object;
use crate::problem::{Problem, Subject};
use crate::surface::Surroundings;
use crate::variables::{FrameStart, FrameState, Layout, Moment, MotionState};
use crate::weights::CostWeights;
use conatus_math::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// A limb among all frames.
#[derive(Clone, Debug)]
pub struct LimbSpec {
    /// The character.
    pub character: usize,
    /// Its number among the limbs of the character.
    pub limb: usize,
    /// The frame of the torso.
    pub torso: usize,
    /// The frame of the effector.
    pub effector: usize,
    /// The contact of its effector with the surroundings.
    pub contact: usize,
    /// All contacts of its effector and joints.
    pub contacts: Vec<usize>,
    /// All contacts by which forces act on it.
    pub loads: Vec<LimbLoad>,
    /// Its length when straight.
    pub reach: f64,
    /// Its length when bent as far as possible.
    pub shortest: f64,
    /// The greatest torques of its base, its inner joints and its tip, in weights of its
    /// character times metres; infinite without a bound.
    pub strength: Vec<f64>,
    /// The cosine of its largest swing.
    pub swing_cos: f64,
    /// The cosine of the effector's largest tilt.
    pub tilt_cos: f64,
    /// The cosine of the effector's largest twist.
    pub twist_cos: f64,
}

/// A contact by which a force acts on a limb.
#[derive(Clone, Copy, Debug)]
pub struct LimbLoad {
    /// The contact.
    pub contact: usize,
    /// Its force in weights of the limb's owner: 1, or the negative ratio of masses for
    /// the reaction to another character's force.
    pub factor: f64,
    /// The last joint that the force loads, counted from the base.
    pub last: usize,
}

/// A problem made ready for evaluation.
///
/// Characters and objects together are *bodies*: rigid bases with equations of motion.
/// Bodies are numbered with the characters first, then the objects.
#[derive(Clone, Debug)]
pub struct Program {
    /// The characters.
    pub characters: Vec<Character>,
    /// The objects that they handle.
    pub objects: Vec<Object>,
    /// The dynamics of each body.
    pub dynamics: Vec<Arc<dyn DynamicModel>>,
    /// The frame of each body's base.
    pub base_frames: Vec<usize>,
    /// Whether a frame is that of a base; otherwise it is that of an effector.
    pub is_base: Vec<bool>,
    /// All contacts.
    pub contacts: Vec<ContactCandidate>,
    /// Solids that have separate contacts.
    pub solids: Vec<ContactSolid>,
    /// All limbs, in the order of the characters.
    pub limbs: Vec<LimbSpec>,
    /// All rigid parts.
    pub parts: Vec<BodyPart>,
    /// Pairs of parts that could collide.
    pub pairs: Vec<PartPair>,
    /// The pairs, grouped into runs.
    pub pair_runs: Vec<PairRun>,
    /// Points that must not penetrate obstacles and objects.
    pub probes: Vec<Probe>,
    /// The surroundings, which do not move.
    pub around: Surroundings,
    /// Below which speed the friction of sliding contacts fades, in metres per second.
    pub regularisation_speed: f64,
    /// The acceleration of gravity.
    pub gravity: DVec3,
    /// The weights of the costs.
    pub weights: CostWeights,
    /// The form of (8).
    pub objective: crate::costs::physics::Objective,
    /// The goals.
    pub task_terms: Vec<TaskTerm>,
    /// The layout of the unknowns.
    pub layout: Layout,
}

/// How much of a contact is in effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactFade {
    /// All: as in Mordatch (2) and (7).
    Full,
    /// The fraction 3t² − 2t³.
    Partial {
        /// From 0 to 1.
        t: f64,
        /// Its derivative by a.
        slope: f64,
    },
    /// Nothing.
    Off,
}

/// The range of c in which contacts with moving surfaces fade: below it they have no force,
/// above it they are as in Mordatch (7).
const FADE_RANGE: (f64, f64) = (4e-4, 4e-3);

impl Program {
    /// Makes a checked problem ready.
    pub fn new(problem: &Problem) -> Self {
        let characters: Vec<Character> = (problem.characters.iter())
            .map(|c| c.character.clone())
            .collect();
        let objects: Vec<Object> = problem.objects.iter().map(|o| o.object.clone()).collect();
        let bases = (characters.iter().map(|c| &c.base)).chain(objects.iter().map(|o| &o.base));
        let dynamics = bases
            .map(|base| Arc::new(SingleRigidBody::new(base)) as Arc<dyn DynamicModel>)
            .collect();
        let (mut base_frames, mut is_base, mut start) = (Vec::new(), Vec::new(), Vec::new());
        let mut limbs = Vec::new();
        for (c, given) in problem.characters.iter().enumerate() {
            let torso = start.len();
            let weight = given.character.base.mass * problem.gravity.length();
            base_frames.push(torso);
            is_base.push(true);
            start.push(FrameStart::new(&given.pose.torso, given.velocity.torso));
            for (k, limb) in given.character.limbs.iter().enumerate() {
                let effector = start.len();
                is_base.push(false);
                let velocity = given.velocity.effectors.get(k).copied();
                let place = &given.pose.effectors[k];
                start.push(FrameStart::new(place, velocity.unwrap_or_default()));
                let strength = (0..=limb.links.len())
                    .map(|joint| {
                        limb.strength.get(joint).copied().unwrap_or(f64::INFINITY) / weight
                    })
                    .collect();
                limbs.push(LimbSpec {
                    character: c,
                    limb: k,
                    torso,
                    effector,
                    contact: 0,
                    contacts: Vec::new(),
                    loads: Vec::new(),
                    reach: limb.reach(),
                    shortest: limb.min_chord(),
                    strength,
                    swing_cos: libm::cos(limb.swing),
                    tilt_cos: libm::cos(limb.tilt),
                    twist_cos: libm::cos(limb.twist),
                });
            }
        }
        for given in &problem.objects {
            base_frames.push(start.len());
            is_base.push(true);
            start.push(FrameStart::new(&given.place, given.velocity));
        }
        let layout = Layout {
            frames: start.len(),
            contacts: 0,
            phases: problem.phases,
            segments: problem.segments,
            phase_seconds: problem.phase_seconds,
            start,
        };
        let mut program = Self {
            characters,
            objects,
            dynamics,
            base_frames,
            is_base,
            contacts: Vec::new(),
            solids: Vec::new(),
            limbs,
            parts: Vec::new(),
            pairs: Vec::new(),
            pair_runs: Vec::new(),
            probes: Vec::new(),
            around: Surroundings::new(problem.surfaces.clone()),
            regularisation_speed: crate::slide::REGULARISATION_SPEED_M_S,
            gravity: problem.gravity,
            weights: problem.weights,
            objective: problem.objective,
            task_terms: Vec::new(),
            layout,
        };
        program.solids = program.find_solids();
        program.contacts = program.find_contacts();
        program.layout.contacts = program.contacts.len();
        for (l, limb) in program.limbs.iter_mut().enumerate() {
            let all = program.contacts.iter().enumerate();
            limb.contacts = (all.filter(|(_, c)| c.limb == Some(l)))
                .map(|(i, _)| i)
                .collect();
            // The first contact is that of the effector with the surroundings.
            limb.contact = limb.contacts[0];
        }
        for l in 0..program.limbs.len() {
            program.limbs[l].loads = program.find_loads(l);
        }
        program.parts = program.find_parts();
        program.pairs = program.find_pairs();
        program.pair_runs = program.find_runs();
        program.probes = crate::costs::obstacles::probes(&program);
        program.task_terms = crate::costs::task::task_terms(problem, &program);
        program
    }

    /// The state at the start, with all contacts at c = 1.
    pub fn start_state(&self) -> MotionState {
        let mut state = MotionState {
            frames: self.layout.start.iter().map(FrameState::at_start).collect(),
            contacts: vec![1.0; self.contacts.len()],
            limbs: Vec::new(),
        };
        state.update_limbs(&self.characters, false);
        state
    }

    /// Reads the state at a moment from the unknowns, limbs included.
    pub fn update_state(&self, x: &[f64], moment: &Moment, state: &mut MotionState) {
        state.update(&self.layout, x, moment);
        state.update_limbs(&self.characters, false);
    }

    /// How many bodies there are.
    pub fn body_count(&self) -> usize {
        self.characters.len() + self.objects.len()
    }

    /// The rigid base of a body.
    pub fn base(&self, body: usize) -> &RigidBase {
        match self.characters.get(body) {
            Some(character) => &character.base,
            None => &self.objects[body - self.characters.len()].base,
        }
    }

    /// The object that a body is; none if it is a character.
    pub fn object(&self, body: usize) -> Option<&Object> {
        let number = body.checked_sub(self.characters.len())?;
        self.objects.get(number)
    }

    /// Whether a body is an object.
    pub fn is_object(&self, body: usize) -> bool {
        body >= self.characters.len()
    }

    /// The number of a character or object among all bodies.
    pub fn body_of(&self, subject: Subject) -> usize {
        match subject {
            Subject::Character(number) => number,
            Subject::Object(number) => self.characters.len() + number,
        }
    }

    /// The mass of a body, in kilograms.
    pub fn mass(&self, body: usize) -> f64 {
        self.dynamics[body].mass()
    }

    /// The weight of a body, in newtons.
    pub fn weight(&self, body: usize) -> f64 {
        self.mass(body) * self.gravity.length()
    }

    /// The motion of a body, for its dynamics.
    pub fn body_motion<'a>(&self, state: &'a MotionState, body: usize) -> BodyMotion<'a> {
        BodyMotion {
            frames: &state.frames[self.frames_of(body)],
            limbs: state.limbs.get(self.limbs_of(body)).unwrap_or_default(),
        }
    }

    /// The weight W of Mordatch (7) of a contact with variable a, c = a², and its
    /// derivative by a. Contacts with moving surfaces [fade out](Self::contact_fade): W is
    /// infinite where c is nearly zero, so that bodies without contact are solved
    /// separately.
    pub fn force_weight(&self, contact: usize, a: f64) -> (f64, f64) {
        let CostWeights { k0, k1, .. } = self.weights;
        let c = a * a;
        let below = c * c + k1;
        let k0 = k0 * self.contacts[contact].effort;
        let weight = (k0 / below, -4.0 * k0 * c * a / (below * below));
        match self.contact_fade(contact, a) {
            ContactFade::Full => weight,
            ContactFade::Off => (f64::INFINITY, 0.0),
            ContactFade::Partial { t, slope } => {
                let share = t * t * (3.0 - 2.0 * t);
                let faded = weight.0 / share;
                let by_a = 6.0 * t * (1.0 - t) * slope;
                (faded, (weight.1 - faded * by_a) / share)
            }
        }
    }

    /// How much of a contact is in effect: contacts with moving surfaces are off where their
    /// variable is nearly zero.
    pub fn contact_fade(&self, contact: usize, a: f64) -> ContactFade {
        let c = a * a;
        if !self.contacts[contact].fades || c >= FADE_RANGE.1 {
            return ContactFade::Full;
        }
        if c <= FADE_RANGE.0 {
            return ContactFade::Off;
        }
        let width = FADE_RANGE.1 - FADE_RANGE.0;
        ContactFade::Partial {
            t: (c - FADE_RANGE.0) / width,
            slope: 2.0 * a / width,
        }
    }

    /// The frames of a body: its base, then its effectors.
    pub fn frames_of(&self, body: usize) -> Range<usize> {
        let base = self.base_frames[body];
        let effectors = self.characters.get(body).map_or(0, |c| c.limbs.len());
        base..base + 1 + effectors
    }

    /// The limbs of a body among all limbs.
    pub fn limbs_of(&self, body: usize) -> Range<usize> {
        // Every frame that is not a base is the effector of one limb.
        let frames = self.frames_of(body);
        let first = frames.start - body;
        first..first + frames.len() - 1
    }

    /// The pose of a character at one moment.
    pub fn pose(&self, state: &MotionState, character: usize) -> CharacterPose {
        let frames = self.frames_of(character);
        let place = |frame: usize| Placement {
            position: state.frames[frame].position,
            orientation: state.frames[frame].matrix,
        };
        CharacterPose {
            torso: place(frames.start),
            effectors: frames.skip(1).map(place).collect(),
        }
    }
}
