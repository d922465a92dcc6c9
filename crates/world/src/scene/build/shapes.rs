//! From a shape in a scene file to mass, surface and collider, all in the shape's
//! own coordinates. Equal shapes are made once and shared.

use super::check;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::{AxialSpec, AxisSpec, BodySpec, HullSpec, MeshSpec, ShapeSpec};
use crate::text;
use conatus_geometry::convex::{Convex, ConvexHull};
use conatus_geometry::{Axis, Mesh, Solid, icosphere, obj};
use conatus_math::{DVec3, Pose};
use conatus_rigid::MassProperties;
use std::collections::HashMap;
use std::sync::Arc;

/// A shape that a body is made of.
#[derive(Clone)]
pub struct ShapeGeometry {
    /// Its surface.
    pub mesh: Mesh,
    /// Its volume, exact for solids; none for a surface that is not closed.
    pub volume: Option<f64>,
    /// Its mass properties for a mass of one kilogram; none if not closed.
    pub unit_mass: Option<MassProperties>,
    /// The radius, if the shape is a ball.
    pub ball: Option<f64>,
    /// What it collides as.
    pub collider: ColliderGeometry,
}

/// What a shape collides as.
#[derive(Clone)]
pub struct ColliderGeometry {
    /// A convex solid.
    pub shape: Convex,
    /// From its axes to those of the shape.
    pub pose: Pose,
    /// Whether it is larger than the shape: the hull of a mesh that is not convex.
    pub is_hull_of_mesh: bool,
}

impl ShapeGeometry {
    /// The same shape at another pose.
    pub fn at(mut self, pose: &Pose) -> Self {
        self.mesh = self.mesh.at(pose);
        self.unit_mass = self.unit_mass.map(|m| m.at(pose));
        self.collider.pose = pose.after(&self.collider.pose);
        self
    }

    /// The hull for buoyancy: the surface, scaled so that its volume is exactly that of the
    /// solid. A ball needs fewer triangles here than for display.
    pub fn hull(&self) -> Option<Mesh> {
        let volume = self.volume?;
        let centre = self.unit_mass?.centre;
        let mut hull = match self.ball {
            Some(radius) => {
                let mut ball = icosphere(2);
                for v in &mut ball.vertices {
                    *v = centre + *v * radius;
                }
                ball
            }
            None => self.mesh.clone(),
        };
        let factor = (volume / hull.volume_integrals().volume).abs();
        let factor = conatus_math::cbrt(factor);
        for v in &mut hull.vertices {
            *v = centre + (*v - centre) * factor;
        }
        Some(hull)
    }
}

/// The surface and the hull of a body, in principal axes.
#[derive(Clone, Default)]
pub struct BodyMeshes {
    /// Its surface; none without a shape.
    pub surface: Option<Arc<Mesh>>,
    /// The closed surface for buoyancy; none where there is no water.
    pub hull: Option<Arc<Mesh>>,
}

/// What equal shapes share: 20,000 equal spheres have one mesh.
///
/// Shapes are compared by the text of their specification, in which numbers have all
/// their digits.
#[derive(Default)]
pub struct ShapeCache {
    shapes: HashMap<String, Arc<ShapeGeometry>>,
    meshes: HashMap<String, BodyMeshes>,
}

impl ShapeCache {
    /// The geometry of a shape; `None` if something is wrong with it, which is reported
    /// for every body that has it.
    pub fn shape(
        &mut self,
        scene: &Scene,
        spec: &ShapeSpec,
        path: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<Arc<ShapeGeometry>> {
        let key = format!("{spec:?}");
        if let Some(known) = self.shapes.get(&key) {
            return Some(Arc::clone(known));
        }
        let made = Arc::new(shape_geometry(scene, spec, path, diagnostics)?);
        self.shapes.insert(key, Arc::clone(&made));
        Some(made)
    }

    /// The meshes of a body whose shapes are `shapes`; `to_principal` goes from the
    /// coordinates of its shapes to principal axes.
    pub fn body_meshes(
        &mut self,
        spec: &BodySpec,
        shapes: &[Arc<ShapeGeometry>],
        to_principal: &Pose,
        in_water: bool,
    ) -> BodyMeshes {
        let key = format!("{:?} {:?} {to_principal:?}", spec.shape, spec.parts);
        // A body with a faulty part is reported, and differs from one without it.
        let whole = shapes.len() == spec.parts.len() + usize::from(spec.shape.is_some());
        if let Some(known) = self.meshes.get(&key).filter(|_| whole) {
            return known.clone();
        }
        let joined = |meshes: &[Mesh]| {
            let mut all = Mesh::default();
            meshes.iter().for_each(|mesh| all.append(mesh));
            (!all.vertices.is_empty()).then(|| Arc::new(all.at(to_principal)))
        };
        let surfaces: Vec<Mesh> = shapes.iter().map(|s| s.mesh.clone()).collect();
        let hulls: Option<Vec<Mesh>> = (shapes.iter())
            .filter(|_| in_water)
            .map(|s| s.hull())
            .collect();
        let made = BodyMeshes {
            surface: joined(&surfaces),
            hull: hulls.and_then(|hulls| joined(&hulls)),
        };
        if whole {
            self.meshes.insert(key, made.clone());
        }
        made
    }
}

/// Makes a shape; `None` if something is wrong with it.
pub fn shape_geometry(
    scene: &Scene,
    shape: &ShapeSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<ShapeGeometry> {
    match shape {
        ShapeSpec::Sphere(s) => {
            let path = format!("{path}.sphere.radius");
            check::positive(diagnostics, &path, "the radius", s.radius);
            let radius = s.radius;
            solid(Solid::Sphere { radius }, Some(radius), &path, diagnostics)
        }
        ShapeSpec::Box(b) => {
            let path = format!("{path}.box.half_extents");
            sizes(diagnostics, &path, "a half extent", b.half_extents);
            let half_extents = b.half_extents.into();
            solid(Solid::Box { half_extents }, None, &path, diagnostics)
        }
        ShapeSpec::Ellipsoid(e) => {
            let path = format!("{path}.ellipsoid.semi_axes");
            sizes(diagnostics, &path, "a semi-axis", e.semi_axes);
            let semi_axes = e.semi_axes.into();
            solid(Solid::Ellipsoid { semi_axes }, None, &path, diagnostics)
        }
        ShapeSpec::Cylinder(a) => {
            let (radius, height, axis) = axial(diagnostics, &format!("{path}.cylinder"), a);
            let cylinder = Solid::Cylinder {
                radius,
                height,
                axis,
            };
            solid(cylinder, None, path, diagnostics)
        }
        ShapeSpec::Capsule(a) => {
            let (radius, height, axis) = axial(diagnostics, &format!("{path}.capsule"), a);
            let capsule = Solid::Capsule {
                radius,
                height,
                axis,
            };
            solid(capsule, None, path, diagnostics)
        }
        ShapeSpec::Cone(a) => {
            let (radius, height, axis) = axial(diagnostics, &format!("{path}.cone"), a);
            let cone = Solid::Cone {
                radius,
                height,
                axis,
            };
            solid(cone, None, path, diagnostics)
        }
        ShapeSpec::Mesh(m) => mesh(scene, m, &format!("{path}.mesh"), diagnostics),
        ShapeSpec::Hull(hull) => convex_hull(hull, &format!("{path}.hull.points"), diagnostics),
    }
}

/// The most points of a hull.
const MAX_HULL_POINTS: usize = 1000;

fn convex_hull(
    spec: &HullSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<ShapeGeometry> {
    let points: Vec<DVec3> = spec.points.iter().map(|p| DVec3::from(*p)).collect();
    if points.len() > MAX_HULL_POINTS {
        diagnostics.at(
            path,
            format!("a hull of {} points", points.len()),
            format!("use at most {MAX_HULL_POINTS}, or a mesh file"),
        );
        return None;
    }
    let hull = match ConvexHull::new(&points) {
        Ok(hull) => hull,
        Err(error) => {
            let help = "give the corners of the solid, for example of a tetrahedron: \
                [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
            diagnostics.at(path, error.to_string(), help);
            return None;
        }
    };
    let mesh = hull.mesh();
    let volume = mesh.volume_integrals().volume;
    if !volume.is_normal() {
        diagnostics.at(
            path,
            format!("the volume comes out as {} m³", text::number(volume)),
            "lengths are in metres; are these far too small or too large?",
        );
        return None;
    }
    Some(ShapeGeometry {
        unit_mass: Some(MassProperties::of_mesh(&mesh, 1.0)),
        volume: Some(volume),
        mesh,
        ball: None,
        collider: ColliderGeometry {
            shape: hull.into(),
            pose: Pose::IDENTITY,
            is_hull_of_mesh: false,
        },
    })
}

fn sizes(diagnostics: &mut Diagnostics, path: &str, what: &str, values: [f64; 3]) {
    for (i, value) in values.into_iter().enumerate() {
        check::positive(diagnostics, &format!("{path}[{i}]"), what, value);
    }
}

fn axial(diagnostics: &mut Diagnostics, path: &str, shape: &AxialSpec) -> (f64, f64, Axis) {
    check::positive(
        diagnostics,
        &format!("{path}.radius"),
        "the radius",
        shape.radius,
    );
    check::positive(
        diagnostics,
        &format!("{path}.height"),
        "the height",
        shape.height,
    );
    let axis = match shape.axis {
        AxisSpec::X => Axis::X,
        AxisSpec::Y => Axis::Y,
        AxisSpec::Z => Axis::Z,
    };
    (shape.radius, shape.height, axis)
}

/// A solid, unless its sizes are wrong (reported already) or so extreme that its volume
/// is not a normal number.
fn solid(
    solid: Solid,
    ball: Option<f64>,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<ShapeGeometry> {
    let volume = solid.volume();
    if volume.is_normal() && volume > 0.0 {
        return Some(ShapeGeometry {
            mesh: solid.mesh(),
            volume: Some(volume),
            unit_mass: Some(MassProperties::of_solid(&solid, 1.0)),
            ball,
            collider: ColliderGeometry {
                shape: solid.convex(),
                pose: Pose::IDENTITY,
                is_hull_of_mesh: false,
            },
        });
    }
    if diagnostics.is_empty() {
        diagnostics.at(
            path,
            format!("the volume comes out as {} m³", text::number(volume)),
            "lengths are in metres; are these far too small or too large?",
        );
    }
    None
}

/// The mesh of a file, unchanged but for its scale.
pub fn read_mesh(
    scene: &Scene,
    file: &MeshSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Mesh> {
    if file.scale == 0.0 {
        check::positive(
            diagnostics,
            &format!("{path}.scale"),
            "the scale",
            file.scale,
        );
        return None;
    }
    if let Some(stretch) = file.stretch.filter(|s| s.contains(&0.0)) {
        let flat = stretch.iter().position(|factor| *factor == 0.0);
        let path = format!("{path}.stretch[{}]", flat.unwrap_or_default());
        check::positive(diagnostics, &path, "the factor", 0.0);
        return None;
    }
    let source = match scene.files.read(&file.file) {
        Ok(source) => source,
        Err(diagnostic) => {
            diagnostics.push_at(&format!("{path}.file"), diagnostic);
            return None;
        }
    };
    match obj::parse(&source.text, file.scale) {
        Ok(parsed) => Some(stretched(parsed.mesh, file.stretch)),
        Err(e) => {
            let (message, help) = (e.kind.to_string(), e.help());
            diagnostics.in_source(
                &source.name,
                &source.text,
                e.offset,
                e.length,
                message,
                help,
            );
            None
        }
    }
}

/// A mesh with its coordinates multiplied; triangles of a mirror image are turned, so that
/// its outside stays outside.
fn stretched(mut mesh: Mesh, factors: Option<[f64; 3]>) -> Mesh {
    let Some(factors) = factors.map(DVec3::from) else {
        return mesh;
    };
    mesh.vertices.iter_mut().for_each(|v| *v *= factors);
    match factors.x * factors.y * factors.z < 0.0 {
        true => mesh.flipped(),
        false => mesh,
    }
}

fn mesh(
    scene: &Scene,
    file: &MeshSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<ShapeGeometry> {
    let mut mesh = read_mesh(scene, file, path, diagnostics)?;
    let mut volume = None;
    let mut unit_mass = None;
    if mesh.check_closed().is_ok() {
        // A mesh that is inside out is turned right side out.
        if mesh.volume_integrals().volume < 0.0 {
            mesh = mesh.flipped();
        }
        let size = mesh.volume_integrals().volume;
        if size.is_normal() {
            volume = Some(size);
            unit_mass = Some(MassProperties::of_mesh(&mesh, 1.0));
        }
    }
    Some(ShapeGeometry {
        collider: mesh_collider(&mesh, volume),
        mesh,
        volume,
        unit_mass,
        ball: None,
    })
}

/// The convex hull of a mesh. A mesh whose points all lie in a plane has none, and
/// collides as a ball about it.
fn mesh_collider(mesh: &Mesh, volume: Option<f64>) -> ColliderGeometry {
    /// A mesh is convex if its hull is larger by less than this share.
    const CONVEX_TOLERANCE: f64 = 1e-6;
    match ConvexHull::new(&mesh.vertices) {
        Ok(hull) => {
            let size = hull.mesh().volume_integrals().volume;
            let is_convex = volume.is_some_and(|v| size <= v * (1.0 + CONVEX_TOLERANCE));
            ColliderGeometry {
                shape: hull.into(),
                pose: Pose::IDENTITY,
                is_hull_of_mesh: !is_convex,
            }
        }
        Err(_) => {
            let count = mesh.vertices.len().max(1) as f64;
            let centre = mesh.vertices.iter().sum::<DVec3>() / count;
            ColliderGeometry {
                shape: Convex::Sphere {
                    radius: mesh.bounding_radius(centre),
                },
                pose: Pose::shift(centre),
                is_hull_of_mesh: true,
            }
        }
    }
}

/// Reports at `path` why a mesh has no volume; `otherwise` is the alternative to closing it.
pub fn explain_open(mesh: &Mesh, path: &str, otherwise: &str, diagnostics: &mut Diagnostics) {
    match mesh.check_closed() {
        Err(open) => diagnostics.at(
            path,
            format!("the mesh has no volume: {open}"),
            format!("{}; {otherwise}", open.help()),
        ),
        Ok(()) => diagnostics.at(
            path,
            "the mesh encloses no volume that a number can hold",
            "is it flat, or its scale far too small or too large?",
        ),
    }
}
