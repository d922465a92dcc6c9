//! The shapes of obstacles as triangles: solids, meshes, and surfaces that only obstacles
//! can have, such as funnels, stairs and heightfields.
//!
//! Invalid sizes and counts are refused here. [`obstacles`](super::obstacles) decides where
//! an obstacle is and how it moves.

use crate::scene::build::mesh_shapes::{read_mesh, refuse_collision_keys};
use crate::scene::build::{check, shapes};
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::{HeightfieldSpec, ObstacleShapeSpec};
use conatus_geometry::shape::MAX_SURFACE_TRIANGLES;
use conatus_geometry::{HeightGrid, Mesh, Shape, generate};
use conatus_math::DVec3;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The surface of a shape in its own axes, with no edge much longer than `detail`, and what
/// bodies collide with.
pub fn surface(
    scene: &Scene,
    shape: &ObstacleShapeSpec,
    detail: Option<f64>,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<(Mesh, Shape)> {
    if let Some(solid) = shape.solid() {
        let shape = shapes::shape_geometry(scene, &solid, path, diagnostics)?.shape;
        return Some((fine_mesh(&shape, detail), shape));
    }
    match shape {
        ObstacleShapeSpec::Mesh(m) => {
            let path = format!("{path}.mesh");
            refuse_collision_keys(m, "an obstacle", &path, diagnostics);
            let mesh = read_mesh(scene, m, &path, diagnostics)?;
            Some(of_triangles(mesh, detail))
        }
        ObstacleShapeSpec::Heightfield(h) => {
            let ground = heightfield(h, path, diagnostics)?;
            Some((fine_mesh(&ground, detail), ground))
        }
        open => {
            let mesh = open_surface(open, path, diagnostics)?;
            let ramp = matches!(open, ObstacleShapeSpec::Ramp(_));
            let hull = Shape::hull(&mesh.vertices).ok().filter(|_| ramp);
            let (mesh, triangles) = of_triangles(mesh, detail);
            Some((mesh, hull.unwrap_or(triangles)))
        }
    }
}

/// The surface of a shape, with no edge much longer than `detail`.
fn fine_mesh(shape: &Shape, detail: Option<f64>) -> Mesh {
    match detail.filter(|detail| *detail > 0.0) {
        Some(detail) => shape.fine_mesh(detail),
        None => shape.mesh(),
    }
}

/// A surface of triangles, with no edge much longer than `detail`.
fn of_triangles(mesh: Mesh, detail: Option<f64>) -> (Mesh, Shape) {
    let mesh = match detail.filter(|detail| *detail > 0.0) {
        Some(detail) => mesh.refined(detail, MAX_SURFACE_TRIANGLES),
        None => mesh,
    };
    (mesh.clone(), Shape::mesh_of(mesh))
}

fn open_surface(
    shape: &ObstacleShapeSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Mesh> {
    let before = diagnostics.len();
    let mesh = match shape {
        ObstacleShapeSpec::Funnel(f) => {
            let sizes = [
                ("rim_radius", "the radius of the rim", f.rim_radius),
                ("neck_radius", "the radius of the neck", f.neck_radius),
                ("chute_length", "the length of the chute", f.chute_length),
                ("rim_height", "the height", f.rim_height - f.neck_height),
                (
                    "rim_radius",
                    "the difference of the radii of rim and neck",
                    f.rim_radius - f.neck_radius,
                ),
            ];
            for (key, what, value) in sizes {
                check::positive(diagnostics, &format!("{path}.funnel.{key}"), what, value);
            }
            check::not_negative(
                diagnostics,
                &format!("{path}.funnel.fillet"),
                "the fillet",
                f.fillet,
            );
            let key = format!("{path}.funnel.segments");
            count_in_range(diagnostics, &key, "corners around", f.segments, 3..=1000)?;
            if diagnostics.len() > before {
                return None;
            }
            let mut profile = generate::funnel_profile(
                f.rim_radius,
                f.rim_height,
                f.neck_radius,
                f.neck_height,
                f.fillet,
                f.chute_length,
                8,
            );
            let far = f
                .rim_radius
                .max(f.rim_height - f.neck_height)
                .max(f.chute_length);
            split_long_segments(&mut profile, (0.1 * f.rim_radius).max(1e-3 * far));
            generate::revolution(&profile, f.segments)
        }
        ObstacleShapeSpec::Revolution(p) => {
            let key = format!("{path}.revolution.segments");
            count_in_range(diagnostics, &key, "corners around", p.segments, 3..=1000)?;
            let key = format!("{path}.revolution.profile");
            let profile = pairs(&p.profile, &key, diagnostics)?;
            for (k, &(radius, _)) in profile.iter().enumerate() {
                check::not_negative(diagnostics, &format!("{key}[{k}][0]"), "the radius", radius);
            }
            if diagnostics.len() > before {
                return None;
            }
            generate::revolution(&profile, p.segments)
        }
        ObstacleShapeSpec::Trough(t) => {
            for (key, value) in [("width", t.width), ("length", t.length), ("depth", t.depth)] {
                check::positive(
                    diagnostics,
                    &format!("{path}.trough.{key}"),
                    &format!("the {key}"),
                    value,
                );
            }
            let key = format!("{path}.trough.segments");
            count_in_range(diagnostics, &key, "sides", t.segments, 2..=200)?;
            if diagnostics.len() > before {
                return None;
            }
            generate::trough(t.width, t.length, t.depth, t.segments)
        }
        ObstacleShapeSpec::Extrusion(e) => {
            check::positive(
                diagnostics,
                &format!("{path}.extrusion.length"),
                "the length",
                e.length,
            );
            let profile = pairs(
                &e.profile,
                &format!("{path}.extrusion.profile"),
                diagnostics,
            )?;
            let most = (MAX_SURFACE_TRIANGLES / 2 / profile.len()) as u32;
            let key = format!("{path}.extrusion.segments");
            count_in_range(diagnostics, &key, "pieces along", e.segments, 1..=most)?;
            if diagnostics.len() > before {
                return None;
            }
            generate::extrusion(&profile, e.length, e.segments)
        }
        ObstacleShapeSpec::Stairs(s) => {
            let sizes = [("depth", s.depth), ("height", s.height), ("width", s.width)];
            for (key, value) in sizes {
                let path = format!("{path}.stairs.{key}");
                check::positive(diagnostics, &path, &format!("the {key}"), value);
            }
            let key = format!("{path}.stairs.landing");
            check::not_negative(diagnostics, &key, "the landing", s.landing);
            let key = format!("{path}.stairs.steps");
            count_in_range(diagnostics, &key, "steps", s.steps, 1..=100)?;
            if diagnostics.len() > before {
                return None;
            }
            let mut profile = Vec::new();
            for k in 0..s.steps {
                let x = f64::from(k) * s.depth;
                profile.push((x, f64::from(k) * s.height));
                profile.push((x, f64::from(k + 1) * s.height));
            }
            let (end, top) = profile.last().copied().unwrap_or_default();
            let end = end + s.depth + s.landing;
            profile.push((end, top));
            profile.push((end, 0.0));
            prism(&profile, s.width)
        }
        ObstacleShapeSpec::Ramp(r) => {
            let sizes = [
                ("length", r.length),
                ("height", r.height),
                ("width", r.width),
            ];
            for (key, value) in sizes {
                let path = format!("{path}.ramp.{key}");
                check::positive(diagnostics, &path, &format!("the {key}"), value);
            }
            if diagnostics.len() > before {
                return None;
            }
            prism(
                &[(0.0, 0.0), (r.length, r.height), (r.length, 0.0)],
                r.width,
            )
        }
        _ => return None,
    };
    Some(mesh)
}

/// A profile of (x, z) that begins and ends on the ground, extruded along y, with
/// its two sides: columns between the profile and the ground.
fn prism(profile: &[(f64, f64)], width: f64) -> Mesh {
    let mut mesh = generate::extrusion(profile, width, 1);
    let mut add = |x: f64, y: f64, z: f64| {
        mesh.vertices.push(DVec3::new(x, y, z));
        mesh.vertices.len() as u32 - 1
    };
    let mut sides = Vec::new();
    for pair in profile.windows(2) {
        let ((x0, z0), (x1, z1)) = (pair[0], pair[1]);
        if x1 <= x0 {
            continue;
        }
        for y in [-0.5 * width, 0.5 * width] {
            let corners = [(x0, 0.0), (x1, 0.0), (x1, z1), (x0, z0)];
            let [a, b, c, d] = corners.map(|(x, z)| add(x, y, z));
            let quad = [[a, b, c], [a, c, d]];
            // Both face outwards; a side without height has no triangle.
            let flip = |[a, b, c]: [u32; 3]| if y > 0.0 { [a, c, b] } else { [a, b, c] };
            if z1 > 0.0 {
                sides.push(flip(quad[0]));
            }
            if z0 > 0.0 {
                sides.push(flip(quad[1]));
            }
        }
    }
    mesh.triangles.extend(sides);
    mesh
}

/// Uneven ground.
fn heightfield(
    given: &HeightfieldSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Shape> {
    let path = format!("{path}.heightfield");
    let columns = given.heights.first().map_or(0, Vec::len);
    let rows = given.heights.len();
    let even = given.heights.iter().all(|row| row.len() == columns);
    let known = given.heights.iter().flatten().all(|h| h.is_finite());
    if columns < 2 || rows < 2 || columns * rows > 10_000 || !even || !known {
        diagnostics.at(
            &format!("{path}.heights"),
            format!("{rows} rows of {columns} heights"),
            "give at least two rows of at least two numbers, all rows alike, 10,000 numbers at most",
        );
        return None;
    }
    let before = diagnostics.len();
    let key = format!("{path}.spacing");
    check::positive(diagnostics, &key, "the spacing", given.spacing);
    if diagnostics.len() > before {
        return None;
    }
    let grid = HeightGrid::new(given.field(DVec3::ZERO));
    Some(Shape::Heightfield(Arc::new(grid)))
}

/// Splits long segments of a profile, so that no triangle is very long.
fn split_long_segments(profile: &mut Vec<(f64, f64)>, longest: f64) {
    let mut split = Vec::new();
    for pair in profile.windows(2) {
        let ((a, b), (c, d)) = (pair[0], pair[1]);
        let length = ((c - a) * (c - a) + (d - b) * (d - b)).sqrt();
        // Infinite lengths are refused afterwards.
        let pieces = (length / longest).ceil().clamp(1.0, 2000.0) as u32;
        split.extend((0..pieces).map(|k| {
            let s = f64::from(k) / f64::from(pieces);
            (a + s * (c - a), b + s * (d - b))
        }));
    }
    split.extend(profile.last());
    *profile = split;
}

/// Checks that a count is in its range.
fn count_in_range(
    diagnostics: &mut Diagnostics,
    path: &str,
    what: &str,
    count: u32,
    range: RangeInclusive<u32>,
) -> Option<()> {
    if range.contains(&count) {
        return Some(());
    }
    let (least, most) = range.into_inner();
    diagnostics.at(
        path,
        format!("{count} {what}"),
        format!("give from {least} to {most}"),
    );
    None
}

fn pairs(given: &[[f64; 2]], path: &str, diagnostics: &mut Diagnostics) -> Option<Vec<(f64, f64)>> {
    let apart = given.windows(2).all(|w| w[0] != w[1]);
    if given.len() >= 2 && given.len() <= 10_000 && apart {
        return Some(given.iter().map(|&[a, b]| (a, b)).collect());
    }
    diagnostics.at(
        path,
        "a profile needs at least two points, each apart from the one before",
        "for example [[0.5, 0], [0.6, 0.2]]",
    );
    None
}
