//! Searches for candidates: through bounding-volume hierarchies to pairs of
//! triangles, and from those to vertices and edges.
//!
//! [`Candidates::update`] decides when to search and how large the swept boxes
//! are.

use super::{Candidate, Candidates, List, PAIRS_PER_TASK};
use crate::collide::narrow::{closest, gap_along, gather};
use crate::collide::surface::{CollisionSurface, Kind};
use crate::collide::swept_box::SweptBox;
use crate::response::ResponseMotion;
use rayon::prelude::*;

/// Queries of the hierarchies per task.
const QUERIES_PER_TASK: usize = 256;
/// Refits of a hierarchy before it is rebuilt.
const MAX_REFITS: u32 = 16;

impl Candidates {
    fn swept_box_of(&self, surface: &CollisionSurface, face: u32, margin: f64) -> SweptBox {
        let [a, b, c] = surface.faces[face as usize].corners;
        let swept = |p: u32| &self.swept[p as usize];
        swept(a).union(swept(b)).union(swept(c)).grow(margin)
    }

    fn refit(&mut self, rebuild: bool, which: &[bool]) {
        let mut boxes = std::mem::take(&mut self.boxes);
        for &scripted in which {
            let faces = match scripted {
                false => &self.free_faces,
                true => &self.scripted_faces,
            };
            let faces = faces.par_iter().with_min_len(PAIRS_PER_TASK);
            (faces.map(|&f| self.face_swept[f as usize].swept())).collect_into_vec(&mut boxes);
            let tree = match scripted {
                false => &mut self.free_tree,
                true => &mut self.scripted_tree,
            };
            match rebuild {
                true => tree.rebuild(&boxes),
                false => tree.refit(&boxes),
            }
        }
        self.boxes = boxes;
    }

    /// Rebuilds both lists.
    pub(super) fn rebuild(
        &mut self,
        surface: &CollisionSurface,
        motion: &ResponseMotion,
        margin: f64,
    ) {
        self.rebuilds += 1;
        self.refits += 1;
        let faces = (0..surface.faces.len() as u32).into_par_iter();
        let mut boxes = std::mem::take(&mut self.face_swept);
        (faces
            .with_min_len(PAIRS_PER_TASK)
            .map(|f| self.swept_box_of(surface, f, margin)))
        .collect_into_vec(&mut boxes);
        self.face_swept = boxes;
        let rebuild = self.refits > MAX_REFITS || self.free_tree.is_empty();
        if rebuild {
            self.refits = 0;
        }
        self.refit(rebuild, &[false, true]);
        let mut pairs = std::mem::take(&mut self.pairs);
        self.free_tree.pairs_as_found(&mut pairs);
        for pair in &mut pairs {
            *pair = (
                self.free_faces[pair.0 as usize],
                self.free_faces[pair.1 as usize],
            );
        }
        let cross: Vec<Vec<(u32, u32)>> = (self.free_faces.par_chunks(PAIRS_PER_TASK))
            .map(|faces| {
                let mut found = Vec::new();
                for &f in faces {
                    let query = self.face_swept[f as usize].swept();
                    self.scripted_tree.for_each_overlap(&query, |k| {
                        found.push((f, self.scripted_faces[k as usize]))
                    });
                }
                found
            })
            .collect();
        pairs.extend(cross.into_iter().flatten());
        let found = self.expand(surface, motion, margin, &pairs, |_| true);
        self.vertex_triangle.clear();
        self.edge_edge.clear();
        self.take_over(found);
        self.pairs = pairs;
    }

    /// Searches for pairs with the points in `out`, whose swept box grew.
    pub(super) fn append(
        &mut self,
        surface: &CollisionSurface,
        motion: &ResponseMotion,
        margin: f64,
        out: &[u32],
    ) {
        self.appends += 1;
        for &p in out {
            self.escaped[p as usize] = true;
        }
        let is_scripted = |p: u32| surface.part(p).kind == Kind::Obstacle;
        let scripts_moved = out.iter().any(|&p| is_scripted(p));
        let touched = |f: u32, escaped: &[bool]| {
            let corners = surface.faces[f as usize].corners;
            corners.iter().any(|&p| escaped[p as usize])
        };
        let mut faces: Vec<u32> = Vec::new();
        for &p in out {
            let [first, end] = [p, p + 1].map(|p| self.first_face[p as usize] as usize);
            faces.extend(&self.faces_of[first..end]);
        }
        faces.sort_unstable();
        faces.dedup();
        for &f in &faces {
            self.face_swept[f as usize] = self.swept_box_of(surface, f, margin);
        }
        self.refit(false, &[false, true][..1 + usize::from(scripts_moved)]);
        let look = |pairs: &mut Vec<(u32, u32)>, f: u32| {
            let scripted = is_scripted(surface.faces[f as usize].corners[0]);
            let query = self.face_swept[f as usize].swept();
            self.free_tree.for_each_overlap(&query, |k| {
                let g = self.free_faces[k as usize];
                // A pair of two touched faces is found twice, once from each.
                if g != f && (scripted || f < g || !touched(g, &self.escaped)) {
                    pairs.push((g.min(f), g.max(f)));
                }
            });
            if !scripted {
                self.scripted_tree.for_each_overlap(&query, |k| {
                    let g = self.scripted_faces[k as usize];
                    if !touched(g, &self.escaped) {
                        pairs.push((f, g));
                    }
                });
            }
        };
        let found: Vec<Vec<(u32, u32)>> = (faces.par_chunks(QUERIES_PER_TASK))
            .map(|faces| {
                let mut pairs = Vec::new();
                faces.iter().for_each(|&f| look(&mut pairs, f));
                pairs
            })
            .collect();
        let pairs = found.concat();
        let hit = |points: &[u32; 4]| points.iter().any(|&p| self.escaped[p as usize]);
        let found = self.expand(surface, motion, margin, &pairs, hit);
        self.vertex_triangle.retain({
            let escaped = &self.escaped;
            move |c| !c.points.iter().any(|&p| escaped[p as usize])
        });
        self.edge_edge.retain({
            let escaped = &self.escaped;
            move |c| !c.points.iter().any(|&p| escaped[p as usize])
        });
        self.take_over(found);
        for &p in out {
            self.escaped[p as usize] = false;
        }
    }

    fn take_over(&mut self, found: Vec<(Vec<Candidate>, Vec<Candidate>)>) {
        for (vertex_triangle, edge_edge) in found {
            self.vertex_triangle.extend(vertex_triangle);
            self.edge_edge.extend(edge_edge);
        }
    }

    /// The stencils between pairs of triangles, in the pairs' order.
    fn expand(
        &self,
        surface: &CollisionSurface,
        motion: &ResponseMotion,
        margin: f64,
        pairs: &[(u32, u32)],
        wanted: impl Fn(&[u32; 4]) -> bool + Sync,
    ) -> Vec<(Vec<Candidate>, Vec<Candidate>)> {
        let task = |pairs: &[(u32, u32)]| {
            let mut found = (Vec::new(), Vec::new());
            for &(f, g) in pairs {
                self.between(surface, motion, margin, (f, g), &wanted, &mut found);
            }
            found
        };
        pairs.par_chunks(PAIRS_PER_TASK).map(task).collect()
    }

    fn between(
        &self,
        surface: &CollisionSurface,
        motion: &ResponseMotion,
        margin: f64,
        (f, g): (u32, u32),
        wanted: &impl Fn(&[u32; 4]) -> bool,
        found: &mut (Vec<Candidate>, Vec<Candidate>),
    ) {
        let boxes = [f, g].map(|f| &self.face_swept[f as usize]);
        let (f, g) = (&surface.faces[f as usize], &surface.faces[g as usize]);
        if !boxes[0].overlaps(boxes[1]) || !surface.can_meet(f.part, g.part) {
            return;
        }
        let swept = |p: u32| &self.swept[p as usize];
        for (vertices_of, triangle, triangle_box) in [(f, g, boxes[1]), (g, f, boxes[0])] {
            let [a, b, c] = triangle.corners;
            let triangle_box = triangle_box.grow(margin);
            for v in vertices_of.vertices() {
                let points = [a, b, c, v];
                if ![a, b, c].contains(&v) && swept(v).overlaps(&triangle_box) && wanted(&points) {
                    let list = List::VertexTriangle;
                    (found.0).extend(self.candidate(surface, motion, margin, list, points));
                }
            }
        }
        for [a, b] in f.edges() {
            let edge_box = swept(a).union(swept(b)).grow(2.0 * margin);
            for [c, d] in g.edges() {
                if a == c || a == d || b == c || b == d {
                    continue;
                }
                // In a fixed order, independent of the order of the faces.
                let points = if a < c { [a, b, c, d] } else { [c, d, a, b] };
                if edge_box.overlaps(&swept(c).union(swept(d))) && wanted(&points) {
                    let list = List::EdgeEdge;
                    (found.1).extend(self.candidate(surface, motion, margin, list, points));
                }
            }
        }
    }

    /// The stencil as a candidate, unless its swept boxes are disjoint along
    /// the direction of its nearest points.
    #[inline]
    fn candidate(
        &self,
        surface: &CollisionSurface,
        motion: &ResponseMotion,
        margin: f64,
        list: List,
        points: [u32; 4],
    ) -> Option<Candidate> {
        let mut c = Candidate::new(points);
        let start = gather(&points, &motion.start);
        let nearest = closest(list, &start);
        c.set_axis(nearest.vector, nearest.squared);
        let n = c.axis();
        let highest = |k: usize| self.swept[points[k] as usize].max_along(n);
        // The minimum is minus the maximum along −n.
        let lowest = |k: usize| self.swept[points[k] as usize].max_along(-n);
        let ([a, b], d) = ([highest(0), highest(1)], lowest(3));
        let apart = |late: usize| {
            let first = a[late].max(b[late]);
            match list {
                List::VertexTriangle => -d[late] - first.max(highest(2)[late]),
                List::EdgeEdge => -d[late].max(lowest(2)[late]) - first,
            }
        };
        // The gap is linear in time, so its minimum is at the start or at the
        // end.
        if apart(0).min(apart(1)) > 2.0 * margin {
            return None;
        }
        let slack = gap_along(list, n, &start) - surface.thickness(points[0], points[3]);
        c.limit = self.travel.limit(&points, slack);
        c.look = c.limit;
        Some(c)
    }
}
