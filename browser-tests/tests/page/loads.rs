//! The page comes up, and nothing is wrong with it. That no test's page says
//! anything on the console is checked for every test, by `in_browser`.

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
        let mut run = 1;
        for name in names.iter().filter_map(Value::as_str) {
            tab.choose("#scenes", name).await;
            run += 1;
            let state = tab
                .until(&format!("{name} runs"), |state| {
                    state["run"] == run && state["scene"] == name && frames(state) > 3
                })
                .await;
            assert_eq!(state["message"], Value::Null, "{name}");
            // Drawn with everything that can be drawn.
            for toggle in ["contacts", "forces", "velocities", "frames", "wireframe"] {
                if run == 2 {
                    tab.click(&format!("[data-toggle={toggle}]")).await;
                }
            }
            crate::support::pictures(&tab, 2).await;
        }
        assert_eq!(run as usize, names.len() + 1);
    });
}
