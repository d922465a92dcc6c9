//! The program as users and scripts see it: files, messages, exit codes.

mod bad_cloth;
mod bad_input;
mod bad_motion;
mod bad_physics;
mod commands;
mod control_characters;
mod environment;
mod export;
mod import;
#[cfg(unix)]
mod links;
#[cfg(unix)]
mod locks;
#[cfg(unix)]
mod motion;
mod play;
#[cfg(unix)]
mod resume;
#[cfg(unix)]
mod run;
mod several;
mod support;
