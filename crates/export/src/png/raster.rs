//! Finds what is seen at every sample of a band of a picture.

use super::bins::{Bin, Bins, NEAR, tangents};
use super::camera::Camera;
use super::scan;
use super::space::{narrow, wide};
use super::things::{Ball, Things, Triangle};
use super::veil::{Layer, Veil};
use crate::shared::surface;
use conatus_math::DVec3;
use std::ops::Range;

/// Stripes of bodies whose numbers went wrong: their width in samples, and
/// their colour.
const STRIPE: usize = 15;
const WARNING: [f32; 3] = [0.85, 0.05, 0.02];
/// How bright the back of cloth is beside its front.
const BACK: f32 = 0.8;

/// What is seen at one sample.
#[derive(Clone, Copy, Default)]
pub(super) struct Sample {
    /// 1 over the depth, 0 for nothing.
    pub near: f32,
    pub normal: [f32; 3],
    pub color: [f32; 3],
    /// Whether it is cloth.
    pub cloth: bool,
}

impl Sample {
    /// Whether both see the same smooth piece of one surface.
    pub fn is_like(&self, other: &Self) -> bool {
        self.color == other.color
            && self.cloth == other.cloth
            && close(self.near, other.near)
            && near_by(self.normal, other.normal)
    }
}

impl Wet {
    /// Whether both see the same smooth piece of water.
    pub fn is_like(&self, other: &Self) -> bool {
        close(self.enter, other.enter)
            && close(self.leave, other.leave)
            && near_by(self.normal, other.normal)
    }
}

fn close(a: f32, b: f32) -> bool {
    (a - b).abs() <= 0.02 * a.max(b)
}

fn near_by(a: [f32; 3], b: [f32; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.2)
}

/// The water at one sample.
#[derive(Clone, Copy, Default)]
pub(super) struct Wet {
    /// 1 over the depths where the ray enters the water and leaves it.
    pub enter: f32,
    pub leave: f32,
    pub normal: [f32; 3],
}

/// Some rows of samples of a picture.
pub(super) struct Band {
    pub samples: Vec<Sample>,
    /// As many as samples if there is water, none otherwise.
    pub wet: Vec<Wet>,
    /// As many as samples if there is glass, none otherwise.
    pub veils: Vec<Veil>,
}

impl Band {
    /// Draws the band of an index, in a picture of `size` samples.
    pub fn draw(
        camera: &Camera,
        size: [usize; 2],
        bins: &Bins,
        index: usize,
        things: &Things,
    ) -> Self {
        let top = index * bins.rows;
        let rows = top..(top + bins.rows).min(size[1]);
        let count = size[0] * rows.len();
        let grid = Grid { camera, size, rows };
        let none = Bin::default();
        let bin = bins.bands.get(index).unwrap_or(&none);
        let mut samples = vec![Sample::default(); count];
        for ball in chosen(&bin.balls, &things.balls) {
            grid.ball(ball, &mut samples);
        }
        for triangle in chosen(&bin.triangles, &things.triangles) {
            grid.solid(triangle, things, &mut samples);
        }
        let mut wet = match things.water.is_empty() {
            true => Vec::new(),
            false => vec![Wet::default(); count],
        };
        for triangle in chosen(&bin.water, &things.water) {
            grid.water(triangle, &mut wet);
        }
        let mut veils = match things.veils.is_empty() {
            true => Vec::new(),
            false => vec![Veil::default(); count],
        };
        for triangle in chosen(&bin.veils, &things.veils) {
            grid.veil(triangle, &mut veils);
        }
        Self {
            samples,
            wet,
            veils,
        }
    }
}

fn chosen<'a, T>(places: &'a [u32], things: &'a [T]) -> impl Iterator<Item = &'a T> {
    places.iter().filter_map(|at| things.get(*at as usize))
}

/// Where the samples of a band are.
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
    near: f64,
    /// Times `near`, so that it may be mixed across the picture.
    normal: DVec3,
}

/// A sample that a triangle covers.
struct Hit<'a> {
    /// Its place among the band's samples.
    at: usize,
    /// Its column and row in the picture.
    spot: [usize; 2],
    /// 1 over the depth.
    near: f32,
    corners: &'a [Point; 3],
    weights: [f64; 3],
    /// Whether the triangle is seen from its front.
    front: bool,
}

impl Hit<'_> {
    /// The unit normal on the side that is seen.
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
        let from = self.camera.eye + ray / f64::from(hit.near) - *centre;
        surface::octant_shade(DVec3::from_array(axes.map(|axis| axis.dot(from))))
    }

    /// A ball, by the exact place where each ray meets it.
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
                let near = (1.0 / depth) as f32;
                let at = self.place_of([x, y]);
                let Some(sample) = samples.get_mut(at).filter(|s| near > s.near) else {
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
                    near,
                    normal: narrow(normal),
                    color: match ball.marked {
                        true => marked(color, [x, y]),
                        false => color,
                    },
                    cloth: false,
                };
            }
        }
    }

    /// A piece of a body.
    fn solid(&self, triangle: &Triangle, things: &Things, samples: &mut [Sample]) {
        let pose = triangle.octants.and_then(|b| things.poses.get(b as usize));
        self.triangle(triangle, &mut |hit| {
            if let Some(sample) = samples.get_mut(hit.at).filter(|s| hit.near > s.near) {
                let shade = match triangle.cloth && !hit.front {
                    true => BACK,
                    false => pose.map_or(1.0, |pose| self.octant(&hit, pose)),
                };
                let color = triangle.color.map(|c| c * shade);
                *sample = Sample {
                    near: hit.near,
                    normal: hit.normal(),
                    color: match triangle.marked {
                        true => marked(color, hit.spot),
                        false => color,
                    },
                    cloth: triangle.cloth,
                };
            }
        });
    }

    /// A piece of glass.
    fn veil(&self, triangle: &Triangle, veils: &mut [Veil]) {
        self.triangle(triangle, &mut |hit| {
            if let Some(veil) = veils.get_mut(hit.at) {
                veil.insert(Layer {
                    near: hit.near,
                    normal: hit.normal(),
                    color: triangle.color,
                });
            }
        });
    }

    /// A piece of a water's surface.
    fn water(&self, triangle: &Triangle, wet: &mut [Wet]) {
        self.triangle(triangle, &mut |hit| {
            let Some(wet) = wet.get_mut(hit.at) else {
                return;
            };
            if hit.near > wet.enter {
                wet.enter = hit.near;
                wet.normal = hit.normal();
            }
            if wet.leave == 0.0 || hit.near < wet.leave {
                wet.leave = hit.near;
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
        // Normals of what is seen from its back are turned around; the
        // camera's axes are left-handed.
        let front = (b - a).cross(c - a).dot(a).signum();
        let size = self.sizes();
        let mut points = [None; 4];
        let mut count = 0;
        let mut push = |p: DVec3, normal: DVec3| {
            let near = 1.0 / p.z;
            let [x, y] = self.camera.place(p.x * near, p.y * near, size);
            if let Some(slot) = points.get_mut(count) {
                let normal = normal * (near * front);
                *slot = Some(Point { x, y, near, normal });
                count += 1;
            }
        };
        // The part of it in front of the eye has up to four corners.
        for k in 0..3 {
            let ((p, np), (q, nq)) = (seen[k], seen[(k + 1) % 3]);
            if p.z >= NEAR {
                push(p, np);
            }
            if (p.z >= NEAR) != (q.z >= NEAR) {
                let s = (NEAR - p.z) / (q.z - p.z);
                push(p.lerp(q, s).with_z(NEAR), np.lerp(nq, s));
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
            let near = corners.iter().zip(weights).map(|(p, w)| p.near * w);
            visit(Hit {
                at: self.place_of([x, y]),
                spot: [x, y],
                near: near.sum::<f64>() as f32,
                corners,
                weights,
                front,
            });
        });
    }
}

/// A colour with stripes of warning.
fn marked(color: [f32; 3], [x, y]: [usize; 2]) -> [f32; 3] {
    match (x + y) / STRIPE % 2 {
        0 => WARNING,
        _ => color.map(|c| 0.3 * c + 0.55),
    }
}
