//! Means and normals of pieces of cloth.

use conatus_math::DVec3;

/// The mean of vertices, an estimate of the centre of mass.
pub(crate) fn mean(points: &[DVec3]) -> DVec3 {
    points.iter().copied().sum::<DVec3>() / points.len() as f64
}

/// A unit normal for each vertex: the mean of those of the triangles around
/// it, weighted by their areas. The normal of a vertex without a valid triangle
/// is z.
pub(crate) fn normals(points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; points.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(|i| points.get(i as usize).copied().unwrap_or(DVec3::NAN));
        let area = (b - a).cross(c - a);
        if area.is_finite() {
            for corner in corners {
                if let Some(sum) = sums.get_mut(*corner as usize) {
                    *sum += area;
                }
            }
        }
    }
    sums.into_iter().map(|n| n.normalize_or(DVec3::Z)).collect()
}
