//! Contacts side by side in SIMD lanes: what Newton's method asks of all of
//! them at every step.

use super::cone::{Bounds, Nearest, Slope};
use super::dense::Factor;
use super::{Body, Contact, MOMENT, Six, of_body};
use conatus_math::lanes::{Lanes, Real, V3};

/// As many contacts as a human has, and one more.
const LANES: usize = 8;

type Wide = Lanes<LANES>;

const ZERO: Wide = Lanes([0.0; LANES]);

/// Contacts between the same bodies. Lanes that are left over hold contacts
/// without axes, on which nothing can act.
#[derive(Clone, Debug)]
pub(super) struct Group {
    on: usize,
    against: Option<usize>,
    /// The number of the contact in each lane.
    members: [usize; LANES],
    count: usize,
    /// From the centres of mass of the two bodies.
    arm: V3<Wide>,
    arm_against: V3<Wide>,
    /// How the reaction enters the rows of its body.
    ratio: Wide,
    axes: [V3<Wide>; 3],
    bounds: Bounds<Wide>,
    /// 1/W.
    inverse: Wide,
}

/// Proj(Gᵀλ) of a group and its derivative over W.
pub(super) type Touch = Nearest<Wide>;

/// The bodies that a contact acts on.
fn ends(contact: &Contact) -> (usize, Option<usize>) {
    (contact.on, contact.against.map(|a| a.0))
}

impl Group {
    fn new(on: usize, against: Option<usize>) -> Self {
        let zero = V3::new(ZERO, ZERO, ZERO);
        Self {
            on,
            against,
            members: [0; LANES],
            count: 0,
            arm: zero,
            arm_against: zero,
            ratio: ZERO,
            axes: [zero; 3],
            bounds: Bounds {
                shares: [ZERO; 4],
                held: Lanes([1.0; LANES]),
            },
            inverse: ZERO,
        }
    }

    /// Puts all contacts in groups; mostly they are in the right ones already.
    pub fn gather(bodies: &[Body], contacts: &[Contact], groups: &mut Vec<Self>) {
        let count: usize = groups.iter().map(|g| g.count).sum();
        if count != contacts.len() || !groups.iter().all(|g| g.is_for(contacts)) {
            groups.clear();
            for (number, contact) in contacts.iter().enumerate() {
                let bodies = ends(contact);
                let fits = |g: &Self| (g.on, g.against) == bodies && g.count < LANES;
                let at = groups.iter().position(fits).unwrap_or(groups.len());
                if at == groups.len() {
                    groups.push(Self::new(bodies.0, bodies.1));
                }
                let group = &mut groups[at];
                group.members[group.count] = number;
                group.count += 1;
            }
        }
        for group in groups {
            for lane in 0..group.count {
                group.set(lane, bodies, &contacts[group.members[lane]]);
            }
        }
    }

    fn is_for(&self, contacts: &[Contact]) -> bool {
        let mut members = self.members[..self.count].iter();
        members.all(|&i| ends(&contacts[i]) == (self.on, self.against))
    }

    fn set(&mut self, lane: usize, bodies: &[Body], contact: &Contact) {
        let set = |v: &mut V3<Wide>, from: conatus_math::DVec3| {
            (v.x.0[lane], v.y.0[lane], v.z.0[lane]) = (from.x, from.y, from.z);
        };
        set(
            &mut self.arm,
            contact.position - bodies[contact.on].position,
        );
        if let Some((other, ratio)) = contact.against {
            set(
                &mut self.arm_against,
                contact.position - bodies[other].position,
            );
            self.ratio.0[lane] = -ratio;
        }
        for k in 0..3 {
            set(&mut self.axes[k], contact.matrix.col(k));
        }
        match &contact.cone {
            Some(cone) => {
                self.bounds.held.0[lane] = 1.0;
                for (share, from) in self.bounds.shares.iter_mut().zip(cone.shares()) {
                    share.0[lane] = from;
                }
            }
            None => {
                self.bounds.held.0[lane] = 0.0;
                self.bounds.shares.iter_mut().for_each(|s| s.0[lane] = 0.0);
            }
        }
        self.inverse.0[lane] = 1.0 / contact.weight;
    }

    /// Proj(Gᵀλ); adds G f to the gradient.
    #[inline(always)]
    pub fn touch(&self, lambda: &[f64], gradient: &mut [f64], touch: &mut Touch) {
        let (mut force, mut moment) = seen_from(lambda, self.on, self.arm);
        if let Some(other) = self.against {
            let (l, m) = seen_from(lambda, other, self.arm_against);
            force = force + l * self.ratio;
            moment = moment + m * self.ratio;
        }
        let [x, y, z] = self.axes;
        let numbers = [
            x.dot(force),
            y.dot(force),
            z.dot(force),
            x.dot(moment),
            y.dot(moment),
            z.dot(moment),
        ];
        *touch = self.bounds.nearest(&numbers, self.inverse);
        let p = &touch.point;
        let force = (x * p[0] + y * p[1] + z * p[2]) * self.inverse;
        let moment = (x * p[3] + y * p[4] + z * p[5]) * self.inverse;
        add_wrench(force, self.arm.cross(force) + moment, self.on, gradient);
        if let Some(other) = self.against {
            let (force, moment) = (force * self.ratio, moment * self.ratio);
            let turning = self.arm_against.cross(force) + moment;
            add_wrench(force, turning, other, gradient);
        }
    }

    /// Adds G S Gᵀ to H. The slope S is made of few directions, so what they
    /// become under G is multiplied out.
    #[inline(always)]
    pub fn add_square(&self, slope: &Slope<Wide>, factor: &mut Factor) {
        let on = Columns::new(self, slope, self.arm, Wide::splat(1.0));
        factor.add(self.on, self.on, &on.times::<true>(&on, slope));
        if let Some(other) = self.against {
            let against = Columns::new(self, slope, self.arm_against, self.ratio);
            factor.add(other, other, &against.times::<true>(&against, slope));
            if other > self.on {
                factor.add(other, self.on, &against.times::<false>(&on, slope));
            } else {
                factor.add(self.on, other, &on.times::<false>(&against, slope));
            }
        }
    }

    /// Tells forces and slopes contact by contact.
    pub fn scatter(&self, touch: &Touch, forces: &mut [Six], slopes: &mut [Slope]) {
        for lane in 0..self.count {
            let (number, slope) = (self.members[lane], &touch.slope);
            let inverse = self.inverse.0[lane];
            forces[number] = touch.point.map(|p| p.0[lane] * inverse);
            slopes[number] = Slope {
                across: slope.across.map(|n| n.0[lane]),
                share: slope.share.0[lane],
                slide: slope.slide.map(|s| s.0[lane]),
                moments: slope.moments.map(|m| m.0[lane]),
            };
        }
    }
}

/// λ of a body at the ends of arms.
#[inline(always)]
fn seen_from(lambda: &[f64], body: usize, arm: V3<Wide>) -> (V3<Wide>, V3<Wide>) {
    let (l, m) = of_body(lambda, body);
    let (l, m) = (V3::splat(l), V3::splat(m * MOMENT));
    (l + m.cross(arm), m)
}

#[inline(always)]
fn add_wrench(pushing: V3<Wide>, turning: V3<Wide>, body: usize, out: &mut [f64]) {
    let out = &mut out[6 * body..6 * body + 6];
    out[0] += pushing.x.sum();
    out[1] += pushing.y.sum();
    out[2] += pushing.z.sum();
    out[3] += MOMENT * turning.x.sum();
    out[4] += MOMENT * turning.y.sum();
    out[5] += MOMENT * turning.z.sum();
}

/// Columns of G for one body.
struct Columns {
    /// Of forces along the surface.
    slide: [[Wide; 6]; 2],
    /// G n.
    across: [Wide; 6],
    /// The lower half of those of moments; the upper half is zero.
    moments: [[Wide; 3]; 3],
}

impl Columns {
    #[inline(always)]
    fn new(group: &Group, slope: &Slope<Wide>, arm: V3<Wide>, ratio: Wide) -> Self {
        let scaled = ratio * Wide::splat(MOMENT);
        // Loops and not `map`, which is not compiled for wide registers.
        let (mut pushes, mut moments) = ([[ZERO; 6]; 3], [[ZERO; 3]; 3]);
        for (k, &axis) in group.axes.iter().enumerate() {
            let (push, turn) = (axis * ratio, arm.cross(axis) * scaled);
            pushes[k] = [push.x, push.y, push.z, turn.x, turn.y, turn.z];
            let moment = axis * scaled;
            moments[k] = [moment.x, moment.y, moment.z];
        }
        let n = &slope.across;
        let mut across = [ZERO; 6];
        for row in 0..6 {
            across[row] = pushes[0][row] * n[0] + pushes[1][row] * n[1] + pushes[2][row] * n[2];
        }
        for row in 0..3 {
            let turned = moments[0][row] * n[3] + moments[1][row] * n[4] + moments[2][row] * n[5];
            across[row + 3] = across[row + 3] + turned;
        }
        Self {
            slide: [pushes[0], pushes[1]],
            across,
            moments,
        }
    }

    /// G S Gᵀ, with rows of this body and columns of another; of one and the
    /// same body only the lower triangle.
    #[inline(always)]
    fn times<const SAME: bool>(&self, other: &Self, slope: &Slope<Wide>) -> [Six; 6] {
        let ([p, q], [xx, xy, yy]) = (&self.slide, slope.slide);
        let [r, s] = &other.slide;
        let mut out = [[0.0; 6]; 6];
        for i in 0..6 {
            let x = xx * p[i] + xy * q[i];
            let y = xy * p[i] + yy * q[i];
            let z = slope.share * self.across[i];
            for j in 0..6 {
                if SAME && j > i {
                    continue;
                }
                let mut sum = x * r[j] + y * s[j] + z * other.across[j];
                if i >= 3 && j >= 3 {
                    for k in 0..3 {
                        let left = slope.moments[k] * self.moments[k][i - 3];
                        sum = sum + left * other.moments[k][j - 3];
                    }
                }
                out[i][j] = sum.sum();
            }
        }
        out
    }
}
