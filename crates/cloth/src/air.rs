//! The air's resistance: pressure on a triangle that moves through it.
//!
//! With u the velocity relative to the air and n the normal, the force per
//! area is −½ρ (c_n |u_n| u_n + c_t |u_t| u_t), u_n and u_t the parts of u
//! along n and across. The step takes the two speeds |u_n| and |u_t| as they
//! are at its start and the velocity as it is at its end, corner by corner:
//! f = −B (v′ − wind) with B symmetric, positive and diagonal in the vertices,
//! stable at any speed and exact at the terminal one.

use crate::elastic::Elastic;
use conatus_math::{DMat3, DVec3};

/// Density of the air at sea level and 20 °C, kg/m³.
pub const AIR_DENSITY: f64 = 1.204;

impl Elastic {
    /// Calls `corner` with each vertex and its share of B, kg/s.
    pub(crate) fn each_drag(
        &self,
        x: &[DVec3],
        v: &[DVec3],
        wind: DVec3,
        mut corner: impl FnMut(usize, DMat3),
    ) {
        for t in &self.triangles {
            let material = &self.materials[t.piece as usize];
            if material.drag_normal == 0.0 && material.drag_tangential == 0.0 {
                continue;
            }
            let [i, j, k] = t.corners.map(|i| i as usize);
            let double = (x[j] - x[i]).cross(x[k] - x[i]);
            let squared = double.length_squared();
            if squared == 0.0 {
                continue;
            }
            let u = (v[i] + v[j] + v[k]) * (1.0 / 3.0) - wind;
            let length = squared.sqrt();
            let n = double * (1.0 / length);
            let normal = u.dot(n);
            let along = (u - n * normal).length();
            // A third of ½ρ times the area, which is half of `length`.
            let share = AIR_DENSITY * length / 12.0;
            let pn = share * material.drag_normal * normal.abs();
            let pt = share * material.drag_tangential * along;
            let m = n * (pn - pt);
            let b = DMat3::from_cols(
                DVec3::new(m.x * n.x + pt, m.y * n.x, m.z * n.x),
                DVec3::new(m.x * n.y, m.y * n.y + pt, m.z * n.y),
                DVec3::new(m.x * n.z, m.y * n.z, m.z * n.z + pt),
            );
            for c in [i, j, k] {
                corner(c, b);
            }
        }
    }
}
