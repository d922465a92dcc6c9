//! Materials, one for every combination of colour, opacity and roughness.

use super::text::{Stage, quoted};
use crate::shared::color::linear;
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
