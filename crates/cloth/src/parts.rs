//! The input of a cloth simulation: pieces, bodies, obstacles, pins and
//! settings.

use crate::collide::ClothPlane;
use crate::response::{Response, ZoneFriction};
use crate::script::Path;
use crate::{ClothSpring, Piece};
use conatus_geometry::Mesh;
use conatus_math::{DQuat, DVec3, Pose, sincos};
use std::f64::consts::TAU;

/// How collisions are handled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collisions {
    /// The fail-safe, stage 3.
    pub response: Response,
    /// Friction within it.
    pub zone_friction: ZoneFriction,
    /// Maximum number of sweeps of stage 1.
    pub sweeps: usize,
    /// Maximum number of passes of stage 2.
    pub passes: usize,
    /// The fraction of an overlap that stage 1 removes in a step.
    pub restore: f64,
    /// The largest ratio of edge length to rest length before stage 1 limits
    /// the edge.
    pub longest: f64,
    /// Whether contacts with a normal force in the previous step take part in
    /// the elastic solve as implicit contacts. The paper's algorithm has none.
    pub contacts_in_solve: bool,
    /// Whether cloth at rest is not simulated until it is disturbed. Ignored
    /// without `contacts_in_solve`: it is not part of the paper's algorithm.
    pub rests: bool,
    /// Passes of stage 3 before the step is halved.
    pub most_passes: usize,
    /// Minimum step, in seconds: shorter ones are not halved.
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

/// A scripted obstacle.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Its surface, in its own axes.
    pub mesh: Mesh,
    /// Its pose over time.
    pub path: Path,
    /// Coulomb's coefficient; that of the other part if `None`.
    pub friction: Option<f64>,
}

/// A rigid body's surface, in its own axes about its centre of mass.
#[derive(Clone, Debug)]
pub struct BodySurface {
    /// The surface.
    pub mesh: Mesh,
    /// Coulomb's coefficient; that of the other part if `None`.
    pub friction: Option<f64>,
}

/// Pinned vertices.
#[derive(Clone, Debug)]
pub struct Pin {
    /// The vertices, in the numbering of all pieces.
    pub vertices: Vec<u32>,
    /// What they follow. They keep their places in its frame as at time zero.
    pub frame: PinFrame,
    /// When they are released, in seconds.
    pub until: f64,
}

/// What pinned vertices follow.
#[derive(Clone, Debug)]
pub enum PinFrame {
    /// Nothing: they stay where they start.
    World,
    /// A scripted frame. Its pose at time zero does not matter.
    Path(Path),
    /// The obstacle of this index.
    Obstacle(usize),
    /// A rigid body. The forces of the cloth on the vertices act on it.
    Body {
        /// Its index.
        body: usize,
        /// Its pose at time zero.
        start: Pose,
    },
}

/// Time-varying wind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gust {
    /// The velocity amplitude.
    pub strength: DVec3,
    /// The main period, in seconds.
    pub period: f64,
}

impl Gust {
    /// The velocity at time `t`: three sines of incommensurable periods, with a
    /// phase shift between the axes.
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
    /// Initial positions of all vertices, piece by piece.
    pub positions: Vec<DVec3>,
    /// Initial velocities; at rest if empty.
    pub velocities: Vec<DVec3>,
    /// Rigid bodies that collide with cloth and obstacles.
    pub bodies: Vec<BodySurface>,
    /// Obstacles.
    pub obstacles: Vec<Obstacle>,
    /// Static planes.
    pub planes: Vec<ClothPlane>,
    /// Pinned vertices.
    pub pins: Vec<Pin>,
    /// Springs from vertices to points.
    pub springs: Vec<ClothSpring>,
}

/// The state of a rigid body over a step: the world gives its pose and
/// velocities, the cloth changes the velocities.
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
    /// One over the mass; zero if it is locked.
    pub inverse_mass: f64,
    /// One over the principal moments; zero if it is locked.
    pub inverse_moments: DVec3,
}
