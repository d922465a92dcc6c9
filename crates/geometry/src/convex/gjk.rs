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
        self.numbered_support(direction).0
    }

    /// The same with the number of the corner.
    #[inline]
    fn numbered_support(&self, direction: DVec3) -> (DVec3, u32) {
        let own = self.rotation.transpose() * direction;
        let (point, number) = self.shape.support(own);
        (self.rotation * point + self.translation, number)
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
    /// The numbers of these points in their cores.
    pub numbers: [u32; 2],
}

/// The vertex of the difference set that is farthest in a direction.
pub fn support(first: &Convex, second: &Placed, direction: DVec3) -> Vertex {
    let (a, i) = first.support(direction);
    let (b, j) = second.numbered_support(-direction);
    Vertex {
        difference: a - b,
        a,
        b,
        numbers: [i, j],
    }
}

/// The corners of two hulls whose differences were nearest to the origin in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NearCorners {
    /// The numbers of corners of both hulls.
    pub corners: [[u32; 2]; 3],
    /// How many pairs there are.
    pub count: u32,
}

impl NearCorners {
    /// Nothing is known.
    pub const NONE: Self = Self {
        corners: [[0; 2]; 3],
        count: 0,
    };

    fn of(simplex: &Simplex) -> Self {
        let mut near = Self::NONE;
        for (own, vertex) in near.corners.iter_mut().zip(simplex.vertices()) {
            *own = vertex.numbers;
            near.count += 1;
        }
        near
    }

    /// The simplex of these corners in their present places, reduced to what is nearest to
    /// the origin, and that point.
    fn simplex(&self, first: &Convex, second: &Placed) -> Option<(Simplex, DVec3)> {
        let (Convex::Hull(own), Convex::Hull(other)) = (first, second.shape) else {
            return None;
        };
        let vertex = |[i, j]: [u32; 2]| {
            let a = *own.vertices().get(i as usize)?;
            let b = second.rotation * *other.vertices().get(j as usize)? + second.translation;
            Some(Vertex {
                difference: a - b,
                a,
                b,
                numbers: [i, j],
            })
        };
        let mut corners = self.corners.into_iter().take(self.count as usize);
        let mut simplex = Simplex::new(vertex(corners.next()?)?);
        let mut nearest = simplex.vertices[0].difference;
        for numbers in corners {
            let next = vertex(numbers)?;
            let (kept, p) = simplex.nearest_with(next.difference);
            let kept = kept?;
            nearest = kept.point(&p);
            simplex.push(next);
            simplex.keep(&kept);
        }
        Some((simplex, nearest))
    }
}

/// How two cores lie to each other.
// Returned once per pair and read at once; a box would cost an allocation.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "it stays on the stack; a box would be allocated for every pair"
)]
pub enum Proximity {
    /// They are apart; the nearest points.
    Apart {
        /// The point of the first core.
        a: DVec3,
        /// The point of the second core.
        b: DVec3,
    },
    /// They overlap or touch; vertices of the difference set around the origin.
    Overlap(Simplex),
    /// They are farther apart than the reach of the search.
    Beyond,
}

/// Up to four vertices of the difference set, and the weights of the point nearest to
/// the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 3],
    /// Where in `vertices` the first `count` ones are; the rest are free places.
    order: [usize; 4],
    count: usize,
}

impl Simplex {
    fn new(vertex: Vertex) -> Self {
        Self {
            vertices: [vertex; 4],
            weights: [1.0, 0.0, 0.0],
            order: [0, 1, 2, 3],
            count: 1,
        }
    }

    /// The vertices.
    pub fn vertices(&self) -> impl Iterator<Item = &Vertex> {
        self.order[..self.count].iter().map(|&k| &self.vertices[k])
    }

    /// Adds a fourth or an earlier vertex.
    fn push(&mut self, vertex: Vertex) {
        self.vertices[self.order[self.count]] = vertex;
        self.count += 1;
    }

    /// The features of the simplex with one more vertex that are nearest to the origin,
    /// and the differences they are numbered by. None if the origin lies in the
    /// tetrahedron.
    fn nearest_with(&self, next: DVec3) -> (Option<Kept>, [DVec3; 4]) {
        let mut p = self.order.map(|k| self.vertices[k].difference);
        p[self.count] = next;
        let kept = match self.count {
            0 => Some(Kept::one(0)),
            1 => Some(segment(p[0], p[1], [0, 1])),
            2 => Some(triangle(p[0], p[1], p[2], [0, 1, 2])),
            _ => tetrahedron(p),
        };
        (kept, p)
    }

    /// Keeps some of the vertices.
    fn keep(&mut self, kept: &Kept) {
        let old = self.order;
        let mut free = [true; 4];
        for k in 0..kept.count {
            free[kept.of[k]] = false;
            self.order[k] = old[kept.of[k]];
        }
        let mut at = kept.count;
        for k in 0..4 {
            if free[k] {
                self.order[at] = old[k];
                at += 1;
            }
        }
        self.weights = kept.weights;
        self.count = kept.count;
    }

    /// The weighted sums of the points of the two cores.
    fn points(&self) -> [DVec3; 2] {
        let mut sums = [DVec3::ZERO; 2];
        for (v, w) in self.vertices().zip(self.weights) {
            sums[0] += v.a * w;
            sums[1] += v.b * w;
        }
        sums
    }
}

/// The nearest points of two cores unless they are farther apart than `reach`; `guess` is
/// a direction from the first to the second, of any length.
pub fn proximity(first: &Convex, second: &Placed, guess: DVec3, reach: f64) -> Proximity {
    let mut near = NearCorners::NONE;
    proximity_from(first, second, guess, reach, &mut near)
}

/// The same, starting from the corners that were nearest in the last step, which the present
/// ones replace: two hulls that have hardly moved need one round.
pub fn proximity_from(
    first: &Convex,
    second: &Placed,
    guess: DVec3,
    reach: f64,
    near: &mut NearCorners,
) -> Proximity {
    let guess = if guess == DVec3::ZERO {
        DVec3::X
    } else {
        guess
    };
    let size = first.bounding_radius() + second.shape.bounding_radius();
    let touching = (1e-10 * size).powi(2);
    let (mut simplex, mut nearest) = match near.simplex(first, second) {
        Some(known) => known,
        None => {
            let vertex = support(first, second, guess);
            // They may be far apart along the guess already.
            let along = -vertex.difference.dot(guess);
            if along > 0.0 && along * along > reach * reach * guess.length_squared() {
                return Proximity::Beyond;
            }
            (Simplex::new(vertex), vertex.difference)
        }
    };
    // Whether a plane through a support point separates the cores, whatever a flat
    // simplex says.
    let mut separated = false;
    for _ in 0..MAX_ROUNDS {
        let square = nearest.length_squared();
        if square <= touching {
            separated = false;
            break;
        }
        let next = support(first, second, -nearest);
        let along = nearest.dot(next.difference);
        separated |= along > RELATIVE_GAP * square;
        // No point of the difference set is nearer than the plane through this vertex.
        if along > 0.0 && along * along > reach * reach * square {
            return Proximity::Beyond;
        }
        let known = |v: &Vertex| v.difference == next.difference;
        if square - along <= RELATIVE_GAP * square || simplex.vertices().any(known) {
            break;
        }
        let (kept, p) = simplex.nearest_with(next.difference);
        let Some(kept) = kept else {
            if !separated {
                simplex.push(next);
            }
            break;
        };
        let point = kept.point(&p);
        // Rounding ends the progress before the bounds meet.
        if point.length_squared() >= square {
            break;
        }
        simplex.push(next);
        simplex.keep(&kept);
        nearest = point;
    }
    *near = NearCorners::of(&simplex);
    if !separated {
        return Proximity::Overlap(simplex);
    }
    let [a, b] = simplex.points();
    Proximity::Apart { a, b }
}

/// Up to three corners of a simplex, and their weights.
#[derive(Clone, Copy, Debug)]
struct Kept {
    of: [usize; 3],
    weights: [f64; 3],
    count: usize,
}

impl Kept {
    fn one(i: usize) -> Self {
        Self {
            of: [i; 3],
            weights: [1.0, 0.0, 0.0],
            count: 1,
        }
    }

    fn two([i, j]: [usize; 2], t: f64) -> Self {
        Self {
            of: [i, j, j],
            weights: [1.0 - t, t, 0.0],
            count: 2,
        }
    }

    fn point(&self, p: &[DVec3; 4]) -> DVec3 {
        // Corners that are not kept have the weight zero.
        let [i, j, k] = self.of;
        let [u, v, w] = self.weights;
        p[i] * u + p[j] * v + p[k] * w
    }
}

fn segment(a: DVec3, b: DVec3, [i, j]: [usize; 2]) -> Kept {
    let along = b - a;
    let t = -a.dot(along);
    let square = along.length_squared();
    if t <= 0.0 || square == 0.0 {
        return Kept::one(i);
    }
    if t >= square {
        return Kept::one(j);
    }
    Kept::two([i, j], t / square)
}

/// By the regions of Ericson, Real-Time Collision Detection, section 5.1.5.
fn triangle(a: DVec3, b: DVec3, c: DVec3, [i, j, k]: [usize; 3]) -> Kept {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return Kept::one(i);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return Kept::one(j);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return Kept::one(k);
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
    Kept {
        of: [i, j, k],
        weights: [va / sum, vb / sum, vc / sum],
        count: 3,
    }
}

/// None if the origin is inside.
fn tetrahedron(p: [DVec3; 4]) -> Option<Kept> {
    let mut best: Option<(f64, Kept)> = None;
    for [i, j, k, l] in [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 3, 2, 0]] {
        let normal = (p[j] - p[i]).cross(p[k] - p[i]);
        let of_origin = -p[i].dot(normal);
        let of_fourth = (p[l] - p[i]).dot(normal);
        // The origin is on the other side of this face than the fourth corner; a flat
        // tetrahedron has no inside.
        if of_origin * of_fourth > 0.0 {
            continue;
        }
        let kept = triangle(p[i], p[j], p[k], [i, j, k]);
        let square = kept.point(&p).length_squared();
        if best.is_none_or(|(least, _)| square < least) {
            best = Some((square, kept));
        }
    }
    best.map(|(_, kept)| kept)
}
