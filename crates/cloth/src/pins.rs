//! Pinned vertices: held in place, moved by a script, or fixed to a rigid body.
//!
//! Vertices that follow a script or a locked body have prescribed velocities.
//! Vertices pinned to a free body move with it and pass on to it all forces
//! that act on them, so the two are one rigid body of the masses of both. With
//! the body's mass M at c and the vertices' masses mᵢ at xᵢ,
//!
//! M′ = M + Σ mᵢ,  C = (M c + Σ mᵢ xᵢ)/M′,
//! I′ = I + M (|d|² − d dᵀ) + Σ mᵢ (|rᵢ|² − rᵢ rᵢᵀ),  d = c − C, rᵢ = xᵢ − C.
//!
//! In the elastic solve the vertices are eliminated (`elastic/attached.rs`), in
//! the response to collisions they are points of that body. Both keep momentum:
//! as M d + Σ mᵢ rᵢ = 0, a rotation about C moves no momentum.

use crate::cloth::Cloth;
use crate::parts::{BodyState, PinFrame};
use crate::response::{NO_BODY, ResponseBody};
use crate::{ImplicitBody, VertexAttachment};
use conatus_math::{DMat3, DVec3, Pose, rotation};

impl Cloth {
    /// Sets up the motion of pinned vertices in the step of `h` seconds from `t`:
    /// returns the velocities of those that are scripted, and fixes the others to
    /// their bodies. The motions of bodies without vertices are set already.
    pub(crate) fn begin_pins(&mut self, t: f64, h: f64, bodies: &[BodyState]) -> Vec<(u32, DVec3)> {
        let m = &mut self.motion;
        m.body_of[..self.x.len()].fill(NO_BODY);
        for body in &mut m.bodies {
            body.pinned.clear();
            body.offset = DVec3::ZERO;
        }
        let mut scripted = Vec::new();
        // Vertex, body and place in the body's axes.
        let mut fixed: Vec<(u32, u32, DVec3)> = Vec::new();
        for (pin, start) in self.pins.iter().zip(&self.pin_start) {
            if t >= pin.until {
                continue;
            }
            // From the pose at time zero to that at the end of the step.
            let poses = match &pin.frame {
                PinFrame::World => None,
                PinFrame::Path(path) => Some((path.pose(0.0), path.pose(t + h))),
                PinFrame::Obstacle(k) => {
                    let path = &self.obstacles[*k].path;
                    Some((path.pose(0.0), path.pose(t + h)))
                }
                PinFrame::Body { body, start } => Some((*start, end_pose(&bodies[*body], h))),
            };
            let free_body = match pin.frame {
                PinFrame::Body { body, .. } => {
                    (bodies[body].inverse_mass > 0.0).then_some(body as u32)
                }
                _ => None,
            };
            for (&v, &from) in pin.vertices.iter().zip(start) {
                m.inverse_mass[v as usize] = 0.0;
                // Of two pins of a vertex, the later one is used.
                m.body_of[v as usize] = free_body.unwrap_or(NO_BODY);
                let place = poses.map(|(start, end)| (start.inverse().point(from), end));
                if let (Some(body), Some((place, _))) = (free_body, place) {
                    fixed.push((v, body, place));
                    continue;
                }
                let to = place.map_or(from, |(place, end)| end.point(place));
                let velocity = (to - self.x[v as usize]) / h;
                m.velocity[v as usize] = velocity;
                scripted.push((v, velocity));
            }
        }
        if fixed.is_empty() {
            return scripted;
        }
        scripted.retain(|(v, _)| m.body_of[*v as usize] == NO_BODY);
        // Stable: the later pin of a vertex stays behind the earlier one.
        fixed.sort_by_key(|(v, ..)| *v);
        for (k, &(v, body, place)) in fixed.iter().enumerate() {
            let is_last = fixed.get(k + 1).is_none_or(|next| next.0 != v);
            if is_last && m.body_of[v as usize] == body {
                m.bodies[body as usize].pinned.push((v, place));
            }
        }
        let masses = self.elastic.masses();
        for (body, state) in m.bodies.iter_mut().zip(bodies) {
            if !body.pinned.is_empty() {
                combine(body, state, masses, h);
            }
        }
        scripted
    }

    /// The vertices that are fixed to free bodies in this step.
    pub(crate) fn attachments(&self) -> Vec<VertexAttachment> {
        let bodies = (0u32..).zip(&self.motion.bodies);
        let of_body = bodies.flat_map(|(body, b)| {
            let attach =
                move |&(vertex, arm): &(u32, DVec3)| VertexAttachment { vertex, body, arm };
            b.pinned.iter().map(attach)
        });
        of_body.collect()
    }

    /// The bodies for the elastic solve. Locked bodies have no implicit contacts,
    /// so their mass is irrelevant. Vertices that are fixed to a body are part of
    /// the solve and not of the body here.
    pub(crate) fn implicit_bodies(&self, bodies: &[BodyState]) -> Vec<ImplicitBody> {
        let bodies = self.motion.bodies.iter().zip(bodies).map(|(b, state)| {
            let (mass, inertia) = match (b.inverse_mass > 0.0, b.pinned.is_empty()) {
                (true, true) => (b.inverse_mass.recip(), b.inverse_inertia.inverse()),
                (true, false) => (state.inverse_mass.recip(), inertia(state)),
                (false, _) => (1.0, DMat3::IDENTITY),
            };
            ImplicitBody {
                mass,
                inertia,
                velocity: b.velocity,
                omega: b.omega,
                offset: b.offset,
            }
        });
        bodies.collect()
    }

    /// After the elastic solve: the velocities of bodies with pinned vertices.
    pub(crate) fn take_pinned_bodies(&mut self, bodies: &[BodyState], implicit: bool) {
        for (k, state) in bodies.iter().enumerate() {
            let body = &mut self.motion.bodies[k];
            if body.pinned.is_empty() {
                continue;
            }
            if implicit {
                (body.velocity, body.omega) = self.elastic.body_velocity(k as u32);
                continue;
            }
            // Explicit steps moved body and vertices each by itself: their
            // momentum and angular momentum are those of the whole.
            let mut momentum = state.velocity / state.inverse_mass;
            let mut spin = body.offset.cross(momentum) + inertia(state) * state.omega;
            for &(v, arm) in &body.pinned {
                let of_vertex =
                    self.elastic.masses()[v as usize] * self.motion.velocity[v as usize];
                momentum += of_vertex;
                spin += arm.cross(of_vertex);
            }
            body.velocity = body.inverse_mass * momentum;
            body.omega = body.inverse_inertia * spin;
        }
    }
}

/// The pose of a body at the end of a step of `h` seconds.
fn end_pose(b: &BodyState, h: f64) -> Pose {
    let turn = rotation::exp(h * b.omega) * b.orientation;
    Pose::new(turn.normalize(), b.centre + h * b.velocity)
}

/// The inertia tensor of a free body in world axes.
fn inertia(b: &BodyState) -> DMat3 {
    let turn = DMat3::from_quat(b.orientation);
    turn * DMat3::from_diagonal(b.inverse_moments.recip()) * turn.transpose()
}

/// Makes `body` the rigid body of the free body `state` and of the vertices in
/// `pinned`, which have their places in its axes. It moves as the body does
/// without the vertices.
fn combine(body: &mut ResponseBody, state: &BodyState, masses: &[f64], h: f64) {
    let turn = DMat3::from_quat(state.orientation);
    let mass = state.inverse_mass.recip();
    let (mut total, mut first) = (mass, DVec3::ZERO);
    for (v, arm) in &mut body.pinned {
        *arm = turn * *arm;
        total += masses[*v as usize];
        first += masses[*v as usize] * *arm;
    }
    body.offset = -first / total;
    body.centre = state.centre - body.offset;
    for (_, arm) in &mut body.pinned {
        *arm += body.offset;
    }
    for arm in &mut body.arms {
        *arm += body.offset;
    }
    let about = |mass: f64, r: DVec3| {
        let square = DMat3::from_diagonal(DVec3::splat(r.length_squared()));
        (square - DMat3::from_cols(r * r.x, r * r.y, r * r.z)) * mass
    };
    let vertices = body.pinned.iter();
    let vertices = vertices.map(|&(v, arm)| about(masses[v as usize], arm));
    let all = vertices.fold(inertia(state) + about(mass, body.offset), |sum, i| sum + i);
    body.inverse_mass = total.recip();
    body.inverse_inertia = all.inverse();
    let turned = rotation::exp(h * state.omega) * body.offset;
    body.velocity = state.velocity - (turned - body.offset) / h;
}
