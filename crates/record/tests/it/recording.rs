//! Recordings are read back as they were written, complete, cut off or damaged.

use conatus_math::{DQuat, DVec3};
use conatus_record::*;
use proptest::prelude::*;
use std::fs;

/// Every bit of a frame, since NaN is not equal to itself.
fn bits(frame: &Frame) -> Vec<u64> {
    let t = &frame.totals;
    let mut out = vec![frame.time.to_bits(), frame.step];
    let mut put = |values: &[f64]| out.extend(values.iter().map(|v| v.to_bits()));
    put(&[t.kinetic, t.potential, t.max_penetration]);
    put(&t.momentum.to_array());
    put(&t.angular_momentum.to_array());
    for b in &frame.bodies {
        put(&b.position.to_array());
        put(&b.orientation.to_array());
        put(&b.velocity.to_array());
        put(&b.omega_body.to_array());
        put(&[b.status as u8 as f64]);
    }
    for c in &frame.contacts {
        put(&c.point.to_array());
        put(&c.impulse.to_array());
        put(&[c.penetration]);
    }
    for vertex in &frame.cloth {
        put(&vertex.to_array());
    }
    out
}

/// Any 64 bits: signed zeros, infinities, subnormals, NaN payloads.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        Just(-0.0),
        Just(f64::INFINITY),
        Just(5e-324),
        Just(f64::from_bits(0x7ff8_dead_beef_0001)),
    ]
}

fn vector() -> impl Strategy<Value = DVec3> {
    [number(), number(), number()].prop_map(DVec3::from_array)
}

fn body() -> impl Strategy<Value = BodyFrame> {
    let status = prop_oneof![
        Just(Status::Free),
        Just(Status::Locked),
        Just(Status::Merged),
        Just(Status::Quarantined),
        Just(Status::Scripted)
    ];
    let quaternion = [number(), number(), number(), number()].prop_map(DQuat::from_array);
    (vector(), quaternion, vector(), vector(), status).prop_map(
        |(position, orientation, velocity, omega_body, status)| BodyFrame {
            position,
            orientation,
            velocity,
            omega_body,
            status,
        },
    )
}

fn frame(bodies: usize, vertices: usize) -> impl Strategy<Value = Frame> {
    let contact =
        (vector(), vector(), number()).prop_map(|(point, impulse, penetration)| ContactFrame {
            point,
            impulse,
            penetration,
        });
    let totals = (number(), number(), vector(), vector(), number()).prop_map(
        |(kinetic, potential, momentum, angular_momentum, max_penetration)| Totals {
            kinetic,
            potential,
            momentum,
            angular_momentum,
            max_penetration,
        },
    );
    (
        number(),
        any::<u64>(),
        totals,
        prop::collection::vec(body(), bodies),
        prop::collection::vec(contact, 0..4),
        prop::collection::vec(vector(), vertices),
    )
        .prop_map(|(time, step, totals, bodies, contacts, cloth)| Frame {
            time,
            step,
            totals,
            bodies,
            contacts,
            cloth,
        })
}

proptest! {
    #[test]
    fn frames_come_back_bit_for_bit(
        frames in prop::collection::vec(frame(3, 13), 0..5)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mcap");
        let mut header = crate::support::sea(Up::Z, 0).header;
        header.bodies[1].scripted = true;
        header.cloths = vec![
            crate::support::cloth::square("sheet", [0.5; 3], 3),
            crate::support::cloth::square("patch", [0.1; 3], 2),
        ];
        let mut writer = RecordingWriter::create(&path, &header, &[], &[]).unwrap();
        for frame in &frames {
            writer.frame(frame).unwrap();
        }
        writer.finish(None).unwrap();
        let read = Recording::read(&path).unwrap();
        prop_assert_eq!(&read.header, &header);
        prop_assert_eq!(
            read.frames.iter().map(bits).collect::<Vec<_>>(),
            frames.iter().map(bits).collect::<Vec<_>>()
        );
        prop_assert!(!read.is_complete());
    }

    #[test]
    fn flipped_bytes_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..6)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mcap");
        crate::support::demo(3).write(&path).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        for (at, flip) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
        }
        fs::write(&path, bytes).unwrap();
        let _ = Recording::read(&path);
    }

    #[test]
    fn garbage_behind_the_magic_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mcap");
        let mut file = b"\x89MCAP0\r\n".to_vec();
        file.extend(bytes);
        fs::write(&path, file).unwrap();
        let _ = Recording::read(&path);
    }
}

#[test]
fn a_whole_recording_comes_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    for recording in [
        crate::support::demo(130),
        crate::support::sea(Up::Y, 10),
        crate::support::cloth::drape(21, 70),
    ] {
        recording.write(&path).unwrap();
        let read = Recording::read(&path).unwrap();
        assert_eq!(read, recording);
        assert!(read.is_complete());
    }
}

/// Small enough to be cut at every byte: three chunks of frames.
fn small_file() -> (tempfile::TempDir, std::path::PathBuf, Recording) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let mut recording = crate::support::demo(5);
    recording.header.meshes.clear();
    for body in &mut recording.header.bodies {
        body.mesh = None;
    }
    let mut writer = RecordingWriter::create(
        &path,
        &recording.header,
        &recording.sources,
        &recording.overrides,
    )
    .unwrap();
    for (n, frame) in recording.frames.iter().enumerate() {
        writer.frame(frame).unwrap();
        if n % 2 == 1 {
            writer.flush().unwrap();
        }
    }
    writer.event(&recording.events[0]).unwrap();
    writer.finish(recording.report.as_ref()).unwrap();
    (folder, path, recording)
}

#[test]
fn a_file_cut_at_any_byte_gives_its_complete_chunks_or_a_clear_error() {
    let (_folder, path, whole) = small_file();
    let file = fs::File::options().write(true).open(&path).unwrap();
    let size = file.metadata().unwrap().len();
    let mut seen = vec![5];
    let mut headless = false;
    // One byte less each time: truncating is cheaper than writing again.
    for end in (0..=size).rev() {
        file.set_len(end).unwrap();
        match Recording::read(&path) {
            Ok(part) => {
                assert!(!headless, "the header is readable again at byte {end}");
                assert_eq!(part.header, whole.header);
                assert_eq!(part.sources, whole.sources);
                assert_eq!(part.overrides, whole.overrides);
                let frames = part.frames.len();
                assert_eq!(part.frames, whole.frames[..frames]);
                if seen.last() != Some(&frames) {
                    seen.push(frames);
                }
                assert!(end < size || part == whole);
            }
            Err(error) => {
                headless = true;
                assert!(matches!(error, RecordError::NoHeader { .. }), "{error}");
            }
        }
    }
    assert!(headless);
    assert_eq!(seen, [5, 4, 2, 0]);
}

#[test]
fn frames_are_on_disk_while_the_run_continues() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let demo = crate::support::demo(64);
    let mut writer = RecordingWriter::create(&path, &demo.header, &[], &[]).unwrap();
    assert_eq!(Recording::read(&path).unwrap().header, demo.header);
    for frame in &demo.frames {
        writer.frame(frame).unwrap();
    }
    assert_eq!(Recording::read(&path).unwrap().frames.len(), 64);
    // A frame that is added after half a second is written at once.
    std::thread::sleep(CHUNK_AGE);
    writer.frame(&demo.frames[0]).unwrap();
    assert_eq!(Recording::read(&path).unwrap().frames.len(), 65);
    // A writer that is dropped, as when a run fails, keeps the frames so far.
    writer.frame(&demo.frames[1]).unwrap();
    drop(writer);
    let read = Recording::read(&path).unwrap();
    assert_eq!(read.frames.len(), 66);
    assert!(!read.is_complete());
}

/// A file as other programs, or other versions of this one, would write it.
fn write_file_of_another_program(
    path: &std::path::Path,
    header: &serde_json::Value,
    frames: &[Vec<u8>],
) {
    let mut file = Vec::new();
    let mut mcap = mcap::Writer::new(std::io::Cursor::new(&mut file)).unwrap();
    let header = header.to_string().into_bytes();
    for (topic, encoding, messages) in [
        ("/header", "json", std::slice::from_ref(&header)),
        ("/frames", "conatus-frame", frames),
    ] {
        let channel_id = mcap
            .add_channel(0, topic, encoding, &Default::default())
            .unwrap();
        for (sequence, data) in messages.iter().enumerate() {
            let message = mcap::records::MessageHeader {
                channel_id,
                sequence: sequence as u32,
                log_time: 0,
                publish_time: 0,
            };
            mcap.write_to_known_channel(&message, data).unwrap();
        }
    }
    mcap.finish().unwrap();
    drop(mcap);
    fs::write(path, file).unwrap();
}

#[test]
fn another_major_version_is_refused_and_a_later_minor_one_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let header = serde_json::to_value(crate::support::demo(0).header).unwrap();
    let other = |format: &str| {
        let mut header = header.clone();
        header["format"] = format.into();
        header["something_new"] = true.into();
        write_file_of_another_program(&path, &header, &[]);
        Recording::read(&path)
    };
    for format in [
        "conatus-recording/4",
        "conatus-recording/30",
        "something-else/3",
    ] {
        let error = other(format).unwrap_err();
        assert!(matches!(error, RecordError::Version { .. }), "{error}");
        assert!(error.to_string().contains(format), "{error}");
    }
    assert_eq!(
        other("conatus-recording/3.7").unwrap().header.format,
        FORMAT
    );
}

/// A user kept a recording of an earlier release and opened it with this one.
/// The header has changed since, so reading it would show a wrong motion or fail
/// at some byte. The error must name both versions and the remedy.
#[test]
fn an_older_recording_is_refused_with_both_versions_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.mcap");
    let demo = crate::support::demo(4);
    let encoded = |frame: &Frame| {
        let mut bytes = Vec::new();
        frame.encode(&mut bytes);
        assert_eq!(bytes.len(), 96 + 105 * 5 + 56);
        bytes
    };
    let frames: Vec<_> = demo.frames.iter().map(encoded).collect();
    for old in [
        "conatus-recording/1",
        "conatus-recording/1.7",
        "conatus-recording/2",
    ] {
        let mut header = serde_json::to_value(&demo.header).unwrap();
        header["format"] = old.into();
        write_file_of_another_program(&path, &header, &frames);
        let error = Recording::read(&path).unwrap_err();
        assert!(matches!(error, RecordError::Version { .. }), "{error}");
        for named in [&format!("`{old}`"), &format!("`{FORMAT}`")] {
            assert!(error.to_string().contains(named), "{error}");
        }
        assert!(
            error.help().contains("run the scene again"),
            "{}",
            error.help()
        );
    }
    // Nothing but the version was wrong with them.
    let mut header = serde_json::to_value(&demo.header).unwrap();
    header["format"] = FORMAT.into();
    write_file_of_another_program(&path, &header, &frames);
    assert_eq!(Recording::read(&path).unwrap().frames, demo.frames);
}

#[test]
fn a_frame_with_the_wrong_number_of_vertices_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let drape = crate::support::cloth::drape(6, 2);
    let mut short = drape.frames[1].clone();
    short.cloth.pop();
    let mut writer = RecordingWriter::create(&path, &drape.header, &[], &[]).unwrap();
    writer.frame(&drape.frames[0]).unwrap();
    let error = writer.frame(&short).unwrap_err();
    assert!(error.to_string().contains("vertices of cloth"), "{error}");
    writer.finish(None).unwrap();
    assert_eq!(Recording::read(&path).unwrap().frames, drape.frames[..1]);
    // And if another program wrote it, by the reader.
    let header = serde_json::to_value(&drape.header).unwrap();
    let mut bytes = Vec::new();
    short.encode(&mut bytes);
    write_file_of_another_program(&path, &header, &[bytes]);
    let error = Recording::read(&path).unwrap_err();
    assert!(matches!(error, RecordError::Corrupt { .. }), "{error}");
    assert!(
        error.to_string().contains("44 vertices of cloth"),
        "{error}"
    );
}

#[test]
fn chunks_of_cloth_are_closed_by_their_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let drape = crate::support::cloth::drape(101, 1);
    let frame = &drape.frames[0];
    let bytes = 24 * frame.cloth.len();
    let mut writer = RecordingWriter::create(&path, &drape.header, &[], &[]).unwrap();
    let mut written = 0;
    // About as many frames as a chunk has bytes for, far fewer than 64.
    while written * bytes < CHUNK_BYTES {
        writer.frame(frame).unwrap();
        written += 1;
    }
    assert!(written < 20);
    assert_eq!(Recording::read(&path).unwrap().frames.len(), written);
    writer.finish(None).unwrap();
}

#[test]
fn a_thousand_frames_of_resting_cloth_are_no_decompression_bomb() {
    // Frames that are all alike pack to almost nothing, and unpack to more
    // than 64 times their size: 130 MB of them are what a funnel needs.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let drape = crate::support::cloth::drape(67, 1);
    let frame = &drape.frames[0];
    let mut writer = RecordingWriter::create(&path, &drape.header, &[], &[]).unwrap();
    for _ in 0..1000 {
        writer.frame(frame).unwrap();
    }
    writer.finish(None).unwrap();
    let packed = fs::metadata(&path).unwrap().len() as usize;
    assert!(1000 * 24 * frame.cloth.len() > 64 * packed, "{packed}");
    let read = Recording::read(&path).unwrap();
    assert_eq!(read.frames.len(), 1000);
    assert_eq!(&read.frames[999], frame);
}

#[test]
fn files_of_another_kind_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let error = Recording::read(&path).unwrap_err();
    assert!(matches!(error, RecordError::Io { .. }));
    fs::write(&path, "time,frame,body\n").unwrap();
    let error = Recording::read(&path).unwrap_err();
    assert!(matches!(error, RecordError::NotARecording { .. }));
    assert!(error.to_string().contains("run.mcap"));
}

#[test]
fn wrong_headers_and_frames_are_refused_before_a_file_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    fs::write(&path, "precious").unwrap();
    let spoil: [fn(&mut Header); 5] = [
        |h| h.bodies[0].mesh = Some(99),
        |h| h.bodies[0].mass = f64::NAN,
        |h| h.meshes[0].triangles[0] = [0, 1, u32::MAX],
        |h| h.springs[0].a = EndInfo::Body(99, DVec3::ZERO),
        |h| h.format = "conatus-recording/1".into(),
    ];
    for spoil in spoil {
        let mut header = crate::support::demo(0).header;
        spoil(&mut header);
        let result = RecordingWriter::create(&path, &header, &[], &[]);
        assert!(matches!(result, Err(RecordError::Header { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    }
    let demo = crate::support::demo(1);
    let mut writer = RecordingWriter::create(&path, &demo.header, &[], &[]).unwrap();
    let mut frame = demo.frames[0].clone();
    frame.bodies.pop();
    assert!(matches!(
        writer.frame(&frame),
        Err(RecordError::Unrecordable { .. })
    ));
}

#[test]
fn a_frame_in_memory_is_about_as_large_as_estimated() {
    let one = bytes_per_frame(1001, 0) - bytes_per_frame(1000, 0);
    assert_eq!(one, size_of::<BodyFrame>());
    assert!(bytes_per_frame(1000, 0) > 100_000);
    assert_eq!(bytes_per_frame(usize::MAX, 0), usize::MAX);
}

#[test]
fn wrong_lengths_give_an_error_and_no_allocation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let mut chunk = vec![0; 16];
    chunk.extend(u64::MAX.to_le_bytes()); // the size when unpacked
    chunk.extend(1u32.to_le_bytes());
    chunk.extend(4u32.to_le_bytes());
    chunk.extend(b"zstd");
    chunk.extend(0u64.to_le_bytes());
    let mut file = b"\x89MCAP0\r\n\x06".to_vec();
    file.extend((chunk.len() as u64).to_le_bytes());
    file.extend(chunk);
    fs::write(&path, file).unwrap();
    let error = Recording::read(&path).unwrap_err();
    assert!(
        matches!(error, RecordError::Corrupt { offset: 8, .. }),
        "{error}"
    );
}
