//! The compact recording, read back by a reader that shares nothing with the
//! writer but its specification.

use conatus_math::{DQuat, DVec3};
use conatus_record::*;
use conatus_viewer::{compact, series};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What is in the bytes; numbers of bodies and contacts as f32.
struct Unpacked {
    json: Value,
    times: Vec<f64>,
    steps: Vec<u64>,
    series: Vec<Vec<f64>>,
    totals: Vec<Vec<f32>>,
    /// One list of N tracks of F values for each of the 13 numbers of a body.
    bodies: Vec<Vec<f32>>,
    counts: Vec<u32>,
    contacts: Vec<Vec<f32>>,
    status: Vec<u8>,
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        bytes.to_vec()
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes(4).try_into().unwrap())
    }

    fn planes(&mut self, count: usize) -> Vec<u32> {
        let bytes = self.bytes(4 * count);
        let value = |i: usize| {
            let part = |plane: usize| bytes[plane * count + i];
            u32::from_be_bytes([part(0), part(1), part(2), part(3)])
        };
        (0..count).map(value).collect()
    }

    fn wide(&mut self, count: usize) -> Vec<u64> {
        let (high, low) = (self.planes(count), self.planes(count));
        let (mut value, mut step) = (0u64, 0u64);
        (0..count)
            .map(|i| {
                let zigzag = u64::from(high[i]) << 32 | u64::from(low[i]);
                let d = (zigzag >> 1) ^ 0u64.wrapping_sub(zigzag & 1);
                step = step.wrapping_add(d);
                value = value.wrapping_add(step);
                value
            })
            .collect()
    }

    fn narrow(&mut self, tracks: usize, length: usize) -> Vec<f32> {
        let order = usize::from(self.bytes(1)[0]);
        assert!(order <= 3);
        let coded = self.planes(tracks * length);
        let mut values = Vec::new();
        for track in 0..tracks {
            let mut last: Vec<f32> = Vec::new();
            for i in 0..length {
                let at = |back: usize| f64::from(last[i - back]);
                let guess = match order.min(i) {
                    0 => 0.0,
                    1 => at(1) as f32,
                    2 => (2.0 * at(1) - at(2)) as f32,
                    _ => (3.0 * (at(1) - at(2)) + at(3)) as f32,
                };
                let guess = if guess.is_finite() { guess } else { 0.0 };
                let zigzag = coded[track * length + i];
                let d = (zigzag >> 1) ^ 0u32.wrapping_sub(zigzag & 1);
                let rank = swap(guess.to_bits() as i32).wrapping_add(d as i32);
                last.push(f32::from_bits(swap(rank) as u32));
            }
            values.extend(last);
        }
        values
    }
}

fn swap(bits: i32) -> i32 {
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

fn unpack(bytes: &[u8]) -> Unpacked {
    let mut input = Reader(bytes);
    assert_eq!(input.bytes(8), compact::MAGIC);
    let [json, f, n, c, s] = std::array::from_fn(|_| input.u32() as usize);
    let json = serde_json::from_slice(&input.bytes(json)).unwrap();
    let floats = |bits: Vec<u64>| bits.into_iter().map(f64::from_bits).collect();
    let times = floats(input.wide(f));
    let unpacked = Unpacked {
        json,
        times,
        steps: input.wide(f),
        series: (0..s).map(|_| floats(input.wide(f))).collect(),
        totals: (0..9).map(|_| input.narrow(1, f)).collect(),
        bodies: (0..13).map(|_| input.narrow(n, f)).collect(),
        counts: input.planes(f),
        contacts: (0..7).map(|_| input.narrow(1, c)).collect(),
        status: {
            let mut status = input.bytes(f * n);
            for i in n..f * n {
                status[i] ^= status[i - n];
            }
            status
        },
    };
    assert!(input.0.is_empty());
    unpacked
}

/// A run of bodies on curves, one of which breaks in the middle.
fn recording(bodies: usize, frames: usize) -> Recording {
    let info = |i: usize| BodyInfo {
        name: format!("</script> {i}"),
        mass: 1.0,
        moments: DVec3::ONE,
        color: [0.5; 3],
        mesh: None,
        spheres: vec![(DVec3::ZERO, 0.1)],
        scripted: false,
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

    // The same bits, NaN included, whatever f32 makes of a number.
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
