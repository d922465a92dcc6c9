//! What all pictures of a run share: the camera, the ground, the surfaces of
//! bodies.

use super::camera::Camera;
use super::picture_space::PictureSpace;
use super::planes::ScenePlanes;
use super::translucent;
use crate::shared::bounds;
use crate::shared::bounds::Extent;
use crate::shared::surface::{self, Corner};
use crate::shared::{shapes, simplify};
use conatus_math::DVec3;
use conatus_record::clip::{Clip, ContactChart};
use conatus_record::{BodyInfo, EndInfo, Frame, Header, Recording};

/// About how many points of bodies the camera is fitted to.
const MAX_CAMERA_POINTS: usize = 400_000;
/// The camera ignores points that are this many times farther away than the 90th
/// percentile: their bodies have diverged.
const MAX_RELATIVE_DISTANCE: f64 = 40.0;
/// The most triangles of bodies in a picture; finer meshes are simplified.
const MAX_TRIANGLES: usize = 400_000;
/// The distance of ambient occlusion between folds, in picture space.
const CLOTH_OCCLUSION_DISTANCE: f64 = 0.06;
/// About how many vertices of cloth the camera is fitted to.
const MAX_CAMERA_VERTICES: usize = 4_000_000;
/// With more vertices the lowest point is estimated from the bounding box.
const MAX_VERTICES_FOR_LOWEST: usize = 2_000_000;

/// A run prepared for rendering.
pub(super) struct RenderScene<'a> {
    pub recording: &'a Recording,
    pub space: PictureSpace,
    pub camera: Camera,
    /// The width of pictures over their height.
    pub aspect: f64,
    /// The diagonal of the motion, in metres.
    pub size: f64,
    /// The height of the ground, in metres.
    pub ground: f64,
    pub planes: ScenePlanes,
    /// Towards the sun.
    pub sun: DVec3,
    /// The distance of ambient occlusion between bodies, in picture space.
    pub reach: f64,
    /// The radius of each body that is a ball.
    pub balls: Vec<Option<f64>>,
    /// Whether each body rotates during the run.
    pub turning: Vec<bool>,
    /// Whether each body is translucent.
    pub is_translucent: Vec<bool>,
    /// The surface of each mesh.
    pub surfaces: Vec<Vec<Corner>>,
    /// A spring of length and radius 1.
    pub coil: Vec<Corner>,
    /// A straight wire of length 1 for ropes and rods.
    pub wire: Vec<Corner>,
    /// Which contacts are active when.
    pub chart: ContactChart,
}

impl<'a> RenderScene<'a> {
    /// Prepares a run; `shown` are the frames that will be drawn.
    pub fn new(recording: &'a Recording, shown: &[&Frame]) -> Self {
        let header = &recording.header;
        let radii: Vec<f64> = header
            .bodies
            .iter()
            .map(|b| bounds::radius(header, b))
            .collect();
        let outlines: Vec<_> = header.bodies.iter().map(|b| outline(header, b)).collect();
        let places = places(recording, &outlines);
        let mut extent = Extent::EMPTY;
        places.iter().for_each(|(p, r)| extent.add(*p, *r));
        let size = extent.diagonal().max(1e-9);
        let space = PictureSpace {
            up: header.up,
            centre: (extent.lo + extent.hi) / 2.0,
            scale: size / 2.0,
        };
        // Cloth touches an obstacle's triangles, which lie inside of the
        // exact ball.
        let angular = |b: &BodyInfo| b.scripted && b.mesh.is_some() && !header.cloths.is_empty();
        let balls: Vec<_> = header
            .bodies
            .iter()
            .map(|b| bounds::ball_radius(header, b).filter(|_| !angular(b)))
            .collect();
        let floor = bounds::floor_height(recording);
        let lowest = lowest(recording, shown, &balls, &radii, &extent);
        let ground = floor.unwrap_or(lowest);

        let framed = || {
            let inside = |(p, r): &(DVec3, f64)| Some((space.at(*p)?, r / space.scale));
            places.iter().filter_map(inside)
        };
        let azimuth = bounds::view_azimuth(recording);
        let spread = space.turn(extent.hi - extent.lo).abs();
        let flat = 1.0 - (spread.z / spread.x.max(spread.y)).clamp(0.0, 1.0);
        // The view of a flat scene is steeper.
        let height = 17.0 + 30.0 * flat * flat;
        let aspect = match Camera::proportions(azimuth, height, framed()) {
            wide if wide > 1.45 => 1.6,
            wide if wide > 1.15 => 4.0 / 3.0,
            square if square > 0.75 => 1.0,
            _ => 0.75,
        };
        let camera = Camera::fit(azimuth, height, aspect, framed());
        let ahead = (-camera.forward).with_z(0.0).normalize_or(DVec3::X);
        let sun = (DVec3::Z - camera.right * 0.45 + ahead * 0.3).normalize();
        let mut sizes = radii.clone();
        sizes.sort_by(f64::total_cmp);
        let middle = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
        let others = balls.iter().filter(|b| b.is_none()).count();
        let each = (MAX_TRIANGLES / others.max(1)).max(24);
        let surfaces: Vec<Vec<Corner>> = header
            .meshes
            .iter()
            .map(|mesh| match mesh.triangles.len() > each {
                true => surface::rounded(&simplify::simplify_mesh(mesh, each)),
                false => surface::rounded(mesh),
            })
            .collect();
        let is_translucent = |(index, body): (usize, &BodyInfo)| {
            let mesh = body.mesh.filter(|_| body.scripted);
            let open = mesh.filter(|m| header.meshes.get(*m).is_some_and(shapes::is_open));
            let surface = open.and_then(|m| surfaces.get(m));
            surface.is_some_and(|surface| {
                translucent::hides_cloth(recording, shown, index, surface, &space, &camera)
            })
        };
        Self {
            turning: (0..header.bodies.len())
                .map(|b| turns(recording, b))
                .collect(),
            is_translucent: header
                .bodies
                .iter()
                .enumerate()
                .map(is_translucent)
                .collect(),
            recording,
            space,
            camera,
            aspect,
            size,
            ground,
            planes: ScenePlanes::new(recording, &space, &extent, ground, floor.is_some()),
            sun,
            reach: match header.cloths.is_empty() {
                true => (1.3 * middle / space.scale).clamp(0.01, 0.12),
                false => CLOTH_OCCLUSION_DISTANCE,
            },
            balls,
            surfaces,
            chart: recording.clip.as_ref().map(Clip::chart).unwrap_or_default(),
            wire: surface::flat(&shapes::wire(1.0)),
            coil: match header.springs.len() {
                0..=200 => surface::flat(&shapes::coil(10, 0.8, 0.2, 0.012)),
                201..=2000 => surface::flat(&shapes::coil(4, 0.8, 0.3, 0.03)),
                // So many springs are drawn as lines.
                _ => surface::flat(&shapes::wire(0.4)),
            },
        }
    }
}

/// Balls around the outermost points of a body, in its own axes.
fn outline(header: &Header, body: &BodyInfo) -> Vec<(DVec3, f64)> {
    if let Some(radius) = bounds::ball_radius(header, body) {
        return vec![(DVec3::ZERO, radius)];
    }
    let Some(mesh) = body.mesh.and_then(|m| header.meshes.get(m)) else {
        return body.spheres.clone();
    };
    outermost(&mesh.vertices)
}

/// The extreme points in 26 directions, as balls of radius 0.
fn outermost(points: &[DVec3]) -> Vec<(DVec3, f64)> {
    let mut out: Vec<(DVec3, f64)> = Vec::new();
    for k in 0..27 {
        let side = |power: i32| f64::from(k / 3i32.pow(power as u32) % 3 - 1);
        let direction = DVec3::new(side(0), side(1), side(2));
        let farther = |a: &&DVec3, b: &&DVec3| a.dot(direction).total_cmp(&b.dot(direction));
        let is_in_range = points.iter().filter(|v| v.is_finite());
        if let Some(most) = is_in_range.max_by(farther) {
            out.push((*most, 0.0));
        }
    }
    out.dedup();
    out
}

/// Whether a body's orientation ever differs from the first.
fn turns(recording: &Recording, body: usize) -> bool {
    let mut poses = recording.frames.iter().filter_map(|f| f.bodies.get(body));
    let first = poses.next().map(|b| b.orientation);
    // q and −q are the same rotation.
    first.is_some_and(|first| poses.any(|b| b.orientation.dot(first).abs() < 1.0 - 1e-9))
}

/// The points that the camera must show, with radii: bodies, cloth and pins over
/// the run. Never empty, and without diverged bodies.
fn places(recording: &Recording, outlines: &[Vec<(DVec3, f64)>]) -> Vec<(DVec3, f64)> {
    let frames = &recording.frames;
    let points: usize = outlines.iter().map(Vec::len).sum();
    let every = (frames.len() * points / MAX_CAMERA_POINTS).max(1);
    let is_in_range = |p: &DVec3| p.is_finite() && p.abs().max_element() < bounds::MAX_COORDINATE_M;
    let mut places: Vec<(DVec3, f64)> = Vec::new();
    // The last frame is always included.
    for frame in frames.iter().rev().step_by(every) {
        for (index, body) in frame.present_bodies() {
            let outline = outlines.get(index).into_iter().flatten();
            let place = |(p, r): &(DVec3, f64)| (body.position + body.orientation * *p, r.abs());
            places.extend(outline.map(place).filter(|(p, _)| is_in_range(p)));
        }
    }
    let vertices = recording.header.cloth_vertices();
    let every = (frames.len() * vertices / MAX_CAMERA_VERTICES).max(1);
    for frame in frames.iter().rev().step_by(every) {
        for (_, range) in recording.header.cloth_pieces() {
            let outline = outermost(frame.cloth.get(range).unwrap_or_default());
            places.extend(outline.into_iter().filter(|(p, _)| is_in_range(p)));
        }
    }
    for target in recording.clip.iter().flat_map(|clip| &clip.targets) {
        places.extend(is_in_range(&target.position).then_some((target.position, 0.05)));
    }
    for spring in &recording.header.springs {
        for end in [&spring.a, &spring.b] {
            if let EndInfo::Pin(point) = end {
                places.extend(is_in_range(point).then_some((*point, 0.0)));
            }
        }
    }
    if let Some(reach) = usual(&places) {
        places.retain(|(p, r)| (*p - reach.0).length() + r <= MAX_RELATIVE_DISTANCE * reach.1);
    }
    for water in &recording.header.waters {
        if let Some([lo, hi]) = water.extent {
            for h in [lo, [lo[0], hi[1]], hi, [hi[0], lo[1]]] {
                let corner = match recording.header.up {
                    conatus_record::Up::Y => DVec3::new(h[0], water.level, h[1]),
                    conatus_record::Up::Z => DVec3::new(h[0], h[1], water.level),
                };
                let reach = usual(&places).map_or(f64::INFINITY, |(_, reach)| 4.0 * reach);
                if is_in_range(&corner) && corner.length() < reach {
                    places.push((corner, 0.0));
                }
            }
        }
    }
    if places.iter().all(|(_, r)| *r <= 0.0) && places.len() < 2 {
        let centre = places.first().map_or(DVec3::ZERO, |(p, _)| *p);
        places.push((centre, 1.0));
    }
    places
}

/// The median of points, and the 90th percentile of distances from it.
fn usual(places: &[(DVec3, f64)]) -> Option<(DVec3, f64)> {
    let middle = |axis: usize| {
        let mut values: Vec<f64> = places.iter().map(|(p, _)| p[axis]).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let centre = DVec3::new(middle(0)?, middle(1)?, middle(2)?);
    let mut reach: Vec<f64> = places
        .iter()
        .map(|(p, r)| (*p - centre).length() + r)
        .collect();
    reach.sort_by(f64::total_cmp);
    let most = *reach.get(reach.len() * 9 / 10)?;
    (most > 0.0).then_some((centre, most))
}

/// The height of the lowest point of bodies and cloth in the shown frames, or of
/// the bounding box if there are too many vertices.
fn lowest(
    recording: &Recording,
    shown: &[&Frame],
    balls: &[Option<f64>],
    radii: &[f64],
    extent: &Extent,
) -> f64 {
    let header = &recording.header;
    let up = bounds::up(header);
    let bottom = extent.lo.dot(up);
    let mesh = |b: usize| header.meshes.get(header.bodies.get(b)?.mesh?);
    let count = |b: usize| mesh(b).map_or(1, |m| m.vertices.len());
    let vertices: usize = (0..header.bodies.len()).map(count).sum();
    let vertices = vertices + header.cloth_vertices();
    if vertices * shown.len() > MAX_VERTICES_FOR_LOWEST {
        return bottom;
    }
    let mut lowest = f64::INFINITY;
    // Diverged bodies do not count.
    let near = |at: f64| at >= bottom - 0.05 * extent.diagonal();
    for frame in shown {
        let heights = frame.cloth.iter().map(|v| v.dot(up));
        lowest = heights.filter(|at| near(*at)).fold(lowest, f64::min);
        for (b, body) in frame.present_bodies() {
            let below = match (balls.get(b), mesh(b)) {
                (Some(None), Some(mesh)) => {
                    let turned = body.orientation.inverse() * up;
                    let heights = mesh.vertices.iter().map(|v| v.dot(turned));
                    heights.fold(0.0, f64::min)
                }
                _ => -radii.get(b).copied().unwrap_or(0.0),
            };
            let at = body.position.dot(up) + below;
            if near(at) {
                lowest = lowest.min(at);
            }
        }
    }
    if lowest.is_finite() { lowest } else { bottom }
}
