//! Wavefront OBJ files: meshes as text, as nearly every modelling program
//! writes them.
//!
//! Reads vertices, faces of any size and the names of groups and objects.
//! Texture coordinates, normals, materials, lines and curves are skipped; so
//! are unknown keywords. Errors are reported with their place in the text.

mod error;
mod polygon;
mod statement;

pub use error::{ObjError, ObjErrorKind};

use crate::Mesh;
use conatus_math::DVec3;
use error::Place;
use statement::{Statement, Word};
use std::fmt::Write;
use std::ops::Range;

/// A mesh with the names that the file gave to its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjMesh {
    /// The surface; polygons are cut into triangles.
    pub mesh: Mesh,
    /// The parts in the order of the file, each with at least one triangle.
    /// Triangles before the first name belong to none.
    pub groups: Vec<Group>,
}

/// A run of triangles with a name (`g` or `o` in the file). A name may occur
/// again later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The name as written; empty if the file gave none.
    pub name: String,
    /// Its triangles, as indices into [`Mesh::triangles`].
    pub triangles: Range<usize>,
}

/// Parses the text of an OBJ file, with all lengths multiplied by `scale` (0.01
/// for a model in centimetres).
///
/// A face may name vertices that follow it in the file; negative numbers
/// count back from the last vertex before the face. Faces need not be convex
/// unless they have more than 4096 corners.
pub fn parse(text: &str, scale: f64) -> Result<ObjMesh, ObjError> {
    let mut reader = Reader::new(text, scale);
    for statement in statement::split(text) {
        reader.statement(&statement)?;
    }
    reader.finish()
}

/// The text of an OBJ file with this mesh. [`parse`] with scale 1 gives the
/// same mesh back, bit for bit, if it has triangles and finite numbers.
pub fn write(mesh: &Mesh) -> String {
    let mut text = String::from("# Conatus\n");
    for v in &mesh.vertices {
        // Rust prints the shortest digits that read back as the same number.
        // Writing to a string cannot fail.
        let _ = writeln!(text, "v {:?} {:?} {:?}", v.x, v.y, v.z);
    }
    for &[a, b, c] in &mesh.triangles {
        let [a, b, c] = [a, b, c].map(|i| u64::from(i) + 1);
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    text
}

/// A face before the number of vertices is known.
struct Face {
    /// Where its corners are in `Reader::corners`.
    corners: Range<usize>,
    /// Number of groups opened before it.
    groups: usize,
}

/// A corner: the zero-based index of its vertex, and its place in the file.
struct Corner {
    vertex: u64,
    place: Place,
}

struct Reader<'a> {
    text: &'a str,
    scale: f64,
    vertices: Vec<DVec3>,
    corners: Vec<Corner>,
    faces: Vec<Face>,
    names: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, scale: f64) -> Self {
        Self {
            text,
            scale,
            vertices: Vec::new(),
            corners: Vec::new(),
            faces: Vec::new(),
            names: Vec::new(),
        }
    }

    fn error(&self, place: Place, kind: ObjErrorKind) -> ObjError {
        ObjError::at(self.text, place, kind)
    }

    fn statement(&mut self, statement: &Statement<'a>) -> Result<(), ObjError> {
        if statement.dangling {
            return Err(self.error(statement.last().place, ObjErrorKind::EndsInTheMiddle));
        }
        match statement.keyword.text {
            "v" => self
                .vertex(statement)
                .map_err(|error| self.or_cut_off(statement, error)),
            "f" => self
                .face(statement)
                .map_err(|error| self.or_cut_off(statement, error)),
            "g" | "o" => {
                self.names.push(statement.name());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `v x y z`, optionally followed by a weight or a colour.
    fn vertex(&mut self, statement: &Statement<'a>) -> Result<(), ObjError> {
        if self.vertices.len() >= u32::MAX as usize {
            return Err(self.error(statement.keyword.place, ObjErrorKind::TooManyVertices));
        }
        let [x, y, z, ..] = statement.arguments[..] else {
            let found = statement.arguments.len();
            return Err(self.too_few(statement, ObjErrorKind::TooFewCoordinates { found }));
        };
        let position = DVec3::new(self.number(x)?, self.number(y)?, self.number(z)?);
        self.vertices.push(position);
        // Colours and weights are not used, but invalid ones still indicate a
        // broken file.
        for &word in statement.arguments.iter().skip(3) {
            self.number(word)?;
        }
        Ok(())
    }

    fn number(&self, word: Word) -> Result<f64, ObjError> {
        let Ok(value) = word.text.parse::<f64>() else {
            return Err(self.error(word.place, ObjErrorKind::NotANumber(word.excerpt())));
        };
        let scaled = value * self.scale;
        if scaled.is_finite() {
            Ok(scaled)
        } else {
            Err(self.error(word.place, ObjErrorKind::NotFinite(word.excerpt())))
        }
    }

    /// `f` with three or more corners.
    fn face(&mut self, statement: &Statement<'a>) -> Result<(), ObjError> {
        let start = self.corners.len();
        for &word in &statement.arguments {
            let corner = self.corner(word)?;
            self.corners.push(corner);
        }
        let found = self.corners.len() - start;
        if found < 3 {
            return Err(self.too_few(statement, ObjErrorKind::TooFewCorners { found }));
        }
        self.faces.push(Face {
            corners: start..self.corners.len(),
            groups: self.names.len(),
        });
        Ok(())
    }

    /// One corner: `v`, `v/vt`, `v//vn` or `v/vt/vn`. Only the vertex is kept.
    fn corner(&self, word: Word) -> Result<Corner, ObjError> {
        let mut parts = word.text.split('/');
        let vertex = parts.next().unwrap_or_default();
        let place = Place {
            length: vertex.len().max(1),
            ..word.place
        };
        let malformed = || self.error(word.place, ObjErrorKind::NotAnIndex(word.excerpt()));
        let index: i64 = vertex.parse().map_err(|_| malformed())?;
        let others_are_whole = parts
            .by_ref()
            .take(2)
            .all(|part| part.is_empty() || part.parse::<i64>().is_ok());
        if !others_are_whole || parts.next().is_some() {
            return Err(malformed());
        }
        let count = self.vertices.len();
        let vertex = match index {
            0 => return Err(self.error(place, ObjErrorKind::IndexZero)),
            1.. => index as u64 - 1,
            // Relative to the vertices so far; -1 is the last.
            _ => (count as u64)
                .checked_sub(index.unsigned_abs())
                .ok_or_else(|| self.error(place, ObjErrorKind::IndexOutOfRange { index, count }))?,
        };
        Ok(Corner { vertex, place })
    }

    /// The error for an incomplete statement: if it is also the last of a file
    /// without a line end, the file was probably truncated there.
    fn too_few(&self, statement: &Statement<'a>, kind: ObjErrorKind) -> ObjError {
        if statement.cut_off {
            self.error(statement.last().place, ObjErrorKind::EndsInTheMiddle)
        } else {
            self.error(statement.place(), kind)
        }
    }

    /// A last word such as `1e-` or `3/`, without a line end, is reported as
    /// truncated rather than invalid.
    fn or_cut_off(&self, statement: &Statement<'a>, error: ObjError) -> ObjError {
        use ObjErrorKind::{NotANumber, NotAnIndex};
        let last = statement.last();
        let unfinished = statement.cut_off
            && error.offset == last.place.offset
            && last.text.ends_with(['-', '+', '.', 'e', 'E', '/']);
        match error.kind {
            NotANumber(_) | NotAnIndex(_) if unfinished => {
                self.error(last.place, ObjErrorKind::EndsInTheMiddle)
            }
            _ => error,
        }
    }

    /// Checks the indices, now that all vertices are known, and triangulates
    /// the polygons.
    fn finish(self) -> Result<ObjMesh, ObjError> {
        let count = self.vertices.len();
        for corner in &self.corners {
            if corner.vertex >= count as u64 {
                let index = corner.vertex as i64 + 1;
                let kind = ObjErrorKind::IndexOutOfRange { index, count };
                return Err(self.error(corner.place, kind));
            }
        }
        if self.faces.is_empty() {
            let place = Place {
                offset: self.text.len(),
                length: 0,
            };
            return Err(self.error(place, ObjErrorKind::NoFaces { count }));
        }
        let mut triangles = Vec::with_capacity(self.corners.len() - 2 * self.faces.len());
        let mut groups: Vec<Group> = Vec::new();
        let mut current = 0;
        let mut polygon = Vec::new();
        for face in &self.faces {
            polygon.clear();
            // Less than the number of vertices, which fits in `u32`.
            polygon.extend(
                self.corners[face.corners.clone()]
                    .iter()
                    .map(|c| c.vertex as u32),
            );
            let start = triangles.len();
            polygon::triangulate(&self.vertices, &polygon, &mut triangles);
            if face.groups > current
                && let Some(name) = self.names.get(face.groups - 1)
            {
                current = face.groups;
                groups.push(Group {
                    name: name.clone(),
                    triangles: start..start,
                });
            }
            if let Some(group) = groups.last_mut() {
                group.triangles.end = triangles.len();
            }
        }
        Ok(ObjMesh {
            mesh: Mesh {
                vertices: self.vertices,
                triangles,
            },
            groups,
        })
    }
}
