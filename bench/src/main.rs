//! Measures what the project promises, side by side with rapier3d-f64 in one
//! and the same run: `cargo run --release -p conatus-bench [-- --json]`.
//!
//! Figures of two runs do not compare; machines are busy in different ways.
//! Ratios within a run do.

mod contacts;
mod free_flight;
mod gas;
mod program;
mod rapier;
mod rounds;
mod table;
mod tumbling_top;

use conatus_math::DVec3;
use conatus_world::scene::SceneError;
use std::process::ExitCode;

fn main() -> ExitCode {
    let json = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [flag] if flag == "--json" => true,
        _ => {
            eprintln!("usage: conatus-bench [--json]");
            return ExitCode::from(2);
        }
    };
    if cfg!(debug_assertions) {
        eprintln!("this build is not optimised: use `cargo run --release -p conatus-bench`");
    }
    match measure(json) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(json: bool) -> Result<(), Box<dyn std::error::Error>> {
    let processor = free_flight::processor();
    if !json {
        println!("Processor: {processor}. One core, processor time, best of 30 rounds.\n");
    }
    let mut tables = Vec::new();
    let mut show = |table: table::Table| {
        if !json {
            println!("{}", table.text());
        }
        tables.push(table.json());
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| -> Result<(), SceneError> {
        show(free_flight::measure(
            "Free flight, 10,000 bodies, no gravity, step 0.01 s",
            DVec3::ZERO,
        ));
        show(free_flight::measure(
            "Free flight, 10,000 bodies, gravity, step 0.01 s",
            DVec3::new(0.0, 0.0, -9.81),
        ));
        show(tumbling_top::measure());
        show(contacts::measure()?);
        show(gas::measure()?);
        show(program::measure()?);
        Ok(())
    })?;
    if json {
        let all = serde_json::json!({ "processor": processor, "tables": tables });
        println!("{all:#}");
    }
    Ok(())
}
