//! Energy drift of a thousand elastic balls in a box over 10,000 steps, and
//! whether any ball leaves the box.

use crate::table::{Table, at_most, fixed, power};
use conatus_world::scene::{LoadOptions, Scene, SceneError};
use cpu_time::ThreadTime;

const STEPS: usize = 10_000;

/// Runs the built-in scene `gas`.
pub fn measure() -> Result<Table, SceneError> {
    let setup = Scene::load("gas", &LoadOptions::default())?.build()?;
    let (mut world, planes) = (setup.world, setup.header.planes);
    let energy = |totals: conatus_record::Totals| totals.kinetic + totals.potential;
    let start = energy(world.totals());
    let mut outside = vec![false; world.bodies.len()];
    let (mut drift, mut contacts): (f64, u64) = (0.0, 0);
    let begin = ThreadTime::now();
    for _ in 0..STEPS {
        contacts += world.step().contacts as u64;
        drift = drift.max((energy(world.totals()) / start - 1.0).abs());
        for (i, outside) in outside.iter_mut().enumerate() {
            let at = world.bodies.state(i).position;
            *outside |= !planes.iter().all(|p| (at - p.point).dot(p.normal) >= 0.0);
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    let escaped = outside.iter().filter(|&&o| o).count() as f64;
    let mut table = Table::new(
        format!(
            "`gas`: {} balls, restitution 1, no friction, {STEPS} steps, checked after each",
            outside.len()
        ),
        &["what", "measured", "target"],
    );
    table.row(vec![
        "largest relative energy drift".into(),
        power(drift),
        at_most(drift, 0.01),
    ]);
    table.row(vec![
        "balls that left the box".into(),
        fixed(escaped, 0),
        at_most(escaped, 0.0),
    ]);
    table.row(vec![
        "contacts per step".into(),
        fixed(contacts as f64 / STEPS as f64, 1),
    ]);
    table.row(vec!["processor seconds".into(), fixed(seconds, 2)]);
    Ok(table)
}
