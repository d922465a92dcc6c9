//! A piece of cloth: its copies, pins and springs.

use super::MAX_DISTANCE_M;
use super::materials::Materials;
use super::piece_shapes::{check_shape, shape_mesh};
use super::pins::Targets;
use crate::scene::build::bodies::{color, in_cube, on_sphere};
use crate::scene::build::check;
use crate::scene::build::size::MAX_CLOTH_VERTICES;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::{ClothPieceSpec, ClothShapeSpec, SceneFile};
use conatus_cloth::{ClothParts, ClothSpring, MAX_SPEED_M_S, Piece, Pin, PinFrame};
use conatus_geometry::Mesh;
use conatus_math::{DVec3, Pose};
use conatus_record::ClothInfo;
use rand_pcg::Pcg64;

/// Adds a piece, or all its copies, to the parts.
#[allow(clippy::too_many_arguments)]
pub(super) fn add_piece(
    scene: &Scene,
    file: &SceneFile,
    materials: &Materials,
    targets: &Targets,
    spec: &ClothPieceSpec,
    index: usize,
    path: &str,
    random: &mut Pcg64,
    parts: &mut ClothParts,
    infos: &mut Vec<ClothInfo>,
    diagnostics: &mut Diagnostics,
) {
    let name = match spec.name.as_str() {
        "" => format!("cloth-{}", index + 1),
        name => name.to_owned(),
    };
    let Some(shape) = &spec.shape else {
        diagnostics.at(
            path,
            format!("the piece `{name}` has no shape"),
            "add for example `shape.rectangle = { width = 1, height = 1 }`",
        );
        return;
    };
    let named = spec.material.as_deref().unwrap_or("cotton");
    let mut material = materials.find(named, &format!("{path}.material"), diagnostics);
    material.friction = file.cloth.friction.unwrap_or(material.friction);
    material.thickness = file.cloth.thickness.unwrap_or(material.thickness);
    check_speed(spec, path, diagnostics);
    let thickness = material.thickness;
    if !check_shape(shape, &file.cloth, thickness, &name, path, diagnostics) {
        return;
    }
    let made = shape_mesh(
        scene,
        shape,
        &file.cloth,
        thickness,
        &name,
        path,
        diagnostics,
    );
    let Some((mesh, flat)) = made else {
        return;
    };
    let turn = check::orientation(diagnostics, path, spec.orientation, spec.turn.as_ref());
    let pose = Pose::new(turn, spec.position.into());
    let piece_color = color(spec.color.as_deref(), index + 1, path, diagnostics);
    let pins = pins(spec, shape, &mesh, targets, path, diagnostics);
    let springs = springs(spec, &mesh, path, diagnostics);
    let copies = copies(spec, path, random, diagnostics);
    let is_array = spec.array.is_some();
    for (copy, (shift, velocity)) in copies.into_iter().enumerate() {
        let first = parts.positions.len() as u32;
        if (parts.positions.len() + mesh.vertices.len()) as u64 > MAX_CLOTH_VERTICES {
            diagnostics.at(
                path,
                format!("the cloth has more than {MAX_CLOTH_VERTICES} vertices"),
                "use fewer copies or a coarser mesh",
            );
            return;
        }
        let name = match is_array {
            true => format!("{name}-{copy}"),
            false => name.clone(),
        };
        let start: Vec<DVec3> = mesh
            .vertices
            .iter()
            .map(|&v| pose.point(v) + shift)
            .collect();
        if !start
            .iter()
            .all(|p| p.abs().max_element() <= MAX_DISTANCE_M)
        {
            diagnostics.at(
                &format!("{path}.position"),
                format!("`{name}` starts more than {MAX_DISTANCE_M} m from the origin"),
                "lengths are in metres; move the whole scene nearer, or correct a `scale`",
            );
            return;
        }
        for (vertices, frame, until) in &pins {
            parts.pins.push(Pin {
                vertices: vertices.iter().map(|v| v + first).collect(),
                frame: frame.clone(),
                until: *until,
            });
        }
        if let Some(release) = spec.release {
            parts.pins.push(Pin {
                vertices: (first..first + mesh.vertices.len() as u32).collect(),
                frame: PinFrame::World,
                until: release.first + copy as f64 * release.every,
            });
        }
        for s in &springs {
            parts.springs.push(ClothSpring {
                vertex: s.vertex + first,
                point: if s.point.is_nan() {
                    start[s.vertex as usize]
                } else {
                    s.point
                },
                ..*s
            });
        }
        infos.push(ClothInfo {
            name: name.clone(),
            color: if is_array && spec.color.is_none() {
                color(None, index + 1 + copy, path, diagnostics)
            } else {
                piece_color
            },
            thickness: material.thickness,
            vertices: mesh.vertices.len(),
            triangles: mesh.triangles.clone(),
        });
        parts.pieces.push(Piece {
            flat,
            ..Piece::flat(name, mesh.clone(), material)
        });
        let velocity = DVec3::from(spec.velocity) + velocity;
        parts
            .velocities
            .resize(parts.positions.len() + start.len(), velocity);
        parts.positions.extend(start);
    }
}

/// Shift and velocity of every copy.
fn copies(
    spec: &ClothPieceSpec,
    path: &str,
    random: &mut Pcg64,
    diagnostics: &mut Diagnostics,
) -> Vec<(DVec3, DVec3)> {
    if let Some(release) = spec.release
        && !(release.every >= 0.0 && release.first >= 0.0)
    {
        diagnostics.at(
            &format!("{path}.release"),
            "copies cannot be released before the start",
            "give times that are not negative",
        );
    }
    let Some(array) = &spec.array else {
        return vec![(DVec3::ZERO, DVec3::ZERO)];
    };
    for (key, what, value) in [
        ("jitter", "the jitter", array.jitter),
        ("speed", "the speed", array.speed),
    ] {
        check::not_negative(diagnostics, &format!("{path}.array.{key}"), what, value);
    }
    let [nx, ny, _] = array.count;
    (0..array.copies())
        .map(|copy| {
            let (x, y, z) = (copy % nx, copy / nx % ny, copy / nx / ny);
            let place = DVec3::new(x as f64, y as f64, z as f64);
            let shift = place * DVec3::from(array.spacing) + in_cube(random) * array.jitter;
            (shift, on_sphere(random) * array.speed)
        })
        .collect()
}

/// Cloth that starts faster than the solver allows would fail in the first step.
fn check_speed(spec: &ClothPieceSpec, path: &str, diagnostics: &mut Diagnostics) {
    let random = spec.array.as_ref().map_or(0.0, |a| a.speed.abs());
    if DVec3::from(spec.velocity).length() + random > MAX_SPEED_M_S {
        diagnostics.at(
            &format!("{path}.velocity"),
            format!("the piece starts faster than {MAX_SPEED_M_S} m/s"),
            "speeds are in m/s; is the number far too large?",
        );
    }
}

/// Vertices counted from 0, from those of a scene, which count from 1.
fn vertices(given: &[u32], mesh: &Mesh, path: &str, diagnostics: &mut Diagnostics) -> Vec<u32> {
    let n = mesh.vertices.len();
    let mut found = Vec::new();
    for (k, &v) in given.iter().enumerate() {
        match v.checked_sub(1).filter(|&i| (i as usize) < n) {
            Some(i) => found.push(i),
            None => diagnostics.at(
                &format!("{path}.vertices[{k}]"),
                format!("there is no vertex {v}; the piece has {n}"),
                "vertices are counted from 1",
            ),
        }
    }
    found
}

/// Vertices, what they follow, and when they are released.
type PinnedVertices = (Vec<u32>, PinFrame, f64);

fn pins(
    spec: &ClothPieceSpec,
    shape: &ClothShapeSpec,
    mesh: &Mesh,
    targets: &Targets,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Vec<PinnedVertices> {
    let mut all = Vec::new();
    for (k, pin) in spec.pin.iter().enumerate() {
        let path = format!("{path}.pin[{k}]");
        let mut pinned = vertices(&pin.vertices, mesh, &path, diagnostics);
        if pin.corners {
            pinned.extend(corners(shape, mesh, &path, diagnostics));
        }
        if let Some([least, most]) = pin.within {
            let (least, most) = (DVec3::from(least), DVec3::from(most));
            let inside = |v: &DVec3| v.cmpge(least).all() && v.cmple(most).all();
            let found = mesh.vertices.iter().enumerate().filter(|(_, v)| inside(v));
            pinned.extend(found.map(|(i, _)| i as u32));
        }
        pinned.sort_unstable();
        pinned.dedup();
        if pinned.is_empty() {
            diagnostics.at(
                &path,
                "this pin holds no vertex",
                "name some with `vertices`, `corners` or `within`",
            );
        }
        let frame = targets.frame(pin, &path, diagnostics);
        all.push((pinned, frame, pin.until.unwrap_or(f64::INFINITY)));
    }
    all
}

fn corners(
    shape: &ClothShapeSpec,
    mesh: &Mesh,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Vec<u32> {
    if !matches!(shape, ClothShapeSpec::Rectangle(_)) {
        diagnostics.at(
            &format!("{path}.corners"),
            "only a rectangle has corners",
            "name the vertices, or give a box with `within`",
        );
        return Vec::new();
    }
    // The first row ends where x returns to its smallest value.
    let n = mesh.vertices.len() as u32;
    let first = mesh.vertices[0];
    let row = mesh.vertices.iter().skip(1).position(|v| v.x == first.x);
    let nx = row.map_or(n, |r| r as u32 + 1);
    vec![0, nx - 1, n - nx, n - 1]
}

fn springs(
    spec: &ClothPieceSpec,
    mesh: &Mesh,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Vec<ClothSpring> {
    let mut all = Vec::new();
    for (k, spring) in spec.spring.iter().enumerate() {
        let path = format!("{path}.spring[{k}]");
        let key = |name: &str| format!("{path}.{name}");
        check::not_negative(
            diagnostics,
            &key("stiffness"),
            "the stiffness",
            spring.stiffness,
        );
        check::not_negative(diagnostics, &key("damping"), "the damping", spring.damping);
        for vertex in vertices(&spring.vertices, mesh, &path, diagnostics) {
            all.push(ClothSpring {
                vertex,
                // NaN stands for the start of the vertex.
                point: spring.point.map_or(DVec3::NAN, DVec3::from),
                stiffness: spring.stiffness,
                damping: spring.damping,
            });
        }
    }
    all
}
