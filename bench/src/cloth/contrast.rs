//! What the paper compares: the same scenes with rigid impact zones, and what
//! becomes of the motion.

use super::drive::drive;
use super::scenes::{Example, TABLE_1, made};
use crate::Failure;
use crate::output::Output;
use crate::table::{Table, blank, count, fixed};
use conatus_math::DVec3;
use conatus_world::World;

/// A scene, and what is looked at.
struct Contrast {
    /// The row of Table 1.
    scene: &'static str,
    /// Changes that leave the work to the fail-safe.
    sets: &'static [&'static str],
    /// What is looked at, in words.
    what: &'static str,
    /// The same as a number, from the start and from later on.
    look: fn(&Start, &World) -> f64,
}

/// Where vertices were.
struct Start(Vec<DVec3>);

const CONTRASTS: [Contrast; 4] = [
    Contrast {
        scene: "squares-incline",
        sets: &["cloth.contacts_in_solve=false"],
        what: "squares off the incline",
        look: off_the_incline,
    },
    Contrast {
        scene: "squares-plane",
        sets: &[],
        what: "metres moved across",
        look: across,
    },
    Contrast {
        scene: "ribbon",
        sets: &FAIL_SAFE,
        what: "metres slid down",
        look: down_the_trough,
    },
    Contrast {
        scene: "funnel-low",
        sets: &FAIL_SAFE,
        what: "share below the chute",
        look: below_the_chute,
    },
];

/// Early stages as weak as the paper's.
const FAIL_SAFE: [&str; 3] = [
    "cloth.contacts_in_solve=false",
    "cloth.passes=2",
    "cloth.sweeps=2",
];

/// Seconds of processor time for one run. Weak early stages leave piles to the
/// fail-safe for whole minutes a frame; what is not reached by then is not
/// shown, and `frames` says how far it got.
const BUDGET: f64 = 300.0;

const RESPONSES: [&str; 3] = ["inelastic-projection", "rigid-impact-zones", "lcp"];

/// Runs each scene with each fail-safe. Runs on one thread of the caller's
/// pool.
pub fn measure(output: &mut Output, frames: Option<u64>) -> Result<(), Failure> {
    let table = Table::new(
        "Fail-safes compared, early stages weak: what is looked at, in the middle of the run \
         and at its end, or where 300 s of processor time were over; kinetic energy as a mean \
         over frames",
        &[
            "scene",
            "fail-safe",
            "frames",
            "what",
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
    for contrast in &CONTRASTS {
        for response in RESPONSES {
            let mut sets = vec![format!("cloth.response={response}")];
            sets.extend(contrast.sets.iter().map(|s| s.to_string()));
            let (mut start, mut seen, mut kinetic) = (None, Vec::new(), 0.0);
            let ride = drive(contrast.scene, &sets, frames, Some(BUDGET), |world| {
                let start = start.get_or_insert_with(|| Start(positions(world).to_vec()));
                seen.push((contrast.look)(start, world));
                kinetic += world.totals().kinetic;
            })?;
            let made_frames = seen.len().max(1);
            let paper = TABLE_1.iter().find(|e| e.scene == contrast.scene);
            table.row(vec![
                contrast.scene.into(),
                response.into(),
                made(&ride),
                contrast.what.into(),
                fixed(seen.get(seen.len() / 2).copied().unwrap_or(0.0), 3),
                fixed(seen.last().copied().unwrap_or(0.0), 3),
                fixed(kinetic / made_frames as f64, 5),
                fixed(ride.report.max_stretch, 3),
                count(ride.report.failsafe_calls),
                count(ride.report.largest_zone as u64),
                fixed(ride.per_frame(), 4),
                paper.map_or(blank(), |e| theirs(e, response)),
            ])?;
        }
    }
    Ok(table.end()?)
}

/// The paper's seconds per frame.
fn theirs(example: &Example, response: &str) -> crate::table::Cell {
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

fn share(positions: &[DVec3], is: impl Fn(DVec3) -> bool) -> f64 {
    positions.iter().filter(|&&x| is(x)).count() as f64 / positions.len().max(1) as f64
}

/// The incline ends 6 m from its middle, at x = 5.94.
fn off_the_incline(_: &Start, world: &World) -> f64 {
    let x = positions(world);
    share(x, |x| x.x > 5.94) * x.len() as f64 / 4.0
}

fn across(start: &Start, world: &World) -> f64 {
    let way = mean(positions(world)) - mean(&start.0);
    way.truncate().length()
}

/// The trough falls towards negative y.
fn down_the_trough(start: &Start, world: &World) -> f64 {
    mean(&start.0).y - mean(positions(world)).y
}

/// The chute ends 0.4 m below the neck, which is at 0.05.
fn below_the_chute(_: &Start, world: &World) -> f64 {
    share(positions(world), |x| x.z < -0.35)
}
