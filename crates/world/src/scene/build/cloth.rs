//! From the cloth of a scene file to pieces, obstacles and pins that are ready
//! for the world.

use super::bodies::{Built, color, in_cube, on_sphere};
use super::check;
use super::obstacles::{self, Placed};
use crate::cloth::ClothWorld;
use crate::scene::load::Scene;
use crate::scene::model::{
    ClothIntegrator, ClothMaterial, ClothPiece, ClothPin, ClothResponse, ClothShape, ClothSolver,
    ClothZoneFriction, SceneFile,
};
use crate::scene::problem::{Problems, nearest};
use conatus_cloth::collide::Plane;
use conatus_cloth::response::{Response, ZoneFriction};
use conatus_cloth::script::Path;
use conatus_cloth::{
    BodySurface, Cloth, Collisions, Integrator, MATERIALS, Material, Obstacle, Parts, Piece, Pin,
    Settings, Solver, Spring, named,
};
use conatus_geometry::{Mesh, Topology, generate, icosphere};
use conatus_math::{DVec3, Pose};
use conatus_record::ClothInfo;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;

/// More vertices than this are a slip of the pen.
const MOST_VERTICES: usize = 2_000_000;

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
    let mut parts = Parts::default();
    let mut infos = Vec::new();
    let mut random = Pcg64::seed_from_u64(scene.seed ^ 0xc107);
    for (i, spec) in file.cloth.piece.iter().enumerate() {
        let path = format!("cloth.piece[{i}]");
        add_piece(
            scene,
            file,
            spec,
            i,
            &path,
            &mut random,
            &mut parts,
            &mut infos,
            problems,
        );
    }
    if parts.positions.is_empty() && placed.is_empty() {
        return BuiltCloth { world: None, infos };
    }
    let mut coupled = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        let Some(mesh) = body.mesh.as_ref().filter(|_| !body.spheres.is_empty()) else {
            continue;
        };
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
        report_intersections(&world, &infos, placed, bodies, problems);
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
    for name in c.material.keys() {
        material(file, name, &format!("cloth.material.{name}"), problems, 0);
    }
}

#[allow(clippy::too_many_arguments)]
fn add_piece(
    scene: &mut Scene,
    file: &SceneFile,
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
    let mut stuff = material(file, named, &format!("{path}.material"), problems, 0);
    stuff.friction = file.cloth.friction.unwrap_or(stuff.friction);
    stuff.thickness = file.cloth.thickness.unwrap_or(stuff.thickness);
    check_thickness(&mesh, stuff.thickness, &name, path, problems);
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
    let made = match shape {
        ClothShape::Rectangle(r) => {
            check::positive(
                problems,
                &format!("{path}.rectangle.width"),
                "the width",
                r.width,
            );
            check::positive(
                problems,
                &format!("{path}.rectangle.height"),
                "the height",
                r.height,
            );
            let [nx, ny] = r.vertices.unwrap_or_else(|| {
                let n = file.cloth.resolution;
                let along = |length: f64| {
                    let share = length / r.width.max(r.height);
                    ((f64::from(n - 1) * share).round() as u32).max(1) + 1
                };
                [along(r.width), along(r.height)]
            });
            counts(problems, &format!("{path}.rectangle.vertices"), [nx, ny], 2)?;
            (generate::rectangle(r.width, r.height, nx, ny), true)
        }
        ClothShape::Disc(d) => {
            check::positive(
                problems,
                &format!("{path}.disc.radius"),
                "the radius",
                d.radius,
            );
            counts(problems, &format!("{path}.disc.rings"), [d.rings, 2], 1)?;
            (generate::disc(d.radius, d.rings), true)
        }
        ClothShape::Cylinder(t) => {
            check::positive(
                problems,
                &format!("{path}.cylinder.radius"),
                "the radius",
                t.radius,
            );
            check::positive(
                problems,
                &format!("{path}.cylinder.height"),
                "the height",
                t.height,
            );
            counts(
                problems,
                &format!("{path}.cylinder.vertices"),
                t.vertices,
                3,
            )?;
            let [around, along] = t.vertices;
            (generate::tube(t.radius, t.height, around, along), false)
        }
        ClothShape::Sphere(b) => {
            check::positive(
                problems,
                &format!("{path}.sphere.radius"),
                "the radius",
                b.radius,
            );
            let mut mesh = icosphere(b.subdivisions.min(7));
            mesh.vertices.iter_mut().for_each(|v| *v *= b.radius);
            (mesh, false)
        }
        ClothShape::Mesh(m) => {
            let mesh = super::shapes::read_mesh(scene, m, &format!("{path}.mesh"), problems)?;
            let flat = is_flat(&mesh);
            (mesh, flat)
        }
    };
    if problems.len() > before {
        return None;
    }
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

fn counts(problems: &mut Problems, path: &str, counts: [u32; 2], least: u32) -> Option<()> {
    let product = u64::from(counts[0]) * u64::from(counts[1]);
    if counts.iter().all(|&n| n >= least) && product <= MOST_VERTICES as u64 {
        return Some(());
    }
    problems.at(
        path,
        format!("{} by {} vertices", counts[0], counts[1]),
        format!("give at least {least} each, and at most {MOST_VERTICES} in all"),
    );
    None
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

/// The material of that name: of the scene, or of the table.
fn material(
    file: &SceneFile,
    name: &str,
    path: &str,
    problems: &mut Problems,
    depth: u32,
) -> Material {
    let Some(own) = file.cloth.material.get(name).filter(|_| depth < 8) else {
        if let Some(known) = named(name) {
            return known;
        }
        let names: Vec<&str> = (MATERIALS.iter().map(|m| m.0))
            .chain(file.cloth.material.keys().map(String::as_str))
            .collect();
        let help = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "there are {}; or write [cloth.material.{name}]",
                names.join(", ")
            ),
        };
        problems.at(path, format!("there is no material `{name}`"), help);
        return FALLBACK;
    };
    let like = own.like.as_deref().unwrap_or("cotton");
    let base = if like == name {
        named(like).unwrap_or(FALLBACK)
    } else {
        material(file, like, &format!("{path}.like"), problems, depth + 1)
    };
    let path = format!("cloth.material.{name}");
    mixed(own, base, &path, problems)
}

const FALLBACK: Material = MATERIALS[0].1;

fn mixed(own: &ClothMaterial, base: Material, path: &str, problems: &mut Problems) -> Material {
    let mut take = |key: &str, what: &str, value: Option<f64>, base: f64, zero: bool| {
        let Some(value) = value else { return base };
        let path = format!("{path}.{key}");
        match zero {
            true => check::not_negative(problems, &path, what, value),
            false => check::positive(problems, &path, what, value),
        }
        value
    };
    let stretch = own.stretch;
    let warp = own.stretch_warp.or(stretch);
    let weft = own.stretch_weft.or(stretch);
    Material {
        density: take("density", "the density", own.density, base.density, false),
        stretch_warp: take("stretch", "the stiffness", warp, base.stretch_warp, false),
        stretch_weft: take("stretch", "the stiffness", weft, base.stretch_weft, false),
        shear: take("shear", "the stiffness", own.shear, base.shear, true),
        compression: take(
            "compression",
            "the share",
            own.compression,
            base.compression,
            true,
        ),
        bend: take("bend", "the stiffness", own.bend, base.bend, true),
        damping_mass: take(
            "damping_mass",
            "the damping",
            own.damping_mass,
            base.damping_mass,
            true,
        ),
        damping_stiffness: take(
            "damping_stiffness",
            "the damping",
            own.damping_stiffness,
            base.damping_stiffness,
            true,
        ),
        drag_normal: take(
            "drag_normal",
            "the drag",
            own.drag_normal,
            base.drag_normal,
            true,
        ),
        drag_tangential: take(
            "drag_tangential",
            "the drag",
            own.drag_tangential,
            base.drag_tangential,
            true,
        ),
        thickness: take(
            "thickness",
            "the thickness",
            own.thickness,
            base.thickness,
            false,
        ),
        friction: take(
            "friction",
            "the friction",
            own.friction,
            base.friction,
            true,
        ),
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

/// Refuses what intersects at the start.
fn report_intersections(
    world: &ClothWorld,
    infos: &[ClothInfo],
    placed: &[Placed],
    bodies: &[Built],
    problems: &mut Problems,
) {
    let pairs = world.intersecting_triangles(10);
    let below = world.below_planes();
    if pairs.is_empty() && below == 0 {
        return;
    }
    let name = |triangle: u32| {
        let (part, number) = world.triangle(triangle);
        let bodies: Vec<&Built> = (world.bodies().iter()).map(|&i| &bodies[i]).collect();
        let names = (infos.iter().map(|i| i.name.as_str()))
            .chain(bodies.iter().map(|b| b.name.as_str()))
            .chain(placed.iter().map(|o| o.name.as_str()));
        let name = names.into_iter().nth(part).unwrap_or("?").to_owned();
        format!("triangle {} of `{name}`", number + 1)
    };
    let mut told: Vec<String> = pairs
        .iter()
        .take(4)
        .map(|&(a, b)| format!("{} and {}", name(a), name(b)))
        .collect();
    if pairs.len() > 4 {
        told.push(match pairs.len() {
            10 => "more".to_owned(),
            n => format!("{} more", n - 4),
        });
    }
    if below > 0 {
        told.push(format!("{below} triangles reach behind a plane"));
    }
    problems.at(
        "cloth",
        format!("cloth intersects at the start: {}", told.join("; ")),
        "move the pieces apart, or go on with --set cloth.allow_initial_intersections=true",
    );
}
