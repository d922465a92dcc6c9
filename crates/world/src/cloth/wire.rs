//! Cloth in the bytes of a checkpoint.

use crate::checkpoint::wire::{Reader, Wire, wire};
use conatus_cloth::response::constraint::{Stencil, StencilPair};
use conatus_cloth::{ClothState, PersistentContact, Stats, WarmStart};

impl Wire for StencilPair {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::VertexTriangle => 0u8.put(out),
            Self::EdgeEdge => 1u8.put(out),
            Self::VertexPlane(plane) => (2u8, *plane).put(out),
        }
    }
    fn get(bytes: &mut Reader) -> Option<Self> {
        Some(match u8::get(bytes)? {
            0 => Self::VertexTriangle,
            1 => Self::EdgeEdge,
            2 => Self::VertexPlane(u32::get(bytes)?),
            _ => return None,
        })
    }
}

wire!(Stencil { pair, points });
wire!(PersistentContact {
    stencil,
    friction,
    slide
});
wire!(WarmStart { step, change });
wire!(Stats {
    collisions,
    impact_zones,
    largest_zone,
    failsafe_calls,
    substeps,
    iterations,
    total_seconds,
    collision_seconds,
    rebuilds,
    appends,
    candidates,
});
wire!(ClothState {
    positions,
    velocities,
    warm_start,
    pressing,
    obstacles,
    stats
});
