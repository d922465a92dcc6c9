//! From the cloth of a scene file to pieces, obstacles and pins that are ready
//! for the world.

use super::bodies::{Built, color, in_cube, on_sphere};
use super::check;
use super::materials::Materials;
use super::obstacles::{self, Placed};
use crate::cloth::ClothWorld;
use crate::scene::load::Scene;
use crate::scene::model::{
    ClothIntegrator, ClothPiece, ClothPin, ClothResponse, ClothShape, ClothSolver,
    ClothZoneFriction, SceneFile,
};
use crate::scene::problem::Problems;
use conatus_cloth::collide::Plane;
use conatus_cloth::response::{Response, ZoneFriction};
use conatus_cloth::script::Path;
use conatus_cloth::{
    BodySurface, Cloth, Collisions, FASTEST, Integrator, Obstacle, Parts, Piece, Pin, Settings,
    Solver, Spring,
};
use conatus_geometry::{Mesh, Topology, generate, icosphere};
use conatus_math::{DVec3, Pose};
use conatus_record::ClothInfo;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use std::collections::BTreeMap;

/// More vertices than this are a slip of the pen.
const MOST_VERTICES: usize = 2_000_000;
/// Beyond this distance, in metres, the digits of a place are too few for
/// sheets that keep a millimetre.
pub(super) const FARTHEST: f64 = 1e6;

/// What the scene's cloth comes to.
pub struct BuiltCloth {
    /// For the world; none if there is no cloth.
    pub world: Option<ClothWorld>,
    /// For the recording's header.
    pub infos: Vec<ClothInfo>,
}

/// Builds all cloth. `bodies` are those of the scene, `placed` its obstacles.
pub fn build(
    scene: &mut Scene,
    file: &SceneFile,
    bodies: &[Built],
    placed: &[Placed],
    problems: &mut Problems,
) -> BuiltCloth {
    check_settings(file, problems);
    let materials = Materials::of(&file.cloth, problems);
    let mut parts = Parts::default();
    let mut infos = Vec::new();
    // The entry in the scene file that each piece comes from.
    let mut origins = Vec::new();
    let mut random = Pcg64::seed_from_u64(scene.seed ^ 0xc107);
    for (i, spec) in file.cloth.piece.iter().enumerate() {
        let path = format!("cloth.piece[{i}]");
        add_piece(
            scene,
            file,
            &materials,
            spec,
            i,
            &path,
            &mut random,
            &mut parts,
            &mut infos,
            problems,
        );
        origins.resize(infos.len(), i);
    }
    check_names(&infos, &origins, problems);
    if parts.positions.is_empty() && placed.is_empty() {
        return BuiltCloth { world: None, infos };
    }
    let mut coupled = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        let Some(mesh) = body.mesh.as_ref().filter(|_| !body.spheres.is_empty()) else {
            continue;
        };
        let size = mesh.bounding_radius(DVec3::ZERO);
        let within = body.state.position.length() + size <= FARTHEST;
        if !within {
            problems.at(
                &body.path,
                format!(
                    "`{}` reaches more than {FARTHEST} m from the origin, where cloth cannot meet it",
                    body.name
                ),
                "lengths are in metres; make it smaller, or say `collides = false`",
            );
        }
        coupled.push(i);
        parts.bodies.push(BodySurface {
            mesh: (**mesh).clone(),
            friction: body.own_friction,
        });
    }
    parts.obstacles = placed
        .iter()
        .map(|o| Obstacle {
            mesh: (*o.mesh).clone(),
            path: o.motion.clone(),
            friction: o.friction,
        })
        .collect();
    for plane in &file.plane {
        let normal = DVec3::from(plane.normal).normalize_or(DVec3::Z);
        parts
            .planes
            .push(Plane::new(plane.point.into(), normal, plane.friction));
    }
    if !problems.is_empty() {
        return BuiltCloth { world: None, infos };
    }
    let mut cloth = Cloth::new(parts);
    cloth.collisions = collisions(file);
    cloth.elastic.settings = settings(file);
    cloth.gravity = super::gravity(file);
    cloth.wind = file.cloth.wind.into();
    cloth.gust = file.cloth.gust.map(|g| conatus_cloth::Gust {
        strength: g.strength.into(),
        period: g.period,
    });
    let world = ClothWorld::new(cloth, coupled, bodies.iter().map(|b| &b.state));
    if !file.cloth.allow_initial_intersections {
        report_intersections(&world, &infos, &origins, placed, bodies, problems);
    }
    BuiltCloth {
        world: Some(world),
        infos,
    }
}

fn collisions(file: &SceneFile) -> Collisions {
    let c = &file.cloth;
    Collisions {
        response: match c.response {
            ClothResponse::InelasticProjection => Response::InelasticProjection,
            ClothResponse::RigidImpactZones => Response::RigidImpactZones,
            ClothResponse::Lcp => Response::Lcp,
        },
        zone_friction: match c.zone_friction {
            ClothZoneFriction::PerZone => ZoneFriction::PerZone,
            ClothZoneFriction::PerConstraint => ZoneFriction::PerConstraint,
        },
        sweeps: c.sweeps as usize,
        passes: c.passes as usize,
        restore: c.restore,
        longest: c.longest,
        contacts_in_solve: c.contacts_in_solve,
        smallest_step: c.smallest_step,
        ..Collisions::default()
    }
}

fn settings(file: &SceneFile) -> Settings {
    let c = &file.cloth;
    Settings {
        integrator: match c.integrator {
            ClothIntegrator::ImplicitEuler => Integrator::ImplicitEuler,
            ClothIntegrator::SymplecticEuler => Integrator::SymplecticEuler,
        },
        solver: match c.solver {
            ClothSolver::Auto => Solver::Auto,
            ClothSolver::Pcg => Solver::Pcg,
            ClothSolver::Cholesky => Solver::Cholesky,
        },
        tolerance: c.tolerance,
        newton_iterations: c.newton_iterations as usize,
        ..Settings::default()
    }
}

fn check_settings(file: &SceneFile, problems: &mut Problems) {
    let c = &file.cloth;
    let positive = [
        ("restore", "the share to restore", c.restore),
        ("smallest_step", "the smallest step", c.smallest_step),
        ("tolerance", "the tolerance", c.tolerance),
    ];
    for (key, what, value) in positive {
        check::positive(problems, &format!("cloth.{key}"), what, value);
    }
    if let Some(gust) = c.gust {
        check::positive(problems, "cloth.gust.period", "the period", gust.period);
    }
    if c.longest < 1.0 {
        problems.at(
            "cloth.longest",
            format!("edges may get {} times their rest length", c.longest),
            "give at least 1; 1.1 lets them stretch by a tenth",
        );
    }
    let too = [
        (
            "restore",
            c.restore > 1.0,
            "give at most 1: all of it in one step",
        ),
        (
            "tolerance",
            c.tolerance >= 1.0,
            "give less than 1, for example 0.001",
        ),
        (
            "smallest_step",
            c.smallest_step > 0.0 && c.smallest_step < 1e-9,
            "give at least 1e-9: what cannot be resolved by then never is",
        ),
    ];
    for (key, wrong, help) in too {
        if wrong {
            let value = positive.iter().find(|p| p.0 == key).map_or(0.0, |p| p.2);
            let message = format!("`{key}` is {}", check::short(value));
            problems.at(&format!("cloth.{key}"), message, help);
        }
    }
    for (key, times, least) in [
        ("sweeps", c.sweeps, 0),
        ("passes", c.passes, 0),
        ("newton_iterations", c.newton_iterations, 1),
    ] {
        if !(least..=1000).contains(&times) {
            problems.at(
                &format!("cloth.{key}"),
                format!("`{key}` is {times}"),
                format!("give from {least} to 1000"),
            );
        }
    }
    if let Some(friction) = c.friction {
        check::not_negative(problems, "cloth.friction", "the friction", friction);
    }
    if let Some(thickness) = c.thickness {
        check::positive(problems, "cloth.thickness", "the thickness", thickness);
    }
    if !(2..=10_000).contains(&c.resolution) {
        problems.at(
            "cloth.resolution",
            format!("{} vertices along a side", c.resolution),
            "give from 2 to 10000",
        );
    }
}

/// No two pieces are called alike, or reports could not tell them apart.
fn check_names(infos: &[ClothInfo], origins: &[usize], problems: &mut Problems) {
    let mut seen = BTreeMap::new();
    for (info, &origin) in infos.iter().zip(origins) {
        if let Some(first) = seen.insert(info.name.as_str(), origin) {
            problems.at(
                &format!("cloth.piece[{origin}].name"),
                format!(
                    "the name `{}` is used twice, first by cloth.piece[{first}]",
                    info.name
                ),
                "give every piece a name of its own",
            );
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn add_piece(
    scene: &mut Scene,
    file: &SceneFile,
    materials: &Materials,
    spec: &ClothPiece,
    index: usize,
    path: &str,
    random: &mut Pcg64,
    parts: &mut Parts,
    infos: &mut Vec<ClothInfo>,
    problems: &mut Problems,
) {
    let name = match spec.name.as_str() {
        "" => format!("cloth-{}", index + 1),
        name => name.to_owned(),
    };
    let Some(shape) = &spec.shape else {
        problems.at(
            path,
            format!("the piece `{name}` has no shape"),
            "add for example `shape.rectangle = { width = 1, height = 1 }`",
        );
        return;
    };
    let Some((mesh, flat)) = shape_mesh(scene, file, shape, &format!("{path}.shape"), problems)
    else {
        return;
    };
    let named = spec.material.as_deref().unwrap_or("cotton");
    let mut stuff = materials.find(named, &format!("{path}.material"), problems);
    stuff.friction = file.cloth.friction.unwrap_or(stuff.friction);
    stuff.thickness = file.cloth.thickness.unwrap_or(stuff.thickness);
    check_thickness(&mesh, stuff.thickness, &name, path, problems);
    check_speed(spec, path, problems);
    let turn = check::orientation(problems, path, spec.orientation, spec.turn.as_ref());
    let pose = Pose::new(turn, spec.position.into());
    let paint = color(spec.color.as_deref(), index + 1, path, problems);
    let pins = pins(spec, shape, &mesh, path, problems);
    let springs = springs(spec, &mesh, path, problems);
    let copies = copies(spec, path, random, problems);
    let many = spec.array.is_some();
    for (copy, (shift, velocity)) in copies.into_iter().enumerate() {
        let first = parts.positions.len() as u32;
        if parts.positions.len() + mesh.vertices.len() > MOST_VERTICES {
            problems.at(
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
            problems.at(
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
                color(None, index + 1 + copy, path, problems)
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
    spec: &ClothPiece,
    path: &str,
    random: &mut Pcg64,
    problems: &mut Problems,
) -> Vec<(DVec3, DVec3)> {
    if let Some(release) = spec.release
        && !(release.every >= 0.0 && release.first >= 0.0)
    {
        problems.at(
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
        check::not_negative(problems, &format!("{path}.array.{key}"), what, value);
    }
    let [nx, ny, nz] = array.count;
    let count = nx.saturating_mul(ny).saturating_mul(nz);
    if count == 0 || count > 100_000 {
        problems.at(
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
    scene: &mut Scene,
    file: &SceneFile,
    shape: &ClothShape,
    path: &str,
    problems: &mut Problems,
) -> Option<(Mesh, bool)> {
    let before = problems.len();
    let mut sizes = |shape: &str, sizes: &[(&str, f64)]| {
        for (key, size) in sizes {
            let path = format!("{path}.{shape}.{key}");
            check::positive(problems, &path, &format!("the {key}"), *size);
        }
        (problems.len() == before).then_some(())
    };
    let made = match shape {
        ClothShape::Rectangle(r) => {
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
            enough(problems, &path, nx >= 2 && ny >= 2, "2 each", count)?;
            (generate::rectangle(r.width, r.height, nx, ny), true)
        }
        ClothShape::Disc(d) => {
            sizes("disc", &[("radius", d.radius)])?;
            let rings = u64::from(d.rings);
            let count = (3 * rings).saturating_mul(rings + 1) + 1;
            let path = format!("{path}.disc.rings");
            enough(problems, &path, rings >= 1, "one ring", count)?;
            (generate::disc(d.radius, d.rings), true)
        }
        ClothShape::Cylinder(t) => {
            sizes("cylinder", &[("radius", t.radius), ("height", t.height)])?;
            let [around, along] = t.vertices;
            let count = u64::from(around) * u64::from(along);
            let path = format!("{path}.cylinder.vertices");
            let least = around >= 3 && along >= 2;
            enough(problems, &path, least, "3 around and 2 along", count)?;
            (generate::tube(t.radius, t.height, around, along), false)
        }
        ClothShape::Sphere(b) => {
            sizes("sphere", &[("radius", b.radius)])?;
            if b.subdivisions > 8 {
                problems.at(
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
        ClothShape::Mesh(m) => {
            let mesh = super::shapes::read_mesh(scene, m, &format!("{path}.mesh"), problems)?;
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
        problems.at(path, message, help);
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
    problems: &mut Problems,
    path: &str,
    enough: bool,
    least: &str,
    count: u64,
) -> Option<()> {
    if enough && count <= MOST_VERTICES as u64 {
        return Some(());
    }
    problems.at(
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
fn check_speed(spec: &ClothPiece, path: &str, problems: &mut Problems) {
    let random = spec.array.as_ref().map_or(0.0, |a| a.speed.abs());
    if DVec3::from(spec.velocity).length() + random > FASTEST {
        problems.at(
            &format!("{path}.velocity"),
            format!("the piece starts faster than {FASTEST} m/s"),
            "speeds are in m/s; is the number far too large?",
        );
    }
}

/// Sheets thicker than their triangles would push their own neighbours away.
fn check_thickness(mesh: &Mesh, thickness: f64, name: &str, path: &str, problems: &mut Problems) {
    let mut least = f64::INFINITY;
    for t in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(t);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        least = least.min((b - a).cross(c - a).length() / longest);
    }
    if thickness > 0.9 * least {
        problems.at(
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
fn vertices(given: &[u32], mesh: &Mesh, path: &str, problems: &mut Problems) -> Vec<u32> {
    let n = mesh.vertices.len();
    let mut found = Vec::new();
    for (k, &v) in given.iter().enumerate() {
        match v.checked_sub(1).filter(|&i| (i as usize) < n) {
            Some(i) => found.push(i),
            None => problems.at(
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
    spec: &ClothPiece,
    shape: &ClothShape,
    mesh: &Mesh,
    path: &str,
    problems: &mut Problems,
) -> Vec<Held> {
    let mut all = Vec::new();
    for (k, pin) in spec.pin.iter().enumerate() {
        let path = format!("{path}.pin[{k}]");
        let mut held = vertices(&pin.vertices, mesh, &path, problems);
        if pin.corners {
            held.extend(corners(shape, mesh, &path, problems));
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
            problems.at(
                &path,
                "this pin holds no vertex",
                "name some with `vertices`, `corners` or `within`",
            );
        }
        let motion = motion(pin, &path, problems);
        all.push((held, motion, pin.until.unwrap_or(f64::INFINITY)));
    }
    all
}

fn corners(shape: &ClothShape, mesh: &Mesh, path: &str, problems: &mut Problems) -> Vec<u32> {
    if !matches!(shape, ClothShape::Rectangle(_)) {
        problems.at(
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

fn motion(pin: &ClothPin, path: &str, problems: &mut Problems) -> Option<Path> {
    if pin.keyframe.is_empty() {
        return None;
    }
    Some(obstacles::keyframes(
        &pin.keyframe,
        pin.ease,
        path,
        problems,
    ))
}

fn springs(spec: &ClothPiece, mesh: &Mesh, path: &str, problems: &mut Problems) -> Vec<Spring> {
    let mut all = Vec::new();
    for (k, spring) in spec.spring.iter().enumerate() {
        let path = format!("{path}.spring[{k}]");
        let key = |name: &str| format!("{path}.{name}");
        check::not_negative(
            problems,
            &key("stiffness"),
            "the stiffness",
            spring.stiffness,
        );
        check::not_negative(problems, &key("damping"), "the damping", spring.damping);
        for vertex in vertices(&spring.vertices, mesh, &path, problems) {
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

/// Refuses what intersects at the start, at the first piece that does.
fn report_intersections(
    world: &ClothWorld,
    infos: &[ClothInfo],
    origins: &[usize],
    placed: &[Placed],
    bodies: &[Built],
    problems: &mut Problems,
) {
    let coupled = world.bodies().iter().map(|&i| bodies[i].name.as_str());
    let names: Vec<&str> = (infos.iter().map(|i| i.name.as_str()))
        .chain(coupled)
        .chain(placed.iter().map(|o| o.name.as_str()))
        .collect();
    let pairs = world.intersecting_triangles(10);
    if let Some(&(first, _)) = pairs.first() {
        let name = |triangle: u32| {
            let (part, number) = world.triangle(triangle);
            let name = names.get(part).unwrap_or(&"?");
            format!("triangle {} of `{name}`", number + 1)
        };
        let mut told: Vec<String> = (pairs.iter().take(4))
            .map(|&(a, b)| format!("{} and {}", name(a), name(b)))
            .collect();
        match pairs.len() {
            0..=4 => {}
            10 => told.push("more".to_owned()),
            n => told.push(format!("{} more", n - 4)),
        }
        refuse(
            problems,
            origins.get(world.triangle(first).0),
            format!("cloth intersects at the start: {}", told.join("; ")),
            "move the pieces apart",
        );
    }
    for (plane, first, count) in world.behind_planes() {
        let (part, _) = world.triangle(first);
        refuse(
            problems,
            origins.get(part),
            format!(
                "cloth starts behind plane[{plane}]: {count} of its triangles, the first of `{}`",
                names.get(part).unwrap_or(&"?")
            ),
            "move the piece to where the plane's `normal` points",
        );
    }
}

fn refuse(problems: &mut Problems, origin: Option<&usize>, message: String, remedy: &str) {
    let path = origin.map_or("cloth".to_owned(), |i| format!("cloth.piece[{i}].position"));
    problems.at(
        &path,
        message,
        format!("{remedy}, or go on with --set cloth.allow_initial_intersections=true"),
    );
}
