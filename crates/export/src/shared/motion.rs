//! What several exporters need to know about the motion: where it takes place
//! and how large the bodies are.

use crate::shared::markers;
use conatus_math::{DVec3, sincos};
use conatus_record::{BodyInfo, EndInfo, Frame, Header, Recording, SpringInfo, Up, WaterInfo};

/// Numbers beyond this are a blow-up, not a place.
pub(crate) const FAR: f64 = 1e12;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub lo: DVec3,
    pub hi: DVec3,
}

impl Extent {
    /// The empty box, which any point enlarges.
    pub const EMPTY: Self = Self {
        lo: DVec3::INFINITY,
        hi: DVec3::NEG_INFINITY,
    };

    /// Makes room for a ball.
    pub fn add(&mut self, centre: DVec3, radius: f64) {
        if centre.is_finite() && centre.abs().max_element() < FAR {
            self.lo = self.lo.min(centre - radius);
            self.hi = self.hi.max(centre + radius);
        }
    }

    /// The length of the diagonal.
    pub fn diagonal(&self) -> f64 {
        (self.hi - self.lo).length()
    }

    /// The eight corners.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, lo, hi| if i >> bit & 1 == 0 { lo } else { hi };
            DVec3::new(
                pick(0, self.lo.x, self.hi.x),
                pick(1, self.lo.y, self.hi.y),
                pick(2, self.lo.z, self.hi.z),
            )
        })
    }
}

/// The unit vector that points up.
pub(crate) fn up(header: &Header) -> DVec3 {
    match header.up {
        Up::Y => DVec3::Y,
        Up::Z => DVec3::Z,
    }
}

/// The radius of the smallest ball about the centre of mass around a body.
pub(crate) fn radius(header: &Header, body: &BodyInfo) -> f64 {
    header.bounding_radius(body).min(FAR)
}

/// If the body is a ball about its centre of mass: its radius.
pub(crate) fn ball(header: &Header, body: &BodyInfo) -> Option<f64> {
    match (
        body.mesh.and_then(|m| header.meshes.get(m)),
        &body.spheres[..],
    ) {
        (None, [(centre, r)]) => (centre.length() <= 1e-9 * r.abs()).then_some(r.abs()),
        (Some(mesh), _) if mesh.vertices.len() >= 12 => {
            let lengths = || mesh.vertices.iter().map(|v| v.length());
            let most = lengths().fold(0.0, f64::max);
            let least = lengths().fold(f64::INFINITY, f64::min);
            (least > 0.999 * most).then_some(most)
        }
        _ => None,
    }
}

/// What is in a run, in words: `2 bodies · 1 piece of cloth`. The parts of a
/// character are one.
pub(crate) fn contents(recording: &Recording) -> String {
    let header = &recording.header;
    let characters = recording.clip.as_ref().map_or(0, |c| c.characters.len());
    let bodies = header.bodies.iter().filter(|b| b.character.is_none());
    let bodies = bodies.count();
    let pieces = header.cloths.len();
    let count = |n: usize, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let mut said = Vec::new();
    if characters > 0 {
        said.push(count(characters, "character", "characters"));
    }
    if bodies > 0 || (characters == 0 && pieces == 0) {
        said.push(count(bodies, "body", "bodies"));
    }
    if pieces > 0 {
        said.push(count(pieces, "piece of cloth", "pieces of cloth"));
    }
    said.join(" · ")
}

/// The places of at most `wanted` of `count` things, evenly spaced, the first
/// and the last among them; of one, the last.
pub(crate) fn evenly(count: usize, wanted: usize) -> Vec<usize> {
    let wanted = wanted.min(count);
    let last = count.saturating_sub(1);
    let pick = |k: usize| match wanted {
        1 => last,
        _ => (k * last + (wanted - 1) / 2) / (wanted - 1),
    };
    (0..wanted).map(pick).collect()
}

/// The box that all bodies, springs and pieces of cloth stay in during the whole run, never
/// empty and never flat.
pub(crate) fn extent(recording: &Recording) -> Extent {
    let header = &recording.header;
    let radii: Vec<f64> = header.bodies.iter().map(|b| radius(header, b)).collect();
    let mut extent = Extent::EMPTY;
    for frame in &recording.frames {
        for (body, radius) in frame.bodies.iter().zip(&radii) {
            extent.add(body.position, *radius);
        }
        frame.cloth.iter().for_each(|v| extent.add(*v, 0.0));
    }
    for spring in &header.springs {
        for end in [&spring.a, &spring.b] {
            if let EndInfo::Pin(point) = end {
                extent.add(*point, 0.0);
            }
        }
    }
    if extent.lo.x > extent.hi.x {
        extent.add(DVec3::ZERO, 1.0);
    }
    let least = (extent.diagonal() * 0.05).max(1e-3);
    let thin = (DVec3::splat(least) - (extent.hi - extent.lo)).max(DVec3::ZERO) / 2.0;
    Extent {
        lo: extent.lo - thin,
        hi: extent.hi + thin,
    }
}

/// The box that planes are drawn in: the motion's, with some air around it,
/// but ending at walls that are near.
pub(crate) fn room(recording: &Recording) -> Extent {
    let inner = extent(recording);
    let air = 0.2 * inner.diagonal();
    let mut room = Extent {
        lo: inner.lo - air,
        hi: inner.hi + air,
    };
    for plane in &recording.header.planes {
        for axis in 0..3 {
            let at = plane.point[axis];
            let near = |edge: f64| (at - edge).abs() < 2.0 * inner.diagonal();
            if plane.normal[axis] > 0.999 && at < inner.hi[axis] && near(inner.lo[axis]) {
                room.lo[axis] = at;
            }
            if plane.normal[axis] < -0.999 && at > inner.lo[axis] && near(inner.hi[axis]) {
                room.hi[axis] = at;
            }
        }
    }
    room
}

/// The height of the ground plane nearest to the motion, if there is one.
pub(crate) fn floor(recording: &Recording) -> Option<f64> {
    let extent = extent(recording);
    let up = up(&recording.header);
    let reach = 3.0 * extent.diagonal();
    let lowest = extent.lo.dot(up);
    let planes = recording.header.planes.iter();
    planes
        .filter(|p| p.normal.dot(up) > 0.99)
        .map(|p| p.point.dot(up))
        .filter(|h| (h - lowest).abs() < reach)
        .max_by(f64::total_cmp)
}

/// The next of 1, 2, 5, 10, … that is not smaller.
pub(crate) fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let [one, two, five] = [1.0, 2.0, 5.0].map(|m| m * power);
    [one, two, five]
        .into_iter()
        .find(|s| *s >= rough * 0.999)
        .unwrap_or(10.0 * power)
}

/// Where the two ends of a spring are in a frame.
pub(crate) fn spring_ends(spring: &SpringInfo, frame: &Frame) -> Option<[DVec3; 2]> {
    let at = |end: &EndInfo| match *end {
        EndInfo::Pin(point) => Some(point),
        EndInfo::Body(body, point) => {
            let body = frame.bodies.get(body)?;
            Some(body.position + body.orientation * point)
        }
    };
    Some([at(&spring.a)?, at(&spring.b)?])
}

/// Half of the width of a spring's coil, in a motion of this size.
pub(crate) fn spring_width(spring: &SpringInfo, size: f64) -> f64 {
    (0.05 * spring.length.abs()).clamp(0.004 * size, 0.02 * size)
}

/// The azimuth in degrees from which the motion is seen to spread widest: from
/// the x axis towards y if z is up, from the z axis towards x if y is up.
pub(crate) fn azimuth(recording: &Recording) -> f64 {
    let (first, second) = match recording.header.up {
        Up::Z => (DVec3::X, DVec3::Y),
        Up::Y => (DVec3::Z, DVec3::X),
    };
    let every = (recording.frames.len() / 50).max(1);
    let spread = |degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let right = second * cos - first * sin;
        let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for frame in recording.frames.iter().step_by(every) {
            let bodies = frame.bodies.iter().map(|b| b.position);
            let sparse = (frame.cloth.len() / 500).max(1);
            let cloth = frame.cloth.iter().step_by(sparse).copied();
            for place in bodies.chain(cloth) {
                let x = place.dot(right);
                if x.abs() < FAR {
                    n += 1.0;
                    sum += x;
                    squares += x * x;
                }
            }
        }
        squares / f64::max(n, 1.0) - (sum / f64::max(n, 1.0)).powi(2)
    };
    let mut best = -68.0;
    let mut widest = spread(best) * 1.15;
    for degrees in [-22.0, -112.0, -158.0] {
        if spread(degrees) > widest {
            widest = spread(degrees);
            best = degrees;
        }
    }
    let ahead = recording.clip.as_ref().and_then(markers::ahead);
    ahead.map_or(best, |ahead| {
        // Characters are looked at from before, not from behind: the mirror
        // image of a view shows as much.
        let (sin, cos) = best.to_radians().sin_cos();
        let [x, y] = [first, second].map(|axis| ahead.dot(axis));
        let behind = (cos * x + sin * y) / f64::max(x * x + y * y, 1e-12);
        match behind < 0.0 {
            true => {
                let [cos, sin] = [cos - 2.0 * behind * x, sin - 2.0 * behind * y];
                f64::atan2(sin, cos).to_degrees()
            }
            false => best,
        }
    })
}

/// The most waves of a stretch of water that pictures show.
const MAX_WAVES: usize = 64;

/// The height of water at a place and a moment, and its slopes along the two
/// horizontal axes.
pub(crate) fn water_surface(water: &WaterInfo, h: [f64; 2], time: f64) -> (f64, [f64; 2]) {
    let (mut height, mut slope) = (water.level, [0.0; 2]);
    for wave in water.waves.iter().take(MAX_WAVES) {
        let [kx, ky] = wave.wave_vector;
        let angle = kx * h[0] + ky * h[1] - wave.angular_frequency * time + wave.phase;
        let (sin, cos) = sincos(angle);
        height += wave.amplitude * sin;
        slope[0] += wave.amplitude * cos * kx;
        slope[1] += wave.amplitude * cos * ky;
    }
    (height, slope)
}

/// The horizontal extent of a stretch of water: its own, or the motion's with
/// some air around it.
pub(crate) fn water_extent(recording: &Recording, water: &WaterInfo) -> [[f64; 2]; 2] {
    water.extent.unwrap_or_else(|| {
        let room = room(recording);
        let flat = |v: DVec3| match recording.header.up {
            Up::Y => [v.x, v.z],
            Up::Z => [v.x, v.y],
        };
        [flat(room.lo), flat(room.hi)]
    })
}
