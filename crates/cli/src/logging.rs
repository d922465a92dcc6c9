//! What the program does, on standard error: for `-v`, `-vv` and the
//! environment variable `CONATUS_LOG`. Without them nothing is logged.

use crate::Done;
use crate::errors::Failure;
use crate::terminal;
use std::io;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;

/// The variable that chooses what is logged, as in `conatus_world=debug,warn`.
const VARIABLE: &str = "CONATUS_LOG";

/// Begins to log; `verbosity` is how often `-v` was given. The variable comes
/// before the option, since it is more specific.
pub fn begin(verbosity: u8) -> Done {
    let variable = std::env::var(VARIABLE).ok();
    let Some(filter) = filter(verbosity, variable.as_deref())? else {
        return Ok(());
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(Lines)
        .with_ansi(false)
        .with_target(verbosity > 1)
        .compact();
    let subscriber = tracing_subscriber::registry().with(lines.with_filter(filter));
    // It is set once, here.
    let _ = tracing::subscriber::set_global_default(subscriber);
    Ok(())
}

/// What to log; nothing by default.
fn filter(verbosity: u8, variable: Option<&str>) -> Result<Option<Targets>, Failure> {
    let directives = match (variable.map(str::trim), verbosity) {
        (Some(directives), _) if !directives.is_empty() => directives,
        (_, 0) => return Ok(None),
        (_, 1) => "info",
        (_, 2) => "debug",
        _ => "trace",
    };
    directives.parse::<Targets>().map(Some).map_err(|error| {
        Failure::usage(
            format!("the environment variable {VARIABLE} is `{directives}`: {error}"),
            "write levels (error, warn, info, debug, trace), also by crate: \
             CONATUS_LOG=conatus_world=debug,warn",
        )
    })
}

/// Writes each event as one escaped line, above a progress bar if there is one.
struct Lines;

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line(Vec::new())
    }
}

/// The line of one event; it is printed when it is dropped.
struct Line(Vec<u8>);

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.0);
        let text = text.trim_end_matches('\n');
        if !text.is_empty() {
            terminal::eprint_line(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_logged_unless_it_is_requested() {
        for variable in [None, Some(""), Some("  ")] {
            assert!(matches!(filter(0, variable), Ok(None)));
            for (verbosity, level) in [(1, "info"), (2, "debug"), (3, "trace"), (9, "trace")] {
                let filter = filter(verbosity, variable).unwrap().unwrap();
                assert_eq!(filter.to_string(), level);
            }
        }
    }

    #[test]
    fn the_variable_comes_before_the_option() {
        let filter = filter(2, Some("conatus_world=trace,warn"))
            .unwrap()
            .unwrap();
        let text = filter.to_string();
        assert!(
            text.contains("conatus_world=trace") && !text.contains("debug"),
            "{text}"
        );
    }

    #[test]
    fn an_invalid_variable_is_wrong_usage() {
        assert!(matches!(
            filter(0, Some("conatus=loud")),
            Err(Failure::Usage(_))
        ));
    }
}
