//! Control characters of titles, names, keys and file names are never printed.

use crate::support::{ProgramOutput, conatus, folder};
use std::fs;
use std::path::Path;

/// Clears the screen, changes the window title, rings the bell, writes from right to left,
/// and begins a line that looks like another message.
const EVIL: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\rfake\nerror: fake";

/// The same in a TOML or JSON string.
const EVIL_ESCAPED: &str =
    r"\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\u000dfake\u000aerror: fake";

#[track_caller]
fn assert_harmless(output: &ProgramOutput) {
    for text in [&output.out, &output.err] {
        let is_harmless = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
        assert!(text.chars().all(is_harmless), "{text:?}");
        let forged = text.lines().any(|line| line.starts_with("error: fake"));
        assert!(!forged, "{text}");
    }
}

/// A file name: a path has no zero bytes or slashes, all else is allowed.
fn evil_name(ending: &str) -> String {
    format!("{EVIL}.{ending}")
}

fn scene(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text.replace("EVIL", EVIL_ESCAPED)).unwrap();
}

const FALLING: &str = r#"
title = "EVIL"
shows = "EVIL"
[time]
seconds = 0.1
[[body]]
name = "EVIL"
mass = 1
shape.sphere.radius = 1
[[obstacle]]
name = "obstacle EVIL"
shape.sphere.radius = 1
position = [9, 9, 9]
"#;

/// A user shared a scene with escape sequences in its title and names. `conatus check` on
/// it cleared the terminal and changed the title of its window.
#[test]
fn titles_and_names_are_escaped() {
    let folder = folder();
    scene(folder.path(), "s.toml", FALLING);
    let checked = conatus(folder.path(), &["check", "s.toml"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    assert!(checked.out.contains(r"\u{1b}[2J"), "{checked:?}");
    assert_harmless(&checked);
    for verbose in ["-q", "-v", "-vv"] {
        let run = conatus(folder.path(), &["run", "s.toml", verbose]);
        assert_eq!(run.code, 0, "{run:?}");
        assert_harmless(&run);
    }
}

#[test]
fn names_in_failed_runs_are_escaped() {
    let folder = folder();
    let wild = "[time]\nstep = 0.1\nintegrator = \"euler\"\n[[body]]\nname = \"EVIL\"\n\
                shape.sphere.radius = 1\nmass = 1e-6\nposition = [2, 0, 0]\n[[spring]]\n\
                a = { body = \"EVIL\" }\nb = { pin = [0, 0, 0] }\nstiffness = 1e12\nlength = 1\n";
    scene(folder.path(), "s.toml", wild);
    let text = conatus(folder.path(), &["run", "s.toml"]);
    assert_eq!(text.code, 3, "{text:?}");
    assert_harmless(&text);
    let json = conatus(folder.path(), &["run", "s.toml", "--json"]);
    assert_eq!(json.code, 3, "{json:?}");
    assert_harmless(&json);
    // Escaped for the terminal, not changed for programs.
    let report: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(report["rigid"]["quarantined"][0], EVIL);
}

#[test]
fn keys_and_values_in_errors_are_escaped() {
    let folder = folder();
    for text in [
        "\"EVIL\" = 1",
        "title = 3\n# \u{1b}[2J",
        "[[body]]\nmass = \"EVIL\"",
        "[[body]]\nmass = 1\nshape.mesh.file = \"EVIL\"",
        "[[character]]\nkind = \"EVIL\"",
        "[cloth.material.\"EVIL\"]\nlike = \"EVIL\"",
        "\u{1b}[2J",
    ] {
        scene(folder.path(), "s.toml", text);
        let output = conatus(folder.path(), &["check", "s.toml"]);
        assert_eq!(output.code, 1, "{text}: {output:?}");
        assert_harmless(&output);
    }
    scene(folder.path(), "s.json", "{\"EVIL\": 1}");
    let output = conatus(folder.path(), &["check", "s.json"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert_harmless(&output);
    let set = format!("body.{EVIL}.mass=3");
    let output = conatus(folder.path(), &["check", "cylon", "--set", &set]);
    assert_eq!(output.code, 1, "{output:?}");
    assert_harmless(&output);
}

#[cfg(unix)]
#[test]
fn file_names_are_escaped() {
    let folder = folder();
    let (toml, mcap, csv) = (evil_name("toml"), evil_name("mcap"), evil_name("csv"));
    fs::write(
        folder.path().join(&toml),
        "[time]\nseconds = 0.1\n[[body]]\nmass = 1\nshape.sphere.radius = 1\n",
    )
    .unwrap();
    fs::write(folder.path().join("bad.mcap"), "no recording").unwrap();
    fs::rename(
        folder.path().join("bad.mcap"),
        folder.path().join(format!("bad {mcap}")),
    )
    .unwrap();
    let bad = format!("bad {mcap}");
    let missing = evil_name("missing");
    for (arguments, code) in [
        (&["check", &toml][..], 0),
        (&["run", &toml, "-o", &mcap, "-o", &csv], 0),
        (&["run", &mcap], 0),
        (&["run", "--resume", &mcap], 0),
        (&["export", &mcap, "-o", &csv], 0),
        (&["export", &mcap, "-o", &mcap], 2),
        (&["export", &bad, "-o", &csv], 1),
        (&["check", &missing], 1),
        (&["run", "cylon", "-o", &missing], 2),
        (&["run", "cylon", "-o", &format!("{EVIL}/a.csv")], 1),
        // Wrong usage repeats the argument.
        (&["check", &toml, &mcap], 2),
        (&["check", &toml, "--frames", &mcap], 2),
        (&[&toml], 2),
        (&["new", "rigid", "-o", &evil_name("new.toml")], 0),
        (&["new", "rigid", "-o", &toml], 1),
        (&["run", &toml, "-vv", "-q"], 0),
    ] {
        let output = conatus(folder.path(), arguments);
        assert_eq!(output.code, code, "{arguments:?}: {output:?}");
        assert_harmless(&output);
    }
}
