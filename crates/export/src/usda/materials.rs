//! Materials: those that are seen, one for every combination of colour, opacity and
//! roughness, and those of colliders, one for every pair of friction and restitution.

use super::text::{Stage, float, quoted};
use crate::shared::color::linear;
use conatus_record::ColliderInfo;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The appearance of a surface.
#[derive(Clone, Copy)]
pub(super) struct Material {
    color: [f32; 3],
    opacity: f32,
    roughness: f32,
}

/// A reference to a material of the stage.
#[derive(Clone)]
pub(super) struct MaterialBinding {
    /// Where it is.
    pub path: String,
    pub color: [f32; 3],
    pub opacity: f32,
}

/// The materials used so far.
pub(super) struct Materials {
    path: String,
    known: BTreeMap<[u32; 5], usize>,
    all: Vec<Material>,
}

impl Material {
    /// A material with a colour in sRGB, an opacity and a roughness.
    pub fn new(color: [f32; 3], opacity: f32, roughness: f32) -> Self {
        Self {
            color,
            opacity,
            roughness,
        }
    }

    /// The material of cloth of a colour.
    pub fn cloth(color: [f32; 3]) -> Self {
        Self::new(color, 1.0, 0.9)
    }
}

impl Materials {
    /// Starts without materials; `path` is their scope.
    pub fn new(path: String) -> Self {
        Self {
            path,
            known: BTreeMap::new(),
            all: Vec::new(),
        }
    }

    /// The reference to a material, which is added if it is new.
    pub fn get(&mut self, material: Material) -> MaterialBinding {
        let [r, g, b] = material.color;
        let key = [r, g, b, material.opacity, material.roughness].map(f32::to_bits);
        let index = *self.known.entry(key).or_insert_with(|| {
            self.all.push(material);
            self.all.len() - 1
        });
        MaterialBinding {
            path: format!("{}/look_{}", self.path, index + 1),
            color: material.color,
            opacity: material.opacity,
        }
    }

    /// Writes all materials.
    pub fn write(&self, name: &str, stage: &mut Stage<impl Write>) -> io::Result<()> {
        if self.all.is_empty() {
            return Ok(());
        }
        stage.open("Scope", name, name, &[])?;
        for (index, material) in self.all.iter().enumerate() {
            let name = format!("look_{}", index + 1);
            let path = format!("{}/{name}/surface.outputs:surface", self.path);
            stage.open("Material", &name, &name, &[])?;
            stage.line(&format!("token outputs:surface.connect = <{path}>"))?;
            stage.open("Shader", "surface", "surface", &[])?;
            let id = quoted("UsdPreviewSurface");
            stage.line(&format!("uniform token info:id = {id}"))?;
            let [r, g, b] = material.color.map(linear);
            stage.line(&format!("color3f inputs:diffuseColor = ({r}, {g}, {b})"))?;
            stage.line(&format!("float inputs:opacity = {}", material.opacity))?;
            stage.line(&format!("float inputs:roughness = {}", material.roughness))?;
            stage.line("token outputs:surface")?;
            stage.close()?;
            stage.close()?;
        }
        stage.close()
    }
}

/// What colliders are made of.
///
/// In Conatus a value that is not given follows from the other side of a contact. Other
/// programs need one: it is the mean of all values that are given.
pub(super) struct PhysicsMaterials {
    path: String,
    /// Friction and restitution of colliders that do not specify them.
    default: [f64; 2],
    /// The number of each pair of friction and restitution, by their bits.
    known: BTreeMap<[u64; 2], usize>,
    all: Vec<[f64; 2]>,
}

impl PhysicsMaterials {
    /// The materials of these colliders; `path` is their scope.
    pub fn new(path: String, colliders: &[ColliderInfo]) -> Self {
        let mean = |of: fn(&ColliderInfo) -> Option<f64>| {
            let given = || colliders.iter().filter_map(of);
            given().sum::<f64>() / (given().count() as f64).max(1.0)
        };
        let mut materials = Self {
            path,
            default: [mean(|c| c.friction), mean(|c| c.restitution)],
            known: BTreeMap::new(),
            all: Vec::new(),
        };
        for collider in colliders {
            let values = materials.values(collider);
            let next = materials.all.len();
            let key = values.map(f64::to_bits);
            if *materials.known.entry(key).or_insert(next) == next {
                materials.all.push(values);
            }
        }
        materials
    }

    fn values(&self, collider: &ColliderInfo) -> [f64; 2] {
        let [friction, restitution] = self.default;
        [
            collider.friction.unwrap_or(friction),
            collider.restitution.unwrap_or(restitution),
        ]
    }

    /// The path of the material of a collider.
    pub fn path(&self, collider: &ColliderInfo) -> String {
        let key = self.values(collider).map(f64::to_bits);
        let number = self.known.get(&key).copied().unwrap_or(0);
        format!("{}/material_{}", self.path, number + 1)
    }

    /// Writes all materials.
    pub fn write(&self, name: &str, stage: &mut Stage<impl Write>) -> io::Result<()> {
        if self.all.is_empty() {
            return Ok(());
        }
        stage.open("Scope", name, name, &[])?;
        for (index, [friction, restitution]) in self.all.iter().enumerate() {
            let name = format!("material_{}", index + 1);
            stage.open("Material", &name, &name, &["PhysicsMaterialAPI"])?;
            let friction = float(*friction);
            stage.line(&format!("float physics:dynamicFriction = {friction}"))?;
            stage.line(&format!(
                "float physics:restitution = {}",
                float(*restitution)
            ))?;
            stage.line(&format!("float physics:staticFriction = {friction}"))?;
            stage.close()?;
        }
        stage.close()
    }
}
