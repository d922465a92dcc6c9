//! `conatus import`: a robot becomes a scene.

use crate::Done;
use crate::args::ImportArgs;
use crate::commands::new::write_new;
use crate::errors::Failure;
use crate::terminal::{eprint_line, escape, print, print_verbatim, shown};
use conatus_world::scene::files::{Files, read_text};
use conatus_world::scene::model::ImportSpec;
use conatus_world::scene::{SceneError, SourceText, import};
use conatus_world::text::counted;
use std::path::{Component, Path, PathBuf};

/// Writes the scene of a robot.
pub fn import(args: &ImportArgs) -> Done {
    let text = read_text(&args.robot).map_err(SceneError::placeless)?;
    let source = SourceText::new(args.robot.display().to_string(), text);
    // Paths in a scene are relative to its folder.
    let folder = args.output.as_deref().and_then(Path::parent);
    let folder = folder.unwrap_or(Path::new(""));
    let packages = args.packages.iter();
    let spec = ImportSpec {
        file: relative(folder, &args.robot),
        name: args.name.clone().unwrap_or_default(),
        position: args.position,
        fixed_base: args.fixed_base,
        motors: args.motors,
        start: args.joints.iter().cloned().collect(),
        packages: packages
            .map(|(name, path)| (name.clone(), relative(folder, path)))
            .collect(),
        ..ImportSpec::default()
    };
    let imported = import::import(&source, &spec, &Files::in_folder(folder), args.ground)?;
    let text = imported.to_toml().map_err(|error| {
        Failure::file(
            format!("the scene cannot be written as TOML: {error}"),
            "are numbers of the robot far too large?",
        )
    })?;
    let summary = match imported.notes.len() {
        0 => "nothing was left out".to_owned(),
        count => format!("left out or changed: {}", counted(count, "thing", "things")),
    };
    let notes = imported.notes.iter().map(|note| format!("  {note}"));
    let Some(output) = &args.output else {
        print_verbatim(&text)?;
        eprint_line(&summary);
        notes.for_each(|note| eprint_line(&note));
        return Ok(());
    };
    write_new(output, &text)?;
    let name = shown(output);
    let notes: String = notes.map(|note| format!("{}\n", escape(&note))).collect();
    print(&format!(
        "wrote {name}: {}, {}\n{summary}\n{notes}next: conatus play {name}\n",
        counted(imported.file.body.len(), "body", "bodies"),
        counted(imported.file.joint.len(), "joint", "joints"),
    ))
}

/// The path of a file or folder as seen from another folder, with `/`.
fn relative(folder: &Path, path: &Path) -> String {
    let seen = relative_path(folder, path).unwrap_or_else(|| path.to_path_buf());
    let parts = seen.components().map(|part| match part {
        Component::RootDir => String::new(),
        part => part.as_os_str().to_string_lossy().into_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}

fn relative_path(folder: &Path, path: &Path) -> Option<PathBuf> {
    if folder.as_os_str().is_empty() || path.is_absolute() {
        return None;
    }
    let from = folder.canonicalize().ok()?;
    let to = path.canonicalize().ok()?;
    let common = (from.components().zip(to.components()))
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    Some(up.chain(to.components().skip(common)).collect())
}
