//! A piece of a mesh: what lies on given sides of some planes.
//!
//! Of the surface of a piece only what comes from the mesh is kept as triangles that carry
//! corners of its hull. The faces that cuts make are *caps*: fans of triangles about any point
//! of the plane, with signs, whose outline is that of the cut. They need no triangulation of
//! the outline, because volumes are sums over signed tetrahedra, and cuts of such sums are
//! sums again.

use crate::convex::ConvexHull;
use crate::{Aabb, HalfSpace, Mesh};
use conatus_math::{DVec3, atan2};
use std::f64::consts::TAU;

/// Points this close to a plane lie on it, relative to the size of the mesh.
const ON_PLANE: f64 = 1e-9;
/// More points than this are thinned out before the hull of a trial cut is made.
const MAX_TRIAL_POINTS: usize = 200;
/// Directions whose extreme points are kept then.
const TRIAL_DIRECTIONS: usize = 150;

type Triangle = [DVec3; 3];

/// A piece of a mesh and its hull.
#[derive(Clone, Debug)]
pub struct ConvexPiece {
    surface: Vec<Triangle>,
    caps: Vec<Triangle>,
    /// The planes that it was cut at, with the piece inside.
    planes: Vec<HalfSpace>,
    /// Corners in the inside of the mesh, where three planes meet.
    inner: Vec<DVec3>,
    /// The size of the whole mesh.
    size: f64,
    /// Its volume.
    pub volume: f64,
    /// Its convex hull.
    pub hull: ConvexHull,
    /// The volume of the hull.
    pub hull_volume: f64,
}

/// One side of a trial cut.
pub struct Trial {
    /// The volume of the piece.
    pub volume: f64,
    /// By how much its hull is larger.
    pub excess: f64,
}

/// One side of a cut: surface, caps and inner corners.
#[derive(Default)]
struct Side {
    surface: Vec<Triangle>,
    caps: Vec<Triangle>,
    inner: Vec<DVec3>,
}

impl ConvexPiece {
    /// The whole mesh; `None` if it is flat.
    pub fn of_mesh(mesh: &Mesh) -> Option<Self> {
        let surface = (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect();
        let side = Side {
            surface,
            ..Side::default()
        };
        let size = mesh.aabb().extent().max_element();
        Self::of_side(side, Vec::new(), size)
    }

    fn of_side(side: Side, planes: Vec<HalfSpace>, size: f64) -> Option<Self> {
        let hull = ConvexHull::new(&side.points()).ok()?;
        Some(Self {
            volume: side.volume(),
            hull_volume: hull.mesh().volume_integrals().volume,
            surface: side.surface,
            caps: side.caps,
            inner: side.inner,
            planes,
            size,
            hull,
        })
    }

    /// By how much its hull is larger than itself.
    pub fn excess(&self) -> f64 {
        self.hull_volume - self.volume
    }

    /// The corners of its hull.
    pub fn points(&self) -> impl Iterator<Item = DVec3> {
        self.hull.vertices().iter().copied()
    }

    /// Its hull without the points of cuts that lie on edges: at a corner three faces meet.
    pub fn corners(&self) -> ConvexHull {
        let mut faces = vec![0; self.hull.vertices().len()];
        for corner in self.hull.faces().iter().flat_map(|f| &f.corners) {
            faces[*corner as usize] += 1;
        }
        let points = self.points().zip(faces).filter(|(_, count)| *count >= 3);
        let points: Vec<DVec3> = points.map(|(p, _)| p).collect();
        ConvexHull::new(&points).unwrap_or_else(|_| self.hull.clone())
    }

    /// Whether the boxes around two pieces touch.
    pub fn is_beside(&self, other: &Self) -> bool {
        let [a, b] = [self, other].map(|p| Aabb::from_points(p.points()));
        a.grow(ON_PLANE * self.size).overlaps(&b)
    }

    /// Two pieces as one; `None` if their hull is flat. It cannot be cut.
    pub fn joined(&self, other: &Self) -> Option<Self> {
        let points: Vec<DVec3> = self.points().chain(other.points()).collect();
        let hull = ConvexHull::new(&points).ok()?;
        Some(Self {
            surface: Vec::new(),
            caps: Vec::new(),
            planes: Vec::new(),
            inner: Vec::new(),
            size: self.size,
            volume: self.volume + other.volume,
            hull_volume: hull.mesh().volume_integrals().volume,
            hull,
        })
    }

    /// The volumes on the two sides of a plane; `None` if it does not cut the piece. Hulls of
    /// large pieces are approximate.
    pub fn trial_cut(&self, plane: &HalfSpace) -> Option<[Trial; 2]> {
        let margin = 1e-6 * self.size;
        let heights = || self.points().map(|p| plane.height(p));
        if heights().all(|h| h < margin) || heights().all(|h| h > -margin) {
            return None;
        }
        let [a, b] = self.sides(plane);
        Some([a?.trial()?, b?.trial()?])
    }

    /// The pieces below and above a plane.
    pub fn cut(&self, plane: &HalfSpace, whole: &Mesh) -> [Option<Self>; 2] {
        let opposite = HalfSpace {
            normal: -plane.normal,
            offset: -plane.offset,
        };
        let mut sides = self.sides(plane);
        let corners = self.corners_on(plane, whole);
        for side in sides.iter_mut().flatten() {
            side.inner.extend(&corners);
        }
        let [below, above] = sides;
        let piece = |side: Option<Side>, plane: HalfSpace| {
            let planes = self.planes.iter().copied().chain([plane]).collect();
            Self::of_side(side?, planes, self.size)
        };
        [piece(below, *plane), piece(above, opposite)]
    }

    /// Where a plane meets two of the planes of the piece inside of the mesh.
    fn corners_on(&self, plane: &HalfSpace, whole: &Mesh) -> Vec<DVec3> {
        let tolerance = 1e-7 * self.size;
        let mut corners = Vec::new();
        for (i, a) in self.planes.iter().enumerate() {
            for b in &self.planes[i + 1..] {
                let (m, n) = (a.normal.cross(b.normal), plane.normal);
                let determinant = m.dot(n);
                if determinant.abs() < 1e-9 {
                    continue;
                }
                let sum =
                    m * plane.offset + b.normal.cross(n) * a.offset + n.cross(a.normal) * b.offset;
                let p = sum / determinant;
                let within = self.planes.iter().all(|h| h.height(p) <= tolerance);
                if within && is_inside(whole, p) {
                    corners.push(p);
                }
            }
        }
        corners
    }

    /// What lies below and above a plane.
    fn sides(&self, plane: &HalfSpace) -> [Option<Side>; 2] {
        let tolerance = ON_PLANE * self.size;
        let mut cuts = [Cut::default(), Cut::default()];
        for (is_cap, triangles) in [(false, &self.surface), (true, &self.caps)] {
            for triangle in triangles {
                divide(triangle, plane, tolerance, is_cap, &mut cuts);
            }
        }
        for p in &self.inner {
            let height = plane.height(*p);
            if height <= tolerance {
                cuts[0].side.inner.push(*p);
            }
            if height >= -tolerance {
                cuts[1].side.inner.push(*p);
            }
        }
        cuts.map(|cut| (!cut.side.surface.is_empty()).then(|| cut.closed()))
    }
}

impl Side {
    fn volume(&self) -> f64 {
        let all = || self.surface.iter().chain(&self.caps);
        let Some([reference, ..]) = all().next().copied() else {
            return 0.0;
        };
        let tetrahedron = |t: &Triangle| {
            let [a, b, c] = t.map(|p| p - reference);
            a.dot(b.cross(c)) / 6.0
        };
        all().map(tetrahedron).sum()
    }

    /// The points that its hull is made of, each once.
    fn points(&self) -> Vec<DVec3> {
        let all = self.surface.iter().flatten().chain(&self.inner);
        let mut points: Vec<DVec3> = all.copied().collect();
        let order = |a: &DVec3, b: &DVec3| {
            let (a, b) = (a.to_array(), b.to_array());
            let pairs = a.iter().zip(&b).map(|(a, b)| a.total_cmp(b));
            pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        };
        points.sort_unstable_by(order);
        points.dedup();
        points
    }

    fn trial(&self) -> Option<Trial> {
        let mut points = self.points();
        if points.len() > MAX_TRIAL_POINTS {
            points = extreme(&points);
        }
        let volume = self.volume();
        let hull = ConvexHull::new(&points).ok()?;
        let excess = hull.mesh().volume_integrals().volume - volume;
        Some(Trial { volume, excess })
    }
}

/// One side of a cut while it is made.
#[derive(Default)]
struct Cut {
    side: Side,
    /// The edges of its triangles on the plane.
    outline: Vec<[DVec3; 2]>,
}

impl Cut {
    /// Closes the cut with a cap.
    fn closed(mut self) -> Side {
        if let Some(&[centre, _]) = self.outline.first() {
            let fan = self.outline.iter().map(|&[p, q]| [centre, q, p]);
            self.side
                .caps
                .extend(fan.filter(|[a, b, c]| a != b && a != c));
        }
        self.side
    }
}

/// Divides a triangle between the two sides of a plane.
fn divide(
    triangle: &Triangle,
    plane: &HalfSpace,
    tolerance: f64,
    is_cap: bool,
    cuts: &mut [Cut; 2],
) {
    let heights = triangle.map(|p| {
        let height = plane.height(p);
        if height.abs() <= tolerance {
            0.0
        } else {
            height
        }
    });
    let in_plane = heights.iter().all(|h| *h == 0.0);
    let [a, b, c] = *triangle;
    let faces_up = (b - a).cross(c - a).dot(plane.normal) > 0.0;
    for (k, cut) in cuts.iter_mut().enumerate() {
        let sign = if k == 0 { 1.0 } else { -1.0 };
        // A triangle in the plane belongs to the side that it is the outside of.
        if in_plane && faces_up != (k == 0) {
            continue;
        }
        if !in_plane && heights.iter().all(|h| h * sign >= 0.0) {
            continue;
        }
        let mut polygon: Vec<(DVec3, bool)> = Vec::with_capacity(4);
        for i in 0..3 {
            let j = (i + 1) % 3;
            let (h, g) = (heights[i] * sign, heights[j] * sign);
            if h <= 0.0 {
                polygon.push((triangle[i], h == 0.0));
            }
            if h * g < 0.0 {
                // The same point whichever way the edge is walked.
                let (low, high) = if h < g { (i, j) } else { (j, i) };
                let [from, to] = match sign > 0.0 {
                    true => [low, high],
                    false => [high, low],
                };
                let share = heights[from] / (heights[from] - heights[to]);
                let p = triangle[from] + (triangle[to] - triangle[from]) * share;
                polygon.push((p, true));
            }
        }
        for i in 0..polygon.len() {
            let ((p, on), (q, also_on)) = (polygon[i], polygon[(i + 1) % polygon.len()]);
            if on && also_on {
                cut.outline.push([p, q]);
            }
        }
        let triangles = match is_cap {
            true => &mut cut.side.caps,
            false => &mut cut.side.surface,
        };
        for i in 2..polygon.len() {
            triangles.push([polygon[0].0, polygon[i - 1].0, polygon[i].0]);
        }
    }
}

/// The points that lie farthest in many directions.
fn extreme(points: &[DVec3]) -> Vec<DVec3> {
    // Directions on a spiral from pole to pole.
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let mut kept = Vec::new();
    for k in 0..TRIAL_DIRECTIONS {
        let z = 1.0 - (2 * k + 1) as f64 / TRIAL_DIRECTIONS as f64;
        let (sin, cos) = conatus_math::sincos(TAU * (golden * k as f64).fract());
        let r = (1.0 - z * z).sqrt();
        let d = DVec3::new(r * cos, r * sin, z);
        let farthest = points.iter().max_by(|a, b| a.dot(d).total_cmp(&b.dot(d)));
        kept.extend(farthest.copied());
    }
    kept
}

/// Whether a point is inside of a closed mesh: triangles seen from there fill the sphere.
/// The solid angle of a triangle is that of Van Oosterom and Strackee.
fn is_inside(mesh: &Mesh, point: DVec3) -> bool {
    let angle = |t: usize| {
        let [a, b, c] = mesh.corners(t).map(|p| p - point);
        let (x, y, z) = (a.length(), b.length(), c.length());
        let above = a.dot(b.cross(c));
        let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
        2.0 * atan2(above, below)
    };
    let sum: f64 = (0..mesh.triangles.len()).map(angle).sum();
    sum > TAU
}
