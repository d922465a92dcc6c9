//! Pieces of cloth, pins and materials.

use crate::scene::model::*;

impl ClothPieceSpec {
    /// A piece of any shape.
    pub fn new(shape: ClothShapeSpec) -> Self {
        Self {
            shape: Some(shape),
            ..Self::default()
        }
    }

    /// A flat rectangle in the x-y plane about its middle, with as many vertices as
    /// `cloth.resolution` says.
    pub fn rectangle(width: f64, height: f64) -> Self {
        Self::new(ClothShapeSpec::Rectangle(ClothRectangleSpec {
            width,
            height,
            vertices: None,
        }))
    }

    /// A flat rectangle with a number of vertices along x and y.
    pub fn grid(width: f64, height: f64, vertices: [u32; 2]) -> Self {
        Self::new(ClothShapeSpec::Rectangle(ClothRectangleSpec {
            width,
            height,
            vertices: Some(vertices),
        }))
    }

    /// A flat disc in the x-y plane.
    pub fn disc(radius: f64, rings: u32) -> Self {
        Self::new(ClothShapeSpec::Disc(ClothDiscSpec { radius, rings }))
    }

    /// The name by which reports refer to it.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// What it is made of: `cotton`, `silk`, `denim`, `paper`, `plastic`, or a
    /// material of the scene.
    pub fn material(mut self, material: impl Into<String>) -> Self {
        self.material = Some(material.into());
        self
    }

    /// Where the origin of its shape starts.
    pub fn position(mut self, position: impl Into<Vec3>) -> Self {
        self.position = position.into();
        self
    }

    /// Its orientation at the start as a rotation about an axis by an angle in radians.
    pub fn turn(mut self, axis: impl Into<Vec3>, angle: f64) -> Self {
        self.turn = Some(TurnSpec::new(axis, angle));
        self
    }

    /// The velocity it starts with.
    pub fn velocity(mut self, velocity: impl Into<Vec3>) -> Self {
        self.velocity = velocity.into();
        self
    }

    /// Adds vertices that are held or moved.
    pub fn pin(mut self, pin: ClothPinSpec) -> Self {
        self.pin.push(pin);
        self
    }

    /// Its colour as `#rrggbb`.
    pub fn color(mut self, color: impl Into<String>) -> Self {
        self.color = Some(color.into());
        self
    }
}

impl ClothPinSpec {
    /// The four corners of a rectangle.
    pub fn corners() -> Self {
        Self {
            corners: true,
            ..Self::default()
        }
    }

    /// Vertices by number, counted from 1 as in OBJ files.
    pub fn vertices(vertices: impl IntoIterator<Item = u32>) -> Self {
        Self {
            vertices: vertices.into_iter().collect(),
            ..Self::default()
        }
    }

    /// All vertices within a box, by its least and greatest corner, in the
    /// shape's coordinates.
    pub fn within(least: impl Into<Vec3>, greatest: impl Into<Vec3>) -> Self {
        Self {
            within: Some([least.into(), greatest.into()]),
            ..Self::default()
        }
    }

    /// Adds a displacement from the start at a time.
    pub fn keyframe(mut self, keyframe: KeyframeSpec) -> Self {
        self.keyframe.push(keyframe);
        self
    }

    /// Fixes the vertices to a body. The forces of the cloth on them act on it.
    pub fn body(mut self, name: impl Into<String>) -> Self {
        self.body = Some(name.into());
        self
    }

    /// Fixes the vertices to an obstacle.
    pub fn obstacle(mut self, name: impl Into<String>) -> Self {
        self.obstacle = Some(name.into());
        self
    }

    /// Fixes the vertices to a part of a character, for example `human/torso`.
    pub fn part(mut self, name: impl Into<String>) -> Self {
        self.part = Some(name.into());
        self
    }

    /// When the vertices are released, in seconds.
    pub fn until(mut self, time: f64) -> Self {
        self.until = Some(time);
        self
    }
}
