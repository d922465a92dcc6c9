//! Snapshots of everything about bodies that changes during a run.

use crate::bodies::{Activity, Bodies, Constants, Mount};
use crate::state::State;

/// A mover at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mover {
    /// Its constants; a merge changes them.
    pub constants: Constants,
    /// Its motion.
    pub state: State,
    /// Its activity.
    pub activity: Activity,
}

impl Bodies {
    /// All movers, and the mount of each body.
    pub fn snapshot(&self) -> (Vec<Mover>, Vec<Mount>) {
        let mover = |m: usize| Mover {
            constants: self.constants[m],
            state: self.mover_state(m),
            activity: self.activity[m],
        };
        ((0..self.len()).map(mover).collect(), self.mounts.clone())
    }

    /// Restores a snapshot of the same bodies, bit for bit. Changes nothing and
    /// returns false if it is of others.
    #[must_use]
    pub fn restore(&mut self, movers: &[Mover], mounts: &[Mount]) -> bool {
        let n = self.len();
        if movers.len() != n || mounts.len() != n || mounts.iter().any(|mount| mount.mover >= n) {
            return false;
        }
        for (m, mover) in movers.iter().enumerate() {
            self.set_constants(m, mover.constants);
            self.set_mover_state(m, &mover.state);
            self.activity[m] = mover.activity;
        }
        self.mounts.copy_from_slice(mounts);
        true
    }
}
