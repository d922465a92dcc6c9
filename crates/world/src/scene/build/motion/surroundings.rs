//! The planes and obstacles of a scene as the rounded shapes that characters step on
//! and must not penetrate.

use crate::scene::build::check;
use crate::scene::build::shapes::formula;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::model::{ObstacleShapeSpec, ObstacleSpec, SceneFile, ShapeSpec};
use conatus_geometry::{HalfSpace, HeightGrid, Shape};
use conatus_math::{DMat3, DQuat, DVec3, Pose};
use conatus_motion::surface::{RoundedShape, Surface};
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
        let normal = DVec3::from(plane.normal).normalize_or(DVec3::Z);
        let half_space = HalfSpace::through(plane.point.into(), normal);
        Surface::new(name, RoundedShape::HalfSpace(half_space))
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
    let before = diagnostics.len();
    let turn = check::orientation(diagnostics, path, spec.orientation, spec.turn.as_ref());
    if diagnostics.len() > before {
        // Reported when the obstacle was placed.
        return None;
    }
    let pose = Pose::new(turn, spec.position.into());
    let Some(solid) = solid(shape, path, diagnostics) else {
        report_unsupported(path, unsupported(shape), diagnostics);
        return None;
    };
    let Some(mut rounded) = RoundedShape::of(&solid, &pose) else {
        let what = match shape {
            ObstacleShapeSpec::Heightfield(_) => "a heightfield that is turned",
            _ => unsupported(shape),
        };
        report_unsupported(path, what, diagnostics);
        return None;
    };
    for part in &mut rounded {
        if let RoundedShape::RoundedBox(block) = part {
            let level = block.orientation.z_axis.z > 1.0 - 1e-9;
            let bottom = block.position.z - block.half_extents.z;
            block.grounded = level && bottom <= ground + GROUND_TOLERANCE_M;
        }
    }
    Some(rounded)
}

/// An obstacle as solids that are known to characters, if it consists of such.
fn solid(shape: &ObstacleShapeSpec, path: &str, diagnostics: &mut Diagnostics) -> Option<Shape> {
    match shape {
        ObstacleShapeSpec::Stairs(s) => {
            let top = f64::from(s.steps) * s.depth + s.landing;
            let step = |k: u32| {
                // Each step extends below the next, so that there is no gap.
                let (front, high) = (f64::from(k) * s.depth, f64::from(k + 1) * s.height);
                let half = DVec3::new(0.5 * (top - front), 0.5 * s.width, 0.5 * high);
                let centre = DVec3::new(front + half.x, 0.0, half.z);
                (Pose::shift(centre), Shape::Box { half_extents: half })
            };
            Some(Shape::compound((0..s.steps).map(step)))
        }
        ObstacleShapeSpec::Ramp(r) => Some(ramp(r.length, r.height, r.width)),
        ObstacleShapeSpec::Heightfield(h) => {
            let grid = HeightGrid::new(h.field(DVec3::ZERO));
            Some(Shape::Heightfield(Arc::new(grid)))
        }
        _ => plain_solid(&shape.solid()?, path, diagnostics),
    }
}

/// A shape with a formula, or a compound of such. What is wrong with it was reported when the
/// obstacle was built.
fn plain_solid(spec: &ShapeSpec, path: &str, diagnostics: &mut Diagnostics) -> Option<Shape> {
    let ShapeSpec::Compound(parts) = spec else {
        return formula(spec);
    };
    let mut placed = Vec::new();
    for part in parts {
        let turn = check::orientation(diagnostics, path, part.orientation, part.turn.as_ref());
        let pose = Pose::new(turn, part.position.into());
        placed.push((pose, plain_solid(&part.shape, path, diagnostics)?));
    }
    Some(Shape::compound(placed))
}

fn unsupported(shape: &ObstacleShapeSpec) -> &'static str {
    match shape {
        ObstacleShapeSpec::Cylinder(_) => "a cylinder",
        ObstacleShapeSpec::Cone(_) => "a cone",
        ObstacleShapeSpec::Ellipsoid(_) => "an ellipsoid",
        ObstacleShapeSpec::Mesh(_) => "a mesh",
        ObstacleShapeSpec::Funnel(_) => "a funnel",
        ObstacleShapeSpec::Revolution(_) => "a surface of revolution",
        ObstacleShapeSpec::Trough(_) => "a trough",
        ObstacleShapeSpec::Compound(_) => {
            "a compound of other shapes than boxes, spheres and capsules"
        }
        _ => "an extrusion",
    }
}

/// Reports a kind of obstacle that characters do not support.
fn report_unsupported(path: &str, what: &str, diagnostics: &mut Diagnostics) {
    diagnostics.at(
        path,
        format!("characters do not support {what}"),
        "set characters = false to have them ignore it; supported are boxes, spheres, capsules, compounds of these, stairs, ramps and heightfields that do not move",
    );
}

/// A slab whose upper face is the slope.
fn ramp(length: f64, height: f64, width: f64) -> Shape {
    let along = DVec3::new(length, 0.0, height);
    let x = along.normalize();
    let z = DVec3::new(-x.z, 0.0, x.x);
    let thick = 0.15f64;
    let half_extents = DVec3::new(0.5 * along.length(), 0.5 * width, thick);
    let centre = along * 0.5 - z * thick;
    let turn = DQuat::from_mat3(&DMat3::from_cols(x, DVec3::Y, z)).normalize();
    Shape::compound([(Pose::new(turn, centre), Shape::Box { half_extents })])
}
