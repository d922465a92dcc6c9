//! Integration tests of the viewer, as one program.

mod clip;
mod compact;
mod hostile;
mod html;
mod searches;
mod session;
mod several;
mod support;
#[path = "../../../record/tests/support/mod.rs"]
mod synthetic;
mod unpack;
