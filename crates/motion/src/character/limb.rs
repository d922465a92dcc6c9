//! Inverse kinematics of a limb: the joints of a chain of links between a base on the
//! torso and an effector.
//!
//! Mordatch et al., Appendix A: the ends of a limb are given, its inner joints follow.
//! They lie in the plane of the chord and of the bending direction n. With base b, tip t, D = t − b, d = |D| and u = D/d:
//! ```text
//! joint_k = b + x_k(d) u + y_k(d) n
//! n = v − (u·v)/(1 + u·a) (a + u)
//! ```
//! n is the bending direction v of the limb at rest, rotated by the smallest rotation
//! that takes its direction a at rest to u. It is a unit vector perpendicular to u
//! everywhere but at u = −a. The bend of an arm also follows the hand: with a vector m
//! fixed to the effector, shorter than 1, n becomes n + m − u (u·m), normalised. This
//! keeps the elbow of a hand that lies flat out of the ground. Two links give x and y
//! in closed form. More links bend by the same angle at each joint, which Newton's
//! method finds.

use super::{Knee, Patch};
use crate::variables::{FrameGradient, FrameState, add_outer};
use conatus_math::DVec3;

/// One rigid part of a limb: a capsule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The length from joint to joint, in metres.
    pub length: f64,
    /// The radius of the capsule around it, in metres.
    pub radius: f64,
    /// The radius at its end, for collisions with cloth and bodies. Costs use the
    /// capsule.
    pub end_radius: f64,
}

/// A limb.
#[derive(Clone, Debug, PartialEq)]
pub struct Limb {
    /// Its name.
    pub name: String,
    /// The position of its first joint, in torso axes.
    pub base: DVec3,
    /// Its links, from the torso outwards.
    pub links: Vec<Link>,
    /// The unit vector a: its direction in the middle of its range, in torso axes.
    pub direction: DVec3,
    /// The unit vector v: the direction in which its joints bend then, perpendicular
    /// to `direction`, in torso axes.
    pub bend: DVec3,
    /// The vector m in effector axes that the bend follows, shorter than 1.
    pub follow: DVec3,
    /// The largest angle between the limb and `direction`, in radians.
    pub swing: f64,
    /// The largest angle of a joint between its links; 0 is straight.
    pub flexion: f64,
    /// The largest angle between the last link and the effector's normal.
    pub tilt: f64,
    /// The largest angle between the effector's sideways axis and the normal of the
    /// bending plane.
    pub twist: f64,
    /// The greatest torques in N·m of its base, its inner joints and its tip, in this order;
    /// joints beyond the list have no bound.
    pub strength: Vec<f64>,
    /// Inner joints that can bear load.
    pub knees: Vec<Knee>,
    /// The effector at its end.
    pub effector: Patch,
    /// From the centre of the effector's patch to the last joint (the ankle),
    /// in the axes of the effector.
    pub tip: DVec3,
    /// The radius of the capsule along the effector's x axis: the height of a
    /// foot above its sole is twice that.
    pub effector_radius: f64,
    /// The thickness of the foot or hand over its patch, for collisions with cloth
    /// and bodies.
    pub effector_thickness: f64,
    /// The rest position of its tip, from its base, in torso axes. It replaces the
    /// weight that massless limbs do not have.
    pub rest: Option<DVec3>,
    /// The weight of the cost of being away from `rest`.
    pub comfort: f64,
    /// The vector from base to tip when the character stands on the limb, in torso
    /// axes; default: straight down and nearly stretched.
    pub stance: Option<DVec3>,
}

/// The offsets of an inner joint along and across the chord, and their derivatives by
/// the length of the chord: (x, y, dx/dd, dy/dd).
pub type JointOffset = [f64; 4];

/// The smoothing ε of the squared offset across the chord, in m⁴, so that derivatives
/// exist where the limb is straight: a knee that would be on the chord is 4 cm beside
/// it. Not used for display.
const OFFSET_SMOOTHING_M4: f64 = 1.6e-5;

impl Limb {
    /// The length of all links.
    pub fn reach(&self) -> f64 {
        self.links.iter().map(|link| link.length).sum()
    }

    /// The length of the chord when every joint is fully bent.
    pub fn min_chord(&self) -> f64 {
        match self.links.len() {
            1 => self.links[0].length,
            _ => self.chord(self.flexion).0,
        }
    }

    /// The joints of a limb that is bent by the same angle θ at every joint, with
    /// derivatives by θ: Σ l_j e^{−ijθ}. The last one is the tip.
    fn bent_joints(&self, angle: f64, joints: &mut Vec<[f64; 4]>) {
        joints.clear();
        let (mut x, mut y, mut dx, mut dy) = (0.0, 0.0, 0.0, 0.0);
        for (j, link) in self.links.iter().enumerate() {
            let j = j as f64;
            let (sin, cos) = libm::sincos(j * angle);
            x += link.length * cos;
            y -= link.length * sin;
            dx -= link.length * j * sin;
            dy -= link.length * j * cos;
            joints.push([x, y, dx, dy]);
        }
    }

    /// The chord of a limb that is bent by the same angle at every joint, and its
    /// derivative by the angle.
    fn chord(&self, angle: f64) -> (f64, f64) {
        let mut joints = Vec::with_capacity(self.links.len());
        self.bent_joints(angle, &mut joints);
        let [x, y, dx, dy] = joints.last().copied().unwrap_or_default();
        let chord = (x * x + y * y).sqrt();
        (chord, (x * dx + y * dy) / chord)
    }

    /// The offsets of the inner joints for a chord of this length. `exact` turns the
    /// smoothing off.
    pub fn joint_offsets(&self, chord: f64, exact: bool, offsets: &mut Vec<JointOffset>) {
        offsets.clear();
        let smooth = if exact { 0.0 } else { OFFSET_SMOOTHING_M4 };
        match self.links[..] {
            [] | [_] => {}
            [first, second] => {
                let (a, b, d) = (first.length, second.length, chord);
                let x = (d * d + a * a - b * b) / (2.0 * d);
                let slope = 1.0 - x / d;
                let (y, y_slope) = smooth_root(a * a - x * x, -2.0 * x * slope, smooth);
                offsets.push([x, y, slope, y_slope]);
            }
            _ => self.even_joint_offsets(chord, smooth, offsets),
        }
    }

    /// More than two links, all bent by the same angle θ. Near straight the chord is
    /// L − κθ², so w = θ² depends smoothly on the chord, also beyond L.
    fn even_joint_offsets(&self, chord: f64, smooth: f64, offsets: &mut Vec<JointOffset>) {
        let reach = self.reach();
        let mut joints = Vec::with_capacity(self.links.len());
        // κ from the chord of a small bend.
        let small = 1e-3;
        let kappa = (reach - self.chord(small).0) / (small * small);
        let (w, w_slope) = if chord >= reach - kappa * small * small {
            ((reach - chord) / kappa, -1.0 / kappa)
        } else {
            let mut angle = ((reach - chord) / kappa).sqrt().min(self.flexion.max(0.1));
            let most = std::f64::consts::TAU / self.links.len() as f64;
            for _ in 0..30 {
                let (value, slope) = self.chord(angle.min(most));
                if slope.abs() < 1e-9 {
                    break;
                }
                let step = (value - chord) / slope;
                angle = (angle - step).clamp(small, most);
                if step.abs() < 1e-14 {
                    break;
                }
            }
            let slope = self.chord(angle).1;
            // At the end of the range the angle no longer depends on the chord.
            let at_limit = slope.abs() < 1e-6 || angle >= most;
            let by_chord = if at_limit { 0.0 } else { 1.0 / slope };
            (angle * angle, 2.0 * angle * by_chord)
        };
        let (angle, angle_slope) = smooth_root(w, w_slope, smooth.sqrt() * 1e-1);
        self.bent_joints(angle, &mut joints);
        let [cx, cy, dcx, dcy] = joints.pop().unwrap_or_default();
        let length = (cx * cx + cy * cy).sqrt().max(1e-9);
        let (ux, uy) = (cx / length, cy / length);
        let along = ux * dcx + uy * dcy;
        let (dux, duy) = ((dcx - ux * along) / length, (dcy - uy * along) / length);
        for [x, y, dx, dy] in joints {
            // Rotated so that the chord lies along x, and mirrored upwards.
            let (px, py) = (x * ux + y * uy, y * ux - x * uy);
            let dpx = dx * ux + dy * uy + x * dux + y * duy;
            let dpy = dy * ux - dx * uy + y * dux - x * duy;
            // A limb is stretched evenly beyond its reach, and also by the small excess
            // bend of the smoothing.
            let stretch = chord / length;
            let by_chord = (1.0 - stretch * along * angle_slope) / length;
            offsets.push([
                px * stretch,
                py,
                dpx * angle_slope * stretch + px * by_chord,
                dpy * angle_slope,
            ]);
        }
    }
}

/// A smoothed square root, defined for slightly negative q as well: the root of
/// (q + √(q² + ε))/2, and its derivative.
fn smooth_root(q: f64, slope: f64, smooth: f64) -> (f64, f64) {
    let s = (q * q + smooth).sqrt();
    let value = (0.5 * (q + s)).max(0.0).sqrt();
    if s < 1e-300 || value < 1e-12 {
        return (value, 0.0);
    }
    // d value² / dq = (1 + q/s)/2 = value²/s.
    (value, 0.5 * value / s * slope)
}

/// The joints of a limb at one moment.
#[derive(Clone, Debug, Default)]
pub struct LimbState {
    /// The position of the first joint.
    pub base: DVec3,
    /// The position of the last joint: the ankle or the wrist.
    pub tip: DVec3,
    /// The inner joints.
    pub joints: Vec<DVec3>,
    /// The length of the chord.
    pub chord: f64,
    /// The direction u from base to tip.
    pub along: DVec3,
    /// The bending direction n.
    pub bend_direction: DVec3,
    direction: DVec3,
    bend: DVec3,
    follow: DVec3,
    /// The length of n before normalisation.
    length: f64,
    offsets: Vec<JointOffset>,
}

/// The gradient of a scalar with respect to the fields of [`LimbState`].
#[derive(Clone, Debug, Default)]
pub struct LimbGradient {
    /// By the base.
    pub base: DVec3,
    /// By the tip.
    pub tip: DVec3,
    /// By the inner joints; empty if it does not depend on them.
    pub joints: Vec<DVec3>,
    /// By the chord.
    pub chord: f64,
    /// By u.
    pub along: DVec3,
    /// By n.
    pub bend_direction: DVec3,
}

impl LimbGradient {
    /// The derivative by a point, numbered as in [`LimbState::point`].
    pub fn point(&mut self, k: usize) -> &mut DVec3 {
        match k {
            0 => &mut self.base,
            k => self.joints.get_mut(k - 1).unwrap_or(&mut self.tip),
        }
    }

    /// Sets everything to zero, for a limb with this many inner joints.
    pub fn clear(&mut self, joints: usize) {
        self.base = DVec3::ZERO;
        self.tip = DVec3::ZERO;
        self.joints.clear();
        self.joints.resize(joints, DVec3::ZERO);
        self.chord = 0.0;
        self.along = DVec3::ZERO;
        self.bend_direction = DVec3::ZERO;
    }
}

/// The lower bound of 1 + u·a, which is zero where the limb points against its
/// direction.
const MIN_ONE_PLUS_COS: f64 = 0.02;

impl LimbState {
    /// Computes the joints between a torso and its effector. `exact` keeps the lengths of
    /// links exact, but then derivatives do not exist everywhere.
    pub fn update(&mut self, limb: &Limb, torso: &FrameState, effector: &FrameState, exact: bool) {
        self.base = torso.position + torso.matrix * limb.base;
        self.tip = effector.position + effector.matrix * limb.tip;
        let chord = self.tip - self.base;
        self.chord = chord.length().max(1e-6);
        self.along = chord / self.chord;
        self.direction = torso.matrix * limb.direction;
        self.bend = torso.matrix * limb.bend;
        let (u, a, v) = (self.along, self.direction, self.bend);
        let s = (1.0 + u.dot(a)).max(MIN_ONE_PLUS_COS);
        self.follow = effector.matrix * limb.follow;
        let out = v - (a + u) * (u.dot(v) / s) + self.follow - u * u.dot(self.follow);
        self.length = out.length().max(1e-6);
        self.bend_direction = out / self.length;
        limb.joint_offsets(self.chord, exact, &mut self.offsets);
        self.joints.clear();
        for [x, y, ..] in &self.offsets {
            self.joints
                .push(self.base + u * *x + self.bend_direction * *y);
        }
    }

    /// The ends of all links: base, inner joints, tip.
    pub fn points(&self) -> impl Iterator<Item = DVec3> + '_ {
        let inner = self.joints.iter().copied();
        std::iter::once(self.base)
            .chain(inner)
            .chain(std::iter::once(self.tip))
    }

    /// A point by index: 0 is the base, the last is the tip.
    pub fn point(&self, k: usize) -> DVec3 {
        match k {
            0 => self.base,
            k => self.joints.get(k - 1).copied().unwrap_or(self.tip),
        }
    }

    /// The joint before the tip.
    pub fn last_joint(&self) -> DVec3 {
        self.joints.last().copied().unwrap_or(self.base)
    }

    /// The vector-Jacobian product of [`update`](Self::update): adds the gradient with
    /// respect to torso and effector.
    pub fn vector_jacobian_product(
        &self,
        limb: &Limb,
        gradient: &LimbGradient,
        torso: &mut FrameGradient,
        effector: &mut FrameGradient,
    ) {
        let (u, a, v) = (self.along, self.direction, self.bend);
        let (mut base, mut tip) = (gradient.base, gradient.tip);
        let (mut along, mut bend, mut chord) =
            (gradient.along, gradient.bend_direction, gradient.chord);
        for (by_joint, [x, y, dx, dy]) in gradient.joints.iter().zip(&self.offsets) {
            base += *by_joint;
            along += *by_joint * *x;
            bend += *by_joint * *y;
            chord += by_joint.dot(u) * dx + by_joint.dot(self.bend_direction) * dy;
        }
        // n′ = n + m − u (u·m), normalised.
        let m = self.follow;
        let bend = (bend - self.bend_direction * self.bend_direction.dot(bend)) / self.length;
        let by_follow = bend - u * u.dot(bend);
        along -= m * u.dot(bend) + bend * u.dot(m);
        // n = v − q (a + u), q = u·v / s, s = 1 + u·a.
        let raw = 1.0 + u.dot(a);
        let s = raw.max(MIN_ONE_PLUS_COS);
        let q = u.dot(v) / s;
        let by_q = -bend.dot(a + u);
        let by_product = by_q / s;
        let by_s = if raw > MIN_ONE_PLUS_COS {
            -by_q * q / s
        } else {
            0.0
        };
        along += v * by_product + a * by_s - bend * q;
        let by_bend = bend + u * by_product;
        let by_direction = u * by_s - bend * q;
        let by_chord = (along - u * u.dot(along)) / self.chord + u * chord;
        tip += by_chord;
        base -= by_chord;

        torso.position += base;
        add_outer(&mut torso.matrix, base, limb.base);
        add_outer(&mut torso.matrix, by_direction, limb.direction);
        add_outer(&mut torso.matrix, by_bend, limb.bend);
        effector.position += tip;
        add_outer(&mut effector.matrix, tip, limb.tip);
        add_outer(&mut effector.matrix, by_follow, limb.follow);
    }
}
