//! The parts that a clip is shown as: each becomes a scripted body.

use super::limbs::{ClipLimb, Side};
use super::{Clip, ClipCharacter, ClipShape};
use crate::model::{BodyInfo, MeshData, PlaneInfo};
use conatus_geometry::PartShape;
use conatus_math::{DQuat, DVec3, Pose};

/// What a part shows, by indices into the clip's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClipPartSource {
    /// The torso of a character.
    Torso {
        /// Its index in [`Clip::characters`].
        character: usize,
    },
    /// A shape fixed to a torso.
    Shape {
        /// Its index in [`Clip::characters`].
        character: usize,
        /// Its index in [`ClipCharacter::shapes`].
        shape: usize,
    },
    /// A link of a limb.
    Link {
        /// Its index in [`Clip::characters`].
        character: usize,
        /// Its index in [`ClipCharacter::links`].
        link: usize,
    },
    /// A foot, a hand, or a patch of the body.
    Effector {
        /// Its index in [`Clip::characters`].
        character: usize,
        /// Its index in [`ClipCharacter::effectors`].
        effector: usize,
    },
    /// An object.
    Object {
        /// Its index in [`Clip::objects`].
        object: usize,
    },
}

/// A part: what is shown of a clip as one body.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipPart {
    /// Its name among the bodies: `walker/left shin`, or the object's own.
    pub name: String,
    /// What it shows.
    pub of: ClipPartSource,
    /// The character that it belongs to.
    pub character: Option<String>,
    /// Red, green, blue from 0 to 1 (sRGB).
    pub color: [f32; 3],
    /// Its solid, about its own origin; none if nothing is shown.
    pub shape: Option<PartShape>,
    /// From its axes to those of what it shows; for links, whose
    /// origin is the middle and whose z axis points to the end, the identity.
    pub(super) offset: Pose,
}

impl ClipPart {
    /// Its surface, about its own origin; empty if it has no shape.
    pub fn mesh(&self) -> MeshData {
        (self.shape).map_or(MeshData::default(), |shape| MeshData::from(&shape.mesh()))
    }
}

impl Clip {
    /// All parts in a fixed order: of each character the torso, the shapes on
    /// it, the links and the effectors, then the objects. [`Clip::tracks`] and
    /// [`Clip::part_poses`] list poses in the same order. The clip must be one
    /// that [`Clip::check`] finds nothing wrong with.
    pub fn parts(&self) -> Vec<ClipPart> {
        let mut parts = Vec::new();
        for (index, character) in self.characters.iter().enumerate() {
            character.parts(index, &mut parts);
        }
        parts.extend(
            self.objects
                .iter()
                .enumerate()
                .map(|(object, it)| ClipPart {
                    name: it.name.clone(),
                    of: ClipPartSource::Object { object },
                    character: None,
                    color: it.color,
                    shape: Some(it.collision.unwrap_or(it.shape.solid())),
                    offset: Pose::shift(DVec3::ZERO),
                }),
        );
        parts
    }

    /// The parts as a header lists them: surfaces, and scripted bodies whose
    /// meshes are counted from `first_mesh` on. Parts that look alike share
    /// their surface.
    pub fn part_bodies(&self, first_mesh: usize) -> (Vec<MeshData>, Vec<BodyInfo>) {
        let mut meshes: Vec<MeshData> = Vec::new();
        let mut bodies = Vec::new();
        for part in self.parts() {
            let mesh = part.mesh();
            let mesh = match meshes.iter().position(|known| *known == mesh) {
                Some(known) => known,
                None => {
                    meshes.push(mesh);
                    meshes.len() - 1
                }
            };
            bodies.push(BodyInfo {
                name: part.name,
                mass: 0.0,
                moments: DVec3::ZERO,
                color: part.color,
                mesh: Some(first_mesh + mesh),
                spheres: Vec::new(),
                scripted: true,
                character: part.character,
            });
        }
        (meshes, bodies)
    }

    /// The planes among the surfaces, as a header lists them.
    pub fn planes(&self) -> Vec<PlaneInfo> {
        let plane = |s: &super::ClipSurface| match s.kind {
            super::ClipSurfaceKind::Plane { point, normal } => Some(PlaneInfo { point, normal }),
            _ => None,
        };
        self.surfaces.iter().filter_map(plane).collect()
    }

    /// The other surfaces, as shapes with their poses: name, surface, pose.
    pub fn scenery(&self) -> Vec<(String, MeshData, Pose)> {
        let solid = |s: &super::ClipSurface| {
            let (shape, pose) = s.kind.solid()?;
            let mesh = MeshData::from(&shape.solid().mesh());
            Some((s.name.clone(), mesh, pose))
        };
        self.surfaces.iter().filter_map(solid).collect()
    }
}

impl super::ClipSurfaceKind {
    /// The surface as a shape with a place; none for planes and hills.
    pub fn solid(&self) -> Option<(super::ClipShape, Pose)> {
        Some(match *self {
            Self::Plane { .. } | Self::Heightfield { .. } => return None,
            Self::Box {
                half_extents,
                position,
                orientation,
                radius,
            } => (
                super::ClipShape::Box {
                    half_extents,
                    radius,
                },
                Pose::new(orientation, position),
            ),
            Self::Sphere { radius, position } => {
                (super::ClipShape::Sphere { radius }, Pose::shift(position))
            }
            Self::Capsule { radius, start, end } => {
                let length = (end - start).length();
                let along = (end - start).normalize_or(DVec3::Z);
                let turn = DQuat::from_rotation_arc(DVec3::Z, along);
                (
                    super::ClipShape::Capsule { radius, length },
                    Pose::new(turn, (start + end) / 2.0),
                )
            }
        })
    }
}

impl ClipShape {
    /// The solid with this shape; boxes have slightly rounded edges.
    fn solid(&self) -> PartShape {
        match *self {
            Self::Box { half_extents, .. } => PartShape::rounded_box(half_extents),
            Self::Sphere { radius } => PartShape::Sphere { radius },
            Self::Capsule { radius, length } => PartShape::link(length, [radius; 2], None),
        }
    }
}

impl ClipCharacter {
    fn parts(&self, character: usize, parts: &mut Vec<ClipPart>) {
        let mut add = |name: &str,
                       of: ClipPartSource,
                       color: [f32; 3],
                       shape: Option<PartShape>,
                       offset: Pose| {
            parts.push(ClipPart {
                name: part_name(&self.name, name),
                of,
                character: Some(self.name.clone()),
                color,
                shape,
                offset,
            });
        };
        let half_extents = self.torso.half_extents;
        let trunk = (half_extents.min_element() > 0.0).then_some(PartShape::Trunk { half_extents });
        let still = Pose::shift(DVec3::ZERO);
        let of = ClipPartSource::Torso { character };
        let shape = self.torso.collision.or(trunk);
        add("torso", of, self.color, shape, still);
        for (shape, it) in self.shapes.iter().enumerate() {
            let of = ClipPartSource::Shape { character, shape };
            let pose = Pose::new(it.orientation, it.position);
            let pale = mix(self.color, PALE, 0.55);
            add(&it.name, of, pale, Some(it.shape.solid()), pose);
        }
        let limbs = self.limbs();
        for (link, it) in self.links.iter().enumerate() {
            let limb = limbs.iter().find(|limb| limb.links.contains(&link));
            let color = limb.map_or(self.color, |limb| self.tone(limb));
            let of = ClipPartSource::Link { character, link };
            let shape = it.collision.unwrap_or(self.default_link(link, limb));
            add(&it.name, of, color, Some(shape), still);
        }
        for (effector, it) in self.effectors.iter().enumerate() {
            let of = ClipPartSource::Effector {
                character,
                effector,
            };
            let limb = limbs.iter().find(|limb| limb.effector == Some(effector));
            let (default, color) = match limb {
                Some(limb) => {
                    let ankle = limb.links.last().map(|link| self.links[*link].radius);
                    let thickness = PartShape::sole_thickness(it.half_extents, ankle);
                    let sole = PartShape::sole(it.half_extents, thickness);
                    (sole, mix(self.tone(limb), DARK, 0.45))
                }
                None => (PartShape::pad(it.half_extents), mix(self.color, DARK, 0.10)),
            };
            let shape = it.collision.unwrap_or(default);
            // A sole stands on its patch.
            let lift = match (limb, shape) {
                (Some(_), PartShape::Slab { half_extents, .. }) => half_extents.z,
                _ => 0.0,
            };
            let offset = Pose::shift(DVec3::Z * lift);
            add(&it.name, of, color, Some(shape), offset);
        }
    }

    /// The solid of a link that a clip gives none for.
    fn default_link(&self, link: usize, limb: Option<&ClipLimb>) -> PartShape {
        let it = &self.links[link];
        let next = limb.and_then(|limb| {
            let place = limb.links.iter().position(|l| *l == link)?;
            limb.links.get(place + 1).map(|next| &self.links[*next])
        });
        let end = PartShape::link_end_radius(it.radius, next.map(|next| next.radius));
        let patch = limb
            .filter(|_| next.is_none())
            .and_then(|limb| self.effectors.get(limb.effector?));
        let ankle_height = patch.map(|patch| {
            let above = it.end[0] - patch.position[0];
            above.dot(patch.orientation[0] * DVec3::Z)
        });
        PartShape::link(it.length, [it.radius, end], ankle_height)
    }

    /// Limbs on the left are a little paler, those on the right a little darker.
    fn tone(&self, limb: &ClipLimb) -> [f32; 3] {
        match self.side(limb) {
            Side::Left => mix(self.color, PALE, 0.30),
            Side::Middle => self.color,
            Side::Right => mix(self.color, DARK, 0.26),
        }
    }
}

const PALE: [f32; 3] = [0.97, 0.95, 0.92];
const DARK: [f32; 3] = [0.12, 0.14, 0.18];

fn mix(a: [f32; 3], b: [f32; 3], share: f32) -> [f32; 3] {
    std::array::from_fn(|k| a[k] + share * (b[k] - a[k]))
}

/// The name of a part among the bodies.
pub(crate) fn part_name(character: &str, part: &str) -> String {
    format!("{character}/{part}")
}
