//! Validates a clip, so that readers need no further checks.

use super::{
    CLIP_FORMAT, Clip, ClipCharacter, ClipEffector, ClipLink, ClipObject, ClipShape, ClipSurface,
    ClipSurfaceKind, ClipTarget,
};
use conatus_geometry::PartShape;
use conatus_math::{DQuat, DVec3};
use std::collections::BTreeSet;
use std::fmt::Display;

/// How far the length of a unit vector or a unit quaternion may be from 1.
const UNIT_TOLERANCE: f64 = 1e-6;

type Checked = Result<(), String>;

impl Clip {
    /// Returns the first error of the clip, if there is one: arrays of a wrong
    /// length, numbers that are not finite, quaternions and normals that are
    /// not unit, times that do not rise, names that occur twice.
    pub fn check(&self) -> Checked {
        if self.format != CLIP_FORMAT {
            let found = &self.format;
            return wrong(format!("the format is `{found}`, not `{CLIP_FORMAT}`"));
        }
        vector("gravity", self.gravity)?;
        positive("dt", self.dt)?;
        if self.time.is_empty() {
            return wrong("the clip has no moments: `time` is empty");
        }
        rising("time", &self.time)?;
        rising("phases", &self.phases)?;
        if self.phases.len() == 1 {
            return wrong("`phases` has one number: K phases have K + 1 boundaries");
        }
        let n = self.time.len();
        unique("surface", self.surfaces.iter().map(|s| &s.name))?;
        unique("character", self.characters.iter().map(|c| &c.name))?;
        unique("object", self.objects.iter().map(|o| &o.name))?;
        self.surfaces.iter().try_for_each(surface)?;
        let phases = self.phases.len().saturating_sub(1);
        for it in &self.characters {
            character(it, n, phases).map_err(|e| format!("character `{}`: {e}", it.name))?;
        }
        for it in &self.objects {
            object(it, n).map_err(|e| format!("object `{}`: {e}", it.name))?;
        }
        self.targets.iter().try_for_each(target)?;
        (self.velocities.iter()).try_for_each(|velocities| velocities.check(self))
    }
}

fn surface(it: &ClipSurface) -> Checked {
    match &it.kind {
        ClipSurfaceKind::Plane { point, normal } => {
            vector("point", *point).and_then(|()| unit("normal", normal.length()))
        }
        ClipSurfaceKind::Box {
            half_extents,
            position,
            orientation,
            radius,
        } => shape(&ClipShape::Box {
            half_extents: *half_extents,
            radius: *radius,
        })
        .and_then(|()| vector("position", *position))
        .and_then(|()| quaternion("orientation", *orientation)),
        ClipSurfaceKind::Sphere { radius, position } => {
            positive("radius", *radius).and_then(|()| vector("position", *position))
        }
        ClipSurfaceKind::Capsule { radius, start, end } => positive("radius", *radius)
            .and_then(|()| vector("start", *start))
            .and_then(|()| vector("end", *end)),
        ClipSurfaceKind::Heightfield {
            origin,
            spacing,
            columns,
            heights,
        } => vector("origin", *origin)
            .and_then(|()| positive("spacing", *spacing))
            .and_then(|()| finite("heights", heights))
            .and_then(|()| match *columns > 0 && heights.len() % columns == 0 {
                true => Ok(()),
                false => wrong(format!("{} heights in columns of {columns}", heights.len())),
            }),
    }
    .map_err(|e| format!("surface `{}`: {e}", it.name))
}

fn shape(it: &ClipShape) -> Checked {
    match *it {
        ClipShape::Box {
            half_extents: h,
            radius,
        } => {
            let parts = h.to_array();
            parts
                .iter()
                .try_for_each(|h| positive("half_extents", *h))?;
            at_least_zero("radius", radius)
        }
        ClipShape::Sphere { radius } => positive("radius", radius),
        ClipShape::Capsule { radius, length } => {
            positive("radius", radius).and_then(|()| at_least_zero("length", length))
        }
    }
}

fn collision(it: &Option<PartShape>) -> Checked {
    match it.is_none_or(|shape| shape.is_valid()) {
        true => Ok(()),
        false => wrong("`collision` has a size that is negative or not a number"),
    }
}

fn character(it: &ClipCharacter, n: usize, phases: usize) -> Checked {
    positive("mass", it.mass)?;
    finite("inertia", it.inertia.as_flattened())?;
    color(&it.color)?;
    vector("torso.half_extents", it.torso.half_extents)?;
    collision(&it.torso.collision)?;
    vectors("torso.position", &it.torso.position, n)?;
    quaternions("torso.orientation", &it.torso.orientation, n)?;
    unique("shape", it.shapes.iter().map(|s| &s.name))?;
    unique("link", it.links.iter().map(|l| &l.name))?;
    unique("effector", it.effectors.iter().map(|e| &e.name))?;
    for part in &it.shapes {
        shape(&part.shape)
            .and_then(|()| vector("position", part.position))
            .and_then(|()| quaternion("orientation", part.orientation))
            .map_err(|e| format!("shape `{}`: {e}", part.name))?;
    }
    for part in &it.links {
        link(part, n).map_err(|e| format!("link `{}`: {e}", part.name))?;
    }
    for part in &it.effectors {
        effector(part, n, phases).map_err(|e| format!("effector `{}`: {e}", part.name))?;
    }
    Ok(())
}

fn link(it: &ClipLink, n: usize) -> Checked {
    positive("length", it.length)?;
    positive("radius", it.radius)?;
    collision(&it.collision)?;
    vectors("start", &it.start, n)?;
    vectors("end", &it.end, n)
}

fn effector(it: &ClipEffector, n: usize, phases: usize) -> Checked {
    it.half_extents
        .iter()
        .try_for_each(|h| at_least_zero("half_extents", *h))?;
    at_least_zero("friction", it.friction)?;
    collision(&it.collision)?;
    finite("contact", &it.contact)?;
    if !it.contact.is_empty() {
        length("contact", it.contact.len(), phases, "phases")?;
    }
    vectors("position", &it.position, n)?;
    quaternions("orientation", &it.orientation, n)?;
    push(&it.force, &it.point, &it.torque, &it.normal, &it.active, n)?;
    length("touches", it.touches.len(), n, "moments")
}

fn object(it: &ClipObject, n: usize) -> Checked {
    positive("mass", it.mass)?;
    finite("inertia", it.inertia.as_flattened())?;
    color(&it.color)?;
    shape(&it.shape).map_err(|e| format!("shape: {e}"))?;
    collision(&it.collision)?;
    vectors("position", &it.position, n)?;
    quaternions("orientation", &it.orientation, n)?;
    it.contacts.iter().try_for_each(|c| {
        push(&c.force, &c.point, &c.torque, &c.normal, &c.active, n)
            .map_err(|e| format!("contact with `{}`: {e}", c.with))
    })
}

/// What effectors and contacts of objects have in common.
fn push(
    force: &[DVec3],
    point: &[DVec3],
    torque: &[DVec3],
    normal: &[DVec3],
    active: &[bool],
    n: usize,
) -> Checked {
    vectors("force", force, n)?;
    vectors("point", point, n)?;
    vectors("torque", torque, n)?;
    vectors("normal", normal, n)?;
    for (i, v) in normal.iter().enumerate() {
        unit(format_args!("normal[{i}]"), v.length())?;
    }
    length("active", active.len(), n, "moments")
}

fn target(it: &ClipTarget) -> Checked {
    vector("position", it.position)
        .and_then(|()| finite("time", &[it.time]))
        .and_then(|()| vector("direction", it.direction.unwrap_or_default()))
        .map_err(|e| format!("target `{}`: {e}", it.name))
}

fn wrong(what: impl Into<String>) -> Checked {
    Err(what.into())
}

fn finite(what: impl Display, values: &[f64]) -> Checked {
    match values.iter().all(|v| v.is_finite()) {
        true => Ok(()),
        false => wrong(format!("{what} is not finite")),
    }
}

fn vector(what: impl Display, v: DVec3) -> Checked {
    finite(what, &v.to_array())
}

fn vectors(what: &str, list: &[DVec3], n: usize) -> Checked {
    length(what, list.len(), n, "moments")?;
    let mut all = list.iter().enumerate();
    all.try_for_each(|(i, v)| vector(format_args!("{what}[{i}]"), *v))
}

fn quaternion(what: impl Display, q: DQuat) -> Checked {
    finite(&what, &q.to_array()).and_then(|()| unit(what, q.length()))
}

fn quaternions(what: &str, list: &[DQuat], n: usize) -> Checked {
    length(what, list.len(), n, "moments")?;
    let mut all = list.iter().enumerate();
    all.try_for_each(|(i, q)| quaternion(format_args!("{what}[{i}]"), *q))
}

fn unit(what: impl Display, length: f64) -> Checked {
    match (length - 1.0).abs() <= UNIT_TOLERANCE {
        true => Ok(()),
        false => wrong(format!("{what} has the length {length}, not 1")),
    }
}

fn positive(what: impl Display, value: f64) -> Checked {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => wrong(format!("{what} is {value}, not greater than 0")),
    }
}

fn at_least_zero(what: impl Display, value: f64) -> Checked {
    match value >= 0.0 && value.is_finite() {
        true => Ok(()),
        false => wrong(format!("{what} is {value}, not 0 or more")),
    }
}

fn length(what: &str, found: usize, wanted: usize, of: &str) -> Checked {
    match found == wanted {
        true => Ok(()),
        false => wrong(format!(
            "{what} has {found} entries, but there are {wanted} {of}"
        )),
    }
}

fn rising(what: &str, values: &[f64]) -> Checked {
    finite(what, values)?;
    match values.windows(2).all(|w| w[0] < w[1]) {
        true => Ok(()),
        false => wrong(format!("{what} does not rise")),
    }
}

fn color(color: &[f32; 3]) -> Checked {
    match color.iter().all(|c| c.is_finite()) {
        true => Ok(()),
        false => wrong("color is not finite"),
    }
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Checked {
    let mut known = BTreeSet::new();
    for name in names {
        if !known.insert(name) {
            return wrong(format!("there are two {what}s named `{name}`"));
        }
    }
    Ok(())
}
