//! What must not enter anything (§4.2.2), one-sided squares of depths:
//! ```text
//! max(r − φ(p), 0)²          hull, joints and corners against planes
//! max(r_a + r_b + m − d, 0)² parts of limbs and torsos against each other
//! ```
//! φ is the distance from a plane, d that of two segments, m a margin. What is not
//! flat is in `obstacles.rs`.

use crate::character::limb::LimbGradient;
use crate::program::{MARGIN, Pair, Part, Program};
use crate::surface::Surface;
use crate::variables::{FrameState, Local, Sink, State};
use conatus_math::DVec3;

/// The cost of all penetration at one moment (Mordatch §4.2.2).
pub fn deliver(program: &Program, weight: f64, state: &State, sink: &mut impl Sink) {
    let weight = weight * program.weights.penetration;
    for body in 0..program.body_count() {
        let points = Fixed::new(program, state, program.base_frames[body]);
        for ball in &program.base(body).hull {
            points.deliver(weight, ball.position, ball.radius, sink);
        }
    }
    for contact in program.contacts.iter().filter(|c| c.has_corners()) {
        if program.is_object(contact.body) {
            continue;
        }
        let points = Fixed::new(program, state, contact.frame);
        for corner in contact.corners() {
            points.deliver(weight, corner, 0.0, sink);
        }
    }
    limb_points(program, weight, state, sink);
    super::obstacles::deliver(program, weight, state, sink);
    pairs(program, weight, state, sink);
}

/// A part as it is now: most pairs are far apart, which takes little to see.
#[derive(Clone, Copy, Default)]
struct Extent {
    middle: DVec3,
    /// From the middle to one end.
    half: DVec3,
    radius: f64,
}

/// A box along the axes of the world.
#[derive(Clone, Copy)]
struct Span {
    low: DVec3,
    high: DVec3,
}

impl Span {
    const NOTHING: Self = Self {
        low: DVec3::INFINITY,
        high: DVec3::NEG_INFINITY,
    };

    /// Around a part and all that is no farther from it than `more`.
    fn around(extent: &Extent, more: f64) -> Self {
        let half = extent.half.abs() + more;
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

/// Parts of limbs and torsos against each other.
fn pairs(program: &Program, weight: f64, state: &State, sink: &mut impl Sink) {
    // Bodies with more parts than this get their memory from the heap.
    let (mut few, mut many);
    let extents = if program.parts.len() <= 32 {
        few = [Extent::default(); 32];
        &mut few[..program.parts.len()]
    } else {
        many = vec![Extent::default(); program.parts.len()];
        &mut many[..]
    };
    for (extent, part) in extents.iter_mut().zip(&program.parts) {
        let (a, b) = segment(program, state, *part);
        extent.middle = (a + b) * 0.5;
        extent.half = (b - a) * 0.5;
        extent.radius = extent.half.length();
    }
    // Where everybody is, if there is more than one.
    let (mut few, mut many);
    let spans = if program.body_count() <= 8 {
        few = [Span::NOTHING; 8];
        &mut few[..]
    } else {
        many = vec![Span::NOTHING; program.body_count()];
        &mut many[..]
    };
    if program.body_count() > 1 {
        for (extent, part) in extents.iter().zip(&program.parts) {
            let span = Span::around(extent, program.radius(*part));
            spans[program.owner(*part)].join(&span);
        }
    }
    for run in &program.pair_runs {
        if let Some(other) = run.other {
            let near = program.radius(program.parts[run.part]) + MARGIN;
            if !Span::around(&extents[run.part], near).meets(&spans[other]) {
                continue;
            }
        }
        for pair in &program.pairs[run.pairs.clone()] {
            let (a, b) = (&extents[pair.a], &extents[pair.b]);
            let way = a.middle - b.middle;
            let square = way.length_squared();
            let apart = pair.apart + pair.margin;
            // Balls around them are apart,
            let reach = a.radius + b.radius + apart;
            if square > reach * reach {
                continue;
            }
            // or a gap is left along the way from middle to middle.
            let left = square - (a.half.dot(way).abs() + b.half.dot(way).abs());
            if left > 0.0 && left * left > apart * apart * square {
                continue;
            }
            between(program, weight, state, pair, sink);
        }
    }
}

/// Planes of the surroundings: what is deepest in those is an end of something.
fn flat(program: &Program) -> impl Iterator<Item = &Surface> {
    program.around.surfaces.iter().filter(|s| s.is_flat())
}

/// Points fixed to a frame.
struct Fixed<'a> {
    program: &'a Program,
    frame: usize,
    state: &'a FrameState,
    /// How far its origin is from all surfaces: distances grow no faster than
    /// one goes, so what is nearer to the origin is clear of them.
    clear: f64,
}

impl<'a> Fixed<'a> {
    fn new(program: &'a Program, state: &'a State, frame: usize) -> Self {
        let state = &state.frames[frame];
        let distances = flat(program).map(|s| s.distance(state.position).value);
        Self {
            program,
            frame,
            state,
            clear: distances.fold(f64::INFINITY, f64::min),
        }
    }

    /// A ball around one of the points.
    fn deliver(&self, weight: f64, local: DVec3, radius: f64, sink: &mut impl Sink) {
        let room = self.clear - radius;
        if room > 0.0 && room * room > local.length_squared() {
            return;
        }
        let p = self.state.point(local);
        for surface in flat(self.program) {
            let distance = surface.distance(p);
            let depth = radius - distance.value;
            if depth > 0.0 {
                let frame = self.frame;
                sink.rows(weight, &[depth], &[frame], &[], |seed, out| {
                    out.frames[frame].pull_point(local, distance.normal * -seed[0]);
                });
            }
        }
    }
}

/// Ends of the links of limbs.
fn limb_points(program: &Program, weight: f64, state: &State, sink: &mut impl Sink) {
    for (i, spec) in program.limbs.iter().enumerate() {
        let limb = &program.characters[spec.character].limbs[spec.limb];
        for (k, link) in limb.links.iter().enumerate() {
            let (_, p) = link_ends(state, i, k);
            for surface in flat(program) {
                let distance = surface.distance(p);
                let depth = link.radius - distance.value;
                if depth > 0.0 {
                    let frames = [spec.torso, spec.effector];
                    sink.rows(weight, &[depth], &frames, &[], |seed, out| {
                        let by_point = distance.normal * -seed[0];
                        let ends = [DVec3::ZERO, by_point];
                        pull_segment(program, state, Part::Link(i, k), ends, out);
                    });
                }
            }
        }
    }
}

pub(crate) fn link_ends(state: &State, limb: usize, link: usize) -> (DVec3, DVec3) {
    let at = &state.limbs[limb];
    (at.point(link), at.point(link + 1))
}

/// The adjoint of points of a limb, counted from its base.
pub(crate) fn pull_points(
    program: &Program,
    state: &State,
    limb: usize,
    by_points: &[(usize, DVec3)],
    out: &mut Local,
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
    at.pull(described, &gradient, torso, effector);
}

/// The ends of an effector's capsule in its own axes.
pub(super) fn effector_ends(program: &Program, limb: usize) -> [DVec3; 2] {
    let spec = &program.limbs[limb];
    let limb = &program.characters[spec.character].limbs[spec.limb];
    let r = limb.effector_radius;
    let x = (limb.effector.half_extents[0] - r).max(0.0);
    [DVec3::new(-x, 0.0, r), DVec3::new(x, 0.0, r)]
}

/// The middle line of a part.
fn segment(program: &Program, state: &State, part: Part) -> (DVec3, DVec3) {
    match part {
        Part::Link(limb, link) => link_ends(state, limb, link),
        Part::Effector(limb) => {
            let frame = &state.frames[program.limbs[limb].effector];
            let [a, b] = effector_ends(program, limb);
            (frame.point(a), frame.point(b))
        }
        Part::Ball(character, ball) => {
            let frame = &state.frames[program.base_frames[character]];
            let p = frame.point(program.characters[character].base.hull[ball].position);
            (p, p)
        }
    }
}

/// The frames that a part depends on; the same one twice where it is one.
pub(super) fn frames(program: &Program, part: Part) -> [usize; 2] {
    match part {
        Part::Link(limb, _) => [program.limbs[limb].torso, program.limbs[limb].effector],
        Part::Effector(limb) => [program.limbs[limb].effector; 2],
        Part::Ball(character, _) => [program.base_frames[character]; 2],
    }
}

/// The adjoint of [`segment`].
pub(super) fn pull_segment(
    program: &Program,
    state: &State,
    part: Part,
    [by_a, by_b]: [DVec3; 2],
    out: &mut Local,
) {
    match part {
        Part::Link(limb, link) => {
            let ends = [(link, by_a), (link + 1, by_b)];
            pull_points(program, state, limb, &ends, out);
        }
        Part::Effector(limb) => {
            let [a, b] = effector_ends(program, limb);
            let frame = &mut out.frames[program.limbs[limb].effector];
            frame.pull_point(a, by_a);
            frame.pull_point(b, by_b);
        }
        Part::Ball(character, ball) => {
            let local = program.characters[character].base.hull[ball].position;
            out.frames[program.base_frames[character]].pull_point(local, by_a + by_b);
        }
    }
}

/// How far two parts are apart, negative if one enters the other.
pub fn gap(program: &Program, state: &State, pair: &Pair) -> f64 {
    let (a, b) = (
        segment(program, state, program.parts[pair.a]),
        segment(program, state, program.parts[pair.b]),
    );
    let (s, t) = nearest(a, b);
    a.0.lerp(a.1, s).distance(b.0.lerp(b.1, t)) - pair.apart
}

fn between(program: &Program, weight: f64, state: &State, pair: &Pair, sink: &mut impl Sink) {
    let (part_a, part_b) = (program.parts[pair.a], program.parts[pair.b]);
    let (a, b) = (
        segment(program, state, part_a),
        segment(program, state, part_b),
    );
    let apart = pair.apart + pair.margin;
    let (s, t) = nearest(a, b);
    let way = a.0.lerp(a.1, s) - b.0.lerp(b.1, t);
    let distance = way.length();
    let depth = apart - distance;
    if depth <= 0.0 || distance < 1e-9 {
        return;
    }
    let n = way / distance;
    let ([i, j], [k, l]) = (frames(program, part_a), frames(program, part_b));
    let mut touched = [i, j, k, l];
    touched.sort_unstable();
    let mut count = 1;
    for k in 1..touched.len() {
        if touched[k] != touched[k - 1] {
            touched[count] = touched[k];
            count += 1;
        }
    }
    let touched = &touched[..count];
    sink.rows(weight, &[depth], touched, &[], |seed, out| {
        let by_a = n * -seed[0];
        let by_b = n * seed[0];
        pull_segment(program, state, part_a, [by_a * (1.0 - s), by_a * s], out);
        pull_segment(program, state, part_b, [by_b * (1.0 - t), by_b * t], out);
    });
}

/// Where two segments are nearest: the shares of the way along each.
pub fn nearest(a: (DVec3, DVec3), b: (DVec3, DVec3)) -> (f64, f64) {
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
    let below = uu * vv - uv * uv;
    let s = if below > 1e-12 * uu * vv {
        ((uv * vw - vv * uw) / below).clamp(0.0, 1.0)
    } else {
        0.5
    };
    let t = along_b(s);
    let s = along_a(t);
    (s, along_b(s))
}
