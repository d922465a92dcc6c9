//! The points of the plots of a run of any length: every frame at first, then
//! every second, every fourth, so that there are never too many.

use crate::series::{SERIES, values};
use conatus_record::Frame;

/// At most so many points are kept.
pub const MOST_POINTS: usize = 4096;

/// One number for each series.
pub type Values = [f64; SERIES.len()];

/// Points at equal distances in frames.
pub struct Plot {
    stride: u64,
    frames: u64,
    points: Vec<(f64, Values)>,
}

impl Default for Plot {
    fn default() -> Self {
        Self {
            stride: 1,
            frames: 0,
            points: Vec::new(),
        }
    }
}

impl Plot {
    /// Takes the next frame.
    pub fn push(&mut self, frame: &Frame) {
        if self.frames.is_multiple_of(self.stride) {
            if self.points.len() == MOST_POINTS {
                self.thin_out();
            }
            self.points.push((frame.time, values(frame)));
        }
        self.frames += 1;
    }

    /// Drops every second point. [`MOST_POINTS`] is even, so the point that is
    /// due falls on the wider stride as well.
    fn thin_out(&mut self) {
        let mut index = 0;
        self.points.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        self.stride *= 2;
    }

    /// Frames between two points.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// The points from one on.
    pub fn from(&self, index: usize) -> &[(f64, Values)] {
        self.points.get(index..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn point_i_is_frame_i_times_the_stride_however_long_it_runs() {
        let mut plot = Plot::default();
        for k in 0..50_000u64 {
            plot.push(&Frame {
                time: k as f64,
                ..Frame::default()
            });
            if k.is_power_of_two() || k == 49_999 {
                let points = plot.from(0);
                assert!(points.len() <= MOST_POINTS);
                for (i, (time, _)) in points.iter().enumerate() {
                    assert_eq!(*time, (i as u64 * plot.stride()) as f64);
                }
                let last = points.last().unwrap().0;
                assert!(k as f64 - last < plot.stride() as f64);
            }
        }
        assert_eq!(plot.stride(), 16);
        assert!(plot.from(MOST_POINTS + 1).is_empty());
    }
}
