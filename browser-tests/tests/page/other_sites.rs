//! Pages of other sites in the same browser have no access to the program.

use crate::support::{address, some_frames};
use conatus_browser_tests::{Play, in_browser};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;

/// Serves an empty page on another port, and returns its address.
fn stranger() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(
                b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n\
                <!doctype html><link rel=icon href=data:,><title>stranger</title>",
            );
        }
    });
    format!("http://{address}/")
}

/// Tries all kinds of requests that a page can make. `open`, `read` or `ran` mean
/// that one succeeded.
fn attempts(play: &Play) -> String {
    let port = play.port;
    // A page of another site that has learned the token must not get in either.
    let path = play.path("");
    format!(
        r#"(async () => {{
            const own = 'http://127.0.0.1:{port}{path}';
            const socket = (host) => new Promise((done) => {{
                const socket = new WebSocket(`ws://${{host}}:{port}{path}live`);
                socket.onopen = () => done('open');
                socket.onclose = () => done('closed');
            }});
            const get = (path, options) => fetch(own + path, options).then(() => 'read', () => 'failed');
            const script = new Promise((done) => {{
                const script = document.createElement('script');
                script.src = own + 'app.js';
                script.onload = () => done('ran');
                script.onerror = () => done('failed');
                document.head.append(script);
            }});
            return [await socket('127.0.0.1'), await socket('localhost'),
                await get(''), await get('recording.mcap'), await get('', {{ mode: 'no-cors' }}),
                await get('live', {{ method: 'POST', body: '{{"do":"pause"}}', mode: 'no-cors' }}),
                await script];
        }})()"#
    )
}

#[test]
fn pages_of_other_sites_are_refused() {
    in_browser(async |browsing| {
        let play = Play::start("cylon");
        let tab = browsing.open(&play.url).await;
        some_frames(&tab).await;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("stranger.html");
        std::fs::write(&file, "<!doctype html><title>stranger</title>").expect("written");
        let data = "data:text/html,<title>stranger</title>".to_owned();
        for url in [stranger(), address(&file), data] {
            let other = browsing.open_any(&url).await;
            other.until_true("document.title === 'stranger'").await;
            let Value::Array(results) = other.eval(&attempts(&play)).await else {
                panic!("{url}: no results");
            };
            assert_eq!(results.len(), 7);
            for result in &results {
                assert!(
                    result == "closed" || result == "failed",
                    "{url}: {results:?}"
                );
            }
            other.close().await;
        }
        // Every refusal is an error on the console of the other page.
        assert!(!browsing.expected_errors().is_empty());
        let state = tab.state().await;
        assert_eq!(
            (&state["connected"], &state["playing"]),
            (&true.into(), &true.into())
        );
    });
}
