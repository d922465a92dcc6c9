//! Python with packages of its own, under the target folder.

use crate::run::quiet;
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Python by the name that the system starts it by.
pub const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// A call of Python with the packages that a file asks for, which are kept in
/// `folder`. Only another list has them installed anew.
pub fn with_packages(list: &Path, folder: &Path) -> Result<Command, String> {
    let say = |error: std::io::Error| format!("{}: {error}", folder.display());
    let wanted = fs::read(list).map_err(|error| format!("{}: {error}", list.display()))?;
    let installed = folder.join(".installed-from");
    if fs::read(&installed).ok().as_ref() != Some(&wanted) {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(say)?;
        install(list, folder)?;
        fs::write(&installed, &wanted).map_err(say)?;
    }
    Ok(python(folder))
}

/// Installs into an environment of its own, or, where Python comes without
/// the module for that, into a plain folder of packages.
fn install(list: &Path, folder: &Path) -> Result<(), String> {
    if environment(folder).is_err() {
        // Debian has it in a package apart.
        let _ = fs::remove_dir_all(folder.join(ENVIRONMENT));
        if tools::may_install() {
            tools::apt_get(&["python3", "python3-venv", "python3-pip"])?;
            let _ = environment(folder);
        }
    }
    let mut pip = match interpreter(folder).is_file() {
        true => Command::new(interpreter(folder)),
        false => Command::new(PYTHON),
    };
    pip.args(["-m", "pip", "install", "--quiet"]);
    pip.arg("--disable-pip-version-check");
    if !interpreter(folder).is_file() {
        pip.arg("--target").arg(folder.join(PACKAGES));
    }
    pip.arg("--requirement").arg(list);
    quiet(pip).map(drop).map_err(|problem| {
        format!(
            "{problem}: install Python 3.9 or newer with pip (on Debian and Ubuntu `apt-get \
             install python3 python3-venv python3-pip`)"
        )
    })
}

const ENVIRONMENT: &str = "environment";
const PACKAGES: &str = "packages";

fn environment(folder: &Path) -> Result<(), String> {
    let mut venv = Command::new(PYTHON);
    venv.args(["-m", "venv"]).arg(folder.join(ENVIRONMENT));
    let output = venv.output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err("the module `venv` is missing".into()),
    }
}

/// The environment's own Python.
fn interpreter(folder: &Path) -> PathBuf {
    let place = match cfg!(windows) {
        true => "Scripts/python.exe",
        false => "bin/python3",
    };
    folder.join(ENVIRONMENT).join(place)
}

fn python(folder: &Path) -> Command {
    if interpreter(folder).is_file() {
        return Command::new(interpreter(folder));
    }
    let mut python = Command::new(PYTHON);
    python.env("PYTHONPATH", folder.join(PACKAGES));
    python
}
