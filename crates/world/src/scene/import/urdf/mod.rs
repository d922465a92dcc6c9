//! URDF: the robots of ROS.
//!
//! Links and joints are lists; the joints give the tree. Everything else (transmissions,
//! Gazebo's extensions, sensors) is left out.

mod link;

use super::robot::{LinkJoint, LinkJointKind, Robot, RobotLink};
use super::shapes::Assets;
use super::xml::{Element, Reader, child, children, node_span};
use crate::scene::diagnostic::nearest;
use conatus_math::DVec3;
use link::{link, materials, origin};
use roxmltree::Node;
use std::collections::BTreeMap;

/// A joint between two links of the file.
struct Connection<'a> {
    node: Node<'a, 'a>,
    parent: usize,
    child: usize,
}

/// Reads a robot from the element `robot`.
pub fn read(root: Node, fixed_base: bool, assets: &Assets, reader: &mut Reader) -> Robot {
    let mut robot = Robot {
        name: root.attribute("name").unwrap_or("robot").to_owned(),
        excludes_overlaps: true,
        ..Robot::default()
    };
    for node in root.children().filter(Node::is_element) {
        if !matches!(node.tag_name().name(), "link" | "joint" | "material") {
            reader.note(&node, "has no place in a scene: left out");
        }
    }
    let materials = materials(&root, reader);
    let mut links: Vec<RobotLink> = Vec::new();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    for node in children(&root, "link") {
        let Some(name) = reader.required(&node.into(), "name") else {
            continue;
        };
        if index.insert(name.to_owned(), links.len()).is_some() {
            reader.error_at(
                &node.into(),
                "name",
                format!("there are two links `{name}`"),
                "give every link a unique name",
            );
        }
        links.push(link(node, name, &materials, assets, reader));
    }
    if links.is_empty() && reader.errors.is_empty() {
        let help = "a URDF file has elements `link` and `joint` below `robot`";
        reader.error(node_span(&root), "the robot has no links", help);
    }
    let connections = connections(&root, &index, reader);
    if reader.errors.is_empty() {
        let order = order(&links, &connections, reader);
        robot.links = assemble(links, &connections, &order, fixed_base, reader);
    }
    let limited = |n: &Node| n.has_tag_name("limit") && n.has_attribute("velocity");
    let count = root.descendants().filter(limited).count();
    if count > 0 {
        let reason = format!("joints have none: the greatest velocity of {count} is left out");
        reader.note_at(node_span(&root), "`velocity`", reason);
    }
    robot
}

/// The joints, with the links that they name.
fn connections<'a>(
    root: &Node<'a, 'a>,
    index: &BTreeMap<String, usize>,
    reader: &mut Reader,
) -> Vec<Connection<'a>> {
    let mut connections = Vec::new();
    let mut names = BTreeMap::new();
    for node in root.children().filter(|n| n.has_tag_name("joint")) {
        let Some(name) = reader.required(&node.into(), "name") else {
            continue;
        };
        if names.insert(name, ()).is_some() {
            let message = format!("there are two joints `{name}`");
            let help = "give every joint a unique name";
            reader.error_at(&node.into(), "name", message, help);
        }
        let mut end = |tag: &'a str| {
            let Some(holder) = child(&node, tag) else {
                let message = format!("the joint `{name}` has no `{tag}`");
                let help = format!("add `<{tag} link=\"…\"/>`");
                reader.error(node_span(&node), message, help);
                return None;
            };
            let element: Element = holder.into();
            let link = reader.required(&element, "link")?;
            let found = index.get(link).copied();
            if found.is_none() {
                let help = match nearest(link, index.keys().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("add `<link name=\"{link}\">`"),
                };
                let message = format!("there is no link `{link}`");
                reader.error_at(&element, "link", message, help);
            }
            found
        };
        let (parent, child) = (end("parent"), end("child"));
        if let (Some(parent), Some(child)) = (parent, child) {
            connections.push(Connection {
                node,
                parent,
                child,
            });
        }
    }
    connections
}

/// The links in an order in which parents come before their children.
fn order(links: &[RobotLink], connections: &[Connection], reader: &mut Reader) -> Vec<usize> {
    let mut carrier: Vec<Option<usize>> = vec![None; links.len()];
    for (k, connection) in connections.iter().enumerate() {
        if carrier[connection.child].replace(k).is_some() {
            reader.error(
                node_span(&connection.node),
                format!(
                    "the link `{}` is the child of two joints",
                    links[connection.child].name
                ),
                "a URDF robot is a tree: leave out one of the joints",
            );
        }
    }
    let roots = (0..links.len()).filter(|&l| carrier[l].is_none());
    let mut order: Vec<usize> = roots.collect();
    let mut next = 0;
    while next < order.len() {
        let here = order[next];
        order.extend((connections.iter().filter(|c| c.parent == here)).map(|c| c.child));
        next += 1;
    }
    if reader.errors.is_empty() && order.len() < links.len() {
        let in_cycle = (0..links.len()).find(|l| !order.contains(l)).unwrap_or(0);
        reader.error(
            links[in_cycle].span,
            format!(
                "the link `{}` is in a cycle of joints",
                links[in_cycle].name
            ),
            "a URDF robot is a tree: one link is the child of no joint",
        );
    }
    order
}

/// Puts the joints into the links.
fn assemble(
    links: Vec<RobotLink>,
    connections: &[Connection],
    order: &[usize],
    fixed_base: bool,
    reader: &mut Reader,
) -> Vec<RobotLink> {
    let mut new_of = vec![0; links.len()];
    let mut out: Vec<RobotLink> = Vec::new();
    let mut links: Vec<Option<RobotLink>> = links.into_iter().map(Some).collect();
    for &old in order {
        let Some(mut link) = links.get_mut(old).and_then(Option::take) else {
            continue;
        };
        new_of[old] = out.len();
        match connections.iter().find(|c| c.child == old) {
            None => link.free = !fixed_base && link.name != "world",
            Some(connection) => {
                link.parent = Some(new_of[connection.parent]);
                link.pose = origin(&connection.node, reader);
                joint(&connection.node, &mut link, reader);
            }
        }
        out.push(link);
    }
    out
}

/// Gives a link its joint.
fn joint(node: &Node, link: &mut RobotLink, reader: &mut Reader) {
    let name = node.attribute("name").unwrap_or_default();
    let find = |tag: &str| node.children().find(|n| n.has_tag_name(tag));
    let span = node_span(node);
    let axis = match find("axis") {
        Some(axis) => reader.direction(&axis.into(), "xyz", DVec3::X),
        None => DVec3::X,
    };
    let hinge = LinkJoint::new(name, LinkJointKind::Hinge, axis, span);
    let slider = LinkJoint::new(name, LinkJointKind::Slider, axis, span);
    let mut joints = match node.attribute("type").unwrap_or_default() {
        "fixed" => Vec::new(),
        "revolute" | "continuous" => vec![hinge],
        "prismatic" => vec![slider],
        "spherical" => vec![LinkJoint::new(name, LinkJointKind::Ball, axis, span)],
        "floating" => {
            link.free = true;
            Vec::new()
        }
        "planar" => planar(&hinge),
        other => {
            reader.error_at(
                &(*node).into(),
                "type",
                format!("there is no joint type `{other}`"),
                "the types are revolute, continuous, prismatic, fixed, floating, planar and spherical",
            );
            Vec::new()
        }
    };
    if let (Some(limit), [joint]) = (find("limit"), &mut joints[..]) {
        let element: Element = limit.into();
        let effort = reader.number(&element, "effort");
        joint.effort = effort.filter(|effort| *effort > 0.0);
        let low = reader.number(&element, "lower").unwrap_or_default();
        let high = reader.number(&element, "upper").unwrap_or_default();
        if node.attribute("type") != Some("continuous") {
            if low > high {
                let message = format!("the lower limit, {low}, is above the upper one, {high}");
                reader.error_at(&element, "lower", message, "exchange the two numbers");
            }
            joint.limits = Some([low, high]);
        }
    }
    if let (Some(dynamics), [joint]) = (find("dynamics"), &mut joints[..]) {
        let element: Element = dynamics.into();
        joint.damping = reader
            .number(&element, "damping")
            .unwrap_or_default()
            .max(0.0);
        if reader.number(&element, "friction").unwrap_or_default() != 0.0 {
            reader.note(node, "joints have no dry friction: left out");
        }
    }
    for (tag, reason) in [
        ("mimic", "a joint that follows another: it moves by itself"),
        ("safety_controller", "a safety controller: left out"),
        ("calibration", "a calibration: left out"),
    ] {
        if find(tag).is_some() {
            reader.note(node, reason);
        }
    }
    link.joints = joints;
}

/// A planar joint: two displacements across the axis, then a rotation about it.
fn planar(hinge: &LinkJoint) -> Vec<LinkJoint> {
    let across = conatus_geometry::convex::perpendicular(hinge.axis);
    let along = |axis: DVec3, suffix: &str| LinkJoint {
        name: format!("{}-{suffix}", hinge.name),
        kind: LinkJointKind::Slider,
        axis,
        ..hinge.clone()
    };
    vec![
        along(across, "x"),
        along(hinge.axis.cross(across), "y"),
        hinge.clone(),
    ]
}
