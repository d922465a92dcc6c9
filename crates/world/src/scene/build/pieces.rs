//! A piece of cloth: its mesh, its copies, and what holds it.

use super::bodies::{color, in_cube, on_sphere};
use super::check;
use super::cloth::FARTHEST;
use super::materials::Materials;
use super::obstacles;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::{ClothPieceSpec, ClothPinSpec, ClothShapeSpec, SceneFile};
use conatus_cloth::script::Path;
use conatus_cloth::{FASTEST, Parts, Piece, Pin, Spring};
use conatus_geometry::{Mesh, Topology, generate, icosphere};
use conatus_math::{DVec3, Pose};
use conatus_record::ClothInfo;
use rand_pcg::Pcg64;

/// More vertices than this are a slip of the pen.
const MOST_VERTICES: usize = 2_000_000;

/// Adds a piece, or all its copies, to the parts.
#[allow(clippy::too_many_arguments)]
pub(super) fn add_piece(
    scene: &Scene,
    file: &SceneFile,
    materials: &Materials,
    spec: &ClothPieceSpec,
    index: usize,
    path: &str,
    random: &mut Pcg64,
    parts: &mut Parts,
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
    let Some((mesh, flat)) = shape_mesh(scene, file, shape, &format!("{path}.shape"), diagnostics)
    else {
        return;
    };
    let named = spec.material.as_deref().unwrap_or("cotton");
    let mut stuff = materials.find(named, &format!("{path}.material"), diagnostics);
    stuff.friction = file.cloth.friction.unwrap_or(stuff.friction);
    stuff.thickness = file.cloth.thickness.unwrap_or(stuff.thickness);
    check_thickness(&mesh, stuff.thickness, &name, path, diagnostics);
    check_speed(spec, path, diagnostics);
    let turn = check::orientation(diagnostics, path, spec.orientation, spec.turn.as_ref());
    let pose = Pose::new(turn, spec.position.into());
    let paint = color(spec.color.as_deref(), index + 1, path, diagnostics);
    let pins = pins(spec, shape, &mesh, path, diagnostics);
    let springs = springs(spec, &mesh, path, diagnostics);
    let copies = copies(spec, path, random, diagnostics);
    let many = spec.array.is_some();
    for (copy, (shift, velocity)) in copies.into_iter().enumerate() {
        let first = parts.positions.len() as u32;
        if parts.positions.len() + mesh.vertices.len() > MOST_VERTICES {
            diagnostics.at(
                path,
                format!("the cloth has more than {MOST_VERTICES} vertices"),
                "use fewer copies or a coarser mesh",
            );
            return;
        }
        let name = match many {
            true => format!("{name}-{copy}"),
            false => name.clone(),
        };
        let start: Vec<DVec3> = mesh
            .vertices
            .iter()
            .map(|&v| pose.point(v) + shift)
            .collect();
        if !start.iter().all(|p| p.abs().max_element() <= FARTHEST) {
            diagnostics.at(
                &format!("{path}.position"),
                format!("`{name}` starts more than {FARTHEST} m from the origin"),
                "lengths are in metres; move the whole scene nearer, or mend a `scale`",
            );
            return;
        }
        for (vertices, motion, until) in &pins {
            parts.pins.push(Pin {
                vertices: vertices.iter().map(|v| v + first).collect(),
                path: motion.clone(),
                until: *until,
            });
        }
        if let Some(release) = spec.release {
            parts.pins.push(Pin {
                vertices: (first..first + mesh.vertices.len() as u32).collect(),
                path: None,
                until: release.first + copy as f64 * release.every,
            });
        }
        for s in &springs {
            parts.springs.push(Spring {
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
            color: if many && spec.color.is_none() {
                color(None, index + 1 + copy, path, diagnostics)
            } else {
                paint
            },
            thickness: stuff.thickness,
            vertices: mesh.vertices.len(),
            triangles: mesh.triangles.clone(),
        });
        parts.pieces.push(Piece {
            flat,
            ..Piece::flat(name, mesh.clone(), stuff)
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
            "copies cannot be let go before the start",
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
    let [nx, ny, nz] = array.count;
    let count = nx.saturating_mul(ny).saturating_mul(nz);
    if count == 0 || count > 100_000 {
        diagnostics.at(
            &format!("{path}.array.count"),
            format!("{count} copies; there must be at least one, and at most 100000"),
            "count = [1, 1, 20] stacks twenty",
        );
        return Vec::new();
    }
    (0..count)
        .map(|copy| {
            let (x, y, z) = (copy % nx, copy / nx % ny, copy / nx / ny);
            let place = DVec3::new(x as f64, y as f64, z as f64);
            let shift = place * DVec3::from(array.spacing) + in_cube(random) * array.jitter;
            (shift, on_sphere(random) * array.speed)
        })
        .collect()
}

/// The mesh of a shape, and whether it is flat at rest.
fn shape_mesh(
    scene: &Scene,
    file: &SceneFile,
    shape: &ClothShapeSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<(Mesh, bool)> {
    let before = diagnostics.len();
    let mut sizes = |shape: &str, sizes: &[(&str, f64)]| {
        for (key, size) in sizes {
            let path = format!("{path}.{shape}.{key}");
            check::positive(diagnostics, &path, &format!("the {key}"), *size);
        }
        (diagnostics.len() == before).then_some(())
    };
    let made = match shape {
        ClothShapeSpec::Rectangle(r) => {
            sizes("rectangle", &[("width", r.width), ("height", r.height)])?;
            let [nx, ny] = r.vertices.unwrap_or_else(|| {
                // What is wrong with it is told elsewhere.
                let n = file.cloth.resolution.clamp(2, 10_000);
                let along = |length: f64| {
                    let share = length / r.width.max(r.height);
                    ((f64::from(n - 1) * share).round() as u32).max(1) + 1
                };
                [along(r.width), along(r.height)]
            });
            let path = match r.vertices {
                Some(_) => format!("{path}.rectangle.vertices"),
                None => "cloth.resolution".to_owned(),
            };
            let count = u64::from(nx) * u64::from(ny);
            enough(diagnostics, &path, nx >= 2 && ny >= 2, "2 each", count)?;
            (generate::rectangle(r.width, r.height, nx, ny), true)
        }
        ClothShapeSpec::Disc(d) => {
            sizes("disc", &[("radius", d.radius)])?;
            let rings = u64::from(d.rings);
            let count = (3 * rings).saturating_mul(rings + 1) + 1;
            let path = format!("{path}.disc.rings");
            enough(diagnostics, &path, rings >= 1, "one ring", count)?;
            (generate::disc(d.radius, d.rings), true)
        }
        ClothShapeSpec::Cylinder(t) => {
            sizes("cylinder", &[("radius", t.radius), ("height", t.height)])?;
            let [around, along] = t.vertices;
            let count = u64::from(around) * u64::from(along);
            let path = format!("{path}.cylinder.vertices");
            let least = around >= 3 && along >= 2;
            enough(diagnostics, &path, least, "3 around and 2 along", count)?;
            (generate::tube(t.radius, t.height, around, along), false)
        }
        ClothShapeSpec::Sphere(b) => {
            sizes("sphere", &[("radius", b.radius)])?;
            if b.subdivisions > 8 {
                diagnostics.at(
                    &format!("{path}.sphere.subdivisions"),
                    format!("the triangles are cut into four {} times", b.subdivisions),
                    "give at most 8, which make 655362 vertices; 3 make 642",
                );
                return None;
            }
            let mut mesh = icosphere(b.subdivisions);
            mesh.vertices.iter_mut().for_each(|v| *v *= b.radius);
            (mesh, false)
        }
        ClothShapeSpec::Mesh(m) => {
            let mesh = super::shapes::read_mesh(scene, m, &format!("{path}.mesh"), diagnostics)?;
            let flat = is_flat(&mesh);
            (mesh, flat)
        }
    };
    let whole = Topology::of(&made.0.triangles, made.0.vertices.len())
        .and_then(|t| t.check(&made.0.vertices));
    if let Err(error) = whole {
        let mut lines = error.problems.iter().map(|p| p.to_string());
        let first = lines.next().unwrap_or_default();
        let rest: Vec<String> = lines.collect();
        let message = format!("this mesh cannot be cloth: {first}");
        let help = match rest.is_empty() {
            true => "mend the mesh in the program that made it".to_owned(),
            false => format!("mend the mesh; also: {}", rest.join("; ")),
        };
        diagnostics.at(path, message, help);
        return None;
    }
    Some(made)
}

/// Whether all vertices lie in one plane, to within a thousandth of its size.
fn is_flat(mesh: &Mesh) -> bool {
    let centre = mesh.vertices.iter().sum::<DVec3>() / mesh.vertices.len().max(1) as f64;
    let mut normal = DVec3::ZERO;
    for t in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(t);
        normal += (b - a).cross(c - a);
    }
    let normal = normal.normalize_or_zero();
    let size = mesh.bounding_radius(centre);
    let height = |v: &DVec3| normal.dot(*v - centre).abs();
    normal != DVec3::ZERO && mesh.vertices.iter().all(|v| height(v) < 1e-3 * size)
}

/// Whether a shape has enough vertices, and not too many.
fn enough(
    diagnostics: &mut Diagnostics,
    path: &str,
    enough: bool,
    least: &str,
    count: u64,
) -> Option<()> {
    if enough && count <= MOST_VERTICES as u64 {
        return Some(());
    }
    diagnostics.at(
        path,
        match enough {
            true => format!("the piece would have {count} vertices"),
            false => "these are too few vertices for a surface".to_owned(),
        },
        format!("give at least {least}, and at most {MOST_VERTICES} vertices in all"),
    );
    None
}

/// What starts faster than cloth may ever be would fail in the first step.
fn check_speed(spec: &ClothPieceSpec, path: &str, diagnostics: &mut Diagnostics) {
    let random = spec.array.as_ref().map_or(0.0, |a| a.speed.abs());
    if DVec3::from(spec.velocity).length() + random > FASTEST {
        diagnostics.at(
            &format!("{path}.velocity"),
            format!("the piece starts faster than {FASTEST} m/s"),
            "speeds are in m/s; is the number far too large?",
        );
    }
}

/// Sheets thicker than their triangles would push their own neighbours away.
fn check_thickness(
    mesh: &Mesh,
    thickness: f64,
    name: &str,
    path: &str,
    diagnostics: &mut Diagnostics,
) {
    let mut least = f64::INFINITY;
    for t in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(t);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        least = least.min((b - a).cross(c - a).length() / longest);
    }
    if thickness > 0.9 * least {
        diagnostics.at(
            path,
            format!(
                "`{name}` is {} mm thick, but its triangles are only {:.3} mm high",
                1e3 * thickness,
                1e3 * least
            ),
            "make it thinner with `cloth.thickness`, or its mesh coarser",
        );
    }
}

/// Vertices counted from 1, as they are counted here.
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

type Held = (Vec<u32>, Option<Path>, f64);

fn pins(
    spec: &ClothPieceSpec,
    shape: &ClothShapeSpec,
    mesh: &Mesh,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Vec<Held> {
    let mut all = Vec::new();
    for (k, pin) in spec.pin.iter().enumerate() {
        let path = format!("{path}.pin[{k}]");
        let mut held = vertices(&pin.vertices, mesh, &path, diagnostics);
        if pin.corners {
            held.extend(corners(shape, mesh, &path, diagnostics));
        }
        if let Some([least, most]) = pin.within {
            let (least, most) = (DVec3::from(least), DVec3::from(most));
            let inside = |v: &DVec3| v.cmpge(least).all() && v.cmple(most).all();
            let found = mesh.vertices.iter().enumerate().filter(|(_, v)| inside(v));
            held.extend(found.map(|(i, _)| i as u32));
        }
        held.sort_unstable();
        held.dedup();
        if held.is_empty() {
            diagnostics.at(
                &path,
                "this pin holds no vertex",
                "name some with `vertices`, `corners` or `within`",
            );
        }
        let motion = motion(pin, &path, diagnostics);
        all.push((held, motion, pin.until.unwrap_or(f64::INFINITY)));
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
    // The first row ends where x falls back to its least.
    let n = mesh.vertices.len() as u32;
    let first = mesh.vertices[0];
    let row = mesh.vertices.iter().skip(1).position(|v| v.x == first.x);
    let nx = row.map_or(n, |r| r as u32 + 1);
    vec![0, nx - 1, n - nx, n - 1]
}

fn motion(pin: &ClothPinSpec, path: &str, diagnostics: &mut Diagnostics) -> Option<Path> {
    if pin.keyframe.is_empty() {
        return None;
    }
    Some(obstacles::keyframes(
        &pin.keyframe,
        pin.ease,
        path,
        diagnostics,
    ))
}

fn springs(
    spec: &ClothPieceSpec,
    mesh: &Mesh,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Vec<Spring> {
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
            all.push(Spring {
                vertex,
                // Not a number: where the vertex starts.
                point: spring.point.map_or(DVec3::NAN, DVec3::from),
                stiffness: spring.stiffness,
                damping: spring.damping,
            });
        }
    }
    all
}
