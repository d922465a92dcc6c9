//! `conatus new`: a commented scene to start from.

use crate::Done;
use crate::args::NewArgs;
use crate::errors::Failure;
use crate::terminal::{print, print_verbatim, shown};
use conatus_world::scene::files::plain;
use conatus_world::scene::template;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Writes a template to a new file or to standard output.
pub fn new(args: &NewArgs) -> Done {
    let Some(text) = template::template(&args.family) else {
        return Err(Failure::usage(
            format!("there is no template for `{}`", args.family),
            format!("choose one of {}", template::FAMILIES.join(", ")),
        ));
    };
    let Some(path) = &args.output else {
        return print_verbatim(text);
    };
    write_new(path, text)?;
    let name = shown(path);
    print(&format!(
        "wrote {name}; next: conatus run {name} -o {}\n",
        shown(&path.with_extension("glb"))
    ))
}

/// Writes a file that must not exist: no scene is ever overwritten.
pub fn write_new(path: &Path, text: &str) -> Done {
    let name = shown(path);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::file(
            format!("{name} exists already"),
            "choose another name, or remove it first",
        ),
        ErrorKind::NotFound => Failure::file(
            format!("cannot write {name}: its folder does not exist"),
            "create the folder first",
        ),
        _ => Failure::file(format!("cannot write {name}: {}", plain(&error)), ""),
    })
}
