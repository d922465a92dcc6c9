//! The timeline: replay of recorded frames, and continuing at their end.

use crate::support::{STILL, frame, frames, pause, scene, some_frames};
use conatus_browser_tests::{Play, in_browser};

#[test]
fn the_pointer_scrubs_and_the_run_pauses() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        tab.until("a second of frames", |state| frames(state) > 30)
            .await;
        let place = tab
            .eval(
                "(() => { const box = document.querySelector('#timeline').getBoundingClientRect();
                    return [box.left + box.width / 4, box.top + box.height / 2]; })()",
            )
            .await;
        let number = |i: usize| place[i].as_f64().expect("a number");
        tab.click_at((number(0), number(1))).await;
        let state = tab.until_is("/live", false).await;
        assert_eq!(state["playing"], false);
        let (at, all) = (frame(&state) as f64, frames(&state) as f64);
        assert!((0.1..0.4).contains(&(at / all)), "frame {at} of {all}");
        let state = tab
            .until("its time is drawn", |state| {
                let seconds = frame(state) as f64 * 0.032;
                (state["time"].as_f64().unwrap_or(-1.0) - seconds).abs() < 1e-6
            })
            .await;
        tab.pictures(5).await;
        let later = tab.state().await;
        // Frames in flight when the run was paused may still have arrived.
        assert!(frames(&later) <= frames(&state) + 3, "the run continues");
        let shown = tab.eval("document.querySelector('#timeline').value").await;
        assert_eq!(shown, frame(&later).to_string());
    });
}

#[test]
fn play_in_the_past_replays_and_continues_live_at_the_end() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let last = frame(&pause(&tab).await);
        tab.slide("#timeline", 2).await;
        tab.until_is("/frame", 2).await;
        tab.key(" ").await;
        tab.until("it replays", |state| {
            state["live"] == false && state["playing"] == true && frame(state) > 2
                || state["live"] == true
        })
        .await;
        let state = tab
            .until("the run continues live", |state| frames(state) > last + 4)
            .await;
        assert_eq!(state["live"], true);
        assert_eq!(state["playing"], true);
        assert_eq!(state["run"], 1);
    });
}

#[test]
fn with_loop_enabled_a_replay_restarts() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let last = frame(&pause(&tab).await);
        tab.click("#loop").await;
        tab.until_is("/loop", true).await;
        tab.slide("#timeline", last - 2).await;
        tab.until_is("/frame", last - 2).await;
        tab.key(" ").await;
        let state = tab
            .until("it starts again", |state| frame(state) < last - 3)
            .await;
        assert_eq!(state["live"], false);
        assert_eq!(state["playing"], true);
        assert_eq!(frames(&state), last + 1, "nothing new was simulated");
    });
}

#[test]
fn the_run_pauses_at_the_end_of_the_scene_and_play_continues_it() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(&STILL.replace("seconds = 1000", "seconds = 1"));
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        let state = tab
            .until("the run stops at its end", |state| {
                state["playing"] == false && frames(state) == 26
            })
            .await;
        assert!(
            state["message"]
                .as_str()
                .is_some_and(|m| m.contains("End of the scene (1 s)"))
        );
        tab.key(" ").await;
        tab.until("the run continues", |state| frames(state) > 30)
            .await;
    });
}

#[test]
fn a_click_in_a_plot_goes_to_that_time() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        if tab.state().await["plots"]["open"] != true {
            tab.click("#plots-toggle").await;
        }
        some_frames(&tab).await;
        let state = pause(&tab).await;
        tab.until_true("document.querySelectorAll('#plots .u-over').length >= 3")
            .await;
        tab.click("#plots .u-over").await;
        tab.until("a moment in the middle", |now| {
            let part = frame(now) as f64 / frames(&state) as f64;
            now["live"] == false && (0.2..0.8).contains(&part)
        })
        .await;
    });
}
