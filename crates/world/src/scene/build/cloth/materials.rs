//! The materials of cloth: the built-in table, and those that a scene adds to it.

use crate::scene::build::check;
use crate::scene::diagnostic::{Diagnostics, nearest};
use crate::scene::model::{ClothMaterialSpec, ClothSpec};
use crate::text;
use conatus_cloth::{MATERIALS, Material, named};
use std::collections::BTreeMap;

/// The most materials that refer to each other in a row.
const MAX_LIKE_CHAIN: usize = 64;

/// Replaces a material with errors, so that the rest of the scene can be checked.
const FALLBACK: Material = MATERIALS[0].1;

/// All materials that pieces of a scene can have.
pub struct Materials<'a> {
    own: &'a BTreeMap<String, ClothMaterialSpec>,
    resolved: BTreeMap<&'a str, Material>,
}

impl<'a> Materials<'a> {
    /// Resolves and checks the scene's own materials, each of them once.
    pub fn of(cloth: &'a ClothSpec, diagnostics: &mut Diagnostics) -> Self {
        let mut all = Self {
            own: &cloth.material,
            resolved: BTreeMap::new(),
        };
        for name in cloth.material.keys() {
            all.resolve(name, &mut Vec::new(), diagnostics);
        }
        all
    }

    /// The material that the key at `path` names. A material of the scene replaces one of
    /// the table with the same name.
    pub fn find(&self, name: &str, path: &str, diagnostics: &mut Diagnostics) -> Material {
        if let Some(found) = self.resolved.get(name).copied().or_else(|| named(name)) {
            return found;
        }
        let names: Vec<&str> = (MATERIALS.iter().map(|m| m.0))
            .chain(self.own.keys().map(String::as_str))
            .collect();
        let help = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "there are {}; or describe it in [cloth.material.{name}]",
                names.join(", ")
            ),
        };
        diagnostics.at(path, format!("there is no material `{name}`"), help);
        FALLBACK
    }

    /// Resolves the scene's material `name`; `chain` are the materials whose `like` led to it.
    fn resolve(&mut self, name: &'a str, chain: &mut Vec<&'a str>, diagnostics: &mut Diagnostics) {
        let Some(own) = self.own.get(name) else {
            return;
        };
        if self.resolved.contains_key(name) {
            return;
        }
        let path = format!("cloth.material.{name}");
        chain.push(name);
        let base = match own.like.as_deref() {
            None => FALLBACK,
            // `[cloth.material.silk]` with `like = "silk"`: the table's.
            Some(like) if like == name && named(like).is_some() => named(like).unwrap_or(FALLBACK),
            Some(like) if chain.contains(&like) || chain.len() > MAX_LIKE_CHAIN => {
                let cycle = chain.iter().skip_while(|c| **c != like);
                let cycle: Vec<String> = cycle.map(|c| format!("`{c}` like")).collect();
                let message = match cycle.is_empty() {
                    true => format!("more than {MAX_LIKE_CHAIN} materials in a chain of `like`"),
                    false => format!(
                        "materials refer to each other in a circle: {} `{like}`",
                        cycle.join(" ")
                    ),
                };
                diagnostics.at(
                    &format!("{path}.like"),
                    message,
                    "let one of them be like a material of the table, for example \"cotton\"",
                );
                FALLBACK
            }
            Some(like) => {
                self.resolve(like, chain, diagnostics);
                self.find(like, &format!("{path}.like"), diagnostics)
            }
        };
        chain.pop();
        check_numbers(own, &path, diagnostics);
        self.resolved.insert(name, with_defaults(own, base));
    }
}

fn check_numbers(own: &ClothMaterialSpec, path: &str, diagnostics: &mut Diagnostics) {
    let positive = [
        ("density", "the density", own.density),
        ("stretch", "the stiffness", own.stretch),
        ("stretch_warp", "the stiffness", own.stretch_warp),
        ("stretch_weft", "the stiffness", own.stretch_weft),
        ("thickness", "the thickness", own.thickness),
    ];
    for (key, what, value) in positive {
        if let Some(value) = value {
            check::positive(diagnostics, &format!("{path}.{key}"), what, value);
        }
    }
    let not_negative = [
        ("shear", "the stiffness", own.shear),
        ("bend", "the stiffness", own.bend),
        ("damping_mass", "the damping", own.damping_mass),
        ("damping_stiffness", "the damping", own.damping_stiffness),
        ("drag_normal", "the drag", own.drag_normal),
        ("drag_tangential", "the drag", own.drag_tangential),
        ("friction", "the friction", own.friction),
    ];
    for (key, what, value) in not_negative {
        if let Some(value) = value {
            check::not_negative(diagnostics, &format!("{path}.{key}"), what, value);
        }
    }
    if let Some(share) = own.compression
        && !(0.0..=1.0).contains(&share)
    {
        diagnostics.at(
            &format!("{path}.compression"),
            format!(
                "the fraction that is left in compression is {}, but must lie between 0 and 1",
                text::number(share)
            ),
            "1 is all of it",
        );
    }
}

fn with_defaults(own: &ClothMaterialSpec, base: Material) -> Material {
    let stretch = |one: Option<f64>, base: f64| one.or(own.stretch).unwrap_or(base);
    Material {
        density: own.density.unwrap_or(base.density),
        stretch_warp: stretch(own.stretch_warp, base.stretch_warp),
        stretch_weft: stretch(own.stretch_weft, base.stretch_weft),
        shear: own.shear.unwrap_or(base.shear),
        compression: own.compression.unwrap_or(base.compression),
        bend: own.bend.unwrap_or(base.bend),
        damping_mass: own.damping_mass.unwrap_or(base.damping_mass),
        damping_stiffness: own.damping_stiffness.unwrap_or(base.damping_stiffness),
        drag_normal: own.drag_normal.unwrap_or(base.drag_normal),
        drag_tangential: own.drag_tangential.unwrap_or(base.drag_tangential),
        thickness: own.thickness.unwrap_or(base.thickness),
        friction: own.friction.unwrap_or(base.friction),
    }
}
