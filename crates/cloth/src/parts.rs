//! What cloth is put together from, and how it is told to behave.

use crate::collide::ClothPlane;
use crate::response::{Response, ZoneFriction};
use crate::script::Path;
use crate::{ClothSpring, Piece};
use conatus_geometry::Mesh;
use conatus_math::{DQuat, DVec3, sincos};
use std::f64::consts::TAU;

/// How collisions are handled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collisions {
    /// The fail-safe, stage 3.
    pub response: Response,
    /// Friction within it.
    pub zone_friction: ZoneFriction,
    /// Sweeps of stage 1 at most.
    pub sweeps: usize,
    /// Passes of stage 2 at most.
    pub passes: usize,
    /// Which share of an overlap stage 1 takes away in a step.
    pub restore: f64,
    /// How long an edge may get, against its length at rest, before stage 1
    /// holds it back.
    pub longest: f64,
    /// Whether contacts that pressed in the step before take part in the
    /// elastic solve as ties. The paper's algorithm does without.
    pub contacts_in_solve: bool,
    /// Whether cloth that has come to rest is left alone until something
    /// is_disturbed. It is not where contacts are left out of the solve: the paper
    /// knows nothing of it.
    pub rests: bool,
    /// Passes of stage 3 before the step is halved.
    pub most_passes: usize,
    /// Steps shorter than this, in seconds, are not halved any more.
    pub smallest_step: f64,
}

impl Default for Collisions {
    fn default() -> Self {
        Self {
            response: Response::default(),
            zone_friction: ZoneFriction::default(),
            sweeps: 8,
            passes: 4,
            restore: 0.1,
            longest: 1.1,
            contacts_in_solve: true,
            rests: true,
            most_passes: 60,
            smallest_step: 2e-5,
        }
    }
}

/// Something that moves as the scene says.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Its surface, in its own axes.
    pub mesh: Mesh,
    /// Where it is when.
    pub path: Path,
    /// Coulomb's coefficient; without one, that of what it meets.
    pub friction: Option<f64>,
}

/// A rigid body's surface, in its own axes about its centre of mass.
#[derive(Clone, Debug)]
pub struct BodySurface {
    /// The surface.
    pub mesh: Mesh,
    /// Coulomb's coefficient; without one, that of what it meets.
    pub friction: Option<f64>,
}

/// Vertices held by the scene.
#[derive(Clone, Debug)]
pub struct Pin {
    /// Which, in the numbering of all pieces.
    pub vertices: Vec<u32>,
    /// How they move, from where they were at the start; the path's pose at
    /// time zero does not matter.
    pub path: Option<Path>,
    /// When they are let go, in seconds.
    pub until: f64,
}

/// Wind that comes and goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gust {
    /// The velocity of the strongest.
    pub strength: DVec3,
    /// The time from one to the next, in seconds.
    pub period: f64,
}

impl Gust {
    /// The velocity at time `t`: three sines whose periods have no common
    /// multiple soon, and each axis a little later than the one before.
    pub fn at(&self, t: f64) -> DVec3 {
        let turns = |phase: f64| {
            let wave = |ratio: f64| sincos(TAU * (t / self.period * ratio + phase)).0;
            (wave(1.0) + 0.6 * wave(1.618) + 0.4 * wave(0.414)) / 2.0
        };
        self.strength * DVec3::new(turns(0.0), turns(0.37), turns(0.71))
    }
}

/// Everything that [`Cloth`](crate::Cloth) is made of.
#[derive(Clone, Debug, Default)]
pub struct ClothParts {
    /// The pieces of cloth.
    pub pieces: Vec<Piece>,
    /// Where their vertices start, one piece after the other.
    pub positions: Vec<DVec3>,
    /// Their velocities; at rest if empty.
    pub velocities: Vec<DVec3>,
    /// Rigid bodies that meet cloth and obstacles.
    pub bodies: Vec<BodySurface>,
    /// Obstacles.
    pub obstacles: Vec<Obstacle>,
    /// Static planes.
    pub planes: Vec<ClothPlane>,
    /// Held vertices.
    pub pins: Vec<Pin>,
    /// Springs from vertices to points.
    pub springs: Vec<ClothSpring>,
}

/// A rigid body as the cloth sees it over a step: the world says where it is
/// and how it would move, the cloth changes that.
#[derive(Clone, Copy, Debug)]
pub struct BodyState {
    /// The centre of mass.
    pub centre: DVec3,
    /// From body axes to world axes.
    pub orientation: DQuat,
    /// Velocity of the centre over the step.
    pub velocity: DVec3,
    /// Angular velocity over the step, in world axes.
    pub omega: DVec3,
    /// One over the mass; zero if it is held.
    pub inverse_mass: f64,
    /// One over the principal moments; zero if it is held.
    pub inverse_moments: DVec3,
}
