//! Each key performs its action.

use crate::support::{
    STILL, assert_replays_bit_for_bit, frame, frames, inputs, pause, saved, scene, some_frames,
    until_paused,
};
use conatus_browser_tests::{Play, in_browser, length, minus, point};
use conatus_record::Recording;
use serde_json::Value;
use std::time::{Duration, Instant};

#[test]
fn space_pauses_and_continues() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let before = frames(&pause(&tab).await);
        tab.pictures(5).await;
        assert_eq!(frames(&tab.state().await), before, "the run is paused");
        tab.key(" ").await;
        let state = tab
            .until("the run continues", |state| frames(state) > before + 3)
            .await;
        assert_eq!(state["playing"], true);
        assert_eq!(state["live"], true);
    });
}

#[test]
fn arrows_move_by_one_frame() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let state = pause(&tab).await;
        let (last, time) = (frame(&state), state["time"].as_f64());
        tab.key("ArrowLeft").await;
        let state = tab.until_is("/frame", last - 1).await;
        assert_eq!(state["playing"], false);
        tab.until("an earlier moment is drawn", |s| s["time"].as_f64() < time)
            .await;
        tab.key("ArrowLeft").await;
        tab.until_is("/frame", last - 2).await;
        tab.key("ArrowRight").await;
        tab.until_is("/frame", last - 1).await;
        tab.key("ArrowRight").await;
        let state = tab.until_is("/frame", last).await;
        assert_eq!(frames(&state), last + 1, "nothing new was simulated");
    });
}

#[test]
fn the_right_arrow_at_the_end_of_a_paused_run_simulates_one_more_frame() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let state = pause(&tab).await;
        for more in 1..=3 {
            tab.key("ArrowRight").await;
            let now = tab
                .until("one more frame", |now| frames(now) == frames(&state) + more)
                .await;
            assert_eq!(now["playing"], false);
            assert_eq!(now["live"], true);
        }
        tab.pictures(5).await;
        assert_eq!(frames(&tab.state().await), frames(&state) + 3);
    });
}

#[test]
fn home_and_end_go_to_the_first_and_to_the_newest_frame() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        tab.key("Home").await;
        let state = tab
            .until("the first frame is drawn", |state| state["time"] == 0.0)
            .await;
        assert_eq!(frame(&state), 0);
        assert_eq!(state["live"], false);
        assert_eq!(state["playing"], false);
        tab.key("End").await;
        tab.until("the newest frame", |state| {
            state["live"] == true && frame(state) + 1 == frames(state)
        })
        .await;
    });
}

#[test]
fn r_restarts_as_a_new_run() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let paused = pause(&tab).await;
        tab.key("r").await;
        let state = tab.until_is("/run", 2).await;
        assert!(frames(&state) < frames(&paused));
        let state = tab
            .until("the first frame again", |state| state["time"] == 0.0)
            .await;
        assert_eq!(state["scene"], "cylon");
    });
}

#[test]
fn digits_kick_the_bodies_in_their_order() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        tab.key("n").await;
        tab.until("ball-1 is slow", |state| {
            state["inspector"]["speed"].as_f64() < Some(0.2)
        })
        .await;
        for key in ["1", "2", "3", "4"] {
            tab.key(key).await;
        }
        // Di Pierro's kick: a speed of 0.2 √2.
        tab.until("ball-1 is fast", |state| {
            state["inspector"]["speed"].as_f64() > Some(0.25)
        })
        .await;
        tab.key("9").await;
        tab.until("there is no ninth", |state| {
            state["message"].as_str().is_some_and(|m| m.contains('9'))
        })
        .await;
        tab.key(" ").await;
        until_paused(&tab).await;
        let kicked: Vec<Value> = inputs(&saved(&play))
            .iter()
            .filter_map(|event| event.detail.pointer("/kick/body").cloned())
            .collect();
        assert_eq!(kicked, ["ball-1", "ball-2", "ball-3", "ball-4"]);
    });
}

#[test]
fn f_follows_the_selected_body_and_stops() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(&STILL.replace("mass = 2", "mass = 2\nvelocity = [0, 1, 0]"));
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        tab.key("f").await;
        tab.until("select first", |state| state["message"].is_string())
            .await;
        assert_eq!(tab.state().await["following"], Value::Null);
        tab.key("n").await;
        tab.until_is("/selected", "red").await;
        tab.key("f").await;
        let state = tab.until_is("/following", "red").await;
        assert_eq!(state["view"], Value::Null, "no preset view any more");
        let begin = tab.body("red").await;
        tab.until_body("red", "the body moves on", |now| {
            length(minus(now, begin)) > 1.0
        })
        .await;
        let both = tab
            .eval("[window.conatus.state().camera.target, window.conatus.body('red')]")
            .await;
        let apart = length(minus(point(&both[0]), point(&both[1])));
        assert!(apart < 0.8, "the camera looks {apart} m past the body");
        tab.key("f").await;
        tab.until_is("/following", Value::Null).await;
        assert_eq!(tab.state().await["selected"], "red");
    });
}

#[test]
fn n_selects_the_next_body_and_escape_none() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        for name in ["red", "blue", "red"] {
            tab.key("n").await;
            tab.until_is("/selected", name).await;
        }
        tab.key("Escape").await;
        tab.until_is("/selected", Value::Null).await;
        tab.until_is("/inspector", Value::Null).await;
    });
}

#[test]
fn the_question_mark_lists_the_keys() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        tab.key("?").await;
        tab.until_is("/help", true).await;
        let text = tab.eval("document.querySelector('dialog[open]').innerText");
        let text = text.await.to_string();
        for word in [
            "Space",
            "Home",
            "loop",
            "kick",
            "follow",
            "wireframe",
            "save",
        ] {
            assert!(text.contains(word), "{word} is not in {text}");
        }
        tab.key("?").await;
        tab.until_is("/help", false).await;
        tab.key("?").await;
        tab.until_is("/help", true).await;
        tab.key("Escape").await;
        tab.until_is("/help", false).await;
    });
}

#[test]
fn s_saves_a_recording_that_replays_bit_for_bit() {
    in_browser(async |browsing| {
        let folder = browsing.downloads().await;
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let before = frames(&some_frames(&tab).await);
        tab.key("1").await;
        tab.until("the run continues", |state| frames(state) > before + 5)
            .await;
        tab.key("s").await;
        let begin = Instant::now();
        let file = folder.join("cylon.mcap");
        while !file.is_file() {
            assert!(begin.elapsed() < Duration::from_secs(60), "nothing saved");
            tab.pictures(1).await;
        }
        tab.until("the message names the file", |state| {
            state["message"]
                .as_str()
                .is_some_and(|m| m.contains("cylon.mcap"))
        })
        .await;
        let recording = Recording::read(&file).expect("a recording");
        assert_eq!(recording.header.scene, "cylon");
        assert!(recording.frames.len() > 10);
        assert_replays_bit_for_bit(&file);
    });
}

#[test]
fn letters_toggle_overlays() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        for (key, pointer) in [
            ("c", "/toggles/contacts"),
            ("g", "/toggles/forces"),
            ("v", "/toggles/velocities"),
            ("b", "/toggles/frames"),
            ("j", "/toggles/joints"),
            ("k", "/toggles/colliders"),
            ("w", "/toggles/wireframe"),
            ("l", "/loop"),
            ("p", "/plots/open"),
        ] {
            let before = tab.state().await.pointer(pointer).cloned();
            let before = before.and_then(|value| value.as_bool());
            let before = before.unwrap_or_else(|| panic!("no {pointer}"));
            tab.key(key).await;
            tab.until_is(pointer, !before).await;
            tab.key(key).await;
            tab.until_is(pointer, before).await;
        }
        let before = tab.state().await["theme"].clone();
        tab.key("t").await;
        tab.until("the other theme", |state| state["theme"] != before)
            .await;
        let shown = tab.attribute("html", "data-theme").await;
        assert_eq!(shown, tab.state().await["theme"]);
        tab.key("t").await;
        tab.until_is("/theme", before).await;
    });
}

#[test]
fn plus_and_minus_change_the_speed_between_a_tenth_and_four() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        tab.until_is("/speed", 1).await;
        // Repeating at either end has no effect.
        for speed in [2.0, 4.0, 4.0] {
            tab.key("+").await;
            tab.until("faster", |state| state["speed"].as_f64() == Some(speed))
                .await;
        }
        for speed in [2.0, 1.0, 0.5, 0.25, 0.1, 0.1] {
            tab.key("-").await;
            tab.until("slower", |state| state["speed"].as_f64() == Some(speed))
                .await;
        }
    });
}
