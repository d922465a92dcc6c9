//! Shared by the tests of collisions: small scenes, and the exact intersection
//! check.
#![allow(dead_code, missing_docs)]

use conatus_cloth::collide::ClothPlane;
use conatus_cloth::response::Response;
use conatus_cloth::script::{Ease, Key, Path};
use conatus_cloth::{Cloth, ClothParts, Material, Obstacle, Piece, named};
use conatus_geometry::intersect::{intersecting_pairs, reaches_half_space};
use conatus_geometry::{Mesh, generate, icosphere};
use conatus_math::{DVec3, Pose};

pub const RESPONSES: [Response; 3] = [
    Response::InelasticProjection,
    Response::RigidImpactZones,
    Response::Lcp,
];

pub const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// A soft test fabric.
pub fn fabric(thickness: f64, friction: f64) -> Material {
    Material {
        density: 0.2,
        stretch_warp: 300.0,
        stretch_weft: 300.0,
        shear: 120.0,
        bend: 5e-5,
        damping_mass: 0.2,
        damping_stiffness: 5e-4,
        thickness,
        friction,
        ..named("cotton").expect("a material of the table")
    }
}

/// The same without damping and air.
pub fn undamped(thickness: f64) -> Material {
    Material {
        damping_mass: 0.0,
        damping_stiffness: 0.0,
        drag_normal: 0.0,
        drag_tangential: 0.0,
        ..fabric(thickness, 0.0)
    }
}

/// Adds a sheet; `place` maps a point of its rest shape to its initial
/// position.
pub fn add_sheet(
    parts: &mut ClothParts,
    (size, n): (f64, u32),
    material: Material,
    place: impl Fn(DVec3) -> DVec3,
) {
    let mesh = generate::rectangle(size, size, n, n);
    parts
        .positions
        .extend(mesh.vertices.iter().map(|&v| place(v)));
    let name = format!("sheet {}", parts.pieces.len());
    parts.pieces.push(Piece::flat(name, mesh, material));
}

pub fn ball(radius: f64, subdivisions: u32) -> Mesh {
    let mut mesh = icosphere(subdivisions);
    mesh.vertices.iter_mut().for_each(|v| *v *= radius);
    mesh
}

/// An obstacle that moves along straight lines without rotation.
pub fn obstacle(mesh: Mesh, places: &[(f64, DVec3)]) -> Obstacle {
    let key = |&(time, place): &(f64, DVec3)| Key {
        time,
        pose: Pose::shift(place),
    };
    Obstacle {
        mesh,
        path: Path::through(places.iter().map(key).collect(), Ease::Linear),
        friction: None,
    }
}

/// Cloth with the triangles of everything in it.
pub struct Scene {
    pub cloth: Cloth,
    triangles: Vec<[u32; 3]>,
    of_cloth: u32,
    rest: Vec<([u32; 2], f64)>,
    planes: Vec<ClothPlane>,
    pub time: f64,
}

impl Scene {
    pub fn new(parts: ClothParts) -> Self {
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        let mut rest = Vec::new();
        let (mut first, mut of_cloth) = (0, 0);
        let pieces = parts.pieces.iter().map(|p| (&p.rest, true));
        let bodies = parts.bodies.iter().map(|b| (&b.mesh, false));
        let obstacles = parts.obstacles.iter().map(|o| (&o.mesh, false));
        for (mesh, is_cloth) in pieces.chain(bodies).chain(obstacles) {
            for t in &mesh.triangles {
                triangles.push(t.map(|i| i + first));
                if is_cloth {
                    of_cloth += 1;
                    for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                        let [x, y] = [a, b].map(|i| mesh.vertices[i as usize]);
                        rest.push(([a + first, b + first], x.distance(y)));
                    }
                }
            }
            first += mesh.vertices.len() as u32;
        }
        let planes = parts.planes.clone();
        let mut cloth = Cloth::new(parts);
        cloth.gravity = GRAVITY;
        Self {
            cloth,
            triangles,
            of_cloth,
            rest,
            planes,
            time: 0.0,
        }
    }

    /// One step without bodies.
    pub fn step(&mut self, h: f64) -> Result<(), conatus_cloth::Pinch> {
        self.cloth.step(self.time, h, &mut [])?;
        self.time += h;
        Ok(())
    }

    /// Triangles that pass through each other or through a plane.
    pub fn intersections(&self) -> usize {
        let (points, cloth) = (self.cloth.points(), self.of_cloth);
        let skip = |a, b| a >= cloth && b >= cloth;
        let below = |p: &ClothPlane| {
            let of_cloth = &self.triangles[..cloth as usize];
            reaches_half_space(points, of_cloth, &p.half_space)
        };
        intersecting_pairs(points, &self.triangles, 1000, skip).len()
            + self.planes.iter().map(below).sum::<usize>()
    }

    /// The largest ratio of edge length to rest length.
    pub fn stretch(&self) -> f64 {
        let x = self.cloth.positions();
        let ratio =
            |&([a, b], rest): &([u32; 2], f64)| x[a as usize].distance(x[b as usize]) / rest;
        self.rest.iter().map(ratio).fold(0.0, f64::max)
    }

    pub fn mean_speed(&self) -> f64 {
        let v = self.cloth.velocities();
        v.iter().map(|v| v.length()).sum::<f64>() / v.len() as f64
    }

    /// Kinetic energy of the cloth.
    pub fn kinetic(&self) -> f64 {
        let v = self.cloth.velocities().iter();
        let masses = self.cloth.elastic.masses();
        v.zip(masses)
            .map(|(v, m)| 0.5 * m * v.length_squared())
            .sum()
    }

    pub fn momentum(&self) -> DVec3 {
        let v = self.cloth.velocities().iter();
        v.zip(self.cloth.elastic.masses())
            .map(|(v, m)| *m * *v)
            .sum()
    }
}
