//! The page loads without errors. `in_browser` checks the console of every page
//! of every test.

use crate::support::{frames, some_frames};
use conatus_browser_tests::{Play, in_browser};
use serde_json::Value;

#[test]
fn the_page_shows_the_scene_and_runs_it() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let state = some_frames(&tab).await;
        assert_eq!(state["kind"], "live");
        assert_eq!(state["scene"], "cylon");
        assert_eq!(state["connected"], true);
        assert_eq!(state["playing"], true);
        assert_eq!(state["live"], true);
        assert_eq!(state["run"], 1);
        let factor = tab
            .until("the real-time factor", |state| state["factor"].is_f64())
            .await;
        assert!(factor["factor"].as_f64() > Some(0.0));
        tab.until_true("document.querySelector('#factor').textContent !== ''")
            .await;
    });
}

/// Movements that are found within seconds.
const QUICK: [&str; 3] = ["stand", "walk", "quadruped-trot"];

#[test]
fn every_built_in_scene_can_be_chosen_and_runs() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let options = "[...document.querySelectorAll('#scenes option')].map((o) => o.value)";
        let Value::Array(names) = tab.eval(options).await else {
            panic!("#scenes has no options");
        };
        assert!(names.len() >= 10, "{names:?}");
        // Drawn with everything that can be drawn.
        for toggle in ["contacts", "forces", "velocities", "frames", "wireframe"] {
            tab.click(&format!("[data-toggle={toggle}]")).await;
        }
        let number = |state: &Value| state["run"].as_u64().unwrap_or(0);
        let runs = |state: &Value, name: &str| state["scene"] == name && frames(state) > 3;
        let sought = |state: &Value, name: &str| {
            let finding = format!("Finding the movement of {name}");
            (state["message"].as_str()).is_some_and(|message| message.starts_with(&finding))
        };
        for name in names.iter().filter_map(Value::as_str) {
            let before = number(&tab.state().await);
            tab.choose("#scenes", name).await;
            let state = tab
                .until(&format!("{name} runs or is searched"), |state| {
                    number(state) > before && runs(state, name) || sought(state, name)
                })
                .await;
            // Some movements take a while to find; those on flat ground do not.
            if sought(&state, name) && !QUICK.contains(&name) {
                continue;
            }
            let what = format!("{name} runs");
            let state = tab.until(&what, |state| runs(state, name)).await;
            assert_eq!(state["message"], Value::Null, "{name}");
            tab.pictures(2).await;
        }
    });
}
