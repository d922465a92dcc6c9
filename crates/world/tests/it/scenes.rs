//! Every built-in scene shows what its title states.

use crate::support::{body, built_in, run};
use conatus_math::DVec3;
use conatus_record::{Frame, Status};

fn totals(frame: &Frame) -> f64 {
    frame.totals.kinetic + frame.totals.potential
}

/// Times at which a series crosses zero upwards.
fn upward_crossings(frames: &[Frame], value: impl Fn(&Frame) -> f64) -> Vec<f64> {
    frames
        .windows(2)
        .filter(|w| value(&w[0]) < 0.0 && value(&w[1]) >= 0.0)
        .map(|w| {
            let (a, b) = (value(&w[0]), value(&w[1]));
            w[0].time + (w[1].time - w[0].time) * a / (a - b)
        })
        .collect()
}

#[test]
fn cylon_keeps_its_balls_in_the_box_and_applies_the_kicks() {
    let mut setup = built_in("cylon", &[]);
    let (report, kept) = run(&mut setup);
    assert!(report.succeeded());
    for frame in &kept.frames {
        for b in &frame.bodies {
            assert!(b.position.y >= 0.5 - 1e-9);
            assert!(b.position.x.abs() <= 4.5 + 1e-9 && b.position.z.abs() <= 4.5 + 1e-9);
        }
    }
    let kicks: Vec<_> = kept.events.iter().filter(|e| e.kind == "command").collect();
    assert_eq!(kicks.len(), 4);
    // The frame after a kick shows the momentum that the program's keys give.
    let kick = &kicks[0];
    let after = kept.frames.iter().find(|f| f.step > kick.step).unwrap();
    let v = after.bodies[0].velocity;
    assert!((v.x - 0.2).abs() < 1e-3 && (v.y - 0.2).abs() < 2e-3, "{v}");
}

#[test]
fn the_box_with_a_cylinder_turns_about_its_common_centre() {
    let mut setup = built_in(
        "box-and-cylinder",
        &["damping.linear=0", "damping.angular=0"],
    );
    // The centre of 1000 kg at 0 and 500 kg at x = 5 is at 5/3; the mesh was
    // carried along, so the box's middle is now at -5/3.
    let mesh = &setup.header.meshes[0];
    let middle: DVec3 = mesh.vertices[..8].iter().sum::<DVec3>() / 8.0;
    assert!((middle - DVec3::new(-5.0 / 3.0, 0.0, 0.0)).length() < 1e-12);
    let (report, kept) = run(&mut setup);
    assert!(report.energy.max_relative_drift < 1e-7);
    for frame in &kept.frames {
        let fallen = 10.0 - 0.5 * 9.81 * frame.time * frame.time;
        assert!((frame.bodies[0].position.z - fallen).abs() < 1e-9);
        assert!((frame.bodies[0].position.y + 10.0).abs() < 1e-12);
    }
}

#[test]
fn the_tumbling_top_turns_over_and_keeps_energy_and_spin() {
    let mut setup = built_in("tumbling-top", &[]);
    let (report, kept) = run(&mut setup);
    assert!(report.energy.max_relative_drift < 1e-9);
    assert!(report.angular_momentum.max_relative_drift < 5e-9);
    let spin = |f: &Frame| f.bodies[0].omega_body.y;
    let flips = kept
        .frames
        .windows(2)
        .filter(|w| spin(&w[0]) * spin(&w[1]) < 0.0)
        .count();
    assert!((8..=10).contains(&flips), "{flips} flips in 100 s");
}

#[test]
fn the_heavy_top_circles_at_its_precession_rate_without_falling() {
    let mut setup = built_in("heavy-top", &[]);
    let wheel = body(&setup, "wheel");
    let (_, kept) = run(&mut setup);
    let expected = std::f64::consts::TAU / 2.655155035038879;
    let crossings = upward_crossings(&kept.frames, |f| f.bodies[wheel].position.y);
    assert!(crossings.len() >= 3);
    for pair in crossings.windows(2) {
        assert!((pair[1] - pair[0] - expected).abs() < 1e-4 * expected);
    }
    for frame in &kept.frames {
        assert!((frame.bodies[wheel].position.z + 0.00125).abs() < 1e-4);
    }
}

#[test]
fn the_spring_chain_swings_and_keeps_its_energy() {
    let mut setup = built_in("spring-chain", &[]);
    let weight = body(&setup, "weight");
    let (report, kept) = run(&mut setup);
    assert!(
        report.energy.max_relative_drift < 1e-4,
        "{:?}",
        report.energy
    );
    let lowest = kept
        .frames
        .iter()
        .map(|f| f.bodies[weight].position.z)
        .fold(f64::MAX, f64::min);
    let leftmost = kept
        .frames
        .iter()
        .map(|f| f.bodies[weight].position.x)
        .fold(f64::MAX, f64::min);
    assert!(lowest < 0.3 && leftmost < -1.0);
}

#[test]
fn bounces_keep_their_share_and_sliding_balls_end_rolling() {
    let mut setup = built_in("bounce-and-slide", &[]);
    let names = setup.world.names.clone();
    let (_, kept) = run(&mut setup);
    for (i, name) in names.iter().enumerate() {
        let heights: Vec<f64> = kept.frames.iter().map(|f| f.bodies[i].position.z).collect();
        let Some(percent) = name.strip_prefix("bounce-") else {
            continue;
        };
        let c: f64 = percent.parse::<f64>().unwrap() / 100.0;
        // The first maximum after the first touch: c² of the drop of 1.8 m.
        let touched = |f: &Frame| f.time > 0.0 && f.bodies[i].velocity.z >= 0.0;
        let touch = kept.frames.iter().position(touched).unwrap();
        let top = heights[touch..].iter().copied().fold(0.0, f64::max);
        let expected = 0.2 + c * c * 1.8;
        assert!(
            (top - expected).abs() < 0.01,
            "{name}: {top} for {expected}"
        );
    }
    let last = kept.frames.last().unwrap();
    let speed = |name: &str| {
        let i = names.iter().position(|n| n == name).unwrap();
        (last.bodies[i].velocity, last.bodies[i].omega_body.length())
    };
    let (ice, spin) = speed("slide-ice");
    assert!((ice.x - 2.0).abs() < 1e-9 && spin < 1e-9);
    for name in ["slide-wood", "slide-rubber"] {
        let (v, spin) = speed(name);
        assert!((v.x - 10.0 / 7.0).abs() < 1e-3, "{name}: {v}");
        assert!((spin * 0.2 - v.x).abs() < 1e-3, "{name} does not roll");
    }
}

#[test]
fn in_water_light_things_float_and_lead_sinks() {
    let mut setup = built_in("water", &[]);
    let names = setup.world.names.clone();
    let (report, kept) = run(&mut setup);
    assert!(report.succeeded());
    // The boat starts upright; its cabin never goes under.
    let boat = names.iter().position(|n| n == "boat").unwrap();
    let up_body = kept.frames[0].bodies[boat].orientation.conjugate() * DVec3::Z;
    for frame in &kept.frames {
        let up = frame.bodies[boat].orientation * up_body;
        assert!(up.z > 0.7, "the boat leans over at {} s", frame.time);
    }
    let late = &kept.frames[kept.frames.len() / 2..];
    for (i, name) in names.iter().enumerate() {
        let mean = late.iter().map(|f| f.bodies[i].position.z).sum::<f64>() / late.len() as f64;
        if name == "lead" {
            assert!((mean + 1.78).abs() < 0.05, "lead at {mean}");
        } else {
            assert!(mean.abs() < 0.5, "{name} at {mean}");
        }
        for f in late {
            let p = f.bodies[i].position;
            assert!(
                p.x.abs() < 6.0 && p.y.abs() < 5.0,
                "{name} left the basin: {p}"
            );
        }
    }
}

#[test]
fn merging_lumps_become_one_and_keep_their_momenta() {
    let mut setup = built_in("merging", &[]);
    let (report, kept) = run(&mut setup);
    assert!(report.angular_momentum.max_relative_drift < 1e-11);
    let (first, last) = (&kept.frames[0], kept.frames.last().unwrap());
    assert!(first.totals.momentum.distance(last.totals.momentum) < 1e-9);
    assert!(totals(last) < totals(first));
    assert!(last.bodies.iter().all(|b| b.status == Status::Merged));
    // One rigid thing: distances between the lumps no longer change.
    let before = &kept.frames[kept.frames.len() - 50];
    for i in 1..last.bodies.len() {
        let d = |f: &Frame| f.bodies[i].position.distance(f.bodies[0].position);
        assert!((d(before) - d(last)).abs() < 1e-9);
    }
}

#[test]
fn a_gas_keeps_its_energy_and_stays_in_its_box() {
    let mut setup = built_in("gas", &["time.seconds=50"]);
    let (report, kept) = run(&mut setup);
    assert_eq!(report.steps, 10_000);
    assert!(report.energy.max_relative_drift < 1e-10);
    assert!(report.rigid.contacts_max > 5);
    for frame in &kept.frames {
        for b in &frame.bodies {
            // A ball that another hits towards a wall is in it until the next step.
            let p = b.position;
            assert!(p.min_element() >= 0.1 - 3e-3 && p.max_element() <= 3.9 + 3e-3);
        }
    }
}

#[test]
fn a_break_shot_scatters_every_ball_and_they_come_to_rest() {
    let mut setup = built_in("billiards", &[]);
    let (report, kept) = run(&mut setup);
    assert!(report.succeeded());
    let (first, last) = (&kept.frames[0], kept.frames.last().unwrap());
    for (a, b) in first.bodies.iter().zip(&last.bodies) {
        assert!(a.position.distance(b.position) > 0.02);
        assert!(b.velocity.length() < 0.4);
        assert!((b.position.z - 0.0286).abs() < 1e-3);
    }
    assert!(last.totals.kinetic < 0.01 * first.totals.kinetic);
}
