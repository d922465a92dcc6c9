//! Rigid parts, and pairs of them that could collide.

use super::Program;
use std::ops::Range;

/// A rigid part that must not penetrate another.
#[derive(Clone, Copy, Debug)]
pub enum BodyPart {
    /// A link of a limb (the number of the limb among all, and of the link).
    Link(usize, usize),
    /// The effector of a limb: a capsule along its x axis.
    Effector(usize),
    /// A ball of a torso's hull (the character, and the ball).
    Ball(usize, usize),
}

/// Two parts that could collide, and the least distance of their middle lines.
#[derive(Clone, Copy, Debug)]
pub struct PartPair {
    /// One: a place in [`Program::parts`].
    pub a: usize,
    /// The other.
    pub b: usize,
    /// The sum of their radii.
    pub apart: f64,
    /// An additional distance: limbs that pass each other come closer between the
    /// moments at which costs are evaluated.
    pub margin: f64,
}

/// Consecutive [`Program::pairs`] of one part with the parts of one character: most
/// characters are far apart, which one test of bounding boxes finds.
#[derive(Clone, Debug)]
pub struct PairRun {
    /// The part.
    pub part: usize,
    /// The other character, if the parts are not of the same one.
    pub other: Option<usize>,
    /// The pairs.
    pub pairs: Range<usize>,
}

/// The largest [`PartPair::margin`], in metres.
pub(crate) const MAX_PAIR_MARGIN_M: f64 = 0.012;

impl Program {
    /// The character that a part belongs to.
    pub(crate) fn owner(&self, part: BodyPart) -> usize {
        match part {
            BodyPart::Link(limb, _) | BodyPart::Effector(limb) => self.limbs[limb].character,
            BodyPart::Ball(character, _) => character,
        }
    }

    /// The radius of a part.
    pub fn radius(&self, part: BodyPart) -> f64 {
        match part {
            BodyPart::Link(limb, link) => {
                let spec = &self.limbs[limb];
                self.characters[spec.character].limbs[spec.limb].links[link].radius
            }
            BodyPart::Effector(limb) => {
                let spec = &self.limbs[limb];
                self.characters[spec.character].limbs[spec.limb].effector_radius
            }
            BodyPart::Ball(character, ball) => self.characters[character].base.hull[ball].radius,
        }
    }

    pub(super) fn find_parts(&self) -> Vec<BodyPart> {
        let mut parts = Vec::new();
        for (limb, spec) in self.limbs.iter().enumerate() {
            let links = self.characters[spec.character].limbs[spec.limb].links.len();
            parts.extend((0..links).map(|link| BodyPart::Link(limb, link)));
            parts.push(BodyPart::Effector(limb));
        }
        // Objects are not among the parts: others collide with their shape.
        for (c, character) in self.characters.iter().enumerate() {
            parts.extend((0..character.base.hull.len()).map(|ball| BodyPart::Ball(c, ball)));
        }
        parts
    }

    /// Parts of different limbs, and outer parts of limbs against torsos. The
    /// first link of a limb begins in its torso and cannot keep away from it.
    pub(super) fn find_pairs(&self) -> Vec<PartPair> {
        let could_collide = |a: BodyPart, b: BodyPart| match (a, b) {
            (BodyPart::Ball(a, _), BodyPart::Ball(b, _)) => a != b,
            (BodyPart::Ball(c, _), other) | (other, BodyPart::Ball(c, _)) => match other {
                BodyPart::Link(limb, 0) => self.limbs[limb].character != c,
                _ => true,
            },
            (
                BodyPart::Link(i, _) | BodyPart::Effector(i),
                BodyPart::Link(j, _) | BodyPart::Effector(j),
            ) => i != j,
        };
        let mut pairs = Vec::new();
        for a in 0..self.parts.len() {
            for b in a + 1..self.parts.len() {
                if could_collide(self.parts[a], self.parts[b]) {
                    let apart = self.radius(self.parts[a]) + self.radius(self.parts[b]);
                    pairs.push(PartPair {
                        a,
                        b,
                        apart,
                        margin: MAX_PAIR_MARGIN_M,
                    });
                }
            }
        }
        // Parts that are too close in the start pose by construction do not collide.
        let state = self.start_state();
        pairs.retain_mut(|pair| {
            let gap = crate::costs::penetration::pair_distance(self, &state, pair);
            pair.margin = pair.margin.min(gap.max(0.0));
            let parts = [pair.a, pair.b].map(|p| self.parts[p]);
            let others = self.owner(parts[0]) != self.owner(parts[1]);
            if others && parts.iter().any(|p| matches!(p, BodyPart::Effector(_))) {
                // Hands and feet may touch others.
                pair.margin = 0.0;
            }
            gap > -1e-6 || others
        });
        pairs
    }

    /// Groups consecutive pairs with the same part and the same other character.
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
