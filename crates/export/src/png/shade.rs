//! Shades samples and averages them into pixels.

use super::bins::Bins;
use super::picture_space::wide;
use super::planes::PlaneHit;
use super::primitives::Primitives;
use super::raster::{Band, Sample, WaterSample};
use super::render_scene::RenderScene;
use super::shadow_map::{SampleRotations, ShadowMap};
use super::translucent::{self, TranslucentLayer, TranslucentLayers};
use crate::shared::color::srgb;
use conatus_math::DVec3;
use conatus_record::Frame;
use rayon::prelude::*;

/// Samples along each side of a pixel.
pub(super) const SAMPLES: usize = 3;
/// Rows of pixels that are drawn at a time, which bounds memory.
const BAND_ROWS: usize = 24;

// All colours are in linear light.
const ZENITH_COLOR: DVec3 = DVec3::new(0.66, 0.76, 0.87);
const HORIZON_COLOR: DVec3 = DVec3::new(0.90, 0.925, 0.94);
const SUN_LIGHT: DVec3 = DVec3::new(0.80, 0.76, 0.70);
const SKY_LIGHT: DVec3 = DVec3::new(0.47, 0.51, 0.56);
const GROUND_LIGHT: DVec3 = DVec3::new(0.24, 0.23, 0.22);
const FLOOR_COLOR: DVec3 = DVec3::new(0.73, 0.735, 0.74);
/// Walls have one brightness except for shadows.
const WALL_COLOR: DVec3 = DVec3::new(0.80, 0.83, 0.86);
const LINE_COLOR: DVec3 = DVec3::new(0.16, 0.19, 0.23);
/// The absorption of water for red, green and blue over half of the motion's
/// diagonal, the transmission of its surface, and its own colour.
const WATER_ABSORPTION: DVec3 = DVec3::new(6.5, 2.6, 1.9);
const WATER_TRANSMISSION: f64 = 0.8;
const WATER_COLOR: DVec3 = DVec3::new(0.035, 0.20, 0.30);

/// Draws pictures of one frame.
struct Painter<'a> {
    scene: &'a RenderScene<'a>,
    primitives: Primitives,
    sun: ShadowMap,
    sky: ShadowMap,
    /// The shadow map of translucent surfaces.
    glass: Option<ShadowMap>,
    bins: Bins,
    rotations: SampleRotations,
    /// In samples.
    size: [usize; 2],
}

/// A picture of a frame in sRGB, three bytes per pixel.
pub(super) fn picture(scene: &RenderScene, frame: &Frame, size: [usize; 2]) -> Vec<u8> {
    let primitives = Primitives::new(scene, frame);
    let fine = (2 * size[0].max(size[1])).clamp(256, 2048);
    let painter = Painter {
        scene,
        bins: Bins::new(
            &scene.camera,
            size[1] * SAMPLES,
            BAND_ROWS * SAMPLES,
            &primitives,
        ),
        sun: ShadowMap::new(&primitives.balls, primitives.casting(), scene.sun, fine),
        sky: ShadowMap::new(&primitives.balls, primitives.casting(), DVec3::Z, fine / 4),
        glass: match primitives.translucent.is_empty() {
            true => None,
            false => Some(ShadowMap::new(
                &[],
                &primitives.translucent,
                scene.sun,
                fine / 2,
            )),
        },
        primitives,
        rotations: SampleRotations::new(),
        size: size.map(|s| s * SAMPLES),
    };
    let bands: Vec<Vec<u8>> = (0..size[1].div_ceil(BAND_ROWS))
        .into_par_iter()
        .map(|index| painter.band(index))
        .collect();
    bands.concat()
}

impl Painter<'_> {
    /// Rows of pixels.
    fn band(&self, index: usize) -> Vec<u8> {
        let camera = &self.scene.camera;
        let band = Band::draw(camera, self.size, &self.bins, index, &self.primitives);
        let top = index * BAND_ROWS * SAMPLES;
        let [width, height] = self.size.map(|s| s / SAMPLES);
        let rows = height.saturating_sub(index * BAND_ROWS).min(BAND_ROWS);
        let mut pixels = Vec::with_capacity(3 * width * rows);
        for row in 0..rows {
            for column in 0..width {
                let corner = [column * SAMPLES, row * SAMPLES];
                let light = self.pixel(&band, corner, top);
                pixels.extend(light.to_array().map(|c| srgb(c as f32)));
            }
        }
        pixels
    }

    /// The light of the pixel whose first sample in the band is `corner`.
    fn pixel(&self, band: &Band, [left, row]: [usize; 2], top: usize) -> DVec3 {
        let place = |x: usize, y: usize| (row + y) * self.size[0] + left + x;
        let sample = |x: usize, y: usize| band.samples.get(place(x, y));
        let water_at = |x: usize, y: usize| band.water_samples.get(place(x, y));
        let layers_at = |x: usize, y: usize| band.translucent.get(place(x, y));
        let all = || (0..SAMPLES * SAMPLES).map(|k| (k % SAMPLES, k / SAMPLES));
        // Where all samples agree, a few of them are enough.
        let plain = all().all(|(x, y)| {
            let same = |first: &Sample| sample(x, y).is_some_and(|s| s.is_like(first));
            let same_water = match (water_at(0, 0), water_at(x, y)) {
                (Some(first), Some(water)) => water.is_like(first),
                _ => true,
            };
            let same_layers = match (layers_at(0, 0), layers_at(x, y)) {
                (Some(first), Some(layers)) => layers.is_like(first),
                _ => true,
            };
            sample(0, 0).is_some_and(same) && same_water && same_layers
        }) && self.one_side([left, row + top]);
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for (x, y) in all().filter(|(x, y)| !plain || (x + y) % SAMPLES == SAMPLES - 1) {
            if let Some(sample) = sample(x, y) {
                let seen = (sample, water_at(x, y), layers_at(x, y));
                let light = self.light(left + x, top + row + y, seen);
                sum += light.clamp(DVec3::ZERO, DVec3::ONE);
                count += 1.0;
            }
        }
        sum / f64::max(count, 1.0)
    }

    /// Whether the rays at the corners of a pixel hit the same planes.
    fn one_side(&self, [left, top]: [usize; 2]) -> bool {
        const LAST: usize = SAMPLES - 1;
        let sides = |x: usize, y: usize| {
            let hits = self
                .scene
                .planes
                .pass(self.scene.camera.eye, self.ray(left + x, top + y));
            hits.map(|m| m.map(|m| m.side))
        };
        let first = sides(0, 0);
        [(LAST, 0), (0, LAST), (LAST, LAST)]
            .into_iter()
            .all(|(x, y)| sides(x, y) == first)
    }

    /// The ray of a sample.
    fn ray(&self, x: usize, y: usize) -> DVec3 {
        let camera = &self.scene.camera;
        let size = self.size.map(|s| s as f64);
        camera.ray(camera.angles(x as f64 + 0.5, y as f64 + 0.5, size))
    }

    /// The light of one sample.
    fn light(
        &self,
        x: usize,
        y: usize,
        (sample, water, layers): (&Sample, Option<&WaterSample>, Option<&TranslucentLayers>),
    ) -> DVec3 {
        let eye = self.scene.camera.eye;
        let ray = self.ray(x, y);
        let rotation = self.rotations.at(x, y);
        let behind = backdrop(y as f64 / self.size[1] as f64);
        let [enter, leave] = self.scene.planes.pass(eye, ray);
        let body = match sample.inverse_depth > 0.0 {
            true => 1.0 / f64::from(sample.inverse_depth),
            false => f64::INFINITY,
        };
        let (mut color, mut depth) = match leave {
            Some(side) if side.depth < body && (body.is_infinite() || self.hides(side)) => {
                (self.side(side, ray, behind, rotation), side.depth)
            }
            _ if body.is_finite() => (self.body(sample, eye + ray * body, ray, rotation), body),
            _ => (behind, f64::INFINITY),
        };
        if let Some(water) = water.filter(|w| w.enter > 0.0 && 1.0 / f64::from(w.enter) < depth) {
            let surface = 1.0 / f64::from(water.enter);
            // A ray never leaves unbounded water.
            let end = match water.leave < water.enter {
                true => depth.min(1.0 / f64::from(water.leave)),
                false => depth,
            };
            color = self.water(water, ray, [surface, end], color, rotation);
            depth = surface;
        }
        for layer in layers.into_iter().flat_map(|layers| layers.before(depth)) {
            color = self.glass(layer, eye, ray, color, rotation);
        }
        match enter.filter(|enter| enter.depth < depth) {
            Some(front) => self.front_edge(front, ray, color),
            None => color,
        }
    }

    /// Whether a plane hides bodies behind it: the ground does, walls do not, so
    /// that an escaped body is visible.
    fn hides(&self, hit: PlaneHit) -> bool {
        let side = self.scene.planes.sides.get(hit.side);
        side.is_some_and(|side| side.ground)
    }

    /// The visible fraction of the sun at a point, regardless of its angle.
    fn sunshine(&self, p: DVec3, normal: DVec3, rotation: [f64; 2]) -> f64 {
        match normal.dot(self.scene.sun) > 0.0 {
            true => self.sun.sun(p, normal, rotation) * self.behind_glass(p, normal, rotation),
            false => 0.0,
        }
    }

    /// The fraction of sunlight that passes the translucent surfaces.
    fn behind_glass(&self, p: DVec3, normal: DVec3, rotation: [f64; 2]) -> f64 {
        let glass = self.glass.as_ref();
        glass.map_or(1.0, |map| 1.0 - 0.4 * (1.0 - map.sun(p, normal, rotation)))
    }

    /// The light of sun and sky on a surface.
    fn lit(&self, p: DVec3, normal: DVec3, rotation: [f64; 2]) -> (DVec3, f64) {
        let facing = normal.dot(self.scene.sun);
        let sun = facing.max(0.0) * self.sunshine(p, normal, rotation);
        let occlusion = self.sky.occlusion(p, normal, self.scene.reach, rotation);
        let up = 0.5 + 0.5 * normal.z;
        let around = GROUND_LIGHT.lerp(SKY_LIGHT, up) * (1.0 - 0.55 * occlusion);
        (SUN_LIGHT * sun + around, sun)
    }

    /// The colour of cloth: diffuse, with some transmitted light.
    fn cloth(&self, sample: &Sample, p: DVec3, ray: DVec3, rotation: [f64; 2]) -> DVec3 {
        let normal = wide(sample.normal);
        let (light, _) = self.lit(p, normal, rotation);
        let behind = (-normal.dot(self.scene.sun)).max(0.0);
        let through = match behind > 0.0 {
            true => 0.3 * behind * self.sunshine(p, -normal, rotation),
            false => 0.0,
        };
        // Fuzz: protruding fibres are lit at grazing angles.
        let facing = normal.dot(-ray.normalize()).clamp(0.0, 1.0);
        let sheen = 0.06 * (1.0 - facing).powi(3);
        wide(sample.color) * (light + SUN_LIGHT * through) + light * sheen
    }

    /// Blends a translucent layer over a colour.
    fn glass(
        &self,
        layer: &TranslucentLayer,
        eye: DVec3,
        ray: DVec3,
        behind: DVec3,
        rotation: [f64; 2],
    ) -> DVec3 {
        let sample = Sample {
            inverse_depth: layer.inverse_depth,
            normal: layer.normal,
            color: layer.color,
            cloth: false,
        };
        let p = eye + ray / f64::from(layer.inverse_depth);
        let facing = wide(layer.normal).dot(-ray.normalize());
        behind.lerp(
            self.body(&sample, p, ray, rotation),
            translucent::opacity(facing),
        )
    }

    fn body(&self, sample: &Sample, p: DVec3, ray: DVec3, rotation: [f64; 2]) -> DVec3 {
        if sample.cloth {
            return self.cloth(sample, p, ray, rotation);
        }
        let normal = wide(sample.normal);
        let (light, sun) = self.lit(p, normal, rotation);
        let toward = -ray.normalize();
        let half = (toward + self.scene.sun).normalize_or(normal);
        let gloss = sun * 0.22 * normal.dot(half).max(0.0).powi(40);
        // Fresnel reflection of the sky at grazing angles.
        let rim = 0.10 * (1.0 - normal.dot(toward).clamp(0.0, 1.0)).powi(4);
        wide(sample.color) * light * (1.0 - rim) + HORIZON_COLOR * rim + DVec3::splat(gloss)
    }

    /// How far the hit on a plane moves from pixel to pixel.
    fn spread(&self, ray: DVec3, hit: PlaneHit) -> [DVec3; 2] {
        let camera = &self.scene.camera;
        let Some(side) = self.scene.planes.sides.get(hit.side) else {
            return [DVec3::ZERO; 2];
        };
        let pixel = 2.0 * camera.tan[0] * SAMPLES as f64 / self.size[0] as f64;
        [camera.right, camera.above].map(|step| {
            let slide = ray * (side.normal.dot(step) / side.normal.dot(ray));
            (step - slide) * (hit.depth * pixel)
        })
    }

    /// The colour of the ground or a wall.
    fn side(&self, hit: PlaneHit, ray: DVec3, behind: DVec3, rotation: [f64; 2]) -> DVec3 {
        let planes = &self.scene.planes;
        let Some(side) = planes.sides.get(hit.side) else {
            return behind;
        };
        let p = self.scene.camera.eye + ray * hit.depth;
        let clear = planes.clearness(p, side);
        if clear <= 0.0 {
            return behind;
        }
        let spread = self.spread(ray, hit);
        let light = match side.ground {
            true => self.lit(p, side.normal, rotation).0,
            false => DVec3::splat(0.8 + 0.2 * self.sunshine(p, side.normal, rotation)),
        };
        let (own, strength) = match (side.ground, side.real) {
            (true, true) => (FLOOR_COLOR, 0.30),
            (true, false) => (FLOOR_COLOR, 0.16),
            (false, _) => (WALL_COLOR, 0.12),
        };
        let grid = strength * planes.grid(p, side, spread);
        let mut color = (own * light).lerp(LINE_COLOR, grid);
        let edge = 1.0 - planes.edge_distance(p, hit.side) / width(spread);
        color = color.lerp(LINE_COLOR, 0.35 * edge.max(0.0));
        behind.lerp(color, clear)
    }

    /// Draws the edges of the planes in front of the motion.
    fn front_edge(&self, hit: PlaneHit, ray: DVec3, behind: DVec3) -> DVec3 {
        let planes = &self.scene.planes;
        let p = self.scene.camera.eye + ray * hit.depth;
        let pixel = width(self.spread(ray, hit));
        match planes.sides.get(hit.side) {
            Some(side) if planes.edge_distance(p, hit.side) < pixel => {
                let edge = 1.0 - planes.edge_distance(p, hit.side) / pixel;
                behind.lerp(LINE_COLOR, 0.3 * edge * planes.clearness(p, side))
            }
            _ => behind,
        }
    }

    /// Blends water between two depths over a colour.
    fn water(
        &self,
        water: &WaterSample,
        ray: DVec3,
        [surface, end]: [f64; 2],
        behind: DVec3,
        rotation: [f64; 2],
    ) -> DVec3 {
        let p = self.scene.camera.eye + ray * surface;
        let (normal, toward) = (wide(water.normal), -ray.normalize());
        let distance = (end - surface).max(0.0) * ray.length();
        // Shallow water stays visible.
        let left = (WATER_ABSORPTION * -distance).exp() * WATER_TRANSMISSION;
        let sun = self.sun.sun(p, normal, rotation);
        let facing = normal.dot(self.scene.sun).max(0.0);
        let own = WATER_COLOR * (0.75 + 0.25 * sun * facing / self.scene.sun.z);
        let inside = behind * left + own * (DVec3::ONE - left);
        let mirrored = 0.02 + 0.98 * (1.0 - normal.dot(toward).clamp(0.0, 1.0)).powi(5);
        let bounced = normal * (2.0 * normal.dot(toward)) - toward;
        let sky = HORIZON_COLOR.lerp(ZENITH_COLOR, bounced.z.clamp(0.0, 1.0).sqrt());
        let glint = bounced.dot(self.scene.sun).max(0.0).powi(90) * sun;
        inside.lerp(sky, mirrored) + DVec3::splat(0.5 * glint)
    }
}

/// The width of a pixel on a plane.
fn width([right, up]: [DVec3; 2]) -> f64 {
    right.length().max(up.length())
}

/// The background colour, from the top (0) to the bottom (1).
fn backdrop(y: f64) -> DVec3 {
    ZENITH_COLOR.lerp(HORIZON_COLOR, (1.6 * y).clamp(0.0, 1.0))
}
