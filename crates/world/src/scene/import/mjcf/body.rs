//! The bodies and joints of MJCF.

use super::Model;
use crate::scene::import::robot::{LinkJoint, LinkJointKind, RobotLink};
use crate::scene::import::xml::{Element, node_span};
use conatus_math::{DMat3, DVec3, Pose, rotation};
use conatus_rigid::MassProperties;
use roxmltree::Node;

/// The deepest nesting of bodies.
const MAX_DEPTH: usize = 200;

impl<'a> Model<'a, '_> {
    /// Reads what a body or a frame holds into a link. `frame` is the pose of the frame in
    /// the link.
    pub fn content(
        &mut self,
        node: Node<'a, 'a>,
        link: usize,
        class: Option<&'a str>,
        frame: &Pose,
        depth: usize,
    ) {
        if depth > MAX_DEPTH {
            let help = "look for a tag that is not closed";
            let message = format!("bodies are nested more than {MAX_DEPTH} levels deep");
            self.reader.error(node_span(&node), message, help);
            return;
        }
        let class = node.attribute("childclass").or(class);
        let mut masses = Vec::new();
        let mut inertial = None;
        for inner in node.children().filter(Node::is_element) {
            match inner.tag_name().name() {
                "body" => self.body(inner, link, class, frame, depth),
                "frame" => {
                    let pose = self.compiler.pose(&inner.into(), self.reader);
                    self.content(inner, link, class, &frame.after(&pose), depth + 1);
                }
                "geom" => {
                    if let Some(geom) = self.geom(inner, class, frame, link == 0) {
                        let into = &mut self.robot.links[link];
                        let seen = geom.color.filter(|_| into.color.is_none());
                        into.color = into.color.take().or(seen);
                        if geom.shape.collides() {
                            into.friction = into.friction.or(geom.friction);
                        }
                        into.shapes.push(geom.shape);
                        masses.extend(geom.mass.map(|mass| (mass, Pose::IDENTITY)));
                    }
                }
                "inertial" => inertial = Some(inner),
                "joint" => self.joint(inner, link, class, frame),
                "freejoint" => self.robot.links[link].free = true,
                "site" => {
                    let element = self.element(inner, class, &["site"]);
                    let pose = frame.after(&self.compiler.pose(&element, self.reader));
                    if let Some(name) = inner.attribute("name") {
                        self.sites.insert(name.to_owned(), (link, pose));
                    }
                }
                "camera" | "light" => {}
                _ => self
                    .reader
                    .note(&inner, "has no place in a scene: left out"),
            }
        }
        let given = inertial
            .filter(|_| self.compiler.inertia_from_geom != Some(true))
            .and_then(|node| self.inertial(node));
        let from_geoms = self.compiler.inertia_from_geom != Some(false) && given.is_none();
        // A frame adds to what its body has already.
        let known = self.robot.links[link].mass.map(|m| (m, Pose::IDENTITY));
        let parts: Vec<_> = match from_geoms {
            true => known.into_iter().chain(masses).collect(),
            false => known.into_iter().collect(),
        };
        self.robot.links[link].mass = match (given, parts.len()) {
            (Some(given), _) => Some(given),
            (None, 0) => None,
            (None, 1) => Some(parts[0].0),
            (None, _) => Some(MassProperties::combine(&parts)),
        };
    }

    fn body(
        &mut self,
        node: Node<'a, 'a>,
        parent: usize,
        class: Option<&'a str>,
        frame: &Pose,
        depth: usize,
    ) {
        self.unnamed += 1;
        let name = match node.attribute("name") {
            Some(name) => name.to_owned(),
            None => format!("body-{}", self.unnamed),
        };
        let link = self.robot.links.len();
        if self.bodies.insert(name.clone(), link).is_some() {
            let message = format!("there are two bodies `{name}`");
            let help = "give every body a unique name";
            self.reader.error_at(&node.into(), "name", message, help);
        }
        if node.attribute("mocap") == Some("true") {
            self.reader
                .note(&node, "a body that a program moves: it stands still");
        }
        let pose = self.compiler.pose(&node.into(), self.reader);
        self.robot.links.push(RobotLink {
            name,
            parent: Some(parent),
            pose: frame.after(&pose),
            joints: Vec::new(),
            free: false,
            mass: None,
            shapes: Vec::new(),
            color: None,
            friction: None,
            span: node_span(&node),
        });
        self.content(node, link, class, &Pose::IDENTITY, depth + 1);
    }

    fn inertial(&mut self, node: Node<'a, 'a>) -> Option<MassProperties> {
        let element: Element = node.into();
        let pose = self.compiler.pose(&element, self.reader);
        let mass = self.reader.number(&element, "mass");
        let diagonal = self.reader.vector(&element, "diaginertia");
        let full = self.reader.array::<6>(&element, "fullinertia");
        let inertia = match (diagonal, full) {
            (_, Some([xx, yy, zz, xy, xz, yz])) => {
                rotation::rows([xx, xy, xz], [xy, yy, yz], [xz, yz, zz])
            }
            (Some(diagonal), None) => DMat3::from_diagonal(diagonal),
            (None, None) => DMat3::ZERO,
        };
        let Some(mass) = mass else {
            self.reader.required(&element, "mass");
            return None;
        };
        if mass == 0.0 {
            return None;
        }
        let mut properties = MassProperties {
            mass,
            centre: DVec3::ZERO,
            inertia,
        };
        if self.compiler.balance_inertia
            && let Err(conatus_rigid::MassError::TriangleInequality(a, b, c)) = properties.check()
        {
            properties.inertia = DMat3::IDENTITY * ((a + b + c) / 3.0);
            let reason = "its moments of inertia break the triangle inequality: their mean is used";
            self.reader.note(&node, reason);
        }
        if let Err(error) = properties.check() {
            self.reader.error(
                node_span(&node),
                error.to_string(),
                "the mass and the moments are greater than zero, and no principal moment exceeds the sum of the other two",
            );
            return None;
        }
        Some(properties.at(&pose))
    }

    fn joint(&mut self, node: Node<'a, 'a>, link: usize, class: Option<&str>, frame: &Pose) {
        let element = self.element(node, class, &["joint"]);
        let kind = match element.text("type").unwrap_or("hinge") {
            "hinge" => LinkJointKind::Hinge,
            "slide" => LinkJointKind::Slider,
            "ball" => LinkJointKind::Ball,
            "free" => {
                self.robot.links[link].free = true;
                return;
            }
            other => {
                let message = format!("there is no joint type `{other}`");
                let help = "the types are hinge, slide, ball and free";
                self.reader.error_at(&element, "type", message, help);
                return;
            }
        };
        if link == 0 {
            let help = "put it into a `body`";
            self.reader
                .error(element.span(), "a joint of the world", help);
            return;
        }
        let angle = |value: f64| match kind {
            LinkJointKind::Slider => value,
            _ => self.compiler.angle(value),
        };
        let number = self.robot.links[link].joints.len() + 1;
        let name = match node.attribute("name") {
            Some(name) => name.to_owned(),
            None => format!("{}-joint-{number}", self.robot.links[link].name),
        };
        let reader = &mut *self.reader;
        let axis = reader.direction(&element, "axis", DVec3::Z);
        let mut joint = LinkJoint::new(name, kind, frame.direction(axis), element.span());
        joint.anchor = frame.point(reader.vector(&element, "pos").unwrap_or_default());
        let range = reader.array::<2>(&element, "range");
        let limited = match element.text("limited") {
            Some("true") => true,
            Some("false") => false,
            _ => self.compiler.autolimits && range.is_some(),
        };
        joint.limits = range.filter(|_| limited).map(|r| r.map(angle));
        if joint.limits.is_some_and(|[low, high]| low > high) {
            let help = "give the lower limit first";
            reader.error_at(
                &element,
                "range",
                "the lower limit is above the upper one",
                help,
            );
        }
        joint.reference = angle(reader.number(&element, "ref").unwrap_or_default());
        joint.rest = angle(reader.number(&element, "springref").unwrap_or_default());
        // Later numbers are those of higher powers.
        let mut first = |name: &str| {
            let list = reader.numbers(&element, name).unwrap_or_default();
            if list.iter().skip(1).any(|x| *x != 0.0) {
                reader.note(&node, format!("only the linear part of `{name}` is used"));
            }
            list.first().copied().unwrap_or_default()
        };
        joint.stiffness = first("stiffness").max(0.0);
        joint.damping = first("damping").max(0.0);
        self.armatures += usize::from(first("armature") != 0.0);
        self.dry_frictions += usize::from(first("frictionloss") != 0.0);
        let force = reader.array::<2>(&element, "actuatorfrcrange");
        joint.effort = force.map(|[low, high]| low.abs().max(high.abs()));
        self.robot.links[link].joints.push(joint);
    }
}
