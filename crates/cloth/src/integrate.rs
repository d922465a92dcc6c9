//! From positions and velocities at the start of a step to the velocities at
//! its end, before collisions.
//!
//! Implicit Euler asks that the forces at the *end* of the step make the
//! change of velocity (Baraff and Witkin 1998):
//!
//! M (v′ − v) = h (f(x + h v′) − (αM + βK) v′ + M g + B (w − v′)),
//!
//! with Rayleigh damping α, β, the air's resistance B and the wind w. From a
//! guess u of v′ one step of Newton's method is the linear system
//!
//! ((1 + hα) M + h (β + h) K + h B) (v′ − u)
//!   = M (v − u) + h (f(x + h u) − (αM + βK) u + M g + B (w − u)).
//!
//! K is the positive semi-definite part of the stiffness at x + h u, so the
//! matrix is positive definite for any step. The guess is the velocity at the
//! start, or what is scripted. Baraff and Witkin linearise at x instead; then
//! the neighbours of a vertex that is torn away sideways learn of it a step
//! too late, for a flat sheet at rest resists nothing across. Measured on a
//! sheet whose middle is suddenly pulled at 20 m/s (k = 1000 N/m, h = 1/480):
//! edges stretched 2.1 times when linearised at x, 1.58 here, 1.52 with four
//! Newton iterations and in the limit of small steps.

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
    /// The changes of velocity are then exact to about this, as measured on
    /// hanging cloth.
    pub tolerance: f64,
    /// And give up after so many iterations.
    pub most_iterations: usize,
    /// How often the forces are linearised in a step. Once is enough while
    /// vertices move less than about an edge in a step; where they are torn
    /// away faster, two or three keep the stretch true.
    pub newton_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            integrator: Integrator::ImplicitEuler,
            solver: Solver::Auto,
            tolerance: 1e-3,
            most_iterations: 400,
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
    /// The velocity at the end, as far as it is known.
    pub guess: Vec<DVec3>,
    /// The positions where that leads.
    pub ahead: Vec<DVec3>,
    pub rhs: Vec<DVec3>,
    pub product: Vec<DVec3>,
    pub scripted: Vec<bool>,
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
        work.guess.clone_from(&work.v);
        work.scripted.clear();
        work.scripted.resize(n, false);
        for (i, velocity) in load.scripted {
            let i = self.place[*i as usize] as usize;
            work.scripted[i] = true;
            work.guess[i] = *velocity;
        }
        // The change in this step is likely that of the last; at first, that
        // of free fall.
        if work.step == 0.0 {
            work.change.resize(n, load.gravity);
            work.step = 1.0;
        }
        let ratio = h / work.step;
        work.step = h;
        for (c, scripted) in work.change.iter_mut().zip(&work.scripted) {
            *c = if *scripted { DVec3::ZERO } else { *c * ratio };
        }
        let mut stats = SolveStats::default();
        let mut least = h * LEAST_ACCELERATION * self.total_mass.sqrt();
        for iteration in 0..self.settings.newton_iterations.max(1) {
            let strain = self.set_up(h, load, &mut a, &mut work);
            if iteration == 0 && self.stay_instead(h, strain, &mut work) {
                self.set_up(h, load, &mut a, &mut work);
            }
            let last = self.solve(&a, &mut least, &mut work);
            stats = SolveStats {
                iterations: stats.iterations + last.iterations,
                ..last
            };
            for (guess, change) in work.guess.iter_mut().zip(&mut work.change) {
                *guess += *change;
                *change = DVec3::ZERO;
            }
        }
        for i in 0..n {
            work.change[i] = work.guess[i] - work.v[i];
        }
        for (out, place) in out.iter_mut().zip(&self.place) {
            *out = work.guess[*place as usize];
        }
        self.matrix = a;
        self.work = work;
        stats
    }

    /// Whether the velocities at the start are a bad guess of those at the
    /// end, and replaces them by the mean of each piece if so.
    ///
    /// Implicit Euler minimises ½ (u − v)ᵀ M (u − v) + E(x + h u). The guess
    /// u = v leaves only E, which was `ahead`; the mean adds the kinetic energy
    /// about it. Steps much longer than the vibrations
    /// of the sheet would go far astray with the first.
    fn stay_instead(&self, h: f64, ahead: f64, work: &mut Workspace) -> bool {
        let mut kinetic = 0.0;
        let mut means = Vec::new();
        for range in &self.ranges {
            let (mut momentum, mut mass) = (DVec3::ZERO, 0.0);
            for i in range.clone().filter(|i| !work.scripted[*i]) {
                momentum += work.v[i] * self.inertia[i];
                mass += self.inertia[i];
            }
            // A piece that is held has no business drifting on.
            let held = range.clone().any(|i| work.scripted[i]);
            let mean = if mass > 0.0 && !held {
                momentum / mass
            } else {
                DVec3::ZERO
            };
            for i in range.clone().filter(|i| !work.scripted[*i]) {
                kinetic += 0.5 * self.inertia[i] * (work.v[i] - mean).length_squared();
            }
            means.push(mean);
        }
        // Twice: near a tie the first guess is the better.
        if ahead <= 2.0 * kinetic {
            return false;
        }
        let mut instead = work.guess.clone();
        for (range, mean) in self.ranges.iter().zip(means) {
            for i in range.clone().filter(|i| !work.scripted[*i]) {
                instead[i] = mean;
            }
        }
        let moved = work.x.iter().zip(&instead).map(|(x, u)| *x + *u * h);
        if ahead <= 2.0 * (kinetic + self.strain_energy(&moved.collect::<Vec<_>>())) {
            return false;
        }
        for i in 0..instead.len() {
            work.change[i] += work.guess[i] - instead[i];
        }
        work.guess = instead;
        true
    }

    /// Solves for the change of velocity, starting from what is in its place.
    /// `least` grows to the size of the right-hand side, so that repeated
    /// solves of a step become no more exact than the first.
    fn solve(&self, a: &BlockMatrix, least: &mut f64, work: &mut Workspace) -> SolveStats {
        let mut stats = SolveStats::default();
        let Settings {
            tolerance, solver, ..
        } = self.settings;
        if solver != Solver::Cholesky {
            let solved = work.pcg.solve(
                a,
                &work.rhs,
                &mut work.change,
                tolerance,
                *least,
                self.settings.most_iterations,
            );
            *least = solved.scale;
            stats.iterations = solved.iterations;
            stats.residual = solved.residual;
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

    /// The matrix and right-hand side for the change from the guess. Returns
    /// the strain energy that the guess leads to.
    fn set_up(&self, h: f64, load: &Load, a: &mut BlockMatrix, work: &mut Workspace) -> f64 {
        let n = self.len();
        let (x, v, u, rhs) = (&work.x, &work.v, &work.guess, &mut work.rhs);
        rhs.clear();
        rhs.resize(n, DVec3::ZERO);
        work.product.resize(n, DVec3::ZERO);
        work.ahead.clear();
        work.ahead.extend(x.iter().zip(u).map(|(x, u)| *x + *u * h));
        let beta = |piece: usize| self.materials[piece].damping_stiffness;
        let scale: Vec<f64> = (0..self.materials.len())
            .map(|piece| h * (beta(piece) + h))
            .collect();
        let strain = self.assemble(a, &work.ahead, &scale, rhs);
        // The matrix is h (β + h) K as yet.
        a.multiply(u, &mut work.product);
        let diagonal = &mut a.diagonal;
        self.each_drag(x, v, load.wind, |i, b| {
            diagonal[i] += b * h;
            rhs[i] += b * (load.wind - u[i]);
        });
        for (piece, range) in self.ranges.iter().enumerate() {
            let alpha = self.materials[piece].damping_mass;
            let damped = beta(piece) / (beta(piece) + h);
            for i in range.clone() {
                // A vertex without triangles has no mass; it keeps its velocity.
                let mass = self.inertia[i];
                let m = if mass > 0.0 { mass } else { 1.0 };
                add_to_diagonal(&mut diagonal[i], m * (1.0 + h * alpha));
                let weight = (load.gravity - u[i] * alpha) * mass;
                rhs[i] = (rhs[i] + weight) * h + (v[i] - u[i]) * m - work.product[i] * damped;
            }
        }
        for (place, extra) in self.place.iter().zip(load.forces) {
            rhs[*place as usize] += *extra * h;
        }
        for s in load.springs {
            let i = self.place[s.vertex as usize] as usize;
            add_to_diagonal(&mut diagonal[i], h * (s.damping + h * s.stiffness));
            let force = (s.point - work.ahead[i]) * s.stiffness - u[i] * s.damping;
            rhs[i] += force * h;
        }
        if !load.scripted.is_empty() {
            a.leave_out(&work.scripted, rhs);
        }
        strain
    }
}
