//! Whatever is wrong with a scene or a file is said with its place and a way
//! out, exits with 1, and leaves existing files alone.

use crate::support::{assert_says, assert_untouched, conatus, folder, wrong};
use std::fs;

#[test]
fn an_unknown_key_is_shown_with_the_nearest_right_one() {
    let said = wrong("a.toml", "[[body]]\nname = \"a\"\n  masss = 3\n");
    assert_says(
        &said,
        &["a.toml:3:3: unknown key `masss`", "did you mean `mass`?"],
    );
    let said = wrong("a.json", "{\n \"body\": [{\"postion\": [1, 2, 3]}]\n}");
    assert_says(&said, &["a.json:2:12: unknown key `postion`", "`position`"]);
    let said = wrong("a.toml", "[tiem]\nstep = 1");
    assert_says(&said, &["a.toml:1:2: unknown key `tiem`", "`time`"]);
    let said = wrong("a.toml", "[[body]]\nshape.spere.radius = 1");
    assert_says(&said, &["a.toml:2:7: `spere`", "did you mean `sphere`?"]);
}

#[test]
fn a_wrong_type_says_what_is_expected_and_what_is_there() {
    let said = wrong("a.toml", "[[body]]\nmass = \"heavy\"");
    assert_says(
        &said,
        &["a.toml:2:8: expected a number, found the string \"heavy\""],
    );
    let said = wrong("a.toml", "gravity = [0,\n 1]");
    assert_says(&said, &["a.toml:1:11: expected a list of 3, found 2"]);
    let said = wrong("a.json", "{\"time\": {\"step\": true}}");
    assert_says(&said, &["a.json:1:19: expected a number, found true"]);
    let said = wrong("a.json", "[]");
    assert_says(&said, &["a.json:1:1: expected a table, found a list"]);
}

#[test]
fn a_missing_key_is_asked_for() {
    let said = wrong("a.toml", "[[plane]]\npoint = [0, 0, 0]\n");
    assert_says(&said, &["a.toml:1:1: the key `normal` is missing"]);
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let said = wrong(
        "a.toml",
        "[[body]]\nmass = nan\nposition = [0, -inf, 1e999]\n",
    );
    assert_says(
        &said,
        &[
            "a.toml:2:8: `nan`",
            "a.toml:3:16: `-inf`",
            "a.toml:3:22: `1e999`",
        ],
    );
    let said = wrong("a.json", "{\"gravity\": [0, 0, -1e999]}");
    assert_says(&said, &["a.json:1:20: `-1e999` is not a finite number"]);
}

#[test]
fn broken_syntax_is_shown_where_it_breaks() {
    assert_says(&wrong("a.toml", "[[body]\nname = 'a'"), &["a.toml:1:"]);
    assert_says(
        &wrong("a.toml", "a = 1\na = 2"),
        &["a.toml:2:1: duplicate key"],
    );
    assert_says(
        &wrong("a.json", "{\"a\": 1,}"),
        &["a.json:1:8: trailing commas"],
    );
    assert_says(
        &wrong("a.json", "{\"seed\": 1, \"seed\": 2}"),
        &["a.json:1:13:", "twice"],
    );
    assert_says(&wrong("a.toml", "[".repeat(100_000)), &["a.toml:1:"]);
    assert_says(
        &wrong("a.toml", format!("a = {}", "[".repeat(100_000))),
        &["64 levels"],
    );
    assert_says(&wrong("a.json", "[".repeat(100_000)), &["64 levels"]);
}

#[test]
fn files_that_are_no_scenes_are_refused() {
    assert_says(&wrong("a.toml", ""), &["a.toml is empty", "conatus new"]);
    assert_says(
        &wrong("a.toml", b"a = 1\n\xff\xfe"),
        &["a.toml:2:", "UTF-8"],
    );
    let folder = folder();
    fs::create_dir(folder.path().join("scenes")).unwrap();
    let said = conatus(folder.path(), &["run", "scenes"]);
    assert_eq!(said.code, 1);
    assert_says(&said, &["scenes is a folder"]);
    let file = fs::File::create(folder.path().join("vast.toml")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    let said = conatus(folder.path(), &["check", "vast.toml"]);
    assert_eq!(said.code, 1);
    assert_says(&said, &["vast.toml is larger than 64 MB"]);
}

#[test]
fn a_scene_that_is_not_there_suggests_one_that_is() {
    let folder = folder();
    let said = conatus(folder.path(), &["run", "cylno"]);
    assert_eq!(said.code, 1);
    assert_says(&said, &["`cylno`", "did you mean `cylon`?", "conatus list"]);
    let said = conatus(folder.path(), &["check", "no/such.toml"]);
    assert_eq!(said.code, 1);
    assert_says(&said, &["no/such.toml", "no such file"]);
    let said = conatus(folder.path(), &["run", "none.mcap"]);
    assert_eq!(said.code, 1);
    assert_says(&said, &["none.mcap"]);
}

#[test]
fn what_a_set_argument_breaks_is_shown_in_the_argument() {
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
        let said = conatus(folder.path(), &["check", "cylon", "--set", argument]);
        assert_eq!(said.code, 1, "{argument}");
        assert_says(&said, &[place]);
    }
    let sets = [
        "check",
        "cylon",
        "--set",
        "body.ball-1.mass=3",
        "--seconds",
        "4",
    ];
    let said = conatus(folder.path(), &sets);
    assert!(
        said.out.contains("6 kg") && said.out.contains("4 s"),
        "{said:?}"
    );
}

#[test]
fn outputs_are_checked_before_anything_runs() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("old.csv"), "precious").unwrap();
    fs::create_dir(here.join("folder.csv")).unwrap();
    for (output, code, words) in [
        ("no/out.csv", 1, "the folder no does not exist"),
        ("old.csv/out.csv", 1, "is not a folder"),
        ("folder.csv", 1, "it is a folder"),
        ("out.xyz", 2, "unknown file ending"),
    ] {
        let said = conatus(here, &["run", "cylon", "-o", "old.csv", "-o", output]);
        assert_eq!(said.code, code, "{output}: {}", said.err);
        assert_says(&said, &[output, words, "help"]);
        assert_untouched(&here.join("old.csv"));
        assert_eq!(
            fs::read_dir(here).unwrap().count(),
            2,
            "{output}: no new files"
        );
    }
}

#[test]
fn a_file_that_is_no_recording_is_refused_and_kept() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("a.mcap"), "precious").unwrap();
    let said = conatus(here, &["export", "a.mcap", "-o", "a.csv"]);
    assert_eq!(said.code, 1, "{}", said.err);
    assert_says(&said, &["a.mcap is not a Conatus recording"]);
    let said = conatus(here, &["export", "a.mcap", "-o", "a.mcap"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert_says(&said, &["overwrite"]);
    assert_untouched(&here.join("a.mcap"));
    assert!(!here.join("a.csv").exists());
}
