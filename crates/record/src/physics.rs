//! The physics of a recording's header: shapes, colliders and joints, as plain data.
//!
//! Viewers draw them, and exporters hand them to other programs. Nothing here moves
//! anything: the motion is in the frames.

mod joints;

pub use joints::{CoordinateInfo, JointAxis, JointInfo, JointKind, JointSpringInfo, MotorInfo};

use crate::clip::quaternions;
use crate::model::Header;
use conatus_math::{DQuat, DVec3, Pose};
use serde::{Deserialize, Serialize};
use std::ops::Not;

/// What collides and what is joined. Recordings of earlier versions have none of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhysicsInfo {
    /// The shapes of colliders; equal ones appear once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<ShapeInfo>,
    /// What collides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<ColliderInfo>,
    /// The joints, as they are at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointInfo>,
    /// Pairs of bodies that do not collide with each other, besides those that joints
    /// keep apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<[usize; 2]>,
    /// Bodies collide with planes and obstacles, but not with each other.
    #[serde(skip_serializing_if = "Not::not")]
    pub bodies_pass_through: bool,
}

/// The shape of a collider in its own axes. Round ones have z as their axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ShapeInfo {
    /// A ball.
    Sphere {
        /// The radius.
        radius: f64,
    },
    /// A rectangular block.
    Box {
        /// Half of each edge.
        half_extents: DVec3,
    },
    /// All points within `radius` of a segment of the z axis.
    Capsule {
        /// The radius.
        radius: f64,
        /// Half of the segment.
        half_height: f64,
    },
    /// A circular cylinder.
    Cylinder {
        /// The radius.
        radius: f64,
        /// Half of the height.
        half_height: f64,
    },
    /// A circular cone with its tip towards positive z, half-way between base and tip.
    Cone {
        /// The radius of the base.
        radius: f64,
        /// Half of the height.
        half_height: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// The three half axes.
        semi_axes: DVec3,
    },
    /// A convex hull.
    Hull {
        /// Its surface: an index into [`Header::meshes`].
        mesh: usize,
    },
    /// A surface of triangles that collides from both sides.
    Mesh {
        /// An index into [`Header::meshes`].
        mesh: usize,
    },
    /// The half-space below the plane z = 0: bodies stay above.
    Plane,
}

/// Where something is in the axes of a body, or in the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PoseInfo {
    /// Its origin.
    #[serde(skip_serializing_if = "is_zero")]
    pub position: DVec3,
    /// From its own axes; w, x, y, z in files.
    #[serde(with = "quaternions::one", skip_serializing_if = "is_identity")]
    pub orientation: DQuat,
}

/// A shape that collides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColliderInfo {
    /// The body or obstacle that it is fixed to, an index into [`Header::bodies`]; without
    /// one it is fixed in the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<usize>,
    /// An index into [`PhysicsInfo::shapes`].
    pub shape: usize,
    /// Where it is on its body, or in the world.
    #[serde(default, skip_serializing_if = "PoseInfo::is_identity")]
    pub pose: PoseInfo,
    /// The restitution; it follows from the other side if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Coulomb's coefficient; it follows from the other side if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// The lever of rolling resistance in metres.
    #[serde(default, skip_serializing_if = "is_zero_f64")]
    pub rolling_friction: f64,
    /// It reports overlaps and is not touched.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub sensor: bool,
}

impl PhysicsInfo {
    /// Whether nothing collides and nothing is joined.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The colliders with their shapes.
    pub fn solids<'a>(&'a self) -> impl Iterator<Item = (&'a ColliderInfo, &'a ShapeInfo)> {
        let solid = |c: &'a ColliderInfo| Some((c, self.shapes.get(c.shape)?));
        self.colliders.iter().filter_map(solid)
    }

    /// Validates everything against its header; the error says what is wrong.
    pub(crate) fn check(&self, header: &Header) -> Result<(), String> {
        let bodies = header.bodies.len();
        for shape in &self.shapes {
            shape.check(header.meshes.len())?;
        }
        for collider in &self.colliders {
            if collider.body.is_some_and(|b| b >= bodies) {
                return Err("a collider refers to a missing body".into());
            }
            if collider.shape >= self.shapes.len() {
                return Err("a collider refers to a missing shape".into());
            }
            collider.pose.check("a collider")?;
            let own = [collider.restitution, collider.friction];
            let own = own.map(|value| value.unwrap_or(0.0));
            finite("a collider", &[own[0], own[1], collider.rolling_friction])?;
        }
        for joint in &self.joints {
            joint.check(bodies)?;
        }
        if self.excluded.iter().flatten().any(|&b| b >= bodies) {
            return Err("an excluded pair refers to a missing body".into());
        }
        Ok(())
    }
}

impl ShapeInfo {
    fn check(&self, meshes: usize) -> Result<(), String> {
        const WHAT: &str = "the shape of a collider";
        match *self {
            Self::Sphere { radius } => finite(WHAT, &[radius]),
            Self::Box { half_extents: v } | Self::Ellipsoid { semi_axes: v } => {
                finite(WHAT, &v.to_array())
            }
            Self::Capsule {
                radius,
                half_height,
            }
            | Self::Cylinder {
                radius,
                half_height,
            }
            | Self::Cone {
                radius,
                half_height,
            } => finite(WHAT, &[radius, half_height]),
            Self::Hull { mesh } | Self::Mesh { mesh } if mesh >= meshes => {
                Err("a collider refers to a missing mesh".into())
            }
            Self::Hull { .. } | Self::Mesh { .. } | Self::Plane => Ok(()),
        }
    }
}

impl PoseInfo {
    /// Whether it moves nothing.
    pub fn is_identity(&self) -> bool {
        *self == Self::default()
    }

    /// The same as a transform.
    pub fn pose(&self) -> Pose {
        Pose::new(self.orientation, self.position)
    }

    fn check(&self, what: &str) -> Result<(), String> {
        finite(what, &self.position.to_array())?;
        finite(what, &self.orientation.to_array())?;
        match (self.orientation.length() - 1.0).abs() < 1e-6 {
            true => Ok(()),
            false => Err(format!("an orientation of {what} is not of length 1")),
        }
    }
}

impl Default for PoseInfo {
    fn default() -> Self {
        Self::from(Pose::IDENTITY)
    }
}

impl From<Pose> for PoseInfo {
    fn from(pose: Pose) -> Self {
        Self {
            position: pose.translation,
            orientation: pose.rotation,
        }
    }
}

fn is_zero(v: &DVec3) -> bool {
    *v == DVec3::ZERO
}

fn is_zero_f64(v: &f64) -> bool {
    *v == 0.0
}

fn is_identity(q: &DQuat) -> bool {
    *q == DQuat::IDENTITY
}

fn finite(what: &str, values: &[f64]) -> Result<(), String> {
    match values.iter().all(|v| v.is_finite()) {
        true => Ok(()),
        false => Err(format!("{what} has a number that is not finite")),
    }
}
