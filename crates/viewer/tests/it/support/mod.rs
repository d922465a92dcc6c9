//! A server with a session, and clients that connect to it like pages.

use conatus_viewer::live::{LiveStart, Server, Session};
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

/// A minimal page; the real one is tested in a browser.
pub static PAGE: Page = Page {
    html: "<!doctype html><title>test</title>",
    js: "'script'",
    css: "style{}",
};

/// Held by tests that search for movements: one of them counts search threads.
pub async fn searches() -> tokio::sync::MutexGuard<'static, ()> {
    static SEARCHES: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    SEARCHES.lock().await
}

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
    /// The address of the page, with its token.
    pub url: String,
    /// The address that works once.
    pub one_time_url: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    pub fn live(scene: Scene) -> Self {
        Self::new(Session::live(LiveStart::plan(scene).unwrap()).unwrap())
    }

    pub fn new(session: Session) -> Self {
        let server = Server::bind(0).unwrap();
        let port = server.port();
        let url = server.url();
        assert!(url.starts_with(&format!("http://127.0.0.1:{port}/")));
        let one_time_url = server.one_time_url();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let stop = || flag.load(Ordering::SeqCst);
            server.serve(&PAGE, session, stop).unwrap();
        });
        Self {
            port,
            url,
            one_time_url,
            stop,
            thread: Some(thread),
        }
    }

    /// The path of a resource, with the token: `/live` becomes `/TOKEN/live`.
    pub fn path(&self, resource: &str) -> String {
        let address = format!("http://127.0.0.1:{}", self.port);
        let page = self.url.strip_prefix(&address).unwrap();
        format!("{}{resource}", page.trim_end_matches('/'))
    }

    /// Stops it and returns how long that took.
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

    /// Sends bytes and returns the whole response.
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

    /// The headers and the body of a resource.
    pub fn get(&self, resource: &str) -> (String, Vec<u8>) {
        let (port, path) = (self.port, self.path(resource));
        let answer = self.raw(&format!(
            "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        ));
        let end = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        assert!(head.contains(" 200 "), "{head}");
        (head, answer[end + 4..].to_vec())
    }

    /// A new page.
    pub async fn page(&self) -> PageClient {
        self.try_page(&format!("http://127.0.0.1:{}", self.port))
            .await
            .unwrap()
    }

    /// A page of some origin.
    pub async fn try_page(&self, origin: &str) -> Result<PageClient, Error> {
        self.connect(&self.path("/live"), origin).await
    }

    /// A WebSocket to some path, as the page of this server opens it.
    pub async fn try_path(&self, path: &str) -> Result<PageClient, Error> {
        let origin = format!("http://127.0.0.1:{}", self.port);
        self.connect(path, &origin).await
    }

    async fn connect(&self, path: &str, origin: &str) -> Result<PageClient, Error> {
        let url = format!("ws://127.0.0.1:{}{path}", self.port);
        let mut request = url.into_client_request().unwrap();
        request
            .headers_mut()
            .insert("Origin", origin.parse().unwrap());
        let (socket, _) = tokio_tungstenite::connect_async_with_config(request, None, true).await?;
        Ok(PageClient { socket, next_id: 1 })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.end();
        }
    }
}

/// A frame as a page receives it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedFrame {
    pub kind: u32,
    pub run: u32,
    pub index: u64,
    pub bytes: Vec<u8>,
}

/// One page's connection.
pub struct PageClient {
    socket: WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>,
    next_id: u64,
}

/// A message of the server.
#[derive(Debug)]
pub enum ServerMessage {
    Text(Value),
    Frame(ReceivedFrame),
    /// The connection was closed, with this code if there was a close message.
    Closed(Option<u16>),
}

impl PageClient {
    pub async fn send(&mut self, message: Value) {
        self.send_raw(Message::text(message.to_string())).await;
    }

    pub async fn send_raw(&mut self, message: Message) {
        let _ = self.socket.send(message).await;
    }

    pub async fn receive(&mut self) -> ServerMessage {
        let next = tokio::time::timeout(Duration::from_secs(20), self.socket.next());
        match next.await.expect("the server sends nothing") {
            Some(Ok(Message::Text(text))) => {
                ServerMessage::Text(serde_json::from_str(&text).unwrap())
            }
            Some(Ok(Message::Binary(bytes))) => {
                let u32_at = |k: usize| u32::from_le_bytes(bytes[k..k + 4].try_into().unwrap());
                ServerMessage::Frame(ReceivedFrame {
                    kind: u32_at(0),
                    run: u32_at(4),
                    index: u64::from_le_bytes(bytes[8..16].try_into().unwrap()),
                    bytes: bytes[16..].to_vec(),
                })
            }
            Some(Ok(Message::Close(frame))) => {
                ServerMessage::Closed(frame.map(|frame| u16::from(frame.code)))
            }
            Some(Ok(_)) | Some(Err(_)) | None => ServerMessage::Closed(None),
        }
    }

    /// Waits for a message with this key.
    pub async fn wait_for(&mut self, key: &str) -> Value {
        loop {
            match self.receive().await {
                ServerMessage::Text(mut value) if value.get(key).is_some() => {
                    return value[key].take();
                }
                ServerMessage::Closed(code) => panic!("closed ({code:?}) while waiting for {key}"),
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

    pub async fn frame(&mut self) -> ReceivedFrame {
        loop {
            match self.receive().await {
                ServerMessage::Frame(frame) => return frame,
                ServerMessage::Closed(code) => {
                    panic!("closed ({code:?}) while waiting for a frame")
                }
                ServerMessage::Text(_) => {}
            }
        }
    }

    /// Sends a request and waits for its acknowledgement.
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

    /// Requests the newest frame after an index.
    pub async fn want(&mut self, after: i64) -> ReceivedFrame {
        self.send(json!({ "do": "want", "after": after })).await;
        self.frame().await
    }

    /// Waits until the server closes the connection, and returns its code.
    pub async fn closed(&mut self) -> Option<u16> {
        loop {
            if let ServerMessage::Closed(code) = self.receive().await {
                return code;
            }
        }
    }
}
