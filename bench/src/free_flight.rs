//! Steps of free bodies per second on one core: by each SIMD width, by
//! `World::step`, and by rapier3d-f64.

use crate::rapier::Rapier;
use crate::rounds::{Candidate, fastest_step_seconds};
use crate::table::{Table, at_least, blank, fixed, power};
use conatus_math::{DVec3, rotation};
use conatus_rigid::blocks::Width;
use conatus_rigid::{Activity, Bodies, Constants, Integration, Integrator, State};
use conatus_world::World;

const BODIES: usize = 10_000;
const STEP: f64 = 0.01;
const ROUNDS: usize = 30;

/// The SIMD instructions of this processor.
pub fn processor() -> String {
    let mut features = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") {
            features.push("AVX2");
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            features.push("AVX-512F/VL");
        }
    }
    match features.is_empty() {
        true => "baseline only".to_owned(),
        false => features.join(", "),
    }
}

/// Measures with the given gravity. Runs on one thread of the caller's pool.
pub fn measure(title: &str, gravity: DVec3) -> Table {
    let population = population();
    let mut candidates: Vec<Candidate> = Width::available()
        .into_iter()
        .map(|width| {
            let mut bodies = Bodies::new();
            bodies.set_width(width);
            for (constants, state) in &population {
                bodies.add(*constants, *state, Activity::Free);
            }
            let mut integration = Integration::default();
            Candidate::new(name(width), move || {
                integration.step(&mut bodies, &mut [], Integrator::Rk4, gravity, 0.0, STEP);
            })
        })
        .collect();
    let mut world = World::new(STEP);
    world.gravity = gravity;
    for (i, (constants, state)) in population.iter().enumerate() {
        world.add_body(&format!("body {i}"), *constants, *state);
    }
    candidates.push(Candidate::new("World::step", move || {
        world.step();
    }));
    let mut rapier = Rapier::new(&population, gravity, STEP);
    candidates.push(Candidate::new("rapier3d-f64", move || rapier.step()));

    let speeds: Vec<f64> = fastest_step_seconds(&mut candidates, ROUNDS)
        .iter()
        .map(|seconds| BODIES as f64 / seconds)
        .collect();
    let (scalar, theirs) = (speeds[0], speeds[speeds.len() - 1]);
    let mut table = Table::new(
        title,
        &[
            "candidate",
            "body-steps/s",
            "× scalar",
            "SIMD target",
            "× rapier",
            "rapier target",
        ],
    );
    for (candidate, &speed) in candidates.iter().zip(&speeds) {
        let (lanes, speedup) = (speed / scalar, speed / theirs);
        let lane_target = match candidate.name.as_str() {
            "AVX2" => at_least(lanes, 1.7),
            "AVX-512" => at_least(lanes, 3.0),
            _ => blank(),
        };
        let rapier_target = match candidate.name.as_str() {
            "World::step" => at_least(speedup, 20.0),
            _ => blank(),
        };
        table.row(vec![
            candidate.name.as_str().into(),
            power(speed),
            fixed(lanes, 2),
            lane_target,
            fixed(speedup, 1),
            rapier_target,
        ]);
    }
    table
}

fn name(width: Width) -> &'static str {
    match width {
        Width::Scalar => "scalar",
        Width::Baseline => "baseline",
        Width::Avx2 => "AVX2",
        Width::Avx512 => "AVX-512",
    }
}

/// Bodies with different masses, moments, velocities and spins.
fn population() -> Vec<(Constants, State)> {
    (0..BODIES)
        .map(|i| {
            // Multiples of irrational numbers fill the unit interval evenly.
            let u = |k: f64| (i as f64 * k.sqrt()).fract();
            let (a, b) = (1.0 + u(2.0), 1.0 + u(3.0));
            // A third moment between |a − b| and a + b, as every body has.
            let c = (a - b).abs() + (0.1 + 0.8 * u(5.0)) * (a + b - (a - b).abs());
            let axis = DVec3::new(u(6.0), u(7.0), 0.1 + u(10.0)).normalize();
            let state = State {
                position: DVec3::new(u(11.0), u(13.0), u(14.0)) * 100.0,
                velocity: DVec3::new(u(15.0), u(17.0), u(19.0)) * 2.0 - DVec3::ONE,
                orientation: rotation::from_axis_angle(axis, 3.0 * u(21.0)),
                omega_body: DVec3::new(u(22.0), u(23.0), u(26.0)) * 4.0 - DVec3::splat(2.0),
            };
            (Constants::new(1.0 + u(29.0), DVec3::new(a, b, c)), state)
        })
        .collect()
}
