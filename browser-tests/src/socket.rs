//! The WebSocket of a page, without a browser.

use crate::program::Play;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// How long the program may take to send a message.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A message of the program.
pub enum ProgramMessage {
    /// A text.
    Text(Value),
    /// A frame: its index and its size in bytes.
    Frame(u64, usize),
}

/// A connection to `conatus play`.
pub struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Socket {
    /// Connects as the page of the program does.
    pub async fn connect(play: &Play) -> Self {
        let port = play.port;
        let request = format!("ws://127.0.0.1:{port}{}", play.path("live")).into_client_request();
        let mut request = request.expect("a good address");
        let origin = format!("http://127.0.0.1:{port}");
        request
            .headers_mut()
            .insert("Origin", origin.parse().expect("a good origin"));
        let connected = tokio_tungstenite::connect_async_with_config(request, None, true).await;
        let (stream, _) = connected.unwrap_or_else(|error| panic!("port {port}: {error}"));
        Self { stream }
    }

    /// Sends a message.
    pub async fn send(&mut self, message: Value) {
        let sent = self.stream.send(Message::text(message.to_string())).await;
        sent.unwrap_or_else(|error| panic!("cannot send {message}: {error}"));
    }

    /// Requests the newest frame after an index.
    pub async fn want(&mut self, after: i64) {
        self.send(json!({ "do": "want", "after": after })).await;
    }

    /// The next message.
    pub async fn receive(&mut self) -> ProgramMessage {
        loop {
            let next = timeout(TIMEOUT, self.stream.next()).await;
            match next.unwrap_or_else(|_| panic!("no message for {TIMEOUT:?}")) {
                Some(Ok(Message::Text(text))) => {
                    let value = serde_json::from_str(&text);
                    return ProgramMessage::Text(value.unwrap_or_else(|e| panic!("{text}: {e}")));
                }
                Some(Ok(Message::Binary(bytes))) => {
                    let index = bytes.get(8..16).and_then(|b| b.try_into().ok());
                    let index = u64::from_le_bytes(index.expect("a frame has an index"));
                    return ProgramMessage::Frame(index, bytes.len());
                }
                Some(Ok(_)) => {}
                ended => panic!("the connection ended: {ended:?}"),
            }
        }
    }
}
