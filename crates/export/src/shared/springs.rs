//! The ends and the width of springs, ropes and rods.

use conatus_math::DVec3;
use conatus_record::{EndInfo, Event, Frame, SpringInfo};

/// The two ends of a spring, rope or rod in a frame; none if a body at an end was removed
/// or the joint is broken.
pub(crate) fn ends(spring: &SpringInfo, frame: &Frame, events: &[Event]) -> Option<[DVec3; 2]> {
    if let Some(joint) = &spring.joint {
        let breaks = |e: &Event| e.ended_joint() == Some(joint) && e.time <= frame.time;
        if events.iter().any(breaks) {
            return None;
        }
    }
    let at = |end: &EndInfo| match *end {
        EndInfo::Pin(point) => Some(point),
        EndInfo::Body(body, point) => {
            let body = frame.present_body(body)?;
            Some(body.position + body.orientation * point)
        }
    };
    Some([at(&spring.a)?, at(&spring.b)?])
}

/// Half of the width of a spring's coil, or of a rope or rod, for a motion with a diagonal
/// of `size`.
pub(crate) fn half_width(spring: &SpringInfo, size: f64) -> f64 {
    if spring.joint.is_some() {
        return (0.005 * spring.length.abs()).clamp(0.0012 * size, 0.003 * size);
    }
    (0.05 * spring.length.abs()).clamp(0.004 * size, 0.02 * size)
}
