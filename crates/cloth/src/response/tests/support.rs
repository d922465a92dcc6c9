//! Random zones, and a dense reference of the mathematics: all velocities in
//! one vector q̇, every gradient a full row.

use crate::collide::narrow::CollisionHit;
use crate::response::constraint::{Constraint, Stencil, StencilPair};
use crate::response::motion::{NO_BODY, ResponseBody, ResponseMotion};
use conatus_geometry::distance;
use conatus_math::{DMat3, DVec3, rotation};

/// A deterministic generator of pseudo-random numbers.
pub(super) struct Noise(pub(super) u64);

impl Noise {
    /// From −1 to 1.
    pub(super) fn number(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// From 0 to 1.
    pub(super) fn share(&mut self) -> f64 {
        0.5 + 0.5 * self.number()
    }

    pub(super) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    /// From 0 to n − 1.
    pub(super) fn index(&mut self, n: usize) -> u32 {
        (self.share() * n as f64).min(n as f64 - 1.0) as u32
    }
}

/// A collision with all data that the dense reference needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collision {
    pub(super) stencil: Stencil,
    pub(super) weights: [f64; 4],
    pub(super) normal: DVec3,
}

impl Collision {
    pub(super) fn constraint(&self, motion: &ResponseMotion, friction: f64) -> Constraint {
        Constraint::new(motion, self.stencil, &self.weights, self.normal, friction)
    }

    pub(super) fn hit(&self, time: f64) -> CollisionHit {
        CollisionHit {
            stencil: self.stencil,
            time,
            weights: self.weights,
            normal: self.normal,
            // A large gap, so that no gap correction is added.
            distance: 1.0,
            gap: 1.0,
            thickness: 1e-3,
        }
    }
}

/// A vertex and a plane.
pub(super) fn on_plane(p: u32, normal: DVec3) -> Collision {
    let none = Stencil::NONE;
    Collision {
        stencil: Stencil {
            pair: StencilPair::VertexPlane(0),
            points: [p, none, none, none],
        },
        weights: [1.0, 0.0, 0.0, 0.0],
        normal,
    }
}

/// The collision of these four points where they are nearest.
pub(super) fn collision(motion: &ResponseMotion, pair: StencilPair, points: [u32; 4]) -> Collision {
    let x = points.map(|p| motion.start[p as usize]);
    let closest = match pair {
        StencilPair::VertexTriangle => distance::vertex_triangle(&x),
        _ => distance::edge_edge(&x),
    };
    Collision {
        stencil: Stencil { pair, points },
        weights: closest.weights,
        normal: closest.vector.normalize(),
    }
}

/// `n` free vertices of random masses at random positions.
pub(super) fn free_vertices(noise: &mut Noise, n: usize) -> ResponseMotion {
    let mut motion = ResponseMotion::new((0..n).map(|_| noise.vector()).collect());
    motion.h = 0.01;
    for i in 0..n {
        motion.inverse_mass[i] = 0.5 + 4.0 * noise.share();
        motion.velocity[i] = noise.vector();
    }
    motion
}

/// A triangle with a vertex or two edges, from random points of the motion;
/// degenerate ones are rejected.
pub(super) fn random_collision(noise: &mut Noise, motion: &ResponseMotion) -> Collision {
    loop {
        let n = motion.start.len();
        let points: [u32; 4] = std::array::from_fn(|_| noise.index(n));
        let distinct = (0..4).all(|i| (0..i).all(|j| points[i] != points[j]));
        let pair = [StencilPair::VertexTriangle, StencilPair::EdgeEdge][noise.index(2) as usize];
        let body = |p: u32| motion.body_of[p as usize];
        let sides = match pair {
            StencilPair::VertexTriangle => [&points[..3], &points[3..]],
            _ => [&points[..2], &points[2..]],
        };
        // All points of a side have the same kind, and a body does not collide
        // with itself.
        let pure = sides
            .iter()
            .all(|s| s.iter().all(|&p| body(p) == body(s[0])));
        let bodies = sides.iter().filter(|s| body(s[0]) != NO_BODY).count();
        if !distinct || !pure || bodies > 1 {
            continue;
        }
        let c = collision(motion, pair, points);
        if c.normal.is_finite() && !c.constraint(motion, 0.0).is_rigid() {
            return c;
        }
    }
}

/// A tumbling body with `count` points, appended to the motion.
pub(super) fn add_body(noise: &mut Noise, motion: &mut ResponseMotion, count: usize) {
    let first = motion.start.len() as u32;
    let centre = noise.vector();
    let arms: Vec<DVec3> = (0..count).map(|_| noise.vector()).collect();
    for arm in &arms {
        motion.start.push(centre + *arm);
        motion.end.push(centre + *arm);
        motion.velocity.push(DVec3::ZERO);
        motion.inverse_mass.push(0.0);
        motion.body_of.push(NO_BODY);
        motion.moved.push(false);
    }
    let turn = DMat3::from_quat(rotation::exp(noise.vector()));
    let moments = DVec3::new(2.0, 3.0, 4.0);
    motion.add_body(ResponseBody {
        centre,
        velocity: noise.vector(),
        omega: noise.vector(),
        inverse_mass: 0.7,
        inverse_inertia: turn * DMat3::from_diagonal(moments) * turn.transpose(),
        first,
        arms,
        ..ResponseBody::default()
    });
}

pub(super) fn constraints(
    motion: &ResponseMotion,
    all: &[Collision],
    friction: f64,
) -> Vec<Constraint> {
    all.iter().map(|c| c.constraint(motion, friction)).collect()
}

pub(super) fn momentum(motion: &ResponseMotion) -> DVec3 {
    let free = (0..motion.start.len()).filter(|&i| motion.inverse_mass[i] > 0.0);
    let vertices: DVec3 = free
        .map(|i| motion.velocity[i] / motion.inverse_mass[i])
        .sum();
    let bodies = motion.bodies.iter().filter(|b| b.inverse_mass > 0.0);
    vertices + bodies.map(|b| b.velocity / b.inverse_mass).sum::<DVec3>()
}

/// About the origin, with the positions at the start of the step.
pub(super) fn angular_momentum(motion: &ResponseMotion) -> DVec3 {
    let free = (0..motion.start.len()).filter(|&i| motion.inverse_mass[i] > 0.0);
    let vertices: DVec3 = free
        .map(|i| motion.start[i].cross(motion.velocity[i]) / motion.inverse_mass[i])
        .sum();
    let bodies = motion.bodies.iter().filter(|b| b.inverse_mass > 0.0);
    let body = |b: &ResponseBody| {
        b.centre.cross(b.velocity) / b.inverse_mass + b.inverse_inertia.inverse() * b.omega
    };
    vertices + bodies.map(body).sum::<DVec3>()
}

/// Kinetic energy of everything free.
pub(super) fn energy(motion: &ResponseMotion) -> f64 {
    let free = (0..motion.start.len()).filter(|&i| motion.inverse_mass[i] > 0.0);
    let vertices: f64 = free
        .map(|i| 0.5 * motion.velocity[i].length_squared() / motion.inverse_mass[i])
        .sum();
    let bodies = motion.bodies.iter().filter(|b| b.inverse_mass > 0.0);
    let body = |b: &ResponseBody| {
        0.5 * b.velocity.length_squared() / b.inverse_mass
            + 0.5 * b.omega.dot(b.inverse_inertia.inverse() * b.omega)
    };
    vertices + bodies.map(body).sum::<f64>()
}

/// q̇: three entries for each point, six for each body after them.
pub(super) fn state(motion: &ResponseMotion) -> Vec<f64> {
    let points = motion.velocity.iter().flat_map(|v| v.to_array());
    let bodies = motion.bodies.iter();
    let bodies = bodies.flat_map(|b| [b.velocity, b.omega]);
    points.chain(bodies.flat_map(|v| v.to_array())).collect()
}

/// ∇C of a collision in that order, along `direction` in place of its normal.
pub(super) fn gradient(motion: &ResponseMotion, c: &Collision, direction: DVec3) -> Vec<f64> {
    let n = motion.start.len();
    let mut row = vec![0.0; 3 * n + 6 * motion.bodies.len()];
    let mut add = |at: usize, v: DVec3| {
        for k in 0..3 {
            row[at + k] += v[k];
        }
    };
    for (p, w) in c.stencil.points().zip(c.weights) {
        let b = motion.body_of[p as usize];
        if b == NO_BODY {
            add(3 * p as usize, w * direction);
        } else {
            let body = &motion.bodies[b as usize];
            let arm = body.arms[(p - body.first) as usize];
            let at = 3 * n + 6 * b as usize;
            add(at, w * direction);
            add(at + 3, w * arm.cross(direction));
        }
    }
    row
}

/// M⁻¹ times a vector of momenta; zero for scripted points.
pub(super) fn inverse_mass_times(motion: &ResponseMotion, p: &[f64]) -> Vec<f64> {
    let n = motion.start.len();
    let at = |i: usize| DVec3::new(p[i], p[i + 1], p[i + 2]);
    let points = (0..n).map(|i| at(3 * i) * motion.inverse_mass[i]);
    let bodies = motion.bodies.iter().enumerate().flat_map(|(k, b)| {
        let i = 3 * n + 6 * k;
        [at(i) * b.inverse_mass, b.inverse_inertia * at(i + 3)]
    });
    points.chain(bodies).flat_map(|v| v.to_array()).collect()
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn add(a: &mut [f64], by: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += by * b;
    }
}

/// The slow reference of the projection: rows are made orthonormal in the M⁻¹
/// norm one by one (Gram-Schmidt, each twice), and the component of q̇ along
/// each is removed.
pub(super) fn nearest_without(motion: &ResponseMotion, rows: &[Vec<f64>]) -> Vec<f64> {
    let mut q = state(motion);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for row in rows {
        let size = dot(row, &inverse_mass_times(motion, row)).sqrt();
        let mut e: Vec<f64> = row.iter().map(|x| x / size).collect();
        for _ in 0..2 {
            let image = inverse_mass_times(motion, &e);
            for b in &basis {
                add(&mut e, -dot(b, &image), b);
            }
        }
        let size = dot(&e, &inverse_mass_times(motion, &e)).sqrt();
        if size > 1e-7 {
            e.iter_mut().for_each(|x| *x /= size);
            basis.push(e);
        }
    }
    for e in &basis {
        let change = dot(e, &q);
        add(&mut q, -change, &inverse_mass_times(motion, e));
    }
    q
}

/// Solves A x = b by Gaussian elimination with pivoting, if possible.
pub(super) fn gauss(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        if a[best][k].abs() < 1e-9 {
            return None;
        }
        a.swap(k, best);
        b.swap(k, best);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            let pivot = a[k].clone();
            add(&mut a[i], -f, &pivot);
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        let rest: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - rest) / a[k][k];
    }
    Some(b)
}

/// The largest difference of two vectors.
pub(super) fn apart(a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

/// The normal velocity of a collision, by the dense gradient.
pub(super) fn normal_velocity(motion: &ResponseMotion, c: &Collision) -> f64 {
    dot(&gradient(motion, c, c.normal), &state(motion))
}
