//! A perspective camera that frames the whole motion.

use conatus_math::{DVec3, sincos};

/// Half of the vertical angle of view, as its tangent: 15°.
const HALF_VIEW_TANGENT: f64 = 0.268;
/// The fraction of the picture that the motion may fill.
const MAX_FILL: f64 = 0.9;

/// The position and the axes of the camera.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    pub eye: DVec3,
    /// Unit vectors to the right, to the top and into the picture.
    pub right: DVec3,
    pub above: DVec3,
    pub forward: DVec3,
    /// Tangents of half of the angles of view, across and upright.
    pub tan: [f64; 2],
}

impl Camera {
    /// The nearest camera that sees all balls, from an azimuth and an elevation in
    /// degrees.
    pub fn fit(
        azimuth: f64,
        height: f64,
        aspect: f64,
        balls: impl Iterator<Item = (DVec3, f64)>,
    ) -> Self {
        let mut camera = Self::towards(azimuth, height, aspect);
        // For each side of the view: how far out the eye must be. A ball is
        // inside of the right side if
        // (x − X) ≤ t (Z − z) − r √(1 + t²), with the eye at (X, Y, Z) and z
        // towards it; so X + t Z is at least the greatest x + t z + r √(1 + t²).
        let mut most = [[f64::NEG_INFINITY; 2]; 2];
        let tan = camera.tan.map(|t| t * MAX_FILL);
        let slant = tan.map(|t| (1.0 + t * t).sqrt());
        for (centre, radius) in balls {
            let z = -centre.dot(camera.forward);
            for (k, axis) in [camera.right, camera.above].into_iter().enumerate() {
                let across = centre.dot(axis);
                let reach = tan[k] * z + radius * slant[k];
                most[k][0] = most[k][0].max(across + reach);
                most[k][1] = most[k][1].max(reach - across);
            }
        }
        if most.as_flattened().iter().any(|m| !m.is_finite()) {
            most = [[2.0 * HALF_VIEW_TANGENT; 2]; 2];
        }
        let far = |k: usize| (most[k][0] + most[k][1]) / (2.0 * tan[k]);
        let middle = |k: usize| (most[k][0] - most[k][1]) / 2.0;
        camera.eye = camera.right * middle(0) + camera.above * middle(1)
            - camera.forward * f64::max(far(0), far(1));
        camera
    }

    /// The aspect ratio of the balls in a parallel projection.
    pub fn proportions(
        azimuth: f64,
        height: f64,
        balls: impl Iterator<Item = (DVec3, f64)>,
    ) -> f64 {
        let camera = Self::towards(azimuth, height, 1.0);
        let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for (centre, radius) in balls {
            for (k, axis) in [camera.right, camera.above].into_iter().enumerate() {
                lo[k] = lo[k].min(centre.dot(axis) - radius);
                hi[k] = hi[k].max(centre.dot(axis) + radius);
            }
        }
        let ratio = (hi[0] - lo[0]) / (hi[1] - lo[1]);
        if ratio.is_finite() { ratio } else { 1.0 }
    }

    fn towards(azimuth: f64, height: f64, aspect: f64) -> Self {
        let (sin, cos) = sincos(azimuth.to_radians());
        let (rise, level) = sincos(height.to_radians());
        let forward = -DVec3::new(cos * level, sin * level, rise);
        let right = DVec3::new(-sin, cos, 0.0);
        Self {
            eye: DVec3::ZERO,
            right,
            above: right.cross(forward),
            forward,
            // The shorter side has the fixed angle of view.
            tan: match aspect > 1.0 {
                true => [HALF_VIEW_TANGENT * aspect, HALF_VIEW_TANGENT],
                false => [HALF_VIEW_TANGENT, HALF_VIEW_TANGENT / aspect],
            },
        }
    }

    /// A point in camera coordinates: right, up, depth.
    pub fn view(&self, p: DVec3) -> DVec3 {
        let q = p - self.eye;
        DVec3::new(q.dot(self.right), q.dot(self.above), q.dot(self.forward))
    }

    /// From tangents of view angles to picture coordinates.
    pub fn place(&self, across: f64, upright: f64, size: [f64; 2]) -> [f64; 2] {
        [
            (1.0 + across / self.tan[0]) / 2.0 * size[0],
            (1.0 - upright / self.tan[1]) / 2.0 * size[1],
        ]
    }

    /// From picture coordinates to tangents of view angles.
    pub fn angles(&self, x: f64, y: f64, size: [f64; 2]) -> [f64; 2] {
        [
            (2.0 * x / size[0] - 1.0) * self.tan[0],
            (1.0 - 2.0 * y / size[1]) * self.tan[1],
        ]
    }

    /// The ray of these angles, with depth 1.
    pub fn ray(&self, [across, upright]: [f64; 2]) -> DVec3 {
        self.forward + self.right * across + self.above * upright
    }
}
