//! A human walks 2.5 m: the goal is given, the steps are found.
//!
//! `cargo run --release -p conatus --example walk`

use conatus::prelude::*;
use std::ops::ControlFlow;

fn main() -> Result<(), conatus::Error> {
    let mut scene = SceneBuilder::new("walk");
    scene
        .add_character(CharacterSpec::human())
        .add_goal(GoalSpec::stand())
        .add_goal(GoalSpec::position([2.5, 0.0]));

    let mut simulation = scene.simulate()?;
    simulation.record();
    let found = simulation.plan_with(&|_progress| ControlFlow::Continue(()));
    if let Some(report) = found {
        let residual = 100.0 * report.score.true_residual_max_bw;
        println!("largest force residual: {residual:.3}% of body weight");
        println!("distance to the goal: {:.4} m", report.score.task_error);
    }
    simulation.run_until(5.0);
    let path = std::env::temp_dir().join("walk.bvh");
    simulation.finish().save(&path)?;
    println!("wrote {}", path.display());
    Ok(())
}
