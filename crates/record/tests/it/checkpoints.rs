//! Checkpoints in recordings; readers that do not need them ignore them.

use conatus_record::*;
use std::path::Path;

/// An unfinished recording with a checkpoint after every fourth frame.
fn write(path: &Path) -> (RecordingWriter, Recording) {
    let recording = crate::support::demo(10);
    let (header, sources) = (&recording.header, &recording.sources);
    let mut writer = RecordingWriter::create(path, header, sources, &recording.overrides).unwrap();
    for (k, frame) in recording.frames.iter().enumerate() {
        writer.frame(frame).unwrap();
        if k % 4 == 0 {
            writer.state(&[k as u8; 5]).unwrap();
        }
    }
    (writer, recording)
}

/// `f` for a frame, the first byte of a checkpoint.
fn order(path: &Path) -> String {
    let mut order = String::new();
    let walked = Outline::walk(path, |entry| -> Result<(), RecordError> {
        match entry {
            Entry::Frame(_) => order += "f",
            Entry::Event(_) => order += "e",
            Entry::State(state) => order += &state[0].to_string(),
        }
        Ok(())
    });
    walked.unwrap();
    order
}

#[test]
fn checkpoints_stay_where_they_were_among_the_frames() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcap");
    let (writer, recording) = write(&path);
    // Each checkpoint closes its chunk, so all data up to the last one are on disk.
    assert_eq!(order(&path), "f0ffff4ffff8");
    writer.finish(None).unwrap();
    assert_eq!(order(&path), "f0ffff4ffff8f");
    assert_eq!(Recording::read(&path).unwrap().frames, recording.frames);
}

#[test]
fn a_recording_is_continued_under_another_name() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.mcap"), folder.path().join("b.mcap"));
    std::fs::write(&b, "something else").unwrap();
    let (mut writer, recording) = write(&a);
    writer.rename(&b).unwrap();
    assert!(!a.exists());
    assert_eq!(order(&b), "f0ffff4ffff8f");
    writer.frame(&recording.frames[9]).unwrap();
    writer.finish(None).unwrap();
    assert_eq!(order(&b), "f0ffff4ffff8ff");
}

#[test]
fn a_receiver_may_stop_the_reading() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcap");
    drop(write(&path));
    #[derive(Debug)]
    enum Mine {
        Enough,
        Other,
    }
    impl From<RecordError> for Mine {
        fn from(_: RecordError) -> Self {
            Self::Other
        }
    }
    let mut left = 3;
    let walked = Outline::walk(&path, |_| match left {
        0 => Err(Mine::Enough),
        _ => {
            left -= 1;
            Ok(())
        }
    });
    assert!(matches!(walked, Err(Mine::Enough)));
    assert!(matches!(
        Outline::walk(folder.path().join("b.mcap"), |_| Ok(())),
        Err(Mine::Other)
    ));
}

#[cfg(unix)]
#[test]
fn a_recording_is_locked_while_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcap");
    let (writer, _) = write(&path);
    assert!(matches!(Lock::take(&path), Err(RecordError::InUse { .. })));
    drop(writer);
    let lock = Lock::take(&path).unwrap();
    assert!(Recording::read(&path).is_ok());
    assert!(matches!(Lock::take(&path), Err(RecordError::InUse { .. })));
    drop(lock);
    assert!(Lock::take(&path).is_ok());
}
