//! The programme of Mordatch (6) through its dual: optimality conditions, cones,
//! derivatives, and comparison with clarabel, a solver of conic programs.

use crate::common::Random;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};
use conatus_math::rotation::rodrigues;
use conatus_math::{DMat3, DVec3};
use conatus_motion::inverse_dynamics::{
    BodyDemand, Cone, MOMENT_SCALE, PatchContact, Solution, Vector6, wrench,
};

fn vector(random: &mut Random, size: f64) -> DVec3 {
    DVec3::new(random.normal(), random.normal(), random.normal()) * size
}

fn turn(random: &mut Random) -> DMat3 {
    let axis = vector(random, 1.0).normalize();
    rodrigues(axis, random.normal())
}

/// A body with random contacts, some of them nearly inactive.
fn random_problem(
    random: &mut Random,
    contacts: usize,
    least: f64,
) -> (Vec<BodyDemand>, Vec<PatchContact>) {
    let (push, spin) = (vector(random, 0.5), vector(random, 0.2));
    let bodies = vec![BodyDemand {
        position: DVec3::Z,
        demand: [push.x, push.y, 1.0 + push.z, spin.x, spin.y, spin.z],
    }];
    let contacts = (0..contacts)
        .map(|_| PatchContact {
            on: 0,
            against: None,
            position: vector(random, 0.5),
            matrix: if random.uniform() < 0.5 {
                DMat3::IDENTITY
            } else {
                turn(random)
            },
            cone: Some(Cone::new(0.8, [0.1, 0.05])),
            weight: least * 10f64.powf(4.0 * random.uniform()),
        })
        .collect();
    (bodies, contacts)
}

/// The minimum of the programme by a slow, obvious method: projected gradients with
/// steps that are short enough.
fn slow_value(bodies: &[BodyDemand], contacts: &[PatchContact]) -> f64 {
    let mut f: Vec<Vector6> = vec![[0.0; 6]; contacts.len()];
    let mut solution = Solution::default();
    let mut momentum = f.clone();
    let mut last = f.clone();
    let step = 0.005;
    for k in 0..60_000 {
        solution.forces.clone_from(&momentum);
        let left = solution.unexplained(bodies, contacts);
        for (i, contact) in contacts.iter().enumerate() {
            let arm = contact.position - bodies[0].position;
            let (l, m) = (
                DVec3::from_slice(&left),
                DVec3::from_slice(&left[3..]) * 2.0,
            );
            let r = contact.matrix.transpose();
            let (a, b) = (r * (l + m.cross(arm)), r * m);
            let pull = [a.x, a.y, a.z, b.x, b.y, b.z];
            let moved: Vector6 = std::array::from_fn(|j| {
                momentum[i][j] + step * (pull[j] - contact.weight * momentum[i][j])
            });
            f[i] = contact.cone.as_ref().map_or(moved, |c| c.project(&moved));
        }
        let beta = k as f64 / (k as f64 + 3.0);
        for i in 0..f.len() {
            momentum[i] = std::array::from_fn(|j| f[i][j] + beta * (f[i][j] - last[i][j]));
        }
        last.clone_from(&f);
    }
    solution.forces = f;
    let left = solution.unexplained(bodies, contacts);
    solution.lambda = left;
    solution.value(contacts)
}

/// Mordatch (6).
#[test]
fn the_dual_converges_for_every_cost_of_forces() {
    let mut random = Random::new(5);
    for case in 0..3000 {
        let least = [1e-4, 1e-3, 1e-2][case % 3];
        let (bodies, contacts) = random_problem(&mut random, 1 + case % 6, least);
        let mut solution = Solution::default();
        solution.solve(&bodies, &contacts);
        let left = solution.unexplained(&bodies, &contacts);
        for (l, u) in solution.lambda.iter().zip(&left) {
            assert!((l - u).abs() < 1e-9, "case {case}: {l} {u}");
        }
        // Solving again from the solution changes nothing.
        let before = solution.lambda.clone();
        solution.solve(&bodies, &contacts);
        for (l, b) in solution.lambda.iter().zip(&before) {
            assert!((l - b).abs() < 1e-9);
        }
    }
}

/// Mordatch (6).
#[test]
fn projected_gradients_find_nothing_better() {
    let mut random = Random::new(7);
    for _ in 0..10 {
        let (bodies, contacts) = random_problem(&mut random, 3, 1e-2);
        let mut solution = Solution::default();
        solution.solve(&bodies, &contacts);
        let (fast, slow) = (solution.value(&contacts), slow_value(&bodies, &contacts));
        assert!((fast - slow).abs() < 1e-6 * (1.0 + slow), "{fast} {slow}");
    }
}

/// Mordatch (6): a certificate. At the minimum over a cone K the gradient g of
/// the value is orthogonal to f, and no ray of K is a descent direction. The extreme rays
/// are (µ cos θ, µ sin θ, 1, ±a₃, ±a₄, ±a₅), so the steepest has a closed form. A grip
/// is unconstrained, so its gradient is zero.
#[test]
fn no_admissible_force_explains_more() {
    let mut random = Random::new(13);
    for case in 0..500 {
        let (bodies, mut contacts) = random_problem(&mut random, 1 + case % 5, 1e-3);
        if case % 4 == 0 {
            contacts[0].cone = None;
        }
        let mut solution = Solution::default();
        solution.solve(&bodies, &contacts);
        let left = solution.unexplained(&bodies, &contacts);
        for (contact, f) in contacts.iter().zip(&solution.forces) {
            // Column by column: what a unit of each number of f explains.
            let g: Vector6 = std::array::from_fn(|k| {
                let mut unit = [0.0; 6];
                unit[k] = 1.0;
                let (force, moment) = wrench(contact, &unit);
                let turning = (contact.position - bodies[0].position).cross(force) + moment;
                let (push, turn) = (DVec3::from_slice(&left), DVec3::from_slice(&left[3..]));
                contact.weight * f[k] - push.dot(force) - 2.0 * turn.dot(turning)
            });
            let Some(cone) = &contact.cone else {
                assert!(g.iter().all(|g| g.abs() < 1e-9), "case {case}: {g:?}");
                continue;
            };
            let across: f64 = g.iter().zip(f).map(|(g, f)| g * f).sum();
            assert!(across.abs() < 1e-9, "case {case}: {across}");
            let [y, x, torsion] = cone.arms;
            let moments = y * g[3].abs() + x * g[4].abs() + torsion * g[5].abs();
            let steepest = g[2] - cone.friction * g[0].hypot(g[1]) - moments;
            assert!(steepest > -1e-9, "case {case}: {steepest}");
        }
    }
}

/// Mordatch (6): A f ≤ b.
#[test]
fn forces_are_in_their_cones() {
    let mut random = Random::new(11);
    for _ in 0..200 {
        let (bodies, contacts) = random_problem(&mut random, 4, 1e-3);
        let mut solution = Solution::default();
        solution.solve(&bodies, &contacts);
        for (contact, f) in contacts.iter().zip(&solution.forces) {
            assert!(f[2] >= 0.0);
            assert!(f[0].hypot(f[1]) <= 0.8 * f[2] + 1e-12);
            assert!(f[3].abs() <= 0.05 * f[2] + 1e-12 && f[4].abs() <= 0.1 * f[2] + 1e-12);
            let (force, _) = wrench(contact, f);
            assert!((force.length() - f[0].hypot(f[1]).hypot(f[2])).abs() < 1e-12);
        }
    }
}

#[test]
fn the_projection_onto_the_cone_is_the_nearest_point_and_has_the_derivative_of_differences() {
    let mut random = Random::new(3);
    let cone = Cone::new(0.7, [0.12, 0.05]);
    for _ in 0..2000 {
        let x: Vector6 = std::array::from_fn(|_| random.normal());
        let y = cone.project(&x);
        // The nearest point of a convex cone: x − y is across y, and points away
        // from all of the cone.
        let away: Vector6 = std::array::from_fn(|k| x[k] - y[k]);
        let dot = |a: &Vector6, b: &Vector6| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        assert!(dot(&away, &y).abs() < 1e-12);
        for _ in 0..5 {
            let any: Vector6 = std::array::from_fn(|_| random.normal());
            assert!(dot(&away, &cone.project(&any)) < 1e-12);
        }
        let direction: Vector6 = std::array::from_fn(|_| random.normal());
        let slope = cone.slope(&x).times(&direction);
        let h = 1e-7;
        let at = |h: f64| cone.project(&std::array::from_fn(|k| x[k] + h * direction[k]));
        let (ahead, behind) = (at(h), at(-h));
        for k in 0..6 {
            let measured = (ahead[k] - behind[k]) / (2.0 * h);
            assert!((measured - slope[k]).abs() < 1e-5);
        }
    }
}

/// A dense matrix in the column format of clarabel.
fn sparse(rows: usize, columns: &[Vec<f64>]) -> CscMatrix<f64> {
    let (mut starts, mut places, mut numbers) = (vec![0], Vec::new(), Vec::new());
    for column in columns {
        for (row, number) in column.iter().enumerate().filter(|(_, n)| **n != 0.0) {
            places.push(row);
            numbers.push(*number);
        }
        starts.push(places.len());
    }
    CscMatrix::new(rows, columns.len(), starts, places, numbers)
}

/// The forces of one body by an interior-point method, which is independent of the dual
/// and of the projection.
fn by_clarabel(bodies: &[BodyDemand], contacts: &[PatchContact]) -> Vec<f64> {
    let n = 6 * contacts.len();
    let column = |j: usize| {
        let (contact, mut unit) = (&contacts[j / 6], [0.0; 6]);
        unit[j % 6] = 1.0;
        let (force, moment) = wrench(contact, &unit);
        let arm = contact.position - bodies[0].position;
        let turning = (arm.cross(force) + moment) * MOMENT_SCALE;
        [force.to_array(), turning.to_array()].concat()
    };
    let g: Vec<Vec<f64>> = (0..n).map(column).collect();
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    // ½ fᵀ (GᵀG + W) f − τᵀ G f; of a symmetric matrix the upper half.
    let p: Vec<Vec<f64>> = (0..n)
        .map(|j| {
            let entry = |i: usize| {
                let weight = if i == j { contacts[i / 6].weight } else { 0.0 };
                dot(&g[i], &g[j]) + weight
            };
            (0..=j).map(entry).collect()
        })
        .collect();
    let q: Vec<f64> = g.iter().map(|g| -dot(g, &bodies[0].demand)).collect();
    // b − A f in cones: (µ f₂, f₀, f₁) in a round one, a f₂ ± f₃₋₅ not negative.
    let mut a = vec![vec![0.0; 9 * contacts.len()]; n];
    let mut cones = Vec::new();
    for (i, contact) in contacts.iter().enumerate() {
        let cone = contact.cone.expect("no grips here");
        let (at, row) = (6 * i, 9 * i);
        a[at + 2][row] = -cone.friction;
        a[at][row + 1] = -1.0;
        a[at + 1][row + 2] = -1.0;
        for k in 0..3 {
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                a[at + 2][row + 3 + 2 * k + side] = -cone.arms[k];
                a[at + 3 + k][row + 3 + 2 * k + side] = sign;
            }
        }
        cones.push(SupportedConeT::SecondOrderConeT(3));
        cones.push(SupportedConeT::NonnegativeConeT(6));
    }
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-12)
        .tol_gap_rel(1e-12)
        .tol_feas(1e-12)
        .build()
        .expect("settings that make sense");
    let (p, a, b) = (
        sparse(n, &p),
        sparse(9 * contacts.len(), &a),
        vec![0.0; 9 * contacts.len()],
    );
    let mut solver = DefaultSolver::new(&p, &q, &a, &b, &cones, settings).expect("a programme");
    solver.solve();
    let status = solver.solution.status;
    assert!(
        matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved),
        "{status:?}"
    );
    solver.solution.x.clone()
}

/// The value of the programme for given forces.
fn value(bodies: &[BodyDemand], contacts: &[PatchContact], forces: &[Vector6]) -> f64 {
    let mut solution = Solution::default();
    solution.forces = forces.to_vec();
    let left = solution.unexplained(bodies, contacts);
    let prices = contacts.iter().zip(forces);
    let price: f64 = prices
        .map(|(c, f)| c.weight * f.iter().map(|f| f * f).sum::<f64>())
        .sum();
    0.5 * (left.iter().map(|l| l * l).sum::<f64>() + price)
}

/// Mordatch (6). Where forces cost little, the value determines them only weakly: an
/// error ε of the value is an error of √(2ε/W) in a force.
#[test]
fn clarabel_finds_the_same_forces() {
    let mut random = Random::new(77);
    for trial in 0..200 {
        let (bodies, contacts) = random_problem(&mut random, 1 + trial % 7, 1e-3);
        let mut solution = Solution::default();
        solution.solve(&bodies, &contacts);
        let numbers = by_clarabel(&bodies, &contacts);
        let theirs: Vec<Vector6> = (numbers.chunks_exact(6))
            .map(|f| std::array::from_fn(|k| f[k]))
            .collect();
        let best = value(&bodies, &contacts, &solution.forces);
        let other = value(&bodies, &contacts, &theirs);
        // It never finds a lower value, and sometimes stops slightly above.
        let above = other - best;
        assert!(
            (-1e-10..1e-6).contains(&above),
            "{trial}: {best} and {other}"
        );
        let pairs = solution.forces.as_flattened().iter().zip(&numbers);
        for (ours, theirs) in pairs {
            assert!((ours - theirs).abs() < 0.02, "{trial}: {ours} and {theirs}");
        }
    }
}

/// Mordatch (6) for several bodies and contacts between them, some of which have no
/// force: forces add up to the explained wrench, every force has a reaction, and bodies
/// without contacts between them have the same forces as each alone.
#[test]
fn bodies_without_forces_between_them_are_solved_separately() {
    let mut random = Random::new(5);
    for trial in 0..100 {
        // 0 and 2 touch, 1 and 3 may touch, and no others.
        let masses = [70.0, 5.0, 40.0, 12.0];
        let (mut bodies, mut contacts) = random_problem(&mut random, 12, 1e-3);
        while bodies.len() < 4 {
            bodies.extend(random_problem(&mut random, 1, 1e-3).0);
        }
        for body in &mut bodies {
            body.position += vector(&mut random, 0.4);
        }
        let joined = trial % 2 == 0;
        for (i, contact) in contacts.iter_mut().enumerate() {
            let (on, other) = [(0, 2), (2, 0), (1, 3), (3, 1), (0, 1), (2, 3)][i % 6];
            contact.on = on;
            if i >= 6 || on + other == 2 || on + other == 4 {
                contact.against = Some((other, masses[on] / masses[other]));
            }
            let off = matches!((on, other), (0, 1) | (2, 3)) || (on + other == 4 && !joined);
            if off && contact.against.is_some() {
                contact.weight = f64::INFINITY;
            }
        }
        let mut solution = Solution::default();
        solution.solve(&bodies, &contacts);
        let clusters: Vec<&[usize]> = (solution.clusters().iter().map(|c| &c.bodies[..])).collect();
        let expected: &[&[usize]] = match joined {
            true => &[&[0, 2], &[1, 3]],
            false => &[&[0, 2], &[1], &[3]],
        };
        assert_eq!(clusters, expected);
        let left = solution.unexplained(&bodies, &contacts);
        for (l, left) in solution.lambda.iter().zip(&left) {
            assert!((l - left).abs() < 1e-8, "{trial}: {l} {left}");
        }
        for (contact, force) in contacts.iter().zip(&solution.forces) {
            assert!(contact.weight.is_finite() || *force == [0.0; 6]);
        }
        // No force nearby has a lower value; the programme is convex.
        let best = solution.value(&contacts);
        for k in 0..20 {
            let share = 1.0 - 1e-3 * f64::from(k % 5 + 1);
            let mut other = solution.clone();
            let i = k as usize % contacts.len();
            other.forces[i] = other.forces[i].map(|f| f * share);
            let left = other.unexplained(&bodies, &contacts);
            other.lambda.clone_from(&left);
            assert!(other.value(&contacts) >= best - 1e-12);
        }
        for cluster in solution.clusters() {
            let of = |body: usize| cluster.bodies.iter().position(|&b| b == body);
            let own: Vec<PatchContact> = (cluster.contacts.iter())
                .map(|&i| PatchContact {
                    on: of(contacts[i].on).unwrap(),
                    against: (contacts[i].against).map(|(b, ratio)| (of(b).unwrap(), ratio)),
                    ..contacts[i]
                })
                .collect();
            let apart: Vec<BodyDemand> = cluster.bodies.iter().map(|&b| bodies[b]).collect();
            let mut alone = Solution::default();
            alone.solve(&apart, &own);
            for (force, &i) in alone.forces.iter().zip(&cluster.contacts) {
                assert_eq!(*force, solution.forces[i]);
            }
        }
    }
}
