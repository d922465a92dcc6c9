//! The ready-made solids, as plain descriptions: their volumes and surfaces.

use conatus_math::DVec3;

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
    /// A circular cone, its tip in the axis' positive direction.
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
