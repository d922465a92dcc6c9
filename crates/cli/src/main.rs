//! The program `conatus`: one tool that turns a scene file into physically
//! sound animation.

mod args;
mod commands;
mod diagnostics;
mod errors;
mod interrupt;
mod logging;
mod outputs;
mod progress;
mod replay;
mod resume_sink;
mod summary;

mod terminal;
mod threads;

use args::{Cli, CliCommand};
use clap::Parser;
use errors::Failure;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return wrong_usage(&error),
    };
    match logging::begin(cli.verbose).and_then(|()| run(&cli.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.show();
            failure.exit_code()
        }
    }
}

/// What every command returns.
type Done = Result<(), Failure>;

fn run(command: &CliCommand) -> Done {
    match command {
        CliCommand::List(_)
        | CliCommand::New(_)
        | CliCommand::Schema
        | CliCommand::Completions(_) => {}
        _ => threads::check_environment()?,
    }
    match command {
        CliCommand::List(args) => commands::list::list(args),
        CliCommand::Run(args) => match &args.resume {
            Some(recording) => commands::resume::resume(args, recording),
            None => commands::run::run(args),
        },
        CliCommand::Play(args) => commands::play::play(args),
        CliCommand::Export(args) => commands::export::export(args),
        CliCommand::Check(args) => commands::check::check(args),
        CliCommand::New(args) => commands::new::new(args),
        CliCommand::Import(args) => commands::import::import(args),
        CliCommand::Schema => commands::schema::schema(),
        CliCommand::Completions(args) => commands::completions::completions(args),
    }
}

/// Prints help, the version, or what is wrong with the arguments.
fn wrong_usage(error: &clap::Error) -> ExitCode {
    // The message repeats arguments, which may be file names with control
    // characters (`conatus check *`).
    let escape = |argument: OsString| terminal::escape(&argument.to_string_lossy()).into_owned();
    match Cli::try_parse_from(std::env::args_os().map(escape)) {
        Err(escaped) if escaped.kind() == error.kind() => {
            // If the output is closed, the message is lost.
            let _ = escaped.print();
        }
        _ => terminal::eprint_verbatim(&terminal::escape_lines(&error.render().to_string())),
    }
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}
