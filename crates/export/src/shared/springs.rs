//! The ends and the width of springs.

use conatus_math::DVec3;
use conatus_record::{EndInfo, Frame, SpringInfo};

/// The two ends of a spring in a frame; none if a body at an end was removed.
pub(crate) fn ends(spring: &SpringInfo, frame: &Frame) -> Option<[DVec3; 2]> {
    let at = |end: &EndInfo| match *end {
        EndInfo::Pin(point) => Some(point),
        EndInfo::Body(body, point) => {
            let body = frame.present_body(body)?;
            Some(body.position + body.orientation * point)
        }
    };
    Some([at(&spring.a)?, at(&spring.b)?])
}

/// Half of the width of a spring's coil, for a motion with a diagonal of `size`.
pub(crate) fn half_width(spring: &SpringInfo, size: f64) -> f64 {
    (0.05 * spring.length.abs()).clamp(0.004 * size, 0.02 * size)
}
