//! Aerodynamic drag: pressure on a triangle that moves through air.
//!
//! With u the velocity relative to the air and n the normal, the force per
//! area is −½ρ (c_n |u_n| u_n + c_t |u_t| u_t), u_n and u_t the parts of u
//! along n and across. The step takes the two speeds |u_n| and |u_t| as they
//! are at its start and the velocity as it is at its end, corner by corner:
//! f = −B (v′ − wind) with B symmetric, positive and diagonal in the vertices,
//! stable at any speed and exact at the terminal one.

use crate::elastic::Elastic;
use crate::elastic::membrane::Triangle;
use crate::solve::matrix::add_to_diagonal;
use conatus_math::{DMat3, DVec3};

/// Density of the air at sea level and 20 °C, kg/m³.
pub const AIR_DENSITY: f64 = 1.204;

/// The drag matrix B of a triangle's corner, kg/s: `along` for the normal
/// direction, `all` for every direction.
#[derive(Clone, Copy)]
pub(crate) struct Drag {
    normal: DVec3,
    along: f64,
    all: f64,
}

impl Drag {
    /// B u.
    #[inline(always)]
    pub fn times(&self, u: DVec3) -> DVec3 {
        self.normal * (self.along * self.normal.dot(u)) + u * self.all
    }

    /// m + h B.
    #[inline(always)]
    pub fn add_to(&self, m: &mut DMat3, h: f64) {
        let (n, p) = (self.normal, self.normal * (self.along * h));
        m.x_axis += p * n.x;
        m.y_axis += p * n.y;
        m.z_axis += p * n.z;
        add_to_diagonal(m, self.all * h);
    }
}

impl Elastic {
    /// Calls `corner` with each vertex and its part of B for each of some
    /// triangles.
    pub(crate) fn each_drag(
        &self,
        triangles: &[Triangle],
        x: &[DVec3],
        v: &[DVec3],
        wind: DVec3,
        mut corner: impl FnMut(usize, Drag),
    ) {
        for t in triangles {
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
            let normal = double * (1.0 / length);
            let through = u.dot(normal);
            let along = (u - normal * through).length();
            // A third of ½ρ times the area, which is half of `length`.
            let share = AIR_DENSITY * length / 12.0;
            let all = share * material.drag_tangential * along;
            let drag = Drag {
                normal,
                along: share * material.drag_normal * through.abs() - all,
                all,
            };
            for c in [i, j, k] {
                corner(c, drag);
            }
        }
    }
}
