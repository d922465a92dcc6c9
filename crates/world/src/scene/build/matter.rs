//! Mass properties of a body from shapes, parts, particles or given numbers, and its state
//! at the start.

use super::check;
use super::mesh_shapes::explain_open;
use super::shapes::ShapeGeometry;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::model::BodySpec;
use conatus_math::{DMat3, DQuat, DVec3, Pose, rotation};
use conatus_rigid::{Constants, MassProperties, State};
use std::sync::Arc;

/// The mass properties of a body, if all that they need is right.
pub fn mass(
    spec: &BodySpec,
    shapes: &[Arc<ShapeGeometry>],
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<MassProperties> {
    check::at_most_one(
        diagnostics,
        path,
        &[
            ("mass", spec.mass.is_some()),
            ("density", spec.density.is_some()),
            ("particles", !spec.particles.is_empty()),
        ],
    );
    // Reported even if the shape is wrong as well.
    for (key, value) in [("mass", spec.mass), ("density", spec.density)] {
        if let Some(value) = value.filter(|v| *v <= 0.0) {
            check::positive(
                diagnostics,
                &format!("{path}.{key}"),
                &format!("the {key}"),
                value,
            );
            return None;
        }
    }
    let from_matter = if !spec.particles.is_empty() {
        particles(spec, path, diagnostics)
    } else if !spec.parts.is_empty() {
        parts(spec, shapes, path, diagnostics)
    } else {
        single(spec, shapes, path, diagnostics)
    };
    let mut mass = from_matter?;
    if let Some(centre) = spec.centre {
        mass.centre = centre.into();
    }
    if let Some([x, y, z]) = spec.inertia {
        mass.inertia = rotation::rows(x, y, z);
    }
    if let Err(error) = mass.check() {
        let place = if spec.inertia.is_some() {
            format!("{path}.inertia")
        } else if !spec.particles.is_empty() {
            format!("{path}.particles")
        } else {
            path.to_owned()
        };
        diagnostics.at(
            &place,
            error.to_string(),
            "an inertia tensor is symmetric, its principal moments are positive, and none exceeds the sum of the other two; particles on one line have none",
        );
        return None;
    }
    Some(mass)
}

fn particles(spec: &BodySpec, path: &str, diagnostics: &mut Diagnostics) -> Option<MassProperties> {
    let mut valid = true;
    for (k, particle) in spec.particles.iter().enumerate() {
        if particle.mass <= 0.0 {
            let path = format!("{path}.particles[{k}].mass");
            check::positive(diagnostics, &path, "the mass", particle.mass);
            valid = false;
        }
    }
    let list: Vec<(f64, DVec3)> = spec
        .particles
        .iter()
        .map(|p| (p.mass, p.position.into()))
        .collect();
    valid.then(|| MassProperties::from_particles(&list))
}

/// Combines the parts, each with its own mass or density. If no part has one, the mass or
/// density of the body is used, a mass in proportion to volume.
fn parts(
    spec: &BodySpec,
    shapes: &[Arc<ShapeGeometry>],
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<MassProperties> {
    if shapes.len() != spec.parts.len() {
        return None;
    }
    // Given directly: the parts are only for display and contact.
    if let (Some(mass), Some(_), Some(centre)) = (spec.mass, spec.inertia, spec.centre) {
        return Some(MassProperties {
            mass,
            centre: centre.into(),
            inertia: DMat3::IDENTITY,
        });
    }
    let own = |part: &crate::scene::model::PartSpec| part.mass.is_some() || part.density.is_some();
    let volume: f64 = shapes
        .iter()
        .filter_map(|f| f.solid)
        .map(|s| s.volume)
        .sum();
    let shared = match spec.mass {
        Some(mass) if !spec.parts.iter().any(own) => Some(mass / volume),
        _ => spec.density,
    };
    let mut placed = Vec::new();
    for (k, (part, shape)) in spec.parts.iter().zip(shapes).enumerate() {
        let path = format!("{path}.parts[{k}]");
        let density = part.density.or(shared.filter(|_| part.mass.is_none()));
        let weighed = weigh(part.mass, density, shape, &path, diagnostics)?;
        placed.push((weighed, Pose::IDENTITY));
    }
    let mut whole = MassProperties::combine(&placed);
    if let Some(mass) = spec.mass {
        whole.inertia *= mass / whole.mass;
        whole.mass = mass;
    }
    Some(whole)
}

fn single(
    spec: &BodySpec,
    shapes: &[Arc<ShapeGeometry>],
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<MassProperties> {
    match (shapes.first(), spec.mass, spec.inertia) {
        // Given directly: the shape is only for display and contact.
        (shape, Some(mass), Some(_)) => {
            let centre = shape.and_then(|f| f.solid).map(|solid| solid.centre);
            Some(MassProperties {
                mass,
                centre: centre.unwrap_or_default(),
                inertia: DMat3::IDENTITY,
            })
        }
        (Some(shape), mass, _) => weigh(mass, spec.density, shape, path, diagnostics),
        (None, ..) if spec.shape.is_some() => None,
        (None, ..) => {
            diagnostics.at(
                path,
                "the body has no mass",
                "give it a `shape` with `mass` or `density`, or `parts`, or `particles`, or `mass` with `inertia`",
            );
            None
        }
    }
}

/// A shape with a mass or a density.
fn weigh(
    mass: Option<f64>,
    density: Option<f64>,
    shape: &ShapeGeometry,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<MassProperties> {
    if let (Some(_), Some(_)) = (mass, density) {
        check::at_most_one(diagnostics, path, &[("mass", true), ("density", true)]);
        return None;
    }
    let Some(solid) = shape.solid else {
        explain_open(
            &shape.mesh,
            &format!("{path}.shape.mesh.file"),
            "or give `mass`, `centre` and `inertia` yourself",
            diagnostics,
        );
        return None;
    };
    let (key, value) = match (mass, density) {
        (Some(mass), _) => ("mass", mass),
        (None, Some(density)) => ("density", density),
        (None, None) => {
            diagnostics.at(
                path,
                "the shape has no mass",
                "add `mass` in kilograms or `density` in kg/m³ (water has 1000)",
            );
            return None;
        }
    };
    if value <= 0.0 {
        check::positive(
            diagnostics,
            &format!("{path}.{key}"),
            &format!("the {key}"),
            value,
        );
        return None;
    }
    let mass = if key == "mass" {
        value
    } else {
        value * solid.volume
    };
    Some(MassProperties {
        mass,
        centre: solid.centre,
        inertia: solid.inertia * mass,
    })
}

/// The state of a body at the start.
pub fn state(
    spec: &BodySpec,
    mass: &MassProperties,
    constants: &Constants,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> State {
    check::at_most_one(
        diagnostics,
        path,
        &[
            ("position", spec.position.is_some()),
            ("origin", spec.origin.is_some()),
        ],
    );
    check::at_most_one(
        diagnostics,
        path,
        &[
            ("velocity", spec.velocity.is_some()),
            ("momentum", spec.momentum.is_some()),
        ],
    );
    check::at_most_one(
        diagnostics,
        path,
        &[
            ("omega_body", spec.omega_body.is_some()),
            ("angular_velocity", spec.angular_velocity.is_some()),
            ("angular_momentum", spec.angular_momentum.is_some()),
        ],
    );
    let diagonal = mass.diagonalise();
    let turn: DQuat = check::orientation(diagnostics, path, spec.orientation, spec.turn.as_ref());
    let position = match (spec.position, spec.origin) {
        (Some(p), _) => p.into(),
        (None, Some(origin)) => DVec3::from(origin) + turn * mass.centre,
        (None, None) => DVec3::ZERO,
    };
    let mut state = State::placed(&diagonal, position, turn);
    if let Some(v) = spec.velocity {
        state.velocity = v.into();
    } else if let Some(k) = spec.momentum {
        state.velocity = DVec3::from(k) / constants.mass;
    }
    if let Some(w) = spec.omega_body {
        state.omega_body = diagonal.diag_rotation * DVec3::from(w);
    } else if let Some(w) = spec.angular_velocity {
        state.omega_body = state.rotation().transpose() * DVec3::from(w);
    } else if let Some(l) = spec.angular_momentum {
        state.set_angular_momentum(l.into(), constants.moments);
    }
    state
}
