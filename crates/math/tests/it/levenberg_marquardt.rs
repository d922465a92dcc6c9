//! The Levenberg-Marquardt method on chains of residuals.

use conatus_math::banded::BlockTridiagonal;
use conatus_math::levenberg_marquardt::{Settings, minimise};
use conatus_math::minimise::{Iteration, Limits, Outcome, Reason};
use std::ops::ControlFlow;

/// A residual, the unknowns it depends on, and its derivatives with respect to
/// them.
type Residual = (f64, Vec<usize>, Vec<f64>);

/// Half the sum of squares, with gradient and matrix.
fn linear(residuals: &[Residual], gradient: &mut [f64], matrix: &mut BlockTridiagonal) -> f64 {
    gradient.fill(0.0);
    for (value, unknowns, row) in residuals {
        matrix.add_rows(unknowns, row);
        for (i, d) in unknowns.iter().zip(row) {
            gradient[*i] += value * d;
        }
    }
    half_square(residuals)
}

fn half_square(residuals: &[Residual]) -> f64 {
    residuals
        .iter()
        .map(|(value, ..)| 0.5 * value * value)
        .sum()
}

/// Rosenbrock's valley from knot to knot: 10 (xᵢ₊₁ − xᵢ²) and 1 − xᵢ.
fn rosenbrock(x: &[f64]) -> Vec<Residual> {
    let mut all = Vec::new();
    for i in 0..x.len() - 1 {
        let value = 10.0 * (x[i + 1] - x[i] * x[i]);
        all.push((value, vec![i, i + 1], vec![-20.0 * x[i], 10.0]));
        all.push((1.0 - x[i], vec![i], vec![-1.0]));
    }
    all
}

struct Run {
    x: Vec<f64>,
    outcome: Outcome,
    values: Vec<f64>,
}

fn run(start: &[f64], sizes: &[usize], residuals: impl Fn(&[f64]) -> Vec<Residual>) -> Run {
    let mut x = start.to_vec();
    let mut values = Vec::new();
    let outcome = minimise(
        &mut x,
        &mut BlockTridiagonal::new(sizes),
        &Settings::default(),
        |x, gradient, matrix| linear(&residuals(x), gradient, matrix),
        |x| half_square(&residuals(x)),
        |at: &Iteration| {
            values.push(at.value);
            ControlFlow::Continue(())
        },
    );
    Run { x, outcome, values }
}

#[test]
fn a_chain_of_valleys_is_solved_with_ever_faster_steps() {
    let start: Vec<f64> = (0..60).map(|i| 1.0 + 0.4 * (i as f64).sin()).collect();
    let Run { x, outcome, values } = run(&start, &[7, 20, 1, 13, 19], rosenbrock);
    assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-7), "{x:?}");
    assert!(outcome.iterations < 10, "{outcome:?}");
    // The cost is the square of the error: at the end the error falls by more
    // than a hundred in each step, with increasing rate.
    let last = &values[values.len() - 3..];
    assert!(
        last[1] < 1e-4 * last[0] && last[2] < 1e-4 * last[1],
        "{values:?}"
    );
}

#[test]
fn a_curved_valley_is_followed_from_far_away() {
    let Run { x, outcome, .. } = run(&[-1.2, 1.0], &[1, 1], rosenbrock);
    assert!(
        x.iter().all(|x| (x - 1.0).abs() < 1e-7),
        "{outcome:?} {x:?}"
    );
    assert!(outcome.evaluations < 80, "{outcome:?}");
}

#[test]
fn unknowns_without_residuals_keep_their_value() {
    // x₀² + x₁ = 2 has a whole curve of solutions; no residual depends on x₂.
    let residuals = |x: &[f64]| vec![(x[0] * x[0] + x[1] - 2.0, vec![0, 1], vec![2.0 * x[0], 1.0])];
    let Run { x, outcome, .. } = run(&[3.0, 1.0, 5.0], &[1, 2], residuals);
    assert!((x[0] * x[0] + x[1] - 2.0).abs() < 1e-8, "{outcome:?} {x:?}");
    assert_eq!(x[2], 5.0);
    // The step was the shortest in Marquardt's scale.
    assert!((x[0] - 3.0).abs() < 3.0 && (x[1] - 1.0).abs() < 10.0);
}

#[test]
fn residuals_that_cannot_vanish_give_the_least_squares_solution() {
    // Lines through one point would need y = 1, 2 and 6: the mean is best.
    let residuals = |x: &[f64]| {
        let one = |y: f64| (x[0] - y, vec![0], vec![1.0]);
        vec![one(1.0), one(2.0), one(6.0)]
    };
    let Run { x, outcome, .. } = run(&[100.0], &[1], residuals);
    assert!((x[0] - 3.0).abs() < 1e-7, "{outcome:?}");
    assert!((outcome.value - 7.0).abs() < 1e-12);
}

#[test]
fn steps_to_undefined_values_are_shortened() {
    // ln x = 1, undefined below zero; from x = 20 the first step goes there.
    let residuals = |x: &[f64]| vec![(x[0].ln() - 1.0, vec![0], vec![1.0 / x[0]])];
    let Run { x, outcome, .. } = run(&[20.0], &[1], residuals);
    assert!(
        (x[0] - std::f64::consts::E).abs() < 1e-7,
        "{outcome:?} {x:?}"
    );
    assert!(20.0 - 20.0 * (20f64.ln() - 1.0) < 0.0);
}

#[test]
fn an_undefined_start_is_not_changed() {
    let residuals = |_: &[f64]| vec![(f64::NAN, vec![0], vec![1.0])];
    let Run { x, outcome, .. } = run(&[2.0], &[1], residuals);
    assert_eq!((outcome.reason, x), (Reason::NotFinite, vec![2.0]));
}

#[test]
fn a_wrong_gradient_ends_the_search_and_keeps_the_best() {
    let residuals = |x: &[f64]| vec![(x[0], vec![0], vec![-1.0])];
    let Run { x, outcome, .. } = run(&[2.0], &[1], residuals);
    assert_eq!((outcome.reason, outcome.value), (Reason::NoProgress, 2.0));
    assert_eq!(x, [2.0]);
}

#[test]
fn nan_zero_and_negative_damping_become_the_minimum() {
    for damping in [0.0, -1.0, f64::NAN] {
        let mut x = vec![-1.2, 1.0];
        let settings = Settings {
            damping,
            ..Settings::default()
        };
        let outcome = minimise(
            &mut x,
            &mut BlockTridiagonal::new(&[1, 1]),
            &settings,
            |x, gradient, matrix| linear(&rosenbrock(x), gradient, matrix),
            |x| half_square(&rosenbrock(x)),
            |_| ControlFlow::Continue(()),
        );
        assert!(outcome.value < 1e-12, "{outcome:?}");
    }
}

#[test]
fn the_caller_and_the_iteration_limit_stop_it() {
    let solve = |iterations: usize, stop: usize| {
        let mut x = vec![-1.2, 1.0];
        let settings = Settings {
            limits: Limits {
                iterations,
                ..Settings::default().limits
            },
            ..Settings::default()
        };
        let outcome = minimise(
            &mut x,
            &mut BlockTridiagonal::new(&[2]),
            &settings,
            |x, gradient, matrix| linear(&rosenbrock(x), gradient, matrix),
            |x| half_square(&rosenbrock(x)),
            |at| match at.number == stop {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            },
        );
        assert_eq!(outcome.value, half_square(&rosenbrock(&x)));
        (outcome.reason, outcome.iterations)
    };
    assert_eq!(solve(4, 9), (Reason::Iterations, 4));
    assert_eq!(solve(9, 4), (Reason::Stopped, 4));
    assert_eq!(solve(0, 9), (Reason::Iterations, 0));
}

/// A bug: abandoned searches went on, because only iterations could be stopped.
/// A linearisation or a cost that returns `None` ends the minimisation at that
/// evaluation, and the best point so far is kept.
#[test]
fn a_linearisation_or_a_cost_ends_the_minimisation() {
    let start: Vec<f64> = (0..6).map(|i| 1.0 + 0.4 * f64::from(i).sin()).collect();
    for last in 0..6 {
        let mut x = start.clone();
        let evaluations = std::cell::Cell::new(0);
        let allowed = || {
            evaluations.set(evaluations.get() + 1);
            evaluations.get() <= last
        };
        let outcome = minimise(
            &mut x,
            &mut BlockTridiagonal::new(&[2, 4]),
            &Settings::default(),
            |x, gradient, matrix| {
                let value = linear(&rosenbrock(x), gradient, matrix);
                allowed().then_some(value)
            },
            |x| allowed().then(|| half_square(&rosenbrock(x))),
            |_: &Iteration| ControlFlow::Continue(()),
        );
        assert_eq!(outcome.reason, Reason::Stopped, "after {last}");
        assert_eq!(evaluations.get(), last + 1);
        match last {
            0 => assert_eq!(x, start),
            _ => assert_eq!(outcome.value, half_square(&rosenbrock(&x)), "after {last}"),
        }
    }
}
