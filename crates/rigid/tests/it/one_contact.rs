//! Di Pierro (75)-(80) for one contact of any two shapes, found by detection and solved
//! within a step: the closed form is written out here once more, plainly.

use crate::engine::{Heap, material};
use crate::support::pieces::{Piece, Rng, every_kind};
use conatus_geometry::convex::{PairCache, collide};
use conatus_math::{DMat3, DVec3};
use conatus_rigid::State;

/// Agreement, as a share of the largest velocity.
const TOLERANCE: f64 = 1e-9;

struct Body {
    mass: f64,
    inertia: DMat3,
    centre: DVec3,
    velocity: DVec3,
    omega: DVec3,
}

impl Body {
    fn of(piece: &Piece, state: &State) -> Self {
        let r = state.rotation();
        Self {
            mass: piece.mass,
            inertia: r * DMat3::from_diagonal(piece.moments) * r.transpose(),
            centre: state.position,
            velocity: state.velocity,
            omega: state.omega(),
        }
    }

    fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.omega.cross(point - self.centre)
    }

    /// How the velocity at a point follows an impulse there: 1/m − [r]× I⁻¹ [r]×.
    fn yielding(&self, point: DVec3) -> DMat3 {
        let r = point - self.centre;
        let cross = DMat3::from_cols(
            DVec3::new(0.0, r.z, -r.y),
            DVec3::new(-r.z, 0.0, r.x),
            DVec3::new(r.y, -r.x, 0.0),
        );
        DMat3::from_diagonal(DVec3::splat(1.0 / self.mass)) - cross * self.inertia.inverse() * cross
    }

    fn push(&mut self, impulse: DVec3, point: DVec3) {
        self.velocity += impulse / self.mass;
        self.omega += self.inertia.inverse() * (point - self.centre).cross(impulse);
    }
}

/// Di Pierro (75)-(76): the normal impulse for restitution c, then friction that stops the
/// sliding along its own direction, up to μ times the normal impulse.
fn closed_form(a: &mut Body, b: &mut Body, point: DVec3, n: DVec3, c: f64, mu: f64) {
    let k = a.yielding(point) + b.yielding(point);
    let relative = b.velocity_at(point) - a.velocity_at(point);
    let closing = -relative.dot(n);
    let normal = n * ((1.0 + c) * closing / n.dot(k * n));
    b.push(normal, point);
    a.push(-normal, point);
    let relative = b.velocity_at(point) - a.velocity_at(point);
    let sliding = relative - n * relative.dot(n);
    if mu > 0.0 && sliding.length() > 0.0 {
        let t = sliding.normalize();
        let stopping = sliding.length() / t.dot(k * t);
        let friction = -t * stopping.min(mu * normal.length());
        b.push(friction, point);
        a.push(-friction, point);
    }
}

/// Two solids that touch in one point within a very short step.
fn meet(first: &Piece, second: &Piece, seed: u64, c: f64, mu: f64) -> Option<f64> {
    const H: f64 = 1e-11;
    const GAP_M: f64 = 1e-12;
    let mut rng = Rng(seed);
    let way = rng.direction();
    let aside = rng.vector(0.25);
    let mut states = [0, 1].map(|_| State {
        position: DVec3::ZERO,
        velocity: rng.vector(3.0),
        orientation: rng.turn(),
        omega_body: rng.vector(4.0),
    });
    // The second one comes from afar until they nearly touch.
    states[1].position = way * 2.0 + aside;
    let mut found = None;
    for _ in 0..50 {
        let [pa, pb] = states.map(|s| s.pose());
        let mut cache = PairCache::default();
        let [a, b] = [first, second].map(|piece| piece.shape.convex());
        let manifold = collide(&a?, &pa, &b?, &pb, 4.0, &mut cache)?;
        let gaps = manifold.points().iter().map(|p| p.separation);
        let gap = gaps.fold(f64::INFINITY, f64::min);
        let along = manifold.normal.dot(way);
        if along < 0.1 {
            return None;
        }
        found = Some(manifold);
        if (gap - GAP_M).abs() < 1e-13 {
            break;
        }
        states[1].position -= way * ((gap - GAP_M) / along);
    }
    let found = found?;
    let n = found.normal;
    let gaps = found.points().iter().map(|p| p.separation);
    let gap = gaps.fold(f64::INFINITY, f64::min);
    // Only one point: no edge or face lies on the other.
    let near = found
        .points()
        .iter()
        .filter(|p| p.separation < gap + 1e-3)
        .count();
    if near != 1 || (gap - GAP_M).abs() > 5e-13 {
        return None;
    }
    // They close in, by at least 0.5 m/s.
    let point = found
        .points()
        .iter()
        .min_by(|p, q| p.separation.total_cmp(&q.separation))?
        .point;
    let bodies = || [Body::of(first, &states[0]), Body::of(second, &states[1])];
    let [a, b] = bodies();
    let speed = (b.velocity_at(point) - a.velocity_at(point)).dot(n);
    states[1].velocity -= n * (speed + rng.within(0.5, 3.0));

    let mut heap = Heap::new(H);
    heap.gravity = DVec3::ZERO;
    heap.engine.settings.substeps = 1;
    for (piece, state) in [(first, states[0]), (second, states[1])] {
        heap.add(
            piece.shape.clone(),
            piece.mass,
            piece.moments,
            state,
            material(c, mu),
        );
    }
    heap.step();
    assert_eq!(heap.engine.contacts.len(), 1);
    let contact = heap.engine.contacts[0].manifold;
    if contact
        .points()
        .iter()
        .filter(|p| p.separation < 1e-4)
        .count()
        != 1
    {
        return None;
    }
    // Where detection at the moment of touch finds an overlap, the soft contact ends what
    // approach friction has left, after the impact.
    if contact.points().iter().any(|p| p.separation < -GAP_M) {
        return None;
    }
    let [mut a, mut b] = [Body::of(first, &states[0]), Body::of(second, &states[1])];
    let point = contact
        .points()
        .iter()
        .min_by(|p, q| p.separation.total_cmp(&q.separation))?
        .point;
    closed_form(&mut a, &mut b, point, contact.normal, c, mu);
    let largest = a.velocity.length().max(b.velocity.length());
    let mut worst = 0.0f64;
    for (k, expected) in [a, b].iter().enumerate() {
        let s = heap.bodies.state(k);
        worst = worst.max((s.velocity - expected.velocity).length());
        worst = worst.max((s.omega() - expected.omega).length());
    }
    Some(worst / largest)
}

/// Di Pierro (75), with friction (76), in a step of the engine.
#[test]
fn one_contact_of_any_two_shapes_agrees_with_the_closed_form() {
    let (mut tested, mut coarse) = (0, 0);
    let pieces = every_kind(1.3);
    for (i, first) in pieces.iter().enumerate() {
        for (j, second) in every_kind(0.8).iter().enumerate() {
            for seed in 0..30 {
                let c = [0.0, 0.5, 1.0][seed as usize % 3];
                let mu = [0.0, 0.1, 0.8][seed as usize / 3 % 3];
                let seed = seed + 1000 * (i * 7 + j) as u64;
                if let Some(error) = meet(first, second, seed, c, mu) {
                    let names = (first.name, second.name);
                    // The normal of round solids is found by iterations.
                    assert!(error < 1e-7, "{names:?}, {c}, {mu}, {seed}: {error}");
                    coarse += usize::from(error >= TOLERANCE);
                    tested += 1;
                }
            }
        }
    }
    assert!(tested > 500, "{tested}");
    assert!(coarse * 100 <= tested, "{coarse} of {tested}");
}
