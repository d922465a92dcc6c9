//! The pointer selects bodies and pulls them.

use crate::support::{STILL, inputs, repeats_bit_for_bit, saved, scene, some_frames, stands_still};
use conatus_browser_tests::{Play, in_browser, length, minus, point};
use serde_json::Value;

#[test]
fn a_click_selects_a_body_and_shows_what_it_is() {
    in_browser(async |browsing| {
        let (_folder, file) =
            scene(&STILL.replace("mass = 2", "mass = 2\nvelocity = [0, 0, 0.01]"));
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        tab.click_at(tab.place_of("red").await).await;
        let state = tab.until_is("/inspector/name", "red").await;
        assert_eq!(state["selected"], "red");
        let number = |key: &str| state["inspector"][key].as_f64().unwrap_or(f64::NAN);
        assert_eq!(number("mass"), 2.0);
        assert!((number("speed") - 0.01).abs() < 1e-9, "{state}");
        assert!((number("energy") - 1e-4).abs() < 1e-9, "{state}");
        let text = tab.eval("document.querySelector('#inspector').innerText");
        let text = text.await.to_string();
        for word in ["red", "2 kg", "m/s", "J"] {
            assert!(text.contains(word), "{word} is not in {text}");
        }
        tab.click_at(tab.place_of("blue").await).await;
        tab.until_is("/inspector/name", "blue").await;
        // Between the two there is nothing but the ground.
        let (red, blue) = (tab.place_of("red").await, tab.place_of("blue").await);
        tab.click_at(((red.0 + blue.0) / 2.0, (red.1 + blue.1) / 2.0))
            .await;
        tab.until_is("/selected", Value::Null).await;
        assert_eq!(tab.state().await["pulls"], Value::Array(Vec::new()));
    });
}

#[test]
fn a_drag_pulls_the_body_and_is_part_of_the_recording() {
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
            .until("the pull is there", |state| {
                state["pulls"]
                    .as_array()
                    .is_some_and(|pulls| pulls.len() == 1)
            })
            .await;
        assert_eq!(state["pulls"][0]["body"], 0);
        let mut target = point(&state["pulls"][0]["target"]);
        let far = length(minus(target, begin));
        assert!(far > 0.3, "{target:?} is only {far} m away");
        let mut near = far;
        while near > 0.6 * far {
            let state = tab.state().await;
            target = point(&state["pulls"][0]["target"]);
            near = length(minus(tab.body("red").await, target));
        }
        tab.release((x + 30.0, y - 110.0)).await;
        let state = tab.until_is("/pulls", Value::Array(Vec::new())).await;
        // The camera kept still: the drag was the body's.
        for key in ["position", "target"] {
            let moved = length(minus(point(&camera[key]), point(&state["camera"][key])));
            assert!(moved < 1e-6, "the camera moved by {moved} m");
        }
        tab.key(" ").await;
        stands_still(&tab).await;
        assert!(length(minus(tab.body("blue").await, [3.0, 0.0, 1.0])) < 1e-6);

        let inputs = inputs(&saved(&play));
        let pulls = inputs.iter().filter(|e| e.detail.get("pull").is_some());
        let pulled: Vec<_> = pulls.map(|e| e.detail["pull"]["body"].clone()).collect();
        assert!(!pulled.is_empty() && pulled.iter().all(|body| body == "red"));
        let let_go = inputs.iter().filter(|e| e.detail.get("let_go").is_some());
        assert_eq!(let_go.count(), 1);
        let file = folder.path().join("saved.mcap");
        play.save(&file);
        repeats_bit_for_bit(&file);
    });
}

#[test]
fn escape_lets_go_of_a_body() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        let (x, y) = tab.place_of("blue").await;
        tab.press((x, y)).await;
        tab.drag((x + 40.0, y - 40.0)).await;
        tab.until("the pull is there", |state| {
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
fn a_drag_beside_the_bodies_turns_the_camera() {
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
