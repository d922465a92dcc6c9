//! Divides closed meshes into convex parts, so that bodies can collide as what they are.
//!
//! The mesh is cut by planes, over and over: always the piece whose convex hull is larger than
//! itself by most, at the plane that leaves the least of that excess. Planes are tried along
//! the faces at inward edges, where they cut a mesh of flat faces into exact parts, and
//! across it at regular distances, for round ones. At the end, parts are joined again where
//! their common hull is hardly larger than they are. The same mesh gives the same parts.
//!
//! The parts are hulls of what was cut, and so contain the mesh; they overlap a little where
//! it is curved inwards.

mod piece;
mod planes;

use crate::convex::ConvexHull;
use crate::{HalfSpace, Mesh, OpenMesh};
use piece::ConvexPiece;
use rayon::prelude::*;
use std::sync::Arc;

/// Pieces smaller than this share of the volume are left out.
const MIN_PIECE_SHARE: f64 = 1e-5;
/// A cut that removes less than this share of the excess of a piece gains little.
const LITTLE_GAIN_SHARE: f64 = 0.2;
/// A cut and the next ones have to remove this share.
const MIN_GAIN_SHARE: f64 = 1e-2;
/// How much the difference of the volumes on the two sides of a cut counts against it,
/// relative to excess.
const BALANCE_WEIGHT: f64 = 0.02;

/// When the division of a mesh ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecompositionSettings {
    /// The most parts.
    pub max_parts: usize,
    /// By how much the hull of a part may be larger than the part, as a share of the volume
    /// of the mesh.
    pub concavity: f64,
}

impl Default for DecompositionSettings {
    fn default() -> Self {
        Self {
            max_parts: 16,
            concavity: 0.01,
        }
    }
}

/// The convex parts of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// The parts, in the coordinates of the mesh.
    pub parts: Vec<Arc<ConvexHull>>,
    /// By how much the parts together are larger than the mesh, as a share of its volume.
    pub excess: f64,
}

impl Mesh {
    /// Divides the mesh into convex parts. It must be closed; an inverted orientation is
    /// allowed. Empty if it encloses no volume.
    pub fn decompose(&self, settings: &DecompositionSettings) -> Result<Decomposition, OpenMesh> {
        self.check_closed()?;
        let whole = match self.volume_integrals().volume < 0.0 {
            true => self.clone().flipped(),
            false => self.clone(),
        };
        let Some(first) = ConvexPiece::of_mesh(&whole) else {
            return Ok(Decomposition {
                parts: Vec::new(),
                excess: 0.0,
            });
        };
        let volume = first.volume;
        let tolerance = settings.concavity.max(1e-9) * volume;
        let faces = planes::along_inward_edges(&whole);
        let mut pieces = vec![first];
        // Those that no plane makes better.
        let mut done = Vec::new();
        while pieces.len() + done.len() < settings.max_parts {
            let worst = (0..pieces.len())
                .max_by(|&a, &b| pieces[a].excess().total_cmp(&pieces[b].excess()));
            let Some(k) = worst.filter(|&k| pieces[k].excess() > tolerance) else {
                break;
            };
            let piece = pieces.swap_remove(k);
            match best_cut(&piece, &whole, &faces, MIN_PIECE_SHARE * volume) {
                Some(halves) => pieces.extend(halves),
                None => done.push(piece),
            }
        }
        pieces.extend(done);
        join(&mut pieces, tolerance);
        let sum: f64 = pieces.iter().map(|p| p.hull_volume).sum();
        Ok(Decomposition {
            parts: pieces.iter().map(|p| Arc::new(p.corners())).collect(),
            excess: sum / volume - 1.0,
        })
    }
}

/// A plane and what it leaves.
#[derive(Clone, Copy)]
struct Candidate {
    plane: HalfSpace,
    /// The excess of both sides, with what counts against uneven ones.
    score: f64,
}

/// The planes that cut a piece best: along each direction, and along the faces at inward edges.
fn candidates(piece: &ConvexPiece, faces: &[HalfSpace], least: f64) -> Vec<Candidate> {
    let best_of = |planes: Vec<HalfSpace>| {
        let scored = planes.into_par_iter().filter_map(|plane| {
            let [a, b] = piece.trial_cut(&plane)?;
            let uneven = BALANCE_WEIGHT * (a.volume - b.volume).abs();
            let score = a.excess + b.excess + uneven;
            (a.volume.min(b.volume) > least).then_some(Candidate { plane, score })
        });
        let scored: Vec<Candidate> = scored.collect();
        scored
            .into_iter()
            .min_by(|a, b| a.score.total_cmp(&b.score))
    };
    let across = planes::DIRECTIONS.iter();
    let across = across.filter_map(|d| best_of(planes::across(piece, *d).collect()));
    let mut found: Vec<Candidate> = across.collect();
    found.extend(best_of(faces.to_vec()));
    found.sort_by(|a, b| a.score.total_cmp(&b.score));
    found
}

/// The two sides of the plane that leaves the least excess; `None` if no plane makes the
/// piece better.
///
/// One cut of a ring is worth nothing, and two are worth much. Where the best cut gains
/// little, the cuts are compared after another one on each side.
fn best_cut(
    piece: &ConvexPiece,
    whole: &Mesh,
    faces: &[HalfSpace],
    least: f64,
) -> Option<[ConvexPiece; 2]> {
    let found = candidates(piece, faces, least);
    let cut = |candidate: &Candidate| {
        let [a, b] = piece.cut(&candidate.plane, whole);
        Some([a?, b?])
    };
    let best = found.first()?;
    if best.score < (1.0 - LITTLE_GAIN_SHARE) * piece.excess() {
        return cut(best);
    }
    let after = |half: &ConvexPiece| {
        let next = candidates(half, faces, least);
        let score = next.first().map_or(f64::INFINITY, |c| c.score);
        score.min(half.excess())
    };
    let twice = found.iter().filter_map(|candidate| {
        let halves = cut(candidate)?;
        Some((halves.iter().map(after).sum::<f64>(), halves))
    });
    let (left, halves) = twice.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (left < (1.0 - MIN_GAIN_SHARE) * piece.excess()).then_some(halves)
}

/// Joins pieces whose common hull is larger than them by at most `tolerance`.
fn join(pieces: &mut Vec<ConvexPiece>, tolerance: f64) {
    loop {
        let mut best: Option<(f64, usize, usize, ConvexPiece)> = None;
        for i in 0..pieces.len() {
            for j in i + 1..pieces.len() {
                if !pieces[i].is_beside(&pieces[j]) {
                    continue;
                }
                let Some(both) = pieces[i].joined(&pieces[j]) else {
                    continue;
                };
                let excess = both.excess();
                let better = best.as_ref().is_none_or(|(known, ..)| excess < *known);
                if excess <= tolerance && better {
                    best = Some((excess, i, j, both));
                }
            }
        }
        let Some((_, i, j, both)) = best else { return };
        pieces.swap_remove(j);
        pieces[i] = both;
    }
}

#[cfg(test)]
mod tests;
