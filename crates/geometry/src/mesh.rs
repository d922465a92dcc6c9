//! The triangle mesh that every part of Conatus shares.

use conatus_math::{DVec3, Pose};
use std::collections::BTreeMap;

/// A surface made of triangles. Faces turn counter-clockwise seen from
/// outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Points, in metres.
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle, as indices into `vertices`.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The corners of triangle `t`.
    pub fn corners(&self, t: usize) -> [DVec3; 3] {
        self.triangles[t].map(|i| self.vertices[i as usize])
    }

    /// The same surface at another pose.
    pub fn at(mut self, pose: &Pose) -> Self {
        for v in &mut self.vertices {
            *v = pose.point(*v);
        }
        self
    }

    /// Adds the triangles of `other`; its vertices come after those present.
    pub fn append(&mut self, other: &Self) {
        let offset = self.vertices.len() as u32;
        self.vertices.extend_from_slice(&other.vertices);
        self.triangles
            .extend(other.triangles.iter().map(|t| t.map(|i| i + offset)));
    }

    /// The same surface with triangles cut into four until no edge is longer
    /// than `longest`, or until there are about `most` triangles.
    pub fn refined(mut self, longest: f64, most: usize) -> Self {
        loop {
            let long = |t: &[u32; 3], vertices: &[DVec3]| {
                let [a, b, c] = t.map(|i| vertices[i as usize]);
                a.distance(b).max(b.distance(c)).max(c.distance(a)) > longest
            };
            let count = self.triangles.iter().filter(|t| long(t, &self.vertices));
            let count = count.count();
            if count == 0 || self.triangles.len() + 3 * count > most {
                return self;
            }
            let mut middles = BTreeMap::new();
            let mut triangles = Vec::with_capacity(self.triangles.len() + 3 * count);
            for t in std::mem::take(&mut self.triangles) {
                if !long(&t, &self.vertices) {
                    triangles.push(t);
                    continue;
                }
                let mut middle = |a: u32, b: u32| {
                    *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                        let at = (self.vertices[a as usize] + self.vertices[b as usize]) * 0.5;
                        self.vertices.push(at);
                        (self.vertices.len() - 1) as u32
                    })
                };
                let [a, b, c] = t;
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
            }
            self.triangles = triangles;
        }
    }

    /// The largest distance of a vertex from `centre`: the radius of the
    /// bounding sphere about that point (Di Pierro §11, `Body::radius`).
    pub fn bounding_radius(&self, centre: DVec3) -> f64 {
        self.vertices
            .iter()
            .map(|v| v.distance(centre))
            .fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use crate::Solid;
    use conatus_math::DVec3;

    #[test]
    fn a_refined_box_has_short_edges_and_the_same_volume() {
        let half_extents = DVec3::new(3.0, 1.0, 0.5);
        let fine = Solid::Box { half_extents }.mesh().refined(0.5, 100_000);
        assert!((fine.volume_integrals().volume - 12.0).abs() < 1e-12);
        for t in 0..fine.triangles.len() {
            let [a, b, c] = fine.corners(t);
            assert!(a.distance(b).max(b.distance(c)).max(c.distance(a)) <= 0.5);
        }
        let capped = Solid::Box { half_extents }.mesh().refined(1e-9, 1000);
        assert!(capped.triangles.len() <= 1000);
    }
}
