//! The shapes of MJCF, `geom`, and the mass that they give.

use super::Model;
use super::compiler::turn_from_z;
use crate::scene::import::robot::LinkShape;
use crate::scene::import::shapes::color;
use crate::scene::import::xml::Element;
use crate::scene::model::{
    AxialSpec, AxisSpec, BoxSpec, EllipsoidSpec, MeshSpec, PlaneSpec, ShapeSpec, SphereSpec,
};
use conatus_math::{DVec3, Pose};
use conatus_rigid::MassProperties;
use roxmltree::Node;

/// The density of shapes without mass and density, in kg/m³.
const DENSITY: f64 = 1000.0;

/// A shape of a body.
#[derive(Clone, Debug)]
pub struct Geom {
    /// What the scene shows and collides with.
    pub shape: LinkShape,
    /// Its mass in the axes of the body, if it counts.
    pub mass: Option<MassProperties>,
    /// Its colour.
    pub color: Option<String>,
    /// Coulomb's coefficient, if the file gives it.
    pub friction: Option<f64>,
}

impl<'a> Model<'a, '_> {
    /// Reads a shape. Planes of the world go to the scene; other planes are left out.
    pub fn geom(
        &mut self,
        node: Node<'a, 'a>,
        class: Option<&str>,
        frame: &Pose,
        in_world: bool,
    ) -> Option<Geom> {
        let element = self.element(node, class, &["geom"]);
        let own = self.compiler.pose(&element, self.reader);
        let kind = element.text("type").unwrap_or("sphere");
        let mut bits = |name: &str| {
            let value = self.reader.number(&element, name);
            value.map_or(1, |bits| bits as u32)
        };
        let groups = [bits("contype"), bits("conaffinity")];
        let friction = self.reader.numbers(&element, "friction");
        let (shape, pose) = match kind {
            "plane" => {
                let pose = frame.after(&own);
                match in_world {
                    true => self
                        .robot
                        .planes
                        .push(PlaneSpec::new(pose.translation, pose.direction(DVec3::Z))),
                    false => self.reader.note(&node, "a plane on a body: left out"),
                }
                return None;
            }
            "hfield" | "sdf" => {
                let reason = format!("`{kind}` is no shape of a scene: left out");
                self.reader.note(&node, reason);
                return None;
            }
            "mesh" => (self.mesh(&element, groups)?, own),
            _ => self.primitive(&element, kind, own)?,
        };
        let pose = frame.after(&pose);
        let mass = self.geom_mass(&element, &shape, &pose);
        let material = element.text("material");
        let colors = &self.materials;
        let named = material.and_then(|name| colors.get(name).cloned());
        let own_color = self.reader.array::<4>(&element, "rgba");
        Some(Geom {
            shape: LinkShape {
                shape,
                pose,
                groups,
            },
            mass,
            color: own_color.map(|[r, g, b, _]| color([r, g, b])).or(named),
            friction: friction.and_then(|list| list.first().copied()),
        })
    }

    /// A shape with sizes, and its pose with `fromto`.
    fn primitive(&mut self, element: &Element, kind: &str, own: Pose) -> Option<(ShapeSpec, Pose)> {
        let needed = match kind {
            "sphere" => 1,
            "capsule" | "cylinder" => 2,
            "box" | "ellipsoid" => 3,
            _ => {
                let message = format!("there is no shape `{kind}`");
                let help = "the types are plane, sphere, capsule, ellipsoid, cylinder, box, mesh and hfield";
                self.reader.error_at(element, "type", message, help);
                return None;
            }
        };
        if element.has("mesh") {
            let reason = "a shape that is fitted to a mesh: left out";
            self.reader.note(&element.node, reason);
            return None;
        }
        let mut size = self.reader.numbers(element, "size").unwrap_or_default();
        let mut pose = own;
        let ends = self.reader.array::<6>(element, "fromto");
        if let (Some(ends), true) = (ends, needed >= 2) {
            let (from, to) = (DVec3::from_slice(&ends[..3]), DVec3::from_slice(&ends[3..]));
            let Some(direction) = (to - from).try_normalize() else {
                let help = "give two different points";
                self.reader
                    .error_at(element, "fromto", "both ends are the same", help);
                return None;
            };
            pose = Pose::new(turn_from_z(direction), (from + to) * 0.5);
            let half = 0.5 * from.distance(to);
            size.truncate(1);
            match needed {
                2 => size.push(half),
                _ => {
                    let across = size.first().copied().unwrap_or_default();
                    size.extend([across, half]);
                }
            }
        }
        if size.len() < needed || size[..needed].iter().any(|s| *s <= 0.0) {
            let message = format!("a {kind} needs {needed} sizes greater than zero");
            let help = "give `size` in metres: radii and half lengths";
            self.reader.error_at(element, "size", message, help);
            return None;
        }
        let axial = |size: &[f64]| AxialSpec {
            radius: size[0],
            height: 2.0 * size[1],
            axis: AxisSpec::Z,
        };
        let shape = match kind {
            "sphere" => ShapeSpec::Sphere(SphereSpec { radius: size[0] }),
            "capsule" => ShapeSpec::Capsule(axial(&size)),
            "cylinder" => ShapeSpec::Cylinder(axial(&size)),
            "box" => ShapeSpec::Box(BoxSpec {
                half_extents: [size[0], size[1], size[2]],
            }),
            _ => ShapeSpec::Ellipsoid(EllipsoidSpec {
                semi_axes: [size[0], size[1], size[2]],
            }),
        };
        Some((shape, pose))
    }

    fn mesh(&mut self, element: &Element, groups: [u32; 2]) -> Option<ShapeSpec> {
        let name = self.reader.required(element, "mesh")?;
        let Some(asset) = self.meshes.get(name).cloned() else {
            let message = format!("there is no mesh `{name}`");
            let help = "add `<mesh name=… file=…/>` to `asset`";
            self.reader.error_at(element, "mesh", message, help);
            return None;
        };
        let stretch = self.reader.vector(&asset, "scale");
        let Some(file) = asset.text("file") else {
            let reason = "a mesh without a file: left out";
            self.reader.note(&asset.node, reason);
            return None;
        };
        if asset.has("refpos") || asset.has("refquat") {
            let reason = "the reference pose of the mesh is left out";
            self.reader.note(&asset.node, reason);
        }
        let address = match file.starts_with('/') {
            true => file.to_owned(),
            false => format!("{}{file}", self.compiler.mesh_folder),
        };
        if !self.assets.can_read(file) {
            let reason = format!("`{file}` is no OBJ, STL or glTF file: left out");
            self.reader.note(&asset.node, reason);
            return None;
        }
        match self.assets.resolve(&address) {
            Ok(file) => Some(ShapeSpec::Mesh(MeshSpec {
                stretch: stretch.filter(|s| *s != DVec3::ONE).map(Into::into),
                ..MeshSpec::new(file).collide_as_hull()
            })),
            Err(why) if groups == [0, 0] => {
                let reason = format!("left out: {}", why.message);
                self.reader.note(&asset.node, reason);
                None
            }
            Err(why) => {
                let help = why.help.unwrap_or_default();
                self.reader.error_at(&asset, "file", why.message, help);
                None
            }
        }
    }

    /// The mass of a shape, with its pose, from `mass` or `density`.
    fn geom_mass(
        &mut self,
        element: &Element,
        shape: &ShapeSpec,
        pose: &Pose,
    ) -> Option<MassProperties> {
        let group = self.reader.number(element, "group").unwrap_or_default();
        let [low, high] = self.compiler.inertia_groups;
        if group < low || group > high {
            return None;
        }
        let density = self.reader.number(element, "density").unwrap_or(DENSITY);
        let given = self.reader.number(element, "mass");
        for (name, value) in [("mass", given), ("density", Some(density))] {
            if value.is_some_and(|v| v < 0.0) {
                let message = format!("the {name} is negative");
                self.reader
                    .error_at(element, name, message, "give zero or a positive number");
                return None;
            }
        }
        let unit = self.assets.mass(shape, 1.0)?;
        let mass = given.unwrap_or(density * unit.mass);
        (mass > 0.0).then(|| {
            MassProperties {
                mass,
                centre: unit.centre,
                inertia: unit.inertia * (mass / unit.mass),
            }
            .at(pose)
        })
    }
}
