//! Refines a mesh by longest-edge bisection until no edge is longer than a given length.
//!
//! The longest edge of the whole mesh is cut in the middle, together with every triangle
//! beside it, over and over (Rivara's longest-edge bisection, with the edges in a heap).
//!
//! - **Conforming.** All triangles at an edge are cut at the same point, so no vertex ever
//!   lies inside the edge of another triangle, and a closed surface stays closed.
//! - **Few triangles.** Only the edges that are too long are cut. An edge between coplanar
//!   triangles is flipped instead where the other diagonal of their quadrilateral is shorter:
//!   without flips a long thin triangle becomes 3ⁿ ever thinner ones in n levels, and cutting
//!   into four makes 4ⁿ; with them the number grows as the length over the limit.
//! - **It ends.** A cut replaces an edge of length L by two of length L/2, and every median
//!   that it adds is at most (√3/2) L long, because L is the longest edge of the triangle. A
//!   flip replaces an edge by a shorter one.
//!
//! Vertices are added on the flat triangles; nothing is moved towards a curved surface.

use crate::Mesh;
use conatus_math::DVec3;
use std::collections::{BinaryHeap, HashMap};

/// An edge by its two vertices, the smaller index first.
type EdgeKey = (u32, u32);

/// A diagonal is flipped if the square of the other one is smaller by at least this factor:
/// rounding must not decide between equal diagonals.
const MAX_FLIP_RATIO: f64 = 0.999;

/// Triangles are coplanar if the cosine of the angle between their normals is above one less
/// this (1.4 µrad): a flip may move the surface only by rounding.
const FLAT_TOLERANCE: f64 = 1e-12;

fn edge_key(a: u32, b: u32) -> EdgeKey {
    (a.min(b), a.max(b))
}

impl Mesh {
    /// The same surface with edges bisected until none is longer than `longest`, or until
    /// another cut would make more than `most` triangles. Longer edges are cut first. The
    /// result depends on the mesh and the two limits alone.
    pub fn refined(mut self, longest: f64, most: usize) -> Self {
        let mut neighbours: HashMap<EdgeKey, Vec<u32>> = HashMap::new();
        for (t, &[a, b, c]) in (0u32..).zip(&self.triangles) {
            // A triangle that names a vertex twice has no area, and is left as it is.
            if a == b || b == c || c == a {
                continue;
            }
            for (i, j) in [(a, b), (b, c), (c, a)] {
                neighbours.entry(edge_key(i, j)).or_default().push(t);
            }
        }
        let limit = longest * longest;
        let length = |vertices: &[DVec3], (a, b): EdgeKey| {
            vertices[a as usize].distance_squared(vertices[b as usize])
        };
        // Squares of lengths are not negative, so their bits are ordered as they are. Edges
        // of equal length are ordered by their vertices. NaN is never longer than the limit.
        let mut heap: BinaryHeap<(u64, EdgeKey)> = neighbours
            .keys()
            .map(|&edge| (length(&self.vertices, edge), edge))
            .filter(|(square, _)| *square > limit)
            .map(|(square, edge)| (square.to_bits(), edge))
            .collect();
        while let Some((_, edge)) = heap.pop() {
            if let Some(diagonal) = self.flip(edge, &mut neighbours) {
                let square = length(&self.vertices, diagonal);
                if square > limit {
                    heap.push((square.to_bits(), diagonal));
                }
                continue;
            }
            let Some(beside) = neighbours.remove(&edge) else {
                continue;
            };
            if self.triangles.len() + beside.len() > most {
                break;
            }
            let (a, b) = edge;
            let middle = self.vertices.len() as u32;
            let at = (self.vertices[a as usize] + self.vertices[b as usize]) * 0.5;
            self.vertices.push(at);
            let mut added = vec![edge_key(a, middle), edge_key(middle, b)];
            for t in beside {
                let Some((first, second)) = cut(self.triangles[t as usize], edge, middle) else {
                    continue;
                };
                let new = self.triangles.len() as u32;
                self.triangles[t as usize] = first;
                self.triangles.push(second);
                // The second half takes over one outer edge and half of the cut one.
                let [p, q, apex] = second;
                if let Some(list) = neighbours.get_mut(&edge_key(q, apex)) {
                    list.iter_mut().filter(|n| **n == t).for_each(|n| *n = new);
                }
                let [from, _, _] = first;
                neighbours
                    .entry(edge_key(from, middle))
                    .or_default()
                    .push(t);
                neighbours.entry(edge_key(p, q)).or_default().push(new);
                let median = edge_key(apex, middle);
                neighbours.entry(median).or_default().extend([t, new]);
                added.push(median);
            }
            for edge in added {
                let square = length(&self.vertices, edge);
                if square > limit {
                    heap.push((square.to_bits(), edge));
                }
            }
        }
        self
    }

    /// Replaces an edge between two coplanar triangles by the other diagonal of their
    /// quadrilateral, if that is shorter. Returns the new edge.
    fn flip(
        &mut self,
        edge: EdgeKey,
        neighbours: &mut HashMap<EdgeKey, Vec<u32>>,
    ) -> Option<EdgeKey> {
        let &[t, u] = neighbours.get(&edge)?.as_slice() else {
            return None;
        };
        let [a, b, c] = starting_at(self.triangles[t as usize], edge)?;
        let [b2, a2, d] = starting_at(self.triangles[u as usize], edge)?;
        // Two triangles with opposite orientations have no common side of the surface.
        if (a, b) != (a2, b2) || neighbours.contains_key(&edge_key(c, d)) {
            return None;
        }
        let at = |v: u32| self.vertices[v as usize];
        let along = at(b) - at(a);
        let across = at(d) - at(c);
        if across.length_squared() >= MAX_FLIP_RATIO * along.length_squared() {
            return None;
        }
        // The normals of the triangles before and after have to agree, or the surface bends
        // at the edge, or the quadrilateral is not convex.
        let normal = |p: u32, q: u32, r: u32| (at(q) - at(p)).cross(at(r) - at(p));
        let before = [normal(a, b, c), normal(b, a, d)];
        let after = [normal(a, d, c), normal(d, b, c)];
        let direction = (before[0] + before[1]).normalize_or_zero();
        let flat = |n: &DVec3| n.dot(direction) > (1.0 - FLAT_TOLERANCE) * n.length();
        if !before.iter().chain(&after).all(flat) {
            return None;
        }
        self.triangles[t as usize] = [a, d, c];
        self.triangles[u as usize] = [d, b, c];
        neighbours.remove(&edge);
        for (moved, from, to) in [(edge_key(a, d), u, t), (edge_key(b, c), t, u)] {
            let list = neighbours.get_mut(&moved).into_iter().flatten();
            list.filter(|n| **n == from).for_each(|n| *n = to);
        }
        let diagonal = edge_key(c, d);
        neighbours.insert(diagonal, vec![t, u]);
        Some(diagonal)
    }

    /// The length of the longest edge; zero without triangles.
    pub fn longest_edge(&self) -> f64 {
        (0..self.triangles.len())
            .map(|t| self.corners(t))
            .map(|[a, b, c]| a.distance(b).max(b.distance(c)).max(c.distance(a)))
            .fold(0.0, f64::max)
    }
}

/// The corners of a triangle, rotated so that the edge comes first. None if it does not
/// have that edge.
fn starting_at([a, b, c]: [u32; 3], edge: EdgeKey) -> Option<[u32; 3]> {
    [[a, b, c], [b, c, a], [c, a, b]]
        .into_iter()
        .find(|[from, to, _]| edge_key(*from, *to) == edge)
}

/// The two halves of a triangle that is cut at the middle of one of its edges, oriented as
/// it is: [from, middle, apex] and [middle, to, apex]. None if it does not have that edge.
fn cut(triangle: [u32; 3], edge: EdgeKey, middle: u32) -> Option<([u32; 3], [u32; 3])> {
    let [from, to, apex] = starting_at(triangle, edge)?;
    Some(([from, middle, apex], [middle, to, apex]))
}

#[cfg(test)]
mod tests {
    use crate::{Axis, Mesh, Shape, Topology, generate};
    use conatus_math::DVec3;

    fn area(mesh: &Mesh) -> f64 {
        (0..mesh.triangles.len())
            .map(|t| {
                let [a, b, c] = mesh.corners(t);
                0.5 * (b - a).cross(c - a).length()
            })
            .sum()
    }

    #[test]
    fn a_refined_box_has_short_edges_and_the_same_volume() {
        let half_extents = DVec3::new(3.0, 1.0, 0.5);
        let fine = Shape::Box { half_extents }.mesh().refined(0.5, 100_000);
        assert!((fine.volume_integrals().volume - 12.0).abs() < 1e-12);
        for t in 0..fine.triangles.len() {
            let [a, b, c] = fine.corners(t);
            assert!(a.distance(b).max(b.distance(c)).max(c.distance(a)) <= 0.5);
        }
        let capped = Shape::Box { half_extents }.mesh().refined(1e-9, 1000);
        assert!(capped.triangles.len() <= 1000);
    }

    /// Every edge of a closed surface borders exactly two triangles, before and after: a
    /// vertex inside an edge of another triangle (a T-junction) would leave open edges.
    #[test]
    fn a_closed_surface_stays_closed_at_every_limit() {
        let cylinder = Shape::Cylinder {
            radius: 0.1,
            height: 3.0,
            axis: Axis::Z,
        };
        let boat = Shape::Ellipsoid {
            semi_axes: DVec3::new(2.0, 0.4, 0.3),
        };
        for solid in [cylinder, boat] {
            let coarse = solid.mesh();
            let volume = coarse.volume_integrals().volume;
            for (longest, most) in [(0.5, 1_000_000), (0.07, 1_000_000), (0.01, 5_000)] {
                let fine = coarse.clone().refined(longest, most);
                assert_eq!(fine.check_closed(), Ok(()));
                assert!((fine.volume_integrals().volume - volume).abs() < 1e-12);
                assert!(fine.triangles.len() <= most);
                assert!(fine.longest_edge() <= longest || most == 5_000);
            }
        }
    }

    #[test]
    fn an_open_surface_keeps_its_area_and_its_border() {
        let coarse = generate::trough(2.0, 5.0, 1.0, 6);
        let fine = coarse.clone().refined(0.3, 100_000);
        assert!((area(&fine) - area(&coarse)).abs() < 1e-12);
        let topology = |m: &Mesh| Topology::of(&m.triangles, m.vertices.len()).unwrap();
        let border = |m: &Mesh| {
            let topology = topology(m);
            let edges = topology.boundary_edges().map(|e| {
                let [a, b] = topology.edges[e as usize].map(|v| m.vertices[v as usize]);
                a.distance(b)
            });
            edges.sum::<f64>()
        };
        assert!((border(&fine) - border(&coarse)).abs() < 1e-12);
        topology(&fine).check(&fine.vertices).unwrap();
    }

    /// Two thin cylinders with a `detail` of 3 cm became 196,608 triangles each, because
    /// all triangles were cut into four again and again, and steps took 248 times as
    /// long. Bisection alone left 70,080, because slivers became ever thinner. The 96 long
    /// triangles of the side need about 50 cuts each here; the 96 of the end faces none.
    #[test]
    fn the_short_edges_of_long_thin_triangles_are_not_cut() {
        let cylinder = Shape::Cylinder {
            radius: 0.05,
            height: 2.0,
            axis: Axis::Z,
        };
        let coarse = cylinder.mesh();
        assert_eq!(coarse.triangles.len(), 192);
        let fine = coarse.refined(0.08, 200_000);
        assert!(fine.longest_edge() <= 0.08);
        assert!(fine.triangles.len() <= 96 * 90, "{}", fine.triangles.len());
        let bar = Shape::Cylinder {
            radius: 0.02,
            height: 1.5,
            axis: Axis::Z,
        };
        let fine = bar.mesh().refined(0.03, 200_000);
        assert!(fine.longest_edge() <= 0.03);
        assert_eq!(fine.check_closed(), Ok(()));
        assert!(fine.triangles.len() < 20_000, "{}", fine.triangles.len());
    }

    /// The smallest angle of a bisected triangle is at least half of the smallest angle
    /// of the one it comes from (Rosenberg and Stenger 1975).
    #[test]
    fn no_angle_shrinks_below_half_of_the_smallest() {
        let smallest_angle = |m: &Mesh| {
            (0..m.triangles.len())
                .flat_map(|t| {
                    let [a, b, c] = m.corners(t);
                    [(b - a, c - a), (c - b, a - b), (a - c, b - c)]
                })
                .map(|(u, v)| u.angle_between(v))
                .fold(f64::MAX, f64::min)
        };
        let triangle = Mesh {
            vertices: vec![
                DVec3::ZERO,
                DVec3::new(4.0, 0.0, 0.0),
                DVec3::new(1.3, 0.9, 0.2),
            ],
            triangles: vec![[0, 1, 2]],
        };
        let fine = triangle.clone().refined(0.1, 100_000);
        assert!(smallest_angle(&fine) >= 0.5 * smallest_angle(&triangle) - 1e-12);
        assert_eq!(fine, triangle.refined(0.1, 100_000));
    }

    #[test]
    fn short_edges_and_empty_meshes_are_left_as_they_are() {
        let cube = Shape::Box {
            half_extents: DVec3::ONE,
        }
        .mesh();
        assert_eq!(cube.clone().refined(3.0, 100), cube);
        assert_eq!(Mesh::default().refined(0.1, 100), Mesh::default());
    }

    #[test]
    fn a_triangle_with_a_repeated_vertex_is_left_as_it_is() {
        let mesh = Mesh {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            triangles: vec![[0, 1, 1], [0, 1, 2], [1, 0, 2]],
        };
        let mut fine = mesh.refined(0.3, 1000);
        assert_eq!(fine.triangles[0], [0, 1, 1]);
        fine.triangles.remove(0);
        assert!(fine.longest_edge() <= 0.3);
        let count = fine.vertices.len() as u32;
        assert!(fine.triangles.iter().flatten().all(|&v| v < count));
    }
}
