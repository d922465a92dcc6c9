//! The project's own chores: `cargo xtask test` runs every test there is.

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
  cargo xtask validate     only the part in which others judge our .glb and .usda files
      FOLDER               of the files in a folder, instead of made-up ones
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
        ["validate"] => told(validate::made_up()),
        ["validate", folder] => told(validate::all_in(folder.as_ref())),
        _ => {
            eprintln!("unknown chore: {}\n\n{HELP}", arguments.join(" "));
            ExitCode::from(2)
        }
    }
}

/// Tells how a single chore ended.
fn told(outcome: run::Outcome) -> ExitCode {
    match outcome {
        Ok(remark) => {
            println!("{remark}: no errors, no warnings");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
