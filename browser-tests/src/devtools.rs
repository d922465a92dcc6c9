//! A client of Chromium's DevTools protocol: calls with answers, and events.
//!
//! The tests need a dozen methods. A client generated from the whole protocol takes
//! longer to compile than all tests take to run.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::Message;

/// How long a busy machine may take to answer a call.
const TIMEOUT: Duration = Duration::from_secs(90);

/// The result of a call, or the browser's message about it.
type Answer = Result<Value, String>;

/// What a session does with its events: the method and the parameters.
type Listener = Box<dyn Fn(&str, &Value) + Send>;

/// What the task that reads the connection shares with the callers.
#[derive(Default)]
struct Shared {
    next_id: u64,
    /// Calls without an answer so far; none once the connection has ended.
    waiting: Option<HashMap<u64, oneshot::Sender<Answer>>>,
    /// By the identifier of the session.
    listeners: HashMap<String, Listener>,
}

/// A connection to the browser.
#[derive(Clone)]
pub struct DevTools {
    shared: Arc<Mutex<Shared>>,
    outgoing: mpsc::UnboundedSender<String>,
}

impl DevTools {
    /// Connects to the browser at a WebSocket address. The connection is served by
    /// tasks of the current runtime.
    pub async fn connect(address: &str) -> Result<Self, String> {
        let connected = tokio_tungstenite::connect_async(address).await;
        let (stream, _) = connected.map_err(|error| format!("{address}: {error}"))?;
        let (mut sink, mut stream) = stream.split();
        let (outgoing, mut queue) = mpsc::unbounded_channel::<String>();
        let shared = Arc::new(Mutex::new(Shared {
            waiting: Some(HashMap::new()),
            ..Shared::default()
        }));
        tokio::spawn(async move {
            while let Some(text) = queue.recv().await {
                if sink.send(Message::text(text)).await.is_err() {
                    break;
                }
            }
        });
        let of_reader = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Some(Ok(message)) = stream.next().await {
                if let Message::Text(text) = message
                    && let Ok(message) = serde_json::from_str(&text)
                {
                    dispatch(&of_reader, message);
                }
            }
            // The callers that still wait get an error, because their sender is gone.
            lock(&of_reader).waiting = None;
        });
        Ok(Self { shared, outgoing })
    }

    /// Calls a method of the browser, or of a page if there is a session.
    pub async fn call(&self, session: Option<&str>, method: &str, parameters: Value) -> Answer {
        let (sender, answer) = oneshot::channel();
        let id = {
            let mut shared = lock(&self.shared);
            shared.next_id += 1;
            let id = shared.next_id;
            let waiting = shared.waiting.as_mut();
            waiting.ok_or("the browser has ended")?.insert(id, sender);
            id
        };
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let _ = self.outgoing.send(message.to_string());
        match tokio::time::timeout(TIMEOUT, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err("the browser has ended".into()),
            Err(_) => Err(format!("no answer for {TIMEOUT:?}")),
        }
    }

    /// Opens an empty page in a new window and returns its target and its session;
    /// `listener` is called with its events.
    pub async fn open(
        &self,
        listener: impl Fn(&str, &Value) + Send + 'static,
    ) -> Result<(String, String), String> {
        // A tab behind another one does not draw.
        let blank = json!({ "url": "about:blank", "newWindow": true });
        let created = self.call(None, "Target.createTarget", blank).await?;
        let target = text(&created["targetId"]);
        let attach = json!({ "targetId": target, "flatten": true });
        let attached = self.call(None, "Target.attachToTarget", attach).await?;
        let session = text(&attached["sessionId"]);
        lock(&self.shared)
            .listeners
            .insert(session.clone(), Box::new(listener));
        Ok((target, session))
    }

    /// Closes a page, if it is still there.
    pub async fn close(&self, target: &str, session: &str) {
        lock(&self.shared).listeners.remove(session);
        let closing = json!({ "targetId": target });
        let _ = self.call(None, "Target.closeTarget", closing).await;
    }
}

/// A text of an answer; empty if it is none.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn dispatch(shared: &Mutex<Shared>, mut message: Value) {
    let mut shared = lock(shared);
    if let Some(id) = message["id"].as_u64() {
        let sender = shared.waiting.as_mut().and_then(|w| w.remove(&id));
        let answer = match message.get("error") {
            Some(error) => Err(text(&error["message"])),
            None => Ok(message["result"].take()),
        };
        if let Some(sender) = sender {
            let _ = sender.send(answer);
        }
    } else if let Some(method) = message["method"].as_str()
        && let Some(listener) = shared.listeners.get(&text(&message["sessionId"]))
    {
        listener(method, &message["params"]);
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
