//! What a scene's cloth is made of: the table of materials, and those that
//! the scene adds to it.

use super::check;
use crate::scene::diagnostic::{Diagnostics, nearest};
use crate::scene::model::{ClothMaterialSpec, ClothSpec};
use conatus_cloth::{MATERIALS, Material, named};
use std::collections::BTreeMap;

/// More materials than this are not like one another in a row.
const LONGEST_CHAIN: usize = 64;

/// Stands in for what is wrong, until all problems are told.
const FALLBACK: Material = MATERIALS[0].1;

/// All materials that pieces of a scene can be made of.
pub struct Materials<'a> {
    own: &'a BTreeMap<String, ClothMaterialSpec>,
    ready: BTreeMap<&'a str, Material>,
}

impl<'a> Materials<'a> {
    /// Mixes and checks the scene's own materials, each of them once.
    pub fn of(cloth: &'a ClothSpec, diagnostics: &mut Diagnostics) -> Self {
        let mut all = Self {
            own: &cloth.material,
            ready: BTreeMap::new(),
        };
        for name in cloth.material.keys() {
            all.mix(name, &mut Vec::new(), diagnostics);
        }
        all
    }

    /// The material that `path` calls by its name; the scene's own goes before
    /// one of the table.
    pub fn find(&self, name: &str, path: &str, diagnostics: &mut Diagnostics) -> Material {
        if let Some(found) = self.ready.get(name).copied().or_else(|| named(name)) {
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

    /// Mixes the scene's material `name`; `chain` are those that are like it.
    fn mix(&mut self, name: &'a str, chain: &mut Vec<&'a str>, diagnostics: &mut Diagnostics) {
        let Some(own) = self.own.get(name) else {
            return;
        };
        if self.ready.contains_key(name) {
            return;
        }
        let path = format!("cloth.material.{name}");
        chain.push(name);
        let base = match own.like.as_deref() {
            None => FALLBACK,
            // `[cloth.material.silk]` with `like = "silk"`: the table's.
            Some(like) if like == name && named(like).is_some() => named(like).unwrap_or(FALLBACK),
            Some(like) if chain.contains(&like) || chain.len() > LONGEST_CHAIN => {
                let circle = chain.iter().skip_while(|c| **c != like);
                let circle: Vec<String> = circle.map(|c| format!("`{c}` like")).collect();
                let message = match circle.is_empty() {
                    true => format!("more than {LONGEST_CHAIN} materials are like one another"),
                    false => format!("materials go in a circle: {} `{like}`", circle.join(" ")),
                };
                diagnostics.at(
                    &format!("{path}.like"),
                    message,
                    "let one of them be like a material of the table, for example \"cotton\"",
                );
                FALLBACK
            }
            Some(like) => {
                self.mix(like, chain, diagnostics);
                self.find(like, &format!("{path}.like"), diagnostics)
            }
        };
        chain.pop();
        check_numbers(own, &path, diagnostics);
        self.ready.insert(name, mixed(own, base));
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
    if let Some(share) = own.compression {
        check::share(
            diagnostics,
            &format!("{path}.compression"),
            "the share that is left in compression",
            share,
        );
    }
}

fn mixed(own: &ClothMaterialSpec, base: Material) -> Material {
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
