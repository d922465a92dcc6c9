//! Drops a ball on the ground and prints its height.
//!
//! `cargo run -p conatus --example falling_ball`

use conatus::prelude::*;

fn main() -> Result<(), conatus::Error> {
    let mut scene = SceneBuilder::new("falling ball");
    let ball = scene.add_body(
        BodySpec::sphere(0.2)
            .density(500.0)
            .position([0.0, 0.0, 2.0])
            .omega_body([0.0, 9.0, 0.0]),
    );
    scene.add_plane(PlaneSpec::ground().restitution(0.8).friction(0.5));

    let mut simulation = scene.simulate()?;
    while simulation.time() < 2.0 {
        simulation.step();
        for contact in simulation.contacts() {
            let strength = contact.impulse.length();
            println!("{:.2} s: bounce, {strength:.1} N·s", simulation.time());
        }
    }
    let height = simulation.state(ball).position.z;
    println!("after {:.0} s: {height:.3} m", simulation.time());
    Ok(())
}
