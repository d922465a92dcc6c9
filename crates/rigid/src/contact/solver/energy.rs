//! Bounds the energy that warm starting adds to islands of joined bodies.
//!
//! The impulses λ of the last substep change the kinetic energy by
//!
//!   D(λ) = λᵀ J v + ½ λᵀ J M⁻¹ Jᵀ λ,
//!
//! the dual of the problem that the passes solve: impulses that hold make it negative, and
//! every pass without bias lowers it further. Where a light body joins heavy ones the passes
//! are far from the solution, and impulses that fitted the last substep can add energy to
//! this one, more with each of them. Then the impulses of the island are scaled by the
//! largest factor s for which D(s λ) = s λᵀ J v + ½ s² λᵀ J M⁻¹ Jᵀ λ is not positive.
//! Motors may add energy: their impulses are bounded, and are applied before. Islands of bodies
//! of similar masses are left alone: there the passes take such energy back, and a bound would
//! damp the motion of a curtain or a chain.

use super::bodies::{BodyConstants, SolverBody};
use conatus_math::DVec3;

/// Bodies whose masses differ by more than this factor make an island uneven.
const UNEVEN_MASSES: f64 = 10.0;

/// No island.
const NONE: u32 = u32::MAX;

/// What the bodies of an island move with: a scripted body that pushes it adds no energy
/// to its motion against that body.
#[derive(Clone, Copy, Debug)]
struct Carrier {
    position: DVec3,
    velocity: DVec3,
    omega: DVec3,
}

/// An island of bodies with joints.
#[derive(Clone, Copy, Debug)]
struct Island {
    carrier: Option<Carrier>,
    /// Whether something that does not move may hold it.
    anchored: bool,
    /// Whether a light body is held by a heavy one.
    uneven: bool,
    /// λᵀ J v and λᵀ J M⁻¹ Jᵀ λ.
    work: [f64; 2],
    factor: f64,
}

/// A body of an island.
#[derive(Clone, Copy, Debug)]
struct Member {
    body: u32,
    /// Its velocities before warm starting.
    velocity: DVec3,
    omega: DVec3,
}

/// The islands of a step that have joints, and working memory.
#[derive(Debug, Default)]
pub struct EnergyBound {
    /// The parent of each body in the union-find.
    parents: Vec<u32>,
    /// The island of each body, or `NONE`.
    of_bodies: Vec<u32>,
    islands: Vec<Island>,
    /// The bodies of islands, those of uneven ones first.
    members: Vec<Member>,
    of_uneven: usize,
    /// The factor of each body's impulses.
    factors: Vec<f64>,
}

impl EnergyBound {
    /// Finds the islands of a step with these joints and contacts: the solver's numbers of
    /// their bodies. Scripted bodies join nothing.
    pub fn begin(
        &mut self,
        bodies: &[SolverBody],
        constants: &[BodyConstants],
        joints: impl Iterator<Item = [u32; 2]> + Clone,
        contacts: impl Iterator<Item = [u32; 2]> + Clone,
    ) {
        self.islands.clear();
        self.members.clear();
        self.of_uneven = 0;
        if joints.clone().next().is_none() {
            return;
        }
        let count = bodies.len();
        self.parents.clear();
        self.parents.extend(0..count as u32);
        let moves = |k: u32| constants[k as usize].inverse_mass > 0.0;
        for [a, b] in joints.clone().chain(contacts.clone()) {
            if moves(a) && moves(b) {
                let (a, b) = (self.root(a), self.root(b));
                self.parents[a.max(b) as usize] = a.min(b);
            }
        }
        self.of_bodies.clear();
        self.of_bodies.resize(count, NONE);
        for k in joints.clone().flatten().filter(|k| moves(*k)) {
            let root = self.root(k) as usize;
            if self.of_bodies[root] == NONE {
                self.of_bodies[root] = self.islands.len() as u32;
                self.islands.push(Island {
                    carrier: None,
                    anchored: false,
                    uneven: false,
                    work: [0.0; 2],
                    factor: 1.0,
                });
            }
        }
        for k in 1..count as u32 {
            let root = self.root(k) as usize;
            let island = self.of_bodies[root];
            self.of_bodies[k as usize] = island;
            if island != NONE && moves(k) {
                self.members.push(Member {
                    body: k,
                    velocity: DVec3::ZERO,
                    omega: DVec3::ZERO,
                });
            }
        }
        for [a, b] in joints.chain(contacts.clone()) {
            let masses = [a, b].map(|k| constants[k as usize].inverse_mass);
            let (heavy, light) = (masses[0].min(masses[1]), masses[0].max(masses[1]));
            let island = self.of_bodies[a.max(b) as usize];
            if heavy > 0.0 && light > UNEVEN_MASSES * heavy && island != NONE {
                self.islands[island as usize].uneven = true;
            }
            for (k, other) in [(a, b), (b, a)] {
                let island = self.of_bodies[k as usize];
                if moves(k) && !moves(other) && island != NONE {
                    self.islands[island as usize].anchored = true;
                }
            }
        }
        let is_even = |m: &Member| {
            let island = self.of_bodies[m.body as usize];
            !self.islands[island as usize].uneven
        };
        self.members.sort_by_key(is_even);
        self.of_uneven = self.members.partition_point(|member| !is_even(member));
        for pair in contacts {
            for (k, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                let island = self.of_bodies[k as usize];
                if other == 0 || moves(other) || !moves(k) || island == NONE {
                    continue;
                }
                let (body, at) = (&bodies[other as usize], &constants[other as usize]);
                let carrier = Carrier {
                    position: at.position,
                    velocity: body.velocity(),
                    omega: body.omega(),
                };
                self.islands[island as usize].carrier.get_or_insert(carrier);
            }
        }
        self.factors.clear();
        self.factors.resize(count, 1.0);
    }

    /// The island of a body that nothing at rest may hold.
    pub fn floating_island(&self, body: u32) -> Option<u32> {
        let island = *self.of_bodies.get(body as usize)?;
        let floats = |k: &u32| *k != NONE && !self.islands[*k as usize].anchored;
        Some(island).filter(floats)
    }

    /// The bodies of an island.
    pub fn bodies_of(&self, island: u32) -> impl Iterator<Item = u32> + '_ {
        let members = self.members.iter().map(|member| member.body);
        members.filter(move |k| self.of_bodies[*k as usize] == island)
    }

    fn root(&mut self, mut k: u32) -> u32 {
        while self.parents[k as usize] != k {
            let above = self.parents[k as usize];
            self.parents[k as usize] = self.parents[above as usize];
            k = above;
        }
        k
    }

    /// Notes the velocities before warm starting.
    pub fn note(&mut self, bodies: &[SolverBody]) {
        for member in self.members[..self.of_uneven].iter_mut() {
            let body = &bodies[member.body as usize];
            (member.velocity, member.omega) = (body.velocity(), body.omega());
        }
    }

    /// Scales the changes of velocities since then where they have added energy. Returns
    /// the factor for the impulses of each body, if one is not 1.
    pub fn limit(&mut self, bodies: &[SolverBody], constants: &[BodyConstants]) -> Option<&[f64]> {
        for island in &mut self.islands {
            (island.work, island.factor) = ([0.0; 2], 1.0);
        }
        for member in &self.members[..self.of_uneven] {
            let k = member.body as usize;
            let (body, c) = (&bodies[k], &constants[k]);
            let island = &mut self.islands[self.of_bodies[k] as usize];
            let (mut own, mut spin) = (member.velocity, member.omega);
            if let Some(carrier) = &island.carrier {
                let arm = c.position + body.shift() - carrier.position;
                own -= carrier.velocity + carrier.omega.cross(arm);
                spin -= carrier.omega;
            }
            let changed = body.velocity() - member.velocity;
            // Inertia in principal axes.
            let to_own = (body.turn() * c.orientation).conjugate();
            let turned = to_own * (body.omega() - member.omega);
            let momentum = c.moments * turned;
            island.work[0] += own.dot(changed) / c.inverse_mass + momentum.dot(to_own * spin);
            island.work[1] += changed.length_squared() / c.inverse_mass + momentum.dot(turned);
        }
        let mut limited = false;
        for island in &mut self.islands {
            let [linear, square] = island.work;
            if linear + 0.5 * square > 0.0 {
                island.factor = (-2.0 * linear / square).clamp(0.0, 1.0);
                limited = true;
            }
        }
        if !limited {
            return None;
        }
        for member in &self.members[..self.of_uneven] {
            let k = member.body as usize;
            let factor = self.islands[self.of_bodies[k] as usize].factor;
            self.factors[k] = factor;
            if factor != 1.0 {
                let body = &bodies[k];
                let (velocity, omega) = (member.velocity, member.omega);
                body.set_velocity(velocity + (body.velocity() - velocity) * factor);
                body.set_omega(omega + (body.omega() - omega) * factor);
            }
        }
        Some(&self.factors)
    }
}
