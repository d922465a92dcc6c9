//! `conatus completions`: a script that completes the command line in a shell.

use crate::Done;
use crate::args::{Cli, CompletionsArgs};
use crate::terminal::print_verbatim;
use clap::CommandFactory;

/// Prints the completions for a shell.
pub fn completions(args: &CompletionsArgs) -> Done {
    // Into memory first: the generator panics if the output is closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "conatus", &mut script);
    print_verbatim(&String::from_utf8_lossy(&script))
}
