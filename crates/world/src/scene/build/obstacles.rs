//! From the obstacles of a scene file to surfaces with prescribed motions.

use super::bodies::color;
use super::{check, shapes};
use crate::scene::load::Scene;
use crate::scene::model::{EaseName, Keyframe, Obstacle, ObstacleShape, SceneFile, Shape};
use crate::scene::problem::{Problem, Problems};
use conatus_cloth::script::{Ease, Key, Path};
use conatus_geometry::{Mesh, generate, icosphere};
use conatus_math::{DQuat, DVec3, Pose};
use conatus_record::Recording;
use std::sync::Arc;

/// An obstacle that is ready for the world.
#[derive(Clone)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// Its surface in its own axes.
    pub mesh: Arc<Mesh>,
    /// Where it is when.
    pub motion: Path,
    /// Coulomb's coefficient, if it has one of its own.
    pub friction: Option<f64>,
    /// Red, green, blue from 0 to 1.
    pub color: [f32; 3],
}

/// Obstacles that name no colour stay in the background.
const CALM: &str = "#9aa3ad";
/// More triangles than this are not worth it.
const MOST_TRIANGLES: usize = 200_000;

/// All obstacles.
pub fn build(scene: &mut Scene, file: &SceneFile, problems: &mut Problems) -> Vec<Placed> {
    let mut placed = Vec::new();
    for (i, spec) in file.obstacle.iter().enumerate() {
        let path = format!("obstacle[{i}]");
        let name = match spec.name.as_str() {
            "" => format!("obstacle-{}", i + 1),
            name => name.to_owned(),
        };
        let Some(shape) = &spec.shape else {
            problems.at(
                &path,
                format!("the obstacle `{name}` has no shape"),
                "add for example `shape.sphere.radius = 0.3`",
            );
            continue;
        };
        if let Some(friction) = spec.friction {
            let path = format!("{path}.friction");
            check::not_negative(problems, &path, "the friction", friction);
        }
        if let Some(detail) = spec.detail {
            let path = format!("{path}.detail");
            check::positive(problems, &path, "the longest edge", detail);
        }
        let mesh = surface(
            scene,
            shape,
            spec.detail,
            &format!("{path}.shape"),
            problems,
        );
        let motion = motion(scene, spec, &path, problems);
        let color = color(spec.color.as_deref().or(Some(CALM)), 0, &path, problems);
        if let Some(mesh) = mesh {
            placed.push(Placed {
                name,
                mesh: Arc::new(mesh),
                motion,
                friction: spec.friction,
                color,
            });
        }
    }
    placed
}

fn surface(
    scene: &mut Scene,
    shape: &ObstacleShape,
    detail: Option<f64>,
    path: &str,
    problems: &mut Problems,
) -> Option<Mesh> {
    let solid = match shape {
        ObstacleShape::Sphere(s) => {
            check::positive(
                problems,
                &format!("{path}.sphere.radius"),
                "the radius",
                s.radius,
            );
            // The edges of an icosahedron are 1.05 radii long.
            let halvings = detail.map_or(3.0, |d| (1.2 * s.radius / d).log2().ceil());
            let mut mesh = icosphere(halvings.clamp(1.0, 6.0) as u32);
            mesh.vertices.iter_mut().for_each(|v| *v *= s.radius);
            return (s.radius > 0.0).then_some(mesh);
        }
        ObstacleShape::Box(b) => Shape::Box(b.clone()),
        ObstacleShape::Cylinder(a) => Shape::Cylinder(a.clone()),
        ObstacleShape::Capsule(a) => Shape::Capsule(a.clone()),
        ObstacleShape::Cone(a) => Shape::Cone(a.clone()),
        ObstacleShape::Ellipsoid(e) => Shape::Ellipsoid(e.clone()),
        ObstacleShape::Mesh(m) => {
            let mesh = shapes::read_mesh(scene, m, &format!("{path}.mesh"), problems)?;
            return Some(refined(mesh, detail));
        }
        open => return open_surface(open, path, problems).map(|m| refined(m, detail)),
    };
    let formed = shapes::form(scene, &solid, path, problems)?;
    Some(refined(formed.mesh, detail))
}

/// All triangles cut into four until none has a longer edge: all alike, so
/// that no vertex comes to lie within the edge of another triangle.
fn refined(mut mesh: Mesh, detail: Option<f64>) -> Mesh {
    let longest = |mesh: &Mesh| {
        (0..mesh.triangles.len())
            .map(|t| mesh.corners(t))
            .map(|[a, b, c]| a.distance(b).max(b.distance(c)).max(c.distance(a)))
            .fold(0.0, f64::max)
    };
    let Some(detail) = detail else { return mesh };
    while longest(&mesh) > detail && 4 * mesh.triangles.len() <= MOST_TRIANGLES {
        let most = 4 * mesh.triangles.len();
        mesh = mesh.refined(0.0, most);
    }
    mesh
}

fn open_surface(shape: &ObstacleShape, path: &str, problems: &mut Problems) -> Option<Mesh> {
    let before = problems.len();
    let mesh = match shape {
        ObstacleShape::Funnel(f) => {
            let sizes = [
                ("rim_radius", "the radius of the rim", f.rim_radius),
                ("neck_radius", "the radius of the neck", f.neck_radius),
                ("chute_length", "the length of the chute", f.chute_length),
                ("rim_height", "the height", f.rim_height - f.neck_height),
                (
                    "rim_radius",
                    "what the rim is wider than the neck",
                    f.rim_radius - f.neck_radius,
                ),
            ];
            for (key, what, value) in sizes {
                check::positive(problems, &format!("{path}.funnel.{key}"), what, value);
            }
            check::not_negative(
                problems,
                &format!("{path}.funnel.fillet"),
                "the fillet",
                f.fillet,
            );
            around(problems, &format!("{path}.funnel.segments"), f.segments)?;
            if problems.len() > before {
                return None;
            }
            let mut profile = generate::funnel_profile(
                f.rim_radius,
                f.rim_height,
                f.neck_radius,
                f.neck_height,
                f.fillet,
                f.chute_length,
                8,
            );
            even_out(&mut profile, 0.1 * f.rim_radius);
            generate::revolution(&profile, f.segments)
        }
        ObstacleShape::Revolution(p) => {
            around(problems, &format!("{path}.revolution.segments"), p.segments)?;
            let profile = pairs(&p.profile, &format!("{path}.revolution.profile"), problems)?;
            generate::revolution(&profile, p.segments)
        }
        ObstacleShape::Trough(t) => {
            for (key, value) in [("width", t.width), ("length", t.length), ("depth", t.depth)] {
                check::positive(
                    problems,
                    &format!("{path}.trough.{key}"),
                    &format!("the {key}"),
                    value,
                );
            }
            if problems.len() > before {
                return None;
            }
            generate::trough(t.width, t.length, t.depth, t.segments.clamp(2, 1000))
        }
        ObstacleShape::Extrusion(e) => {
            check::positive(
                problems,
                &format!("{path}.extrusion.length"),
                "the length",
                e.length,
            );
            let profile = pairs(&e.profile, &format!("{path}.extrusion.profile"), problems)?;
            if problems.len() > before {
                return None;
            }
            generate::extrusion(&profile, e.length, e.segments.clamp(1, 10_000))
        }
        _ => return None,
    };
    Some(mesh)
}

/// Cuts long stretches of a profile, so that no triangle is very long.
fn even_out(profile: &mut Vec<(f64, f64)>, longest: f64) {
    let mut even = Vec::new();
    for pair in profile.windows(2) {
        let ((a, b), (c, d)) = (pair[0], pair[1]);
        let length = ((c - a) * (c - a) + (d - b) * (d - b)).sqrt();
        let pieces = (length / longest).ceil().max(1.0) as u32;
        even.extend((0..pieces).map(|k| {
            let s = f64::from(k) / f64::from(pieces);
            (a + s * (c - a), b + s * (d - b))
        }));
    }
    even.extend(profile.last());
    *profile = even;
}

fn around(problems: &mut Problems, path: &str, segments: u32) -> Option<()> {
    if (3..=1000).contains(&segments) {
        return Some(());
    }
    problems.at(
        path,
        format!("{segments} corners around"),
        "give from 3 to 1000",
    );
    None
}

fn pairs(given: &[[f64; 2]], path: &str, problems: &mut Problems) -> Option<Vec<(f64, f64)>> {
    let apart = given.windows(2).all(|w| w[0] != w[1]);
    if given.len() >= 2 && given.len() <= 10_000 && apart {
        return Some(given.iter().map(|&[a, b]| (a, b)).collect());
    }
    problems.at(
        path,
        "a profile needs at least two points, each apart from the one before",
        "for example [[0.5, 0], [0.6, 0.2]]",
    );
    None
}

fn motion(scene: &mut Scene, spec: &Obstacle, path: &str, problems: &mut Problems) -> Path {
    check::at_most_one(
        problems,
        path,
        &[
            ("keyframe", !spec.keyframe.is_empty()),
            ("recorded", spec.recorded.is_some()),
        ],
    );
    if let Some(recorded) = &spec.recorded {
        let keys = recorded_keys(scene, &recorded.file, &recorded.body);
        return match keys {
            Ok(keys) => Path::through(keys, Ease::Linear),
            Err(problem) => {
                problems.push_at(&format!("{path}.recorded"), problem);
                Path::at_rest(Pose::IDENTITY)
            }
        };
    }
    if !spec.keyframe.is_empty() {
        return keyframes(&spec.keyframe, spec.ease, path, problems);
    }
    let turn = check::orientation(problems, path, spec.orientation, spec.turn.as_ref());
    Path::at_rest(Pose::new(turn, spec.position.into()))
}

/// A path through keyframes.
pub fn keyframes(keys: &[Keyframe], ease: EaseName, path: &str, problems: &mut Problems) -> Path {
    let mut found: Vec<Key> = Vec::new();
    for (k, key) in keys.iter().enumerate() {
        let path = format!("{path}.keyframe[{k}]");
        let turn = check::orientation(problems, &path, key.orientation, key.turn.as_ref());
        if found.last().is_some_and(|before| key.time <= before.time) {
            problems.at(
                &format!("{path}.time"),
                format!("the keyframe at {} s is not after the one before", key.time),
                "give keyframes in the order of their times",
            );
        }
        found.push(Key {
            time: key.time,
            pose: Pose::new(turn, key.position.into()),
        });
    }
    let ease = match ease {
        EaseName::Linear => Ease::Linear,
        EaseName::Smooth => Ease::Smooth,
    };
    Path::through(found, ease)
}

/// The poses of a body in a recorded run. They go into the scene's sources as
/// text, so that a recording of this scene can be run again without that one.
fn recorded_keys(scene: &mut Scene, file: &str, body: &str) -> Result<Vec<Key>, Problem> {
    let name = format!("{file}#{body}");
    let text = scene.files.read_or_make(&name, |folder| {
        let path = folder.join(file);
        let recording = Recording::read(&path).map_err(|e| Problem::new(e.to_string()))?;
        let names = || recording.header.bodies.iter().map(|b| b.name.as_str());
        let Some(index) = names().position(|n| n == body) else {
            let problem = Problem::new(format!("{file} has no body `{body}`"));
            return Err(match crate::scene::problem::nearest(body, names()) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem,
            });
        };
        let mut text = String::new();
        for frame in &recording.frames {
            let b = &frame.bodies[index];
            let (p, q) = (b.position, b.orientation);
            text += &format!(
                "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}\n",
                frame.time, p.x, p.y, p.z, q.w, q.x, q.y, q.z
            );
        }
        Ok(text)
    })?;
    let mut keys = Vec::new();
    for line in text.text.lines() {
        let numbers: Vec<f64> = line.split(' ').filter_map(|n| n.parse().ok()).collect();
        let [time, x, y, z, qw, qx, qy, qz] = numbers[..] else {
            return Err(Problem::new(format!("`{name}` is not a list of poses")));
        };
        let turn = DQuat::from_xyzw(qx, qy, qz, qw);
        if !(turn.length_squared().is_normal() && time.is_finite()) {
            return Err(Problem::new(format!("`{name}` holds a pose that is none")));
        }
        keys.push(Key {
            time,
            pose: Pose::new(turn.normalize(), DVec3::new(x, y, z)),
        });
    }
    Ok(keys)
}
