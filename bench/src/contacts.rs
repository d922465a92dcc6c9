//! How the cost of a step grows with the number of colliding balls at equal
//! density.

use crate::rounds::{Candidate, fastest_step_seconds};
use crate::table::{Cell, Table, at_most, fixed};
use conatus_world::World;
use conatus_world::scene::{LoadOptions, Scene, SceneError};
use std::cell::Cell as Shared;

/// Balls along each axis; the box grows in proportion.
const COUNTS: [[u32; 3]; 4] = [[10, 10, 10], [20, 10, 10], [20, 20, 10], [20, 20, 20]];
/// Steps before the measurement, in which the initial lattice dissolves.
const WARM_UP_STEPS: usize = 300;
const ROUNDS: usize = 30;
/// The cost per ball may grow by this factor; then it counts as linear.
const MAX_GROWTH: f64 = 1.5;

/// Measures all sizes in turn. Runs on one thread of the caller's pool.
pub fn measure() -> Result<Table, SceneError> {
    let found: Vec<Shared<(u64, u64)>> = COUNTS.iter().map(|_| Shared::default()).collect();
    let mut candidates = Vec::new();
    for (counts, found) in COUNTS.iter().zip(&found) {
        let mut world = gas(counts)?;
        for _ in 0..WARM_UP_STEPS {
            world.step();
        }
        let balls: u32 = counts.iter().product();
        candidates.push(Candidate::new(balls.to_string(), move || {
            let contacts = world.step().contacts as u64;
            let (sum, steps) = found.get();
            found.set((sum + contacts, steps + 1));
        }));
    }
    let seconds = fastest_step_seconds(&mut candidates, ROUNDS);
    let mut table = Table::new(
        "Elastic balls in a box of six planes, equal density, one core",
        &[
            "balls",
            "contacts/step",
            "ms/step",
            "µs/ball-step",
            "× smallest",
            "target",
        ],
    );
    let mut smallest = None;
    for ((counts, found), &seconds) in COUNTS.iter().zip(&found).zip(&seconds) {
        let balls = f64::from(counts.iter().product::<u32>());
        let each = seconds / balls;
        let ratio = each / *smallest.get_or_insert(each);
        let (sum, steps) = found.get();
        let row: Vec<Cell> = vec![
            fixed(balls, 0),
            fixed(sum as f64 / steps as f64, 1),
            fixed(seconds * 1e3, 3),
            fixed(each * 1e6, 4),
            fixed(ratio, 2),
            at_most(ratio, MAX_GROWTH),
        ];
        table.row(row);
    }
    Ok(table)
}

/// The built-in scene `gas`, with more balls in a larger box.
fn gas(counts: &[u32; 3]) -> Result<World, SceneError> {
    let side = |k: usize| 4 * counts[k] / 10;
    let options = LoadOptions {
        sets: vec![
            format!("body.ball.array.count={counts:?}"),
            format!("plane[1].point=[{}, 0, 0]", side(0)),
            format!("plane[3].point=[0, {}, 0]", side(1)),
            format!("plane[5].point=[0, 0, {}]", side(2)),
        ],
        ..LoadOptions::default()
    };
    Ok(Scene::load("gas", &options)?.build()?.world)
}
