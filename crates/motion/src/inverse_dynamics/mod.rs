//! The contact forces that explain a movement: the quadratic program of Mordatch (6),
//! solved through its dual.
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
//! and λ = τ − G f is the residual. So there are six unknowns per body, independent of
//! the number of contacts. The left side is the gradient of a convex
//! function; Newton's method with a line search finds its root, with
//! H = I + Σ G_i Proj_i′ G_iᵀ/W_i, in one or two iterations from the last λ (warm
//! start). Bodies without a loaded contact between them (W is infinite) are solved
//! separately ([`Cluster`]).
//!
//! Forces are in units of the weight of the contact's owner, rows of G and τ in
//! units of the weight of the body they belong to; moments are scaled by
//! [`MOMENT_SCALE`].

mod cone;
mod dense;
mod group;
mod newton;

use conatus_math::{DMat3, DVec3};
pub use cone::{Cone, ProjectionJacobian};
pub use newton::Cluster;
use newton::{collect, scatter};

/// The factor of rows of moments (in weights times metres) relative to rows of forces.
pub const MOMENT_SCALE: f64 = 2.0;

/// Six numbers: a force and a moment.
pub type Vector6 = [f64; 6];

/// What the contacts of a body have to supply.
#[derive(Clone, Copy, Debug)]
pub struct BodyDemand {
    /// The centre of mass.
    pub position: DVec3,
    /// τ, the required wrench: (p̈ − g)/|g|, and MOMENT_SCALE · d(Iω)/dt / (m |g|).
    pub demand: Vector6,
}

/// A contact at one moment.
#[derive(Clone, Copy, Debug)]
pub struct PatchContact {
    /// The body on which its force acts.
    pub on: usize,
    /// The body on which the reaction acts, if that can move, and the ratio of the
    /// owner's mass to its mass.
    pub against: Option<(usize, f64)>,
    /// The centre of the patch.
    pub position: DVec3,
    /// From patch axes to world axes.
    pub matrix: DMat3,
    /// The forces it can bear; any force if there is none, as in a grip.
    pub cone: Option<Cone>,
    /// W of (7); infinite if it bears no force.
    pub weight: f64,
}

/// The solution of (6) at one moment.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// The residual λ: six numbers for each body.
    pub lambda: Vec<f64>,
    /// The force of each contact, in its patch's axes.
    pub forces: Vec<Vector6>,
    /// Proj′/W of each contact.
    slopes: Vec<ProjectionJacobian>,
    clusters: Vec<Cluster>,
    /// The number of clusters in use.
    used: usize,
    /// The number of each body within its cluster.
    places: Vec<usize>,
    /// The lowest body in the cluster of each body.
    lowest: Vec<usize>,
}

/// The force and moment, in world axes, of six numbers of a contact: force, and
/// moment about the centre of its patch.
pub fn wrench(contact: &PatchContact, f: &Vector6) -> (DVec3, DVec3) {
    (
        contact.matrix * DVec3::new(f[0], f[1], f[2]),
        contact.matrix * DVec3::new(f[3], f[4], f[5]),
    )
}

/// The six numbers of a body.
#[inline(always)]
fn of_body(numbers: &[f64], body: usize) -> (DVec3, DVec3) {
    let six = &numbers[6 * body..6 * body + 6];
    (
        DVec3::new(six[0], six[1], six[2]),
        DVec3::new(six[3], six[4], six[5]),
    )
}

/// G_iᵀ λ.
#[inline]
pub(crate) fn transpose_times(
    bodies: &[BodyDemand],
    contact: &PatchContact,
    lambda: &[f64],
) -> Vector6 {
    let at = |body: usize| {
        let (l, m) = of_body(lambda, body);
        let m = m * MOMENT_SCALE;
        (l + m.cross(contact.position - bodies[body].position), m)
    };
    let (mut force, mut moment) = at(contact.on);
    if let Some((other, ratio)) = contact.against {
        let (l, m) = at(other);
        force -= l * ratio;
        moment -= m * ratio;
    }
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
fn add_times(bodies: &[BodyDemand], contact: &PatchContact, f: &Vector6, out: &mut [f64]) {
    let (force, moment) = wrench(contact, f);
    let mut add = |body: usize, factor: f64| {
        let arm = contact.position - bodies[body].position;
        let turning = (arm.cross(force) + moment) * (MOMENT_SCALE * factor);
        let pushing = force * factor;
        let out = &mut out[6 * body..6 * body + 6];
        for k in 0..3 {
            out[k] += pushing[k];
            out[k + 3] += turning[k];
        }
    };
    add(contact.on, 1.0);
    if let Some((other, ratio)) = contact.against {
        add(other, -ratio);
    }
}

impl Solution {
    /// Solves (6) of Mordatch, with the present λ as warm start.
    pub fn solve(&mut self, bodies: &[BodyDemand], contacts: &[PatchContact]) {
        self.lambda.resize(6 * bodies.len(), 0.0);
        self.forces.clear();
        self.forces.resize(contacts.len(), [0.0; 6]);
        self.slopes.clear();
        self.slopes
            .resize(contacts.len(), ProjectionJacobian::default());
        self.find_clusters(bodies.len(), contacts);
        for cluster in &mut self.clusters[..self.used] {
            let found = (&mut self.forces[..], &mut self.slopes[..]);
            cluster.solve(bodies, contacts, &self.places, &mut self.lambda, found);
        }
    }

    /// Finds the clusters of bodies that are connected by loaded contacts.
    fn find_clusters(&mut self, bodies: usize, contacts: &[PatchContact]) {
        let lowest = &mut self.lowest;
        lowest.clear();
        lowest.extend(0..bodies);
        let can_bear = |contact: &&PatchContact| contact.weight.is_finite();
        for contact in contacts.iter().filter(can_bear) {
            if let Some((other, _)) = contact.against {
                let (a, b) = (lowest[contact.on], lowest[other]);
                if a != b {
                    let (low, high) = (a.min(b), a.max(b));
                    let all = lowest.iter_mut().filter(|l| **l == high);
                    all.for_each(|l| *l = low);
                }
            }
        }
        self.places.clear();
        self.used = 0;
        for (body, &low) in lowest.iter().enumerate() {
            if low == body {
                if self.used == self.clusters.len() {
                    self.clusters.push(Cluster::default());
                }
                let cluster = &mut self.clusters[self.used];
                cluster.bodies.clear();
                cluster.contacts.clear();
                self.used += 1;
            }
            let used = &mut self.clusters[..self.used];
            let own = used
                .iter_mut()
                .find(|c| c.bodies.first().is_none_or(|&b| b == low));
            let own = own.expect("the lowest body comes first");
            self.places.push(own.bodies.len());
            own.bodies.push(body);
        }
        for (number, contact) in contacts.iter().enumerate() {
            if can_bear(&contact) {
                let low = lowest[contact.on];
                let used = &mut self.clusters[..self.used];
                let own = used.iter_mut().find(|c| c.bodies[0] == low);
                own.expect("every body is in a cluster")
                    .contacts
                    .push(number);
            }
        }
    }

    /// Bodies that are connected by contacts, directly or through others.
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters[..self.used]
    }

    /// The residual τ − G f of Mordatch (4), computed from the forces. It is λ if (6) was
    /// solved exactly.
    pub fn unexplained(&self, bodies: &[BodyDemand], contacts: &[PatchContact]) -> Vec<f64> {
        let mut out = vec![0.0; 6 * bodies.len()];
        for (contact, force) in contacts.iter().zip(&self.forces) {
            add_times(bodies, contact, force, &mut out);
        }
        for (i, out) in out.iter_mut().enumerate() {
            *out = bodies[i / 6].demand[i % 6] - *out;
        }
        out
    }

    /// The value of (6): |λ|² + fᵀ W f.
    pub fn value(&self, contacts: &[PatchContact]) -> f64 {
        let left: f64 = self.lambda.iter().map(|l| l * l).sum();
        let pairs = self.forces.iter().zip(contacts);
        let pairs = pairs.filter(|(_, c)| c.weight.is_finite());
        left + pairs
            .map(|(f, c)| c.weight * f.iter().map(|f| f * f).sum::<f64>())
            .sum::<f64>()
    }

    /// From a seed of [`Cluster::residual`] to u = L⁻ᵀ seed, the derivative by τ − G f
    /// with f constant; its product with f·Proj′Gᵀ is the derivative by √W. The forces
    /// are eliminated (variable projection). Six numbers for each body, zero for those
    /// of other clusters.
    pub fn expand_seed(&self, cluster: &Cluster, seed: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(seed);
        cluster.factor().solve_transposed(out);
        out.resize(self.lambda.len(), 0.0);
        // From the last to the first, so that no entry is overwritten before it moves.
        for (from, &to) in cluster.bodies.iter().enumerate().rev() {
            if from != to {
                out.copy_within(6 * from..6 * from + 6, 6 * to);
                out[6 * from..6 * from + 6].fill(0.0);
            }
        }
    }

    /// The derivative by W of contact i, for a u of [`expand_seed`](Self::expand_seed).
    pub fn force_weight_vjp(
        &self,
        bodies: &[BodyDemand],
        contacts: &[PatchContact],
        i: usize,
        u: &[f64],
    ) -> f64 {
        // √W enters by f_i √W; its row is (Proj′/W Gᵀu)·f √W d√W/dW · …
        let x = transpose_times(bodies, &contacts[i], u);
        let moved = self.slopes[i].times(&x);
        0.5 * dot(&moved, &self.forces[i])
    }

    /// Whether a contact bears load. If not, all derivatives by its state are zero.
    pub fn is_loaded(&self, contact: usize) -> bool {
        self.slopes[contact].share != 0.0
    }

    /// The adjoint of the solution of a cluster: from derivatives of a number by λ and by
    /// the forces to derivatives by τ, G and W.
    pub fn adjoint(
        &self,
        cluster: &Cluster,
        bodies: &[BodyDemand],
        contacts: &[PatchContact],
        by_lambda: Option<&[f64]>,
        by_forces: &[Vector6],
        out: &mut Adjoint,
    ) {
        // With x_i = G_iᵀλ, f_i = Proj(x_i)/W_i and F(λ) = λ + Σ G_i f_i − τ = 0.
        let mu = &mut out.demand;
        mu.clear();
        mu.resize(self.lambda.len(), 0.0);
        if let Some(by_lambda) = by_lambda {
            scatter(&cluster.bodies, by_lambda, mu);
        }
        out.turned.clear();
        out.turned.resize(contacts.len(), [0.0; 6]);
        let pushing = || cluster.contacts.iter().filter(|&&i| self.is_loaded(i));
        for &i in pushing() {
            let by_x = self.slopes[i].times(&by_forces[i]);
            add_times(bodies, &contacts[i], &by_x, mu);
            out.turned[i] = by_x;
        }
        collect(&cluster.bodies, mu, &mut out.own);
        cluster.factor().solve(&mut out.own);
        scatter(&cluster.bodies, &out.own, mu);
        out.by_weight.clear();
        out.by_weight.resize(contacts.len(), 0.0);
        for &i in pushing() {
            let contact = &contacts[i];
            let z = transpose_times(bodies, contact, mu);
            let back = self.slopes[i].times(&z);
            for (turned, back) in out.turned[i].iter_mut().zip(back) {
                *turned -= back;
            }
            let f = &self.forces[i];
            out.by_weight[i] = (dot(&z, f) - dot(&by_forces[i], f)) / contact.weight;
        }
    }
}

/// The result of [`Solution::adjoint`]: derivatives by τ and W. The derivative by G is
/// −µ f_iᵀ + λ y_iᵀ, for [`wrench_vjp`].
#[derive(Clone, Debug, Default)]
pub struct Adjoint {
    /// µ: by τ.
    pub demand: Vec<f64>,
    /// y_i.
    pub turned: Vec<Vector6>,
    /// By W_i.
    pub by_weight: Vec<f64>,
    /// µ of the bodies of the cluster.
    own: Vec<f64>,
}

/// Derivatives of αᵀ G_i f by positions and axes, with α and f constant.
#[derive(Clone, Copy, Debug)]
pub struct WrenchGradient {
    /// By the centre of the patch.
    pub position: DVec3,
    /// By the entries of the patch's matrix.
    pub matrix: DMat3,
    /// By the centre of mass of the body on which the force acts.
    pub on: DVec3,
    /// By the centre of mass of the body on which the reaction acts.
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

/// Adds the derivatives of αᵀ G_i f.
#[inline]
pub fn wrench_vjp(
    bodies: &[BodyDemand],
    contact: &PatchContact,
    alpha: &[f64],
    f: &Vector6,
    out: &mut WrenchGradient,
) {
    let (pushing, turning) = (DVec3::new(f[0], f[1], f[2]), DVec3::new(f[3], f[4], f[5]));
    let force = contact.matrix * pushing;
    // l·(R p) + m·(arm × R p + R t) at one body; returns the derivative by the arm.
    let at_body = |body: usize, factor: f64, matrix: &mut DMat3| {
        let arm = contact.position - bodies[body].position;
        let (l, m) = of_body(alpha, body);
        let (l, m) = (l * factor, m * (MOMENT_SCALE * factor));
        crate::variables::add_outer(matrix, l + m.cross(arm), pushing);
        crate::variables::add_outer(matrix, m, turning);
        force.cross(m)
    };
    let by_arm = at_body(contact.on, 1.0, &mut out.matrix);
    out.position += by_arm;
    out.on -= by_arm;
    if let Some((other, ratio)) = contact.against {
        let by_arm = at_body(other, -ratio, &mut out.matrix);
        out.position += by_arm;
        out.against -= by_arm;
    }
}

#[inline]
pub(crate) fn dot(a: &Vector6, b: &Vector6) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}
