//! Estimates how large a scene is from its text alone, so that a scene that cannot fit into
//! memory is refused before anything is built.

use super::bodies::later_specs;
use super::cloth;
use crate::memory;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::model::{SceneFile, ShapeSpec};
use std::collections::BTreeSet;

/// The most bodies of a scene; more are taken for a typing error.
const MAX_BODIES: u64 = 1_000_000;
/// The most copies of a piece of cloth.
const MAX_CLOTH_COPIES: u64 = 100_000;
/// The most vertices of all cloth.
pub const MAX_CLOTH_VERTICES: u64 = 2_000_000;

/// Bytes of a body in the parsed scene, the world and the recording's header, its meshes
/// aside. tests/memory.rs measures that it is enough.
pub const BYTES_PER_BODY: u64 = 4096;
/// Bytes of the meshes of one shape, which equal bodies share: a sphere has 642 vertices
/// and 1,280 triangles, kept for building, for the world and for the header.
const BYTES_PER_SHAPE: u64 = 128 << 10;
/// Bytes of a vertex of cloth in the world, with its triangles, matrices and collision
/// structures. tests/memory.rs measures that it is enough.
pub const BYTES_PER_CLOTH_VERTEX: u64 = 8 << 10;

/// What a scene consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneSize {
    /// Bodies, copies included.
    pub bodies: u64,
    /// Different shapes of bodies.
    pub shapes: u64,
    /// Vertices of cloth, copies included; those of mesh files are not counted.
    pub cloth_vertices: u64,
}

impl SceneSize {
    /// Counts what a scene file describes.
    pub fn of(file: &SceneFile) -> Self {
        let mut shapes: BTreeSet<String> = BTreeSet::new();
        let mut size = Self::default();
        for body in file.body.iter().chain(later_specs(file).map(|(_, b)| b)) {
            let copies = body.array.as_ref().map_or(1, |array| array.copies());
            size.bodies = size.bodies.saturating_add(copies);
            let parts = body.parts.iter().map(|part| &part.shape);
            let all = parts.chain(&body.shape);
            shapes.extend(all.map(|shape: &ShapeSpec| format!("{shape:?}")));
        }
        size.shapes = shapes.len() as u64;
        for piece in &file.cloth.piece {
            let copies = piece.array.as_ref().map_or(1, |array| array.copies());
            let vertices =
                (piece.shape.as_ref()).map_or(0, |shape| cloth::vertex_count(shape, &file.cloth));
            let all = vertices.saturating_mul(copies);
            size.cloth_vertices = size.cloth_vertices.saturating_add(all);
        }
        size
    }

    /// Roughly the memory that the scene takes once it is built, in bytes.
    pub fn bytes(&self) -> u64 {
        [
            (self.bodies, BYTES_PER_BODY),
            (self.shapes, BYTES_PER_SHAPE),
            (self.cloth_vertices, BYTES_PER_CLOTH_VERTEX),
        ]
        .into_iter()
        .map(|(count, bytes)| count.saturating_mul(bytes))
        .fold(0, u64::saturating_add)
    }
}

/// Reports counts that are out of range and scenes that do not fit into `available` bytes.
/// False if the scene must not be built.
pub fn check(file: &SceneFile, available: u64, diagnostics: &mut Diagnostics) -> bool {
    let before = diagnostics.len();
    let size = SceneSize::of(file);
    let mut bodies: u64 = 0;
    for (i, body) in file.body.iter().enumerate() {
        let copies = body.array.as_ref().map_or(1, |array| array.copies());
        bodies = bodies.saturating_add(copies);
        if copies == 0 || bodies > MAX_BODIES {
            diagnostics.at(
                &format!("body[{i}].array.count"),
                format!("{copies} copies; there must be at least one, and at most {MAX_BODIES} bodies in all"),
                "count = [10, 10, 10] makes a thousand",
            );
        }
        if bodies > MAX_BODIES {
            break;
        }
    }
    for (i, piece) in file.cloth.piece.iter().enumerate() {
        let copies = piece.array.as_ref().map_or(1, |array| array.copies());
        if !(1..=MAX_CLOTH_COPIES).contains(&copies) {
            diagnostics.at(
                &format!("cloth.piece[{i}].array.count"),
                format!(
                    "{copies} copies; there must be at least one, and at most {MAX_CLOTH_COPIES}"
                ),
                "count = [1, 1, 20] stacks twenty",
            );
        }
    }
    // Too many vertices of a single piece are reported at the piece.
    let pieces = file.cloth.piece.len() > 1 || file.cloth.piece.iter().any(|p| p.array.is_some());
    if size.cloth_vertices > MAX_CLOTH_VERTICES && pieces && diagnostics.len() == before {
        diagnostics.at(
            "cloth.piece",
            format!(
                "the cloth has {} vertices; at most {MAX_CLOTH_VERTICES} are possible",
                size.cloth_vertices
            ),
            "use fewer copies or a coarser mesh",
        );
    }
    let refused_later = size.cloth_vertices > MAX_CLOTH_VERTICES && !pieces;
    if diagnostics.len() == before && !refused_later && size.bytes() > available {
        let (path, what) = match size.cloth_vertices > size.bodies {
            true => (
                "cloth",
                format!("{} vertices of cloth", size.cloth_vertices),
            ),
            false => ("body", format!("{} bodies", size.bodies)),
        };
        diagnostics.at(
            path,
            format!(
                "{what} take about {} of memory; {} are free",
                memory::format_bytes(size.bytes()),
                memory::format_bytes(available)
            ),
            "use fewer copies, fewer different shapes or a coarser mesh",
        );
    }
    diagnostics.len() == before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Files, LoadOptions, Scene, SourceText};

    fn scene(text: &str) -> Scene {
        let source = SourceText::new("a.toml", text);
        let files = Files::in_memory([]);
        Scene::parse("a", source, files, &LoadOptions::default()).unwrap()
    }

    fn message(text: &str, available: u64) -> String {
        let scene = scene(text);
        let mut diagnostics = scene.diagnostics();
        let fits = check(&scene.file, available, &mut diagnostics);
        match diagnostics.finish() {
            Ok(_) => {
                assert!(fits);
                String::new()
            }
            Err(error) => {
                assert!(!fits);
                error.to_string()
            }
        }
    }

    /// A user requested a million bodies on a machine with 2 GB: memory ran out while the
    /// scene was being built. It must be refused before, with the figures.
    #[test]
    fn scenes_that_do_not_fit_into_memory_are_refused_before_they_are_built() {
        let crowd = "[[body]]\nshape.sphere.radius = 1\nmass = 1\narray = { count = [100, 100, 100], spacing = [3, 3, 3] }";
        assert_eq!(message(crowd, 5_000_000_000), "");
        let refused = message(crowd, 2_000_000_000);
        assert!(
            refused.contains("1000000 bodies take about 4.1 GB of memory"),
            "{refused}"
        );
        assert!(refused.contains("2.0 GB are free"), "{refused}");
    }

    #[cfg(feature = "cloth")]
    #[test]
    fn cloth_that_does_not_fit_into_memory_is_refused_from_the_text_alone() {
        let sheet =
            "[[cloth.piece]]\nshape.rectangle = { width = 1, height = 1, vertices = [1000, 1000] }";
        assert_eq!(message(sheet, 20_000_000_000), "");
        assert!(message(sheet, 1_000_000_000).contains("1000000 vertices of cloth"));
    }

    #[test]
    fn counts_that_overflow_are_refused() {
        let most = u64::MAX / 2;
        let body = format!(
            "[[body]]\nshape.sphere.radius = 1\nmass = 1\narray = {{ count = [{most}, {most}, 9], spacing = [1, 1, 1] }}"
        );
        assert!(message(&body, u64::MAX).contains("at most 1000000 bodies in all"));
        let none = "[[body]]\nmass = 1\narray = { count = [0, 1, 1], spacing = [1, 1, 1] }";
        assert!(message(none, u64::MAX).contains("0 copies"));
    }

    #[cfg(feature = "cloth")]
    #[test]
    fn copies_of_cloth_beyond_all_limits_are_refused_too() {
        let piece = "[[cloth.piece]]\nshape.sphere = { radius = 1, subdivisions = 5 }\narray = { count = [100, 10, 1], spacing = [3, 3, 3] }";
        assert!(message(piece, u64::MAX).contains("10242000 vertices"));
    }

    #[test]
    fn equal_shapes_are_counted_once() {
        let text = "[[body]]\nname = 'a'\nshape.sphere.radius = 1\nmass = 1\n\
                    [[body]]\nname = 'b'\nshape.sphere.radius = 1\nmass = 2\n\
                    [[body]]\nname = 'c'\nshape.sphere.radius = 2\nmass = 2\n";
        let size = SceneSize::of(&scene(text).file);
        assert_eq!((size.bodies, size.shapes), (3, 2));
    }
}
