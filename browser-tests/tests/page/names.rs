//! Names that contain markup, scripts or control characters.

use crate::support::{address, run_into, scene, some_frames};
use conatus_browser_tests::{Play, Tab, in_browser};
use serde_json::Value;

/// They end scripts, attributes and templates, and are not all ASCII.
const NAMES: [&str; 5] = [
    "</script><script>window.pwned=1</script>",
    "\"'><img src=x onerror=\"window.pwned=1\">",
    "<!--<script>",
    "${window.pwned=1}`\\u0027\\",
    "Κύβος ✨ \u{202e}\u{2028}",
];

fn hostile() -> String {
    let mut text = format!(
        "title = {}\ngravity = [0, 0, 0]\n[time]\nstep = 0.01\nseconds = 100\nsteps_per_frame = 4\n",
        quoted(NAMES[0])
    );
    for (i, name) in NAMES.iter().enumerate() {
        text += &format!(
            "[[body]]\nname = {}\nshape.sphere.radius = 0.4\nmass = 1\nposition = [{i}, 0, 0]\n",
            quoted(name)
        );
    }
    text
}

/// A JSON string is a TOML string.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

async fn assert_harmless(tab: &Tab) {
    for name in NAMES {
        tab.key("n").await;
        let state = tab.until_is("/selected", name).await;
        tab.until_is("/inspector/name", name).await;
        assert_eq!(state["help"], false);
        let shown = tab.eval("document.querySelector('#inspector-name').textContent");
        assert_eq!(shown.await, name);
    }
    assert_eq!(tab.eval("typeof window.pwned").await, "undefined");
    let strays = "document.querySelectorAll('img, script:not([src]):not([type]) ~ script').length";
    assert_eq!(tab.eval(strays).await, 0);
}

#[test]
fn hostile_names_have_no_effect_in_a_live_run() {
    in_browser(async |browsing| {
        let (_folder, file) = scene(&hostile());
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        tab.key("1").await;
        assert_harmless(&tab).await;
    });
}

#[test]
fn hostile_names_have_no_effect_in_an_html_file() {
    in_browser(async |browsing| {
        let (_scene, source) = scene(&hostile());
        let (_folder, file) = run_into(&source, "0.5", "run.html");
        let tab = browsing.open(&address(&file)).await;
        assert_harmless(&tab).await;
    });
}
