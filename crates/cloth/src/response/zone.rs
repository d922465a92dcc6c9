//! An impact zone: collisions that share vertices and are therefore resolved
//! together (Harmon et al. §3).

use super::constraint::Constraint;
use super::gram::{self, Gram};
use super::motion::{NO_BODY, ResponseMotion};
use conatus_math::{DMat3, DVec3};
use std::collections::HashMap;

/// One equation for the velocities of a zone.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// Vertices by their number within the zone, and the gradient there.
    terms: [(u32, DVec3); 4],
    count: usize,
    /// A body by its number within the zone, and the gradient with respect to
    /// velocity and angular velocity.
    body: Option<(u32, DVec3, DVec3)>,
}

/// The equations of a zone, scaled to unit M⁻¹ norm: ∇C or ∇H.
pub(crate) struct ZoneRows {
    rows: Vec<Row>,
    /// The divisor of each row.
    pub(crate) scale: Vec<f64>,
    inverse_mass: Vec<f64>,
    bodies: Vec<(f64, DMat3)>,
}

/// Indices within a zone.
#[derive(Default)]
pub(crate) struct Numbering {
    vertices: HashMap<u32, u32>,
    bodies: HashMap<u32, u32>,
}

impl ZoneRows {
    /// One row for each direction that `directions` returns for a constraint.
    fn new<const N: usize>(
        motion: &ResponseMotion,
        constraints: &[Constraint],
        directions: impl Fn(&Constraint) -> [DVec3; N],
    ) -> Self {
        let mut numbers = Numbering::default();
        let mut all = Self {
            rows: Vec::with_capacity(N * constraints.len()),
            scale: Vec::with_capacity(N * constraints.len()),
            inverse_mass: Vec::new(),
            bodies: Vec::new(),
        };
        for c in constraints {
            for n in directions(c) {
                let mut row = Row::default();
                for s in c.shares() {
                    let next = numbers.vertices.len() as u32;
                    let local = *numbers.vertices.entry(s.point).or_insert(next);
                    if local == next {
                        all.inverse_mass.push(motion.inverse_mass[s.point as usize]);
                    }
                    row.terms[row.count] = (local, s.weight * n);
                    row.count += 1;
                }
                if c.body != NO_BODY {
                    let next = numbers.bodies.len() as u32;
                    let local = *numbers.bodies.entry(c.body).or_insert(next);
                    if local == next {
                        let b = &motion.bodies[c.body as usize];
                        all.bodies.push((b.inverse_mass, b.inverse_inertia));
                    }
                    row.body = Some((local, c.body_weight * n, c.body_arm.cross(n)));
                }
                let norm = n.dot(c.velocity_change(motion, n)).sqrt();
                let scale = if norm > 0.0 { 1.0 / norm } else { 0.0 };
                for t in &mut row.terms {
                    t.1 *= scale;
                }
                if let Some((_, linear, angular)) = &mut row.body {
                    *linear *= scale;
                    *angular *= scale;
                }
                all.rows.push(row);
                all.scale.push(scale);
            }
        }
        all
    }

    /// ∇C: the normal of each constraint, Harmon (1), (2).
    pub(crate) fn normals(motion: &ResponseMotion, constraints: &[Constraint]) -> Self {
        Self::new(motion, constraints, |c| [c.normal])
    }

    /// ∇H: all three directions of each constraint, Harmon (7).
    pub(crate) fn all_directions(motion: &ResponseMotion, constraints: &[Constraint]) -> Self {
        Self::new(motion, constraints, |_| [DVec3::X, DVec3::Y, DVec3::Z])
    }

    /// Momenta ∇ᵀ x of vertices and bodies.
    fn momenta(&self, x: &[f64], at: &mut Momenta) {
        at.clear(self.inverse_mass.len(), self.bodies.len());
        for (row, &x) in self.rows.iter().zip(x) {
            for &(i, g) in &row.terms[..row.count] {
                at.vertices[i as usize] += x * g;
            }
            if let Some((b, linear, angular)) = row.body {
                at.bodies[b as usize].0 += x * linear;
                at.bodies[b as usize].1 += x * angular;
            }
        }
    }

    /// M⁻¹ times momenta.
    fn velocities(&self, at: &mut Momenta) {
        for (p, m) in at.vertices.iter_mut().zip(&self.inverse_mass) {
            *p *= *m;
        }
        for (p, (mass, inertia)) in at.bodies.iter_mut().zip(&self.bodies) {
            *p = (p.0 * *mass, *inertia * p.1);
        }
    }

    #[inline]
    fn row_times(&self, row: &Row, at: &Momenta) -> f64 {
        let mut sum = 0.0;
        for &(i, g) in &row.terms[..row.count] {
            sum += g.dot(at.vertices[i as usize]);
        }
        if let Some((b, linear, angular)) = row.body {
            let (v, w) = at.bodies[b as usize];
            sum += linear.dot(v) + angular.dot(w);
        }
        sum
    }

    /// ‖M⁻¹ ∇ᵀ x‖ in the mass norm.
    pub(crate) fn norm(&self, x: &[f64]) -> f64 {
        let mut p = Momenta::default();
        self.momenta(x, &mut p);
        let mut v = p.clone();
        self.velocities(&mut v);
        let vertices = p.vertices.iter().zip(&v.vertices).map(|(p, v)| p.dot(*v));
        let bodies = p.bodies.iter().zip(&v.bodies);
        let bodies = bodies.map(|(p, v)| p.0.dot(v.0) + p.1.dot(v.1));
        (vertices.sum::<f64>() + bodies.sum::<f64>())
            .max(0.0)
            .sqrt()
    }

    /// Solves A λ = b within `tolerance` per row; see [`gram::solve`].
    pub(crate) fn solve(
        &self,
        b: &[f64],
        tolerance: f64,
        eigenvalue_fallback: bool,
        lambda: &mut Vec<f64>,
    ) -> f64 {
        gram::solve(self, b, tolerance, eigenvalue_fallback, lambda)
    }

    /// Finds λ ≥ 0 with A λ + b ≥ 0 and one of the two zero in every row, by
    /// projected Gauss-Seidel; returns the largest violation.
    pub(crate) fn solve_complementarity(
        &self,
        b: &[f64],
        tolerance: f64,
        sweeps: usize,
        lambda: &mut Vec<f64>,
    ) -> f64 {
        lambda.clear();
        lambda.resize(b.len(), 0.0);
        // Velocities M⁻¹ ∇ᵀ λ are updated as λ changes.
        let mut at = Momenta::default();
        at.clear(self.inverse_mass.len(), self.bodies.len());
        let mut worst = f64::INFINITY;
        for sweep in 0..sweeps {
            worst = 0.0;
            for k in 0..b.len() {
                let i = if sweep % 2 == 0 { k } else { b.len() - 1 - k };
                let row = &self.rows[i];
                let r = self.row_times(row, &at) + b[i];
                let next = (lambda[i] - r).max(0.0);
                let change = next - lambda[i];
                if change == 0.0 {
                    continue;
                }
                worst = worst.max(change.abs());
                lambda[i] = next;
                for &(v, g) in &row.terms[..row.count] {
                    at.vertices[v as usize] += change * self.inverse_mass[v as usize] * g;
                }
                if let Some((b, linear, angular)) = row.body {
                    let (mass, inertia) = self.bodies[b as usize];
                    let body = &mut at.bodies[b as usize];
                    body.0 += change * mass * linear;
                    body.1 += inertia * (change * angular);
                }
            }
            if worst <= tolerance {
                break;
            }
        }
        worst
    }
}

/// A vector over the vertices and bodies of a zone.
#[derive(Clone, Default)]
struct Momenta {
    vertices: Vec<DVec3>,
    bodies: Vec<(DVec3, DVec3)>,
}

impl Momenta {
    fn clear(&mut self, vertices: usize, bodies: usize) {
        self.vertices.clear();
        self.vertices.resize(vertices, DVec3::ZERO);
        self.bodies.clear();
        self.bodies.resize(bodies, (DVec3::ZERO, DVec3::ZERO));
    }
}

impl Gram for ZoneRows {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn multiply(&self, x: &[f64], out: &mut [f64]) {
        let mut at = Momenta::default();
        self.momenta(x, &mut at);
        self.velocities(&mut at);
        for (out, row) in out.iter_mut().zip(&self.rows) {
            *out = self.row_times(row, &at);
        }
    }

    fn entries(&self, entry: &mut dyn FnMut(usize, usize, f64)) {
        let mut at = Momenta::default();
        at.clear(self.inverse_mass.len(), self.bodies.len());
        for (i, row) in self.rows.iter().enumerate() {
            // M⁻¹ times this row; reset to zero afterwards.
            for &(v, g) in &row.terms[..row.count] {
                at.vertices[v as usize] += self.inverse_mass[v as usize] * g;
            }
            if let Some((b, linear, angular)) = row.body {
                let (mass, inertia) = self.bodies[b as usize];
                at.bodies[b as usize] = (mass * linear, inertia * angular);
            }
            for (j, other) in self.rows[..=i].iter().enumerate() {
                let value = self.row_times(other, &at);
                if value != 0.0 {
                    entry(i, j, value);
                }
            }
            for &(v, _) in &row.terms[..row.count] {
                at.vertices[v as usize] = DVec3::ZERO;
            }
            if let Some((b, ..)) = row.body {
                at.bodies[b as usize] = Default::default();
            }
        }
    }
}
