//! Hostile clients: the server answers only its own page with the token, has no
//! path to a file, and survives malformed input.

use crate::support::{Served, built_in};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::{Error, Message};

fn served() -> Served {
    Served::live(built_in("cylon"))
}

#[test]
fn its_own_address_serves_the_page_and_its_parts() {
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
    for resource in ["/", "/app.js", "/live", "/recording.mcap", "/nothing"] {
        let path = served.path(resource);
        for headers in &hostile {
            let mut headers = headers.clone();
            headers.extend(upgrade.clone());
            let status = served.status(&format!("GET {path} HTTP/1.1"), &headers);
            assert!(matches!(status, 400 | 403), "{path} {headers:?}: {status}");
        }
    }
    let page = served.path("/");
    let elsewhere = format!("GET http://evil.example:{port}{page} HTTP/1.1");
    assert_eq!(served.status(&elsewhere, std::slice::from_ref(&own)), 403);
    assert_eq!(served.status(&format!("GET {page} HTTP/1.1"), &[own]), 200);
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
        let full = served.path(path);
        let status = served.status(&format!("GET {full} HTTP/1.1"), &own);
        let expected = if path.starts_with("/?") { 200 } else { 404 };
        assert_eq!(status, expected, "{path}");
    }
    let answer = served.raw(&format!(
        "GET {} HTTP/1.0\r\n{}\r\n\r\n",
        served.path("/?file=/etc/passwd"),
        own[0]
    ));
    assert!(!String::from_utf8_lossy(&answer).contains("root:"));
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        for path in ["/", "/live", "/recording.mcap"] {
            let full = served.path(path);
            let status = served.status(&format!("{method} {full} HTTP/1.1"), &own);
            assert_eq!(status, 405, "{method} {path}");
        }
    }
    // A plain request for the WebSocket is not an upgrade.
    let live = served.path("/live");
    let status = served.status(&format!("GET {live} HTTP/1.1"), &own);
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
async fn a_malformed_message_closes_that_connection_only() {
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
    // The state that counts one page may have come before the answer to the kick,
    // and a paused run sends no other: a change of speed sends one more.
    good.send(json!({ "do": "speed", "value": 2.0 })).await;
    let state = good.until(|state| state["pages"] == 1).await;
    assert_eq!(state["playing"], false);
}

#[tokio::test]
async fn invalid_requests_are_refused_and_the_page_stays_connected() {
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
            "too far",
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
        (json!({ "do": "step" }), "Pause the run first"),
    ] {
        let error = page.ask(message.clone()).await.unwrap_err();
        assert!(error.contains(reason), "{message}: {error}");
    }
    page.ask(json!({ "do": "pause" })).await.unwrap();
}

#[tokio::test]
async fn the_queue_of_kicks_of_a_paused_run_is_bounded() {
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
    assert!(refused.unwrap().contains("queue is full"));
    page.ask(json!({ "do": "step" })).await.unwrap();
    page.ask(json!({ "do": "kick", "body": 0 })).await.unwrap();
}

#[tokio::test]
async fn the_number_of_pages_is_limited() {
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
    panic!("the slot of a page that has left is not freed");
}

/// The server listened on the loopback interface, which every user of a machine
/// can reach: another user who found the port saw the session, could kick its
/// bodies and save its recording. Every path needs the token now.
#[test]
fn other_users_of_the_machine_need_the_token() {
    let served = served();
    let own = [format!("Host: 127.0.0.1:{}", served.port)];
    let token = served.path("").trim_start_matches('/').to_owned();
    assert!(token.len() >= 32, "{token}");
    let wrong = "0".repeat(token.len());
    for resource in ["/", "/app.js", "/app.css", "/live", "/recording.mcap"] {
        for path in [
            resource.to_owned(),
            format!("/{wrong}{resource}"),
            format!("/{}{resource}", &token[1..]),
            format!("{resource}?token={token}"),
        ] {
            let status = served.status(&format!("GET {path} HTTP/1.1"), &own);
            assert_eq!(status, 403, "{path}");
        }
    }
    // The refusal explains what to do, and does not show the token.
    let answer = served.raw(&format!("GET / HTTP/1.0\r\n{}\r\n\r\n", own[0]));
    let text = String::from_utf8_lossy(&answer);
    assert!(text.contains("conatus play"), "{text}");
    assert!(!text.contains(&token), "{text}");
    // Two servers have different tokens.
    let other = Served::live(built_in("cylon"));
    assert_ne!(other.path(""), served.path(""));
}

#[tokio::test]
async fn a_websocket_needs_the_token() {
    let served = served();
    for path in ["/live".to_owned(), format!("/{}/live", "0".repeat(32))] {
        match served.try_path(&path).await {
            Err(Error::Http(answer)) => assert_eq!(answer.status(), 403, "{path}"),
            Err(other) => panic!("{path}: {other}"),
            Ok(_) => panic!("{path} was accepted"),
        }
    }
    let path = served.path("/live");
    assert!(served.try_path(&path).await.is_ok());
}

/// The command line of a browser is visible to other users, so the address that
/// starts it works only once.
#[test]
fn the_address_that_starts_the_browser_works_once() {
    let served = served();
    let host = format!("127.0.0.1:{}", served.port);
    let path = served.one_time_url.split(&host).nth(1).unwrap().to_owned();
    let token = served.path("");
    assert!(!served.one_time_url.contains(token.trim_matches('/')));
    let request = format!("GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n");
    let first = String::from_utf8(served.raw(&request)).unwrap();
    assert!(first.contains(" 303 "), "{first}");
    let location = format!("location: {}\r\n", served.path("/"));
    assert!(first.to_ascii_lowercase().contains(&location), "{first}");
    let second = String::from_utf8(served.raw(&request)).unwrap();
    assert!(
        second.contains(" 403 ") && !second.contains(&token),
        "{second}"
    );
    assert!(second.contains("works only once"), "{second}");
}

/// A page of another site sent requests without `Origin` (images, scripts) to
/// the server. The browser marks them with `Sec-Fetch-Site`.
#[test]
fn requests_of_other_sites_are_refused_by_their_fetch_metadata() {
    let served = served();
    let own = format!("Host: 127.0.0.1:{}", served.port);
    let status = |resource: &str, lines: &[&str]| {
        let mut headers = vec![own.clone()];
        headers.extend(lines.iter().map(|line| (*line).to_owned()));
        served.status(&format!("GET {} HTTP/1.1", served.path(resource)), &headers)
    };
    for site in ["cross-site", "same-site"] {
        let site = format!("Sec-Fetch-Site: {site}");
        for resource in ["/", "/app.js", "/live", "/recording.mcap"] {
            assert_eq!(status(resource, &[&site]), 403, "{resource}");
            let image = [&site, "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"];
            assert_eq!(status(resource, &image), 403, "{resource}");
        }
    }
    for site in ["same-origin", "none"] {
        assert_eq!(
            status("/app.js", &[&format!("Sec-Fetch-Site: {site}")]),
            200
        );
    }
    // A user may follow a link to the page.
    let link = [
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Mode: navigate",
        "Sec-Fetch-Dest: document",
    ];
    assert_eq!(status("/", &link), 200);
}

/// A client that connected and never finished its headers kept its connection
/// for ever; some hundred of them used up the file descriptors.
#[test]
fn connections_that_do_not_send_their_headers_are_closed() {
    let served = served();
    let begin = Instant::now();
    let mut slow: Vec<TcpStream> = ["", "GET / HTTP/1.1\r\nHost: 127"]
        .iter()
        .map(|sent| {
            let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
            let limit = Some(Duration::from_secs(30));
            stream.set_read_timeout(limit).unwrap();
            stream.write_all(sent.as_bytes()).unwrap();
            stream
        })
        .collect();
    // Others are served meanwhile.
    served.get("/");
    for stream in &mut slow {
        let mut rest = Vec::new();
        // Closed or reset; a timeout of the read would be an error as well.
        let ended = stream.read_to_end(&mut rest);
        let timed_out = ended.is_err_and(|error| {
            matches!(
                error.kind(),
                std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
            )
        });
        assert!(!timed_out, "the connection is still open");
    }
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
}

/// Oversized messages ended the connection without a reason, so a page could
/// not report what was wrong.
#[tokio::test]
async fn oversized_messages_close_with_code_1009() {
    let served = served();
    for bytes in [(64 << 10) + 1, 1 << 20, 8 << 20] {
        let mut page = served.page().await;
        page.wait_for("hello").await;
        let text = "x".repeat(bytes);
        let message = Message::text(format!(r#"{{"do":"open","scene":"{text}"}}"#));
        page.send_raw(message).await;
        let code = page.closed().await;
        assert_eq!(code, Some(1009), "{bytes} bytes");
    }
    // Malformed messages of a permitted size have another code.
    let mut page = served.page().await;
    page.send_raw(Message::text("x".repeat(60_000))).await;
    assert_eq!(page.closed().await, Some(1008));
}
