//! A limb: links from a base on the torso to an effector, and where its joints
//! are.
//!
//! Mordatch et al., Appendix A: the ends of a limb are given, its inner joints
//! follow. They lie in the plane of the chord and of a direction n in which the
//! limb bends. With base b, tip t, D = t − b, d = |D| and u = D/d:
//! ```text
//! joint_k = b + x_k(d) u + y_k(d) n
//! n = v − (u·v)/(1 + u·a) (a + u)
//! ```
//! n is the bending direction v of the limb at rest, carried along by the
//! smallest rotation that takes its direction a at rest to u: of unit length and
//! across u everywhere but at u = −a. An arm also bends where its hand would have
//! it: with a vector m fixed to the effector, shorter than 1, n becomes
//! n + m − u (u·m), made a unit vector. So the elbow of a hand that lies flat is
//! not pressed into the ground. Two links give x and y in closed form; more
//! bend by the same angle at each joint, which Newton's method finds.

use super::{Knee, Patch};
use crate::variables::{FrameGradient, FrameState, add_outer};
use conatus_math::DVec3;

/// One stiff part of a limb: a capsule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// From joint to joint, in metres.
    pub length: f64,
    /// Of the capsule around it.
    pub radius: f64,
    /// The radius at its end, for collisions with cloth and bodies: limbs taper.
    /// Costs use the capsule.
    pub end_radius: f64,
}

/// A limb.
#[derive(Clone, Debug, PartialEq)]
pub struct Limb {
    /// Its name.
    pub name: String,
    /// Where it begins, in torso axes.
    pub base: DVec3,
    /// Its links, from the torso outwards.
    pub links: Vec<Link>,
    /// The unit vector a along which it points in the middle of its range, in
    /// torso axes.
    pub direction: DVec3,
    /// The unit vector v, across `direction`, towards which its joints stick out
    /// then, in torso axes.
    pub bend: DVec3,
    /// The vector m in the axes of the effector that draws the joints along,
    /// shorter than 1.
    pub follow: DVec3,
    /// The largest angle between the limb and `direction`.
    pub swing: f64,
    /// The largest angle of a joint between its links; 0 is straight.
    pub flexion: f64,
    /// The largest angle between the last link and the effector's normal.
    pub tilt: f64,
    /// The largest angle between the effector's sideways axis and the plane
    /// across which the limb bends.
    pub twist: f64,
    /// Inner joints that can bear load.
    pub knees: Vec<Knee>,
    /// What it ends in.
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
    /// Where its tip is when nothing is asked of it, from its base and in torso
    /// axes: limbs have no weight to hang by.
    pub rest: Option<DVec3>,
    /// How much that matters.
    pub comfort: f64,
    /// The way from its base to its tip when the character stands on it, in
    /// torso axes; straight down and nearly stretched if not said.
    pub stance: Option<DVec3>,
}

/// The places of inner joints in the plane of a limb, by the length of its
/// chord: (x, y, dx/dd, dy/dd) each.
pub type Bow = [f64; 4];

/// As much as the square of a height is smoothed by: a knee 4 cm from the line
/// where it would be on it, so that derivatives exist. Not done for display.
const SMOOTH: f64 = 1.6e-5;

impl Limb {
    /// The length of all links.
    pub fn reach(&self) -> f64 {
        self.links.iter().map(|link| link.length).sum()
    }

    /// The chord of the limb when every joint is bent as far as it goes.
    pub fn shortest(&self) -> f64 {
        match self.links.len() {
            1 => self.links[0].length,
            _ => self.chord(self.flexion).0,
        }
    }

    /// The chord when every joint is bent by an angle, its derivative by the
    /// angle, and the joints (the last is the tip): Σ l_j e^{−ijθ}.
    fn arc(&self, angle: f64, joints: &mut Vec<[f64; 4]>) {
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

    fn chord(&self, angle: f64) -> (f64, f64) {
        let mut joints = Vec::with_capacity(self.links.len());
        self.arc(angle, &mut joints);
        let [x, y, dx, dy] = joints.last().copied().unwrap_or_default();
        let chord = (x * x + y * y).sqrt();
        (chord, (x * dx + y * dy) / chord)
    }

    /// The inner joints for a chord of this length.
    pub fn bow(&self, chord: f64, exact: bool, bows: &mut Vec<Bow>) {
        bows.clear();
        let smooth = if exact { 0.0 } else { SMOOTH };
        match self.links[..] {
            [] | [_] => {}
            [first, second] => {
                let (a, b, d) = (first.length, second.length, chord);
                let x = (d * d + a * a - b * b) / (2.0 * d);
                let slope = 1.0 - x / d;
                let (y, y_slope) = root(a * a - x * x, -2.0 * x * slope, smooth);
                bows.push([x, y, slope, y_slope]);
            }
            _ => self.even_bow(chord, smooth, bows),
        }
    }

    /// More than two links, bent alike. Near straight the chord is L − κθ², so
    /// w = θ² is what depends smoothly on it, also beyond L.
    fn even_bow(&self, chord: f64, smooth: f64, bows: &mut Vec<Bow>) {
        let reach = self.reach();
        let mut joints = Vec::with_capacity(self.links.len());
        // κ by the chord of a small bend.
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
            // Bent as far as it goes it does not answer any more.
            let stuck = slope.abs() < 1e-6 || angle >= most;
            let by_chord = if stuck { 0.0 } else { 1.0 / slope };
            (angle * angle, 2.0 * angle * by_chord)
        };
        let (angle, angle_slope) = root(w, w_slope, smooth.sqrt() * 1e-1);
        self.arc(angle, &mut joints);
        let [cx, cy, dcx, dcy] = joints.pop().unwrap_or_default();
        let length = (cx * cx + cy * cy).sqrt().max(1e-9);
        let (ux, uy) = (cx / length, cy / length);
        let along = ux * dcx + uy * dcy;
        let (dux, duy) = ((dcx - ux * along) / length, (dcy - uy * along) / length);
        for [x, y, dx, dy] in joints {
            // Turned so that the chord lies along x, and mirrored upwards.
            let (px, py) = (x * ux + y * uy, y * ux - x * uy);
            let dpx = dx * ux + dy * uy + x * dux + y * duy;
            let dpy = dy * ux - dx * uy + y * dux - x * duy;
            // Beyond its reach a limb is stretched evenly, and by the little that
            // smoothing bends it too far.
            let stretch = chord / length;
            let by_chord = (1.0 - stretch * along * angle_slope) / length;
            bows.push([
                px * stretch,
                py,
                dpx * angle_slope * stretch + px * by_chord,
                dpy * angle_slope,
            ]);
        }
    }
}

/// The square root of a number that may be a little below zero, smoothed:
/// q → (q + √(q² + ε))/2, and its derivative.
fn root(q: f64, slope: f64, smooth: f64) -> (f64, f64) {
    let s = (q * q + smooth).sqrt();
    let value = (0.5 * (q + s)).max(0.0).sqrt();
    if s < 1e-300 || value < 1e-12 {
        return (value, 0.0);
    }
    // d value² / dq = (1 + q/s)/2 = value²/s.
    (value, 0.5 * value / s * slope)
}

/// A limb at one moment.
#[derive(Clone, Debug, Default)]
pub struct LimbState {
    /// Where it begins.
    pub base: DVec3,
    /// Where it ends: the ankle or the wrist.
    pub tip: DVec3,
    /// The inner joints.
    pub joints: Vec<DVec3>,
    /// The length of the chord.
    pub chord: f64,
    /// The direction u from base to tip.
    pub along: DVec3,
    /// The direction n in which it bends.
    pub out: DVec3,
    direction: DVec3,
    bend: DVec3,
    follow: DVec3,
    /// The length of n before it was made a unit vector.
    length: f64,
    bows: Vec<Bow>,
}

/// Derivatives of a number by what [`LimbState`] holds.
#[derive(Clone, Debug, Default)]
pub struct LimbGradient {
    /// By the base.
    pub base: DVec3,
    /// By the tip.
    pub tip: DVec3,
    /// By the inner joints; none at all if it does not depend on them.
    pub joints: Vec<DVec3>,
    /// By the chord.
    pub chord: f64,
    /// By u.
    pub along: DVec3,
    /// By n.
    pub out: DVec3,
}

impl LimbGradient {
    /// The derivative by a point, counted as in [`LimbState::point`].
    pub fn point(&mut self, k: usize) -> &mut DVec3 {
        match k {
            0 => &mut self.base,
            k => self.joints.get_mut(k - 1).unwrap_or(&mut self.tip),
        }
    }

    /// All zero, for a limb with so many inner joints.
    pub fn clear(&mut self, joints: usize) {
        self.base = DVec3::ZERO;
        self.tip = DVec3::ZERO;
        self.joints.clear();
        self.joints.resize(joints, DVec3::ZERO);
        self.chord = 0.0;
        self.along = DVec3::ZERO;
        self.out = DVec3::ZERO;
    }
}

/// 1 + u·a is kept from zero, where the limb points against its direction.
const OPPOSITE: f64 = 0.02;

impl LimbState {
    /// The limb between a torso and its effector. `exact` leaves lengths of
    /// links as they are, at the price of derivatives.
    pub fn update(&mut self, limb: &Limb, torso: &FrameState, effector: &FrameState, exact: bool) {
        self.base = torso.position + torso.matrix * limb.base;
        self.tip = effector.position + effector.matrix * limb.tip;
        let chord = self.tip - self.base;
        self.chord = chord.length().max(1e-6);
        self.along = chord / self.chord;
        self.direction = torso.matrix * limb.direction;
        self.bend = torso.matrix * limb.bend;
        let (u, a, v) = (self.along, self.direction, self.bend);
        let s = (1.0 + u.dot(a)).max(OPPOSITE);
        self.follow = effector.matrix * limb.follow;
        let out = v - (a + u) * (u.dot(v) / s) + self.follow - u * u.dot(self.follow);
        self.length = out.length().max(1e-6);
        self.out = out / self.length;
        limb.bow(self.chord, exact, &mut self.bows);
        self.joints.clear();
        for [x, y, ..] in &self.bows {
            self.joints.push(self.base + u * *x + self.out * *y);
        }
    }

    /// All ends of links: base, inner joints, tip.
    pub fn points(&self) -> impl Iterator<Item = DVec3> + '_ {
        let inner = self.joints.iter().copied();
        std::iter::once(self.base)
            .chain(inner)
            .chain(std::iter::once(self.tip))
    }

    /// A point by its number: 0 is the base, the last is the tip.
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

    /// The adjoint of [`update`](Self::update): adds what a gradient of the
    /// state is to torso and effector.
    pub fn pull(
        &self,
        limb: &Limb,
        gradient: &LimbGradient,
        torso: &mut FrameGradient,
        effector: &mut FrameGradient,
    ) {
        let (u, a, v) = (self.along, self.direction, self.bend);
        let (mut base, mut tip) = (gradient.base, gradient.tip);
        let (mut along, mut out, mut chord) = (gradient.along, gradient.out, gradient.chord);
        for (by_joint, [x, y, dx, dy]) in gradient.joints.iter().zip(&self.bows) {
            base += *by_joint;
            along += *by_joint * *x;
            out += *by_joint * *y;
            chord += by_joint.dot(u) * dx + by_joint.dot(self.out) * dy;
        }
        // n′ = n + m − u (u·m), made a unit vector.
        let m = self.follow;
        let out = (out - self.out * self.out.dot(out)) / self.length;
        let by_follow = out - u * u.dot(out);
        along -= m * u.dot(out) + out * u.dot(m);
        // n = v − q (a + u), q = u·v / s, s = 1 + u·a.
        let raw = 1.0 + u.dot(a);
        let s = raw.max(OPPOSITE);
        let q = u.dot(v) / s;
        let by_q = -out.dot(a + u);
        let by_product = by_q / s;
        let by_s = if raw > OPPOSITE { -by_q * q / s } else { 0.0 };
        along += v * by_product + a * by_s - out * q;
        let by_bend = out + u * by_product;
        let by_direction = u * by_s - out * q;
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
