//! The poses of a clip's parts at any time.

use super::parts::{ClipPart, ClipPartSource};
use super::{Clip, ClipLink, ClipTwists};
use crate::model::{BodyFrame, ContactFrame, Status};
use conatus_math::{DQuat, DVec3, Pose, rotation};

/// The poses of all parts of a clip, for evaluation at any time.
#[derive(Clone, Debug)]
pub struct ClipTracks {
    time: Vec<f64>,
    tracks: Vec<Track>,
}

#[derive(Clone, Debug)]
struct Track {
    position: Vec<DVec3>,
    orientation: Vec<DQuat>,
    /// Velocity and angular velocity in world axes per moment; empty where they
    /// are not known.
    twists: Vec<(DVec3, DVec3)>,
}

/// A time between two samples: the first, and the fraction towards the next.
#[derive(Clone, Copy, Debug)]
struct Between {
    first: usize,
    share: f64,
}

impl Clip {
    /// The poses of all parts, in the order of [`Clip::parts`].
    pub fn tracks(&self) -> ClipTracks {
        let parts = self.parts();
        ClipTracks {
            time: self.time.clone(),
            tracks: parts.iter().map(|part| self.track(part)).collect(),
        }
    }

    /// Where all parts are at a time, as frames list bodies, in the order of
    /// [`Clip::parts`]: between samples positions go straight and rotations
    /// turn evenly; before the first and after the last everything stands
    /// still. For many times, [`Clip::tracks`] is faster.
    pub fn part_poses(&self, time: f64) -> Vec<BodyFrame> {
        self.tracks().poses(time)
    }

    /// The forces on characters, and of surfaces on objects, at a time, as
    /// frames list contacts: each with the impulse that it has in `seconds`,
    /// the length of a step.
    pub fn contact_frames(&self, time: f64, seconds: f64) -> Vec<ContactFrame> {
        let mut contacts = Vec::new();
        if self.time.is_empty() {
            return contacts;
        }
        let at = Between::new(&self.time, time);
        let near = at.nearest();
        let mut add = |active: &[bool], force: &[DVec3], point: &[DVec3]| {
            if active.get(near) != Some(&true) {
                return;
            }
            // No interpolation where the contact begins or ends.
            let at = match active.get(at.other()) {
                Some(true) => at,
                _ => Between {
                    first: near,
                    share: 0.0,
                },
            };
            let impulse = at.of(force) * seconds;
            if impulse.length_squared() > 0.0 {
                contacts.push(ContactFrame {
                    point: at.of(point),
                    impulse,
                    penetration: 0.0,
                });
            }
        };
        for effector in self.characters.iter().flat_map(|c| &c.effectors) {
            add(&effector.active, &effector.force, &effector.point);
        }
        let surface = |name: &str| self.surfaces.iter().any(|s| s.name == name);
        for contact in self.objects.iter().flat_map(|o| &o.contacts) {
            if surface(&contact.with) {
                add(&contact.active, &contact.force, &contact.point);
            }
        }
        contacts
    }

    fn track(&self, part: &ClipPart) -> Track {
        let moved = |position: &[DVec3], orientation: &[DQuat], twists: Option<&ClipTwists>| {
            let pose = |(p, q): (&DVec3, &DQuat)| Pose::new(*q, *p).after(&part.offset);
            let poses = position.iter().zip(orientation).map(pose);
            // A point r from the origin moves with v + ω × r.
            let twists = twists.into_iter().flat_map(|twists| {
                let arms = orientation.iter().map(|q| *q * part.offset.translation);
                let rates = twists.linear.iter().zip(&twists.angular);
                rates.zip(arms).map(|((v, w), r)| (*v + w.cross(r), *w))
            });
            let twists = twists.collect();
            let (position, orientation) = poses.map(|p| (p.translation, p.rotation)).unzip();
            Track {
                position,
                orientation,
                twists,
            }
        };
        let velocities = self.velocities.as_ref();
        let of_character = |character: usize| velocities.and_then(|v| v.characters.get(character));
        let mut track = match part.of {
            ClipPartSource::Torso { character } | ClipPartSource::Shape { character, .. } => {
                let torso = &self.characters[character].torso;
                let twists = of_character(character).map(|v| &v.torso);
                moved(&torso.position, &torso.orientation, twists)
            }
            ClipPartSource::Effector {
                character,
                effector,
            } => {
                let patch = &self.characters[character].effectors[effector];
                let twists = of_character(character).and_then(|v| v.effectors.get(effector));
                moved(&patch.position, &patch.orientation, twists)
            }
            ClipPartSource::Object { object } => {
                let twists = velocities.and_then(|v| v.objects.get(object));
                let object = &self.objects[object];
                moved(&object.position, &object.orientation, twists)
            }
            ClipPartSource::Link { character, link } => {
                let torso = &self.characters[character].torso.orientation;
                along(&self.characters[character].links[link], torso)
            }
        };
        // Of q and −q, the one closer to the sample before.
        for i in 1..track.orientation.len() {
            if track.orientation[i].dot(track.orientation[i - 1]) < 0.0 {
                track.orientation[i] = -track.orientation[i];
            }
        }
        track
    }
}

/// A link's middle and axes: z points from its start to its end, and the other
/// two follow without turning about it, so that nothing ever flips.
fn along(link: &ClipLink, torso: &[DQuat]) -> Track {
    let first = torso.first().copied().unwrap_or_default();
    let mut turn = first;
    let direction = |(start, end): (&DVec3, &DVec3)| (*end - *start).try_normalize();
    let mut track = Track {
        position: Vec::with_capacity(link.start.len()),
        orientation: Vec::with_capacity(link.start.len()),
        twists: Vec::new(),
    };
    for (start, end) in link.start.iter().zip(&link.end) {
        let now = turn * DVec3::Z;
        let wanted = direction((start, end)).unwrap_or(now);
        turn = (DQuat::from_rotation_arc(now, wanted) * turn).normalize();
        track.position.push(*start + wanted * (link.length / 2.0));
        track.orientation.push(turn);
    }
    track
}

impl ClipTracks {
    /// Where all parts are at a time; see [`Clip::part_poses`].
    pub fn poses(&self, time: f64) -> Vec<BodyFrame> {
        if self.time.is_empty() {
            return Vec::new();
        }
        let at = Between::new(&self.time, time);
        let outside = self.time.first().is_some_and(|first| time < *first)
            || self.time.last().is_some_and(|last| time > *last);
        let pose = |track: &Track| {
            let (velocity, omega_body) = match outside {
                true => (DVec3::ZERO, DVec3::ZERO),
                false => self.rates(track, at),
            };
            BodyFrame {
                position: at.of(&track.position),
                orientation: at.turned(&track.orientation),
                velocity,
                omega_body,
                status: Status::Scripted,
            }
        };
        self.tracks.iter().map(pose).collect()
    }

    /// Velocity and angular velocity in body axes: those of the clip, or else
    /// central differences, at the two moments around, and between them in
    /// proportion.
    fn rates(&self, track: &Track, at: Between) -> (DVec3, DVec3) {
        let last = self.time.len() - 1;
        let at_moment = |i: usize| {
            if let (Some((v, w)), Some(turn)) = (track.twists.get(i), track.orientation.get(i)) {
                return (*v, turn.inverse() * *w);
            }
            let (a, b) = (i.saturating_sub(1), (i + 1).min(last));
            let seconds = self.time[b] - self.time[a];
            if seconds <= 0.0 {
                return (DVec3::ZERO, DVec3::ZERO);
            }
            let turn = track.orientation[a].inverse() * track.orientation[b];
            (
                (track.position[b] - track.position[a]) / seconds,
                rotation::log(turn) / seconds,
            )
        };
        let (v, w) = at_moment(at.first);
        let (next_v, next_w) = at_moment((at.first + 1).min(last));
        (v.lerp(next_v, at.share), w.lerp(next_w, at.share))
    }
}

impl Between {
    fn new(time: &[f64], t: f64) -> Self {
        let after = time.partition_point(|moment| *moment <= t);
        let first = after.saturating_sub(1);
        let share = match (time.get(first), time.get(first + 1)) {
            (Some(a), Some(b)) => ((t - a) / (b - a)).clamp(0.0, 1.0),
            _ => 0.0,
        };
        // For NaN the first sample is used.
        let share = if share.is_finite() { share } else { 0.0 };
        Self { first, share }
    }

    fn nearest(self) -> usize {
        self.first + usize::from(self.share > 0.5)
    }

    /// The one of the two moments that is not the nearest.
    fn other(self) -> usize {
        self.first + usize::from(self.share <= 0.5)
    }

    fn of(self, list: &[DVec3]) -> DVec3 {
        let a = list.get(self.first).copied().unwrap_or_default();
        let b = list.get(self.first + 1).copied().unwrap_or(a);
        a.lerp(b, self.share)
    }

    fn turned(self, list: &[DQuat]) -> DQuat {
        let a = list.get(self.first).copied().unwrap_or_default();
        let b = list.get(self.first + 1).copied().unwrap_or(a);
        let turn = rotation::log(a.inverse() * b);
        (a * rotation::exp(turn * self.share)).normalize()
    }
}
