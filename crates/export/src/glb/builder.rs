//! Collects the JSON and the binary part of a glTF file.

use super::keyframes::{Keyframes, Track};
use super::{MeshIndex, NodeIndex, label};
use crate::ExportError;
use crate::shared::color::linear;
use conatus_record::Header;
use gltf_json as json;
use json::accessor::{ComponentType, GenericComponentType, Type};
use json::animation::{Channel, Interpolation, Property, Sampler, Target};
use json::material::{AlphaMode, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use json::mesh::{Mode, MorphTarget, Primitive, Semantic};
use json::validation::Checked::Valid;
use json::validation::USize64;
use std::collections::BTreeMap;
use std::io::Write;

pub(super) type AccessorIndex = json::Index<json::Accessor>;
type MaterialIndex = json::Index<json::Material>;

/// The accessors of a surface, shared by all meshes that show it.
#[derive(Clone)]
pub(super) struct Surface {
    pub positions: AccessorIndex,
    pub normals: AccessorIndex,
    pub colors: Option<AccessorIndex>,
    pub indices: Option<AccessorIndex>,
    pub targets: Vec<[AccessorIndex; 2]>,
}

pub(super) struct Builder {
    pub root: json::Root,
    bytes: Vec<u8>,
    materials: BTreeMap<[u32; 4], MaterialIndex>,
    animation: json::Animation,
    times: Option<AccessorIndex>,
}

impl Builder {
    pub fn new(header: &Header) -> Self {
        let mut root = json::Root::default();
        root.asset.generator = Some(format!("Conatus {}", env!("CARGO_PKG_VERSION")));
        Self {
            root,
            bytes: Vec::new(),
            materials: BTreeMap::new(),
            animation: json::Animation {
                name: Some(label(&header.scene)),
                channels: Vec::new(),
                samplers: Vec::new(),
                extensions: None,
                extras: None,
            },
            times: None,
        }
    }

    /// Stores numbers of `type_`; `for_mesh` marks vertex data, which viewers
    /// load onto the graphics card; keyframes are not.
    pub fn floats(
        &mut self,
        values: &[f32],
        type_: Type,
        for_mesh: bool,
    ) -> Result<AccessorIndex, ExportError> {
        let width = type_.multiplicity();
        let bounds = |pick: fn(f32, f32) -> f32, start: f32| {
            let mut bound = vec![start; width];
            for element in values.chunks_exact(width) {
                for (b, v) in bound.iter_mut().zip(element) {
                    *b = pick(*b, *v);
                }
            }
            serde_json::json!(bound)
        };
        let bounds = match type_ {
            Type::Scalar | Type::Vec3 => Some((
                bounds(f32::min, f32::INFINITY),
                bounds(f32::max, f32::NEG_INFINITY),
            )),
            _ => None,
        };
        let bytes = values.iter().flat_map(|v| v.to_le_bytes());
        let target = for_mesh.then_some(json::buffer::Target::ArrayBuffer);
        let view = self.view(bytes, target)?;
        let (min, max) = bounds.unzip();
        Ok(self.root.push(json::Accessor {
            min,
            max,
            ..accessor(view, values.len() / width, ComponentType::F32, type_)
        }))
    }

    /// Stores colours from 0 to 1 in a byte per channel.
    pub fn grey_colors(&mut self, values: &[f32]) -> Result<AccessorIndex, ExportError> {
        let bytes = values.iter().flat_map(|v| {
            let grey = (v.clamp(0.0, 1.0) * 255.0).round() as u8;
            [grey, grey, grey, 255]
        });
        let view = self.view(bytes, Some(json::buffer::Target::ArrayBuffer))?;
        Ok(self.root.push(json::Accessor {
            normalized: true,
            ..accessor(view, values.len(), ComponentType::U8, Type::Vec4)
        }))
    }

    /// Stores the corners of triangles.
    pub fn indices(&mut self, values: &[u32]) -> Result<AccessorIndex, ExportError> {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes());
        let view = self.view(bytes, Some(json::buffer::Target::ElementArrayBuffer))?;
        let (count, component) = (values.len(), ComponentType::U32);
        Ok(self
            .root
            .push(accessor(view, count, component, Type::Scalar)))
    }

    fn view(
        &mut self,
        bytes: impl Iterator<Item = u8>,
        target: Option<json::buffer::Target>,
    ) -> Result<json::Index<json::buffer::View>, ExportError> {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        let end = self.bytes.len();
        // All values have 4 bytes, so every view is aligned.
        debug_assert_eq!(end % 4, 0);
        if end > u32::MAX as usize - (1 << 28) {
            return Err(ExportError::DoesNotFit(
                "a .glb file holds at most 4 GB".into(),
            ));
        }
        Ok(self.root.push(json::buffer::View {
            buffer: json::Index::new(0),
            byte_length: USize64::from(end - start),
            byte_offset: Some(USize64::from(start)),
            byte_stride: None,
            name: None,
            target: target.map(Valid),
            extensions: None,
            extras: None,
        }))
    }

    /// The material of bodies of a colour.
    pub fn body_material(&mut self, color: [f32; 3]) -> MaterialIndex {
        self.material(None, color, 1.0, 0.45, false)
    }

    /// A material that is seen from both sides and lets light through unless
    /// `alpha` is 1.
    pub fn double_sided_material(
        &mut self,
        name: &str,
        color: [f32; 3],
        alpha: f32,
    ) -> MaterialIndex {
        let roughness = if alpha < 1.0 { 0.15 } else { 0.9 };
        self.material(Some(name), color, alpha, roughness, true)
    }

    fn material(
        &mut self,
        name: Option<&str>,
        color: [f32; 3],
        alpha: f32,
        roughness: f32,
        double_sided: bool,
    ) -> MaterialIndex {
        let [r, g, b] = color.map(linear);
        let key = [r, g, b, alpha + if double_sided { 2.0 } else { 0.0 }].map(f32::to_bits);
        if let Some(&known) = self.materials.get(&key) {
            return known;
        }
        let index = self.root.push(json::Material {
            name: name.map(label),
            alpha_mode: Valid(match alpha < 1.0 {
                true => AlphaMode::Blend,
                false => AlphaMode::Opaque,
            }),
            double_sided,
            pbr_metallic_roughness: PbrMetallicRoughness {
                base_color_factor: PbrBaseColorFactor([r, g, b, alpha]),
                metallic_factor: StrengthFactor(0.0),
                roughness_factor: StrengthFactor(roughness),
                ..Default::default()
            },
            ..Default::default()
        });
        self.materials.insert(key, index);
        index
    }

    /// A mesh that shows a surface in a material.
    pub fn mesh(&mut self, name: &str, surface: &Surface, material: MaterialIndex) -> MeshIndex {
        let mut attributes = BTreeMap::from([
            (Valid(Semantic::Positions), surface.positions),
            (Valid(Semantic::Normals), surface.normals),
        ]);
        if let Some(colors) = surface.colors {
            attributes.insert(Valid(Semantic::Colors(0)), colors);
        }
        let target = |&[positions, normals]: &[AccessorIndex; 2]| MorphTarget {
            positions: Some(positions),
            normals: Some(normals),
            tangents: None,
        };
        let targets: Vec<_> = surface.targets.iter().map(target).collect();
        self.root.push(json::Mesh {
            name: Some(label(name)),
            primitives: vec![Primitive {
                attributes,
                indices: surface.indices,
                material: Some(material),
                mode: Valid(Mode::Triangles),
                targets: (!targets.is_empty()).then_some(targets),
                extensions: None,
                extras: None,
            }],
            weights: None,
            extensions: None,
            extras: None,
        })
    }

    /// Adds the channels of a track to the animation.
    pub fn animate(
        &mut self,
        node: NodeIndex,
        keys: &Keyframes,
        track: &Track,
    ) -> Result<(), ExportError> {
        let channels = [
            (Property::Translation, Type::Vec3, &track.translation),
            (Property::Rotation, Type::Vec4, &track.rotation),
            (Property::Scale, Type::Vec3, &track.scale),
            (Property::MorphTargetWeights, Type::Scalar, &track.weights),
        ];
        for (property, type_, values) in channels {
            let width = values.len() / keys.times.len().max(1);
            let Some(first) = values.get(..width).filter(|first| !first.is_empty()) else {
                continue;
            };
            // A constant property needs no channel.
            if values.chunks_exact(width).all(|key| key == first) {
                continue;
            }
            let input = self.times(keys)?;
            let output = self.floats(values, type_, false)?;
            let sampler = self.sampler(input, output);
            self.channel(sampler, node, property);
        }
        Ok(())
    }

    /// Animates the weights of several nodes with one sampler.
    pub fn animate_weights(
        &mut self,
        nodes: &[NodeIndex],
        keys: &Keyframes,
        times: &[f32],
        weights: &[f32],
    ) -> Result<(), ExportError> {
        if nodes.is_empty() {
            return Ok(());
        }
        let input = match times == keys.times {
            true => self.times(keys)?,
            false => self.floats(times, Type::Scalar, false)?,
        };
        let output = self.floats(weights, Type::Scalar, false)?;
        let sampler = self.sampler(input, output);
        for node in nodes {
            self.channel(sampler, *node, Property::MorphTargetWeights);
        }
        Ok(())
    }

    /// The times of all keyframes, stored once.
    fn times(&mut self, keys: &Keyframes) -> Result<AccessorIndex, ExportError> {
        if let Some(times) = self.times {
            return Ok(times);
        }
        let times = self.floats(&keys.times, Type::Scalar, false)?;
        self.times = Some(times);
        Ok(times)
    }

    fn sampler(&mut self, input: AccessorIndex, output: AccessorIndex) -> json::Index<Sampler> {
        let sampler = Sampler {
            input,
            interpolation: Valid(Interpolation::Linear),
            output,
            extensions: None,
            extras: None,
        };
        json::Index::push(&mut self.animation.samplers, sampler)
    }

    fn channel(&mut self, sampler: json::Index<Sampler>, node: NodeIndex, property: Property) {
        self.animation.channels.push(Channel {
            sampler,
            target: Target {
                node,
                path: Valid(property),
                extensions: None,
                extras: None,
            },
            extensions: None,
            extras: None,
        });
    }

    /// Writes the file.
    pub fn finish(mut self, root: NodeIndex, out: &mut impl Write) -> Result<(), ExportError> {
        if !self.animation.channels.is_empty() {
            self.root.animations.push(self.animation);
        }
        let scene = self.root.push(json::Scene {
            name: None,
            nodes: vec![root],
            extensions: None,
            extras: None,
        });
        self.root.scene = Some(scene);
        if !self.bytes.is_empty() {
            self.root.buffers.push(json::Buffer {
                byte_length: USize64::from(self.bytes.len()),
                name: None,
                uri: None,
                extensions: None,
                extras: None,
            });
        }
        let mut text =
            serde_json::to_vec(&self.root).map_err(|e| ExportError::DoesNotFit(e.to_string()))?;
        // Chunks end at multiples of 4: JSON is padded with spaces.
        text.resize(text.len().next_multiple_of(4), b' ');
        let binary = if self.bytes.is_empty() {
            0
        } else {
            8 + self.bytes.len()
        };
        let size = |n: usize| {
            u32::try_from(n)
                .map_err(|_| ExportError::DoesNotFit("a .glb file holds at most 4 GB".into()))
        };
        let total = size(12 + 8 + text.len() + binary)?;
        let mut head = b"glTF".to_vec();
        head.extend_from_slice(&2u32.to_le_bytes());
        head.extend_from_slice(&total.to_le_bytes());
        head.extend_from_slice(&size(text.len())?.to_le_bytes());
        head.extend_from_slice(b"JSON");
        let mut put = |bytes: &[u8]| out.write_all(bytes).map_err(ExportError::Output);
        put(&head)?;
        put(&text)?;
        if binary > 0 {
            put(&size(self.bytes.len())?.to_le_bytes())?;
            put(b"BIN\0")?;
            put(&self.bytes)?;
        }
        Ok(())
    }
}

fn accessor(
    view: json::Index<json::buffer::View>,
    count: usize,
    component: ComponentType,
    type_: Type,
) -> json::Accessor {
    json::Accessor {
        buffer_view: Some(view),
        byte_offset: None,
        count: USize64::from(count),
        component_type: Valid(GenericComponentType(component)),
        type_: Valid(type_),
        min: None,
        max: None,
        name: None,
        normalized: false,
        sparse: None,
        extensions: None,
        extras: None,
    }
}
