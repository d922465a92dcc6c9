//! Things that characters handle: boxes, beams and balls.
//!
//! A thing is a [`Character`] without limbs: its unknowns, its physics and its
//! contacts with the ground are those of a torso. What makes it a thing is a shape
//! that others can touch.

use crate::character::{BodyPatch, Character, HullBall, Patch};
use crate::surface::{Block, Capsule, Shape};
use conatus_math::{DMat3, DVec3};

/// What makes a character a thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Half of its edges, or the radius of a ball.
    pub form: Form,
    /// Whether hands can hold on to it; otherwise they press.
    pub grippable: bool,
    /// Whether it slides along what it rests on when it is pushed; otherwise it
    /// stays where it is until it is lifted.
    pub slides: bool,
    /// Friction and price of its own contacts.
    pub patch: Patch,
}

/// The form of a thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A box, with half of its edges.
    Box(DVec3),
    /// A ball with its radius.
    Ball(f64),
}

/// The radius of a box's edges, where its size allows.
const ROUND: f64 = 0.02;
/// Balls along the edges of long boxes are no farther apart, in metres.
const APART: f64 = 0.35;

impl Object {
    /// The shape that others touch, about its centre.
    pub fn shape(&self) -> Shape {
        match self.form {
            Form::Box(half) => {
                let mut block = Block::new(DVec3::ZERO, DMat3::IDENTITY, half);
                block.radius = ROUND.min(0.5 * half.min_element());
                Shape::Block(block)
            }
            Form::Ball(radius) => Shape::Capsule(Capsule::ball_at(DVec3::ZERO, radius)),
        }
    }

    /// The radius, if it is a ball.
    pub fn ball(&self) -> Option<f64> {
        match self.form {
            Form::Ball(radius) => Some(radius),
            Form::Box(_) => None,
        }
    }
}

/// A thing of even density.
pub fn object(
    name: &str,
    form: Form,
    mass: f64,
    friction: f64,
    grippable: bool,
    color: [f32; 3],
) -> Character {
    let patch = |name: &str, half_extents: [f64; 2]| Patch {
        name: name.to_owned(),
        half_extents,
        friction,
        grasps: false,
        effort: 1.0,
    };
    let (inertia, half_extents, patches, hull) = match form {
        Form::Ball(radius) => {
            let hull = HullBall {
                position: DVec3::ZERO,
                radius,
            };
            let i = 0.4 * mass * radius * radius;
            (
                DVec3::splat(i),
                DVec3::splat(radius),
                Vec::new(),
                vec![hull],
            )
        }
        Form::Box(h) => {
            let s = h * h;
            let inertia = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 3.0);
            (inertia, h, faces(h, &patch), corners(h))
        }
    };
    Character {
        name: name.to_owned(),
        mass,
        inertia,
        half_extents,
        limbs: Vec::new(),
        patches,
        hull,
        display: Vec::new(),
        color,
        workload: 1.0,
        limbs_bear: false,
        object: Some(Object {
            form,
            grippable,
            slides: false,
            patch: patch("below", [0.0; 2]),
        }),
    }
}

/// A patch for each face; normals point into the box.
fn faces(h: DVec3, patch: &impl Fn(&str, [f64; 2]) -> Patch) -> Vec<BodyPatch> {
    let names = [["back", "front"], ["right", "left"], ["bottom", "top"]];
    let mut faces = Vec::new();
    for axis in [2, 0, 1] {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let mut position = DVec3::ZERO;
            position[axis] = sign * h[axis];
            let mut z = DVec3::ZERO;
            z[axis] = -sign;
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut x = DVec3::ZERO;
            x[u] = 1.0;
            faces.push(BodyPatch {
                patch: patch(names[axis][side], [h[u], h[v]]),
                position,
                orientation: DMat3::from_cols(x, z.cross(x), z),
            });
        }
    }
    faces
}

/// Balls in the corners, and along edges that are long.
fn corners(h: DVec3) -> Vec<HullBall> {
    let radius = ROUND.min(0.5 * h.min_element());
    let inner = h - DVec3::splat(radius);
    let along = |k: usize| -> Vec<f64> {
        let pieces = (2.0 * inner[k] / APART).ceil().clamp(1.0, 8.0) as usize;
        (0..=pieces)
            .map(|i| inner[k] * (2.0 * i as f64 / pieces as f64 - 1.0))
            .collect()
    };
    let mut balls = Vec::new();
    for x in along(0) {
        for y in along(1) {
            for z in along(2) {
                let position = DVec3::new(x, y, z);
                // Edges, not faces or the inside.
                let at_end = (position.abs() - inner).abs().cmplt(DVec3::splat(1e-9));
                if at_end.bitmask().count_ones() >= 2 {
                    balls.push(HullBall { position, radius });
                }
            }
        }
    }
    balls
}
