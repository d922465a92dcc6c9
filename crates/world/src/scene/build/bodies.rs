//! From the bodies of a scene file to bodies with mass, state and surface.

use super::check;
use super::matter::{mass, state};
use super::obstacles::PlacedObstacle;
use super::shapes::{self, ShapeGeometry};
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::{BodySpec, SceneFile};
use conatus_geometry::Mesh;
use conatus_math::{DMat3, DVec3, Pose, sincos};
use conatus_record::{BodyInfo, MeshData};
use conatus_rigid::{Constants, MassProperties, State};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::sync::Arc;

/// More bodies than this are a slip of the pen.
const MOST_BODIES: u64 = 1_000_000;

/// A body that is ready for the world.
#[derive(Clone)]
pub struct BuiltBody {
    /// Its name.
    pub name: String,
    /// Mass, moments and damping.
    pub constants: Constants,
    /// Where it starts.
    pub state: State,
    /// Held in place.
    pub locked: bool,
    /// From the coordinates of its shape to its principal axes.
    pub carry: Pose,
    /// Its surface in principal axes.
    pub mesh: Option<Arc<Mesh>>,
    /// The closed surface that water sees, in principal axes.
    pub hull: Option<Arc<Mesh>>,
    /// Contact spheres in principal axes.
    pub spheres: Vec<(DVec3, f64)>,
    /// c.
    pub restitution: f64,
    /// μ.
    pub friction: f64,
    /// μ, if the body has one of its own.
    pub own_friction: Option<f64>,
    /// Red, green, blue from 0 to 1.
    pub color: [f32; 3],
    /// The path of the scene's entry, for messages.
    pub path: String,
}

/// All bodies; those with problems are reported and stand in as balls, so that
/// what refers to them can be checked as well.
pub fn build(scene: &Scene, file: &SceneFile, diagnostics: &mut Diagnostics) -> Vec<BuiltBody> {
    let mut built: Vec<BuiltBody> = Vec::new();
    let mut random = Pcg64::seed_from_u64(scene.seed);
    for (i, spec) in file.body.iter().enumerate() {
        let path = format!("body[{i}]");
        let mut body = one(scene, file, spec, i, &path, diagnostics);
        match &spec.array {
            None => built.push(body),
            Some(array) => {
                check::not_negative(
                    diagnostics,
                    &format!("{path}.array.jitter"),
                    "the jitter",
                    array.jitter,
                );
                check::not_negative(
                    diagnostics,
                    &format!("{path}.array.speed"),
                    "the speed",
                    array.speed,
                );
                let [nx, ny, nz] = array.count;
                let count = nx.saturating_mul(ny).saturating_mul(nz);
                if count == 0 || count.saturating_add(built.len() as u64) > MOST_BODIES {
                    diagnostics.at(
                        &format!("{path}.array.count"),
                        format!("{count} copies; there must be at least one, and at most {MOST_BODIES} bodies in all"),
                        "count = [10, 10, 10] makes a thousand",
                    );
                    continue;
                }
                let name = std::mem::take(&mut body.name);
                for copy in 0..count {
                    let (x, y, z) = (copy % nx, copy / nx % ny, copy / nx / ny);
                    let place = DVec3::new(x as f64, y as f64, z as f64);
                    let mut one = body.clone();
                    one.name = format!("{name}-{copy}");
                    one.state.position +=
                        place * DVec3::from(array.spacing) + in_cube(&mut random) * array.jitter;
                    one.state.velocity += on_sphere(&mut random) * array.speed;
                    built.push(one);
                }
            }
        }
    }
    check_names(&built, diagnostics);
    if let Some(wild) = built.iter().find(|b| !b.state.is_sound()) {
        diagnostics.at(
            &wild.path,
            format!(
                "`{}` starts at no finite place, or faster than light",
                wild.name
            ),
            "lengths are in metres, speeds in m/s and rad/s; are the numbers far too large?",
        );
    }
    built
}

fn check_names(built: &[BuiltBody], diagnostics: &mut Diagnostics) {
    let mut seen = BTreeMap::new();
    for body in built {
        if let Some(first) = seen.insert(&body.name, &body.path) {
            diagnostics.at(
                &format!("{}.name", body.path),
                format!("the name `{}` is used twice, first by {first}", body.name),
                "give every body a name of its own",
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
    diagnostics: &mut Diagnostics,
) -> BuiltBody {
    let forms = forms(scene, spec, path, diagnostics);
    let mass = mass(spec, &forms, path, diagnostics).unwrap_or(MassProperties {
        mass: 1.0,
        centre: DVec3::ZERO,
        inertia: DMat3::IDENTITY,
    });
    let diagonal = mass.diagonalise();
    let carry = diagonal.carry();
    let damping = spec.damping.unwrap_or(file.damping);
    if let Some(own) = spec.damping {
        check::not_negative(
            diagnostics,
            &format!("{path}.damping.linear"),
            "the damping",
            own.linear,
        );
        check::not_negative(
            diagnostics,
            &format!("{path}.damping.angular"),
            "the damping",
            own.angular,
        );
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
    let name = match spec.name.as_str() {
        "" => format!("body-{}", index + 1),
        name => name.to_owned(),
    };
    let spheres = if spec.collides.unwrap_or(true) {
        forms
            .iter()
            .map(|f| {
                let (centre, radius) = shapes::contact_sphere(f);
                (carry.point(centre), radius)
            })
            // A single shape's sphere is about the centre of mass itself.
            .map(|(c, r)| {
                (
                    if c.length() < 1e-12 * r {
                        DVec3::ZERO
                    } else {
                        c
                    },
                    r,
                )
            })
            .collect()
    } else {
        Vec::new()
    };
    let mut surface = Mesh::default();
    forms.iter().for_each(|f| surface.append(&f.mesh));
    let wet = !file.water.is_empty();
    let hulls: Option<Vec<Mesh>> = forms
        .iter()
        .filter(|_| wet)
        .map(ShapeGeometry::hull)
        .collect();
    let hull = hulls.filter(|h| !h.is_empty()).map(|parts| {
        let mut all = Mesh::default();
        parts.iter().for_each(|p| all.append(p));
        Arc::new(all.at(&carry))
    });
    BuiltBody {
        name,
        constants,
        state: state(spec, &mass, &constants, path, diagnostics),
        locked: spec.locked,
        carry,
        mesh: (!surface.vertices.is_empty()).then(|| Arc::new(surface.at(&carry))),
        hull,
        spheres,
        restitution: spec.restitution.unwrap_or(file.contact.restitution),
        friction: spec.friction.unwrap_or(file.contact.friction),
        own_friction: spec.friction,
        color: color(spec.color.as_deref(), index, path, diagnostics),
        path: path.to_owned(),
    }
}

/// The shapes of a body, in its coordinates.
fn forms(
    scene: &Scene,
    spec: &BodySpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Vec<ShapeGeometry> {
    check::at_most_one(
        diagnostics,
        path,
        &[
            ("shape", spec.shape.is_some()),
            ("parts", !spec.parts.is_empty()),
        ],
    );
    let mut forms = Vec::new();
    if let Some(shape) = &spec.shape {
        forms.extend(shapes::form(
            scene,
            shape,
            &format!("{path}.shape"),
            diagnostics,
        ));
    }
    for (k, part) in spec.parts.iter().enumerate() {
        let path = format!("{path}.parts[{k}]");
        let turn = check::orientation(diagnostics, &path, part.orientation, part.turn.as_ref());
        let pose = Pose::new(turn, part.position.into());
        let formed = shapes::form(scene, &part.shape, &format!("{path}.shape"), diagnostics);
        forms.extend(formed.map(|f| f.at(&pose)));
    }
    forms
}

/// Colours for bodies that name none: calm, and easy to tell apart.
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

/// What the recording says about the bodies; bodies that look alike share
/// their surface.
pub fn infos<'a>(
    built: &'a [BuiltBody],
    placed: &'a [PlacedObstacle],
) -> (Vec<MeshData>, Vec<BodyInfo>) {
    let mut meshes: Vec<&'a Arc<Mesh>> = Vec::new();
    let mut alike: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut share = |mesh: &'a Arc<Mesh>| {
        let candidates = alike.entry(fingerprint(mesh)).or_default();
        let same = |&&k: &&usize| Arc::ptr_eq(meshes[k], mesh) || **meshes[k] == **mesh;
        candidates.iter().find(same).copied().unwrap_or_else(|| {
            meshes.push(mesh);
            candidates.push(meshes.len() - 1);
            meshes.len() - 1
        })
    };
    let bodies = built.iter().map(|body| BodyInfo {
        name: body.name.clone(),
        mass: body.constants.mass,
        moments: body.constants.moments,
        color: body.color,
        mesh: body.mesh.as_ref().map(&mut share),
        spheres: body.spheres.clone(),
        scripted: false,
        character: None,
    });
    let mut infos: Vec<BodyInfo> = bodies.collect();
    infos.extend(placed.iter().map(|o| BodyInfo {
        name: o.name.clone(),
        mass: 0.0,
        moments: DVec3::ZERO,
        color: o.color,
        mesh: Some(share(&o.mesh)),
        spheres: Vec::new(),
        scripted: true,
        character: None,
    }));
    let meshes = meshes.into_iter().map(|m| MeshData::from(&**m)).collect();
    (meshes, infos)
}

/// Equal for equal meshes, and seldom for others: from their first corner.
fn fingerprint(mesh: &Mesh) -> u64 {
    let first = mesh.vertices.first().copied().unwrap_or_default();
    let bits = first.to_array().map(f64::to_bits);
    (bits[0].rotate_left(7) ^ bits[1]).rotate_left(7) ^ bits[2] ^ mesh.vertices.len() as u64
}
