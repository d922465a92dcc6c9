//! A search that is stopped ends at once.
//!
//! The story: a user opened fifty scenes in the page, one after the other. Every search
//! that the page had abandoned ran for more than a minute longer: the watcher was called
//! only once per iteration, later stages still began, and further attempts started. A
//! search has to end within 0.2 s of being abandoned.

use crate::common;
use conatus_motion::{Problem, Progress, Synthesis, synthesize};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A short walk with little effort, so that all four stages are reached quickly.
fn short_walk() -> Problem {
    let mut problem = common::walk();
    problem.phases = 3;
    problem.effort.iterations = [6, 6, 6];
    problem.effort.polish = 4;
    problem.effort.attempts = 6;
    // No movement passes, so that all attempts would be made.
    problem.thresholds.task = -1.0;
    problem
}

/// Searches on one thread until `stop` is true; returns the result, how many
/// iterations there had been, and how often the watcher was called after its break.
fn search(stop: impl Fn(&Progress) -> bool + Sync) -> (Synthesis, usize, usize) {
    let (calls_after, iterations) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let stopped = std::sync::atomic::AtomicBool::new(false);
    let last = std::sync::Mutex::new((0, 0, 0));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let problem = short_walk();
    let found = pool.install(|| {
        synthesize(&problem, &|at| {
            if stopped.load(Ordering::Relaxed) {
                calls_after.fetch_add(1, Ordering::Relaxed);
            }
            let here = (at.attempt, at.stage, at.iteration);
            let mut last = last.lock().unwrap();
            if *last != here && at.iteration > 0 {
                iterations.fetch_add(1, Ordering::Relaxed);
            }
            *last = here;
            match stop(at) {
                true => {
                    stopped.store(true, Ordering::Relaxed);
                    ControlFlow::Break(())
                }
                false => ControlFlow::Continue(()),
            }
        })
    });
    (found, iterations.into_inner(), calls_after.into_inner())
}

#[test]
fn no_iteration_stage_or_attempt_begins_after_the_break() {
    for stage in 0..4 {
        let (found, iterations, calls_after) = search(|at| at.stage == stage && at.iteration >= 2);
        assert!(found.stopped, "stage {stage}");
        assert_eq!(calls_after, 0, "stage {stage}");
        assert_eq!(found.attempts.len(), 1, "stage {stage}");
        // Least squares after stage 0 count from 1 again, so a few may look the same.
        let made = found.attempts[0].iterations;
        assert!(
            made <= iterations + 6,
            "stage {stage}: {made} of {iterations}"
        );
        let limit = [2, 6 + 40 + 2, 6 + 40 + 6 + 2, 6 + 40 + 6 + 6 + 2][stage];
        assert!(made <= limit, "stage {stage}: {made} above {limit}");
        assert!(found.x.iter().all(|x| x.is_finite()), "stage {stage}");
    }
}

/// A break within an evaluation ends it: the watcher is called several times per
/// evaluation, not once per iteration.
#[test]
fn the_watcher_is_called_within_evaluations() {
    for break_at in [1, 2, 3, 7, 20, 50] {
        let calls = AtomicUsize::new(0);
        let (found, _, calls_after) =
            search(|_| calls.fetch_add(1, Ordering::Relaxed) + 1 >= break_at);
        assert!(found.stopped && calls_after == 0, "at call {break_at}");
        assert_eq!(found.attempts.len(), 1, "at call {break_at}");
    }
    // 3 phases of 2 segments with 6 moments each: 36 moments in an evaluation.
    let calls = AtomicUsize::new(0);
    let (_, iterations, _) = search(|at| {
        calls.fetch_add(1, Ordering::Relaxed);
        at.stage == 1
    });
    let calls = calls.into_inner();
    assert!(
        calls >= 3 * iterations,
        "{calls} for {iterations} iterations"
    );
}

#[test]
fn an_attempt_that_runs_beside_the_one_that_breaks_ends_too() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .unwrap();
    let problem = short_walk();
    let found = pool.install(|| {
        synthesize(&problem, &|at| match at.attempt {
            0 if at.stage == 1 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
    });
    assert!(found.stopped);
    assert!(found.attempts.len() <= 2, "{}", found.attempts.len());
}
