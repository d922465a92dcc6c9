//! What must not enter obstacles and things (§4.2.2):
//! ```text
//! max(r + m − φ(p), 0)²     points along all parts against shapes that are not flat
//! ```
//! φ is the distance from a rounded shape, which may be carried along. The margin
//! m is there because an edge comes closer between the moments that are looked
//! at, and between the points.

use super::penetration::{effector_ends, frames, link_ends, pull_segment};
use crate::program::{Part, Program};
use crate::variables::{Local, Sink, State, add_outer};
use conatus_math::DVec3;

/// Links and torsos keep this far from obstacles, in metres,
const MARGIN: f64 = 0.02;
/// and from things that they carry.
const MARGIN_OF_THINGS: f64 = 0.005;

/// Where a point is.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Fixed to a frame.
    Fixed(usize, DVec3),
    /// A share of the way along a link.
    Along(usize, usize, f64),
}

/// A ball that must not enter anything.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    body: usize,
    place: Place,
    radius: f64,
    /// How much farther it keeps from obstacles, in metres.
    margin: f64,
    /// Whether it has to touch things: patches and effectors do.
    touches: bool,
}

/// Shares of the way along a link.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// All points that are looked at, if there is anything but flat ground.
pub fn probes(program: &Program) -> Vec<Probe> {
    let mut probes = Vec::new();
    if program.around.is_flat() && program.objects.is_empty() {
        return probes;
    }
    for body in 0..program.body_count() {
        let is_object = program.is_object(body);
        for ball in &program.base(body).hull {
            probes.push(Probe {
                body,
                place: Place::Fixed(program.base_frames[body], ball.position),
                radius: ball.radius,
                margin: if is_object { 0.0 } else { MARGIN },
                touches: is_object,
            });
        }
    }
    for (l, spec) in program.limbs.iter().enumerate() {
        let limb = &program.characters[spec.character].limbs[spec.limb];
        for (k, link) in limb.links.iter().enumerate() {
            // A wrist is no higher above what its hand lies on than the hand makes it.
            let last = k + 1 == limb.links.len();
            let above = (limb.tip.z - link.radius).clamp(0.0, MARGIN);
            probes.extend(SHARES.map(|share| Probe {
                body: spec.character,
                place: Place::Along(l, k, share),
                radius: link.radius,
                margin: if last && share == 1.0 { above } else { MARGIN },
                touches: false,
            }));
        }
        let fixed = |local: DVec3, radius: f64| Probe {
            body: spec.character,
            place: Place::Fixed(spec.effector, local),
            radius,
            margin: 0.0,
            touches: true,
        };
        let [a, b] = effector_ends(program, l);
        let round = [a, a.lerp(b, 0.5), b].map(|local| fixed(local, limb.effector_radius));
        probes.extend(round);
        let corners = program.contacts[spec.contact].corners();
        probes.extend(corners.map(|local| fixed(local, 0.0)));
    }
    probes
}

impl Probe {
    fn position(&self, state: &State) -> DVec3 {
        match self.place {
            Place::Fixed(frame, local) => state.frames[frame].point(local),
            Place::Along(limb, link, share) => {
                let (a, b) = link_ends(state, limb, link);
                a.lerp(b, share)
            }
        }
    }

    /// The frames it depends on; the same one twice where it is one.
    fn frames(&self, program: &Program) -> [usize; 2] {
        match self.place {
            Place::Fixed(frame, _) => [frame; 2],
            Place::Along(limb, link, _) => frames(program, Part::Link(limb, link)),
        }
    }

    fn pull(&self, program: &Program, state: &State, by_point: DVec3, out: &mut Local) {
        match self.place {
            Place::Fixed(frame, local) => out.frames[frame].pull_point(local, by_point),
            Place::Along(limb, link, share) => {
                let ends = [by_point * (1.0 - share), by_point * share];
                pull_segment(program, state, Part::Link(limb, link), ends, out);
            }
        }
    }
}

/// The cost of all that enters obstacles and things at one moment.
pub fn deliver(program: &Program, weight: f64, state: &State, sink: &mut impl Sink) {
    for probe in &program.probes {
        let p = probe.position(state);
        let near = probe.radius + probe.margin;
        let [i, j] = probe.frames(program);
        let own = [i, j];
        let own = if i == j { &own[..1] } else { &own[..] };
        for surface in program.around.within(p, near) {
            if surface.is_flat() {
                continue;
            }
            let d = surface.distance(p);
            let depth = near - d.value;
            if depth > 0.0 {
                sink.rows(weight, &[depth], own, &[], |seed, out| {
                    probe.pull(program, state, d.gradient * -seed[0], out);
                });
            }
        }
        let margin = if probe.touches { 0.0 } else { MARGIN_OF_THINGS };
        let near = probe.radius + margin;
        for (solid, frame, local) in things(program, state, probe, p, near) {
            let d = solid.shape.distance(local);
            let depth = near - d.value;
            if depth <= 0.0 {
                continue;
            }
            let mut all = [i, j, frame];
            let all = if i == j { &mut all[1..] } else { &mut all[..] };
            all.sort_unstable();
            sink.rows(weight, &[depth], all, &[], |seed, out| {
                let carrier = &state.frames[frame];
                let by_local = d.gradient * -seed[0];
                let by_point = carrier.matrix * by_local;
                probe.pull(program, state, by_point, out);
                out.frames[frame].position -= by_point;
                add_outer(
                    &mut out.frames[frame].matrix,
                    p - carrier.position,
                    by_local,
                );
            });
        }
    }
}

/// The things that a point may be in: each with its frame, and where the point is
/// in its axes.
fn things<'a>(
    program: &'a Program,
    state: &'a State,
    probe: &Probe,
    p: DVec3,
    near: f64,
) -> impl Iterator<Item = (&'a crate::program::Solid, usize, DVec3)> {
    let own = probe.body;
    program.solids.iter().filter_map(move |solid| {
        let (who, frame) = solid.carrier.filter(|_| solid.link.is_none())?;
        if who == own || !program.is_object(who) {
            return None;
        }
        let carrier = &state.frames[frame];
        let way = p - carrier.position;
        let (_, radius) = solid.shape.ball()?;
        let reach = radius + near;
        (way.length_squared() < reach * reach)
            .then(|| (solid, frame, carrier.matrix.transpose() * way))
    })
}

/// How deep anything is in an obstacle or in a thing.
pub fn depth(program: &Program, state: &State) -> f64 {
    let mut deepest = 0.0f64;
    for probe in &program.probes {
        let p = probe.position(state);
        for surface in program.around.within(p, probe.radius) {
            deepest = deepest.max(probe.radius - surface.distance(p).value);
        }
        for (solid, _, local) in things(program, state, probe, p, probe.radius) {
            deepest = deepest.max(probe.radius - solid.shape.distance(local).value);
        }
    }
    deepest
}
