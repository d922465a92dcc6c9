//! Objects that characters handle: boxes, beams and balls.
//!
//! An object is a [`RigidBase`] with a shape that effectors can touch. It has no limbs
//! and no effectors of its own; forces of characters and of the ground move it.

use crate::base::RigidBase;
use crate::character::{BodyPatch, HullBall, Patch};
use crate::surface::{Capsule, RoundedBox, RoundedShape};
use conatus_geometry::PartShape;
use conatus_math::{DMat3, DVec3};

/// A rigid object that characters can touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Mass, inertia, contact patches and hull.
    pub base: RigidBase,
    /// Its form and size.
    pub form: Form,
    /// Whether hands can grip it; otherwise they can only press.
    pub grippable: bool,
    /// Whether it slides along what it rests on when it is pushed; otherwise it
    /// stays where it is until it is lifted.
    pub slides: bool,
    /// Friction and force cost of the contact of a ball with the surroundings.
    pub patch: Patch,
}

/// The form of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A box, with half of its edges.
    Box(DVec3),
    /// A ball with its radius.
    Ball(f64),
}

/// The largest radius of a box's rounded edges, in metres.
const EDGE_RADIUS_M: f64 = 0.02;
/// The largest distance between hull balls along an edge of a box, in metres.
const HULL_SPACING_M: f64 = 0.35;

impl Object {
    /// An object of uniform density.
    pub fn new(
        name: &str,
        form: Form,
        mass: f64,
        friction: f64,
        grippable: bool,
        color: [f32; 3],
    ) -> Self {
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
                    name: None,
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
                (inertia, h, face_patches(h, &patch), edge_balls(h))
            }
        };
        Self {
            base: RigidBase {
                name: name.to_owned(),
                mass,
                inertia,
                half_extents,
                patches,
                hull,
                color,
            },
            form,
            grippable,
            slides: false,
            patch: patch("below", [0.0; 2]),
        }
    }

    /// The shape that others touch, about its centre.
    pub fn shape(&self) -> RoundedShape {
        match self.form {
            Form::Box(half) => {
                let mut block = RoundedBox::new(DVec3::ZERO, DMat3::IDENTITY, half);
                block.radius = edge_radius(half);
                RoundedShape::RoundedBox(block)
            }
            Form::Ball(radius) => RoundedShape::Capsule(Capsule::ball_at(DVec3::ZERO, radius)),
        }
    }

    /// The solid that it is for collisions with cloth and rigid bodies.
    pub fn collision_shape(&self) -> PartShape {
        match self.form {
            Form::Box(half) => PartShape::rounded_box(half),
            Form::Ball(radius) => PartShape::Sphere { radius },
        }
    }

    /// The radius if it is a ball.
    pub fn ball_radius(&self) -> Option<f64> {
        match self.form {
            Form::Ball(radius) => Some(radius),
            Form::Box(_) => None,
        }
    }
}

fn edge_radius(half: DVec3) -> f64 {
    EDGE_RADIUS_M.min(0.5 * half.min_element())
}

/// A patch for each face of a box; normals point into the box.
fn face_patches(h: DVec3, patch: &impl Fn(&str, [f64; 2]) -> Patch) -> Vec<BodyPatch> {
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

/// Hull balls in the corners of a box, and along its long edges.
fn edge_balls(h: DVec3) -> Vec<HullBall> {
    let radius = edge_radius(h);
    let inner = h - DVec3::splat(radius);
    let along = |k: usize| -> Vec<f64> {
        let pieces = (2.0 * inner[k] / HULL_SPACING_M).ceil().clamp(1.0, 8.0) as usize;
        (0..=pieces)
            .map(|i| inner[k] * (2.0 * i as f64 / pieces as f64 - 1.0))
            .collect()
    };
    let mut balls = Vec::new();
    for x in along(0) {
        for y in along(1) {
            for z in along(2) {
                let position = DVec3::new(x, y, z);
                // A point of an edge is at the end of its range on at least two axes.
                let at_end = (position.abs() - inner).abs().cmplt(DVec3::splat(1e-9));
                if at_end.bitmask().count_ones() >= 2 {
                    balls.push(HullBall {
                        name: None,
                        position,
                        radius,
                    });
                }
            }
        }
    }
    balls
}
