//! The project's own chores: `cargo xtask test` runs every test there is.

mod page;
mod parts;
mod run;
mod tools;

use std::process::ExitCode;

const HELP: &str = "\
Chores of the project.

  cargo xtask test     run everything that has to pass, and sum it up at the end
      --without-browser    leave out the tests of the page in a browser
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
        _ => {
            eprintln!("unknown chore: {}\n\n{HELP}", arguments.join(" "));
            ExitCode::from(2)
        }
    }
}
