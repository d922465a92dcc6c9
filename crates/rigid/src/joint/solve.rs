//! Joints as soft constraints, in the substeps of [`crate::contact::solver`].
//!
//! The joints are coloured, so that those of a colour share no moving body, and solved in
//! blocks of eight lanes: ball joints without limits in `point`, all others in `rows`.
//! A substep warm-starts every joint, solves it once as a spring and damper that closes
//! its gap, and after the bodies have moved prepares it at the new positions and solves it
//! once more without closing gaps ("relax").

mod angles;
mod block;
mod coordinates;
mod kernels;
mod point;
mod rows;

pub use angles::{angles, difference};

use super::{Joint, JointLoad};
use crate::blocks::Width;
use crate::contact::solver::bodies::{BodyConstants, SolverBody, WIDTH};
use crate::contact::solver::colour::{self, MAX_COLOURS};
use crate::contact::solver::simd::{Row, Simd};
use crate::contact::solver::softness::Softness;
use block::JointBodies;
use conatus_math::{DVec3, Pose};
use kernels::JointKernel;
use point::PointBlock;
use rayon::prelude::*;
use rows::RowBlock;

/// Coordinates of a joint.
const MAX_ROWS: usize = 6;
/// Blocks that are worth a thread of their own.
const MIN_PARALLEL_BLOCKS: usize = 24;
const MIN_PARALLEL_BODIES: usize = 1024;

/// What all joints of a step share.
#[derive(Clone, Copy, Debug)]
pub struct JointSettings {
    /// The length of a substep in seconds.
    pub h: f64,
    /// Of locked coordinates and limits.
    pub soft: Softness,
    /// The fastest that gaps are closed, in m/s.
    pub max_push_speed: f64,
    /// The same for rotations, in rad/s.
    pub max_push_turn: f64,
    /// The registers to use.
    pub width: Width,
}

/// A stage of the solver, made with every joint.
#[derive(Clone, Copy, Debug)]
pub enum JointStage {
    /// Finds the rows at the present positions.
    Prepare,
    /// Applies the impulses of motors of the last substep.
    StartMotors,
    /// Applies the other impulses of the last substep.
    WarmStart,
    /// Solves once and closes gaps.
    Solve,
    /// Prepares, and solves once without closing gaps.
    Relax,
}

/// A joint between two bodies of the solver.
#[derive(Clone, Copy, Debug)]
pub struct JointLink {
    /// The number of its description.
    joint: u32,
    /// The solver's numbers of the bodies; 0 for the world.
    bodies: [u32; 2],
    /// The same, but 0 for bodies that impulses cannot move.
    moved: [u32; 2],
    /// The frames in the axes of the movers.
    frames: [Pose; 2],
}

impl JointLink {
    /// The joint with this number between bodies of the solver, with its frames in their
    /// axes.
    pub fn new(joint: u32, bodies: [u32; 2], frames: [Pose; 2]) -> Self {
        Self {
            joint,
            bodies,
            moved: bodies,
            frames,
        }
    }
}

/// What a joint carried in a step.
#[derive(Clone, Copy, Debug, Default)]
struct LinkLoad {
    /// The sums of the impulses and of the angular impulses about the anchor, on the
    /// second body.
    impulses: [DVec3; 2],
    /// The largest errors: translation and rotation.
    errors: [f64; 2],
}

/// The joints of one colour.
#[derive(Debug, Default)]
struct JointColour {
    points: Vec<PointBlock>,
    rows: Vec<RowBlock>,
    /// The links of point joints; those of others with their structure.
    of_points: Vec<u32>,
    of_rows: Vec<([usize; 2], u32)>,
    /// How many of `of_rows` are in each block.
    sizes: Vec<usize>,
}

/// The joints of a step, and working memory that is kept between steps.
#[derive(Debug, Default)]
pub struct JointSolver {
    links: Vec<JointLink>,
    loads: Vec<LinkLoad>,
    colours: Vec<JointColour>,
    /// Which bodies have joints.
    jointed: Vec<bool>,
    poses: Vec<Row>,
    used: Vec<u32>,
    /// The joints of each colour.
    members: Vec<Vec<u32>>,
    /// The pairs of bodies that were coloured last, and the number of all bodies then.
    coloured: Vec<[u32; 2]>,
    coloured_bodies: usize,
}

impl JointSolver {
    /// Removes all joints.
    pub fn clear(&mut self) {
        self.links.clear();
    }

    /// Whether there are no joints.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Takes joints, in the order of their numbers, but those of a body with itself.
    pub fn set(&mut self, links: impl IndexedParallelIterator<Item = JointLink>) {
        links.collect_into_vec(&mut self.links);
        self.links.retain(|link| link.bodies[0] != link.bodies[1]);
    }

    /// For each joint its number, its bodies, and what it carried in the last step of `h`
    /// seconds.
    pub fn carried(&self, h: f64) -> impl Iterator<Item = (usize, [u32; 2], JointLoad)> {
        let links = self.links.iter().zip(&self.loads);
        links.map(move |(link, load)| {
            let found = JointLoad {
                force: load.impulses[0] / h,
                torque: load.impulses[1] / h,
                error: load.errors[0],
                angle_error: load.errors[1],
            };
            (link.joint as usize, link.bodies, found)
        })
    }

    /// Puts the joints into blocks and prepares them. `masses` has the inverse masses of the
    /// bodies, and the inverse inertias in the present orientations.
    pub fn begin(
        &mut self,
        joints: &[Joint],
        bodies: &[SolverBody],
        constants: &[BodyConstants],
        masses: &[Row],
        settings: &JointSettings,
    ) {
        if self.links.is_empty() {
            return;
        }
        self.jointed.clear();
        self.jointed.resize(bodies.len(), false);
        self.poses.resize(bodies.len(), Row::default());
        for link in &mut self.links {
            for (moved, body) in link.moved.iter_mut().zip(link.bodies) {
                self.jointed[body as usize] = true;
                let moves = constants[body as usize].inverse_mass > 0.0;
                *moved = if moves { body } else { 0 };
            }
        }
        self.place_bodies(bodies, constants);
        let pairs = || self.links.iter().map(|link| link.moved);
        let known = self.coloured.len() == self.links.len() && self.coloured_bodies == bodies.len();
        if !known || !pairs().eq(self.coloured.iter().copied()) {
            colour::colour(pairs(), bodies.len(), &mut self.used, &mut self.members);
            self.coloured.clear();
            self.coloured.extend(pairs());
            self.coloured_bodies = bodies.len();
        }
        self.colours
            .resize_with(MAX_COLOURS + 1, JointColour::default);
        let placed = JointBodies {
            moving: bodies,
            masses,
            poses: &self.poses,
        };
        let links = &self.links;
        let colours = self.colours.par_iter_mut().zip(&self.members).enumerate();
        colours.for_each(|(k, (colour, members))| {
            // Joints without a colour may share bodies: one in a block.
            let lanes = if k < MAX_COLOURS { WIDTH } else { 1 };
            colour.fill(members, lanes, links, joints, &placed, settings);
        });
        self.run(JointStage::Prepare, joints, bodies, masses, settings);
    }

    /// Solves the joints once with closing of gaps, or applies the last impulses.
    pub fn pass(
        &mut self,
        stage: JointStage,
        joints: &[Joint],
        bodies: &[SolverBody],
        masses: &[Row],
        settings: &JointSettings,
    ) {
        if !self.links.is_empty() {
            self.run(stage, joints, bodies, masses, settings);
        }
    }

    /// Solves the joints once at the new positions of the bodies, without closing gaps.
    pub fn relax(
        &mut self,
        joints: &[Joint],
        bodies: &[SolverBody],
        constants: &[BodyConstants],
        masses: &[Row],
        settings: &JointSettings,
    ) {
        if !self.links.is_empty() {
            self.place_bodies(bodies, constants);
            self.run(JointStage::Relax, joints, bodies, masses, settings);
        }
    }

    /// Whether a body of the solver has joints.
    pub fn is_jointed(&self, body: u32) -> bool {
        !self.links.is_empty() && self.jointed[body as usize]
    }

    /// The solver's numbers of the bodies of each joint; 0 for those that impulses cannot
    /// move.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + Clone {
        self.links.iter().map(|link| link.moved)
    }

    /// Multiplies the impulses of the last substep with the factors of the bodies.
    pub fn scale_impulses(&mut self, factors: &[f64]) {
        for colour in &mut self.colours {
            let (points, rows) = (&mut colour.points, &mut colour.rows);
            points.iter_mut().for_each(|b| b.scale_impulses(factors));
            rows.iter_mut().for_each(|b| b.scale_impulses(factors));
        }
    }

    /// Gives the joints their impulses.
    pub fn store(&mut self, joints: &mut [Joint]) {
        self.loads.clear();
        self.loads.resize(self.links.len(), LinkLoad::default());
        if self.links.is_empty() {
            return;
        }
        for colour in &self.colours {
            for block in &colour.points {
                block.store(&self.links, joints, &mut self.loads);
            }
            for block in &colour.rows {
                block.store(&self.links, joints, &mut self.loads);
            }
        }
    }

    /// The poses of bodies with joints.
    fn place_bodies(&mut self, bodies: &[SolverBody], constants: &[BodyConstants]) {
        let inputs = bodies.par_iter().zip(constants).zip(&self.jointed);
        let rows = self.poses.par_iter_mut().zip(inputs);
        rows.with_min_len(MIN_PARALLEL_BODIES)
            .for_each(|(pose, ((body, c), &jointed))| {
                if jointed {
                    *pose = pose_row(body, c);
                }
            });
    }

    fn run(
        &mut self,
        stage: JointStage,
        joints: &[Joint],
        bodies: &[SolverBody],
        masses: &[Row],
        settings: &JointSettings,
    ) {
        let shared = Shared {
            stage,
            links: &self.links,
            joints,
            bodies: JointBodies {
                moving: bodies,
                masses,
                poses: &self.poses,
            },
            settings,
        };
        for (k, colour) in self.colours.iter_mut().enumerate() {
            let work = |points: &mut [PointBlock], rows: &mut [RowBlock]| {
                let pass = JointPass {
                    points,
                    rows,
                    shared,
                };
                kernels::run(pass, settings.width);
            };
            let least = 2 * MIN_PARALLEL_BLOCKS;
            if k == MAX_COLOURS || colour.points.len() + colour.rows.len() < least {
                work(&mut colour.points, &mut colour.rows);
                continue;
            }
            let points = colour.points.par_chunks_mut(MIN_PARALLEL_BLOCKS);
            points.for_each(|chunk| work(chunk, &mut []));
            let rows = colour.rows.par_chunks_mut(MIN_PARALLEL_BLOCKS);
            rows.for_each(|chunk| work(&mut [], chunk));
        }
    }
}

/// The pose of a body as a row.
#[inline]
fn pose_row(body: &SolverBody, c: &BodyConstants) -> Row {
    let position = c.position + body.shift();
    let q = (body.turn() * c.orientation).normalize();
    Row([position.x, position.y, position.z, q.x, q.y, q.z, q.w, 0.0])
}

impl JointColour {
    /// Takes the links with these numbers in place of others.
    fn fill(
        &mut self,
        members: &[u32],
        lanes: usize,
        links: &[JointLink],
        joints: &[Joint],
        bodies: &JointBodies,
        settings: &JointSettings,
    ) {
        self.of_points.clear();
        self.of_rows.clear();
        for &index in members {
            let joint = &joints[links[index as usize].joint as usize];
            match coordinates::holds_points_only(joint) {
                true => self.of_points.push(index),
                false => self.of_rows.push((coordinates::structure(joint), index)),
            }
        }
        let blocks = self.of_points.len().div_ceil(lanes);
        self.points.resize(blocks, PointBlock::EMPTY);
        let chunks = self.of_points.par_chunks(lanes);
        let filled = self.points.par_iter_mut().zip(chunks);
        filled
            .with_min_len(MIN_PARALLEL_BLOCKS)
            .for_each(|(block, chunk)| block.fill(chunk, links, joints));
        // Lanes of a block share a structure. The sort is stable.
        if lanes > 1 {
            self.of_rows.sort_by_key(|(structure, _)| *structure);
        }
        self.sizes.clear();
        for run in self.of_rows.chunk_by(|a, b| a.0 == b.0) {
            self.sizes.extend(run.chunks(lanes).map(<[_]>::len));
        }
        self.rows.resize(self.sizes.len(), RowBlock::EMPTY);
        let mut rest = &self.of_rows[..];
        for (block, &size) in self.rows.iter_mut().zip(&self.sizes) {
            let (chunk, after) = rest.split_at(size);
            let mut indices = [0; WIDTH];
            for (own, (_, index)) in indices.iter_mut().zip(chunk) {
                *own = *index;
            }
            block.fill(&indices[..size], links, joints, bodies, settings);
            rest = after;
        }
    }
}

/// What all blocks of a pass share.
#[derive(Clone, Copy)]
struct Shared<'a> {
    stage: JointStage,
    links: &'a [JointLink],
    joints: &'a [Joint],
    bodies: JointBodies<'a>,
    settings: &'a JointSettings,
}

/// A pass over blocks that share no moving body, or in their order.
struct JointPass<'a> {
    points: &'a mut [PointBlock],
    rows: &'a mut [RowBlock],
    shared: Shared<'a>,
}

impl JointKernel for JointPass<'_> {
    #[inline(always)]
    fn run<F: Simd>(self) {
        let shared = self.shared;
        for block in self.points {
            block.run::<F>(&shared.bodies, shared.settings, shared.stage);
        }
        for block in self.rows {
            run_rows::<F>(block, &shared);
        }
    }
}

#[inline(always)]
fn run_rows<F: Simd>(block: &mut RowBlock, shared: &Shared) {
    let (bodies, settings) = (&shared.bodies, shared.settings);
    match shared.stage {
        JointStage::Prepare => block.factorise::<F>(bodies),
        JointStage::StartMotors => block.start_motors::<F>(bodies),
        JointStage::WarmStart => block.warm_start::<F>(bodies),
        JointStage::Solve => block.solve::<F, true>(bodies, settings),
        JointStage::Relax => {
            block.place_all(shared.links, shared.joints, bodies, settings);
            block.factorise::<F>(bodies);
            block.solve::<F, false>(bodies, settings);
        }
    }
}
