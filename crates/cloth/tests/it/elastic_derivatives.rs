//! Forces are minus the gradient of the energy, the stiffness is minus that of
//! the forces.

use crate::elastic_support::*;
use conatus_cloth::{Elastic, Material, Piece};
use conatus_geometry::Mesh;
use conatus_math::{DMat3, DQuat, DVec3};

fn crumpled(mesh: &Mesh, by: f64, seed: u64) -> Vec<DVec3> {
    let noise = Noise(seed).vectors(mesh.vertices.len());
    moved(&mesh.vertices, &noise, by)
}

/// A quarter of a cylinder.
fn arch(nu: usize, nv: usize) -> Mesh {
    let mut mesh = sheet(nu, nv, 1.0, 0.6);
    for p in &mut mesh.vertices {
        let angle = 1.5 * p.x;
        *p = DVec3::new(angle.sin(), p.y, 1.0 - angle.cos());
    }
    mesh
}

fn pieces() -> [Piece; 3] {
    let only_stretch = Material {
        bend: 0.0,
        ..plain()
    };
    let stiff = Material {
        bend: 0.5,
        ..plain()
    };
    [
        Piece::flat("stretch", sheet(5, 4, 0.8, 0.6), only_stretch)
            .with_warp(DVec3::new(1.0, 0.4, 0.0)),
        Piece::flat("flat", sheet(5, 4, 0.8, 0.6), stiff),
        Piece::curved("curved", arch(6, 4), stiff),
    ]
}

#[test]
fn forces_are_minus_the_slope_of_the_energy() {
    for piece in pieces() {
        let elastic = Elastic::new(std::slice::from_ref(&piece));
        let x = crumpled(&piece.rest, 0.06, 3);
        let f = elastic_forces(&elastic, &x);
        for seed in 0..8 {
            let d = Noise(seed).vectors(x.len());
            let e = 1e-6;
            let slope = (elastic.energy(&moved(&x, &d, e)) - elastic.energy(&moved(&x, &d, -e)))
                / (2.0 * e);
            let expected = -dot(&f, &d);
            assert!(
                (slope - expected).abs() < 1e-6 * expected.abs().max(1.0),
                "{}: {slope} and {expected}",
                piece.name
            );
        }
    }
}

/// The directional difference of forces along d, and K d.
fn compare(elastic: &Elastic, x: &[DVec3], d: &[DVec3]) -> (f64, f64) {
    let e = 1e-6;
    let plus = elastic_forces(elastic, &moved(x, d, e));
    let minus = elastic_forces(elastic, &moved(x, d, -e));
    let mut product = vec![DVec3::ZERO; x.len()];
    elastic.stiffness_times(x, d, &mut product);
    let mut error: f64 = 0.0;
    let mut size: f64 = 0.0;
    for i in 0..x.len() {
        let expected = (minus[i] - plus[i]) / (2.0 * e);
        error = error.max((expected - product[i]).length());
        size = size.max(expected.length());
    }
    (error, size)
}

#[test]
fn the_stiffness_is_exact_wherever_nothing_had_to_be_left_out() {
    let d = |n| Noise(17).vectors(n);
    // Stretched everywhere and without shear stiffness.
    let piece = Piece::flat(
        "stretched",
        sheet(6, 5, 1.0, 1.0),
        Material {
            shear: 0.0,
            ..plain()
        },
    );
    let elastic = Elastic::new(std::slice::from_ref(&piece));
    let x = moved(&crumpled(&piece.rest, 0.01, 5), &piece.rest.vertices, 0.6);
    let (error, size) = compare(&elastic, &x, &d(x.len()));
    assert!(error < 1e-6 * size, "{error} of {size}");

    // Stretched evenly along both threads: shear stiffness without shear.
    let piece = Piece::flat("even", sheet(6, 5, 1.0, 1.0), plain());
    let elastic = Elastic::new(std::slice::from_ref(&piece));
    let map = DMat3::from_quat(DQuat::from_axis_angle(DVec3::ONE.normalize(), 0.7))
        * DMat3::from_diagonal(DVec3::new(1.3, 1.1, 1.0));
    let x: Vec<DVec3> = piece.rest.vertices.iter().map(|p| map * *p).collect();
    let (error, size) = compare(&elastic, &x, &d(x.len()));
    assert!(error < 1e-6 * size, "{error} of {size}");

    // Bending of a shell at rest.
    let only_bend = Material {
        stretch_warp: 0.0,
        stretch_weft: 0.0,
        shear: 0.0,
        ..plain()
    };
    let piece = Piece::curved("at rest", arch(6, 5), only_bend);
    let elastic = Elastic::new(std::slice::from_ref(&piece));
    let (error, size) = compare(&elastic, &piece.rest.vertices, &d(30));
    assert!(error < 1e-6 * size, "{error} of {size}");

    // Quadratic bending anywhere.
    let piece = Piece::flat("crumpled", sheet(6, 5, 1.0, 1.0), only_bend);
    let elastic = Elastic::new(std::slice::from_ref(&piece));
    let (error, size) = compare(&elastic, &crumpled(&piece.rest, 0.3, 4), &d(30));
    assert!(error < 1e-6 * size, "{error} of {size}");
}

/// Whether a dense symmetric matrix is positive definite.
fn positive_definite(mut a: Vec<Vec<f64>>) -> bool {
    let n = a.len();
    for k in 0..n {
        if a[k][k] <= 0.0 {
            return false;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            let row = a[k].clone();
            for (x, y) in a[i][k..].iter_mut().zip(&row[k..]) {
                *x -= factor * y;
            }
        }
    }
    true
}

#[test]
fn the_stiffness_is_symmetric_and_never_negative_however_crumpled() {
    for piece in pieces() {
        let elastic = Elastic::new(std::slice::from_ref(&piece));
        let n = 3 * elastic.len();
        for (seed, by) in [(1, 0.02), (2, 0.2), (3, 2.0), (4, 20.0)] {
            let x = crumpled(&piece.rest, by, seed);
            let mut dense = Vec::new();
            for k in 0..n {
                let mut unit = vec![DVec3::ZERO; x.len()];
                unit[k / 3][k % 3] = 1.0;
                let mut column = vec![DVec3::ZERO; x.len()];
                elastic.stiffness_times(&x, &unit, &mut column);
                dense.push(column.iter().flat_map(|c| c.to_array()).collect::<Vec<_>>());
            }
            let trace: f64 = (0..n).map(|k| dense[k][k]).sum();
            for (i, row) in dense.iter().enumerate() {
                for (value, other) in row.iter().zip(&dense) {
                    assert!((value - other[i]).abs() < 1e-12 * trace);
                }
            }
            for (i, row) in dense.iter_mut().enumerate() {
                row[i] += 1e-10 * trace;
            }
            assert!(positive_definite(dense), "{} moved by {by}", piece.name);
        }
    }
}

#[test]
fn rigid_motions_cost_nothing() {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 2.1);
    for piece in pieces() {
        let elastic = Elastic::new(std::slice::from_ref(&piece));
        let x: Vec<DVec3> = piece
            .rest
            .vertices
            .iter()
            .map(|p| turn * *p + DVec3::new(3.0, -1.0, 2.0))
            .collect();
        assert!(elastic.energy(&x).abs() < 1e-12);
        for f in elastic_forces(&elastic, &x) {
            assert!(f.length() < 1e-10, "{}: {f}", piece.name);
        }
    }
}

#[test]
fn inner_forces_sum_to_no_force_and_no_torque() {
    for piece in pieces() {
        let elastic = Elastic::new(std::slice::from_ref(&piece));
        let x = crumpled(&piece.rest, 0.1, 9);
        let f = elastic_forces(&elastic, &x);
        let size: f64 = f.iter().map(|f| f.length()).sum();
        let force: DVec3 = f.iter().sum();
        let torque: DVec3 = x.iter().zip(&f).map(|(x, f)| x.cross(*f)).sum();
        assert!(force.length() < 1e-12 * size, "{}: {force}", piece.name);
        assert!(torque.length() < 1e-12 * size, "{}: {torque}", piece.name);
    }
}

#[test]
fn quadratic_bending_equals_hinges_when_angles_are_small() {
    let only_bend = Material {
        stretch_warp: 0.0,
        stretch_weft: 0.0,
        shear: 0.0,
        ..plain()
    };
    let mesh = sheet(9, 7, 1.0, 0.8);
    let flat = Elastic::new(&[Piece::flat("flat", mesh.clone(), only_bend)]);
    let hinged = Elastic::new(&[Piece::curved("hinged", mesh.clone(), only_bend)]);
    let mut last = f64::INFINITY;
    for height in [0.02, 0.005, 0.00125] {
        let x: Vec<DVec3> = mesh
            .vertices
            .iter()
            .map(|p| *p + DVec3::Z * height * ((3.0 * p.x).sin() + p.x * p.y + (2.0 * p.y).cos()))
            .collect();
        let off = (flat.energy(&x) / hinged.energy(&x) - 1.0).abs();
        assert!(off < 0.1 * last.min(0.1), "{off} at {height}");
        last = off;
    }
    assert!(last < 1e-5);
}

#[test]
fn a_sheet_bent_to_a_cylinder_has_the_energy_of_plate_theory() {
    let only_bend = Material {
        stretch_warp: 0.0,
        stretch_weft: 0.0,
        shear: 0.0,
        ..plain()
    };
    let mesh = sheet(81, 11, 1.0, 0.2);
    let radius = 2.0;
    let bent: Vec<DVec3> = mesh
        .vertices
        .iter()
        .map(|p| {
            let angle = p.x / radius;
            DVec3::new(radius * angle.sin(), p.y, radius * (1.0 - angle.cos()))
        })
        .collect();
    let expected = 0.5 * only_bend.bend / (radius * radius) * 0.2;
    for piece in [
        Piece::flat("flat", mesh.clone(), only_bend),
        Piece::curved("hinged", mesh.clone(), only_bend),
    ] {
        let energy = Elastic::new(&[piece]).energy(&bent);
        assert!(
            (energy / expected - 1.0).abs() < 0.02,
            "{energy} and {expected}"
        );
    }
}
