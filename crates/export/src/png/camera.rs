//! A perspective camera that is placed so that the whole motion is seen.

use conatus_math::{DVec3, sincos};

/// Half of the vertical angle of view, as its tangent: 15°.
const TAN: f64 = 0.268;
/// The part of the picture, from the middle on, that the motion may fill.
const FILL: f64 = 0.9;

/// Where the picture is taken from.
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
    /// Looks from an azimuth and a height, both in degrees, from as near as
    /// shows all balls.
    pub fn fit(
        azimuth: f64,
        height: f64,
        aspect: f64,
        balls: impl Iterator<Item = (DVec3, f64)>,
    ) -> Self {
        let mut camera = Self::towards(azimuth, height, aspect);
        // For each side of the picture: how far out the eye must be. A ball is
        // inside of the right side of the view if
        // (x − X) ≤ t (Z − z) − r √(1 + t²), with the eye at (X, Y, Z) and z
        // towards it; so X + t Z is at least the greatest x + t z + r √(1 + t²).
        let mut most = [[f64::NEG_INFINITY; 2]; 2];
        let tan = camera.tan.map(|t| t * FILL);
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
            most = [[2.0 * TAN; 2]; 2];
        }
        let far = |k: usize| (most[k][0] + most[k][1]) / (2.0 * tan[k]);
        let middle = |k: usize| (most[k][0] - most[k][1]) / 2.0;
        camera.eye = camera.right * middle(0) + camera.above * middle(1)
            - camera.forward * f64::max(far(0), far(1));
        camera
    }

    /// The width over the height that the balls take up, seen from afar.
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
            // Wide pictures are as wide as high ones are high.
            tan: match aspect > 1.0 {
                true => [TAN * aspect, TAN],
                false => [TAN, TAN / aspect],
            },
        }
    }

    /// A point as the camera has it: to the right, to the top, and how far
    /// into the picture.
    pub fn view(&self, p: DVec3) -> DVec3 {
        let q = p - self.eye;
        DVec3::new(q.dot(self.right), q.dot(self.above), q.dot(self.forward))
    }

    /// From tangents of angles to places in a picture of a width and height.
    pub fn place(&self, across: f64, upright: f64, size: [f64; 2]) -> [f64; 2] {
        [
            (1.0 + across / self.tan[0]) / 2.0 * size[0],
            (1.0 - upright / self.tan[1]) / 2.0 * size[1],
        ]
    }

    /// The tangents of the angles of a place in a picture.
    pub fn angles(&self, x: f64, y: f64, size: [f64; 2]) -> [f64; 2] {
        [
            (2.0 * x / size[0] - 1.0) * self.tan[0],
            (1.0 - 2.0 * y / size[1]) * self.tan[1],
        ]
    }

    /// The ray of these angles, which goes 1 into the picture.
    pub fn ray(&self, [across, upright]: [f64; 2]) -> DVec3 {
        self.forward + self.right * across + self.above * upright
    }
}
