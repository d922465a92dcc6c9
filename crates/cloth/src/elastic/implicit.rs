//! One step of implicit Euler.
//!
//! Implicit Euler uses the forces at the *end* of the step for the change of
//! velocity (Baraff and Witkin 1998):
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
//! start, or the scripted one. Baraff and Witkin linearise at x instead; then
//! the neighbours of a vertex that is pulled out of plane react one step too
//! late, because a flat sheet at rest has no out-of-plane stiffness. Measured
//! on a sheet whose middle is suddenly pulled at 20 m/s (k = 1000 N/m,
//! h = 1/480): edges stretched 2.1 times when linearised at x, 1.58 here, 1.52
//! with four Newton iterations and in the limit of small steps.

use super::Elastic;
use crate::integrate::{ClothLoad, ClothSettings, ImplicitContact, SolveStats, Workspace};
use crate::solve::Solver;
use crate::solve::cholesky::SparseCholesky;
use crate::solve::matrix::{BlockMatrix, ContactTerm, add_to_diagonal, each_entry};
use conatus_math::DVec3;

/// The relative residual at which iterations are as accurate as a
/// factorisation.
const EXACT_RESIDUAL_RATIO: f64 = 1e-12;

/// Lower bound of the tolerance: changes of velocity below this acceleration,
/// m/s², are not resolved, so that cloth at rest costs nothing.
const MIN_ACCELERATION_M_S2: f64 = 0.1;

/// Upper bound of the tolerance with vertices that are fixed to free bodies. The
/// residual is missing in the momentum of body and cloth: measured on a sheet between
/// two bodies, a hundredth of the tolerance in every step.
const MAX_ATTACHED_TOLERANCE: f64 = 1e-8;

impl Elastic {
    pub(crate) fn implicit_euler(
        &mut self,
        x: &[DVec3],
        v: &[DVec3],
        h: f64,
        load: &ClothLoad,
        out: &mut [DVec3],
    ) -> SolveStats {
        let n = self.len();
        let mut work = std::mem::take(&mut self.work);
        let mut a = std::mem::take(&mut self.matrix);
        self.place_into(x, &mut work.x);
        self.place_into(v, &mut work.v);
        work.guess.clone_from(&work.v);
        // The rows of bodies (velocity and angular velocity) follow those of
        // vertices.
        let rows = a.len();
        debug_assert!(rows >= n + 2 * load.bodies.len());
        work.guess
            .extend(load.bodies.iter().flat_map(|b| [b.velocity, b.omega]));
        work.guess.resize(rows, DVec3::ZERO);
        work.scripted.clear();
        work.scripted.resize(rows, false);
        for (i, velocity) in load.scripted {
            let i = self.place[*i as usize] as usize;
            work.scripted[i] = true;
            work.guess[i] = *velocity;
        }
        self.mark_attached(h, load, &mut work);
        // Warm start: the change of velocity of the previous step; in the first
        // step, that of free fall.
        if work.step == 0.0 {
            work.change.resize(n, load.gravity);
            work.step = 1.0;
        }
        work.change.truncate(n);
        work.change.resize(rows, DVec3::ZERO);
        let ratio = h / work.step;
        work.step = h;
        for (c, scripted) in work.change.iter_mut().zip(&work.scripted) {
            *c = if *scripted { DVec3::ZERO } else { *c * ratio };
        }
        let mut stats = SolveStats::default();
        let mut least = h * MIN_ACCELERATION_M_S2 * self.total_mass.sqrt();
        for iteration in 0..self.settings.newton_iterations.max(1) {
            let strain = self.set_up(h, load, &mut a, &mut work);
            if iteration == 0 && self.use_mean_velocity_guess(h, strain, &mut work) {
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
            self.move_attached(h, load, &mut work);
        }
        let (change, guess, before) = (&mut work.change[..n], &work.guess, &work.v);
        each_entry(&a.parts, change, |i, change| *change = guess[i] - before[i]);
        for (out, place) in out.iter_mut().zip(&self.place) {
            *out = work.guess[*place as usize];
        }
        self.matrix = a;
        self.work = work;
        stats
    }

    /// Replaces the initial guess by the mean velocity of each piece where that
    /// is better, and returns whether it did.
    ///
    /// Implicit Euler minimises ½ (u − v)ᵀ M (u − v) + E(x + h u). The guess
    /// u = v leaves only E, which was `ahead`; the mean adds the kinetic energy
    /// about it. With steps much longer than the vibrations of the sheet, the
    /// guess u = v is far from the solution.
    fn use_mean_velocity_guess(&self, h: f64, ahead: f64, work: &mut Workspace) -> bool {
        let mut kinetic = 0.0;
        let mut means = Vec::new();
        for range in &self.ranges {
            let (mut momentum, mut mass) = (DVec3::ZERO, 0.0);
            for i in range.clone().filter(|i| !work.scripted[*i]) {
                momentum += work.v[i] * self.inertia[i];
                mass += self.inertia[i];
            }
            // A pinned piece does not drift: its mean is zero.
            let held = range.clone().any(|i| Self::is_held(work, i));
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
        // Factor two: when both are similar, u = v is the better guess.
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
        for (change, (old, new)) in work.change.iter_mut().zip(work.guess.iter().zip(&instead)) {
            *change += *old - *new;
        }
        work.guess = instead;
        true
    }

    /// Solves for the change of velocity, with the current one as initial
    /// guess. `least` grows to the size of the right-hand side, so that
    /// repeated solves of a step are not more accurate than the first.
    fn solve(&self, a: &BlockMatrix, least: &mut f64, work: &mut Workspace) -> SolveStats {
        let mut stats = SolveStats::default();
        let ClothSettings {
            tolerance, solver, ..
        } = self.settings;
        // Contacts and pins to bodies are not in the pattern of the Cholesky factor: with
        // them, the exact solver iterates to a small residual instead.
        let has_contacts = !a.ties.is_empty() || !a.couplings.is_empty();
        let (tolerance, most_iterations) = match solver {
            Solver::Cholesky => (EXACT_RESIDUAL_RATIO, 20 * self.settings.most_iterations),
            _ if work.has_attached() => {
                let tolerance = tolerance.min(MAX_ATTACHED_TOLERANCE);
                (tolerance, 4 * self.settings.most_iterations)
            }
            _ => (tolerance, self.settings.most_iterations),
        };
        if solver != Solver::Cholesky || has_contacts {
            let solved = work.pcg.solve(
                a,
                &work.rhs,
                &mut work.change,
                tolerance,
                *least,
                most_iterations,
            );
            *least = solved.scale;
            stats.iterations = solved.iterations;
            stats.residual = solved.residual;
            stats.converged = stats.residual <= tolerance;
            if stats.converged || solver == Solver::Pcg || has_contacts {
                return stats;
            }
        }
        let cholesky = work
            .cholesky
            .get_or_insert_with(|| Box::new(SparseCholesky::new(a, &self.rest)));
        if cholesky.factorise(a) {
            cholesky.solve(&work.rhs, &mut work.change);
            stats.factorised = true;
            stats.converged = work.change.iter().all(|c| c.is_finite());
            stats.residual = 0.0;
        }
        stats
    }

    /// The matrix term of an implicit contact.
    fn term(&self, t: &ImplicitContact) -> ContactTerm {
        let root = t.stiffness.sqrt();
        let mut term = ContactTerm::default();
        let mut add = |row: usize, gradient: DVec3| {
            term.rows[term.count] = row as u32;
            term.gradient[term.count] = root * gradient;
            term.count += 1;
        };
        for k in 0..t.count {
            let row = self.place[t.vertices[k] as usize];
            add(row as usize, t.weights[k] * t.normal);
        }
        if let Some((body, weight, arm)) = t.body {
            let row = self.len() + 2 * body as usize;
            add(row, weight * t.normal);
            add(row + 1, arm.cross(t.normal));
        }
        term
    }

    /// Assembles the matrix and right-hand side for the change from the guess.
    /// Returns the strain energy at the guess.
    fn set_up(&self, h: f64, load: &ClothLoad, a: &mut BlockMatrix, work: &mut Workspace) -> f64 {
        a.ties.clear();
        a.couplings.clear();
        let (x, v, u, rhs) = (&work.x, &work.v, &work.guess, &mut work.rhs);
        rhs.clear();
        rhs.resize(a.len(), DVec3::ZERO);
        work.product.resize(a.len(), DVec3::ZERO);
        work.ahead.clear();
        work.ahead.extend(x.iter().zip(u).map(|(x, u)| *x + *u * h));
        let beta = |piece: usize| self.materials[piece].damping_stiffness;
        let scale: Vec<f64> = (0..self.materials.len())
            .map(|piece| h * (beta(piece) + h))
            .collect();
        let strain = self.assemble(a, &work.ahead, &scale, rhs);
        // At this point the matrix is h (β + h) K.
        a.multiply(u, &mut work.product);
        self.map_strips(a, rhs, |share| {
            self.each_drag(share.triangles, x, v, load.wind, |i, b| {
                let row = i - share.first_row;
                b.add_to(&mut share.diagonal[row], h);
                share.vector[row] += b.times(load.wind - u[i]);
            });
        });
        // A vertex without triangles has no mass; it keeps its velocity.
        let kept = |i: usize| match self.inertia[i] {
            mass if mass > 0.0 => mass,
            _ => 1.0,
        };
        let BlockMatrix {
            diagonal, parts, ..
        } = &mut *a;
        for (piece, range) in self.ranges.iter().enumerate() {
            let alpha = self.materials[piece].damping_mass;
            let damped = beta(piece) / (beta(piece) + h);
            let first = range.start;
            each_entry(parts, &mut diagonal[range.clone()], |k, d| {
                add_to_diagonal(d, kept(first + k) * (1.0 + h * alpha));
            });
            each_entry(parts, &mut rhs[range.clone()], |k, rhs| {
                let i = first + k;
                let weight = (load.gravity - u[i] * alpha) * self.inertia[i];
                let lag = (v[i] - u[i]) * kept(i);
                *rhs = (*rhs + weight) * h + lag - work.product[i] * damped;
            });
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
        self.add_bodies_inertia(load, u, a, rhs);
        for t in load.ties {
            let term = self.term(t);
            let root = t.stiffness.sqrt();
            let rows = term.rows.iter().zip(&term.gradient).take(term.count);
            let along = rows
                .clone()
                .map(|(&i, g)| g.dot(u[i as usize]))
                .sum::<f64>()
                / root;
            let impulse = -t.stiffness * (along - t.target);
            for (&i, g) in rows {
                rhs[i as usize] += impulse / root * *g;
            }
            a.tie(term);
        }
        self.eliminate_attached(load, &work.attached, &work.scripted, a, rhs);
        if !load.scripted.is_empty() || !load.attached.is_empty() {
            a.leave_out(&work.scripted, rhs);
        }
        strain
    }
}
