//! The limbs of a character, collected from its links.

use super::ClipCharacter;
use conatus_math::DVec3;

/// A limb: its links in order, and the patch at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipLimb {
    /// Its name.
    pub name: String,
    /// Indices into [`ClipCharacter::links`], the one at the torso first.
    pub links: Vec<usize>,
    /// Its index in [`ClipCharacter::effectors`].
    pub effector: Option<usize>,
}

/// The side of the torso: y points to the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Middle,
    Right,
}

impl ClipCharacter {
    /// The limbs in the order of their first links. A link that names no limb
    /// is a separate limb.
    pub fn limbs(&self) -> Vec<ClipLimb> {
        let mut limbs: Vec<ClipLimb> = Vec::new();
        for (index, link) in self.links.iter().enumerate() {
            let name = match link.limb.is_empty() {
                true => &link.name,
                false => &link.limb,
            };
            match limbs.iter_mut().find(|limb| limb.name == *name) {
                Some(limb) => limb.links.push(index),
                None => limbs.push(ClipLimb {
                    name: name.clone(),
                    links: vec![index],
                    effector: self
                        .effectors
                        .iter()
                        .position(|e| e.limb.as_ref() == Some(name)),
                }),
            }
        }
        for limb in &mut limbs {
            limb.links.sort_by_key(|&link| self.links[link].index);
        }
        limbs
    }

    /// A point of the world in torso axes, at a moment.
    pub fn in_torso(&self, point: DVec3, moment: usize) -> DVec3 {
        let torso = &self.torso;
        torso.orientation[moment].inverse() * (point - torso.position[moment])
    }

    /// The side that a limb is on at the first moment.
    pub(crate) fn side(&self, limb: &ClipLimb) -> Side {
        let Some(&first) = limb.links.first() else {
            return Side::Middle;
        };
        let base = self.in_torso(self.links[first].start[0], 0);
        match base.y {
            y if y > 1e-3 => Side::Left,
            y if y < -1e-3 => Side::Right,
            _ => Side::Middle,
        }
    }
}
