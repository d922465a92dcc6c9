//! Heightfields as shapes: triangles above the cells of a grid.
//!
//! The triangles near a box are those of the cells below it, so there is no hierarchy, and
//! nothing but the heights is stored.

use super::triangles::bend;
use crate::{Aabb, Heightfield, Mesh};
use conatus_math::DVec3;

/// Cells of triangles along each side of a cell of the heightfield.
const CELLS_PER_SPACING: usize = 3;

/// Samples of a smooth [`Heightfield`], with two triangles in each cell.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightGrid {
    field: Heightfield,
    /// The number of cells along x and y.
    cells: [usize; 2],
    /// The edge of a cell.
    step: f64,
    /// The heights of the corners of cells, along x first.
    heights: Vec<f64>,
    bounds: Aabb,
}

impl HeightGrid {
    /// Samples a heightfield, which needs at least two rows of two heights to have triangles.
    pub fn new(field: Heightfield) -> Self {
        let cells = [field.columns, field.rows()].map(|n| n.saturating_sub(1) * CELLS_PER_SPACING);
        let step = field.spacing / CELLS_PER_SPACING as f64;
        let mut grid = Self {
            cells,
            step,
            heights: Vec::with_capacity((cells[0] + 1) * (cells[1] + 1)),
            bounds: Aabb::EMPTY,
            field,
        };
        if cells.contains(&0) {
            return grid;
        }
        for j in 0..=cells[1] {
            for i in 0..=cells[0] {
                let [x, y] = grid.place(i, j);
                grid.heights.push(grid.field.height(x, y)[0]);
            }
        }
        let corners = (0..=cells[1]).flat_map(|j| (0..=cells[0]).map(move |i| (i, j)));
        grid.bounds = Aabb::from_points(corners.map(|(i, j)| grid.corner(i, j)));
        grid
    }

    /// The smooth surface.
    pub fn field(&self) -> &Heightfield {
        &self.field
    }

    /// The box around all triangles.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    fn place(&self, i: usize, j: usize) -> [f64; 2] {
        let origin = self.field.origin;
        [
            origin.x + i as f64 * self.step,
            origin.y + j as f64 * self.step,
        ]
    }

    fn corner(&self, i: usize, j: usize) -> DVec3 {
        let [x, y] = self.place(i, j);
        DVec3::new(x, y, self.heights[j * (self.cells[0] + 1) + i])
    }

    /// The cell of a triangle, and whether it is the upper left one.
    fn cell(&self, t: u32) -> ([usize; 2], bool) {
        let cell = t as usize / 2;
        ([cell % self.cells[0], cell / self.cells[0]], t % 2 == 1)
    }

    /// The corners of a triangle.
    pub fn corners(&self, t: u32) -> [DVec3; 3] {
        let ([i, j], upper) = self.cell(t);
        let end = self.corner(i + 1, j + 1);
        match upper {
            false => [self.corner(i, j), self.corner(i + 1, j), end],
            true => [self.corner(i, j), end, self.corner(i, j + 1)],
        }
    }

    /// The bends at the edges of a triangle; `None` at the border.
    pub(super) fn bends(&self, t: u32) -> [Option<f64>; 3] {
        let ([i, j], upper) = self.cell(t);
        let [nx, ny] = self.cells;
        // The corners of the triangles beyond the three edges, across from them.
        let beyond = match upper {
            false => [
                (j > 0).then(|| self.corner(i, j - 1)),
                (i + 1 < nx).then(|| self.corner(i + 2, j + 1)),
                Some(self.corner(i, j + 1)),
            ],
            true => [
                Some(self.corner(i + 1, j)),
                (j + 1 < ny).then(|| self.corner(i + 1, j + 2)),
                (i > 0).then(|| self.corner(i - 1, j)),
            ],
        };
        let [a, b, c] = self.corners(t);
        let edges = [([a, b], c), ([b, c], a), ([c, a], b)];
        std::array::from_fn(|k| bend(edges[k].0, edges[k].1, beyond[k]?))
    }

    fn triangles_of(&self, i: usize, j: usize) -> [(u32, Aabb); 2] {
        let first = 2 * (j * self.cells[0] + i) as u32;
        [first, first + 1].map(|t| (t, Aabb::from_points(self.corners(t))))
    }

    /// The triangles whose boxes overlap a box, in order.
    pub(super) fn overlapping(&self, query: &Aabb, found: &mut Vec<u32>) {
        if !self.bounds.overlaps(query) {
            return;
        }
        let range = |axis: usize| {
            let cell = |x: f64| (x - self.field.origin[axis]) / self.step;
            // One more on each side, for rounding.
            let from = (cell(query.min[axis]) - 1.0).max(0.0) as usize;
            let to = (cell(query.max[axis]) + 2.0).max(0.0) as usize;
            from..to.min(self.cells[axis])
        };
        for j in range(1) {
            for i in range(0) {
                let near = self.triangles_of(i, j).into_iter();
                found.extend(near.filter(|(_, b)| b.overlaps(query)).map(|(t, _)| t));
            }
        }
    }

    /// Visits triangles, near ones first: halves of the grid in order of a bound of their
    /// boxes.
    pub(super) fn search(
        &self,
        limit: f64,
        bound: &impl Fn(&Aabb) -> f64,
        mut visit: impl FnMut(u32) -> f64,
    ) {
        if !self.cells.contains(&0) {
            let mut limit = limit;
            self.descend([[0, 0], self.cells], &mut limit, bound, &mut visit);
        }
    }

    /// Of the cells from `from` up to, but without, `to`.
    fn descend(
        &self,
        [from, to]: [[usize; 2]; 2],
        limit: &mut f64,
        bound: &impl Fn(&Aabb) -> f64,
        visit: &mut impl FnMut(u32) -> f64,
    ) {
        let size = [to[0] - from[0], to[1] - from[1]];
        if size == [1, 1] {
            for (t, b) in self.triangles_of(from[0], from[1]) {
                let near = bound(&b);
                if near < f64::INFINITY && near <= *limit {
                    *limit = limit.min(visit(t));
                }
            }
            return;
        }
        let axis = usize::from(size[1] > size[0]);
        let (mut middle_to, mut middle_from) = (to, from);
        middle_to[axis] = from[axis] + size[axis] / 2;
        middle_from[axis] = middle_to[axis];
        let mut halves = [[from, middle_to], [middle_from, to]].map(|[from, to]| {
            let [low, high] = [from, to].map(|[i, j]| self.place(i, j));
            let (z0, z1) = (self.bounds.min.z, self.bounds.max.z);
            let around = Aabb::new(
                DVec3::new(low[0], low[1], z0),
                DVec3::new(high[0], high[1], z1),
            );
            (bound(&around), [from, to])
        });
        if halves[1].0 < halves[0].0 {
            halves.swap(0, 1);
        }
        for (near, half) in halves {
            if near < f64::INFINITY && near <= *limit {
                self.descend(half, limit, bound, visit);
            }
        }
    }

    /// All triangles.
    pub fn mesh(&self) -> Mesh {
        let [nx, ny] = self.cells;
        if self.heights.is_empty() {
            return Mesh::default();
        }
        let mut mesh = Mesh::default();
        for j in 0..=ny {
            mesh.vertices.extend((0..=nx).map(|i| self.corner(i, j)));
        }
        let row = nx as u32 + 1;
        for j in 0..ny as u32 {
            for i in 0..nx as u32 {
                let a = j * row + i;
                mesh.triangles.push([a, a + 1, a + row + 1]);
                mesh.triangles.push([a, a + row + 1, a + row]);
            }
        }
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{CollisionMesh, TriangleSurface};

    fn bumpy() -> HeightGrid {
        let height = |k: usize| ((k * 7919) % 13) as f64 * 0.05;
        HeightGrid::new(Heightfield {
            origin: DVec3::new(-1.0, -2.0, 0.5),
            spacing: 0.7,
            columns: 5,
            heights: (0..20).map(height).collect(),
        })
    }

    #[test]
    fn a_grid_finds_the_same_triangles_as_a_hierarchy_of_its_mesh() {
        let grid = bumpy();
        let mesh = CollisionMesh::new(grid.mesh());
        assert_eq!(grid.bounds(), mesh.bounds());
        let (grid, mesh) = (
            TriangleSurface::Heightfield(&grid),
            TriangleSurface::Mesh(&mesh),
        );
        for k in 0..300u32 {
            let random = |n: u32| f64::from((k * 48271 + n * 7919) % 1000) / 1000.0;
            let min = DVec3::new(
                random(1) * 5.0 - 2.0,
                random(2) * 5.0 - 3.0,
                0.4 + random(3),
            );
            let size = DVec3::new(random(4), random(5), 0.3 * random(6));
            let query = Aabb::new(min, min + size);
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            grid.overlapping(&query, &mut found);
            mesh.overlapping(&query, &mut expected);
            assert_eq!(found, expected, "{query:?}");
            let nearest = |surface: TriangleSurface| {
                let mut best = (f64::INFINITY, u32::MAX);
                let bound = |b: &Aabb| b.distance(min);
                surface.search(f64::INFINITY, bound, |t| {
                    let own = bound(&Aabb::from_points(surface.corners(t)));
                    best = if (own, t) < best { (own, t) } else { best };
                    best.0
                });
                best
            };
            assert_eq!(nearest(grid), nearest(mesh));
        }
    }

    #[test]
    fn a_grid_has_the_corners_and_bends_of_its_mesh() {
        let grid = bumpy();
        let mesh = CollisionMesh::new(grid.mesh());
        for t in 0..mesh.mesh().triangles.len() as u32 {
            assert_eq!(grid.corners(t), mesh.mesh().corners(t as usize));
            assert_eq!(grid.bends(t), mesh.bends(t as usize), "triangle {t}");
        }
    }
}
