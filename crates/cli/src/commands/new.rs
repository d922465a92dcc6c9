//! `conatus new`: a commented scene to start from.

use crate::Done;
use crate::args::New;
use crate::errors::{Failure, print};
use conatus_world::scene::files::plain;
use conatus_world::scene::template;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};

/// Writes a template to a new file or to standard output.
pub fn new(args: &New) -> Done {
    let Some(text) = template::template(&args.family) else {
        return Err(Failure::usage(
            format!("there is no template for `{}`", args.family),
            format!("choose one of {}", template::FAMILIES.join(", ")),
        ));
    };
    let Some(path) = &args.output else {
        return print(text);
    };
    let shown = path.display();
    // Created only if it is not there: a scene once written is never lost.
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    match written {
        Ok(()) => print(&format!(
            "wrote {shown}; next: conatus run {shown} -o {}\n",
            path.with_extension("glb").display()
        )),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(Failure::file(
            format!("{shown} exists already"),
            "choose another name, or remove it first",
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Failure::file(
            format!("cannot write {shown}: its folder does not exist"),
            "create the folder first",
        )),
        Err(error) => Err(Failure::file(
            format!("cannot write {shown}: {}", plain(&error)),
            "",
        )),
    }
}
