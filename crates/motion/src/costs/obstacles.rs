//! Penetration of obstacles and objects (§4.2.2):
//! ```text
//! max(r + m − φ(p), 0)²     points along all parts against shapes that are not flat
//! ```
//! φ is the distance from a rounded shape, which may move with a frame. The margin m
//! covers the time between samples and the space between points.

use super::penetration::{add_segment_gradient, effector_ends, link_ends, part_frames};
use crate::program::{BodyPart, Program};
use crate::variables::{MomentGradient, MotionState, ResidualSink, add_outer};
use conatus_math::DVec3;

/// The margin of links and torsos to obstacles, in metres.
const OBSTACLE_MARGIN_M: f64 = 0.02;
/// The margin of links and torsos to objects, in metres.
const OBJECT_MARGIN_M: f64 = 0.005;

/// What a point is attached to.
#[derive(Clone, Copy, Debug)]
enum Attachment {
    /// A frame, with the point in its axes.
    Fixed(usize, DVec3),
    /// A link of a limb, at a fraction of its length.
    Along(usize, usize, f64),
}

/// A ball of a character or object that must not penetrate anything.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    body: usize,
    attachment: Attachment,
    radius: f64,
    /// Its margin to obstacles, in metres.
    margin: f64,
    /// Whether it may touch objects: patches and effectors may.
    touches: bool,
}

/// The fractions of a link at which it has probes.
const LINK_FRACTIONS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// All probes; none if there are only planes and no objects.
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
                attachment: Attachment::Fixed(program.base_frames[body], ball.position),
                radius: ball.radius,
                margin: if is_object { 0.0 } else { OBSTACLE_MARGIN_M },
                touches: is_object,
            });
        }
    }
    for (l, spec) in program.limbs.iter().enumerate() {
        let limb = &program.characters[spec.character].limbs[spec.limb];
        for (k, link) in limb.links.iter().enumerate() {
            // The height of a wrist above its hand limits its margin.
            let last = k + 1 == limb.links.len();
            let above = (limb.tip.z - link.radius).clamp(0.0, OBSTACLE_MARGIN_M);
            probes.extend(LINK_FRACTIONS.map(|share| Probe {
                body: spec.character,
                attachment: Attachment::Along(l, k, share),
                radius: link.radius,
                margin: if last && share == 1.0 {
                    above
                } else {
                    OBSTACLE_MARGIN_M
                },
                touches: false,
            }));
        }
        let fixed = |local: DVec3, radius: f64| Probe {
            body: spec.character,
            attachment: Attachment::Fixed(spec.effector, local),
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
    fn position(&self, state: &MotionState) -> DVec3 {
        match self.attachment {
            Attachment::Fixed(frame, local) => state.frames[frame].point(local),
            Attachment::Along(limb, link, share) => {
                let (a, b) = link_ends(state, limb, link);
                a.lerp(b, share)
            }
        }
    }

    /// The frames that it depends on; twice the same if it is one.
    fn frames(&self, program: &Program) -> [usize; 2] {
        match self.attachment {
            Attachment::Fixed(frame, _) => [frame; 2],
            Attachment::Along(limb, link, _) => part_frames(program, BodyPart::Link(limb, link)),
        }
    }

    fn add_gradient(
        &self,
        program: &Program,
        state: &MotionState,
        by_point: DVec3,
        out: &mut MomentGradient,
    ) {
        match self.attachment {
            Attachment::Fixed(frame, local) => {
                out.frames[frame].add_point_gradient(local, by_point)
            }
            Attachment::Along(limb, link, share) => {
                let ends = [by_point * (1.0 - share), by_point * share];
                add_segment_gradient(program, state, BodyPart::Link(limb, link), ends, out);
            }
        }
    }
}

/// Evaluates the cost of all penetration of obstacles and objects at one moment.
pub fn evaluate(program: &Program, weight: f64, state: &MotionState, sink: &mut impl ResidualSink) {
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
                    probe.add_gradient(program, state, d.gradient * -seed[0], out);
                });
            }
        }
        let margin = if probe.touches { 0.0 } else { OBJECT_MARGIN_M };
        let near = probe.radius + margin;
        for (solid, frame, local) in nearby_objects(program, state, probe, p, near) {
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
                probe.add_gradient(program, state, by_point, out);
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

/// The objects whose bounding sphere a point is near to, each with its frame and the
/// point in its axes.
fn nearby_objects<'a>(
    program: &'a Program,
    state: &'a MotionState,
    probe: &Probe,
    p: DVec3,
    near: f64,
) -> impl Iterator<Item = (&'a crate::program::ContactSolid, usize, DVec3)> {
    let own = probe.body;
    program.solids.iter().filter_map(move |solid| {
        let (who, frame) = solid.carrier.filter(|_| solid.link.is_none())?;
        if who == own || !program.is_object(who) {
            return None;
        }
        let carrier = &state.frames[frame];
        let offset = p - carrier.position;
        let (_, radius) = solid.shape.bounding_sphere()?;
        let reach = radius + near;
        (offset.length_squared() < reach * reach)
            .then(|| (solid, frame, carrier.matrix.transpose() * offset))
    })
}

/// The largest penetration depth of obstacles and objects, in metres.
pub fn max_penetration(program: &Program, state: &MotionState) -> f64 {
    let mut max_depth = 0.0f64;
    for probe in &program.probes {
        let p = probe.position(state);
        for surface in program.around.within(p, probe.radius) {
            max_depth = max_depth.max(probe.radius - surface.distance(p).value);
        }
        for (solid, _, local) in nearby_objects(program, state, probe, p, probe.radius) {
            max_depth = max_depth.max(probe.radius - solid.shape.distance(local).value);
        }
    }
    max_depth
}
