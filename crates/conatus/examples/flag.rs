//! A flag on a pole in the wind, written as a contact sheet.
//!
//! `cargo run -p conatus --example flag`

use conatus::prelude::*;

fn main() -> Result<(), conatus::Error> {
    let mut scene = SceneBuilder::new("flag");
    // The rectangle lies in x and y; turned about x, it hangs in x and z.
    scene.add_cloth(
        ClothPieceSpec::grid(1.2, 0.8, [31, 21])
            .material("silk")
            .position([0.6, 0.0, 2.0])
            .turn([1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_2)
            .pin(ClothPinSpec::within([-0.61, -0.5, -0.1], [-0.59, 0.5, 0.1])),
    );
    scene.add_obstacle(ObstacleSpec::cylinder(0.02, 2.6).position([-0.03, 0.0, 1.3]));
    scene.wind([6.0, 1.5, 0.0]).seconds(2.0);

    let run = scene.run()?;
    if let Some(cloth) = &run.report.cloth {
        println!(
            "{} vertices, {} intersections",
            cloth.vertices, cloth.intersections
        );
    }
    let sheet = std::env::temp_dir().join("flag.png");
    run.save(&sheet)?;
    println!("wrote {}", sheet.display());
    Ok(())
}
