//! The server lets nobody in but its own page, leads to no file, and survives
//! whatever it is sent.

mod support;

use serde_json::json;
use std::time::Duration;
use support::{Served, built_in};
use tokio_tungstenite::tungstenite::{Error, Message};

fn served() -> Served {
    Served::live(built_in("cylon"))
}

#[test]
fn its_own_address_gets_the_page_and_its_parts() {
    let served = served();
    for (path, start) in [
        ("/", "<!doctype"),
        ("/app.js", "'script'"),
        ("/app.css", "style"),
    ] {
        let (head, body) = served.get(path);
        assert!(body.starts_with(start.as_bytes()), "{path}");
        let head = head.to_ascii_lowercase();
        assert!(head.contains("x-content-type-options: nosniff"), "{head}");
        assert!(head.contains("x-frame-options: deny"), "{head}");
    }
    let (head, _) = served.get("/");
    assert!(head.contains("frame-ancestors 'none'"), "{head}");
}

#[test]
fn another_host_or_origin_is_refused_on_every_path() {
    let served = served();
    let port = served.port;
    let own = format!("Host: 127.0.0.1:{port}");
    let upgrade = [
        "Upgrade: websocket".to_owned(),
        "Sec-WebSocket-Version: 13".to_owned(),
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==".to_owned(),
    ];
    let hostile = [
        vec![],
        vec!["Host: evil.example".to_owned()],
        vec![format!("Host: evil.example:{port}")],
        vec![format!("Host: 127.0.0.1:{}", port ^ 1)],
        vec![own.clone(), "Origin: http://evil.example".to_owned()],
        vec![own.clone(), format!("Origin: http://evil.example:{port}")],
        vec![own.clone(), format!("Origin: https://127.0.0.1:{port}")],
        vec![own.clone(), "Origin: null".to_owned()],
        vec![own.clone(), "Host: evil.example".to_owned()],
    ];
    for path in ["/", "/app.js", "/live", "/recording.mcap", "/nothing"] {
        for headers in &hostile {
            let mut headers = headers.clone();
            headers.extend(upgrade.clone());
            let status = served.status(&format!("GET {path} HTTP/1.1"), &headers);
            assert!(matches!(status, 400 | 403), "{path} {headers:?}: {status}");
        }
    }
    let elsewhere = format!("GET http://evil.example:{port}/ HTTP/1.1");
    assert_eq!(served.status(&elsewhere, std::slice::from_ref(&own)), 403);
    assert_eq!(served.status("GET / HTTP/1.1", &[own]), 200);
}

#[test]
fn no_path_leads_to_a_file_and_nothing_can_be_sent() {
    let served = served();
    let own = [format!("Host: 127.0.0.1:{}", served.port)];
    for path in [
        "/etc/passwd",
        "/../../../../../etc/passwd",
        "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/app.js/../../Cargo.toml",
        "/recording.mcap/..",
        "/..%5c..%5cwindows%5cwin.ini",
        "/index.html",
        "/file:///etc/passwd",
        "/?file=/etc/passwd",
    ] {
        let status = served.status(&format!("GET {path} HTTP/1.1"), &own);
        let expected = if path.starts_with("/?") { 200 } else { 404 };
        assert_eq!(status, expected, "{path}");
    }
    let answer = served.raw(&format!(
        "GET /?file=/etc/passwd HTTP/1.0\r\n{}\r\n\r\n",
        own[0]
    ));
    assert!(!String::from_utf8_lossy(&answer).contains("root:"));
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        for path in ["/", "/live", "/recording.mcap"] {
            let status = served.status(&format!("{method} {path} HTTP/1.1"), &own);
            assert_eq!(status, 405, "{method} {path}");
        }
    }
    // A plain request for the WebSocket is no upgrade.
    let status = served.status("GET /live HTTP/1.1", &own);
    assert!((400..500).contains(&status), "{status}");
}

#[tokio::test]
async fn a_page_of_another_site_cannot_open_a_websocket() {
    let served = served();
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "http://localhost",
    ] {
        match served.try_page(origin).await {
            Err(Error::Http(answer)) => assert_eq!(answer.status(), 403, "{origin}"),
            Err(other) => panic!("{origin}: {other}"),
            Ok(_) => panic!("{origin} got in"),
        }
    }
    let own = format!("http://localhost:{}", served.port);
    assert!(served.try_page(&own).await.is_ok());
}

#[tokio::test]
async fn a_malformed_message_ends_that_connection_only() {
    let served = served();
    let mut good = served.page().await;
    good.wait_for("hello").await;
    let long = format!(r#"{{"do":"open","scene":"{}"}}"#, "x".repeat(70_000));
    let deep = "[".repeat(60_000);
    for bad in [
        Message::text("no JSON"),
        Message::text("{}"),
        Message::text(r#"{"do":"kick","body":1e400}"#),
        Message::text(r#"{"do":"kick","body":-1}"#),
        Message::text(r#"{"do":["play"]}"#),
        Message::text(deep),
        Message::text(long),
        Message::binary(vec![0; 100]),
        Message::binary(vec![0; 1 << 20]),
    ] {
        let mut page = served.page().await;
        page.wait_for("hello").await;
        page.send_raw(bad).await;
        page.closed().await;
    }
    good.ask(json!({ "do": "pause" })).await.unwrap();
    good.ask(json!({ "do": "kick", "body": 0 })).await.unwrap();
    let state = good.until(|state| state["pages"] == 1).await;
    assert_eq!(state["playing"], false);
}

#[tokio::test]
async fn what_makes_no_sense_to_the_run_is_refused_and_the_page_stays() {
    let served = served();
    let mut page = served.page().await;
    for (message, reason) in [
        (json!({ "do": "kick", "body": 4 }), "4 bodies"),
        (json!({ "do": "kick", "body": u64::MAX }), "4 bodies"),
        (
            json!({ "do": "pull", "body": 9, "point": [0, 0, 0], "target": [0, 0, 0] }),
            "4 bodies",
        ),
        (
            json!({ "do": "pull", "body": 0, "point": [0, 0, 0], "target": [1e300, 0, 0] }),
            "so far",
        ),
        (json!({ "do": "speed", "value": 0.0 }), "from 0.1 to 4"),
        (json!({ "do": "speed", "value": 1e9 }), "from 0.1 to 4"),
        (
            json!({ "do": "open", "scene": "/etc/passwd" }),
            "no built-in scene",
        ),
        (
            json!({ "do": "open", "scene": "../scenes/cylon.toml" }),
            "no built-in scene",
        ),
        (
            json!({ "do": "frame", "index": 1u64 << 60 }),
            "no such frame",
        ),
        (json!({ "do": "step" }), "pause first"),
    ] {
        let error = page.ask(message.clone()).await.unwrap_err();
        assert!(error.contains(reason), "{message}: {error}");
    }
    page.ask(json!({ "do": "pause" })).await.unwrap();
}

#[tokio::test]
async fn kicks_do_not_gather_without_end_while_the_run_stands_still() {
    let served = served();
    let mut page = served.page().await;
    page.ask(json!({ "do": "pause" })).await.unwrap();
    let mut refused = None;
    for _ in 0..1100 {
        if let Err(reason) = page.ask(json!({ "do": "kick", "body": 0 })).await {
            refused = Some(reason);
            break;
        }
    }
    assert!(refused.unwrap().contains("stands still"));
    page.ask(json!({ "do": "step" })).await.unwrap();
    page.ask(json!({ "do": "kick", "body": 0 })).await.unwrap();
}

#[tokio::test]
async fn more_pages_than_there_is_room_for_are_refused() {
    let served = served();
    let origin = format!("http://127.0.0.1:{}", served.port);
    let mut pages = Vec::new();
    for _ in 0..16 {
        pages.push(served.page().await);
    }
    match served.try_page(&origin).await {
        Err(Error::Http(answer)) => assert_eq!(answer.status(), 503),
        _ => panic!("a seventeenth page got in"),
    }
    pages.pop();
    for _ in 0..100 {
        if served.try_page(&origin).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the place of a page that has gone stays taken");
}
