//! Materials: one for every colour and opacity there is.

use super::text::{Stage, quoted};
use crate::shared::color::linear;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What a surface looks like.
#[derive(Clone, Copy)]
pub(super) struct Look {
    color: [f32; 3],
    opacity: f32,
    roughness: f32,
}

/// A material that is on the stage.
#[derive(Clone)]
pub(super) struct Bound {
    /// Where it is.
    pub path: String,
    pub color: [f32; 3],
    pub opacity: f32,
}

/// The materials asked for so far.
pub(super) struct Looks {
    path: String,
    known: BTreeMap<[u32; 5], usize>,
    all: Vec<Look>,
}

impl Look {
    /// A colour in sRGB, how much of the light it holds, and how dull it is.
    pub fn new(color: [f32; 3], opacity: f32, roughness: f32) -> Self {
        Self {
            color,
            opacity,
            roughness,
        }
    }

    /// Cloth of a colour.
    pub fn cloth(color: [f32; 3]) -> Self {
        Self::new(color, 1.0, 0.9)
    }
}

impl Looks {
    /// None yet; `path` is where they will be.
    pub fn new(path: String) -> Self {
        Self {
            path,
            known: BTreeMap::new(),
            all: Vec::new(),
        }
    }

    /// The material of a look.
    pub fn of(&mut self, look: Look) -> Bound {
        let [r, g, b] = look.color;
        let key = [r, g, b, look.opacity, look.roughness].map(f32::to_bits);
        let index = *self.known.entry(key).or_insert_with(|| {
            self.all.push(look);
            self.all.len() - 1
        });
        Bound {
            path: format!("{}/look_{}", self.path, index + 1),
            color: look.color,
            opacity: look.opacity,
        }
    }

    /// Puts all of them onto the stage.
    pub fn write(&self, name: &str, stage: &mut Stage<impl Write>) -> io::Result<()> {
        if self.all.is_empty() {
            return Ok(());
        }
        stage.open("Scope", name, name, &[])?;
        for (index, look) in self.all.iter().enumerate() {
            let name = format!("look_{}", index + 1);
            let path = format!("{}/{name}/surface.outputs:surface", self.path);
            stage.open("Material", &name, &name, &[])?;
            stage.line(&format!("token outputs:surface.connect = <{path}>"))?;
            stage.open("Shader", "surface", "surface", &[])?;
            let id = quoted("UsdPreviewSurface");
            stage.line(&format!("uniform token info:id = {id}"))?;
            let [r, g, b] = look.color.map(linear);
            stage.line(&format!("color3f inputs:diffuseColor = ({r}, {g}, {b})"))?;
            stage.line(&format!("float inputs:opacity = {}", look.opacity))?;
            stage.line(&format!("float inputs:roughness = {}", look.roughness))?;
            stage.line("token outputs:surface")?;
            stage.close()?;
            stage.close()?;
        }
        stage.close()
    }
}
