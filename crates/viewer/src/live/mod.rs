//! `conatus play`: a live session that pages in a browser watch and control.
//!
//! One thread drives the world ([`Session`]) and appends to a recording on
//! disk; a [`Server`] on the loopback interface shows it to pages. Pages only
//! read the recording; what their users do becomes an input event in it.

mod clock;
mod connections;
mod driver;
mod guard;
mod input_strength;
mod live_run;
mod messages;
mod plot;
mod requests;
mod run_store;
mod search;
mod server;
mod session;
mod socket;
mod spool;
mod state;
mod token;

pub use live_run::LiveStart;
pub use server::{ServeError, Server};
pub use session::{Session, SessionError};
