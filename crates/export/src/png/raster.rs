//! Rasterises primitives into the samples of a band.

use super::bins::{Bin, Bins, NEAR_PLANE, tangents};
use super::camera::Camera;
use super::picture_space::{narrow, wide};
use super::primitives::{Ball, Primitives, Triangle};
use super::scan;
use super::translucent::{TranslucentLayer, TranslucentLayers};
use crate::shared::surface;
use conatus_math::DVec3;
use std::ops::Range;

/// Stripes of quarantined bodies: their width in samples, and their colour.
const STRIPE_SAMPLES: usize = 15;
const STRIPE_COLOR: [f32; 3] = [0.85, 0.05, 0.02];
/// The brightness of the back of cloth relative to its front.
const BACK_BRIGHTNESS: f32 = 0.8;

/// The nearest opaque surface at a sample.
#[derive(Clone, Copy, Default)]
pub(super) struct Sample {
    /// 1/depth; 0 if there is none.
    pub inverse_depth: f32,
    pub normal: [f32; 3],
    pub color: [f32; 3],
    /// Whether it is cloth.
    pub cloth: bool,
}

impl Sample {
    /// Whether both samples lie on one smooth surface.
    pub fn is_like(&self, other: &Self) -> bool {
        self.color == other.color
            && self.cloth == other.cloth
            && similar_depths(self.inverse_depth, other.inverse_depth)
            && similar_normals(self.normal, other.normal)
    }
}

impl WaterSample {
    /// Whether both samples lie on one smooth water surface.
    pub fn is_like(&self, other: &Self) -> bool {
        similar_depths(self.enter, other.enter)
            && similar_depths(self.leave, other.leave)
            && similar_normals(self.normal, other.normal)
    }
}

fn similar_depths(a: f32, b: f32) -> bool {
    (a - b).abs() <= 0.02 * a.max(b)
}

fn similar_normals(a: [f32; 3], b: [f32; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.2)
}

/// The water at one sample.
#[derive(Clone, Copy, Default)]
pub(super) struct WaterSample {
    /// 1/depth where the ray enters the water and where it leaves it.
    pub enter: f32,
    pub leave: f32,
    pub normal: [f32; 3],
}

/// The samples of a band of rows.
pub(super) struct Band {
    pub samples: Vec<Sample>,
    /// One per sample if there is water; otherwise empty.
    pub water_samples: Vec<WaterSample>,
    /// One per sample if there are translucent surfaces; otherwise empty.
    pub translucent: Vec<TranslucentLayers>,
}

impl Band {
    /// Rasterises one band of a picture of `size` samples.
    pub fn draw(
        camera: &Camera,
        size: [usize; 2],
        bins: &Bins,
        index: usize,
        primitives: &Primitives,
    ) -> Self {
        let top = index * bins.rows;
        let rows = top..(top + bins.rows).min(size[1]);
        let count = size[0] * rows.len();
        let grid = Grid { camera, size, rows };
        let none = Bin::default();
        let bin = bins.bands.get(index).unwrap_or(&none);
        let mut samples = vec![Sample::default(); count];
        for ball in chosen(&bin.balls, &primitives.balls) {
            grid.ball(ball, &mut samples);
        }
        for triangle in chosen(&bin.triangles, &primitives.triangles) {
            grid.solid(triangle, primitives, &mut samples);
        }
        let mut water_samples = match primitives.water.is_empty() {
            true => Vec::new(),
            false => vec![WaterSample::default(); count],
        };
        for triangle in chosen(&bin.water, &primitives.water) {
            grid.water(triangle, &mut water_samples);
        }
        let mut translucent = match primitives.translucent.is_empty() {
            true => Vec::new(),
            false => vec![TranslucentLayers::default(); count],
        };
        for triangle in chosen(&bin.translucent, &primitives.translucent) {
            grid.translucent(triangle, &mut translucent);
        }
        Self {
            samples,
            water_samples,
            translucent,
        }
    }
}

fn chosen<'a, T>(places: &'a [u32], primitives: &'a [T]) -> impl Iterator<Item = &'a T> {
    places.iter().filter_map(|at| primitives.get(*at as usize))
}

/// The samples of a band in the picture.
struct Grid<'a> {
    camera: &'a Camera,
    /// Of the whole picture.
    size: [usize; 2],
    rows: Range<usize>,
}

/// A corner of a triangle in the picture.
#[derive(Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
    inverse_depth: f64,
    /// Divided by the depth, so that it can be interpolated linearly in the picture.
    normal: DVec3,
}

/// A sample that a triangle covers.
struct Hit<'a> {
    /// Its index in the band's samples.
    at: usize,
    /// Its column and row in the picture.
    spot: [usize; 2],
    /// 1/depth.
    inverse_depth: f32,
    corners: &'a [Point; 3],
    weights: [f64; 3],
    /// Whether the triangle is seen from its front.
    front: bool,
}

impl Hit<'_> {
    /// The unit normal on the visible side.
    fn normal(&self) -> [f32; 3] {
        let mixed = |(corner, weight): (&Point, f64)| corner.normal * weight;
        let sum: DVec3 = self.corners.iter().zip(self.weights).map(mixed).sum();
        narrow(sum.normalize_or(DVec3::Z))
    }
}

impl Grid<'_> {
    fn sizes(&self) -> [f64; 2] {
        self.size.map(|s| s as f64)
    }

    fn place_of(&self, [x, y]: [usize; 2]) -> usize {
        (y - self.rows.start) * self.size[0] + x
    }

    /// The shade of a hit on a body's surface.
    fn octant(&self, hit: &Hit, (centre, axes): &(DVec3, [DVec3; 3])) -> f32 {
        let [x, y] = hit.spot.map(|v| v as f64 + 0.5);
        let ray = self.camera.ray(self.camera.angles(x, y, self.sizes()));
        let from = self.camera.eye + ray / f64::from(hit.inverse_depth) - *centre;
        surface::octant_shade(DVec3::from_array(axes.map(|axis| axis.dot(from))))
    }

    /// Rasterises a ball by intersecting each ray with it exactly.
    fn ball(&self, ball: &Ball, samples: &mut [Sample]) {
        let c = self.camera.view(ball.centre);
        let r = ball.radius;
        // Seen from above and from the side.
        let sides = tangents(c.x, c.z, r).zip(tangents(c.y, c.z, r));
        let Some(([x0, x1], [y0, y1])) = sides else {
            return;
        };
        let size = self.sizes();
        let [left, top] = self.camera.place(x0, y1, size);
        let [right, bottom] = self.camera.place(x1, y0, size);
        for y in scan::middles(top, bottom, self.rows.clone()) {
            for x in scan::middles(left, right, 0..self.size[0]) {
                let [ax, ay] = self.camera.angles(x as f64 + 0.5, y as f64 + 0.5, size);
                let ray = DVec3::new(ax, ay, 1.0);
                let length = ray.length_squared();
                let along = ray.dot(c) / length;
                // How far the ray passes from the centre.
                let miss = (c - ray * along).length_squared();
                if miss > r * r {
                    continue;
                }
                let depth = along - ((r * r - miss) / length).sqrt();
                let inverse_depth = (1.0 / depth) as f32;
                let at = self.place_of([x, y]);
                let Some(sample) = samples
                    .get_mut(at)
                    .filter(|s| inverse_depth > s.inverse_depth)
                else {
                    continue;
                };
                let normal = (ray * depth - c) / r;
                let normal = self.camera.right * normal.x
                    + self.camera.above * normal.y
                    + self.camera.forward * normal.z;
                let own = DVec3::from_array(ball.axes.map(|axis| axis.dot(normal)));
                let shade = surface::octant_shade(own);
                let color = ball.color.map(|c| c * shade);
                *sample = Sample {
                    inverse_depth,
                    normal: narrow(normal),
                    color: match ball.quarantined {
                        true => quarantined(color, [x, y]),
                        false => color,
                    },
                    cloth: false,
                };
            }
        }
    }

    /// Rasterises a triangle of a body.
    fn solid(&self, triangle: &Triangle, primitives: &Primitives, samples: &mut [Sample]) {
        let pose = triangle
            .octants
            .and_then(|b| primitives.poses.get(b as usize));
        self.triangle(triangle, &mut |hit| {
            if let Some(sample) = samples
                .get_mut(hit.at)
                .filter(|s| hit.inverse_depth > s.inverse_depth)
            {
                let shade = match triangle.cloth && !hit.front {
                    true => BACK_BRIGHTNESS,
                    false => pose.map_or(1.0, |pose| self.octant(&hit, pose)),
                };
                let color = triangle.color.map(|c| c * shade);
                *sample = Sample {
                    inverse_depth: hit.inverse_depth,
                    normal: hit.normal(),
                    color: match triangle.quarantined {
                        true => quarantined(color, hit.spot),
                        false => color,
                    },
                    cloth: triangle.cloth,
                };
            }
        });
    }

    /// Rasterises a translucent triangle.
    fn translucent(&self, triangle: &Triangle, translucent: &mut [TranslucentLayers]) {
        self.triangle(triangle, &mut |hit| {
            if let Some(layers) = translucent.get_mut(hit.at) {
                layers.insert(TranslucentLayer {
                    inverse_depth: hit.inverse_depth,
                    normal: hit.normal(),
                    color: triangle.color,
                });
            }
        });
    }

    /// Rasterises a triangle of a water surface.
    fn water(&self, triangle: &Triangle, samples: &mut [WaterSample]) {
        self.triangle(triangle, &mut |hit| {
            let Some(water) = samples.get_mut(hit.at) else {
                return;
            };
            if hit.inverse_depth > water.enter {
                water.enter = hit.inverse_depth;
                water.normal = hit.normal();
            }
            if water.leave == 0.0 || hit.inverse_depth < water.leave {
                water.leave = hit.inverse_depth;
            }
        });
    }

    /// Visits every sample of a triangle in the band.
    fn triangle(&self, triangle: &Triangle, visit: &mut impl FnMut(Hit)) {
        let seen: [(DVec3, DVec3); 3] = std::array::from_fn(|k| {
            let at = self.camera.view(wide(triangle.corners[k]));
            (at, wide(triangle.normals[k]))
        });
        let [a, b, c] = seen.map(|(p, _)| p);
        // Normals of back faces are flipped; camera axes are left-handed.
        let front = (b - a).cross(c - a).dot(a).signum();
        let size = self.sizes();
        let mut points = [None; 4];
        let mut count = 0;
        let mut push = |p: DVec3, normal: DVec3| {
            let inverse_depth = 1.0 / p.z;
            let [x, y] = self
                .camera
                .place(p.x * inverse_depth, p.y * inverse_depth, size);
            if let Some(slot) = points.get_mut(count) {
                let normal = normal * (inverse_depth * front);
                *slot = Some(Point {
                    x,
                    y,
                    inverse_depth,
                    normal,
                });
                count += 1;
            }
        };
        // Clipped at the near plane it has up to four corners.
        for k in 0..3 {
            let ((p, np), (q, nq)) = (seen[k], seen[(k + 1) % 3]);
            if p.z >= NEAR_PLANE {
                push(p, np);
            }
            if (p.z >= NEAR_PLANE) != (q.z >= NEAR_PLANE) {
                let s = (NEAR_PLANE - p.z) / (q.z - p.z);
                push(p.lerp(q, s).with_z(NEAR_PLANE), np.lerp(nq, s));
            }
        }
        if let [Some(a), Some(b), Some(c), d] = points {
            let front = front > 0.0;
            self.fill(&[a, b, c], front, visit);
            if let Some(d) = d {
                self.fill(&[a, c, d], front, visit);
            }
        }
    }

    fn fill(&self, corners: &[Point; 3], front: bool, visit: &mut impl FnMut(Hit)) {
        let flat = corners.map(|p| [p.x, p.y]);
        scan::triangle(flat, 0..self.size[0], self.rows.clone(), |x, y, weights| {
            let inverse_depth = corners
                .iter()
                .zip(weights)
                .map(|(p, w)| p.inverse_depth * w);
            visit(Hit {
                at: self.place_of([x, y]),
                spot: [x, y],
                inverse_depth: inverse_depth.sum::<f64>() as f32,
                corners,
                weights,
                front,
            });
        });
    }
}

/// The colour of a quarantined body at a sample: striped.
fn quarantined(color: [f32; 3], [x, y]: [usize; 2]) -> [f32; 3] {
    match (x + y) / STRIPE_SAMPLES % 2 {
        0 => STRIPE_COLOR,
        _ => color.map(|c| 0.3 * c + 0.55),
    }
}
