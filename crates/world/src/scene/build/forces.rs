//! From the springs, drags, pushes and waters of a scene file to forces.

use super::bodies::BuiltBody;
use super::check;
use crate::scene::diagnostic::{Diagnostics, nearest};
use crate::scene::model::{PushAxesSpec, SceneFile, SpringEndSpec, UpAxisSpec, WaveSpec};
use crate::text;
use crate::world::World;
use conatus_geometry::Mesh;
use conatus_math::DVec3;
use conatus_record::{EndInfo, SpringInfo, WaterInfo, WaveInfo};
use conatus_rigid::forces::{
    self, Drag, End, Hull, Push, Reach, Rectangle, ReferenceFrame, Spring, Water,
};
use std::collections::HashMap;
use std::f64::consts::TAU;
use std::sync::Arc;

/// The most triangles that a hull is refined to.
const MAX_HULL_TRIANGLES: usize = 20_000;

/// The index of a body by its name.
pub fn find(
    built: &[BuiltBody],
    name: &str,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    let found = built.iter().position(|b| b.name == name);
    if found.is_none() {
        let names = built.iter().map(|b| b.name.as_str());
        report_unknown(name, names, path, diagnostics);
    }
    found
}

/// Reports at `path` that no body has a name; `names` are those of all bodies.
pub fn report_unknown<'a>(
    name: &str,
    mut names: impl Iterator<Item = &'a str> + Clone,
    path: &str,
    diagnostics: &mut Diagnostics,
) {
    let copies = format!("{name}-0");
    let help = match nearest(name, names.clone()) {
        _ if names.any(|other| other == copies) => {
            format!("it has an `array`; its copies are `{copies}`, `{name}-1`, …")
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => "bodies are named by `name` in their `[[body]]`".to_owned(),
    };
    diagnostics.at(path, format!("there is no body `{name}`"), help);
}

/// Adds springs, drags and pushes to the world. Returns the springs for display.
pub fn build(
    world: &mut World,
    file: &SceneFile,
    built: &[BuiltBody],
    diagnostics: &mut Diagnostics,
) -> Vec<SpringInfo> {
    let springs = springs(world, file, built, diagnostics);
    for (i, drag) in file.drag.iter().enumerate() {
        let path = format!("drag[{i}]");
        check::not_negative(
            diagnostics,
            &format!("{path}.linear"),
            "the drag",
            drag.linear,
        );
        check::not_negative(
            diagnostics,
            &format!("{path}.angular"),
            "the drag",
            drag.angular,
        );
        let reach = match &drag.bodies {
            None => Reach::All,
            Some(names) => Reach::Bodies(
                names
                    .iter()
                    .enumerate()
                    .filter_map(|(k, n)| {
                        find(built, n, &format!("{path}.bodies[{k}]"), diagnostics)
                    })
                    .collect(),
            ),
        };
        world.add_force(Drag {
            reach,
            linear: drag.linear,
            angular: drag.angular,
        });
    }
    for (i, push) in file.push.iter().enumerate() {
        let path = format!("push[{i}]");
        let Some(body) = find(built, &push.body, &format!("{path}.body"), diagnostics) else {
            continue;
        };
        if push.force.is_none() && push.torque.is_none() {
            diagnostics.at(
                &path,
                "a push without force or torque",
                "add `force` in newtons or `torque` in N·m",
            );
        }
        if let (from, Some(until)) = (push.from.unwrap_or(0.0), push.until)
            && from >= until
        {
            diagnostics.at(
                &format!("{path}.until"),
                format!(
                    "the push ends at {} s, before it begins at {} s",
                    text::number(until),
                    text::number(from)
                ),
                "`until` must be later than `from`",
            );
        }
        let to_principal = &built[body].to_principal;
        let (frame, turn) = match push.axes {
            PushAxesSpec::World => (ReferenceFrame::World, conatus_math::DQuat::IDENTITY),
            PushAxesSpec::Body => (ReferenceFrame::Body, to_principal.rotation),
        };
        world.add_force(Push {
            body,
            force: turn * DVec3::from(push.force.unwrap_or_default()),
            point_body: push
                .point
                .map_or(DVec3::ZERO, |p| to_principal.point(p.into())),
            torque: turn * DVec3::from(push.torque.unwrap_or_default()),
            frame,
            from: push.from.unwrap_or(0.0),
            until: push.until.unwrap_or(f64::INFINITY),
        });
    }
    springs
}

fn springs(
    world: &mut World,
    file: &SceneFile,
    built: &[BuiltBody],
    diagnostics: &mut Diagnostics,
) -> Vec<SpringInfo> {
    let mut infos = Vec::new();
    for (i, spec) in file.spring.iter().enumerate() {
        let path = format!("spring[{i}]");
        check::not_negative(
            diagnostics,
            &format!("{path}.stiffness"),
            "the stiffness",
            spec.stiffness,
        );
        check::not_negative(
            diagnostics,
            &format!("{path}.damping"),
            "the damping",
            spec.damping,
        );
        let a = end(&spec.a, built, &format!("{path}.a"), diagnostics);
        let b = end(&spec.b, built, &format!("{path}.b"), diagnostics);
        let (Some(a), Some(b)) = (a, b) else {
            continue;
        };
        if let (End::Pin(_), End::Pin(_)) = (a, b) {
            diagnostics.at(
                &path,
                "a spring between two pins moves nothing",
                "attach one of its ends to a `body`",
            );
        }
        let place = |end: &End| match *end {
            End::Pin(p) => p,
            End::Body(k, r) => built[k].state.point_position(r),
        };
        let length = spec.length.unwrap_or_else(|| place(&a).distance(place(&b)));
        check::not_negative(
            diagnostics,
            &format!("{path}.length"),
            "the length at rest",
            length,
        );
        world.add_force(Spring {
            a,
            b,
            stiffness: spec.stiffness,
            length,
            damping: spec.damping,
        });
        let info = |end: &End| match *end {
            End::Pin(p) => EndInfo::Pin(p),
            End::Body(k, r) => EndInfo::Body(k, r),
        };
        infos.push(SpringInfo {
            a: info(&a),
            b: info(&b),
            length,
            joint: None,
        });
    }
    infos
}

/// One end of a spring: a pin, or a vertex or point of a body.
fn end(
    spec: &SpringEndSpec,
    built: &[BuiltBody],
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<End> {
    check::at_most_one(
        diagnostics,
        path,
        &[("pin", spec.pin.is_some()), ("body", spec.body.is_some())],
    );
    check::at_most_one(
        diagnostics,
        path,
        &[
            ("vertex", spec.vertex.is_some()),
            ("point", spec.point.is_some()),
        ],
    );
    if let Some(pin) = spec.pin {
        return Some(End::Pin(pin.into()));
    }
    let Some(name) = &spec.body else {
        diagnostics.at(
            path,
            "this end of the spring is not attached",
            "give it a `body` (with `vertex` or `point`) or a `pin`",
        );
        return None;
    };
    let k = find(built, name, &format!("{path}.body"), diagnostics)?;
    let body = &built[k];
    if let Some(point) = spec.point {
        return Some(End::Body(k, body.to_principal.point(point.into())));
    }
    let Some(vertex) = spec.vertex else {
        return Some(End::Body(k, DVec3::ZERO));
    };
    let vertices = body.mesh.as_ref().map_or(&[][..], |m| &m.vertices);
    match usize::try_from(vertex).ok().and_then(|v| vertices.get(v)) {
        Some(&r) => Some(End::Body(k, r)),
        None => {
            diagnostics.at(
                &format!("{path}.vertex"),
                format!(
                    "`{name}` has {} vertices, none with number {vertex}",
                    vertices.len()
                ),
                "vertices are counted from 0; `point` takes any position instead",
            );
            None
        }
    }
}

/// Bodies of water, as forces and for display.
pub fn waters(
    world: &mut World,
    file: &SceneFile,
    built: &[BuiltBody],
    diagnostics: &mut Diagnostics,
) -> Vec<WaterInfo> {
    let up = match file.up {
        UpAxisSpec::Y => forces::UpAxis::Y,
        UpAxisSpec::Z => forces::UpAxis::Z,
    };
    let gravity = -world.gravity.dot(up.vector());
    let mut infos = Vec::new();
    for (i, spec) in file.water.iter().enumerate() {
        let path = format!("water[{i}]");
        check::positive(
            diagnostics,
            &format!("{path}.density"),
            "the density",
            spec.density,
        );
        check::not_negative(
            diagnostics,
            &format!("{path}.linear_drag"),
            "the drag",
            spec.linear_drag,
        );
        check::not_negative(
            diagnostics,
            &format!("{path}.drag_coefficient"),
            "the drag",
            spec.drag_coefficient,
        );
        let extent = spec.extent.as_ref().map(|e| Rectangle {
            min: e.min,
            max: e.max,
        });
        if extent.is_some_and(|e| !(e.min[0] < e.max[0] && e.min[1] < e.max[1])) {
            diagnostics.at(
                &format!("{path}.extent"),
                "the extent is empty: `min` must be less than `max` in both coordinates",
                "swap the corners",
            );
        }
        let waves: Vec<forces::Wave> = spec
            .waves
            .iter()
            .enumerate()
            .map(|(k, w)| wave(w, gravity, &format!("{path}.waves[{k}]"), diagnostics))
            .collect();
        for body in built.iter().filter(|b| b.hull.is_none()) {
            if let Some(mesh) = &body.mesh {
                super::mesh_shapes::explain_open(
                    mesh,
                    &format!("{}.shape.mesh.file", body.path),
                    "water needs a closed hull to press on",
                    diagnostics,
                );
            }
        }
        infos.push(WaterInfo {
            level: spec.level,
            extent: extent.map(|e| [e.min, e.max]),
            waves: waves
                .iter()
                .map(|w| WaveInfo {
                    amplitude: w.amplitude,
                    wave_vector: w.wave_vector,
                    angular_frequency: w.angular_frequency,
                    phase: w.phase,
                })
                .collect(),
        });
        // A hull samples the waves at its vertices, so these must be close together
        // compared with the shortest wave.
        let shortest = spec.waves.iter().map(|w| w.wavelength);
        let longest_edge = shortest.fold(f64::INFINITY, f64::min) / 8.0;
        world.add_force(Water {
            up,
            level: spec.level,
            density: spec.density,
            gravity,
            linear_drag: spec.linear_drag,
            drag_coefficient: spec.drag_coefficient,
            current: spec.current.into(),
            extent,
            waves,
            hulls: hulls(built, longest_edge),
        });
    }
    infos
}

/// The hulls of all bodies with no edge longer than `longest_edge`. Equal bodies share one.
fn hulls(built: &[BuiltBody], longest_edge: f64) -> Vec<Hull> {
    let mut refined: HashMap<*const Mesh, Arc<Mesh>> = HashMap::new();
    let hulls = built.iter().enumerate().filter_map(|(body, b)| {
        let hull = b.hull.as_ref()?;
        let mesh = refined.entry(Arc::as_ptr(hull)).or_insert_with(|| {
            Arc::new(Mesh::clone(hull).refined(longest_edge, MAX_HULL_TRIANGLES))
        });
        let mesh = Arc::clone(mesh);
        Some(Hull { body, mesh })
    });
    hulls.collect()
}

fn wave(spec: &WaveSpec, gravity: f64, path: &str, diagnostics: &mut Diagnostics) -> forces::Wave {
    check::not_negative(
        diagnostics,
        &format!("{path}.amplitude"),
        "the amplitude",
        spec.amplitude,
    );
    check::positive(
        diagnostics,
        &format!("{path}.wavelength"),
        "the wavelength",
        spec.wavelength,
    );
    let [x, y] = spec.direction;
    let direction = check::direction(
        diagnostics,
        &format!("{path}.direction"),
        "the wave",
        [x, y, 0.0],
    );
    let k = TAU / spec.wavelength;
    // Deep water: ω² = g k, so the speed ω/k is √(g/k).
    let speed = spec.speed.unwrap_or_else(|| (gravity.max(0.0) / k).sqrt());
    forces::Wave {
        amplitude: spec.amplitude,
        wave_vector: [k * direction.x, k * direction.y],
        angular_frequency: speed * k,
        phase: spec.phase,
    }
}
