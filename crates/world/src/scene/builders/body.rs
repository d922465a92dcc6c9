//! Bodies.

use crate::scene::model::*;

impl BodySpec {
    /// A body of one shape, with the density of water until `mass` or `density`
    /// is given.
    pub fn new(shape: ShapeSpec) -> Self {
        Self {
            shape: Some(shape),
            density: Some(1000.0),
            ..Self::default()
        }
    }

    /// A ball.
    pub fn sphere(radius: f64) -> Self {
        Self::new(ShapeSpec::Sphere(SphereSpec { radius }))
    }

    /// A rectangular block, by half of each edge.
    pub fn cuboid(half_extents: impl Into<Vec3>) -> Self {
        let half_extents = half_extents.into();
        Self::new(ShapeSpec::Box(BoxSpec { half_extents }))
    }

    /// A circular cylinder along z.
    pub fn cylinder(radius: f64, height: f64) -> Self {
        Self::new(ShapeSpec::Cylinder(AxialSpec::new(radius, height)))
    }

    /// A cylinder along z with half a ball on either end; `height` is without them.
    pub fn capsule(radius: f64, height: f64) -> Self {
        Self::new(ShapeSpec::Capsule(AxialSpec::new(radius, height)))
    }

    /// A circular cone about its centre of mass, the tip towards positive z.
    pub fn cone(radius: f64, height: f64) -> Self {
        Self::new(ShapeSpec::Cone(AxialSpec::new(radius, height)))
    }

    /// An ellipsoid, by its three half axes.
    pub fn ellipsoid(semi_axes: impl Into<Vec3>) -> Self {
        let semi_axes = semi_axes.into();
        Self::new(ShapeSpec::Ellipsoid(EllipsoidSpec { semi_axes }))
    }

    /// A closed triangle mesh from a Wavefront OBJ file.
    pub fn mesh(file: impl Into<String>) -> Self {
        Self::new(ShapeSpec::Mesh(MeshSpec::new(file)))
    }

    /// The convex hull of points.
    pub fn hull<P: Into<Vec3>>(points: impl IntoIterator<Item = P>) -> Self {
        let points = points.into_iter().map(Into::into).collect();
        Self::new(ShapeSpec::Hull(HullSpec { points }))
    }

    /// Several shapes as one, of the same density.
    pub fn compound(parts: impl IntoIterator<Item = CompoundPartSpec>) -> Self {
        Self::new(ShapeSpec::Compound(parts.into_iter().collect()))
    }

    /// A body made of several shapes, each with its own mass or density.
    pub fn composite(parts: impl IntoIterator<Item = PartSpec>) -> Self {
        Self {
            parts: parts.into_iter().collect(),
            ..Self::default()
        }
    }

    /// A body made of point masses: pairs of mass and position.
    pub fn particles<P: Into<Vec3>>(particles: impl IntoIterator<Item = (f64, P)>) -> Self {
        let particle = |(mass, position): (f64, P)| ParticleSpec {
            mass,
            position: position.into(),
        };
        Self {
            particles: particles.into_iter().map(particle).collect(),
            ..Self::default()
        }
    }

    /// The name by which springs, commands and reports refer to it.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The mass in kilograms.
    pub fn mass(mut self, mass: f64) -> Self {
        (self.mass, self.density) = (Some(mass), None);
        self
    }

    /// The density in kg/m³.
    pub fn density(mut self, density: f64) -> Self {
        (self.mass, self.density) = (None, Some(density));
        self
    }

    /// The inertia tensor about the centre of mass, by rows.
    pub fn inertia(mut self, rows: [Vec3; 3]) -> Self {
        self.inertia = Some(rows);
        self
    }

    /// The centre of mass in the coordinates that the shape is given in.
    pub fn centre(mut self, centre: impl Into<Vec3>) -> Self {
        self.centre = Some(centre.into());
        self
    }

    /// Where the centre of mass starts.
    pub fn position(mut self, position: impl Into<Vec3>) -> Self {
        self.position = Some(position.into());
        self
    }

    /// Where the origin of the shape's coordinates starts, instead of `position`.
    pub fn origin(mut self, origin: impl Into<Vec3>) -> Self {
        self.origin = Some(origin.into());
        self
    }

    /// The orientation as a quaternion (w, x, y, z).
    pub fn orientation(mut self, quaternion: [f64; 4]) -> Self {
        self.orientation = Some(quaternion);
        self
    }

    /// The orientation as a rotation about an axis by an angle in radians.
    pub fn turn(mut self, axis: impl Into<Vec3>, angle: f64) -> Self {
        self.turn = Some(TurnSpec::new(axis, angle));
        self
    }

    /// The velocity of the centre of mass.
    pub fn velocity(mut self, velocity: impl Into<Vec3>) -> Self {
        self.velocity = Some(velocity.into());
        self
    }

    /// The momentum, instead of `velocity`.
    pub fn momentum(mut self, momentum: impl Into<Vec3>) -> Self {
        self.momentum = Some(momentum.into());
        self
    }

    /// The angular velocity in the axes that the shape is given in.
    pub fn omega_body(mut self, omega_body: impl Into<Vec3>) -> Self {
        self.omega_body = Some(omega_body.into());
        self
    }

    /// The angular velocity in world axes, instead of `omega_body`.
    pub fn angular_velocity(mut self, omega: impl Into<Vec3>) -> Self {
        self.angular_velocity = Some(omega.into());
        self
    }

    /// The angular momentum in world axes, instead of `omega_body`.
    pub fn angular_momentum(mut self, l: impl Into<Vec3>) -> Self {
        self.angular_momentum = Some(l.into());
        self
    }

    /// Held in place: it never moves, and others bounce off it.
    pub fn locked(mut self) -> Self {
        self.locked = true;
        self
    }

    /// Automatic damping of this body: N·s/m and N·m·s.
    pub fn damping(mut self, linear: f64, angular: f64) -> Self {
        self.damping = Some(DampingSpec { linear, angular });
        self
    }

    /// The coefficient of restitution, from 0 to 1.
    pub fn restitution(mut self, restitution: f64) -> Self {
        self.restitution = Some(restitution);
        self
    }

    /// Rolling resistance: the lever of the torque against rolling, in metres.
    pub fn rolling_friction(mut self, lever: f64) -> Self {
        self.rolling_friction = Some(lever);
        self
    }

    /// Coulomb friction.
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = Some(friction);
        self
    }

    /// Whether it takes part in collisions; it does by default.
    pub fn collides(mut self, collides: bool) -> Self {
        self.collides = Some(collides);
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

    /// Its colour as `#rrggbb`.
    pub fn color(mut self, color: impl Into<String>) -> Self {
        self.color = Some(color.into());
        self
    }

    /// Many copies of the body on a grid.
    pub fn array(mut self, array: ArraySpec) -> Self {
        self.array = Some(array);
        self
    }
}

impl CompoundPartSpec {
    /// A shape about the origin of the compound.
    pub fn new(shape: ShapeSpec) -> Self {
        Self {
            shape,
            position: [0.0; 3],
            orientation: None,
            turn: None,
        }
    }

    /// Where its origin is in the compound.
    pub fn position(mut self, position: impl Into<Vec3>) -> Self {
        self.position = position.into();
        self
    }

    /// Its orientation as a rotation about an axis by an angle in radians.
    pub fn turn(mut self, axis: impl Into<Vec3>, angle: f64) -> Self {
        self.turn = Some(TurnSpec::new(axis, angle));
        self
    }
}

impl PartSpec {
    /// A part of a composite body, by its density in kg/m³.
    pub fn new(shape: ShapeSpec, density: f64) -> Self {
        Self {
            shape,
            mass: None,
            density: Some(density),
            position: [0.0; 3],
            orientation: None,
            turn: None,
        }
    }

    /// Its mass in kilograms, instead of the density.
    pub fn mass(mut self, mass: f64) -> Self {
        (self.mass, self.density) = (Some(mass), None);
        self
    }

    /// Where its origin is in the body.
    pub fn position(mut self, position: impl Into<Vec3>) -> Self {
        self.position = position.into();
        self
    }

    /// Its orientation as a rotation about an axis by an angle in radians.
    pub fn turn(mut self, axis: impl Into<Vec3>, angle: f64) -> Self {
        self.turn = Some(TurnSpec::new(axis, angle));
        self
    }
}

impl ArraySpec {
    /// Copies on a grid: how many along x, y and z, and their distance.
    pub fn new(count: [u64; 3], spacing: impl Into<Vec3>) -> Self {
        Self {
            count,
            spacing: spacing.into(),
            jitter: 0.0,
            speed: 0.0,
        }
    }

    /// Each copy is moved by up to this much along each axis, at random.
    pub fn jitter(mut self, jitter: f64) -> Self {
        self.jitter = jitter;
        self
    }

    /// Each copy gets a velocity of this size in a random direction.
    pub fn speed(mut self, speed: f64) -> Self {
        self.speed = speed;
        self
    }
}

impl AxialSpec {
    /// A shape along z.
    pub fn new(radius: f64, height: f64) -> Self {
        Self {
            radius,
            height,
            axis: AxisSpec::default(),
        }
    }

    /// The axis it lies along.
    pub fn along(mut self, axis: AxisSpec) -> Self {
        self.axis = axis;
        self
    }
}

impl MeshSpec {
    /// A mesh in its own size.
    pub fn new(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            scale: 1.0,
            stretch: None,
            collide: None,
            decompose: None,
        }
    }

    /// A body of this mesh collides as its convex hull.
    pub fn collide_as_hull(mut self) -> Self {
        self.collide = Some(MeshCollisionSpec::Hull);
        self
    }

    /// A body of this mesh is divided into at most `max_parts` convex parts, none of which is
    /// larger than what it stands for by more than the share `concavity` of the mesh.
    pub fn decompose(mut self, max_parts: usize, concavity: f64) -> Self {
        self.decompose = Some(DecomposeSpec {
            max_parts,
            concavity,
        });
        self
    }

    /// What its coordinates are multiplied by along x, y and z.
    pub fn stretch(mut self, factors: impl Into<Vec3>) -> Self {
        self.stretch = Some(factors.into());
        self
    }

    /// What its coordinates are multiplied by.
    pub fn scale(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }
}

impl TurnSpec {
    /// A rotation about an axis by an angle in radians.
    pub fn new(axis: impl Into<Vec3>, angle: f64) -> Self {
        Self {
            axis: axis.into(),
            angle: Some(angle),
            degrees: None,
        }
    }
}
