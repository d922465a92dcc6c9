//! The programs that the tests call, and how to get them.

use crate::python::PYTHON;
use crate::run::{Outcome, quiet, shown};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::{fs, io};

/// Looks for all tools. Node.js builds the page and validates `.glb` files;
/// where nobody could install it by hand (Debian, as root, `CI=true`) it is
/// installed here.
pub fn check() -> Outcome {
    let cargo = crate::run::cargo(&["--version"]);
    println!("{}", quiet(cargo)?.trim());
    let mut missing = absent();
    if !missing.is_empty() && may_install() {
        apt_get(&["nodejs", "npm"])?;
        missing = absent();
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

/// Python, whose packages `.usda` files, `.obj` frames and clips are validated with.
fn python() -> Outcome {
    let told = || quiet(command(PYTHON, &["--version"]));
    if told().is_err() && may_install() {
        apt_get(&["python3", "python3-venv", "python3-pip"])?;
    }
    let version = told().map_err(|_| {
        "Python not found: install Python 3.9 or newer with pip (https://python.org; on Debian \
         and Ubuntu `apt-get install python3 python3-venv python3-pip`)"
    })?;
    println!("{}", version.trim());
    Ok(String::new())
}

/// npm by the name that the system starts it by.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// The browser for the tests of the page: what `CONATUS_BROWSER` names, or
/// Chromium or Chrome on the `PATH`. Installed like Node.js where it is missing.
pub fn browser() -> Result<OsString, String> {
    let named = std::env::var_os("CONATUS_BROWSER");
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        return match works(&named) {
            true => Ok(named),
            false => Err(format!(
                "CONATUS_BROWSER names {named:?}, which does not start"
            )),
        };
    }
    let usual = || {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        names
            .map(OsString::from)
            .into_iter()
            .find(|name| works(name))
    };
    if let Some(found) = usual() {
        return Ok(found);
    }
    if may_install() {
        apt_get(&["chromium"])?;
    }
    usual().ok_or_else(|| {
        "chromium not found: install it (on Debian `apt-get install chromium`), name a Chromium \
         or Chrome in CONATUS_BROWSER, or leave these tests out with --without-browser"
            .into()
    })
}

/// Makes `to` a copy of a folder with a package.json and a lockfile, its
/// packages installed. Only a new lockfile has them installed anew.
pub fn install(from: &Path, to: &Path) -> Result<(), String> {
    let say = |error: io::Error| format!("{}: {error}", to.display());
    copy(from, to).map_err(say)?;
    let lock = fs::read(to.join("package-lock.json")).map_err(say)?;
    let installed = to.join(PACKAGES).join(".installed-from");
    if fs::read(&installed).ok().as_ref() == Some(&lock) {
        return Ok(());
    }
    quiet(npm(to, &["ci", "--no-audit", "--no-fund"]))?;
    fs::write(&installed, &lock).map_err(say)
}

/// A call of npm in a folder.
pub fn npm(folder: &Path, arguments: &[&str]) -> Command {
    let mut npm = command(NPM, arguments);
    npm.current_dir(folder);
    npm
}

/// Where npm puts packages.
const PACKAGES: &str = "node_modules";

/// Copies a folder but for packages, and takes away what is not in it any more.
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

/// Installs packages of Debian.
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

fn works(program: &OsStr) -> bool {
    let told = Command::new(program).arg("--version").output();
    told.is_ok_and(|output| output.status.success())
}

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

fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}
