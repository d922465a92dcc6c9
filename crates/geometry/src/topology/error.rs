//! Errors of a surface and their remedies.

use thiserror::Error;

/// Maximum number of problems that are named; the rest is only counted.
const MAX_NAMED_PROBLEMS: usize = 5;

/// All problems that keep a mesh from being used as a surface.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", list(.problems, *.more))]
pub struct MeshError {
    /// The first few problems; at least one.
    pub problems: Vec<MeshProblem>,
    /// How many more there are.
    pub more: usize,
}

/// One problem of a mesh, with its remedy. Vertices and triangles are counted
/// from one, as in OBJ files.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MeshProblem {
    /// The mesh is empty.
    #[error("there are no triangles; give the mesh at least one")]
    Empty,
    /// A triangle names a vertex that is not there.
    #[error(
        "triangle {triangle} uses vertex {vertex}, but there are only {vertices} vertices; \
         add the vertex or correct the triangle"
    )]
    OutOfRange {
        /// The triangle, from one.
        triangle: usize,
        /// The vertex it names, from one.
        vertex: usize,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A triangle uses one vertex twice.
    #[error("triangle {triangle} uses vertex {vertex} twice; remove the triangle")]
    NamedTwice {
        /// The triangle, from one.
        triangle: usize,
        /// The vertex, from one.
        vertex: usize,
    },
    /// A vertex belongs to no triangle.
    #[error(
        "vertex {vertex} belongs to no triangle; remove it \
         (in Blender: Mesh > Clean Up > Delete Loose)"
    )]
    Unused {
        /// The vertex, from one.
        vertex: usize,
    },
    /// More than two triangles meet at an edge.
    #[error(
        "the triangles {} all meet at the edge between the vertices {} and {}; \
         leave two of them there (in Blender: Select > All by Trait > Non Manifold)",
        numbers(.triangles), .edge[0], .edge[1]
    )]
    NotManifold {
        /// The vertices of the edge, from one.
        edge: [usize; 2],
        /// The triangles, from one.
        triangles: Vec<usize>,
    },
    /// Two neighbours face opposite sides.
    #[error(
        "the triangles {} and {}, neighbours at the edge between the vertices {} and {}, \
         face opposite sides; turn one of them over \
         (in Blender: Mesh > Normals > Recalculate Outside)",
        .triangles[0], .triangles[1], .edge[0], .edge[1]
    )]
    Turned {
        /// The vertices of the edge, from one.
        edge: [usize; 2],
        /// The triangles, from one.
        triangles: [usize; 2],
    },
    /// There are not as many positions as vertices.
    #[error("there are {positions} positions for {vertices} vertices; give one for each")]
    PositionCount {
        /// How many positions were given.
        positions: usize,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A coordinate is infinite or not a number.
    #[error("a coordinate of vertex {vertex} is not a finite number; correct it")]
    NotFinite {
        /// The vertex, from one.
        vertex: usize,
    },
    /// Two vertices lie in the same place.
    #[error(
        "the vertices {first} and {second} lie in the same place; merge them \
         (in Blender: Mesh > Merge > By Distance)"
    )]
    SamePlace {
        /// The lower vertex, from one.
        first: usize,
        /// The higher vertex, from one.
        second: usize,
    },
    /// A triangle is a line, or nearly.
    #[error(
        "triangle {triangle} has no area: its corners lie on one line; \
         move a corner or remove the triangle"
    )]
    NoArea {
        /// The triangle, from one.
        triangle: usize,
    },
}

fn list(problems: &[MeshProblem], more: usize) -> String {
    let mut lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.join("\n")
}

fn numbers(of: &[usize]) -> String {
    let words: Vec<String> = of.iter().map(ToString::to_string).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// Collects problems.
#[derive(Default)]
pub(super) struct Problems {
    named: Vec<MeshProblem>,
    more: usize,
}

impl Problems {
    pub(super) fn add(&mut self, problem: MeshProblem) {
        if self.named.len() < MAX_NAMED_PROBLEMS {
            self.named.push(problem);
        } else {
            self.more += 1;
        }
    }

    /// Fails if there were any.
    pub(super) fn take(&mut self) -> Result<(), MeshError> {
        if self.named.is_empty() {
            return Ok(());
        }
        Err(MeshError {
            problems: std::mem::take(&mut self.named),
            more: std::mem::take(&mut self.more),
        })
    }
}
