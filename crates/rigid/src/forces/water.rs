//! Water with travelling waves: buoyancy and drag from the submerged part of
//! each hull.
//!
//! The water presses on every wet part of the surface with p = ρ g d, d its
//! depth below the local surface. So a resting hull is lifted by the weight of
//! the displaced water at its centre, and a hull on a wave is pushed down its
//! slope. Not modelled: the flow of the water in a wave, added mass, splashes.
//! Di Pierro's `Water` uses the body's centre only and scales its force by the
//! step; this does neither.

use super::{Force, Loads, Reach, View};
use crate::state::{DragShare, Load, State};
use conatus_geometry::Mesh;
use conatus_math::{DVec3, sincos};
use rayon::prelude::*;
use std::sync::Arc;

/// The axis that points out of the water.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// y.
    Y,
    /// z.
    Z,
}

impl UpAxis {
    /// The unit vector.
    pub fn vector(self) -> DVec3 {
        match self {
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
        }
    }

    /// Horizontal coordinates and height: (x, y), z or (x, z), y.
    pub fn split(self, p: DVec3) -> ([f64; 2], f64) {
        match self {
            Self::Y => ([p.x, p.z], p.y),
            Self::Z => ([p.x, p.y], p.z),
        }
    }
}

/// A travelling wave: amplitude · sin(k·x − ω t + phase).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// Half the height from trough to crest.
    pub amplitude: f64,
    /// k, in rad/m, along the direction of travel.
    pub wave_vector: [f64; 2],
    /// ω, in rad/s.
    pub angular_frequency: f64,
    /// In radians.
    pub phase: f64,
}

/// A rectangle seen from above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// The corner with the smallest coordinates.
    pub min: [f64; 2],
    /// The corner with the greatest coordinates.
    pub max: [f64; 2],
}

/// The closed surface of a body for buoyancy and drag, in body axes.
#[derive(Clone, Debug)]
pub struct Hull {
    /// The body.
    pub body: usize,
    /// Its surface.
    pub mesh: Arc<Mesh>,
}

/// A body of water.
#[derive(Clone, Debug)]
pub struct Water {
    /// The axis that points up.
    pub up: UpAxis,
    /// The height of the undisturbed surface.
    pub level: f64,
    /// ρ, in kg/m³.
    pub density: f64,
    /// g, the strength of gravity downwards, in m/s².
    pub gravity: f64,
    /// Drag per wet area and velocity, in N·s/m³.
    pub linear_drag: f64,
    /// C of the pressure ½ ρ C vₙ² on wet surface that moves outwards at vₙ.
    pub drag_coefficient: f64,
    /// The velocity of the water.
    pub current: DVec3,
    /// The extent of the water; unlimited if `None`.
    pub extent: Option<Rectangle>,
    /// The waves.
    pub waves: Vec<Wave>,
    /// The hulls that may float.
    pub hulls: Vec<Hull>,
}

impl Water {
    /// The height of the surface above a horizontal place at time `t`.
    pub fn surface(&self, [x, y]: [f64; 2], t: f64) -> f64 {
        self.waves.iter().fold(self.level, |height, w| {
            let phase = w.wave_vector[0] * x + w.wave_vector[1] * y;
            height + w.amplitude * sincos(phase - w.angular_frequency * t + w.phase).0
        })
    }

    /// The maximum height of the surface.
    fn crest(&self) -> f64 {
        self.level + self.waves.iter().map(|w| w.amplitude.abs()).sum::<f64>()
    }

    fn holds(&self, [x, y]: [f64; 2]) -> bool {
        self.extent.is_none_or(|r| {
            (r.min[0]..=r.max[0]).contains(&x) && (r.min[1]..=r.max[1]).contains(&y)
        })
    }

    /// The load of the water on one hull, on its mover.
    fn on_hull(&self, t: f64, hull: &Hull, view: &View) -> Load {
        let (_, mover) = view.mover(hull.body);
        let state = view.state(hull.body);
        let rotation = state.rotation();
        let mut wet = Wet::new(self, mover);
        let crest = self.crest();
        // World position and depth of every vertex; triangles entirely above
        // the crests are skipped.
        let mut dry = true;
        let points: Vec<_> = hull
            .mesh
            .vertices
            .iter()
            .map(|r| {
                let p = rotation * *r + state.position;
                let (place, height) = self.up.split(p);
                dry &= height > crest;
                (p, place, height)
            })
            .collect();
        if dry {
            return Load::default();
        }
        let points: Vec<(DVec3, f64)> = points
            .into_iter()
            .map(|(p, place, height)| (p, self.surface(place, t) - height))
            .collect();
        for triangle in &hull.mesh.triangles {
            wet.triangle(triangle.map(|i| points[i as usize]));
        }
        let mut load = Load {
            force: wet.force,
            ..Load::default()
        };
        load.add_torque(mover, wet.torque);
        load.drag = DragShare {
            force: wet.drag_force,
            torque_body: mover.rotation().transpose() * wet.drag_torque,
            linear: wet.drag_linear,
            angular: wet.drag_angular,
        };
        load
    }
}

/// Sums over the wet surface of one hull.
struct Wet<'a> {
    water: &'a Water,
    mover: &'a State,
    omega: DVec3,
    force: DVec3,
    /// About the mover's centre of mass.
    torque: DVec3,
    /// The share of drag in both, and its coefficients; see [`DragShare`].
    drag_force: DVec3,
    drag_torque: DVec3,
    drag_linear: f64,
    drag_angular: f64,
}

impl<'a> Wet<'a> {
    fn new(water: &'a Water, mover: &'a State) -> Self {
        Self {
            water,
            mover,
            omega: mover.omega(),
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            drag_force: DVec3::ZERO,
            drag_torque: DVec3::ZERO,
            drag_linear: 0.0,
            drag_angular: 0.0,
        }
    }

    /// Clips a triangle at depth zero and adds the wet part.
    fn triangle(&mut self, corners: [(DVec3, f64); 3]) {
        let below = corners.iter().filter(|(_, depth)| *depth > 0.0).count();
        if below == 0 {
            return;
        }
        if below == 3 {
            return self.wet_triangle(corners);
        }
        // Keeps wet corners and the crossings between them, in order.
        let mut polygon = [(DVec3::ZERO, 0.0); 4];
        let mut count = 0;
        for i in 0..3 {
            let (p, d) = corners[i];
            let (next, d_next) = corners[(i + 1) % 3];
            if d > 0.0 {
                polygon[count] = (p, d);
                count += 1;
            }
            if (d > 0.0) != (d_next > 0.0) {
                polygon[count] = (p + (next - p) * (d / (d - d_next)), 0.0);
                count += 1;
            }
        }
        for i in 2..count {
            self.wet_triangle([polygon[0], polygon[i - 1], polygon[i]]);
        }
    }

    /// Pressure and drag on a completely wet triangle.
    fn wet_triangle(&mut self, [(a, da), (b, db), (c, dc)]: [(DVec3, f64); 3]) {
        let centroid = (a + b + c) / 3.0;
        if !self.water.holds(self.water.up.split(centroid).0) {
            return;
        }
        let area = (b - a).cross(c - a) * 0.5;
        let size = area.length();
        if size == 0.0 {
            return;
        }
        // Pressure and linear drag are linear over the triangle and their
        // moments quadratic: the quadrature rule of the three edge midpoints is
        // exact for all of them.
        let weight = self.water.density * self.water.gravity;
        let (linear, quadratic) = (self.water.linear_drag, self.water.drag_coefficient);
        let drags = linear != 0.0 || quadratic != 0.0;
        for (p, q, d) in [(a, b, da + db), (b, c, db + dc), (c, a, dc + da)] {
            let point = (p + q) * 0.5;
            let mut force = area * (-weight * 0.5 * d / 3.0);
            if drags {
                let arm = point - self.mover.position;
                let velocity = self.mover.velocity + self.omega.cross(arm) - self.water.current;
                let outwards = velocity.dot(area).max(0.0) / size;
                let pressure = 0.5 * self.water.density * quadratic * outwards * outwards;
                let drag = (velocity * (linear * size) + area * pressure) / 3.0;
                force -= drag;
                // ½ ρ C vₙ² = (½ ρ C vₙ) vₙ: the factor of the velocity.
                let per_area = linear + 0.5 * self.water.density * quadratic * outwards;
                let coefficient = per_area * size / 3.0;
                self.drag_force -= drag;
                self.drag_torque -= arm.cross(drag);
                self.drag_linear += coefficient;
                self.drag_angular += coefficient * arm.length_squared();
            }
            self.push(point, force);
        }
    }

    fn push(&mut self, point: DVec3, force: DVec3) {
        self.force += force;
        self.torque += (point - self.mover.position).cross(force);
    }
}

impl Force for Water {
    fn apply(&mut self, t: f64, view: &View, loads: &mut Loads) {
        // Hulls are independent; their loads are added in the hulls' order, so
        // the sums do not depend on the number of threads.
        let wet: Vec<Load> = if self.hulls.len() > 4 {
            self.hulls
                .par_iter()
                .map(|h| self.on_hull(t, h, view))
                .collect()
        } else {
            self.hulls
                .iter()
                .map(|h| self.on_hull(t, h, view))
                .collect()
        };
        for (hull, load) in self.hulls.iter().zip(wet) {
            let (m, _) = view.mover(hull.body);
            loads.0[m].force += load.force;
            loads.0[m].torque_body += load.torque_body;
            loads.0[m].drag.add(&load.drag);
        }
    }

    fn reach(&self) -> Reach {
        Reach::Bodies(self.hulls.iter().map(|h| h.body).collect())
    }

    fn shift_bodies(&mut self, offset: usize) {
        self.hulls.iter_mut().for_each(|hull| hull.body += offset);
    }

    /// Never removed: bodies may be added to the water later.
    fn remove_body(&mut self, body: usize) -> bool {
        self.hulls.retain(|hull| hull.body != body);
        true
    }
}
