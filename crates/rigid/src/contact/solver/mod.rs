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
use block::{ContactBlock, ContactConstraint, StepImpulse, SubstepSettings};
use bodies::{BodyConstants, SolverBody, WIDTH, advance};
use colour::MAX_COLOURS;
use conatus_math::DVec3;
use impact::{Adjacency, Bounce, NarrowPhase};
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
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            substeps: 4,
            contact_hertz: 240.0,
            contact_damping_ratio: 10.0,
            max_push_speed: 3.0,
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
    /// The velocities before the constraints of a substep.
    unconstrained: Vec<DVec3>,
    blocks: Vec<Vec<ContactBlock>>,
    used: Vec<u32>,
    colours: Vec<Vec<u32>>,
    candidates: Vec<u32>,
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

    /// Makes a step of `h` seconds; `narrow` finds where contacts touch.
    pub fn step(&mut self, settings: &SolverSettings, width: Width, narrow: &NarrowPhase, h: f64) {
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
        self.fill_blocks(&shared);
        self.find_candidates(h * f64::from(count));
        for _ in 0..count {
            self.add_forces(h);
            if !self.candidates.is_empty() {
                let substep = impact::Substep {
                    bodies: &self.bodies,
                    constants: &self.constants,
                    contacts: &self.contacts,
                    adjacency: &self.adjacency,
                    narrow,
                    h,
                };
                impact::impacts(&substep, &mut self.bounces, &mut self.candidates);
            }
            self.unconstrained.clear();
            let velocities = self.bodies.iter().map(SolverBody::velocity);
            self.unconstrained.extend(velocities);
            self.pass(Pass::WarmStart, &shared, width);
            self.pass(Pass::Solve, &shared, width);
            self.advance(h);
            self.pass(Pass::Relax, &shared, width);
        }
        self.store();
    }

    /// Puts the contacts into blocks, colour by colour.
    fn fill_blocks(&mut self, settings: &SubstepSettings) {
        let pairs = self.contacts.iter().map(|c| c.bodies);
        colour::colour(pairs, self.bodies.len(), &mut self.used, &mut self.colours);
        self.blocks.resize_with(MAX_COLOURS + 1, Vec::new);
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
        }
    }

    /// The contacts that may be impacts in this step before any other impact.
    fn find_candidates(&mut self, h: f64) {
        self.candidates.clear();
        for (k, c) in (0u32..).zip(&self.contacts) {
            let [a, b] = c
                .bodies
                .map(|n| (&self.bodies[n as usize], &self.constants[n as usize]));
            let fast = impact::impact_speed(a.1, b.1, h / f64::from(self.substeps));
            let closing = c.points[..c.count].iter().any(|p| {
                let speed = |(body, constants): (&SolverBody, &BodyConstants)| {
                    let v = body.velocity() + body.omega().cross(p.point - constants.position);
                    // Forces may speed it up before it touches.
                    v.dot(c.normal) + (constants.acceleration.dot(c.normal) * h)
                };
                let still = |(body, constants): (&SolverBody, &BodyConstants)| {
                    let v = body.velocity() + body.omega().cross(p.point - constants.position);
                    v.dot(c.normal)
                };
                let closing = (speed(a) - speed(b)).max(still(a) - still(b));
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

    fn advance(&mut self, h: f64) {
        let bodies = self.bodies.par_iter().zip(&self.constants);
        let bodies = bodies.zip(&self.unconstrained);
        bodies
            .with_min_len(MIN_PARALLEL_BODIES)
            .for_each(|((body, c), unconstrained)| {
                if c.inverse_mass > 0.0 {
                    advance(body, c, body.velocity() == *unconstrained, h);
                }
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
    match pass {
        Pass::WarmStart => blocks.iter_mut().for_each(|b| b.warm_start(bodies)),
        Pass::Solve => blocks
            .iter_mut()
            .for_each(|b| b.solve::<true>(bodies, settings)),
        Pass::Relax => blocks
            .iter_mut()
            .for_each(|b| b.solve::<false>(bodies, settings)),
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
