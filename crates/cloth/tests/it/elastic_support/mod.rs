//! Shared by the tests of elasticity.
#![allow(dead_code, missing_docs)]

use conatus_cloth::{ClothLoad, Elastic, Material};
use conatus_geometry::Mesh;
use conatus_math::DVec3;

/// A sheet of `nu` × `nv` vertices in the plane z = 0, with alternating
/// diagonals.
pub fn sheet(nu: usize, nv: usize, length: f64, width: f64) -> Mesh {
    grid(nu, nv, length, width, true)
}

/// The same, with diagonals that alternate or are all parallel.
pub fn grid(nu: usize, nv: usize, length: f64, width: f64, alternate: bool) -> Mesh {
    let mut mesh = Mesh::default();
    for j in 0..nv {
        for i in 0..nu {
            let x = length * i as f64 / (nu - 1) as f64;
            let y = width * j as f64 / (nv - 1) as f64;
            mesh.vertices.push(DVec3::new(x, y, 0.0));
        }
    }
    for j in 0..nv - 1 {
        for i in 0..nu - 1 {
            let a = (j * nu + i) as u32;
            let (b, c, d) = (a + 1, a + nu as u32, a + nu as u32 + 1);
            if (i + j) % 2 == 0 || !alternate {
                mesh.triangles.extend([[a, b, d], [a, d, c]]);
            } else {
                mesh.triangles.extend([[a, b, c], [b, d, c]]);
            }
        }
    }
    mesh
}

/// No damping, no air.
pub fn plain() -> Material {
    Material {
        density: 0.2,
        stretch_warp: 300.0,
        stretch_weft: 200.0,
        shear: 80.0,
        compression: 1.0,
        bend: 1e-3,
        damping_mass: 0.0,
        damping_stiffness: 0.0,
        drag_normal: 0.0,
        drag_tangential: 0.0,
        thickness: 1e-3,
        friction: 0.3,
    }
}

/// Pseudo-random numbers in [−1, 1], the same in every run.
pub struct Noise(pub u64);

impl Noise {
    pub fn number(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    pub fn vectors(&mut self, n: usize) -> Vec<DVec3> {
        (0..n).map(|_| self.vector()).collect()
    }
}

pub fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

pub fn moved(x: &[DVec3], d: &[DVec3], by: f64) -> Vec<DVec3> {
    x.iter().zip(d).map(|(x, d)| *x + *d * by).collect()
}

pub fn elastic_forces(elastic: &Elastic, x: &[DVec3]) -> Vec<DVec3> {
    let mut f = vec![DVec3::ZERO; x.len()];
    elastic.forces(
        x,
        &vec![DVec3::ZERO; x.len()],
        &ClothLoad::default(),
        &mut f,
    );
    f
}

/// Makes steps of `h` and returns the final state.
pub fn run(
    elastic: &mut Elastic,
    x: &mut [DVec3],
    v: &mut [DVec3],
    h: f64,
    steps: usize,
    load: &ClothLoad,
) {
    let mut out = vec![DVec3::ZERO; x.len()];
    for _ in 0..steps {
        let stats = elastic.candidate_velocities(x, v, h, load, &mut out);
        assert!(stats.converged, "{stats:?}");
        v.copy_from_slice(&out);
        for (x, v) in x.iter_mut().zip(v.iter()) {
            *x += *v * h;
        }
    }
}

/// The largest ratio of edge length to rest length.
pub fn stretch(rest: &Mesh, x: &[DVec3]) -> f64 {
    let mut most: f64 = 0.0;
    for t in &rest.triangles {
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let (a, b) = (t[a] as usize, t[b] as usize);
            most = most.max(x[a].distance(x[b]) / rest.vertices[a].distance(rest.vertices[b]));
        }
    }
    most
}
