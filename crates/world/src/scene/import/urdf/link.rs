//! The links of URDF: mass, shapes and colours.

use crate::scene::import::robot::{LinkShape, RobotLink};
use crate::scene::import::shapes::{Assets, color};
use crate::scene::import::xml::{Element, Reader, node_span};
use crate::scene::model::{AxialSpec, AxisSpec, BoxSpec, MeshSpec, ShapeSpec, SphereSpec};
use conatus_math::{DQuat, DVec3, Pose, rotation};
use conatus_rigid::MassProperties;
use roxmltree::Node;
use std::collections::BTreeMap;

/// The colours of materials by name.
pub fn materials(root: &Node, reader: &mut Reader) -> BTreeMap<String, String> {
    let mut materials = BTreeMap::new();
    for node in root.descendants().filter(|n| n.has_tag_name("material")) {
        if let (Some(name), Some(color)) = (node.attribute("name"), own_color(&node, reader)) {
            materials.entry(name.to_owned()).or_insert(color);
        }
    }
    materials
}

fn own_color(material: &Node, reader: &mut Reader) -> Option<String> {
    let node = (material.children()).find(|n| n.has_tag_name("color"))?;
    let document = node.document();
    let node = document.get_node(node.id())?;
    let [r, g, b, _] = reader.array::<4>(&node.into(), "rgba")?;
    Some(color([r, g, b]))
}

/// A link without its joint.
pub fn link(
    node: Node,
    name: &str,
    materials: &BTreeMap<String, String>,
    assets: &Assets,
    reader: &mut Reader,
) -> RobotLink {
    let mut shapes = Vec::new();
    for (tag, groups) in [("collision", [1, 1]), ("visual", [0, 0])] {
        for holder in node.children().filter(|n| n.has_tag_name(tag)) {
            shapes.extend(shape(&holder, groups, assets, reader));
        }
    }
    let look = node.children().filter(|n| n.has_tag_name("visual"));
    let mut looks = look.filter_map(|v| v.children().find(|n| n.has_tag_name("material")));
    let color = looks.find_map(|m| {
        let named = m.attribute("name").and_then(|name| materials.get(name));
        own_color(&m, reader).or(named.cloned())
    });
    RobotLink {
        name: name.to_owned(),
        parent: None,
        pose: Pose::IDENTITY,
        joints: Vec::new(),
        free: false,
        mass: inertial(&node, name, reader),
        shapes,
        color,
        friction: None,
        span: node_span(&node),
    }
}

/// The pose of `origin`: a shift, and rotations about the fixed axes x, y and z.
pub fn origin(holder: &Node, reader: &mut Reader) -> Pose {
    let Some(node) = holder.children().find(|n| n.has_tag_name("origin")) else {
        return Pose::IDENTITY;
    };
    let element: Element = node.into();
    let shift = reader.vector(&element, "xyz").unwrap_or_default();
    let [roll, pitch, yaw] = reader.array::<3>(&element, "rpy").unwrap_or_default();
    Pose::new(from_rpy(roll, pitch, yaw), shift)
}

fn from_rpy(roll: f64, pitch: f64, yaw: f64) -> DQuat {
    let about = rotation::from_axis_angle;
    (about(DVec3::Z, yaw) * about(DVec3::Y, pitch) * about(DVec3::X, roll)).normalize()
}

fn inertial(link: &Node, name: &str, reader: &mut Reader) -> Option<MassProperties> {
    let node = link.children().find(|n| n.has_tag_name("inertial"))?;
    let pose = origin(&node, reader);
    let mass_node = node.children().find(|n| n.has_tag_name("mass"));
    let mass = match mass_node {
        Some(mass) => reader.number(&mass.into(), "value"),
        None => None,
    };
    let Some(mass) = mass else {
        if reader.errors.is_empty() {
            let help = "add `<mass value=\"…\"/>` in kilograms";
            reader.error(node_span(&node), format!("`{name}` has no mass"), help);
        }
        return None;
    };
    let tensor = node.children().find(|n| n.has_tag_name("inertia"));
    let tensor: Element = tensor.unwrap_or(node).into();
    let mut entry = |key: &str| reader.number(&tensor, key).unwrap_or_default();
    let (xx, xy, xz) = (entry("ixx"), entry("ixy"), entry("ixz"));
    let (yy, yz, zz) = (entry("iyy"), entry("iyz"), entry("izz"));
    if mass == 0.0 && [xx, yy, zz] == [0.0; 3] {
        return None;
    }
    let properties = MassProperties {
        mass,
        centre: DVec3::ZERO,
        inertia: rotation::rows([xx, xy, xz], [xy, yy, yz], [xz, yz, zz]),
    };
    if let Err(error) = properties.check() {
        reader.error(
            node_span(&node),
            format!("`{name}`: {error}"),
            "the mass and the moments are greater than zero, and no principal moment exceeds the sum of the other two",
        );
        return None;
    }
    Some(properties.at(&pose))
}

fn shape(
    holder: &Node,
    groups: [u32; 2],
    assets: &Assets,
    reader: &mut Reader,
) -> Option<LinkShape> {
    let pose = origin(holder, reader);
    let geometry = holder.children().find(|n| n.has_tag_name("geometry"));
    let given = geometry.and_then(|g| g.children().find(Node::is_element));
    let Some(node) = given else {
        let help = "add `<geometry>` with a box, cylinder, sphere or mesh";
        reader.error(node_span(holder), "a shape without geometry", help);
        return None;
    };
    let element: Element = node.into();
    let shape = match node.tag_name().name() {
        "box" => {
            let size = reader.vector(&element, "size")?;
            if size.min_element() <= 0.0 {
                let help = "give the lengths of the three edges in metres";
                reader.error_at(&element, "size", "an edge must be longer than zero", help);
                return None;
            }
            let half_extents = (size * 0.5).into();
            ShapeSpec::Box(BoxSpec { half_extents })
        }
        "sphere" => ShapeSpec::Sphere(SphereSpec {
            radius: reader.positive(&element, "radius")?,
        }),
        kind @ ("cylinder" | "capsule") => {
            let spec = AxialSpec {
                radius: reader.positive(&element, "radius")?,
                height: reader.positive(&element, "length")?,
                axis: AxisSpec::Z,
            };
            match kind {
                "cylinder" => ShapeSpec::Cylinder(spec),
                _ => ShapeSpec::Capsule(spec),
            }
        }
        "mesh" => mesh(&element, groups, assets, reader)?,
        other => {
            reader.note(&node, format!("`{other}` is no shape of a scene: left out"));
            return None;
        }
    };
    Some(LinkShape {
        shape,
        pose,
        groups,
    })
}

fn mesh(
    element: &Element,
    groups: [u32; 2],
    assets: &Assets,
    reader: &mut Reader,
) -> Option<ShapeSpec> {
    let address = reader.required(element, "filename")?;
    let stretch = reader.vector(element, "scale");
    if !assets.can_read(address) {
        reader.note(
            &element.node,
            format!("`{address}` is no OBJ, STL or glTF file: left out"),
        );
        return None;
    }
    let file = match assets.resolve(address) {
        Ok(file) => file,
        // What is only seen may be missing.
        Err(why) if groups == [0, 0] => {
            reader.note(&element.node, format!("left out: {}", why.message));
            return None;
        }
        Err(why) => {
            let help = why.help.unwrap_or_default();
            reader.error_at(element, "filename", why.message, help);
            return None;
        }
    };
    Some(ShapeSpec::Mesh(MeshSpec {
        stretch: stretch.filter(|s| *s != DVec3::ONE).map(Into::into),
        ..MeshSpec::new(file).collide_as_hull()
    }))
}
