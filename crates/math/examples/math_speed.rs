//! Prints the time of the parts of an optimisation on one thread: the best of
//! several rounds, in wall-clock time.
//!
//! `cargo run --release -p conatus-math --example math_speed`

use conatus_math::banded::{BlockTridiagonal, Cholesky};
use conatus_math::exp_map::Rotation;
use conatus_math::hermite::Weights;
use conatus_math::minimise::{Iteration, Limits};
use conatus_math::{DMat3, DVec3, lbfgs};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

/// Seconds of one call, the best of `rounds` rounds of `calls`.
fn best(rounds: usize, calls: usize, mut work: impl FnMut(usize)) -> f64 {
    let round = |_| {
        let start = Instant::now();
        (0..calls).for_each(&mut work);
        start.elapsed().as_secs_f64() / calls as f64
    };
    (0..rounds).map(round).fold(f64::INFINITY, f64::min)
}

/// A spline of `knots` knots with `size` numbers each, and `rows` residuals in
/// each segment, eight of which share their unknowns.
fn assemble(a: &mut BlockTridiagonal, knots: usize, size: usize, rows: usize) {
    a.clear();
    let unknowns: Vec<usize> = (0..2 * size).collect();
    let numbers: Vec<f64> = (0..16 * size).map(|i| (i as f64 * 0.7).sin()).collect();
    for k in 0..knots - 1 {
        let shifted: Vec<usize> = unknowns.iter().map(|i| i + k * size).collect();
        for _ in 0..rows / 8 {
            a.add_rows(&shifted, &numbers);
        }
    }
}

/// Residuals of three numbers in each of 8 places, one at a time.
fn sparse_rows() {
    let mut a = BlockTridiagonal::new(&[64, 64]);
    let unknowns: Vec<usize> = (0..24).map(|i| i / 3 * 16 + i % 3).collect();
    let numbers = vec![0.5; 24];
    let one = best(20, 10_000, |_| a.add_rows(&unknowns, black_box(&numbers)));
    println!("a row of 24 unknowns in runs of 3: {:.2} µs", one * 1e6);
}

fn banded(knots: usize, size: usize) {
    let mut a = BlockTridiagonal::new(&vec![size; knots]);
    let assembling = best(5, 1, |_| assemble(&mut a, knots, size, 80)) / (80 * (knots - 1)) as f64;
    let mut cholesky = Cholesky::new(&a);
    let damping = vec![1.0; a.len()];
    let factorising = best(20, 1, |_| {
        black_box(cholesky.factorise(&a, &damping)).expect("damped");
    });
    let mut x = vec![1.0; a.len()];
    let solving = best(20, 1, |_| cholesky.solve(black_box(&mut x)));
    println!(
        "{knots} blocks of {size:3}: factorise {:6.2} ms, solve {:5.3} ms, add a full row {:5.2} µs",
        factorising * 1e3,
        solving * 1e3,
        assembling * 1e6
    );
}

/// The overhead of L-BFGS per evaluation, with a function that costs next to
/// nothing.
fn lbfgs(unknowns: usize) {
    let settings = lbfgs::Settings {
        limits: Limits {
            iterations: 300,
            gradient: 0.0,
            decrease: -1.0,
            ..Limits::default()
        },
        ..lbfgs::Settings::default()
    };
    let bowl = |x: &[f64], gradient: &mut [f64]| {
        let mut sum = 0.0;
        for (i, (x, g)) in x.iter().zip(gradient).enumerate() {
            *g = (1 + i * i) as f64 * (x - 1.0);
            sum += 0.5 * *g * (x - 1.0);
        }
        sum
    };
    let mut evaluations = 1;
    let whole = best(5, 1, |_| {
        let mut x = vec![0.0; unknowns];
        let go_on = |_: &Iteration| ControlFlow::Continue(());
        evaluations = lbfgs::minimise(&mut x, &settings, bowl, go_on).evaluations;
    });
    let each = whole / evaluations as f64 * 1e6;
    println!("L-BFGS, {unknowns} unknowns, memory 20: {each:.1} µs an evaluation");
}

fn main() {
    let vector = |i: usize| DVec3::new(0.1, 0.2, 0.3) * (i % 11) as f64;
    let g = DMat3::from_cols(DVec3::X, DVec3::ONE, DVec3::Z);
    let rotation = best(20, 10_000, |i| {
        black_box(Rotation::new(vector(i), DVec3::X, black_box(DVec3::Y)));
    });
    let both = best(20, 10_000, |i| {
        let at = Rotation::new(vector(i), DVec3::X, black_box(DVec3::Y));
        black_box(at.adjoint(&g, DVec3::X, black_box(DVec3::Z)));
    });
    let weights = best(20, 10_000, |i| {
        black_box(Weights::new(i as f64 * 1e-4, black_box(0.4)));
    });
    println!(
        "Rotation::new {:.0} ns, with adjoint {:.0} ns",
        rotation * 1e9,
        both * 1e9
    );
    println!("hermite::Weights {:.1} ns", weights * 1e9);
    lbfgs(1240);
    sparse_rows();
    for size in [32, 64, 96, 128, 130] {
        banded(20, size);
    }
}
