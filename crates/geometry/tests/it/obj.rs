//! Wavefront OBJ: what is read, what is refused and where, and that no text
//! makes the parser panic.

use conatus_geometry::obj::{self, ObjError, ObjErrorKind};
use conatus_geometry::{Axis, Mesh, Shape};
use conatus_math::DVec3;
use proptest::prelude::*;

/// Uses every notation of the format.
const TETRAHEDRON: &str = "\u{feff}# a tetrahedron
mtllib none.mtl
o corner piece
v 0 0 0
  v\t1.0 0 0 1.0   # with a weight
v 0 1e0 0 0.5 0.5 0.5\r
vt 0 0
vn 0 0 1
g floor
usemtl grey
s off
f 1 3//1 2/1

g walls
f 1/1/1 2/1/1 4/1/1 # a vertex further down
v 0 0 \\
  +1
f -1 -2 \\\r
  -4
f 2 3 4
l 1 2
curv2 strange things
";

fn fails(text: &str) -> ObjError {
    let error = obj::parse(text, 1.0).unwrap_err();
    check_place(text, &error);
    error
}

fn check_place(text: &str, error: &ObjError) {
    assert!(error.offset + error.length <= text.len());
    assert!(text.is_char_boundary(error.offset));
    let line = text.split('\n').nth(error.line - 1).unwrap();
    assert!(error.column >= 1 && error.column <= line.chars().count() + 1);
    assert!(!error.help().is_empty() && !error.to_string().is_empty());
}

fn marked<'a>(text: &'a str, error: &ObjError) -> &'a str {
    &text[error.offset..error.offset + error.length]
}

#[test]
fn every_way_to_write_a_face_is_read() {
    let read = obj::parse(TETRAHEDRON, 1.0).unwrap();
    assert_eq!(
        read.mesh.vertices,
        [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]
    );
    assert_eq!(
        read.mesh.triangles,
        [[0, 2, 1], [0, 1, 3], [3, 2, 0], [1, 2, 3]]
    );
    assert_eq!(read.mesh.check_closed(), Ok(()));
    let names: Vec<_> = read
        .groups
        .iter()
        .map(|g| (g.name.as_str(), g.triangles.clone()))
        .collect();
    assert_eq!(names, [("floor", 0..1), ("walls", 1..4)]);
}

#[test]
fn lengths_are_scaled() {
    let read = obj::parse(TETRAHEDRON, 0.01).unwrap();
    assert_eq!(read.mesh.vertices[3], DVec3::Z * 0.01);
}

#[test]
fn a_polygon_becomes_triangles() {
    let text = "v 0 0 0\nv 2 0 0\nv .5 .5 0\nv 0 2 0\nf 1 2 3 4\n";
    let mesh = obj::parse(text, 1.0).unwrap().mesh;
    assert_eq!(mesh.triangles.len(), 2);
    assert!(mesh.triangles.iter().all(|t| t.contains(&2)));
}

#[test]
fn faces_before_the_first_name_belong_to_no_group() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng\nf 3 2 1\no late\n";
    let read = obj::parse(text, 1.0).unwrap();
    assert_eq!(read.groups.len(), 1);
    assert_eq!(read.groups[0].name, "");
    assert_eq!(read.groups[0].triangles, 1..2);
}

#[test]
fn a_word_in_place_of_a_number_is_shown_where_it_is() {
    let text = "v 0 0 0\n v 1 1,5 0\nf 1 1 1\n";
    let error = fails(text);
    assert_eq!((error.line, error.column), (2, 6));
    assert_eq!(marked(text, &error), "1,5");
    assert_eq!(
        error.to_string(),
        "line 2, column 6: expected a number, found `1,5`"
    );
    assert!(error.help().contains("comma"));
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    for bad in ["nan", "inf", "-Infinity", "1e999"] {
        let text = format!("v 0 {bad} 0\n");
        let error = fails(&text);
        assert_eq!(error.kind, ObjErrorKind::NotFinite(bad.to_owned()));
        assert_eq!(marked(&text, &error), bad);
    }
    let error = obj::parse("v 0 0 1e300\n", 1e10).unwrap_err();
    assert_eq!(error.kind, ObjErrorKind::NotFinite("1e300".to_owned()));
    assert!(obj::parse(TETRAHEDRON, f64::NAN).is_err());
}

#[test]
fn a_vertex_with_two_coordinates_is_refused() {
    let error = fails("v 1 2\nv 1 2 3\n");
    assert_eq!(error.kind, ObjErrorKind::TooFewCoordinates { found: 2 });
    assert_eq!((error.line, error.column, error.length), (1, 1, 5));
}

#[test]
fn a_face_with_two_corners_is_refused() {
    let error = fails("v 1 2 3\nf 1 1\n\n");
    assert_eq!(error.kind, ObjErrorKind::TooFewCorners { found: 2 });
}

#[test]
fn vertex_zero_is_refused() {
    let text = "v 1 2 3\nf 1 1 0/4\n";
    let error = fails(text);
    assert_eq!(error.kind, ObjErrorKind::IndexZero);
    assert_eq!(marked(text, &error), "0");
}

#[test]
fn a_missing_vertex_is_refused_with_the_vertex_count() {
    let error = fails("v 1 2 3\nv 3 2 1\nf 1 2 3\n");
    assert_eq!((error.line, error.column), (3, 7));
    assert_eq!(
        error.kind.to_string(),
        "there is no vertex 3: 2 vertices in the file"
    );
    let error = fails("v 1 2 3\nf 1 1 -2\nv 3 2 1\n");
    assert_eq!(
        error.kind.to_string(),
        "there is no vertex -2: 1 vertex above this face"
    );
    fails("v 1 2 3\nf 1 1 9223372036854775807\n");
    fails("v 1 2 3\nf 1 1 -9223372036854775808\n");
}

#[test]
fn a_corner_that_is_no_index_is_refused() {
    for bad in ["x", "1.5", "1/2/3/4", "1/a", "/1", "99999999999999999999"] {
        let text = format!("v 1 2 3\nf 1 1 {bad}\n");
        assert_eq!(
            fails(&text).kind,
            ObjErrorKind::NotAnIndex(bad.to_owned()),
            "{bad}"
        );
    }
}

#[test]
fn a_truncated_file_is_reported_as_truncated() {
    let tails = [
        "f 1 2",
        "v 1.0 2",
        "f",
        "v",
        "v 1 2 -",
        "v 1 2 3.5e-",
        "f 1 2 -",
        "f 1 2 3 \\",
        "f 1 2 3 \\\n",
    ];
    for tail in tails {
        let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n{tail}");
        let error = fails(&text);
        assert_eq!(error.kind, ObjErrorKind::EndsInTheMiddle, "{tail}");
        assert_eq!(error.line, 5);
    }
}

#[test]
fn a_file_without_faces_is_refused() {
    assert_eq!(fails("").kind, ObjErrorKind::NoFaces { count: 0 });
    let error = fails("v 1 2 3\n");
    assert_eq!(
        error.kind.to_string(),
        "the file has no faces, only 1 vertex"
    );
}

#[test]
fn columns_count_characters_and_offsets_bytes() {
    let text = "o größe\nv ä 0 0\n";
    let error = fails(text);
    assert_eq!((error.line, error.column), (2, 3));
    assert_eq!(marked(text, &error), "ä");
}

#[test]
fn every_solid_survives_writing_and_reading_bit_for_bit() {
    let axis = Axis::X;
    for solid in [
        Shape::Sphere { radius: 0.1 },
        Shape::Cone {
            radius: 0.3,
            height: 0.7,
            axis,
        },
    ] {
        let mesh = solid.mesh();
        assert_eq!(
            obj::parse(&obj::write(&mesh), 1.0).unwrap(),
            obj::ObjMesh {
                mesh,
                groups: vec![]
            }
        );
    }
}

/// Either a valid mesh or an error with a place in the text.
fn parses_without_panic(text: &str) {
    match obj::parse(text, 1.0) {
        Ok(read) => {
            let count = read.mesh.vertices.len();
            assert!(read.mesh.vertices.iter().all(|v| v.is_finite()));
            let corners = read.mesh.triangles.iter().flatten();
            assert!(corners.into_iter().all(|&i| (i as usize) < count));
            assert!(!read.mesh.triangles.is_empty());
            let mut end = 0;
            for group in &read.groups {
                assert!(group.triangles.start >= end && !group.triangles.is_empty());
                end = group.triangles.end;
            }
            assert!(end <= read.mesh.triangles.len());
            let _ = read.mesh.check_closed();
        }
        Err(error) => check_place(text, &error),
    }
}

fn valid_text() -> impl Strategy<Value = String> {
    let star = "v 0 0 0\nv 2 0 0\nv .5 .5 0\nv 0 2 0\nv -1 -1 0\ng a b\nf 1 2 3 4 5 3 1\n";
    prop::sample::select(vec![
        TETRAHEDRON.to_owned(),
        star.to_owned(),
        obj::write(
            &Shape::Box {
                half_extents: DVec3::ONE,
            }
            .mesh(),
        ),
    ])
}

/// Characters with a meaning in the format are frequent.
fn insertion() -> impl Strategy<Value = String> {
    prop_oneof![
        "[vfgo#/\\\\0-9 .\\-+e\\r\\n\\t]{0,12}",
        "\\PC{0,4}",
        Just("nan".to_owned()),
        Just("\\\n".to_owned()),
        Just("f 1 -1 2 -2 1 2 3\n".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 5 / 2))]

    #[test]
    fn any_text_is_parsed_without_panic(text in any::<String>()) {
        parses_without_panic(&text);
    }

    #[test]
    fn texts_of_obj_characters_are_parsed_without_panic(text in "[vfg#/\\\\0-3 .\\-\\r\\n]{0,80}") {
        parses_without_panic(&text);
    }

    #[test]
    fn flipped_bytes_are_parsed_without_panic(
        text in valid_text(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = text.into_bytes();
        for (place, value) in flips {
            let i = place.index(bytes.len());
            bytes[i] ^= value;
        }
        parses_without_panic(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn truncated_texts_are_parsed_without_panic(text in valid_text(), place in any::<prop::sample::Index>()) {
        let bytes = &text.as_bytes()[..place.index(text.len())];
        parses_without_panic(&String::from_utf8_lossy(bytes));
    }

    #[test]
    fn insertions_are_parsed_without_panic(
        text in valid_text(),
        insertions in prop::collection::vec((any::<prop::sample::Index>(), insertion()), 1..5),
    ) {
        let mut characters: Vec<char> = text.chars().collect();
        for (place, insertion) in insertions {
            let i = place.index(characters.len());
            characters.splice(i..i, insertion.chars());
        }
        parses_without_panic(&characters.into_iter().collect::<String>());
    }

    #[test]
    fn any_polygon_gives_two_triangles_less_than_corners(
        points in prop::collection::vec(prop::array::uniform3(-3i32..3), 3..30),
    ) {
        let mut text = String::new();
        let mut face = String::from("f");
        for (i, [x, y, z]) in points.iter().enumerate() {
            text += &format!("v {x} {y} {z}\n");
            face += &format!(" {}", i + 1);
        }
        let read = obj::parse(&(text + &face), 1.0).unwrap();
        prop_assert_eq!(read.mesh.triangles.len(), points.len() - 2);
    }

    #[test]
    fn any_mesh_survives_writing_and_reading_bit_for_bit(
        vertices in prop::collection::vec(
            prop::array::uniform3(any::<f64>().prop_filter("finite", |x| x.is_finite())),
            3..20,
        ),
        corners in prop::collection::vec(prop::array::uniform3(any::<prop::sample::Index>()), 1..20),
    ) {
        let count = vertices.len();
        let mesh = Mesh {
            vertices: vertices.into_iter().map(DVec3::from_array).collect(),
            triangles: corners
                .into_iter()
                .map(|t| t.map(|i| i.index(count) as u32))
                .collect(),
        };
        let read = obj::parse(&obj::write(&mesh), 1.0).unwrap().mesh;
        prop_assert_eq!(&read, &mesh);
        let bits = |m: &Mesh| -> Vec<_> {
            m.vertices.iter().map(|v| v.to_array().map(f64::to_bits)).collect()
        };
        prop_assert_eq!(bits(&read), bits(&mesh));
    }
}
