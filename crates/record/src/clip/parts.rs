//! The parts that a clip is shown as: each becomes a scripted body.

use super::limbs::{ClipLimb, Side};
use super::{Character, Clip, solids};
use crate::model::{BodyInfo, MeshData, PlaneInfo};
use conatus_math::{DQuat, DVec3, Pose};

/// How thick the plates on body patches are.
const PLATE: f64 = 0.006;

/// What a part shows, by places in the clip's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartOf {
    /// The torso of a character.
    Torso {
        /// Its place in [`Clip::characters`].
        character: usize,
    },
    /// A shape fixed to a torso.
    Shape {
        /// Its place in [`Clip::characters`].
        character: usize,
        /// Its place in [`Character::shapes`].
        shape: usize,
    },
    /// A link of a limb.
    Link {
        /// Its place in [`Clip::characters`].
        character: usize,
        /// Its place in [`Character::links`].
        link: usize,
    },
    /// A foot, a hand, or a patch of the body.
    Effector {
        /// Its place in [`Clip::characters`].
        character: usize,
        /// Its place in [`Character::effectors`].
        effector: usize,
    },
    /// An object.
    Object {
        /// Its place in [`Clip::objects`].
        object: usize,
    },
}

/// A part: what is shown of a clip as one body.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name among the bodies: `walker/left shin`, or the object's own.
    pub name: String,
    /// What it shows.
    pub of: PartOf,
    /// The character that it belongs to.
    pub character: Option<String>,
    /// Red, green, blue from 0 to 1 (sRGB).
    pub color: [f32; 3],
    /// Its surface, about its own origin.
    pub mesh: MeshData,
    /// From its axes to those of the thing that it shows; for links, whose
    /// origin is the middle and whose z axis points to the end, the identity.
    pub(super) offset: Pose,
}

impl Clip {
    /// All parts in a fixed order: of each character the torso, the shapes on
    /// it, the links and the effectors, then the objects. [`Clip::tracks`] and
    /// [`Clip::part_poses`] list poses in the same order. The clip must be one
    /// that [`Clip::check`] finds nothing wrong with.
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for (index, character) in self.characters.iter().enumerate() {
            character.parts(index, &mut parts);
        }
        parts.extend(self.objects.iter().enumerate().map(|(object, it)| Part {
            name: it.name.clone(),
            of: PartOf::Object { object },
            character: None,
            color: it.color,
            mesh: solids::shape(&it.shape),
            offset: Pose::shift(DVec3::ZERO),
        }));
        parts
    }

    /// The parts as a header lists them: surfaces, and scripted bodies whose
    /// meshes are counted from `first_mesh` on. Parts that look alike share
    /// their surface.
    pub fn part_bodies(&self, first_mesh: usize) -> (Vec<MeshData>, Vec<BodyInfo>) {
        let mut meshes: Vec<MeshData> = Vec::new();
        let mut bodies = Vec::new();
        for part in self.parts() {
            let mesh = match meshes.iter().position(|known| *known == part.mesh) {
                Some(known) => known,
                None => {
                    meshes.push(part.mesh);
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
        let plane = |s: &super::Surface| match s.kind {
            super::SurfaceKind::Plane { point, normal } => Some(PlaneInfo { point, normal }),
            _ => None,
        };
        self.surfaces.iter().filter_map(plane).collect()
    }

    /// The other surfaces, as shapes with their poses: name, surface, pose.
    pub fn scenery(&self) -> Vec<(String, MeshData, Pose)> {
        let solid = |s: &super::Surface| {
            let (shape, pose) = s.kind.solid()?;
            Some((s.name.clone(), solids::shape(&shape), pose))
        };
        self.surfaces.iter().filter_map(solid).collect()
    }
}

impl super::SurfaceKind {
    /// The surface as a shape with a place; none for planes and hills.
    pub fn solid(&self) -> Option<(super::Shape, Pose)> {
        Some(match *self {
            Self::Plane { .. } | Self::Heightfield { .. } => return None,
            Self::Box {
                half_extents,
                position,
                orientation,
                radius,
            } => (
                super::Shape::Box {
                    half_extents,
                    radius,
                },
                Pose::new(orientation, position),
            ),
            Self::Sphere { radius, position } => {
                (super::Shape::Sphere { radius }, Pose::shift(position))
            }
            Self::Capsule { radius, start, end } => {
                let length = (end - start).length();
                let along = (end - start).normalize_or(DVec3::Z);
                let turn = DQuat::from_rotation_arc(DVec3::Z, along);
                (
                    super::Shape::Capsule { radius, length },
                    Pose::new(turn, (start + end) / 2.0),
                )
            }
        })
    }
}

impl Character {
    fn parts(&self, character: usize, parts: &mut Vec<Part>) {
        let mut add = |name: &str, of: PartOf, color: [f32; 3], mesh: MeshData, offset: Pose| {
            parts.push(Part {
                name: part_name(&self.name, name),
                of,
                character: Some(self.name.clone()),
                color,
                mesh,
                offset,
            });
        };
        let h = self.torso.half_extents;
        let mesh = match h.min_element() > 0.0 {
            true => solids::torso(h),
            false => MeshData::default(),
        };
        let still = Pose::shift(DVec3::ZERO);
        add(
            "torso",
            PartOf::Torso { character },
            self.color,
            mesh,
            still,
        );
        for (shape, it) in self.shapes.iter().enumerate() {
            let of = PartOf::Shape { character, shape };
            let pose = Pose::new(it.orientation, it.position);
            let pale = mix(self.color, PALE, 0.55);
            add(&it.name, of, pale, solids::shape(&it.shape), pose);
        }
        let limbs = self.limbs();
        for (link, it) in self.links.iter().enumerate() {
            let limb = limbs.iter().find(|limb| limb.links.contains(&link));
            let color = limb.map_or(self.color, |limb| self.tone(limb));
            let of = PartOf::Link { character, link };
            add(&it.name, of, color, self.link_mesh(link, limb), still);
        }
        for (effector, it) in self.effectors.iter().enumerate() {
            let of = PartOf::Effector {
                character,
                effector,
            };
            let limb = limbs.iter().find(|limb| limb.effector == Some(effector));
            let [a, b] = it.half_extents.map(|h| h.max(2e-3));
            let thin = a.min(b);
            let (mesh, color, lift) = match limb {
                Some(limb) => {
                    let high = self.sole(limb).unwrap_or((0.6 * thin).clamp(0.012, 0.04));
                    let half = high / 2.0;
                    let mesh = solids::slab([a, b], [-half, half], 0.75 * thin, 0.45 * high);
                    (mesh, mix(self.tone(limb), DARK, 0.45), half)
                }
                None => {
                    // Torsos are round: smaller plates lie closer to them.
                    let half = PLATE / 2.0;
                    let small = [0.5 * a, 0.5 * b];
                    let mesh = solids::slab(small, [-half, half], 0.25 * thin, half);
                    (mesh, mix(self.color, DARK, 0.10), 0.0)
                }
            };
            // The slab stands on the patch.
            add(&it.name, of, color, mesh, Pose::shift(DVec3::Z * lift));
        }
    }

    /// How high the slab of a limb's end is: no higher than its ankle is thick,
    /// and thin enough to be a sole.
    fn sole(&self, limb: &ClipLimb) -> Option<f64> {
        let link = &self.links[*limb.links.last()?];
        let patch = &self.effectors[limb.effector?];
        let thin = patch.half_extents[0].min(patch.half_extents[1]);
        Some((0.7 * link.radius).min(0.6 * thin).clamp(0.012, 0.04))
    }

    /// A link's surface: thinner towards the next link, and not through the
    /// sole of the foot that it stands on.
    fn link_mesh(&self, link: usize, limb: Option<&ClipLimb>) -> MeshData {
        let it = &self.links[link];
        let next = limb.and_then(|limb| {
            let place = limb.links.iter().position(|l| *l == link)?;
            limb.links.get(place + 1).map(|next| &self.links[*next])
        });
        let end = match next {
            Some(next) => it.radius.min(next.radius),
            None => 0.78 * it.radius,
        };
        let patch = limb
            .filter(|_| next.is_none())
            .and_then(|limb| self.effectors.get(limb.effector?));
        let pull = patch.map_or(0.0, |patch| {
            let above = it.end[0] - patch.position[0];
            let height = above.dot(patch.orientation[0] * DVec3::Z);
            (end - height).clamp(0.0, 0.5 * it.length)
        });
        let half = it.length / 2.0;
        solids::limb([it.radius, end], [-half, half - pull])
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
