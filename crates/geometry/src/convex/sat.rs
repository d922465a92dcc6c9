//! The separating-axis test of two polytopes: the axis along which they are farthest
//! apart, or least deep in each other, among the normals of their faces and the cross
//! products of their edges.

use super::Convex;
use super::gjk::Placed;
use conatus_math::DVec3;

/// An edge axis has to separate better than a face by this share of the size.
const EDGE_BIAS: f64 = 1e-3;
/// A face of the second has to separate better than one of the first by this share.
const FACE_BIAS: f64 = 1e-4;

/// The best axis of two polytopes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeparatingAxis {
    /// The unit vector from the first to the second.
    pub direction: DVec3,
    /// The gap along it; negative if they overlap.
    pub separation: f64,
    /// Where it comes from, to try it first in the next step.
    pub source: AxisSource,
}

/// The features that an axis comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisSource {
    /// A face of the first polytope.
    First(u32),
    /// A face of the second polytope.
    Second(u32),
    /// An edge of each.
    Edges(u32, u32),
    /// The nearest or the deepest points, whatever features they lie on.
    Points,
}

/// The face of a polytope that faces a direction: normal, offset and number.
fn face_towards(shape: &Convex, direction: DVec3) -> Option<(DVec3, f64, u32)> {
    match shape {
        Convex::Hull(hull) => {
            let at = hull.face_towards(direction);
            let face = hull.faces().get(at)?;
            Some((face.normal, face.offset, at as u32))
        }
        _ => {
            let mut best: Option<(DVec3, f64, u32)> = None;
            for (k, (normal, offset)) in (0u32..).zip(faces(shape)) {
                if best.is_none_or(|b| normal.dot(direction) > b.0.dot(direction)) {
                    best = Some((normal, offset, k));
                }
            }
            best
        }
    }
}

/// The axis of a face near `found` if it separates the polytopes about as well: faces
/// hold contacts better than edges and corners do.
pub fn prefer_face(first: &Convex, second: &Placed, found: SeparatingAxis) -> SeparatingAxis {
    let size = first.bounding_radius().min(second.shape.bounding_radius());
    let mut best = SeparatingAxis {
        separation: found.separation - EDGE_BIAS * size,
        ..found
    };
    let mut from_face = false;
    if let Some((normal, offset, k)) = face_towards(first, found.direction) {
        let separation = second.support(-normal).dot(normal) - offset;
        if separation >= best.separation {
            from_face = true;
            best = SeparatingAxis {
                direction: normal,
                separation,
                source: AxisSource::First(k),
            };
        }
    }
    let turned = second.rotation.transpose() * -found.direction;
    if let Some((own, offset, k)) = face_towards(second.shape, turned) {
        let normal = second.rotation * own;
        let offset = offset + normal.dot(second.translation);
        let separation = first.support(-normal).0.dot(normal) - offset;
        // The first keeps its role between equal faces.
        let bias = if from_face { FACE_BIAS * size } else { 0.0 };
        if separation >= best.separation + bias {
            from_face = true;
            best = SeparatingAxis {
                direction: -normal,
                separation,
                source: AxisSource::Second(k),
            };
        }
    }
    if from_face { best } else { found }
}

/// The faces of a polytope: normals and offsets.
fn faces(shape: &Convex) -> Vec<(DVec3, f64)> {
    match shape {
        Convex::Box { half_extents: h } => (0..6)
            .map(|k| {
                let mut n = DVec3::ZERO;
                n[k / 2] = if k % 2 == 0 { 1.0 } else { -1.0 };
                (n, h[k / 2])
            })
            .collect(),
        Convex::Hull(hull) => hull.faces().iter().map(|f| (f.normal, f.offset)).collect(),
        Convex::Triangle([a, b, c]) => {
            let n = (*b - *a).cross(*c - *a).normalize_or_zero();
            vec![(n, n.dot(*a)), (-n, -n.dot(*a))]
        }
        _ => Vec::new(),
    }
}

/// An edge: a point, the vector to its other end, and the normals of the faces beside
/// it, if it has two.
type EdgeLine = (DVec3, DVec3, Option<[DVec3; 2]>);

fn edges(shape: &Convex) -> Vec<EdgeLine> {
    match shape {
        Convex::Capsule { half, .. } => vec![(-*half, *half * 2.0, None)],
        Convex::Box { half_extents: h } => {
            let mut out = Vec::with_capacity(12);
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                for (sj, sk) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                    let (mut p, mut u) = (DVec3::ZERO, DVec3::ZERO);
                    p[i] = -h[i];
                    p[j] = sj * h[j];
                    p[k] = sk * h[k];
                    u[i] = 2.0 * h[i];
                    let (mut m, mut n) = (DVec3::ZERO, DVec3::ZERO);
                    m[j] = sj;
                    n[k] = sk;
                    out.push((p, u, Some([m, n])));
                }
            }
            out
        }
        Convex::Hull(hull) => hull
            .edges()
            .iter()
            .map(|e| {
                let [a, b] = e.ends.map(|k| hull.vertices()[k as usize]);
                let normals = e.faces.map(|f| hull.faces()[f as usize].normal);
                (a, b - a, Some(normals))
            })
            .collect(),
        Convex::Triangle([a, b, c]) => [(a, b), (b, c), (c, a)]
            .map(|(p, q)| (*p, *q - *p, None))
            .into(),
        _ => Vec::new(),
    }
}

/// Whether the arcs from a to b and from c to d on the unit sphere cross: only then do
/// two edges with these neighbouring normals make a face of the difference set. (The
/// normals of the second polytope are negated.)
fn arcs_cross(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> bool {
    let (ba, dc) = (b.cross(a), d.cross(c));
    let (cba, dba) = (c.dot(ba), d.dot(ba));
    let (adc, bdc) = (a.dot(dc), b.dot(dc));
    cba * dba < 0.0 && adc * bdc < 0.0 && cba * bdc > 0.0
}

/// The gap along one axis, if the features still exist.
pub fn separation_along(
    first: &Convex,
    second: &Placed,
    source: AxisSource,
) -> Option<SeparatingAxis> {
    match source {
        AxisSource::First(k) => {
            let (normal, offset) = *faces(first).get(k as usize)?;
            let separation = second.support(-normal).dot(normal) - offset;
            Some(SeparatingAxis {
                direction: normal,
                separation,
                source,
            })
        }
        AxisSource::Second(k) => {
            let (own, offset) = *faces(second.shape).get(k as usize)?;
            let normal = second.rotation * own;
            let offset = offset + normal.dot(second.translation);
            let separation = first.support(-normal).0.dot(normal) - offset;
            Some(SeparatingAxis {
                direction: -normal,
                separation,
                source,
            })
        }
        AxisSource::Edges(..) | AxisSource::Points => None,
    }
}

/// The best axis of two polytopes; none for two points.
pub fn best_axis(first: &Convex, second: &Placed, margin: f64) -> Option<SeparatingAxis> {
    let mut best: Option<SeparatingAxis> = None;
    let better = |best: &Option<SeparatingAxis>, separation: f64, bias: f64| {
        best.is_none_or(|b: SeparatingAxis| separation > b.separation + bias)
    };
    for (k, (normal, offset)) in (0u32..).zip(faces(first)) {
        let separation = second.support(-normal).dot(normal) - offset;
        if better(&best, separation, 0.0) {
            best = Some(SeparatingAxis {
                direction: normal,
                separation,
                source: AxisSource::First(k),
            });
            if separation > margin {
                return best;
            }
        }
    }
    let size = first.bounding_radius().min(second.shape.bounding_radius());
    for (k, (own, offset)) in (0u32..).zip(faces(second.shape)) {
        let normal = second.rotation * own;
        let offset = offset + normal.dot(second.translation);
        let separation = first.support(-normal).0.dot(normal) - offset;
        if better(&best, separation, FACE_BIAS * size) {
            best = Some(SeparatingAxis {
                direction: -normal,
                separation,
                source: AxisSource::Second(k),
            });
            if separation > margin {
                return best;
            }
        }
    }
    let bias = EDGE_BIAS * size;
    let of_second: Vec<EdgeLine> = edges(second.shape)
        .into_iter()
        .map(|(p, u, normals)| {
            let turned = normals.map(|n| n.map(|n| second.rotation * n));
            (
                second.rotation * p + second.translation,
                second.rotation * u,
                turned,
            )
        })
        .collect();
    let mut edge: Option<SeparatingAxis> = None;
    for (i, (p, u, normals)) in (0u32..).zip(edges(first)) {
        for (j, (q, v, others)) in (0u32..).zip(&of_second) {
            let pruned = match (normals, others) {
                (Some([a, b]), Some([c, d])) => !arcs_cross(a, b, -*c, -*d),
                _ => false,
            };
            let cross = u.cross(*v);
            let square = cross.length_squared();
            if pruned || square < 1e-8 * u.length_squared() * v.length_squared() {
                continue;
            }
            let mut direction = cross / square.sqrt();
            let separation = if normals.is_some() && others.is_some() {
                // The edges are extreme along their common normal, which points out of
                // the first polytope: away from its centre.
                if direction.dot(p - centre(first)) < 0.0 {
                    direction = -direction;
                }
                (*q - p).dot(direction)
            } else {
                // An edge without faces beside it, as of a segment, has no outside: both
                // senses of the axis count.
                let along = |d: DVec3| second.support(-d).dot(d) - first.support(d).0.dot(d);
                let (there, back) = (along(direction), along(-direction));
                if back > there {
                    direction = -direction;
                }
                there.max(back)
            };
            if better(&best, separation, bias) && better(&edge, separation, 0.0) {
                edge = Some(SeparatingAxis {
                    direction,
                    separation,
                    source: AxisSource::Edges(i, j),
                });
                if separation > margin {
                    return edge;
                }
            }
        }
    }
    edge.or(best)
}

/// A point inside of a polytope.
fn centre(shape: &Convex) -> DVec3 {
    match shape {
        Convex::Hull(hull) => hull.centre(),
        Convex::Triangle(corners) => corners.iter().sum::<DVec3>() / 3.0,
        _ => DVec3::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ConvexHull, PairCache, collide};
    use super::*;
    use conatus_math::{DQuat, Pose};

    /// Copies of one hull with the same orientation have parallel faces and edges, so their
    /// difference set is full of corners in one plane; the expanding polytope once broke on
    /// them and a slow fallback found the depth.
    #[test]
    fn depths_of_large_hulls_agree_with_the_test_of_all_axes() {
        let mut seed = 3u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut overlaps = 0;
        for round in 0..200 {
            let mut vector = || DVec3::new(random(), random(), random()).normalize_or(DVec3::X);
            let points: Vec<DVec3> = (0..32).map(|_| vector()).collect();
            let hull = Convex::from(ConvexHull::new(&points).unwrap());
            let rotation = match round % 2 {
                0 => DQuat::IDENTITY,
                _ => DQuat::from_axis_angle(vector(), 1.0 + vector().x),
            };
            let at = Pose::new(rotation, vector() * (1.75 + 0.2 * vector().y));
            let placed = Placed::new(&hull, &at);
            let expected = best_axis(&hull, &placed, f64::INFINITY).unwrap().separation;
            let found = collide(
                &hull,
                &Pose::IDENTITY,
                &hull,
                &at,
                0.1,
                &mut PairCache::default(),
            );
            let Some(manifold) = found else {
                assert!(expected > 0.0, "{expected}");
                continue;
            };
            let n = manifold.normal;
            let along = placed.support(-n).dot(n) - hull.support(n).0.dot(n);
            if expected < 0.0 {
                overlaps += 1;
                assert!(along <= expected + 1e-9, "{along} {expected}");
                assert!(along >= expected - EDGE_BIAS - 1e-8, "{along} {expected}");
            }
        }
        assert!(overlaps > 40, "{overlaps}");
    }
}
