//! A body whose numbers diverge pauses the run and is named.

use crate::support::{frames, scene};
use conatus_browser_tests::{Play, in_browser};
use serde_json::json;

const RUNAWAY: &str = include_str!("../../../crates/viewer/tests/scenes/runaway.toml");

#[test]
fn a_diverging_body_pauses_the_run_and_is_named() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(RUNAWAY);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        let state = tab.until_is("/quarantined", json!(["bad"])).await;
        let state = match state["playing"] == false {
            true => state,
            false => tab.until_is("/playing", false).await,
        };
        let message = state["message"].as_str().unwrap_or_default();
        assert!(message.contains("bad"), "{message}");
        let shown = tab.eval("document.querySelector('#message').textContent");
        assert!(shown.await.as_str().unwrap_or_default().contains("bad"));
        // The other bodies continue if the user presses play.
        let before = frames(&state);
        tab.key(" ").await;
        let state = tab
            .until("the run continues", |state| frames(state) > before + 3)
            .await;
        assert_eq!(state["quarantined"], json!(["bad"]));
        tab.key("n").await;
        tab.key("n").await;
        tab.until_is("/selected", "bad").await;
        tab.until_true("document.querySelector('#inspector').innerText.includes('quarantined')")
            .await;
    });
}
