//! The scenes, without the types of any engine. Lengths are in metres; z points up.

use crate::Failure;
use conatus_geometry::convex::ConvexHull;
use conatus_math::{DVec3, sincos};
use conatus_rigid::{Constants, MassProperties};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Coulomb's coefficient of everything.
pub const FRICTION: f64 = 0.6;
/// Kilograms per cubic metre, where a scene has no value of its own.
const DENSITY: f64 = 1000.0;

/// A scene in which all bodies have the same shape.
pub struct Scene {
    /// Steps of a complete run.
    pub steps: u64,
    /// The shape of every body.
    pub shape: Shape,
    /// Kilograms per cubic metre.
    pub density: f64,
    /// The bodies, all at rest and upright.
    pub bodies: Vec<Placed>,
    /// The floor and the walls.
    pub walls: Vec<Wall>,
    /// The joints. Bodies with joints do not collide.
    pub joints: Vec<BallJoint>,
}

/// A shape about its centre of mass, along its principal axes.
pub enum Shape {
    /// A cube with this half edge.
    Cube(f64),
    /// A ball with this radius.
    Ball(f64),
    /// A hull, and its mass properties.
    Hull(Arc<ConvexHull>, Constants),
}

/// A body at the start.
#[derive(Clone, Copy)]
pub struct Placed {
    /// Its centre of mass.
    pub position: DVec3,
    /// Whether it never moves.
    pub fixed: bool,
}

/// A plane that bodies stay above.
#[derive(Clone, Copy)]
pub struct Wall {
    /// A point of it.
    pub point: DVec3,
    /// The unit normal to the side of the bodies, along an axis.
    pub normal: DVec3,
}

/// A joint that holds a point of a body at a point of another.
#[derive(Clone, Copy)]
pub struct BallJoint {
    /// The bodies.
    pub bodies: [usize; 2],
    /// The point in the axes of each.
    pub anchors: [DVec3; 2],
}

/// A scene and the section of the program that measures it.
pub struct Entry {
    /// The section.
    pub section: &'static str,
    /// Builds the scene.
    pub build: fn() -> Result<Scene, Failure>,
}

/// All scenes, in the order in which they are measured.
pub const ENTRIES: [Entry; 7] = [
    Entry {
        section: "stacks-large-pyramid",
        build: || Ok(large_pyramid()),
    },
    Entry {
        section: "stacks-many-pyramids",
        build: || Ok(many_pyramids()),
    },
    Entry {
        section: "stacks-convex-pile",
        build: convex_pile,
    },
    Entry {
        section: "stacks-joint-grid",
        build: || Ok(joint_grid()),
    },
    Entry {
        section: "stacks-ball-heap-1000",
        build: || Ok(ball_heap([10, 10, 10])),
    },
    Entry {
        section: "stacks-ball-heap-8000",
        build: || Ok(ball_heap([20, 20, 20])),
    },
    Entry {
        section: "stacks-ball-heap-30000",
        build: || Ok(ball_heap([40, 30, 25])),
    },
];

impl Scene {
    /// Mass and moments of every body.
    pub fn constants(&self) -> Constants {
        let (mass, moment) = match &self.shape {
            Shape::Cube(half) => {
                let mass = self.density * (2.0 * half).powi(3);
                (mass, mass * half * half * 2.0 / 3.0)
            }
            Shape::Ball(radius) => {
                let mass = self.density * radius.powi(3) * PI * 4.0 / 3.0;
                (mass, 0.4 * mass * radius * radius)
            }
            Shape::Hull(_, constants) => return *constants,
        };
        Constants::new(mass, DVec3::splat(moment))
    }

    /// Whether bodies collide with each other.
    pub fn collides(&self) -> bool {
        self.joints.is_empty()
    }

    /// How many bodies can move.
    pub fn free_bodies(&self) -> usize {
        self.bodies.iter().filter(|body| !body.fixed).count()
    }
}

fn large_pyramid() -> Scene {
    let mut bodies = Vec::new();
    add_pyramid(&mut bodies, 100, DVec3::ZERO);
    pyramids(bodies)
}

fn many_pyramids() -> Scene {
    const ROWS: i32 = 14;
    const DISTANCE: f64 = 11.0;
    let mut bodies = Vec::new();
    for i in 0..ROWS * ROWS {
        let place = |k: i32| (f64::from(k) - 0.5 * f64::from(ROWS - 1)) * DISTANCE;
        let at = DVec3::new(place(i % ROWS), place(i / ROWS), 0.0);
        add_pyramid(&mut bodies, 10, at);
    }
    pyramids(bodies)
}

fn pyramids(bodies: Vec<Placed>) -> Scene {
    Scene {
        steps: 200,
        shape: Shape::Cube(0.5),
        density: 100.0,
        bodies,
        walls: vec![FLOOR],
        joints: Vec::new(),
    }
}

const FLOOR: Wall = Wall {
    point: DVec3::ZERO,
    normal: DVec3::Z,
};

/// A flat pyramid of unit cubes: rows along x, each one shorter than the row below.
fn add_pyramid(bodies: &mut Vec<Placed>, base: u32, at: DVec3) {
    for row in 0..base {
        let count = base - row;
        for k in 0..count {
            let x = f64::from(k) - 0.5 * f64::from(count - 1);
            bodies.push(free(at + DVec3::new(x, 0.0, f64::from(row) + 0.5)));
        }
    }
}

/// A tower of hulls of 32 points on a ball of 2 m, 8 × 8 × 80 of them, which collapses.
fn convex_pile() -> Result<Scene, Failure> {
    const COUNTS: [u32; 3] = [8, 8, 80];
    const RADIUS: f64 = 2.0;
    let points: Vec<DVec3> = (1..=32).map(|i| point_on_ball(i) * RADIUS).collect();
    let mesh = ConvexHull::new(&points)?.mesh();
    let mass = DENSITY * mesh.volume_integrals().volume;
    let diagonal = MassProperties::of_mesh(&mesh, mass).diagonalise();
    let to_principal = diagonal.carry();
    let points: Vec<DVec3> = points.iter().map(|p| to_principal.point(*p)).collect();
    let hull = Arc::new(ConvexHull::new(&points)?);
    let spacing = 2.0 * RADIUS;
    let bodies = lattice(COUNTS).map(|at| free(at * spacing));
    Ok(Scene {
        steps: 500,
        shape: Shape::Hull(hull, Constants::new(mass, diagonal.moments)),
        density: DENSITY,
        bodies: bodies.collect(),
        walls: vec![FLOOR],
        joints: Vec::new(),
    })
}

/// A point of the unit ball's surface for each number.
fn point_on_ball(i: u32) -> DVec3 {
    let z = 2.0 * spread(i, 2.0) - 1.0;
    let (sin, cos) = sincos(TAU * spread(i, 3.0));
    let radius = (1.0 - z * z).sqrt();
    DVec3::new(radius * cos, radius * sin, z)
}

/// A curtain of 100 × 100 balls that hangs on its first row.
fn joint_grid() -> Scene {
    const SIDE: usize = 100;
    let mut bodies = Vec::new();
    let mut joints = Vec::new();
    for column in 0..SIDE {
        for row in 0..SIDE {
            let index = bodies.len();
            bodies.push(Placed {
                position: DVec3::new(column as f64, 0.0, -(row as f64)),
                fixed: row == 0,
            });
            let mut join = |other: usize, half: DVec3| {
                joints.push(BallJoint {
                    bodies: [other, index],
                    anchors: [half, -half],
                });
            };
            if row > 0 {
                join(index - 1, DVec3::Z * -0.5);
            }
            if column > 0 && row > 0 {
                join(index - SIDE, DVec3::X * 0.5);
            }
        }
    }
    Scene {
        steps: 200,
        shape: Shape::Ball(0.4),
        density: DENSITY,
        bodies,
        walls: Vec::new(),
        joints,
    }
}

/// Balls of radius 0.5 m on a loose lattice between four walls, which fall into a heap.
fn ball_heap(counts: [u32; 3]) -> Scene {
    const SPACING: f64 = 1.1;
    const JITTER: f64 = 0.05;
    let shake = |i: u32| {
        let offset = |k: f64| 2.0 * spread(i, k) - 1.0;
        DVec3::new(offset(2.0), offset(3.0), offset(5.0)) * JITTER
    };
    let places = (0u32..).zip(lattice(counts));
    let bodies = places.map(|(i, at)| free(at * SPACING + shake(i)));
    let mut walls = vec![FLOOR];
    for (axis, count) in [(DVec3::X, counts[0]), (DVec3::Y, counts[1])] {
        let half = axis * (0.5 * SPACING * f64::from(count));
        walls.push(Wall {
            point: -half,
            normal: axis,
        });
        walls.push(Wall {
            point: half,
            normal: -axis,
        });
    }
    Scene {
        steps: 300,
        shape: Shape::Ball(0.5),
        density: DENSITY,
        bodies: bodies.collect(),
        walls,
        joints: Vec::new(),
    }
}

/// The points of a lattice with distance 1, about the z axis and above the floor.
fn lattice(counts: [u32; 3]) -> impl Iterator<Item = DVec3> {
    let [nx, ny, nz] = counts;
    let centred = |k: u32, n: u32| f64::from(k) - 0.5 * f64::from(n - 1);
    (0..nx * ny * nz).map(move |i| {
        let (x, y, z) = (i % nx, i / nx % ny, i / (nx * ny));
        DVec3::new(centred(x, nx), centred(y, ny), f64::from(z) + 0.5)
    })
}

/// Multiples of irrational numbers fill the unit interval evenly.
fn spread(i: u32, k: f64) -> f64 {
    (f64::from(i) * k.sqrt()).fract()
}

fn free(position: DVec3) -> Placed {
    Placed {
        position,
        fixed: false,
    }
}
