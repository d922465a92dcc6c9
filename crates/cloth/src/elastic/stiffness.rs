//! Elastic forces and the stiffness matrix, element by element.

use super::Elastic;
use super::membrane::{Stiffness, Strained};
use crate::solve::matrix::{BlockMatrix, each_entry};
use conatus_math::{DMat3, DVec3};

impl Elastic {
    /// Adds the elastic forces at `x` to `out`, N.
    pub(crate) fn add_elastic_forces(&self, x: &[DVec3], out: &mut [DVec3]) {
        let k: Vec<Stiffness> = self.materials.iter().map(Stiffness::new).collect();
        for t in &self.triangles {
            let [f1, f2] = Strained::new(t, x, &k[t.piece as usize], 1.0).forces();
            let [a, b, c] = t.corners.map(|i| i as usize);
            out[a] -= f1 + f2;
            out[b] += f1;
            out[c] += f2;
        }
        self.add_bending_forces(&self.matrix, x, out);
        for hinge in &self.hinges {
            let bend = self.materials[hinge.piece as usize].bend;
            let (bent, gradient) = hinge.linearise(x, bend);
            for (i, g) in hinge.corners.iter().zip(gradient) {
                out[*i as usize] -= g * bent;
            }
        }
    }

    /// −Q x, by differences so that it sums to zero exactly.
    fn add_bending_forces(&self, pattern: &BlockMatrix, x: &[DVec3], out: &mut [DVec3]) {
        let parts = &pattern.parts;
        // The pattern may have rows of bodies, which have no entry here.
        if !parts.is_large() || out.len() < pattern.len() {
            return self.each_bent_pair(pattern, 0..self.len(), |i, j, q| {
                let f = (x[j] - x[i]) * q;
                out[i] -= f;
                out[j] += f;
            });
        }
        parts.add_up(out, DVec3::ZERO, |mut out| {
            self.each_bent_pair(pattern, out.rows.clone(), |i, j, q| {
                let f = (x[j] - x[i]) * q;
                *out.at(i) -= f;
                *out.at(j) += f;
            });
        });
    }

    /// Sets the matrix `a` to Σ `scale[piece]`·K, and adds the elastic forces
    /// at `x` to `forces`. Other diagonal terms are added later. Returns the
    /// energy without quadratic bending.
    pub(crate) fn assemble(
        &self,
        a: &mut BlockMatrix,
        x: &[DVec3],
        scale: &[f64],
        forces: &mut [DVec3],
    ) -> f64 {
        each_entry(&a.parts, &mut a.diagonal, |_, d| *d = DMat3::ZERO);
        for (range, &scale) in self.ranges.iter().zip(scale) {
            let near = a.near.start[range.start] as usize..a.near.start[range.end] as usize;
            let bend_near = &self.bend_near[near.clone()];
            each_entry(&a.parts, &mut a.blocks[near], |s, block| {
                *block = DMat3::from_diagonal(DVec3::splat(bend_near[s] * scale));
            });
            let far = a.far.start[range.start] as usize..a.far.start[range.end] as usize;
            for (number, q) in a.numbers[far.clone()].iter_mut().zip(&self.bend_far[far]) {
                *number = q * scale;
            }
        }
        let k: Vec<Stiffness> = self.materials.iter().map(Stiffness::new).collect();
        let energies = self.map_strips(a, forces, |share| {
            let mut energy = 0.0;
            for t in share.triangles {
                let strained = Strained::new(t, x, &k[t.piece as usize], 1.0);
                energy += strained.energy();
                let [f1, f2] = strained.forces();
                let [i, j, l] = t.corners.map(|i| i as usize - share.first_row);
                share.vector[i] -= f1 + f2;
                share.vector[j] += f1;
                share.vector[l] += f2;
                let scale = scale[t.piece as usize];
                for (slot, block) in t.slots.iter().zip(strained.blocks()) {
                    share.blocks[*slot as usize - share.first_block] += block * scale;
                }
            }
            energy
        });
        let mut energy: f64 = energies.iter().sum();
        for hinge in &self.hinges {
            let bend = self.materials[hinge.piece as usize].bend;
            let (bent, g) = hinge.linearise(x, bend);
            energy += 0.5 * bent * bent;
            for (i, g) in hinge.corners.iter().zip(g) {
                forces[*i as usize] -= g * bent;
            }
            let scale = scale[hinge.piece as usize];
            for (slot, (i, j)) in hinge.slots.iter().zip(super::hinge::PAIRS) {
                let p = g[i] * scale;
                a.blocks[*slot as usize] += DMat3::from_cols(p * g[j].x, p * g[j].y, p * g[j].z);
            }
        }
        self.add_bending_forces(a, x, forces);
        a.balance_rows();
        energy
    }

    /// Adds −Σ `scale[piece]`·K(x) v to `out`.
    pub(crate) fn add_damping(&self, x: &[DVec3], v: &[DVec3], scale: &[f64], out: &mut [DVec3]) {
        let mut a = self.matrix.clone();
        a.ties.clear();
        a.couplings.clear();
        // The rows of bodies come after those of vertices.
        let mut v = v.to_vec();
        v.resize(a.len(), DVec3::ZERO);
        let mut product = vec![DVec3::ZERO; a.len()];
        self.assemble(&mut a, x, scale, &mut product);
        a.multiply(&v, &mut product);
        for (out, kv) in out.iter_mut().zip(&product) {
            *out -= *kv;
        }
    }

    /// The product K v of the stiffness at `x` that implicit steps use, the
    /// positive semi-definite part of the energy's second derivative.
    pub fn stiffness_times(&self, x: &[DVec3], v: &[DVec3], out: &mut [DVec3]) {
        let mut f = vec![DVec3::ZERO; v.len()];
        let minus_one = vec![-1.0; self.materials.len()];
        self.add_damping(&self.placed(x), &self.placed(v), &minus_one, &mut f);
        for (out, place) in out.iter_mut().zip(&self.place) {
            *out = f[*place as usize];
        }
    }
}
