//! Where the time of one attempt goes: `cargo run --release -p conatus-motion
//! --example speed [seed]`.

#[path = "../tests/it/common.rs"]
#[allow(dead_code)]
mod common;

use conatus_motion::Program;
use conatus_motion::objective;
use conatus_motion::phases::{self, Attempt, STAGES};
use cpu_time::ThreadTime;
use std::cell::Cell;
use std::ops::ControlFlow;

fn main() {
    let seed = std::env::args().nth(1).and_then(|a| a.parse().ok());
    let problem = common::walk();
    let program = Program::new(&problem);
    let attempt = Attempt {
        seed: seed.unwrap_or(0),
        preconditioned: false,
        staged: false,
    };
    let start = ThreadTime::now();
    let until: [Cell<f64>; STAGES.len()] = Default::default();
    let (x, outcomes) = phases::attempt(&program, &problem.effort, attempt, &|at| {
        until[at.stage].set(start.elapsed().as_secs_f64());
        ControlFlow::Continue(())
    });
    let until = until.map(Cell::into_inner);
    let mut before = 0.0;
    for ((name, outcome), until) in STAGES.iter().zip(&outcomes).zip(until) {
        println!(
            "{name:12} {:.3} s, {} iterations, {} evaluations, cost {:.6}",
            until - before,
            outcome.iterations,
            outcome.evaluations,
            outcome.value
        );
        before = until;
    }
    println!("{:12} {before:.3} s", "all");
    let seconds = objective::measure_cost_times(&program, problem.effort.samples, &x, 200);
    println!("200 gradients and iterations: {seconds:.4?}");
}
