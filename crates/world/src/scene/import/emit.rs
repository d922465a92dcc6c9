//! From a robot to the bodies and joints of a scene.

use super::fold;
use super::joints::{self, PlacedJoint};
use super::robot::{LinkShape, Robot, RobotLink};
use super::shapes::Assets;
use super::xml::Reader;
use crate::scene::model::{
    BodySpec, ExcludeSpec, JointKindSpec, JointSpec, PartSpec, SceneFile, ShapeSpec,
};
use crate::scene::tree::Span;
use conatus_geometry::Aabb;
use conatus_math::{DMat3, DQuat, DVec3, Pose};
use std::collections::BTreeSet;

/// Friction of links that give none, as in MuJoCo.
const FRICTION: f64 = 1.0;
/// The share of a link's mass that goes to the light bodies between its joints.
const BETWEEN_SHARE: f64 = 0.01;

/// The start of the file.
const START: Span = Span {
    source: 0,
    start: 0,
    end: 0,
};

/// A scene, and where its bodies and joints are in the robot's file.
#[derive(Debug, Default)]
pub struct Emitted {
    /// The scene.
    pub file: SceneFile,
    /// The places of its bodies.
    pub bodies: Vec<Span>,
    /// The places of its joints.
    pub joints: Vec<Span>,
    /// The height of the lowest point of what moves, along z.
    pub lowest: Option<f64>,
    /// Whether the robot can move as a whole.
    pub floats: bool,
}

/// Writes a robot at a pose, with `prefix` before all names.
pub struct Emitter<'a, 'r> {
    /// The robot; its links all have their masses.
    pub robot: &'a Robot,
    /// Where it is.
    pub base: Pose,
    /// Before all names.
    pub prefix: &'a str,
    /// Whether joints with a greatest force hold their position.
    pub motors: bool,
    /// Finds meshes.
    pub assets: &'a Assets<'a>,
    /// Takes notes.
    pub reader: &'a mut Reader<'r>,
    /// What was made so far.
    pub out: Emitted,
}

impl Emitter<'_, '_> {
    /// Makes the scene.
    pub fn emit(mut self) -> Emitted {
        let robot = self.robot;
        let mut poses: Vec<Pose> = Vec::new();
        let mut joined = BTreeSet::new();
        let mut unseen = 0;
        for (k, link) in robot.links.iter().enumerate() {
            let carrier = link.parent.map_or(self.base, |p| poses[p]);
            let (pose, before) = fold::placed(link, &carrier);
            poses.push(pose);
            unseen += self.body(link, &pose);
            if !link.joints.is_empty() {
                let placed: Vec<PlacedJoint> = (link.joints.iter().zip(&before))
                    .map(|(joint, pose)| PlacedJoint::new(joint, pose))
                    .collect();
                let parent = link.parent.filter(|&p| self.is_body_of_joints(p));
                joined.extend(parent.map(|p| [p, k]));
                self.joints(link, parent, &placed);
            }
        }
        if unseen > 0
            && let Some(first) = robot.links.first()
        {
            let what = "visual geometry";
            let reason = format!(
                "{} left out: bodies are shown as what they collide as",
                crate::text::counted(unseen, "shape", "shapes")
            );
            self.reader.note_at(first.span, what, reason);
        }
        self.loops(&poses);
        self.excludes(&joined);
        for plane in &robot.planes {
            let mut plane = plane.clone();
            plane.point = self.base.point(plane.point.into()).into();
            plane.normal = self.base.direction(plane.normal.into()).into();
            self.out.file.plane.push(plane);
        }
        self.out
    }

    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Whether joints name a link: not if it is the world, or part of it.
    fn is_body_of_joints(&self, k: usize) -> bool {
        let link = &self.robot.links[k];
        match is_static(link) {
            true => has_body(link) && !self.robot.static_links_collide,
            false => true,
        }
    }

    /// Adds the body of a link. Returns the number of shapes that are left out.
    fn body(&mut self, link: &RobotLink, pose: &Pose) -> usize {
        if !has_body(link) {
            return 0;
        }
        let collides = link.shapes.iter().any(LinkShape::collides);
        let shown = |s: &&LinkShape| s.collides() == collides;
        let shapes: Vec<&LinkShape> = link.shapes.iter().filter(shown).collect();
        let fixed = is_static(link);
        let mass = link.mass.unwrap_or(conatus_rigid::MassProperties {
            mass: 1.0,
            centre: DVec3::ZERO,
            inertia: DMat3::IDENTITY,
        });
        let mut body = BodySpec {
            name: self.name(&link.name),
            mass: Some(mass.mass),
            centre: Some(mass.centre.into()),
            inertia: Some(rows(mass.inertia)),
            origin: Some(pose.translation.into()),
            orientation: orientation(pose.rotation),
            locked: fixed,
            collides: (!collides).then_some(false),
            color: link.color.clone(),
            restitution: Some(0.0),
            friction: Some(link.friction.unwrap_or(FRICTION)),
            ..BodySpec::default()
        };
        match shapes[..] {
            [single] if single.pose == Pose::IDENTITY => body.shape = Some(single.shape.clone()),
            _ => body.parts = shapes.iter().map(|s| part(s)).collect(),
        }
        if !fixed {
            self.out.floats |= link.free;
            for shape in &shapes {
                let bounds: Option<Aabb> =
                    self.assets.bounds(&shape.shape, &pose.after(&shape.pose));
                let low = bounds.map(|b| b.min.z);
                let known = self.out.lowest.unwrap_or(f64::INFINITY);
                self.out.lowest = low.map(|low| low.min(known)).or(self.out.lowest);
            }
        }
        if collides && shapes.iter().any(|s| matches!(s.shape, ShapeSpec::Mesh(_))) {
            self.reader.note_at(
                link.span,
                format!("link `{}`", link.name),
                "its mesh collides as its convex hull",
            );
        }
        self.out.file.body.push(body);
        self.out.bodies.push(link.span);
        link.shapes.len() - shapes.len()
    }

    /// Adds the joints of a link, with light bodies where one joint is not enough.
    fn joints(&mut self, link: &RobotLink, parent: Option<usize>, placed: &[PlacedJoint]) {
        let mut first = parent.map(|p| self.name(&self.robot.links[p].name));
        let runs = joints::runs(placed);
        let last = runs.len() - 1;
        for (k, run) in runs.into_iter().enumerate() {
            let (mut joint, missing) = joints::joint(run, self.motors);
            let second = match k == last {
                true => self.name(&link.name),
                false => self.between(link, &joint, run[0].anchor()),
            };
            joint.name = self.name(&joint.name);
            for reason in missing {
                let element = format!("joint `{}`", joint.name);
                self.reader.note_at(link.span, element, reason);
            }
            joint.bodies = first.into_iter().chain([second.clone()]).collect();
            first = Some(second);
            self.add_joint(joint, link.joints.first().map_or(link.span, |j| j.span));
        }
    }

    fn add_joint(&mut self, joint: JointSpec, span: Span) {
        self.out.file.joint.push(joint);
        self.out.joints.push(span);
    }

    /// A light body between two joints of a link. Returns its name.
    fn between(&mut self, link: &RobotLink, joint: &JointSpec, at: DVec3) -> String {
        let share = link.mass.map_or(0.0, |m| m.mass) * BETWEEN_SHARE;
        let light = fold::light_mass(share, DVec3::ZERO);
        let name = format!("{}/{}", self.name(&link.name), joint.name);
        self.out.file.body.push(BodySpec {
            name: name.clone(),
            mass: Some(light.mass),
            inertia: Some(rows(light.inertia)),
            position: Some(at.into()),
            ..BodySpec::default()
        });
        self.out.bodies.push(link.span);
        self.reader.note_at(
            link.span,
            format!("link `{}`", link.name),
            format!(
                "no single joint is as its joints together: a light body of {} kg is between them",
                crate::text::number(light.mass)
            ),
        );
        name
    }

    /// Joints that close loops.
    fn loops(&mut self, poses: &[Pose]) {
        for closing in &self.robot.loops {
            let bodies: Vec<String> = (closing.links.iter().flatten())
                .filter(|&&l| !is_static(&self.robot.links[l]))
                .map(|&l| self.name(&self.robot.links[l].name))
                .collect();
            let anchor = match closing.links[0] {
                Some(a) => poses[a].point(closing.anchor),
                None => self.base.point(closing.anchor),
            };
            if bodies.is_empty() || bodies.len() == 2 && bodies[0] == bodies[1] {
                continue;
            }
            let joint = JointSpec {
                name: self.name(&closing.name),
                kind: match closing.rigid {
                    true => JointKindSpec::Fixed,
                    false => JointKindSpec::Ball,
                },
                bodies,
                at: Some(anchor.into()),
                collide: true,
                ..JointSpec::default()
            };
            let span = closing.links.iter().flatten().next();
            let span = span.map_or(START, |&l| self.robot.links[l].span);
            self.add_joint(joint, span);
        }
    }

    /// Lists of bodies that do not collide: those of the file, and those whose shapes are
    /// in groups that do not meet.
    fn excludes(&mut self, joined: &BTreeSet<[usize; 2]>) {
        let links = &self.robot.links;
        let colliding: Vec<usize> = (0..links.len())
            .filter(|&k| links[k].shapes.iter().any(LinkShape::collides))
            .collect();
        let mut apart = BTreeSet::new();
        for (i, &a) in colliding.iter().enumerate() {
            for &b in &colliding[i + 1..] {
                let listed = |list: &Vec<usize>| list.contains(&a) && list.contains(&b);
                let mut pairs = links[a].shapes.iter().filter(|s| s.collides());
                let meet = pairs.any(|x| links[b].shapes.iter().any(|y| x.meets(y)));
                let both_static = is_static(&links[a]) && is_static(&links[b]);
                if !both_static && (!meet || self.robot.excludes.iter().any(listed)) {
                    apart.insert([a, b]);
                }
            }
        }
        // Pairs that a joint keeps apart may be in a list, but need none.
        let mut needed: BTreeSet<[usize; 2]> = apart.difference(joined).copied().collect();
        while let Some(&[a, b]) = needed.first() {
            let mut list = vec![a, b];
            for &c in &colliding {
                let with = |&l: &usize| apart.contains(&[l.min(c), l.max(c)]);
                if !list.contains(&c) && list.iter().all(with) {
                    list.push(c);
                }
            }
            list.sort_unstable();
            needed.retain(|[a, b]| !(list.contains(a) && list.contains(b)));
            let bodies = list.iter().map(|&l| self.name(&links[l].name)).collect();
            self.out.file.exclude.push(ExcludeSpec { bodies });
        }
    }
}

/// Whether a link never moves.
fn is_static(link: &RobotLink) -> bool {
    link.joints.is_empty() && !link.free
}

/// Whether the scene has a body for a link: not for a frame of the world.
fn has_body(link: &RobotLink) -> bool {
    !is_static(link) || !link.shapes.is_empty() || link.mass.is_some()
}

fn part(shape: &LinkShape) -> PartSpec {
    PartSpec {
        shape: shape.shape.clone(),
        mass: None,
        density: None,
        position: shape.pose.translation.into(),
        orientation: orientation(shape.pose.rotation),
        turn: None,
    }
}

/// The rows of an inertia tensor, without entries that are only rounding.
fn rows(inertia: DMat3) -> [[f64; 3]; 3] {
    /// Entries below this share of the greatest moment are zero.
    const ROUNDING: f64 = 1e-15;
    let columns = [inertia.x_axis, inertia.y_axis, inertia.z_axis].map(|c| c.to_array());
    let greatest = columns
        .iter()
        .flatten()
        .fold(0.0, |a: f64, b| a.max(b.abs()));
    let clean = |x: f64| {
        if x.abs() < ROUNDING * greatest {
            0.0
        } else {
            x
        }
    };
    // Rows and columns of a symmetric tensor are the same, up to rounding.
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| clean(0.5 * (columns[i][j] + columns[j][i]))))
}

/// A quaternion as scene files have it; none for no rotation.
fn orientation(q: DQuat) -> Option<[f64; 4]> {
    let q = if q.w < 0.0 { -q } else { q };
    (q != DQuat::IDENTITY).then_some([q.w, q.x, q.y, q.z])
}
