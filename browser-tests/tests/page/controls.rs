//! Each control performs its action and shows its state.

use crate::support::{STILL, frame, frames, pause, scene, some_frames, until_paused};
use conatus_browser_tests::{Play, in_browser, length, minus, point};
use serde_json::Value;

#[test]
fn the_buttons_of_the_run_do_what_the_keys_do() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        tab.click("#play").await;
        let last = frame(&until_paused(&tab).await);
        tab.until_true("document.querySelector('#play').ariaLabel.includes('Play')")
            .await;
        tab.click("#step-forward").await;
        tab.until_is("/frames", last + 2).await;
        until_paused(&tab).await;
        tab.click("#step-back").await;
        let state = tab.until_is("/frame", last).await;
        assert_eq!(state["live"], false);
        tab.until_true("document.querySelector('#live').ariaPressed === 'false'")
            .await;
        tab.click("#live").await;
        let state = tab
            .until("live again", |state| frames(state) > last + 5)
            .await;
        assert_eq!(
            (&state["live"], &state["playing"]),
            (&true.into(), &true.into())
        );
        tab.until_true("document.querySelector('#live').ariaPressed === 'true'")
            .await;
        tab.until_true("document.querySelector('#play').ariaLabel.includes('Pause')")
            .await;
        tab.click("#reset").await;
        tab.until_is("/run", 2).await;
    });
}

#[test]
fn toggles_show_whether_they_are_on() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        let mut switches: Vec<(String, String)> =
            ["contacts", "forces", "velocities", "frames", "wireframe"]
                .map(|name| (format!("[data-toggle={name}]"), format!("/toggles/{name}")))
                .into();
        switches.push(("#loop".into(), "/loop".into()));
        switches.push(("#plots-toggle".into(), "/plots/open".into()));
        for (selector, pointer) in &switches {
            for _ in 0..2 {
                let state = tab.state().await;
                let before = state.pointer(pointer).and_then(Value::as_bool);
                let before = before.unwrap_or_else(|| panic!("no {pointer}"));
                let pressed = tab.attribute(selector, "aria-pressed").await;
                assert_eq!(pressed, before.to_string(), "{selector}");
                tab.click(selector).await;
                tab.until_is(pointer, !before).await;
                tab.until_true(&format!(
                    "document.querySelector('{selector}').ariaPressed === '{}'",
                    !before
                ))
                .await;
            }
        }
    });
}

#[test]
fn preset_views_look_from_their_direction() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        // With z up the top is +z and the front is -y.
        for (view, main, sign) in [("top", 2, 1.0), ("front", 1, -1.0), ("side", 0, 1.0)] {
            tab.click(&format!("[data-view={view}]")).await;
            let what = format!("the view from the {view}");
            tab.until(&what, |state| {
                let camera = &state["camera"];
                let towards = minus(point(&camera["position"]), point(&camera["target"]));
                let part = sign * towards[main] / length(towards);
                state["view"] == view && part > 0.9
            })
            .await;
            let selector = format!("[data-view={view}]");
            assert_eq!(tab.attribute(&selector, "aria-pressed").await, "true");
            for body in ["red", "blue"] {
                tab.place_of(body).await;
            }
        }
        tab.key("0").await;
        tab.until_is("/view", "home").await;
        tab.until_true("document.querySelector('[data-view=home]').ariaPressed === 'true'")
            .await;
    });
}

#[test]
fn the_speed_list_ranges_from_a_tenth_to_four() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        let other = browsing.open(&play.url).await;
        for speed in ["0.1", "0.5", "4", "1"] {
            tab.choose("#speed", speed).await;
            let number: f64 = speed.parse().expect("a number");
            for page in [&tab, &other] {
                page.until("the speed", |state| state["speed"].as_f64() == Some(number))
                    .await;
            }
            other
                .until_true(&format!(
                    "document.querySelector('#speed').value === '{speed}'"
                ))
                .await;
        }
    });
}

#[test]
fn help_plots_and_theme_have_buttons() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        tab.click("#help").await;
        tab.until_is("/help", true).await;
        tab.click("#help-close").await;
        tab.until_is("/help", false).await;
        let before = tab.state().await["theme"].clone();
        tab.click("#theme").await;
        tab.until("the other theme", |state| state["theme"] != before)
            .await;
        tab.click("#theme").await;
        tab.until_is("/theme", before).await;
    });
}

#[test]
fn the_inspector_follows_and_closes() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        tab.key("n").await;
        tab.until_true("!document.querySelector('#inspector').hidden")
            .await;
        tab.click("#focus").await;
        tab.until_is("/following", "red").await;
        tab.until_true("document.querySelector('#focus').ariaPressed === 'true'")
            .await;
        tab.click("#focus").await;
        tab.until_is("/following", Value::Null).await;
        tab.until_true("document.querySelector('#focus').ariaPressed === 'false'")
            .await;
        tab.click("#inspector-close").await;
        tab.until_is("/selected", Value::Null).await;
        tab.until_true("document.querySelector('#inspector').hidden")
            .await;
    });
}

#[test]
fn plots_show_what_the_run_reports_up_to_the_playhead() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        if tab.state().await["plots"]["open"] != true {
            tab.click("#plots-toggle").await;
        }
        let state = pause(&tab).await;
        let series = state["plots"]["series"].to_string();
        for name in ["kinetic", "total", "deepest", "contacts"] {
            assert!(series.contains(name), "{series}");
        }
        tab.until_true("document.querySelectorAll('#plots canvas').length >= 3")
            .await;
        tab.slide("#timeline", frames(&state) / 2).await;
        tab.until("the cursor is at the playhead", |state| {
            let (cursor, time) = (&state["plots"]["cursor"], &state["time"]);
            frame(state) == frames(state) / 2 && cursor.is_f64() && cursor == time
        })
        .await;
    });
}
