//! A session: one thread that runs a world, handles the requests of pages, and
//! records everything.

use super::driver::Driver;
use super::live_run::LiveStart;
use super::state::{SessionRequest, SessionState};
use axum::extract::ws::Utf8Bytes;
use conatus_record::Recording;
use conatus_world::motion::MovementMismatch;
use conatus_world::scene::SceneError;
use serde_json::Value;
use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use tokio::sync::{broadcast, oneshot, watch};

/// The most requests that may wait. Each page waits for a reply before it sends
/// the next request, so there are never more than there are pages.
const MAX_QUEUED_REQUESTS: usize = 64;
/// The most events that wait for a slow page; it misses older ones.
const MAX_QUEUED_EVENTS: usize = 256;

/// A handle of a session. The session ends when its last handle is dropped.
#[derive(Clone)]
pub struct Session {
    requests: SyncSender<QueuedRequest>,
    state: watch::Receiver<SessionState>,
    events: broadcast::Sender<Utf8Bytes>,
}

/// A request, the page that sent it, and where the reply goes.
pub struct QueuedRequest {
    pub page: u32,
    pub request: SessionRequest,
    pub reply: oneshot::Sender<Reply>,
}

/// The reply to a request: a value (null for most requests), or why it was
/// refused.
pub type Reply = Result<Value, String>;

/// Why a session cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The scene cannot be built.
    #[error(transparent)]
    Scene(#[from] Box<SceneError>),
    /// The movement is not one of the scene's characters.
    #[error(transparent)]
    Movement(#[from] MovementMismatch),
    /// Frames cannot be stored.
    #[error("cannot store frames in the folder for temporary files: {0}")]
    Spool(#[from] io::Error),
}

impl Session {
    /// A session that runs a scene. It is paused until a page connects.
    pub fn live(start: LiveStart) -> Result<Self, SessionError> {
        Self::start(|events| Driver::live(start, events))
    }

    /// A session that shows a recording.
    pub fn recording(recording: Recording) -> Result<Self, SessionError> {
        Self::start(|events| Driver::recording(recording, events))
    }

    fn start(
        make: impl FnOnce(broadcast::Sender<Utf8Bytes>) -> Result<Driver, SessionError>,
    ) -> Result<Self, SessionError> {
        let events = broadcast::Sender::new(MAX_QUEUED_EVENTS);
        let driver = make(events.clone())?;
        let state = driver.watch();
        let (requests, inbox) = sync_channel(MAX_QUEUED_REQUESTS);
        thread::Builder::new()
            .name("run".into())
            .spawn(move || driver.drive(&inbox))?;
        Ok(Self {
            requests,
            state,
            events,
        })
    }

    /// Sends a request and waits until it is carried out.
    pub async fn request(&self, page: u32, request: SessionRequest) -> Reply {
        let (reply, replied) = oneshot::channel();
        let queued = QueuedRequest {
            page,
            request,
            reply,
        };
        if self.requests.try_send(queued).is_err() {
            return Err("The request queue of the run is full.".into());
        }
        replied
            .await
            .unwrap_or_else(|_| Err("The run has ended.".into()))
    }

    /// The current state and its changes.
    pub fn state(&self) -> watch::Receiver<SessionState> {
        self.state.clone()
    }

    /// Messages about events, from now on.
    pub fn events(&self) -> broadcast::Receiver<Utf8Bytes> {
        self.events.subscribe()
    }
}
