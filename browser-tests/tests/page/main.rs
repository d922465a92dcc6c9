//! The page in a real browser: what a user sees and does.
//!
//! One program of many small files, so that one browser serves all tests.

mod clip;
mod cloth;
mod controls;
mod drag;
mod file;
mod keys;
mod loads;
mod names;
mod pages;
mod picture;
mod quarantine;
mod reach;
mod recording;
mod several;
mod sheet;
mod strangers;
mod support;
mod timeline;
