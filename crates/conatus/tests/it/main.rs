//! The library's front door, as a user meets it.

mod described;
mod live;
