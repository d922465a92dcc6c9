//! The integration tests of the crate, in one binary so that they link once.

mod exact;

mod bvh;
mod ccd;
mod intersect;
mod obj;
