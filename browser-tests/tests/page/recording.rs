//! A recording is read-only.

use crate::support::{frame, frames, run_into};
use conatus_browser_tests::{Play, in_browser};

#[test]
fn a_recording_plays_and_scrubs_but_refuses_kicks() {
    in_browser(async |browsing| {
        let (_folder, file) = run_into("cylon", "3", "cylon.mcap");
        let play = Play::start(&file.display().to_string());
        let tab = browsing.open(&play.url).await;
        let state = tab.until("it plays", |state| frame(state) > 3).await;
        assert_eq!(state["kind"], "recording");
        assert_eq!(state["scene"], "cylon");
        let all = frames(&state);
        assert!((94..=96).contains(&all), "{all} frames of 0.032 s in 3 s");
        tab.slide("#timeline", 20).await;
        let state = tab
            .until("that moment is drawn", |state| {
                state["time"]
                    .as_f64()
                    .is_some_and(|t| (t - 0.64).abs() < 1e-6)
            })
            .await;
        assert_eq!(state["playing"], false);
        tab.key("ArrowLeft").await;
        tab.until_is("/frame", 19).await;
        tab.key("1").await;
        tab.until("the message gives the reason", |state| {
            let message = state["message"].as_str();
            message.is_some_and(|message| message.contains("Recordings are read-only"))
        })
        .await;
        assert_eq!(frames(&tab.state().await), all);
        tab.choose("#speed", "4").await;
        tab.until_is("/speed", 4).await;
        tab.key("l").await;
        tab.until_is("/loop", true).await;
        tab.key("End").await;
        tab.until_is("/frame", all - 1).await;
        tab.key(" ").await;
        tab.until("it loops", |state| {
            state["playing"] == true && frame(state) < all - 5
        })
        .await;
    });
}

#[test]
fn a_scene_can_be_opened_instead_of_a_recording() {
    in_browser(async |browsing| {
        let (_folder, file) = run_into("cylon", "0.5", "cylon.mcap");
        let play = Play::start(&file.display().to_string());
        let tab = browsing.open(&play.url).await;
        tab.choose("#scenes", "billiards").await;
        let state = tab
            .until("billiards runs", |state| {
                state["scene"] == "billiards" && frames(state) > 5
            })
            .await;
        assert_eq!(state["kind"], "live");
    });
}
