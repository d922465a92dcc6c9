//! Contacts in SIMD lanes: the sums over contacts that Newton's method needs in every
//! step.

use super::cone::{Bounds, Nearest, ProjectionJacobian};
use super::dense::Factor;
use super::{BodyDemand, MOMENT_SCALE, PatchContact, Vector6, of_body};
use conatus_math::DVec3;
use conatus_math::lanes::{Lanes, Real, V3};

/// Contacts in a group: a human has seven.
const LANES: usize = 8;

type Wide = Lanes<LANES>;

const ZERO: Wide = Lanes([0.0; LANES]);

/// Contacts between the same two bodies, whichever of the two has the patch. Unused
/// lanes hold contacts with zero axes, which exert no force.
///
/// A wrench on the first body gives one on the second, by the same map for all contacts
/// of the group: so all sums over contacts are taken about the first body.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The body with the lower number, and the other one if there is one.
    bodies: (usize, Option<usize>),
    /// The number of the contact in each lane.
    members: [usize; LANES],
    count: usize,
    /// From wrenches on the first body to those on the second.
    transfer: Transfer,
    /// From the centre of mass of the first body.
    arm: V3<Wide>,
    /// Axes of patches; those of patches of the second body scaled to forces on the
    /// first.
    axes: [V3<Wide>; 3],
    bounds: Bounds<Wide>,
    /// 1/W.
    inverse: Wide,
}

/// From rows of the first body to those of the second: f₂ = ρ f₁ and
/// τ₂ = ρ (τ₁ + d × f₁), with ρ the ratio of their masses, negative.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    ratio: f64,
    /// d, times MOMENT.
    way: DVec3,
}

impl Transfer {
    fn wrench(&self, force: DVec3, turning: DVec3) -> (DVec3, DVec3) {
        let turning = turning + self.way.cross(force);
        (force * self.ratio, turning * self.ratio)
    }

    /// The transposed map, from λ of the second body to that of the first.
    fn back(&self, l: DVec3, m: DVec3) -> (DVec3, DVec3) {
        ((l + m.cross(self.way)) * self.ratio, m * self.ratio)
    }

    /// Every column of a matrix mapped.
    fn columns(&self, of: &[Vector6; 6]) -> [Vector6; 6] {
        let mut out = [[0.0; 6]; 6];
        for j in 0..6 {
            let part = |from: usize| DVec3::new(of[from][j], of[from + 1][j], of[from + 2][j]);
            let (force, turning) = self.wrench(part(0), part(3));
            for i in 0..3 {
                (out[i][j], out[i + 3][j]) = (force[i], turning[i]);
            }
        }
        out
    }

    /// Every row of a matrix mapped.
    fn rows(&self, of: &[Vector6; 6]) -> [Vector6; 6] {
        let mut out = [[0.0; 6]; 6];
        for (row, out) in of.iter().zip(&mut out) {
            let (force, turning) =
                self.wrench(DVec3::from_slice(row), DVec3::from_slice(&row[3..]));
            out[..3].copy_from_slice(&force.to_array());
            out[3..].copy_from_slice(&turning.to_array());
        }
        out
    }
}

/// Proj(Gᵀλ) of a group and its derivative over W.
pub(super) type GroupProjection = Nearest<Wide>;

/// The bodies within the cluster that a contact acts on, in ascending order.
fn ends(contact: &PatchContact, places: &[usize]) -> (usize, Option<usize>) {
    let on = places[contact.on];
    match contact.against.map(|(other, _)| places[other]) {
        Some(other) => (on.min(other), Some(on.max(other))),
        None => (on, None),
    }
}

impl Group {
    fn new(bodies: (usize, Option<usize>)) -> Self {
        let zero = V3::new(ZERO, ZERO, ZERO);
        Self {
            bodies,
            members: [0; LANES],
            count: 0,
            transfer: Transfer {
                ratio: 0.0,
                way: DVec3::ZERO,
            },
            arm: zero,
            axes: [zero; 3],
            bounds: Bounds {
                shares: [ZERO; 4],
                held: Lanes([1.0; LANES]),
            },
            inverse: ZERO,
        }
    }

    /// Puts contacts into groups; the groups of the last call are reused if they fit.
    pub fn gather(
        bodies: &[BodyDemand],
        contacts: &[PatchContact],
        places: &[usize],
        (members, gathered): (&[usize], &mut Vec<usize>),
        groups: &mut Vec<Self>,
    ) {
        if gathered != members || !groups.iter().all(|g| g.is_for(contacts, places)) {
            gathered.clear();
            gathered.extend_from_slice(members);
            groups.clear();
            for &number in members {
                let bodies = ends(&contacts[number], places);
                let fits = |g: &Self| g.bodies == bodies && g.count < LANES;
                let at = groups.iter().position(fits).unwrap_or(groups.len());
                if at == groups.len() {
                    groups.push(Self::new(bodies));
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

    fn is_for(&self, contacts: &[PatchContact], places: &[usize]) -> bool {
        let mut members = self.members[..self.count].iter();
        members.all(|&i| ends(&contacts[i], places) == self.bodies)
    }

    fn set(&mut self, lane: usize, bodies: &[BodyDemand], contact: &PatchContact) {
        let set = |v: &mut V3<Wide>, from: DVec3| {
            (v.x.0[lane], v.y.0[lane], v.z.0[lane]) = (from.x, from.y, from.z);
        };
        let (first, sign) = match contact.against {
            // A force of the second body's patch, as its reaction on the first.
            Some((other, ratio)) if other < contact.on => (other, -ratio),
            _ => (contact.on, 1.0),
        };
        let first_at = bodies[first].position;
        set(&mut self.arm, contact.position - first_at);
        if let Some((other, ratio)) = contact.against {
            let second = other.max(contact.on);
            self.transfer = Transfer {
                ratio: if sign < 0.0 { 1.0 / sign } else { -ratio },
                way: (first_at - bodies[second].position) * MOMENT_SCALE,
            };
        }
        for k in 0..3 {
            set(&mut self.axes[k], contact.matrix.col(k) * sign);
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
    pub fn project(&self, lambda: &[f64], gradient: &mut [f64], projection: &mut GroupProjection) {
        let (first, second) = self.bodies;
        let (mut l, mut m) = of_body(lambda, first);
        if let Some(second) = second {
            let (l2, m2) = of_body(lambda, second);
            let (l2, m2) = self.transfer.back(l2, m2);
            (l, m) = (l + l2, m + m2);
        }
        let moment = V3::splat(m * MOMENT_SCALE);
        let force = V3::splat(l) + moment.cross(self.arm);
        let [x, y, z] = self.axes;
        let numbers = [
            x.dot(force),
            y.dot(force),
            z.dot(force),
            x.dot(moment),
            y.dot(moment),
            z.dot(moment),
        ];
        *projection = self.bounds.nearest(&numbers, self.inverse);
        let p = &projection.point;
        let force = (x * p[0] + y * p[1] + z * p[2]) * self.inverse;
        let moment = (x * p[3] + y * p[4] + z * p[5]) * self.inverse;
        let turning = self.arm.cross(force) + moment;
        let (force, turning) = (sum(force), sum(turning) * MOMENT_SCALE);
        add_wrench(force, turning, first, gradient);
        if let Some(second) = second {
            let (force, turning) = self.transfer.wrench(force, turning);
            add_wrench(force, turning, second, gradient);
        }
    }

    /// Adds G S Gᵀ to H. The Jacobian S of the projection has few directions, whose images
    /// under G are multiplied out.
    #[inline(always)]
    pub fn add_square(&self, slope: &ProjectionJacobian<Wide>, factor: &mut Factor) {
        let (first, second) = self.bodies;
        let square = Columns::new(self, slope).square(slope);
        factor.add(first, first, &square);
        if let Some(second) = second {
            let whole: [Vector6; 6] =
                std::array::from_fn(|i| std::array::from_fn(|j| square[i.max(j)][i.min(j)]));
            let across = self.transfer.columns(&whole);
            factor.add(second, first, &across);
            factor.add(second, second, &self.transfer.rows(&across));
        }
    }

    /// Writes forces and Jacobians contact by contact.
    pub fn scatter(
        &self,
        projection: &GroupProjection,
        forces: &mut [Vector6],
        slopes: &mut [ProjectionJacobian],
    ) {
        for lane in 0..self.count {
            let (number, slope) = (self.members[lane], &projection.slope);
            let inverse = self.inverse.0[lane];
            forces[number] = projection.point.map(|p| p.0[lane] * inverse);
            slopes[number] = ProjectionJacobian {
                across: slope.across.map(|n| n.0[lane]),
                share: slope.share.0[lane],
                slide: slope.slide.map(|s| s.0[lane]),
                moments: slope.moments.map(|m| m.0[lane]),
            };
        }
    }
}

/// The sum over all lanes.
#[inline(always)]
fn sum(v: V3<Wide>) -> DVec3 {
    DVec3::new(v.x.sum(), v.y.sum(), v.z.sum())
}

#[inline(always)]
fn add_wrench(pushing: DVec3, turning: DVec3, body: usize, out: &mut [f64]) {
    let out = &mut out[6 * body..6 * body + 6];
    for k in 0..3 {
        out[k] += pushing[k];
        out[k + 3] += turning[k];
    }
}

/// Columns of G for the first body.
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
    fn new(group: &Group, slope: &ProjectionJacobian<Wide>) -> Self {
        let scale = Wide::splat(MOMENT_SCALE);
        // Loops and not `map`, which is not compiled for wide registers.
        let (mut pushes, mut moments) = ([[ZERO; 6]; 3], [[ZERO; 3]; 3]);
        for (k, &axis) in group.axes.iter().enumerate() {
            let (push, turn) = (axis, group.arm.cross(axis) * scale);
            pushes[k] = [push.x, push.y, push.z, turn.x, turn.y, turn.z];
            let moment = axis * scale;
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

    /// The lower triangle of G S Gᵀ.
    #[inline(always)]
    fn square(&self, slope: &ProjectionJacobian<Wide>) -> [Vector6; 6] {
        let ([p, q], [xx, xy, yy]) = (&self.slide, slope.slide);
        let mut out = [[0.0; 6]; 6];
        for i in 0..6 {
            let x = xx * p[i] + xy * q[i];
            let y = xy * p[i] + yy * q[i];
            let z = slope.share * self.across[i];
            for j in 0..=i {
                let mut sum = x * p[j] + y * q[j] + z * self.across[j];
                if i >= 3 && j >= 3 {
                    for k in 0..3 {
                        let left = slope.moments[k] * self.moments[k][i - 3];
                        sum = sum + left * self.moments[k][j - 3];
                    }
                }
                out[i][j] = sum.sum();
            }
        }
        out
    }
}
