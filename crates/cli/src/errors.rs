//! What can go wrong with a command, the exit code it gives, and how it is
//! shown: drawn into the source on a terminal, `file:line:column` when piped.

use conatus_world::scene::{Diagnostic, SceneError, SourceText};
use std::fmt;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Why a command did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The scene is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A file is wrong, missing or cannot be written.
    #[error("{0}")]
    File(Complaint),
    /// The command line makes no sense.
    #[error("{0}")]
    Usage(Complaint),
    /// The run itself failed.
    #[error("{0}")]
    Run(Complaint),
    /// Whoever reads our output has had enough (`conatus list | head -1`).
    #[error("the output was closed")]
    BrokenPipe,
}

/// What is wrong, and what to do about it.
#[derive(Debug)]
pub struct Complaint {
    /// What is wrong.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

impl Complaint {
    /// Puts the two together.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: help.into(),
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.message)?;
        if !self.help.is_empty() {
            write!(out, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}

impl Failure {
    /// A wrong file.
    pub fn file(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::File(Complaint::new(message, help))
    }

    /// Wrong usage.
    pub fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage(Complaint::new(message, help))
    }

    /// A failed run.
    pub fn run(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Run(Complaint::new(message, help))
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
        let mut stderr = std::io::stderr();
        let text = if stderr.is_terminal() {
            let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
            self.drawn(colour)
        } else {
            self.plain()
        };
        // If standard error is closed there is nobody left to tell.
        let _ = stderr.write_all(text.as_bytes());
    }

    /// For pipes and logs: one line that begins with the place, then help.
    fn plain(&self) -> String {
        match self {
            Self::Scene(error) => format!("{error}\n"),
            other => format!("error: {other}\n"),
        }
    }

    /// For terminals: the place drawn into its source.
    fn drawn(&self, colour: bool) -> String {
        let theme = if colour {
            miette::GraphicalTheme::unicode()
        } else {
            miette::GraphicalTheme::unicode_nocolor()
        };
        let handler = miette::GraphicalReportHandler::new_themed(theme)
            .with_links(false)
            .with_context_lines(1);
        let mut text = String::new();
        for diagnostic in self.diagnostics() {
            if handler.render_report(&mut text, &diagnostic).is_err() {
                return self.plain();
            }
            text.push('\n');
        }
        if let Self::Scene(error) = self
            && error.shown().1 > 0
        {
            text += &format!("  and {} more\n", error.shown().1);
        }
        text
    }

    fn diagnostics(&self) -> Vec<Drawn> {
        match self {
            Self::Scene(error) => error
                .shown()
                .0
                .iter()
                .map(|problem| Drawn::new(error, problem))
                .collect(),
            Self::File(complaint) | Self::Usage(complaint) | Self::Run(complaint) => vec![Drawn {
                message: complaint.message.clone(),
                help: Some(complaint.help.clone()).filter(|help| !help.is_empty()),
                source: None,
                label: None,
            }],
            Self::BrokenPipe => Vec::new(),
        }
    }
}

/// One problem as miette draws it.
#[derive(Debug)]
struct Drawn {
    message: String,
    help: Option<String>,
    source: Option<miette::NamedSource<String>>,
    label: Option<miette::LabeledSpan>,
}

impl Drawn {
    fn new(error: &SceneError, problem: &Diagnostic) -> Self {
        let place = error.place(problem);
        let source = place.as_ref().map(|(SourceText { name, text }, _)| {
            miette::NamedSource::new(name.clone(), text.to_string())
        });
        let label = place.map(|(_, range)| {
            let text = problem.label.clone().unwrap_or_else(|| "here".to_owned());
            miette::LabeledSpan::new_with_span(Some(text), (range.start, range.len()))
        });
        Self {
            message: problem.message.clone(),
            help: problem.help.clone(),
            source,
            label,
        }
    }
}

impl fmt::Display for Drawn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Drawn {}

impl miette::Diagnostic for Drawn {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.help.as_ref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        let source = self.source.as_ref()?;
        Some(source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let label = self.label.clone()?;
        Some(Box::new(std::iter::once(label)))
    }
}

/// Writes to standard output; a reader that has gone away is no error to
/// speak of.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes());
    match written.and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Err(Failure::BrokenPipe),
        Err(error) => Err(Failure::file(
            format!("cannot write to standard output: {error}"),
            "",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_world::scene::{Files, LoadOptions, Scene};

    fn failure(text: &str) -> Failure {
        let source = SourceText::new("my.toml", text);
        let files = Files::in_memory([]);
        Scene::parse("my", source, files, &LoadOptions::default())
            .unwrap_err()
            .into()
    }

    #[test]
    fn on_a_terminal_the_place_is_drawn_into_the_source() {
        let text = failure("title = 'é'\n[[body]]\nmasss = 3\n").drawn(false);
        for part in ["unknown key `masss`", "my.toml:3:1", "masss = 3", "`mass`"] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "colours in\n{text}");
        let coloured = failure("title = nan\nshows = inf").drawn(true);
        assert!(coloured.contains('\u{1b}'));
        assert!(coloured.contains("nan") && coloured.contains("inf"));
    }

    #[test]
    fn when_piped_the_place_comes_first() {
        let text = failure("title = 'é'\n[[body]]\nmasss = 3\n").plain();
        assert!(
            text.starts_with("my.toml:3:1: unknown key `masss`\n  help: "),
            "{text}"
        );
    }

    #[test]
    fn of_many_problems_the_first_are_shown() {
        let failure = failure(&format!("gravity = [{}]", "nan, ".repeat(100)));
        for text in [failure.plain(), failure.drawn(false)] {
            assert!(text.contains("my.toml:1:12") && !text.contains("my.toml:1:500"));
            assert!(text.ends_with("and 80 more\n"), "{text}");
        }
    }

    #[test]
    fn an_error_at_the_very_end_of_a_file_can_be_drawn() {
        for text in ["a = ", "a", "a = '", "[", "[[body]]\nname = \"é"] {
            let failure = failure(text);
            assert!(failure.drawn(false).contains("my.toml"), "{text:?}");
        }
    }
}
