//! The programs that the tests call, and how to get them.

use crate::process::{Outcome, captured, cargo, command, shown, succeeds};
use crate::python::PYTHON;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::{fs, io};

/// Looks for the tools that everything needs: Node.js builds the page and runs
/// the glTF validator, Python runs the other validators. What is missing is
/// installed on a CI machine (Debian, as root, `CI=true`).
pub fn check() -> Outcome {
    println!("{}", captured(cargo(&["--version"]))?.trim());
    match has_nextest() {
        true => println!("cargo-nextest found"),
        false => println!("cargo-nextest not found: tests run one binary after another"),
    }
    let mut missing = missing_node_tools();
    if !missing.is_empty() && may_install() {
        apt_get(&["nodejs", "npm"])?;
        missing = missing_node_tools();
    }
    if missing.is_empty() {
        return python();
    }
    Err(format!(
        "{} not found: install Node.js 18 or newer (https://nodejs.org; on Debian and Ubuntu \
         `apt-get install nodejs npm`, on macOS `brew install node`)",
        missing.join(" and ")
    ))
}

/// Whether cargo-nextest is installed.
pub fn has_nextest() -> bool {
    let output = cargo(&["nextest", "--version"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// Finds Python, which runs the validators of `.usda` files, `.obj` frames and clips.
fn python() -> Outcome {
    let version = || captured(command(PYTHON, &["--version"]));
    if !succeeds(PYTHON, &["--version"]) && may_install() {
        apt_get(&["python3", "python3-venv", "python3-pip"])?;
    }
    let version = version().map_err(|_| {
        "Python not found: install Python 3.9 or newer with pip (https://python.org; on Debian \
         and Ubuntu `apt-get install python3 python3-venv python3-pip`)"
    })?;
    println!("{}", version.trim());
    Ok(String::new())
}

/// The name of npm on this system.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// The browser for the tests of the page: the program in `CONATUS_BROWSER`, or
/// Chromium or Chrome on the `PATH`. Installed on a CI machine if it is missing.
pub fn browser() -> Result<OsString, String> {
    let named = std::env::var_os("CONATUS_BROWSER");
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        return match succeeds(&named, &["--version"]) {
            true => Ok(named),
            false => Err(format!(
                "CONATUS_BROWSER is {named:?}, which does not start"
            )),
        };
    }
    let on_path = || {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let mut names = names.map(OsString::from).into_iter();
        names.find(|name| succeeds(name, &["--version"]))
    };
    if let Some(found) = on_path() {
        return Ok(found);
    }
    if may_install() {
        apt_get(&["chromium"])?;
    }
    on_path().ok_or_else(|| {
        "chromium not found: install it (on Debian `apt-get install chromium`), set \
         CONATUS_BROWSER to a Chromium or Chrome, or leave these tests out with \
         --without-browser"
            .into()
    })
}

/// Two installations into one folder would disturb each other.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Makes `to` a copy of a folder with a package.json and a lockfile, with its
/// packages installed. They are installed again only when the lockfile changes.
pub fn install_once(from: &Path, to: &Path) -> Result<(), String> {
    let _guard = INSTALLING.lock();
    let failed = |error: io::Error| format!("{}: {error}", to.display());
    copy(from, to).map_err(failed)?;
    let lock = fs::read(to.join("package-lock.json")).map_err(failed)?;
    let installed = to.join(PACKAGES).join(".installed-from");
    if fs::read(&installed).ok().as_ref() == Some(&lock) {
        return Ok(());
    }
    captured(npm(to, &["ci", "--no-audit", "--no-fund"]))?;
    fs::write(&installed, &lock).map_err(failed)
}

/// A call of npm in a folder.
pub fn npm(folder: &Path, arguments: &[&str]) -> Command {
    let mut npm = command(NPM, arguments);
    npm.current_dir(folder);
    npm
}

/// The folder that npm installs packages into.
const PACKAGES: &str = "node_modules";

/// Copies a folder without its packages, and removes what is no longer in it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for old in fs::read_dir(to)? {
        let old = old?;
        if old.file_name() == PACKAGES {
            continue;
        }
        match old.file_type()?.is_dir() {
            true => fs::remove_dir_all(old.path())?,
            false => fs::remove_file(old.path())?,
        }
    }
    for new in fs::read_dir(from)? {
        let new = new?;
        let name = new.file_name();
        match new.file_type()?.is_dir() {
            true if name == PACKAGES => {}
            true => copy(&new.path(), &to.join(name))?,
            false => fs::copy(new.path(), to.join(name)).map(|_| ())?,
        }
    }
    Ok(())
}

/// Installs Debian packages.
pub fn apt_get(packages: &[&str]) -> Result<(), String> {
    shown(command("apt-get", &["update", "-q"]))?;
    let mut install = command(
        "apt-get",
        &["install", "-y", "-q", "--no-install-recommends"],
    );
    install
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive");
    shown(install)
}

/// The tools of Node.js that cannot be started; prints the versions of the others.
fn missing_node_tools() -> Vec<&'static str> {
    let tools = ["node", NPM];
    let missing = tools
        .into_iter()
        .filter(|tool| match command(tool, &["--version"]).output() {
            Ok(output) if output.status.success() => {
                println!("{tool} {}", String::from_utf8_lossy(&output.stdout).trim());
                false
            }
            _ => true,
        });
    missing.collect()
}

/// Whether tools may be installed here: on Debian, as root, with `CI=true`.
pub fn may_install() -> bool {
    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    let debian = Path::new("/etc/debian_version").exists();
    let root = || {
        command("id", &["-u"])
            .output()
            .is_ok_and(|o| o.stdout == b"0\n")
    };
    ci && debian && root()
}
