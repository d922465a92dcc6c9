//! Colliders: shapes that are fixed to bodies or to the world, and what they are made
//! of.

use conatus_geometry::convex::Convex;
use conatus_geometry::{Aabb, HalfSpace, Shape};
use conatus_math::{DVec3, Pose};

/// What a collider is made of. A value that is not given follows from the other side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactMaterial {
    /// c of Di Pierro (69), from 0 to 1.
    pub restitution: Option<f64>,
    /// Coulomb's μ.
    pub friction: Option<f64>,
    /// The lever of rolling resistance in metres.
    pub rolling: f64,
}

/// Which colliders see each other: the mask of each has to have a bit in common with
/// the group of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The groups that the collider is in, as bits.
    pub member: u32,
    /// The groups that it collides with, as bits.
    pub mask: u32,
}

impl Default for Groups {
    fn default() -> Self {
        Self {
            member: 1,
            mask: u32::MAX,
        }
    }
}

impl Groups {
    /// Whether two colliders see each other.
    pub fn meet(&self, other: &Self) -> bool {
        self.member & other.mask != 0 && other.member & self.mask != 0
    }
}

/// A shape that collides.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Its shape.
    shape: Shape,
    /// The same for the narrow phase, if it is convex.
    convex: Option<Convex>,
    /// From its own axes to those of its body, of its script, or of the world.
    pub pose: Pose,
    /// The body that it is fixed to; without one it is fixed in the world or scripted.
    pub body: Option<usize>,
    /// The scripted motion that it follows, of a collider without a body.
    pub script: Option<u32>,
    /// What it is made of.
    pub material: ContactMaterial,
    /// What it collides with.
    pub groups: Groups,
    /// A sensor reports overlaps and is not touched.
    pub sensor: bool,
}

impl Collider {
    /// A shape that is fixed in the world.
    pub fn fixed(shape: impl Into<Shape>, pose: Pose, material: ContactMaterial) -> Self {
        let shape = shape.into();
        Self {
            convex: shape.convex(),
            shape,
            pose,
            body: None,
            script: None,
            material,
            groups: Groups::default(),
            sensor: false,
        }
    }

    /// A shape that is fixed to a body, in its axes.
    pub fn on_body(body: usize, shape: impl Into<Shape>, material: ContactMaterial) -> Self {
        Self {
            body: Some(body),
            ..Self::fixed(shape, Pose::IDENTITY, material)
        }
    }

    /// A half-space that never moves: bodies stay on the side of the normal.
    pub fn plane(point: DVec3, normal: DVec3, material: ContactMaterial) -> Self {
        Self::fixed(HalfSpace::through(point, normal), Pose::IDENTITY, material)
    }

    /// A shape that follows scripted motion number `script`.
    pub fn scripted(
        script: u32,
        shape: impl Into<Shape>,
        pose: Pose,
        material: ContactMaterial,
    ) -> Self {
        Self {
            script: Some(script),
            ..Self::fixed(shape, pose, material)
        }
    }

    /// Its shape, in its own axes.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its shape as the narrow phase sees it, if it is convex.
    #[inline]
    pub(super) fn convex(&self) -> Option<&Convex> {
        self.convex.as_ref()
    }

    /// The colliders that are detected one by one: itself, or those of the parts of a
    /// compound.
    pub fn into_parts(self) -> Vec<Self> {
        if !matches!(self.shape, Shape::Compound(_)) {
            return vec![self];
        }
        let parts = self.shape.parts().into_iter();
        let placed = parts.map(|(own, shape)| {
            let (shape, pose) = match (shape, self.pose.after(&own)) {
                // Half-spaces are given in the coordinates of the world.
                (Shape::HalfSpace(h), pose) => (Shape::HalfSpace(h.at(&pose)), Pose::IDENTITY),
                other => other,
            };
            Self {
                convex: shape.convex(),
                shape,
                pose,
                ..self.clone()
            }
        });
        placed.collect()
    }

    /// The radius of a ball about the origin of its axes around it.
    pub fn bounding_radius(&self) -> f64 {
        match &self.convex {
            Some(convex) => convex.bounding_radius(),
            None => self.shape.bounding_radius(),
        }
    }

    /// The box around it at a pose.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match &self.convex {
            Some(convex) => convex.aabb(pose),
            None => self.shape.aabb(pose),
        }
    }
}

/// Restitution, friction and rolling resistance of two colliders: what is not a body
/// decides where it says something; otherwise the geometric mean.
pub fn combined(materials: [&ContactMaterial; 2], on_body: [bool; 2]) -> (f64, f64, f64) {
    let [a, b] = materials;
    let pick = |x: Option<f64>, y: Option<f64>| match on_body {
        [false, true] => x.or(y).unwrap_or(0.0),
        [true, false] => y.or(x).unwrap_or(0.0),
        _ => match (x, y) {
            (Some(x), Some(y)) if x == y => x,
            (Some(x), Some(y)) => (x * y).sqrt(),
            (x, y) => x.or(y).unwrap_or(0.0),
        },
    };
    (
        pick(a.restitution, b.restitution),
        pick(a.friction, b.friction),
        a.rolling.max(b.rolling),
    )
}
