//! Runs one scene with many values of a parameter: how far a ball rolls down a
//! slope before friction makes it roll instead of slide.
//!
//! `cargo run -p conatus --example sweep`

use conatus::prelude::*;

fn main() -> Result<(), conatus::Error> {
    println!("friction   slip at 1 s, m/s");
    for k in 0..=8 {
        let friction = 0.05 * f64::from(k);
        let radius = 0.1;
        let angle: f64 = 0.5;
        let mut scene = SceneBuilder::new("slope");
        let normal = [angle.sin(), 0.0, angle.cos()];
        scene.add_plane(
            PlaneSpec::new([0.0; 3], normal)
                .restitution(0.0)
                .friction(friction),
        );
        let start = normal.map(|n| n * radius);
        let ball = scene.add_body(BodySpec::sphere(radius).mass(1.0).position(start));
        let mut simulation = scene.simulate()?;
        simulation.run_until(1.0);
        let state = simulation.state(ball);
        let contact = state.position - DVec3::from(normal) * radius;
        let slip = state.velocity_at(contact).length();
        println!("{friction:8.2}   {slip:.3}");
    }
    Ok(())
}
