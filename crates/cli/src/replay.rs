//! Compares the frames of a run with those of a recording, bit for bit.

use crate::errors::Failure;
use conatus_record::{Event, Frame, Recording};
use conatus_world::{Checkpoint, RunSink};

/// Why a run may differ from its recording.
pub const OTHER_PROGRAM: &str =
    "was it recorded by another version of the program, or on another kind of processor?";

/// A sink that compares frames with a recording and passes everything on.
pub struct CompareSink<'a, S> {
    recording: Option<&'a Recording>,
    next: S,
    frames: usize,
    difference: Option<usize>,
}

impl<'a, S> CompareSink<'a, S> {
    /// Compares with `recording`, if there is one.
    pub fn new(recording: Option<&'a Recording>, next: S) -> Self {
        Self {
            recording,
            next,
            frames: 0,
            difference: None,
        }
    }

    /// The next sink, how many frames were compared, and the first that differs.
    /// A recording or a run that ended early is compared as far as it goes.
    pub fn finish(mut self, stopped: bool) -> (S, usize, Option<usize>) {
        if let Some(recording) = self.recording
            && self.difference.is_none()
            && !stopped
            && recording.is_complete()
            && recording.frames.len() != self.frames
        {
            self.difference = Some(recording.frames.len().min(self.frames));
        }
        let recorded = self.recording.map_or(0, |r| r.frames.len());
        (self.next, self.frames.min(recorded), self.difference)
    }
}

impl<S: RunSink<Error = Failure>> RunSink for CompareSink<'_, S> {
    type Error = Failure;

    fn frame(&mut self, frame: &Frame) -> Result<(), Failure> {
        if let Some(recording) = self.recording
            && self.difference.is_none()
            && let Some(expected) = recording.frames.get(self.frames)
            && !same_bits(frame, expected)
        {
            self.difference = Some(self.frames);
        }
        self.frames += 1;
        self.next.frame(frame)
    }

    fn event(&mut self, event: &Event) -> Result<(), Failure> {
        self.next.event(event)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        self.next.checkpoint(checkpoint)
    }
}

/// Whether two frames are recorded as the same bytes. `==` is not enough: 0 equals
/// -0, and NaN differs from itself.
fn same_bits(a: &Frame, b: &Frame) -> bool {
    let [a, b] = [a, b].map(|frame| {
        let mut bytes = Vec::new();
        frame.encode(&mut bytes);
        bytes
    });
    a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_of_either_sign_are_not_the_same_bits() {
        let a = Frame::default();
        let mut b = Frame::default();
        assert!(same_bits(&a, &b));
        b.totals.kinetic = -0.0;
        assert!(a == b && !same_bits(&a, &b));
        let mut nan = Frame::default();
        nan.totals.kinetic = f64::NAN;
        assert!(nan != nan.clone() && same_bits(&nan, &nan));
        let [mut here, mut there] = [Frame::default(), Frame::default()];
        (here.cloth, there.cloth) = (vec![[0.0; 3].into()], vec![[1.0; 3].into()]);
        assert!(!same_bits(&here, &there));
    }

    struct DiscardingSink;

    impl RunSink for DiscardingSink {
        type Error = Failure;
        fn frame(&mut self, _: &Frame) -> Result<(), Failure> {
            Ok(())
        }
        fn event(&mut self, _: &Event) -> Result<(), Failure> {
            Ok(())
        }
    }

    fn recording(report: Option<serde_json::Value>) -> Recording {
        let header = serde_json::from_str(
            r#"{"format": "", "program": "", "scene": "", "seed": 0, "up": "z",
                "gravity": [0, 0, 0],
                "step_seconds": 1.0, "steps_per_frame": 1, "meshes": [], "bodies": [],
                "planes": [], "springs": [], "waters": []}"#,
        );
        Recording {
            header: header.unwrap(),
            sources: Vec::new(),
            overrides: Vec::new(),
            frames: (0..3).map(frame).collect(),
            events: Vec::new(),
            report,
            clip: None,
        }
    }

    fn frame(step: u64) -> Frame {
        Frame {
            step,
            ..Frame::default()
        }
    }

    /// The first difference between frames with these steps and a recording
    /// of steps 0, 1, 2.
    fn difference(steps: &[u64], complete: bool, stopped: bool) -> Option<usize> {
        let recording = recording(complete.then(|| serde_json::json!({})));
        let mut compare = CompareSink::new(Some(&recording), DiscardingSink);
        for &step in steps {
            assert!(compare.frame(&frame(step)).is_ok());
        }
        compare.finish(stopped).2
    }

    #[test]
    fn the_first_frame_that_differs_is_found() {
        assert_eq!(difference(&[0, 1, 2], true, false), None);
        assert_eq!(difference(&[0, 7, 8], true, false), Some(1));
    }

    #[test]
    fn missing_frames_differ_unless_one_of_the_two_ended_early() {
        assert_eq!(difference(&[0, 1], true, false), Some(2));
        assert_eq!(difference(&[0, 1], true, true), None);
        assert_eq!(difference(&[0, 1, 2, 3], true, false), Some(3));
        assert_eq!(difference(&[0, 1, 2, 3], false, false), None);
    }
}
