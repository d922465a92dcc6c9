//! From the obstacles of a scene file to surfaces with prescribed motions.

use super::MAX_DISTANCE_M;
use super::obstacle_shapes::surface;
use crate::scene::build::bodies::{BuiltBody, color};
use crate::scene::build::check;
use crate::scene::build::groups::{GroupKeys, GroupNames};
use crate::scene::diagnostic::{Diagnostic, Diagnostics, nearest};
use crate::scene::load::Scene;
use crate::scene::model::{EaseSpec, KeyframeSpec, ObstacleSpec, SceneFile};
use crate::text;
use conatus_cloth::script::{Ease, Key, Path};
use conatus_geometry::shape::MAX_SURFACE_TRIANGLES;
use conatus_geometry::{Mesh, Shape};
use conatus_math::{DQuat, DVec3, Pose};
use conatus_record::{BodyInfo, Recording};
use conatus_rigid::contact::Groups;
use std::collections::BTreeSet;
use std::sync::Arc;

/// An obstacle that is ready for the world.
#[derive(Clone)]
pub struct PlacedObstacle {
    /// Its name.
    pub name: String,
    /// Its surface in its own axes.
    pub mesh: Arc<Mesh>,
    /// What bodies collide with, at its pose in the obstacle's axes.
    pub collider: (Pose, Shape),
    /// Its pose over time.
    pub motion: Path,
    /// Coulomb's coefficient, if the obstacle specifies it.
    pub friction: Option<f64>,
    /// What it collides with.
    pub groups: Groups,
    /// Whether it reports overlaps and touches nothing.
    pub sensor: bool,
    /// Red, green, blue from 0 to 1.
    pub color: [f32; 3],
}

impl PlacedObstacle {
    /// Its surface in its own axes.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// Its entry in the recording's header, with the number of its mesh there.
    pub fn info(&self, mesh: usize) -> BodyInfo {
        BodyInfo {
            name: self.name.clone(),
            mass: 0.0,
            moments: DVec3::ZERO,
            color: self.color,
            mesh: Some(mesh),
            spheres: Vec::new(),
            scripted: true,
            character: None,
        }
    }
}

/// The colour of obstacles that name none: grey, so that they stay in the background.
const DEFAULT_COLOR: &str = "#9aa3ad";

/// Builds all obstacles. Recordings list them with the `bodies`, so no two of either may
/// share a name.
pub fn build_obstacles(
    scene: &Scene,
    file: &SceneFile,
    bodies: &[BuiltBody],
    diagnostics: &mut Diagnostics,
) -> Vec<PlacedObstacle> {
    let mut placed = Vec::new();
    let groups = GroupNames::of(file);
    let mut names: BTreeSet<String> = bodies.iter().map(|b| b.name.clone()).collect();
    for (i, spec) in file.obstacle.iter().enumerate() {
        let path = format!("obstacle[{i}]");
        let name = match spec.name.as_str() {
            "" => format!("obstacle-{}", i + 1),
            name => name.to_owned(),
        };
        if !names.insert(name.clone()) {
            diagnostics.at(
                &format!("{path}.name"),
                format!("the name `{name}` is used twice"),
                "give every body and every obstacle a unique name",
            );
        }
        let Some(shape) = &spec.shape else {
            diagnostics.at(
                &path,
                format!("the obstacle `{name}` has no shape"),
                "add for example `shape.sphere.radius = 0.3`",
            );
            continue;
        };
        if let Some(friction) = spec.friction {
            let path = format!("{path}.friction");
            check::not_negative(diagnostics, &path, "the friction", friction);
        }
        if let Some(detail) = spec.detail {
            let path = format!("{path}.detail");
            check::positive(diagnostics, &path, "the longest edge", detail);
        }
        let surface = surface(
            scene,
            shape,
            spec.detail,
            &format!("{path}.shape"),
            diagnostics,
        );
        let (motion, farthest) = motion(scene, spec, &path, diagnostics);
        let color = color(
            spec.color.as_deref().or(Some(DEFAULT_COLOR)),
            0,
            &path,
            diagnostics,
        );
        if let Some((mesh, shape)) = surface {
            // However it is turned, it stays within this distance of its position.
            let size = mesh.bounding_radius(DVec3::ZERO);
            let within = farthest + size <= MAX_DISTANCE_M;
            if !within {
                diagnostics.at(
                    &path,
                    format!(
                        "the obstacle `{name}` reaches more than {MAX_DISTANCE_M} m from the origin"
                    ),
                    "lengths are in metres; is a size, a position or a `scale` far too large?",
                );
                continue;
            }
            let keys = GroupKeys {
                groups: &spec.groups,
                collides_with: spec.collides_with.as_deref(),
            };
            warn_of_coarse_edges(&mesh, spec.detail, &path, diagnostics);
            placed.push(PlacedObstacle {
                name,
                collider: (Pose::IDENTITY, shape),
                mesh: Arc::new(mesh),
                motion,
                friction: spec.friction,
                groups: groups.groups(keys, &path, diagnostics),
                sensor: spec.sensor,
                color,
            });
        }
    }
    placed
}

/// Warns where the largest number of triangles is too small for `detail`.
fn warn_of_coarse_edges(
    mesh: &Mesh,
    detail: Option<f64>,
    path: &str,
    diagnostics: &mut Diagnostics,
) {
    let longest = mesh.longest_edge();
    if let Some(detail) = detail.filter(|detail| longest > *detail * (1.0 + 1e-9)) {
        diagnostics.warn(
            &format!("{path}.detail"),
            format!(
                "the longest edge is {} m, not {} m: the obstacle has {} triangles already",
                text::number(longest),
                text::number(detail),
                mesh.triangles.len()
            ),
            format!(
                "an obstacle has at most {MAX_SURFACE_TRIANGLES} triangles; give a greater `detail`"
            ),
        );
    }
}

/// How it moves, and how far from the origin it gets.
fn motion(
    scene: &Scene,
    spec: &ObstacleSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> (Path, f64) {
    let placed = [
        ("position", spec.position != [0.0; 3]),
        ("orientation", spec.orientation.is_some()),
        ("turn", spec.turn.is_some()),
    ];
    let motions = [
        ("keyframe", !spec.keyframe.is_empty()),
        ("recorded", spec.recorded.is_some()),
    ];
    check::at_most_one(diagnostics, path, &motions);
    for place in placed {
        for motion in motions {
            check::at_most_one(diagnostics, path, &[motion, place]);
        }
    }
    if let Some(recorded) = &spec.recorded {
        return match recorded_keys(scene, &recorded.file, &recorded.body) {
            Ok(keys) => {
                let places = keys.iter().map(|k| k.pose.translation.length());
                let farthest = places.fold(0.0, f64::max);
                (Path::through(keys, Ease::Linear), farthest)
            }
            Err(diagnostic) => {
                diagnostics.push_at(&format!("{path}.recorded"), diagnostic);
                (Path::at_rest(Pose::IDENTITY), 0.0)
            }
        };
    }
    if !spec.keyframe.is_empty() {
        let places = (spec.keyframe.iter()).map(|k| DVec3::from(k.position).length());
        let farthest = places.fold(0.0, f64::max);
        let motion = keyframes(&spec.keyframe, spec.ease, path, diagnostics);
        return (motion, farthest);
    }
    let turn = check::orientation(diagnostics, path, spec.orientation, spec.turn.as_ref());
    let place = DVec3::from(spec.position);
    (Path::at_rest(Pose::new(turn, place)), place.length())
}

/// A path through keyframes.
pub fn keyframes(
    keys: &[KeyframeSpec],
    ease: EaseSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Path {
    let mut found: Vec<Key> = Vec::new();
    for (k, key) in keys.iter().enumerate() {
        let path = format!("{path}.keyframe[{k}]");
        let turn = check::orientation(diagnostics, &path, key.orientation, key.turn.as_ref());
        if DVec3::from(key.position).abs().max_element() > MAX_DISTANCE_M {
            diagnostics.at(
                &format!("{path}.position"),
                format!("the keyframe is more than {MAX_DISTANCE_M} m away"),
                "lengths are in metres; is the number far too large?",
            );
        }
        if found.last().is_some_and(|before| key.time <= before.time) {
            diagnostics.at(
                &format!("{path}.time"),
                format!(
                    "the keyframe at {} s is not after the one before",
                    text::number(key.time)
                ),
                "give keyframes in the order of their times",
            );
        }
        found.push(Key {
            time: key.time,
            pose: Pose::new(turn, key.position.into()),
        });
    }
    let ease = match ease {
        EaseSpec::Linear => Ease::Linear,
        EaseSpec::Smooth => Ease::Smooth,
    };
    Path::through(found, ease)
}

/// The poses of a body in a recorded run. They become a text among the scene's sources, so
/// that a recording of this scene can be run again without the other recording.
fn recorded_keys(scene: &Scene, file: &str, body: &str) -> Result<Vec<Key>, Diagnostic> {
    let name = format!("{file}#{body}");
    let text = scene.files.read_or_make(&name, |folder| {
        let path = folder.join(file);
        let recording = Recording::read(&path).map_err(|e| {
            Diagnostic::new(e.to_string())
                .help("record one with `conatus run SCENE -o FILE.mcap`, and give its path relative to the scene file")
        })?;
        let names = || recording.header.bodies.iter().map(|b| b.name.as_str());
        let Some(index) = names().position(|n| n == body) else {
            let diagnostic = Diagnostic::new(format!("{file} has no body `{body}`"));
            let all: Vec<&str> = names().take(10).collect();
            return Err(diagnostic.help(match nearest(body, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it has {}", all.join(", ")),
            }));
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
            return Err(Diagnostic::new(format!("`{name}` is not a list of poses")));
        };
        let turn = DQuat::from_xyzw(qx, qy, qz, qw);
        let place = DVec3::new(x, y, z);
        let finite = place.is_finite() && time.is_finite();
        if !(turn.length_squared().is_normal() && finite) {
            return Err(Diagnostic::new(format!(
                "`{name}` holds a pose that is not finite"
            )));
        }
        keys.push(Key {
            time,
            pose: Pose::new(turn.normalize(), place),
        });
    }
    Ok(keys)
}
