//! Drives the page of `conatus play` in a real browser, for the tests in
//! `tests/page` and for the soak test.

pub mod browser;
pub mod devtools;
pub mod picture;
pub mod program;
pub mod socket;
pub mod tab;

pub use browser::{Browsing, alone_in_browser, in_browser, in_sharp_browser};
pub use picture::Picture;
pub use program::{Play, conatus};
pub use socket::Socket;
pub use tab::{Tab, length, minus, point};
