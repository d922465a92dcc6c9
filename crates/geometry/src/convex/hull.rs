//! Convex hulls with faces as polygons, for collision detection.

use super::Convex;
use super::lanes::VectorBlocks;
use crate::{Aabb, Mesh};
use conatus_math::{DMat3, DVec3, Pose};
use std::collections::{BTreeMap, BTreeSet};

/// Faces whose normals differ by less than this (the sine of the angle) become one.
const COPLANAR_SINE: f64 = 1e-5;

/// The convex hull of points.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexHull {
    vertices: Vec<DVec3>,
    faces: Vec<HullFace>,
    /// Each edge once, with the faces on its two sides.
    edges: Vec<HullEdge>,
    /// The radius of a ball about the origin that the hull lies in.
    bounding_radius: f64,
    /// The mean of the corners.
    centre: DVec3,
    /// The corners once more.
    corner_blocks: VectorBlocks,
    /// The normals of the faces once more.
    normal_blocks: VectorBlocks,
}

/// A face of a hull.
#[derive(Clone, Debug, PartialEq)]
pub struct HullFace {
    /// The outward unit normal.
    pub normal: DVec3,
    /// normal · p for the points p of the face.
    pub offset: f64,
    /// Its corners, counter-clockwise seen from outside.
    pub corners: Vec<u32>,
}

/// An edge of a hull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullEdge {
    /// Its ends.
    pub ends: [u32; 2],
    /// The faces on its two sides.
    pub faces: [u32; 2],
}

/// Why points have no hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HullError {
    /// There are fewer than four different points.
    #[error("a hull needs at least four different points")]
    TooFewPoints,
    /// A coordinate is not finite.
    #[error("a coordinate is not a finite number")]
    NotFinite,
    /// All points lie in a plane.
    #[error("all points lie in a plane, so the hull has no volume")]
    Flat,
}

/// A triangle of the hull while it grows.
#[derive(Clone, Debug)]
struct Facet {
    corners: [u32; 3],
    normal: DVec3,
    offset: f64,
    /// The points outside of it that no other facet has.
    outside: Vec<u32>,
}

impl ConvexHull {
    /// The hull of points, by quickhull: the farthest point outside of a facet is
    /// added, and the facets that it sees are replaced by a cone of new ones.
    pub fn new(points: &[DVec3]) -> Result<Self, HullError> {
        if !points.iter().all(|p| p.is_finite()) {
            return Err(HullError::NotFinite);
        }
        let size = Aabb::from_points(points.iter().copied()).extent();
        let tolerance = 1e-10 * size.max_element();
        let mut distinct: Vec<DVec3> = Vec::new();
        for p in points {
            if distinct.iter().all(|q| q.distance(*p) > tolerance) {
                distinct.push(*p);
            }
        }
        if distinct.len() < 4 {
            return Err(HullError::TooFewPoints);
        }
        let facets = quickhull(&distinct, tolerance)?;
        Ok(Self::from_facets(&distinct, &facets))
    }

    /// A rectangular block.
    pub fn block(half_extents: DVec3) -> Self {
        let corner = |k: u32| {
            let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            half_extents * DVec3::new(sign(0), sign(1), sign(2))
        };
        let corners: Vec<DVec3> = (0..8).map(corner).collect();
        Self::new(&corners).unwrap_or_else(|_| Self::of_parts(corners, Vec::new(), Vec::new()))
    }

    /// Merges coplanar facets into polygons.
    fn from_facets(points: &[DVec3], facets: &[Facet]) -> Self {
        let mut beside: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for (f, facet) in facets.iter().enumerate() {
            let [a, b, c] = facet.corners;
            for edge in [(a, b), (b, c), (c, a)] {
                beside.insert(edge, f);
            }
        }
        // The group of each facet: neighbours with the same normal.
        let mut group: Vec<usize> = vec![usize::MAX; facets.len()];
        let mut groups = 0;
        for start in 0..facets.len() {
            if group[start] != usize::MAX {
                continue;
            }
            let normal = facets[start].normal;
            let mut open = vec![start];
            group[start] = groups;
            while let Some(f) = open.pop() {
                let [a, b, c] = facets[f].corners;
                for (i, j) in [(a, b), (b, c), (c, a)] {
                    if let Some(&g) = beside.get(&(j, i))
                        && group[g] == usize::MAX
                        && facets[g].normal.cross(normal).length() < COPLANAR_SINE
                        && facets[g].normal.dot(normal) > 0.0
                    {
                        group[g] = groups;
                        open.push(g);
                    }
                }
            }
            groups += 1;
        }
        // The border of each group, as a loop.
        let mut next: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); groups];
        for (&(i, j), &f) in &beside {
            let other = beside.get(&(j, i)).map(|&g| group[g]);
            if other != Some(group[f]) {
                next[group[f]].insert(i, j);
            }
        }
        let mut used: BTreeMap<u32, u32> = BTreeMap::new();
        let mut vertices = Vec::new();
        let mut faces = Vec::new();
        for (g, border) in next.iter().enumerate() {
            let Some((&first, _)) = border.first_key_value() else {
                continue;
            };
            let mut corners = Vec::new();
            let mut at = first;
            for _ in 0..border.len() {
                let index = *used.entry(at).or_insert_with(|| {
                    vertices.push(points[at as usize]);
                    vertices.len() as u32 - 1
                });
                corners.push(index);
                at = *border.get(&at).unwrap_or(&first);
                if at == first {
                    break;
                }
            }
            // The area-weighted mean of the facets' normals, and the plane through
            // the outermost corner: nothing of the face sticks out.
            let members = facets.iter().zip(&group).filter(|(_, of)| **of == g);
            let normal = members
                .map(|(f, _)| {
                    let [a, b, c] = f.corners.map(|k| points[k as usize]);
                    (b - a).cross(c - a)
                })
                .sum::<DVec3>()
                .normalize_or_zero();
            let offset = corners
                .iter()
                .map(|&k| vertices[k as usize].dot(normal))
                .fold(f64::NEG_INFINITY, f64::max);
            faces.push(HullFace {
                normal,
                offset,
                corners,
            });
        }
        let mut sides: BTreeMap<(u32, u32), [u32; 2]> = BTreeMap::new();
        for (f, face) in (0u32..).zip(&faces) {
            for (k, &i) in face.corners.iter().enumerate() {
                let j = face.corners[(k + 1) % face.corners.len()];
                let entry = sides.entry((i.min(j), i.max(j))).or_insert([f, f]);
                entry[usize::from(i > j)] = f;
            }
        }
        let edges = sides
            .into_iter()
            .map(|((i, j), faces)| HullEdge {
                ends: [i, j],
                faces,
            })
            .collect();
        Self::of_parts(vertices, faces, edges)
    }

    fn of_parts(vertices: Vec<DVec3>, faces: Vec<HullFace>, edges: Vec<HullEdge>) -> Self {
        Self {
            bounding_radius: vertices.iter().map(|v| v.length()).fold(0.0, f64::max),
            centre: vertices.iter().sum::<DVec3>() / vertices.len().max(1) as f64,
            corner_blocks: VectorBlocks::new(vertices.iter().copied()),
            normal_blocks: VectorBlocks::new(faces.iter().map(|f| f.normal)),
            vertices,
            faces,
            edges,
        }
    }

    /// The corners.
    #[inline]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The faces.
    #[inline]
    pub fn faces(&self) -> &[HullFace] {
        &self.faces
    }

    /// The edges.
    #[inline]
    pub fn edges(&self) -> &[HullEdge] {
        &self.edges
    }

    /// The corner farthest in a direction.
    #[inline]
    pub fn support(&self, direction: DVec3) -> (DVec3, u32) {
        let at = self.corner_blocks.farthest(direction);
        (
            self.vertices.get(at).copied().unwrap_or_default(),
            at as u32,
        )
    }

    /// The number of the face whose normal is nearest to a direction.
    #[inline]
    pub fn face_towards(&self, direction: DVec3) -> usize {
        self.normal_blocks.farthest(direction)
    }

    /// The mean of the corners, which lies inside.
    #[inline]
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// The box around the hull at a pose whose rotation is also given as a matrix.
    pub(super) fn aabb(&self, pose: &Pose, rotation: &DMat3) -> Aabb {
        let [low, high] = self.corner_blocks.bounds(rotation);
        Aabb::new(low + pose.translation, high + pose.translation)
    }

    /// The radius of a ball about the origin that the hull lies in.
    #[inline]
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// The surface as triangles.
    pub fn mesh(&self) -> Mesh {
        let mut triangles = Vec::new();
        for face in &self.faces {
            for k in 1..face.corners.len().saturating_sub(1) {
                triangles.push([face.corners[0], face.corners[k], face.corners[k + 1]]);
            }
        }
        Mesh {
            vertices: self.vertices.clone(),
            triangles,
        }
    }
}

impl From<ConvexHull> for Convex {
    fn from(hull: ConvexHull) -> Self {
        Self::Hull(std::sync::Arc::new(hull))
    }
}

fn facet(points: &[DVec3], corners: [u32; 3]) -> Facet {
    let [a, b, c] = corners.map(|k| points[k as usize]);
    let normal = (b - a).cross(c - a).normalize_or_zero();
    Facet {
        corners,
        normal,
        offset: normal.dot(a),
        outside: Vec::new(),
    }
}

/// Four points that span a volume, as large as a quick choice gives.
fn first_tetrahedron(points: &[DVec3], tolerance: f64) -> Result<[u32; 4], HullError> {
    let farthest = |score: &dyn Fn(DVec3) -> f64| {
        let mut best = (f64::NEG_INFINITY, 0);
        for (k, p) in points.iter().enumerate() {
            let s = score(*p);
            if s > best.0 {
                best = (s, k);
            }
        }
        best
    };
    let (_, a) = farthest(&|p| -p.x);
    let pa = points[a];
    let (_, b) = farthest(&|p| p.distance_squared(pa));
    let along = (points[b] - pa).normalize_or_zero();
    let (off, c) = farthest(&|p| (p - pa).cross(along).length());
    if off <= tolerance {
        return Err(HullError::Flat);
    }
    let normal = (points[b] - pa).cross(points[c] - pa).normalize_or_zero();
    let (height, d) = farthest(&|p| (p - pa).dot(normal).abs());
    if height <= tolerance {
        return Err(HullError::Flat);
    }
    let mut corners = [a as u32, b as u32, c as u32, d as u32];
    if (points[d] - pa).dot(normal) > 0.0 {
        corners.swap(1, 2);
    }
    Ok(corners)
}

fn quickhull(points: &[DVec3], tolerance: f64) -> Result<Vec<Facet>, HullError> {
    let [a, b, c, d] = first_tetrahedron(points, tolerance)?;
    let mut facets: Vec<Option<Facet>> = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]]
        .map(|corners| Some(facet(points, corners)))
        .into();
    for k in 0..points.len() as u32 {
        if ![a, b, c, d].contains(&k) {
            assign(points, &mut facets, 0, k, tolerance);
        }
    }
    let mut at = 0;
    while at < facets.len() {
        let Some(current) = &facets[at] else {
            at += 1;
            continue;
        };
        let height = |k: &u32| points[*k as usize].dot(current.normal) - current.offset;
        let Some(apex) = current
            .outside
            .iter()
            .copied()
            .max_by(|i, j| height(i).total_cmp(&height(j)))
        else {
            at += 1;
            continue;
        };
        let p = points[apex as usize];
        let mut orphans = Vec::new();
        let mut rim: BTreeSet<(u32, u32)> = BTreeSet::new();
        for slot in &mut facets {
            let sees = |f: &Facet| p.dot(f.normal) - f.offset > tolerance;
            let Some(seen) = slot.take_if(|f| sees(f)) else {
                continue;
            };
            let [a, b, c] = seen.corners;
            for (i, j) in [(a, b), (b, c), (c, a)] {
                if !rim.remove(&(j, i)) {
                    rim.insert((i, j));
                }
            }
            orphans.extend(seen.outside);
        }
        let first = facets.len();
        for (i, j) in rim {
            facets.push(Some(facet(points, [i, j, apex])));
        }
        for k in orphans {
            if k != apex {
                assign(points, &mut facets, first, k, tolerance);
            }
        }
    }
    Ok(facets.into_iter().flatten().collect())
}

/// Gives a point to the first facet from `first` on that it lies outside of.
fn assign(
    points: &[DVec3],
    facets: &mut [Option<Facet>],
    first: usize,
    point: u32,
    tolerance: f64,
) {
    let p = points[point as usize];
    let mut facets = facets[first..].iter_mut().flatten();
    if let Some(facet) = facets.find(|f| p.dot(f.normal) - f.offset > tolerance) {
        facet.outside.push(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_six_faces_twelve_edges_and_eight_corners() {
        let hull = ConvexHull::block(DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(hull.vertices().len(), 8);
        assert_eq!(hull.faces().len(), 6);
        assert_eq!(hull.edges().len(), 12);
        assert!(hull.faces().iter().all(|f| f.corners.len() == 4));
        assert!((hull.mesh().volume_integrals().volume - 48.0).abs() < 1e-12);
        assert!(hull.mesh().check_closed().is_ok());
    }

    #[test]
    fn flat_and_few_and_infinite_points_are_refused() {
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
        assert_eq!(ConvexHull::new(&flat), Err(HullError::Flat));
        assert_eq!(
            ConvexHull::new(&[DVec3::X; 9]),
            Err(HullError::TooFewPoints)
        );
        assert_eq!(ConvexHull::new(&[DVec3::NAN; 4]), Err(HullError::NotFinite));
        let line: Vec<DVec3> = (0..9).map(|k| DVec3::X * f64::from(k)).collect();
        assert_eq!(ConvexHull::new(&line), Err(HullError::Flat));
    }

    /// Every point lies within every face, every face has points on it, and Euler's
    /// formula holds.
    #[test]
    fn hulls_of_random_points_hold_all_points() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for count in [4, 5, 8, 20, 32, 100, 400] {
            let points: Vec<DVec3> = (0..count)
                .map(|_| DVec3::new(random(), 2.0 * random(), 0.5 * random()))
                .collect();
            let hull = ConvexHull::new(&points).unwrap();
            for face in hull.faces() {
                for p in &points {
                    assert!(p.dot(face.normal) <= face.offset + 1e-9);
                }
            }
            let [v, e, f] = [
                hull.vertices().len(),
                hull.edges().len(),
                hull.faces().len(),
            ];
            assert_eq!(v + f, e + 2, "{count} points");
            assert!(hull.mesh().check_closed().is_ok());
        }
    }
}
