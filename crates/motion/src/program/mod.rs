//! A problem made ready: which frames, contacts, limbs and pairs of parts there
//! are, and where they stand among the unknowns.

mod contacts;
mod parts;

pub use contacts::{Against, Anchor, ContactSpec, Solid};
pub(crate) use parts::MARGIN;
pub use parts::{Pair, PairRun, Part};

use crate::character::{Character, Pose};
use crate::costs::obstacles::Probe;
use crate::costs::task::Aim;
use crate::problem::Problem;
use crate::surface::Surroundings;
use crate::variables::Layout;
use crate::weights::Weights;
use conatus_math::DVec3;

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

/// A problem made ready.
#[derive(Clone, Debug)]
pub struct Program {
    /// The characters, and the things they handle.
    pub characters: Vec<Character>,
    /// The frame of each character's torso.
    pub torsos: Vec<usize>,
    /// Whether a frame is a torso.
    pub is_torso: Vec<bool>,
    /// All contacts.
    pub contacts: Vec<ContactSpec>,
    /// What has contacts of its own.
    pub solids: Vec<Solid>,
    /// All limbs.
    pub limbs: Vec<LimbSpec>,
    /// All stiff parts.
    pub parts: Vec<Part>,
    /// Pairs of parts that could meet.
    pub pairs: Vec<Pair>,
    /// All of these, run by run.
    pub pair_runs: Vec<PairRun>,
    /// Points that must not enter obstacles and things.
    pub probes: Vec<Probe>,
    /// What does not move.
    pub around: Surroundings,
    /// Below which speed the friction of what slides fades, in metres per second.
    pub slow: f64,
    /// The acceleration of gravity.
    pub gravity: DVec3,
    /// What each cost weighs.
    pub weights: Weights,
    /// Which form of (8) counts.
    pub objective: crate::costs::physics::Objective,
    /// The goals.
    pub aims: Vec<Aim>,
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
        let characters: Vec<Character> = problem.characters.iter().map(|c| c.0.clone()).collect();
        let (mut torsos, mut is_torso, mut start) = (Vec::new(), Vec::new(), Vec::new());
        let mut limbs = Vec::new();
        for (c, (character, pose)) in problem.characters.iter().enumerate() {
            let torso = start.len();
            torsos.push(torso);
            is_torso.push(true);
            start.push((pose.torso.position, pose.torso.orientation));
            for (k, limb) in character.limbs.iter().enumerate() {
                let effector = start.len();
                is_torso.push(false);
                start.push((pose.effectors[k].position, pose.effectors[k].orientation));
                limbs.push(LimbSpec {
                    character: c,
                    limb: k,
                    torso,
                    effector,
                    contact: 0,
                    contacts: Vec::new(),
                    loads: Vec::new(),
                    reach: limb.reach(),
                    shortest: limb.shortest(),
                    swing_cos: libm::cos(limb.swing),
                    tilt_cos: libm::cos(limb.tilt),
                    twist_cos: libm::cos(limb.twist),
                });
            }
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
            torsos,
            is_torso,
            contacts: Vec::new(),
            solids: Vec::new(),
            limbs,
            parts: Vec::new(),
            pairs: Vec::new(),
            pair_runs: Vec::new(),
            probes: Vec::new(),
            around: Surroundings::new(problem.surfaces.clone()),
            slow: crate::slide::SLOW,
            gravity: problem.gravity,
            weights: problem.weights,
            objective: problem.objective,
            aims: Vec::new(),
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
        program.aims = crate::costs::task::aims(problem, &program);
        program
    }

    /// The start pose.
    pub fn start_state(&self) -> crate::variables::State {
        let mut state = crate::variables::State {
            frames: (self.layout.start.iter())
                .map(|(p, m)| crate::variables::FrameState::at_rest(*p, *m))
                .collect(),
            contacts: vec![1.0; self.contacts.len()],
            limbs: Vec::new(),
        };
        state.update_limbs(&self.characters, false);
        state
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

    /// The frames of a character or thing: its torso, then its effectors.
    pub fn frames_of(&self, character: usize) -> std::ops::Range<usize> {
        let torso = self.torsos[character];
        torso..torso + self.characters[character].frames()
    }

    /// The pose of a character at one moment.
    pub fn pose(&self, state: &crate::variables::State, character: usize) -> Pose {
        let torso = self.torsos[character];
        let place = |frame: usize| crate::character::Place {
            position: state.frames[frame].position,
            orientation: state.frames[frame].matrix,
        };
        Pose {
            torso: place(torso),
            effectors: (0..self.characters[character].limbs.len())
                .map(|k| place(torso + 1 + k))
                .collect(),
        }
    }
}
