//! From the cloth and obstacles of a scene file to pieces, obstacles and pins for the
//! world.

mod materials;
mod obstacle_shapes;
mod obstacles;
mod parts;
mod piece_shapes;
mod pieces;
mod pins;

pub use obstacles::{PlacedObstacle, build_obstacles};
pub use piece_shapes::vertex_count;

use super::bodies::BuiltBody;
use super::check;
use crate::cloth::ClothWorld;
use crate::motion::MotionWorld;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::{
    ClothIntegratorSpec, ClothResponseSpec, ClothSolverSpec, ClothZoneFrictionSpec, SceneFile,
};
use crate::text;
use conatus_cloth::collide::ClothPlane;
use conatus_cloth::response::{Response, ZoneFriction};
use conatus_cloth::{
    BodySurface, Cloth, ClothIntegrator, ClothParts, ClothSettings, Collisions, Obstacle, Solver,
};
use conatus_geometry::Mesh;
use conatus_math::DVec3;
use conatus_record::ClothInfo;
use conatus_rigid::contact::{Collider, ContactMaterial};
use materials::Materials;
use pieces::add_piece;
use pins::Targets;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use std::collections::BTreeMap;

/// The farthest from the origin that cloth and what it meets may be, in metres. Beyond it
/// the digits of a position are too few for sheets that keep a millimetre.
const MAX_DISTANCE_M: f64 = 1e6;

/// The cloth of a scene.
pub struct BuiltCloth {
    /// For the world; none if there is neither cloth nor an obstacle.
    pub world: Option<ClothWorld>,
    /// For the recording's header.
    pub infos: Vec<ClothInfo>,
    /// What bodies collide with, in the order of the world's obstacles.
    pub colliders: Vec<(String, Collider)>,
}

/// Builds all cloth. `bodies` are those of the scene, `placed` its obstacles, `motion` its
/// characters.
pub fn build(
    scene: &Scene,
    file: &SceneFile,
    bodies: &[BuiltBody],
    placed: &[PlacedObstacle],
    motion: Option<&MotionWorld>,
    diagnostics: &mut Diagnostics,
) -> BuiltCloth {
    // Cloth and bodies collide with characters as with obstacles.
    let mut colliders = placed.to_vec();
    if let Some(motion) = motion
        && (!file.cloth.piece.is_empty() || !bodies.is_empty())
    {
        colliders.extend(parts::parts(motion));
    }
    check_settings(file, diagnostics);
    let materials = Materials::of(&file.cloth, diagnostics);
    // Bodies that collide with cloth, or that it is pinned to.
    let followed = pins::followed_bodies(&file.cloth);
    let collides =
        |body: &BuiltBody| body.mesh.is_some() && !body.colliders.is_empty() && !body.sensor;
    let coupled = (0..bodies.len()).filter(|&i| {
        let body = &bodies[i];
        collides(body) || followed.contains(body.name.as_str())
    });
    let coupled: Vec<usize> = coupled.collect();
    let targets = Targets {
        bodies,
        coupled: &coupled,
        colliders: &colliders,
        own_obstacles: placed.len(),
    };
    let mut parts = ClothParts::default();
    let mut infos = Vec::new();
    // The entry in the scene file that each piece comes from.
    let mut origins = Vec::new();
    let mut random = Pcg64::seed_from_u64(scene.seed ^ 0xc107);
    for (i, spec) in file.cloth.piece.iter().enumerate() {
        let path = format!("cloth.piece[{i}]");
        add_piece(
            scene,
            file,
            &materials,
            &targets,
            spec,
            i,
            &path,
            &mut random,
            &mut parts,
            &mut infos,
            diagnostics,
        );
        origins.resize(infos.len(), i);
    }
    check_names(&infos, &origins, diagnostics);
    if parts.positions.is_empty() && colliders.is_empty() {
        return BuiltCloth {
            world: None,
            infos,
            colliders: Vec::new(),
        };
    }
    for body in coupled.iter().map(|&i| &bodies[i]) {
        let Some(mesh) = body.mesh.as_ref().filter(|_| collides(body)) else {
            parts.bodies.push(BodySurface {
                mesh: Mesh::default(),
                friction: None,
            });
            continue;
        };
        let size = mesh.bounding_radius(DVec3::ZERO);
        let within = body.state.position.length() + size <= MAX_DISTANCE_M;
        if !within {
            diagnostics.at(
                &body.path,
                format!(
                    "`{}` reaches more than {MAX_DISTANCE_M} m from the origin, where cloth cannot meet it",
                    body.name
                ),
                "lengths are in metres; make it smaller, or set `collides = false`",
            );
        }
        parts.bodies.push(BodySurface {
            mesh: (**mesh).clone(),
            friction: body.friction,
        });
    }
    parts.obstacles = colliders
        .iter()
        .map(|o| Obstacle {
            mesh: match o.sensor {
                true => Mesh::default(),
                false => (*o.mesh).clone(),
            },
            path: o.motion.clone(),
            friction: o.friction,
        })
        .collect();
    for plane in file.plane.iter().filter(|plane| !plane.sensor) {
        let normal = DVec3::from(plane.normal).normalize_or(DVec3::Z);
        parts
            .planes
            .push(ClothPlane::new(plane.point.into(), normal, plane.friction));
    }
    if !diagnostics.is_empty() {
        return BuiltCloth {
            world: None,
            infos,
            colliders: Vec::new(),
        };
    }
    let mut cloth = Cloth::new(parts);
    cloth.collisions = collisions(file);
    cloth.elastic.settings = settings(file);
    cloth.gravity = super::gravity(file);
    cloth.wind = file.cloth.wind.into();
    cloth.gust = file.cloth.gust.map(|g| conatus_cloth::Gust {
        strength: g.strength.into(),
        period: g.period,
    });
    let world = ClothWorld::new(
        cloth,
        placed.len(),
        coupled,
        bodies.iter().map(|b| &b.state),
    );
    if !file.cloth.allow_initial_intersections {
        report_intersections(&world, &infos, &origins, &colliders, bodies, diagnostics);
    }
    let scripted = |(k, o): (u32, &PlacedObstacle)| {
        let material = ContactMaterial {
            friction: o.friction,
            ..ContactMaterial::default()
        };
        let (pose, shape) = o.collider.clone();
        let mut collider = Collider::scripted(k, shape, pose, material);
        collider.groups = o.groups;
        collider.sensor = o.sensor;
        (o.name.clone(), collider)
    };
    BuiltCloth {
        world: Some(world),
        infos,
        colliders: (0..).zip(&colliders).map(scripted).collect(),
    }
}

fn collisions(file: &SceneFile) -> Collisions {
    let c = &file.cloth;
    Collisions {
        response: match c.response {
            ClothResponseSpec::InelasticProjection => Response::InelasticProjection,
            ClothResponseSpec::RigidImpactZones => Response::RigidImpactZones,
            ClothResponseSpec::Lcp => Response::Lcp,
        },
        zone_friction: match c.zone_friction {
            ClothZoneFrictionSpec::PerZone => ZoneFriction::PerZone,
            ClothZoneFrictionSpec::PerConstraint => ZoneFriction::PerConstraint,
        },
        sweeps: c.sweeps as usize,
        passes: c.passes as usize,
        restore: c.restore,
        longest: c.longest,
        contacts_in_solve: c.contacts_in_solve,
        rests: c.rests,
        smallest_step: c.smallest_step,
        ..Collisions::default()
    }
}

fn settings(file: &SceneFile) -> ClothSettings {
    let c = &file.cloth;
    ClothSettings {
        integrator: match c.integrator {
            ClothIntegratorSpec::ImplicitEuler => ClothIntegrator::ImplicitEuler,
            ClothIntegratorSpec::SymplecticEuler => ClothIntegrator::SymplecticEuler,
        },
        solver: match c.solver {
            ClothSolverSpec::Auto => Solver::Auto,
            ClothSolverSpec::Pcg => Solver::Pcg,
            ClothSolverSpec::Cholesky => Solver::Cholesky,
        },
        tolerance: c.tolerance,
        newton_iterations: c.newton_iterations as usize,
        ..ClothSettings::default()
    }
}

fn check_settings(file: &SceneFile, diagnostics: &mut Diagnostics) {
    let c = &file.cloth;
    let positive = [
        ("restore", "the share to restore", c.restore),
        ("smallest_step", "the smallest step", c.smallest_step),
        ("tolerance", "the tolerance", c.tolerance),
    ];
    for (key, what, value) in positive {
        check::positive(diagnostics, &format!("cloth.{key}"), what, value);
    }
    if let Some(gust) = c.gust {
        check::positive(diagnostics, "cloth.gust.period", "the period", gust.period);
    }
    if c.longest < 1.0 {
        diagnostics.at(
            "cloth.longest",
            format!(
                "edges may get {} times their rest length",
                text::number(c.longest)
            ),
            "give at least 1; 1.1 lets them stretch by a tenth",
        );
    }
    let limits = [
        (
            "restore",
            c.restore > 1.0,
            "give at most 1: all of it in one step",
        ),
        (
            "tolerance",
            c.tolerance >= 1.0,
            "give less than 1, for example 0.001",
        ),
        (
            "smallest_step",
            c.smallest_step > 0.0 && c.smallest_step < 1e-9,
            "give at least 1e-9: shorter steps resolve nothing more",
        ),
    ];
    for (key, wrong, help) in limits {
        if wrong {
            let value = positive.iter().find(|p| p.0 == key).map_or(0.0, |p| p.2);
            let message = format!("`{key}` is {}", text::number(value));
            diagnostics.at(&format!("cloth.{key}"), message, help);
        }
    }
    for (key, times, least) in [
        ("sweeps", c.sweeps, 0),
        ("passes", c.passes, 0),
        ("newton_iterations", c.newton_iterations, 1),
    ] {
        if !(least..=1000).contains(&times) {
            diagnostics.at(
                &format!("cloth.{key}"),
                format!("`{key}` is {times}"),
                format!("give from {least} to 1000"),
            );
        }
    }
    if let Some(friction) = c.friction {
        check::not_negative(diagnostics, "cloth.friction", "the friction", friction);
    }
    if let Some(thickness) = c.thickness {
        check::positive(diagnostics, "cloth.thickness", "the thickness", thickness);
    }
    if !(2..=10_000).contains(&c.resolution) {
        diagnostics.at(
            "cloth.resolution",
            format!("{} vertices along a side", c.resolution),
            "give from 2 to 10000",
        );
    }
}

/// Reports refer to pieces by name, so no two may share one.
fn check_names(infos: &[ClothInfo], origins: &[usize], diagnostics: &mut Diagnostics) {
    let mut seen = BTreeMap::new();
    for (info, &origin) in infos.iter().zip(origins) {
        if let Some(first) = seen.insert(info.name.as_str(), origin) {
            diagnostics.at(
                &format!("cloth.piece[{origin}].name"),
                format!(
                    "the name `{}` is used twice, first by cloth.piece[{first}]",
                    info.name
                ),
                "give every piece a unique name",
            );
        }
    }
}

/// Reports what intersects at the start, at the first piece that does.
fn report_intersections(
    world: &ClothWorld,
    infos: &[ClothInfo],
    origins: &[usize],
    colliders: &[PlacedObstacle],
    bodies: &[BuiltBody],
    diagnostics: &mut Diagnostics,
) {
    let coupled = world.bodies().iter().map(|&i| bodies[i].name.as_str());
    let names: Vec<&str> = (infos.iter().map(|i| i.name.as_str()))
        .chain(coupled)
        .chain(colliders.iter().map(|o| o.name.as_str()))
        .collect();
    let pairs = world.intersecting_triangles(10);
    if let Some(&(first, _)) = pairs.first() {
        let name = |triangle: u32| {
            let (part, number) = world.triangle(triangle);
            let name = names.get(part).unwrap_or(&"?");
            format!("triangle {} of `{name}`", number + 1)
        };
        let mut listed: Vec<String> = (pairs.iter().take(4))
            .map(|&(a, b)| format!("{} and {}", name(a), name(b)))
            .collect();
        match pairs.len() {
            0..=4 => {}
            10 => listed.push("more".to_owned()),
            n => listed.push(format!("{} more", n - 4)),
        }
        report_at_piece(
            diagnostics,
            origins.get(world.triangle(first).0),
            format!("cloth intersects at the start: {}", listed.join("; ")),
            "move the pieces apart",
        );
    }
    for (plane, first, count) in world.behind_planes() {
        let (part, _) = world.triangle(first);
        report_at_piece(
            diagnostics,
            origins.get(part),
            format!(
                "cloth starts behind plane[{plane}]: {count} of its triangles, the first of `{}`",
                names.get(part).unwrap_or(&"?")
            ),
            "move the piece to where the plane's `normal` points",
        );
    }
}

fn report_at_piece(
    diagnostics: &mut Diagnostics,
    origin: Option<&usize>,
    message: String,
    remedy: &str,
) {
    let path = origin.map_or("cloth".to_owned(), |i| format!("cloth.piece[{i}].position"));
    diagnostics.at(
        &path,
        message,
        format!("{remedy}, or run it with --set cloth.allow_initial_intersections=true"),
    );
}
