//! Poses and vertices for other formats: in f32, finite, and with quaternions that
//! do not change their sign.

use conatus_math::{DQuat, DVec3};

/// Converts poses to f32, repeats the last finite one in place of one that is not,
/// and chooses the sign of a quaternion closer to the one before: q and −q are the
/// same rotation, but interpolation between them is wrong.
pub(crate) struct PoseSanitizer {
    translation: [f32; 3],
    rotation: DQuat,
}

impl Default for PoseSanitizer {
    fn default() -> Self {
        Self {
            translation: [0.0; 3],
            rotation: DQuat::IDENTITY,
        }
    }
}

impl PoseSanitizer {
    /// The position, or the last finite one.
    pub fn translation(&mut self, position: DVec3) -> [f32; 3] {
        let position = position.to_array().map(|v| v as f32);
        if position.iter().all(|v| v.is_finite()) {
            self.translation = position;
        }
        self.translation
    }

    /// The rotation as x, y, z, w, or the last finite one.
    pub fn rotation(&mut self, q: DQuat) -> [f32; 4] {
        let length = q.length();
        if length.is_finite() && length > 1e-6 {
            let q = q / length;
            self.rotation = if q.dot(self.rotation) < 0.0 { -q } else { q };
        }
        self.rotation.to_array().map(|v| v as f32)
    }
}

/// Converts the vertices of cloth to f32 and repeats the last finite position of a
/// vertex.
pub(crate) struct VertexSanitizer {
    points: Vec<[f32; 3]>,
}

impl VertexSanitizer {
    /// Starts with all vertices at the origin.
    pub fn new(vertices: usize) -> Self {
        Self {
            points: vec![[0.0; 3]; vertices],
        }
    }

    /// The vertices of the next frame.
    pub fn next(&mut self, points: &[DVec3]) -> &[[f32; 3]] {
        for (held, point) in self.points.iter_mut().zip(points) {
            let point = point.to_array().map(|v| v as f32);
            if point.iter().all(|v| v.abs() < MAX_COORDINATE) {
                *held = point;
            }
        }
        &self.points
    }
}

/// Squared differences of smaller coordinates do not overflow f32.
const MAX_COORDINATE: f32 = 1e15;
