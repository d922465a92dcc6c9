//! From a shape in a scene file to mass, surface and collider, all in the shape's
//! own coordinates. Equal shapes are made once and shared.

use super::check;
use super::mesh_shapes::mesh_geometry;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::{AxialSpec, AxisSpec, BodySpec, CompoundPartSpec, HullSpec, ShapeSpec};
use conatus_geometry::shape::SolidProperties;
use conatus_geometry::{Axis, Mesh, Shape, icosphere};
use conatus_math::{DVec3, Pose};
use std::collections::HashMap;
use std::sync::Arc;

/// A shape that a body is made of, with what is costly to derive from it.
#[derive(Clone)]
pub struct ShapeGeometry {
    /// The shape in its own axes.
    pub shape: Shape,
    /// Its surface.
    pub mesh: Mesh,
    /// Its volume, exact for solids, and what follows from it; none for a surface that is
    /// not closed.
    pub solid: Option<SolidProperties>,
    /// What it collides as, each part at its pose.
    pub colliders: Vec<(Pose, Shape)>,
    /// What became of its mesh if it had to be divided to collide.
    pub division: Option<MeshDivision>,
    /// Why it cannot be divided, if it has to be.
    pub indivisible: Option<String>,
}

/// A mesh that was divided into convex parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshDivision {
    /// The number of parts.
    pub parts: usize,
    /// By how much the parts together are larger than the mesh, as a share of its volume.
    pub excess: f64,
}

impl ShapeGeometry {
    /// Of a shape that collides as itself.
    pub fn new(shape: Shape) -> Self {
        Self {
            mesh: shape.mesh(),
            solid: shape.solid_properties(),
            colliders: shape.parts(),
            division: None,
            indivisible: None,
            shape,
        }
    }

    /// The same shape at another pose.
    pub fn at(mut self, pose: &Pose) -> Self {
        self.mesh = self.mesh.at(pose);
        self.solid = self.solid.map(|solid| solid.at(pose));
        for (own, _) in &mut self.colliders {
            *own = pose.after(own);
        }
        self
    }

    /// The hull for buoyancy: the surface, scaled so that its volume is exactly that of the
    /// solid. A ball needs fewer triangles here than for display.
    pub fn hull(&self) -> Option<Mesh> {
        let SolidProperties { volume, centre, .. } = self.solid?;
        let mut hull = match self.shape {
            Shape::Sphere { radius } => {
                let mut ball = icosphere(2);
                for v in &mut ball.vertices {
                    *v = centre + *v * radius;
                }
                ball
            }
            _ => self.mesh.clone(),
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
    spec: &ShapeSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<ShapeGeometry> {
    let before = diagnostics.len();
    let key = match spec {
        ShapeSpec::Sphere(s) => {
            let key = format!("{path}.sphere.radius");
            check::positive(diagnostics, &key, "the radius", s.radius);
            key
        }
        ShapeSpec::Box(b) => {
            let key = format!("{path}.box.half_extents");
            sizes(diagnostics, &key, "a half extent", b.half_extents);
            key
        }
        ShapeSpec::Ellipsoid(e) => {
            let key = format!("{path}.ellipsoid.semi_axes");
            sizes(diagnostics, &key, "a semi-axis", e.semi_axes);
            key
        }
        ShapeSpec::Cylinder(a) => axial(diagnostics, path, "cylinder", a),
        ShapeSpec::Capsule(a) => axial(diagnostics, path, "capsule", a),
        ShapeSpec::Cone(a) => axial(diagnostics, path, "cone", a),
        ShapeSpec::Hull(_) => format!("{path}.hull.points"),
        ShapeSpec::Mesh(m) => {
            return mesh_geometry(scene, m, &format!("{path}.mesh"), diagnostics);
        }
        ShapeSpec::Compound(parts) => {
            return compound(scene, parts, &format!("{path}.compound"), diagnostics);
        }
    };
    let shape = match spec {
        ShapeSpec::Hull(hull) => convex_hull(hull, &key, diagnostics)?,
        _ => formula(spec)?,
    };
    if diagnostics.len() > before {
        return None;
    }
    if let Err(error) = shape.validate() {
        let help = "lengths are in metres; are these far too small or too large?";
        diagnostics.at(&key, error.to_string(), help);
        return None;
    }
    Some(ShapeGeometry::new(shape))
}

/// Several shapes as one.
fn compound(
    scene: &Scene,
    parts: &[CompoundPartSpec],
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<ShapeGeometry> {
    if parts.is_empty() {
        let help = "for example [{ shape.sphere.radius = 0.2, position = [0, 0, 1] }]";
        diagnostics.at(path, "a compound needs at least one part", help);
    }
    let mut placed = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        let path = format!("{path}[{k}]");
        let turn = check::orientation(diagnostics, &path, part.orientation, part.turn.as_ref());
        let pose = Pose::new(turn, part.position.into());
        let made = shape_geometry(scene, &part.shape, &format!("{path}.shape"), diagnostics);
        placed.extend(made.map(|made| (pose, made)));
    }
    if placed.is_empty() || placed.len() < parts.len() {
        return None;
    }
    let shapes = placed
        .iter()
        .map(|(pose, made)| (*pose, made.shape.clone()));
    let mut whole = ShapeGeometry::new(Shape::compound(shapes));
    whole.colliders.clear();
    for (pose, made) in placed {
        let made = made.at(&pose);
        whole.colliders.extend(made.colliders);
        whole.indivisible = whole.indivisible.or(made.indivisible);
        let divisions = whole.division.into_iter().chain(made.division);
        whole.division = divisions.reduce(|a, b| MeshDivision {
            parts: a.parts + b.parts,
            excess: a.excess.max(b.excess),
        });
    }
    Some(whole)
}

/// A shape that has a formula: no hull, mesh or compound. Its sizes are not checked.
pub fn formula(spec: &ShapeSpec) -> Option<Shape> {
    Some(match spec {
        ShapeSpec::Sphere(s) => Shape::Sphere { radius: s.radius },
        ShapeSpec::Box(b) => Shape::Box {
            half_extents: b.half_extents.into(),
        },
        ShapeSpec::Cylinder(a) => Shape::Cylinder {
            radius: a.radius,
            height: a.height,
            axis: a.axis.into(),
        },
        ShapeSpec::Capsule(a) => Shape::Capsule {
            radius: a.radius,
            height: a.height,
            axis: a.axis.into(),
        },
        ShapeSpec::Cone(a) => Shape::Cone {
            radius: a.radius,
            height: a.height,
            axis: a.axis.into(),
        },
        ShapeSpec::Ellipsoid(e) => Shape::Ellipsoid {
            semi_axes: e.semi_axes.into(),
        },
        ShapeSpec::Hull(_) | ShapeSpec::Mesh(_) | ShapeSpec::Compound(_) => return None,
    })
}

impl From<AxisSpec> for Axis {
    fn from(axis: AxisSpec) -> Self {
        match axis {
            AxisSpec::X => Self::X,
            AxisSpec::Y => Self::Y,
            AxisSpec::Z => Self::Z,
        }
    }
}

/// The most points of a hull.
const MAX_HULL_POINTS: usize = 1000;

fn convex_hull(spec: &HullSpec, path: &str, diagnostics: &mut Diagnostics) -> Option<Shape> {
    let points: Vec<DVec3> = spec.points.iter().map(|p| DVec3::from(*p)).collect();
    if points.len() > MAX_HULL_POINTS {
        diagnostics.at(
            path,
            format!("a hull of {} points", points.len()),
            format!("use at most {MAX_HULL_POINTS}, or a mesh file"),
        );
        return None;
    }
    let hull = Shape::hull(&points).map_err(|error| {
        let help = "give the corners of the solid, for example of a tetrahedron: \
            [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
        diagnostics.at(path, error.to_string(), help);
    });
    hull.ok()
}

fn sizes(diagnostics: &mut Diagnostics, path: &str, what: &str, values: [f64; 3]) {
    for (i, value) in values.into_iter().enumerate() {
        check::positive(diagnostics, &format!("{path}[{i}]"), what, value);
    }
}

/// Checks the sizes of a shape with an axis, and returns the path for what else is wrong.
fn axial(diagnostics: &mut Diagnostics, path: &str, kind: &str, shape: &AxialSpec) -> String {
    for (key, value) in [("radius", shape.radius), ("height", shape.height)] {
        let path = format!("{path}.{kind}.{key}");
        check::positive(diagnostics, &path, &format!("the {key}"), value);
    }
    path.to_owned()
}
