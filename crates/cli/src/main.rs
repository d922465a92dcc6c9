//! The program `conatus`: one tool that turns a scene file into physically
//! sound animation.

mod args;
mod commands;
mod errors;
mod outputs;
mod progress;
mod replay;
mod takeover;

use args::{Cli, Command};
use clap::Parser;
use errors::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; the rest is wrong usage. Should
            // the output be closed, nobody is there to read it.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let done = match &cli.command {
        Command::List(args) => commands::list::list(args),
        Command::Run(args) => match &args.resume {
            Some(recording) => commands::resume::resume(args, recording),
            None => commands::run::run(args),
        },
        Command::Play(args) => commands::play::play(args),
        Command::Export(args) => commands::export::export(args),
        Command::Check(args) => commands::check::check(args),
        Command::New(args) => commands::new::new(args),
        Command::Schema => commands::schema::schema(),
        Command::Completions(args) => commands::completions::completions(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.show();
            failure.exit_code()
        }
    }
}

/// What every command gives back.
type Done = Result<(), Failure>;
