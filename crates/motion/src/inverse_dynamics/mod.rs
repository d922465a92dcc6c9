//! Which contact forces explain a movement: the quadratic programme of
//! Mordatch (6), solved through its dual.
//!
//! A contact's force is six numbers f in the axes of its patch: two along the
//! surface, one across it, and the moments about the centre of the patch. The
//! centre of pressure stays on the patch, friction in its cone and torsion within
//! bounds when f is in one constant cone K ([`Cone`]). With τ of (5), G = Jᵀ and
//! W of (7), which is the same for all six numbers of a contact,
//! ```text
//! min ½|G f − τ|² + ½ fᵀ W f   over f ∈ K      has      f_i = Proj_i(G_iᵀ λ)/W_i,
//! λ + Σ_i G_i Proj_i(G_iᵀ λ)/W_i = τ,
//! ```
//! and λ = τ − G f is what is left unexplained. So there are six unknowns for a
//! body, however many contacts it has. The left side is the gradient of a convex
//! function; Newton's method with a line search finds its root, with
//! H = I + Σ G_i Proj_i′ G_iᵀ/W_i, from the λ of the time before in one or two
//! iterations.
//!
//! Forces are in units of the weight of the contact's owner, rows of G and τ in
//! units of the weight of the body they belong to; moments are scaled by
//! [`MOMENT`].

mod cone;
mod dense;

use conatus_math::{DMat3, DVec3};
pub use cone::Cone;
use dense::Factor;

/// Rows of moments (in weights times metres) are this much dearer than rows of
/// forces.
pub const MOMENT: f64 = 2.0;

/// Six numbers: a force and a moment.
pub type Six = [f64; 6];

/// A body that contacts act on.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// The centre of mass.
    pub position: DVec3,
    /// What has to be explained: (p̈ − g)/|g|, and MOMENT · d(Iω)/dt / (m |g|).
    pub demand: Six,
}

/// A contact at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// The body that its force pushes.
    pub on: usize,
    /// The body that feels the reaction, if that is one that moves, and the ratio
    /// of the owner's mass to its mass.
    pub against: Option<(usize, f64)>,
    /// The centre of the patch.
    pub position: DVec3,
    /// From patch axes to world axes.
    pub matrix: DMat3,
    /// What forces it may bear; everything if there is none, as in a grip.
    pub cone: Option<Cone>,
    /// W of (7).
    pub weight: f64,
}

/// The solution of the programme at one moment.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// What is left unexplained: six numbers for each body.
    pub lambda: Vec<f64>,
    /// The force of each contact, in its patch's axes.
    pub forces: Vec<Six>,
    /// Proj′/W of each contact.
    slopes: Vec<[Six; 6]>,
    factor: Factor,
    gradient: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    trial_forces: Vec<Six>,
}

/// The force and moment, in world axes, of six numbers of a contact: force, and
/// moment about the centre of its patch.
pub fn wrench(contact: &Contact, f: &Six) -> (DVec3, DVec3) {
    (
        contact.matrix * DVec3::new(f[0], f[1], f[2]),
        contact.matrix * DVec3::new(f[3], f[4], f[5]),
    )
}

/// Calls for each body that a contact acts on: its number, the factor of its
/// rows (−1 for a reaction between equals) and the arm.
#[inline]
fn ends(bodies: &[Body], contact: &Contact, mut each: impl FnMut(usize, f64, DVec3)) {
    each(
        contact.on,
        1.0,
        contact.position - bodies[contact.on].position,
    );
    if let Some((other, ratio)) = contact.against {
        each(other, -ratio, contact.position - bodies[other].position);
    }
}

#[inline]
fn vector(v: &[f64]) -> DVec3 {
    DVec3::new(v[0], v[1], v[2])
}

/// G_iᵀ λ.
#[inline]
pub(crate) fn transpose_times(bodies: &[Body], contact: &Contact, lambda: &[f64]) -> Six {
    let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
    ends(bodies, contact, |body, factor, arm| {
        let (l, m) = (
            vector(&lambda[6 * body..]),
            vector(&lambda[6 * body + 3..]) * MOMENT,
        );
        force += (l + m.cross(arm)) * factor;
        moment += m * factor;
    });
    let r = &contact.matrix;
    [
        r.x_axis.dot(force),
        r.y_axis.dot(force),
        r.z_axis.dot(force),
        r.x_axis.dot(moment),
        r.y_axis.dot(moment),
        r.z_axis.dot(moment),
    ]
}

/// out += G_i f.
#[inline]
fn add_times(bodies: &[Body], contact: &Contact, f: &Six, out: &mut [f64]) {
    let (force, moment) = wrench(contact, f);
    ends(bodies, contact, |body, factor, arm| {
        let turning = (arm.cross(force) + moment) * (MOMENT * factor);
        let pushing = force * factor;
        let out = &mut out[6 * body..6 * body + 6];
        for k in 0..3 {
            out[k] += pushing[k];
            out[k + 3] += turning[k];
        }
    });
}

impl Solution {
    /// Solves the programme of Mordatch (6), starting from the λ that is there.
    pub fn solve(&mut self, bodies: &[Body], contacts: &[Contact]) {
        let n = 6 * bodies.len();
        if self.lambda.len() != n {
            self.lambda.clear();
            self.lambda.resize(n, 0.0);
        }
        self.forces.resize(contacts.len(), [0.0; 6]);
        self.trial_forces.resize(contacts.len(), [0.0; 6]);
        self.slopes.resize(contacts.len(), [[0.0; 6]; 6]);
        self.gradient.resize(n, 0.0);
        let demand = |i: usize| bodies[i / 6].demand[i % 6];
        let scale = (0..n).fold(1.0f64, |m, i| m.max(demand(i).abs()));

        forces_at(bodies, contacts, &self.lambda, &mut self.forces);
        for _ in 0..100 {
            // The gradient λ + G f − τ and the Hessian.
            gradient_at(
                bodies,
                contacts,
                &self.lambda,
                &self.forces,
                &mut self.gradient,
            );
            self.factor.identity(n);
            for (i, contact) in contacts.iter().enumerate() {
                let x = transpose_times(bodies, contact, &self.lambda);
                let slope = &mut self.slopes[i];
                match &contact.cone {
                    Some(cone) => cone.slope(&x, slope),
                    None => identity(slope),
                }
                let inverse = 1.0 / contact.weight;
                slope.iter_mut().flatten().for_each(|s| *s *= inverse);
                add_square(bodies, contact, slope, &mut self.factor);
            }
            self.factor.factorise();
            let error = self.gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()));
            if error <= 1e-12 * scale {
                return;
            }
            self.step.clear();
            self.step.extend(self.gradient.iter().map(|g| -g));
            self.factor.solve(&mut self.step);
            if !self.search(bodies, contacts) {
                return;
            }
            std::mem::swap(&mut self.lambda, &mut self.trial);
            std::mem::swap(&mut self.forces, &mut self.trial_forces);
        }
    }

    /// Goes along the step as far as the dual function falls, its whole length
    /// at most. Its slope along the step rises from below zero; where it rises
    /// above within the step, its root is bracketed (the Illinois method). Where
    /// forces are nearly free, a step may be a million times too long.
    fn search(&mut self, bodies: &[Body], contacts: &[Contact]) -> bool {
        let along =
            |g: &[f64], step: &[f64]| -> f64 { g.iter().zip(step).map(|(g, s)| g * s).sum() };
        let first = along(&self.gradient, &self.step);
        // Rounding: as good as it gets.
        if first >= 0.0 {
            return false;
        }
        let (mut low, mut low_slope) = (0.0, first);
        let (mut high, mut high_slope) = (1.0, f64::NAN);
        let mut length = 1.0;
        let mut side = 0;
        for _ in 0..60 {
            self.trial.clear();
            let moved = self.lambda.iter().zip(&self.step);
            self.trial.extend(moved.map(|(l, s)| l + length * s));
            forces_at(bodies, contacts, &self.trial, &mut self.trial_forces);
            gradient_at(
                bodies,
                contacts,
                &self.trial,
                &self.trial_forces,
                &mut self.gradient,
            );
            let slope = along(&self.gradient, &self.step);
            if slope.abs() <= -0.1 * first || slope <= 0.0 && length == 1.0 {
                return true;
            }
            if slope > 0.0 {
                if side == 1 {
                    low_slope *= 0.5;
                }
                (high, high_slope, side) = (length, slope, 1);
            } else {
                if side == -1 {
                    high_slope *= 0.5;
                }
                (low, low_slope, side) = (length, slope, -1);
            }
            length = (low * high_slope - high * low_slope) / (high_slope - low_slope);
        }
        true
    }

    /// τ − G f of Mordatch (4), as it is: λ, if the programme was solved to its
    /// end.
    pub fn unexplained(&self, bodies: &[Body], contacts: &[Contact]) -> Vec<f64> {
        let mut out = vec![0.0; 6 * bodies.len()];
        for (contact, force) in contacts.iter().zip(&self.forces) {
            add_times(bodies, contact, force, &mut out);
        }
        for (i, out) in out.iter_mut().enumerate() {
            *out = bodies[i / 6].demand[i % 6] - *out;
        }
        out
    }

    /// The value of the programme: |λ|² + fᵀ W f.
    pub fn value(&self, contacts: &[Contact]) -> f64 {
        let left: f64 = self.lambda.iter().map(|l| l * l).sum();
        let pairs = self.forces.iter().zip(contacts);
        left + pairs
            .map(|(f, c)| c.weight * f.iter().map(|f| f * f).sum::<f64>())
            .sum::<f64>()
    }

    /// The residual Lᵀλ, with H = L Lᵀ, whose square is that value: on the face
    /// of the cone where f is, f = Proj′ Gᵀλ/W, so |λ|² + fᵀWf = λᵀHλ.
    pub fn residual(&self, out: &mut Vec<f64>) {
        self.factor.transpose_times(&self.lambda, out);
    }

    /// The u = L⁻ᵀ seed with which a seed of [`residual`](Self::residual) pulls
    /// at τ − G f (with f held) and, by its product with f·Proj′Gᵀ, at √W: the
    /// forces themselves are eliminated (variable projection).
    pub fn spread(&self, seed: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(seed);
        self.factor.solve_transposed(out);
    }

    /// For a u of [`spread`](Self::spread): the derivative by W of contact i.
    pub fn pull_weight(&self, bodies: &[Body], contacts: &[Contact], i: usize, u: &[f64]) -> f64 {
        // √W enters by f_i √W; its row is (Proj′/W Gᵀu)·f √W d√W/dW · …
        let x = transpose_times(bodies, &contacts[i], u);
        let moved = times(&self.slopes[i], &x);
        0.5 * dot(&moved, &self.forces[i])
    }

    /// The adjoint of the whole solution: from derivatives of a number by λ and
    /// by the forces to what pulls at τ, G and W.
    pub fn adjoint(
        &self,
        bodies: &[Body],
        contacts: &[Contact],
        by_lambda: &[f64],
        by_forces: &[Six],
    ) -> Adjoint {
        // With x_i = G_iᵀλ, f_i = Proj(x_i)/W_i and F(λ) = λ + Σ G_i f_i − τ = 0.
        let mut mu = by_lambda.to_vec();
        let mut turned = Vec::with_capacity(contacts.len());
        for (i, contact) in contacts.iter().enumerate() {
            let by_x = times(&self.slopes[i], &by_forces[i]);
            add_times(bodies, contact, &by_x, &mut mu);
            turned.push(by_x);
        }
        self.factor.solve(&mut mu);
        let mut by_weight = Vec::with_capacity(contacts.len());
        for (i, contact) in contacts.iter().enumerate() {
            let z = transpose_times(bodies, contact, &mu);
            let back = times(&self.slopes[i], &z);
            for k in 0..6 {
                turned[i][k] -= back[k];
            }
            let f = &self.forces[i];
            by_weight.push((dot(&z, f) - dot(&by_forces[i], f)) / contact.weight);
        }
        Adjoint {
            demand: mu,
            turned,
            by_weight,
        }
    }
}

/// What [`Solution::adjoint`] found: derivatives by τ and W; by G they are
/// −µ f_iᵀ + λ y_iᵀ, for [`pull_wrench`].
#[derive(Clone, Debug)]
pub struct Adjoint {
    /// µ: by τ.
    pub demand: Vec<f64>,
    /// y_i.
    pub turned: Vec<Six>,
    /// By W_i.
    pub by_weight: Vec<f64>,
}

/// Derivatives of αᵀ G_i f, with α and f held, by where things are.
#[derive(Clone, Copy, Debug)]
pub struct WrenchGradient {
    /// By the centre of the patch.
    pub position: DVec3,
    /// By the entries of the patch's matrix.
    pub matrix: DMat3,
    /// By the centre of mass of the body that is pushed.
    pub on: DVec3,
    /// By that of the body that feels the reaction.
    pub against: DVec3,
}

impl WrenchGradient {
    /// All zero.
    pub const ZERO: Self = Self {
        position: DVec3::ZERO,
        matrix: DMat3::ZERO,
        on: DVec3::ZERO,
        against: DVec3::ZERO,
    };
}

/// Derivatives of αᵀ G_i f, added up.
pub fn pull_wrench(
    bodies: &[Body],
    contact: &Contact,
    alpha: &[f64],
    f: &Six,
    out: &mut WrenchGradient,
) {
    let (pushing, turning) = (DVec3::new(f[0], f[1], f[2]), DVec3::new(f[3], f[4], f[5]));
    let force = contact.matrix * pushing;
    let mut first = true;
    ends(bodies, contact, |body, factor, arm| {
        let l = vector(&alpha[6 * body..]) * factor;
        let m = vector(&alpha[6 * body + 3..]) * (MOMENT * factor);
        // l·(R p) + m·(arm × R p + R t).
        crate::variables::add_outer(&mut out.matrix, l + m.cross(arm), pushing);
        crate::variables::add_outer(&mut out.matrix, m, turning);
        let by_arm = force.cross(m);
        out.position += by_arm;
        *(if first { &mut out.on } else { &mut out.against }) -= by_arm;
        first = false;
    });
}

/// The forces that belong to λ.
fn forces_at(bodies: &[Body], contacts: &[Contact], lambda: &[f64], forces: &mut [Six]) {
    for (contact, force) in contacts.iter().zip(forces) {
        let x = transpose_times(bodies, contact, lambda);
        let y = match &contact.cone {
            Some(cone) => cone.project(&x),
            None => x,
        };
        *force = y.map(|y| y / contact.weight);
    }
}

/// The gradient of the dual function, λ + G f − τ.
fn gradient_at(
    bodies: &[Body],
    contacts: &[Contact],
    lambda: &[f64],
    forces: &[Six],
    out: &mut [f64],
) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = lambda[i] - bodies[i / 6].demand[i % 6];
    }
    for (contact, force) in contacts.iter().zip(forces) {
        add_times(bodies, contact, force, out);
    }
}

/// H += G S Gᵀ.
fn add_square(bodies: &[Body], contact: &Contact, slope: &[Six; 6], factor: &mut Factor) {
    if slope.iter().flatten().all(|s| *s == 0.0) {
        return;
    }
    // Columns of G, for each end: 6 rows by 6.
    let mut columns = [([[0.0; 6]; 6], 0usize); 2];
    let mut count = 0;
    ends(bodies, contact, |body, ratio, arm| {
        let axes = [
            contact.matrix.x_axis,
            contact.matrix.y_axis,
            contact.matrix.z_axis,
        ];
        let (g, at) = &mut columns[count];
        *at = body;
        for (k, axis) in axes.iter().enumerate() {
            let push = *axis * ratio;
            let turn = arm.cross(*axis) * (MOMENT * ratio);
            let moment = *axis * (MOMENT * ratio);
            for row in 0..3 {
                g[row][k] = push[row];
                g[row + 3][k] = turn[row];
                g[row + 3][k + 3] = moment[row];
            }
        }
        count += 1;
    });
    for a in 0..count {
        let (g, body_a) = &columns[a];
        let half = g.map(|row| times(slope, &row));
        for (h, body_b) in &columns[..count] {
            if body_b > body_a {
                continue;
            }
            for (i, row) in half.iter().enumerate() {
                let last = if body_a == body_b { i } else { 5 };
                for (j, column) in h.iter().enumerate().take(last + 1) {
                    factor.add(6 * body_a + i, 6 * body_b + j, dot(row, column));
                }
            }
        }
    }
}

fn identity(slope: &mut [Six; 6]) {
    *slope = [[0.0; 6]; 6];
    for (k, row) in slope.iter_mut().enumerate() {
        row[k] = 1.0;
    }
}

#[inline]
pub(crate) fn dot(a: &Six, b: &Six) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

#[inline]
fn times(matrix: &[Six; 6], x: &Six) -> Six {
    std::array::from_fn(|i| dot(&matrix[i], x))
}
