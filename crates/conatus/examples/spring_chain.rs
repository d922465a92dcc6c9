//! Hangs a chain of balls on springs, removes the last ball after a second, and
//! writes an animation for Blender and a table of numbers.
//!
//! `cargo run -p conatus --example spring_chain`

use conatus::prelude::*;

fn main() -> Result<(), conatus::Error> {
    let mut scene = SceneBuilder::new("spring chain");
    let spring = || SpringSpec::with_stiffness(400.0).length(0.3).damping(0.5);
    let mut above = Attachment::from([0.0, 0.0, 3.0]);
    let mut balls = Vec::new();
    for link in 1..=6 {
        let position = [0.1 * f64::from(link), 0.0, 3.0 - 0.3 * f64::from(link)];
        let ball = scene.add_body(BodySpec::sphere(0.06).mass(0.5).position(position));
        scene.connect(above, ball, spring());
        above = ball.into();
        balls.push(ball);
    }

    let mut simulation = scene.simulate()?;
    simulation.record();
    simulation.run_until(1.0);
    if let Some(last) = balls.pop() {
        simulation.remove_body(last)?;
    }
    simulation.run_until(3.0);
    let run = simulation.finish();

    let folder = std::env::temp_dir();
    for name in ["spring-chain.glb", "spring-chain.csv"] {
        run.save(folder.join(name))?;
        println!("wrote {}", folder.join(name).display());
    }
    Ok(())
}
