//! The moments of an animation, and what a node does at them.
//!
//! glTF keeps times and poses in f32, wants times that increase, and forbids
//! infinities and NaN; recordings promise none of that.

use crate::shared::sanitize::Smooth;
use conatus_record::Frame;
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
