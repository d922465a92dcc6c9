//! From the bodies of a scene file to bodies with mass, state and surface.

use super::check;
use super::groups::{GroupKeys, GroupNames};
use super::matter::{mass, state};
use super::shapes::{MeshDivision, ShapeCache, ShapeGeometry};
use super::size::SceneSize;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::{ArraySpec, BodySpec, SceneFile};
use conatus_geometry::{Mesh, Shape};
use conatus_math::{DMat3, DQuat, DVec3, Pose, sincos};
use conatus_rigid::contact::Groups;
use conatus_rigid::{Constants, MassProperties, State};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A body that is ready for the world.
#[derive(Clone)]
pub struct BuiltBody {
    /// Its name.
    pub name: String,
    /// Mass, moments and damping.
    pub constants: Constants,
    /// Its state at the start.
    pub state: State,
    /// Held in place.
    pub locked: bool,
    /// From the coordinates of its shape to its principal axes.
    pub to_principal: Pose,
    /// Its surface in principal axes, shared by equal bodies.
    pub mesh: Option<Arc<Mesh>>,
    /// The closed surface for buoyancy, in principal axes, shared by equal bodies.
    pub hull: Option<Arc<Mesh>>,
    /// The shapes that it collides as, at their poses in principal axes.
    pub colliders: Vec<(Pose, Shape)>,
    /// The largest division of a mesh among its shapes, if it collides.
    pub division: Option<MeshDivision>,
    /// c.
    pub restitution: f64,
    /// The lever of rolling resistance in metres.
    pub rolling_friction: f64,
    /// μ, if the body specifies it.
    pub friction: Option<f64>,
    /// What it collides with.
    pub groups: Groups,
    /// Whether it reports overlaps and touches nothing.
    pub sensor: bool,
    /// Red, green, blue from 0 to 1.
    pub color: [f32; 3],
    /// The path of the scene's entry, for messages; shared by the copies of an array.
    pub path: Arc<str>,
}

impl BuiltBody {
    /// Balls around its colliders: centres in principal axes, and radii.
    pub fn bounding_spheres(&self) -> Vec<(DVec3, f64)> {
        let balls = self.colliders.iter();
        balls
            .map(|(pose, shape)| (pose.translation, shape.bounding_radius()))
            .collect()
    }
}

/// Builds all bodies, those that commands add last. A body with errors is reported and replaced by a body of one
/// kilogram, so that references to it can be checked as well.
pub fn build(scene: &Scene, file: &SceneFile, diagnostics: &mut Diagnostics) -> Vec<BuiltBody> {
    // The number of bodies was checked before.
    let mut built = Vec::with_capacity(SceneSize::of(file).bodies as usize);
    let mut random = Pcg64::seed_from_u64(scene.seed);
    let mut cache = ShapeCache::default();
    let names = GroupNames::of(file);
    for (i, spec) in file.body.iter().enumerate() {
        let path = format!("body[{i}]");
        let mut body = one(scene, file, spec, i, &path, &mut cache, diagnostics);
        body.groups = names.groups(keys(spec), &path, diagnostics);
        match &spec.array {
            None => built.push(body),
            Some(array) => {
                for (key, what, value) in [
                    ("jitter", "the jitter", array.jitter),
                    ("speed", "the speed", array.speed),
                ] {
                    check::not_negative(diagnostics, &format!("{path}.array.{key}"), what, value);
                }
                add_copies(body, array, &mut random, &mut built);
            }
        }
    }
    let regular = built.len();
    for (k, (path, spec)) in later_specs(file).enumerate() {
        if spec.array.is_some() {
            diagnostics.at(
                &format!("{path}.array"),
                "a command adds one body",
                "write one command for each body, or list the copies as `[[body]]`",
            );
        }
        let mut body = one(
            scene,
            file,
            spec,
            regular + k,
            &path,
            &mut cache,
            diagnostics,
        );
        body.groups = names.groups(keys(spec), &path, diagnostics);
        built.push(body);
    }
    check_names(&built, diagnostics);
    if let Some(wild) = built
        .iter()
        .find(|b| !b.state.is_finite_and_slower_than_light())
    {
        diagnostics.at(
            &wild.path,
            format!(
                "`{}` starts at a position that is not finite, or faster than light",
                wild.name
            ),
            "lengths are in metres, speeds in m/s and rad/s; are the numbers far too large?",
        );
    }
    built
}

/// The bodies that commands add, with their paths.
pub fn later_specs(file: &SceneFile) -> impl Iterator<Item = (String, &BodySpec)> {
    let commands = file.command.iter().enumerate();
    commands.filter_map(|(i, command)| {
        let body = command.add_body.as_deref()?;
        Some((format!("command[{i}].add_body"), body))
    })
}

fn keys(spec: &BodySpec) -> GroupKeys<'_> {
    GroupKeys {
        groups: &spec.groups,
        collides_with: spec.collides_with.as_deref(),
    }
}

/// Adds the copies of an array, whose number was checked before.
fn add_copies(body: BuiltBody, array: &ArraySpec, random: &mut Pcg64, built: &mut Vec<BuiltBody>) {
    let [nx, ny, _] = array.count;
    for copy in 0..array.copies() {
        let (x, y, z) = (copy % nx, copy / nx % ny, copy / nx / ny);
        let place = DVec3::new(x as f64, y as f64, z as f64);
        let mut one = body.clone();
        one.name = format!("{}-{copy}", body.name);
        one.state.position += place * DVec3::from(array.spacing) + in_cube(random) * array.jitter;
        one.state.velocity += on_sphere(random) * array.speed;
        built.push(one);
    }
}

fn check_names(built: &[BuiltBody], diagnostics: &mut Diagnostics) {
    let mut seen = BTreeMap::new();
    for body in built {
        if let Some(first) = seen.insert(&body.name, &body.path) {
            diagnostics.at(
                &format!("{}.name", body.path),
                format!("the name `{}` is used twice, first by {first}", body.name),
                "give every body a unique name",
            );
        }
    }
}

/// A number from 0 up to, but not including, 1.
fn unit(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

pub(super) fn in_cube(random: &mut Pcg64) -> DVec3 {
    DVec3::new(unit(random), unit(random), unit(random)) * 2.0 - DVec3::ONE
}

pub(super) fn on_sphere(random: &mut Pcg64) -> DVec3 {
    // Archimedes: height and longitude are uniform on a sphere.
    let z = 2.0 * unit(random) - 1.0;
    let (sin, cos) = sincos(std::f64::consts::TAU * unit(random));
    let r = (1.0 - z * z).max(0.0).sqrt();
    DVec3::new(r * cos, r * sin, z)
}

fn one(
    scene: &Scene,
    file: &SceneFile,
    spec: &BodySpec,
    index: usize,
    path: &str,
    cache: &mut ShapeCache,
    diagnostics: &mut Diagnostics,
) -> BuiltBody {
    let before = diagnostics.len();
    let shapes = shapes(scene, spec, path, cache, diagnostics);
    let mass = mass(spec, &shapes, path, diagnostics).unwrap_or(MassProperties {
        mass: 1.0,
        centre: DVec3::ZERO,
        inertia: DMat3::IDENTITY,
    });
    let diagonal = mass.diagonalise();
    let to_principal = diagonal.carry();
    let damping = spec.damping.unwrap_or(file.damping);
    if let Some(own) = spec.damping {
        for (key, value) in [("linear", own.linear), ("angular", own.angular)] {
            let path = format!("{path}.damping.{key}");
            check::not_negative(diagnostics, &path, "the damping", value);
        }
    }
    let constants = Constants {
        mass: diagonal.mass,
        moments: diagonal.moments,
        linear_damping: damping.linear,
        angular_damping: damping.angular,
    };
    if let Some(own) = spec.restitution {
        check::restitution(diagnostics, &format!("{path}.restitution"), own);
    }
    if let Some(own) = spec.friction {
        check::not_negative(
            diagnostics,
            &format!("{path}.friction"),
            "the friction",
            own,
        );
    }
    if let Some(own) = spec.rolling_friction {
        let path = format!("{path}.rolling_friction");
        check::not_negative(diagnostics, &path, "the rolling friction", own);
    }
    let name = match spec.name.as_str() {
        "" => format!("body-{}", index + 1),
        name => name.to_owned(),
    };
    let collides = spec.collides.unwrap_or(true);
    let indivisible = shapes.iter().find_map(|s| s.indivisible.as_ref());
    if let Some(reason) = indivisible.filter(|_| collides && diagnostics.len() == before) {
        diagnostics.at(
            path,
            format!("the body cannot collide as its mesh: {reason}"),
            "close and simplify the mesh, or set `shape.mesh.collide = \"hull\"`, or `collides = false`",
        );
    }
    let colliders = match collides {
        true => colliders(&shapes, &to_principal),
        false => Vec::new(),
    };
    let in_water = !file.water.is_empty();
    let meshes = cache.body_meshes(spec, &shapes, &to_principal, in_water);
    BuiltBody {
        name,
        constants,
        state: state(spec, &mass, &constants, path, diagnostics),
        locked: spec.locked,
        to_principal,
        mesh: meshes.surface,
        hull: meshes.hull,
        colliders,
        division: (shapes.iter().filter(|_| collides))
            .filter_map(|s| s.division)
            .max_by(|a, b| a.excess.total_cmp(&b.excess)),
        restitution: spec.restitution.unwrap_or(file.contact.restitution),
        friction: spec.friction,
        rolling_friction: spec
            .rolling_friction
            .unwrap_or(file.contact.rolling_friction),
        groups: Groups::default(),
        sensor: spec.sensor,
        color: color(spec.color.as_deref(), index, path, diagnostics),
        path: path.into(),
    }
}

/// The colliders of all shapes, in principal axes.
fn colliders(shapes: &[Arc<ShapeGeometry>], to_principal: &Pose) -> Vec<(Pose, Shape)> {
    let colliders = shapes.iter().flat_map(|shape| &shape.colliders);
    let placed = colliders.map(|(own, shape)| {
        let mut pose = to_principal.after(own);
        // A single shape lies about the centre of mass itself.
        if pose.translation.length() < 1e-12 * shape.bounding_radius() {
            pose.translation = DVec3::ZERO;
        }
        // A ball looks the same from all sides.
        if let Shape::Sphere { .. } = shape {
            pose.rotation = DQuat::IDENTITY;
        }
        (pose, shape.clone())
    });
    placed.collect()
}

/// The shapes of a body, in its coordinates.
fn shapes(
    scene: &Scene,
    spec: &BodySpec,
    path: &str,
    cache: &mut ShapeCache,
    diagnostics: &mut Diagnostics,
) -> Vec<Arc<ShapeGeometry>> {
    check::at_most_one(
        diagnostics,
        path,
        &[
            ("shape", spec.shape.is_some()),
            ("parts", !spec.parts.is_empty()),
        ],
    );
    let mut shapes = Vec::new();
    if let Some(shape) = &spec.shape {
        shapes.extend(cache.shape(scene, shape, &format!("{path}.shape"), diagnostics));
    }
    for (k, part) in spec.parts.iter().enumerate() {
        let path = format!("{path}.parts[{k}]");
        let turn = check::orientation(diagnostics, &path, part.orientation, part.turn.as_ref());
        let pose = Pose::new(turn, part.position.into());
        let shape = cache.shape(scene, &part.shape, &format!("{path}.shape"), diagnostics);
        shapes.extend(shape.map(|shape| Arc::new(ShapeGeometry::clone(&shape).at(&pose))));
    }
    shapes
}

/// Colours for bodies that name none: muted, and easy to tell apart.
const PALETTE: [[u8; 3]; 8] = [
    [0xd9, 0x5f, 0x4c],
    [0x3f, 0x7f, 0xbf],
    [0xe0, 0xa4, 0x3a],
    [0x4f, 0x9d, 0x69],
    [0x8e, 0x6b, 0xb0],
    [0x3a, 0xa6, 0xa6],
    [0xc4, 0x6a, 0x94],
    [0x7a, 0x86, 0x90],
];

/// The colour given as `#rrggbb`, or one of the palette.
pub(super) fn color(
    given: Option<&str>,
    index: usize,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> [f32; 3] {
    let fallback = PALETTE[index % PALETTE.len()];
    let bytes = match given {
        None => fallback,
        Some(text) => hex(text).unwrap_or_else(|| {
            diagnostics.at(
                &format!("{path}.color"),
                format!("`{text}` is not a colour"),
                "write it as \"#rrggbb\", for example \"#d95f4c\"",
            );
            fallback
        }),
    };
    bytes.map(|b| f32::from(b) / 255.0)
}

fn hex(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#')?;
    if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    Some([(value >> 16) as u8, (value >> 8) as u8, value as u8])
}
