//! Shows errors and warnings about a scene: drawn into the source on a
//! terminal, as `file:line:column: message` when piped.

use crate::terminal::{escape, escape_source};
use conatus_world::scene::{Diagnostic, DiagnosticList, SourceText};
use std::fmt;
use std::io::IsTerminal;

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The command fails.
    Error,
    /// The command continues.
    Warning,
}

/// Whether standard error is a terminal, and whether that may have colours.
pub fn is_drawn() -> Option<bool> {
    let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    std::io::stderr().is_terminal().then_some(colour)
}

/// For pipes and logs: a line that begins with the place, then help.
pub fn plain(list: &DiagnosticList, severity: Severity) -> String {
    let own = |text: &String| escape(text).into_owned();
    let sources = list.sources().iter().map(|source| SourceText {
        name: own(&source.name),
        // Lines and columns are counted in it.
        text: source.text.clone(),
    });
    let diagnostics = list.diagnostics().iter().map(|diagnostic| Diagnostic {
        message: match severity {
            Severity::Error => own(&diagnostic.message),
            Severity::Warning => format!("warning: {}", escape(&diagnostic.message)),
        },
        help: diagnostic.help.as_ref().map(own),
        ..diagnostic.clone()
    });
    let escaped = DiagnosticList::new(sources.collect(), diagnostics.collect());
    format!("{escaped}\n")
}

/// For terminals: the places drawn into their sources.
pub fn drawn(list: &DiagnosticList, severity: Severity, colour: bool) -> String {
    let (shown, more) = list.shown();
    let drawings = shown.iter().map(|d| Drawing::new(list, d, severity));
    let Some(mut text) = draw(drawings, colour) else {
        return plain(list, severity);
    };
    if more > 0 {
        text += &format!("  and {more} more\n");
    }
    text
}

/// A message without a place, drawn like the others.
pub fn drawn_message(message: &str, help: &str, colour: bool) -> Option<String> {
    let drawing = Drawing {
        message: escape(message).into_owned(),
        help: (!help.is_empty()).then(|| escape(help).into_owned()),
        severity: Severity::Error,
        source: None,
        label: None,
    };
    draw([drawing], colour)
}

fn draw(drawings: impl IntoIterator<Item = Drawing>, colour: bool) -> Option<String> {
    let theme = match colour {
        true => miette::GraphicalTheme::unicode(),
        false => miette::GraphicalTheme::unicode_nocolor(),
    };
    let handler = miette::GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_context_lines(1);
    let mut text = String::new();
    for drawing in drawings {
        handler.render_report(&mut text, &drawing).ok()?;
        text.push('\n');
    }
    Some(text)
}

/// A diagnostic as miette draws it, with all control characters escaped.
#[derive(Debug)]
struct Drawing {
    message: String,
    help: Option<String>,
    severity: Severity,
    source: Option<miette::NamedSource<String>>,
    label: Option<miette::LabeledSpan>,
}

impl Drawing {
    fn new(list: &DiagnosticList, diagnostic: &Diagnostic, severity: Severity) -> Self {
        let (source, label) = list
            .place(diagnostic)
            .map(|(SourceText { name, text }, range)| {
                let (text, range) = escape_source(text, range);
                let label = escape(diagnostic.label.as_deref().unwrap_or("here"));
                let span = (range.start, range.len());
                let label = miette::LabeledSpan::new_with_span(Some(label.into()), span);
                (miette::NamedSource::new(escape(name), text), label)
            })
            .unzip();
        let help = diagnostic.help.as_deref();
        Self {
            message: escape(&diagnostic.message).into_owned(),
            help: help.map(|help| escape(help).into_owned()),
            severity,
            source,
            label,
        }
    }
}

impl fmt::Display for Drawing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Drawing {}

impl miette::Diagnostic for Drawing {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_world::scene::{Files, LoadOptions, Scene};

    fn errors(text: &str) -> DiagnosticList {
        let source = SourceText::new("my.toml", text);
        let files = Files::in_memory([]);
        let error = Scene::parse("my", source, files, &LoadOptions::default());
        (*error.unwrap_err()).clone()
    }

    fn both(list: &DiagnosticList) -> [String; 2] {
        [
            plain(list, Severity::Error),
            drawn(list, Severity::Error, false),
        ]
    }

    #[test]
    fn on_a_terminal_the_place_is_drawn_into_the_source() {
        let errors_in = |text: &str, colour| drawn(&errors(text), Severity::Error, colour);
        let text = errors_in("title = 'é'\n[[body]]\nmasss = 3\n", false);
        for part in ["unknown key `masss`", "my.toml:3:1", "masss = 3", "`mass`"] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "colours in\n{text}");
        let coloured = errors_in("title = nan\nshows = inf", true);
        assert!(coloured.contains('\u{1b}'));
        assert!(coloured.contains("nan") && coloured.contains("inf"));
    }

    #[test]
    fn when_piped_the_place_comes_first() {
        let list = errors("title = 'é'\n[[body]]\nmasss = 3\n");
        let text = plain(&list, Severity::Error);
        assert!(
            text.starts_with("my.toml:3:1: unknown key `masss`\n  help: "),
            "{text}"
        );
        let text = plain(&list, Severity::Warning);
        assert!(
            text.starts_with("my.toml:3:1: warning: unknown key `masss`\n  help: "),
            "{text}"
        );
    }

    #[test]
    fn of_many_problems_the_first_are_shown() {
        for text in both(&errors(&format!("gravity = [{}]", "nan, ".repeat(100)))) {
            assert!(text.contains("my.toml:1:12") && !text.contains("my.toml:1:500"));
            assert!(text.ends_with("and 80 more\n"), "{text}");
        }
    }

    #[test]
    fn an_error_at_the_very_end_of_a_file_can_be_drawn() {
        for text in ["a = ", "a", "a = '", "[", "[[body]]\nname = \"é"] {
            let drawn = drawn(&errors(text), Severity::Error, false);
            assert!(drawn.contains("my.toml"), "{text:?}");
        }
    }

    /// A scene from the internet had escape sequences in a key, a comment and a
    /// value. The error message cleared the screen and retitled the window. They
    /// must be shown, not carried out.
    #[test]
    fn control_characters_of_a_scene_are_escaped_in_every_error() {
        for text in [
            "\"\\u001b[2Jk\" = 1\n",
            "masss = 3 # \u{9b}2J\n",
            "[[body]]\nmass = \"\\u001b[2J\\n\\u009b\\u202e\"\n",
            "a = \u{1b}[2J\n",
        ] {
            for shown in both(&errors(text)) {
                let is_printable = |c: char| c == '\n' || !c.is_control();
                assert!(shown.chars().all(is_printable), "{shown:?}");
                assert!(!shown.contains('\u{202e}'), "{shown:?}");
                assert!(shown.contains("my.toml"), "{shown}");
            }
        }
    }
}
