//! Turns what is seen at each sample into light, and samples into pixels.

use super::raster::{Band, Sample, Wet};
use super::room::Meeting;
use super::shadow::{Map, spin};
use super::space::wide;
use super::stage::Stage;
use super::things::Things;
use crate::export::color::srgb;
use crate::model::Frame;
use conatus_math::DVec3;
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
const FLOOR: DVec3 = DVec3::new(0.80, 0.80, 0.80);
const WALL: DVec3 = DVec3::new(0.74, 0.76, 0.79);
const LINE: DVec3 = DVec3::new(0.16, 0.19, 0.23);
/// How water dims red, green and blue over the motion's half diagonal, and
/// the colour that it has of its own.
const DIMMING: DVec3 = DVec3::new(6.5, 2.6, 1.9);
const DEEP: DVec3 = DVec3::new(0.035, 0.20, 0.30);

/// Draws pictures of one frame.
struct Painter<'a> {
    stage: &'a Stage<'a>,
    things: Things,
    sun: Map,
    sky: Map,
    /// In samples.
    size: [usize; 2],
}

/// A picture of a frame in sRGB, three bytes per pixel.
pub(super) fn picture(stage: &Stage, frame: &Frame, size: [usize; 2]) -> Vec<u8> {
    let things = Things::new(stage, frame);
    let fine = (2 * size[0].max(size[1])).clamp(256, 2048);
    let painter = Painter {
        stage,
        sun: Map::new(&things, stage.sun, fine),
        sky: Map::new(&things, DVec3::Z, fine / 4),
        things,
        size: size.map(|s| s * SAMPLES),
    };
    let tops: Vec<usize> = (0..size[1]).step_by(ROWS).collect();
    let bands: Vec<Vec<u8>> = tops
        .into_par_iter()
        .map(|top| painter.band(top..(top + ROWS).min(size[1])))
        .collect();
    bands.concat()
}

impl Painter<'_> {
    /// Rows of pixels.
    fn band(&self, rows: std::ops::Range<usize>) -> Vec<u8> {
        let lines = rows.start * SAMPLES..rows.end * SAMPLES;
        let band = Band::draw(&self.stage.camera, self.size, lines.clone(), &self.things);
        let width = self.size[0] / SAMPLES;
        let mut sums = vec![DVec3::ZERO; width * rows.len()];
        for (at, sample) in band.samples.iter().enumerate() {
            let (x, y) = (at % self.size[0], at / self.size[0]);
            let light = self.light(x, y + lines.start, sample, band.wet.get(at));
            if let Some(sum) = sums.get_mut(y / SAMPLES * width + x / SAMPLES) {
                *sum += light.clamp(DVec3::ZERO, DVec3::ONE);
            }
        }
        let whole = (SAMPLES * SAMPLES) as f64;
        let pixel = |sum: &DVec3| (*sum / whole).to_array().map(|c| srgb(c as f32));
        sums.iter().flat_map(pixel).collect()
    }

    /// The light of one sample.
    fn light(&self, x: usize, y: usize, sample: &Sample, wet: Option<&Wet>) -> DVec3 {
        let camera = &self.stage.camera;
        let eye = camera.eye;
        let size = self.size.map(|s| s as f64);
        let ray = camera.ray(camera.angles(x as f64 + 0.5, y as f64 + 0.5, size));
        let spin = spin(x, y);
        let behind = backdrop(y as f64 / size[1]);
        let [enter, leave] = self.stage.room.pass(eye, ray);
        let body = match sample.near > 0.0 {
            true => 1.0 / f64::from(sample.near),
            false => f64::INFINITY,
        };
        let (mut color, mut depth) = match leave {
            Some(side) if side.depth < body => (self.side(side, ray, behind, spin), side.depth),
            _ if body.is_finite() => (self.body(sample, eye + ray * body, ray, spin), body),
            _ => (behind, f64::INFINITY),
        };
        if let Some(wet) = wet.filter(|w| w.enter > 0.0 && 1.0 / f64::from(w.enter) < depth) {
            let surface = 1.0 / f64::from(wet.enter);
            let end = depth.min(1.0 / f64::from(wet.leave));
            color = self.water(wet, ray, [surface, end], color, spin);
            depth = surface;
        }
        match enter.filter(|enter| enter.depth < depth) {
            Some(front) => self.front_edge(front, ray, color),
            None => color,
        }
    }

    /// The sun and the sky on a surface.
    fn lit(&self, p: DVec3, normal: DVec3, spin: [f64; 2]) -> (DVec3, f64) {
        let facing = normal.dot(self.stage.sun);
        let sun = match facing > 0.0 {
            true => facing * self.sun.sun(p, normal, spin),
            false => 0.0,
        };
        let crowding = self.sky.crowding(p, normal, self.stage.reach, spin);
        let up = 0.5 + 0.5 * normal.z;
        let around = BOUNCE.lerp(SKY, up) * (1.0 - 0.65 * crowding);
        (SUN * sun + around, sun)
    }

    fn body(&self, sample: &Sample, p: DVec3, ray: DVec3, spin: [f64; 2]) -> DVec3 {
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
        let (light, _) = self.lit(p, side.normal, spin);
        let (own, strength) = match (side.ground, side.real) {
            (true, true) => (FLOOR, 0.30),
            (true, false) => (FLOOR, 0.16),
            (false, _) => (WALL, 0.12),
        };
        let grid = strength * room.grid(p, side, spread);
        let mut color = (own * light).lerp(LINE, grid);
        if room.from_edge(p, meeting.side) < 0.6 * width(spread) {
            color = color.lerp(LINE, 0.45);
        }
        let clear = if side.ground { clear } else { 0.75 * clear };
        behind.lerp(color, clear)
    }

    /// The edges of sides that the motion is seen through.
    fn front_edge(&self, meeting: Meeting, ray: DVec3, behind: DVec3) -> DVec3 {
        let room = &self.stage.room;
        let p = self.stage.camera.eye + ray * meeting.depth;
        let near = width(self.spread(ray, meeting));
        match room.sides.get(meeting.side) {
            Some(side) if room.from_edge(p, meeting.side) < 0.5 * near => {
                behind.lerp(LINE, 0.22 * room.clearness(p, side))
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
        let left = (DIMMING * -way).exp();
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
