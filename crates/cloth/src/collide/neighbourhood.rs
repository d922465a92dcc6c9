//! The faces around an edge or a vertex, and whether a contact there is real.
//!
//! A vertex that slides over flat ground made of triangles passes their edges.
//! Just before and behind an edge the direction to it is slanted, and a contact
//! along it would block the motion, although the ground is nearer elsewhere,
//! below the vertex. So a contact with an edge or a vertex is real only if no
//! adjacent triangle is nearer, which follows from the direction of the
//! contact: it lies in the *Voronoi region* of the edge or vertex.
//!
//! The same holds for the vertex that a triangle is close to: the border of a
//! sheet over flat ground is close to the ground's triangles, not to a vertex
//! of the ground beside it. Only a contact between a vertex of cloth and the
//! inside of a triangle is always real.
//!
//! Only repulsion uses this. Continuous detection tests every pair.

use super::candidates::List;
use super::narrow::{closest, gather};
use super::surface::{CollisionSurface, Kind};
use conatus_geometry::distance::Closest;
use conatus_math::DVec3;

/// Tolerance on the sine of the angle by which a contact leans over a
/// neighbouring triangle: no mesh is exactly flat.
const MAX_LEAN_SINE: f64 = 0.02;

/// No face.
const NO_FACE: u32 = u32::MAX;

/// Maximum number of triangles that a sliding vertex is followed through.
const MAX_TRIANGLE_HOPS: usize = 4;

/// An edge as seen from one of its ends.
#[derive(Clone, Copy, Debug)]
struct Spoke {
    /// The other end.
    end: u32,
    /// The faces at the edge; of more than two, only two are stored.
    faces: [u32; 2],
}

/// The edges around every point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbourhood {
    /// Those of point p are `spokes[first[p]..first[p + 1]]`.
    first: Vec<u32>,
    spokes: Vec<Spoke>,
}

impl Neighbourhood {
    /// Builds the adjacency of all faces of a surface.
    pub(crate) fn new(surface: &CollisionSurface) -> Self {
        let mut sides: Vec<(u32, u32, u32)> = Vec::with_capacity(6 * surface.faces.len());
        for (f, face) in (0u32..).zip(&surface.faces) {
            let [a, b, c] = face.corners;
            for (p, q) in [(a, b), (b, c), (c, a)] {
                sides.extend([(p, q, f), (q, p, f)]);
            }
        }
        sides.sort_unstable();
        let mut first = vec![0; surface.points() + 1];
        let mut spokes: Vec<Spoke> = Vec::with_capacity(sides.len() / 2);
        let mut last = (NO_FACE, NO_FACE);
        for (from, end, face) in sides {
            if last == (from, end)
                && let Some(spoke) = spokes.last_mut()
            {
                spoke.faces[1] = face;
                continue;
            }
            last = (from, end);
            let faces = [face, NO_FACE];
            spokes.push(Spoke { end, faces });
            first[from as usize + 1] += 1;
        }
        for p in 0..surface.points() {
            first[p + 1] += first[p];
        }
        Self { first, spokes }
    }

    fn spokes(&self, p: u32) -> &[Spoke] {
        let [first, end] = [p, p + 1].map(|p| self.first[p as usize] as usize);
        &self.spokes[first..end]
    }

    /// Whether a direction away from an edge, to a vertex or an edge with these
    /// ends, lies in its Voronoi region. A triangle that shares a corner with
    /// both does not count as in between: it is one side of a fold, from which
    /// the other rises.
    fn edge_region(
        &self,
        surface: &CollisionSurface,
        x: &[DVec3],
        edge: [u32; 2],
        other: &[u32],
        away: DVec3,
    ) -> bool {
        let [a, b] = edge;
        let Some(spoke) = self.spokes(a).iter().find(|s| s.end == b) else {
            return true;
        };
        let along = x[b as usize] - x[a as usize];
        let faces = spoke.faces.iter().filter(|f| **f != NO_FACE);
        let mut tips = faces.map(|f| tip(surface, *f, edge));
        tips.all(|tip| {
            if other.contains(&tip) {
                return true;
            }
            let across = x[tip as usize] - x[a as usize];
            let across = across - along * (across.dot(along) / along.length_squared());
            let lean = away.dot(across);
            lean <= 0.0 || lean <= MAX_LEAN_SINE * away.length() * across.length()
        })
    }

    /// Whether a direction away from a vertex, to a primitive with these
    /// corners, lies in its Voronoi region. Edges between the two are sides of
    /// a fold.
    fn vertex_region(&self, x: &[DVec3], p: u32, other: &[u32], away: DVec3) -> bool {
        self.spokes(p).iter().all(|s| {
            if other.contains(&s.end) {
                return true;
            }
            let along = x[s.end as usize] - x[p as usize];
            let lean = away.dot(along);
            lean <= 0.0 || lean <= MAX_LEAN_SINE * away.length() * along.length()
        })
    }

    /// Whether no neighbouring triangle is nearer than the nearest points of a
    /// stencil.
    pub(crate) fn is_real(
        &self,
        surface: &CollisionSurface,
        x: &[DVec3],
        list: List,
        points: &[u32; 4],
        nearest: &Closest,
    ) -> bool {
        let w = nearest.weights;
        match list {
            List::VertexTriangle => {
                let vertex = points[3];
                let (touched, count) = corners_touched(points, nearest);
                let there = match touched {
                    [Some(a), Some(b), None] => {
                        self.edge_region(surface, x, [a, b], &[vertex], nearest.vector)
                    }
                    [Some(a), None, None] => self.vertex_region(x, a, &[vertex], nearest.vector),
                    _ => true,
                };
                // A vertex of cloth and the inside of a triangle are always a
                // contact: the sheet around the vertex does not stay flat.
                let pliant = count == 3 && surface.part(vertex).kind == Kind::Cloth;
                there && (pliant || self.vertex_region(x, vertex, &points[..3], -nearest.vector))
            }
            // A nearest point at the end of an edge is handled by
            // vertex-triangle.
            List::EdgeEdge => {
                let [a, b, c, d] = *points;
                w.iter().all(|w| *w != 0.0)
                    && self.edge_region(surface, x, [a, b], &[c, d], nearest.vector)
                    && self.edge_region(surface, x, [c, d], &[a, b], -nearest.vector)
            }
        }
    }

    /// Follows the vertex of a stencil from the triangle it was over to the one
    /// it is over now. Returns the new stencil and its nearest points.
    pub(crate) fn follow(
        &self,
        surface: &CollisionSurface,
        x: &[DVec3],
        points: [u32; 4],
    ) -> ([u32; 4], Closest) {
        let look = |points: &[u32; 4]| closest(List::VertexTriangle, &gather(points, x));
        let mut best = (points, look(&points));
        for _ in 0..MAX_TRIANGLE_HOPS {
            let (touched, count) = corners_touched(&best.0, &best.1);
            if count == 3 || self.is_real(surface, x, List::VertexTriangle, &best.0, &best.1) {
                break;
            }
            let before = best;
            let Some(a) = touched[0] else { break };
            let spokes = self.spokes(a).iter();
            // The faces beside the edge, or around the vertex.
            for spoke in spokes.filter(|s| touched[1].is_none_or(|b| s.end == b)) {
                for &face in spoke.faces.iter().filter(|f| **f != NO_FACE) {
                    let [a, b, c] = surface.faces[face as usize].corners;
                    let points = [a, b, c, points[3]];
                    if [a, b, c].contains(&points[3]) {
                        continue;
                    }
                    let nearest = look(&points);
                    if nearest.squared < best.1.squared {
                        best = (points, nearest);
                    }
                }
            }
            if best.0 == before.0 {
                break;
            }
        }
        best
    }
}

/// The corners of the triangle with nonzero weight at the nearest point, and
/// their number.
fn corners_touched(points: &[u32; 4], nearest: &Closest) -> ([Option<u32>; 3], usize) {
    let mut touched = [None; 3];
    let mut count = 0;
    for (p, weight) in points.iter().zip(nearest.weights).take(3) {
        if weight != 0.0 {
            touched[count] = Some(*p);
            count += 1;
        }
    }
    (touched, count)
}

/// The corner of a face opposite to one of its edges.
fn tip(surface: &CollisionSurface, face: u32, edge: [u32; 2]) -> u32 {
    let corners = surface.faces[face as usize].corners;
    let other = corners.iter().find(|c| !edge.contains(c));
    *other.unwrap_or(&corners[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::Kind;

    /// A square of two triangles, a third standing on its edge 0-1, and two
    /// separate points.
    fn corner() -> (CollisionSurface, Vec<DVec3>) {
        let mut surface = CollisionSurface::default();
        let triangles = [[0, 1, 2], [0, 2, 3], [1, 0, 4]];
        surface.add(Kind::Obstacle, 5, &triangles, None, None);
        surface.add(Kind::Cloth, 2, &[], Some(0.1), None);
        let x = [
            (0, 0, 0),
            (1, 0, 0),
            (1, 1, 0),
            (0, 1, 0),
            (0, 0, 1),
            (0, 0, 0),
            (0, 0, 0),
        ];
        let x = x.map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into()));
        (surface, x.to_vec())
    }

    fn real(at: [f64; 3], triangle: [u32; 3]) -> bool {
        let (surface, mut x) = corner();
        x[5] = DVec3::from_array(at);
        let around = Neighbourhood::new(&surface);
        let [a, b, c] = triangle;
        let points = [a, b, c, 5];
        let nearest = closest(List::VertexTriangle, &gather(&points, &x));
        around.is_real(&surface, &x, List::VertexTriangle, &points, &nearest)
    }

    #[test]
    fn an_edge_within_flat_ground_is_no_obstacle() {
        // Over the first triangle; the second has its nearest point at the
        // common edge.
        let above = [0.6, 0.4, 0.05];
        assert!(real(above, [0, 1, 2]) && !real(above, [0, 2, 3]));
        // Right above that edge both are in contact.
        let above = [0.5, 0.5, 0.05];
        assert!(real(above, [0, 1, 2]) && real(above, [0, 2, 3]));
    }

    #[test]
    fn borders_ridges_and_corners_are_obstacles() {
        // Beyond the border.
        assert!(real([1.05, 0.5, 0.05], [0, 1, 2]));
        // Beyond the corner 2, which is the border of both.
        assert!(real([1.05, 1.05, 0.0], [0, 1, 2]) && real([1.05, 1.05, 0.0], [0, 2, 3]));
        // Outside the ridge 0-1, between its two triangles' planes.
        assert!(real([0.3, -0.05, -0.05], [0, 1, 2]));
        // In the valley, the wall is nearer than the ground's edge.
        assert!(!real([0.3, -0.05, 0.5], [0, 1, 2]));
    }

    #[test]
    fn a_vertex_of_flat_ground_touches_only_triangles_above_it() {
        let (mut surface, mut x) = corner();
        // A triangle of cloth level above the ground; vertex 2 of the ground
        // lies below it, or beside it.
        surface.add(Kind::Cloth, 3, &[[0, 1, 2]], Some(0.1), None);
        let around = Neighbourhood::new(&surface);
        let mut real = |left: f64| {
            let sheet = [(left, 0.5), (left + 1.0, 0.5), (left, 1.5)];
            x.truncate(7);
            x.extend(sheet.map(|(x, y)| DVec3::new(x, y, 0.05)));
            let points = [7, 8, 9, 2];
            let nearest = closest(List::VertexTriangle, &gather(&points, &x));
            around.is_real(&surface, &x, List::VertexTriangle, &points, &nearest)
        };
        assert!(real(0.8));
        // The sheet ends 5 cm before the corner: the ground's triangle is below
        // the border of the sheet, so the corner is not in contact.
        assert!(!real(-0.55));
        // The sheet begins 5 cm beyond it: only the corner is near.
        assert!(real(1.05));
    }

    #[test]
    fn the_two_sides_of_a_fold_are_in_contact() {
        // A cell folded along its diagonal 1-2, opened by a few degrees.
        let mut surface = CollisionSurface::default();
        surface.add(Kind::Cloth, 4, &[[0, 1, 2], [1, 3, 2]], Some(0.1), None);
        let around = Neighbourhood::new(&surface);
        let x = [
            DVec3::new(0.0, 0.0, 0.0),
            DVec3::new(1.0, 0.0, 0.0),
            DVec3::new(0.0, 0.8, 0.0),
            DVec3::new(0.22, -0.17, 0.07),
        ];
        // Edge 2-3 rises from the one triangle, across its edge 0-1.
        let points = [0, 1, 2, 3];
        let nearest = closest(List::EdgeEdge, &gather(&points, &x));
        assert!((nearest.distance() - 0.057).abs() < 1e-3);
        assert!(around.is_real(&surface, &x, List::EdgeEdge, &points, &nearest));
    }

    #[test]
    fn a_vertex_is_followed_from_triangle_to_triangle() {
        let (surface, mut x) = corner();
        let around = Neighbourhood::new(&surface);
        x[5] = DVec3::new(0.3, 0.6, 0.05);
        let (points, nearest) = around.follow(&surface, &x, [0, 1, 2, 5]);
        assert_eq!(points, [0, 2, 3, 5]);
        assert!((nearest.distance() - 0.05).abs() < 1e-15);
        x[5] = DVec3::new(0.3, 0.2, 0.05);
        assert_eq!(around.follow(&surface, &x, points).0, [0, 1, 2, 5]);
    }
}
