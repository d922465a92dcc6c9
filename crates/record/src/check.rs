//! Validates a header: every index is in range and every number is finite.

use crate::model::{EndInfo, Header};
use conatus_math::DVec3;

impl Header {
    /// Validates the header; the error says what is wrong.
    pub fn check(&self) -> Result<(), String> {
        finite("step_seconds", &[self.step_seconds])?;
        finite_vec("the gravity", self.gravity)?;
        for (m, mesh) in self.meshes.iter().enumerate() {
            for v in &mesh.vertices {
                finite_vec(format_args!("a vertex of mesh {m}"), *v)?;
            }
            let n = mesh.vertices.len();
            if mesh.triangles.iter().flatten().any(|&i| i as usize >= n) {
                return Err(format!("a triangle of mesh {m} refers to a missing vertex"));
            }
        }
        for body in &self.bodies {
            let name = &body.name;
            finite(format_args!("the mass of `{name}`"), &[body.mass])?;
            finite_vec(format_args!("the moments of `{name}`"), body.moments)?;
            if !body.color.iter().all(|c| c.is_finite()) {
                return Err(format!("the color of `{name}` is not finite"));
            }
            if body.mesh.is_some_and(|m| m >= self.meshes.len()) {
                return Err(format!("`{name}` refers to a missing mesh"));
            }
            for (centre, radius) in &body.spheres {
                finite_vec(format_args!("a sphere of `{name}`"), *centre)?;
                finite(format_args!("a sphere of `{name}`"), &[*radius])?;
            }
        }
        for plane in &self.planes {
            finite_vec("a plane's point", plane.point)?;
            finite_vec("a plane's normal", plane.normal)?;
        }
        for spring in &self.springs {
            finite("a spring's length", &[spring.length])?;
            for end in [&spring.a, &spring.b] {
                match *end {
                    EndInfo::Pin(p) => finite_vec("a spring's pin", p)?,
                    EndInfo::Body(body, p) => {
                        finite_vec("a spring's end", p)?;
                        if body >= self.bodies.len() {
                            return Err(format!("a spring refers to a missing body {body}"));
                        }
                    }
                }
            }
        }
        for piece in &self.cloths {
            let name = &piece.name;
            finite(
                format_args!("the thickness of `{name}`"),
                &[piece.thickness],
            )?;
            if !piece.color.iter().all(|c| c.is_finite()) {
                return Err(format!("the color of `{name}` is not finite"));
            }
            let n = piece.vertices;
            if piece.triangles.iter().flatten().any(|&i| i as usize >= n) {
                return Err(format!("a triangle of `{name}` refers to a missing vertex"));
            }
        }
        let vertices = self
            .cloths
            .iter()
            .try_fold(0, |n: usize, c| n.checked_add(c.vertices));
        if vertices.is_none_or(|n| n > u32::MAX as usize) {
            return Err("the pieces of cloth have too many vertices".into());
        }
        for water in &self.waters {
            finite("a water's level", &[water.level])?;
            finite(
                "a water's extent",
                water.extent.unwrap_or_default().as_flattened(),
            )?;
            for w in &water.waves {
                finite("a wave", &w.wave_vector)?;
                finite("a wave", &[w.amplitude, w.angular_frequency, w.phase])?;
            }
        }
        self.physics.check(self)
    }
}

fn finite(what: impl std::fmt::Display, values: &[f64]) -> Result<(), String> {
    match values.iter().all(|v| v.is_finite()) {
        true => Ok(()),
        false => Err(format!("{what} is not finite")),
    }
}

fn finite_vec(what: impl std::fmt::Display, v: DVec3) -> Result<(), String> {
    finite(what, &v.to_array())
}
