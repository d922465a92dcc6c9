//! The points of the plots: every frame at first, then every second, every
//! fourth, so that their number is bounded for a run of any length.

use crate::series::{SERIES, values};
use conatus_record::Frame;

/// The most points that are kept.
pub const MAX_PLOT_POINTS: usize = 4096;

/// One value for each series.
pub type SeriesValues = [f64; SERIES.len()];

/// Evenly spaced points.
pub struct PlotPoints {
    stride: u64,
    frames: u64,
    points: Vec<(f64, SeriesValues)>,
}

impl Default for PlotPoints {
    fn default() -> Self {
        Self {
            stride: 1,
            frames: 0,
            points: Vec::new(),
        }
    }
}

impl PlotPoints {
    /// Adds the next frame.
    pub fn push(&mut self, frame: &Frame) {
        if self.frames.is_multiple_of(self.stride) {
            if self.points.len() == MAX_PLOT_POINTS {
                self.halve();
            }
            self.points.push((frame.time, values(frame)));
        }
        self.frames += 1;
    }

    /// Removes every second point. [`MAX_PLOT_POINTS`] is even, so the next
    /// point is a multiple of the doubled stride as well.
    fn halve(&mut self) {
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

    /// The points from an index on.
    pub fn from(&self, index: usize) -> &[(f64, SeriesValues)] {
        self.points.get(index..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn point_i_is_frame_i_times_the_stride_however_long_it_runs() {
        let mut plot = PlotPoints::default();
        for k in 0..50_000u64 {
            plot.push(&Frame {
                time: k as f64,
                ..Frame::default()
            });
            if k.is_power_of_two() || k == 49_999 {
                let points = plot.from(0);
                assert!(points.len() <= MAX_PLOT_POINTS);
                for (i, (time, _)) in points.iter().enumerate() {
                    assert_eq!(*time, (i as u64 * plot.stride()) as f64);
                }
                let last = points.last().unwrap().0;
                assert!(k as f64 - last < plot.stride() as f64);
            }
        }
        assert_eq!(plot.stride(), 16);
        assert!(plot.from(MAX_PLOT_POINTS + 1).is_empty());
    }
}
