//! Groups of bodies, planes and obstacles: from names to bits.

use super::bodies::later_specs;
use crate::scene::diagnostic::{Diagnostics, nearest};
use crate::scene::model::SceneFile;
use conatus_rigid::contact::Groups;

/// The group of everything that is in no other.
pub const DEFAULT_GROUP: &str = "default";
/// One bit each.
const MAX_GROUPS: usize = 32;

/// The names of all groups of a scene; their order is that of the bits.
pub struct GroupNames {
    names: Vec<String>,
    declared: bool,
}

/// The keys of something that is in groups.
#[derive(Clone, Copy)]
pub struct GroupKeys<'a> {
    pub groups: &'a [String],
    pub collides_with: Option<&'a [String]>,
}

impl GroupNames {
    /// The groups that the scene declares, or those that its entries name.
    pub fn of(file: &SceneFile) -> Self {
        let declared = !file.contact.groups.is_empty();
        let mut names = vec![DEFAULT_GROUP.to_owned()];
        let given: Vec<&String> = match declared {
            true => file.contact.groups.iter().collect(),
            false => (file.body.iter().flat_map(|b| &b.groups))
                .chain(later_specs(file).flat_map(|(_, b)| &b.groups))
                .chain(file.plane.iter().flat_map(|p| &p.groups))
                .chain(file.obstacle.iter().flat_map(|o| &o.groups))
                .collect(),
        };
        for name in given {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Self { names, declared }
    }

    /// Reports scenes with more groups than bits.
    pub fn check(&self, diagnostics: &mut Diagnostics) {
        if self.names.len() > MAX_GROUPS {
            diagnostics.at(
                "contact",
                format!(
                    "the scene has {} groups; there can be {} besides `{DEFAULT_GROUP}`",
                    self.names.len() - 1,
                    MAX_GROUPS - 1
                ),
                "let several bodies share a group",
            );
        }
    }

    /// The names, in the order of their bits.
    pub fn into_names(self) -> Vec<String> {
        self.names
    }

    /// The groups of an entry of the scene, at `path`.
    pub fn groups(&self, keys: GroupKeys, path: &str, diagnostics: &mut Diagnostics) -> Groups {
        let mut bits = |key: &str, names: &[String]| {
            let mut bits = 0;
            for (k, name) in names.iter().enumerate() {
                match self.names.iter().position(|n| n == name) {
                    Some(bit) => bits |= 1u32.checked_shl(bit as u32).unwrap_or(0),
                    None => self.unknown(name, &format!("{path}.{key}[{k}]"), diagnostics),
                }
            }
            bits
        };
        let member = match keys.groups {
            [] => 1,
            names => bits("groups", names),
        };
        let mask = keys.collides_with.map(|names| bits("collides_with", names));
        Groups {
            member,
            mask: mask.unwrap_or(u32::MAX),
        }
    }

    fn unknown(&self, name: &str, path: &str, diagnostics: &mut Diagnostics) {
        let help = match nearest(name, self.names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.declared => format!("`contact.groups` has {}", self.names[1..].join(", ")),
            None => "groups are named by `groups` of a body, a plane or an obstacle".to_owned(),
        };
        diagnostics.at(path, format!("there is no group `{name}`"), help);
    }
}
