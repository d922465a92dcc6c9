//! What the elements `compiler` and `default` of MJCF say about all others: units, the order
//! of Euler angles, folders, and attributes by class.

use crate::scene::import::xml::{Element, Reader, children};
use conatus_math::{DMat3, DQuat, DVec3, Pose, rotation};
use roxmltree::Node;
use std::collections::BTreeMap;

/// The settings of `compiler`.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Whether angles are degrees.
    pub degrees: bool,
    /// The axes of Euler angles: small letters turn with the body.
    pub euler: String,
    /// Whether a joint with a range is limited.
    pub autolimits: bool,
    /// The folder of meshes, relative to the file.
    pub mesh_folder: String,
    /// Whether mass comes from shapes: always, never, or where there is no `inertial`.
    pub inertia_from_geom: Option<bool>,
    /// Whether wrong moments of inertia are made equal.
    pub balance_inertia: bool,
    /// The mass of everything that moves.
    pub total_mass: Option<f64>,
    /// The groups of shapes that count for mass.
    pub inertia_groups: [f64; 2],
}

impl Compiler {
    /// Reads all elements `compiler`; later ones take precedence.
    pub fn read(root: &Node, reader: &mut Reader) -> Self {
        let mut out = Self {
            degrees: true,
            euler: "xyz".into(),
            autolimits: true,
            mesh_folder: String::new(),
            inertia_from_geom: None,
            balance_inertia: false,
            total_mass: None,
            inertia_groups: [0.0, 5.0],
        };
        for node in root.children().filter(|n| n.has_tag_name("compiler")) {
            let element: Element = node.into();
            let text = |name: &str| element.text(name);
            match text("angle") {
                Some("radian") => out.degrees = false,
                Some("degree") => out.degrees = true,
                _ => {}
            }
            if text("coordinate") == Some("global") {
                let help = "MuJoCo itself no longer reads them; save the model with local ones";
                reader.error_at(&element, "coordinate", "global coordinates", help);
            }
            if let Some(order) = text("eulerseq") {
                let known = order.len() == 3 && order.chars().all(|c| "xyzXYZ".contains(c));
                match known {
                    true => out.euler = order.to_owned(),
                    false => reader.error_at(
                        &element,
                        "eulerseq",
                        format!("`{order}` is no order of axes"),
                        "give three of the letters x, y, z, X, Y, Z",
                    ),
                }
            }
            out.autolimits = text("autolimits").map_or(out.autolimits, |t| t == "true");
            for folder in ["assetdir", "meshdir"] {
                if let Some(folder) = text(folder) {
                    out.mesh_folder = format!("{}/", folder.trim_end_matches('/'));
                }
            }
            match text("inertiafromgeom") {
                Some("true") => out.inertia_from_geom = Some(true),
                Some("false") => out.inertia_from_geom = Some(false),
                _ => {}
            }
            out.balance_inertia |= text("balanceinertia") == Some("true");
            out.total_mass = reader
                .number(&element, "settotalmass")
                .filter(|mass| *mass > 0.0)
                .or(out.total_mass);
            if let Some(groups) = reader.array::<2>(&element, "inertiagrouprange") {
                out.inertia_groups = groups;
            }
        }
        out
    }

    /// An angle of the file in radians.
    pub fn angle(&self, value: f64) -> f64 {
        match self.degrees {
            true => value.to_radians(),
            false => value,
        }
    }

    /// The pose that an element gives with `pos` and one of the orientations.
    pub fn pose(&self, element: &Element, reader: &mut Reader) -> Pose {
        let shift = reader.vector(element, "pos").unwrap_or_default();
        Pose::new(self.orientation(element, reader), shift)
    }

    /// The orientation of an element: `quat`, `axisangle`, `euler`, `xyaxes` or `zaxis`.
    pub fn orientation(&self, element: &Element, reader: &mut Reader) -> DQuat {
        let none = DQuat::IDENTITY;
        if let Some([w, x, y, z]) = reader.array::<4>(element, "quat") {
            let q = DQuat::from_xyzw(x, y, z, w);
            return match q.length_squared().is_normal() {
                true => q.normalize(),
                false => none,
            };
        }
        if let Some([x, y, z, angle]) = reader.array::<4>(element, "axisangle") {
            return rotation::from_axis_angle(DVec3::new(x, y, z), self.angle(angle));
        }
        if let Some(angles) = reader.array::<3>(element, "euler") {
            let mut q = none;
            for (letter, angle) in self.euler.chars().zip(angles) {
                let axis = match letter.to_ascii_lowercase() {
                    'x' => DVec3::X,
                    'y' => DVec3::Y,
                    _ => DVec3::Z,
                };
                let turn = rotation::from_axis_angle(axis, self.angle(angle));
                q = match letter.is_ascii_lowercase() {
                    true => q * turn,
                    false => turn * q,
                };
            }
            return q.normalize();
        }
        if let Some([a, b, c, d, e, f]) = reader.array::<6>(element, "xyaxes") {
            let x = DVec3::new(a, b, c).try_normalize();
            let y = DVec3::new(d, e, f);
            let axes = x.and_then(|x| Some((x, (y - x * x.dot(y)).try_normalize()?)));
            let Some((x, y)) = axes else {
                let help = "give six numbers: two directions at a right angle";
                reader.error_at(element, "xyaxes", "the axes are zero or parallel", help);
                return none;
            };
            return rotation::from_matrix(DMat3::from_cols(x, y, x.cross(y)));
        }
        match element.has("zaxis") {
            true => turn_from_z(reader.direction(element, "zaxis", DVec3::Z)),
            false => none,
        }
    }
}

/// The shortest rotation of the z axis to a direction of length one.
pub fn turn_from_z(direction: DVec3) -> DQuat {
    let axis = DVec3::Z.cross(direction);
    let angle = conatus_math::atan2(axis.length(), direction.z);
    match axis.try_normalize() {
        Some(axis) => rotation::from_axis_angle(axis, angle),
        None if direction.z < 0.0 => rotation::from_axis_angle(DVec3::X, angle),
        None => DQuat::IDENTITY,
    }
}

/// The classes of `default`.
#[derive(Clone, Debug, Default)]
pub struct Defaults<'a> {
    /// For every class its element and those above it, the nearest first.
    classes: BTreeMap<&'a str, Vec<Node<'a, 'a>>>,
    /// The elements of the outermost class.
    main: Vec<Node<'a, 'a>>,
}

impl<'a> Defaults<'a> {
    /// Reads all elements `default`.
    pub fn read(root: &Node<'a, 'a>, reader: &mut Reader) -> Self {
        let mut out = Self::default();
        let mut open: Vec<(Node<'a, 'a>, Vec<Node<'a, 'a>>)> = Vec::new();
        for node in children(root, "default") {
            out.main.push(node);
            open.push((node, Vec::new()));
        }
        let main = out.main.clone();
        while let Some((node, above)) = open.pop() {
            let mut chain = vec![node];
            chain.extend(match above.is_empty() {
                true => main.iter().copied().filter(|n| *n != node).collect(),
                false => above,
            });
            for inner in children(&node, "default") {
                if inner.attribute("class").is_none() {
                    let help = "add `class=\"…\"`; only the outermost needs none";
                    reader.error(
                        crate::scene::import::xml::node_span(&inner),
                        "a `default` without a class",
                        help,
                    );
                }
                open.push((inner, chain.clone()));
            }
            if let Some(class) = node.attribute("class") {
                out.classes.insert(class, chain);
            }
        }
        out
    }

    /// An element with the defaults of its class, or of the class of the body around it.
    /// `tags` are the elements of `default` that apply to it.
    pub fn element(
        &self,
        node: Node<'a, 'a>,
        class_around: Option<&str>,
        tags: &[&'a str],
        reader: &mut Reader,
    ) -> Element<'a> {
        let class = node.attribute("class").or(class_around);
        let chain = match class {
            None | Some("main") => &self.main,
            Some(class) => match self.classes.get(class) {
                Some(chain) => chain,
                None => {
                    reader.error_at(
                        &node.into(),
                        "class",
                        format!("there is no class `{class}`"),
                        format!("add `<default class=\"{class}\">`"),
                    );
                    &self.main
                }
            },
        };
        let defaults = chain
            .iter()
            .flat_map(|level| tags.iter().flat_map(|tag| children(level, tag)))
            .collect();
        Element { node, defaults }
    }
}
