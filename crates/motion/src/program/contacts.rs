//! Where forces may act: patches and what they may touch.

use super::{LimbLoad, Program};
use crate::character::{Character, Patch};
use crate::inverse_dynamics::Cone;
use crate::surface::{Block, Capsule, Shape};
use conatus_math::{DMat3, DVec3};

/// What a contact is fixed to, and which way it faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// A rectangle, fixed to a frame.
    Patch,
    /// A ball fixed to a frame, which touches with whatever side is nearest.
    Ball {
        /// In metres.
        radius: f64,
    },
    /// The same around an inner joint of a limb: a knee.
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
    /// All that does not move, the nearest of it.
    Surroundings,
    /// One of [`Program::solids`].
    Solid(usize),
}

/// A shape with a contact of its own for everybody who may touch it: something
/// that moves, or that hands can hold on to.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Its name.
    pub name: String,
    /// In the axes of its carrier.
    pub shape: Shape,
    /// Who it is part of: the character or object, and the frame. None if it does
    /// not move.
    pub carrier: Option<(usize, usize)>,
    /// Which link of which limb it is, if it is one: then its shape is a capsule
    /// around that, wherever it is.
    pub link: Option<(usize, usize)>,
    /// Whether hands can hold on to it.
    pub grippable: bool,
}

/// A place where forces may act.
#[derive(Clone, Debug)]
pub struct ContactSpec {
    /// Whose it is.
    pub character: usize,
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
    /// All frames that it and what it may touch depend on, in order.
    pub frames: Vec<usize>,
    /// Half of its extent.
    pub half_extents: [f64; 2],
    /// The forces it can bear; all if it holds on.
    pub cone: Option<Cone>,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Whether it can hold on to things.
    pub grasps: bool,
    /// The factor of W (7).
    pub effort: f64,
    /// The factor of L_CI (2).
    pub hold: f64,
    /// Whether it slides along what it touches, with friction against that
    /// ([`crate::slide`]).
    pub slides: bool,
    /// Whether it is off altogether where its variable is next to nothing: all
    /// contacts with what moves.
    pub fades: bool,
}

impl ContactSpec {
    /// The corners of its patch, in the axes of the frame.
    pub fn corners(&self) -> [DVec3; 4] {
        let [x, y] = self.half_extents;
        [(x, y), (x, -y), (-x, y), (-x, -y)]
            .map(|(x, y)| self.offset + self.turn * DVec3::new(x, y, 0.0))
    }

    /// Whether it is a patch whose corners must not enter the surroundings.
    pub fn has_corners(&self) -> bool {
        self.anchor == Anchor::Patch && self.against == Against::Surroundings
    }
}

/// How much dearer it is that a thing hovers than that a foot does.
const RESTS: f64 = 20.0;

impl Program {
    /// What moves and can be touched, and what can be held: things, torsos of
    /// characters who are not alone, and holds of the surroundings.
    pub(super) fn find_solids(&self) -> Vec<Solid> {
        let mut solids = Vec::new();
        let people = self.characters.iter().filter(|c| !c.is_object()).count();
        for (c, character) in self.characters.iter().enumerate() {
            let carrier = Some((c, self.torsos[c]));
            match &character.object {
                Some(object) => solids.push(Solid {
                    name: character.name.clone(),
                    shape: object.shape(),
                    carrier,
                    link: None,
                    grippable: object.grippable,
                }),
                None if people > 1 => {
                    let mut block =
                        Block::new(DVec3::ZERO, DMat3::IDENTITY, character.half_extents);
                    // As round as the balls of a hull.
                    block.radius = 0.9 * character.half_extents.min_element();
                    solids.push(Solid {
                        name: format!("{}/torso", character.name),
                        shape: Shape::Block(block),
                        carrier,
                        link: None,
                        grippable: false,
                    });
                    if character.limbs_bear {
                        solids.extend(self.links_of(c));
                    }
                }
                None => {}
            }
        }
        for surface in &self.around.surfaces {
            if surface.grippable {
                solids.push(Solid {
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

    /// The contacts by which forces act on a limb. A knee on the ground spares what
    /// is beyond it, and so does somebody who stands on a thigh.
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
        let borne = contacts.filter_map(|(contact, spec)| {
            let Against::Solid(s) = spec.against else {
                return None;
            };
            let (_, last) = self.solids[s].link.filter(|link| link.0 == limb)?;
            let mass = |c: usize| self.characters[c].mass;
            Some(LimbLoad {
                contact,
                factor: -mass(spec.character) / mass(owner),
                last,
            })
        });
        own.chain(borne).collect()
    }

    /// The links of a character's limbs, as others can touch them.
    fn links_of(&self, character: usize) -> Vec<Solid> {
        let carrier = Some((character, self.torsos[character]));
        let mut solids = Vec::new();
        for (l, spec) in self.limbs.iter().enumerate() {
            if spec.character != character {
                continue;
            }
            let limb = &self.characters[character].limbs[spec.limb];
            for (k, link) in limb.links.iter().enumerate() {
                let name = &self.characters[character].name;
                solids.push(Solid {
                    name: format!("{name}/{} {}", limb.name, k + 1),
                    shape: Shape::Capsule(Capsule::ball_at(DVec3::ZERO, link.radius)),
                    carrier,
                    link: Some((l, k)),
                    grippable: false,
                });
            }
        }
        solids
    }

    /// All contacts: of each effector and patch with the surroundings, and of
    /// each effector with all solids of others.
    pub(super) fn find_contacts(&self) -> Vec<ContactSpec> {
        let mut contacts = Vec::new();
        for (c, character) in self.characters.iter().enumerate() {
            let torso = self.torsos[c];
            let hold = if character.is_object() { RESTS } else { 1.0 };
            let own = self.limbs.iter().enumerate();
            for (l, spec) in own.clone().filter(|(_, s)| s.character == c) {
                let patch = &character.limbs[spec.limb].effector;
                contacts.push(ContactSpec {
                    limb: Some(l),
                    ..fixed(c, spec.effector, patch)
                });
            }
            let slides = character.object.as_ref().is_some_and(|o| o.slides);
            for body in &character.patches {
                let plain = fixed(c, torso, &body.patch);
                contacts.push(ContactSpec {
                    offset: body.position,
                    turn: body.orientation,
                    hold,
                    // Friction is no free force then.
                    cone: match slides {
                        true => Some(Cone::new(0.0, body.patch.half_extents)),
                        false => plain.cone,
                    },
                    slides,
                    ..plain
                });
            }
            if let Some(radius) = character.object.as_ref().and_then(|o| o.ball()) {
                let patch = &character.object.as_ref().expect("a ball is a thing").patch;
                contacts.push(ContactSpec {
                    anchor: Anchor::Ball { radius },
                    hold,
                    ..fixed(c, torso, patch)
                });
            }
            for (l, spec) in own.clone().filter(|(_, s)| s.character == c) {
                let limb = &character.limbs[spec.limb];
                for knee in &limb.knees {
                    contacts.push(ContactSpec {
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
            for (l, spec) in own.filter(|(_, s)| s.character == c) {
                let patch = &character.limbs[spec.limb].effector;
                for (s, solid) in self.solids.iter().enumerate() {
                    // Nobody touches oneself, and what does not move is one of
                    // the surroundings unless it is held.
                    let own = solid.carrier.is_some_and(|(who, _)| who == c);
                    let holds = patch.grasps && solid.grippable;
                    if own || solid.carrier.is_none() && !holds {
                        continue;
                    }
                    // Forces on a thing are counted in its own weight: otherwise
                    // something light could be held from afar for next to nothing.
                    let ratio = match solid.carrier.map(|(who, _)| &self.characters[who]) {
                        Some(thing) if thing.is_object() => character.mass / thing.mass,
                        _ => 1.0,
                    };
                    let mut frames = vec![spec.effector];
                    frames.extend(solid.carrier.map(|(_, frame)| frame));
                    frames.extend(solid.link.map(|(limb, _)| self.limbs[limb].effector));
                    frames.sort_unstable();
                    let plain = fixed(c, spec.effector, patch);
                    contacts.push(ContactSpec {
                        name: format!("{} on {}", patch.name, solid.name),
                        limb: Some(l),
                        against: Against::Solid(s),
                        fades: solid.carrier.is_some(),
                        frames,
                        cone: plain.cone.filter(|_| !holds),
                        effort: plain.effort * character.workload * ratio * ratio,
                        ..plain
                    });
                }
            }
        }
        contacts
    }
}

/// A patch in the middle of a frame, against the surroundings.
fn fixed(character: usize, frame: usize, patch: &Patch) -> ContactSpec {
    ContactSpec {
        character,
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

impl Character {
    /// Whether it is a thing that others handle.
    pub fn is_object(&self) -> bool {
        self.object.is_some()
    }
}
