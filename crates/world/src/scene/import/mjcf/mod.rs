//! MJCF: the models of MuJoCo.
//!
//! Bodies are nested in `worldbody`; `default` gives attributes by class. Tendons, sensors,
//! keyframes, plugins and deformable things are left out with a note; cameras, lights and
//! sites, which have no physics, without.

mod actuator;
mod body;
mod compiler;
mod geom;
mod relations;

use super::robot::{Robot, RobotLink};
use super::shapes::{Assets, color};
use super::xml::{Element, Reader, child, children, node_span};
use compiler::{Compiler, Defaults};
use conatus_math::Pose;
use roxmltree::Node;
use std::collections::BTreeMap;

/// MuJoCo's step in seconds where a file gives none.
const DEFAULT_STEP: f64 = 0.002;

/// A model while it is read.
pub struct Model<'a, 'r> {
    reader: &'r mut Reader<'a>,
    assets: &'r Assets<'r>,
    compiler: Compiler,
    defaults: Defaults<'a>,
    /// Meshes by name.
    meshes: BTreeMap<String, Element<'a>>,
    /// The colours of materials by name.
    materials: BTreeMap<String, String>,
    /// The bodies by name.
    bodies: BTreeMap<String, usize>,
    /// The sites by name: their bodies, and where they are in them.
    sites: BTreeMap<String, (usize, Pose)>,
    robot: Robot,
    /// Joints with an armature or dry friction, which scenes do not have.
    armatures: usize,
    dry_frictions: usize,
    /// The number of bodies without names so far.
    unnamed: usize,
}

/// Reads a robot from the element `mujoco`.
pub fn read<'a>(root: Node<'a, 'a>, assets: &Assets, reader: &mut Reader<'a>) -> Robot {
    let compiler = Compiler::read(&root, reader);
    let defaults = Defaults::read(&root, reader);
    let mut model = Model {
        reader,
        assets,
        compiler,
        defaults,
        meshes: BTreeMap::new(),
        materials: BTreeMap::new(),
        bodies: BTreeMap::new(),
        sites: BTreeMap::new(),
        robot: Robot {
            name: root.attribute("model").unwrap_or("model").to_owned(),
            static_links_collide: true,
            ..Robot::default()
        },
        armatures: 0,
        dry_frictions: 0,
        unnamed: 0,
    };
    model.sections(&root);
    model.options(&root);
    model.asset(&root);
    model.world(&root);
    model.actuators(&root);
    model.relations(&root);
    model.finish(&root);
    model.robot
}

impl<'a> Model<'a, '_> {
    fn element(
        &mut self,
        node: Node<'a, 'a>,
        class: Option<&str>,
        tags: &[&'a str],
    ) -> Element<'a> {
        self.defaults.element(node, class, tags, self.reader)
    }

    /// Notes the sections of the file that are not read.
    fn sections(&mut self, root: &Node<'a, 'a>) {
        for node in root.children().filter(Node::is_element) {
            let reason = match node.tag_name().name() {
                "compiler" | "default" | "option" | "asset" | "worldbody" | "contact"
                | "equality" | "actuator" | "size" | "visual" | "statistic" => continue,
                "keyframe" => {
                    "left out: the scene starts at the reference pose; `--set-joint` sets joints"
                }
                "tendon" => "tendons are left out",
                "sensor" => "sensors are left out: the recording has all states",
                _ => "has no place in a scene: left out",
            };
            self.reader.note(&node, reason);
        }
    }

    fn options(&mut self, root: &Node<'a, 'a>) {
        self.robot.step = Some(DEFAULT_STEP);
        for node in children(root, "option") {
            let element: Element = node.into();
            self.robot.step = self
                .reader
                .positive(&element, "timestep")
                .or(self.robot.step);
            let gravity = self.reader.vector(&element, "gravity");
            self.robot.gravity = gravity.map(Into::into).or(self.robot.gravity);
            for name in ["wind", "density", "viscosity", "magnetic"] {
                let given = self.reader.numbers(&element, name).unwrap_or_default();
                if name != "magnetic" && given.iter().any(|x| *x != 0.0) {
                    self.reader.note(&node, format!("`{name}` is left out"));
                }
            }
            for flag in children(&node, "flag") {
                if flag.attribute("gravity") == Some("disable") {
                    self.robot.gravity = Some([0.0; 3]);
                }
                for name in ["contact", "constraint", "limit", "actuation", "equality"] {
                    if flag.attribute(name) == Some("disable") {
                        let reason = format!("`{name}` cannot be disabled: left out");
                        self.reader.note(&flag, reason);
                    }
                }
            }
        }
    }

    /// Meshes and the colours of materials.
    fn asset(&mut self, root: &Node<'a, 'a>) {
        for node in children(root, "asset").flat_map(|a| a.children()) {
            match node.tag_name().name() {
                "mesh" => {
                    let element = self.element(node, None, &["mesh"]);
                    let stem = node.attribute("file").map(|file| {
                        let name = file.rsplit('/').next().unwrap_or(file);
                        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
                    });
                    let name = node.attribute("name").or(stem);
                    if let Some(name) = name {
                        self.meshes.insert(name.to_owned(), element);
                    }
                }
                "material" => {
                    let element = self.element(node, None, &["material"]);
                    let rgba = self.reader.array::<4>(&element, "rgba");
                    if let (Some(name), Some([r, g, b, _])) = (node.attribute("name"), rgba) {
                        self.materials.insert(name.to_owned(), color([r, g, b]));
                    }
                }
                "hfield" => self.reader.note(&node, "height fields are left out"),
                _ => {}
            }
        }
    }

    /// The static world is the first link; all bodies are below it.
    fn world(&mut self, root: &Node<'a, 'a>) {
        let Some(world) = child(root, "worldbody") else {
            let help = "an MJCF file has an element `worldbody` below `mujoco`";
            self.reader
                .error(node_span(root), "the model has no bodies", help);
            return;
        };
        self.bodies.insert("world".into(), 0);
        self.robot.links.push(RobotLink {
            name: "world".into(),
            parent: None,
            pose: Pose::IDENTITY,
            joints: Vec::new(),
            free: false,
            mass: None,
            shapes: Vec::new(),
            color: None,
            friction: None,
            span: node_span(&world),
        });
        for world in children(root, "worldbody") {
            self.content(world, 0, None, &Pose::IDENTITY, 0);
        }
        // What never moves needs no mass.
        self.robot.links[0].mass = None;
    }

    fn finish(&mut self, root: &Node<'a, 'a>) {
        let span = node_span(root);
        for (count, attribute) in [
            (self.armatures, "armature"),
            (self.dry_frictions, "frictionloss"),
        ] {
            if count > 0 {
                let reason = format!("joints have none: that of {count} is left out");
                self.reader.note_at(span, format!("`{attribute}`"), reason);
            }
        }
        let moving = self.robot.links.iter().filter_map(|l| l.mass);
        let sum: f64 = moving.map(|m| m.mass).sum();
        if let Some(total) = self.compiler.total_mass.filter(|_| sum > 0.0) {
            for mass in self.robot.links.iter_mut().filter_map(|l| l.mass.as_mut()) {
                mass.mass *= total / sum;
                mass.inertia *= total / sum;
            }
        }
    }
}
