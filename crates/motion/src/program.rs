//! A problem made ready: which frames, contacts, limbs and pairs of parts there
//! are, and where they stand among the unknowns.

use crate::character::{Character, Pose};
use crate::costs::task::Aim;
use crate::inverse_dynamics::Cone;
use crate::problem::Problem;
use crate::surface::Surface;
use crate::variables::Layout;
use crate::weights::Weights;
use conatus_math::{DMat3, DVec3};

/// A place where forces may act.
#[derive(Clone, Debug)]
pub struct ContactSpec {
    /// Whose it is.
    pub character: usize,
    /// Its name.
    pub name: String,
    /// The limb at whose end it is, among all limbs; none for a body patch.
    pub limb: Option<usize>,
    /// The frame it is fixed to.
    pub frame: usize,
    /// Its centre in the axes of the frame.
    pub offset: DVec3,
    /// From its axes to those of the frame.
    pub turn: DMat3,
    /// Half of its extent.
    pub half_extents: [f64; 2],
    /// The forces it can bear.
    pub cone: Cone,
    /// Whether it can hold on to things.
    pub grasps: bool,
    /// The factor of W (7).
    pub effort: f64,
}

impl ContactSpec {
    /// The corners of its patch, in the axes of the frame.
    pub fn corners(&self) -> [DVec3; 4] {
        let [x, y] = self.half_extents;
        [(x, y), (x, -y), (-x, y), (-x, -y)]
            .map(|(x, y)| self.offset + self.turn * DVec3::new(x, y, 0.0))
    }
}

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
    /// The contact of its effector.
    pub contact: usize,
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

/// A stiff part that must not enter another.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// A link of a limb (the number of the limb among all, and of the link).
    Link(usize, usize),
    /// The effector of a limb: a capsule along its x axis.
    Effector(usize),
    /// A ball of a torso's hull (the character, and the ball).
    Ball(usize, usize),
}

/// Two parts that could meet, and the least distance of their middles.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// One: a place in [`Program::parts`].
    pub a: usize,
    /// The other.
    pub b: usize,
    /// The sum of their radii.
    pub apart: f64,
    /// How much farther they should stay apart: between the moments that are
    /// looked at, limbs that pass each other come closer.
    pub margin: f64,
}

/// The most of [`Pair::margin`], in metres.
const MARGIN: f64 = 0.012;

/// A problem made ready.
#[derive(Clone, Debug)]
pub struct Program {
    /// The characters.
    pub characters: Vec<Character>,
    /// The frame of each character's torso.
    pub torsos: Vec<usize>,
    /// Whether a frame is a torso.
    pub is_torso: Vec<bool>,
    /// All contacts.
    pub contacts: Vec<ContactSpec>,
    /// All limbs.
    pub limbs: Vec<LimbSpec>,
    /// All stiff parts.
    pub parts: Vec<Part>,
    /// Pairs of parts that could meet.
    pub pairs: Vec<Pair>,
    /// The surroundings.
    pub surfaces: Vec<Surface>,
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

impl Program {
    /// Makes a problem ready; it has been checked.
    pub fn new(problem: &Problem) -> Self {
        let characters: Vec<Character> = problem.characters.iter().map(|c| c.0.clone()).collect();
        let (mut torsos, mut is_torso, mut start) = (Vec::new(), Vec::new(), Vec::new());
        let (mut contacts, mut limbs) = (Vec::new(), Vec::new());
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
                    contact: contacts.len(),
                    reach: limb.reach(),
                    shortest: limb.shortest(),
                    swing_cos: libm::cos(limb.swing),
                    tilt_cos: libm::cos(limb.tilt),
                    twist_cos: libm::cos(limb.twist),
                });
                contacts.push(ContactSpec {
                    character: c,
                    name: limb.effector.name.clone(),
                    limb: Some(limbs.len() - 1),
                    frame: effector,
                    offset: DVec3::ZERO,
                    turn: DMat3::IDENTITY,
                    half_extents: limb.effector.half_extents,
                    cone: Cone::new(limb.effector.friction, limb.effector.half_extents),
                    grasps: limb.effector.grasps,
                    effort: limb.effector.effort,
                });
            }
            for body in &character.patches {
                contacts.push(ContactSpec {
                    character: c,
                    name: body.patch.name.clone(),
                    limb: None,
                    frame: torso,
                    offset: body.position,
                    turn: body.orientation,
                    half_extents: body.patch.half_extents,
                    cone: Cone::new(body.patch.friction, body.patch.half_extents),
                    grasps: body.patch.grasps,
                    effort: body.patch.effort,
                });
            }
        }
        let layout = Layout {
            frames: start.len(),
            contacts: contacts.len(),
            phases: problem.phases,
            segments: problem.segments,
            phase_seconds: problem.phase_seconds,
            start,
        };
        let mut program = Self {
            characters,
            torsos,
            is_torso,
            contacts,
            limbs,
            parts: Vec::new(),
            pairs: Vec::new(),
            surfaces: problem.surfaces.clone(),
            gravity: problem.gravity,
            weights: problem.weights,
            objective: problem.objective,
            aims: Vec::new(),
            layout,
        };
        program.parts = program.find_parts();
        program.pairs = program.find_pairs();
        program.aims = crate::costs::task::aims(problem, &program);
        program
    }

    /// The radius of a part.
    pub fn radius(&self, part: Part) -> f64 {
        match part {
            Part::Link(limb, link) => {
                let spec = &self.limbs[limb];
                self.characters[spec.character].limbs[spec.limb].links[link].radius
            }
            Part::Effector(limb) => {
                let spec = &self.limbs[limb];
                self.characters[spec.character].limbs[spec.limb].effector_radius
            }
            Part::Ball(character, ball) => self.characters[character].hull[ball].radius,
        }
    }

    fn find_parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for (limb, spec) in self.limbs.iter().enumerate() {
            let links = self.characters[spec.character].limbs[spec.limb].links.len();
            parts.extend((0..links).map(|link| Part::Link(limb, link)));
            parts.push(Part::Effector(limb));
        }
        for (c, character) in self.characters.iter().enumerate() {
            parts.extend((0..character.hull.len()).map(|ball| Part::Ball(c, ball)));
        }
        parts
    }

    /// Parts of different limbs, and outer parts of limbs against torsos. The
    /// first link of a limb begins in its torso and cannot keep away from it.
    fn find_pairs(&self) -> Vec<Pair> {
        let could_meet = |a: Part, b: Part| match (a, b) {
            (Part::Ball(..), Part::Ball(..)) => false,
            (Part::Ball(c, _), other) | (other, Part::Ball(c, _)) => match other {
                Part::Link(limb, 0) => self.limbs[limb].character != c,
                _ => true,
            },
            (Part::Link(i, _) | Part::Effector(i), Part::Link(j, _) | Part::Effector(j)) => i != j,
        };
        let mut pairs = Vec::new();
        for a in 0..self.parts.len() {
            for b in a + 1..self.parts.len() {
                if could_meet(self.parts[a], self.parts[b]) {
                    let apart = self.radius(self.parts[a]) + self.radius(self.parts[b]);
                    pairs.push(Pair {
                        a,
                        b,
                        apart,
                        margin: MARGIN,
                    });
                }
            }
        }
        // What is too close at the start pose by how the character is built is
        // no collision.
        let state = self.start_state();
        pairs.retain_mut(|pair| {
            let gap = crate::costs::penetration::gap(self, &state, pair);
            pair.margin = pair.margin.min(gap.max(0.0));
            gap > -1e-6
        });
        pairs
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
    /// derivative by a.
    pub fn force_weight(&self, contact: usize, a: f64) -> (f64, f64) {
        let Weights { k0, k1, .. } = self.weights;
        let c = a * a;
        let below = c * c + k1;
        let k0 = k0 * self.contacts[contact].effort;
        (k0 / below, -4.0 * k0 * c * a / (below * below))
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
