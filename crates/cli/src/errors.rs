//! What can go wrong with a command, and its exit code.

use crate::diagnostics::{self, Severity};
use crate::terminal::{eprint_verbatim, escape};
use conatus_world::scene::SceneError;
use std::fmt;
use std::process::ExitCode;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The scene is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A file is wrong, missing or cannot be written.
    #[error("{0}")]
    File(Explanation),
    /// The command line is invalid.
    #[error("{0}")]
    Usage(Explanation),
    /// The run itself failed.
    #[error("{0}")]
    Run(Explanation),
    /// The reader of the output has closed it (`conatus list | head -1`).
    #[error("the output was closed")]
    BrokenPipe,
}

/// What is wrong, and what to do about it.
#[derive(Debug)]
pub struct Explanation {
    /// What is wrong.
    pub message: String,
    /// What to do about it; may be empty.
    pub help: String,
}

impl Explanation {
    /// A message and what to do about it.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: help.into(),
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", escape(&self.message))?;
        if !self.help.is_empty() {
            write!(out, "\n  help: {}", escape(&self.help))?;
        }
        Ok(())
    }
}

impl Failure {
    /// A wrong file.
    pub fn file(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::File(Explanation::new(message, help))
    }

    /// Wrong usage.
    pub fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage(Explanation::new(message, help))
    }

    /// A failed run.
    pub fn run(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Run(Explanation::new(message, help))
    }

    /// The exit code of the contract.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::BrokenPipe => ExitCode::SUCCESS,
            Self::Scene(_) | Self::File(_) => ExitCode::from(1),
            Self::Usage(_) => ExitCode::from(2),
            Self::Run(_) => ExitCode::from(3),
        }
    }

    /// Shows it on standard error.
    pub fn show(&self) {
        if matches!(self, Self::BrokenPipe) {
            return;
        }
        eprint_verbatim(&match diagnostics::is_drawn() {
            Some(colour) => self.drawn(colour),
            None => self.plain(),
        });
    }

    fn plain(&self) -> String {
        match self {
            Self::Scene(error) => diagnostics::plain(error, Severity::Error),
            other => format!("error: {other}\n"),
        }
    }

    fn drawn(&self, colour: bool) -> String {
        match self {
            Self::Scene(error) => diagnostics::drawn(error, Severity::Error, colour),
            Self::File(why) | Self::Usage(why) | Self::Run(why) => {
                diagnostics::drawn_message(&why.message, &why.help, colour)
                    .unwrap_or_else(|| self.plain())
            }
            Self::BrokenPipe => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file was called `a`, escape, `[2J`, line break, `b.toml`. The message
    /// about it cleared the screen.
    #[test]
    fn control_characters_of_file_names_are_escaped() {
        let file = Failure::file("cannot read a\u{1b}[2J\nb.toml", "rename \u{7}");
        for shown in [file.plain(), file.drawn(false)] {
            assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
            assert!(shown.contains("a\\u{1b}[2J\\nb.toml"), "{shown:?}");
        }
    }
}
