//! Python with its own packages below the target folder.

use crate::process::captured;
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The name of Python on this system.
pub const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Two installations into one folder would disturb each other.
static INSTALLING: Mutex<()> = Mutex::new(());

/// A call of Python with the packages of some requirements files, which are
/// kept in `folder`. They are installed again only when the files change.
pub fn with_packages(lists: &[PathBuf], folder: &Path) -> Result<Command, String> {
    let _guard = INSTALLING.lock();
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut wanted = Vec::new();
    for list in lists {
        wanted.extend(fs::read(list).map_err(|error| format!("{}: {error}", list.display()))?);
    }
    let installed = folder.join(".installed-from");
    if fs::read(&installed).ok().as_ref() != Some(&wanted) {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(failed)?;
        install(lists, folder)?;
        fs::write(&installed, &wanted).map_err(failed)?;
    }
    Ok(python(folder))
}

/// Installs into a virtual environment or, where Python has no module `venv`,
/// into a plain folder of packages.
fn install(lists: &[PathBuf], folder: &Path) -> Result<(), String> {
    if create_environment(folder).is_err() {
        // Debian has the module in a separate package.
        let _ = fs::remove_dir_all(folder.join(ENVIRONMENT));
        if tools::may_install() {
            tools::apt_get(&["python3", "python3-venv", "python3-pip"])?;
            let _ = create_environment(folder);
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
    for list in lists {
        pip.arg("--requirement").arg(list);
    }
    captured(pip).map(drop).map_err(|problem| {
        format!(
            "{problem}: install Python 3.9 or newer with pip (on Debian and Ubuntu `apt-get \
             install python3 python3-venv python3-pip`)"
        )
    })
}

const ENVIRONMENT: &str = "environment";
const PACKAGES: &str = "packages";

fn create_environment(folder: &Path) -> Result<(), String> {
    let mut venv = Command::new(PYTHON);
    venv.args(["-m", "venv"]).arg(folder.join(ENVIRONMENT));
    let output = venv.output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err("Python's module `venv` is missing".into()),
    }
}

/// Python in the virtual environment.
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
