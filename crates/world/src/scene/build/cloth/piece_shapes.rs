//! The shapes of cloth at rest. Sizes, counts and the height of triangles are known from a
//! shape's specification, so wrong ones are refused before a mesh is made.

use crate::scene::build::size::MAX_CLOTH_VERTICES;
use crate::scene::build::{check, mesh_shapes};
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::{ClothRectangleSpec, ClothShapeSpec, ClothSpec};
use crate::text;
use conatus_geometry::{Mesh, Topology, generate, icosphere};
use conatus_math::DVec3;
use std::f64::consts::PI;

/// The most subdivisions of a sphere.
const MAX_SUBDIVISIONS: u32 = 8;
/// The share of the smallest triangle's height that a sheet may be thick.
const MAX_THICKNESS_FRACTION: f64 = 0.9;

/// How many vertices a rectangle has along x and y.
fn grid(r: &ClothRectangleSpec, cloth: &ClothSpec) -> [u32; 2] {
    r.vertices.unwrap_or_else(|| {
        // A resolution out of range is reported with the settings.
        let n = cloth.resolution.clamp(2, 10_000);
        let along = |length: f64| {
            let share = length / r.width.max(r.height);
            ((f64::from(n - 1) * share).round() as u32)
                .max(1)
                .saturating_add(1)
        };
        [along(r.width), along(r.height)]
    })
}

/// The number of vertices of a shape; zero for a mesh file, which is not read here.
pub fn vertex_count(shape: &ClothShapeSpec, cloth: &ClothSpec) -> u64 {
    match shape {
        ClothShapeSpec::Rectangle(r) => {
            let [nx, ny] = grid(r, cloth);
            u64::from(nx) * u64::from(ny)
        }
        ClothShapeSpec::Disc(d) => {
            let rings = u64::from(d.rings);
            (3 * rings).saturating_mul(rings + 1).saturating_add(1)
        }
        ClothShapeSpec::Cylinder(t) => u64::from(t.vertices[0]) * u64::from(t.vertices[1]),
        ClothShapeSpec::Sphere(b) => {
            let levels = b.subdivisions.min(30);
            (10 << (2 * levels)) + 2
        }
        ClothShapeSpec::Mesh(_) => 0,
    }
}

/// An upper bound of the smallest height of a shape's triangles, in metres; infinite for a
/// mesh file.
///
/// Rectangles and tubes consist of right triangles with legs a and b, whose height is
/// ab/√(a² + b²). Of all triangles with an area A the equilateral one has the largest
/// smallest height, √(√3 A), and some triangle has at most the mean area.
fn height_bound(shape: &ClothShapeSpec, cloth: &ClothSpec) -> f64 {
    let right = |a: f64, b: f64| a * b / a.hypot(b);
    let mean = |area: f64, triangles: f64| (3f64.sqrt() * area / triangles).sqrt();
    match shape {
        ClothShapeSpec::Rectangle(r) => {
            let [nx, ny] = grid(r, cloth).map(|n| f64::from(n.max(2) - 1));
            right(r.width / nx, r.height / ny)
        }
        ClothShapeSpec::Cylinder(t) => {
            let [around, along] = t.vertices.map(f64::from);
            let chord = 2.0 * t.radius * (PI / around.max(3.0)).sin();
            right(chord, t.height / (along.max(2.0) - 1.0))
        }
        ClothShapeSpec::Disc(d) => {
            let rings = f64::from(d.rings.max(1));
            mean(PI * d.radius * d.radius, 6.0 * rings * rings)
        }
        ClothShapeSpec::Sphere(b) => {
            let triangles = 20.0 * 4f64.powi(b.subdivisions.min(MAX_SUBDIVISIONS) as i32);
            mean(4.0 * PI * b.radius * b.radius, triangles)
        }
        ClothShapeSpec::Mesh(_) => f64::INFINITY,
    }
}

/// Checks a shape against its specification alone: sizes, counts, thickness. True if a
/// mesh can be made.
pub fn check_shape(
    shape: &ClothShapeSpec,
    cloth: &ClothSpec,
    thickness: f64,
    name: &str,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> bool {
    let before = diagnostics.len();
    let (key, sizes): (_, &[(&str, f64)]) = match shape {
        ClothShapeSpec::Rectangle(r) => ("rectangle", &[("width", r.width), ("height", r.height)]),
        ClothShapeSpec::Disc(d) => ("disc", &[("radius", d.radius)]),
        ClothShapeSpec::Cylinder(t) => ("cylinder", &[("radius", t.radius), ("height", t.height)]),
        ClothShapeSpec::Sphere(b) => ("sphere", &[("radius", b.radius)]),
        ClothShapeSpec::Mesh(_) => return true,
    };
    for (size, value) in sizes {
        let path = format!("{path}.shape.{key}.{size}");
        check::positive(diagnostics, &path, &format!("the {size}"), *value);
    }
    if diagnostics.len() > before {
        return false;
    }
    check_counts(shape, cloth, &format!("{path}.shape"), diagnostics)
        && check_thickness(
            height_bound(shape, cloth),
            thickness,
            name,
            path,
            diagnostics,
        )
}

/// Whether a shape has enough vertices for a surface, and not too many.
fn check_counts(
    shape: &ClothShapeSpec,
    cloth: &ClothSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> bool {
    let (path, is_enough, least) = match shape {
        ClothShapeSpec::Rectangle(r) => {
            let path = match r.vertices {
                Some(_) => format!("{path}.rectangle.vertices"),
                None => "cloth.resolution".to_owned(),
            };
            (path, grid(r, cloth).iter().all(|n| *n >= 2), "2 each")
        }
        ClothShapeSpec::Disc(d) => (format!("{path}.disc.rings"), d.rings >= 1, "one ring"),
        ClothShapeSpec::Cylinder(t) => {
            let [around, along] = t.vertices;
            let path = format!("{path}.cylinder.vertices");
            (path, around >= 3 && along >= 2, "3 around and 2 along")
        }
        ClothShapeSpec::Sphere(b) => {
            if b.subdivisions > MAX_SUBDIVISIONS {
                diagnostics.at(
                    &format!("{path}.sphere.subdivisions"),
                    format!("the triangles are cut into four {} times", b.subdivisions),
                    format!(
                        "give at most {MAX_SUBDIVISIONS}, which make 655362 vertices; 3 make 642"
                    ),
                );
            }
            return b.subdivisions <= MAX_SUBDIVISIONS;
        }
        ClothShapeSpec::Mesh(_) => return true,
    };
    let count = vertex_count(shape, cloth);
    if is_enough && count <= MAX_CLOTH_VERTICES {
        return true;
    }
    diagnostics.at(
        &path,
        match is_enough {
            true => format!("the piece would have {count} vertices"),
            false => "these are too few vertices for a surface".to_owned(),
        },
        format!("give at least {least}, and at most {MAX_CLOTH_VERTICES} vertices in all"),
    );
    false
}

/// Sheets thicker than their triangles would push their own neighbours away.
fn check_thickness(
    height: f64,
    thickness: f64,
    name: &str,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> bool {
    let fits = thickness <= MAX_THICKNESS_FRACTION * height;
    if !fits {
        diagnostics.at(
            path,
            format!(
                "`{name}` is {} mm thick, but its triangles are only {} mm high",
                text::number(1e3 * thickness),
                text::number(1e3 * height)
            ),
            "make it thinner with `cloth.thickness`, or its mesh coarser",
        );
    }
    fits
}

/// The mesh of a shape that [`check_shape`] has accepted, and whether it is flat at rest.
/// Cheap checks of the mesh come before its topology is built.
pub fn shape_mesh(
    scene: &Scene,
    shape: &ClothShapeSpec,
    cloth: &ClothSpec,
    thickness: f64,
    name: &str,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<(Mesh, bool)> {
    let (mesh, flat) = match shape {
        ClothShapeSpec::Rectangle(r) => {
            let [nx, ny] = grid(r, cloth);
            (generate::rectangle(r.width, r.height, nx, ny), true)
        }
        ClothShapeSpec::Disc(d) => (generate::disc(d.radius, d.rings), true),
        ClothShapeSpec::Cylinder(t) => {
            let [around, along] = t.vertices;
            (generate::tube(t.radius, t.height, around, along), false)
        }
        ClothShapeSpec::Sphere(b) => {
            let mut mesh = icosphere(b.subdivisions);
            mesh.vertices.iter_mut().for_each(|v| *v *= b.radius);
            (mesh, false)
        }
        ClothShapeSpec::Mesh(m) => {
            let path = format!("{path}.shape.mesh");
            mesh_shapes::refuse_collision_keys(m, "cloth", &path, diagnostics);
            let mesh = mesh_shapes::read_mesh(scene, m, &path, diagnostics)?;
            let flat = is_flat(&mesh);
            (mesh, flat)
        }
    };
    if !check_thickness(least_height(&mesh), thickness, name, path, diagnostics) {
        return None;
    }
    let whole =
        Topology::of(&mesh.triangles, mesh.vertices.len()).and_then(|t| t.check(&mesh.vertices));
    if let Err(error) = whole {
        let mut lines = error.problems.iter().map(|p| p.to_string());
        let first = lines.next().unwrap_or_default();
        let rest: Vec<String> = lines.collect();
        let message = format!("this mesh cannot be cloth: {first}");
        let help = match rest.is_empty() {
            true => "repair the mesh in the program that made it".to_owned(),
            false => format!("repair the mesh; also: {}", rest.join("; ")),
        };
        diagnostics.at(&format!("{path}.shape"), message, help);
        return None;
    }
    Some((mesh, flat))
}

/// The smallest height of all triangles. Triangles without area are left to the check of
/// the topology, which names them.
fn least_height(mesh: &Mesh) -> f64 {
    let height = |t: usize| {
        let [a, b, c] = mesh.corners(t);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        (b - a).cross(c - a).length() / longest
    };
    (0..mesh.triangles.len())
        .map(height)
        .filter(|height| *height > 0.0)
        .fold(f64::INFINITY, f64::min)
}

/// Whether all vertices lie in one plane, to within a thousandth of its size.
fn is_flat(mesh: &Mesh) -> bool {
    let centre = mesh.vertices.iter().sum::<DVec3>() / mesh.vertices.len().max(1) as f64;
    let mut normal = DVec3::ZERO;
    for t in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(t);
        normal += (b - a).cross(c - a);
    }
    let normal = normal.normalize_or_zero();
    let size = mesh.bounding_radius(centre);
    let height = |v: &DVec3| normal.dot(*v - centre).abs();
    normal != DVec3::ZERO && mesh.vertices.iter().all(|v| height(v) < 1e-3 * size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::model::{ClothBallSpec, ClothDiscSpec, ClothTubeSpec};

    fn shapes() -> Vec<ClothShapeSpec> {
        vec![
            ClothShapeSpec::Rectangle(ClothRectangleSpec {
                width: 1.0,
                height: 0.3,
                vertices: Some([12, 7]),
            }),
            ClothShapeSpec::Rectangle(ClothRectangleSpec {
                width: 1.0,
                height: 0.3,
                vertices: None,
            }),
            ClothShapeSpec::Disc(ClothDiscSpec {
                radius: 0.4,
                rings: 9,
            }),
            ClothShapeSpec::Cylinder(ClothTubeSpec {
                radius: 0.3,
                height: 2.0,
                vertices: [16, 9],
            }),
            ClothShapeSpec::Sphere(ClothBallSpec {
                radius: 0.7,
                subdivisions: 4,
            }),
        ]
    }

    fn mesh(shape: &ClothShapeSpec) -> Mesh {
        let text = "[[cloth.piece]]\nname = 'a'";
        let source = crate::scene::SourceText::new("a.toml", text);
        let files = crate::scene::Files::in_memory([]);
        let scene = Scene::parse("a", source, files, &Default::default()).unwrap();
        let mut diagnostics = scene.diagnostics();
        let made = shape_mesh(
            &scene,
            shape,
            &ClothSpec::default(),
            1e-6,
            "a",
            "cloth.piece[0]",
            &mut diagnostics,
        );
        made.unwrap().0
    }

    #[test]
    fn counts_and_heights_from_the_specification_are_those_of_the_mesh() {
        let cloth = ClothSpec::default();
        for shape in shapes() {
            let mesh = mesh(&shape);
            assert_eq!(vertex_count(&shape, &cloth), mesh.vertices.len() as u64);
            let (bound, true_height) = (height_bound(&shape, &cloth), least_height(&mesh));
            assert!(
                bound >= true_height * (1.0 - 1e-9),
                "{shape:?}: {bound} {true_height}"
            );
            // The bound is close to the value, and exact for grids.
            let slack = match shape {
                ClothShapeSpec::Rectangle(_) | ClothShapeSpec::Cylinder(_) => 1.0 + 1e-9,
                _ => 1.4,
            };
            assert!(
                bound <= slack * true_height,
                "{shape:?}: {bound} {true_height}"
            );
        }
    }
}
