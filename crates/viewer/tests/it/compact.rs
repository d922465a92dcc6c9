//! The compact recording, decoded by a reader that was written from its
//! specification and shares no code with the writer.

use crate::unpack::{Unpacked, unpack};
use conatus_math::{DQuat, DVec3};
use conatus_record::*;
use conatus_viewer::{compact, series};
use proptest::prelude::*;
use serde_json::json;

/// A run of bodies on curves, one of which has a NaN in the middle.
fn recording(bodies: usize, frames: usize) -> Recording {
    let info = |i: usize| BodyInfo {
        name: format!("</script> {i}"),
        mass: 1.0,
        moments: DVec3::ONE,
        color: [0.5; 3],
        mesh: None,
        spheres: vec![(DVec3::ZERO, 0.1)],
        scripted: false,
        character: None,
    };
    let frame = |f: usize| {
        let t = f as f64 * 0.04;
        let body = |i: usize| BodyFrame {
            position: DVec3::new(t.sin() + i as f64, 1e-3 * t * t - 0.02, -1e6 * t),
            orientation: DQuat::from_rotation_z(3.0 * t),
            velocity: DVec3::new(t.cos(), -0.0, if f == 5 { f64::NAN } else { 1e300 }),
            omega_body: DVec3::new(0.0, 0.0, 3.0),
            status: if f > 6 && i == 1 {
                Status::Quarantined
            } else {
                Status::Free
            },
        };
        let contact = |i: usize| ContactFrame {
            point: DVec3::splat(i as f64 + t),
            impulse: DVec3::new(0.0, 0.0, 2.0 + t),
            penetration: 1e-4,
        };
        Frame {
            time: t,
            step: 8 * f as u64,
            totals: Totals {
                kinetic: 1.0 / (1.0 + t),
                potential: -t,
                momentum: DVec3::splat(t),
                angular_momentum: DVec3::Z,
                max_penetration: 1e-4,
            },
            bodies: (0..bodies).map(body).collect(),
            contacts: (0..f % 3).map(contact).collect(),
            cloth: Vec::new(),
        }
    };
    Recording {
        header: Header {
            format: FORMAT.into(),
            program: "test".into(),
            scene: "a & <b>".into(),
            seed: 1,
            up: Up::Y,
            gravity: DVec3::NEG_Y,
            step_seconds: 0.005,
            steps_per_frame: 8,
            meshes: Vec::new(),
            bodies: (0..bodies).map(info).collect(),
            planes: Vec::new(),
            springs: Vec::new(),
            waters: Vec::new(),
            cloths: Vec::new(),
            physics: Default::default(),
        },
        sources: Vec::new(),
        overrides: Vec::new(),
        frames: (0..frames).map(frame).collect(),
        events: vec![Event {
            time: 0.04,
            step: 8,
            kind: "quarantine".into(),
            detail: json!({ "body": "</script> 1" }),
        }],
        report: None,
        clip: None,
    }
}

fn check(recording: &Recording) -> Result<(), TestCaseError> {
    let mut bytes = Vec::new();
    compact::write(recording, Some("what to look for"), &mut bytes).unwrap();
    let found = unpack(&bytes);
    prop_assert_eq!(&found.json["title"], "what to look for");
    let header: Header = serde_json::from_value(found.json["header"].clone()).unwrap();
    prop_assert_eq!(&header, &recording.header);
    prop_assert_eq!(
        found.json["events"].as_array().unwrap().len(),
        recording.events.len()
    );
    prop_assert_eq!(
        found.json["series"].as_array().unwrap().len(),
        found.series.len()
    );

    // The same bits after conversion to f32, NaN included.
    let same = |f32s: &[f32], f64s: &[f64]| {
        let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        bits(f32s.to_vec()) == bits(f64s.iter().map(|x| *x as f32).collect())
    };
    let (n, f) = (recording.header.bodies.len(), recording.frames.len());
    let mut contact = 0;
    for (i, frame) in recording.frames.iter().enumerate() {
        prop_assert_eq!(found.times[i].to_bits(), frame.time.to_bits());
        prop_assert_eq!(found.steps[i], frame.step);
        for (line, value) in found.series.iter().zip(series::values(frame)) {
            prop_assert_eq!(line[i].to_bits(), value.to_bits());
        }
        let t = &frame.totals;
        let mut totals = vec![t.kinetic, t.potential];
        totals.extend(t.momentum.to_array());
        totals.extend(t.angular_momentum.to_array());
        totals.push(t.max_penetration);
        let there: Vec<f32> = found.totals.iter().map(|column| column[i]).collect();
        prop_assert!(same(&there, &totals));
        for (b, body) in frame.bodies.iter().enumerate() {
            let q = body.orientation;
            let mut numbers = body.position.to_array().to_vec();
            numbers.extend([q.w, q.x, q.y, q.z]);
            numbers.extend(body.velocity.to_array());
            numbers.extend(body.omega_body.to_array());
            let there: Vec<f32> = found
                .bodies
                .iter()
                .map(|column| column[b * f + i])
                .collect();
            prop_assert!(same(&there, &numbers), "{:?} {:?}", there, numbers);
            prop_assert_eq!(found.status[i * n + b], body.status as u8);
        }
        prop_assert_eq!(found.counts[i] as usize, frame.contacts.len());
        for touch in &frame.contacts {
            let mut numbers = touch.point.to_array().to_vec();
            numbers.extend(touch.impulse.to_array());
            numbers.push(touch.penetration);
            let there: Vec<f32> = found
                .contacts
                .iter()
                .map(|column| column[contact])
                .collect();
            prop_assert!(same(&there, &numbers));
            contact += 1;
        }
    }
    prop_assert_eq!(contact, found.contacts[0].len());
    Ok(())
}

#[test]
fn a_recording_comes_back_with_its_numbers_rounded_to_f32() {
    for (bodies, frames) in [(0, 0), (0, 3), (1, 1), (2, 0), (3, 40)] {
        check(&recording(bodies, frames)).unwrap();
    }
}

#[test]
fn smooth_motion_takes_less_than_a_quarter_of_its_f32_numbers() {
    use std::io::Write;
    let recording = recording(50, 200);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(7));
    compact::write(&recording, None, &mut gzip).unwrap();
    gzip.flush().unwrap();
    let bytes = gzip.finish().unwrap().len();
    assert!(bytes < 50 * 200 * 13 * 4 / 4, "{bytes}");
}

/// Adds a waving sheet of `side` by `side` vertices, and a single triangle that
/// jumps.
fn with_cloth(mut recording: Recording, side: usize) -> Recording {
    let at = |i: usize, j: usize| (i * side + j) as u32;
    let cells = (1..side).flat_map(|i| (1..side).map(move |j| (i, j)));
    let halves = |(i, j): (usize, usize)| {
        let [a, b, c, d] = [at(i - 1, j - 1), at(i, j - 1), at(i - 1, j), at(i, j)];
        [[a, b, c], [c, b, d]]
    };
    let piece = |name: &str, vertices, triangles| ClothInfo {
        name: name.into(),
        color: [0.2, 0.4, 0.8],
        thickness: 1e-3,
        vertices,
        triangles,
    };
    let sheet = piece("sheet", side * side, cells.flat_map(halves).collect());
    recording.header.cloths = vec![sheet, piece("scrap", 3, vec![[2, 0, 1]])];
    for (f, frame) in recording.frames.iter_mut().enumerate() {
        let t = frame.time;
        let place = |k: usize| {
            let (x, y) = (
                (k / side) as f64 / side as f64,
                (k % side) as f64 / side as f64,
            );
            DVec3::new(
                x,
                y,
                0.1 * (5.0 * x + 3.0 * t).sin() * (4.0 * y - t).cos() - 0.5 * t,
            )
        };
        let scrap = [0.0, 1.0, f64::from(f as u32 % 2)].map(|x| DVec3::new(x, -x, 7.0));
        frame.cloth = (0..side * side).map(place).chain(scrap).collect();
    }
    recording
}

fn unpacked(recording: &Recording) -> Unpacked {
    let mut bytes = Vec::new();
    compact::write(recording, None, &mut bytes).unwrap();
    unpack(&bytes)
}

#[test]
fn cloth_comes_back_within_a_65535th_of_its_box() {
    for frames in [0, 1, 2, 30] {
        let recording = with_cloth(recording(1, frames), 9);
        check(&recording).unwrap();
        let found = unpacked(&recording);
        assert_eq!(found.stride, 1);
        for (piece, (_, range)) in recording.header.cloth_pieces().enumerate() {
            let all = || {
                recording
                    .frames
                    .iter()
                    .flat_map(|f| &f.cloth[range.clone()])
            };
            let least = all().copied().fold(DVec3::INFINITY, DVec3::min);
            let most = all().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
            let room = (most - least) / 65535.0;
            for (frame, there) in recording.frames.iter().zip(&found.cloth[piece]) {
                for (was, is) in frame.cloth[range.clone()].iter().zip(there) {
                    let off = (*was - *is).abs();
                    // Half a quantisation step, and rounding errors.
                    let bound = 0.5 * room + DVec3::splat(1e-12);
                    assert!(off.cmple(bound).all(), "{was} {is} {room}");
                }
            }
        }
    }
}

#[test]
fn a_vertex_without_a_valid_position_keeps_its_last_one() {
    let mut recording = with_cloth(recording(0, 3), 3);
    recording.frames[1].cloth[4] = DVec3::new(f64::NAN, f64::INFINITY, 1e30);
    let found = unpacked(&recording);
    assert_eq!(found.cloth[0][1][4], found.cloth[0][0][4]);
    assert!((found.cloth[0][2][4] - recording.frames[2].cloth[4]).length() < 1e-4);
    for frame in &mut recording.frames {
        frame.cloth.fill(DVec3::NAN);
    }
    assert_eq!(unpacked(&recording).cloth[0][2][4], DVec3::ZERO);
}

proptest! {
    #[test]
    fn any_numbers_come_back(numbers in prop::collection::vec(any::<[f64; 4]>(), 1..40)) {
        let mut recording = recording(1, numbers.len());
        for (frame, [a, b, c, d]) in recording.frames.iter_mut().zip(numbers) {
            frame.time = a;
            frame.step = b.to_bits();
            frame.totals.kinetic = c;
            frame.bodies[0].position = DVec3::new(a, b, c);
            frame.bodies[0].omega_body.x = d;
        }
        check(&recording)?;
    }
}
