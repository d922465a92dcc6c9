//! The pointer selects and drags bodies.

use crate::support::{
    STILL, assert_replays_bit_for_bit, frames, inputs, saved, scene, some_frames, until_paused,
};
use conatus_browser_tests::{Play, in_browser, length, minus, point};
use conatus_math::DVec3;
use serde_json::Value;

#[test]
fn a_click_selects_a_body_and_shows_its_data() {
    in_browser(async |browsing| {
        let (_folder, file) =
            scene(&STILL.replace("mass = 2", "mass = 2\nvelocity = [0, 0, 0.01]"));
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        let (red, blue) = (tab.place_of("red").await, tab.place_of("blue").await);
        tab.click_at(red).await;
        let state = tab.until_is("/inspector/name", "red").await;
        assert_eq!(state["selected"], "red");
        let number = |key: &str| state["inspector"][key].as_f64().unwrap_or(f64::NAN);
        assert_eq!(number("mass"), 2.0);
        assert!((number("speed") - 0.01).abs() < 1e-9, "{state}");
        assert!((number("energy") - 1e-4).abs() < 1e-9, "{state}");
        let text = tab.eval("document.querySelector('#inspector').innerText");
        let text = text.await.to_string();
        for word in ["red", "kg", "m/s", "J"] {
            assert!(text.contains(word), "{word} is not in {text}");
        }
        tab.click_at(blue).await;
        tab.until_is("/inspector/name", "blue").await;
        // Between the two is only the ground.
        tab.click_at(((red.0 + blue.0) / 2.0, (red.1 + blue.1) / 2.0))
            .await;
        tab.until_is("/selected", Value::Null).await;
        assert_eq!(tab.state().await["pulls"], Value::Array(Vec::new()));
    });
}

#[test]
fn a_drag_pulls_the_body_and_is_recorded() {
    in_browser(async |browsing| {
        let (folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        let begin = tab.body("red").await;
        let (x, y) = tab.place_of("red").await;
        let camera = tab.state().await["camera"].clone();
        tab.press((x, y)).await;
        tab.until_is("/selected", "red").await;
        for part in 1..=4 {
            let part = f64::from(part) / 4.0;
            tab.drag((x + 30.0 * part, y - 110.0 * part)).await;
        }
        let state = tab
            .until("there is one drag", |state| {
                state["pulls"]
                    .as_array()
                    .is_some_and(|pulls| pulls.len() == 1)
            })
            .await;
        assert_eq!(state["pulls"][0]["body"], 0);
        tab.until_body("red", "the body follows", |now| {
            length(minus(now, begin)) > 0.3
        })
        .await;
        tab.release((x + 30.0, y - 110.0)).await;
        let state = tab.until_is("/pulls", Value::Array(Vec::new())).await;
        // The camera did not move.
        for key in ["position", "target"] {
            let moved = length(minus(point(&camera[key]), point(&state["camera"][key])));
            assert!(moved < 1e-6, "the camera moved by {moved} m");
        }
        // Inputs take effect, and are recorded, with the next step.
        let released = frames(&state);
        tab.until("the run continues", |state| frames(state) > released + 5)
            .await;
        tab.key(" ").await;
        until_paused(&tab).await;
        assert!(length(minus(tab.body("blue").await, [3.0, 0.0, 1.0])) < 1e-6);

        let recording = saved(&play);
        let inputs = inputs(&recording);
        let pulls: Vec<_> = inputs
            .iter()
            .filter_map(|event| Some((event, event.detail.get("pull")?)))
            .collect();
        assert!(!pulls.is_empty() && pulls.iter().all(|(_, pull)| pull["body"] == "red"));
        let let_go = inputs.iter().filter(|e| e.detail.get("let_go").is_some());
        let [let_go] = let_go.collect::<Vec<_>>()[..] else {
            panic!("released once: {inputs:?}");
        };
        // The grabbed point came closer to the target.
        let (first, last) = (pulls[0].0, pulls[pulls.len() - 1].1);
        let [held, target] = ["point_body", "target"].map(|key| DVec3::from(point(&last[key])));
        let distance = |step: u64| {
            let frame = recording.frames.iter().rfind(|frame| frame.step <= step);
            let body = &frame.expect("a frame").bodies[0];
            (body.position + body.orientation * held).distance(target)
        };
        let (before, after) = (distance(first.step), distance(let_go.step));
        assert!(after < 0.7 * before, "{before} m and then {after} m away");
        let file = folder.path().join("saved.mcap");
        play.save(&file);
        assert_replays_bit_for_bit(&file);
    });
}

#[test]
fn escape_releases_a_drag() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        let (x, y) = tab.place_of("blue").await;
        tab.press((x, y)).await;
        tab.drag((x + 40.0, y - 40.0)).await;
        tab.until("there is one drag", |state| {
            state["pulls"]
                .as_array()
                .is_some_and(|pulls| pulls.len() == 1)
        })
        .await;
        tab.key("Escape").await;
        tab.until_is("/pulls", Value::Array(Vec::new())).await;
        tab.release((x + 40.0, y - 40.0)).await;
        assert_eq!(tab.state().await["selected"], "blue");
    });
}

#[test]
fn a_drag_of_the_background_rotates_the_camera() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        let before = tab.state().await["camera"]["position"].clone();
        let (red, blue) = (tab.place_of("red").await, tab.place_of("blue").await);
        let (x, y) = ((red.0 + blue.0) / 2.0, (red.1 + blue.1) / 2.0);
        tab.press((x, y)).await;
        tab.drag((x + 30.0, y)).await;
        tab.drag((x + 80.0, y)).await;
        tab.release((x + 80.0, y)).await;
        let state = tab
            .until("the camera moves", |state| {
                let now = point(&state["camera"]["position"]);
                length(minus(now, point(&before))) > 0.1
            })
            .await;
        assert_eq!(state["view"], Value::Null);
        assert_eq!(state["pulls"], Value::Array(Vec::new()));
        assert_eq!(state["selected"], Value::Null);
    });
}
