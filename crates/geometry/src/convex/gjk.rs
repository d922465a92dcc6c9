//! The distance of two convex cores by the algorithm of Gilbert, Johnson and
//! Keerthi: a simplex in the set of all differences a − b moves towards the origin.

use super::Convex;
use conatus_math::{DMat3, DVec3, Pose};

/// Rounds until a pair is given up as converged; smooth cores converge linearly.
const MAX_ROUNDS: usize = 100;
/// The relative gap between the bounds of the squared distance at which to stop.
const RELATIVE_GAP: f64 = 1e-14;

/// A core at a pose, in the coordinates of the other core.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The core.
    pub shape: &'a Convex,
    /// From its own axes.
    pub rotation: DMat3,
    /// Its origin.
    pub translation: DVec3,
}

impl<'a> Placed<'a> {
    /// A core at a pose.
    pub fn new(shape: &'a Convex, pose: &Pose) -> Self {
        Self {
            shape,
            rotation: DMat3::from_quat(pose.rotation),
            translation: pose.translation,
        }
    }

    /// The point farthest in a direction.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let own = self.rotation.transpose() * direction;
        self.rotation * self.shape.support(own).0 + self.translation
    }
}

/// A difference a − b of points of the two cores, and the points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// a − b.
    pub difference: DVec3,
    /// The point of the first core.
    pub a: DVec3,
    /// The point of the second core.
    pub b: DVec3,
}

/// The vertex of the difference set that is farthest in a direction.
pub fn support(first: &Convex, second: &Placed, direction: DVec3) -> Vertex {
    let a = first.support(direction).0;
    let b = second.support(-direction);
    Vertex {
        difference: a - b,
        a,
        b,
    }
}

/// How two cores lie to each other.
#[derive(Clone, Debug, PartialEq)]
pub enum Proximity {
    /// They are apart; the nearest points.
    Apart {
        /// The point of the first core.
        a: DVec3,
        /// The point of the second core.
        b: DVec3,
    },
    /// They overlap or touch; vertices of the difference set around the origin.
    Overlap(Vec<Vertex>),
}

/// The nearest points of two cores; `guess` is a direction from the first to the
/// second, of any length.
pub fn proximity(first: &Convex, second: &Placed, guess: DVec3) -> Proximity {
    let guess = if guess == DVec3::ZERO {
        DVec3::X
    } else {
        guess
    };
    let size = first.bounding_radius() + second.shape.bounding_radius();
    let touching = (1e-10 * size).powi(2);
    let mut simplex = vec![support(first, second, guess)];
    let mut weights = vec![1.0];
    let mut nearest = simplex[0].difference;
    for _ in 0..MAX_ROUNDS {
        let square = nearest.length_squared();
        if square <= touching {
            return Proximity::Overlap(simplex);
        }
        let next = support(first, second, -nearest);
        let gap = square - nearest.dot(next.difference);
        let known = simplex.iter().any(|v| v.difference == next.difference);
        if gap <= RELATIVE_GAP * square || known {
            break;
        }
        simplex.push(next);
        let before = square;
        match closest(&mut simplex, &mut weights) {
            Some(point) => nearest = point,
            None => return Proximity::Overlap(simplex),
        }
        // Rounding ends the progress before the bounds meet.
        if nearest.length_squared() >= before {
            break;
        }
    }
    let blend = |pick: &dyn Fn(&Vertex) -> DVec3| {
        let terms = simplex.iter().zip(&weights).map(|(v, w)| pick(v) * *w);
        terms.sum::<DVec3>()
    };
    Proximity::Apart {
        a: blend(&|v| v.a),
        b: blend(&|v| v.b),
    }
}

/// The point of a simplex nearest to the origin. Keeps only the vertices that span
/// it, with their weights. None if the origin lies in the tetrahedron.
fn closest(simplex: &mut Vec<Vertex>, weights: &mut Vec<f64>) -> Option<DVec3> {
    let p: Vec<DVec3> = simplex.iter().map(|v| v.difference).collect();
    let (kept, blended): (Vec<usize>, Vec<f64>) = match p[..] {
        [] | [_] => (vec![0], vec![1.0]),
        [a, b] => segment(a, b, [0, 1]),
        [a, b, c] => triangle(a, b, c, [0, 1, 2]),
        [a, b, c, d, ..] => tetrahedron([a, b, c, d])?,
    };
    let point = kept.iter().zip(&blended).map(|(&k, w)| p[k] * *w).sum();
    *simplex = kept.iter().map(|&k| simplex[k]).collect();
    *weights = blended;
    Some(point)
}

type Weighted = (Vec<usize>, Vec<f64>);

fn segment(a: DVec3, b: DVec3, [i, j]: [usize; 2]) -> Weighted {
    let along = b - a;
    let t = -a.dot(along);
    let square = along.length_squared();
    if t <= 0.0 || square == 0.0 {
        return (vec![i], vec![1.0]);
    }
    if t >= square {
        return (vec![j], vec![1.0]);
    }
    (vec![i, j], vec![1.0 - t / square, t / square])
}

/// By the regions of Ericson, Real-Time Collision Detection, section 5.1.5.
fn triangle(a: DVec3, b: DVec3, c: DVec3, [i, j, k]: [usize; 3]) -> Weighted {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (vec![i], vec![1.0]);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return (vec![j], vec![1.0]);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return (vec![k], vec![1.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return segment(a, b, [i, j]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return segment(a, c, [i, k]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return segment(b, c, [j, k]);
    }
    let sum = va + vb + vc;
    if sum.is_nan() || sum <= 0.0 {
        // A triangle without area: its longest edge.
        return segment(a, b, [i, j]);
    }
    (vec![i, j, k], vec![va / sum, vb / sum, vc / sum])
}

/// None if the origin is inside.
fn tetrahedron(p: [DVec3; 4]) -> Option<Weighted> {
    let mut best: Option<(f64, Weighted)> = None;
    for [i, j, k, l] in [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 0]] {
        let normal = (p[j] - p[i]).cross(p[k] - p[i]);
        let of_origin = -p[i].dot(normal);
        let of_fourth = (p[l] - p[i]).dot(normal);
        // The origin is on the other side of this face than the fourth corner; a flat
        // tetrahedron has no inside.
        if of_origin * of_fourth > 0.0 {
            continue;
        }
        let weighted = triangle(p[i], p[j], p[k], [i, j, k]);
        let (kept, weights) = &weighted;
        let point: DVec3 = kept.iter().zip(weights).map(|(&k, w)| p[k] * *w).sum();
        let square = point.length_squared();
        if best.as_ref().is_none_or(|(least, _)| square < *least) {
            best = Some((square, weighted));
        }
    }
    best.map(|(_, weighted)| weighted)
}
