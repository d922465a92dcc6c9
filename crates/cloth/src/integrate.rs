//! From positions and velocities at the start of a step to the velocities at
//! its end, before collisions.
//!
//! Implicit Euler asks that the forces at the *end* of the step make the
//! change of velocity (Baraff and Witkin 1998). With x′ = x + h v′ and the
//! elastic force linearised, f(x′) ≈ f(x) − h K v′, and with Rayleigh damping
//! (αM + βK) v′ and the air's B (v′ − w), the velocities v′ solve
//!
//! ((1 + hα) M + h (β + h) K + h B) v′ = M v + h (f(x) + M g + B w).
//!
//! K is the positive semi-definite part of the stiffness, so the matrix is
//! positive definite for any step.

use crate::elastic::Elastic;
use crate::solve::Solver;
use crate::solve::cholesky::Cholesky;
use crate::solve::matrix::{BlockMatrix, add_to_diagonal};
use crate::solve::pcg::Pcg;
use conatus_math::DVec3;

/// Changes of velocity are never asked for more exactly than those of this
/// acceleration, m/s², so that cloth at rest costs nothing.
const LEAST_ACCELERATION: f64 = 0.1;

/// How velocities are advanced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Linearised implicit Euler: stable at any step, damps fast vibrations.
    #[default]
    ImplicitEuler,
    /// Velocities from the forces at the start, positions from the new
    /// velocities: keeps the energy, but only for steps shorter than the
    /// fastest vibration.
    SymplecticEuler,
}

/// How steps are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The rule for velocities.
    pub integrator: Integrator,
    /// The method for the linear system.
    pub solver: Solver,
    /// Conjugate gradients stop when the residual is this part of the first.
    pub tolerance: f64,
    /// And give up after so many iterations.
    pub most_iterations: usize,
    /// How often the forces are linearised in a step. Once is enough unless
    /// the stretch in a single step is large.
    pub newton_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            integrator: Integrator::ImplicitEuler,
            solver: Solver::Auto,
            tolerance: 1e-4,
            most_iterations: 500,
            newton_iterations: 1,
        }
    }
}

/// A spring without length between a vertex and a fixed point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The vertex, in the numbering of all pieces.
    pub vertex: u32,
    /// Where it is held, m.
    pub point: DVec3,
    /// N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
}

/// What acts on the cloth from outside during a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load<'a> {
    /// Acceleration of free fall, m/s².
    pub gravity: DVec3,
    /// Velocity of the air, m/s.
    pub wind: DVec3,
    /// Vertices whose velocity over the step is given, m/s. The last entry
    /// for a vertex counts.
    pub scripted: &'a [(u32, DVec3)],
    /// Springs to fixed points.
    pub springs: &'a [Spring],
    /// Further forces, N: one for every vertex, or none at all.
    pub forces: &'a [DVec3],
}

/// How a step's linear system was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveStats {
    /// Iterations of conjugate gradients.
    pub iterations: usize,
    /// Whether a Cholesky factorisation gave the result.
    pub factorised: bool,
    /// Residual relative to the first.
    pub residual: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// What is kept between steps to save time, by place in the matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub pcg: Pcg,
    /// Made when first needed.
    pub cholesky: Option<Box<Cholesky>>,
    /// Change of velocity in the last step, and that step.
    pub change: Vec<DVec3>,
    pub step: f64,
    pub x: Vec<DVec3>,
    pub v: Vec<DVec3>,
    pub rhs: Vec<DVec3>,
    pub product: Vec<DVec3>,
    pub known: Vec<Option<DVec3>>,
}

impl Elastic {
    /// The velocities at the end of a step of `h` seconds if nothing is in the
    /// way, from positions `x` and velocities `v` at its start.
    pub fn candidate_velocities(
        &mut self,
        x: &[DVec3],
        v: &[DVec3],
        h: f64,
        load: &Load,
        out: &mut [DVec3],
    ) -> SolveStats {
        let stats = match self.settings.integrator {
            Integrator::ImplicitEuler => self.implicit_euler(x, v, h, load, out),
            Integrator::SymplecticEuler => self.symplectic_euler(x, v, h, load, out),
        };
        for (i, velocity) in load.scripted {
            out[*i as usize] = *velocity;
        }
        stats
    }

    fn symplectic_euler(
        &mut self,
        x: &[DVec3],
        v: &[DVec3],
        h: f64,
        load: &Load,
        out: &mut [DVec3],
    ) -> SolveStats {
        self.forces(x, v, load, out);
        for ((out, v), m) in out.iter_mut().zip(v).zip(self.masses()) {
            *out = if *m > 0.0 { *v + *out * (h / m) } else { *v };
        }
        SolveStats {
            converged: true,
            ..SolveStats::default()
        }
    }

    /// All forces at positions `x` and velocities `v`, N: elastic, damping,
    /// air, weight and springs. What is scripted has no part in it.
    pub fn forces(&self, x: &[DVec3], v: &[DVec3], load: &Load, out: &mut [DVec3]) {
        let (x, v) = (self.placed(x), self.placed(v));
        let mut f = vec![DVec3::ZERO; x.len()];
        self.add_elastic_forces(&x, &mut f);
        if self.materials.iter().any(|m| m.damping_stiffness != 0.0) {
            let scale: Vec<f64> = self.materials.iter().map(|m| m.damping_stiffness).collect();
            self.add_damping(&x, &v, &scale, &mut f);
        }
        self.each_drag(&x, &v, load.wind, |i, b| f[i] -= b * (v[i] - load.wind));
        for (piece, range) in self.ranges.iter().enumerate() {
            let alpha = self.materials[piece].damping_mass;
            for i in range.clone() {
                f[i] += (load.gravity - v[i] * alpha) * self.inertia[i];
            }
        }
        for s in load.springs {
            let i = self.place[s.vertex as usize] as usize;
            f[i] += (s.point - x[i]) * s.stiffness - v[i] * s.damping;
        }
        for (out, place) in out.iter_mut().zip(&self.place) {
            *out = f[*place as usize];
        }
        for (out, extra) in out.iter_mut().zip(load.forces) {
            *out += *extra;
        }
    }

    fn implicit_euler(
        &mut self,
        x: &[DVec3],
        v: &[DVec3],
        h: f64,
        load: &Load,
        out: &mut [DVec3],
    ) -> SolveStats {
        let n = self.len();
        let mut work = std::mem::take(&mut self.work);
        let mut a = std::mem::take(&mut self.matrix);
        self.place_into(x, &mut work.x);
        self.place_into(v, &mut work.v);
        // The change in this step is likely that of the last.
        let ratio = if work.step > 0.0 { h / work.step } else { 0.0 };
        work.step = h;
        work.change.resize(n, DVec3::ZERO);
        for c in &mut work.change {
            *c *= ratio;
        }
        work.known.clear();
        work.known.resize(n, None);
        for (i, velocity) in load.scripted {
            let i = self.place[*i as usize] as usize;
            work.known[i] = Some(*velocity - work.v[i]);
        }
        let mut stats = SolveStats::default();
        for iteration in 0..self.settings.newton_iterations.max(1) {
            self.set_up(h, load, iteration > 0, &mut a, &mut work);
            let last = self.solve(&a, h, &mut work);
            for (c, known) in work.change.iter_mut().zip(&work.known) {
                *c = known.unwrap_or(*c);
            }
            stats = SolveStats {
                iterations: stats.iterations + last.iterations,
                ..last
            };
        }
        for ((out, v), place) in out.iter_mut().zip(v).zip(&self.place) {
            *out = *v + work.change[*place as usize];
        }
        self.matrix = a;
        self.work = work;
        stats
    }

    /// Solves for the change of velocity from the guess that is in its place.
    fn solve(&self, a: &BlockMatrix, h: f64, work: &mut Workspace) -> SolveStats {
        let mut stats = SolveStats::default();
        let Settings {
            tolerance, solver, ..
        } = self.settings;
        if solver != Solver::Cholesky {
            (stats.iterations, stats.residual) = work.pcg.solve(
                a,
                &work.rhs,
                &mut work.change,
                tolerance,
                h * LEAST_ACCELERATION * self.total_mass.sqrt(),
                self.settings.most_iterations,
            );
            stats.converged = stats.residual <= tolerance;
            if stats.converged || solver == Solver::Pcg {
                return stats;
            }
        }
        let cholesky = work
            .cholesky
            .get_or_insert_with(|| Box::new(Cholesky::new(a, &self.rest)));
        if cholesky.factorise(a) {
            cholesky.solve(&work.rhs, &mut work.change);
            stats.factorised = true;
            stats.converged = true;
            stats.residual = 0.0;
        }
        stats
    }

    /// The matrix and right-hand side for the change of velocity.
    ///
    /// The first time in a step the forces are linearised at the start of it.
    /// `again`, they are linearised at the end x* = x + h v* that the last
    /// solution would lead to: f(x + h v′) ≈ f(x*) − h K* (v′ − v*), which is
    /// Newton's method.
    fn set_up(&self, h: f64, load: &Load, again: bool, a: &mut BlockMatrix, work: &mut Workspace) {
        let n = self.len();
        let (x, v, rhs) = (&work.x, &work.v, &mut work.rhs);
        rhs.clear();
        rhs.resize(n, DVec3::ZERO);
        work.product.resize(n, DVec3::ZERO);
        let beta = |piece: usize| self.materials[piece].damping_stiffness;
        let scale: Vec<f64> = (0..self.materials.len())
            .map(|piece| h * (beta(piece) + h))
            .collect();
        if again {
            let changed = v.iter().zip(&work.change);
            let end: Vec<DVec3> = changed.map(|(v, c)| *v + *c).collect();
            let ahead: Vec<DVec3> = x.iter().zip(&end).map(|(x, v)| *x + *v * h).collect();
            self.assemble(a, &ahead, &scale, rhs);
            // The matrix is h (β + h) K* as yet; the force asks for h K*.
            a.multiply(&end, &mut work.product);
            for (piece, range) in self.ranges.iter().enumerate() {
                let share = 1.0 / (beta(piece) + h);
                for i in range.clone() {
                    rhs[i] += work.product[i] * share;
                }
            }
        } else {
            self.assemble(a, x, &scale, rhs);
        }
        let diagonal = &mut a.diagonal;
        self.each_drag(x, v, load.wind, |i, b| {
            diagonal[i] += b * h;
            rhs[i] += b * load.wind;
        });
        for (piece, range) in self.ranges.iter().enumerate() {
            let alpha = self.materials[piece].damping_mass;
            for i in range.clone() {
                // A vertex without triangles has no mass; it keeps its velocity.
                let mass = self.inertia[i];
                let m = if mass > 0.0 { mass } else { 1.0 };
                add_to_diagonal(&mut diagonal[i], m * (1.0 + h * alpha));
                rhs[i] = (rhs[i] + load.gravity * mass) * h + v[i] * m;
            }
        }
        for (place, extra) in self.place.iter().zip(load.forces) {
            rhs[*place as usize] += *extra * h;
        }
        for s in load.springs {
            let i = self.place[s.vertex as usize] as usize;
            add_to_diagonal(&mut diagonal[i], h * (s.damping + h * s.stiffness));
            rhs[i] += (s.point - x[i]) * (s.stiffness * h);
        }
        // From v′ to its change.
        a.multiply(v, &mut work.product);
        for (b, av) in rhs.iter_mut().zip(&work.product) {
            *b -= *av;
        }
        if !load.scripted.is_empty() {
            a.eliminate(&work.known, rhs);
            // Rows of what is known are left empty, also for the norms.
            for ((known, b), c) in work.known.iter().zip(rhs).zip(&mut work.change) {
                if known.is_some() {
                    *b = DVec3::ZERO;
                    *c = DVec3::ZERO;
                }
            }
        }
    }
}
