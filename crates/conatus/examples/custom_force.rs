//! A custom force, as a closure with state: a thruster that holds a body at a
//! height with a PI controller.
//!
//! `cargo run -p conatus --example custom_force`

use conatus::prelude::*;

fn main() -> Result<(), conatus::Error> {
    const TARGET_M: f64 = 1.5;
    let mut scene = SceneBuilder::new("hover");
    let drone = scene.add_body(
        BodySpec::cuboid([0.2, 0.2, 0.05])
            .mass(1.2)
            .position([0.0, 0.0, 0.5]),
    );
    let mut simulation = scene.simulate()?;

    let (mut integral, mut last_time) = (0.0, 0.0);
    simulation.add_force_fn(move |time, view, loads| {
        let state = view.state(drone.index());
        let error = TARGET_M - state.position.z;
        // The closure is called at every stage of a step; time can repeat.
        integral += error * f64::max(time - last_time, 0.0);
        last_time = time;
        let thrust = 1.2 * (9.81 + 8.0 * error + 3.0 * integral - 5.0 * state.velocity.z);
        loads.central_force(view, drone.index(), DVec3::Z * thrust.clamp(0.0, 40.0));
    });

    for second in 1..=8 {
        simulation.run_until(f64::from(second));
        println!("{second} s: {:.3} m", simulation.state(drone).position.z);
    }
    Ok(())
}
