//! Obstacles and keyframes.

use crate::scene::model::*;

impl ObstacleSpec {
    /// An obstacle of any shape at the origin.
    pub fn new(shape: ObstacleShapeSpec) -> Self {
        Self {
            shape: Some(shape),
            ..Self::default()
        }
    }

    /// A ball.
    pub fn sphere(radius: f64) -> Self {
        Self::new(ObstacleShapeSpec::Sphere(SphereSpec { radius }))
    }

    /// A rectangular block, by half of each edge.
    pub fn cuboid(half_extents: impl Into<Vec3>) -> Self {
        let half_extents = half_extents.into();
        Self::new(ObstacleShapeSpec::Box(BoxSpec { half_extents }))
    }

    /// A circular cylinder along z.
    pub fn cylinder(radius: f64, height: f64) -> Self {
        Self::new(ObstacleShapeSpec::Cylinder(AxialSpec::new(radius, height)))
    }

    /// A triangle mesh from a Wavefront OBJ file, open or closed.
    pub fn mesh(file: impl Into<String>) -> Self {
        Self::new(ObstacleShapeSpec::Mesh(MeshSpec::new(file)))
    }

    /// Several shapes as one.
    pub fn compound(parts: impl IntoIterator<Item = CompoundPartSpec>) -> Self {
        Self::new(ObstacleShapeSpec::Compound(parts.into_iter().collect()))
    }

    /// Its name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Where it is.
    pub fn position(mut self, position: impl Into<Vec3>) -> Self {
        self.position = position.into();
        self
    }

    /// Its orientation as a rotation about an axis by an angle in radians.
    pub fn turn(mut self, axis: impl Into<Vec3>, angle: f64) -> Self {
        self.turn = Some(TurnSpec::new(axis, angle));
        self
    }

    /// Adds a pose at a time; it moves from one to the next.
    pub fn keyframe(mut self, keyframe: KeyframeSpec) -> Self {
        self.keyframe.push(keyframe);
        self
    }

    /// It starts and stops smoothly at keyframes.
    pub fn smooth(mut self) -> Self {
        self.ease = EaseSpec::Smooth;
        self
    }

    /// The longest edge of its triangles in metres.
    pub fn detail(mut self, longest_edge: f64) -> Self {
        self.detail = Some(longest_edge);
        self
    }

    /// Coulomb friction.
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = Some(friction);
        self
    }

    /// The groups that it is in.
    pub fn groups<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.groups = names.into_iter().map(Into::into).collect();
        self
    }

    /// The groups that it collides with; it collides with all by default.
    pub fn collides_with<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.collides_with = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// A sensor, which reports what overlaps it and touches nothing.
    pub fn sensor(mut self) -> Self {
        self.sensor = true;
        self
    }

    /// Hands of characters can hold on to it.
    pub fn grip(mut self) -> Self {
        self.grip = true;
        self
    }

    /// Its colour as `#rrggbb`.
    pub fn color(mut self, color: impl Into<String>) -> Self {
        self.color = Some(color.into());
        self
    }
}

impl KeyframeSpec {
    /// A position at a time in seconds.
    pub fn new(time: f64, position: impl Into<Vec3>) -> Self {
        Self {
            time,
            position: position.into(),
            orientation: None,
            turn: None,
        }
    }

    /// The orientation as a rotation about an axis by an angle in radians.
    pub fn turn(mut self, axis: impl Into<Vec3>, angle: f64) -> Self {
        self.turn = Some(TurnSpec::new(axis, angle));
        self
    }
}
