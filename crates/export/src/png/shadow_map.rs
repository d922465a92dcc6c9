//! Shadow maps: the heights of primitives as seen from a light, and soft shadows
//! by comparing with them (percentage-closer soft shadows).

use super::picture_space::wide;
use super::primitives::{Ball, Triangle};
use super::scan;
use conatus_math::{DVec3, sincos};

/// The size of a tile, and how many tiles around one a blur can reach.
const TILE_TEXELS: usize = 16;
const NEIGHBOUR_TILES: isize = 2;
/// The widest blur; tiles overlap by at least this.
const MAX_BLUR_TEXELS: f64 = 30.0;
/// The radius of the sun over its distance.
const SUN_ANGULAR_RADIUS: f64 = 0.05;
const BLOCKER_SAMPLES: usize = 8;
const SHADOW_SAMPLES: usize = 12;

/// A map of heights towards a light that is far away.
pub(super) struct ShadowMap {
    right: DVec3,
    above: DVec3,
    toward: DVec3,
    corner: [f64; 2],
    texel: f64,
    size: usize,
    heights: Vec<f32>,
    tiles: Vec<f32>,
    tile_count: usize,
    spiral: Vec<[f64; 2]>,
}

impl ShadowMap {
    /// The heights of primitives towards a light, in `size` times `size` texels.
    pub fn new(balls: &[Ball], triangles: &[Triangle], toward: DVec3, size: usize) -> Self {
        let right = toward.any_orthonormal_vector();
        let above = toward.cross(right);
        let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let mut add = |p: DVec3, radius: f64| {
            for (k, axis) in [right, above].into_iter().enumerate() {
                lo[k] = lo[k].min(p.dot(axis) - radius);
                hi[k] = hi[k].max(p.dot(axis) + radius);
            }
        };
        for ball in balls {
            add(ball.centre, ball.radius);
        }
        for triangle in triangles {
            triangle.corners.iter().for_each(|c| add(wide(*c), 0.0));
        }
        let wide = f64::max(hi[0] - lo[0], hi[1] - lo[1]);
        let wide = if wide.is_finite() {
            wide.max(1e-9)
        } else {
            1.0
        };
        let texel = wide / (size - 4) as f64;
        let tile_count = size.div_ceil(TILE_TEXELS);
        let mut map = Self {
            right,
            above,
            toward,
            corner: lo.map(|c| if c.is_finite() { c - 2.0 * texel } else { 0.0 }),
            texel,
            size,
            heights: vec![f32::NEG_INFINITY; size * size],
            tiles: Vec::new(),
            tile_count,
            spiral: spiral(BLOCKER_SAMPLES.max(SHADOW_SAMPLES)),
        };
        for ball in balls {
            map.ball(ball);
        }
        for triangle in triangles {
            map.triangle(triangle);
        }
        map.tiles = map.highest_around();
        map
    }

    /// A point in texels, and its height.
    fn at(&self, p: DVec3) -> DVec3 {
        DVec3::new(
            (p.dot(self.right) - self.corner[0]) / self.texel,
            (p.dot(self.above) - self.corner[1]) / self.texel,
            p.dot(self.toward),
        )
    }

    fn raise(&mut self, i: usize, j: usize, height: f64) {
        if let Some(texel) = self.heights.get_mut(j * self.size + i) {
            *texel = texel.max(height as f32);
        }
    }

    fn ball(&mut self, ball: &Ball) {
        let c = self.at(ball.centre);
        let r = ball.radius / self.texel;
        for j in scan::middles(c.y - r, c.y + r, 0..self.size) {
            for i in scan::middles(c.x - r, c.x + r, 0..self.size) {
                let (dx, dy) = (i as f64 + 0.5 - c.x, j as f64 + 0.5 - c.y);
                let inside = r * r - dx * dx - dy * dy;
                if inside > 0.0 {
                    self.raise(i, j, c.z + inside.sqrt() * self.texel);
                }
            }
        }
    }

    fn triangle(&mut self, triangle: &Triangle) {
        let [a, b, c] = triangle.corners.map(|p| self.at(wide(p)));
        let flat = [a, b, c].map(|p| [p.x, p.y]);
        let all = 0..self.size;
        scan::triangle(flat, all.clone(), all, |i, j, [wa, wb, wc]| {
            self.raise(i, j, wa * a.z + wb * b.z + wc * c.z);
        });
    }

    /// For each tile the greatest height in it and around it.
    fn highest_around(&self) -> Vec<f32> {
        let n = self.tile_count;
        let mut own = vec![f32::NEG_INFINITY; n * n];
        for (at, &height) in self.heights.iter().enumerate() {
            let (i, j) = (at % self.size / TILE_TEXELS, at / self.size / TILE_TEXELS);
            if let Some(tile) = own.get_mut(j * n + i) {
                *tile = tile.max(height);
            }
        }
        let mut out = own.clone();
        for (at, tile) in out.iter_mut().enumerate() {
            let (i, j) = ((at % n) as isize, (at / n) as isize);
            for dj in -NEIGHBOUR_TILES..=NEIGHBOUR_TILES {
                for di in -NEIGHBOUR_TILES..=NEIGHBOUR_TILES {
                    let (i, j) = (i + di, j + dj);
                    let inside = 0..n as isize;
                    if inside.contains(&i) && inside.contains(&j) {
                        let near = own.get(j as usize * n + i as usize);
                        *tile = near.map_or(*tile, |near| tile.max(*near));
                    }
                }
            }
        }
        out
    }

    /// The greatest height near a place, in texels.
    fn highest(&self, x: f64, y: f64) -> f64 {
        // A blur just outside of the map still reaches into it.
        let near = |v: f64| v > -MAX_BLUR_TEXELS && v < self.size as f64 + MAX_BLUR_TEXELS;
        if !(near(x) && near(y)) {
            return f64::NEG_INFINITY;
        }
        let tile = |v: f64| ((v.max(0.0) as usize) / TILE_TEXELS).min(self.tile_count - 1);
        let found = self.tiles.get(tile(y) * self.tile_count + tile(x));
        found.map_or(f64::NEG_INFINITY, |h| f64::from(*h))
    }

    fn height(&self, x: f64, y: f64) -> f64 {
        let inside = 0.0..self.size as f64;
        if !(inside.contains(&x) && inside.contains(&y)) {
            return f64::NEG_INFINITY;
        }
        let found = self.heights.get(y as usize * self.size + x as usize);
        found.map_or(f64::NEG_INFINITY, |h| f64::from(*h))
    }

    /// The visible fraction of the sun at a point of a surface.
    /// `rotation` turns the pattern of samples, as cosine and sine.
    pub fn sun(&self, p: DVec3, normal: DVec3, rotation: [f64; 2]) -> f64 {
        // A little above the surface, so that it does not shade itself.
        let at = self.at(p + normal * (1.5 * self.texel));
        let highest = self.highest(at.x, at.y);
        if highest <= at.z {
            return 1.0;
        }
        // The surface's own slope in the map.
        let facing = normal.dot(self.toward).max(0.2);
        let slope = [self.right, self.above].map(|a| -normal.dot(a) / facing * self.texel);
        let bias = 0.5 * self.texel;
        let blockers = |radius: f64, taps: usize| {
            let (mut count, mut sum) = (0.0, 0.0);
            for [dx, dy] in self.disc(taps, rotation, radius) {
                let own = at.z + slope[0] * dx + slope[1] * dy;
                let height = self.height(at.x + dx, at.y + dy);
                if height > own + bias {
                    count += 1.0;
                    sum += height - own;
                }
            }
            (count, sum)
        };
        // The penumbra grows with the distance of the blocker.
        let blur = |gap: f64| (SUN_ANGULAR_RADIUS * gap / self.texel).clamp(1.2, MAX_BLUR_TEXELS);
        let (count, sum) = blockers(blur(highest - at.z), BLOCKER_SAMPLES);
        if count == 0.0 || count == BLOCKER_SAMPLES as f64 {
            return if count == 0.0 { 1.0 } else { 0.0 };
        }
        let (count, _) = blockers(blur(sum / count), SHADOW_SAMPLES);
        1.0 - count / SHADOW_SAMPLES as f64
    }

    /// Ambient occlusion from a map seen from above: the fraction of the sky that
    /// is hidden by primitives within about `reach`.
    pub fn occlusion(&self, p: DVec3, normal: DVec3, reach: f64, rotation: [f64; 2]) -> f64 {
        let at = self.at(p + normal * (0.4 * reach));
        if self.highest(at.x, at.y) <= at.z {
            return 0.0;
        }
        let radius = (reach / self.texel).min(MAX_BLUR_TEXELS);
        let bias = 0.15 * reach;
        let mut sum = 0.0;
        for [dx, dy] in self.disc(BLOCKER_SAMPLES, rotation, radius) {
            let gap = self.height(at.x + dx, at.y + dy) - at.z;
            if gap > bias {
                sum += 1.0 / (1.0 + (gap / (1.6 * reach)).powi(4));
            }
        }
        sum / BLOCKER_SAMPLES as f64
    }

    fn disc(
        &self,
        taps: usize,
        [cos, sin]: [f64; 2],
        radius: f64,
    ) -> impl Iterator<Item = [f64; 2]> {
        // The spiral is as wide as 1 at its last point.
        let scale = radius * (self.spiral.len() as f64 / taps as f64).sqrt();
        self.spiral
            .iter()
            .take(taps)
            .map(move |[x, y]| [scale * (x * cos - y * sin), scale * (x * sin + y * cos)])
    }
}

/// Evenly distributed points of a disc: Vogel's spiral.
fn spiral(count: usize) -> Vec<[f64; 2]> {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    let point = |i: usize| {
        let r = ((i as f64 + 0.5) / count as f64).sqrt();
        let (sin, cos) = sincos(GOLDEN_ANGLE * i as f64);
        [r * cos, r * sin]
    };
    (0..count).map(point).collect()
}

/// Rotations of the sample pattern, as cosines and sines.
pub(super) struct SampleRotations([[f64; 2]; 256]);

impl SampleRotations {
    /// 256 rotations over the full circle.
    pub fn new() -> Self {
        Self(std::array::from_fn(|k| {
            let (sin, cos) = sincos(std::f64::consts::TAU * k as f64 / 256.0);
            [cos, sin]
        }))
    }

    /// The rotation at a sample: interleaved gradient noise, so that the error
    /// averages out over neighbours.
    pub fn at(&self, x: usize, y: usize) -> [f64; 2] {
        let phase = 0.067_110_56 * x as f64 + 0.005_837_15 * y as f64;
        let phase = phase - (phase as u64) as f64;
        self.0[(256.0 * 52.982_918_9 * phase) as usize % 256]
    }
}
