//! Everything that a step passes to the next, so that a run can be stored and
//! resumed bit for bit.
//!
//! Candidate lists are not stored. They are the same set whatever their
//! history, but not in the same order, and the order affects the last bits. So
//! both the original run and the resumed one rebuild their lists at a
//! checkpoint: see [`Cloth::clear_caches`].

use crate::cloth::{Cloth, Stats};
use crate::implicit_contacts::PersistentContact;
use crate::integrate::WarmStart;
use crate::response::constraint::{Stencil, StencilPair};
use conatus_math::DVec3;
use std::ops::Range;

/// The state at the end of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClothState {
    /// The vertices of all pieces.
    pub positions: Vec<DVec3>,
    /// Their velocities.
    pub velocities: Vec<DVec3>,
    /// The warm start of the elastic solve.
    pub warm_start: WarmStart,
    /// Contacts with a normal force.
    pub pressing: Vec<PersistentContact>,
    /// The points of obstacles that move, one obstacle after the other.
    pub obstacles: Vec<DVec3>,
    /// Sums over the steps so far.
    pub stats: Stats,
}

/// A state that does not belong to this cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state is of another cloth: {0} differ")]
pub struct ClothMismatch(&'static str);

impl Cloth {
    /// Clears the caches of collision detection. Later steps then depend on
    /// [`Cloth::state`] alone.
    pub fn clear_caches(&mut self) {
        self.candidates.clear_caches();
        self.rest.begin(&self.x);
    }

    /// Everything that the next step depends on, if [`Cloth::clear_caches`] is
    /// called first.
    pub fn state(&self) -> ClothState {
        let obstacles = self.moving_obstacles();
        ClothState {
            positions: self.x.clone(),
            velocities: self.v.clone(),
            warm_start: self.elastic.warm_start(),
            pressing: self.memory.clone(),
            obstacles: obstacles
                .flat_map(|range| self.motion.start[range].iter().copied())
                .collect(),
            stats: self.stats,
        }
    }

    /// Restores a state of the same cloth; the caller restores bodies. Changes
    /// nothing if the state is of another cloth.
    pub fn restore(&mut self, state: &ClothState) -> Result<(), ClothMismatch> {
        let n = self.x.len();
        let changes = match state.warm_start.step == 0.0 {
            true => 0,
            false => n,
        };
        let moving: Vec<Range<usize>> = self.moving_obstacles().collect();
        let moving_points: usize = moving.iter().map(Range::len).sum();
        for (fits, what) in [
            (state.positions.len() == n, "vertices"),
            (state.velocities.len() == n, "velocities"),
            (state.warm_start.change.len() == changes, "changes"),
            (state.obstacles.len() == moving_points, "obstacles"),
            (
                state.pressing.iter().all(|p| self.has_stencil(&p.stencil)),
                "contacts",
            ),
        ] {
            if !fits {
                return Err(ClothMismatch(what));
            }
        }
        self.x.copy_from_slice(&state.positions);
        self.v.copy_from_slice(&state.velocities);
        self.elastic.set_warm_start(&state.warm_start);
        self.memory.clone_from(&state.pressing);
        self.motion.start[..n].copy_from_slice(&state.positions);
        let mut points = &state.obstacles[..];
        for range in moving {
            let (these, rest) = points.split_at(range.len());
            self.motion.start[range].copy_from_slice(these);
            points = rest;
        }
        self.stats = state.stats;
        self.candidates.rebuilds = state.stats.rebuilds;
        self.candidates.appends = state.stats.appends;
        self.clear_caches();
        Ok(())
    }

    /// The points of each obstacle that moves.
    fn moving_obstacles(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let each = self.obstacles().iter().zip(&self.obstacle_first);
        let moving = each.filter(|(o, _)| !o.path.rests());
        moving.map(|(o, &first)| first as usize..first as usize + o.mesh.vertices.len())
    }

    /// Whether all points and the plane of a stencil exist.
    fn has_stencil(&self, stencil: &Stencil) -> bool {
        let below = |limit: usize| move |&p: &u32| (p as usize) < limit;
        match stencil.pair {
            StencilPair::VertexPlane(k) => {
                let [vertex, others @ ..] = &stencil.points;
                (k as usize) < self.planes().len()
                    && below(self.x.len())(vertex)
                    && others.iter().all(|&p| p == Stencil::NONE)
            }
            _ => stencil.points.iter().all(below(self.surface().points())),
        }
    }
}
