//! Several movements to choose from: they are different, and do not depend on
//! the number of threads.

use crate::support::from_text;
use conatus_motion::contact_pattern::{MIN_PATTERN_DISTANCE, contact_pattern, distance};
use conatus_motion::synthesize;
use conatus_world::motion::{MotionPlanner, Movements};
use std::ops::ControlFlow;

/// A short search with thresholds that every movement meets.
const STEPS: &str = include_str!("../support/steps.toml");

fn planner(keep: usize) -> MotionPlanner {
    let text = STEPS.replace("keep = 2", &format!("keep = {keep}"));
    let setup = from_text(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    setup.planner.unwrap()
}

fn plan_all(keep: usize, threads: usize) -> Movements {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| planner(keep).plan_all(&|_| ControlFlow::Continue(())))
}

#[test]
fn kept_movements_are_good_different_and_in_order_of_cost() {
    let problem = planner(3).problem;
    let found = synthesize(&problem, &|_| ControlFlow::Continue(()));
    assert_eq!(found.attempts.len(), 6, "all attempts are made");
    assert_eq!((found.keep, found.kept.len()), (3, 3));
    assert_eq!(found.kept[0].attempt, found.best);
    assert_eq!(found.kept[0].x, found.x);
    let patterns: Vec<_> = (found.kept.iter())
        .map(|kept| contact_pattern(&found.program, &kept.x))
        .collect();
    for (i, kept) in found.kept.iter().enumerate() {
        assert!(found.attempts[kept.attempt].good);
        let others = (0..3).filter(|j| *j != i);
        let nearest = others
            .map(|j| distance(&patterns[i], &patterns[j]))
            .fold(f64::INFINITY, f64::min);
        assert!(nearest > MIN_PATTERN_DISTANCE, "{nearest}: {patterns:?}");
        assert_eq!(kept.nearest, Some(nearest));
    }
    let cost = |kept: &conatus_motion::KeptMovement| found.attempts[kept.attempt].cost;
    assert!(found.kept.is_sorted_by_key(cost));
}

#[test]
fn kept_movements_do_not_depend_on_the_number_of_threads() {
    let (one, two) = (plan_all(3, 1), plan_all(3, 2));
    assert_eq!((one.others.len(), two.others.len()), (2, 2));
    for (a, b) in one.all().zip(two.all()) {
        assert!(a.clip == b.clip);
        assert_eq!(a.report.kept, b.report.kept);
    }
}

#[test]
fn a_search_for_one_movement_returns_the_first_good_one() {
    let one = plan_all(1, 1);
    assert!(one.others.is_empty() && one.labels().is_empty());
    let report = &one.best.report;
    assert_eq!(report.attempts.len(), conatus_motion::ATTEMPTS_PER_ROUND);
    assert_eq!((&report.keep, &report.kept), (&None, &None));
    let text = serde_json::to_string(report).unwrap();
    assert!(!text.contains("\"kept\"") && !text.contains("\"keep\""));
}

#[test]
fn labels_number_the_movements_and_show_their_costs() {
    let all = plan_all(2, 1);
    let labels = all.labels();
    assert_eq!(labels.len(), 2);
    let costs = all.best.report.kept.as_ref().unwrap().iter();
    for (number, (label, kept)) in labels.iter().zip(costs).enumerate() {
        let cost = conatus_world::motion::cost(kept.cost);
        let wanted = format!("movement {} of 2, cost {cost}", number + 1);
        assert_eq!(*label, wanted);
    }
}
