//! Stiff parts, and which of them could meet.

use super::Program;
use std::ops::Range;

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

/// Pairs of one part with parts of one character that follow each other in
/// [`Program::pairs`]: most people are far apart, which takes little to see.
#[derive(Clone, Debug)]
pub struct PairRun {
    /// The part.
    pub part: usize,
    /// Whom it could meet, if that is somebody else.
    pub other: Option<usize>,
    /// The pairs.
    pub pairs: Range<usize>,
}

/// The most of [`Pair::margin`], in metres.
pub(crate) const MARGIN: f64 = 0.012;

impl Program {
    /// Whose a part is.
    pub(crate) fn owner(&self, part: Part) -> usize {
        match part {
            Part::Link(limb, _) | Part::Effector(limb) => self.limbs[limb].character,
            Part::Ball(character, _) => character,
        }
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
            Part::Ball(character, ball) => self.characters[character].base.hull[ball].radius,
        }
    }

    pub(super) fn find_parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for (limb, spec) in self.limbs.iter().enumerate() {
            let links = self.characters[spec.character].limbs[spec.limb].links.len();
            parts.extend((0..links).map(|link| Part::Link(limb, link)));
            parts.push(Part::Effector(limb));
        }
        // Objects are not among the parts: others collide with their shape.
        for (c, character) in self.characters.iter().enumerate() {
            parts.extend((0..character.base.hull.len()).map(|ball| Part::Ball(c, ball)));
        }
        parts
    }

    /// Parts of different limbs, and outer parts of limbs against torsos. The
    /// first link of a limb begins in its torso and cannot keep away from it.
    pub(super) fn find_pairs(&self) -> Vec<Pair> {
        let could_meet = |a: Part, b: Part| match (a, b) {
            (Part::Ball(a, _), Part::Ball(b, _)) => a != b,
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
            let gap = crate::costs::penetration::pair_distance(self, &state, pair);
            pair.margin = pair.margin.min(gap.max(0.0));
            let parts = [pair.a, pair.b].map(|p| self.parts[p]);
            let others = self.owner(parts[0]) != self.owner(parts[1]);
            if others && parts.iter().any(|p| matches!(p, Part::Effector(_))) {
                // Hands and feet are to touch others.
                pair.margin = 0.0;
            }
            gap > -1e-6 || others
        });
        pairs
    }

    /// Runs of pairs that have a part and whom it could meet in common.
    pub(super) fn find_runs(&self) -> Vec<PairRun> {
        let mut runs: Vec<PairRun> = Vec::new();
        for (k, pair) in self.pairs.iter().enumerate() {
            let [one, other] = [pair.a, pair.b].map(|p| self.owner(self.parts[p]));
            let other = (one != other).then_some(other);
            match runs.last_mut() {
                Some(run) if (run.part, run.other) == (pair.a, other) => run.pairs.end = k + 1,
                _ => runs.push(PairRun {
                    part: pair.a,
                    other,
                    pairs: k..k + 1,
                }),
            }
        }
        runs
    }
}
