//! Velocities of a clip: how fast torsos, effectors and objects move at its
//! moments.
//!
//! They are optional. Where a clip has them they are exact, so that a movement
//! can be continued from any of its moments; without them velocities are
//! differences of positions ([`Clip::tracks`]).

use super::Clip;
use conatus_math::DVec3;
use serde::{Deserialize, Serialize};

/// The velocities of all characters and objects of a clip, in its order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClipVelocities {
    /// Of the characters.
    pub characters: Vec<ClipCharacterVelocities>,
    /// Of the objects.
    pub objects: Vec<ClipTwists>,
}

/// The velocities of a character.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClipCharacterVelocities {
    /// Of its torso.
    pub torso: ClipTwists,
    /// Of its effectors.
    pub effectors: Vec<ClipTwists>,
}

/// Linear and angular velocity per moment, both in world axes. Both lists are
/// empty where the velocity is not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClipTwists {
    /// The velocity of the origin, in m/s.
    pub linear: Vec<DVec3>,
    /// The angular velocity, in rad/s.
    pub angular: Vec<DVec3>,
}

impl ClipTwists {
    /// Appends a moment.
    pub fn push(&mut self, linear: DVec3, angular: DVec3) {
        self.linear.push(linear);
        self.angular.push(angular);
    }

    /// Linear and angular velocity at a moment, if they are known.
    pub fn get(&self, moment: usize) -> Option<(DVec3, DVec3)> {
        Some((*self.linear.get(moment)?, *self.angular.get(moment)?))
    }

    fn check(&self, moments: usize) -> Result<(), String> {
        for (name, list) in [("linear", &self.linear), ("angular", &self.angular)] {
            if !(list.is_empty() && self.linear.is_empty() && self.angular.is_empty()
                || list.len() == moments)
            {
                let found = list.len();
                return Err(format!(
                    "{name} has {found} entries, but there are {moments} moments"
                ));
            }
            if !list.iter().all(|v| v.is_finite()) {
                return Err(format!("{name} is not finite"));
            }
        }
        Ok(())
    }
}

impl ClipVelocities {
    /// Lists without moments for the characters and objects of a clip.
    pub fn empty(clip: &Clip) -> Self {
        let character = |c: &super::ClipCharacter| ClipCharacterVelocities {
            torso: ClipTwists::default(),
            effectors: vec![ClipTwists::default(); c.effectors.len()],
        };
        Self {
            characters: clip.characters.iter().map(character).collect(),
            objects: vec![ClipTwists::default(); clip.objects.len()],
        }
    }

    /// Checks that the lists match the clip and are finite.
    pub(super) fn check(&self, clip: &Clip) -> Result<(), String> {
        let moments = clip.time.len();
        let effectors = |c: &super::ClipCharacter| c.effectors.len();
        let matches = self.characters.len() == clip.characters.len()
            && self.objects.len() == clip.objects.len()
            && (self.characters.iter().zip(&clip.characters))
                .all(|(velocities, c)| velocities.effectors.len() == effectors(c));
        if !matches {
            return Err("velocities are not of the clip's characters and objects".into());
        }
        let of_characters = self.characters.iter();
        let mut all = of_characters
            .flat_map(|c| c.effectors.iter().chain([&c.torso]))
            .chain(&self.objects);
        all.try_for_each(|twists| twists.check(moments))
            .map_err(|e| format!("velocities: {e}"))
    }
}
