//! The input of a command is never overwritten, under any of its names.

use crate::support::{ProgramOutput, assert_error_contains, conatus, folder};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

#[track_caller]
fn assert_refused(output: &ProgramOutput, path: &str) {
    assert_eq!(output.code, 2, "{output:?}");
    let message = format!("{path} would overwrite its own input");
    assert_error_contains(output, &[&message, "help:"]);
}

/// Makes a hard link and a symbolic link and returns their names.
fn links(folder: &Path, file: &str, ending: &str) -> [String; 2] {
    let [hard, soft] = ["hard", "soft"].map(|name| format!("{name}.{ending}"));
    fs::hard_link(folder.join(file), folder.join(&hard)).unwrap();
    symlink(file, folder.join(&soft)).unwrap();
    [hard, soft]
}

fn recording(folder: &Path) -> Vec<u8> {
    let arguments = ["run", "cylon", "--seconds=0.5", "-o", "a.mcap"];
    assert_eq!(conatus(folder, &arguments).code, 0);
    fs::read(folder.join("a.mcap")).unwrap()
}

/// A backup tool had given a user's recording a second name by a hard link.
/// `conatus export a.mcap -o backup.mcap` compared the names only, found them
/// different, and replaced the recording. The files must be compared.
#[test]
fn an_export_does_not_overwrite_its_recording_through_a_link() {
    let folder = folder();
    let bytes = recording(folder.path());
    for link in links(folder.path(), "a.mcap", "mcap") {
        let output = conatus(folder.path(), &["export", "a.mcap", "-o", &link]);
        assert_refused(&output, &link);
        let output = conatus(folder.path(), &["export", &link, "-o", "a.mcap"]);
        assert_refused(&output, "a.mcap");
    }
    assert_eq!(fs::read(folder.path().join("a.mcap")).unwrap(), bytes);
}

/// The same with a recording that is run again.
#[test]
fn a_repeated_run_does_not_overwrite_its_recording_through_a_link() {
    let folder = folder();
    let bytes = recording(folder.path());
    for link in links(folder.path(), "a.mcap", "mcap") {
        let output = conatus(folder.path(), &["run", "a.mcap", "-o", &link]);
        assert_refused(&output, &link);
    }
    assert_eq!(fs::read(folder.path().join("a.mcap")).unwrap(), bytes);
}

/// The same with `--resume`: the second name would have been emptied first.
#[test]
fn resuming_does_not_overwrite_its_recording_through_a_link() {
    let folder = folder();
    let bytes = recording(folder.path());
    let cut = &bytes[..bytes.len() / 2];
    fs::write(folder.path().join("a.mcap"), cut).unwrap();
    for link in links(folder.path(), "a.mcap", "mcap") {
        let arguments = ["run", "--resume", "a.mcap", "-o", &link];
        assert_refused(&conatus(folder.path(), &arguments), &link);
    }
    assert_eq!(fs::read(folder.path().join("a.mcap")).unwrap(), cut);
}

/// The same with the scene file itself.
#[test]
fn a_run_does_not_overwrite_its_scene_through_a_link() {
    let folder = folder();
    let scene = "[time]\nseconds = 0.1\n[[body]]\nmass = 1\nshape.sphere.radius = 1\n";
    fs::write(folder.path().join("scene.toml"), scene).unwrap();
    for link in links(folder.path(), "scene.toml", "csv") {
        let output = conatus(folder.path(), &["run", "scene.toml", "-o", &link]);
        assert_refused(&output, &link);
    }
    let kept = fs::read_to_string(folder.path().join("scene.toml")).unwrap();
    assert_eq!(kept, scene);
}

/// Two outputs that are one file would write into each other.
#[test]
fn two_names_of_one_output_are_refused() {
    let folder = folder();
    recording(folder.path());
    let mut pairs = links(folder.path(), "a.mcap", "mcap").to_vec();
    symlink("new.mcap", folder.path().join("dangling.mcap")).unwrap();
    pairs.push("dangling.mcap".into());
    for link in pairs {
        let first = if link.starts_with("d") {
            "new.mcap"
        } else {
            "a.mcap"
        };
        let output = conatus(folder.path(), &["run", "cylon", "-o", first, "-o", &link]);
        assert_eq!(output.code, 2, "{output:?}");
        assert_error_contains(&output, &[&link, "twice"]);
    }
}
