//! Floating bodies: draught, bobbing frequency and stability.

use crate::support::{DOWN, G, Universe, assert_near, assert_ratio, resting};
use conatus_geometry::{Mesh, Shape, icosphere};
use conatus_math::{DVec3, rotation};
use conatus_rigid::MassProperties;
use conatus_rigid::State;
use conatus_rigid::forces::{Hull, Rectangle, UpAxis, Water, Wave};
use std::sync::Arc;

const DENSITY: f64 = 1000.0;

fn water(mesh: Mesh) -> Water {
    Water {
        up: UpAxis::Z,
        level: 0.0,
        density: DENSITY,
        gravity: G,
        linear_drag: 0.0,
        drag_coefficient: 0.0,
        current: DVec3::ZERO,
        extent: None,
        waves: Vec::new(),
        hulls: vec![Hull {
            body: 0,
            mesh: Arc::new(mesh),
        }],
    }
}

/// A block of `ratio` times the density of water, in `water`.
fn block(half: DVec3, ratio: f64, state: State, change: impl Fn(&mut Water)) -> Universe {
    let solid = Shape::Box { half_extents: half };
    let mass = ratio * DENSITY * solid.volume().unwrap();
    let moments = MassProperties::of_shape(&solid, mass)
        .unwrap()
        .diagonalise()
        .moments;
    let mut u = Universe::new(0.01, DOWN);
    u.add(mass, moments, state);
    let mut around = water(solid.mesh());
    change(&mut around);
    u.push(around);
    u
}

const HALF: DVec3 = DVec3::new(0.5, 0.4, 0.15);

#[test]
fn a_floating_block_draws_its_height_times_the_ratio_of_densities() {
    for ratio in [0.2, 0.5, 0.9] {
        let start = resting(DVec3::Z * 0.1);
        let mut u = block(HALF, ratio, start, |w| w.linear_drag = 800.0);
        u.run(3000);
        let draught = HALF.z - u.state(0).position.z;
        assert_ratio(draught, ratio * 2.0 * HALF.z, 1e-6);
    }
}

/// A ball floats at the depth d with d²(3r − d) = 4 r³ · ratio, the volume of
/// a spherical cap.
#[test]
fn a_floating_ball_s_depth_solves_the_cubic_of_its_cap() {
    let r = 0.7;
    let mut ball = icosphere(5);
    ball.vertices.iter_mut().for_each(|v| *v *= r);
    let full = ball.volume_integrals().volume;
    for ratio in [0.1, 0.5, 0.8] {
        let cap = |d: f64| d * d * (3.0 * r - d) - 4.0 * r * r * r * ratio;
        let depth = bisect(0.0, 2.0 * r, cap);
        // The depth at which buoyancy equals the weight.
        let found = bisect(0.0, 2.0 * r, |d| {
            let mut u = Universe::new(0.01, DOWN);
            u.add(1.0, DVec3::ONE, resting(DVec3::Z * (r - d)));
            u.push(water(ball.clone()));
            u.loads()[0].force.z - ratio * DENSITY * G * full
        });
        assert_ratio(found, depth, 1e-3);
    }
}

fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// With vertical sides buoyancy is a spring of ρ g A: ω² = ρ g A/m.
#[test]
fn a_bobbing_block_swings_at_the_frequency_of_its_waterline() {
    let ratio = 0.5;
    let mut u = block(HALF, ratio, resting(DVec3::Z * 0.05), |_| ());
    let area = 4.0 * HALF.x * HALF.y;
    let mass = u.bodies.constants(0).mass;
    let omega = f64::sqrt(DENSITY * G * area / mass);
    for _ in 0..20 {
        u.run(25);
        let expected = 0.05 * (omega * u.time()).cos();
        assert!((u.state(0).position.z - expected).abs() < 1e-5);
    }
}

/// The torque of the water on a block heeled by a small angle about x.
fn heeling_torque(half: DVec3, ratio: f64, angle: f64) -> f64 {
    let draught = ratio * 2.0 * half.z;
    let state = State {
        position: DVec3::Z * (half.z - draught),
        orientation: rotation::from_axis_angle(DVec3::X, angle),
        ..State::default()
    };
    let mut u = block(half, ratio, state, |_| ());
    (u.state(0).rotation() * u.loads()[0].torque_body).x
}

/// The metacentre lies b²/12d above the centre of buoyancy, b the beam and d
/// the draught: a flat block rights itself, a tall one capsizes.
#[test]
fn a_flat_block_rights_itself_and_a_tall_one_capsizes() {
    let angle = 1e-3;
    for (half, ratio) in [
        (HALF, 0.5),
        (DVec3::new(0.5, 0.2, 0.15), 0.3),
        (DVec3::new(0.5, 0.15, 0.6), 0.5),
    ] {
        let (beam, height) = (2.0 * half.y, 2.0 * half.z);
        let draught = ratio * height;
        let metacentric = beam * beam / (12.0 * draught) + 0.5 * draught - 0.5 * height;
        let weight = DENSITY * G * 8.0 * half.x * half.y * half.z * ratio;
        let expected = -weight * metacentric * angle;
        let torque = heeling_torque(half, ratio, angle);
        assert_ratio(torque, expected, 1e-3);
        assert_eq!(torque < 0.0, half.z < half.y, "righting or capsizing");
    }
}

/// A small float moves up and down with a long, slow wave.
#[test]
fn a_small_float_follows_a_long_wave() {
    let half = DVec3::new(0.2, 0.2, 0.1);
    let wave = Wave {
        amplitude: 0.3,
        wave_vector: [0.15, 0.0],
        angular_frequency: 1.0,
        phase: 0.4,
    };
    let mut u = block(half, 0.5, resting(DVec3::Z * 0.117), |w| {
        w.linear_drag = 100.0;
        w.waves = vec![wave];
    });
    let surface = |u: &Universe| {
        let x = u.state(0).position.x;
        0.3 * (0.15 * x - u.time() + 0.4).sin()
    };
    u.run(500);
    let (mut worst, mut highest) = (0.0f64, 0.0f64);
    for _ in 0..1300 {
        u.step();
        let z = u.state(0).position.z;
        worst = worst.max((z - surface(&u)).abs());
        highest = highest.max(z);
    }
    assert!(highest > 0.25, "{highest}");
    assert!(worst < 0.015, "{worst}");
}

/// Archimedes: a fully submerged body is lifted by the weight of its volume of
/// water at the centre of that volume, in any orientation.
#[test]
fn a_sunken_body_is_lifted_by_the_weight_of_its_water() {
    let solid = Shape::Cone {
        radius: 0.4,
        height: 1.1,
        axis: conatus_geometry::Axis::X,
    };
    let mesh = solid.mesh();
    let volume = mesh.volume_integrals().volume;
    let state = State {
        position: DVec3::new(3.0, -2.0, -5.0),
        ..crate::support::general_state()
    };
    let mut u = Universe::new(0.01, DOWN);
    u.add(1.0, DVec3::ONE, state);
    u.push(water(mesh));
    let load = u.loads()[0];
    assert_near(load.force, DVec3::Z * (DENSITY * G * volume), 1e-8);
    // The mesh is described about its own centre of mass.
    assert_near(load.torque_body, DVec3::ZERO, 1e-8);
}

#[test]
fn there_is_no_water_beyond_its_extent() {
    let pool = Rectangle {
        min: [-2.0, -2.0],
        max: [2.0, 2.0],
    };
    let at = |x: f64| {
        let state = resting(DVec3::new(x, 0.0, -1.0));
        let mut u = block(HALF, 0.5, state, |w| w.extent = Some(pool));
        u.loads()[0].force.z
    };
    assert!(at(0.0) > 1000.0);
    assert_eq!(at(5.0), 0.0);
}

/// Under water, linear drag is −c A (v − current) over the whole surface A.
#[test]
fn drag_under_water_is_against_the_motion_through_it() {
    let (velocity, current) = (DVec3::new(0.3, -0.2, 0.1), DVec3::new(1.0, 0.5, 0.0));
    let state = State {
        velocity,
        ..resting(DVec3::Z * -2.0)
    };
    let mut u = block(HALF, 0.5, state, |w| {
        w.linear_drag = 30.0;
        w.current = current;
    });
    let area = 8.0 * (HALF.x * HALF.y + HALF.y * HALF.z + HALF.z * HALF.x);
    let lift = DVec3::Z * (DENSITY * G * 8.0 * HALF.x * HALF.y * HALF.z);
    let expected = lift - (velocity - current) * (30.0 * area);
    assert_near(u.loads()[0].force, expected, 1e-9);
}

/// Quadratic drag presses on the faces that move outwards: ½ ρ C v² times the
/// face in front.
#[test]
fn quadratic_drag_presses_on_the_face_in_front() {
    let state = State {
        velocity: DVec3::X * -1.5,
        ..resting(DVec3::Z * -2.0)
    };
    let mut u = block(HALF, 0.5, state, |w| w.drag_coefficient = 0.8);
    let front = 4.0 * HALF.y * HALF.z;
    let force = u.loads()[0].force.x;
    assert_ratio(force, 0.5 * DENSITY * 0.8 * 1.5 * 1.5 * front, 1e-12);
}

/// Drag on a hull that rotates under water: −c ω ∮ (x² + z²) dA about y, and
/// nothing across.
///
/// A bug: drag was evaluated at the middle of each triangle, whose moment is
/// too small, and a block of twelve triangles got a torque about its other axes
/// too.
#[test]
fn drag_under_water_brakes_a_spin() {
    let state = State {
        omega_body: DVec3::Y * 2.0,
        ..resting(DVec3::Z * -2.0)
    };
    let mut u = block(HALF, 0.5, state, |w| w.linear_drag = 100.0);
    let DVec3 { x, y, z } = HALF;
    let moment = 8.0
        * (y * z * (x * x + z * z / 3.0)
            + x * z * (x * x + z * z) / 3.0
            + x * y * (x * x / 3.0 + z * z));
    let expected = DVec3::Y * (-100.0 * 2.0 * moment);
    assert_near(u.loads()[0].torque_body, expected, 1e-9);
}
