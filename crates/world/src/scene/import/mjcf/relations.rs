//! What MJCF says about pairs of bodies: `equality` and `contact`.

use super::Model;
use crate::scene::import::robot::LoopJoint;
use crate::scene::import::xml::{Element, children};
use conatus_math::Pose;
use roxmltree::Node;

impl<'a> Model<'a, '_> {
    /// Reads the constraints and excluded pairs.
    pub fn relations(&mut self, root: &Node<'a, 'a>) {
        let constraints = children(root, "equality").flat_map(|e| e.children());
        for (k, node) in constraints.filter(Node::is_element).enumerate() {
            match node.tag_name().name() {
                "connect" | "weld" => self.constraint(node, k),
                _ => self.reader.note(&node, "has no place in a scene: left out"),
            }
        }
        let contacts = children(root, "contact").flat_map(|c| c.children());
        for node in contacts.filter(Node::is_element) {
            if !node.has_tag_name("exclude") {
                self.reader.note(
                    &node,
                    "pairs of shapes with settings of their own: left out",
                );
                continue;
            }
            let element: Element = node.into();
            let ends = ["body1", "body2"].map(|name| self.body_of(&element, name));
            if let [Some(a), Some(b)] = ends {
                self.robot.excludes.push(vec![a, b]);
            }
        }
    }

    /// The body that an attribute names.
    fn body_of(&mut self, element: &Element, attribute: &str) -> Option<usize> {
        let name = self.reader.required(element, attribute)?;
        let found = self.bodies.get(name).copied();
        if found.is_none() {
            let message = format!("there is no body `{name}`");
            let help = "name a body of `worldbody`";
            self.reader.error_at(element, attribute, message, help);
        }
        found
    }

    fn constraint(&mut self, node: Node<'a, 'a>, k: usize) {
        let element = self.element(node, None, &["equality"]);
        if element.text("active") == Some("false") {
            self.reader.note(&node, "is not active: left out");
            return;
        }
        let rigid = node.has_tag_name("weld");
        let (first, second, anchor) = if element.has("site1") {
            let ends = ["site1", "site2"].map(|name| self.site_of(&element, name));
            let [Some(a), Some(b)] = ends else {
                return;
            };
            (a.0, Some(b.0), a.1.translation)
        } else {
            let Some(first) = self.body_of(&element, "body1") else {
                return;
            };
            let second = match element.has("body2") {
                true => self.body_of(&element, "body2"),
                false => None,
            };
            let anchor = match rigid {
                true => None,
                false => self.reader.vector(&element, "anchor"),
            };
            (first, second, anchor.unwrap_or_default())
        };
        if element.has("relpose") && rigid {
            self.reader
                .note(&node, "holds the bodies as they start, not at `relpose`");
        }
        let name = node.attribute("name").map(str::to_owned);
        let tag = node.tag_name().name();
        self.robot.loops.push(LoopJoint {
            name: name.unwrap_or_else(|| format!("{tag}-{}", k + 1)),
            links: [Some(first), second],
            anchor,
            rigid,
        });
    }

    fn site_of(&mut self, element: &Element, attribute: &str) -> Option<(usize, Pose)> {
        let name = self.reader.required(element, attribute)?;
        let found = self.sites.get(name).copied();
        if found.is_none() {
            let message = format!("there is no site `{name}`");
            self.reader
                .error_at(element, attribute, message, "name a site of a body");
        }
        found
    }
}
