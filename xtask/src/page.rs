//! The parts that test the page of `conatus play`.

use crate::run::{Outcome, cargo, done, program, root, shown, target};
use crate::tools;

/// Its types and unit tests, in a copy under the target folder; nothing is
/// written into the project itself.
pub fn alone() -> Outcome {
    let copy = target()?.join("xtask").join("page");
    tools::install(&root().join("crates/viewer/web"), &copy)?;
    shown(tools::npm(&copy, &["run", "check"]))?;
    done(shown(tools::npm(&copy, &["test"])))
}

/// The page as users have it, in a real browser. The release build has to be
/// there already.
pub fn in_browser() -> Outcome {
    let browser = tools::browser()?;
    let program = program()?;
    if !program.is_file() {
        return Err(format!("{} is missing", program.display()));
    }
    let mut tests = cargo(&["test", "--package", "conatus-browser-tests"]);
    tests.env("CONATUS_BROWSER", &browser);
    tests.env("CONATUS_PROGRAM", &program);
    shown(tests)?;
    Ok(format!("with {}", browser.display()))
}
