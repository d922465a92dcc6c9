//! From positions and velocities at the start of a step to the velocities at
//! its end, before collisions.

use crate::elastic::Elastic;
use crate::solve::Solver;
use crate::solve::cholesky::SparseCholesky;
use crate::solve::pcg::Pcg;
use conatus_math::{DMat3, DVec3};

/// How velocities are advanced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClothIntegrator {
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
pub struct ClothSettings {
    /// The rule for velocities.
    pub integrator: ClothIntegrator,
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

impl Default for ClothSettings {
    fn default() -> Self {
        Self {
            integrator: ClothIntegrator::ImplicitEuler,
            solver: Solver::Auto,
            tolerance: 1e-3,
            most_iterations: 400,
            newton_iterations: 1,
        }
    }
}

/// A spring without length between a vertex and a fixed point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothSpring {
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
pub struct ClothLoad<'a> {
    /// Acceleration of free fall, m/s².
    pub gravity: DVec3,
    /// Velocity of the air, m/s.
    pub wind: DVec3,
    /// Vertices whose velocity over the step is given, m/s. The last entry
    /// for a vertex counts.
    pub scripted: &'a [(u32, DVec3)],
    /// Springs to fixed points.
    pub springs: &'a [ClothSpring],
    /// Further forces, N: one for every vertex, or none at all.
    pub forces: &'a [DVec3],
    /// Contacts that the step should take into account.
    pub ties: &'a [ImplicitContact],
    /// The rigid bodies in them.
    pub bodies: &'a [ImplicitBody],
}

/// A rigid body that contacts tie to cloth.
#[derive(Clone, Copy, Debug)]
pub struct ImplicitBody {
    /// kg.
    pub mass: f64,
    /// The inertia tensor in world axes, kg·m².
    pub inertia: DMat3,
    /// The velocity it would have without cloth, m/s.
    pub velocity: DVec3,
    /// The angular velocity it would have, rad/s.
    pub omega: DVec3,
}

/// A contact within the linear system: the impulse that it gives follows the
/// velocity at the end of the step, J = −stiffness·(n·u − target) with
/// the relative velocity u = Σ wᵢ vᵢ + w v + ω × r, so that cloth pressed
/// against something knows that it cannot yield there. Implicit steps only.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImplicitContact {
    /// The vertices; only the first `count` count.
    pub vertices: [u32; 4],
    /// Their weights wᵢ.
    pub weights: [f64; 4],
    /// How many.
    pub count: usize,
    /// The body in it, if there is one: its number in [`ClothLoad::bodies`], w, r.
    pub body: Option<(u32, f64, DVec3)>,
    /// n, a unit vector.
    pub normal: DVec3,
    /// kg.
    pub stiffness: f64,
    /// m/s.
    pub target: f64,
}

impl ImplicitContact {
    /// The impulse for these velocities of all vertices, and for velocity and
    /// angular velocity of the body.
    pub fn impulse(&self, v: &[DVec3], body: impl Fn(u32) -> (DVec3, DVec3)) -> f64 {
        let mut u = 0.0;
        for k in 0..self.count {
            u += self.weights[k] * self.normal.dot(v[self.vertices[k] as usize]);
        }
        if let Some((b, weight, arm)) = self.body {
            let (velocity, omega) = body(b);
            u += self.normal.dot(weight * velocity + omega.cross(arm));
        }
        -self.stiffness * (u - self.target)
    }
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

/// What a step leaves for the next one to start from. It changes results
/// within the tolerance of the solver only, but whoever wants a run that was
/// stored and resumed to give the same bits keeps it too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WarmStart {
    /// The length of the last step, s; zero if there was none.
    pub step: f64,
    /// The change of every vertex's velocity in it, m/s.
    pub change: Vec<DVec3>,
}

/// What is kept between steps to save time, by place in the matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub pcg: Pcg,
    /// Made when first needed.
    pub cholesky: Option<Box<SparseCholesky>>,
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
        load: &ClothLoad,
        out: &mut [DVec3],
    ) -> SolveStats {
        let stats = match self.settings.integrator {
            ClothIntegrator::ImplicitEuler => self.implicit_euler(x, v, h, load, out),
            ClothIntegrator::SymplecticEuler => self.symplectic_euler(x, v, h, load, out),
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
        load: &ClothLoad,
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
    pub fn forces(&self, x: &[DVec3], v: &[DVec3], load: &ClothLoad, out: &mut [DVec3]) {
        let (x, v) = (self.placed(x), self.placed(v));
        let mut f = vec![DVec3::ZERO; x.len()];
        self.add_elastic_forces(&x, &mut f);
        if self.materials.iter().any(|m| m.damping_stiffness != 0.0) {
            let scale: Vec<f64> = self.materials.iter().map(|m| m.damping_stiffness).collect();
            self.add_damping(&x, &v, &scale, &mut f);
        }
        self.each_drag(&self.triangles, &x, &v, load.wind, |i, b| {
            f[i] += b.times(load.wind - v[i]);
        });
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

    /// What the next step starts from.
    pub fn warm_start(&self) -> WarmStart {
        let change = &self.work.change;
        let step = self.work.step;
        let places = self.place.iter().filter(|_| step > 0.0);
        WarmStart {
            step,
            change: places.map(|place| change[*place as usize]).collect(),
        }
    }

    /// Goes back to what an earlier step had left, or with the default to
    /// nothing.
    pub fn set_warm_start(&mut self, from: &WarmStart) {
        self.work.step = from.step;
        let mut change = std::mem::take(&mut self.work.change);
        change.clear();
        self.place_into(&from.change, &mut change);
        self.work.change = change;
    }
}
