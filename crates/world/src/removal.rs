//! Taking bodies out of a running world.

use crate::command::Command;
use crate::world::World;
use conatus_math::DVec3;
use conatus_rigid::Activity;

/// Why a body cannot be removed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemovalError {
    /// There is no such body.
    #[error("there is no such body in this world")]
    Unknown,
    /// It was removed before.
    #[error("`{0}` was removed before")]
    AlreadyRemoved(String),
    /// It moves as one with other bodies.
    #[error("`{0}` has merged with other bodies and cannot be removed alone")]
    Merged(String),
    /// Cloth may touch it.
    #[error(
        "`{0}` can meet cloth, whose collision surfaces are fixed at the start; \
         set `collides = false` on bodies that are removed later"
    )]
    TouchesCloth(String),
}

impl World {
    /// Removes a body from the world at once, with springs and other forces that act on it
    /// alone. Its index is never used again.
    pub fn remove_body(&mut self, body: usize) -> Result<(), RemovalError> {
        self.removable(body)?;
        self.execute_now(&Command::Remove(body));
        Ok(())
    }

    fn removable(&self, body: usize) -> Result<(), RemovalError> {
        if body >= self.bodies.len() {
            return Err(RemovalError::Unknown);
        }
        let name = || self.names[body].clone();
        let mount = self.bodies.mount(body);
        let rides = |i: usize| i != body && self.bodies.mount(i).mover == mount.mover;
        if self.bodies.activity(mount.mover) == Activity::Removed {
            Err(RemovalError::AlreadyRemoved(name()))
        } else if mount.pose.is_some() || (0..self.bodies.len()).any(rides) {
            Err(RemovalError::Merged(name()))
        } else if (self.cloth.as_ref())
            .is_some_and(|cloth| !cloth.positions().is_empty() && cloth.bodies().contains(&body))
        {
            Err(RemovalError::TouchesCloth(name()))
        } else {
            Ok(())
        }
    }

    pub(crate) fn take_out(&mut self, body: usize) {
        if self.removable(body).is_err() {
            return;
        }
        let mut state = self.bodies.state(body);
        state.velocity = DVec3::ZERO;
        state.omega_body = DVec3::ZERO;
        let m = self.bodies.mount(body).mover;
        self.bodies.set_mover_state(m, &state);
        self.bodies.set_activity(m, Activity::Removed);
        self.detach(body);
    }

    /// Drops everything that refers to a body that was removed.
    pub(crate) fn detach(&mut self, body: usize) {
        self.contact_engine.disable_body(body);
        let joints = self.contact_engine.joints.iter_mut();
        let of_body = joints.filter(|joint| joint.bodies.contains(&Some(body)));
        of_body.for_each(|joint| joint.broken = true);
        self.pointer_springs.retain(|(_, hand)| hand.body != body);
        let kept: Vec<bool> = (self.forces.iter_mut())
            .map(|force| force.remove_body(body))
            .collect();
        let mut keep = kept.iter().copied();
        self.forces.retain(|_| keep.next().unwrap_or(true));
        let mut keep = kept.iter().copied();
        self.force_ids.retain(|_| keep.next().unwrap_or(true));
    }
}
