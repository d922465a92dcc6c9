//! Cloth and obstacles, from a synthetic recording.

use crate::sheet::{CAP, MIDDLE, SHEET, recording};
use crate::support::{address, frames};
use conatus_browser_tests::picture::{hue, hue_distance};
use conatus_browser_tests::{Play, Tab, conatus, in_browser, in_sharp_browser};
use conatus_record::RecordingWriter;
use serde_json::json;
use std::path::PathBuf;
use tempfile::TempDir;

const BLUE: f64 = 222.0;
const GREEN: f64 = 133.0;

/// The recording as a file.
fn written() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("sheets.mcap");
    let made = recording();
    let mut writer = RecordingWriter::create(&path, &made.header, &made.sources, &made.overrides)
        .expect("a file");
    for frame in &made.frames {
        for event in made.events.iter().filter(|e| e.step / 2 == frame.step / 2) {
            writer.event(event).expect("an event");
        }
        writer.frame(frame).expect("a frame");
    }
    writer.finish(None).expect("an end");
    (folder, path)
}

/// The recording as one HTML file.
fn exported() -> (TempDir, PathBuf) {
    let (folder, path) = written();
    let html = folder.path().join("sheets.html");
    let names = [path.display().to_string(), html.display().to_string()];
    let output = conatus(&["export", &names[0], "-o", &names[1]]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    (folder, html)
}

/// Moves to a frame and waits until it is drawn.
async fn at_frame(tab: &Tab, frame: u64) {
    tab.slide("#timeline", frame).await;
    let time = frame as f64 / 30.0;
    tab.until("the frame is drawn", |state| {
        let drawn = state["time"].as_f64();
        drawn.is_some_and(|drawn| (drawn - time).abs() < 1e-6)
    })
    .await;
    tab.camera_rests().await;
    tab.pictures(2).await;
}

/// The drawn position of a vertex in the window.
async fn place(tab: &Tab, piece: &str, vertex: usize) -> (f64, f64) {
    let expression = format!("window.conatus.project(window.conatus.vertex({piece:?}, {vertex}))");
    let found = tab.eval(&expression).await;
    assert_eq!(found["visible"], true, "{piece} is in the picture");
    let number = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
    (number("x"), number("y"))
}

#[test]
fn cloth_in_an_html_file_is_drawn_in_place_and_can_be_selected() {
    in_sharp_browser(async |browsing| {
        let (_folder, file) = exported();
        let tab = browsing.open(&address(&file)).await;
        assert_eq!(frames(&tab.state().await), 60);
        at_frame(&tab, 0).await;
        let high = place(&tab, SHEET, MIDDLE).await;
        let (found, strength) = hue(tab.picture().await.mean(high, 3));
        let blue = strength > 0.4 && hue_distance(found, BLUE) < 20.0;
        assert!(blue, "at first: {found} {strength}");

        at_frame(&tab, 59).await;
        let low = place(&tab, SHEET, MIDDLE).await;
        assert!(low.1 > high.1 + 30.0, "it sank: {high:?} {low:?}");
        let picture = tab.picture().await;
        let (found, strength) = hue(picture.mean((low.0, low.1 + 6.0), 3));
        let blue = strength > 0.4 && hue_distance(found, BLUE) < 20.0;
        assert!(blue, "in the end: {found} {strength}");

        tab.click_at((low.0, low.1 + 6.0)).await;
        tab.until_is("/selected", SHEET).await;
        let state = tab.until_is("/inspector/vertices", 41 * 41).await;
        assert_eq!(state["inspector"]["triangles"], 2 * 40 * 40);
        assert_eq!(state["inspector"]["thickness"], 0.002);
        assert_eq!(state["inspector"]["colour"], "#2959cc");
        tab.key("Escape").await;
        tab.until_is("/selected", serde_json::Value::Null).await;
    });
}

/// The near wall of the funnel is between the camera and its content.
#[test]
fn the_inside_of_an_open_obstacle_is_visible_and_selectable_through_its_wall() {
    in_sharp_browser(async |browsing| {
        let (_folder, file) = exported();
        let tab = browsing.open(&address(&file)).await;
        at_frame(&tab, 59).await;
        // The front of the cap, about half way down.
        let inside = place(&tab, CAP, 8 * 48 + 36).await;
        let (found, strength) = hue(tab.picture().await.mean(inside, 2));
        let green = strength > 0.15 && hue_distance(found, GREEN) < 50.0;
        assert!(green, "{found} {strength}");
        tab.click_at(inside).await;
        tab.until_is("/selected", CAP).await;
        // N continues from cloth to the first body.
        tab.key("n").await;
        tab.until_is("/selected", "marble").await;
        tab.key("n").await;
        tab.until_is("/selected", "ball").await;
        tab.until_is("/inspector/status", "scripted").await;
        tab.key("m").await;
        tab.until_is("/toggles/cloth", true).await;
    });
}

#[test]
fn a_recording_with_cloth_is_served_and_shows_its_drags() {
    in_browser(async |browsing| {
        let (_folder, file) = written();
        let play = Play::start(&file.display().to_string());
        let tab = browsing.open(&play.url).await;
        at_frame(&tab, 8).await;
        let state = tab.state().await;
        assert_eq!(state["kind"], "recording");
        // Step 16: after the start of the drag, before its target moved.
        let pulls = json!([{ "body": 0, "point": [0, 0, 0.3], "target": [-1.6, -0.6, 0.9] }]);
        assert_eq!(state["pulls"], pulls);
        place(&tab, SHEET, MIDDLE).await;
        at_frame(&tab, 21).await;
        assert_eq!(tab.state().await["pulls"], json!([]));
    });
}
