//! The moments of an animation, and what a node does at them.
//!
//! glTF keeps times and poses in f32, wants times that increase, and forbids
//! infinities and NaN; recordings promise none of that.

use crate::model::Frame;
use conatus_math::{DQuat, DVec3};
use gltf_json::scene::UnitQuaternion;

/// The frames that become keys.
pub(super) struct Keys {
    /// Their times in seconds.
    pub times: Vec<f32>,
    /// Their places among the recording's frames.
    pub frames: Vec<usize>,
}

/// The values of a node's properties, one after the other for each key; empty
/// for properties that stay as they are.
#[derive(Default)]
pub(super) struct Track {
    pub translation: Vec<f32>,
    pub rotation: Vec<f32>,
    pub scale: Vec<f32>,
    pub weights: Vec<f32>,
}

impl Keys {
    /// Takes every frame that comes after the one before it even in f32.
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

    /// What body `index` does.
    pub fn body(&self, frames: &[Frame], index: usize) -> Track {
        let mut track = Track::default();
        let mut smooth = Smooth::default();
        for &frame in &self.frames {
            if let Some(body) = frames.get(frame).and_then(|f| f.bodies.get(index)) {
                let translation = smooth.translation(body.position);
                track.translation.extend(translation);
                track.rotation.extend(smooth.rotation(body.orientation));
            }
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

/// Passes poses on in f32, holds the last good one where a number went wrong,
/// and gives quaternions the sign that is nearer to the one before: the two
/// signs are one rotation, but halfway between them lies none.
pub(super) struct Smooth {
    translation: [f32; 3],
    rotation: DQuat,
}

impl Default for Smooth {
    fn default() -> Self {
        Self {
            translation: [0.0; 3],
            rotation: DQuat::IDENTITY,
        }
    }
}

impl Smooth {
    pub fn translation(&mut self, position: DVec3) -> [f32; 3] {
        let position = position.to_array().map(|v| v as f32);
        if position.iter().all(|v| v.is_finite()) {
            self.translation = position;
        }
        self.translation
    }

    pub fn rotation(&mut self, q: DQuat) -> [f32; 4] {
        let length = q.length();
        if length.is_finite() && length > 1e-6 {
            let q = q / length;
            self.rotation = if q.dot(self.rotation) < 0.0 { -q } else { q };
        }
        self.rotation.to_array().map(|v| v as f32)
    }
}
