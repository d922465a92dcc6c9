//! Merging of bodies with their motion: mass, momentum and angular momentum are
//! conserved (Di Pierro §9 and `operator+`, corrected).

use crate::bodies::{Activity, Bodies, Constants, Mount};
use crate::mass::MassProperties;
use crate::state::State;
use conatus_math::{DMat3, DVec3, Pose, rotation};

impl Bodies {
    /// Merges the movers of `list` (body indices) into one and returns its
    /// index: that of the first. Bodies on the same mover stay as they are.
    ///
    /// m = Σ mᵢ, K = Σ Kᵢ, L = Σ (Lᵢ + (pᵢ − p_cm) × Kᵢ): Di Pierro (64)-(67).
    /// If one of them is locked, the merged mover is. Nothing is merged, and
    /// `None` returned, if one is quarantined or removed, or the merged numbers
    /// are not finite.
    pub fn merge(&mut self, list: &[usize]) -> Option<usize> {
        let mut movers: Vec<usize> = list.iter().map(|&i| self.mount(i).mover).collect();
        movers.sort_unstable();
        movers.dedup();
        let (&first, others) = movers.split_first()?;
        if others.is_empty() {
            return Some(first);
        }
        // Invalid numbers must not spread.
        if movers
            .iter()
            .any(|&m| matches!(self.activity[m], Activity::Quarantined | Activity::Removed))
        {
            return None;
        }

        let parts: Vec<(MassProperties, Pose)> = movers
            .iter()
            .map(|&m| {
                let c = &self.constants[m];
                let own = MassProperties {
                    mass: c.mass,
                    centre: DVec3::ZERO,
                    inertia: DMat3::from_diagonal(c.moments),
                };
                (own, self.mover_state(m).pose())
            })
            .collect();
        let whole = MassProperties::combine(&parts);
        let diagonal = whole.diagonalise();
        let momentum: DVec3 = movers
            .iter()
            .map(|&m| self.mover_state(m).momentum(self.constants[m].mass))
            .sum();
        let spin: DVec3 = movers
            .iter()
            .map(|&m| {
                let (s, c) = (self.mover_state(m), &self.constants[m]);
                let orbital = (s.position - whole.centre).cross(s.momentum(c.mass));
                s.angular_momentum(c.moments) + orbital
            })
            .sum();
        let mut state = State {
            position: whole.centre,
            velocity: momentum / whole.mass,
            // Principal axes to world: the inverse of the diagonalising
            // rotation.
            orientation: rotation::from_matrix(diagonal.diag_rotation.transpose()),
            omega_body: DVec3::ZERO,
        };
        state.set_angular_momentum(spin, diagonal.moments);
        let constants = Constants {
            mass: whole.mass,
            moments: diagonal.moments,
            linear_damping: movers
                .iter()
                .map(|&m| self.constants[m].linear_damping)
                .sum(),
            angular_damping: movers
                .iter()
                .map(|&m| self.constants[m].angular_damping)
                .sum(),
        };

        if !(state.is_finite_and_slower_than_light()
            && constants.mass.is_finite()
            && constants.moments.is_finite())
        {
            return None;
        }
        let to_new = state.pose().inverse();
        for i in 0..self.len() {
            let mount = self.mounts[i];
            if movers.contains(&mount.mover) {
                let old = self.mover_state(mount.mover).pose();
                let own = mount.pose.unwrap_or(Pose::IDENTITY);
                self.mounts[i] = Mount {
                    mover: first,
                    pose: Some(to_new.after(&old.after(&own))),
                };
            }
        }
        let held = movers.iter().find_map(|&m| match self.activity[m] {
            Activity::Free | Activity::Asleep | Activity::Absorbed => None,
            activity => Some(activity),
        });
        for &m in others {
            self.activity[m] = Activity::Absorbed;
        }
        self.activity[first] = held.unwrap_or(Activity::Free);
        if held.is_some() {
            state.velocity = DVec3::ZERO;
            state.omega_body = DVec3::ZERO;
        }
        self.set_constants(first, constants);
        self.set_mover_state(first, &state);
        Some(first)
    }
}
