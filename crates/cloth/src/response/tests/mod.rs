//! The response against closed forms and slow reference implementations.

mod bodies;
mod errata_harmon;
mod friction;
mod lcp;
mod projection;
mod rigid;
mod single;
mod support;
