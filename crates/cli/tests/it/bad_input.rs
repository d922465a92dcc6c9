//! Errors in scenes and files show their place and help, exit with 1, and leave
//! existing files unchanged.

use crate::support::{
    assert_error_contains, assert_scene_refused, assert_unchanged, conatus, folder,
};
use std::fs;

#[test]
fn an_unknown_key_is_shown_with_the_nearest_right_one() {
    let output = assert_scene_refused("a.toml", "[[body]]\nname = \"a\"\n  masss = 3\n");
    assert_error_contains(
        &output,
        &["a.toml:3:3: unknown key `masss`", "did you mean `mass`?"],
    );
    let output = assert_scene_refused("a.json", "{\n \"body\": [{\"postion\": [1, 2, 3]}]\n}");
    assert_error_contains(
        &output,
        &["a.json:2:12: unknown key `postion`", "`position`"],
    );
    let output = assert_scene_refused("a.toml", "[tiem]\nstep = 1");
    assert_error_contains(&output, &["a.toml:1:2: unknown key `tiem`", "`time`"]);
    let output = assert_scene_refused("a.toml", "[[body]]\nshape.spere.radius = 1");
    assert_error_contains(&output, &["a.toml:2:7: `spere`", "did you mean `sphere`?"]);
}

#[test]
fn a_wrong_type_shows_what_is_expected_and_what_was_found() {
    let output = assert_scene_refused("a.toml", "[[body]]\nmass = \"heavy\"");
    assert_error_contains(
        &output,
        &["a.toml:2:8: expected a number, found the string \"heavy\""],
    );
    let output = assert_scene_refused("a.toml", "gravity = [0,\n 1]");
    assert_error_contains(&output, &["a.toml:1:11: expected a list of 3, found 2"]);
    let output = assert_scene_refused("a.json", "{\"time\": {\"step\": true}}");
    assert_error_contains(&output, &["a.json:1:19: expected a number, found true"]);
    let output = assert_scene_refused("a.json", "[]");
    assert_error_contains(&output, &["a.json:1:1: expected a table, found a list"]);
}

#[test]
fn a_missing_key_is_named() {
    let output = assert_scene_refused("a.toml", "[[plane]]\npoint = [0, 0, 0]\n");
    assert_error_contains(&output, &["a.toml:1:1: the key `normal` is missing"]);
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let output = assert_scene_refused(
        "a.toml",
        "[[body]]\nmass = nan\nposition = [0, -inf, 1e999]\n",
    );
    assert_error_contains(
        &output,
        &[
            "a.toml:2:8: `nan`",
            "a.toml:3:16: `-inf`",
            "a.toml:3:22: `1e999`",
        ],
    );
    let output = assert_scene_refused("a.json", "{\"gravity\": [0, 0, -1e999]}");
    assert_error_contains(&output, &["a.json:1:20: `-1e999` is not a finite number"]);
}

#[test]
fn a_syntax_error_shows_its_place() {
    assert_error_contains(
        &assert_scene_refused("a.toml", "[[body]\nname = 'a'"),
        &["a.toml:1:"],
    );
    assert_error_contains(
        &assert_scene_refused("a.toml", "a = 1\na = 2"),
        &["a.toml:2:1: duplicate key"],
    );
    assert_error_contains(
        &assert_scene_refused("a.json", "{\"a\": 1,}"),
        &["a.json:1:8: trailing commas"],
    );
    assert_error_contains(
        &assert_scene_refused("a.json", "{\"seed\": 1, \"seed\": 2}"),
        &["a.json:1:13:", "twice"],
    );
    assert_error_contains(
        &assert_scene_refused("a.toml", "[".repeat(100_000)),
        &["a.toml:1:"],
    );
    assert_error_contains(
        &assert_scene_refused("a.toml", format!("a = {}", "[".repeat(100_000))),
        &["64 levels"],
    );
    assert_error_contains(
        &assert_scene_refused("a.json", "[".repeat(100_000)),
        &["64 levels"],
    );
}

#[test]
fn files_that_are_not_scenes_are_refused() {
    assert_error_contains(
        &assert_scene_refused("a.toml", ""),
        &["a.toml is empty", "conatus new"],
    );
    assert_error_contains(
        &assert_scene_refused("a.toml", b"a = 1\n\xff\xfe"),
        &["a.toml:2:", "UTF-8"],
    );
    let folder = folder();
    fs::create_dir(folder.path().join("scenes")).unwrap();
    let output = conatus(folder.path(), &["run", "scenes"]);
    assert_eq!(output.code, 1);
    assert_error_contains(&output, &["scenes is a folder"]);
    let file = fs::File::create(folder.path().join("vast.toml")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    let output = conatus(folder.path(), &["check", "vast.toml"]);
    assert_eq!(output.code, 1);
    assert_error_contains(&output, &["vast.toml is larger than 64 MB"]);
}

#[test]
fn an_unknown_scene_suggests_a_similar_one() {
    let folder = folder();
    let output = conatus(folder.path(), &["run", "cylno"]);
    assert_eq!(output.code, 1);
    assert_error_contains(
        &output,
        &["`cylno`", "did you mean `cylon`?", "conatus list"],
    );
    let output = conatus(folder.path(), &["check", "no/such.toml"]);
    assert_eq!(output.code, 1);
    assert_error_contains(&output, &["no/such.toml", "no such file"]);
    let output = conatus(folder.path(), &["run", "none.mcap"]);
    assert_eq!(output.code, 1);
    assert_error_contains(&output, &["none.mcap"]);
}

#[test]
fn errors_of_a_set_argument_show_their_place_in_it() {
    let folder = folder();
    for (argument, place) in [
        ("body.ball-1.masss=3", "--set:1:13: unknown key `masss`"),
        ("body.ball-1.mass=heavy", "--set:1:18: expected a number"),
        (
            "body.ball-9.mass=3",
            "--set:1:6: `body` has no element named `ball-9`",
        ),
        ("body[4].mass=3", "--set:1:5: `body` has no element [4]"),
        ("title.x=3", "--set:1:7: `title` is a single value"),
        ("time.step=nan", "--set:1:11: `nan` is not a finite number"),
    ] {
        let output = conatus(folder.path(), &["check", "cylon", "--set", argument]);
        assert_eq!(output.code, 1, "{argument}");
        assert_error_contains(&output, &[place]);
    }
    let sets = [
        "check",
        "cylon",
        "--set",
        "body.ball-1.mass=3",
        "--seconds",
        "4",
    ];
    let output = conatus(folder.path(), &sets);
    assert!(
        output.out.contains("6 kg") && output.out.contains("4 s"),
        "{output:?}"
    );
}

#[test]
fn outputs_are_checked_before_anything_runs() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("old.csv"), "precious").unwrap();
    fs::create_dir(here.join("folder.csv")).unwrap();
    for (path, code, words) in [
        ("no/out.csv", 1, "the folder no does not exist"),
        ("old.csv/out.csv", 1, "is not a folder"),
        ("folder.csv", 1, "it is a folder"),
        ("out.xyz", 2, "unknown file extension"),
    ] {
        let output = conatus(here, &["run", "cylon", "-o", "old.csv", "-o", path]);
        assert_eq!(output.code, code, "{path}: {}", output.err);
        assert_error_contains(&output, &[path, words, "help"]);
        assert_unchanged(&here.join("old.csv"));
        assert_eq!(
            fs::read_dir(here).unwrap().count(),
            2,
            "{path}: no new files"
        );
    }
}

#[test]
fn a_file_that_is_not_a_recording_is_refused_and_kept() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("a.mcap"), "precious").unwrap();
    let output = conatus(here, &["export", "a.mcap", "-o", "a.csv"]);
    assert_eq!(output.code, 1, "{}", output.err);
    assert_error_contains(&output, &["a.mcap is not a Conatus recording"]);
    let output = conatus(here, &["export", "a.mcap", "-o", "a.mcap"]);
    assert_eq!(output.code, 2, "{}", output.err);
    assert_error_contains(&output, &["overwrite"]);
    assert_unchanged(&here.join("a.mcap"));
    assert!(!here.join("a.csv").exists());
}
