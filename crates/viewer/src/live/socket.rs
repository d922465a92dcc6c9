//! One page's WebSocket: its orders in, the newest frames out.

use super::messages::{self, Ask, Incoming, Kind};
use super::session::Session;
use super::state::{Order, State};
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep_until};

/// Pages hear of the state at most this often, but for what they ask.
const STATE_INTERVAL: Duration = Duration::from_millis(50);

/// Why a connection ends.
enum End {
    /// The page has gone, or the server stops.
    Gone,
    /// The page sent what makes no sense.
    Malformed(&'static str),
}

impl From<axum::Error> for End {
    fn from(_: axum::Error) -> Self {
        Self::Gone
    }
}

/// Attends to a page until it goes or the server stops.
pub async fn attend(
    mut socket: WebSocket,
    session: Session,
    page: u32,
    mut stop: watch::Receiver<bool>,
) {
    let _ = session.order(page, Order::Come).await;
    let mut talk = Talk {
        socket: &mut socket,
        news: session.state(),
        events: session.events(),
        session: &session,
        page,
        run: None,
        credit: None,
        state_due: None,
        state_sent: None,
    };
    let end = tokio::select! {
        end = talk.talk() => end.err(),
        _ = stop.wait_for(|stop| *stop) => None,
    };
    let _ = session.order(page, Order::Gone).await;
    let close = match end {
        Some(End::Malformed(reason)) => Some((close_code::POLICY, reason)),
        Some(End::Gone) => None,
        None => Some((close_code::AWAY, "the program has ended")),
    };
    if let Some((code, reason)) = close {
        let frame = CloseFrame {
            code,
            reason: reason.into(),
        };
        let _ = socket.send(Message::Close(Some(frame))).await;
    }
}

struct Talk<'a> {
    socket: &'a mut WebSocket,
    news: watch::Receiver<State>,
    events: broadcast::Receiver<Utf8Bytes>,
    session: &'a Session,
    page: u32,
    /// The run that the page knows of.
    run: Option<u32>,
    /// The page can take one more frame, newer than this one.
    credit: Option<(i64, Option<u64>)>,
    /// When the page hears of the state next.
    state_due: Option<Instant>,
    state_sent: Option<Instant>,
}

impl Talk<'_> {
    async fn talk(&mut self) -> Result<(), End> {
        self.tell_news(true).await?;
        loop {
            let due = self.state_due;
            let wait = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // What a page says comes first: a pause does not wait for a
                // frame that happens to be ready.
                biased;
                message = self.socket.recv() => match message {
                    Some(Ok(message)) => self.hear(message).await?,
                    Some(Err(_)) | None => return Err(End::Gone),
                },
                changed = self.news.changed() => {
                    changed.map_err(|_| End::Gone)?;
                    self.tell_news(false).await?;
                }
                event = self.events.recv() => match event {
                    Ok(text) => self.socket.send(Message::Text(text)).await?,
                    // A page that sleeps misses events, not frames.
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return Err(End::Gone),
                },
                () = wait => self.tell_state().await?,
            }
        }
    }

    /// A new run, a frame that was waited for, and soon the state.
    async fn tell_news(&mut self, at_once: bool) -> Result<(), End> {
        let state = self.news.borrow_and_update().clone();
        let mut at_once = at_once;
        if self.run != Some(state.run.number) {
            let hello = messages::hello(&state.run);
            self.run = Some(state.run.number);
            if let Some(credit) = &mut self.credit {
                credit.0 = -1;
            }
            self.say(&hello).await?;
            self.tell_history(&state).await?;
            at_once = true;
        }
        self.spend_credit(&state).await?;
        let now = Instant::now();
        let due = match self.state_sent {
            Some(sent) if !at_once => sent + STATE_INTERVAL,
            _ => now,
        };
        match due <= now {
            true => self.tell_state().await,
            false => {
                self.state_due = Some(due);
                Ok(())
            }
        }
    }

    /// All events so far; of a finished recording also what hands did, which
    /// the page draws from them.
    async fn tell_history(&mut self, state: &State) -> Result<(), End> {
        let run = &state.run;
        let mut place = 0;
        loop {
            let mut events = run.events(&mut place).map_err(|_| End::Gone)?;
            if events.is_empty() {
                return Ok(());
            }
            if run.live {
                events.retain(super::course::is_news);
            }
            let told = json!({ "events": { "run": run.number, "events": events } });
            self.say(&told).await?;
        }
    }

    async fn tell_state(&mut self) -> Result<(), End> {
        self.state_due = None;
        self.state_sent = Some(Instant::now());
        let message = self.news.borrow().message();
        self.say(&message).await
    }

    /// Sends the newest frame if the page has room for one and it is new.
    async fn spend_credit(&mut self, state: &State) -> Result<(), End> {
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
        let frame = messages::frame(&state.run, newest, Kind::Newest);
        self.send_frame(frame, id).await
    }

    async fn send_frame(
        &mut self,
        frame: std::io::Result<Vec<u8>>,
        id: Option<u64>,
    ) -> Result<(), End> {
        let answer = match frame {
            Ok(bytes) => {
                self.socket.send(Message::Binary(bytes.into())).await?;
                Ok(())
            }
            Err(error) => Err(error.to_string()),
        };
        self.ack(id, answer).await
    }

    async fn hear(&mut self, message: Message) -> Result<(), End> {
        let text = match message {
            Message::Text(text) => text,
            Message::Binary(_) => return Err(End::Malformed("messages are texts")),
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Close(_) => return Err(End::Gone),
        };
        let Ok(Incoming { id, ask }) = serde_json::from_str(&text) else {
            return Err(End::Malformed("the message makes no sense"));
        };
        match ask.order() {
            Ok(order) => {
                let answer = self.session.order(self.page, order).await;
                self.ack(id, answer.map(|_| ())).await
            }
            Err(ask) => self.show(ask, id).await,
        }
    }

    /// What a page wants to see.
    async fn show(&mut self, ask: Ask, id: Option<u64>) -> Result<(), End> {
        let state = self.news.borrow().clone();
        match ask {
            Ask::Want { after } => {
                self.credit = Some((after, id));
                self.spend_credit(&state).await
            }
            Ask::Frame { index } => {
                let frame = messages::frame(&state.run, index, Kind::Asked);
                self.send_frame(frame, id).await
            }
            Ask::Series { from, stride } => {
                let series = json!({ "series": state.run.series(from, stride) });
                self.say(&series).await?;
                self.ack(id, Ok(())).await
            }
            _ => Ok(()),
        }
    }

    async fn ack(&mut self, id: Option<u64>, answer: Result<(), String>) -> Result<(), End> {
        match id {
            Some(id) => self.say(&messages::ack(id, answer)).await,
            None => Ok(()),
        }
    }

    async fn say(&mut self, message: &Value) -> Result<(), End> {
        let text = Message::Text(message.to_string().into());
        Ok(self.socket.send(text).await?)
    }
}
