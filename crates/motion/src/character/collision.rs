//! The collision shapes of a character's parts, for cloth and rigid bodies. They
//! follow from its description; display uses the same shapes.
//!
//! The costs of the optimiser use capsules and balls instead
//! ([`costs::penetration`](crate::costs::penetration)), whose distances have simple
//! derivatives.

use super::{Character, Limb};
use conatus_geometry::PartShape;

impl Character {
    /// The torso, about its centre of mass.
    pub fn torso_shape(&self) -> PartShape {
        PartShape::Trunk {
            half_extents: self.base.half_extents,
        }
    }
}

impl Limb {
    /// A link, about its middle, with z towards its end. The last one does not pass
    /// through the sole of the effector.
    pub fn link_shape(&self, link: usize) -> PartShape {
        let described = &self.links[link];
        let is_last = link + 1 == self.links.len();
        PartShape::link(
            described.length,
            [described.radius, described.end_radius],
            is_last.then_some(self.tip.z),
        )
    }

    /// The foot or hand, half of its thickness above the middle of its patch.
    pub fn effector_shape(&self) -> PartShape {
        PartShape::sole(self.effector.half_extents, self.effector_thickness)
    }
}
