//! STL files: triangles without topology, as CAD programs write them.
//!
//! Reads both kinds, text and binary. Corners with equal coordinates become one vertex, so
//! that a closed surface is closed. Normals, colours and names are skipped.

use crate::Mesh;
use crate::mesh::MergedTriangles;
use conatus_math::DVec3;
use thiserror::Error;

/// Why a file cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum StlError {
    /// It is neither kind of STL.
    #[error(
        "the file is no STL: it does not begin with `solid`, and its size fits no number of triangles"
    )]
    Unknown,
    /// A line of a text cannot be read.
    #[error("line {0}: three finite numbers must follow `vertex`")]
    Vertex(usize),
    /// A facet of a text does not have three corners.
    #[error("line {0}: a facet has three vertices, this one {1}")]
    Corners(usize, usize),
    /// A number of a binary file is not finite.
    #[error("triangle {0} has a coordinate that is not finite")]
    NotFinite(usize),
    /// It has no triangles.
    #[error("the file has no triangles")]
    Empty,
}

/// The bytes before the first triangle of a binary file.
const HEADER: usize = 84;
/// The bytes of a triangle: normal, three corners, two bytes of attributes.
const FACET: usize = 50;

/// The mesh of an STL file.
pub fn parse(bytes: &[u8]) -> Result<Mesh, StlError> {
    let mut reader = Reader::default();
    // Some programs begin binary files with `solid` too, so the size decides first.
    if is_binary(bytes) {
        reader.binary(bytes)?;
    } else if bytes.trim_ascii_start().starts_with(b"solid") {
        reader.text(&String::from_utf8_lossy(bytes))?;
    } else {
        return Err(StlError::Unknown);
    }
    let mesh = reader.merged.into_mesh();
    match mesh.triangles.is_empty() {
        true => Err(StlError::Empty),
        false => Ok(mesh),
    }
}

fn is_binary(bytes: &[u8]) -> bool {
    let Some(count) = bytes.get(HEADER - 4..HEADER) else {
        return false;
    };
    let count = count.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b));
    count.checked_mul(FACET) == Some(bytes.len() - HEADER)
}

#[derive(Default)]
struct Reader {
    merged: MergedTriangles,
}

impl Reader {
    fn binary(&mut self, bytes: &[u8]) -> Result<(), StlError> {
        for (k, facet) in bytes[HEADER..].chunks_exact(FACET).enumerate() {
            let number = |i: usize| {
                let at = 4 * i;
                f32::from_le_bytes([facet[at], facet[at + 1], facet[at + 2], facet[at + 3]])
            };
            let corner = |c: usize| {
                let [x, y, z] = [0, 1, 2].map(|i| f64::from(number(3 * (c + 1) + i)));
                DVec3::new(x, y, z)
            };
            let corners = [corner(0), corner(1), corner(2)];
            if !corners.iter().all(|c| c.is_finite()) {
                return Err(StlError::NotFinite(k + 1));
            }
            self.merged.add(corners);
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), StlError> {
        let mut corners: Vec<DVec3> = Vec::new();
        for (k, line) in text.lines().enumerate() {
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("vertex") => {
                    let numbers: Vec<f64> = words.filter_map(|w| w.parse().ok()).collect();
                    match numbers[..] {
                        [x, y, z] if numbers.iter().all(|n| n.is_finite()) => {
                            corners.push(DVec3::new(x, y, z));
                        }
                        _ => return Err(StlError::Vertex(k + 1)),
                    }
                }
                Some("endloop") => {
                    match corners[..] {
                        [a, b, c] => self.merged.add([a, b, c]),
                        _ => return Err(StlError::Corners(k + 1, corners.len())),
                    }
                    corners.clear();
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron with legs of 1 along the axes.
    const CORNERS: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    const POINTS: [[f32; 3]; 4] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];

    fn binary() -> Vec<u8> {
        // A header that begins like a text.
        let mut bytes = b"solid made by a program".to_vec();
        bytes.resize(80, b' ');
        bytes.extend(4u32.to_le_bytes());
        for triangle in CORNERS {
            bytes.extend([0u8; 12]);
            for corner in triangle {
                for x in POINTS[corner] {
                    bytes.extend(x.to_le_bytes());
                }
            }
            bytes.extend([0u8; 2]);
        }
        bytes
    }

    fn text() -> String {
        let mut text = String::from("solid tetrahedron\n");
        for triangle in CORNERS {
            text += "facet normal 0 0 0\n outer loop\n";
            for corner in triangle {
                let [x, y, z] = POINTS[corner];
                text += &format!("  vertex {x:e} {y} {z}\n");
            }
            text += " endloop\nendfacet\n";
        }
        text + "endsolid\n"
    }

    #[test]
    fn text_and_binary_give_the_same_closed_mesh() {
        let mesh = parse(&binary()).unwrap();
        assert_eq!(mesh, parse(text().as_bytes()).unwrap());
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
        assert!(mesh.check_closed().is_ok());
        assert!((mesh.volume_integrals().volume - 1.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn broken_files_are_refused() {
        assert_eq!(parse(b"").unwrap_err(), StlError::Unknown);
        assert_eq!(parse(b"v 0 0 0").unwrap_err(), StlError::Unknown);
        assert_eq!(parse(b"solid\nendsolid").unwrap_err(), StlError::Empty);
        assert_eq!(
            parse(b"solid\nvertex 1 2 x").unwrap_err(),
            StlError::Vertex(2)
        );
        assert_eq!(
            parse(b"solid\nvertex 1 2 3\nendloop").unwrap_err(),
            StlError::Corners(3, 1)
        );
        let mut short = binary();
        short.truncate(100);
        short[0] = b'x';
        assert_eq!(parse(&short).unwrap_err(), StlError::Unknown);
        let mut wild = binary();
        wild[HEADER + 12..HEADER + 16].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(parse(&wild).unwrap_err(), StlError::NotFinite(1));
    }
}
