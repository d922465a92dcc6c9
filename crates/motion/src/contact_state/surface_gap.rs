//! The nearest point of the surface that a contact may touch: the static surroundings,
//! an object, or the torso or a link of another character.

use super::Secant;
use crate::costs::penetration::{add_limb_point_gradients, link_ends};
use crate::program::{Against, Program};
use crate::surface::SoftNearestPoint;
use crate::variables::{MomentGradient, MotionState, add_outer};
use conatus_math::DVec3;

/// The gap between a point and the surface that it may touch.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceGap {
    /// From the nearest point of the surface to the point, in world axes.
    pub gap: DVec3,
    /// The normal there, away from the surface.
    pub normal: DVec3,
    attachment: Attachment,
}

/// What the surface is attached to.
#[derive(Clone, Copy, Debug)]
enum Attachment {
    /// It is static.
    Static(SoftNearestPoint),
    /// It moves with a frame; `arm` is the vector from the frame's origin to the point.
    Carried {
        near: SoftNearestPoint,
        frame: usize,
        arm: DVec3,
    },
    /// It is a capsule around a link.
    Link(LinkCapsule),
}

impl SurfaceGap {
    /// The gap of the point `p`. The joints of limbs must be up to date.
    pub fn new(program: &Program, state: &MotionState, against: Against, p: DVec3) -> Self {
        let Against::Solid(s) = against else {
            return Self::fixed(SoftNearestPoint::new(&program.around, p));
        };
        let solid = &program.solids[s];
        if let Some((limb, link)) = solid.link {
            return LinkCapsule::approach(program, state, (limb, link), p);
        }
        let Some((_, frame)) = solid.carrier else {
            return Self::fixed(SoftNearestPoint::to_one(&solid.shape.distance(p)));
        };
        let carrier = &state.frames[frame];
        let arm = p - carrier.position;
        let local = carrier.matrix.transpose() * arm;
        let near = SoftNearestPoint::to_one(&solid.shape.distance(local));
        Self {
            gap: carrier.matrix * near.gap,
            normal: carrier.matrix * near.normal,
            attachment: Attachment::Carried { near, frame, arm },
        }
    }

    fn fixed(near: SoftNearestPoint) -> Self {
        Self {
            gap: near.gap,
            normal: near.normal,
            attachment: Attachment::Static(near),
        }
    }

    /// Whether the surface is a link of a limb.
    pub fn is_limb(&self) -> bool {
        matches!(self.attachment, Attachment::Link(_))
    }

    /// Velocity and angular velocity of the surface at the point; the angular velocity
    /// of limbs is taken as zero.
    pub fn surface_motion(&self, program: &Program, state: &MotionState) -> (DVec3, DVec3) {
        match &self.attachment {
            Attachment::Static(_) => (DVec3::ZERO, DVec3::ZERO),
            Attachment::Carried { frame, arm, .. } => {
                let frame = &state.frames[*frame];
                (frame.velocity + frame.omega.cross(*arm), frame.omega)
            }
            Attachment::Link(link) => (link.velocity(program, state), DVec3::ZERO),
        }
    }

    /// The vector-Jacobian product of [`new`](Self::new): adds the gradient with respect
    /// to the carrier, and returns that with respect to the point.
    pub fn vector_jacobian_product(
        &self,
        program: &Program,
        state: &MotionState,
        by_gap: DVec3,
        by_normal: DVec3,
        out: &mut MomentGradient,
    ) -> DVec3 {
        match &self.attachment {
            Attachment::Static(near) => near.vector_jacobian_product(by_gap, by_normal),
            Attachment::Carried { near, frame, arm } => {
                let matrix = state.frames[*frame].matrix;
                let back = matrix.transpose();
                // q = Fᵀ (p − x); gap = F g(q), normal = F n(q).
                let by_q = near.vector_jacobian_product(back * by_gap, back * by_normal);
                let by_p = matrix * by_q;
                let carrier = &mut out.frames[*frame];
                carrier.position -= by_p;
                add_outer(&mut carrier.matrix, *arm, by_q);
                add_outer(&mut carrier.matrix, by_gap, near.gap);
                add_outer(&mut carrier.matrix, by_normal, near.normal);
                by_p
            }
            Attachment::Link(link) => {
                let by_offset = link.offset_gradient(by_gap, by_normal);
                link.offset_vjp(program, state, by_offset, out)
            }
        }
    }

    /// The vector-Jacobian product of [`surface_motion`](Self::surface_motion), likewise.
    pub fn surface_motion_vjp(
        &self,
        program: &Program,
        state: &MotionState,
        by_velocity: DVec3,
        by_spin: DVec3,
        out: &mut MomentGradient,
    ) -> DVec3 {
        match &self.attachment {
            Attachment::Static(_) => DVec3::ZERO,
            Attachment::Carried { frame, arm, .. } => {
                let omega = state.frames[*frame].omega;
                let by_arm = by_velocity.cross(omega);
                let carrier = &mut out.frames[*frame];
                carrier.velocity += by_velocity;
                carrier.omega += arm.cross(by_velocity) + by_spin;
                carrier.position -= by_arm;
                by_arm
            }
            Attachment::Link(link) => link.velocity_vjp(program, state, by_velocity, out),
        }
    }
}

/// The nearest point of a capsule around a link from a to b: q = a + s e, e = b − a, is
/// the nearest point of its axis, and w = p − q.
#[derive(Clone, Copy, Debug)]
struct LinkCapsule {
    limb: usize,
    link: usize,
    radius: f64,
    share: f64,
    /// Whether q is neither a nor b, so that s depends on the point.
    is_inside: bool,
    along: DVec3,
    offset: DVec3,
}

impl LinkCapsule {
    fn approach(
        program: &Program,
        state: &MotionState,
        (limb, link): (usize, usize),
        p: DVec3,
    ) -> SurfaceGap {
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
            is_inside: share > 0.0 && share < 1.0,
            along,
            offset: p - a - along * share.clamp(0.0, 1.0),
        };
        let normal = at.offset.normalize_or(DVec3::Z);
        SurfaceGap {
            gap: at.offset - normal * radius,
            normal,
            attachment: Attachment::Link(at),
        }
    }

    /// gap = w − r w/|w|, normal = w/|w|.
    fn offset_gradient(&self, by_gap: DVec3, by_normal: DVec3) -> DVec3 {
        let length = self.offset.length().max(1e-9);
        let n = self.offset / length;
        let by_n = by_normal - by_gap * self.radius;
        by_gap + (by_n - n * n.dot(by_n)) / length
    }

    /// δw = (1 − e eᵀ/e²) η − e (w·δe)/e² with η = δp − (1 − s) δa − s δb; at an
    /// end δw = η. Returns the gradient with respect to the point.
    fn offset_vjp(
        &self,
        program: &Program,
        state: &MotionState,
        by_offset: DVec3,
        out: &mut MomentGradient,
    ) -> DVec3 {
        let (e, square) = (self.along, self.along.length_squared());
        let (by_p, by_e) = match self.is_inside {
            true => {
                let share = e.dot(by_offset) / square;
                (by_offset - e * share, self.offset * -share)
            }
            false => (by_offset, DVec3::ZERO),
        };
        self.add_end_gradients(program, state, by_p, by_e, out);
        by_p
    }

    /// Adds the gradients by η and by e to the ends of the link.
    fn add_end_gradients(
        &self,
        program: &Program,
        state: &MotionState,
        by_p: DVec3,
        by_e: DVec3,
        out: &mut MomentGradient,
    ) {
        let ends = [
            (self.link, by_p * (self.share - 1.0) - by_e),
            (self.link + 1, by_p * -self.share + by_e),
        ];
        add_limb_point_gradients(program, state, self.limb, &ends, out);
    }

    fn velocity(&self, program: &Program, state: &MotionState) -> DVec3 {
        let secant = Secant::new(program, state, self.limb);
        let [a, b] = [self.link, self.link + 1].map(|k| secant.velocity(k));
        a.lerp(b, self.share)
    }

    fn velocity_vjp(
        &self,
        program: &Program,
        state: &MotionState,
        by_velocity: DVec3,
        out: &mut MomentGradient,
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
        secant.vector_jacobian_product(&ends, out);
        if !self.is_inside {
            return DVec3::ZERO;
        }
        // δs = (η·e + w·δe)/e².
        let by_share = by_velocity.dot(b - a) / self.along.length_squared();
        let (by_p, by_e) = (self.along * by_share, self.offset * by_share);
        self.add_end_gradients(program, state, by_p, by_e, out);
        by_p
    }
}
