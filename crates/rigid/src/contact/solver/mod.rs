//! Solves contacts and joints in substeps, as soft constraints with warm starting.
//!
//! A step is divided into substeps. Each of them adds the forces, handles impacts
//! ([`impact`]), applies the impulses of the last substep again, solves every
//! constraint once as a soft spring that pushes overlaps out, moves the bodies, and
//! solves once more without pushing ("relax"), which removes the energy that the push
//! added. Detection happens once per step; within it, separations follow from the
//! motion of the bodies.

mod adjacency;
pub mod block;
pub mod bodies;
pub mod colour;
pub mod constraint;
pub mod departure;
mod energy;
pub mod impact;
mod kernels;
pub(crate) mod simd;
pub mod softness;

use crate::blocks::Width;
use crate::contact::awake::keep_threads_awake;
use crate::joint::Joint;
use crate::joint::solve::{JointSettings, JointSolver, JointStage};
use adjacency::Adjacency;
use block::{ContactBlock, SolverBodies};
use bodies::{BodyConstants, SolverBody, WIDTH, advance};
use colour::MAX_COLOURS;
use conatus_geometry::convex::Manifold;
use conatus_math::DVec3;
use constraint::{ContactConstraint, StepResult, SubstepSettings};
use departure::{Departures, Moving};
use energy::EnergyBound;
use impact::{Bounce, NarrowPhase};
use kernels::{FillInput, Pass};
use rayon::prelude::*;
use simd::Row;
use softness::Softness;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// The fastest that overlaps are pushed out and gaps of joints are closed, in m/s.
    pub max_push_speed: f64,
    /// The fastest that joints turn bodies back, in rad/s.
    pub max_push_turn: f64,
    /// The frequency of joints, in hertz, limited to a quarter of the rate of substeps.
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
            max_push_turn: 12.0,
            joint_hertz: 240.0,
            joint_damping_ratio: 2.0,
        }
    }
}

/// Blocks that are worth a task.
const MIN_PARALLEL_BLOCKS: usize = 8;
const MIN_PARALLEL_BODIES: usize = 128;
/// Blocks that a task fills.
const FILLED_BLOCKS: usize = 16;

/// The lanes of blocks of a colour in use. Constraints without a colour may share bodies: one
/// in a block.
fn lanes(colour: usize) -> usize {
    if colour < MAX_COLOURS { WIDTH } else { 1 }
}

/// Working memory of the solver, kept between steps.
#[derive(Debug, Default)]
pub struct ContactSolver {
    /// Body 0 never moves.
    pub bodies: Vec<SolverBody>,
    /// In the same order.
    pub constants: Vec<BodyConstants>,
    /// Their inverse masses, and inverse inertias in the present orientations.
    masses: Vec<Row>,
    /// The contacts.
    pub contacts: Vec<ContactConstraint>,
    /// What each contact does in impacts.
    pub bounces: Vec<Bounce>,
    /// Which bodies a contact pressed at the end of the last step.
    pub pressed: Vec<AtomicBool>,
    /// The joints.
    pub joints: JointSolver,
    /// The contacts that were detected again within the step, in order.
    pub renewed: Vec<(u32, Manifold)>,
    /// The colour, block and lane of each contact.
    places: Vec<(u32, u32, u32)>,
    /// The velocities before the constraints of a substep.
    unconstrained: Vec<DVec3>,
    blocks: Vec<Vec<ContactBlock>>,
    changed_blocks: Vec<(u32, u32)>,
    used: Vec<u32>,
    colours: Vec<Vec<u32>>,
    candidates: Vec<u32>,
    departures: Departures,
    adjacency: Adjacency,
    energy_bound: EnergyBound,
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
        let joint_hertz = settings.joint_hertz.min(0.25 / h);
        let for_joints = JointSettings {
            h,
            soft: Softness::new(joint_hertz, settings.joint_damping_ratio, h),
            max_push_speed: settings.max_push_speed,
            max_push_turn: settings.max_push_turn,
            width,
        };
        self.find_candidates(h);
        self.fill_blocks(width);
        let (bodies, constants) = (&self.bodies, &self.constants);
        self.joints
            .begin(joints, bodies, constants, &self.masses, &for_joints);
        self.energy_bound.begin(
            &self.bodies,
            &self.constants,
            self.joints.pairs(),
            self.contacts.iter().map(|c| c.bodies),
        );
        for _ in 0..count {
            keep_threads_awake();
            self.add_forces(h);
            self.departures.list.clear();
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
                substep.impacts(
                    contacts,
                    bounces,
                    candidates,
                    renewed,
                    &mut self.departures.list,
                );
                self.turn_departed();
                self.refill(from, width);
            }
            let velocities = self.bodies.par_iter().map(SolverBody::velocity);
            velocities
                .with_min_len(MIN_PARALLEL_BODIES)
                .collect_into_vec(&mut self.unconstrained);
            let moving = Moving {
                bodies: &self.bodies,
                constants: &self.constants,
            };
            let is_jointed = |body| self.joints.is_jointed(body);
            self.departures.note(moving, &self.energy_bound, is_jointed);
            self.joint_pass(JointStage::StartMotors, joints, &for_joints);
            self.energy_bound.note(&self.bodies);
            self.joint_pass(JointStage::WarmStart, joints, &for_joints);
            self.pass(Pass::WarmStart, &shared, width);
            self.limit_warm_start();
            self.joint_pass(JointStage::Solve, joints, &for_joints);
            self.pass(Pass::Solve, &shared, width);
            let moving = Moving {
                bodies: &self.bodies,
                constants: &self.constants,
            };
            self.departures
                .correct(moving, &self.unconstrained, &self.energy_bound);
            self.advance(h);
            let (bodies, constants) = (&self.bodies, &self.constants);
            self.joints
                .relax(joints, bodies, constants, &self.masses, &for_joints);
            self.pass(Pass::Relax, &shared, width);
            self.add_candidates();
        }
        self.joints.store(joints);
    }

    /// Puts the contacts into blocks, colour by colour.
    fn fill_blocks(&mut self, width: Width) {
        let constants = &self.constants;
        self.masses.clear();
        self.masses
            .extend(constants.iter().map(BodyConstants::mass_row));
        let pairs = self.contacts.iter().map(|c| c.moved(constants));
        colour::colour(pairs, self.bodies.len(), &mut self.used, &mut self.colours);
        self.blocks.resize_with(MAX_COLOURS + 1, Vec::new);
        self.places.resize(self.contacts.len(), (0, 0, 0));
        let input = FillInput {
            contacts: &self.contacts,
            constants,
            bodies: SolverBodies {
                moving: &self.bodies,
                masses: &self.masses,
            },
        };
        // Blocks of all colours are filled side by side.
        let mut chunks = Vec::new();
        for (k, (members, blocks)) in self.colours.iter().zip(&mut self.blocks).enumerate() {
            let lanes = lanes(k);
            blocks.resize_with(members.len().div_ceil(lanes), ContactBlock::default);
            for (n, &index) in members.iter().enumerate() {
                let place = (k as u32, (n / lanes) as u32, (n % lanes) as u32);
                self.places[index as usize] = place;
            }
            let of_blocks = blocks.chunks_mut(FILLED_BLOCKS);
            let of_members = members.chunks(FILLED_BLOCKS * lanes);
            chunks.extend(of_blocks.zip(of_members).map(|(b, m)| (b, m, lanes)));
        }
        let chunks = chunks.into_par_iter();
        chunks.for_each(|(blocks, members, lanes)| {
            kernels::fill(blocks, members, lanes, &input, width);
        });
    }

    /// Weakens the impulses of the last substep that have added energy.
    fn limit_warm_start(&mut self) {
        let bound = &mut self.energy_bound;
        if let Some(factors) = bound.limit(&self.bodies, &self.constants) {
            self.joints.scale_impulses(factors);
            let blocks = self.blocks.iter_mut().flatten();
            blocks.for_each(|block| block.scale_impulses(factors));
        }
    }

    fn joint_pass(&mut self, stage: JointStage, joints: &[Joint], settings: &JointSettings) {
        self.joints
            .pass(stage, joints, &self.bodies, &self.masses, settings);
    }

    /// Puts contacts that were detected again into their lanes.
    fn refill(&mut self, from: usize, width: Width) {
        let place = |(index, _): &(u32, Manifold)| {
            let (colour, block, _) = self.places[*index as usize];
            (colour, block)
        };
        self.changed_blocks.clear();
        self.changed_blocks
            .extend(self.renewed[from..].iter().map(place));
        self.changed_blocks.sort_unstable();
        self.changed_blocks.dedup();
        for &(colour, block) in &self.changed_blocks {
            let block = &mut self.blocks[colour as usize][block as usize];
            // The impulses so far stay.
            let indices = *block.constraints();
            let members = indices.into_iter().take_while(|k| *k != u32::MAX);
            for (lane, index) in members.clone().enumerate() {
                block.result(lane).keep(&mut self.contacts[index as usize]);
            }
            let input = FillInput {
                contacts: &self.contacts,
                constants: &self.constants,
                bodies: SolverBodies {
                    moving: &self.bodies,
                    masses: &self.masses,
                },
            };
            let totals = block.totals();
            let count = members.count();
            let block = std::slice::from_mut(block);
            kernels::fill(block, &indices[..count], WIDTH, &input, width);
            block[0].set_totals(&totals);
        }
    }

    /// Decides which contacts can be impacts in this step of substeps of `h` seconds, and
    /// lists those that may be before any other impact. A contact that does not bounce is none
    /// if one of its bodies is held by others already: the soft contacts end its approach, and
    /// spread the impulse over all of them.
    fn find_candidates(&mut self, h: f64) {
        let duration = h * f64::from(self.substeps);
        let (bodies, constants, pressed) = (&self.bodies, &self.constants, &self.pressed);
        let held = |k: u32| {
            let pressed = pressed.get(k as usize);
            k != 0 && pressed.is_some_and(|flag| flag.load(Ordering::Relaxed))
        };
        let contacts = self
            .contacts
            .par_iter_mut()
            .with_min_len(MIN_PARALLEL_BODIES);
        let fast = contacts.enumerate().filter_map(|(k, c)| {
            let sides = c
                .bodies
                .map(|n| (&bodies[n as usize], &constants[n as usize]));
            let [a, b] = sides;
            let soft = c.restitution == 0.0
                && c.moved(constants).into_iter().any(held)
                && !impact::is_swift(sides, duration);
            if soft {
                c.impact_speed = f64::INFINITY;
                return None;
            }
            c.impact_speed = impact::impact_speed(a.1, b.1, c.restitution, h);
            impact::may_touch(c, sides, duration).then_some(k as u32)
        });
        self.candidates.clear();
        self.candidates.par_extend(fast);
        if !self.candidates.is_empty() {
            self.adjacency.rebuild(self.bodies.len(), &self.contacts);
        }
    }

    /// Adds the contacts that became fast within the step.
    fn add_candidates(&mut self) {
        let known = self.candidates.len();
        for block in self.blocks.iter_mut().flatten() {
            block.take_fast(&mut self.candidates);
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

    fn advance(&mut self, h: f64) {
        let bodies = self.bodies.par_iter().zip(&self.constants);
        let bodies = bodies.zip(&self.unconstrained).zip(&mut self.masses);
        bodies
            .with_min_len(MIN_PARALLEL_BODIES)
            .for_each(|(((body, c), unconstrained), mass)| {
                advance(body, c, body.velocity() == *unconstrained, h);
                c.turn_mass_row(body, mass);
            });
    }

    /// Turns the inertias with the bodies that left an impact.
    fn turn_departed(&mut self) {
        for departure in &self.departures.list {
            let k = departure.body as usize;
            self.constants[k].turn_mass_row(&self.bodies[k], &mut self.masses[k]);
        }
    }

    fn pass(&mut self, pass: Pass, settings: &SubstepSettings, width: Width) {
        let bodies = SolverBodies {
            moving: &self.bodies,
            masses: &self.masses,
        };
        for (k, blocks) in self.blocks.iter_mut().enumerate() {
            if k == MAX_COLOURS || blocks.len() < 2 * MIN_PARALLEL_BLOCKS {
                kernels::run(blocks, bodies, pass, settings, width);
            } else {
                let chunks = blocks.par_chunks_mut(MIN_PARALLEL_BLOCKS);
                chunks.for_each(|chunk| kernels::run(chunk, bodies, pass, settings, width));
            }
        }
    }

    /// What happened to a contact.
    pub fn result(&self, contact: usize) -> StepResult {
        let (colour, block, lane) = self.places[contact];
        self.blocks[colour as usize][block as usize].result(lane as usize)
    }
}
