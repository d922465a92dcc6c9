//! The page in a real browser: what a user sees and does.
//!
//! One program, so that one browser serves all tests.

mod accessibility;
mod clip;
mod cloth;
mod controls;
mod drag;
mod file;
mod joints;
mod keys;
mod loads;
mod names;
mod other_sites;
mod pages;
mod picture;
mod quarantine;
mod recording;
mod several;
mod sheet;
mod support;
mod timeline;
