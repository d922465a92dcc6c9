//! Rounded solids for the rigid parts of characters: trunks, limb links, feet,
//! heads.
//!
//! A character's description gives the solid of each part; collisions and
//! display use the same mesh, made here.

use crate::generate::revolution;
use crate::{Axis, Mesh, Shape, icosphere};
use conatus_math::{DVec3, Pose, cbrt, sincos};
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, PI};

/// Vertices around a tapered capsule and around a trunk.
const CAPSULE_SEGMENTS: u32 = 28;
const TRUNK_SEGMENTS: u32 = 40;
/// Rings of a trunk from pole to pole.
const TRUNK_RINGS: u32 = 24;
/// Pieces of a quarter turn.
const QUARTER_PIECES: usize = 7;
/// Pieces of the quarter turn along the edge of a slab.
const EDGE_PIECES: usize = 3;
/// Subdivisions of the icosahedron of a sphere.
const SPHERE_SUBDIVISIONS: u32 = 3;

/// The radius at the end of the last link of a limb, as a share of its radius.
const LAST_LINK_TAPER: f64 = 0.78;
/// A patch is given at least this half extent, so that its solid has a volume.
const MIN_PATCH_M: f64 = 2e-3;
/// The least and the largest default thickness of a sole.
const SOLE_THICKNESS_M: [f64; 2] = [0.012, 0.04];
/// The thickness of the plates on patches of the torso.
const PAD_THICKNESS_M: f64 = 0.006;
/// The edge radius of a box, as a share of its shortest half extent.
const BOX_EDGE_SHARE: f64 = 0.08;

/// A rounded solid about its own origin. Lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PartShape {
    /// A ball.
    Sphere {
        /// The radius.
        radius: f64,
    },
    /// A cone frustum along the z axis with a half ball on either end.
    TaperedCapsule {
        /// The radii of the half balls: at the lower and at the upper end.
        radii: [f64; 2],
        /// The heights of their centres on the z axis.
        heights: [f64; 2],
    },
    /// A box whose vertical edges are rounded by one radius and whose horizontal
    /// edges by another.
    Slab {
        /// Half of the edges of the box that bounds it.
        half_extents: DVec3,
        /// The radius of the vertical edges, seen from above.
        corner_radius: f64,
        /// The radius of the horizontal edges; at most half of the height.
        edge_radius: f64,
    },
    /// The surface |x/h_x|³ + |y/h_y|³ + |z/h_z|³ = 1, narrowed at the waist if it
    /// is long.
    Trunk {
        /// Half of the edges h of the box that bounds it.
        half_extents: DVec3,
    },
}

impl PartShape {
    /// What bodies collide with, and its pose: the nearest simple solid. A tapered capsule
    /// has the mean of its radii, a slab sharp edges, and a trunk the form of an ellipsoid.
    pub fn collision_shape(&self) -> (Pose, Shape) {
        let shape = match *self {
            Self::Sphere { radius } => Shape::Sphere { radius },
            Self::TaperedCapsule {
                radii,
                heights: [low, high],
            } => {
                let capsule = Shape::Capsule {
                    radius: 0.5 * (radii[0] + radii[1]),
                    height: high - low,
                    axis: Axis::Z,
                };
                return (Pose::shift(DVec3::Z * (0.5 * (low + high))), capsule);
            }
            Self::Slab { half_extents, .. } => Shape::Box { half_extents },
            Self::Trunk { half_extents } => Shape::Ellipsoid {
                semi_axes: half_extents,
            },
        };
        (Pose::IDENTITY, shape)
    }

    /// The surface, closed and facing outwards. Vertices are rounded to
    /// micrometres, which keeps recordings short.
    pub fn mesh(&self) -> Mesh {
        let mut mesh = match *self {
            Self::Sphere { radius } => {
                let mut ball = icosphere(SPHERE_SUBDIVISIONS);
                ball.vertices.iter_mut().for_each(|v| *v *= radius);
                ball
            }
            Self::TaperedCapsule { radii, heights } => tapered_capsule(radii, heights),
            Self::Slab {
                half_extents,
                corner_radius,
                edge_radius,
            } => slab(half_extents, corner_radius, edge_radius),
            Self::Trunk { half_extents } => trunk(half_extents),
        };
        for v in &mut mesh.vertices {
            *v = (*v * 1e6).round() / 1e6 + 0.0;
        }
        mesh
    }

    /// The link of a limb, from joint to joint along its z axis, with the radii at
    /// its two ends. If it ends in a foot, `ankle_height` is how high its end is
    /// above the sole: the link is shortened so that it does not pass through it.
    pub fn link(length: f64, radii: [f64; 2], ankle_height: Option<f64>) -> Self {
        let below_sole = ankle_height.map_or(0.0, |height| radii[1] - height);
        let half = length / 2.0;
        Self::TaperedCapsule {
            radii,
            heights: [-half, half - below_sole.clamp(0.0, half)],
        }
    }

    /// The default radius at the end of a link of this radius, given that of the
    /// next link of the limb.
    pub fn link_end_radius(radius: f64, next: Option<f64>) -> f64 {
        match next {
            Some(next) => radius.min(next),
            None => LAST_LINK_TAPER * radius,
        }
    }

    /// A foot or a hand over a rectangular patch. Its origin is its centre, so
    /// it stands on the patch when it is lifted by half of its thickness.
    pub fn sole(patch: [f64; 2], thickness: f64) -> Self {
        let [a, b] = patch.map(|h| h.max(MIN_PATCH_M));
        Self::Slab {
            half_extents: DVec3::new(a, b, thickness / 2.0),
            corner_radius: 0.75 * a.min(b),
            edge_radius: 0.45 * thickness,
        }
    }

    /// The default thickness of a sole: no thicker than the ankle above it.
    pub fn sole_thickness(patch: [f64; 2], ankle_radius: Option<f64>) -> f64 {
        let [a, b] = patch.map(|h| h.max(MIN_PATCH_M));
        let flat = 0.6 * a.min(b);
        let [thinnest, thickest] = SOLE_THICKNESS_M;
        ankle_radius
            .map_or(flat, |radius| flat.min(0.7 * radius))
            .clamp(thinnest, thickest)
    }

    /// A thin plate on a patch of the torso, centred in it. It is smaller than the
    /// patch, because torsos are round.
    pub fn pad(patch: [f64; 2]) -> Self {
        let [a, b] = patch.map(|h| h.max(MIN_PATCH_M));
        Self::Slab {
            half_extents: DVec3::new(0.5 * a, 0.5 * b, PAD_THICKNESS_M / 2.0),
            corner_radius: 0.25 * a.min(b),
            edge_radius: PAD_THICKNESS_M / 2.0,
        }
    }

    /// A box with slightly rounded edges.
    pub fn rounded_box(half_extents: DVec3) -> Self {
        let edge_radius = BOX_EDGE_SHARE * half_extents.min_element();
        Self::Slab {
            half_extents,
            corner_radius: 2.0 * edge_radius,
            edge_radius,
        }
    }

    /// Whether all sizes are finite, and positive where they have to be.
    pub fn is_valid(&self) -> bool {
        let positive = |v: f64| v.is_finite() && v > 0.0;
        let not_negative = |v: f64| v.is_finite() && v >= 0.0;
        match *self {
            Self::Sphere { radius } => positive(radius),
            Self::TaperedCapsule { radii, heights } => {
                radii.into_iter().all(positive)
                    && heights.into_iter().all(f64::is_finite)
                    && heights[0] <= heights[1]
            }
            Self::Slab {
                half_extents,
                corner_radius,
                edge_radius,
            } => {
                half_extents.to_array().into_iter().all(positive)
                    && not_negative(corner_radius)
                    && not_negative(edge_radius)
            }
            Self::Trunk { half_extents } => half_extents.to_array().into_iter().all(positive),
        }
    }
}

fn tapered_capsule([below, above]: [f64; 2], [from, to]: [f64; 2]) -> Mesh {
    let quarter = |k: usize| sincos(FRAC_PI_2 * k as f64 / QUARTER_PIECES as f64);
    let mut profile = vec![(0.0, from - below)];
    profile.extend((1..=QUARTER_PIECES).map(|k| {
        let (sin, cos) = quarter(k);
        (below * sin, from - below * cos)
    }));
    profile.extend((1..=QUARTER_PIECES).rev().map(|k| {
        let (sin, cos) = quarter(k);
        (above * sin, to + above * cos)
    }));
    profile.push((0.0, to + above));
    revolution(&profile, CAPSULE_SEGMENTS)
}

/// A direction d of the unit ball goes to h·d/‖d‖₃.
fn trunk(h: DVec3) -> Mesh {
    let mut profile = vec![(0.0, -1.0)];
    profile.extend((1..TRUNK_RINGS).map(|k| {
        let (sin, cos) = sincos(PI * f64::from(k) / f64::from(TRUNK_RINGS));
        (sin, -cos)
    }));
    profile.push((0.0, 1.0));
    let mut mesh = revolution(&profile, TRUNK_SEGMENTS);
    // The poles lie at the ends of the longest axis; a cyclic permutation of the
    // axes keeps the orientation of the triangles.
    let long = (0..3).max_by(|a, b| h[*a].total_cmp(&h[*b])).unwrap_or(2);
    let [u, v] = [(long + 1) % 3, (long + 2) % 3];
    let slender = (h[long] / h[u].max(h[v]) - 1.0).clamp(0.0, 1.0);
    for vertex in &mut mesh.vertices {
        let mut d = DVec3::ZERO;
        (d[u], d[v], d[long]) = (vertex.x, vertex.y, vertex.z);
        let cubes = d.abs().to_array().map(|c| c * c * c);
        d /= cbrt(cubes.iter().sum());
        // The waist is a little below the middle.
        let off = ((d[long] + 0.15) / 0.85).clamp(-1.0, 1.0);
        let waist = 1.0 - 0.2 * slender * (1.0 - off * off) * (1.0 - off * off);
        // Only the wider of the two other axes: the back stays where its patch is.
        d[if h[u] > h[v] { u } else { v }] *= waist;
        *vertex = d * h;
    }
    mesh
}

fn slab(half: DVec3, corner: f64, edge: f64) -> Mesh {
    let (from, to) = (-half.z, half.z);
    let edge = edge.min((to - from) / 2.0);
    let arc = |k: usize| {
        let (sin, cos) = sincos(FRAC_PI_2 * k as f64 / EDGE_PIECES as f64);
        [edge * (1.0 - sin), edge * (1.0 - cos)]
    };
    let bottom = (0..=EDGE_PIECES).map(|k| {
        let [inset, rise] = arc(k);
        (inset, from + rise)
    });
    let top = (0..=EDGE_PIECES).rev().map(|k| {
        let [inset, rise] = arc(k);
        (inset, to - rise)
    });
    let mut mesh = Mesh::default();
    let around = 4 * (QUARTER_PIECES as u32 + 1);
    mesh.vertices.push(DVec3::new(0.0, 0.0, from));
    for (inset, z) in bottom.chain(top) {
        let outline = rounded_rectangle([half.x, half.y], inset, corner, z);
        mesh.vertices.extend(outline);
    }
    mesh.vertices.push(DVec3::new(0.0, 0.0, to));
    let last = mesh.vertices.len() as u32 - 1;
    let last_ring = 2 * EDGE_PIECES as u32 + 1;
    let at = |ring: u32, k: u32| 1 + ring * around + k % around;
    for k in 0..around {
        mesh.triangles.push([0, at(0, k + 1), at(0, k)]);
        for ring in 0..last_ring {
            let [a, b] = [at(ring, k), at(ring, k + 1)];
            let [c, d] = [at(ring + 1, k + 1), at(ring + 1, k)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
        let [a, b] = [at(last_ring, k), at(last_ring, k + 1)];
        mesh.triangles.push([last, a, b]);
    }
    mesh
}

/// A rectangle with round corners, counter-clockwise, made smaller all around by
/// `inset`.
fn rounded_rectangle(
    [a, b]: [f64; 2],
    inset: f64,
    corner: f64,
    z: f64,
) -> impl Iterator<Item = DVec3> {
    let corner = corner.min(a).min(b);
    let radius = (corner - inset).max(0.1 * corner);
    let [a, b] = [a - inset - radius, b - inset - radius].map(|side| side.max(0.0));
    (0..4).flat_map(move |quadrant| {
        let [x, y] = [[a, b], [-a, b], [-a, -b], [a, -b]][quadrant];
        (0..=QUARTER_PIECES).map(move |k| {
            let turn = quadrant as f64 + k as f64 / QUARTER_PIECES as f64;
            let (sin, cos) = sincos(FRAC_PI_2 * turn);
            DVec3::new(x + radius * cos, y + radius * sin, z)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMB: PartShape = PartShape::TaperedCapsule {
        radii: [0.06, 0.05],
        heights: [-0.2, 0.2],
    };

    #[test]
    fn all_shapes_are_closed_and_face_outwards() {
        let flat = DVec3::new(0.3, 0.2, 0.1);
        let trunk = |half_extents| PartShape::Trunk { half_extents };
        let slab = |half_extents: DVec3, corner_radius, edge_radius| PartShape::Slab {
            half_extents,
            corner_radius,
            edge_radius,
        };
        for (shape, bound) in [
            (trunk(DVec3::new(0.1, 0.17, 0.3)), 8.0 * 0.1 * 0.17 * 0.3),
            (trunk(flat), 8.0 * 0.3 * 0.2 * 0.1),
            (
                slab(DVec3::new(0.12, 0.05, 0.015), 0.03, 0.01),
                0.24 * 0.1 * 0.03,
            ),
            (slab(flat, 0.016, 0.008), 8.0 * 0.006),
            (LIMB, 0.12 * 0.12 * 0.52),
            (PartShape::Sphere { radius: 0.1 }, 0.008),
        ] {
            let mesh = shape.mesh();
            assert!(mesh.check_closed().is_ok(), "{shape:?}");
            let volume = mesh.volume_integrals().volume;
            assert!(
                volume > 0.45 * bound && volume < bound,
                "{volume} of {bound}"
            );
        }
    }

    #[test]
    fn meshes_stay_within_the_solids_that_bound_them() {
        let half_extents = DVec3::new(0.1, 0.17, 0.3);
        for v in (PartShape::Trunk { half_extents }).mesh().vertices {
            assert!((v.abs() - half_extents).max_element() < 1e-5);
        }
        for v in LIMB.mesh().vertices {
            let axis = v.with_z(v.z - v.z.clamp(-0.2, 0.2));
            assert!(axis.length() < 0.06 + 1e-5);
        }
    }

    #[test]
    fn sizes_that_are_not_numbers_or_negative_are_not_valid() {
        assert!(LIMB.is_valid());
        assert!(!PartShape::Sphere { radius: f64::NAN }.is_valid());
        assert!(!PartShape::Sphere { radius: 0.0 }.is_valid());
        let upside_down = PartShape::TaperedCapsule {
            radii: [0.1; 2],
            heights: [0.2, -0.2],
        };
        assert!(!upside_down.is_valid());
        let half_extents = DVec3::new(0.1, -0.1, 0.1);
        assert!(!PartShape::Trunk { half_extents }.is_valid());
        let sharp = PartShape::Slab {
            half_extents: DVec3::splat(0.1),
            corner_radius: 0.0,
            edge_radius: -1e-3,
        };
        assert!(!sharp.is_valid());
    }
}
