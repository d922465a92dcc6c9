//! The messages between a page and the server.
//!
//! A page sends small JSON texts: `{"do": "want", "after": 12}`, with an `id`
//! if it wants to know when the thing is done. The server answers with JSON
//! texts (`hello`, `state`, `ack`, `events`, `series`) and with frames as
//! bytes. Frames are sent by credit: one for each `want`, always the newest,
//! so that nothing piles up on the way to a slow page and an answer to `pause`
//! never waits behind frames.

use super::run::Run;
use super::state::{Order, Pull};
use crate::series::SERIES;
use conatus_math::DVec3;
use conatus_world::scene::library;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io;

/// No message of a page may be longer.
pub const MOST_BYTES: usize = 64 << 10;

/// A message of a page.
#[derive(Debug, Deserialize)]
pub struct Incoming {
    /// Set if the page wants an `ack`.
    pub id: Option<u64>,
    /// What it asks for.
    #[serde(flatten)]
    pub ask: Ask,
}

/// What a page may ask for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Ask {
    /// The newest frame behind `after`, as soon as there is one: one credit.
    Want {
        /// The index of the newest frame that the page has; -1 for none.
        after: i64,
    },
    /// A certain frame.
    Frame {
        /// Its index.
        index: u64,
    },
    /// Points of the plots.
    Series {
        /// From this one on,
        from: usize,
        /// if the stride is still this.
        stride: u64,
    },
    /// Go on.
    Play,
    /// Stand still.
    Pause,
    /// Go on by one frame.
    Step,
    /// Change the speed.
    Speed {
        /// Simulated seconds per second.
        value: f64,
    },
    /// Begin anew.
    Reset,
    /// Switch to a built-in scene.
    Open {
        /// Its name.
        scene: String,
    },
    /// Show another of the movements that were kept.
    Movement {
        /// Its index.
        index: usize,
    },
    /// Kick a body.
    Kick {
        /// Its index.
        body: usize,
    },
    /// Pull a body with this page's hand.
    Pull {
        /// Its index.
        body: usize,
        /// Where the hand holds it, in body axes.
        point: [f64; 3],
        /// Where to, in world coordinates.
        target: [f64; 3],
    },
    /// Let go of it.
    LetGo,
}

impl Ask {
    /// What it means to the session, if it is for the session.
    pub fn order(self) -> Result<Order, Self> {
        Ok(match self {
            Self::Want { .. } | Self::Frame { .. } | Self::Series { .. } => return Err(self),
            Self::Play => Order::Play,
            Self::Pause => Order::Pause,
            Self::Step => Order::Step,
            Self::Speed { value } => Order::Speed(value),
            Self::Reset => Order::Reset,
            Self::Open { scene } => Order::Open(scene),
            Self::Movement { index } => Order::Movement(index),
            Self::Kick { body } => Order::Kick(body),
            Self::Pull {
                body,
                point,
                target,
            } => Order::Pull(Pull {
                body,
                point: DVec3::from(point),
                target: DVec3::from(target),
            }),
            Self::LetGo => Order::LetGo,
        })
    }
}

/// What a page needs to know of a run before its first frame.
pub fn hello(run: &Run) -> Value {
    let scenes: Vec<Value> = library::list()
        .into_iter()
        .map(|scene| json!({ "name": scene.name, "family": scene.family, "title": scene.title }))
        .collect();
    json!({ "hello": {
        "run": run.number,
        "live": run.live,
        "header": run.header,
        "title": run.title,
        "scenes": scenes,
        "series": SERIES,
        "chart": run.chart(),
        "movements": run.movements,
        "movement": run.movement,
    }})
}

/// That a message was dealt with, or why not.
pub fn ack(id: u64, answer: Result<(), String>) -> Value {
    match answer {
        Ok(()) => json!({ "ack": { "id": id } }),
        Err(error) => json!({ "ack": { "id": id, "error": error } }),
    }
}

/// Why a frame is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// It is the newest.
    Newest = 1,
    /// The page asked for it.
    Asked = 2,
}

/// A frame as bytes: 16 bytes that tell which it is, then the recording's
/// layout.
pub fn frame(run: &Run, index: u64, kind: Kind) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.extend((kind as u32).to_le_bytes());
    bytes.extend(run.number.to_le_bytes());
    bytes.extend(index.to_le_bytes());
    run.read(index, &mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_of_the_page_are_understood() {
        for (text, expected) in [
            (r#"{"do":"play"}"#, Order::Play),
            (r#"{"id":7,"do":"speed","value":0.5}"#, Order::Speed(0.5)),
            (r#"{"do":"let_go","id":null}"#, Order::LetGo),
            (r#"{"do":"kick","body":3}"#, Order::Kick(3)),
            (r#"{"do":"movement","index":1}"#, Order::Movement(1)),
        ] {
            let incoming: Incoming = serde_json::from_str(text).unwrap();
            assert_eq!(incoming.ask.order().unwrap(), expected);
        }
        let incoming: Incoming = serde_json::from_str(r#"{"do":"want","after":-1}"#).unwrap();
        assert!(matches!(incoming.ask.order(), Err(Ask::Want { after: -1 })));
    }

    #[test]
    fn what_is_no_message_is_no_message() {
        for text in [
            "",
            "{}",
            "[]",
            "play",
            r#"{"do":"explode"}"#,
            r#"{"do":"kick","body":-1}"#,
            r#"{"do":"pull","body":0,"point":[1,2],"target":[1,2,3]}"#,
            r#"{"do":"speed"}"#,
            r#"{"id":"x","do":"play"}"#,
        ] {
            assert!(serde_json::from_str::<Incoming>(text).is_err(), "{text}");
        }
    }
}
