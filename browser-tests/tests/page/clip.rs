//! Characters: the chart of contacts, patches, arrows and targets, from a
//! synthetic recording.

use crate::support::address;
use conatus_browser_tests::{Play, Tab, conatus, in_browser};
use conatus_record::Recording;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use synthetic::walker;
use tempfile::TempDir;

#[path = "../../../crates/record/tests/support/mod.rs"]
mod synthetic;

fn recording() -> Recording {
    walker::recording(walker::clip(2.2))
}

/// The recording as a file.
fn written() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("walker.mcap");
    recording().write(&path).expect("a file");
    (folder, path)
}

/// The recording as one HTML file.
fn exported(path: &Path) -> PathBuf {
    let html = path.with_extension("html");
    let names = [path.display().to_string(), html.display().to_string()];
    let output = conatus(&["export", &names[0], "-o", &names[1]]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    html
}

/// Moves to a frame and waits until it is drawn.
async fn at_frame(tab: &Tab, frame: u64) -> Value {
    tab.slide("#timeline", frame).await;
    let time = frame as f64 / 60.0;
    tab.until("the frame is drawn", |state| {
        let drawn = state["time"].as_f64();
        drawn.is_some_and(|drawn| (drawn - time).abs() < 1e-6)
    })
    .await;
    tab.pictures(2).await;
    tab.state().await
}

/// The effectors that are in contact at a frame, according to the clip.
fn touching(frame: u64) -> Vec<String> {
    let recording = recording();
    let chart = recording.clip.as_ref().map(|clip| clip.chart());
    let rows = chart.map(|chart| chart.rows).unwrap_or_default();
    let active = rows.iter().filter(|r| r.is_active(frame as f64 / 60.0));
    active.map(|row| row.label.clone()).collect()
}

#[test]
fn the_chart_patches_and_arrows_follow_the_contacts_of_a_clip() {
    in_browser(async |browsing| {
        let (_folder, path) = written();
        let tab = browsing.open(&address(&exported(&path))).await;
        let state = tab.state().await;
        assert_eq!(state["toggles"]["contacts"], true);
        assert_eq!(state["toggles"]["forces"], true);
        for frame in [1, 20, 40, 60, 100] {
            let state = at_frame(&tab, frame).await;
            let wanted = json!(touching(frame));
            assert_eq!(state["chart"], wanted, "the chart at frame {frame}");
            assert_eq!(state["marks"]["patches"], wanted, "patches at {frame}");
            let arrows = wanted.as_array().map_or(0, Vec::len);
            assert_eq!(state["marks"]["arrows"], arrows, "arrows at {frame}");
        }
        tab.key("c").await;
        tab.until_is("/marks/patches", json!([])).await;
        tab.key("g").await;
        tab.until_is("/marks/arrows", 0).await;
    });
}

#[test]
fn the_chart_has_a_row_for_each_effector_and_accepts_clicks() {
    in_browser(async |browsing| {
        let (_folder, path) = written();
        let play = Play::start(&path.display().to_string());
        let tab = browsing.open(&play.url).await;
        let labels = "[...document.querySelectorAll('#contact-chart .labels span')].map((l) => l.textContent)";
        let wanted = json!(["left foot", "right foot", "left hand", "right hand", "back"]);
        assert_eq!(tab.eval(labels).await, wanted);
        let bars = "[...document.querySelectorAll('#contact-chart .row')].map((r) => r.querySelectorAll('.contact').length)";
        let counts = recording().clip.map(|clip| {
            let rows = clip.chart().rows;
            rows.iter().map(|r| r.active.len()).collect::<Vec<_>>()
        });
        assert_eq!(tab.eval(bars).await, json!(counts));
        assert_eq!(
            tab.eval("document.querySelectorAll('#contact-chart .phase').length")
                .await,
            11
        );

        tab.slide("#timeline", 5).await;
        tab.click("#contact-chart .field").await;
        tab.until("the middle is shown", |state| {
            let time = state["time"].as_f64();
            time.is_some_and(|time| (time - 1.1).abs() < 0.03)
        })
        .await;
        tab.until_true(
            "(() => {
                const field = document.querySelector('#contact-chart .field').getBoundingClientRect();
                const head = document.querySelector('#contact-chart .playhead').getBoundingClientRect();
                return Math.abs((head.left + 1 - field.left) / field.width - 0.5) < 0.02;
            })()",
        )
        .await;
    });
}

#[test]
fn a_run_without_characters_has_no_chart() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let state = tab.state().await;
        assert_eq!(state["chart"], Value::Null);
        assert_eq!(state["toggles"]["contacts"], false);
        assert_eq!(
            tab.eval("document.querySelector('#contact-chart').hidden")
                .await,
            true
        );
    });
}
