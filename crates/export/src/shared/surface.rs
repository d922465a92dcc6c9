//! Turns meshes into surfaces with normals, and with patches of slightly
//! different brightness, which make rotation visible.

use conatus_math::DVec3;
use conatus_record::MeshData;
use std::collections::BTreeMap;

/// Normals are averaged across edges with a smaller angle: cos 40°.
const CREASE_COSINE: f64 = 0.766;
/// Faces smaller than this fraction of the surface are shaded by octant, larger
/// ones by direction, so that a flat side has one brightness.
const SMALL_FACE_FRACTION: f64 = 1.0 / 64.0;

/// A corner of a triangle; three consecutive corners are one triangle.
pub(crate) struct Corner {
    pub position: DVec3,
    pub normal: DVec3,
    /// By how much the colour is darkened, 1 for not at all.
    pub shade: f32,
    /// Whether the shade is that of the octant around the triangle's middle.
    pub octant: bool,
}

struct Face {
    corners: [u32; 3],
    normal: DVec3,
}

/// A body's surface with normals that are smooth except at creases. Empty
/// if all triangles are degenerate.
pub(crate) fn rounded(mesh: &MeshData) -> Vec<Corner> {
    let faces = faces(mesh);
    let at = |i: u32| mesh.vertices.get(i as usize).copied().unwrap_or_default();
    // Faces around each position; several vertices may share a position.
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
        // Bounds the cost at the tip of a cone.
        for other in near.iter().take(256).filter_map(|&f| faces.get(f)) {
            if other.normal.dot(face.normal) > CREASE_COSINE {
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
    let mut out = Vec::with_capacity(3 * faces.len());
    for face in &faces {
        let [a, b, c] = face.corners.map(at);
        let octant = area(face) < SMALL_FACE_FRACTION * whole;
        let shade = match octant {
            true => octant_shade((a + b + c) / 3.0),
            false => side_shade(face.normal),
        };
        for corner in face.corners {
            out.push(Corner {
                position: at(corner),
                normal: round(face, corner),
                shade,
                octant,
            });
        }
    }
    out
}

/// A surface of one brightness with flat normals.
pub(crate) fn flat(mesh: &MeshData) -> Vec<Corner> {
    let corner = |face: &Face, i: u32| Corner {
        position: mesh.vertices.get(i as usize).copied().unwrap_or_default(),
        normal: face.normal,
        shade: 1.0,
        octant: false,
    };
    faces(mesh)
        .iter()
        .flat_map(|face| face.corners.map(|i| corner(face, i)))
        .collect()
}

/// The triangles that are not degenerate, in f32 too.
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
pub(crate) fn octant_shade(p: DVec3) -> f32 {
    if p.x * p.y * p.z >= 0.0 { 1.0 } else { 0.68 }
}

/// Opposite sides have the same shade, adjacent ones different shades.
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
