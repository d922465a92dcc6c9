//! A custom character: a quadruped with longer legs walks half a metre.
//!
//! `cargo run --release -p conatus --example custom_character`

use conatus::motion::built_in_description;
use conatus::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut description = built_in_description("quadruped").ok_or("no such character")?;
    description.mass *= 1.2;
    for limb in &mut description.limb {
        for link in &mut limb.links {
            link.length *= 1.05;
        }
    }

    let mut scene = SceneBuilder::new("long legs");
    scene
        .add_character(CharacterSpec::custom(description).name("foal"))
        .add_goal(GoalSpec::stand())
        .add_goal(GoalSpec::position([0.5, 0.0]));
    let run = scene.run()?;
    if let Some(motion) = &run.report.motion {
        println!("distance to the goal: {:.4} m", motion.score.task_error);
        println!("good: {}", motion.failure.is_none());
    }
    let path = std::env::temp_dir().join("foal.glb");
    run.save(&path)?;
    println!("wrote {}", path.display());
    Ok(())
}
