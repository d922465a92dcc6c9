//! Keyframes: the times of an animation and a node's values at them.
//!
//! glTF requires f32, increasing times, and finite numbers; recordings guarantee
//! none of these.

use crate::shared::sanitize::PoseSanitizer;
use conatus_record::{Frame, Status};
use gltf_json::scene::UnitQuaternion;

/// The frames that become keyframes.
pub(super) struct Keyframes {
    /// Their times in seconds.
    pub times: Vec<f32>,
    /// Their indices in the recording's frames.
    pub frames: Vec<usize>,
}

/// The values of a node's properties for each keyframe; empty for constant
/// properties.
#[derive(Default)]
pub(super) struct Track {
    pub translation: Vec<f32>,
    pub rotation: Vec<f32>,
    pub scale: Vec<f32>,
    pub weights: Vec<f32>,
}

impl Keyframes {
    /// Takes every frame whose time increases in f32.
    pub fn new(frames: &[Frame]) -> Self {
        let mut keys = Self {
            times: Vec::new(),
            frames: Vec::new(),
        };
        for (index, frame) in frames.iter().enumerate() {
            let time = frame.time as f32;
            let later = keys.times.last().is_none_or(|last| time > *last);
            if time.is_finite() && time >= 0.0 && later {
                keys.times.push(time);
                keys.frames.push(index);
            }
        }
        keys
    }

    /// The poses of body `index`. A body that is not in the world has the scale 0:
    /// every reader of glTF hides it then.
    pub fn body(&self, frames: &[Frame], index: usize) -> Track {
        let mut track = Track::default();
        let mut poses = PoseSanitizer::default();
        for &frame in &self.frames {
            if let Some(body) = frames.get(frame).and_then(|f| f.bodies.get(index)) {
                let translation = poses.translation(body.position);
                track.translation.extend(translation);
                track.rotation.extend(poses.rotation(body.orientation));
                let scale = if body.status == Status::Removed {
                    0.0
                } else {
                    1.0
                };
                track.scale.extend([scale; 3]);
            }
        }
        if track.scale.iter().all(|scale| *scale == 1.0) {
            track.scale.clear();
        }
        track
    }
}

impl Track {
    /// The translation at the first key.
    pub fn first_translation(&self) -> Option<[f32; 3]> {
        self.translation.first_chunk().copied()
    }

    /// The rotation at the first key.
    pub fn first_rotation(&self) -> Option<UnitQuaternion> {
        self.rotation.first_chunk().copied().map(UnitQuaternion)
    }

    /// The scale at the first key.
    pub fn first_scale(&self) -> Option<[f32; 3]> {
        self.scale.first_chunk().copied()
    }
}
