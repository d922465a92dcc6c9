//! `cargo xtask soak`: campaigns that take hours, for the time before a release
//! or after a deep change. The gate has a small, fixed share of each.

use crate::artifacts::{self, SELECTION};
use crate::process::{Outcome, cargo, no_remark, shown};
use crate::{runs, tools, validate};

/// A campaign: its name, what it does, and how.
pub struct Campaign {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line for the help text.
    pub about: &'static str,
    run: fn(u32) -> Outcome,
}

/// All campaigns.
pub const CAMPAIGNS: [Campaign; 4] = [
    Campaign {
        name: "properties",
        about: "property tests with 100 times as many cases and new random seeds",
        run: properties,
    },
    Campaign {
        name: "seeds",
        about: "every scene with characters with other seeds, scored by the clip checker",
        run: seeds,
    },
    Campaign {
        name: "cloth",
        about: "scenes with cloth at full length, every frame checked for intersections",
        run: cloth,
    },
    Campaign {
        name: "live",
        about: "half an hour of a live run, whose memory must stay constant",
        run: live,
    },
];

/// Cases of a property test that does not set its own number; others scale with it.
const CASES: u32 = 256;
const CASES_FACTOR: u32 = 100;

/// Runs the campaigns with these names, or all, each this many times.
pub fn run(names: &[&str], rounds: u32) -> Outcome {
    let known = |name: &&str| CAMPAIGNS.iter().any(|campaign| campaign.name == *name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        return Err(format!("there is no campaign `{unknown}`"));
    }
    let mut failed = Vec::new();
    for round in 0..rounds {
        for campaign in &CAMPAIGNS {
            if !names.is_empty() && !names.contains(&campaign.name) {
                continue;
            }
            println!(
                "== {}, round {} of {rounds}: {}",
                campaign.name,
                round + 1,
                campaign.about
            );
            match (campaign.run)(round) {
                Ok(remark) => println!("{}: passed {remark}", campaign.name),
                Err(problem) => {
                    println!("{}: FAILED: {problem}", campaign.name);
                    failed.push(format!("{} in round {}", campaign.name, round + 1));
                }
            }
        }
    }
    match failed.is_empty() {
        true => Ok("all campaigns passed".into()),
        false => Err(format!("failed: {}", failed.join(", "))),
    }
}

fn properties(_: u32) -> Outcome {
    let mut tests = match tools::has_nextest() {
        true => cargo(&["nextest", "run", "--profile", "soak"]),
        false => cargo(&["test", "--quiet", "--no-fail-fast"]),
    };
    tests.args(SELECTION);
    tests.args(["--exclude", "conatus-browser-tests"]);
    tests.env("PROPTEST_CASES", (CASES * CASES_FACTOR).to_string());
    tests.env("CONATUS_SOAK", CASES_FACTOR.to_string());
    no_remark(shown(tests))
}

fn seeds(round: u32) -> Outcome {
    // The gate searches with the seeds of the scene files.
    let scenes = runs::with_seed(u64::from(round) + 1)?;
    let validated = validate::clips_in(&runs::seeds_folder()?)?;
    Ok(format!("{scenes}; {validated}"))
}

fn cloth(_: u32) -> Outcome {
    let scenes = runs::cloth_at_full_length()?;
    let validated = validate::frames_in(&runs::cloth_folder()?)?;
    Ok(format!("{scenes}; {validated}"))
}

fn live(_: u32) -> Outcome {
    const MINUTES: &str = "30";
    let mut soak = cargo(&["run", "--package", "conatus-browser-tests"]);
    soak.args(["--bin", "soak", "--", MINUTES]);
    soak.env("CONATUS_PROGRAM", artifacts::program()?);
    no_remark(shown(soak))
}
