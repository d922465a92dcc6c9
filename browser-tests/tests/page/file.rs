//! The HTML file plays from disk, without a server.

use crate::support::{address, frame, frames, run_into};
use conatus_browser_tests::in_browser;
use serde_json::Value;

#[test]
fn the_html_file_plays_scrubs_and_plots_without_a_server() {
    in_browser(async |browsing| {
        let (_folder, file) = run_into("cylon", "3", "cylon.html");
        let tab = browsing.open(&address(&file)).await;
        let state = tab
            .until("it plays", |state| {
                frame(state) > 3 && frame(state) < frames(state)
            })
            .await;
        assert_eq!(state["kind"], "file");
        assert_eq!(state["scene"], "cylon");
        let all = frames(&state);
        assert!((94..=96).contains(&all), "{all} frames of 0.032 s in 3 s");
        let series = state["plots"]["series"].to_string();
        assert!(series.contains("kinetic"), "{series}");

        tab.slide("#timeline", 10).await;
        let state = tab
            .until("the tenth frame is drawn", |state| {
                state["time"]
                    .as_f64()
                    .is_some_and(|t| (t - 0.32).abs() < 1e-6)
            })
            .await;
        assert_eq!(state["playing"], false);
        if state["plots"]["open"] != true {
            tab.key("p").await;
        }
        tab.until("the cursor follows", |state| {
            state["plots"]["cursor"]
                .as_f64()
                .is_some_and(|t| (t - 0.32).abs() < 1e-6)
        })
        .await;
        tab.key("ArrowRight").await;
        tab.until_is("/frame", 11).await;
        tab.key("End").await;
        tab.until_is("/frame", all - 1).await;
        // At the end, play restarts from the beginning.
        tab.key(" ").await;
        tab.until("it plays again", |state| {
            state["playing"] == true && frame(state) < all - 1
        })
        .await;
        tab.key("r").await;
        tab.until("back", |state| frame(state) < all / 2).await;

        let loaded = "performance.getEntriesByType('resource').map((entry) => entry.name)
            .filter((name) => !/^(data|blob):/.test(name))";
        assert_eq!(tab.eval(loaded).await, Value::Array(Vec::new()));
    });
}

#[test]
fn an_html_file_of_every_family_opens() {
    in_browser(async |browsing| {
        for name in ["water", "spring-chain", "merging"] {
            let (_folder, file) = run_into(name, "0.5", "run.html");
            let tab = browsing.open(&address(&file)).await;
            let state = tab.until("it plays", |state| frame(state) > 0).await;
            assert_eq!(state["scene"], name);
            tab.close().await;
        }
    });
}
