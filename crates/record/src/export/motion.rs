//! What several exporters need to know about the motion: where it takes place
//! and how large the bodies are.

use crate::model::{BodyInfo, EndInfo, Frame, Header, Recording, SpringInfo, Up, WaterInfo};
use conatus_math::DVec3;

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
    let mesh = body.mesh.and_then(|m| header.meshes.get(m));
    let of_mesh = mesh.map(|m| m.vertices.iter().map(|v| v.length()).fold(0.0, f64::max));
    let of_spheres = || {
        let reach = |(c, r): &(DVec3, f64)| c.length() + r.abs();
        body.spheres.iter().map(reach).fold(0.0, f64::max)
    };
    of_mesh.unwrap_or_else(of_spheres).min(FAR)
}

impl Header {
    /// The radius of the smallest ball about the centre of mass of a body that
    /// holds all of it.
    pub fn radius(&self, body: usize) -> Option<f64> {
        self.bodies.get(body).map(|body| radius(self, body))
    }
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

/// The box that all bodies and springs stay in during the whole run, never
/// empty and never flat.
pub(crate) fn extent(recording: &Recording) -> Extent {
    let header = &recording.header;
    let radii: Vec<f64> = header.bodies.iter().map(|b| radius(header, b)).collect();
    let mut extent = Extent::EMPTY;
    for frame in &recording.frames {
        for (body, radius) in frame.bodies.iter().zip(&radii) {
            extent.add(body.position, *radius);
        }
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
