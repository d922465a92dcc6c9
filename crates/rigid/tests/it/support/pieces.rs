//! Random numbers, and convex solids of every kind with their mass properties.

use conatus_geometry::convex::ConvexHull;
use conatus_geometry::{Axis, Shape};
use conatus_math::{DQuat, DVec3, rotation};
use conatus_rigid::MassProperties;

/// Random numbers from a seed (splitmix64).
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between two numbers.
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between two positive numbers, each decade equally likely.
    pub fn scale(&mut self, low: f64, high: f64) -> f64 {
        self.within(low.ln(), high.ln()).exp()
    }

    /// From 0 to `count` − 1.
    pub fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    pub fn chance(&mut self, share: f64) -> bool {
        self.within(0.0, 1.0) < share
    }

    /// Each coordinate within ± `size`.
    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(
            self.within(-size, size),
            self.within(-size, size),
            self.within(-size, size),
        )
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector(1.0);
            if (0.1..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }

    pub fn turn(&mut self) -> DQuat {
        rotation::from_axis_angle(self.direction(), self.within(-3.1, 3.1))
    }
}

/// A convex solid in its principal axes, with its mass and moments.
#[derive(Clone, Debug)]
pub struct Piece {
    pub name: &'static str,
    pub shape: Shape,
    pub mass: f64,
    pub moments: DVec3,
}

impl Piece {
    pub fn of_solid(name: &'static str, solid: &Shape, mass: f64) -> Self {
        let inertia = MassProperties::of_shape(solid, mass).unwrap().inertia;
        Self {
            name,
            shape: solid.clone(),
            mass,
            moments: DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z),
        }
    }

    pub fn of_hull(points: &[DVec3], mass: f64) -> Self {
        let hull = ConvexHull::new(points).expect("points in space");
        let properties = MassProperties::of_mesh(&hull.mesh(), mass).diagonalise();
        let carry = properties.carry();
        let moved: Vec<DVec3> = hull.vertices().iter().map(|&p| carry.point(p)).collect();
        let hull = ConvexHull::new(&moved).expect("points in space");
        Self {
            name: "hull",
            shape: Shape::from(hull),
            mass,
            moments: properties.moments,
        }
    }
}

/// One solid of every kind, each a metre across or less.
pub fn every_kind(mass: f64) -> Vec<Piece> {
    let axis = Axis::Z;
    let mut rng = Rng(5);
    let points: Vec<DVec3> = (0..20).map(|_| rng.direction() * 0.4).collect();
    let solids = [
        ("ball", Shape::Sphere { radius: 0.4 }),
        (
            "box",
            Shape::Box {
                half_extents: DVec3::new(0.3, 0.4, 0.5),
            },
        ),
        (
            "capsule",
            Shape::Capsule {
                radius: 0.25,
                height: 0.6,
                axis,
            },
        ),
        (
            "cylinder",
            Shape::Cylinder {
                radius: 0.35,
                height: 0.7,
                axis,
            },
        ),
        (
            "cone",
            Shape::Cone {
                radius: 0.4,
                height: 0.9,
                axis,
            },
        ),
        (
            "ellipsoid",
            Shape::Ellipsoid {
                semi_axes: DVec3::new(0.5, 0.3, 0.4),
            },
        ),
    ];
    let mut pieces: Vec<Piece> = solids
        .iter()
        .map(|(name, solid)| Piece::of_solid(name, solid, mass))
        .collect();
    pieces.push(Piece::of_hull(&points, mass));
    pieces
}

/// A random solid with a radius of about `size`, of random proportions and density.
pub fn random(rng: &mut Rng, size: f64) -> Piece {
    let axis = [Axis::X, Axis::Y, Axis::Z][rng.below(3) as usize];
    let density = rng.scale(100.0, 5000.0);
    let mut length = || size * rng.scale(0.35, 1.0);
    let (radius, height) = (length(), 1.5 * length());
    let edges = DVec3::new(length(), length(), length());
    let (name, solid) = match rng.below(7) {
        0 => ("ball", Shape::Sphere { radius }),
        1 => (
            "box",
            Shape::Box {
                half_extents: edges,
            },
        ),
        2 => {
            let radius = 0.7 * radius;
            (
                "capsule",
                Shape::Capsule {
                    radius,
                    height,
                    axis,
                },
            )
        }
        3 => (
            "cylinder",
            Shape::Cylinder {
                radius,
                height,
                axis,
            },
        ),
        4 => (
            "cone",
            Shape::Cone {
                radius,
                height,
                axis,
            },
        ),
        5 => ("ellipsoid", Shape::Ellipsoid { semi_axes: edges }),
        _ => {
            let count = 6 + rng.below(20);
            let points: Vec<DVec3> = (0..count).map(|_| rng.direction() * edges).collect();
            let volume = edges.x * edges.y * edges.z * 3.0;
            return Piece::of_hull(&points, density * volume);
        }
    };
    Piece::of_solid(name, &solid, density * solid.volume().unwrap())
}
