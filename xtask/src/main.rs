//! The project's own commands: `cargo xtask test` runs every test.

mod artifacts;
mod behaviours;
mod gate;
mod golden;
mod packages;
mod page;
mod part;
mod pool;
mod process;
mod python;
mod quick;
mod runs;
mod soak;
mod tools;
mod validate;
mod variants;

use process::Outcome;
use std::process::ExitCode;

const HELP: &str = "\
Commands for work on the project.

  cargo xtask test         run everything that has to pass; print a summary at the end
      --without-browser    leave out the tests of the page in a browser
      --quick              only format, lints and the fast tests of changed crates and of
                           conatus-world; leaves out the rest
  cargo xtask soak         run campaigns that take hours; never part of `test`
      NAME...              only these: properties, seeds, cloth, live
      --rounds N           repeat N times with new seeds (default 1)
  cargo xtask golden       compare new runs of all built-in scenes with their golden hashes
      --renew              write the hashes again, after an intended change of results
  cargo xtask validate     run the built-in scenes and check the exported files with
                           programs that share no code with this project: .glb and .usda
                           files, intersections of cloth in .obj frames, the physics of
                           motions in .clip.json files
      FOLDER               check the files in this folder instead
  cargo xtask behaviours   run every built-in scene with characters and write the results
                           into docs/behaviours.md and docs/pictures/behaviours
      NAME...              only these scenes; the rest of the page stays as it is
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        ["test"] => part::run(&gate::stages(false)),
        ["test", "--without-browser"] => part::run(&gate::stages(true)),
        ["test", "--quick"] => part::run(&quick::stages()),
        ["soak", ref names @ .., "--rounds", rounds] => match rounds.parse() {
            Ok(rounds) => report(soak::run(names, rounds)),
            Err(_) => report(Err(format!("--rounds {rounds}: not a number"))),
        },
        ["soak", ref names @ ..] => report(soak::run(names, 1)),
        ["golden"] => report(golden::run(false)),
        ["golden", "--renew"] => report(golden::run(true)),
        ["validate"] => report(
            (runs::all())
                .and_then(|_| runs::synthetic())
                .and_then(|_| validate::self_test())
                .and_then(|_| validate::all()),
        ),
        ["validate", folder] => report(validate::all_in(folder.as_ref())),
        ["behaviours", ref names @ ..] => report(behaviours::all(names)),
        _ => {
            eprintln!("unknown command: {}\n\n{HELP}", arguments.join(" "));
            ExitCode::from(2)
        }
    }
}

/// Prints how a single command ended.
fn report(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(remark) => {
            println!("{remark}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
