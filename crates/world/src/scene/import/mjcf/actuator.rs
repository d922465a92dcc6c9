//! The actuators of MJCF, all with the signal zero.
//!
//! A position or velocity actuator without a greatest force is a linear spring or damper on
//! its joint, and becomes one. With a greatest force it becomes a motor. A `motor` applies
//! its signal as a force, which is zero: only its greatest force is kept, for motors that
//! hold a position.

use super::Model;
use crate::scene::import::robot::{LinkJoint, LinkMotor};
use crate::scene::import::xml::{Element, children};
use roxmltree::Node;

impl<'a> Model<'a, '_> {
    /// Reads all actuators.
    pub fn actuators(&mut self, root: &Node<'a, 'a>) {
        for node in children(root, "actuator").flat_map(|a| a.children()) {
            if node.is_element() {
                self.actuator(node);
            }
        }
    }

    fn actuator(&mut self, node: Node<'a, 'a>) {
        let tag = node.tag_name().name();
        let element = self.element(node, None, &[tag, "general"]);
        let Some(target) = element.text("joint") else {
            self.reader.note(&node, "drives no joint: left out");
            return;
        };
        let mut numbers = |name: &str| self.reader.numbers(&element, name).unwrap_or_default();
        let gear = numbers("gear").first().copied().unwrap_or(1.0);
        let range = |list: Vec<f64>| match list[..] {
            [low, high] if low < high => Some(low.abs().max(high.abs())),
            _ => None,
        };
        let max_force = range(numbers("forcerange")).map(|force| force * gear.abs());
        let max_signal = range(numbers("ctrlrange"));
        let gains = gains(tag, &element, &mut numbers);
        let links = &mut self.robot.links;
        let mut joints = links.iter_mut().flat_map(|l| &mut l.joints);
        let Some(joint) = joints.find(|j| j.name == target) else {
            let message = format!("there is no joint `{target}`");
            let help = "name a joint of a body; free joints have no actuators in a scene";
            self.reader.error_at(&element, "joint", message, help);
            return;
        };
        match gains {
            Gains::Force(gain) => {
                let most = max_signal.map(|s| s * gain * gear.abs());
                let most = max_force.or(most).filter(|most| *most > 0.0);
                joint.effort = joint.effort.or(most);
                let reason =
                    "its signal is zero, and so is its force; `--motors` makes it hold the joint";
                self.reader.note(&node, reason);
            }
            Gains::Servo { stiffness, damping } => servo(
                joint,
                stiffness * gear * gear,
                damping * gear * gear,
                max_force,
            ),
            Gains::Unknown => {
                let reason = format!("`{tag}` is no actuator of a scene: left out");
                self.reader.note(&node, reason);
            }
        }
    }
}

/// What an actuator does with its signal.
enum Gains {
    /// A force in proportion to the signal.
    Force(f64),
    /// A force towards the signal, and against the velocity.
    Servo {
        /// N/m or N·m/rad.
        stiffness: f64,
        /// N·s/m or N·m·s/rad.
        damping: f64,
    },
    /// Something else.
    Unknown,
}

fn gains(tag: &str, element: &Element, numbers: &mut impl FnMut(&str) -> Vec<f64>) -> Gains {
    let mut first = |name: &str, default: f64| numbers(name).first().copied().unwrap_or(default);
    match tag {
        "motor" => Gains::Force(1.0),
        "position" => Gains::Servo {
            stiffness: first("kp", 1.0).max(0.0),
            damping: first("kv", 0.0).max(0.0),
        },
        "velocity" => Gains::Servo {
            stiffness: 0.0,
            damping: first("kv", 1.0).max(0.0),
        },
        "general" if element.text("dyntype").is_none_or(|t| t == "none") => {
            let gain = first("gainprm", 1.0);
            let bias = numbers("biasprm");
            match (element.text("biastype"), &bias[..]) {
                (None | Some("none"), _) => Gains::Force(gain),
                // gain·u + b₀ + b₁·q + b₂·q̇ is a servo if it pulls towards the signal.
                (Some("affine"), [constant, position, velocity, ..])
                    if *constant == 0.0 && *position <= 0.0 && *velocity <= 0.0 =>
                {
                    Gains::Servo {
                        stiffness: -position,
                        damping: -velocity,
                    }
                }
                _ => Gains::Unknown,
            }
        }
        _ => Gains::Unknown,
    }
}

/// A servo with the target zero: a spring and damper, or a motor where its force is bounded.
fn servo(joint: &mut LinkJoint, stiffness: f64, damping: f64, max_force: Option<f64>) {
    match max_force {
        Some(most) if stiffness > 0.0 => joint.motor = Some(LinkMotor::Position(0.0, most)),
        Some(most) => joint.motor = Some(LinkMotor::Speed(0.0, most)),
        None => {
            // Two springs on one coordinate are one, with the mean of their rests.
            let sum = joint.stiffness + stiffness;
            if sum > 0.0 {
                joint.rest *= joint.stiffness / sum;
            }
            joint.stiffness = sum;
            joint.damping += damping;
        }
    }
}
