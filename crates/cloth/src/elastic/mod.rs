//! Elastic energy of all pieces together, its forces and its stiffness matrix.

mod attached;
mod edges;
pub mod hinge;
mod implicit;
pub(crate) mod membrane;
mod order;
mod quadratic;
mod share;
mod stiffness;

use crate::integrate::{ClothSettings, Workspace};
use crate::solve::matrix::{BlockMatrix, RowPattern};
use crate::solve::parts::StripPartition;
use crate::{Material, Piece};
use conatus_math::DVec3;
use hinge::Hinge;
use membrane::{Stiffness, Strained, Triangle};
use order::Order;
use rayon::prelude::*;
use std::ops::Range;

/// Triangles whose energy is summed up by one task.
const TRIANGLES_PER_TASK: usize = 4096;

/// All elastic pieces of a scene. Vertices are numbered consecutively over all
/// pieces.
#[derive(Clone, Debug)]
pub struct Elastic {
    /// How steps are taken.
    pub settings: ClothSettings,
    pub(crate) materials: Vec<Material>,
    pub(crate) ranges: Vec<Range<usize>>,
    /// Masses by the caller's vertex numbers, and by row of the matrix. All
    /// fields below are in the order of rows.
    masses: Vec<f64>,
    pub(crate) inertia: Vec<f64>,
    pub(crate) total_mass: f64,
    /// The row of the matrix of each of the caller's vertices.
    pub(crate) place: Vec<u32>,
    pub(crate) rest: Vec<DVec3>,
    pub(crate) triangles: Vec<Triangle>,
    /// The range of triangles of each strip; triangles in no strip come last.
    shares: Vec<Range<usize>>,
    pub(crate) hinges: Vec<Hinge>,
    /// Quadratic bending: D K of the matrix's entries above the diagonal.
    pub(crate) bend_near: Vec<f64>,
    pub(crate) bend_far: Vec<f64>,
    /// Two rows for each rigid body come after those of vertices.
    pub(crate) matrix: BlockMatrix,
    pub(crate) work: Workspace,
}

impl Elastic {
    /// Precomputes masses, rest shapes and the sparsity pattern of the pieces.
    pub fn new(pieces: &[Piece]) -> Self {
        let mut ranges = Vec::new();
        let mut inertia = Vec::new();
        let mut all_places = Vec::new();
        let mut parts = StripPartition::default();
        let mut triangles = Vec::new();
        let mut hinges = Vec::new();
        // Quadratic bending by pairs of vertices: (i, j, D Kᵢ Kⱼ).
        let mut bent: Vec<(u32, u32, f64)> = Vec::new();
        for (number, piece) in pieces.iter().enumerate() {
            let first = inertia.len();
            let order = Order::of(&piece.rest);
            parts.add(&order.strips, order.seam);
            let mut place = vec![0; order.vertices.len()];
            for (k, &v) in order.vertices.iter().enumerate() {
                place[v as usize] = k as u32;
            }
            let place = |i: u32| first as u32 + place[i as usize];
            all_places.extend((0..piece.rest.vertices.len() as u32).map(place));
            ranges.push(first..first + piece.rest.vertices.len());
            inertia.resize(first + piece.rest.vertices.len(), 0.0);
            let at = |i: u32| piece.rest.vertices[i as usize];
            for mut corners in piece.rest.triangles.iter().copied() {
                corners.sort_unstable_by_key(|i| place(*i));
                let global = corners.map(place);
                let triangle = Triangle::new(global, corners.map(at), piece.warp, number as u32);
                triangles.extend(triangle);
                for i in global {
                    let area = triangle.map_or(0.0, |t| t.area);
                    inertia[i as usize] += area * piece.material.density / 3.0;
                }
            }
            for local in edges::inner_edges(&piece.rest) {
                let points = local.map(at);
                let [a, b, c, d] = points;
                let twice = (b - a)
                    .cross(c - a)
                    .length()
                    .min((b - a).cross(d - a).length());
                if twice <= 1e-14 * (b - a).length_squared() {
                    continue; // beside a triangle without area
                }
                let global = local.map(place);
                if piece.flat {
                    let k = quadratic::coefficients(points);
                    for i in 0..4 {
                        for j in 0..4 {
                            if global[i] < global[j] {
                                let value = piece.material.bend * k[i] * k[j];
                                bent.push((global[i], global[j], value));
                            }
                        }
                    }
                } else {
                    hinges.push(Hinge::new(global, points, number as u32));
                }
            }
        }
        let mut elastic = Self {
            settings: ClothSettings::default(),
            materials: pieces.iter().map(|p| p.material).collect(),
            ranges,
            masses: all_places.iter().map(|p| inertia[*p as usize]).collect(),
            total_mass: inertia.iter().sum(),
            inertia,
            place: all_places,
            rest: Vec::new(),
            triangles,
            shares: Vec::new(),
            hinges,
            bend_near: Vec::new(),
            bend_far: Vec::new(),
            matrix: BlockMatrix::default(),
            work: Workspace::default(),
        };
        let rest = pieces.iter().flat_map(|p| p.rest.vertices.iter().copied());
        elastic.rest = elastic.placed(&rest.collect::<Vec<_>>());
        elastic.analyse(bent, parts);
        elastic
    }

    /// Finds the pattern of the matrix and the slots of every element.
    fn analyse(&mut self, mut bent: Vec<(u32, u32, f64)>, parts: StripPartition) {
        self.shares = share::sort(&mut self.triangles, &parts);
        self.hinges.sort_by_key(|hinge| hinge.corners);
        let n = self.masses.len();
        let mut near: Vec<(u32, u32)> = Vec::new();
        for t in &self.triangles {
            let [a, b, c] = t.corners;
            near.extend([(a, b), (a, c), (b, c)]);
        }
        for hinge in &self.hinges {
            near.extend(hinge.pairs());
        }
        near.sort_unstable();
        near.dedup();
        let near = RowPattern::new(n, &near);
        bent.sort_by_key(|&(i, j, _)| (i, j));
        let mut far: Vec<(u32, u32)> = bent.iter().map(|&(i, j, _)| (i, j)).collect();
        far.dedup();
        far.retain(|&(i, j)| near.find(i, j).is_none());
        let far = RowPattern::new(n, &far);

        for t in &mut self.triangles {
            let [a, b, c] = t.corners;
            t.slots = [(a, b), (a, c), (b, c)].map(|(i, j)| near.find(i, j).expect("an edge"));
        }
        for hinge in &mut self.hinges {
            hinge.slots = hinge.pairs().map(|(i, j)| near.find(i, j).expect("a pair"));
        }
        self.bend_near = vec![0.0; near.column.len()];
        self.bend_far = vec![0.0; far.column.len()];
        for (i, j, value) in bent {
            match near.find(i, j) {
                Some(s) => self.bend_near[s as usize] += value,
                None => self.bend_far[far.find(i, j).expect("a pair") as usize] += value,
            }
        }
        self.matrix = BlockMatrix::new(near, far);
        self.matrix.parts = parts;
    }

    /// Adds rows for rigid bodies in implicit contacts.
    pub fn add_bodies(&mut self, count: usize) {
        if count > 0 {
            self.matrix.append(2 * count);
            self.rest.resize(self.matrix.len(), DVec3::ZERO);
        }
    }

    /// Velocity and angular velocity of a body in an implicit contact, from the
    /// last solve.
    pub fn body_velocity(&self, body: u32) -> (DVec3, DVec3) {
        let row = self.len() + 2 * body as usize;
        (self.work.guess[row], self.work.guess[row + 1])
    }

    /// Number of vertices of all pieces.
    pub fn len(&self) -> usize {
        self.masses.len()
    }

    /// Whether there is no vertex at all.
    pub fn is_empty(&self) -> bool {
        self.masses.is_empty()
    }

    /// Masses of the vertices, a third of each adjoining triangle's, kg.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// The vertices of each piece.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Elastic potential energy at the positions `x`, J.
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        let x = &self.placed(x);
        self.strain_energy(x) + self.quadratic_energy(x)
    }

    /// The energy of all but quadratic bending.
    pub(crate) fn strain_energy(&self, x: &[DVec3]) -> f64 {
        let k: Vec<Stiffness> = self.materials.iter().map(Stiffness::new).collect();
        let energy = |triangles: &[Triangle]| -> f64 {
            let energies = triangles.iter();
            let energies =
                energies.map(|t| Strained::new(t, x, &k[t.piece as usize], 1.0).energy());
            energies.sum()
        };
        let membrane: f64 = match self.shares.len() > 1 {
            true => {
                let tasks = self.triangles.par_chunks(TRIANGLES_PER_TASK).map(energy);
                tasks.collect::<Vec<f64>>().iter().sum()
            }
            false => energy(&self.triangles),
        };
        let hinges: f64 = self
            .hinges
            .iter()
            .map(|hinge| hinge.energy(x, self.materials[hinge.piece as usize].bend))
            .sum();
        membrane + hinges
    }

    /// The caller's vectors in the order of the matrix.
    pub(crate) fn placed(&self, values: &[DVec3]) -> Vec<DVec3> {
        let mut placed = Vec::new();
        self.place_into(values, &mut placed);
        placed
    }

    /// The same into an existing buffer.
    pub(crate) fn place_into(&self, values: &[DVec3], placed: &mut Vec<DVec3>) {
        placed.resize(values.len(), DVec3::ZERO);
        for (place, value) in self.place.iter().zip(values) {
            placed[*place as usize] = *value;
        }
    }

    /// ½ xᵀ Q x by pairs: rows of Q sum to zero, so it is −½ Σ Q_ij |x_i − x_j|²
    /// over pairs i < j.
    fn quadratic_energy(&self, x: &[DVec3]) -> f64 {
        let mut sum = 0.0;
        self.each_bent_pair(&self.matrix, 0..self.len(), |i, j, q| {
            sum -= 0.5 * q * x[i].distance_squared(x[j])
        });
        sum
    }

    /// Calls `pair` with i, j and Q_ij for all entries of quadratic bending in
    /// some rows of a matrix of the `pattern`.
    #[inline(always)]
    pub(crate) fn each_bent_pair(
        &self,
        pattern: &BlockMatrix,
        rows: Range<usize>,
        mut pair: impl FnMut(usize, usize, f64),
    ) {
        for i in rows {
            for s in pattern.near.row(i) {
                pair(i, pattern.near.column[s] as usize, self.bend_near[s]);
            }
            for s in pattern.far.row(i) {
                pair(i, pattern.far.column[s] as usize, self.bend_far[s]);
            }
        }
    }
}
