//! One file for each command.

pub mod check;
pub mod completions;
pub mod export;
pub mod list;
pub mod new;
pub mod run;
pub mod schema;
