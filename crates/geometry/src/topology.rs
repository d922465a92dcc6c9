//! The topology of a surface: adjacency of triangles, edges and vertices, and
//! whether it can be used as cloth.
//!
//! The surface may be open, and of several pieces. It has to be a manifold with
//! consistent orientation.

mod error;

pub use error::{MeshError, MeshProblem};

use conatus_math::DVec3;
use error::Problems;

/// Two triangles and the edge between them: the stencil of bending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hinge {
    /// The edge, as an index into [`Topology::edges`].
    pub edge: u32,
    /// The two vertices of the edge, lower first; the third vertex of the
    /// triangle that runs along the edge from the lower to the higher; and the
    /// third vertex of the other. So (0, 1, 2) and (1, 0, 3) are both oriented
    /// like the surface.
    pub vertices: [u32; 4],
}

/// The adjacency of a triangle mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// The corners of each triangle, as given.
    pub triangles: Vec<[u32; 3]>,
    /// All edges once, the lower vertex first, in order.
    pub edges: Vec<[u32; 2]>,
    /// The one or two triangles at each edge; of two, first the one that runs
    /// along the edge from the lower vertex to the higher.
    pub edge_triangles: Vec<(u32, Option<u32>)>,
    /// The edges of each triangle, from its first corner to its second, from
    /// its second to its third, and from its third to its first.
    pub triangle_edges: Vec<[u32; 3]>,
    /// The edges with two triangles, in the order of `edges`.
    pub hinges: Vec<Hinge>,
    /// For each vertex whether it lies on the boundary.
    pub boundary_vertex: Vec<bool>,
    /// The start of each vertex in `vertex_triangles`; one more at the end.
    starts: Vec<u32>,
    /// The triangles of vertex 0, then those of vertex 1, and so on.
    vertex_triangles: Vec<u32>,
}

/// A side of a triangle, to be sorted into the table of edges.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    edge: [u32; 2],
    /// Whether the triangle runs from the higher vertex to the lower.
    backwards: bool,
    triangle: u32,
    /// The index of the side in its triangle.
    place: u32,
}

impl Topology {
    /// The topology of `triangles` on `vertex_count` vertices, or the problems
    /// found: vertices that do not exist, are used twice in a triangle, or
    /// belong to none; edges with more than two triangles, or with two of
    /// opposite orientation.
    pub fn of(triangles: &[[u32; 3]], vertex_count: usize) -> Result<Self, MeshError> {
        let mut problems = Problems::default();
        check_corners(triangles, vertex_count, &mut problems);
        // With invalid indices nothing else can be checked.
        problems.take()?;

        let mut topology = Self {
            triangles: triangles.to_vec(),
            triangle_edges: vec![[0; 3]; triangles.len()],
            boundary_vertex: vec![false; vertex_count],
            ..Self::default()
        };
        topology.find_vertex_triangles(&mut problems);
        topology.find_edges(&mut problems);
        problems.take()?;
        Ok(topology)
    }

    /// Whether `positions`, one for each vertex, are a valid surface: finite,
    /// no two vertices at the same position, and no triangle without area.
    pub fn check(&self, positions: &[DVec3]) -> Result<(), MeshError> {
        let mut problems = Problems::default();
        let count = self.boundary_vertex.len();
        if positions.len() != count {
            problems.add(MeshProblem::PositionCount {
                positions: positions.len(),
                vertices: count,
            });
        }
        for (vertex, p) in positions.iter().enumerate() {
            if !p.is_finite() {
                problems.add(MeshProblem::NotFinite { vertex: vertex + 1 });
            }
        }
        problems.take()?;

        // Adding zero turns -0 into 0, which is the same position.
        let place = |i: &u32| (positions[*i as usize] + DVec3::ZERO).to_array();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by(|a, b| {
            let (p, q) = (place(a), place(b));
            let compare = |i: usize| p[i].total_cmp(&q[i]);
            compare(0).then(compare(1)).then(compare(2)).then(a.cmp(b))
        });
        let mut twins: Vec<(u32, u32)> = order
            .windows(2)
            .filter(|pair| place(&pair[0]) == place(&pair[1]))
            .map(|pair| (pair[0], pair[1]))
            .collect();
        twins.sort_unstable();
        for (first, second) in twins {
            problems.add(MeshProblem::SamePlace {
                first: first as usize + 1,
                second: second as usize + 1,
            });
        }
        for (triangle, t) in self.triangles.iter().enumerate() {
            if is_flat(t.map(|i| positions[i as usize])) {
                let triangle = triangle + 1;
                problems.add(MeshProblem::NoArea { triangle });
            }
        }
        problems.take()
    }

    /// The triangles that meet in a vertex, in order.
    pub fn triangles_of(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.vertex_triangles[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// Whether an edge has a triangle on one side only.
    pub fn is_boundary_edge(&self, edge: u32) -> bool {
        self.edge_triangles[edge as usize].1.is_none()
    }

    /// The edges with a triangle on one side only, in order.
    pub fn boundary_edges(&self) -> impl Iterator<Item = u32> {
        (0..self.edges.len() as u32).filter(|&e| self.is_boundary_edge(e))
    }

    /// The index of the edge between two vertices, if there is one.
    pub fn edge_between(&self, a: u32, b: u32) -> Option<u32> {
        let edge = [a.min(b), a.max(b)];
        self.edges.binary_search(&edge).ok().map(|e| e as u32)
    }

    fn find_vertex_triangles(&mut self, problems: &mut Problems) {
        let count = self.boundary_vertex.len();
        let mut starts = vec![0u32; count + 1];
        for &i in self.triangles.iter().flatten() {
            starts[i as usize + 1] += 1;
        }
        for vertex in 0..count {
            if starts[vertex + 1] == 0 {
                problems.add(MeshProblem::Unused { vertex: vertex + 1 });
            }
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut list = vec![0; 3 * self.triangles.len()];
        for (triangle, t) in (0u32..).zip(&self.triangles) {
            for &i in t {
                list[next[i as usize] as usize] = triangle;
                next[i as usize] += 1;
            }
        }
        (self.starts, self.vertex_triangles) = (starts, list);
    }

    fn find_edges(&mut self, problems: &mut Problems) {
        let mut sides: Vec<Side> = (0u32..)
            .zip(&self.triangles)
            .flat_map(|(triangle, &[a, b, c])| {
                [(a, b), (b, c), (c, a)]
                    .into_iter()
                    .zip(0u32..)
                    .map(move |((from, to), place)| Side {
                        edge: [from.min(to), from.max(to)],
                        backwards: from > to,
                        triangle,
                        place,
                    })
            })
            .collect();
        sides.sort_unstable();
        for group in sides.chunk_by(|a, b| a.edge == b.edge) {
            let index = self.edges.len() as u32;
            let (first, edge) = (group[0], group[0].edge);
            let named = edge.map(|v| v as usize + 1);
            for side in group {
                self.triangle_edges[side.triangle as usize][side.place as usize] = index;
            }
            self.edges.push(edge);
            let second = match group {
                [_] => None,
                [_, second] if first.backwards == second.backwards => {
                    problems.add(MeshProblem::Turned {
                        edge: named,
                        triangles: [first, *second].map(|s| s.triangle as usize + 1),
                    });
                    None
                }
                [_, second] => Some(*second),
                _ => {
                    let triangles = group.iter().map(|s| s.triangle as usize + 1);
                    let mut triangles: Vec<usize> = triangles.collect();
                    triangles.sort_unstable();
                    problems.add(MeshProblem::NotManifold {
                        edge: named,
                        triangles,
                    });
                    None
                }
            };
            self.edge_triangles
                .push((first.triangle, second.map(|s| s.triangle)));
            if let Some(second) = second {
                let [a, b] = edge;
                self.hinges.push(Hinge {
                    edge: index,
                    vertices: [a, b, self.opposite(first), self.opposite(second)],
                });
            } else {
                for v in edge {
                    self.boundary_vertex[v as usize] = true;
                }
            }
        }
    }

    /// The corner opposite to a side.
    fn opposite(&self, side: Side) -> u32 {
        self.triangles[side.triangle as usize][[2, 0, 1][side.place as usize]]
    }
}

fn check_corners(triangles: &[[u32; 3]], vertices: usize, problems: &mut Problems) {
    if triangles.is_empty() {
        problems.add(MeshProblem::Empty);
    }
    for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
        let triangle = triangle + 1;
        if let Some(&vertex) = [a, b, c].iter().find(|&&i| i as usize >= vertices) {
            problems.add(MeshProblem::OutOfRange {
                triangle,
                vertex: vertex as usize + 1,
                vertices,
            });
        } else if a == b || b == c || c == a {
            let vertex = if a == b { a } else { c } as usize + 1;
            problems.add(MeshProblem::NamedTwice { triangle, vertex });
        }
    }
}

/// Whether a triangle's height is less than 1e-9 of its longest edge, so that
/// its normal is inaccurate.
fn is_flat([a, b, c]: [DVec3; 3]) -> bool {
    let longest = (b - a)
        .length_squared()
        .max((c - b).length_squared())
        .max((a - c).length_squared());
    // `>` and then negated, so that overflowing squares and NaN count as flat.
    let has_area = (b - a).cross(c - a).length() > 1e-9 * longest;
    !has_area
}

#[cfg(test)]
mod tests;
