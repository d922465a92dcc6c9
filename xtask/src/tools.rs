//! The programs that the tests call, and how to get them.

use crate::run::{Outcome, quiet, shown};
use std::process::Command;

/// Looks for all tools. Node.js validates `.glb` files; where nobody could
/// install it by hand (Debian, as root, `CI=true`) it is installed here.
pub fn check() -> Outcome {
    let cargo = crate::run::cargo(&["--version"]);
    println!("{}", quiet(cargo)?.trim());
    let mut missing = absent();
    if !missing.is_empty() && may_install() {
        shown(command("apt-get", &["update", "-q"]))?;
        shown(command(
            "apt-get",
            &["install", "-y", "-q", "nodejs", "npm"],
        ))?;
        missing = absent();
    }
    if missing.is_empty() {
        return Ok(String::new());
    }
    Err(format!(
        "{} not found: install Node.js 18 or newer (https://nodejs.org; on Debian and Ubuntu \
         `apt-get install nodejs npm`, on macOS `brew install node`)",
        missing.join(" and ")
    ))
}

/// npm by the name that the system starts it by.
pub const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

fn absent() -> Vec<&'static str> {
    let tools = ["node", NPM];
    let absent = tools
        .into_iter()
        .filter(|tool| match command(tool, &["--version"]).output() {
            Ok(output) if output.status.success() => {
                println!("{tool} {}", String::from_utf8_lossy(&output.stdout).trim());
                false
            }
            _ => true,
        });
    absent.collect()
}

fn may_install() -> bool {
    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    let debian = std::path::Path::new("/etc/debian_version").exists();
    let root = || {
        command("id", &["-u"])
            .output()
            .is_ok_and(|o| o.stdout == b"0\n")
    };
    ci && debian && root()
}

fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}
