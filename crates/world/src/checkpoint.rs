//! Checkpoints: all that a world and its logbook need to go on, as bytes for
//! a recording, so that a run that was stopped ends as if it had not been.
//!
//! What the scene says is not in them: a checkpoint is put into a world that
//! was built from the same scene. Nor is working memory. What of that shows in
//! the last bits is forgotten every [`MEMORY_STEPS`] steps by every world,
//! stored or not, and checkpoints lie at such steps only.

mod wire;

use crate::command::{Command, Due};
use crate::run::{Logbook, Notes};
use crate::world::World;
use conatus_cloth::{ClothState, OtherCloth};
use conatus_record::bytes::Bytes;
use conatus_rigid::Activity;
use conatus_rigid::bodies::Mount;
use conatus_rigid::forces::Hand;
use conatus_rigid::snapshot::Mover;
use wire::{Wire, wire};

/// Steps after which a world forgets what it keeps only to save time.
pub const MEMORY_STEPS: u64 = 32;
/// Frames from one checkpoint to the next, at least; at most twice as many.
pub const CHECKPOINT_FRAMES: u64 = 16;
/// The version of the layout. Whoever changes what a step leaves for the next
/// raises it.
const VERSION: u32 = 2;

/// A moment from which a run can be continued.
pub struct Checkpoint<'a> {
    pub(crate) world: &'a World,
    pub(crate) log: &'a Logbook,
}

/// Why a run cannot be continued from a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// Another version of the program wrote it.
    #[error("it was written by another version of the program")]
    Version,
    /// It is not what the program writes.
    #[error("it is garbled")]
    Garbled,
    /// It does not fit the scene.
    #[error("its {0} are not those of the scene")]
    Misfit(&'static str),
    /// Its cloth does not fit the scene's.
    #[error(transparent)]
    Cloth(#[from] OtherCloth),
}

/// The whole of a checkpoint, in the order of its bytes.
struct Snapshot {
    steps: u64,
    movers: Vec<Mover>,
    mounts: Vec<Mount>,
    hands: Vec<(u32, Hand)>,
    /// Commands of a recording that is run again and that are still to come,
    /// as JSON.
    inputs: String,
    cloth: Option<ClothState>,
    notes: Notes,
}

wire!(Snapshot {
    steps,
    movers,
    mounts,
    hands,
    inputs,
    cloth,
    notes
});

impl Checkpoint<'_> {
    /// Appends the checkpoint's bytes to `out`.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let world = self.world;
        let (movers, mounts) = world.bodies.snapshot();
        let snapshot = Snapshot {
            steps: world.steps,
            movers,
            mounts,
            hands: world.hands.clone(),
            // Numbers and names always have a text.
            inputs: serde_json::to_string(&world.inputs).unwrap_or_default(),
            cloth: world.cloth.as_ref().map(|c| c.cloth.state()),
            notes: self.log.notes_now(),
        };
        VERSION.put(out);
        snapshot.put(out);
    }
}

impl World {
    /// Puts a world that was just built from the same scene where the run was
    /// at a checkpoint, and returns its logbook. After an error the world is
    /// good for nothing.
    pub fn restore(&mut self, checkpoint: &[u8]) -> Result<Logbook, CheckpointError> {
        let mut bytes = Bytes(checkpoint);
        match u32::get(&mut bytes) {
            Some(VERSION) => {}
            Some(_) => return Err(CheckpointError::Version),
            None => return Err(CheckpointError::Garbled),
        }
        let snapshot = Snapshot::get(&mut bytes).filter(|_| bytes.0.is_empty());
        let snapshot = snapshot.ok_or(CheckpointError::Garbled)?;
        if !self.bodies.restore(&snapshot.movers, &snapshot.mounts) {
            return Err(CheckpointError::Misfit("bodies"));
        }
        let bodies = self.bodies.len();
        if snapshot.hands.iter().any(|(_, hand)| hand.body >= bodies) {
            return Err(CheckpointError::Misfit("hands"));
        }
        let inputs: Vec<(u64, Command)> =
            serde_json::from_str(&snapshot.inputs).map_err(|_| CheckpointError::Garbled)?;
        let known = |c: &Command| c.bodies().iter().all(|&body| body < bodies);
        if !inputs.iter().all(|(_, command)| known(command)) {
            return Err(CheckpointError::Misfit("commands"));
        }
        match (&mut self.cloth, &snapshot.cloth) {
            (Some(cloth), Some(state)) => cloth.restore(state, &self.bodies)?,
            (None, None) => {}
            _ => return Err(CheckpointError::Misfit("pieces of cloth")),
        }
        self.steps = snapshot.steps;
        self.hands = snapshot.hands;
        self.inputs = inputs.into();
        self.drop_commands_done();
        for body in 0..bodies {
            if self.bodies.activity(self.bodies.mount(body).mover) == Activity::Removed {
                self.detach(body);
            }
        }
        self.bodies.gather(&mut self.sound);
        Ok(Logbook::with(snapshot.notes))
    }

    /// Drops the scene's commands that earlier steps have carried out.
    fn drop_commands_done(&mut self) {
        let Some(last) = self.steps.checked_sub(1) else {
            return;
        };
        let horizon = self.horizon(last);
        self.due.retain(|due: &Due| due.time >= horizon);
    }
}
