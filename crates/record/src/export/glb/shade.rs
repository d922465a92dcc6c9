//! Turns meshes into surfaces with normals, and with patches of slightly
//! different brightness, so that one sees a ball turn.

use super::build::{Builder, Surface};
use crate::error::RecordError;
use crate::model::MeshData;
use conatus_math::DVec3;
use gltf_json::accessor::Type;
use std::collections::BTreeMap;

/// Faces that meet at less than this angle are rounded: cos 40°.
const CREASE: f64 = 0.766;
/// Faces smaller than this part of the whole surface are shaded in octants,
/// larger ones by their direction, so that a flat side has one brightness.
const FINE: f64 = 1.0 / 64.0;

struct Face {
    corners: [u32; 3],
    normal: DVec3,
}

/// A body's surface: round where it is nearly flat, sharp at its edges.
/// `None` if the mesh has no triangle of any size.
pub(super) fn surface(
    mesh: &MeshData,
    builder: &mut Builder,
) -> Result<Option<Surface>, RecordError> {
    let faces = faces(mesh);
    let at = |i: u32| mesh.vertices.get(i as usize).copied().unwrap_or_default();
    // Faces around each place; vertices may be repeated at one place.
    let mut around: BTreeMap<[u64; 3], Vec<usize>> = BTreeMap::new();
    let place = |i: u32| (at(i) + 0.0).to_array().map(f64::to_bits);
    for (f, face) in faces.iter().enumerate() {
        for &corner in &face.corners {
            around.entry(place(corner)).or_default().push(f);
        }
    }
    let round = |face: &Face, corner: u32| {
        let near = around.get(&place(corner)).map_or(&[][..], |n| &n[..]);
        let mut sum = DVec3::ZERO;
        // Hundreds of faces at one point are the tip of something.
        for other in near.iter().take(256).filter_map(|&f| faces.get(f)) {
            if other.normal.dot(face.normal) > CREASE {
                sum += other.normal;
            }
        }
        sum.try_normalize().unwrap_or(face.normal)
    };
    let area = |face: &Face| {
        let [a, b, c] = face.corners.map(at);
        (b - a).cross(c - a).length()
    };
    let whole: f64 = faces.iter().map(area).sum();
    let mut out = Vertices::default();
    for face in &faces {
        let [a, b, c] = face.corners.map(at);
        let shade = if area(face) < FINE * whole {
            octant_shade((a + b + c) / 3.0)
        } else {
            side_shade(face.normal)
        };
        for corner in face.corners {
            out.push(at(corner), round(face, corner), shade);
        }
    }
    out.store(builder, true)
}

/// A surface of one brightness whose faces are all sharp.
pub(super) fn flat(mesh: &MeshData, builder: &mut Builder) -> Result<Option<Surface>, RecordError> {
    let mut out = Vertices::default();
    for face in faces(mesh) {
        for corner in face.corners {
            let at = mesh.vertices.get(corner as usize).copied();
            out.push(at.unwrap_or_default(), face.normal, 1.0);
        }
    }
    out.store(builder, false)
}

/// The triangles that have an area, in f32 too.
fn faces(mesh: &MeshData) -> Vec<Face> {
    let corner = |i: u32| mesh.vertices.get(i as usize).copied();
    let face = |&corners: &[u32; 3]| {
        let [a, b, c] = corners.map(corner);
        let (a, b, c) = (a?, b?, c?);
        let fits = |v: DVec3| v.abs().max_element() < 1e30;
        let normal = (b - a).cross(c - a).try_normalize()?;
        (fits(a) && fits(b) && fits(c)).then_some(Face { corners, normal })
    };
    mesh.triangles.iter().filter_map(face).collect()
}

/// Light and dark octants, like a beach ball.
fn octant_shade(p: DVec3) -> f32 {
    if p.x * p.y * p.z >= 0.0 { 1.0 } else { 0.68 }
}

/// Opposite sides alike, neighbours a little different.
fn side_shade(normal: DVec3) -> f32 {
    let n = normal.abs();
    if n.x >= n.y && n.x >= n.z {
        1.0
    } else if n.y >= n.z {
        0.88
    } else {
        0.76
    }
}

#[derive(Default)]
struct Vertices {
    positions: Vec<f32>,
    normals: Vec<f32>,
    shades: Vec<f32>,
}

impl Vertices {
    fn push(&mut self, position: DVec3, normal: DVec3, shade: f32) {
        self.positions.extend(position.to_array().map(|v| v as f32));
        self.normals.extend(normal.to_array().map(|v| v as f32));
        self.shades.push(shade);
    }

    fn store(self, builder: &mut Builder, colored: bool) -> Result<Option<Surface>, RecordError> {
        if self.positions.is_empty() {
            return Ok(None);
        }
        Ok(Some(Surface {
            positions: builder.floats(&self.positions, Type::Vec3, true)?,
            normals: builder.floats(&self.normals, Type::Vec3, true)?,
            colors: match colored {
                true => Some(builder.greys(&self.shades)?),
                false => None,
            },
            indices: None,
            targets: Vec::new(),
        }))
    }
}
