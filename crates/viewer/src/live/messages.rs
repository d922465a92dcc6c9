//! The messages between a page and the server.
//!
//! A page sends small JSON texts: `{"do": "want", "after": 12}`, with an `id`
//! if it needs an acknowledgement. The server replies with JSON texts (`hello`,
//! `state`, `ack`, `events`, `series`) and with frames as bytes. Frames are
//! sent by credit: one for each `want`, always the newest. So frames do not
//! queue up for a slow page, and the reply to `pause` never waits behind them.

use super::run_store::RunStore;
use super::state::{PointerDrag, SessionRequest};
use crate::series::SERIES;
use conatus_math::DVec3;
use conatus_world::scene::library;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io;

/// The longest message that is accepted from a page.
pub const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// A message of a page.
#[derive(Debug, Deserialize)]
pub struct PageMessage {
    /// Set if the page needs an `ack`.
    pub id: Option<u64>,
    /// The request.
    #[serde(flatten)]
    pub request: PageRequest,
}

/// The requests of a page.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum PageRequest {
    /// The newest frame after `after`, as soon as there is one: one credit.
    Want {
        /// The index of the newest frame that the page has; -1 for none.
        after: i64,
    },
    /// A recorded frame.
    Frame {
        /// Its index.
        index: u64,
    },
    /// Points of the plots.
    Series {
        /// The index of the first point.
        from: usize,
        /// The stride of the page's points; if it has changed, all points are
        /// sent.
        stride: u64,
    },
    /// Continue the run.
    Play,
    /// Pause the run.
    Pause,
    /// Simulate one more frame.
    Step,
    /// Change the speed.
    Speed {
        /// Simulated seconds per second.
        value: f64,
    },
    /// Restart the scene.
    Reset,
    /// Open a built-in scene.
    Open {
        /// Its name.
        scene: String,
    },
    /// Restart with another of the movements found.
    Movement {
        /// Its index.
        index: usize,
    },
    /// Kick a body.
    Kick {
        /// Its index.
        body: usize,
    },
    /// Begin this page's drag, or move its target.
    #[serde(rename = "pull")]
    Drag {
        /// Its index.
        body: usize,
        /// The grabbed point, in body axes.
        point: [f64; 3],
        /// The target of that point, in world coordinates.
        target: [f64; 3],
    },
    /// End the drag.
    #[serde(rename = "let_go")]
    ReleaseDrag,
}

impl PageRequest {
    /// The request to the session; an error with the request itself if the
    /// connection handles it without the session.
    pub fn for_session(self) -> Result<SessionRequest, Self> {
        Ok(match self {
            Self::Want { .. } | Self::Frame { .. } | Self::Series { .. } => return Err(self),
            Self::Play => SessionRequest::Play,
            Self::Pause => SessionRequest::Pause,
            Self::Step => SessionRequest::Step,
            Self::Speed { value } => SessionRequest::Speed(value),
            Self::Reset => SessionRequest::Reset,
            Self::Open { scene } => SessionRequest::Open(scene),
            Self::Movement { index } => SessionRequest::Movement(index),
            Self::Kick { body } => SessionRequest::Kick(body),
            Self::Drag {
                body,
                point,
                target,
            } => SessionRequest::Drag(PointerDrag {
                body,
                point: DVec3::from(point),
                target: DVec3::from(target),
            }),
            Self::ReleaseDrag => SessionRequest::ReleaseDrag,
        })
    }
}

/// Introduces a run to a page, before its first frame.
pub fn hello_message(run: &RunStore) -> Value {
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

/// Acknowledges a request, or gives the reason of its refusal.
pub fn ack_message(id: u64, reply: Result<(), String>) -> Value {
    match reply {
        Ok(()) => json!({ "ack": { "id": id } }),
        Err(error) => json!({ "ack": { "id": id, "error": error } }),
    }
}

/// Why a frame is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FrameKind {
    /// The newest frame, for a credit.
    Newest = 1,
    /// A recorded frame that the page requested.
    Requested = 2,
}

/// A frame as bytes: 16 bytes with its kind, run and index, then the frame in
/// the layout of recordings.
pub fn frame_message(run: &RunStore, index: u64, kind: FrameKind) -> io::Result<Vec<u8>> {
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
    fn the_messages_of_the_page_are_parsed() {
        for (text, expected) in [
            (r#"{"do":"play"}"#, SessionRequest::Play),
            (
                r#"{"id":7,"do":"speed","value":0.5}"#,
                SessionRequest::Speed(0.5),
            ),
            (r#"{"do":"let_go","id":null}"#, SessionRequest::ReleaseDrag),
            (r#"{"do":"kick","body":3}"#, SessionRequest::Kick(3)),
            (
                r#"{"do":"movement","index":1}"#,
                SessionRequest::Movement(1),
            ),
        ] {
            let incoming: PageMessage = serde_json::from_str(text).unwrap();
            assert_eq!(incoming.request.for_session().unwrap(), expected);
        }
        let incoming: PageMessage = serde_json::from_str(r#"{"do":"want","after":-1}"#).unwrap();
        assert!(matches!(
            incoming.request.for_session(),
            Err(PageRequest::Want { after: -1 })
        ));
    }

    #[test]
    fn malformed_messages_are_rejected() {
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
            assert!(serde_json::from_str::<PageMessage>(text).is_err(), "{text}");
        }
    }
}
