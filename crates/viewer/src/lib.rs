//! The viewer: a page that shows a recording, as one HTML file or served live.
//!
//! [`page`] is the page itself, written in TypeScript under `web/` and
//! embedded here. [`html`] writes it with a [`compact`] recording into one file;
//! [`live`] serves it while a scene runs.

pub mod compact;
pub mod html;
pub mod live;
pub mod page;
pub mod series;
