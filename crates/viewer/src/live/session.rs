//! A session: one thread that runs a world as pages ask it to, and records
//! everything.

use super::driver::Driver;
use super::state::{Order, State};
use axum::extract::ws::Utf8Bytes;
use conatus_record::Recording;
use conatus_world::scene::{Scene, SceneError};
use serde_json::Value;
use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use tokio::sync::{broadcast, oneshot, watch};

/// Orders that may wait. Each page waits for an answer before it gives the
/// next, so there are never more than there are pages.
const MOST_ORDERS: usize = 64;
/// Events that a slow page may fall behind by before it misses some.
const MOST_EVENTS: usize = 256;

/// A handle of a session; the session ends when the last one is dropped.
#[derive(Clone)]
pub struct Session {
    orders: SyncSender<Envelope>,
    state: watch::Receiver<State>,
    events: broadcast::Sender<Utf8Bytes>,
}

/// An order, who gives it, and where the answer goes.
pub struct Envelope {
    pub page: u32,
    pub order: Order,
    pub answer: oneshot::Sender<Answer>,
}

/// What comes of an order: usually nothing but that it was carried out.
pub type Answer = Result<Value, String>;

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The scene is wrong.
    #[error(transparent)]
    Scene(#[from] Box<SceneError>),
    /// There is no place for the frames.
    #[error("cannot keep frames in the folder for temporary files: {0}")]
    Spool(#[from] io::Error),
}

impl Session {
    /// A session that runs a scene. It stands still until a page watches.
    pub fn live(scene: Scene) -> Result<Self, SessionError> {
        Self::start(|events| Driver::live(scene, events))
    }

    /// A session that shows a recording.
    pub fn recording(recording: Recording) -> Result<Self, SessionError> {
        Self::start(|events| Driver::recording(recording, events))
    }

    fn start(
        make: impl FnOnce(broadcast::Sender<Utf8Bytes>) -> Result<Driver, SessionError>,
    ) -> Result<Self, SessionError> {
        let events = broadcast::Sender::new(MOST_EVENTS);
        let driver = make(events.clone())?;
        let state = driver.watch();
        let (orders, inbox) = sync_channel(MOST_ORDERS);
        thread::Builder::new()
            .name("run".into())
            .spawn(move || driver.drive(&inbox))?;
        Ok(Self {
            orders,
            state,
            events,
        })
    }

    /// Gives an order and waits until it is carried out.
    pub async fn order(&self, page: u32, order: Order) -> Answer {
        let (answer, answered) = oneshot::channel();
        let envelope = Envelope {
            page,
            order,
            answer,
        };
        if self.orders.try_send(envelope).is_err() {
            return Err("the run is too busy to listen".into());
        }
        answered
            .await
            .unwrap_or_else(|_| Err("the run has ended".into()))
    }

    /// The present state, and news of it.
    pub fn state(&self) -> watch::Receiver<State> {
        self.state.clone()
    }

    /// Messages that tell of events, from now on.
    pub fn events(&self) -> broadcast::Receiver<Utf8Bytes> {
        self.events.subscribe()
    }
}
