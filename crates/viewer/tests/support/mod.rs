//! A server with a session, and pages that talk to it.
#![allow(dead_code)]

use conatus_viewer::live::{Server, Session};
use conatus_viewer::page::Page;
use conatus_world::scene::{Files, LoadOptions, Scene, SourceText};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// A page of three words; the real one is tested in a browser.
pub static PAGE: Page = Page {
    html: "<!doctype html><title>test</title>",
    js: "'script'",
    css: "style{}",
};

/// A scene from a text.
pub fn scene(text: &str) -> Scene {
    let source = SourceText::new("test.toml", text);
    Scene::parse(
        "test",
        source,
        Files::in_memory([]),
        &LoadOptions::default(),
    )
    .unwrap()
}

/// A built-in scene.
pub fn built_in(name: &str) -> Scene {
    Scene::load(name, &LoadOptions::default()).unwrap()
}

/// A server that runs until it is dropped.
pub struct Served {
    pub port: u16,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    pub fn live(scene: Scene) -> Self {
        Self::new(Session::live(scene).unwrap())
    }

    pub fn new(session: Session) -> Self {
        let server = Server::bind(0).unwrap();
        let port = server.port();
        assert_eq!(server.url(), format!("http://127.0.0.1:{port}/"));
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let stop = || flag.load(Ordering::SeqCst);
            server.serve(&PAGE, session, stop).unwrap();
        });
        Self {
            port,
            stop,
            thread: Some(thread),
        }
    }

    /// Stops it and tells how long that took.
    pub fn stop(mut self) -> Duration {
        self.end()
    }

    fn end(&mut self) -> Duration {
        let begin = Instant::now();
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
        begin.elapsed()
    }

    /// Sends bytes and gives back all that is answered.
    pub fn raw(&self, request: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    /// The status of a request with these headers.
    pub fn status(&self, start: &str, headers: &[String]) -> u16 {
        let lines: String = headers.iter().map(|h| format!("{h}\r\n")).collect();
        let answer = self.raw(&format!("{start}\r\n{lines}Connection: close\r\n\r\n"));
        let text = String::from_utf8_lossy(&answer);
        let status = text.split(' ').nth(1).and_then(|s| s.parse().ok());
        status.unwrap_or_else(|| panic!("{start}: {text:?}"))
    }

    /// The headers and the body of a good answer.
    pub fn get(&self, path: &str) -> (String, Vec<u8>) {
        let port = self.port;
        let answer = self.raw(&format!(
            "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        ));
        let end = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        assert!(head.contains(" 200 "), "{head}");
        (head, answer[end + 4..].to_vec())
    }

    /// A new page.
    pub async fn page(&self) -> PageTalk {
        self.try_page(&format!("http://127.0.0.1:{}", self.port))
            .await
            .unwrap()
    }

    /// A page from somewhere.
    pub async fn try_page(&self, origin: &str) -> Result<PageTalk, Error> {
        let url = format!("ws://127.0.0.1:{}/live", self.port);
        let mut request = url.into_client_request().unwrap();
        request
            .headers_mut()
            .insert("Origin", origin.parse().unwrap());
        let (socket, _) = tokio_tungstenite::connect_async_with_config(request, None, true).await?;
        Ok(PageTalk { socket, next_id: 1 })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.end();
        }
    }
}

/// A frame as a page gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub kind: u32,
    pub run: u32,
    pub index: u64,
    pub bytes: Vec<u8>,
}

/// One page's connection.
pub struct PageTalk {
    socket: WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>,
    next_id: u64,
}

/// What the server says.
#[derive(Debug)]
pub enum Said {
    Text(Value),
    Frame(Shown),
    Closed,
}

impl PageTalk {
    pub async fn send(&mut self, message: Value) {
        self.send_raw(Message::text(message.to_string())).await;
    }

    pub async fn send_raw(&mut self, message: Message) {
        let _ = self.socket.send(message).await;
    }

    pub async fn hear(&mut self) -> Said {
        let next = tokio::time::timeout(Duration::from_secs(20), self.socket.next());
        match next.await.expect("the server says nothing") {
            Some(Ok(Message::Text(text))) => Said::Text(serde_json::from_str(&text).unwrap()),
            Some(Ok(Message::Binary(bytes))) => {
                let u32_at = |k: usize| u32::from_le_bytes(bytes[k..k + 4].try_into().unwrap());
                Said::Frame(Shown {
                    kind: u32_at(0),
                    run: u32_at(4),
                    index: u64::from_le_bytes(bytes[8..16].try_into().unwrap()),
                    bytes: bytes[16..].to_vec(),
                })
            }
            Some(Ok(_)) | Some(Err(_)) | None => Said::Closed,
        }
    }

    /// Waits for a message with this key.
    pub async fn wait_for(&mut self, key: &str) -> Value {
        loop {
            match self.hear().await {
                Said::Text(mut value) if value.get(key).is_some() => return value[key].take(),
                Said::Closed => panic!("closed while waiting for {key}"),
                _ => {}
            }
        }
    }

    /// Waits until the state is as it should be.
    pub async fn until(&mut self, right: impl Fn(&Value) -> bool) -> Value {
        loop {
            let state = self.wait_for("state").await;
            if right(&state) {
                return state;
            }
        }
    }

    pub async fn frame(&mut self) -> Shown {
        loop {
            match self.hear().await {
                Said::Frame(frame) => return frame,
                Said::Closed => panic!("closed while waiting for a frame"),
                Said::Text(_) => {}
            }
        }
    }

    /// Asks for something and waits for the answer.
    pub async fn ask(&mut self, mut message: Value) -> Result<(), String> {
        let id = self.next_id;
        self.next_id += 1;
        message["id"] = id.into();
        self.send(message).await;
        loop {
            let ack = self.wait_for("ack").await;
            if ack["id"] == id {
                return match ack.get("error") {
                    Some(error) => Err(error.as_str().unwrap_or_default().to_owned()),
                    None => Ok(()),
                };
            }
        }
    }

    /// Asks for the newest frame after one.
    pub async fn want(&mut self, after: i64) -> Shown {
        self.send(json!({ "do": "want", "after": after })).await;
        self.frame().await
    }

    /// Waits until the server closes the connection.
    pub async fn closed(&mut self) {
        while !matches!(self.hear().await, Said::Closed) {}
    }
}
