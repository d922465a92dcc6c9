//! Everything that can touch: the triangles of cloth, of rigid bodies and of
//! obstacles, with one numbering of points for all of them.
//!
//! Nothing here moves; see [`ResponseMotion`](crate::response::ResponseMotion) for that.

use std::collections::HashMap;

/// What a surface belongs to, which decides what it can collide with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Cloth: it collides with everything, itself included.
    Cloth,
    /// A rigid body: it collides with cloth and with obstacles. Bodies among
    /// themselves are the business of rigid contact.
    Body,
    /// Something that moves as the scene says: it collides with what is free
    /// to move.
    Obstacle,
}

/// One connected thing: a piece of cloth, a body or an obstacle.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePart {
    /// What it is.
    pub kind: Kind,
    /// The distance it keeps, in metres; an obstacle or body without one takes
    /// that of the cloth it meets.
    pub thickness: Option<f64>,
    /// Coulomb's coefficient; without one, that of the other side.
    pub friction: Option<f64>,
    /// Its first point.
    pub first: u32,
    /// How many points it has.
    pub count: u32,
}

/// A triangle together with the vertices and edges that it answers for, so
/// that of all triangles that share a vertex or an edge exactly one does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub(crate) corners: [u32; 3],
    /// Bit i: it answers for corner i; bit 3 + i: for the edge from corner i
    /// to corner i + 1.
    owns: u8,
    /// The part it belongs to.
    pub(crate) part: u32,
}

impl Face {
    /// The vertices it answers for.
    #[inline]
    pub(crate) fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..3)
            .filter(|i| self.owns >> i & 1 == 1)
            .map(|i| self.corners[i])
    }

    /// The edges it answers for, the lower vertex first.
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
    /// Adds a part with `count` points and returns the number of the first.
    /// Triangles count points from there.
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

    /// What point `p` belongs to.
    #[inline]
    pub(crate) fn part(&self, p: u32) -> &SurfacePart {
        &self.parts[self.part_of[p as usize] as usize]
    }

    /// Whether the parts can collide at all.
    #[inline]
    pub(crate) fn can_meet(&self, a: u32, b: u32) -> bool {
        use Kind::{Body, Cloth, Obstacle};
        match (self.parts[a as usize].kind, self.parts[b as usize].kind) {
            (Cloth, _) | (_, Cloth) => true,
            (Body, Obstacle) | (Obstacle, Body) => true,
            (Body, Body) | (Obstacle, Obstacle) => false,
        }
    }

    /// The distance that points `a` and `b` keep: the mean of both sides'.
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
    /// obstacle if it has one, between pieces of cloth the geometric mean.
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

    /// All triangles by their points, and the part of each; parts one after
    /// the other.
    pub fn triangles(&self) -> (Vec<[u32; 3]>, Vec<u32>) {
        self.faces.iter().map(|f| (f.corners, f.part)).unzip()
    }

    /// The least distance that any two parts keep.
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
    fn what_has_no_friction_or_thickness_takes_the_other_sides() {
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
