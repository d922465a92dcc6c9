//! Poses and vertices as other formats want them: in f32, finite, and without
//! jumps between two signs of one rotation.

use conatus_math::{DQuat, DVec3};

/// Passes poses on in f32, holds the last good one where a number went wrong,
/// and gives quaternions the sign that is nearer to the one before: the two
/// signs are one rotation, but halfway between them lies none.
pub(crate) struct Smooth {
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
    /// A position, or the last good one.
    pub fn translation(&mut self, position: DVec3) -> [f32; 3] {
        let position = position.to_array().map(|v| v as f32);
        if position.iter().all(|v| v.is_finite()) {
            self.translation = position;
        }
        self.translation
    }

    /// A rotation as x, y, z, w, or the last good one.
    pub fn rotation(&mut self, q: DQuat) -> [f32; 4] {
        let length = q.length();
        if length.is_finite() && length > 1e-6 {
            let q = q / length;
            self.rotation = if q.dot(self.rotation) < 0.0 { -q } else { q };
        }
        self.rotation.to_array().map(|v| v as f32)
    }
}

/// The vertices of a piece of cloth in f32; where a number went wrong, the
/// last good place of the vertex.
pub(crate) struct Held {
    points: Vec<[f32; 3]>,
}

impl Held {
    /// Of so many vertices, all at the origin.
    pub fn new(vertices: usize) -> Self {
        Self {
            points: vec![[0.0; 3]; vertices],
        }
    }

    /// The vertices of the next frame.
    pub fn next(&mut self, points: &[DVec3]) -> &[[f32; 3]] {
        for (held, point) in self.points.iter_mut().zip(points) {
            let point = point.to_array().map(|v| v as f32);
            if point.iter().all(|v| v.abs() < FAR) {
                *held = point;
            }
        }
        &self.points
    }
}

/// Differences between numbers below this have squares in f32.
const FAR: f32 = 1e15;
