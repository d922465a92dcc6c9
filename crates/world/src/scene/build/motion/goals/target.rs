//! Marks that show where goals are.

use super::reader::Reader;
use conatus_math::DVec3;
use conatus_motion::Goal;
use conatus_record::clip::{ClipTarget, ClipTargetKind};

impl Reader<'_> {
    /// The mark that shows the goal; none for goals without a place.
    pub fn target(&self, goal: &Goal, before: &[Goal]) -> Option<ClipTarget> {
        let name = format!("{} of {}", self.spec.kind.name(), self.name());
        let start = self.start();
        let of = self.name().to_owned();
        Some(match goal {
            Goal::Stand { .. } | Goal::Crawl { .. } => return None,
            Goal::Sit { height, .. } => ClipTarget {
                name,
                kind: ClipTargetKind::Height,
                position: DVec3::new(start.x, start.y, *height),
                direction: None,
                time: self.seconds,
                of,
            },
            Goal::Position { target, time, .. } => ClipTarget {
                name,
                kind: ClipTargetKind::Position,
                position: DVec3::from_array([0, 1, 2].map(|k| target[k].unwrap_or(start[k]))),
                direction: None,
                time: time.unwrap_or(self.seconds),
                of,
            },
            Goal::Facing { direction, .. } => {
                // At the last position goal of the character, if there is one.
                let place = before.iter().rev().find_map(|goal| match goal {
                    Goal::Position {
                        subject,
                        target,
                        time: None,
                        ..
                    } if *subject == self.subject => {
                        Some([0, 1, 2].map(|k| target[k].unwrap_or(start[k])))
                    }
                    _ => None,
                });
                ClipTarget {
                    name,
                    kind: ClipTargetKind::Direction,
                    position: place.map_or(start, DVec3::from_array),
                    direction: Some(*direction),
                    time: self.seconds,
                    of,
                }
            }
            Goal::Strike {
                character,
                limb,
                time,
                position,
                velocity,
            } => ClipTarget {
                name,
                kind: ClipTargetKind::Strike,
                position: *position,
                direction: velocity.try_normalize(),
                time: *time,
                of: self.bodies.0[*character].character.limbs[*limb]
                    .effector
                    .name
                    .clone(),
            },
        })
    }
}
