//! The project's own chores: `cargo xtask test` runs every test there is.

mod behaviours;
mod page;
mod parts;
mod python;
mod run;
mod tools;
mod validate;

use std::process::ExitCode;

const HELP: &str = "\
Chores of the project.

  cargo xtask test         run everything that has to pass, and sum it up at the end
      --without-browser    leave out the tests of the page in a browser
  cargo xtask validate     only the parts in which others judge our .glb and .usda files,
                           whether cloth in our .obj frames passes through anything, and
                           the physics of motions in our .clip.json files
      FOLDER               of what is in a folder, instead of made-up files and short runs
  cargo xtask behaviours   run every built-in scene with characters, and write what they
                           found into docs/behaviours.md and docs/pictures/behaviours
      NAME...              only these scenes; the rest of the page stays as it is
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        ["test"] => run::all(&parts::all(true)),
        ["test", "--without-browser"] => run::all(&parts::all(false)),
        ["validate"] => told(no_faults(all(&[
            validate::made_up,
            validate::cloth,
            validate::motions,
        ]))),
        ["validate", folder] => told(no_faults(validate::all_in(folder.as_ref()))),
        ["behaviours", ref names @ ..] => told(behaviours::all(names)),
        _ => {
            eprintln!("unknown chore: {}\n\n{HELP}", arguments.join(" "));
            ExitCode::from(2)
        }
    }
}

/// What several parts come to; each is done, whatever becomes of the others.
fn all(parts: &[fn() -> run::Outcome]) -> run::Outcome {
    let outcomes: Vec<_> = parts.iter().map(|part| part()).collect();
    let problems: Vec<_> = outcomes.iter().filter_map(|o| o.as_ref().err()).collect();
    match problems.is_empty() {
        true => Ok(outcomes
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ")),
        false => Err(problems.into_iter().cloned().collect::<Vec<_>>().join("\n")),
    }
}

/// What was judged has no faults, if nobody found any.
fn no_faults(outcome: run::Outcome) -> run::Outcome {
    outcome.map(|remark| format!("{remark}: no faults"))
}

/// Tells how a single chore ended.
fn told(outcome: run::Outcome) -> ExitCode {
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
