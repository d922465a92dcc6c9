//! Several movements: a list in the page switches between them, in a file and
//! live.

use crate::support::{address, frames, scene};
use conatus_browser_tests::{Play, Tab, conatus, in_browser};
use serde_json::{Value, json};

/// A short search, with thresholds that every movement meets.
const STEPS: &str = include_str!("../../../crates/world/tests/support/steps.toml");

/// Which contacts the chart shows, and when.
async fn chart(tab: &Tab) -> Value {
    let bars = "[...document.querySelectorAll('#contact-chart .row')]
        .map((row) => [...row.querySelectorAll('.contact')].map((bar) => bar.getAttribute('style')))";
    tab.eval(bars).await
}

/// Switches to the second movement and back.
async fn switches(tab: &Tab) {
    let state = tab.until("it plays", |state| frames(state) > 0).await;
    let names = state["movements"].as_array().cloned().unwrap_or_default();
    assert_eq!((names.len(), &state["movement"]), (2, &json!(0)), "{state}");
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    assert!(names[0].starts_with("movement 1 of 2, cost "), "{names:?}");
    let options = "[...document.querySelector('#movements').options].map((o) => o.text)";
    assert_eq!(tab.eval(options).await, json!(names));
    let first = chart(tab).await;

    tab.choose("#movements", names[1]).await;
    tab.until_is("/movement", 1).await;
    tab.until("it plays", |state| frames(state) > 10).await;
    let second = chart(tab).await;
    assert_ne!(first, second, "the movements have different contacts");

    tab.choose("#movements", names[0]).await;
    let state = tab.until_is("/movement", 0).await;
    assert_eq!(chart(tab).await, first);
    assert_eq!(state["message"], Value::Null, "no error message");
}

#[test]
fn a_file_of_several_movements_switches_between_them() {
    in_browser(async |browsing| {
        let (folder, path) = scene(STEPS);
        let file = folder.path().join("steps.html");
        let output = conatus(&["run", &path, "-o", &file.display().to_string()]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        let tab = browsing.open(&address(&file)).await;
        switches(&tab).await;
        // On a phone the list is still inside its card.
        tab.resize(390, 844).await;
        let inside = "(() => {
            const card = document.querySelector('#scene').getBoundingClientRect();
            const list = document.querySelector('#movements').getBoundingClientRect();
            return list.height > 0 && list.bottom <= card.bottom && list.right <= card.right;
        })()";
        tab.until_true(inside).await;
    });
}

#[test]
fn a_live_run_switches_between_movements() {
    in_browser(async |browsing| {
        let (_folder, path) = scene(STEPS);
        let play = Play::start(&path);
        let tab = browsing.open(&play.url).await;
        switches(&tab).await;
    });
}

#[test]
fn a_page_without_a_choice_shows_no_list() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let hidden = "document.querySelector('#movements').hidden";
        assert_eq!(tab.eval(hidden).await, true);
    });
}
