//! Time integration of cloth velocities over a step, before collisions.

use crate::elastic::Elastic;
use crate::solve::Solver;
use crate::solve::cholesky::SparseCholesky;
use crate::solve::pcg::Pcg;
use conatus_math::{DMat3, DVec3};

/// How velocities are advanced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClothIntegrator {
    /// Linearised implicit Euler: stable for any step, damps fast vibrations.
    #[default]
    ImplicitEuler,
    /// Symplectic Euler: velocities from the forces at the start, positions
    /// from the new velocities. Keeps the energy, but needs steps shorter than
    /// the fastest vibration.
    SymplecticEuler,
}

/// How steps are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothSettings {
    /// The integration method.
    pub integrator: ClothIntegrator,
    /// The linear solver.
    pub solver: Solver,
    /// Conjugate gradients stop at this residual relative to the first. The
    /// relative error of velocity changes is then about the same, as measured
    /// on hanging cloth.
    pub tolerance: f64,
    /// Maximum number of iterations.
    pub most_iterations: usize,
    /// Newton iterations per step. One is enough while vertices move less than
    /// about an edge length per step; for faster motion, two or three keep the
    /// stretch accurate.
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

/// A spring of zero rest length between a vertex and a fixed point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothSpring {
    /// The vertex, in the numbering of all pieces.
    pub vertex: u32,
    /// The fixed point, m.
    pub point: DVec3,
    /// N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
}

/// External forces and constraints on the cloth during a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClothLoad<'a> {
    /// Acceleration of free fall, m/s².
    pub gravity: DVec3,
    /// Velocity of the air, m/s.
    pub wind: DVec3,
    /// Vertices with prescribed velocity over the step, m/s. The last entry for
    /// a vertex wins.
    pub scripted: &'a [(u32, DVec3)],
    /// Springs to fixed points.
    pub springs: &'a [ClothSpring],
    /// Further forces, N: one for every vertex, or none at all.
    pub forces: &'a [DVec3],
    /// Implicit contacts.
    pub ties: &'a [ImplicitContact],
    /// The rigid bodies in these contacts, or with attached vertices.
    pub bodies: &'a [ImplicitBody],
    /// Vertices fixed to these bodies. Implicit steps only: explicit ones move
    /// vertices and bodies each by itself.
    pub attached: &'a [VertexAttachment],
}

/// A vertex that is fixed to a rigid body.
#[derive(Clone, Copy, Debug)]
pub struct VertexAttachment {
    /// The vertex, in the numbering of all pieces.
    pub vertex: u32,
    /// The body: its index in [`ClothLoad::bodies`].
    pub body: u32,
    /// From the point of the body's velocity to the vertex, m.
    pub arm: DVec3,
}

/// A rigid body in contact with cloth, or with vertices fixed to it.
#[derive(Clone, Copy, Debug)]
pub struct ImplicitBody {
    /// kg.
    pub mass: f64,
    /// The inertia tensor in world axes, kg·m².
    pub inertia: DMat3,
    /// The velocity of its point of reference without cloth, m/s.
    pub velocity: DVec3,
    /// Its angular velocity without cloth, rad/s.
    pub omega: DVec3,
    /// From the point of reference to the centre of mass, m.
    pub offset: DVec3,
}

/// A contact in the linear system: its impulse depends on the velocity at the
/// end of the step, J = −stiffness·(n·u − target) with the relative velocity
/// u = Σ wᵢ vᵢ + w v + ω × r, so that the elastic solve accounts for the
/// contact. Implicit steps only.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImplicitContact {
    /// The vertices; only the first `count` are used.
    pub vertices: [u32; 4],
    /// Their weights wᵢ.
    pub weights: [f64; 4],
    /// Number of vertices.
    pub count: usize,
    /// The body, if any: its index in [`ClothLoad::bodies`], w, r.
    pub body: Option<(u32, f64, DVec3)>,
    /// n, a unit vector.
    pub normal: DVec3,
    /// kg.
    pub stiffness: f64,
    /// m/s.
    pub target: f64,
}

impl ImplicitContact {
    /// The impulse for these velocities of all vertices, and of the body.
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

/// Statistics of a step's linear solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveStats {
    /// Iterations of conjugate gradients.
    pub iterations: usize,
    /// Whether the result is from a Cholesky factorisation.
    pub factorised: bool,
    /// Residual relative to the first.
    pub residual: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// Warm start of the next step. It changes results only within the tolerance of
/// the solver, but must be stored for a resumed run to be bit-identical.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WarmStart {
    /// The length of the last step, s; zero before the first.
    pub step: f64,
    /// The change of every vertex's velocity in it, m/s.
    pub change: Vec<DVec3>,
}

/// Buffers kept between steps, in the order of the matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub pcg: Pcg,
    /// Created when first needed.
    pub cholesky: Option<Box<SparseCholesky>>,
    /// Change of velocity in the last step, and that step.
    pub change: Vec<DVec3>,
    pub step: f64,
    pub x: Vec<DVec3>,
    pub v: Vec<DVec3>,
    /// The current guess of the velocity at the end.
    pub guess: Vec<DVec3>,
    /// The positions at that guess.
    pub ahead: Vec<DVec3>,
    pub rhs: Vec<DVec3>,
    pub product: Vec<DVec3>,
    pub scripted: Vec<bool>,
    /// The attachment of each row, if there are any.
    pub attached: Vec<u32>,
}

impl Elastic {
    /// The velocities at the end of a step of `h` seconds without collisions,
    /// from positions `x` and velocities `v` at its start.
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
    /// air, weight and springs. Scripted velocities are ignored.
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

    /// The warm start for the next step.
    pub fn warm_start(&self) -> WarmStart {
        let change = &self.work.change;
        let step = self.work.step;
        let places = self.place.iter().filter(|_| step > 0.0);
        WarmStart {
            step,
            change: places.map(|place| change[*place as usize]).collect(),
        }
    }

    /// Restores a warm start; the default clears it.
    pub fn set_warm_start(&mut self, from: &WarmStart) {
        self.work.step = from.step;
        let mut change = std::mem::take(&mut self.work.change);
        change.clear();
        self.place_into(&from.change, &mut change);
        self.work.change = change;
    }
}
