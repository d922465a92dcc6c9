//! The public interface of the library, as a user calls it.

mod described;
mod live;
mod refused;
mod touches;
