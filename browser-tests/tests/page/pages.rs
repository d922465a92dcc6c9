//! Several pages of one run, and closing pages and program.

use crate::support::{assert_replays_bit_for_bit, frames, pause, some_frames, until_paused};
use conatus_browser_tests::{Play, alone_in_browser, in_browser};
use serde_json::Value;
use std::io::Write;
use std::time::Duration;

const MANY: &str = include_str!("../../../crates/viewer/tests/scenes/many.toml");

#[test]
fn actions_of_one_page_show_in_the_other() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let one = browsing.open(&play.url).await;
        let other = browsing.open(&play.url).await;
        pause(&one).await;
        let state = until_paused(&other).await;
        assert_eq!(frames(&state), frames(&one.state().await));
        other.key(" ").await;
        one.until("the run continues here as well", |now| {
            now["playing"] == true && frames(now) > frames(&state)
        })
        .await;
        other.key("r").await;
        one.until_is("/run", 2).await;
        one.choose("#scenes", "billiards").await;
        other.until_is("/scene", "billiards").await;
    });
}

#[test]
fn the_drag_of_a_closed_page_ends_and_the_next_page_continues() {
    in_browser(async |browsing| {
        let mut play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        let (x, y) = tab.place_of("ball-1").await;
        // In the middle of a drag.
        tab.press((x, y)).await;
        tab.drag((x + 60.0, y)).await;
        tab.until("there is one drag", |state| {
            state["pulls"]
                .as_array()
                .is_some_and(|pulls| pulls.len() == 1)
        })
        .await;
        let before = frames(&tab.state().await);
        tab.close().await;
        let tab = browsing.open(&play.url).await;
        let state = tab
            .until("the run continues", |state| frames(state) > before + 5)
            .await;
        assert_eq!(state["run"], 1);
        assert_eq!(state["pulls"], Value::Array(Vec::new()));
        assert!(play.runs());
        let output = play.output();
        assert_eq!(output.lines().count(), 1, "{output}");
        tab.key(" ").await;
        until_paused(&tab).await;
        let file = tempfile::NamedTempFile::with_suffix(".mcap").expect("a file");
        play.save(file.path());
        assert_replays_bit_for_bit(file.path());
    });
}

#[test]
fn ctrl_c_ends_the_program_within_a_second_while_a_page_is_open() {
    alone_in_browser(async |browsing| {
        let mut play = Play::start("gas");
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        let (status, took) = play.interrupt();
        assert!(status.success(), "{status}: {}", play.output());
        assert!(took < Duration::from_secs(1), "it took {took:?}");
        let state = tab.until_is("/connected", false).await;
        let message = state["message"].as_str().unwrap_or_default();
        assert!(message.contains("lost"), "{message}");
        tab.close().await;
        // The page tries to reconnect, and fails.
        for problem in browsing.expected_errors() {
            assert!(problem.contains("WebSocket"), "{problem}");
        }
    });
}

/// In the page itself, on its own connection, while it draws: from sending
/// `pause` to its acknowledgement, with play in between, in milliseconds.
const MEASURE: &str = r#"(async () => {
    const send = WebSocket.prototype.send;
    const waiting = new Map();
    const sizes = [];
    let heard = false;
    WebSocket.prototype.send = function (text) {
        if (!heard) {
            heard = true;
            this.addEventListener('message', ({ data }) => {
                if (typeof data !== 'string') return void sizes.push(data.byteLength);
                const id = JSON.parse(data).ack?.id;
                if (waiting.has(id)) {
                    const { begin, done } = waiting.get(id);
                    waiting.delete(id);
                    done(performance.now() - begin);
                }
            });
        }
        const { id, do: what } = JSON.parse(text);
        if (what === 'pause' || what === 'play') {
            waiting.set(id, { begin: performance.now(), done: (took) => window.answered?.(took) });
        }
        return send.call(this, text);
    };
    const press = () => new Promise((done) => {
        window.answered = done;
        document.querySelector('#play').click();
    });
    const frames = async (count) => {
        const end = sizes.length + count;
        while (sizes.length < end) await new Promise((next) => setTimeout(next, 5));
    };
    const took = [];
    for (let i = 0; i < 5; i++) {
        await frames(2);
        took.push(await press());
        await press();
    }
    WebSocket.prototype.send = send;
    return { took, bytes: Math.max(...sizes) };
})()"#;

/// A user pressed pause while large frames were pushed at 60 Hz: the pause took
/// effect after 13 s.
#[test]
fn a_pause_is_acknowledged_within_100_ms_while_frames_of_64_kb_stream() {
    alone_in_browser(async |browsing| {
        let (_folder, file) = crate::support::scene(MANY);
        let play = Play::start(&file);
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        let measured = tab.eval(MEASURE).await;
        let bytes = measured["bytes"].as_u64().expect("bytes");
        assert!(bytes >= 64_000, "frames of {bytes} bytes");
        let took = measured["took"].as_array().expect("times").iter();
        let mut took: Vec<f64> = took.filter_map(Value::as_f64).collect();
        took.sort_by(f64::total_cmp);
        let (median, most) = (took[took.len() / 2], took[took.len() - 1]);
        // Not captured by the test harness, which shows output only on failure.
        let _ = writeln!(
            std::io::stderr(),
            "pause acknowledged in {median:.1} ms (median of {}, at most {most:.1} ms), frames of {bytes} bytes",
            took.len()
        );
        assert!(median < 100.0, "{took:?}");
    });
}
