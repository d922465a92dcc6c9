//! Finds growth of mechanical energy that nothing in the scene explains.
//!
//! Contacts, damping and friction only take energy away. Where the total of kinetic and
//! potential energy grows without a motor, script, wind or wave, the simulation itself has
//! made it: the step is too long, or contacts push bodies apart harder than they met.
//! Whether the growth is explained is decided from frame to frame, so that a kick in the
//! first second hides nothing that happens in the tenth.

use crate::cloth::ClothWorld;
use crate::touches::TOUCH_EVENTS;
use crate::world::World;
use conatus_record::{Event, Totals};
use conatus_rigid::Joint;

/// The share of the run's energy scale that growth must exceed to be reported.
pub const UNEXPLAINED_FRACTION: f64 = 0.1;

/// Follows the mechanical energy from frame to frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnergyGrowth {
    /// The lowest total since the last frame whose change is explained.
    pub(crate) lowest: Option<f64>,
    /// The largest rise above it, in joules.
    pub(crate) gained: f64,
    /// The largest kinetic energy so far.
    pub(crate) largest_kinetic: f64,
    /// The least and the greatest potential energy so far.
    pub(crate) potential: Option<(f64, f64)>,
    /// The energy that lifts everything by its own size.
    pub(crate) lift: f64,
}

impl EnergyGrowth {
    /// Takes the totals of a frame. `explained` says that something may have added energy
    /// since the frame before.
    pub(crate) fn add(&mut self, totals: &Totals, lift: f64, explained: bool) {
        let energy = totals.kinetic + totals.potential;
        if !(energy.is_finite() && lift.is_finite()) {
            return;
        }
        let (least, most) = self
            .potential
            .unwrap_or((totals.potential, totals.potential));
        self.potential = Some((least.min(totals.potential), most.max(totals.potential)));
        self.largest_kinetic = self.largest_kinetic.max(totals.kinetic);
        self.lift = self.lift.max(lift);
        match self.lowest {
            Some(lowest) if !explained => {
                self.gained = self.gained.max(energy - lowest);
                self.lowest = Some(lowest.min(energy));
            }
            _ => self.lowest = Some(energy),
        }
    }

    /// The joules gained that nothing explains, if they are more than
    /// [`UNEXPLAINED_FRACTION`] of the run's energy scale: the largest of its kinetic
    /// energy, the range of its potential energy and the energy that lifts everything by
    /// its own size. None of these depends on where the scene's origin is.
    pub(crate) fn unexplained(&self) -> Option<f64> {
        let range = self.potential.map_or(0.0, |(least, most)| most - least);
        let scale = self.largest_kinetic.max(range).max(self.lift);
        (self.gained > UNEXPLAINED_FRACTION * scale).then_some(self.gained)
    }
}

/// Whether an event since the last frame may have changed the energy.
pub(crate) fn explains_energy(event: &Event) -> bool {
    if TOUCH_EVENTS.contains(&event.kind.as_str()) {
        return false;
    }
    let idle = ["pause", "resume"].map(serde_json::Value::from);
    !idle.contains(&event.detail)
}

impl World {
    /// Whether something in the world can add mechanical energy: a force without a
    /// potential, a motor, a mouse drag, wind, a scripted obstacle or pin, or characters.
    pub fn has_energy_source(&self) -> bool {
        self.motion.is_some()
            || !self.pointer_springs.is_empty()
            || self.forces.iter().any(|force| force.can_add_energy())
            || self.joints().iter().any(Joint::has_motor)
            || self.cloth.as_ref().is_some_and(ClothWorld::is_driven)
    }

    /// The energy that lifts every free body by its radius of gyration, and all cloth by
    /// a tenth of its extent: a scale below which changes of energy are noise.
    pub(crate) fn lift_energy(&self) -> f64 {
        let weight = self.gravity.length();
        let of_bodies: f64 = (0..self.bodies.len())
            .filter(|&m| self.bodies.activity(m).is_mobile())
            .map(|m| self.bodies.constants(m))
            .map(|c| c.mass * (c.moments.max_element() / c.mass).sqrt())
            .sum();
        let of_cloth = self.cloth.as_ref().map_or(0.0, ClothWorld::lift);
        weight * (of_bodies + of_cloth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(kinetic: f64, potential: f64) -> Totals {
        Totals {
            kinetic,
            potential,
            ..Totals::default()
        }
    }

    fn growth(frames: &[(f64, f64, bool)]) -> Option<f64> {
        let mut growth = EnergyGrowth::default();
        for &(kinetic, potential, explained) in frames {
            growth.add(&totals(kinetic, potential), 0.0, explained);
        }
        growth.unexplained()
    }

    #[test]
    fn energy_that_changes_its_form_or_is_lost_is_explained() {
        assert_eq!(growth(&[]), None);
        assert_eq!(growth(&[(0.0, 10.0, false), (10.0, 0.0, false)]), None);
        assert_eq!(growth(&[(10.0, 0.0, false), (1.0, 0.0, false)]), None);
        // Half a joule of drift in ten.
        assert_eq!(growth(&[(10.0, 0.0, false), (10.5, 0.0, false)]), None);
    }

    #[test]
    fn growth_after_a_loss_counts_from_the_lowest_total() {
        let lost_and_won = [(10.0, 0.0, false), (2.0, 0.0, false), (6.0, 0.0, false)];
        assert_eq!(growth(&lost_and_won), Some(4.0));
    }

    #[test]
    fn where_the_origin_is_does_not_matter() {
        let high = [(1.0, 1e6, false), (80.0, 1e6, false)];
        assert_eq!(growth(&high), Some(79.0));
    }

    #[test]
    fn a_kick_explains_its_own_frame_alone() {
        let kicked = [(0.0, 0.0, false), (5.0, 0.0, true), (5.0, 0.0, false)];
        assert_eq!(growth(&kicked), None);
        let then_grows = [(0.0, 0.0, false), (5.0, 0.0, true), (9.0, 0.0, false)];
        assert_eq!(growth(&then_grows), Some(4.0));
    }

    #[test]
    fn jitter_far_below_the_lift_energy_is_noise() {
        let mut growth = EnergyGrowth::default();
        growth.add(&totals(0.0, 5.0), 5.0, false);
        growth.add(&totals(0.001, 5.004), 5.0, false);
        assert_eq!(growth.unexplained(), None);
    }
}
