//! Joins two clips: one movement, then another that continues it.

use super::{Clip, ClipEffector, ClipObject, ClipObjectContact};
use conatus_math::{DQuat, DVec3};

/// The largest jump of a position where one clip follows another, in metres.
const MAX_JUMP_M: f64 = 1e-6;

impl Clip {
    /// The time of the first moment, in seconds. A movement that continues
    /// another starts later than 0.
    pub fn start_time(&self) -> f64 {
        self.time.first().copied().unwrap_or(0.0)
    }

    /// This clip up to the start of `next`, and `next` from there on. `next` must
    /// be of the same characters and objects and start in the state that this clip
    /// has at that time. Targets are those of `next`.
    ///
    /// The spacing of moments may change where `next` starts; `dt` is the larger
    /// of the two.
    pub fn followed_by(&self, next: &Self) -> Result<Self, String> {
        let seam = next.start_time();
        // Moments that differ by rounding are the same.
        let kept = self.time.partition_point(|t| *t < seam - 0.25 * self.dt);
        let names = |clip: &Self| -> Vec<String> {
            clip.parts().into_iter().map(|part| part.name).collect()
        };
        if names(self) != names(next) {
            return Err("it is of other characters or objects".into());
        }
        let last = self.time.last().copied().unwrap_or(0.0);
        if kept == 0 || seam > last + 0.25 * self.dt {
            return Err(format!(
                "it starts at {seam:.3} s, not between {:.3} s and {last:.3} s",
                self.start_time(),
            ));
        }
        let jump = self.jump(next, seam);
        if jump.is_nan() || jump > MAX_JUMP_M {
            return Err(format!(
                "it does not start where the movement before it is at {seam:.3} s: {jump:.2e} m away"
            ));
        }
        let mut joined = self.clone();
        joined.dt = self.dt.max(next.dt);
        joined.seed = next.seed;
        joined.targets.clone_from(&next.targets);
        append(&mut joined.time, &next.time, kept);
        let phases = self.phases.partition_point(|t| *t < seam - 1e-9);
        append(&mut joined.phases, &next.phases, phases);
        for (a, b) in joined.characters.iter_mut().zip(&next.characters) {
            append(&mut a.torso.position, &b.torso.position, kept);
            append_turns(&mut a.torso.orientation, &b.torso.orientation, kept);
            for (a, b) in a.links.iter_mut().zip(&b.links) {
                append(&mut a.start, &b.start, kept);
                append(&mut a.end, &b.end, kept);
            }
            for (a, b) in a.effectors.iter_mut().zip(&b.effectors) {
                append_effector(a, b, kept);
                append(&mut a.contact, &b.contact, phases);
            }
        }
        for (a, b) in joined.objects.iter_mut().zip(&next.objects) {
            append(&mut a.position, &b.position, kept);
            append_turns(&mut a.orientation, &b.orientation, kept);
            append_contacts(a, b, kept, kept + next.time.len());
        }
        joined.velocities = match (joined.velocities.take(), &next.velocities) {
            (Some(mut a), Some(b)) => {
                for (a, b) in a.characters.iter_mut().zip(&b.characters) {
                    let twists = a.effectors.iter_mut().chain([&mut a.torso]);
                    let others = b.effectors.iter().chain([&b.torso]);
                    for (a, b) in twists.zip(others) {
                        append(&mut a.linear, &b.linear, kept);
                        append(&mut a.angular, &b.angular, kept);
                    }
                }
                for (a, b) in a.objects.iter_mut().zip(&b.objects) {
                    append(&mut a.linear, &b.linear, kept);
                    append(&mut a.angular, &b.angular, kept);
                }
                Some(a)
            }
            _ => None,
        };
        joined.check().map(|()| joined)
    }

    /// How far the parts of `next` are at its start from those of this clip.
    fn jump(&self, next: &Self, seam: f64) -> f64 {
        let here = self.part_poses(seam);
        let there = next.part_poses(seam);
        let distances = here.iter().zip(&there);
        distances
            .map(|(a, b)| a.position.distance(b.position))
            .fold(0.0, f64::max)
    }
}

fn append<T: Clone>(list: &mut Vec<T>, next: &[T], kept: usize) {
    list.truncate(kept);
    list.extend_from_slice(next);
}

/// Quaternions keep the sign that is nearer to the one before.
fn append_turns(list: &mut Vec<DQuat>, next: &[DQuat], kept: usize) {
    list.truncate(kept);
    let flip = matches!((list.last(), next.first()), (Some(a), Some(b)) if a.dot(*b) < 0.0);
    list.extend(next.iter().map(|q| if flip { -*q } else { *q }));
}

fn append_effector(a: &mut ClipEffector, b: &ClipEffector, kept: usize) {
    append(&mut a.position, &b.position, kept);
    append_turns(&mut a.orientation, &b.orientation, kept);
    append(&mut a.force, &b.force, kept);
    append(&mut a.point, &b.point, kept);
    append(&mut a.torque, &b.torque, kept);
    append(&mut a.normal, &b.normal, kept);
    append(&mut a.active, &b.active, kept);
    append(&mut a.touches, &b.touches, kept);
}

/// Contacts of an object are matched by what they are with, in order. One that
/// occurs in one clip only is inactive in the other.
fn append_contacts(a: &mut ClipObject, b: &ClipObject, kept: usize, moments: usize) {
    for contact in &mut a.contacts {
        resize(contact, kept);
    }
    let mut taken = vec![false; a.contacts.len()];
    for next in &b.contacts {
        let found =
            (a.contacts.iter().zip(&taken)).position(|(c, taken)| c.with == next.with && !taken);
        let at = found.unwrap_or_else(|| {
            let mut new = next.clone();
            resize(&mut new, 0);
            resize(&mut new, kept);
            a.contacts.push(new);
            taken.push(false);
            a.contacts.len() - 1
        });
        taken[at] = true;
        let contact = &mut a.contacts[at];
        append(&mut contact.force, &next.force, kept);
        append(&mut contact.point, &next.point, kept);
        append(&mut contact.torque, &next.torque, kept);
        append(&mut contact.normal, &next.normal, kept);
        append(&mut contact.active, &next.active, kept);
    }
    for contact in &mut a.contacts {
        resize(contact, moments);
    }
}

/// Cuts a contact, or extends it without a force.
fn resize(contact: &mut ClipObjectContact, moments: usize) {
    contact.force.resize(moments, DVec3::ZERO);
    contact.point.resize(moments, DVec3::ZERO);
    contact.torque.resize(moments, DVec3::ZERO);
    contact.normal.resize(moments, DVec3::Z);
    contact.active.resize(moments, false);
}
