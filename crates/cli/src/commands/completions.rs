//! `conatus completions`: what a shell needs to complete our command line.

use crate::Done;
use crate::args::{Cli, Completions};
use crate::errors::print;
use clap::CommandFactory;

/// Prints the completions for a shell.
pub fn completions(args: &Completions) -> Done {
    // Into memory first: the generator panics where the output is closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "conatus", &mut script);
    print(&String::from_utf8_lossy(&script))
}
