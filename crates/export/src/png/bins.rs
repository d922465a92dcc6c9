//! Bins primitives by the bands of rows that they cover.

use super::camera::Camera;
use super::picture_space::wide;
use super::primitives::{Primitives, Triangle};

/// The near plane: closer geometry is clipped.
pub(super) const NEAR_PLANE: f64 = 1e-3;

/// The primitives of each band of rows.
pub(super) struct Bins {
    pub rows: usize,
    pub bands: Vec<Bin>,
}

/// The primitives of a band, by their indices.
#[derive(Clone, Default)]
pub(super) struct Bin {
    pub balls: Vec<u32>,
    pub triangles: Vec<u32>,
    pub water: Vec<u32>,
    pub translucent: Vec<u32>,
}

impl Bins {
    /// Bins primitives into bands of `rows` rows of samples.
    pub fn new(camera: &Camera, height: usize, rows: usize, primitives: &Primitives) -> Self {
        let mut bands = vec![Bin::default(); height.div_ceil(rows)];
        let last = bands.len().saturating_sub(1);
        let whole = height as f64;
        let row = |upright: f64| camera.place(0.0, upright, [1.0, whole])[1];
        // A little more than what is covered, for rounding.
        let mut put = |top: f64, bottom: f64, list: fn(&mut Bin) -> &mut Vec<u32>, at: usize| {
            if bottom >= -1.0 && top <= whole + 1.0 {
                let band = |y: f64| (y.max(0.0) as usize / rows).min(last);
                for bin in &mut bands[band(top - 1.0)..=band(bottom + 1.0)] {
                    list(bin).push(at as u32);
                }
            }
        };
        for (at, ball) in primitives.balls.iter().enumerate() {
            let c = camera.view(ball.centre);
            if let Some([low, high]) = tangents(c.y, c.z, ball.radius) {
                put(row(high), row(low), |bin| &mut bin.balls, at);
            }
        }
        let span = |triangle: &Triangle| {
            let seen = triangle.corners.map(|p| camera.view(wide(p)));
            let rows = seen.map(|p| row(p.y / p.z));
            match seen.iter().all(|p| p.z >= NEAR_PLANE) {
                true => rows.iter().fold([whole, 0.0], |[top, bottom], y| {
                    [f64::min(top, *y), f64::max(bottom, *y)]
                }),
                false => [0.0, whole],
            }
        };
        for (at, triangle) in primitives.triangles.iter().enumerate() {
            let [top, bottom] = span(triangle);
            put(top, bottom, |bin| &mut bin.triangles, at);
        }
        for (at, triangle) in primitives.water.iter().enumerate() {
            let [top, bottom] = span(triangle);
            put(top, bottom, |bin| &mut bin.water, at);
        }
        for (at, triangle) in primitives.translucent.iter().enumerate() {
            let [top, bottom] = span(triangle);
            put(top, bottom, |bin| &mut bin.translucent, at);
        }
        Self { rows, bands }
    }
}

/// The tangents from the eye to a ball that is `across` from the middle and
/// `ahead`; none if it is not entirely in front of the eye.
pub(super) fn tangents(across: f64, ahead: f64, r: f64) -> Option<[f64; 2]> {
    if ahead - r < NEAR_PLANE {
        return None;
    }
    let below = ahead * ahead - r * r;
    let root = (across * across + below).sqrt();
    Some([-r, r].map(|r| (across * ahead + r * root) / below))
}
