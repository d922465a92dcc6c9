//! Where the motion takes place, and how large bodies are.

use super::markers;
use conatus_math::DVec3;
use conatus_record::{BodyInfo, EndInfo, Header, Recording, Up};

/// Coordinates beyond this, in metres, come from a simulation that diverged.
pub(crate) const MAX_COORDINATE_M: f64 = 1e12;

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

    /// Extends the box to a ball.
    pub fn add(&mut self, centre: DVec3, radius: f64) {
        if centre.is_finite() && centre.abs().max_element() < MAX_COORDINATE_M {
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
    header.bounding_radius(body).min(MAX_COORDINATE_M)
}

/// The radius of a body that is a ball about its centre of mass.
pub(crate) fn ball_radius(header: &Header, body: &BodyInfo) -> Option<f64> {
    match (
        body.mesh.and_then(|m| header.meshes.get(m)),
        &body.spheres[..],
    ) {
        (None, [(centre, r)]) => (centre.length() <= 1e-9 * r.abs()).then_some(r.abs()),
        (Some(mesh), _) if mesh.vertices.len() >= 12 => {
            let lengths = || mesh.vertices.iter().map(|v| v.length());
            let greatest = lengths().fold(0.0, f64::max);
            let least = lengths().fold(f64::INFINITY, f64::min);
            // The vertices of a thin cylinder are all far away too, but not all around.
            let mut around = Extent::EMPTY;
            mesh.vertices.iter().for_each(|v| around.add(*v, 0.0));
            let narrowest = (around.hi - around.lo).min_element();
            (least > 0.999 * greatest && narrowest > 1.6 * greatest).then_some(greatest)
        }
        _ => None,
    }
}

/// The box of all bodies, springs and pieces of cloth over the whole run; never
/// empty and never flat.
pub(crate) fn extent(recording: &Recording) -> Extent {
    let header = &recording.header;
    let radii: Vec<f64> = header.bodies.iter().map(|b| radius(header, b)).collect();
    let mut extent = Extent::EMPTY;
    for frame in &recording.frames {
        for (index, body) in frame.present_bodies() {
            extent.add(body.position, radii.get(index).copied().unwrap_or(0.0));
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

/// The box that planes are drawn in: that of the motion with a margin, but
/// ending at walls that are near.
pub(crate) fn display_box(recording: &Recording) -> Extent {
    let inner = extent(recording);
    let margin = 0.2 * inner.diagonal();
    let mut outer = Extent {
        lo: inner.lo - margin,
        hi: inner.hi + margin,
    };
    for plane in &recording.header.planes {
        for axis in 0..3 {
            let at = plane.point[axis];
            let near = |edge: f64| (at - edge).abs() < 2.0 * inner.diagonal();
            if plane.normal[axis] > 0.999 && at < inner.hi[axis] && near(inner.lo[axis]) {
                outer.lo[axis] = at;
            }
            if plane.normal[axis] < -0.999 && at > inner.lo[axis] && near(inner.hi[axis]) {
                outer.hi[axis] = at;
            }
        }
    }
    outer
}

/// The height of the ground plane nearest to the motion, if there is one.
pub(crate) fn floor_height(recording: &Recording) -> Option<f64> {
    let extent = extent(recording);
    let up = up(&recording.header);
    let max_distance = 3.0 * extent.diagonal();
    let lowest = extent.lo.dot(up);
    let planes = recording.header.planes.iter();
    planes
        .filter(|p| p.normal.dot(up) > 0.99)
        .map(|p| p.point.dot(up))
        .filter(|h| (h - lowest).abs() < max_distance)
        .max_by(f64::total_cmp)
}

/// The azimuth in degrees of the view in which the motion is widest, measured from
/// the x axis towards y if z is up, and from the z axis towards x if y is up.
pub(crate) fn view_azimuth(recording: &Recording) -> f64 {
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
            let bodies = frame.present_bodies().map(|(_, b)| b.position);
            let sparse = (frame.cloth.len() / 500).max(1);
            let cloth = frame.cloth.iter().step_by(sparse).copied();
            for place in bodies.chain(cloth) {
                let x = place.dot(right);
                if x.abs() < MAX_COORDINATE_M {
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
    let facing = recording.clip.as_ref().and_then(markers::facing_direction);
    facing.map_or(best, |facing| {
        // Characters are seen from the front: the mirrored view is as wide.
        let (sin, cos) = best.to_radians().sin_cos();
        let [x, y] = [first, second].map(|axis| facing.dot(axis));
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
