//! Charts of the times at which contacts are active.

use super::parts::part_name;
use super::{Clip, ClipTarget};
use conatus_math::DVec3;
use serde::Serialize;

/// The colours of effectors in charts and on active patches, in turn; colour-blind
/// readers can distinguish them.
const PALETTE: [[f32; 3]; 8] = [
    [0.90, 0.38, 0.10],
    [0.13, 0.47, 0.71],
    [0.93, 0.66, 0.13],
    [0.18, 0.60, 0.45],
    [0.75, 0.29, 0.52],
    [0.45, 0.36, 0.68],
    [0.55, 0.50, 0.20],
    [0.30, 0.55, 0.75],
];

/// The data of a contact chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ContactChart {
    /// The first moment, in seconds.
    pub start: f64,
    /// The last moment.
    pub end: f64,
    /// The boundaries of phases.
    pub phases: Vec<f64>,
    /// One row for each effector that can touch something.
    pub rows: Vec<ContactChartRow>,
    /// The requested targets.
    pub targets: Vec<ClipTarget>,
    /// The least and the greatest corner of the box that characters, objects
    /// and targets stay in.
    pub extent: [DVec3; 2],
}

/// The row of an effector.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContactChartRow {
    /// Its label.
    pub label: String,
    /// The name of the body that shows the effector.
    pub body: String,
    /// Half of the patch's edges along its own x and y.
    pub half_extents: [f64; 2],
    /// How far below the body's origin the patch lies, along the body's z.
    pub below: f64,
    /// Red, green, blue from 0 to 1 (sRGB).
    pub color: [f32; 3],
    /// When it is in contact: from and to, in seconds.
    pub active: Vec<[f64; 2]>,
    /// The contact variable of each phase, if known.
    pub contact: Vec<f64>,
}

impl Clip {
    /// The contact chart of the clip.
    pub fn chart(&self) -> ContactChart {
        let alone = self.characters.len() < 2;
        let lifts: Vec<(String, f64)> = self
            .parts()
            .into_iter()
            .map(|part| (part.name, part.offset.translation.z))
            .collect();
        let mut rows = Vec::new();
        for character in &self.characters {
            for effector in &character.effectors {
                let body = part_name(&character.name, &effector.name);
                let lift = lifts.iter().find(|(name, _)| *name == body);
                rows.push(ContactChartRow {
                    label: match alone {
                        true => effector.name.clone(),
                        false => format!("{} {}", character.name, effector.name),
                    },
                    half_extents: effector.half_extents,
                    below: lift.map_or(0.0, |(_, lift)| *lift),
                    color: PALETTE[rows.len() % PALETTE.len()],
                    active: self.intervals(&effector.active),
                    contact: effector.contact.clone(),
                    body,
                });
            }
        }
        ContactChart {
            start: self.time.first().copied().unwrap_or(0.0),
            end: self.time.last().copied().unwrap_or(0.0),
            phases: self.phases.clone(),
            rows,
            targets: self.targets.clone(),
            extent: self.extent(),
        }
    }

    /// The box that everything that moves stays in, and the targets.
    fn extent(&self) -> [DVec3; 2] {
        let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let mut add = |place: DVec3, radius: f64| {
            lo = lo.min(place - radius);
            hi = hi.max(place + radius);
        };
        let parts = self.parts();
        // The largest distance of a vertex from the origin, and along z.
        let size = |part: &super::ClipPart| {
            let vertices = part.mesh().vertices;
            let far = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
            let along = vertices.iter().map(|v| v.z.abs()).fold(0.0, f64::max);
            (far, along)
        };
        let sizes: Vec<(f64, f64)> = parts.iter().map(size).collect();
        let tracks = self.tracks();
        // Both ends of a link are used: a ball about a shin is far too large.
        let every = (self.time.len() / 100).max(1);
        for time in self.time.iter().step_by(every) {
            let poses = tracks.poses(*time);
            for ((pose, part), (radius, along)) in poses.iter().zip(&parts).zip(&sizes) {
                match part.of {
                    super::ClipPartSource::Link { .. } | super::ClipPartSource::Torso { .. } => {
                        let along = pose.orientation * DVec3::Z * *along;
                        add(pose.position + along, 0.0);
                        add(pose.position - along, 0.0);
                    }
                    _ => add(pose.position, *radius),
                }
            }
        }
        let targets = self.targets.iter();
        targets.for_each(|target| add(target.position, 0.0));
        if lo.x <= hi.x {
            [lo, hi]
        } else {
            [DVec3::ZERO; 2]
        }
    }

    /// The stretches of time around moments in a row; each moment stands for
    /// half of the way to its neighbours.
    fn intervals(&self, active: &[bool]) -> Vec<[f64; 2]> {
        let mut intervals: Vec<[f64; 2]> = Vec::new();
        let mut before = false;
        for (i, (&active, &time)) in active.iter().zip(&self.time).enumerate() {
            let middle = |j: usize| self.time.get(j).map_or(time, |other| (time + other) / 2.0);
            let from = middle(i.wrapping_sub(1));
            let to = middle(i + 1);
            match (active, before, intervals.last_mut()) {
                (true, true, Some(last)) => last[1] = to,
                (true, _, _) => intervals.push([from, to]),
                _ => {}
            }
            before = active;
        }
        intervals
    }
}

impl ContactChartRow {
    /// Whether the effector is in contact at a time.
    pub fn is_active(&self, time: f64) -> bool {
        self.active
            .iter()
            .any(|[from, to]| (*from..=*to).contains(&time))
    }
}
