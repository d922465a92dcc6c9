//! Simplifies a robot before it becomes a scene: links that are fixed to another become
//! part of it, and links without mass between two joints are skipped.

use super::robot::{Robot, RobotLink};
use super::xml::Reader;
use crate::scene::diagnostic::nearest;
use crate::text::number;
use conatus_math::{DVec3, Pose};
use conatus_rigid::MassProperties;
use std::collections::BTreeMap;

/// The density of links that have shapes and no mass, in kg/m³: that of water, as in MJCF.
const DEFAULT_DENSITY: f64 = 1000.0;
/// The share of the robot's mass that a link without mass gets where it cannot be skipped.
const LIGHT_SHARE: f64 = 1e-3;
/// The radius of the ball whose inertia such a link gets, in metres.
const LIGHT_RADIUS: f64 = 0.05;

/// Sets the positions of joints at the start: as given by name, otherwise their reference,
/// or the limit that is nearest to it.
pub fn set_starts(robot: &mut Robot, given: &BTreeMap<String, f64>, reader: &mut Reader) {
    let names: Vec<String> = (robot.links.iter())
        .flat_map(|l| l.joints.iter().map(|j| j.name.clone()))
        .collect();
    for name in given.keys().filter(|name| !names.contains(name)) {
        let help = match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its joints are {}", names.join(", ")),
        };
        reader.errors.push(
            crate::scene::Diagnostic::new(format!("the robot has no joint `{name}`")).help(help),
        );
    }
    for joint in robot.links.iter_mut().flat_map(|l| &mut l.joints) {
        joint.start = given.get(&joint.name).copied().unwrap_or(joint.reference);
        let Some([low, high]) = joint.limits.filter(|l| l[0] <= l[1]) else {
            continue;
        };
        if joint.kind == super::robot::LinkJointKind::Ball {
            continue;
        }
        let within = joint.start.clamp(low, high);
        if within != joint.start {
            reader.note_at(
                joint.span,
                format!("joint `{}`", joint.name),
                format!(
                    "starts at its limit {}, because {} is outside",
                    number(within),
                    number(joint.start)
                ),
            );
            joint.start = within;
        }
    }
}

/// Makes links that are fixed to another part of it. Fixed to the world they stay links of
/// their own, without parent, joints and freedom.
pub fn merge_fixed(robot: &mut Robot) {
    let old = std::mem::take(&mut robot.links);
    let mut new_of: Vec<usize> = Vec::with_capacity(old.len());
    // Where an old link is in the new one that it is part of.
    let mut inside: Vec<Pose> = Vec::with_capacity(old.len());
    let mut masses: Vec<Vec<(MassProperties, Pose)>> = Vec::new();
    for mut link in old {
        let carrier = link.parent.map(|p| (new_of[p], inside[p]));
        let pose = carrier.map_or(link.pose, |(_, pose)| pose.after(&link.pose));
        let part_of = carrier.filter(|_| link.joints.is_empty() && !link.free);
        let Some((whole, _)) = part_of else {
            new_of.push(robot.links.len());
            inside.push(Pose::IDENTITY);
            masses.push(link.mass.map(|m| (m, Pose::IDENTITY)).into_iter().collect());
            link.parent = carrier.map(|(new, _)| new);
            link.pose = pose;
            robot.links.push(link);
            continue;
        };
        new_of.push(whole);
        inside.push(pose);
        masses[whole].extend(link.mass.map(|m| (m, pose)));
        let into = &mut robot.links[whole];
        into.shapes.extend(link.shapes.into_iter().map(|mut s| {
            s.pose = pose.after(&s.pose);
            s
        }));
        into.color = into.color.take().or(link.color);
        into.friction = into.friction.or(link.friction);
    }
    for (link, masses) in robot.links.iter_mut().zip(masses) {
        link.mass = match masses.len() {
            0 => None,
            1 => Some(masses[0].0.at(&masses[0].1)),
            _ => Some(MassProperties::combine(&masses)),
        };
    }
    for closing in &mut robot.loops {
        if let Some(a) = closing.links[0] {
            closing.anchor = inside[a].point(closing.anchor);
        }
        closing.links = closing.links.map(|l| l.map(|l| new_of[l]));
    }
    for list in &mut robot.excludes {
        list.iter_mut().for_each(|l| *l = new_of[*l]);
    }
}

/// Gives every link that moves a mass, or removes it.
pub fn settle_masses(robot: &mut Robot, assets: &super::shapes::Assets, reader: &mut Reader) {
    weigh_shapes(robot, assets, reader);
    let mut k = 0;
    while k < robot.links.len() {
        let children: Vec<usize> = (0..robot.links.len())
            .filter(|&c| robot.links[c].parent == Some(k))
            .collect();
        let link = &robot.links[k];
        let fixed = link.joints.is_empty() && !link.free;
        let looped = robot.loops.iter().any(|l| l.links.contains(&Some(k)));
        if link.mass.is_some() || fixed {
            k += 1;
            continue;
        }
        let (span, element) = (link.span, format!("link `{}`", link.name));
        if link.free {
            reader.note_at(span, element, "has no mass, so it is held in the world");
            robot.links[k].free = false;
            continue;
        }
        match children[..] {
            [child] if !looped => {
                skip(robot, k, child);
                reader.note_at(
                    span,
                    element,
                    "has no mass: its joints become one joint with those of the next link",
                );
            }
            [] if !looped => {
                reader.note_at(span, element, "has no mass and carries nothing: left out");
                remove(robot, k);
            }
            _ => {
                let total: f64 = robot
                    .links
                    .iter()
                    .filter_map(|l| l.mass)
                    .map(|m| m.mass)
                    .sum();
                let light = light_mass(total * LIGHT_SHARE, DVec3::ZERO);
                reader.note_at(
                    span,
                    element,
                    format!("has no mass: it gets {} kg", number(light.mass)),
                );
                robot.links[k].mass = Some(light);
                k += 1;
            }
        }
    }
}

/// A small ball at a place.
pub fn light_mass(mass: f64, centre: DVec3) -> MassProperties {
    let mass = mass.max(1e-6);
    MassProperties {
        mass,
        centre,
        inertia: conatus_math::DMat3::IDENTITY * (0.4 * mass * LIGHT_RADIUS * LIGHT_RADIUS),
    }
}

/// Links with shapes that collide and without mass get that of their shapes.
fn weigh_shapes(robot: &mut Robot, assets: &super::shapes::Assets, reader: &mut Reader) {
    for link in &mut robot.links {
        let fixed = link.joints.is_empty() && !link.free;
        if link.mass.is_some() || fixed {
            continue;
        }
        let colliding = link.shapes.iter().filter(|s| s.collides());
        let parts: Vec<(MassProperties, Pose)> = colliding
            .filter_map(|s| Some((assets.mass(&s.shape, DEFAULT_DENSITY)?, s.pose)))
            .collect();
        if parts.is_empty() {
            continue;
        }
        let mass = MassProperties::combine(&parts);
        reader.note_at(
            link.span,
            format!("link `{}`", link.name),
            format!(
                "has no mass: it gets {} kg, from its shapes with the density of water",
                number(mass.mass)
            ),
        );
        link.mass = Some(mass);
    }
}

/// Hands the joints of link `k` to its only child, in whose axes they are the same:
/// P·J·C·K = (P·C)·(C⁻¹·J·C)·K.
fn skip(robot: &mut Robot, k: usize, child: usize) {
    let (pose, parent) = (robot.links[k].pose, robot.links[k].parent);
    let mut joints = std::mem::take(&mut robot.links[k].joints);
    let next = &mut robot.links[child];
    let back = next.pose.inverse();
    for joint in &mut joints {
        joint.anchor = back.point(joint.anchor);
        joint.axis = back.direction(joint.axis);
    }
    next.pose = pose.after(&next.pose);
    next.parent = parent;
    next.joints.splice(0..0, joints);
    remove(robot, k);
}

/// Removes a link that carries nothing.
fn remove(robot: &mut Robot, k: usize) {
    robot.links.remove(k);
    let after = |l: &mut usize| *l -= usize::from(*l > k);
    for link in &mut robot.links {
        link.parent.iter_mut().for_each(after);
    }
    for closing in &mut robot.loops {
        closing.links.iter_mut().flatten().for_each(after);
    }
    for list in &mut robot.excludes {
        list.retain(|l| *l != k);
        list.iter_mut().for_each(after);
    }
}

/// Where a link is in its parent, and the poses of its joints on the way: before each
/// joint's own motion, which leaves its axis and anchor where they are.
pub fn placed(link: &RobotLink, carrier: &Pose) -> (Pose, Vec<Pose>) {
    use super::robot::LinkJointKind::{Ball, Hinge, Slider};
    let mut pose = carrier.after(&link.pose);
    let mut before = Vec::new();
    for joint in &link.joints {
        before.push(pose);
        let by = joint.start - joint.reference;
        let motion = match joint.kind {
            Hinge => {
                let turn = conatus_math::rotation::from_axis_angle(joint.axis, by);
                Pose::new(turn, joint.anchor - turn * joint.anchor)
            }
            Slider => Pose::shift(joint.axis * by),
            Ball => Pose::IDENTITY,
        };
        pose = pose.after(&motion);
    }
    (pose, before)
}
