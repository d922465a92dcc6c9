//! Obstacles for cloth: surfaces of revolution, such as a funnel, and
//! extrusions, such as a trough.
//!
//! They are thin sheets, open at their ends; cloth collides with both sides.

use super::cell;
use crate::Mesh;
use conatus_math::{DVec3, sincos};
use std::f64::consts::{PI, TAU};

/// The surface that a profile of (radius, z) sweeps about the z axis, with
/// `segments` vertices (at least 3) in each ring. Where the profile rises it
/// faces outwards. A radius of zero, allowed at the ends, closes the surface
/// there with a single vertex.
pub fn revolution(profile: &[(f64, f64)], segments: u32) -> Mesh {
    let segments = segments.max(3);
    let mut mesh = Mesh::default();
    let mut below: Option<Ring> = None;
    for (row, &(radius, z)) in (0u32..).zip(profile) {
        let ring = Ring {
            first: mesh.vertices.len() as u32,
            count: if radius == 0.0 { 1 } else { segments },
        };
        for k in 0..ring.count {
            let (sin, cos) = sincos(TAU * f64::from(k) / f64::from(segments));
            let point = DVec3::new(radius * cos, radius * sin, z);
            mesh.vertices.push(point);
        }
        if let Some(below) = below {
            for k in 0..segments {
                let quad = [below.at(k), below.at(k + 1), ring.at(k + 1), ring.at(k)];
                match (below.count, ring.count) {
                    (1, 1) => {}
                    (1, _) => mesh.triangles.push([quad[0], quad[2], quad[3]]),
                    (_, 1) => mesh.triangles.push([quad[0], quad[1], quad[2]]),
                    _ => cell(quad, (k + row) % 2 == 0, &mut mesh.triangles),
                }
            }
        }
        below = Some(ring);
    }
    mesh
}

#[derive(Clone, Copy)]
struct Ring {
    first: u32,
    count: u32,
}

impl Ring {
    fn at(self, k: u32) -> u32 {
        self.first + k % self.count
    }
}

/// The profile of a funnel for [`revolution`], from the bottom up: a straight
/// chute of `neck_radius` that ends `chute_length` below the lip, the lip at
/// `neck_height`, rounded with the radius `fillet` in `arc` pieces (at least
/// one), and a cone up to the rim. The rim is wider and not lower than the lip.
/// A fillet too large for the cone or the chute is reduced.
///
/// With u the direction up the cone and θ the angle between it and the chute,
/// the arc touches both at the distance l = f/tan(θ/2) from the sharp corner,
/// and its centre lies at the radius r + f. It turns by φ = π − θ, and
/// tan(φ/2) = u_r/(1 + u_z); with τ = tan of half the angle the circle is
/// (1 − τ², 2τ)/(1 + τ²), so the arc needs no trigonometry, and l = f·τ_end.
pub fn funnel_profile(
    rim_radius: f64,
    rim_height: f64,
    neck_radius: f64,
    neck_height: f64,
    fillet: f64,
    chute_length: f64,
    arc: u32,
) -> Vec<(f64, f64)> {
    let (wide, high) = (rim_radius - neck_radius, rim_height - neck_height);
    let cone = wide.hypot(high);
    let last = wide / (cone + high);
    let fits = cone.min(chute_length).max(0.0) / last;
    let fillet = fillet.max(0.0).min(fits);

    let mut profile = vec![(neck_radius, neck_height - chute_length)];
    let arc = if fillet > 0.0 { arc.max(1) } else { 0 };
    for i in 0..=arc {
        let tau = last * f64::from(i) / f64::from(arc.max(1));
        let (cos, sin) = (
            (1.0 - tau * tau) / (1.0 + tau * tau),
            2.0 * tau / (1.0 + tau * tau),
        );
        profile.push((
            neck_radius + fillet * (1.0 - cos),
            neck_height + fillet * (sin - last),
        ));
    }
    profile.push((rim_radius, rim_height));
    // Where the arc replaces the whole chute or cone, or there is no chute, two
    // points coincide.
    let near = 1e-12 * (cone + chute_length);
    profile.dedup_by(|b, a| (a.0 - b.0).hypot(a.1 - b.1) <= near);
    profile
}

/// The surface that a profile of (x, z) sweeps along y, from -`length`/2 to
/// `length`/2 in `segments` pieces (at least one). Where x grows along the
/// profile it faces up.
pub fn extrusion(profile: &[(f64, f64)], length: f64, segments: u32) -> Mesh {
    let (columns, segments) = (profile.len() as u32, segments.max(1));
    let mut mesh = Mesh::default();
    for j in 0..=segments {
        let y = length * (f64::from(j) / f64::from(segments) - 0.5);
        let row = profile.iter().map(|&(x, z)| DVec3::new(x, y, z));
        mesh.vertices.extend(row);
    }
    for j in 0..segments {
        for i in 0..columns.saturating_sub(1) {
            let a = columns * j + i;
            let quad = [a, a + 1, a + columns + 1, a + columns];
            cell(quad, (i + j) % 2 == 0, &mut mesh.triangles);
        }
    }
    mesh
}

/// A channel along y with its rim at z = 0, `width` wide and `depth` deep:
/// half an ellipse of `segments` pieces (at least 2, which make a V).
pub fn trough(width: f64, length: f64, depth: f64, segments: u32) -> Mesh {
    let segments = segments.max(2);
    let mut profile: Vec<(f64, f64)> = (0..=segments)
        .map(|i| {
            let (sin, cos) = sincos(PI * f64::from(i) / f64::from(segments));
            (-0.5 * width * cos, -depth * sin)
        })
        .collect();
    // sin π is not quite zero.
    profile[segments as usize] = (0.5 * width, 0.0);
    // About as long as wide, to avoid needle triangles.
    let around = profile
        .windows(2)
        .map(|p| (p[1].0 - p[0].0).hypot(p[1].1 - p[0].1))
        .sum::<f64>();
    let rows = (length * f64::from(segments) / around).clamp(1.0, 1000.0);
    extrusion(&profile, length, rows.round() as u32)
}
