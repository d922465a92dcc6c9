//! The planes and obstacles of a scene as the rounded shapes that characters step on
//! and must not penetrate.

use crate::scene::build::check;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::model::{AxisSpec, ObstacleShapeSpec, ObstacleSpec, SceneFile};
use conatus_math::{DMat3, DVec3};
use conatus_motion::surface::{Capsule, RoundedBox, RoundedShape, Surface};
use std::sync::Arc;

/// Obstacles whose bottom is at most this far above the ground stand on it.
const GROUND_TOLERANCE_M: f64 = 0.02;

/// The planes and obstacles of the scene; there is a plane.
pub fn build(file: &SceneFile, diagnostics: &mut Diagnostics) -> Vec<Surface> {
    let count = file.plane.len();
    let plane = |(i, plane): (usize, &crate::scene::model::PlaneSpec)| {
        let name = match count {
            1 => "ground".to_owned(),
            _ => format!("plane-{}", i + 1),
        };
        let (point, normal) = (plane.point.into(), DVec3::from(plane.normal));
        let normal = normal.normalize_or(DVec3::Z);
        Surface::new(name, RoundedShape::Plane { point, normal })
    };
    let mut surfaces: Vec<Surface> = {
        let planes = file.plane.iter().enumerate();
        planes.filter(|(_, p)| !p.sensor).map(plane).collect()
    };
    let ground = ground(file);
    for (i, spec) in file.obstacle.iter().enumerate() {
        if spec.characters == Some(false) || spec.sensor {
            continue;
        }
        let path = format!("obstacle[{i}]");
        if spec.grip && spec.bears == Some(false) {
            diagnostics.at(
                &format!("{path}.grip"),
                "an obstacle that does not bear load cannot be gripped",
                "leave one of `grip` and `bears` out",
            );
        }
        let name = match spec.name.as_str() {
            "" => format!("obstacle-{}", i + 1),
            name => name.to_owned(),
        };
        let Some(shapes) = shapes(spec, ground, &path, diagnostics) else {
            continue;
        };
        let many = shapes.len() > 1;
        for (k, shape) in shapes.into_iter().enumerate() {
            let name = match many {
                true => format!("{name} {}", k + 1),
                false => name.clone(),
            };
            surfaces.push(Surface {
                grippable: spec.grip,
                bears: spec.bears.unwrap_or(true),
                comes_from: spec.comes_from.map(DVec3::from),
                ..Surface::new(name, shape)
            });
        }
    }
    surfaces
}

/// The height of the highest level plane.
pub fn ground(file: &SceneFile) -> f64 {
    let level = file.plane.iter().filter(|p| {
        let n = DVec3::from(p.normal).normalize_or(DVec3::Z);
        n.z > 1.0 - 1e-12
    });
    level.map(|p| p.point[2]).reduce(f64::max).unwrap_or(0.0)
}

/// The shapes of an obstacle; none if characters cannot meet it.
fn shapes(
    spec: &ObstacleSpec,
    ground: f64,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<RoundedShape>> {
    let shape = spec.shape.as_ref()?;
    if !spec.keyframe.is_empty() || spec.recorded.is_some() {
        report_unsupported(path, "an obstacle that moves", diagnostics);
        return None;
    }
    let place = DVec3::from(spec.position);
    let before = diagnostics.len();
    let turn = check::orientation(diagnostics, path, spec.orientation, spec.turn.as_ref());
    if diagnostics.len() > before {
        // Reported when the obstacle was placed.
        return None;
    }
    let turn = DMat3::from_quat(turn);
    let block = |centre: DVec3, half: DVec3| {
        let mut block = RoundedBox::new(place + turn * centre, turn, half);
        let level = turn.z_axis.z > 1.0 - 1e-9;
        block.grounded = level && block.position.z - half.z <= ground + GROUND_TOLERANCE_M;
        RoundedShape::RoundedBox(block)
    };
    Some(match shape {
        ObstacleShapeSpec::Box(b) => vec![block(DVec3::ZERO, b.half_extents.into())],
        ObstacleShapeSpec::Sphere(s) => {
            vec![RoundedShape::Capsule(Capsule::ball_at(place, s.radius))]
        }
        ObstacleShapeSpec::Capsule(a) => {
            let axis = turn
                * match a.axis {
                    AxisSpec::X => DVec3::X,
                    AxisSpec::Y => DVec3::Y,
                    AxisSpec::Z => DVec3::Z,
                };
            let half = axis * (0.5 * a.height);
            vec![RoundedShape::Capsule(Capsule {
                start: place - half,
                end: place + half,
                radius: a.radius,
            })]
        }
        ObstacleShapeSpec::Stairs(s) => {
            let top = f64::from(s.steps) * s.depth + s.landing;
            (0..s.steps)
                .map(|k| {
                    // Each step extends below the next, so that there is no gap.
                    let (front, high) = (f64::from(k) * s.depth, f64::from(k + 1) * s.height);
                    let half = DVec3::new(0.5 * (top - front), 0.5 * s.width, 0.5 * high);
                    block(DVec3::new(front + half.x, 0.0, half.z), half)
                })
                .collect()
        }
        ObstacleShapeSpec::Ramp(r) => vec![ramp(place, turn, r.length, r.height, r.width)],
        ObstacleShapeSpec::Heightfield(h) => {
            if turn.z_axis.z < 1.0 - 1e-9 || turn.x_axis.x < 1.0 - 1e-9 {
                report_unsupported(path, "a heightfield that is turned", diagnostics);
                return None;
            }
            vec![RoundedShape::Heightfield(Arc::new(h.field(place)))]
        }
        other => {
            let what = match other {
                ObstacleShapeSpec::Cylinder(_) => "a cylinder",
                ObstacleShapeSpec::Cone(_) => "a cone",
                ObstacleShapeSpec::Ellipsoid(_) => "an ellipsoid",
                ObstacleShapeSpec::Mesh(_) => "a mesh",
                ObstacleShapeSpec::Funnel(_) => "a funnel",
                ObstacleShapeSpec::Revolution(_) => "a surface of revolution",
                ObstacleShapeSpec::Trough(_) => "a trough",
                ObstacleShapeSpec::Compound(_) => "a compound",
                _ => "an extrusion",
            };
            report_unsupported(path, what, diagnostics);
            return None;
        }
    })
}

/// Reports a kind of obstacle that characters do not support.
fn report_unsupported(path: &str, what: &str, diagnostics: &mut Diagnostics) {
    diagnostics.at(
        path,
        format!("characters do not support {what}"),
        "set characters = false to have them ignore it; supported are boxes, spheres, capsules, stairs, ramps and heightfields that do not move",
    );
}

/// A slab whose upper face is the slope.
fn ramp(place: DVec3, turn: DMat3, length: f64, height: f64, width: f64) -> RoundedShape {
    let along = DVec3::new(length, 0.0, height);
    let x = along.normalize();
    let z = DVec3::new(-x.z, 0.0, x.x);
    let thick = 0.15f64;
    let half = DVec3::new(0.5 * along.length(), 0.5 * width, thick);
    let centre = along * 0.5 - z * thick;
    let axes = turn * DMat3::from_cols(x, DVec3::Y, z);
    RoundedShape::RoundedBox(RoundedBox::new(place + turn * centre, axes, half))
}
