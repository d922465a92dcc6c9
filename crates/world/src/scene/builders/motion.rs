//! Characters, objects that they handle, and goals.

use crate::motion::Description;
use crate::scene::model::*;

impl CharacterSpec {
    /// A built-in character by its kind: `human`, `quadruped`, `hexapod`, ...
    pub fn of_kind(kind: impl Into<String>) -> Self {
        Self {
            kind: Some(kind.into()),
            ..Self::default()
        }
    }

    /// A human, standing.
    pub fn human() -> Self {
        Self::of_kind("human")
    }

    /// A custom character.
    pub fn custom(description: Description) -> Self {
        Self {
            kind: Some("own".to_owned()),
            description: Some(description),
            ..Self::default()
        }
    }

    /// The name by which goals and reports refer to it.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The pose it starts in, such as `standing`.
    pub fn pose(mut self, pose: impl Into<String>) -> Self {
        self.pose = Some(StartPoseSpec::Named(pose.into()));
        self
    }

    /// Where it starts: x and y.
    pub fn position(mut self, position: [f64; 2]) -> Self {
        self.position = position.to_vec();
        self
    }

    /// How far it is turned about the vertical, in degrees; 0 faces along x.
    pub fn heading(mut self, degrees: f64) -> Self {
        self.heading = degrees;
        self
    }

    /// Its colour as `#rrggbb`.
    pub fn color(mut self, color: impl Into<String>) -> Self {
        self.color = Some(color.into());
        self
    }
}

impl ObjectSpec {
    /// A box that characters can handle, by half of each edge.
    pub fn cuboid(half_extents: impl Into<Vec3>, mass: f64) -> Self {
        let half_extents = half_extents.into();
        Self::new(ObjectShapeSpec::Box(BoxSpec { half_extents }), mass)
    }

    /// A ball that characters can handle.
    pub fn sphere(radius: f64, mass: f64) -> Self {
        Self::new(ObjectShapeSpec::Sphere(SphereSpec { radius }), mass)
    }

    fn new(shape: ObjectShapeSpec, mass: f64) -> Self {
        Self {
            shape: Some(shape),
            mass: Some(mass),
            ..Self::default()
        }
    }

    /// Its name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Where its centre is: x and y if it stands on the ground, or x, y and z.
    pub fn position(mut self, position: impl Into<Vec<f64>>) -> Self {
        self.position = position.into();
        self
    }

    /// Coulomb friction with the ground and obstacles.
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = Some(friction);
        self
    }
}

impl GoalSpec {
    fn new(kind: GoalKindSpec) -> Self {
        Self {
            kind,
            character: None,
            object: None,
            on: None,
            up: None,
            height: None,
            forwards: None,
            position: None,
            direction: None,
            heading: None,
            limb: None,
            time: None,
            hold: None,
            moving: None,
            velocity: None,
        }
    }

    /// To stand at the end.
    pub fn stand() -> Self {
        Self::new(GoalKindSpec::Stand)
    }

    /// To sit on the ground at the end.
    pub fn sit() -> Self {
        Self::new(GoalKindSpec::Sit)
    }

    /// To stand on the arms at the end.
    pub fn handstand() -> Self {
        Self::new(GoalKindSpec::Handstand)
    }

    /// To stay low and level all the way.
    pub fn crawl() -> Self {
        Self::new(GoalKindSpec::Crawl)
    }

    /// To be at a position at the end: x and y, or x, y and z, or
    /// [some](CoordinatesSpec) of them.
    pub fn position(position: impl Into<PlaceSpec>) -> Self {
        Self {
            position: Some(position.into()),
            ..Self::new(GoalKindSpec::Position)
        }
    }

    /// To face a direction at the end, in degrees about the vertical.
    pub fn facing(heading: f64) -> Self {
        Self {
            heading: Some(heading),
            ..Self::new(GoalKindSpec::Facing)
        }
    }

    /// To hit a point with a limb at a time in seconds.
    pub fn strike(limb: impl Into<String>, position: impl Into<Vec3>, time: f64) -> Self {
        Self {
            limb: Some(limb.into()),
            position: Some(position.into().to_vec().into()),
            time: Some(time),
            ..Self::new(GoalKindSpec::Strike)
        }
    }

    /// The character that reaches the goal; needed if there are several.
    pub fn character(mut self, name: impl Into<String>) -> Self {
        self.character = Some(name.into());
        self
    }

    /// The object that the position goal is about, instead of a character.
    pub fn object(mut self, name: impl Into<String>) -> Self {
        self.object = Some(name.into());
        self
    }

    /// When the goal holds, in seconds.
    pub fn time(mut self, seconds: f64) -> Self {
        self.time = Some(seconds);
        self
    }
}
