//! A problem made ready: which frames, contacts, limbs and pairs of parts there
//! are, and where they stand among the unknowns.

mod contacts;
mod parts;

pub use contacts::{Against, Anchor, ContactSpec, Solid};
pub(crate) use parts::MARGIN;
pub use parts::{Pair, PairRun, Part};

use crate::base::RigidBase;
use crate::character::{Character, CharacterPose, Placement};
use crate::costs::obstacles::Probe;
use crate::costs::task::TaskTerm;
use crate::dynamics::{BodyMotion, DynamicModel, SingleRigidBody};
use crate::object::Object;
use crate::problem::{Problem, Subject};
use crate::surface::Surroundings;
use crate::variables::{FrameStart, FrameState, Layout, Moment, State};
use crate::weights::Weights;
use conatus_math::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// A limb among all frames.
#[derive(Clone, Debug)]
pub struct LimbSpec {
    /// Whose it is.
    pub character: usize,
    /// Its number there.
    pub limb: usize,
    /// The frame of the torso.
    pub torso: usize,
    /// The frame of the effector.
    pub effector: usize,
    /// The contact of its effector with the surroundings.
    pub contact: usize,
    /// All contacts of its own.
    pub contacts: Vec<usize>,
    /// All contacts by which forces act on it.
    pub loads: Vec<LimbLoad>,
    /// Its length when straight.
    pub reach: f64,
    /// Its length when bent as far as it goes.
    pub shortest: f64,
    /// Cosines of its limits.
    pub swing_cos: f64,
    /// Of the effector's tilt.
    pub tilt_cos: f64,
    /// Of the effector's twist.
    pub twist_cos: f64,
}

/// A contact by which a force acts on a limb.
#[derive(Clone, Copy, Debug)]
pub struct LimbLoad {
    /// The contact.
    pub contact: usize,
    /// Its force in weights of the limb's owner: 1, or the reaction to the force of
    /// somebody who stands on the limb.
    pub factor: f64,
    /// The last joint that the force passes, counted from the base.
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
    pub contacts: Vec<ContactSpec>,
    /// What has contacts of its own.
    pub solids: Vec<Solid>,
    /// All limbs, in the order of the characters.
    pub limbs: Vec<LimbSpec>,
    /// All stiff parts.
    pub parts: Vec<Part>,
    /// Pairs of parts that could meet.
    pub pairs: Vec<Pair>,
    /// All of these, run by run.
    pub pair_runs: Vec<PairRun>,
    /// Points that must not penetrate obstacles and objects.
    pub probes: Vec<Probe>,
    /// What does not move.
    pub around: Surroundings,
    /// Below which speed the friction of sliding contacts fades, in metres per second.
    pub regularisation_speed: f64,
    /// The acceleration of gravity.
    pub gravity: DVec3,
    /// What each cost weighs.
    pub weights: Weights,
    /// Which form of (8) counts.
    pub objective: crate::costs::physics::Objective,
    /// The goals.
    pub task_terms: Vec<TaskTerm>,
    /// Where the unknowns are.
    pub layout: Layout,
}

/// How far a contact is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fading {
    /// As Mordatch (2) and (7) have it.
    Whole,
    /// In between: its share is 3t² − 2t³.
    Partly {
        /// From 0 to 1.
        t: f64,
        /// Its derivative by a.
        slope: f64,
    },
    /// Not at all.
    Off,
}

/// Where its c is below the first a contact with what moves bears nothing; above the
/// second it is as Mordatch (7) has it.
const FADES: (f64, f64) = (4e-4, 4e-3);

impl Program {
    /// Makes a problem ready; it has been checked.
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
            base_frames.push(torso);
            is_base.push(true);
            start.push(FrameStart::new(&given.pose.torso, given.velocity.torso));
            for (k, limb) in given.character.limbs.iter().enumerate() {
                let effector = start.len();
                is_base.push(false);
                let velocity = given.velocity.effectors.get(k).copied();
                let place = &given.pose.effectors[k];
                start.push(FrameStart::new(place, velocity.unwrap_or_default()));
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
            // The first is that of its effector with the surroundings.
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
    pub fn start_state(&self) -> State {
        let mut state = State {
            frames: self.layout.start.iter().map(FrameState::at_start).collect(),
            contacts: vec![1.0; self.contacts.len()],
            limbs: Vec::new(),
        };
        state.update_limbs(&self.characters, false);
        state
    }

    /// Reads the state at a moment from the unknowns, limbs included.
    pub fn update_state(&self, x: &[f64], moment: &Moment, state: &mut State) {
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
    pub fn body_motion<'a>(&self, state: &'a State, body: usize) -> BodyMotion<'a> {
        BodyMotion {
            frames: &state.frames[self.frames_of(body)],
            limbs: state.limbs.get(self.limbs_of(body)).unwrap_or_default(),
        }
    }

    /// The weight W of Mordatch (7) of a contact with variable a, c = a², and its
    /// derivative by a. Contacts with what moves [fade out](Self::fading): W is
    /// infinite where c is next to nothing, so that bodies that have nothing to do
    /// with each other are problems apart.
    pub fn force_weight(&self, contact: usize, a: f64) -> (f64, f64) {
        let Weights { k0, k1, .. } = self.weights;
        let c = a * a;
        let below = c * c + k1;
        let k0 = k0 * self.contacts[contact].effort;
        let weight = (k0 / below, -4.0 * k0 * c * a / (below * below));
        match self.fading(contact, a) {
            Fading::Whole => weight,
            Fading::Off => (f64::INFINITY, 0.0),
            Fading::Partly { t, slope } => {
                let share = t * t * (3.0 - 2.0 * t);
                let faded = weight.0 / share;
                let by_a = 6.0 * t * (1.0 - t) * slope;
                (faded, (weight.1 - faded * by_a) / share)
            }
        }
    }

    /// How far a contact is there at all: contacts with what moves are off where
    /// their variable is next to nothing.
    pub fn fading(&self, contact: usize, a: f64) -> Fading {
        let c = a * a;
        if !self.contacts[contact].fades || c >= FADES.1 {
            return Fading::Whole;
        }
        if c <= FADES.0 {
            return Fading::Off;
        }
        let width = FADES.1 - FADES.0;
        Fading::Partly {
            t: (c - FADES.0) / width,
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
    pub fn pose(&self, state: &State, character: usize) -> CharacterPose {
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
