//! The ready-made solids, as plain descriptions, and their volumes; their
//! surfaces are in [`crate::generate`].

use crate::convex::Convex;
use conatus_math::DVec3;
use std::f64::consts::PI;

/// The axis that a cylinder, capsule or cone lies along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Along x, as Chaney's `setCylinder` does.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
}

/// A solid with its own origin at its centre of mass (a cone's at a quarter of
/// its height above the base). Lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// A ball.
    Sphere {
        /// The radius.
        radius: f64,
    },
    /// A rectangular block.
    Box {
        /// Half of each edge (Chaney calls them radii).
        half_extents: DVec3,
    },
    /// A circular cylinder.
    Cylinder {
        /// The radius.
        radius: f64,
        /// The full height along the axis.
        height: f64,
        /// The axis it lies along.
        axis: Axis,
    },
    /// A cylinder with half a ball on either end.
    Capsule {
        /// The radius of cylinder and balls.
        radius: f64,
        /// The height of the cylinder alone, without the balls.
        height: f64,
        /// The axis it lies along.
        axis: Axis,
    },
    /// A circular cone, its tip in the positive direction of the axis.
    Cone {
        /// The radius of the base.
        radius: f64,
        /// The height from base to tip.
        height: f64,
        /// The axis it lies along.
        axis: Axis,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// The three half axes.
        semi_axes: DVec3,
    },
}

impl Axis {
    /// The unit vector along it.
    pub fn unit(self) -> DVec3 {
        match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
        }
    }
}

impl Solid {
    /// The solid as collision detection sees it.
    pub fn convex(&self) -> Convex {
        match *self {
            Self::Sphere { radius } => Convex::Sphere { radius },
            Self::Box { half_extents } => Convex::Box { half_extents },
            Self::Cylinder {
                radius,
                height,
                axis,
            } => Convex::Cylinder {
                axis: axis.unit(),
                radius,
                half_height: 0.5 * height,
            },
            Self::Capsule {
                radius,
                height,
                axis,
            } => Convex::Capsule {
                half: axis.unit() * (0.5 * height),
                radius,
            },
            Self::Cone {
                radius,
                height,
                axis,
            } => Convex::Cone {
                axis: axis.unit(),
                radius,
                base_and_tip: [-0.25 * height, 0.75 * height],
            },
            Self::Ellipsoid { semi_axes } => Convex::Ellipsoid { semi_axes },
        }
    }

    /// The exact volume in m³ (that of the round body, not of its mesh).
    pub fn volume(&self) -> f64 {
        let ball = |x: f64, y: f64, z: f64| 4.0 / 3.0 * PI * x * y * z;
        match *self {
            Self::Sphere { radius } => ball(radius, radius, radius),
            Self::Box { half_extents: h } => 8.0 * h.x * h.y * h.z,
            Self::Cylinder { radius, height, .. } => PI * radius * radius * height,
            Self::Capsule { radius, height, .. } => {
                PI * radius * radius * height + ball(radius, radius, radius)
            }
            Self::Cone { radius, height, .. } => PI * radius * radius * height / 3.0,
            Self::Ellipsoid { semi_axes: a } => ball(a.x, a.y, a.z),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_capsule_is_a_ball_and_an_even_ellipsoid_too() {
        let ball = Solid::Sphere { radius: 2.0 }.volume();
        let capsule = Solid::Capsule {
            radius: 2.0,
            height: 0.0,
            axis: Axis::Z,
        };
        let ellipsoid = Solid::Ellipsoid {
            semi_axes: DVec3::splat(2.0),
        };
        assert_eq!(capsule.volume(), ball);
        assert_eq!(ellipsoid.volume(), ball);
        assert!((ball - 33.510_321_638_291_124).abs() < 1e-13);
    }

    #[test]
    fn a_cone_is_a_third_of_its_cylinder() {
        let (radius, height, axis) = (1.5, 2.5, Axis::X);
        let cone = Solid::Cone {
            radius,
            height,
            axis,
        };
        let cylinder = Solid::Cylinder {
            radius,
            height,
            axis,
        };
        assert!((3.0 * cone.volume() - cylinder.volume()).abs() < 1e-14);
    }
}
