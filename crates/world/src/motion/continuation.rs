//! Plans that continue a movement from one of its moments: the state of a clip
//! becomes the start of a new planning problem.

use super::MotionPlanner;
use conatus_math::{DMat3, DQuat, DVec3};
use conatus_motion::character::{Limb, Placement};
use conatus_motion::{CharacterPose, CharacterStart, ObjectStart, PoseVelocity, Problem, Twist};
use conatus_record::Clip;
use conatus_record::clip::{ClipEffector, ClipTwists};
use std::ops::Range;

/// Why a movement cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum ContinuationError {
    /// It is of other characters or objects.
    #[error("the clip is of other characters or objects than those of the scene")]
    OtherCharacters,
    /// The clip has no velocities, or not those of a limb.
    #[error("the clip holds no velocities, so that it cannot be continued")]
    NoVelocities,
    /// Too little of the scene's time is left.
    #[error("at {0:.3} s nothing is left to plan")]
    NothingLeft(f64),
}

impl MotionPlanner {
    /// A planner for the rest of the scene: it starts in the state that `clip` has
    /// at the moment nearest to `time`, with all positions and velocities, and
    /// holds for its first phase the contacts of characters that are active for as
    /// long there.
    /// Goals whose time has passed are left out. Its movements start at that
    /// moment ([`Clip::start_time`]); [`Setup::continue_movement`] plays them.
    ///
    /// [`Setup::continue_movement`]: crate::scene::Setup::continue_movement
    pub fn continued_from(&self, clip: &Clip, time: f64) -> Result<Self, ContinuationError> {
        let moment = clip.moment(time);
        let time = clip.time.get(moment).copied().unwrap_or(0.0);
        // Times of a problem count from its start.
        let elapsed = time - self.start_seconds;
        let left = self.seconds() - elapsed;
        if left.is_nan() || left < self.problem.phase_seconds / self.problem.segments as f64 {
            return Err(ContinuationError::NothingLeft(time));
        }
        let rest = self.problem.after(elapsed);
        let held = moment..clip.moment(time + rest.phase_seconds) + 1;
        let characters = self.character_starts(clip, moment, &held)?;
        let objects = self.object_starts(clip, moment)?;
        Ok(Self {
            problem: Problem {
                characters,
                objects,
                ..rest
            },
            goals: (self.problem.goals.iter().zip(&self.goals))
                .filter(|(goal, _)| goal.after(elapsed, left).is_some())
                .map(|(_, name)| name.clone())
                .collect(),
            targets: self.targets.clone(),
            start_seconds: time,
        })
    }

    fn character_starts(
        &self,
        clip: &Clip,
        moment: usize,
        held: &Range<usize>,
    ) -> Result<Vec<CharacterStart>, ContinuationError> {
        let known = clip.velocities.as_ref();
        let known = known.ok_or(ContinuationError::NoVelocities)?;
        if clip.characters.len() != self.problem.characters.len() {
            return Err(ContinuationError::OtherCharacters);
        }
        let together = (self.problem.characters.iter()).zip(&clip.characters);
        let starts = together
            .zip(&known.characters)
            .map(|((start, there), known)| {
                let limbs = &start.character.limbs;
                // The effectors of the limbs come first, in the order of the limbs.
                let of_limbs = there.effectors.get(..limbs.len());
                let of_limbs = of_limbs.ok_or(ContinuationError::OtherCharacters)?;
                let same = |(limb, effector): (&Limb, &ClipEffector)| {
                    effector.limb.as_ref() == Some(&limb.name)
                };
                if there.name != start.character.base.name || !limbs.iter().zip(of_limbs).all(same)
                {
                    return Err(ContinuationError::OtherCharacters);
                }
                let twists = known.effectors.iter().take(limbs.len());
                let effectors: Result<Vec<Twist>, _> =
                    twists.map(|twists| twist(twists, moment)).collect();
                let places = of_limbs
                    .iter()
                    .map(|e| place(&e.position, &e.orientation, moment));
                let places: Result<Vec<Placement>, _> = places.collect();
                Ok(CharacterStart {
                    character: start.character.clone(),
                    pose: CharacterPose {
                        torso: place(&there.torso.position, &there.torso.orientation, moment)?,
                        effectors: places?,
                    },
                    velocity: PoseVelocity {
                        torso: twist(&known.torso, moment)?,
                        effectors: effectors?,
                    },
                    held_contacts: (there.effectors.iter())
                        .filter_map(|effector| held_contact(clip, effector, held))
                        .collect(),
                })
            });
        starts.collect()
    }

    fn object_starts(
        &self,
        clip: &Clip,
        moment: usize,
    ) -> Result<Vec<ObjectStart>, ContinuationError> {
        let known = clip.velocities.as_ref();
        let known = known.ok_or(ContinuationError::NoVelocities)?;
        if clip.objects.len() != self.problem.objects.len() {
            return Err(ContinuationError::OtherCharacters);
        }
        let together = (self.problem.objects.iter()).zip(&clip.objects);
        let starts = together.zip(&known.objects).map(|((start, there), known)| {
            if there.name != start.object.base.name {
                return Err(ContinuationError::OtherCharacters);
            }
            Ok(ObjectStart {
                object: start.object.clone(),
                place: place(&there.position, &there.orientation, moment)?,
                velocity: twist(known, moment)?,
                // A clip does not tell which patch of an object bears its weight.
                held_contacts: Vec::new(),
            })
        });
        starts.collect()
    }
}

/// The name of the contact that an effector has with the same surface or object
/// at all of these moments, if there is one.
fn held_contact(clip: &Clip, effector: &ClipEffector, held: &Range<usize>) -> Option<String> {
    let touches = effector.touches.get(held.clone())?;
    let first = touches.first()?.as_ref()?;
    let same = touches.iter().all(|t| t.as_ref() == Some(first));
    let with = match is_surface(clip, first) {
        true => effector.name.clone(),
        false => format!("{} on {first}", effector.name),
    };
    (same && all_active(&effector.active, held)).then_some(with)
}

fn is_surface(clip: &Clip, name: &str) -> bool {
    clip.surfaces.iter().any(|surface| surface.name == name)
}

fn all_active(active: &[bool], held: &Range<usize>) -> bool {
    active
        .get(held.clone())
        .is_some_and(|active| active.iter().all(|a| *a))
}

fn place(
    position: &[DVec3],
    orientation: &[DQuat],
    moment: usize,
) -> Result<Placement, ContinuationError> {
    match (position.get(moment), orientation.get(moment)) {
        (Some(position), Some(orientation)) => Ok(Placement {
            position: *position,
            orientation: DMat3::from_quat(*orientation),
        }),
        _ => Err(ContinuationError::OtherCharacters),
    }
}

fn twist(twists: &ClipTwists, moment: usize) -> Result<Twist, ContinuationError> {
    let (linear, angular) = (twists.get(moment)).ok_or(ContinuationError::NoVelocities)?;
    Ok(Twist { linear, angular })
}
