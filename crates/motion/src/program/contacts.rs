//! Contacts: patches on which forces may act, and what they may touch.

use super::{LimbLoad, Program};
use crate::character::Patch;
use crate::inverse_dynamics::Cone;
use crate::object::Object;
use crate::surface::{Capsule, RoundedBox, RoundedShape};
use conatus_math::{DMat3, DVec3};

/// What a contact is fixed to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// A rectangle, fixed to a frame.
    Patch,
    /// A ball fixed to a frame, which touches with its nearest point.
    Ball {
        /// In metres.
        radius: f64,
    },
    /// A ball around an inner joint of a limb: a knee.
    Joint {
        /// The limb, among all.
        limb: usize,
        /// Which of its inner joints.
        joint: usize,
        /// In metres.
        radius: f64,
    },
}

/// What a contact may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The nearest of all surfaces that do not move.
    Surroundings,
    /// One of [`Program::solids`].
    Solid(usize),
}

/// A shape that has a separate contact with every effector that may touch it:
/// something that moves, or that hands can grip.
#[derive(Clone, Debug)]
pub struct ContactSolid {
    /// Its name.
    pub name: String,
    /// In the axes of its carrier.
    pub shape: RoundedShape,
    /// The body and the frame it belongs to; none if it does not move.
    pub carrier: Option<(usize, usize)>,
    /// The limb and the link, if it is a link: then its shape is a capsule around the
    /// link.
    pub link: Option<(usize, usize)>,
    /// Whether hands can grip it.
    pub grippable: bool,
}

/// A patch and what it may touch.
#[derive(Clone, Debug)]
pub struct ContactCandidate {
    /// The body whose patch it is.
    pub body: usize,
    /// Its name.
    pub name: String,
    /// The limb it belongs to, among all limbs; none for a body patch.
    pub limb: Option<usize>,
    /// What it is fixed to.
    pub anchor: Anchor,
    /// The frame it is fixed to, or that of the limb's effector.
    pub frame: usize,
    /// Its centre in the axes of the frame.
    pub offset: DVec3,
    /// From its axes to those of the frame.
    pub turn: DMat3,
    /// What it may touch.
    pub against: Against,
    /// All frames that it and what it may touch depend on, in ascending order.
    pub frames: Vec<usize>,
    /// Half of its extent.
    pub half_extents: [f64; 2],
    /// The forces it can bear; any force if it grips.
    pub cone: Option<Cone>,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Whether it can grip.
    pub grasps: bool,
    /// The factor of W (7).
    pub effort: f64,
    /// The factor of L_CI (2).
    pub hold: f64,
    /// Whether it slides along what it touches, with friction against that
    /// ([`crate::slide`]).
    pub slides: bool,
    /// Whether it is off where its variable is nearly zero: true for all contacts with
    /// moving surfaces.
    pub fades: bool,
}

impl ContactCandidate {
    /// The corners of its patch, in the axes of the frame.
    pub fn corners(&self) -> [DVec3; 4] {
        let [x, y] = self.half_extents;
        [(x, y), (x, -y), (-x, y), (-x, -y)]
            .map(|(x, y)| self.offset + self.turn * DVec3::new(x, y, 0.0))
    }

    /// Whether it is a patch whose corners must not penetrate the surroundings.
    pub fn has_corners(&self) -> bool {
        self.anchor == Anchor::Patch && self.against == Against::Surroundings
    }
}

/// The factor of L_CI (2) for the contacts of objects with the surroundings, so that
/// objects do not hover.
const OBJECT_CONTACT_FACTOR: f64 = 20.0;

impl Program {
    /// All solids: torsos of several characters, objects, and surroundings that can be
    /// gripped.
    pub(super) fn find_solids(&self) -> Vec<ContactSolid> {
        let mut solids = Vec::new();
        // A single character cannot touch another.
        let others = match self.characters.len() {
            0 | 1 => &[],
            _ => &self.characters[..],
        };
        for (c, character) in others.iter().enumerate() {
            let half_extents = character.base.half_extents;
            let mut block = RoundedBox::new(DVec3::ZERO, DMat3::IDENTITY, half_extents);
            // As round as the balls of a hull.
            block.radius = 0.9 * half_extents.min_element();
            solids.push(ContactSolid {
                name: format!("{}/torso", character.base.name),
                shape: RoundedShape::RoundedBox(block),
                carrier: Some((c, self.base_frames[c])),
                link: None,
                grippable: false,
            });
            if character.limb_contacts {
                solids.extend(self.links_of(c));
            }
        }
        for (k, object) in self.objects.iter().enumerate() {
            let body = self.characters.len() + k;
            solids.push(ContactSolid {
                name: object.base.name.clone(),
                shape: object.shape(),
                carrier: Some((body, self.base_frames[body])),
                link: None,
                grippable: object.grippable,
            });
        }
        for surface in &self.around.surfaces {
            if surface.grippable {
                solids.push(ContactSolid {
                    name: surface.name.clone(),
                    shape: surface.shape.clone(),
                    carrier: None,
                    link: None,
                    grippable: true,
                });
            }
        }
        solids
    }

    /// The contacts by which forces act on a limb. The force on a knee does not load the
    /// joints beyond it, nor does the force of a character that stands on a thigh.
    pub(super) fn find_loads(&self, limb: usize) -> Vec<LimbLoad> {
        let contacts = self.contacts.iter().enumerate();
        let own = contacts.clone().filter(|(_, c)| c.limb == Some(limb));
        let own = own.map(|(contact, spec)| LimbLoad {
            contact,
            factor: 1.0,
            last: match spec.anchor {
                Anchor::Joint { joint, .. } => joint,
                _ => usize::MAX,
            },
        });
        let owner = self.limbs[limb].character;
        let reactions = contacts.filter_map(|(contact, spec)| {
            let Against::Solid(s) = spec.against else {
                return None;
            };
            let (_, last) = self.solids[s].link.filter(|link| link.0 == limb)?;
            Some(LimbLoad {
                contact,
                factor: -self.mass(spec.body) / self.mass(owner),
                last,
            })
        });
        own.chain(reactions).collect()
    }

    /// The links of a character's limbs, as others can touch them.
    fn links_of(&self, character: usize) -> Vec<ContactSolid> {
        let carrier = Some((character, self.base_frames[character]));
        let mut solids = Vec::new();
        for (l, spec) in self.limbs.iter().enumerate() {
            if spec.character != character {
                continue;
            }
            let limb = &self.characters[character].limbs[spec.limb];
            for (k, link) in limb.links.iter().enumerate() {
                let name = &self.characters[character].base.name;
                solids.push(ContactSolid {
                    name: format!("{name}/{} {}", limb.name, k + 1),
                    shape: RoundedShape::Capsule(Capsule::ball_at(DVec3::ZERO, link.radius)),
                    carrier,
                    link: Some((l, k)),
                    grippable: false,
                });
            }
        }
        solids
    }

    /// All contacts: of each effector and patch with the surroundings, and of
    /// each effector with all solids of others. The order of the contacts is that of
    /// their variables.
    pub(super) fn find_contacts(&self) -> Vec<ContactCandidate> {
        let mut contacts = Vec::new();
        for c in 0..self.characters.len() {
            self.add_character_contacts(c, &mut contacts);
        }
        for (k, object) in self.objects.iter().enumerate() {
            self.add_object_contacts(self.characters.len() + k, object, &mut contacts);
        }
        contacts
    }

    /// The contacts of an object with the surroundings.
    fn add_object_contacts(&self, body: usize, object: &Object, out: &mut Vec<ContactCandidate>) {
        let frame = self.base_frames[body];
        for side in &object.base.patches {
            let plain = fixed(body, frame, &side.patch);
            out.push(ContactCandidate {
                offset: side.position,
                turn: side.orientation,
                hold: OBJECT_CONTACT_FACTOR,
                // Sliding friction is not a free force.
                cone: match object.slides {
                    true => Some(Cone::new(0.0, side.patch.half_extents)),
                    false => plain.cone,
                },
                slides: object.slides,
                ..plain
            });
        }
        if let Some(radius) = object.ball_radius() {
            out.push(ContactCandidate {
                anchor: Anchor::Ball { radius },
                hold: OBJECT_CONTACT_FACTOR,
                ..fixed(body, frame, &object.patch)
            });
        }
    }

    /// The contacts of a character: effectors, patches of the torso and knees with the
    /// surroundings, then effectors with the solids of others.
    fn add_character_contacts(&self, c: usize, out: &mut Vec<ContactCandidate>) {
        let character = &self.characters[c];
        let limbs = || {
            self.limbs
                .iter()
                .enumerate()
                .filter(|(_, s)| s.character == c)
        };
        for (l, spec) in limbs() {
            let patch = &character.limbs[spec.limb].effector;
            out.push(ContactCandidate {
                limb: Some(l),
                ..fixed(c, spec.effector, patch)
            });
        }
        for side in &character.base.patches {
            out.push(ContactCandidate {
                offset: side.position,
                turn: side.orientation,
                ..fixed(c, self.base_frames[c], &side.patch)
            });
        }
        for (l, spec) in limbs() {
            let limb = &character.limbs[spec.limb];
            for knee in &limb.knees {
                out.push(ContactCandidate {
                    limb: Some(l),
                    anchor: Anchor::Joint {
                        limb: l,
                        joint: knee.joint,
                        radius: limb.links[knee.joint].radius,
                    },
                    frames: vec![spec.torso, spec.effector],
                    ..fixed(c, spec.effector, &knee.patch)
                });
            }
        }
        for (l, spec) in limbs() {
            let patch = &character.limbs[spec.limb].effector;
            for (s, solid) in self.solids.iter().enumerate() {
                // A character does not touch itself. Solids that do not move belong to
                // the surroundings unless they are gripped.
                let own = solid.carrier.is_some_and(|(body, _)| body == c);
                let grips = patch.grasps && solid.grippable;
                if own || solid.carrier.is_none() && !grips {
                    continue;
                }
                // Forces on an object are measured in its own weight: otherwise a
                // light object could be held from a distance at almost no cost.
                let ratio = match solid.carrier {
                    Some((body, _)) if self.is_object(body) => self.mass(c) / self.mass(body),
                    _ => 1.0,
                };
                let mut frames = vec![spec.effector];
                frames.extend(solid.carrier.map(|(_, frame)| frame));
                frames.extend(solid.link.map(|(limb, _)| self.limbs[limb].effector));
                frames.sort_unstable();
                let plain = fixed(c, spec.effector, patch);
                out.push(ContactCandidate {
                    name: format!("{} on {}", patch.name, solid.name),
                    limb: Some(l),
                    against: Against::Solid(s),
                    fades: solid.carrier.is_some(),
                    frames,
                    cone: plain.cone.filter(|_| !grips),
                    effort: plain.effort * character.workload * ratio * ratio,
                    ..plain
                });
            }
        }
    }
}

/// A patch in the middle of a frame, against the surroundings.
fn fixed(body: usize, frame: usize, patch: &Patch) -> ContactCandidate {
    ContactCandidate {
        body,
        name: patch.name.clone(),
        limb: None,
        anchor: Anchor::Patch,
        frame,
        offset: DVec3::ZERO,
        turn: DMat3::IDENTITY,
        against: Against::Surroundings,
        frames: vec![frame],
        half_extents: patch.half_extents,
        cone: Some(Cone::new(patch.friction, patch.half_extents)),
        friction: patch.friction,
        grasps: patch.grasps,
        effort: patch.effort,
        hold: 1.0,
        slides: false,
        fades: false,
    }
}
