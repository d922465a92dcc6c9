//! The distance from a heightfield: that from the tangent plane below the point,
//! ```text
//! φ = (z − h(x, y)) / √(1 + |∇h|²)
//! ```

use super::{Distance, outer};
use conatus_geometry::Heightfield;
use conatus_math::{DMat3, DVec3};

/// The signed distance of a point from a heightfield.
pub(super) fn distance(field: &Heightfield, p: DVec3) -> Distance {
    let [h, hx, hy, hxx, hxy, hyy] = field.height(p.x, p.y);
    let rise = p.z - h;
    let w = 1.0 / (1.0 + hx * hx + hy * hy).sqrt();
    let up = DVec3::new(-hx, -hy, 1.0);
    let normal = up * w;
    let by_w = DVec3::new(hx * hxx + hy * hxy, hx * hxy + hy * hyy, 0.0) * -(w * w * w);
    let bend = DMat3::from_cols(
        DVec3::new(-hxx, -hxy, 0.0),
        DVec3::new(-hxy, -hyy, 0.0),
        DVec3::ZERO,
    );
    Distance {
        value: rise * w,
        gradient: normal + by_w * rise,
        normal,
        slope: bend * w + outer(up, by_w),
    }
}
