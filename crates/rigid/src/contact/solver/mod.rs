//! Solves contacts and joints in substeps, as soft constraints with warm starting.
//!
//! A step is divided into substeps. Each of them adds the forces, handles impacts
//! ([`impact`]), applies the impulses of the last substep again, solves every
//! constraint once as a soft spring that pushes overlaps out, moves the bodies, and
//! solves once more without pushing ("relax"), which removes the energy that the push
//! added. Detection happens once per step; within it, separations follow from the
//! motion of the bodies.

pub mod block;
pub mod bodies;
pub mod colour;
pub mod impact;
pub mod softness;

use crate::blocks::Width;
use crate::joint::Joint;
use crate::joint::solve::{JointSettings, PreparedJoint};
use block::{ContactBlock, ContactConstraint, StepImpulse, SubstepSettings};
use bodies::{BodyConstants, SolverBody, WIDTH, advance};
use colour::MAX_COLOURS;
use conatus_geometry::convex::Manifold;
use conatus_math::{DVec3, rotation};
use impact::{Adjacency, Bounce, Departure, NarrowPhase};
use rayon::prelude::*;
use softness::Softness;

/// How contacts are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverSettings {
    /// Substeps of a step.
    pub substeps: u32,
    /// The frequency of contacts between bodies that move, in hertz. It is limited to
    /// an eighth of the rate of substeps. Contacts with what never moves are twice as
    /// stiff.
    pub contact_hertz: f64,
    /// Their damping ratio.
    pub contact_damping_ratio: f64,
    /// The fastest that overlaps are pushed out, in m/s.
    pub max_push_speed: f64,
    /// The frequency of joints, in hertz, limited to an eighth of the rate of substeps.
    pub joint_hertz: f64,
    /// Their damping ratio.
    pub joint_damping_ratio: f64,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            substeps: 4,
            contact_hertz: 240.0,
            contact_damping_ratio: 10.0,
            max_push_speed: 3.0,
            joint_hertz: 240.0,
            joint_damping_ratio: 2.0,
        }
    }
}

/// Blocks that are worth a thread of their own.
const MIN_PARALLEL_BLOCKS: usize = 64;
const MIN_PARALLEL_BODIES: usize = 1024;

/// What a pass does with every block.
#[derive(Clone, Copy, Debug)]
enum Pass {
    WarmStart,
    Solve,
    Relax,
}

/// Working memory of the solver, kept between steps.
#[derive(Debug, Default)]
pub struct ContactSolver {
    /// Body 0 never moves.
    pub bodies: Vec<SolverBody>,
    /// In the same order.
    pub constants: Vec<BodyConstants>,
    /// The contacts.
    pub contacts: Vec<ContactConstraint>,
    /// What each contact does in impacts.
    pub bounces: Vec<Bounce>,
    /// The impulses of each contact over the step.
    pub impulses: Vec<StepImpulse>,
    /// The joints, with the numbers of their descriptions.
    pub joints: Vec<(u32, PreparedJoint)>,
    /// The contacts that were detected again within the step, in order.
    pub renewed: Vec<(u32, Manifold)>,
    /// The colour, block and lane of each contact.
    places: Vec<(u32, u32, u32)>,
    /// The velocities before the constraints of a substep.
    unconstrained: Vec<DVec3>,
    blocks: Vec<Vec<ContactBlock>>,
    used: Vec<u32>,
    colours: Vec<Vec<u32>>,
    candidates: Vec<u32>,
    /// The impacts of the substep, and the spins of the bodies after them.
    departures: Vec<Departure>,
    spins: Vec<DVec3>,
    adjacency: Adjacency,
    substeps: u32,
}

impl ContactSolver {
    /// Forgets bodies and contacts, but for body 0.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.constants.clear();
        self.contacts.clear();
        self.bounces.clear();
        self.renewed.clear();
        self.joints.clear();
        self.bodies.push(SolverBody::default());
        self.constants.push(BodyConstants::FIXED);
    }

    /// Adds a body with its velocities and returns its number.
    pub fn add_body(&mut self, constants: BodyConstants, velocity: DVec3, omega: DVec3) -> u32 {
        let body = SolverBody::default();
        body.set_velocity(velocity);
        body.set_omega(omega);
        self.bodies.push(body);
        self.constants.push(constants);
        self.bodies.len() as u32 - 1
    }

    /// Makes a step of `h` seconds; `narrow` finds where contacts touch, and `joints` are
    /// the descriptions of the joints.
    pub fn step(
        &mut self,
        settings: &SolverSettings,
        width: Width,
        narrow: &NarrowPhase,
        joints: &mut [Joint],
        h: f64,
    ) {
        let count = settings.substeps.max(1);
        self.substeps = count;
        let h = h / f64::from(count);
        let hertz = settings.contact_hertz.min(0.125 / h);
        let damping = settings.contact_damping_ratio;
        let shared = SubstepSettings {
            inverse_h: 1.0 / h,
            soft: Softness::new(hertz, damping, h),
            soft_static: Softness::new(2.0 * hertz, damping, h),
            max_push_speed: settings.max_push_speed,
        };
        let joint_hertz = settings.joint_hertz.min(0.125 / h);
        let for_joints = JointSettings {
            h,
            soft: Softness::new(joint_hertz, settings.joint_damping_ratio, h),
        };
        self.fill_blocks(&shared);
        self.prepare_joints(joints, &for_joints);
        self.find_candidates(h * f64::from(count));
        for _ in 0..count {
            self.add_forces(h);
            self.departures.clear();
            if !self.candidates.is_empty() {
                let substep = impact::Substep {
                    bodies: &self.bodies,
                    constants: &self.constants,
                    adjacency: &self.adjacency,
                    narrow,
                    h,
                };
                let from = self.renewed.len();
                let (contacts, bounces) = (&mut self.contacts, &mut self.bounces);
                let (candidates, renewed) = (&mut self.candidates, &mut self.renewed);
                substep.impacts(contacts, bounces, candidates, renewed, &mut self.departures);
                self.refill(from, &shared);
            }
            self.unconstrained.clear();
            let velocities = self.bodies.iter().map(SolverBody::velocity);
            self.unconstrained.extend(velocities);
            self.note_spins();
            for (k, joint) in &mut self.joints {
                joint.warm_start(&mut joints[*k as usize], &self.bodies);
            }
            self.pass(Pass::WarmStart, &shared, width);
            self.solve_joints(joints, &for_joints, true);
            self.pass(Pass::Solve, &shared, width);
            self.correct_departures();
            self.advance(h);
            self.prepare_joints(joints, &for_joints);
            self.solve_joints(joints, &for_joints, false);
            self.pass(Pass::Relax, &shared, width);
            self.add_candidates();
        }
        self.store();
    }

    /// Puts the contacts into blocks, colour by colour.
    fn fill_blocks(&mut self, settings: &SubstepSettings) {
        let constants = &self.constants;
        let pairs = self.contacts.iter().map(|c| c.moved(constants));
        colour::colour(pairs, self.bodies.len(), &mut self.used, &mut self.colours);
        self.blocks.resize_with(MAX_COLOURS + 1, Vec::new);
        self.places.resize(self.contacts.len(), (0, 0, 0));
        for (k, (members, blocks)) in self.colours.iter().zip(&mut self.blocks).enumerate() {
            // Constraints without a colour may share bodies: one in a block.
            let width = if k < MAX_COLOURS { WIDTH } else { 1 };
            let chunks = members.par_chunks(width);
            let make = |chunk: &[u32]| {
                let mut block = ContactBlock::default();
                for (lane, &index) in chunk.iter().enumerate() {
                    let c = &self.contacts[index as usize];
                    block.fill(lane, index, c, &self.constants, settings);
                }
                block
            };
            chunks
                .with_min_len(MIN_PARALLEL_BLOCKS)
                .map(make)
                .collect_into_vec(blocks);
            for (n, &index) in members.iter().enumerate() {
                let place = (k as u32, (n / width) as u32, (n % width) as u32);
                self.places[index as usize] = place;
            }
        }
    }

    fn prepare_joints(&mut self, joints: &[Joint], settings: &JointSettings) {
        for (k, joint) in &mut self.joints {
            let description = &joints[*k as usize];
            joint.prepare(description, &self.bodies, &self.constants, settings);
        }
    }

    fn solve_joints(&mut self, joints: &mut [Joint], settings: &JointSettings, with_bias: bool) {
        for (k, joint) in &mut self.joints {
            joint.solve(&mut joints[*k as usize], &self.bodies, settings, with_bias);
        }
    }

    /// Puts contacts that were detected again into their lanes.
    fn refill(&mut self, from: usize, settings: &SubstepSettings) {
        for (index, _) in &self.renewed[from..] {
            let (colour, block, lane) = self.places[*index as usize];
            let block = &mut self.blocks[colour as usize][block as usize];
            let c = &mut self.contacts[*index as usize];
            block.store(lane as usize, c);
            block.fill(lane as usize, *index, c, &self.constants, settings);
        }
    }

    /// The contacts that may be impacts in this step before any other impact.
    fn find_candidates(&mut self, h: f64) {
        self.candidates.clear();
        for (k, c) in (0u32..).zip(&self.contacts) {
            let [a, b] = c
                .bodies
                .map(|n| (&self.bodies[n as usize], &self.constants[n as usize]));
            let fast = impact::impact_speed(a.1, b.1, c.restitution, h / f64::from(self.substeps));
            let closing = c.points[..c.count].iter().any(|p| {
                let speed = |(body, constants): (&SolverBody, &BodyConstants)| {
                    let v = body.velocity() + body.omega().cross(p.point - constants.position);
                    v.dot(c.normal)
                };
                // Forces may speed them up before they touch.
                let gained = (a.1.acceleration - b.1.acceleration).dot(c.normal) * h;
                let closing = speed(a) - speed(b) + gained.max(0.0);
                closing > fast && p.separation <= 2.0 * closing * h
            });
            if closing {
                self.candidates.push(k);
            }
        }
        if !self.candidates.is_empty() {
            self.adjacency.rebuild(self.bodies.len(), &self.contacts);
        }
    }

    /// Adds the contacts that became fast within the step.
    fn add_candidates(&mut self) {
        let known = self.candidates.len();
        for block in self.blocks.iter_mut().flatten() {
            self.candidates.extend(block.take_fast());
        }
        if self.candidates.len() > known {
            if known == 0 {
                self.adjacency.rebuild(self.bodies.len(), &self.contacts);
            }
            self.candidates.sort_unstable();
            self.candidates.dedup();
        }
    }

    fn add_forces(&mut self, h: f64) {
        let work = |(body, c): (&SolverBody, &BodyConstants)| {
            if c.inverse_mass > 0.0 {
                body.set_velocity(body.velocity() + c.acceleration * h);
                body.set_omega(body.omega() + c.inverse_inertia * c.torque * h);
            }
        };
        let bodies = self.bodies.par_iter().zip(&self.constants);
        bodies.with_min_len(MIN_PARALLEL_BODIES).for_each(work);
    }

    /// The angular velocities of bodies after their last impacts of the substep.
    fn note_spins(&mut self) {
        // The last departure of each body counts.
        self.departures.reverse();
        self.departures.sort_by_key(|d| d.body);
        self.departures.dedup_by_key(|d| d.body);
        self.spins.clear();
        let spin = |d: &Departure| self.bodies[d.body as usize].omega();
        self.spins.extend(self.departures.iter().map(spin));
    }

    /// What contacts and joints do to a body after its impact counts for the rest of the
    /// substep only.
    fn correct_departures(&mut self) {
        for (departure, spin) in self.departures.iter().zip(&self.spins) {
            let body = &self.bodies[departure.body as usize];
            let before = self.unconstrained[departure.body as usize];
            let (velocity, omega) = (body.velocity() - before, body.omega() - *spin);
            if velocity != DVec3::ZERO {
                body.set_shift(body.shift() - velocity * departure.time);
            }
            if omega != DVec3::ZERO {
                let back = rotation::exp(-omega * departure.time);
                body.set_turn((back * body.turn()).normalize());
            }
        }
    }

    fn advance(&mut self, h: f64) {
        let bodies = self.bodies.par_iter().zip(&self.constants);
        let bodies = bodies.zip(&self.unconstrained);
        bodies
            .with_min_len(MIN_PARALLEL_BODIES)
            .for_each(|((body, c), unconstrained)| {
                advance(body, c, body.velocity() == *unconstrained, h);
            });
    }

    fn pass(&mut self, pass: Pass, settings: &SubstepSettings, width: Width) {
        let bodies = &self.bodies[..];
        for (k, blocks) in self.blocks.iter_mut().enumerate() {
            if k == MAX_COLOURS || blocks.len() < 2 * MIN_PARALLEL_BLOCKS {
                run(blocks, bodies, pass, settings, width);
            } else {
                let chunks = blocks.par_chunks_mut(MIN_PARALLEL_BLOCKS);
                chunks.for_each(|chunk| run(chunk, bodies, pass, settings, width));
            }
        }
    }

    /// Takes the impulses out of the blocks.
    fn store(&mut self) {
        self.impulses.clear();
        self.impulses
            .resize(self.contacts.len(), StepImpulse::default());
        for block in self.blocks.iter().flatten() {
            for (lane, &index) in block.of.iter().enumerate() {
                if let Some(c) = self.contacts.get_mut(index as usize) {
                    self.impulses[index as usize] = block.store(lane, c);
                }
            }
        }
    }
}

#[inline(always)]
fn run_all(
    blocks: &mut [ContactBlock],
    bodies: &[SolverBody],
    pass: Pass,
    settings: &SubstepSettings,
) {
    // Loops, since the body of a closure would be compiled without the caller's target
    // features, and so without AVX2.
    match pass {
        Pass::WarmStart => {
            for block in blocks {
                block.warm_start(bodies);
            }
        }
        Pass::Solve => {
            for block in blocks {
                block.solve::<true>(bodies, settings);
            }
        }
        Pass::Relax => {
            for block in blocks {
                block.solve::<false>(bodies, settings);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2(
    blocks: &mut [ContactBlock],
    bodies: &[SolverBody],
    pass: Pass,
    settings: &SubstepSettings,
) {
    run_all(blocks, bodies, pass, settings);
}

fn run(
    blocks: &mut [ContactBlock],
    bodies: &[SolverBody],
    pass: Pass,
    settings: &SubstepSettings,
    width: Width,
) {
    match width {
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 | Width::Avx512 => {
            assert!(is_x86_feature_detected!("avx2"));
            // SAFETY: the processor was just asked for AVX2.
            unsafe { run_avx2(blocks, bodies, pass, settings) }
        }
        _ => run_all(blocks, bodies, pass, settings),
    }
}
