//! Queries on integer grids, and proofs about them in exact arithmetic.

use conatus_geometry::ccd::{self, Hit};
use conatus_geometry::distance::{self, Closest};
use conatus_math::DVec3;

type Point = [i64; 3];

/// Vertex and triangle, or two edges.
#[derive(Clone, Copy)]
pub struct Kind {
    /// Points in the first primitive.
    pub first: usize,
    pub closest: fn(&[DVec3; 4]) -> Closest,
    ask: fn(&[DVec3; 4], &[DVec3; 4], f64) -> Option<Hit>,
}

pub const VERTEX_TRIANGLE: Kind = Kind {
    first: 3,
    closest: distance::vertex_triangle,
    ask: ccd::vertex_triangle,
};
pub const EDGE_EDGE: Kind = Kind {
    first: 2,
    closest: distance::edge_edge,
    ask: ccd::edge_edge,
};

/// A deterministic generator (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn within(&mut self, most: i64) -> i64 {
        self.below(2 * most as u64 + 1) as i64 - most
    }

    fn point(&mut self, most: i64) -> Point {
        [self.within(most), self.within(most), self.within(most)]
    }
}

/// A query in integers; a point is `2^power · (place + x)`.
#[derive(Clone)]
pub struct Query {
    pub kind: Kind,
    start: [Point; 4],
    end: [Point; 4],
    place: Point,
    power: i32,
}

impl std::fmt::Debug for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { start, end, .. } = self;
        write!(f, "{} {start:?} -> {end:?} ", self.kind.first)?;
        write!(f, "at {:?} times 2^{}", self.place, self.power)
    }
}

fn map2(a: Point, b: Point, f: impl Fn(i64, i64) -> i64) -> Point {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Query {
    fn float(&self, x: &[Point; 4]) -> [DVec3; 4] {
        let unit = 2f64.powi(self.power);
        x.map(|p| DVec3::from_array(map2(p, self.place, |a, b| a + b).map(|c| c as f64)) * unit)
    }

    pub fn start(&self) -> [DVec3; 4] {
        self.float(&self.start)
    }

    pub fn end(&self) -> [DVec3; 4] {
        self.float(&self.end)
    }

    pub fn ask(&self, separation: f64) -> Option<Hit> {
        (self.kind.ask)(&self.start(), &self.end(), separation)
    }

    /// The largest extent at any time.
    pub fn size(&self) -> f64 {
        let (start, end) = (self.start(), self.end());
        let extent = |x: &[DVec3; 4]| x.iter().map(|p| (*p - x[3]).length()).fold(0.0, f64::max);
        extent(&start).max(extent(&end))
    }

    /// Random corners, without degeneracies.
    pub fn ordinary(kind: Kind, random: &mut Random) -> Self {
        Self {
            kind,
            start: std::array::from_fn(|_| random.point(1000)),
            end: std::array::from_fn(|_| random.point(1000)),
            place: [0; 3],
            power: -10,
        }
    }

    /// Random corners with the degeneracies that have broken other
    /// implementations: starts in one plane, parallel and short edges,
    /// triangles without area, points that start very near, common motion, and
    /// large coordinates.
    ///
    /// Coordinates have up to `bits` bits (at most 30), common motions more.
    pub fn any(kind: Kind, random: &mut Random, bits: u64) -> Self {
        let most = 1i64 << (1 + random.below(bits));
        let small = 1i64 << random.below(8);
        let mut start: [Point; 4] = std::array::from_fn(|_| random.point(most));
        let mut end: [Point; 4] = std::array::from_fn(|_| random.point(most));
        for x in [&mut start, &mut end] {
            degrade(kind, x, small, random);
        }
        match random.below(4) {
            // Little motion.
            0 => {
                for i in 0..4 {
                    let step = random.point(small);
                    end[i] = map2(start[i], step, |a, b| a + b);
                }
            }
            // A common motion that is much larger.
            1 => {
                let far = random.point(1 << 32);
                end = end.map(|x| map2(x, far, |a, b| a + b));
            }
            // All points of one primitive have the same motion.
            2 => {
                let step = random.point(most);
                for i in 0..4 {
                    let move_by = if i < kind.first { [0; 3] } else { step };
                    end[i] = map2(start[i], move_by, |a, b| a + b);
                }
            }
            _ => {}
        }
        Self::somewhere(kind, start, end, random)
    }

    fn somewhere(kind: Kind, start: [Point; 4], end: [Point; 4], random: &mut Random) -> Self {
        let place = match random.below(3) {
            0 => random.point(1 << 50),
            _ => [0; 3],
        };
        let power = match random.below(6) {
            0 => -400,
            1 => 300,
            2 => -900,
            _ => random.within(60) as i32,
        };
        Self {
            kind,
            start,
            end,
            place,
            power,
        }
    }

    /// A query with a contact at a known time; there may be one before it.
    ///
    /// All coordinates are multiples of 2^12: a time and two weights in
    /// sixteenths. The last point is moved at the end of the step so that it
    /// brings the contact about: with time k/16 and its weight w in its own
    /// primitive, a shift of its end by s moves the contact point by w·s·k/16.
    pub fn with_contact(kind: Kind, random: &mut Random) -> (Self, f64) {
        loop {
            let mut query = Self::any(kind, random, 30);
            for x in query.start.iter_mut().chain(&mut query.end) {
                *x = x.map(|c| c.clamp(-(1 << 33), 1 << 33) << 12);
            }
            query.place = query.place.map(|c| (c >> 14) << 12);
            let k = 1 + random.below(16) as i64;
            // Often on a border: weights of 0 and 1 are grazing contacts.
            let mut part = |whole: i64| match random.below(4) {
                0 => 0,
                1 => whole,
                _ => random.below(whole as u64 + 1) as i64,
            };
            let weights = if kind.first == 3 {
                let b = part(16);
                let c = part(16 - b);
                [16 - b - c, b, c, 16]
            } else {
                let (b, d) = (part(16), 1 << part(4));
                [16 - b, b, 16 - d, d]
            };
            // The place of a primitive's contact point at the time, times 256.
            let at = |i: usize, axis: usize| {
                i128::from(16 - k) * i128::from(query.start[i][axis])
                    + i128::from(k) * i128::from(query.end[i][axis])
            };
            let shift: [i128; 3] = std::array::from_fn(|axis| {
                (0..4)
                    .map(|i| {
                        let sign = if i < kind.first { 1 } else { -1 };
                        sign * i128::from(weights[i]) * at(i, axis)
                    })
                    .sum()
            });
            let divisor = i128::from(weights[3] * k);
            if shift.iter().any(|s| s % divisor != 0) {
                continue;
            }
            for (coordinate, s) in query.end[3].iter_mut().zip(shift) {
                *coordinate += (s / divisor) as i64;
            }
            let most = query.end[3].iter().map(|c| c.abs()).max().unwrap_or(0);
            if most < 1 << 51 {
                return (query, k as f64 / 16.0);
            }
        }
    }
}

/// Makes a stencil degenerate in one of many ways, or leaves it.
fn degrade(kind: Kind, x: &mut [Point; 4], small: i64, random: &mut Random) {
    let near = |p: Point, random: &mut Random| {
        let step = random.point(small);
        map2(p, step, |a, b| a + b)
    };
    let middle = |a: Point, b: Point| map2(a, b, |a, b| (a + b) / 2);
    match random.below(9) {
        // All in one plane.
        0 => x.iter_mut().for_each(|p| p[2] = small),
        // A triangle without area, or nearly; edges on one line.
        1 => x[2] = middle(x[0], x[1]),
        2 => x[2] = near(middle(x[0], x[1]), random),
        // Parallel edges, or nearly.
        3 => x[3] = map2(x[2], map2(x[1], x[0], |a, b| a - b), |a, b| a + b),
        4 => {
            x[3] = map2(x[2], map2(x[1], x[0], |a, b| a - b), |a, b| a + b);
            x[3] = near(x[3], random);
        }
        // Equal or close points.
        5 => x[1] = x[0],
        6 => x[3] = near(x[0], random),
        // The last point near the middle of the other primitive.
        7 => {
            let of = middle(x[0], x[1]);
            let of = if kind.first == 3 {
                middle(of, x[2])
            } else {
                of
            };
            x[3] = near(of, random);
        }
        _ => {}
    }
}

/// Times are multiples of 2^-TIME_BITS for the certificates.
const TIME_BITS: u32 = 36;
/// Axes have components of this many bits.
const AXIS_BITS: i32 = 50;

/// Whether integer axes prove that the corners are apart from time 0 to
/// `until`, exactly: n·(b − a) > 0 at both ends of each interval of a chain.
pub fn is_certified(query: &Query, until: f64) -> bool {
    let whole = (until * 2f64.powi(TIME_BITS as i32)).floor() as i64;
    certified_between(query, 0, whole, &mut 100_000)
}

/// `budget` is the number of intervals that may still be tried.
fn certified_between(query: &Query, low: i64, high: i64, budget: &mut u32) -> bool {
    // Any axis is valid if it separates.
    let (start, end) = (&query.start, &query.end);
    for time in [low + (high - low) / 2, low, high] {
        let t = time as f64 / 2f64.powi(TIME_BITS as i32);
        let x: [DVec3; 4] = std::array::from_fn(|i| {
            let relative = |x: &[Point; 4]| {
                DVec3::from_array(map2(x[i], x[3], |a, b| a - b).map(|c| c as f64))
            };
            relative(start).lerp(relative(end), t)
        });
        for n in axes(query.kind, &x) {
            let n = n * (2f64.powi(AXIS_BITS) / n.abs().max_element());
            let n = n.to_array().map(|c| c.round() as i128);
            if separates(query, n, low) && separates(query, n, high) {
                return true;
            }
        }
    }
    let middle = low + (high - low) / 2;
    if *budget == 0 || middle == low {
        return false;
    }
    *budget -= 1;
    certified_between(query, low, middle, budget) && certified_between(query, middle, high, budget)
}

/// Candidate axes: the closest vector; the same at right angles to an edge,
/// which needs no more digits however near the primitives are; and the common
/// normal.
fn axes(kind: Kind, x: &[DVec3; 4]) -> [DVec3; 5] {
    let vector = (kind.closest)(x).vector;
    let (u, v, w) = if kind.first == 3 {
        (x[1] - x[0], x[2] - x[1], x[0] - x[2])
    } else {
        (x[1] - x[0], x[3] - x[2], x[2] - x[0])
    };
    let upright = |e: DVec3| {
        let once = vector - e * (vector.dot(e) / e.length_squared());
        once - e * (once.dot(e) / e.length_squared())
    };
    let normal = u.cross(v);
    let normal = normal * vector.dot(normal).signum();
    [vector, normal, upright(u), upright(v), upright(w)]
}

fn separates(query: &Query, n: [i128; 3], time: i64) -> bool {
    let along: [i128; 4] = std::array::from_fn(|i| {
        (0..3)
            .map(|axis| {
                let (a, b) = (query.start[i][axis], query.end[i][axis]);
                n[axis] * ((i128::from(a) << TIME_BITS) + i128::from(time) * i128::from(b - a))
            })
            .sum()
    });
    let (first, second) = along.split_at(query.kind.first);
    second.iter().min() > first.iter().max()
}
