//! Two boxes: the separating-axis test over their 15 axes, and clipping.
//!
//! Everything happens in the axes of the first box. With R the rotation of the second
//! and t its centre there, the separation along face i of the first is
//! |t_i| − h_i − Σ_j |R_ij| k_j, along face j of the second |Rᵀt|_j − k_j − Σ_i h_i |R_ij|,
//! and along the cross product of edges i and j the same sums of projections over its
//! length.

use super::manifold::{Manifold, ManifoldPoint};
use conatus_math::{DMat3, DVec3};

/// An edge axis has to separate better than a face by this share of the boxes' size:
/// faces give more points, and the choice must not alternate.
const EDGE_BIAS: f64 = 1e-3;
/// Edges are parallel below this squared sine.
const PARALLEL: f64 = 1e-8;

/// The manifold of two boxes with half extents `h` and `k`, the second rotated by `r`
/// and moved by `t`; none if they are farther apart than `margin`. It is empty if they
/// are apart and no corner of one lies over a face of the other.
pub fn box_box(h: DVec3, k: DVec3, r: &DMat3, t: DVec3, margin: f64) -> Option<Manifold> {
    let rotation = r.to_cols_array_2d(); // rotation[j][i] = R_ij
    let entry = |i: usize, j: usize| rotation[j][i];
    let absolute = |i: usize, j: usize| entry(i, j).abs();
    let mut best = f64::NEG_INFINITY;
    let mut axis = 0;
    for i in 0..3 {
        let reach = absolute(i, 0) * k.x + absolute(i, 1) * k.y + absolute(i, 2) * k.z;
        let separation = t[i].abs() - h[i] - reach;
        if separation > margin {
            return None;
        }
        if separation > best {
            best = separation;
            axis = i;
        }
    }
    let s = r.transpose() * t;
    // The first box keeps its role as reference between equal faces.
    let bias = 1e-4 * h.min_element().min(k.min_element());
    for j in 0..3 {
        let reach = absolute(0, j) * h.x + absolute(1, j) * h.y + absolute(2, j) * h.z;
        let separation = s[j].abs() - k[j] - reach;
        if separation > margin {
            return None;
        }
        if separation > best + bias {
            best = separation;
            axis = 3 + j;
        }
    }
    let edge_bias = EDGE_BIAS * h.min_element().min(k.min_element());
    let mut edge: Option<(f64, usize, usize, DVec3)> = None;
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            // e_i × R e_j, of squared length 1 − R_ij².
            let square = 1.0 - entry(i, j) * entry(i, j);
            if square < PARALLEL {
                continue;
            }
            let projected = (t[i2] * entry(i1, j) - t[i1] * entry(i2, j)).abs();
            let reach = h[i1] * absolute(i2, j)
                + h[i2] * absolute(i1, j)
                + k[j1] * absolute(i, j2)
                + k[j2] * absolute(i, j1);
            let length = square.sqrt();
            let separation = (projected - reach) / length;
            if separation > margin {
                return None;
            }
            if separation > best + edge_bias && edge.is_none_or(|(most, ..)| separation > most) {
                let mut e = DVec3::ZERO;
                e[i] = 1.0;
                let direction = e.cross(r.col(j)) / length;
                edge = Some((separation, i, j, direction));
            }
        }
    }
    if let Some((separation, i, j, direction)) = edge {
        return Some(edge_contact(h, k, r, t, separation, i, j, direction));
    }
    let manifold = match axis {
        0..3 => face_contact(h, k, r, t, axis, margin, 0),
        _ => {
            // The second box is the reference: the same in its axes.
            let own = face_contact(k, h, &r.transpose(), -s, axis - 3, margin, 1 << 24);
            let pose = |p: DVec3| *r * p + t;
            let mut manifold = Manifold::new(*r * -own.normal);
            for point in own.points() {
                manifold.push(ManifoldPoint {
                    point: pose(point.point),
                    ..*point
                });
            }
            manifold
        }
    };
    Some(manifold)
}

#[allow(clippy::too_many_arguments)]
fn edge_contact(
    h: DVec3,
    k: DVec3,
    r: &DMat3,
    t: DVec3,
    separation: f64,
    i: usize,
    j: usize,
    direction: DVec3,
) -> Manifold {
    let normal = if direction.dot(t) < 0.0 {
        -direction
    } else {
        direction
    };
    let sign = |d: f64| 1.0f64.copysign(d);
    // The middle of the edge of the first box that is farthest along the normal.
    let mut a = h * DVec3::new(sign(normal.x), sign(normal.y), sign(normal.z));
    a[i] = 0.0;
    let own = r.transpose() * normal;
    let mut b = -k * DVec3::new(sign(own.x), sign(own.y), sign(own.z));
    b[j] = 0.0;
    let b = *r * b + t;
    // The nearest points of the two lines.
    let mut u = DVec3::ZERO;
    u[i] = 1.0;
    let v = r.col(j);
    let w = b - a;
    let (uv, uw, vw) = (u.dot(v), u.dot(w), v.dot(w));
    let det = 1.0 - uv * uv;
    let s = (uw - uv * vw) / det;
    let q = (uv * uw - vw) / det;
    let middle = 0.5 * (a + u * s + b + v * q);
    let bits =
        |n: DVec3| u32::from(n.x > 0.0) | u32::from(n.y > 0.0) << 1 | u32::from(n.z > 0.0) << 2;
    let id = 1 << 25 | (i as u32) << 8 | (j as u32) << 10 | bits(normal) << 12 | bits(own) << 16;
    Manifold::single(
        normal,
        ManifoldPoint {
            point: middle,
            separation,
            id,
        },
    )
}

/// The incident face of the second box, clipped by the sides of face `axis` of the
/// first.
fn face_contact(
    h: DVec3,
    k: DVec3,
    r: &DMat3,
    t: DVec3,
    axis: usize,
    margin: f64,
    tag: u32,
) -> Manifold {
    let sign = 1.0f64.copysign(t[axis]);
    let mut normal = DVec3::ZERO;
    normal[axis] = sign;
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    // The face of the second box that faces the reference most.
    let own = r.transpose() * normal;
    let a = own.abs();
    let face = if a.x >= a.y && a.x >= a.z {
        0
    } else if a.y >= a.z {
        1
    } else {
        2
    };
    let (fu, fv) = ((face + 1) % 3, (face + 2) % 3);
    let side = -1.0f64.copysign(own[face]);
    let centre = t + r.col(face) * (side * k[face]);
    let (eu, ev) = (r.col(fu) * k[fu], r.col(fv) * k[fv]);
    let corners = [
        centre + eu + ev,
        centre - eu + ev,
        centre - eu - ev,
        centre + eu - ev,
    ];
    // A polygon with at most four corners more than the face.
    let mut polygon = [(DVec3::ZERO, 0u32); 8];
    let mut count = 4;
    for (n, corner) in corners.into_iter().enumerate() {
        polygon[n] = (corner, n as u32 + 1);
    }
    for (plane, (coordinate, bound)) in [(u, h[u]), (u, -h[u]), (v, h[v]), (v, -h[v])]
        .into_iter()
        .enumerate()
    {
        // Corners that are hardly outside stay: cutting them off would exchange one
        // feature for another back and forth.
        let slack = 1e-3 * h[coordinate];
        let inside = |p: DVec3| match bound > 0.0 {
            true => bound - p[coordinate] + slack,
            false => p[coordinate] - bound + slack,
        };
        let mut out = [(DVec3::ZERO, 0u32); 8];
        let mut kept = 0;
        let mut d = inside(polygon[0].0);
        let first = d;
        for n in 0..count {
            let (p, id) = polygon[n];
            let next = if n + 1 == count { 0 } else { n + 1 };
            let e = if next == 0 {
                first
            } else {
                inside(polygon[next].0)
            };
            if d >= 0.0 && kept < 8 {
                out[kept] = (p, id);
                kept += 1;
            }
            if (d < 0.0) != (e < 0.0) && kept < 8 {
                let (q, other) = polygon[next];
                let share = d / (d - e);
                // The corner outside tells which edge of the face was cut.
                let cut = if d < 0.0 { id } else { other };
                let along = if d < 0.0 { 1 } else { 2 };
                out[kept] = (
                    p + (q - p) * share,
                    (cut & 0xff) << 8 | (plane as u32 + 1) << 4 | along << 20 | (id & 0xf),
                );
                kept += 1;
            }
            d = e;
        }
        polygon = out;
        count = kept;
        if count == 0 {
            break;
        }
    }
    let mut manifold = Manifold::new(normal);
    let mut points = [ManifoldPoint::default(); 8];
    let mut kept = 0;
    for (p, id) in &polygon[..count] {
        let separation = sign * p[axis] - h[axis];
        if separation <= margin {
            points[kept] = ManifoldPoint {
                point: *p - normal * (0.5 * separation),
                separation,
                id: id | tag | (face as u32) << 22 | (axis as u32) << 26,
            };
            kept += 1;
        }
    }
    manifold.reduce(&points[..kept]);
    manifold
}
