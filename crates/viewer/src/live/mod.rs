//! `conatus play`: a scene that runs while pages watch and take part in it.
//!
//! One thread drives the world ([`Session`]) and appends to a recording on
//! disk; a [`Server`] on the loopback interface shows it to pages. Pages read
//! the recording only; whatever they do goes into it as an input.

mod clock;
mod course;
mod driver;
mod guard;
mod messages;
mod orders;
mod plot;
mod run;
mod search;
mod server;
mod session;
mod socket;
mod spool;
mod state;
mod strength;

pub use server::{ServeError, Server};
pub use session::{Session, SessionError};
