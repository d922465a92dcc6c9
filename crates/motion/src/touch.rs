//! Where a contact is, and where it is against what it may touch: with
//! derivatives, for every cost that asks.
//!
//! A patch lies where its frame puts it. A ball or a knee touches with the side
//! that is nearest, p = centre − r n, so its place depends on the normal n there.
//! What it touches may move: gaps, normals and velocities are relative to that.

use crate::character::limb::LimbGradient;
use crate::program::{Against, Anchor, Program};
use crate::surface::Nearness;
use crate::variables::{FrameState, Local, State, add_outer};
use conatus_math::{DMat3, DVec3};

/// A point against what it may touch.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    /// From the nearest point of the surface to the point, in world axes.
    pub gap: DVec3,
    /// The normal there, away from the surface.
    pub normal: DVec3,
    /// In the axes of the carrier, if there is one.
    near: Nearness,
    /// From the carrier to the point.
    arm: DVec3,
    carrier: Option<usize>,
}

impl Approach {
    /// A point against what a contact may touch.
    pub fn new(program: &Program, state: &State, against: Against, p: DVec3) -> Self {
        let (near, carrier) = match against {
            Against::Surroundings => (Nearness::new(&program.around, p), None),
            Against::Solid(s) => {
                let solid = &program.solids[s];
                let carrier = solid.carrier.map(|(_, frame)| frame);
                let local = carrier.map_or(p, |frame| {
                    let frame = &state.frames[frame];
                    frame.matrix.transpose() * (p - frame.position)
                });
                (Nearness::to_one(&solid.shape.distance(local)), carrier)
            }
        };
        match carrier {
            None => Self {
                gap: near.gap,
                normal: near.normal,
                near,
                arm: DVec3::ZERO,
                carrier,
            },
            Some(frame) => {
                let frame = &state.frames[frame];
                Self {
                    gap: frame.matrix * near.gap,
                    normal: frame.matrix * near.normal,
                    near,
                    arm: p - frame.position,
                    carrier,
                }
            }
        }
    }

    /// How fast the surface moves at the point, and how it turns.
    pub fn carried(&self, state: &State) -> (DVec3, DVec3) {
        self.carrier.map_or((DVec3::ZERO, DVec3::ZERO), |frame| {
            let frame = &state.frames[frame];
            (frame.velocity + frame.omega.cross(self.arm), frame.omega)
        })
    }

    /// The adjoint: adds what pulls at the carrier, returns what pulls at the
    /// point.
    pub fn pull(&self, state: &State, by_gap: DVec3, by_normal: DVec3, out: &mut Local) -> DVec3 {
        let Some(frame) = self.carrier else {
            return self.near.pull(by_gap, by_normal);
        };
        let matrix = state.frames[frame].matrix;
        let back = matrix.transpose();
        // q = Fᵀ (p − x); gap = F g(q), normal = F n(q).
        let by_q = self.near.pull(back * by_gap, back * by_normal);
        let by_p = matrix * by_q;
        let carrier = &mut out.frames[frame];
        carrier.position -= by_p;
        add_outer(&mut carrier.matrix, self.arm, by_q);
        add_outer(&mut carrier.matrix, by_gap, self.near.gap);
        add_outer(&mut carrier.matrix, by_normal, self.near.normal);
        by_p
    }

    /// The adjoint of [`carried`](Self::carried), likewise.
    pub fn pull_carried(
        &self,
        state: &State,
        by_velocity: DVec3,
        by_spin: DVec3,
        out: &mut Local,
    ) -> DVec3 {
        let Some(frame) = self.carrier else {
            return DVec3::ZERO;
        };
        let omega = state.frames[frame].omega;
        let by_arm = by_velocity.cross(omega);
        let carrier = &mut out.frames[frame];
        carrier.velocity += by_velocity;
        carrier.omega += self.arm.cross(by_velocity) + by_spin;
        carrier.position -= by_arm;
        by_arm
    }
}

/// A contact at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Where it touches, or would.
    pub position: DVec3,
    /// From its axes to world axes; z away from the surface.
    pub matrix: DMat3,
    /// How far it is from what it may touch.
    pub gap: DVec3,
    /// The normal of that.
    pub normal: DVec3,
    /// Its velocity relative to that.
    pub velocity: DVec3,
    /// Its angular velocity relative to that; nothing for what may roll.
    pub spin: DVec3,
    approach: Approach,
}

/// Derivatives of a number by what [`Touch`] holds.
#[derive(Clone, Copy, Debug)]
pub struct TouchGradient {
    /// By the position.
    pub position: DVec3,
    /// By the entries of the matrix.
    pub matrix: DMat3,
    /// By the gap.
    pub gap: DVec3,
    /// By the normal.
    pub normal: DVec3,
    /// By the velocity.
    pub velocity: DVec3,
    /// By the spin.
    pub spin: DVec3,
}

impl TouchGradient {
    /// All zero.
    pub const ZERO: Self = Self {
        position: DVec3::ZERO,
        matrix: DMat3::ZERO,
        gap: DVec3::ZERO,
        normal: DVec3::ZERO,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
    };
}

impl Touch {
    /// A contact at one moment. Limbs have been placed.
    pub fn new(program: &Program, state: &State, i: usize) -> Self {
        let spec = &program.contacts[i];
        let frame = &state.frames[spec.frame];
        let (centre, moves, radius) = match spec.anchor {
            Anchor::Patch => {
                let position = frame.point(spec.offset);
                let approach = Approach::new(program, state, spec.against, position);
                let (carried, turned) = approach.carried(state);
                return Self {
                    position,
                    matrix: frame.matrix * spec.turn,
                    gap: approach.gap,
                    normal: approach.normal,
                    velocity: frame.point_velocity(spec.offset) - carried,
                    spin: frame.omega - turned,
                    approach,
                };
            }
            Anchor::Ball { radius } => {
                let centre = frame.point(spec.offset);
                (centre, frame.point_velocity(spec.offset), radius)
            }
            Anchor::Joint {
                limb,
                joint,
                radius,
            } => {
                let centre = state.limbs[limb].joints[joint];
                let moves = Secant::new(program, state, limb).velocity(joint);
                (centre, moves, radius)
            }
        };
        let approach = Approach::new(program, state, spec.against, centre);
        let n = approach.normal;
        let rolls = match spec.anchor {
            Anchor::Ball { .. } => frame.omega.cross(n * -radius),
            _ => DVec3::ZERO,
        };
        Self {
            position: centre - n * radius,
            matrix: upright(n),
            gap: approach.gap - n * radius,
            normal: n,
            velocity: moves + rolls - approach.carried(state).0,
            spin: DVec3::ZERO,
            approach,
        }
    }

    /// The adjoint: adds what pulls at frames.
    pub fn pull(
        &self,
        program: &Program,
        state: &State,
        i: usize,
        by: &TouchGradient,
        out: &mut Local,
    ) {
        let spec = &program.contacts[i];
        let approach = &self.approach;
        let by_carried = approach.pull_carried(state, -by.velocity, -by.spin, out);
        let (radius, mut by_normal) = match spec.anchor {
            Anchor::Patch => {
                let by_point = approach.pull(state, by.gap, by.normal, out);
                let frame = &state.frames[spec.frame];
                let gradient = &mut out.frames[spec.frame];
                gradient.pull_point(spec.offset, by.position + by_point + by_carried);
                gradient.matrix += by.matrix * spec.turn.transpose();
                gradient.pull_point_velocity(frame, spec.offset, by.velocity);
                gradient.omega += by.spin;
                return;
            }
            Anchor::Ball { radius } | Anchor::Joint { radius, .. } => (radius, by.normal),
        };
        by_normal -= (by.gap + by.position) * radius;
        by_normal += pull_upright(self.normal, &by.matrix);
        let mut by_centre = by.position + by_carried;
        match spec.anchor {
            Anchor::Ball { .. } => {
                let frame = &state.frames[spec.frame];
                let arm = self.normal * -radius;
                by_normal -= by.velocity.cross(frame.omega) * radius;
                by_centre += approach.pull(state, by.gap, by_normal, out);
                let gradient = &mut out.frames[spec.frame];
                gradient.pull_point(spec.offset, by_centre);
                gradient.pull_point_velocity(frame, spec.offset, by.velocity);
                gradient.omega += arm.cross(by.velocity);
            }
            Anchor::Joint { limb, joint, .. } => {
                by_centre += approach.pull(state, by.gap, by_normal, out);
                let at = &state.limbs[limb];
                let spec = &program.limbs[limb];
                let described = &program.characters[spec.character].limbs[spec.limb];
                let mut gradient = LimbGradient::default();
                gradient.clear(at.joints.len());
                gradient.joints[joint] = by_centre;
                let [torso, effector] = out
                    .frames
                    .get_disjoint_mut([spec.torso, spec.effector])
                    .expect("a limb has two frames");
                at.pull(described, &gradient, torso, effector);
                if by.velocity != DVec3::ZERO {
                    Secant::new(program, state, limb).pull(joint, by.velocity, out);
                }
            }
            Anchor::Patch => {}
        }
    }
}

/// Half of the time over which the velocity of a joint is measured, in seconds.
const HALF: f64 = 1e-3;

/// A limb a moment before and a moment after: how fast its joints move is how far
/// they get in between. So first derivatives of the limb are enough for exact
/// derivatives of this velocity.
struct Secant<'a> {
    program: &'a Program,
    limb: usize,
    frames: [&'a FrameState; 2],
    moments: [crate::character::LimbState; 2],
}

impl<'a> Secant<'a> {
    fn new(program: &'a Program, state: &'a State, limb: usize) -> Self {
        let spec = &program.limbs[limb];
        let described = &program.characters[spec.character].limbs[spec.limb];
        let frames = [&state.frames[spec.torso], &state.frames[spec.effector]];
        let moments = [-HALF, HALF].map(|time| {
            let [torso, effector] = frames.map(|frame| later(frame, time));
            let mut at = crate::character::LimbState::default();
            at.update(described, &torso, &effector, false);
            at
        });
        Self {
            program,
            limb,
            frames,
            moments,
        }
    }

    fn velocity(&self, joint: usize) -> DVec3 {
        let [before, after] = &self.moments;
        (after.joints[joint] - before.joints[joint]) / (2.0 * HALF)
    }

    fn pull(&self, joint: usize, by_velocity: DVec3, out: &mut Local) {
        let spec = &self.program.limbs[self.limb];
        let described = &self.program.characters[spec.character].limbs[spec.limb];
        for (at, time) in self.moments.iter().zip([-HALF, HALF]) {
            let mut gradient = LimbGradient::default();
            gradient.clear(at.joints.len());
            gradient.joints[joint] = by_velocity * (time.signum() / (2.0 * HALF));
            let mut moved = [crate::variables::FrameGradient::ZERO; 2];
            let [torso, effector] = &mut moved;
            at.pull(described, &gradient, torso, effector);
            // x + t v, and R + t ω × R column by column.
            for ((frame, at), moved) in [spec.torso, spec.effector]
                .into_iter()
                .zip(self.frames)
                .zip(&moved)
            {
                let into = &mut out.frames[frame];
                into.position += moved.position;
                into.velocity += moved.position * time;
                for k in 0..3 {
                    let (g, column) = (moved.matrix.col(k), at.matrix.col(k));
                    *into.matrix.col_mut(k) += g + g.cross(at.omega) * time;
                    into.omega += column.cross(g) * time;
                }
            }
        }
    }
}

/// A frame after a little time, to first order.
fn later(frame: &FrameState, time: f64) -> FrameState {
    let turned = |column: DVec3| column + frame.omega.cross(column) * time;
    let m = &frame.matrix;
    FrameState::at_rest(
        frame.position + frame.velocity * time,
        DMat3::from_cols(turned(m.x_axis), turned(m.y_axis), turned(m.z_axis)),
    )
}

/// Which axis is farthest from a normal.
fn aside(n: DVec3) -> DVec3 {
    if n.x.abs() < 0.6 { DVec3::X } else { DVec3::Y }
}

/// Axes whose z is n; how they are turned about it does not matter to what touches
/// at a point.
fn upright(n: DVec3) -> DMat3 {
    let a = aside(n);
    let x = (a - n * a.dot(n)).normalize();
    DMat3::from_cols(x, n.cross(x), n)
}

/// The adjoint of [`upright`].
fn pull_upright(n: DVec3, by: &DMat3) -> DVec3 {
    let a = aside(n);
    let raw = a - n * a.dot(n);
    let length = raw.length();
    let x = raw / length;
    let by_x = by.x_axis + by.y_axis.cross(n);
    let by_raw = (by_x - x * x.dot(by_x)) / length;
    by.z_axis + x.cross(by.y_axis) - (a * n.dot(by_raw) + by_raw * a.dot(n))
}
