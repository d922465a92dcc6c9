//! Cloth and everything it collides with, advanced in time steps.
//!
//! One step: forces give candidate velocities, collision response filters them
//! (Harmon et al., Algorithm 1), positions follow. If the response does not
//! converge, the step is undone and repeated as two half steps, down to a
//! minimum step; below that it fails and reports where.

mod algorithm;

use crate::collide::candidates::Candidates;
use crate::collide::narrow::{CollisionHit, Near};
use crate::collide::{ClothPlane, CollisionSurface, Kind};
use crate::implicit_contacts::{ImplicitContacts, PersistentContact};
use crate::parts::{BodyState, BodySurface, ClothParts, Collisions, Gust, Obstacle, Pin};
use crate::response::{Contact, GaveUp, ResponseBody, ResponseMotion};
use crate::rest::Rest;
use crate::{ClothIntegrator, ClothLoad, ClothSpring, Elastic};
use conatus_math::{DMat3, DVec3, rotation};
use rayon::prelude::*;
use std::time::Instant;

/// Sums over steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Collisions found by continuous detection.
    pub collisions: u64,
    /// Impact zones that were resolved.
    pub impact_zones: u64,
    /// The most constraints in one zone.
    pub largest_zone: usize,
    /// Steps that needed the fail-safe.
    pub failsafe_calls: u64,
    /// Steps made, counting half steps.
    pub substeps: u64,
    /// Iterations of conjugate gradients.
    pub iterations: u64,
    /// Wall-clock seconds: total, and in collision handling.
    pub total_seconds: f64,
    /// See `total_seconds`.
    pub collision_seconds: f64,
    /// Candidate lists rebuilt.
    pub rebuilds: u64,
    /// Candidate lists extended.
    pub appends: u64,
    /// Candidates in the lists.
    pub candidates: usize,
}

/// A step that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Pinch {
    /// Time of the failure, in seconds.
    pub time: f64,
    /// Vertices of the cloth with unresolved collisions, as pairs of piece and
    /// vertex.
    pub vertices: Vec<(usize, usize)>,
    /// Whether scripted motions contradict each other there; otherwise the
    /// response did not converge.
    pub pinched: bool,
    /// Whether the velocities were beyond the limit (divergence), mostly
    /// because the step is too long for the forces.
    pub ran_away: bool,
}

/// Maximum number of elastic solves per step.
const MAX_ELASTIC_SOLVES: usize = 4;

/// Velocity limit in m/s: faster cloth has diverged.
pub const MAX_SPEED_M_S: f64 = 1e4;
/// Stretch limit: cloth with an edge longer than this many times its rest
/// length has diverged.
const MAX_EDGE_STRETCH: f64 = 100.0;

/// Edges handled by one task.
const EDGES_PER_TASK: usize = 8192;

/// Cloth and everything it collides with.
pub struct Cloth {
    /// Elasticity of all pieces.
    pub elastic: Elastic,
    /// How collisions are handled.
    pub collisions: Collisions,
    /// Acceleration of gravity.
    pub gravity: DVec3,
    /// Velocity of the air.
    pub wind: DVec3,
    /// Gusts: the time-varying part of the wind.
    pub gust: Option<Gust>,
    /// Statistics over all steps so far.
    pub stats: Stats,
    pub(crate) x: Vec<DVec3>,
    pub(crate) v: Vec<DVec3>,
    pub(crate) surface: CollisionSurface,
    pub(crate) candidates: Candidates,
    pub(crate) planes: Vec<ClothPlane>,
    /// Contacts with a normal force in the previous step.
    pub(crate) memory: Vec<PersistentContact>,
    bodies: Vec<BodySurface>,
    body_first: Vec<u32>,
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) obstacle_first: Vec<u32>,
    pub(crate) pins: Vec<Pin>,
    /// Where the vertices of each pin are at time zero.
    pub(crate) pin_start: Vec<Vec<DVec3>>,
    springs: Vec<ClothSpring>,
    names: Vec<String>,
    /// All edges of the cloth and their lengths at rest.
    edges: Vec<([u32; 2], f64)>,
    pub(crate) motion: ResponseMotion,
    near: Vec<Near>,
    contacts: Vec<Contact>,
    hits: Vec<CollisionHit>,
    /// Vertices beyond the velocity or stretch limit in the last attempt.
    ran_away: Vec<u32>,
    pub(crate) rest: Rest,
}

impl Cloth {
    /// Assembles the parts at time zero.
    pub fn new(parts: ClothParts) -> Self {
        let mut elastic = Elastic::new(&parts.pieces);
        elastic.add_bodies(parts.bodies.len());
        let mut surface = CollisionSurface::default();
        for piece in &parts.pieces {
            surface.add(
                Kind::Cloth,
                piece.rest.vertices.len(),
                &piece.rest.triangles,
                Some(piece.material.thickness),
                Some(piece.material.friction),
            );
        }
        let cloth_points = surface.points();
        let rest: Vec<DVec3> = (parts.pieces.iter())
            .flat_map(|p| p.rest.vertices.iter().copied())
            .collect();
        let length = |[a, b]: [u32; 2]| rest[a as usize].distance(rest[b as usize]);
        let edges = surface.faces.iter().flat_map(|f| f.edges());
        let edges = edges.map(|e| (e, length(e))).collect();
        let mut body_first = Vec::new();
        for b in &parts.bodies {
            let (n, t) = (b.mesh.vertices.len(), &b.mesh.triangles);
            body_first.push(surface.add(Kind::Body, n, t, None, b.friction));
        }
        let mut obstacle_first = Vec::new();
        let mut start = parts.positions.clone();
        for b in &parts.bodies {
            start.extend(&b.mesh.vertices);
        }
        for o in &parts.obstacles {
            let (n, t) = (o.mesh.vertices.len(), &o.mesh.triangles);
            obstacle_first.push(surface.add(Kind::Obstacle, n, t, None, o.friction));
            let pose = o.path.pose(0.0);
            start.extend(o.mesh.vertices.iter().map(|&p| pose.point(p)));
        }
        let mut planes = parts.planes;
        for plane in &mut planes {
            plane.vertices = (0..cloth_points as u32).collect();
        }
        let pin_start = parts.pins.iter().map(|pin| {
            let vertices = pin.vertices.iter();
            vertices.map(|&v| parts.positions[v as usize]).collect()
        });
        let pin_start = pin_start.collect();
        let mut v = parts.velocities;
        v.resize(cloth_points, DVec3::ZERO);
        let mut motion = ResponseMotion::new(start);
        for (b, &first) in parts.bodies.iter().zip(&body_first) {
            motion.add_body(ResponseBody {
                centre: DVec3::ZERO,
                velocity: DVec3::ZERO,
                omega: DVec3::ZERO,
                inverse_mass: 0.0,
                inverse_inertia: DMat3::ZERO,
                first,
                arms: b.mesh.vertices.clone(),
                ..ResponseBody::default()
            });
        }
        Self {
            elastic,
            collisions: Collisions::default(),
            gravity: DVec3::ZERO,
            wind: DVec3::ZERO,
            gust: None,
            stats: Stats::default(),
            x: parts.positions,
            v,
            candidates: Candidates::new(&surface),
            memory: Vec::new(),
            surface,
            planes,
            bodies: parts.bodies,
            body_first,
            obstacles: parts.obstacles,
            obstacle_first,
            pins: parts.pins,
            pin_start,
            springs: parts.springs,
            names: parts.pieces.iter().map(|p| p.name.clone()).collect(),
            edges,
            motion,
            near: Vec::new(),
            contacts: Vec::new(),
            hits: Vec::new(),
            ran_away: Vec::new(),
            rest: Rest::default(),
        }
    }

    /// The vertices of all pieces.
    pub fn positions(&self) -> &[DVec3] {
        &self.x
    }

    /// Their velocities.
    pub fn velocities(&self) -> &[DVec3] {
        &self.v
    }

    /// All surfaces, cloth first.
    pub fn surface(&self) -> &CollisionSurface {
        &self.surface
    }

    /// Where all points of all surfaces are at the end of the last step.
    pub fn points(&self) -> &[DVec3] {
        &self.motion.end
    }

    /// The largest ratio of edge length to rest length.
    pub fn max_stretch(&self) -> f64 {
        let ratio = |&([a, b], rest): &([u32; 2], f64)| {
            self.x[a as usize].distance(self.x[b as usize]) / rest
        };
        self.edges.iter().map(ratio).fold(0.0, f64::max)
    }

    /// The names of the pieces.
    pub fn piece_names(&self) -> &[String] {
        &self.names
    }

    /// The planes.
    pub fn planes(&self) -> &[ClothPlane] {
        &self.planes
    }

    /// Gives an obstacle a new path from now on. The path must start at the
    /// obstacle's current pose.
    pub fn set_path(&mut self, obstacle: usize, path: crate::script::Path) {
        self.obstacles[obstacle].path = path;
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// Sets the poses of bodies at time zero, for [`points`](Cloth::points)
    /// before the first step.
    pub fn place_bodies(&mut self, bodies: &[BodyState]) {
        self.motion.end.copy_from_slice(&self.motion.start);
        for (k, b) in bodies.iter().enumerate() {
            let first = self.body_first[k] as usize;
            for (i, &p) in self.bodies[k].mesh.vertices.iter().enumerate() {
                self.motion.end[first + i] = b.centre + b.orientation * p;
            }
        }
    }

    /// Advances from time `t` by `h` seconds. On input, `bodies` have their
    /// poses at `t` and their velocities over the step; on output, their poses
    /// at the end and the velocities changed by the cloth. If the step fails,
    /// cloth and bodies are unchanged.
    pub fn step(&mut self, t: f64, h: f64, bodies: &mut [BodyState]) -> Result<(), Pinch> {
        let begin = Instant::now();
        if self.is_at_rest() && !self.is_disturbed(t, h, bodies) {
            self.stats.substeps += 1;
            return Ok(());
        }
        let warm = self.elastic.warm_start();
        let result = self.advance(t, h, bodies);
        if result.is_err() {
            self.elastic.set_warm_start(&warm);
            self.motion.end.clone_from(&self.motion.start);
        } else {
            self.update_rest(t, h, bodies);
        }
        self.stats.total_seconds += begin.elapsed().as_secs_f64();
        self.stats.rebuilds = self.candidates.rebuilds;
        self.stats.appends = self.candidates.appends;
        self.stats.candidates =
            self.candidates.vertex_triangle.len() + self.candidates.edge_edge.len();
        result
    }

    fn advance(&mut self, t: f64, h: f64, bodies: &mut [BodyState]) -> Result<(), Pinch> {
        match self.attempt(t, h, bodies) {
            Ok(()) => Ok(()),
            Err(why) if !self.ran_away.is_empty() => Err(self.pinch(t, &why)),
            Err(why) if 0.5 * h < self.collisions.smallest_step => Err(self.pinch(t, &why)),
            Err(_) => {
                // The first half can succeed and the second fail.
                let (x, v) = (self.x.clone(), self.v.clone());
                let (memory, start) = (self.memory.clone(), self.motion.start.clone());
                let bodies_before = bodies.to_vec();
                let first = self.advance(t, 0.5 * h, bodies);
                let both = first.and_then(|()| self.advance(t + 0.5 * h, 0.5 * h, bodies));
                if both.is_err() {
                    (self.x, self.v, self.memory) = (x, v, memory);
                    self.motion.start = start;
                    bodies.copy_from_slice(&bodies_before);
                }
                both
            }
        }
    }

    fn pinch(&self, time: f64, why: &GaveUp) -> Pinch {
        let of_cloth = why.points.iter().filter(|&&p| (p as usize) < self.x.len());
        let place = |&p: &u32| {
            let part = self.surface.part_of[p as usize];
            let first = self.surface.parts[part as usize].first;
            (part as usize, (p - first) as usize)
        };
        Pinch {
            time,
            vertices: of_cloth.map(place).collect(),
            pinched: why.pinched,
            ran_away: !self.ran_away.is_empty(),
        }
    }

    /// Fails if velocities or edge lengths are beyond the limits of divergence:
    /// collision handling would not terminate.
    fn check_velocity_limits(&mut self) -> Result<(), GaveUp> {
        let ResponseMotion {
            h, start, velocity, ..
        } = &self.motion;
        let n = self.x.len();
        // Written as `<=` and negated, so that NaN also counts as beyond the
        // limit.
        let slow =
            |p: &u32| velocity[*p as usize].length_squared() <= MAX_SPEED_M_S * MAX_SPEED_M_S;
        let points = (0..n as u32).into_par_iter().with_min_len(EDGES_PER_TASK);
        self.ran_away = points.filter(|p| !slow(p)).collect();
        if self.ran_away.is_empty() {
            let end = |p: u32| start[p as usize] + *h * velocity[p as usize];
            let torn =
                (self.edges.par_iter().with_min_len(EDGES_PER_TASK)).filter(|([a, b], rest)| {
                    end(*a).distance_squared(end(*b))
                        > MAX_EDGE_STRETCH * MAX_EDGE_STRETCH * rest * rest
                });
            let torn: Vec<&([u32; 2], f64)> = torn.collect();
            self.ran_away.extend(torn.iter().flat_map(|(e, _)| e));
            self.ran_away.sort_unstable();
            self.ran_away.dedup();
        }
        match self.ran_away.is_empty() {
            true => Ok(()),
            false => Err(GaveUp {
                points: self.ran_away.clone(),
                pinched: false,
            }),
        }
    }

    /// One step without halving; changes nothing if it fails.
    fn attempt(&mut self, t: f64, h: f64, bodies: &mut [BodyState]) -> Result<(), GaveUp> {
        let scripted = self.begin(t, h, bodies);
        let n = self.x.len();
        let mut implicit = match self.elastic.settings.integrator {
            ClothIntegrator::ImplicitEuler if self.collisions.contacts_in_solve => {
                self.implicit_contacts()
            }
            _ => ImplicitContacts::default(),
        };
        let implicit_bodies = self.implicit_bodies(bodies);
        let attached = self.attachments();
        for solves in 1..=MAX_ELASTIC_SOLVES {
            let load = ClothLoad {
                gravity: self.gravity,
                wind: self.wind + self.gust.map_or(DVec3::ZERO, |g| g.at(t)),
                scripted: &scripted,
                springs: &self.springs,
                forces: &[],
                ties: &implicit.ties,
                bodies: &implicit_bodies,
                attached: &attached,
            };
            let velocity = &mut self.motion.velocity[..n];
            let solve = (self.elastic).candidate_velocities(&self.x, &self.v, h, &load, velocity);
            self.stats.iterations += solve.iterations as u64;
            self.check_velocity_limits()?;
            if solves == MAX_ELASTIC_SOLVES || !self.relax_friction(&mut implicit) {
                break;
            }
        }
        let is_implicit = self.elastic.settings.integrator == ClothIntegrator::ImplicitEuler;
        self.take_pinned_bodies(bodies, is_implicit);
        let given = self.take_contact_impulses(&implicit);
        let begin = Instant::now();
        let result = self.collide(&given);
        self.stats.collision_seconds += begin.elapsed().as_secs_f64();
        result?;
        self.check_velocity_limits()?;
        let contacts = std::mem::take(&mut self.contacts);
        self.store_pressing_contacts(&contacts);
        self.contacts = contacts;
        self.accept(bodies);
        Ok(())
    }

    /// Sets up the motion of everything but free vertices, and returns the
    /// pinned vertices.
    fn begin(&mut self, t: f64, h: f64, bodies: &[BodyState]) -> Vec<(u32, DVec3)> {
        let m = &mut self.motion;
        let n = self.x.len();
        m.h = h;
        m.start[..n].copy_from_slice(&self.x);
        for (i, &mass) in self.elastic.masses().iter().enumerate() {
            m.inverse_mass[i] = if mass > 0.0 { 1.0 / mass } else { 0.0 };
        }
        for (k, b) in bodies.iter().enumerate() {
            let turn = DMat3::from_quat(b.orientation);
            let motion = &mut m.bodies[k];
            motion.centre = b.centre;
            motion.velocity = b.velocity;
            motion.omega = b.omega;
            motion.inverse_mass = b.inverse_mass;
            motion.inverse_inertia =
                turn * DMat3::from_diagonal(b.inverse_moments) * turn.transpose();
            let first = motion.first as usize;
            for (i, &p) in self.bodies[k].mesh.vertices.iter().enumerate() {
                let arm = turn * p;
                motion.arms[i] = arm;
                m.start[first + i] = b.centre + arm;
                m.velocity[first + i] = b.velocity + b.omega.cross(arm);
            }
        }
        let scripted = self.begin_pins(t, h, bodies);
        let m = &mut self.motion;
        for (o, &first) in self.obstacles.iter().zip(&self.obstacle_first) {
            if o.path.rests() {
                continue;
            }
            // Starts bit for bit where the previous step ended.
            let then = o.path.pose(t + h);
            for (i, &p) in o.mesh.vertices.iter().enumerate() {
                let i = first as usize + i;
                m.velocity[i] = (then.point(p) - m.start[i]) / h;
            }
        }
        scripted
    }

    /// Accepts the step: stores positions and velocities at its end.
    fn accept(&mut self, bodies: &mut [BodyState]) {
        self.stats.substeps += 1;
        let n = self.x.len();
        self.x.copy_from_slice(&self.motion.end[..n]);
        self.v.copy_from_slice(&self.motion.velocity[..n]);
        for (b, m) in bodies.iter_mut().zip(&self.motion.bodies) {
            // Pinned vertices move the centre of mass away from the body's own.
            let turn = rotation::exp(self.motion.h * m.omega);
            let offset = turn * m.offset;
            b.velocity = m.velocity + (offset - m.offset) / self.motion.h;
            b.omega = m.omega;
            b.centre = m.centre + self.motion.h * m.velocity + offset;
            b.orientation = (turn * b.orientation).normalize();
        }
        for (o, &first) in self.obstacles.iter().zip(&self.obstacle_first) {
            if !o.path.rests() {
                let range = first as usize..first as usize + o.mesh.vertices.len();
                let (start, end) = (&mut self.motion.start, &self.motion.end);
                start[range.clone()].copy_from_slice(&end[range]);
            }
        }
    }
}
