//! Builds the page: copies `web/` to the output folder, installs its packages
//! there and bundles it. Nothing is written into the source folder.
//!
//! `CONATUS_PAGE_BUNDLE=folder` uses a finished bundle instead.
//! `CONATUS_PAGE=required` turns a page that cannot be built from a warning into
//! an error.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files of a bundle.
const FILES: [&str; 3] = ["index.html", "app.js", "app.css"];

/// The references of index.html to the other two, which `html.rs` replaces by
/// their contents.
const REFERENCES: [&str; 2] = [
    "<script src=\"app.js\" defer></script>",
    "<link rel=\"stylesheet\" href=\"app.css\">",
];

fn main() {
    println!("cargo:rustc-check-cfg=cfg(page_bundle)");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CONATUS_PAGE");
    println!("cargo:rerun-if-env-changed=CONATUS_PAGE_BUNDLE");

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let page = out.join("page");
    let prebuilt = env::var_os("CONATUS_PAGE_BUNDLE").filter(|folder| !folder.is_empty());
    let required = match env::var("CONATUS_PAGE").as_deref() {
        Ok("required") => true,
        Ok("") | Err(_) => prebuilt.is_some(),
        Ok(other) => fail(&format!(
            "CONATUS_PAGE is `{other}`; the only permitted value is `required`"
        )),
    };
    let built = match &prebuilt {
        Some(folder) => copy_bundle(Path::new(folder), &page),
        None => build(Path::new("web"), &out.join("web"), &page),
    };
    match built.and_then(|()| check(&page)) {
        Ok(()) => println!("cargo:rustc-cfg=page_bundle"),
        Err(reason) if required => fail(&format!("the page cannot be built: {reason}")),
        Err(reason) => {
            for line in format!(
                "the page is not included, so `conatus play` and `-o x.html` will not work: {reason}\n\
                 install Node.js 18 or newer with npm, then build again"
            )
            .lines()
            {
                println!("cargo:warning={line}");
            }
            // A missing file makes cargo run this script again next time.
            println!("cargo:rerun-if-changed={}", out.join("try-again").display());
        }
    }
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(1)
}

/// Copies a finished bundle.
fn copy_bundle(folder: &Path, page: &Path) -> Result<(), String> {
    for file in FILES {
        let from = folder.join(file);
        println!("cargo:rerun-if-changed={}", from.display());
        copy_file(&from, &page.join(file)).map_err(at(&from))?;
    }
    Ok(())
}

/// Installs the packages if the lockfile has changed, and bundles the page.
fn build(sources: &Path, copy: &Path, page: &Path) -> Result<(), String> {
    for entry in sorted(sources).map_err(at(sources))? {
        // A developer of the page has installed packages there as well.
        if entry.file_name().is_none_or(|name| name != "node_modules") {
            println!("cargo:rerun-if-changed={}", entry.display());
        }
    }
    mirror(sources, copy).map_err(at(copy))?;
    let lock = fs::read(copy.join("package-lock.json")).map_err(at(copy))?;
    let installed = copy.join("node_modules").join(".installed-from");
    if fs::read(&installed).ok().as_ref() != Some(&lock) {
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        let arguments = [
            "ci",
            "--omit=dev",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--prefer-offline",
            "--fetch-retries=1",
        ];
        run(Command::new(npm).args(arguments).current_dir(copy))?;
        fs::write(&installed, &lock).map_err(at(&installed))?;
    }
    fs::create_dir_all(page).map_err(at(page))?;
    run(Command::new("node")
        .arg("build.mjs")
        .arg(page)
        .current_dir(copy))
}

/// Runs a program; the error contains the end of its output.
fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(format!("`{name}` is not installed"));
        }
        Err(error) => return Err(format!("`{name}` cannot be run: {error}")),
    };
    if output.status.success() {
        return Ok(());
    }
    let output_text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = output_text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let first = lines.len().saturating_sub(12);
    Err(format!(
        "`{name}` failed ({}):\n{}",
        output.status,
        lines[first..].join("\n")
    ))
}

/// Checks that a bundle is complete.
fn check(page: &Path) -> Result<(), String> {
    for file in FILES {
        let text = fs::read_to_string(page.join(file)).map_err(at(&page.join(file)))?;
        if text.is_empty() {
            return Err(format!("{file} is empty"));
        }
        if file == "index.html" {
            for reference in REFERENCES {
                if text.matches(reference).count() != 1 {
                    return Err(format!(
                        "index.html does not have `{reference}` exactly once"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Makes `copy` equal to `sources`, changing only files that differ.
fn mirror(sources: &Path, copy: &Path) -> io::Result<()> {
    fs::create_dir_all(copy)?;
    let wanted = sorted(sources)?;
    for old in sorted(copy)? {
        let name = old.file_name();
        let kept = name.is_some_and(|name| name == "node_modules")
            || wanted
                .iter()
                .any(|new| new.file_name() == name && new.is_dir() == old.is_dir());
        match (kept, old.is_dir()) {
            (true, _) => {}
            (false, true) => fs::remove_dir_all(&old)?,
            (false, false) => fs::remove_file(&old)?,
        }
    }
    for new in wanted {
        let Some(name) = new.file_name().filter(|name| *name != "node_modules") else {
            continue;
        };
        if new.is_dir() {
            mirror(&new, &copy.join(name))?;
        } else {
            copy_file(&new, &copy.join(name))?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let content = fs::read(from)?;
    if fs::read(to).is_ok_and(|there| there == content) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(to, content)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

fn at(path: &Path) -> impl Fn(io::Error) -> String + '_ {
    move |error| format!("{}: {error}", path.display())
}
