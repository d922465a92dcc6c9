//! Penetration of planes and of parts with each other (§4.2.2), one-sided squares of
//! depths:
//! ```text
//! max(r − φ(p), 0)²          hull, joints and corners against planes
//! max(r_a + r_b + m − d, 0)² parts of limbs and torsos against each other
//! ```
//! φ is the distance from a plane, d that of two segments, m a margin. Other shapes are
//! handled by `obstacles.rs`.

use crate::character::limb::LimbGradient;
use crate::program::{BodyPart, MAX_PAIR_MARGIN_M, PartPair, Program};
use crate::surface::Surface;
use crate::variables::{FrameState, MomentGradient, MotionState, ResidualSink};
use conatus_math::DVec3;

/// Evaluates the cost of all penetration at one moment (Mordatch §4.2.2).
pub fn evaluate(program: &Program, weight: f64, state: &MotionState, sink: &mut impl ResidualSink) {
    let weight = weight * program.weights.penetration;
    for body in 0..program.body_count() {
        let points = FramePoints::new(program, state, program.base_frames[body]);
        for ball in &program.base(body).hull {
            points.evaluate(weight, ball.position, ball.radius, sink);
        }
    }
    for contact in program.contacts.iter().filter(|c| c.has_corners()) {
        if program.is_object(contact.body) {
            continue;
        }
        let points = FramePoints::new(program, state, contact.frame);
        for corner in contact.corners() {
            points.evaluate(weight, corner, 0.0, sink);
        }
    }
    evaluate_link_ends(program, weight, state, sink);
    super::obstacles::evaluate(program, weight, state, sink);
    evaluate_pairs(program, weight, state, sink);
}

/// The bounds of a part, for culling pairs that are far apart.
#[derive(Clone, Copy, Default)]
struct PartBounds {
    middle: DVec3,
    /// From the middle to one end.
    half: DVec3,
    radius: f64,
}

/// An axis-aligned bounding box.
#[derive(Clone, Copy)]
struct Bounds {
    low: DVec3,
    high: DVec3,
}

impl Bounds {
    const EMPTY: Self = Self {
        low: DVec3::INFINITY,
        high: DVec3::NEG_INFINITY,
    };

    /// The bounds of a part, extended by `margin`.
    fn around(extent: &PartBounds, margin: f64) -> Self {
        let half = extent.half.abs() + margin;
        Self {
            low: extent.middle - half,
            high: extent.middle + half,
        }
    }

    fn join(&mut self, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }

    fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

/// Evaluates pairs of parts of limbs and torsos.
fn evaluate_pairs(
    program: &Program,
    weight: f64,
    state: &MotionState,
    sink: &mut impl ResidualSink,
) {
    // The stack holds up to 32 parts, the heap more.
    let (mut few, mut many);
    let extents = if program.parts.len() <= 32 {
        few = [PartBounds::default(); 32];
        &mut few[..program.parts.len()]
    } else {
        many = vec![PartBounds::default(); program.parts.len()];
        &mut many[..]
    };
    for (extent, part) in extents.iter_mut().zip(&program.parts) {
        let (a, b) = segment(program, state, *part);
        extent.middle = (a + b) * 0.5;
        extent.half = (b - a) * 0.5;
        extent.radius = extent.half.length();
    }
    // The bounds of each character and object, if there are several.
    let (mut few, mut many);
    let spans = if program.body_count() <= 8 {
        few = [Bounds::EMPTY; 8];
        &mut few[..]
    } else {
        many = vec![Bounds::EMPTY; program.body_count()];
        &mut many[..]
    };
    if program.body_count() > 1 {
        for (extent, part) in extents.iter().zip(&program.parts) {
            let span = Bounds::around(extent, program.radius(*part));
            spans[program.owner(*part)].join(&span);
        }
    }
    for run in &program.pair_runs {
        if let Some(other) = run.other {
            let near = program.radius(program.parts[run.part]) + MAX_PAIR_MARGIN_M;
            if !Bounds::around(&extents[run.part], near).meets(&spans[other]) {
                continue;
            }
        }
        for pair in &program.pairs[run.pairs.clone()] {
            let (a, b) = (&extents[pair.a], &extents[pair.b]);
            let offset = a.middle - b.middle;
            let square = offset.length_squared();
            let apart = pair.apart + pair.margin;
            // Their bounding spheres are apart,
            let reach = a.radius + b.radius + apart;
            if square > reach * reach {
                continue;
            }
            // or they are apart along the line between their middles.
            let left = square - (a.half.dot(offset).abs() + b.half.dot(offset).abs());
            if left > 0.0 && left * left > apart * apart * square {
                continue;
            }
            evaluate_pair(program, weight, state, pair, sink);
        }
    }
}

/// The planes among the surroundings.
fn planes(program: &Program) -> impl Iterator<Item = &Surface> {
    program.around.surfaces.iter().filter(|s| s.is_flat())
}

/// Points that are fixed to a frame.
struct FramePoints<'a> {
    program: &'a Program,
    frame: usize,
    state: &'a FrameState,
    /// The distance of its origin from all planes. Points closer to the origin than that
    /// cannot reach a plane.
    clearance: f64,
}

impl<'a> FramePoints<'a> {
    fn new(program: &'a Program, state: &'a MotionState, frame: usize) -> Self {
        let state = &state.frames[frame];
        let distances = planes(program).map(|s| s.distance(state.position).value);
        Self {
            program,
            frame,
            state,
            clearance: distances.fold(f64::INFINITY, f64::min),
        }
    }

    /// Evaluates a ball around one of the points.
    fn evaluate(&self, weight: f64, local: DVec3, radius: f64, sink: &mut impl ResidualSink) {
        let margin = self.clearance - radius;
        if margin > 0.0 && margin * margin > local.length_squared() {
            return;
        }
        let p = self.state.point(local);
        for surface in planes(self.program) {
            let distance = surface.distance(p);
            let depth = radius - distance.value;
            if depth > 0.0 {
                let frame = self.frame;
                sink.rows(weight, &[depth], &[frame], &[], |seed, out| {
                    out.frames[frame].add_point_gradient(local, distance.normal * -seed[0]);
                });
            }
        }
    }
}

/// Evaluates the ends of the links of limbs.
fn evaluate_link_ends(
    program: &Program,
    weight: f64,
    state: &MotionState,
    sink: &mut impl ResidualSink,
) {
    for (i, spec) in program.limbs.iter().enumerate() {
        let limb = &program.characters[spec.character].limbs[spec.limb];
        for (k, link) in limb.links.iter().enumerate() {
            let (_, p) = link_ends(state, i, k);
            for surface in planes(program) {
                let distance = surface.distance(p);
                let depth = link.radius - distance.value;
                if depth > 0.0 {
                    let frames = [spec.torso, spec.effector];
                    sink.rows(weight, &[depth], &frames, &[], |seed, out| {
                        let by_point = distance.normal * -seed[0];
                        let ends = [DVec3::ZERO, by_point];
                        add_segment_gradient(program, state, BodyPart::Link(i, k), ends, out);
                    });
                }
            }
        }
    }
}

pub(crate) fn link_ends(state: &MotionState, limb: usize, link: usize) -> (DVec3, DVec3) {
    let at = &state.limbs[limb];
    (at.point(link), at.point(link + 1))
}

/// Adds the gradient with respect to points of a limb, numbered from its base.
pub(crate) fn add_limb_point_gradients(
    program: &Program,
    state: &MotionState,
    limb: usize,
    by_points: &[(usize, DVec3)],
    out: &mut MomentGradient,
) {
    let spec = &program.limbs[limb];
    let at = &state.limbs[limb];
    let mut gradient = LimbGradient::default();
    gradient.clear(at.joints.len());
    for &(k, by_point) in by_points {
        *gradient.point(k) += by_point;
    }
    let described = &program.characters[spec.character].limbs[spec.limb];
    let [torso, effector] = out
        .frames
        .get_disjoint_mut([spec.torso, spec.effector])
        .expect("a limb has two frames");
    at.vector_jacobian_product(described, &gradient, torso, effector);
}

/// The ends of an effector's capsule in its own axes.
pub(super) fn effector_ends(program: &Program, limb: usize) -> [DVec3; 2] {
    let spec = &program.limbs[limb];
    let limb = &program.characters[spec.character].limbs[spec.limb];
    let r = limb.effector_radius;
    let x = (limb.effector.half_extents[0] - r).max(0.0);
    [DVec3::new(-x, 0.0, r), DVec3::new(x, 0.0, r)]
}

/// The axis of a part.
fn segment(program: &Program, state: &MotionState, part: BodyPart) -> (DVec3, DVec3) {
    match part {
        BodyPart::Link(limb, link) => link_ends(state, limb, link),
        BodyPart::Effector(limb) => {
            let frame = &state.frames[program.limbs[limb].effector];
            let [a, b] = effector_ends(program, limb);
            (frame.point(a), frame.point(b))
        }
        BodyPart::Ball(character, ball) => {
            let frame = &state.frames[program.base_frames[character]];
            let p = frame.point(program.characters[character].base.hull[ball].position);
            (p, p)
        }
    }
}

/// The frames that a part depends on; twice the same if it is one.
pub(super) fn part_frames(program: &Program, part: BodyPart) -> [usize; 2] {
    match part {
        BodyPart::Link(limb, _) => [program.limbs[limb].torso, program.limbs[limb].effector],
        BodyPart::Effector(limb) => [program.limbs[limb].effector; 2],
        BodyPart::Ball(character, _) => [program.base_frames[character]; 2],
    }
}

/// Adds the gradient with respect to the ends of [`segment`].
pub(super) fn add_segment_gradient(
    program: &Program,
    state: &MotionState,
    part: BodyPart,
    [by_a, by_b]: [DVec3; 2],
    out: &mut MomentGradient,
) {
    match part {
        BodyPart::Link(limb, link) => {
            let ends = [(link, by_a), (link + 1, by_b)];
            add_limb_point_gradients(program, state, limb, &ends, out);
        }
        BodyPart::Effector(limb) => {
            let [a, b] = effector_ends(program, limb);
            let frame = &mut out.frames[program.limbs[limb].effector];
            frame.add_point_gradient(a, by_a);
            frame.add_point_gradient(b, by_b);
        }
        BodyPart::Ball(character, ball) => {
            let local = program.characters[character].base.hull[ball].position;
            out.frames[program.base_frames[character]].add_point_gradient(local, by_a + by_b);
        }
    }
}

/// The distance of two parts, negative if they penetrate.
pub fn pair_distance(program: &Program, state: &MotionState, pair: &PartPair) -> f64 {
    let (a, b) = (
        segment(program, state, program.parts[pair.a]),
        segment(program, state, program.parts[pair.b]),
    );
    let (s, t) = closest_fractions(a, b);
    a.0.lerp(a.1, s).distance(b.0.lerp(b.1, t)) - pair.apart
}

/// Evaluates one pair of parts.
fn evaluate_pair(
    program: &Program,
    weight: f64,
    state: &MotionState,
    pair: &PartPair,
    sink: &mut impl ResidualSink,
) {
    let (part_a, part_b) = (program.parts[pair.a], program.parts[pair.b]);
    let (a, b) = (
        segment(program, state, part_a),
        segment(program, state, part_b),
    );
    let apart = pair.apart + pair.margin;
    let (s, t) = closest_fractions(a, b);
    let offset = a.0.lerp(a.1, s) - b.0.lerp(b.1, t);
    let distance = offset.length();
    let depth = apart - distance;
    if depth <= 0.0 || distance < 1e-9 {
        return;
    }
    let n = offset / distance;
    let ([i, j], [k, l]) = (part_frames(program, part_a), part_frames(program, part_b));
    let mut frames = [i, j, k, l];
    frames.sort_unstable();
    let mut count = 1;
    for k in 1..frames.len() {
        if frames[k] != frames[k - 1] {
            frames[count] = frames[k];
            count += 1;
        }
    }
    let frames = &frames[..count];
    sink.rows(weight, &[depth], frames, &[], |seed, out| {
        let by_a = n * -seed[0];
        let by_b = n * seed[0];
        add_segment_gradient(program, state, part_a, [by_a * (1.0 - s), by_a * s], out);
        add_segment_gradient(program, state, part_b, [by_b * (1.0 - t), by_b * t], out);
    });
}

/// The closest points of two segments, as fractions of their lengths.
pub fn closest_fractions(a: (DVec3, DVec3), b: (DVec3, DVec3)) -> (f64, f64) {
    let (u, v, w) = (a.1 - a.0, b.1 - b.0, a.0 - b.0);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let along_b = |s: f64| {
        if vv > 1e-18 {
            ((uv * s + vw) / vv).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let along_a = |t: f64| {
        if uu > 1e-18 {
            ((uv * t - uw) / uu).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let determinant = uu * vv - uv * uv;
    let s = if determinant > 1e-12 * uu * vv {
        ((uv * vw - vv * uw) / determinant).clamp(0.0, 1.0)
    } else {
        0.5
    };
    let t = along_b(s);
    let s = along_a(t);
    (s, along_b(s))
}
