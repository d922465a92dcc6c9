//! How deep two convex cores are in each other: the expanding-polytope algorithm.
//! A polytope in the set of all differences grows until its face nearest to the
//! origin lies on the surface of the set.

use super::Convex;
use super::gjk::{Placed, Simplex, Vertex, support};
use conatus_math::DVec3;

const MAX_ROUNDS: usize = 160;
/// Evaluations of the depth from one start.
const MAX_DESCENT_ROUNDS: usize = 60;
/// The same for polytopes, where a vertex of the set either lies on the plane of a face
/// but for rounding or well beyond it, as a share of the size.
const POLYTOPE_GAIN: f64 = 1e-9;
/// Another direction is better if it saves this much, relative to the size of the cores.
const RELATIVE_GAIN: f64 = 1e-7;

/// The least translation that separates two overlapping cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The unit normal from the first core to the second.
    pub normal: DVec3,
    /// How deep they are in each other along it.
    pub depth: f64,
    /// The deepest point of the first core.
    pub a: DVec3,
    /// The deepest point of the second core.
    pub b: DVec3,
}

#[derive(Clone, Copy, Debug)]
struct Face {
    corners: [usize; 3],
    normal: DVec3,
    distance: f64,
}

fn face(vertices: &[Vertex], corners: [usize; 3]) -> Option<Face> {
    let [a, b, c] = corners.map(|k| vertices[k].difference);
    let normal = (b - a).cross(c - a).try_normalize()?;
    Some(Face {
        corners,
        normal,
        distance: normal.dot(a),
    })
}

/// The penetration of two cores that overlap; `simplex` has vertices of their
/// difference set, as [`super::gjk::proximity`] returns them.
pub fn penetration(first: &Convex, second: &Placed, simplex: &Simplex) -> Penetration {
    let size = first.bounding_radius() + second.shape.bounding_radius();
    let thresholds = Thresholds {
        outside: 1e-10 * size,
        relative: RELATIVE_GAIN,
        visible: 1e-14 * size,
    };
    if let Some(found) = expand(first, second, simplex, thresholds) {
        return found;
    }
    // Slivers on round surfaces spoiled the polytope: the best of several directions.
    let mut best = descend(first, second, DVec3::Z);
    let mut starts = vec![second.translation.normalize_or_zero()];
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let turned = second.rotation * axis;
        starts.extend([axis, -axis, turned, -turned]);
    }
    for start in starts.into_iter().filter(|s| *s != DVec3::ZERO) {
        let trial = descend(first, second, start);
        if trial.depth < best.depth - RELATIVE_GAIN * size {
            best = trial;
        }
    }
    best
}

/// The penetration of two polytopes that overlap; none if their difference set has no
/// volume or rounding spoils the search.
pub fn polytope_penetration(
    first: &Convex,
    second: &Placed,
    simplex: &Simplex,
) -> Option<Penetration> {
    let size = first.bounding_radius() + second.shape.bounding_radius();
    let thresholds = Thresholds {
        outside: POLYTOPE_GAIN * size,
        relative: 0.0,
        // Smaller than `outside`, so that the face of the search sees its new vertex; far
        // above rounding, so that faces in one plane do not see each other's corners.
        visible: 0.1 * POLYTOPE_GAIN * size,
    };
    expand(first, second, simplex, thresholds)
}

/// When a vertex counts as outside of the polytope.
#[derive(Clone, Copy, Debug)]
struct Thresholds {
    /// The search ends at a face that no vertex is farther beyond than this.
    outside: f64,
    /// The same as a share of the distance of the face.
    relative: f64,
    /// Faces that a new vertex is farther beyond than this are replaced.
    visible: f64,
}

/// Follows the depth along directions downhill from `normal`. The depth along a
/// direction is that of the vertex farthest along it, and its slope is the part of the
/// vertex across the direction.
fn descend(first: &Convex, second: &Placed, mut normal: DVec3) -> Penetration {
    let mut vertex = support(first, second, normal);
    let mut depth = vertex.difference.dot(normal);
    let mut step = 0.3;
    for _ in 0..MAX_DESCENT_ROUNDS {
        let across = vertex.difference - normal * depth;
        let Some(uphill) = across.try_normalize() else {
            break;
        };
        let trial = (normal - uphill * step).normalize();
        let reached = support(first, second, trial);
        let new = reached.difference.dot(trial);
        if new < depth {
            (normal, vertex, depth) = (trial, reached, new);
            step *= 1.3;
        } else {
            step *= 0.4;
        }
        if step < 1e-8 {
            break;
        }
    }
    Penetration {
        normal,
        depth: depth.max(0.0),
        a: vertex.a,
        b: vertex.b,
    }
}

/// The face of the growing polytope that is nearest to the origin at the end. None if
/// the set has no volume, or slivers on round surfaces spoil the polytope.
fn expand(
    first: &Convex,
    second: &Placed,
    simplex: &Simplex,
    limits: Thresholds,
) -> Option<Penetration> {
    let tolerance = limits.outside;
    let mut vertices = tetrahedron_around(first, second, simplex, tolerance)?;
    let centre = vertices.iter().map(|v| v.difference).sum::<DVec3>() / 4.0;
    let mut faces: Vec<Face> = Vec::with_capacity(64);
    let mut rim: Vec<(usize, usize)> = Vec::with_capacity(32);
    for [i, j, k] in [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] {
        let mut f = face(&vertices, [i, j, k])?;
        if f.normal.dot(centre) > f.distance {
            f = face(&vertices, [i, k, j])?;
        }
        faces.push(f);
    }
    let mut result = None;
    let mut converged = false;
    for _ in 0..MAX_ROUNDS {
        let mut nearest = faces.first()?;
        for f in &faces[1..] {
            if f.distance < nearest.distance {
                nearest = f;
            }
        }
        let nearest = *nearest;
        result = Some(nearest);
        let next = support(first, second, nearest.normal);
        let gain = next.difference.dot(nearest.normal) - nearest.distance;
        if gain <= tolerance.max(limits.relative * nearest.distance) {
            converged = true;
            break;
        }
        let new = vertices.len();
        vertices.push(next);
        rim.clear();
        let mut kept = 0;
        for k in 0..faces.len() {
            let f = faces[k];
            if f.normal.dot(next.difference) - f.distance <= limits.visible {
                faces[kept] = f;
                kept += 1;
                continue;
            }
            let [a, b, c] = f.corners;
            for (i, j) in [(a, b), (b, c), (c, a)] {
                match rim.iter().position(|&e| e == (j, i)) {
                    Some(at) => {
                        rim.swap_remove(at);
                    }
                    None => rim.push((i, j)),
                }
            }
        }
        faces.truncate(kept);
        for &(i, j) in &rim {
            faces.extend(face(&vertices, [i, j, new]));
        }
        if faces.is_empty() {
            break;
        }
    }
    let nearest = result.filter(|f| converged && f.distance >= -tolerance)?;
    // The origin's projection on the face, as a blend of its corners.
    let [a, b, c] = nearest.corners.map(|k| vertices[k]);
    let p = nearest.normal * nearest.distance;
    let (u, v) = (b.difference - a.difference, c.difference - a.difference);
    let w = p - a.difference;
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let (wu, wv) = (w.dot(u), w.dot(v));
    let det = uu * vv - uv * uv;
    let (s, t) = match det > 0.0 {
        true => ((wu * vv - wv * uv) / det, (wv * uu - wu * uv) / det),
        false => (1.0 / 3.0, 1.0 / 3.0),
    };
    let blend =
        |pick: &dyn Fn(&Vertex) -> DVec3| pick(&a) * (1.0 - s - t) + pick(&b) * s + pick(&c) * t;
    Some(Penetration {
        normal: nearest.normal,
        depth: nearest.distance.max(0.0),
        a: blend(&|v| v.a),
        b: blend(&|v| v.b),
    })
}

/// Four vertices that span a volume around the origin, as far as one can tell.
fn tetrahedron_around(
    first: &Convex,
    second: &Placed,
    simplex: &Simplex,
    tolerance: f64,
) -> Option<Vec<Vertex>> {
    let mut v: Vec<Vertex> = Vec::with_capacity(32);
    v.extend(simplex.vertices());
    let axes = [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::NEG_X,
        DVec3::NEG_Y,
        DVec3::NEG_Z,
    ];
    let volume = |v: &[Vertex]| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k: usize| v[k].difference);
        (b - a).cross(c - a).dot(d - a).abs()
    };
    if v.len() == 4 && volume(&v) > tolerance.powi(3) {
        return Some(v);
    }
    v.truncate(3);
    if v.is_empty() {
        v.push(support(first, second, DVec3::X));
    }
    let far = |v: &[Vertex], score: &dyn Fn(DVec3) -> f64| {
        let mut best: Option<(f64, Vertex)> = None;
        let mut directions = axes.to_vec();
        if let [a, b, c, ..] = v {
            let n = (b.difference - a.difference).cross(c.difference - a.difference);
            directions.extend([n, -n]);
        }
        for direction in directions {
            let candidate = support(first, second, direction);
            let s = score(candidate.difference);
            if best.is_none_or(|(most, _)| s > most) {
                best = Some((s, candidate));
            }
        }
        best.filter(|(s, _)| *s > tolerance).map(|(_, c)| c)
    };
    // Degenerate simplices of GJK are built up again from their first vertex.
    let base = v[0].difference;
    if v.len() < 2 || (v[1].difference - base).length() <= tolerance {
        v.truncate(1);
        v.push(far(&v, &|p| (p - base).length())?);
    }
    let along = (v[1].difference - base).normalize_or_zero();
    if v.len() < 3 || (v[2].difference - base).cross(along).length() <= tolerance {
        v.truncate(2);
        v.push(far(&v, &|p| (p - base).cross(along).length())?);
    }
    let normal = (v[1].difference - base)
        .cross(v[2].difference - base)
        .normalize_or_zero();
    v.push(far(&v, &|p| (p - base).dot(normal).abs())?);
    Some(v)
}
