//! The WebSocket of one page: requests in, the newest frames out.

use super::messages::{self, FrameKind, PageMessage, PageRequest};
use super::session::Session;
use super::state::{SessionRequest, SessionState};
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite;

/// The shortest time between two state messages, except for new runs.
const STATE_INTERVAL: Duration = Duration::from_millis(50);

/// How long a connection stays open after its close message. The rest of an
/// oversized message arrives unread meanwhile; closing at once would reset the
/// connection and the page could lose the close message.
const LINGER: Duration = Duration::from_millis(500);

/// Why a connection ends.
enum End {
    /// The page has disconnected.
    Disconnected,
    /// The page sent a message that cannot be parsed.
    Malformed(&'static str),
    /// The page sent a message of more than [`messages::MAX_MESSAGE_BYTES`].
    TooLong,
}

impl From<axum::Error> for End {
    fn from(error: axum::Error) -> Self {
        match error.into_inner().downcast_ref() {
            Some(tungstenite::Error::Capacity(_)) => Self::TooLong,
            _ => Self::Disconnected,
        }
    }
}

/// Serves a page until it disconnects or the server stops.
pub async fn serve_page(
    mut socket: WebSocket,
    session: Session,
    page: u32,
    mut stop: watch::Receiver<bool>,
) {
    let _ = session.request(page, SessionRequest::PageJoined).await;
    let mut connection = PageConnection {
        socket: &mut socket,
        state: session.state(),
        events: session.events(),
        session: &session,
        page,
        run: None,
        credit: None,
        next_state: None,
        state_sent: None,
    };
    let end = tokio::select! {
        end = connection.run() => end.err(),
        _ = stop.wait_for(|stop| *stop) => None,
    };
    let _ = session.request(page, SessionRequest::PageLeft).await;
    let too_long = matches!(end, Some(End::TooLong));
    let close = match end {
        Some(End::Malformed(reason)) => Some((close_code::POLICY, reason)),
        Some(End::TooLong) => Some((close_code::SIZE, "messages are limited to 64 KiB")),
        Some(End::Disconnected) => None,
        None => Some((close_code::AWAY, "the program has ended")),
    };
    if let Some((code, reason)) = close {
        let frame = CloseFrame {
            code,
            reason: reason.into(),
        };
        let _ = socket.send(Message::Close(Some(frame))).await;
    }
    if too_long {
        tokio::time::sleep(LINGER).await;
    }
}

struct PageConnection<'a> {
    socket: &'a mut WebSocket,
    state: watch::Receiver<SessionState>,
    events: broadcast::Receiver<Utf8Bytes>,
    session: &'a Session,
    page: u32,
    /// The run that the page was introduced to.
    run: Option<u32>,
    /// The page accepts one more frame, newer than this index; and the id of
    /// that request.
    credit: Option<(i64, Option<u64>)>,
    /// When the next state message is scheduled.
    next_state: Option<Instant>,
    state_sent: Option<Instant>,
}

impl PageConnection<'_> {
    async fn run(&mut self) -> Result<(), End> {
        self.send_changes(true).await?;
        loop {
            let next_state = self.next_state;
            let wait = async {
                match next_state {
                    Some(time) => sleep_until(time).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // Messages of the page come first: a pause does not wait for a
                // frame that happens to be ready.
                biased;
                message = self.socket.recv() => match message {
                    Some(message) => self.receive(message?).await?,
                    None => return Err(End::Disconnected),
                },
                changed = self.state.changed() => {
                    changed.map_err(|_| End::Disconnected)?;
                    self.send_changes(false).await?;
                }
                event = self.events.recv() => match event {
                    Ok(text) => self.socket.send(Message::Text(text)).await?,
                    // A slow page misses events, not frames.
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return Err(End::Disconnected),
                },
                () = wait => self.send_state().await?,
            }
        }
    }

    /// Introduces a new run, sends a frame for a credit, and sends or schedules
    /// the state.
    async fn send_changes(&mut self, immediately: bool) -> Result<(), End> {
        let state = self.state.borrow_and_update().clone();
        let mut immediately = immediately;
        if self.run != Some(state.run.number) {
            let hello = messages::hello_message(&state.run);
            self.run = Some(state.run.number);
            if let Some(credit) = &mut self.credit {
                credit.0 = -1;
            }
            self.send(&hello).await?;
            self.send_past_events(&state).await?;
            immediately = true;
        }
        self.spend_credit(&state).await?;
        let now = Instant::now();
        let time = match self.state_sent {
            Some(sent) if !immediately => sent + STATE_INTERVAL,
            _ => now,
        };
        match time <= now {
            true => self.send_state().await,
            false => {
                self.next_state = Some(time);
                Ok(())
            }
        }
    }

    /// All events so far. For a recording they include drags, which the page
    /// draws from the events.
    async fn send_past_events(&mut self, state: &SessionState) -> Result<(), End> {
        let run = &state.run;
        let mut place = 0;
        loop {
            let mut events = run.events(&mut place).map_err(|_| End::Disconnected)?;
            if events.is_empty() {
                return Ok(());
            }
            if run.live {
                events.retain(super::live_run::is_broadcast);
            }
            let message = json!({ "events": { "run": run.number, "events": events } });
            self.send(&message).await?;
        }
    }

    async fn send_state(&mut self) -> Result<(), End> {
        self.next_state = None;
        self.state_sent = Some(Instant::now());
        let message = self.state.borrow().message();
        self.send(&message).await
    }

    /// Sends the newest frame if the page has a credit and has not received it.
    async fn spend_credit(&mut self, state: &SessionState) -> Result<(), End> {
        let Some((after, id)) = self.credit else {
            return Ok(());
        };
        let Some(newest) = state.frames.checked_sub(1) else {
            return Ok(());
        };
        if i64::try_from(newest).is_ok_and(|newest| newest <= after) {
            return Ok(());
        }
        self.credit = None;
        let frame = messages::frame_message(&state.run, newest, FrameKind::Newest);
        self.send_frame(frame, id).await
    }

    async fn send_frame(
        &mut self,
        frame: std::io::Result<Vec<u8>>,
        id: Option<u64>,
    ) -> Result<(), End> {
        let reply = match frame {
            Ok(bytes) => {
                self.socket.send(Message::Binary(bytes.into())).await?;
                Ok(())
            }
            Err(error) => Err(error.to_string()),
        };
        self.acknowledge(id, reply).await
    }

    async fn receive(&mut self, message: Message) -> Result<(), End> {
        let text = match message {
            Message::Text(text) => text,
            Message::Binary(_) => return Err(End::Malformed("messages must be texts")),
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Close(_) => return Err(End::Disconnected),
        };
        let Ok(PageMessage { id, request }) = serde_json::from_str(&text) else {
            return Err(End::Malformed("the message cannot be parsed"));
        };
        match request.for_session() {
            Ok(request) => {
                let reply = self.session.request(self.page, request).await;
                self.acknowledge(id, reply.map(|_| ())).await
            }
            Err(request) => self.read(request, id).await,
        }
    }

    /// Handles a request that only reads the recording.
    async fn read(&mut self, request: PageRequest, id: Option<u64>) -> Result<(), End> {
        let state = self.state.borrow().clone();
        match request {
            PageRequest::Want { after } => {
                self.credit = Some((after, id));
                self.spend_credit(&state).await
            }
            PageRequest::Frame { index } => {
                let frame = messages::frame_message(&state.run, index, FrameKind::Requested);
                self.send_frame(frame, id).await
            }
            PageRequest::Series { from, stride } => {
                let series = json!({ "series": state.run.series(from, stride) });
                self.send(&series).await?;
                self.acknowledge(id, Ok(())).await
            }
            _ => Ok(()),
        }
    }

    async fn acknowledge(&mut self, id: Option<u64>, reply: Result<(), String>) -> Result<(), End> {
        match id {
            Some(id) => self.send(&messages::ack_message(id, reply)).await,
            None => Ok(()),
        }
    }

    async fn send(&mut self, message: &Value) -> Result<(), End> {
        let text = Message::Text(message.to_string().into());
        Ok(self.socket.send(text).await?)
    }
}
