//! The prims of colliders: their types, sizes, meshes and poses.

use super::text::{Stage, float, vector};
use crate::shared::sanitize::PoseSanitizer;
use crate::shared::shapes;
use conatus_math::DVec3;
use conatus_record::{Header, MeshData, PoseInfo, ShapeInfo};
use std::io::{self, Write};

/// The type of a collider's prim, and its sizes.
pub(super) fn sizes(shape: &ShapeInfo) -> (&'static str, Vec<String>) {
    let round = |kind, radius: f64, half_height: f64, end: f64| {
        let far = half_height + end;
        let lines = vec![
            "uniform token axis = \"Z\"".to_owned(),
            extent(DVec3::new(radius, radius, far)),
            format!("double height = {}", float(2.0 * half_height)),
            format!("double radius = {}", float(radius)),
        ];
        (kind, lines)
    };
    match *shape {
        ShapeInfo::Sphere { radius } => {
            let radius_line = format!("double radius = {}", float(radius));
            ("Sphere", vec![extent(DVec3::splat(radius)), radius_line])
        }
        // Its scale makes it a block.
        ShapeInfo::Box { .. } => {
            let size = "double size = 2".to_owned();
            ("Cube", vec![extent(DVec3::ONE), size])
        }
        ShapeInfo::Capsule {
            radius,
            half_height,
        } => round("Capsule", radius, half_height, radius),
        ShapeInfo::Cylinder {
            radius,
            half_height,
        } => round("Cylinder", radius, half_height, 0.0),
        ShapeInfo::Cone {
            radius,
            half_height,
        } => round("Cone", radius, half_height, 0.0),
        ShapeInfo::Plane => ("Plane", vec!["uniform token axis = \"Z\"".to_owned()]),
        ShapeInfo::Ellipsoid { .. } | ShapeInfo::Hull { .. } | ShapeInfo::Mesh { .. } => {
            ("Mesh", Vec::new())
        }
    }
}

/// The surface of a shape that is written as a mesh.
pub(super) fn surface(header: &Header, shape: &ShapeInfo) -> Option<MeshData> {
    match shape {
        ShapeInfo::Ellipsoid { semi_axes } => {
            let mut ball = shapes::welded(&shapes::spheres(&[(DVec3::ZERO, 1.0)]));
            ball.vertices.iter_mut().for_each(|v| *v *= *semi_axes);
            Some(ball)
        }
        ShapeInfo::Hull { mesh } | ShapeInfo::Mesh { mesh } => header.meshes.get(*mesh).cloned(),
        _ => None,
    }
}

pub(super) fn approximation(shape: &ShapeInfo) -> &'static str {
    match shape {
        ShapeInfo::Mesh { .. } => "none",
        _ => "convexHull",
    }
}

pub(super) fn shape_name(index: usize) -> String {
    format!("collider_{}", index + 1)
}

/// Writes a mesh that is not shown.
pub(super) fn write_collision_mesh(
    mesh: &MeshData,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    let points: Vec<[f32; 3]> = mesh
        .vertices
        .iter()
        .map(|v| v.to_array().map(|v| v as f32))
        .collect();
    stage.extent("float3[] extent = ", &points)?;
    stage.topology(&mesh.triangles)?;
    stage.points("point3f[] points = ", &points)?;
    stage.line("uniform token subdivisionScheme = \"none\"")
}

/// Writes a constant pose, and a scale.
pub(super) fn write_pose(
    pose: &PoseInfo,
    scale: Option<DVec3>,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    let mut order = Vec::new();
    let orient = quaternion(pose);
    if orient != "(1, 0, 0, 0)" {
        stage.line(&format!("quatf xformOp:orient = {orient}"))?;
        order.push("\"xformOp:orient\"");
    }
    if let Some(scale) = scale {
        stage.line(&format!("float3 xformOp:scale = {}", vec3(scale)))?;
        order.push("\"xformOp:scale\"");
    }
    if pose.position != DVec3::ZERO {
        let position = vec3(pose.position);
        stage.line(&format!("double3 xformOp:translate = {position}"))?;
        order.insert(0, "\"xformOp:translate\"");
    }
    match order.is_empty() {
        true => Ok(()),
        false => stage.line(&format!(
            "uniform token[] xformOpOrder = [{}]",
            order.join(", ")
        )),
    }
}

/// A vector in single precision.
pub(super) fn vec3(v: DVec3) -> String {
    vector(&v.to_array().map(|v| v as f32))
}

/// The orientation of a pose as w, x, y, z.
pub(super) fn quaternion(pose: &PoseInfo) -> String {
    let [x, y, z, w] = PoseSanitizer::default().rotation(pose.orientation);
    vector(&[w, x, y, z])
}

fn extent(half: DVec3) -> String {
    format!("float3[] extent = [{}, {}]", vec3(-half), vec3(half))
}
