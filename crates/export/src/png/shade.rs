//! Turns what is seen at each sample into light, and samples into pixels.

use super::bins::Bins;
use super::raster::{Band, Sample, Wet};
use super::room::Meeting;
use super::shadow::{Map, Spins};
use super::space::wide;
use super::stage::Stage;
use super::things::Things;
use super::veil::{self, Layer, Veil};
use crate::shared::color::srgb;
use conatus_math::DVec3;
use conatus_record::Frame;
use rayon::prelude::*;

/// Samples along each side of a pixel.
pub(super) const SAMPLES: usize = 3;
/// Rows of pixels that are drawn at once: large pictures need little memory.
const ROWS: usize = 24;

// All colours are in linear light.
const ZENITH: DVec3 = DVec3::new(0.66, 0.76, 0.87);
const HORIZON: DVec3 = DVec3::new(0.90, 0.925, 0.94);
const SUN: DVec3 = DVec3::new(0.80, 0.76, 0.70);
const SKY: DVec3 = DVec3::new(0.47, 0.51, 0.56);
const BOUNCE: DVec3 = DVec3::new(0.24, 0.23, 0.22);
const FLOOR: DVec3 = DVec3::new(0.73, 0.735, 0.74);
/// Walls are as bright all over, but for shadows.
const WALL: DVec3 = DVec3::new(0.80, 0.83, 0.86);
const LINE: DVec3 = DVec3::new(0.16, 0.19, 0.23);
/// How water dims red, green and blue over the motion's half diagonal, what
/// comes through its surface, and the colour that it has of its own.
const DIMMING: DVec3 = DVec3::new(6.5, 2.6, 1.9);
const CLEAR: f64 = 0.8;
const DEEP: DVec3 = DVec3::new(0.035, 0.20, 0.30);

/// Draws pictures of one frame.
struct Painter<'a> {
    stage: &'a Stage<'a>,
    things: Things,
    sun: Map,
    sky: Map,
    /// What casts paler shadows.
    glass: Option<Map>,
    bins: Bins,
    spins: Spins,
    /// In samples.
    size: [usize; 2],
}

/// A picture of a frame in sRGB, three bytes per pixel.
pub(super) fn picture(stage: &Stage, frame: &Frame, size: [usize; 2]) -> Vec<u8> {
    let things = Things::new(stage, frame);
    let fine = (2 * size[0].max(size[1])).clamp(256, 2048);
    let painter = Painter {
        stage,
        bins: Bins::new(&stage.camera, size[1] * SAMPLES, ROWS * SAMPLES, &things),
        sun: Map::new(&things.balls, things.casting(), stage.sun, fine),
        sky: Map::new(&things.balls, things.casting(), DVec3::Z, fine / 4),
        glass: match things.veils.is_empty() {
            true => None,
            false => Some(Map::new(&[], &things.veils, stage.sun, fine / 2)),
        },
        things,
        spins: Spins::new(),
        size: size.map(|s| s * SAMPLES),
    };
    let bands: Vec<Vec<u8>> = (0..size[1].div_ceil(ROWS))
        .into_par_iter()
        .map(|index| painter.band(index))
        .collect();
    bands.concat()
}

impl Painter<'_> {
    /// Rows of pixels.
    fn band(&self, index: usize) -> Vec<u8> {
        let camera = &self.stage.camera;
        let band = Band::draw(camera, self.size, &self.bins, index, &self.things);
        let top = index * ROWS * SAMPLES;
        let [width, height] = self.size.map(|s| s / SAMPLES);
        let rows = height.saturating_sub(index * ROWS).min(ROWS);
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
        let wet = |x: usize, y: usize| band.wet.get(place(x, y));
        let veil = |x: usize, y: usize| band.veils.get(place(x, y));
        let all = || (0..SAMPLES * SAMPLES).map(|k| (k % SAMPLES, k / SAMPLES));
        // Where all samples see the same thing, some of them are enough.
        let plain = all().all(|(x, y)| {
            let same = |first: &Sample| sample(x, y).is_some_and(|s| s.is_like(first));
            let wet_alike = match (wet(0, 0), wet(x, y)) {
                (Some(first), Some(wet)) => wet.is_like(first),
                _ => true,
            };
            let veils_alike = match (veil(0, 0), veil(x, y)) {
                (Some(first), Some(veil)) => veil.is_like(first),
                _ => true,
            };
            sample(0, 0).is_some_and(same) && wet_alike && veils_alike
        }) && self.one_side([left, row + top]);
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for (x, y) in all().filter(|(x, y)| !plain || (x + y) % SAMPLES == SAMPLES - 1) {
            if let Some(sample) = sample(x, y) {
                let seen = (sample, wet(x, y), veil(x, y));
                let light = self.light(left + x, top + row + y, seen);
                sum += light.clamp(DVec3::ZERO, DVec3::ONE);
                count += 1.0;
            }
        }
        sum / f64::max(count, 1.0)
    }

    /// Whether the rays at the corners of a pixel pass the same sides.
    fn one_side(&self, [left, top]: [usize; 2]) -> bool {
        const LAST: usize = SAMPLES - 1;
        let sides = |x: usize, y: usize| {
            let meetings = self
                .stage
                .room
                .pass(self.stage.camera.eye, self.ray(left + x, top + y));
            meetings.map(|m| m.map(|m| m.side))
        };
        let first = sides(0, 0);
        [(LAST, 0), (0, LAST), (LAST, LAST)]
            .into_iter()
            .all(|(x, y)| sides(x, y) == first)
    }

    /// The ray of a sample.
    fn ray(&self, x: usize, y: usize) -> DVec3 {
        let camera = &self.stage.camera;
        let size = self.size.map(|s| s as f64);
        camera.ray(camera.angles(x as f64 + 0.5, y as f64 + 0.5, size))
    }

    /// The light of one sample.
    fn light(
        &self,
        x: usize,
        y: usize,
        (sample, wet, veil): (&Sample, Option<&Wet>, Option<&Veil>),
    ) -> DVec3 {
        let eye = self.stage.camera.eye;
        let ray = self.ray(x, y);
        let spin = self.spins.at(x, y);
        let behind = backdrop(y as f64 / self.size[1] as f64);
        let [enter, leave] = self.stage.room.pass(eye, ray);
        let body = match sample.near > 0.0 {
            true => 1.0 / f64::from(sample.near),
            false => f64::INFINITY,
        };
        let (mut color, mut depth) = match leave {
            Some(side) if side.depth < body && (body.is_infinite() || self.hides(side)) => {
                (self.side(side, ray, behind, spin), side.depth)
            }
            _ if body.is_finite() => (self.body(sample, eye + ray * body, ray, spin), body),
            _ => (behind, f64::INFINITY),
        };
        if let Some(wet) = wet.filter(|w| w.enter > 0.0 && 1.0 / f64::from(w.enter) < depth) {
            let surface = 1.0 / f64::from(wet.enter);
            // Endless water is left nowhere.
            let end = match wet.leave < wet.enter {
                true => depth.min(1.0 / f64::from(wet.leave)),
                false => depth,
            };
            color = self.water(wet, ray, [surface, end], color, spin);
            depth = surface;
        }
        for layer in veil.into_iter().flat_map(|veil| veil.before(depth)) {
            color = self.glass(layer, eye, ray, color, spin);
        }
        match enter.filter(|enter| enter.depth < depth) {
            Some(front) => self.front_edge(front, ray, color),
            None => color,
        }
    }

    /// Whether a side hides what is behind it: the ground does, walls do not,
    /// so that a body that got out is seen.
    fn hides(&self, meeting: Meeting) -> bool {
        let side = self.stage.room.sides.get(meeting.side);
        side.is_some_and(|side| side.ground)
    }

    /// How much of the sun a point of a surface gets, whatever its angle.
    fn sunshine(&self, p: DVec3, normal: DVec3, spin: [f64; 2]) -> f64 {
        match normal.dot(self.stage.sun) > 0.0 {
            true => self.sun.sun(p, normal, spin) * self.behind_glass(p, normal, spin),
            false => 0.0,
        }
    }

    /// How much of the sun gets through what glass there is before it.
    fn behind_glass(&self, p: DVec3, normal: DVec3, spin: [f64; 2]) -> f64 {
        let glass = self.glass.as_ref();
        glass.map_or(1.0, |map| 1.0 - 0.4 * (1.0 - map.sun(p, normal, spin)))
    }

    /// The sun and the sky on a surface.
    fn lit(&self, p: DVec3, normal: DVec3, spin: [f64; 2]) -> (DVec3, f64) {
        let facing = normal.dot(self.stage.sun);
        let sun = facing.max(0.0) * self.sunshine(p, normal, spin);
        let crowding = self.sky.crowding(p, normal, self.stage.reach, spin);
        let up = 0.5 + 0.5 * normal.z;
        let around = BOUNCE.lerp(SKY, up) * (1.0 - 0.55 * crowding);
        (SUN * sun + around, sun)
    }

    /// Cloth: dull, and some of the light on one side gets through to the
    /// other.
    fn cloth(&self, sample: &Sample, p: DVec3, ray: DVec3, spin: [f64; 2]) -> DVec3 {
        let normal = wide(sample.normal);
        let (light, _) = self.lit(p, normal, spin);
        let behind = (-normal.dot(self.stage.sun)).max(0.0);
        let through = match behind > 0.0 {
            true => 0.3 * behind * self.sunshine(p, -normal, spin),
            false => 0.0,
        };
        // Fibres that stand up catch light where the cloth turns away.
        let facing = normal.dot(-ray.normalize()).clamp(0.0, 1.0);
        let sheen = 0.06 * (1.0 - facing).powi(3);
        wide(sample.color) * (light + SUN * through) + light * sheen
    }

    /// A sheet of glass before a colour.
    fn glass(&self, layer: &Layer, eye: DVec3, ray: DVec3, behind: DVec3, spin: [f64; 2]) -> DVec3 {
        let sample = Sample {
            near: layer.near,
            normal: layer.normal,
            color: layer.color,
            cloth: false,
        };
        let p = eye + ray / f64::from(layer.near);
        let facing = wide(layer.normal).dot(-ray.normalize());
        behind.lerp(self.body(&sample, p, ray, spin), veil::opacity(facing))
    }

    fn body(&self, sample: &Sample, p: DVec3, ray: DVec3, spin: [f64; 2]) -> DVec3 {
        if sample.cloth {
            return self.cloth(sample, p, ray, spin);
        }
        let normal = wide(sample.normal);
        let (light, sun) = self.lit(p, normal, spin);
        let toward = -ray.normalize();
        let half = (toward + self.stage.sun).normalize_or(normal);
        let gloss = sun * 0.22 * normal.dot(half).max(0.0).powi(40);
        // Edges mirror a little of the sky.
        let rim = 0.10 * (1.0 - normal.dot(toward).clamp(0.0, 1.0)).powi(4);
        wide(sample.color) * light * (1.0 - rim) + HORIZON * rim + DVec3::splat(gloss)
    }

    /// How far the ray's place on a side moves from pixel to pixel.
    fn spread(&self, ray: DVec3, meeting: Meeting) -> [DVec3; 2] {
        let camera = &self.stage.camera;
        let Some(side) = self.stage.room.sides.get(meeting.side) else {
            return [DVec3::ZERO; 2];
        };
        let pixel = 2.0 * camera.tan[0] * SAMPLES as f64 / self.size[0] as f64;
        [camera.right, camera.above].map(|step| {
            let slide = ray * (side.normal.dot(step) / side.normal.dot(ray));
            (step - slide) * (meeting.depth * pixel)
        })
    }

    /// The ground or a wall.
    fn side(&self, meeting: Meeting, ray: DVec3, behind: DVec3, spin: [f64; 2]) -> DVec3 {
        let room = &self.stage.room;
        let Some(side) = room.sides.get(meeting.side) else {
            return behind;
        };
        let p = self.stage.camera.eye + ray * meeting.depth;
        let clear = room.clearness(p, side);
        if clear <= 0.0 {
            return behind;
        }
        let spread = self.spread(ray, meeting);
        let light = match side.ground {
            true => self.lit(p, side.normal, spin).0,
            false => DVec3::splat(0.8 + 0.2 * self.sunshine(p, side.normal, spin)),
        };
        let (own, strength) = match (side.ground, side.real) {
            (true, true) => (FLOOR, 0.30),
            (true, false) => (FLOOR, 0.16),
            (false, _) => (WALL, 0.12),
        };
        let grid = strength * room.grid(p, side, spread);
        let mut color = (own * light).lerp(LINE, grid);
        let edge = 1.0 - room.edge_distance(p, meeting.side) / width(spread);
        color = color.lerp(LINE, 0.35 * edge.max(0.0));
        behind.lerp(color, clear)
    }

    /// The edges of sides that the motion is seen through.
    fn front_edge(&self, meeting: Meeting, ray: DVec3, behind: DVec3) -> DVec3 {
        let room = &self.stage.room;
        let p = self.stage.camera.eye + ray * meeting.depth;
        let near = width(self.spread(ray, meeting));
        match room.sides.get(meeting.side) {
            Some(side) if room.edge_distance(p, meeting.side) < near => {
                let edge = 1.0 - room.edge_distance(p, meeting.side) / near;
                behind.lerp(LINE, 0.3 * edge * room.clearness(p, side))
            }
            _ => behind,
        }
    }

    /// Water between two depths before a colour.
    fn water(
        &self,
        wet: &Wet,
        ray: DVec3,
        [surface, end]: [f64; 2],
        behind: DVec3,
        spin: [f64; 2],
    ) -> DVec3 {
        let p = self.stage.camera.eye + ray * surface;
        let (normal, toward) = (wide(wet.normal), -ray.normalize());
        let way = (end - surface).max(0.0) * ray.length();
        // Even shallow water is seen.
        let left = (DIMMING * -way).exp() * CLEAR;
        let sun = self.sun.sun(p, normal, spin);
        let facing = normal.dot(self.stage.sun).max(0.0);
        let own = DEEP * (0.75 + 0.25 * sun * facing / self.stage.sun.z);
        let inside = behind * left + own * (DVec3::ONE - left);
        let mirrored = 0.02 + 0.98 * (1.0 - normal.dot(toward).clamp(0.0, 1.0)).powi(5);
        let bounced = normal * (2.0 * normal.dot(toward)) - toward;
        let sky = HORIZON.lerp(ZENITH, bounced.z.clamp(0.0, 1.0).sqrt());
        let glint = bounced.dot(self.stage.sun).max(0.0).powi(90) * sun;
        inside.lerp(sky, mirrored) + DVec3::splat(0.5 * glint)
    }
}

/// How wide a pixel is on a side.
fn width([right, up]: [DVec3; 2]) -> f64 {
    right.length().max(up.length())
}

/// What is seen behind everything, from the top (0) to the bottom (1).
fn backdrop(y: f64) -> DVec3 {
    ZENITH.lerp(HORIZON, (1.6 * y).clamp(0.0, 1.0))
}
