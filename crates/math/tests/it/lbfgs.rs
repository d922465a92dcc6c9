//! Limited-memory BFGS on functions whose minima are known.

use conatus_math::lbfgs::{Settings, minimise, minimise_preconditioned};
use conatus_math::minimise::{Iteration, Limits, Reason};
use std::ops::ControlFlow;

fn go_on(_: &Iteration) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Rosenbrock's valley, in pairs of neighbours: minimum 0 at (1, 1, …).
fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        let (a, b) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        sum += 100.0 * a * a + b * b;
        gradient[i] -= 400.0 * a * x[i] + 2.0 * b;
        gradient[i + 1] += 200.0 * a;
    }
    sum
}

fn exactly(gradient: f64) -> Settings {
    Settings {
        limits: Limits {
            iterations: 10_000,
            gradient,
            decrease: -1.0,
            ..Limits::default()
        },
        ..Settings::default()
    }
}

#[test]
fn rosenbrocks_valley_is_followed_to_its_end() {
    let mut x = [-1.2, 1.0];
    let outcome = minimise(&mut x, &exactly(1e-9), rosenbrock, go_on);
    assert_eq!(outcome.reason, Reason::Gradient);
    assert!(outcome.evaluations < 60, "{outcome:?}");
    assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-9), "{x:?}");
}

#[test]
fn rosenbrocks_valley_in_a_hundred_dimensions_is_followed_to_its_end() {
    let mut x: Vec<f64> = (0..100).map(|i| [-1.2, 1.0][i % 2]).collect();
    let outcome = minimise(&mut x, &exactly(1e-9), rosenbrock, go_on);
    assert_eq!(outcome.reason, Reason::Gradient);
    assert!(outcome.iterations < 600, "{outcome:?}");
    assert!(
        outcome.evaluations < 5 * outcome.iterations / 4,
        "{outcome:?}"
    );
    // This chain has another minimum, near (−1, 1, 1, …).
    assert!(x[1..].iter().all(|x| (x - 1.0).abs() < 1e-6), "{x:?}");
}

/// Stiffnesses from 1 to 10⁶.
fn stiffness(i: usize) -> f64 {
    10f64.powf(6.0 * i as f64 / 199.0)
}

fn quadratic(x: &[f64], gradient: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for (i, x) in x.iter().enumerate() {
        gradient[i] = stiffness(i) * (x - 1.0);
        sum += 0.5 * gradient[i] * (x - 1.0);
    }
    sum
}

#[test]
fn a_preconditioner_makes_an_ill_conditioned_problem_easy() {
    let mut x = vec![0.0; 200];
    let plain = minimise(&mut x, &exactly(1e-6), quadratic, go_on);
    assert_eq!(plain.reason, Reason::Gradient);
    assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-5));

    let mut run = |error: &dyn Fn(usize) -> f64| {
        x.fill(0.0);
        let inverse = |v: &mut [f64]| {
            for (i, v) in v.iter_mut().enumerate() {
                *v *= error(i) / stiffness(i);
            }
        };
        let outcome = minimise_preconditioned(&mut x, &exactly(1e-6), quadratic, inverse, go_on);
        assert_eq!(outcome.reason, Reason::Gradient);
        outcome.iterations
    };
    assert_eq!(run(&|_| 1.0), 1);
    assert!(run(&|i| if i % 2 == 0 { 0.5 } else { 2.0 }) < 15);
    assert!(plain.iterations > 100);
}

#[test]
fn a_bad_preconditioner_is_dropped() {
    let mut x = [-1.2, 1.0];
    let uphill = |v: &mut [f64]| v.iter_mut().for_each(|v| *v = -*v);
    let outcome = minimise_preconditioned(&mut x, &exactly(1e-6), rosenbrock, uphill, go_on);
    assert!(outcome.value < 1.0, "{outcome:?}");
}

#[test]
fn a_minimum_at_a_kink_is_found() {
    // |x − 1| + 3 |y| + a small quadratic: the gradient is undefined at the
    // minimum.
    let kinks = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = (x[0] - 1.0).signum() + 0.2 * x[0];
        gradient[1] = 3.0 * x[1].signum();
        (x[0] - 1.0).abs() + 0.1 * x[0] * x[0] + 3.0 * x[1].abs()
    };
    let mut x = [-3.0, 2.2];
    let outcome = minimise(&mut x, &Settings::default(), kinks, go_on);
    assert!(outcome.evaluations < 2000, "{outcome:?}");
    assert!((x[0] - 1.0).abs() < 1e-4 && x[1].abs() < 1e-4, "{x:?}");
}

#[test]
fn steps_to_undefined_values_are_shortened() {
    // x − ln x, undefined for x ≤ 0; the first step goes there.
    for nothing in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let log = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 50.0 * (1.0 - 1.0 / x[0]);
            if x[0] > 0.0 {
                50.0 * (x[0] - x[0].ln())
            } else {
                nothing
            }
        };
        let mut x = [0.9];
        let settings = exactly(1e-9);
        let too_far = |v: &mut [f64]| v.iter_mut().for_each(|v| *v *= -1e3);
        let outcome = minimise(&mut x, &settings, log, go_on);
        assert!((x[0] - 1.0).abs() < 1e-9 && outcome.reason == Reason::Gradient);
        let mut x = [1.1];
        let outcome = minimise_preconditioned(&mut x, &settings, log, |v| v[0] *= 1e3, go_on);
        assert!((x[0] - 1.0).abs() < 1e-9, "{outcome:?}");
        let mut x = [1.1];
        minimise_preconditioned(&mut x, &settings, log, too_far, go_on);
        assert!((x[0] - 1.0).abs() < 1e-9);
    }
}

#[test]
fn an_undefined_start_is_not_changed() {
    let nothing = |_: &[f64], _: &mut [f64]| f64::NAN;
    let mut x = [3.0];
    let outcome = minimise(&mut x, &Settings::default(), nothing, go_on);
    assert_eq!((outcome.reason, x), (Reason::NotFinite, [3.0]));
}

#[test]
fn a_wrong_gradient_ends_the_search_and_keeps_the_best() {
    let wrong = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = -2.0 * x[0];
        x[0] * x[0]
    };
    let mut x = [2.0];
    let outcome = minimise(&mut x, &Settings::default(), wrong, go_on);
    assert_eq!(outcome.reason, Reason::NoProgress);
    assert!(outcome.value <= 4.0 && outcome.value == x[0] * x[0]);
}

#[test]
fn minimising_a_random_function_terminates() {
    for seed in 0..20u64 {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let chance = |_: &[f64], gradient: &mut [f64]| {
            gradient.iter_mut().for_each(|g| *g = next() / next());
            if next() > 0.5 { f64::NAN } else { next() }
        };
        let mut x = [1.0; 7];
        let outcome = minimise(&mut x, &Settings::default(), chance, go_on);
        assert!(outcome.evaluations <= 1 + 60 * (1 + outcome.iterations));
        assert!(x.iter().all(|x| x.is_finite()));
        assert!(outcome.value.is_finite() || outcome.reason == Reason::NotFinite);
    }
}

#[test]
fn the_callback_sees_every_iteration_and_may_stop_it() {
    let mut x = [-1.2, 1.0];
    let mut values = Vec::new();
    let outcome = minimise(&mut x, &exactly(1e-9), rosenbrock, |at| {
        values.push(at.value);
        assert_eq!(at.number, values.len());
        if at.number == 5 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!((outcome.reason, outcome.iterations), (Reason::Stopped, 5));
    assert!(values.is_sorted_by(|a, b| a > b));
    assert!(outcome.value <= values[4]);
    assert_eq!(outcome.value, rosenbrock(&x, &mut [0.0; 2]));
}

#[test]
fn the_iteration_limit_and_a_small_decrease_stop_it() {
    let run = |limits| {
        let settings = Settings {
            limits,
            ..Settings::default()
        };
        minimise(&mut [-1.2, 1.0], &settings, rosenbrock, go_on)
    };
    let few = Limits {
        iterations: 3,
        ..Limits::default()
    };
    assert_eq!(
        (run(few).reason, run(few).iterations),
        (Reason::Iterations, 3)
    );
    let content = Limits {
        decrease: 0.9,
        window: 4,
        ..Limits::default()
    };
    assert_eq!(
        (run(content).reason, run(content).iterations),
        (Reason::Decrease, 4)
    );
}

/// A bug: abandoned searches went on to the end of their line searches, because
/// only iterations could be stopped. An objective that returns `None` ends the
/// minimisation at that evaluation, and the best point so far is kept.
#[test]
fn an_objective_ends_the_minimisation_within_a_line_search() {
    for last in 0..40 {
        let mut x = [-1.2, 1.0];
        let mut evaluations = 0;
        let objective = |x: &[f64], gradient: &mut [f64]| {
            evaluations += 1;
            let value = rosenbrock(x, gradient);
            (evaluations <= last).then_some(value)
        };
        let outcome = minimise(&mut x, &exactly(1e-9), objective, go_on);
        assert_eq!(outcome.reason, Reason::Stopped);
        assert_eq!((evaluations, outcome.evaluations), (last + 1, last));
        let here = rosenbrock(&x, &mut [0.0; 2]);
        match last {
            0 => assert_eq!((x, outcome.value), ([-1.2, 1.0], f64::INFINITY)),
            _ => assert_eq!(outcome.value, here),
        }
    }
}
