//! Contact sheets are valid pictures of the right size, the same for any
//! number of threads, whatever the recording holds.

use conatus_export::ExportOptions;
use conatus_math::{DQuat, DVec3};
use conatus_record::*;

/// The width, the height and the pixels of a sheet.
fn decoded(recording: &Recording, frames: usize) -> (u32, u32, Vec<u8>) {
    let mut file = Vec::new();
    conatus_export::png::write(recording, frames, &mut file).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    reader.finish().unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    assert_eq!(info.bit_depth, png::BitDepth::Eight);
    assert_eq!(pixels.len(), (3 * info.width * info.height) as usize);
    (info.width, info.height, pixels)
}

#[test]
fn a_sheet_is_a_valid_png_of_the_usual_width() {
    let (width, height, pixels) = decoded(&crate::support::demo(61), 6);
    assert_eq!(width, 1600);
    assert!((600..1600).contains(&height), "{height}");
    // The picture is not blank: it has many colours.
    let mut colors: Vec<&[u8]> = pixels.chunks_exact(3).collect();
    colors.sort();
    colors.dedup();
    assert!(colors.len() > 1000, "{}", colors.len());
}

#[test]
fn the_file_extension_selects_png_with_the_requested_number_of_frames() {
    let folder = tempfile::tempdir().unwrap();
    let height = |frames: usize| {
        let path = folder.path().join("run.PNG");
        let options = ExportOptions {
            frames: Some(frames),
        };
        conatus_export::write_file(&crate::support::demo(30), &path, &options).unwrap();
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        png::Decoder::new(file).read_info().unwrap().info().height
    };
    // Three in one row are lower than eight in two.
    assert!(height(3) < height(8));
    assert_eq!(conatus_export::png::FRAMES, 12);
}

#[test]
fn the_same_recording_gives_the_same_bytes_for_any_number_of_threads() {
    for recording in [
        crate::support::demo(41),
        crate::support::sea(Up::Y, 20),
        crate::support::cloth::drape(21, 9),
    ] {
        let bytes = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                let mut file = Vec::new();
                conatus_export::png::write(&recording, 3, &mut file).unwrap();
                file
            })
        };
        let one = bytes(1);
        assert!(one == bytes(1));
        assert!(one == bytes(2));
        assert!(one == bytes(3));
    }
}

#[test]
fn y_up_and_z_up_give_the_same_picture() {
    let upright = |up: Up| {
        let turn = |v: DVec3| match up {
            Up::Z => v,
            Up::Y => DVec3::new(v.y, v.z, v.x),
        };
        let mut recording = crate::support::demo(10);
        let header = &mut recording.header;
        header.up = up;
        header.meshes.clear();
        header.springs.clear();
        for body in &mut header.bodies {
            body.mesh = None;
        }
        for plane in &mut header.planes {
            (plane.point, plane.normal) = (turn(plane.point), turn(plane.normal));
        }
        for body in recording.frames.iter_mut().flat_map(|f| &mut f.bodies) {
            body.position = turn(body.position);
            body.orientation = DQuat::IDENTITY;
        }
        recording
    };
    let [z, y] = [Up::Z, Up::Y].map(|up| decoded(&upright(up), 4));
    assert_eq!((z.0, z.1), (y.0, y.1));
    // The octants of balls have other axes; everything else is equal.
    let differ = z.2.iter().zip(&y.2).filter(|(a, b)| a.abs_diff(**b) > 2);
    assert!(differ.count() < z.2.len() / 100);
}

/// A recording with one kind of invalid content.
fn troubled(trouble: impl FnOnce(&mut Recording)) -> Recording {
    let mut recording = crate::support::demo(8);
    trouble(&mut recording);
    recording
}

#[test]
fn hostile_recordings_give_valid_pictures() {
    let huge = [1e300, -1e300, f64::INFINITY, f64::NAN, 1e13, 1e11];
    let mut cases: Vec<(String, Recording)> = vec![
        ("no frames".into(), troubled(|r| r.frames.clear())),
        ("one frame".into(), troubled(|r| r.frames.truncate(1))),
        (
            "no bodies".into(),
            troubled(|r| {
                r.header.bodies.clear();
                r.header.springs.clear();
                r.frames.iter_mut().for_each(|f| f.bodies.clear());
            }),
        ),
        (
            "planes only, of no direction".into(),
            troubled(|r| {
                r.header.bodies.clear();
                r.header.springs.clear();
                r.frames.iter_mut().for_each(|f| f.bodies.clear());
                for n in 0..300 {
                    let point = DVec3::X * f64::from(n);
                    let normal = DVec3::new(0.0, f64::from(n), 0.0);
                    r.header.planes.push(PlaneInfo { point, normal });
                }
            }),
        ),
        (
            "nothing at all".into(),
            crate::support::recording(crate::support::header("")),
        ),
        (
            "degenerate meshes".into(),
            troubled(|r| {
                r.header.meshes[0].vertices = vec![DVec3::ONE; 400];
                r.header.meshes[1].triangles = vec![[0, 0, 0], [1, 2, 2], [7, 8, 4_000_000]];
                r.header.meshes[2].vertices[0] = DVec3::splat(f64::NAN);
                r.header.meshes[2].vertices[1] = DVec3::splat(1e300);
                r.header.bodies[3].mesh = Some(99);
            }),
        ),
        (
            "empty shapes".into(),
            troubled(|r| {
                r.header
                    .meshes
                    .iter_mut()
                    .for_each(|m| *m = MeshData::default());
                for body in &mut r.header.bodies {
                    body.spheres = vec![(DVec3::ZERO, 0.0), (DVec3::NAN, f64::NAN)];
                }
                r.header.bodies[0].mesh = None;
            }),
        ),
        (
            "no orientation, no time, fewer bodies in frames".into(),
            troubled(|r| {
                for frame in &mut r.frames {
                    frame.time = f64::NAN;
                    frame.bodies[0].orientation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
                    frame.bodies[1].orientation = DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0);
                    frame.bodies.truncate(3);
                }
            }),
        ),
        (
            "strange names".into(),
            troubled(|r| r.header.scene = "Ω\u{0}\n<svg>".repeat(200)),
        ),
        (
            "wild water".into(),
            troubled(|r| {
                for n in huge {
                    let wave = WaveInfo {
                        amplitude: n,
                        wave_vector: [n, 1.0],
                        angular_frequency: n,
                        phase: n,
                    };
                    let extent = [None, Some([[-n, -1.0], [n, 1.0]]), Some([[1.0; 2]; 2])];
                    r.header.waters.extend(extent.map(|extent| WaterInfo {
                        level: n,
                        extent,
                        waves: vec![wave.clone()],
                    }));
                }
            }),
        ),
    ];
    for n in huge {
        cases.push((
            format!("one body at {n}"),
            troubled(|r| {
                for frame in r.frames.iter_mut().skip(4) {
                    frame.bodies[1].position.x = n;
                    frame.bodies[1].status = Status::Quarantined;
                }
            }),
        ));
        cases.push((
            format!("everything at {n}"),
            troubled(|r| {
                for body in r.frames.iter_mut().flat_map(|f| &mut f.bodies) {
                    body.position = DVec3::splat(n);
                }
                r.header.springs[0].a = EndInfo::Pin(DVec3::splat(n));
                r.header.springs[0].length = n;
                r.header.planes[0].point = DVec3::splat(n);
            }),
        ));
    }
    for (name, recording) in cases {
        let (width, height, _) = decoded(&recording, 3);
        assert!(width == 1600 && height > 60, "{name}: {width} x {height}");
    }
}

#[test]
fn ten_thousand_balls_and_springs_are_drawn() {
    let mut recording = crate::support::demo(2);
    let like = recording.header.bodies[0].clone();
    recording.header.bodies = vec![like; 10_000];
    recording.header.springs = (1..10_000)
        .map(|n| SpringInfo {
            a: EndInfo::Body(n - 1, DVec3::ZERO),
            b: EndInfo::Body(n, DVec3::ZERO),
            length: 0.5,
            joint: None,
        })
        .collect();
    for frame in &mut recording.frames {
        let body = frame.bodies[0];
        let place = |n: usize| BodyFrame {
            position: DVec3::new((n % 22) as f64, (n / 22 % 22) as f64, (n / 484) as f64),
            ..body
        };
        frame.bodies = (0..10_000).map(place).collect();
    }
    decoded(&recording, 2);
}
