//! Checkpoints: the state of a world and its log as bytes for a recording, so
//! that a run that was stopped can be continued and ends with the same bits.
//!
//! A checkpoint holds no part of the scene: it is restored into a world that was
//! built from the same scene. It holds no caches either. Caches whose content
//! affects the last bits are cleared every [`CACHE_CLEAR_STEPS`] steps by every
//! world, with or without checkpoints, and checkpoints lie only at such steps.

pub(crate) mod wire;

use crate::cloth::ClothState;
use crate::command::{Command, Due};
use crate::run::{RunLog, RunStats};
use crate::world::World;
use conatus_math::Pose;
use conatus_rigid::Activity;
use conatus_rigid::bodies::Mount;
use conatus_rigid::contact::{SleepState, StoredContact, StoredTouches};
use conatus_rigid::forces::PointerSpring;
use conatus_rigid::joint::StoredJoint;
use conatus_rigid::snapshot::Mover;
use wire::{Reader, Wire, wire};

/// Steps after which every world clears its caches.
pub const CACHE_CLEAR_STEPS: u64 = 32;
/// The least number of frames from one checkpoint to the next; the greatest is
/// twice this.
pub const CHECKPOINT_FRAMES: u64 = 16;
/// The version of the byte layout. Raise it with every change of the state that
/// one step passes to the next.
const VERSION: u32 = 6;

/// A state from which a run can be continued.
pub struct Checkpoint<'a> {
    pub(crate) world: &'a World,
    pub(crate) log: &'a RunLog,
}

/// Why a run cannot be continued from a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// Another version of the program wrote it.
    #[error("it was written by another version of the program")]
    Version,
    /// The bytes are damaged.
    #[error("its data are damaged")]
    Damaged,
    /// It holds a NaN or an infinity.
    #[error("it holds a number that is not finite")]
    NotFinite,
    /// It does not match the scene.
    #[error("its {0} are not those of the scene")]
    Mismatch(&'static str),
    /// Its cloth does not match that of the scene.
    #[cfg(feature = "cloth")]
    #[error(transparent)]
    Cloth(#[from] conatus_cloth::ClothMismatch),
}

/// The content of a checkpoint, in the order of its bytes.
struct Snapshot {
    steps: u64,
    movers: Vec<Mover>,
    mounts: Vec<Mount>,
    pointer_springs: Vec<(u32, PointerSpring)>,
    contacts: Vec<StoredContact>,
    sleep: SleepState,
    joints: Vec<StoredJoint>,
    touches: StoredTouches,
    /// The joints that commands have added, and where their bodies were.
    added_joints: Vec<(usize, [Pose; 2])>,
    /// The inputs of a replayed recording that are still to be applied, as JSON.
    inputs: String,
    cloth: Option<ClothState>,
    stats: RunStats,
}

wire!(Snapshot {
    steps,
    movers,
    mounts,
    pointer_springs,
    contacts,
    sleep,
    joints,
    touches,
    added_joints,
    inputs,
    cloth,
    stats
});

impl Checkpoint<'_> {
    /// Appends the bytes of the checkpoint to `out`.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let world = self.world;
        let (movers, mounts) = world.bodies.snapshot();
        let snapshot = Snapshot {
            steps: world.steps,
            movers,
            mounts,
            pointer_springs: world.pointer_springs.clone(),
            contacts: world.contact_engine.stored(),
            sleep: world.contact_engine.sleep_state().clone(),
            joints: world.joints().iter().map(StoredJoint::of).collect(),
            touches: world.touches.stored(),
            added_joints: world.added_joints(),
            // Commands hold numbers and names, which JSON can always represent.
            inputs: serde_json::to_string(&world.inputs).unwrap_or_default(),
            cloth: world.cloth.as_ref().map(|c| c.state()),
            stats: self.log.stats_now(),
        };
        VERSION.put(out);
        snapshot.put(out);
    }
}

impl World {
    /// Restores the state of a checkpoint in a world that was just built from the
    /// same scene, and returns the log of the run. After an error the state of
    /// the world is unspecified: build it again.
    pub fn restore(&mut self, checkpoint: &[u8]) -> Result<RunLog, CheckpointError> {
        let mut bytes = Reader::new(checkpoint);
        match u32::get(&mut bytes) {
            Some(VERSION) => {}
            Some(_) => return Err(CheckpointError::Version),
            None => return Err(CheckpointError::Damaged),
        }
        let snapshot = match Snapshot::get(&mut bytes) {
            Some(snapshot) if bytes.len() == 0 => snapshot,
            _ if bytes.found_non_finite => return Err(CheckpointError::NotFinite),
            _ => return Err(CheckpointError::Damaged),
        };
        if !self.bodies.restore(&snapshot.movers, &snapshot.mounts) {
            return Err(CheckpointError::Mismatch("bodies"));
        }
        let bodies = self.bodies.len();
        if snapshot
            .pointer_springs
            .iter()
            .any(|(_, hand)| hand.body >= bodies)
        {
            return Err(CheckpointError::Mismatch("pointer springs"));
        }
        let inputs: Vec<(u64, Command)> =
            serde_json::from_str(&snapshot.inputs).map_err(|_| CheckpointError::Damaged)?;
        let known = |c: &Command| c.bodies().iter().all(|&body| body < bodies);
        if !inputs.iter().all(|(_, command)| known(command)) {
            return Err(CheckpointError::Mismatch("commands"));
        }
        match (&mut self.cloth, &snapshot.cloth) {
            (Some(cloth), Some(state)) => cloth.restore(state, &self.bodies)?,
            (None, None) => {}
            _ => return Err(CheckpointError::Mismatch("pieces of cloth")),
        }
        let (contacts, sleep) = (&snapshot.contacts, &snapshot.sleep);
        if !self.contact_engine.restore(contacts, sleep, &self.bodies) {
            return Err(CheckpointError::Mismatch("contacts"));
        }
        if !self.restore_added_joints(&snapshot.added_joints) {
            return Err(CheckpointError::Mismatch("joints"));
        }
        let joints = &mut self.contact_engine.joints;
        if joints.len() != snapshot.joints.len() {
            return Err(CheckpointError::Mismatch("joints"));
        }
        for (joint, stored) in joints.iter_mut().zip(&snapshot.joints) {
            stored.restore(joint);
        }
        self.steps = snapshot.steps;
        if !self.restore_touches(snapshot.touches) {
            return Err(CheckpointError::Mismatch("touching pairs"));
        }
        self.pointer_springs = snapshot.pointer_springs;
        self.inputs = inputs.into();
        self.drop_commands_done();
        self.attach_restored_bodies();
        for body in (0..bodies)
            .filter(|&body| !self.is_later(body))
            .collect::<Vec<_>>()
        {
            if self.bodies.activity(self.bodies.mount(body).mover) == Activity::Removed {
                self.detach(body);
            }
        }
        self.bodies.gather(&mut self.valid_states);
        tracing::info!(step = self.steps, "restored a checkpoint");
        Ok(RunLog::continuing(snapshot.stats))
    }

    /// Drops the commands of the scene that earlier steps have executed.
    fn drop_commands_done(&mut self) {
        let Some(last) = self.steps.checked_sub(1) else {
            return;
        };
        let horizon = self.horizon(last);
        self.due.retain(|due: &Due| due.time >= horizon);
    }
}
