//! Everything that can collide: the triangles of cloth, of rigid bodies and of
//! obstacles, with one numbering of points for all of them.
//!
//! Positions are not stored here; see
//! [`ResponseMotion`](crate::response::ResponseMotion).

use std::collections::HashMap;

/// What a surface belongs to, which decides what it can collide with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Cloth: it collides with everything, itself included.
    Cloth,
    /// A rigid body: it collides with cloth. Its other contacts are those of
    /// `conatus-rigid`.
    Body,
    /// A scripted obstacle: it collides with cloth.
    Obstacle,
}

/// One connected part: a piece of cloth, a body or an obstacle.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePart {
    /// Its kind.
    pub kind: Kind,
    /// Collision thickness in metres; an obstacle or body with `None` takes
    /// that of the cloth it touches.
    pub thickness: Option<f64>,
    /// Coulomb's coefficient; that of the other part if `None`.
    pub friction: Option<f64>,
    /// Its first point.
    pub first: u32,
    /// How many points it has.
    pub count: u32,
}

/// A triangle with the vertices and edges that it owns. Every vertex and every
/// edge is owned by exactly one triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub(crate) corners: [u32; 3],
    /// Bit i: it owns corner i; bit 3 + i: it owns the edge from corner i to
    /// corner i + 1.
    owns: u8,
    /// The part it belongs to.
    pub(crate) part: u32,
}

impl Face {
    /// The vertices it owns.
    #[inline]
    pub(crate) fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..3)
            .filter(|i| self.owns >> i & 1 == 1)
            .map(|i| self.corners[i])
    }

    /// The edges it owns, the lower vertex first.
    #[inline]
    pub(crate) fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        (0..3).filter(|i| self.owns >> (3 + i) & 1 == 1).map(|i| {
            let (a, b) = (self.corners[i], self.corners[(i + 1) % 3]);
            [a.min(b), a.max(b)]
        })
    }
}

/// All surfaces of a scene.
#[derive(Clone, Debug, Default)]
pub struct CollisionSurface {
    pub(crate) faces: Vec<Face>,
    pub(crate) parts: Vec<SurfacePart>,
    /// The part of each point.
    pub(crate) part_of: Vec<u32>,
}

impl CollisionSurface {
    /// Adds a part with `count` points and returns the index of its first
    /// point. The indices in `triangles` start from zero at that point.
    pub fn add(
        &mut self,
        kind: Kind,
        count: usize,
        triangles: &[[u32; 3]],
        thickness: Option<f64>,
        friction: Option<f64>,
    ) -> u32 {
        let first = self.part_of.len() as u32;
        let part = self.parts.len() as u32;
        self.parts.push(SurfacePart {
            kind,
            thickness,
            friction,
            first,
            count: count as u32,
        });
        self.part_of.resize(self.part_of.len() + count, part);
        let mut owned_vertex = vec![false; count];
        let mut owned_edge = HashMap::new();
        for t in triangles {
            let mut owns = 0;
            for i in 0..3 {
                if !std::mem::replace(&mut owned_vertex[t[i] as usize], true) {
                    owns |= 1 << i;
                }
                let (a, b) = (t[i], t[(i + 1) % 3]);
                if owned_edge.insert((a.min(b), a.max(b)), ()).is_none() {
                    owns |= 8 << i;
                }
            }
            self.faces.push(Face {
                corners: t.map(|i| i + first),
                owns,
                part,
            });
        }
        first
    }

    /// How many points there are.
    pub fn points(&self) -> usize {
        self.part_of.len()
    }

    /// The parts in the order they were added.
    pub fn parts(&self) -> &[SurfacePart] {
        &self.parts
    }

    /// The part of point `p`.
    #[inline]
    pub(crate) fn part(&self, p: u32) -> &SurfacePart {
        &self.parts[self.part_of[p as usize] as usize]
    }

    /// Whether the parts can collide at all.
    #[inline]
    pub(crate) fn can_meet(&self, a: u32, b: u32) -> bool {
        let is_cloth = |part: u32| self.parts[part as usize].kind == Kind::Cloth;
        is_cloth(a) || is_cloth(b)
    }

    /// The collision distance of points `a` and `b`: the mean of both
    /// thicknesses.
    #[inline]
    pub(crate) fn thickness(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (self.part(a).thickness, self.part(b).thickness);
        match (a, b) {
            (Some(a), Some(b)) => 0.5 * (a + b),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => 1e-3,
        }
    }

    /// Coulomb's coefficient between points `a` and `b`: that of the body or
    /// obstacle if it has one, the geometric mean between pieces of cloth.
    #[inline]
    pub(crate) fn friction(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (self.part(a), self.part(b));
        match (a.friction, b.friction) {
            (Some(mu), Some(_)) if a.kind != Kind::Cloth => mu,
            (Some(_), Some(mu)) if b.kind != Kind::Cloth => mu,
            (Some(a), Some(b)) if a == b => a,
            (Some(a), Some(b)) => (a * b).sqrt(),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => 0.0,
        }
    }

    /// All triangles by their points, and the part of each, ordered by part.
    pub fn triangles(&self) -> (Vec<[u32; 3]>, Vec<u32>) {
        self.faces.iter().map(|f| (f.corners, f.part)).unzip()
    }

    /// The smallest collision distance of any two parts.
    pub(crate) fn least_thickness(&self) -> f64 {
        let given = self.parts.iter().filter_map(|p| p.thickness);
        given.fold(1e-3, f64::min)
    }

    /// The greatest thickness of any part.
    pub(crate) fn greatest_thickness(&self) -> f64 {
        let given = self.parts.iter().filter_map(|p| p.thickness);
        given.fold(1e-3, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_and_every_edge_has_one_owner() {
        let mut surface = CollisionSurface::default();
        let triangles = [[0, 1, 2], [2, 1, 3], [2, 3, 4]];
        surface.add(Kind::Cloth, 5, &triangles, Some(1e-3), None);
        surface.add(Kind::Obstacle, 3, &[[0, 1, 2]], None, Some(0.5));
        let mut vertices: Vec<u32> = surface.faces.iter().flat_map(Face::vertices).collect();
        let mut edges: Vec<[u32; 2]> = surface.faces.iter().flat_map(Face::edges).collect();
        vertices.sort();
        edges.sort();
        assert_eq!(vertices, (0..8).collect::<Vec<_>>());
        assert_eq!(edges.len(), 7 + 3);
        edges.dedup();
        assert_eq!(edges.len(), 10);
    }

    #[test]
    fn missing_friction_or_thickness_is_taken_from_the_other_side() {
        let mut surface = CollisionSurface::default();
        surface.add(Kind::Cloth, 3, &[[0, 1, 2]], Some(4e-3), Some(0.3));
        surface.add(Kind::Obstacle, 3, &[[0, 1, 2]], None, None);
        surface.add(Kind::Cloth, 3, &[[0, 1, 2]], Some(2e-3), Some(0.3));
        assert_eq!(surface.thickness(0, 3), 4e-3);
        assert_eq!(surface.friction(0, 3), 0.3);
        assert_eq!(surface.thickness(0, 6), 3e-3);
        assert!(!surface.can_meet(1, 1) && surface.can_meet(0, 0));
    }
}
