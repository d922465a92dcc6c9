//! What can be wrong with an OBJ file, and where.

use thiserror::Error;

/// Something wrong in an OBJ file, with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct ObjError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The byte offset of the place in the text; at most its length.
    pub offset: usize,
    /// Length of the place in bytes; 0 at the end of the text.
    pub length: usize,
    /// What is wrong.
    pub kind: ObjErrorKind,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ObjErrorKind {
    /// A coordinate that is not a number.
    #[error("expected a number, found `{0}`")]
    NotANumber(String),
    /// A coordinate that is infinite or not a number, perhaps after scaling.
    #[error("`{0}` is not a finite length")]
    NotFinite(String),
    /// A vertex with fewer than three coordinates.
    #[error("a vertex needs three coordinates, found {found}")]
    TooFewCoordinates {
        /// How many there are.
        found: usize,
    },
    /// A face corner that is not of the form `1`, `1/2`, `1//3` or `1/2/3`.
    #[error("expected the number of a vertex, found `{0}`")]
    NotAnIndex(String),
    /// Vertices count from 1.
    #[error("there is no vertex 0: vertices count from 1")]
    IndexZero,
    /// A vertex that the file does not have.
    #[error("there is no vertex {index}: {}", vertices_available(*.index, *.count))]
    IndexOutOfRange {
        /// The number in the file; negative ones count back.
        index: i64,
        /// How many vertices there are: in the file for a positive number,
        /// above the face for a negative one.
        count: usize,
    },
    /// A face with fewer than three corners.
    #[error("a face needs at least three corners, found {found}")]
    TooFewCorners {
        /// How many there are.
        found: usize,
    },
    /// The text stops within a statement.
    #[error("the file ends in the middle of a statement")]
    EndsInTheMiddle,
    /// The file has no faces.
    #[error("the file has no faces, only {}", counted(*.count))]
    NoFaces {
        /// How many vertices it has.
        count: usize,
    },
    /// More vertices than indices can represent.
    #[error("the file has more than {} vertices", u32::MAX)]
    TooManyVertices,
}

fn counted(vertices: usize) -> String {
    match vertices {
        1 => "1 vertex".to_owned(),
        n => format!("{n} vertices"),
    }
}

fn vertices_available(index: i64, count: usize) -> String {
    let place = if index < 0 {
        "above this face"
    } else {
        "in the file"
    };
    format!("{} {place}", counted(count))
}

/// A range of the text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offset: usize,
    pub(super) length: usize,
}

impl ObjError {
    /// The error with line and column counted from the start of the text.
    pub(super) fn at(text: &str, place: Place, kind: ObjErrorKind) -> Self {
        let offset = place.offset.min(text.len());
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Self {
            line: 1 + before.matches('\n').count(),
            column: 1 + before
                .get(line_start..)
                .map_or(0, |line| line.chars().count()),
            offset,
            length: place.length.min(text.len() - offset),
            kind,
        }
    }

    /// What the user can do about it.
    pub fn help(&self) -> &'static str {
        use ObjErrorKind::*;
        match self.kind {
            NotANumber(_) => "write numbers like 1, -0.5 or 2.5e-3, with a point and not a comma",
            NotFinite(_) => {
                "the program that wrote the file met a division by zero or an overflow; \
                 export the model again, or check the scale"
            }
            TooFewCoordinates { .. } => "write a vertex as `v x y z`",
            NotAnIndex(_) => "write corners as 1, 1/2, 1//3 or 1/2/3, with whole numbers",
            IndexZero => "the first vertex is 1, the last one so far is -1",
            IndexOutOfRange { .. } => {
                "the file may be cut off, or a part of a larger file whose vertices are missing"
            }
            TooFewCorners { .. } => "write a face as `f 1 2 3`; lines are `l` and points are `p`",
            EndsInTheMiddle => "the file seems cut off: copy or export it again",
            NoFaces { .. } => "export the model with its faces; points and curves have no surface",
            TooManyVertices => "split or simplify the model",
        }
    }
}
