//! Contacts side by side in SIMD lanes: what Newton's method asks of all of
//! them at every step.

use super::cone::{Bounds, Nearest, Slope};
use super::dense::Factor;
use super::{Body, Contact, MOMENT, Six};
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

    /// Puts all contacts in groups.
    pub fn gather(bodies: &[Body], contacts: &[Contact], groups: &mut Vec<Self>) {
        groups.clear();
        for (number, contact) in contacts.iter().enumerate() {
            let key = (contact.on, contact.against.map(|a| a.0));
            let fits = |g: &Self| (g.on, g.against) == key && g.count < LANES;
            let at = groups.iter().position(fits).unwrap_or(groups.len());
            if at == groups.len() {
                groups.push(Self::new(key.0, key.1));
            }
            groups[at].add(bodies, contact, number);
        }
    }

    fn add(&mut self, bodies: &[Body], contact: &Contact, number: usize) {
        let lane = self.count;
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
                for (share, from) in self.bounds.shares.iter_mut().zip(cone.shares()) {
                    share.0[lane] = from;
                }
            }
            None => self.bounds.held.0[lane] = 0.0,
        }
        self.inverse.0[lane] = 1.0 / contact.weight;
        self.members[lane] = number;
        self.count += 1;
    }

    /// Proj(Gᵀλ); adds G f to the gradient.
    #[inline(always)]
    pub fn touch(&self, lambda: &[f64], gradient: &mut [f64]) -> Touch {
        let at = |body: usize, arm: V3<Wide>| {
            let six = &lambda[6 * body..6 * body + 6];
            let wide = |k: usize, factor: f64| {
                V3::new(
                    Wide::splat(six[k] * factor),
                    Wide::splat(six[k + 1] * factor),
                    Wide::splat(six[k + 2] * factor),
                )
            };
            let (l, m) = (wide(0, 1.0), wide(3, MOMENT));
            (l + m.cross(arm), m)
        };
        let (mut force, mut moment) = at(self.on, self.arm);
        if let Some(other) = self.against {
            let (l, m) = at(other, self.arm_against);
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
        let touch = self.bounds.nearest(&numbers, self.inverse);

        let f = touch.point.map(|p| p * self.inverse);
        let force = x * f[0] + y * f[1] + z * f[2];
        let moment = x * f[3] + y * f[4] + z * f[5];
        add_wrench(force, self.arm.cross(force) + moment, self.on, gradient);
        if let Some(other) = self.against {
            let (force, moment) = (force * self.ratio, moment * self.ratio);
            let turning = self.arm_against.cross(force) + moment;
            add_wrench(force, turning, other, gradient);
        }
        touch
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
        let pushes = group.axes.map(|axis| {
            let (push, turn) = (axis * ratio, arm.cross(axis) * scaled);
            [push.x, push.y, push.z, turn.x, turn.y, turn.z]
        });
        let moments = group.axes.map(|axis| {
            let moment = axis * scaled;
            [moment.x, moment.y, moment.z]
        });
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
