//! Joints, their rest offsets and their rotations, from the ends of links.
//!
//! At rest every limb is straight, along that axis of the torso that it is
//! nearest to at the first moment. A link's rotation R takes the rest direction d
//! to the link's own and the hinge b at rest to the normal n of the plane that
//! the limb bends in: R = (u, n, u×n)·(d, b, d×b)ᵀ. So inner joints are hinges,
//! and a straight limb, which bends in no plane, keeps the last one.

use conatus_math::{DMat3, DVec3, rotation};
use conatus_record::Up;
use conatus_record::clip::{Clip, ClipCharacter, ClipLimb, ClipShape};

/// A joint of the skeleton.
pub(super) struct Joint {
    pub name: String,
    pub parent: Option<usize>,
    /// From the parent's joint at rest, in the file's axes.
    pub offset: DVec3,
    /// From axes at rest to world axes, both of the file, per moment.
    pub turns: Vec<DMat3>,
    /// The end of the bone, if no other joint is there.
    pub end: Option<DVec3>,
}

/// A character as joints; the first is the root.
pub(super) struct Skeleton {
    pub joints: Vec<Joint>,
    /// The position of the root per moment, in the file's axes.
    pub root: Vec<DVec3>,
}

/// x becomes z, y becomes x, z becomes y: the torso looks along x and its z
/// points up; figures in this format look along z, and y points up.
fn turned() -> DMat3 {
    DMat3::from_cols(DVec3::Z, DVec3::X, DVec3::Y)
}

struct SkeletonBuilder<'a> {
    clip: &'a Clip,
    character: &'a ClipCharacter,
    /// From world axes to the file's, and from the torso's.
    world: DMat3,
    rest: DMat3,
    joints: Vec<Joint>,
}

impl Skeleton {
    pub fn new(clip: &Clip, character: &ClipCharacter) -> Self {
        let world = match clip.up {
            Up::Z => turned(),
            Up::Y => DMat3::IDENTITY,
        };
        let mut builder = SkeletonBuilder {
            clip,
            character,
            world,
            rest: turned(),
            joints: Vec::new(),
        };
        let torso = &character.torso;
        let turns: Vec<DMat3> = torso
            .orientation
            .iter()
            .map(|q| rotation::to_matrix(*q))
            .collect();
        builder.joint(&character.name, None, DVec3::ZERO, turns, None);
        for limb in character.limbs() {
            builder.limb(&limb);
        }
        builder.shapes();
        Self {
            joints: builder.joints,
            root: torso.position.iter().map(|p| world * *p).collect(),
        }
    }
}

impl SkeletonBuilder<'_> {
    /// Adds a joint; offsets are in torso axes, rotations from rest axes to world
    /// axes.
    fn joint(
        &mut self,
        name: &str,
        parent: Option<usize>,
        offset: DVec3,
        turns: Vec<DMat3>,
        end: Option<DVec3>,
    ) -> usize {
        let back = self.rest.transpose();
        self.joints.push(Joint {
            name: self.unique(name),
            parent,
            offset: self.rest * offset,
            turns: turns.into_iter().map(|r| self.world * r * back).collect(),
            end: end.map(|e| self.rest * e),
        });
        self.joints.len() - 1
    }

    /// Names are single words, and no two are the same.
    fn unique(&self, name: &str) -> String {
        let plain = |c: char| match c.is_alphanumeric() || "-.".contains(c) {
            true => c,
            false => '_',
        };
        let word: String = name.chars().map(plain).collect();
        let word = if word.is_empty() {
            "joint".into()
        } else {
            word
        };
        let taken = |w: &String| self.joints.iter().any(|j| j.name == *w);
        (1..)
            .map(|n| match n {
                1 => word.clone(),
                n => format!("{word}_{n}"),
            })
            .find(|w| !taken(w))
            .unwrap_or(word)
    }

    fn limb(&mut self, limb: &ClipLimb) {
        let character = self.character;
        let links: Vec<_> = limb.links.iter().map(|l| &character.links[*l]).collect();
        let Some(first) = links.first() else { return };
        let moments = self.clip.time.len();
        let directions: Vec<Vec<DVec3>> = (0..moments)
            .map(|m| {
                let direction = |l: &&conatus_record::clip::ClipLink| {
                    (l.end[m] - l.start[m]).normalize_or(DVec3::NEG_Z)
                };
                links.iter().map(direction).collect()
            })
            .collect();
        let whole = |m: usize| directions[m].iter().copied().sum::<DVec3>();
        let at_first = character.torso.orientation[0].inverse() * whole(0);
        let d = nearest_axis(at_first);
        let normals = self.normals(&directions);
        let b = self.hinge(&directions, &normals, d);
        let rest = DMat3::from_cols(d, b, d.cross(b));
        let turn = |u: DVec3, n: DVec3| {
            let n = (n - u * n.dot(u)).try_normalize();
            let n = n.unwrap_or_else(|| u.any_orthonormal_vector());
            DMat3::from_cols(u, n, u.cross(n)) * rest.transpose()
        };
        let mut parent = 0;
        let mut offset = character.in_torso(first.start[0], 0);
        for (k, link) in links.iter().enumerate() {
            let turns = (0..moments)
                .map(|m| turn(directions[m][k], normals[m]))
                .collect();
            let end = Some(d * link.length);
            parent = self.joint(&link.name, Some(parent), offset, turns, end);
            offset = d * link.length;
        }
        if let (Some(effector), Some(last)) = (limb.effector, links.last()) {
            self.effector(effector, last, parent, offset);
        }
    }

    /// The joint of a hand or a foot, which ends at its fingers or toes.
    fn effector(
        &mut self,
        effector: usize,
        link: &conatus_record::clip::ClipLink,
        parent: usize,
        offset: DVec3,
    ) {
        let character = self.character;
        let patch = &character.effectors[effector];
        let torso = character.torso.orientation[0];
        let at_rest = nearest_turn(rotation::to_matrix(torso.inverse() * patch.orientation[0]));
        let turns = patch
            .orientation
            .iter()
            .map(|q| rotation::to_matrix(*q) * at_rest.transpose())
            .collect();
        let centre = patch.orientation[0].inverse() * (patch.position[0] - link.end[0]);
        let tip = centre + DVec3::X * patch.half_extents[0].max(1e-3);
        self.joint(
            &patch.name,
            Some(parent),
            offset,
            turns,
            Some(at_rest * tip),
        );
    }

    /// The normal of the plane that a limb bends in, per moment. It never flips, and
    /// follows a straight limb by parallel transport.
    fn normals(&self, directions: &[Vec<DVec3>]) -> Vec<DVec3> {
        let bent = |m: usize| {
            let link_directions = &directions[m];
            let pair = link_directions.windows(2).map(|w| w[0].cross(w[1]));
            let most = pair.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
            most.filter(|n| n.length() > 1e-3).map(DVec3::normalize)
        };
        let sideways = self.character.torso.orientation[0] * DVec3::Y;
        let mut last = (0..directions.len()).find_map(bent).unwrap_or(sideways);
        let mut direction = directions[0][0];
        (0..directions.len())
            .map(|m| {
                let now = directions[m][0];
                let carried = conatus_math::DQuat::from_rotation_arc(direction, now) * last;
                direction = now;
                last = match bent(m) {
                    Some(n) if n.dot(carried) < 0.0 => -n,
                    Some(n) => n,
                    None => carried,
                };
                last
            })
            .collect()
    }

    /// The hinge at rest, in torso axes: where it is when the limb bends most.
    fn hinge(&self, directions: &[Vec<DVec3>], normals: &[DVec3], d: DVec3) -> DVec3 {
        let bend = |m: usize| match directions[m][..] {
            [first, .., last] => first.cross(last).length(),
            _ => 0.0,
        };
        let most = (0..directions.len())
            .max_by(|a, b| bend(*a).total_cmp(&bend(*b)))
            .unwrap_or(0);
        let back = self.character.torso.orientation[most].inverse();
        let flat = |n: DVec3| (n - d * n.dot(d)).try_normalize();
        let b = flat(back * normals[most]).map(nearest_axis).and_then(flat);
        b.unwrap_or_else(|| d.any_orthonormal_vector())
    }

    /// Adds bones for shapes fixed to the torso, such as the head.
    fn shapes(&mut self) {
        let character = self.character;
        for shape in &character.shapes {
            let reach = match shape.shape {
                ClipShape::Box { half_extents, .. } => half_extents.z,
                ClipShape::Sphere { radius } => radius,
                ClipShape::Capsule { radius, length } => radius + length / 2.0,
            };
            let along = shape.orientation * DVec3::Z * reach;
            let turns = character.torso.orientation.iter();
            let turns = turns.map(|q| rotation::to_matrix(*q)).collect();
            self.joint(&shape.name, Some(0), shape.position, turns, Some(along));
        }
    }
}

/// The signed coordinate axis closest to a direction.
fn nearest_axis(v: DVec3) -> DVec3 {
    let a = v.abs();
    let signed = |axis: DVec3| axis * if v.dot(axis) < 0.0 { -1.0 } else { 1.0 };
    if a.z >= a.x && a.z >= a.y {
        signed(DVec3::Z)
    } else if a.x >= a.y {
        signed(DVec3::X)
    } else {
        signed(DVec3::Y)
    }
}

/// The rotation between coordinate axes that is closest to another.
fn nearest_turn(r: DMat3) -> DMat3 {
    let x = nearest_axis(r.x_axis);
    let y = r.y_axis - x * r.y_axis.dot(x);
    let y = nearest_axis(y);
    DMat3::from_cols(x, y, x.cross(y))
}
