//! An elimination order that keeps the Cholesky factor sparse: nested
//! dissection (George 1973). A layer of vertices (separator) cuts the sheet in
//! two; both halves are eliminated first, recursively, and the layer last.

use super::matrix::BlockMatrix;
use conatus_math::DVec3;

/// The order for a matrix whose unknowns lie at `positions`: entry k is the
/// row that is eliminated k-th.
pub fn nested_dissection(a: &BlockMatrix, positions: &[DVec3]) -> Vec<u32> {
    let n = a.len();
    let mut cut = Cut {
        neighbours: vec![Vec::new(); n],
        side: vec![0; n],
        positions,
        order: Vec::with_capacity(n),
        sides: 0,
    };
    for rows in [&a.near, &a.far] {
        for i in 0..n {
            for j in rows.column[rows.row(i)].iter().map(|j| *j as usize) {
                cut.neighbours[i].push(j as u32);
                cut.neighbours[j].push(i as u32);
            }
        }
    }
    let mut all: Vec<u32> = (0..n as u32).collect();
    cut.dissect(&mut all);
    cut.order
}

struct Cut<'a> {
    neighbours: Vec<Vec<u32>>,
    /// Marks the vertices of the current half.
    side: Vec<u32>,
    sides: u32,
    positions: &'a [DVec3],
    order: Vec<u32>,
}

impl Cut<'_> {
    fn dissect(&mut self, set: &mut [u32]) {
        if set.len() <= 12 {
            self.order.extend_from_slice(set);
            return;
        }
        let at = |i: u32| self.positions[i as usize];
        let low = set.iter().map(|i| at(*i)).fold(DVec3::INFINITY, DVec3::min);
        let high = set
            .iter()
            .map(|i| at(*i))
            .fold(DVec3::NEG_INFINITY, DVec3::max);
        let extent = high - low;
        let axis = (0..3)
            .max_by(|a, b| extent[*a].total_cmp(&extent[*b]))
            .unwrap_or(0);
        set.sort_by(|a, b| at(*a)[axis].total_cmp(&at(*b)[axis]).then(a.cmp(b)));
        let (left, right) = set.split_at_mut(set.len() / 2);
        self.sides += 1;
        for i in left.iter() {
            self.side[*i as usize] = self.sides;
        }
        let (mut layer, mut rest): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for &i in right.iter() {
            let mut around = self.neighbours[i as usize].iter();
            if around.any(|j| self.side[*j as usize] == self.sides) {
                layer.push(i);
            } else {
                rest.push(i);
            }
        }
        self.dissect(left);
        self.dissect(&mut rest);
        self.order.extend(layer);
    }
}
