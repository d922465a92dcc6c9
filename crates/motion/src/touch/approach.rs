//! A point against what it may touch, which may move: a part of the surroundings,
//! a thing, somebody's torso or a link of somebody's limb.

use super::Secant;
use crate::costs::penetration::{link_ends, pull_points};
use crate::program::{Against, Program};
use crate::surface::Nearness;
use crate::variables::{Local, State, add_outer};
use conatus_math::DVec3;

/// A point against what it may touch.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    /// From the nearest point of the surface to the point, in world axes.
    pub gap: DVec3,
    /// The normal there, away from the surface.
    pub normal: DVec3,
    place: Place,
}

/// Where the surface is.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// It does not move.
    Fixed(Nearness),
    /// In the axes of a frame; with the way from the frame to the point.
    Carried {
        near: Nearness,
        frame: usize,
        arm: DVec3,
    },
    /// Around a link.
    Link(Link),
}

impl Approach {
    /// A point against what a contact may touch. Limbs have been placed.
    pub fn new(program: &Program, state: &State, against: Against, p: DVec3) -> Self {
        let Against::Solid(s) = against else {
            return Self::fixed(Nearness::new(&program.around, p));
        };
        let solid = &program.solids[s];
        if let Some((limb, link)) = solid.link {
            return Link::approach(program, state, (limb, link), p);
        }
        let Some((_, frame)) = solid.carrier else {
            return Self::fixed(Nearness::to_one(&solid.shape.distance(p)));
        };
        let carrier = &state.frames[frame];
        let arm = p - carrier.position;
        let local = carrier.matrix.transpose() * arm;
        let near = Nearness::to_one(&solid.shape.distance(local));
        Self {
            gap: carrier.matrix * near.gap,
            normal: carrier.matrix * near.normal,
            place: Place::Carried { near, frame, arm },
        }
    }

    fn fixed(near: Nearness) -> Self {
        Self {
            gap: near.gap,
            normal: near.normal,
            place: Place::Fixed(near),
        }
    }

    /// Whether it is somebody's limb.
    pub fn is_limb(&self) -> bool {
        matches!(self.place, Place::Link(_))
    }

    /// How fast the surface moves at the point, and how it turns; of limbs the
    /// turning is not looked at.
    pub fn carried(&self, program: &Program, state: &State) -> (DVec3, DVec3) {
        match &self.place {
            Place::Fixed(_) => (DVec3::ZERO, DVec3::ZERO),
            Place::Carried { frame, arm, .. } => {
                let frame = &state.frames[*frame];
                (frame.velocity + frame.omega.cross(*arm), frame.omega)
            }
            Place::Link(link) => (link.velocity(program, state), DVec3::ZERO),
        }
    }

    /// The adjoint: adds what pulls at the carrier, returns what pulls at the
    /// point.
    pub fn pull(
        &self,
        program: &Program,
        state: &State,
        by_gap: DVec3,
        by_normal: DVec3,
        out: &mut Local,
    ) -> DVec3 {
        match &self.place {
            Place::Fixed(near) => near.pull(by_gap, by_normal),
            Place::Carried { near, frame, arm } => {
                let matrix = state.frames[*frame].matrix;
                let back = matrix.transpose();
                // q = Fᵀ (p − x); gap = F g(q), normal = F n(q).
                let by_q = near.pull(back * by_gap, back * by_normal);
                let by_p = matrix * by_q;
                let carrier = &mut out.frames[*frame];
                carrier.position -= by_p;
                add_outer(&mut carrier.matrix, *arm, by_q);
                add_outer(&mut carrier.matrix, by_gap, near.gap);
                add_outer(&mut carrier.matrix, by_normal, near.normal);
                by_p
            }
            Place::Link(link) => {
                let by_way = link.by_way(by_gap, by_normal);
                link.pull_way(program, state, by_way, out)
            }
        }
    }

    /// The adjoint of [`carried`](Self::carried), likewise.
    pub fn pull_carried(
        &self,
        program: &Program,
        state: &State,
        by_velocity: DVec3,
        by_spin: DVec3,
        out: &mut Local,
    ) -> DVec3 {
        match &self.place {
            Place::Fixed(_) => DVec3::ZERO,
            Place::Carried { frame, arm, .. } => {
                let omega = state.frames[*frame].omega;
                let by_arm = by_velocity.cross(omega);
                let carrier = &mut out.frames[*frame];
                carrier.velocity += by_velocity;
                carrier.omega += arm.cross(by_velocity) + by_spin;
                carrier.position -= by_arm;
                by_arm
            }
            Place::Link(link) => link.pull_velocity(program, state, by_velocity, out),
        }
    }
}

/// A point against a capsule around a link from a to b: q = a + s e, e = b − a, is
/// the nearest point of its middle, and w = p − q.
#[derive(Clone, Copy, Debug)]
struct Link {
    limb: usize,
    link: usize,
    radius: f64,
    share: f64,
    /// Whether q is neither a nor b, so that s follows the point.
    between: bool,
    along: DVec3,
    way: DVec3,
}

impl Link {
    fn approach(
        program: &Program,
        state: &State,
        (limb, link): (usize, usize),
        p: DVec3,
    ) -> Approach {
        let (a, b) = link_ends(state, limb, link);
        let along = b - a;
        let share = (p - a).dot(along) / along.length_squared();
        let spec = &program.limbs[limb];
        let radius = program.characters[spec.character].limbs[spec.limb].links[link].radius;
        let at = Self {
            limb,
            link,
            radius,
            share: share.clamp(0.0, 1.0),
            between: share > 0.0 && share < 1.0,
            along,
            way: p - a - along * share.clamp(0.0, 1.0),
        };
        let normal = at.way.normalize_or(DVec3::Z);
        Approach {
            gap: at.way - normal * radius,
            normal,
            place: Place::Link(at),
        }
    }

    /// gap = w − r w/|w|, normal = w/|w|.
    fn by_way(&self, by_gap: DVec3, by_normal: DVec3) -> DVec3 {
        let length = self.way.length().max(1e-9);
        let n = self.way / length;
        let by_n = by_normal - by_gap * self.radius;
        by_gap + (by_n - n * n.dot(by_n)) / length
    }

    /// δw = (1 − e eᵀ/e²) η − e (w·δe)/e² with η = δp − (1 − s) δa − s δb; at an
    /// end δw = η. Returns what pulls at the point.
    fn pull_way(&self, program: &Program, state: &State, by_way: DVec3, out: &mut Local) -> DVec3 {
        let (e, square) = (self.along, self.along.length_squared());
        let (by_p, by_e) = match self.between {
            true => {
                let share = e.dot(by_way) / square;
                (by_way - e * share, self.way * -share)
            }
            false => (by_way, DVec3::ZERO),
        };
        self.pull_ends(program, state, by_p, by_e, out);
        by_p
    }

    /// Derivatives by η and by e, carried on to the ends.
    fn pull_ends(
        &self,
        program: &Program,
        state: &State,
        by_p: DVec3,
        by_e: DVec3,
        out: &mut Local,
    ) {
        let ends = [
            (self.link, by_p * (self.share - 1.0) - by_e),
            (self.link + 1, by_p * -self.share + by_e),
        ];
        pull_points(program, state, self.limb, &ends, out);
    }

    fn velocity(&self, program: &Program, state: &State) -> DVec3 {
        let secant = Secant::new(program, state, self.limb);
        let [a, b] = [self.link, self.link + 1].map(|k| secant.velocity(k));
        a.lerp(b, self.share)
    }

    fn pull_velocity(
        &self,
        program: &Program,
        state: &State,
        by_velocity: DVec3,
        out: &mut Local,
    ) -> DVec3 {
        if by_velocity == DVec3::ZERO {
            return DVec3::ZERO;
        }
        let secant = Secant::new(program, state, self.limb);
        let [a, b] = [self.link, self.link + 1].map(|k| secant.velocity(k));
        let ends = [
            (self.link, by_velocity * (1.0 - self.share)),
            (self.link + 1, by_velocity * self.share),
        ];
        secant.pull(&ends, out);
        if !self.between {
            return DVec3::ZERO;
        }
        // δs = (η·e + w·δe)/e².
        let by_share = by_velocity.dot(b - a) / self.along.length_squared();
        let (by_p, by_e) = (self.along * by_share, self.way * by_share);
        self.pull_ends(program, state, by_p, by_e, out);
        by_p
    }
}
