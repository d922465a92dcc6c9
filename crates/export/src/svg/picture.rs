//! The stroboscopic picture: ground, shadows, trails, and the bodies at a few
//! moments, pale at first and in full colour at the end.

use super::bodies::BodyPainter;
use super::view::View;
use super::{MARGIN, SOFT, WIDTH, cloth_pictures, put, strip, view, water};
use crate::shared::bounds::Extent;
use crate::shared::{bounds, layout, springs};
use conatus_math::DVec3;
use conatus_record::{BodyInfo, Frame, Recording, Up};
use std::fmt::Write as _;

/// Gradients that the picture refers to.
pub(super) const DEFS: &str = concat!(
    r##"<defs><radialGradient id="ball" cx="0.5" cy="0.5" r="0.5" fx="0.34" fy="0.28">"##,
    r##"<stop offset="0" stop-color="#fff" stop-opacity="0.62"/>"##,
    r##"<stop offset="0.42" stop-color="#fff" stop-opacity="0.06"/>"##,
    r##"<stop offset="0.7" stop-color="#101a2b" stop-opacity="0.08"/>"##,
    r##"<stop offset="1" stop-color="#101a2b" stop-opacity="0.42"/></radialGradient>"##,
    r##"<radialGradient id="shade"><stop offset="0" stop-color="#1c2733" stop-opacity="0.55"/>"##,
    r##"<stop offset="0.6" stop-color="#1c2733" stop-opacity="0.28"/>"##,
    r##"<stop offset="1" stop-color="#1c2733" stop-opacity="0"/></radialGradient>"##,
    r##"<linearGradient id="floor" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#f4f5f5"/>"##,
    r##"<stop offset="1" stop-color="#e9ecee"/></linearGradient></defs>"##
);

/// The most frames that are shown, and the most images of bodies in all of them
/// together. The last frame shows all bodies.
const MAX_MOMENTS: usize = 8;
const MAX_BODY_IMAGES: usize = 100;
const MAX_SHADOWS: usize = 400;
/// The most trails, and the most points of all trails together.
const MAX_TRAILS: usize = 40;
const MAX_TRAIL_POINTS: usize = 6000;
const MAX_HEIGHT: f64 = 560.0;
const MIN_HEIGHT: f64 = 240.0;

/// Draws the picture with its top at `top`; returns its height.
pub(super) fn draw(recording: &Recording, top: f64, out: &mut String) -> f64 {
    let frames = &recording.frames;
    let header = &recording.header;
    let ground = Ground::under(recording);
    let mut view = View::from(header.up, bounds::view_azimuth(recording));
    if !header.cloths.is_empty() {
        return cloth_pictures::draw(recording, view, top, out);
    }
    let wet = !header.waters.is_empty();
    if !wet && strip::is_suitable(recording) {
        return strip::draw(recording, view, top, out);
    }
    let height = fit(&mut view, recording, &ground, top);
    put!(
        out,
        r##"<svg x="0" y="{top}" width="{WIDTH}" height="{height:.0}" viewBox="0 {top} {WIDTH} {height:.0}">"##
    );
    if !wet {
        ground.draw(&view, out);
    }
    let moments = moments(recording, wet);
    let mut painter = BodyPainter::new(recording, view, moments.len());
    if !wet && header.bodies.len() * moments.len() <= MAX_SHADOWS {
        for &(frame, weight) in &moments {
            painter.shadows(frame, weight, |p| ground.below(p), out);
        }
    }
    trails(recording, &view, out);
    if let (true, Some(last)) = (wet, frames.last()) {
        water::draw(recording, last, &mut painter, out);
    } else {
        for &(frame, weight) in &moments {
            painter.springs(frame, weight, out);
            painter.bodies(frame, weight, out);
        }
    }
    out.push_str("</svg>\n");
    if !wet && moments.len() > 1 {
        key(recording, &moments, top + height, out);
    }
    triad(&view, top + height, (!wet).then_some(ground.step), out);
    height
}

/// The frames that are shown, with their weights.
fn moments(recording: &Recording, wet: bool) -> Vec<(&Frame, f64)> {
    let frames = &recording.frames;
    let last = frames.len().saturating_sub(1);
    let bodies = recording.header.bodies.len().max(1);
    // Waves of several frames would overlap.
    let wanted = if wet {
        1
    } else {
        (MAX_BODY_IMAGES / bodies).clamp(1, MAX_MOMENTS)
    };
    let count = wanted.min(frames.len());
    let pick = |k: usize| {
        if count < 2 {
            return (last, 1.0);
        }
        let along = k as f64 / (count - 1) as f64;
        let frame = (along * last as f64).round() as usize;
        (frame, 0.14 + 0.86 * along.powf(1.5))
    };
    (0..count)
        .map(pick)
        .filter_map(|(f, weight)| Some((frames.get(f)?, weight)))
        .collect()
}

/// Scales and shifts the view so that everything is visible; returns the height of
/// the picture.
fn fit(view: &mut View, recording: &Recording, ground: &Ground, top: f64) -> f64 {
    let header = &recording.header;
    let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let mut see = |p: DVec3, radius: f64| {
        let at = view.flat(p);
        if at.iter().all(|v| v.abs() <= 3.0 * bounds::MAX_COORDINATE_M) {
            for k in 0..2 {
                lo[k] = lo[k].min(at[k] - radius);
                hi[k] = hi[k].max(at[k] + radius);
            }
        }
    };
    let radii: Vec<f64> = header
        .bodies
        .iter()
        .map(|b| bounds::radius(header, b))
        .collect();
    for frame in &recording.frames {
        for (index, body) in frame.present_bodies() {
            see(body.position, radii.get(index).copied().unwrap_or(0.0));
        }
        for spring in &header.springs {
            let ends = springs::ends(spring, frame, &recording.events);
            ends.into_iter().flatten().for_each(|p| see(p, 0.0));
        }
    }
    let waves = header.waters.iter().flat_map(|w| &w.waves);
    let swell = waves.map(|w| w.amplitude.abs()).sum::<f64>();
    ground.corners().into_iter().for_each(|p| see(p, swell));
    let size = [hi[0] - lo[0], hi[1] - lo[1]].map(|s| s.max(1e-9));
    let [wide, high] = [WIDTH - 2.0 * MARGIN, MAX_HEIGHT - 40.0];
    view.scale = (wide / size[0]).min(high / size[1]);
    let height = (size[1] * view.scale + 40.0).max(MIN_HEIGHT);
    view.origin = [
        WIDTH / 2.0 - view.scale * (lo[0] + hi[0]) / 2.0,
        top + height / 2.0 - view.scale * (lo[1] + hi[1]) / 2.0,
    ];
    height
}

/// A piece of level ground with a grid.
pub(super) struct Ground {
    extent: Extent,
    up: DVec3,
    level: f64,
    step: f64,
    /// The two level axes.
    axes: [usize; 2],
}

impl Ground {
    /// The ground plane of the scene, or a level below everything.
    pub fn under(recording: &Recording) -> Self {
        let header = &recording.header;
        let up = bounds::up(header);
        let mut extent = bounds::extent(recording);
        let axes = match header.up {
            Up::Z => [0, 1],
            Up::Y => [2, 0],
        };
        let lowest = extent.lo.dot(up);
        let level = bounds::floor_height(recording).unwrap_or(lowest);
        // Water hides the ground and is drawn in its place.
        let level = header.waters.first().map_or(level, |w| {
            w.level
                .clamp(-bounds::MAX_COORDINATE_M, bounds::MAX_COORDINATE_M)
        });
        if let Some(water) = header.waters.first().and_then(|w| w.extent) {
            for (k, &axis) in axes.iter().enumerate() {
                // Horizontal coordinates are (x, y) or (x, z).
                let k = if header.up == Up::Y { 1 - k } else { k };
                extent.lo[axis] =
                    water[0][k].clamp(-bounds::MAX_COORDINATE_M, bounds::MAX_COORDINATE_M);
                extent.hi[axis] =
                    water[1][k].clamp(-bounds::MAX_COORDINATE_M, bounds::MAX_COORDINATE_M);
            }
        }
        let widest = axes.map(|a| extent.hi[a] - extent.lo[a]);
        let step = layout::round_step(widest[0].max(widest[1]) / 16.0);
        for axis in axes {
            extent.lo[axis] = ((extent.lo[axis] / step - 0.3).floor()) * step;
            extent.hi[axis] = ((extent.hi[axis] / step + 0.3).ceil()) * step;
        }
        Self {
            extent,
            up,
            level,
            step,
            axes,
        }
    }

    fn point(&self, a: f64, b: f64) -> DVec3 {
        let mut p = self.up * self.level;
        p[self.axes[0]] = a;
        p[self.axes[1]] = b;
        p
    }

    /// Its four corners.
    pub fn corners(&self) -> [DVec3; 4] {
        let [i, j] = self.axes;
        let (lo, hi) = (self.extent.lo, self.extent.hi);
        [
            [lo[i], lo[j]],
            [hi[i], lo[j]],
            [hi[i], hi[j]],
            [lo[i], hi[j]],
        ]
        .map(|[a, b]| self.point(a, b))
    }

    /// The point of the ground below `p`, and how high `p` is above it; none
    /// beside the ground.
    pub fn below(&self, p: DVec3) -> Option<(DVec3, f64)> {
        let [i, j] = self.axes;
        let inside = self
            .axes
            .iter()
            .all(|&a| p[a] >= self.extent.lo[a] && p[a] <= self.extent.hi[a]);
        let height = p.dot(self.up) - self.level;
        (inside && height >= 0.0).then(|| (self.point(p[i], p[j]), height))
    }

    /// Draws it with its grid.
    pub fn draw(&self, view: &View, out: &mut String) {
        let corners = self.corners().map(|p| view.at(p));
        let path: Vec<String> = corners
            .iter()
            .map(|[x, y]| format!("{x:.1} {y:.1}"))
            .collect();
        put!(
            out,
            r##"<path d="M{}Z" fill="url(#floor)"/>"##,
            path.join("L")
        );
        let mut lines = String::new();
        let (lo, hi) = (self.extent.lo, self.extent.hi);
        let [i, j] = self.axes;
        for (axis, along, swap) in [(i, j, false), (j, i, true)] {
            let count = ((hi[axis] - lo[axis]) / self.step)
                .round()
                .clamp(1.0, 200.0) as usize;
            for n in 0..=count {
                let at = lo[axis] + n as f64 * self.step;
                let ends = [lo[along], hi[along]].map(|b| match swap {
                    false => view.at(self.point(at, b)),
                    true => view.at(self.point(b, at)),
                });
                let [[x0, y0], [x1, y1]] = ends;
                put!(lines, "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}");
            }
        }
        put!(
            out,
            r##"<path d="{lines}" stroke="#d3d9dd" stroke-width="0.9" fill="none"/>"##
        );
        out.push('\n');
    }
}

/// Draws the trails of the bodies' centres.
fn trails(recording: &Recording, view: &View, out: &mut String) {
    let bodies = &recording.header.bodies;
    let every = bodies.len().div_ceil(MAX_TRAILS).max(1);
    let points = MAX_TRAIL_POINTS / bodies.len().clamp(1, MAX_TRAILS);
    let sparse = recording.frames.len().div_ceil(points).max(1);
    out.push_str(r#"<g fill="none" stroke-width="1.5" stroke-linejoin="round" opacity="0.55">"#);
    // Of characters only the torso: the trails of all parts would hide it.
    let own = |body: &BodyInfo| match &body.character {
        Some(character) => body.name.strip_prefix(character.as_str()) == Some("/torso"),
        None => true,
    };
    let shown = bodies.iter().enumerate().filter(|(_, body)| own(body));
    for (b, body) in shown.step_by(every) {
        let (mut path, mut last) = (String::new(), None::<[f64; 2]>);
        let frames = recording.frames.iter().step_by(sparse);
        for frame in frames {
            let at = frame.present_body(b).map(|p| view.at(p.position));
            let in_range = |at: &[f64; 2]| at.iter().all(|v| v.abs() < 1e6);
            let Some([x, y]) = at.filter(in_range) else {
                last = None;
                continue;
            };
            match last {
                Some([lx, ly]) if f64::hypot(x - lx, y - ly) < 2.5 => continue,
                Some(_) => put!(path, "L{x:.1} {y:.1}"),
                None => put!(path, "M{x:.1} {y:.1}"),
            }
            last = Some([x, y]);
        }
        if path.contains('L') {
            let color = view::hex(view::lit(view::rgb(body.color), 0.9));
            put!(out, r#"<path stroke="{color}" d="{path}"/>"#);
        }
    }
    out.push_str("</g>\n");
}

/// The moments as a row of dots that gain colour.
fn key(recording: &Recording, moments: &[(&Frame, f64)], bottom: f64, out: &mut String) {
    let ends = [moments.first(), moments.last()].map(|m| m.map_or(0.0, |(f, _)| f.time));
    let color = recording
        .header
        .bodies
        .first()
        .map_or([80.0; 3], |b| view::rgb(b.color));
    let y = bottom + 2.0;
    let mut x = WIDTH - MARGIN;
    put!(
        out,
        r#"<g font-size="12" fill="{SOFT}"><text x="{x}" y="{y:.0}" text-anchor="end">{} s</text>"#,
        super::short(ends[1])
    );
    x -= 12.0 + 7.0 * (super::short(ends[1]).len() as f64 + 2.0);
    for (_, weight) in moments.iter().rev() {
        let fill = view::hex(view::faded(color, *weight));
        put!(
            out,
            r#"<circle cx="{x:.0}" cy="{:.1}" r="5" fill="{fill}"/>"#,
            y - 4.0
        );
        x -= 14.0;
    }
    put!(
        out,
        r#"<text x="{:.0}" y="{y:.0}" text-anchor="end">t = {}</text></g>"#,
        x + 4.0,
        super::short(ends[0])
    );
    out.push('\n');
}

/// The world's axes, and how far the grid's lines are apart.
fn triad(view: &View, bottom: f64, step: Option<f64>, out: &mut String) {
    let (cx, cy) = (MARGIN + 26.0, bottom - 14.0);
    out.push_str(r#"<g font-size="12" font-style="italic" stroke-width="1.8" stroke-linecap="round" text-anchor="middle">"#);
    let axes = [
        (DVec3::X, "x", "#d1495b"),
        (DVec3::Y, "y", "#3f9268"),
        (DVec3::Z, "z", "#2f6fb7"),
    ];
    for (axis, name, color) in axes {
        let [x, y] = view.flat(axis).map(|v| v * 26.0);
        let (tx, ty) = (cx + x * 1.42, cy + y * 1.42 + 4.0);
        put!(
            out,
            r#"<path d="M{cx:.1} {cy:.1}l{x:.1} {y:.1}" stroke="{color}"/><text x="{tx:.1}" y="{ty:.1}" fill="{color}">{name}</text>"#
        );
    }
    out.push_str("</g>");
    if let Some(step) = step {
        put!(
            out,
            r#"<text x="{:.1}" y="{:.1}" font-size="12" fill="{SOFT}">grid {} m</text>"#,
            cx + 52.0,
            bottom + 2.0,
            super::short(step)
        );
    }
    out.push('\n');
}
