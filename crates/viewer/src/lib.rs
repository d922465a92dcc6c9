//! The viewer: a page that shows a recording, taken away as one HTML file or
//! served live.

pub mod live;
pub mod page;
pub mod series;
