//! Plays movements in a world. The world's characters are scripted bodies, which
//! follow a clip.

use super::{MotionReport, Movement, MovementMismatch};
use crate::scene::Setup;
use crate::world::World;
use conatus_record::clip::ClipTracks;
use conatus_record::{BodyFrame, Clip, ContactFrame};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The kind of the event that holds a movement's report in a recording.
pub const MOVEMENT_EVENT: &str = "motion";

/// The characters of a world.
pub struct MotionWorld {
    movement: Option<Arc<Movement>>,
    start: Arc<Clip>,
    tracks: ClipTracks,
}

impl MotionWorld {
    /// Characters that stand still in their start poses.
    pub fn still(start: Clip) -> Self {
        Self {
            movement: None,
            tracks: start.tracks(),
            start: Arc::new(start),
        }
    }

    /// Plays a movement from now on, if it is one of these characters.
    fn set_movement(&mut self, movement: &Arc<Movement>) -> Result<(), MovementMismatch> {
        let names = |clip: &Clip| -> Vec<String> {
            clip.parts().into_iter().map(|part| part.name).collect()
        };
        if names(&self.start) != names(&movement.clip) {
            return Err(MovementMismatch::OtherCharacters);
        }
        self.tracks = movement.clip.tracks();
        self.movement = Some(Arc::clone(movement));
        Ok(())
    }

    /// Plays a movement from its start time on, and what was set before until then.
    fn continue_movement(&mut self, movement: &Movement) -> Result<(), MovementMismatch> {
        let clip = self.clip().followed_by(&movement.clip);
        let clip = clip.map_err(MovementMismatch::NotContinuous)?;
        let report = movement.report.clone();
        self.set_movement(&Arc::new(Movement { clip, report }))
    }

    /// The movement that is played, once it is set.
    pub fn movement(&self) -> Option<&Arc<Movement>> {
        self.movement.as_ref()
    }

    /// The clip of the movement, once it is set.
    pub fn movement_clip(&self) -> Option<&Clip> {
        self.movement.as_ref().map(|movement| &movement.clip)
    }

    /// The clip that is played: the movement, or the start poses.
    pub fn clip(&self) -> &Clip {
        match &self.movement {
            Some(movement) => &movement.clip,
            None => &self.start,
        }
    }

    /// The report of the movement.
    pub fn report(&self) -> Option<&MotionReport> {
        self.movement.as_ref().map(|m| &m.report)
    }

    /// The states of all parts at a time.
    pub fn parts(&self, time: f64) -> Vec<BodyFrame> {
        self.tracks.poses(time)
    }

    /// The contact forces on characters at a time, as impulses of a step.
    pub fn contacts(&self, time: f64, step: f64) -> Vec<ContactFrame> {
        self.clip().contact_frames(time, step)
    }
}

impl Setup {
    /// Plans the movement of the scene's characters, if it has any, and sets it. That is
    /// long work on all threads; [`MotionPlanner`](super::MotionPlanner) can tell how far it is.
    pub fn plan_movement(&mut self) {
        if let Some(planner) = &self.planner {
            let movement = planner.plan(&|_| ControlFlow::Continue(()));
            // The planner is that of this setup, so the movement fits.
            let _ = self.set_movement(&Arc::new(movement));
        }
    }

    /// Makes the characters move as planned. The world logs the movement's
    /// report as an event. A movement of other characters is refused.
    pub fn set_movement(&mut self, movement: &Arc<Movement>) -> Result<(), MovementMismatch> {
        self.world.characters()?.set_movement(movement)?;
        self.world.movement_changed(&movement.report);
        Ok(())
    }

    /// Makes the characters move as `movement` from its start time on
    /// ([`Clip::start_time`]), and as before until then. It must start in the state
    /// that they have at that time, as a movement of
    /// [`MotionPlanner::continued_from`](super::MotionPlanner::continued_from) does.
    pub fn continue_movement(&mut self, movement: &Movement) -> Result<(), MovementMismatch> {
        self.world.characters()?.continue_movement(movement)?;
        self.world.movement_changed(&movement.report);
        Ok(())
    }
}

impl World {
    /// The characters of the world; no movement fits a world without any.
    fn characters(&mut self) -> Result<&mut MotionWorld, MovementMismatch> {
        let motion = self.motion.as_mut();
        motion.ok_or(MovementMismatch::OtherCharacters)
    }

    /// Moves the obstacles of cloth along the new movement and logs its report.
    fn movement_changed(&mut self, report: &MotionReport) {
        if let (Some(motion), Some(cloth)) = (&self.motion, &mut self.cloth) {
            cloth.follow(motion);
        }
        tracing::info!(
            good = report.good,
            attempts = report.attempts.len(),
            "movement set"
        );
        // JSON can always represent a report.
        let detail = serde_json::to_value(report).unwrap_or_default();
        self.log(MOVEMENT_EVENT, detail);
    }
}
