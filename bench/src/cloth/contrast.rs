//! The paper's comparison: the same scenes with inelastic projection, rigid
//! impact zones and a complementarity problem.

use super::drive::run_scene;
use super::scenes::{Example, TABLE_1, frames_made};
use crate::Failure;
use crate::output::Output;
use crate::table::{Table, blank, count, fixed};
use conatus_math::DVec3;
use conatus_world::World;

/// A scene, and the quantity that is compared.
struct Comparison {
    /// The row of Table 1.
    scene: &'static str,
    /// Changes that leave the work to the fail-safe.
    sets: &'static [&'static str],
    /// The name of the quantity.
    quantity: &'static str,
    /// The quantity, from the start and from a later moment.
    measure: fn(&Start, &World) -> f64,
}

/// The positions of vertices at the start.
struct Start(Vec<DVec3>);

const COMPARISONS: [Comparison; 4] = [
    Comparison {
        scene: "squares-incline",
        sets: &["cloth.contacts_in_solve=false"],
        quantity: "squares off the incline",
        measure: off_the_incline,
    },
    Comparison {
        scene: "squares-plane",
        sets: &[],
        quantity: "metres moved sideways",
        measure: sideways,
    },
    Comparison {
        scene: "ribbon",
        sets: &WEAK_EARLY_STAGES,
        quantity: "metres slid down",
        measure: down_the_trough,
    },
    Comparison {
        scene: "funnel-low",
        sets: &WEAK_EARLY_STAGES,
        quantity: "fraction below the chute",
        measure: below_the_chute,
    },
];

/// Early stages of the response as weak as the paper's.
const WEAK_EARLY_STAGES: [&str; 3] = [
    "cloth.contacts_in_solve=false",
    "cloth.passes=2",
    "cloth.sweeps=2",
];

/// Seconds of processor time for one run. With weak early stages the fail-safe
/// may take minutes per frame; `frames` shows how many were made.
const MAX_CPU_SECONDS: f64 = 300.0;

const RESPONSES: [&str; 3] = ["inelastic-projection", "rigid-impact-zones", "lcp"];

/// Runs each scene with each fail-safe. Runs on one thread of the caller's
/// pool.
pub fn measure(output: &mut Output, frames: Option<u64>) -> Result<(), Failure> {
    let table = Table::new(
        "Fail-safes compared, early stages weak: a quantity in the middle of the run and at its \
         end, or after 300 s of processor time; kinetic energy is the mean over frames",
        &[
            "scene",
            "fail-safe",
            "frames",
            "quantity",
            "middle",
            "end",
            "kinetic J",
            "max stretch",
            "fail-safe calls",
            "largest zone",
            "s/frame",
            "paper's",
        ],
    );
    let mut table = output.begin(table)?;
    for comparison in &COMPARISONS {
        for response in RESPONSES {
            let mut sets = vec![format!("cloth.response={response}")];
            sets.extend(comparison.sets.iter().map(|s| s.to_string()));
            let (mut start, mut values, mut kinetic) = (None, Vec::new(), 0.0);
            let run = run_scene(
                comparison.scene,
                &sets,
                frames,
                Some(MAX_CPU_SECONDS),
                |world| {
                    let start = start.get_or_insert_with(|| Start(positions(world).to_vec()));
                    values.push((comparison.measure)(start, world));
                    kinetic += world.totals().kinetic;
                },
            )?;
            let made = values.len().max(1);
            let paper = TABLE_1.iter().find(|e| e.scene == comparison.scene);
            table.row(vec![
                comparison.scene.into(),
                response.into(),
                frames_made(&run),
                comparison.quantity.into(),
                fixed(values.get(values.len() / 2).copied().unwrap_or(0.0), 3),
                fixed(values.last().copied().unwrap_or(0.0), 3),
                fixed(kinetic / made as f64, 5),
                fixed(run.report.max_stretch, 3),
                count(run.report.failsafe_calls),
                count(run.report.largest_zone as u64),
                fixed(run.per_frame(), 4),
                paper.map_or(blank(), |e| paper_seconds(e, response)),
            ])?;
        }
    }
    Ok(table.finish()?)
}

/// The paper's seconds per frame.
fn paper_seconds(example: &Example, response: &str) -> crate::table::Cell {
    match response {
        "inelastic-projection" => fixed(example.total, 2),
        "rigid-impact-zones" => fixed(example.rigid_total, 2),
        _ => blank(),
    }
}

fn positions(world: &World) -> &[DVec3] {
    world.cloth.as_ref().map_or(&[], |c| c.cloth.positions())
}

fn mean(positions: &[DVec3]) -> DVec3 {
    positions.iter().sum::<DVec3>() / positions.len().max(1) as f64
}

fn fraction(positions: &[DVec3], is: impl Fn(DVec3) -> bool) -> f64 {
    positions.iter().filter(|&&x| is(x)).count() as f64 / positions.len().max(1) as f64
}

/// The incline ends 6 m from its middle, at x = 5.94.
fn off_the_incline(_: &Start, world: &World) -> f64 {
    let x = positions(world);
    fraction(x, |x| x.x > 5.94) * x.len() as f64 / 4.0
}

fn sideways(start: &Start, world: &World) -> f64 {
    let displacement = mean(positions(world)) - mean(&start.0);
    displacement.truncate().length()
}

/// The trough falls towards negative y.
fn down_the_trough(start: &Start, world: &World) -> f64 {
    mean(&start.0).y - mean(positions(world)).y
}

/// The chute ends 0.4 m below the neck, which is at 0.05.
fn below_the_chute(_: &Start, world: &World) -> f64 {
    fraction(positions(world), |x| x.z < -0.35)
}
