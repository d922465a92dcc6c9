//! Accessibility: every control can be reached by keyboard and has a name.

use crate::support::{STILL, scene, some_frames};
use conatus_browser_tests::{Browsing, Play, Tab, in_browser};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Identifies a control.
const NAME: &str = "(c) => c.id || c.dataset.view || c.dataset.toggle || c.outerHTML";

/// A live run with a body selected, so that all controls are there.
async fn with_everything_shown(browsing: &Browsing) -> (Play, Tab) {
    let (_folder, file) = scene(STILL);
    let play = Play::start(&file);
    let tab = browsing.open(&play.url).await;
    some_frames(&tab).await;
    tab.key("n").await;
    tab.until_true("!document.querySelector('#inspector').hidden")
        .await;
    (play, tab)
}

async fn shown_controls(tab: &Tab) -> BTreeSet<String> {
    let list = tab
        .eval(&format!(
            "[...document.querySelectorAll('button, select, input, a[href]')]
                .filter((c) => c.checkVisibility({{ visibilityProperty: true }}) && !c.disabled)
                .map({NAME})"
        ))
        .await;
    let list = list.as_array().cloned().unwrap_or_default();
    list.iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_tab_key_reaches_every_control() {
    in_browser(async |browsing| {
        let (_play, tab) = with_everything_shown(&browsing).await;
        let wanted = shown_controls(&tab).await;
        for id in [
            "play",
            "timeline",
            "scenes",
            "speed",
            "live",
            "focus",
            "save",
            "wireframe",
        ] {
            assert!(wanted.contains(id), "{id} is not shown: {wanted:?}");
        }
        let mut reached = BTreeSet::new();
        for _ in 0..2 * wanted.len() {
            tab.key("Tab").await;
            let focused = tab.eval(&format!("({NAME})(document.activeElement)")).await;
            reached.insert(focused.as_str().unwrap_or_default().to_owned());
        }
        let missing: Vec<_> = wanted.difference(&reached).collect();
        assert!(missing.is_empty(), "not reached: {missing:?}");
    });
}

#[test]
fn the_space_bar_activates_the_focused_button() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(STILL);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        let mut focused = Value::Null;
        for _ in 0..60 {
            if focused == "loop" {
                break;
            }
            tab.key("Tab").await;
            focused = tab.eval("document.activeElement.id").await;
        }
        assert_eq!(focused, "loop");
        tab.key(" ").await;
        let state = tab.until_is("/loop", true).await;
        assert_eq!(state["playing"], true, "the page did not handle the key");
    });
}

#[test]
fn every_control_has_an_accessible_name() {
    in_browser(async |browsing| {
        let (_play, tab) = with_everything_shown(&browsing).await;
        let controls = tab.accessible_controls().await;
        assert!(controls.len() > 20, "{controls:?}");
        for (role, name) in &controls {
            assert!(
                !name.trim().is_empty(),
                "a {role} without a name: {controls:?}"
            );
        }
        let names: Vec<&str> = controls.iter().map(|(_, name)| name.as_str()).collect();
        for word in ["Pause", "Timeline", "Scene", "Speed", "Save"] {
            let named = names.iter().any(|name| name.contains(word));
            assert!(named, "nothing is called {word}: {names:?}");
        }
        // Screen readers announce messages.
        assert_eq!(tab.attribute("#message", "aria-live").await, "polite");
    });
}

/// In a window of 1000 pixels the plots covered the buttons at their left.
#[test]
fn no_control_covers_another_in_a_window_of_any_width() {
    in_browser(async |browsing| {
        let (_play, tab) = with_everything_shown(&browsing).await;
        let covered = format!(
            "[...document.querySelectorAll('button, select, input')]
                .filter((c) => c.checkVisibility({{ visibilityProperty: true }}))
                .filter((c) => {{
                    const box = c.getBoundingClientRect();
                    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
                    return !c.contains(document.elementFromPoint(x, y)); }})
                .map({NAME})"
        );
        for width in [420, 700, 810, 900, 1000, 1150, 1300] {
            tab.resize(width, 800).await;
            for _ in 0..2 {
                let state = tab.state().await;
                let open = &state["plots"]["open"];
                let found = tab.eval(&covered).await;
                assert_eq!(found, json!([]), "{width} pixels, plots open: {open}");
                tab.key("p").await;
                tab.until("plots open or close", |now| &now["plots"]["open"] != open)
                    .await;
            }
        }
    });
}
