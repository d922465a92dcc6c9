//! The effects of environment variables and of the options that all commands share.

use crate::support::{assert_error_contains, conatus, conatus_with, folder};

const RUN: [&str; 4] = ["run", "cylon", "--seconds=0.1", "-q"];

/// A batch script had `RAYON_NUM_THREADS=1000000` in its environment. `--threads`
/// has a limit, but the variable had none: the program tried to start a million
/// threads and crashed. It must be refused in the same way as `--threads 1000000`.
#[test]
fn the_number_of_threads_in_the_environment_has_the_limit_of_the_option() {
    let folder = folder();
    let option = conatus(folder.path(), &["run", "cylon", "--threads", "1000000"]);
    assert_eq!(option.code, 2, "{option:?}");
    for (name, value) in [
        ("RAYON_NUM_THREADS", "1000000"),
        ("RAYON_NUM_THREADS", "1025"),
        ("RAYON_NUM_THREADS", "-1"),
        ("RAYON_NUM_THREADS", "all"),
        ("RAYON_RS_NUM_CPUS", "1000000"),
    ] {
        for command in [
            &RUN[..],
            &["check", "cylon"],
            &["export", "a.mcap", "-o", "a.csv"],
        ] {
            let output = conatus_with(folder.path(), command, &[(name, value)]);
            assert_eq!(output.code, 2, "{name}={value} {command:?}: {output:?}");
            assert_error_contains(&output, &[name, &format!("`{value}`"), "from 1 to 1024"]);
        }
    }
    for value in ["1", "2", "0", ""] {
        let output = conatus_with(folder.path(), &RUN, &[("RAYON_NUM_THREADS", value)]);
        assert_eq!((output.code, output.err.as_str()), (0, ""), "{value}");
    }
    // The variable is used.
    let json = ["run", "cylon", "--seconds=0.1", "--json"];
    let output = conatus_with(folder.path(), &json, &[("RAYON_NUM_THREADS", "3")]);
    let report: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(report["threads"], 3);
}

#[test]
fn nothing_is_logged_by_default() {
    let folder = folder();
    assert_eq!(conatus(folder.path(), &RUN).err, "");
}

#[test]
fn verbose_runs_log_on_standard_error_only() {
    let folder = folder();
    for verbose in [&["-v"][..], &["-vv"], &["--verbose"]] {
        // Before and after the command.
        for place in [0, 2] {
            let mut arguments = vec!["run", "cylon", "--seconds=0.1", "--json"];
            arguments.splice(place..place, verbose.iter().copied());
            let output = conatus(folder.path(), &arguments);
            assert_eq!(output.code, 0, "{output:?}");
            let report: serde_json::Value = serde_json::from_str(&output.out).unwrap();
            assert_eq!(report["scene"], "cylon");
            assert_error_contains(
                &output,
                &["INFO", "loading the scene", "cylon", "ended the run"],
            );
        }
    }
    let lines = |verbose: &str| {
        let output = conatus(
            folder.path(),
            &["run", "cylon", "--seconds=0.1", "-q", verbose],
        );
        output.err.lines().count()
    };
    assert!(lines("-vv") > lines("-v"), "-vv logs more");
}

#[test]
fn the_environment_chooses_what_is_logged() {
    let folder = folder();
    let log = |value: &str| conatus_with(folder.path(), &RUN, &[("CONATUS_LOG", value)]);
    assert_error_contains(&log("info"), &["INFO", "ended the run"]);
    assert_error_contains(&log("conatus=debug"), &["DEBUG"]);
    assert_eq!(log("off").err, "");
    assert_eq!(log("").err, "");
    let output = log("conatus=loud");
    assert_eq!(output.code, 2, "{output:?}");
    assert_error_contains(&output, &["CONATUS_LOG", "help:", "debug"]);
}

#[test]
fn help_explains_how_to_log() {
    let folder = folder();
    let output = conatus(folder.path(), &["--help"]);
    for part in ["--verbose", "CONATUS_LOG", "RAYON_NUM_THREADS"] {
        assert!(output.out.contains(part), "no {part} in {}", output.out);
    }
}
