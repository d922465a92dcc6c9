//! The integration tests of the crate, in one binary so that they link once.

mod exact;

mod bvh;
mod ccd;
mod convex;
mod intersect;
mod obj;
mod queries;
