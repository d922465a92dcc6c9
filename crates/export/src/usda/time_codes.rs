//! The frames that become samples, and their time codes.

use conatus_record::Recording;

/// The time codes of an animation: one is the time between two frames.
pub(super) struct TimeCodes {
    /// Time codes per second.
    pub rate: f64,
    /// Increasing time codes, and the indices of their frames.
    pub frames: Vec<(f64, usize)>,
}

impl TimeCodes {
    /// Takes every frame whose time increases.
    pub fn new(recording: &Recording) -> Self {
        let header = &recording.header;
        let frame_seconds = header.step_seconds * header.steps_per_frame as f64;
        let rate = remove_rounding_error(1.0 / frame_seconds);
        let rate = match (1e-6..1e9).contains(&rate) {
            true => rate,
            false => 60.0,
        };
        let mut frames: Vec<(f64, usize)> = Vec::new();
        for (index, frame) in recording.frames.iter().enumerate() {
            let code = remove_rounding_error(frame.time * rate);
            let later = frames.last().is_none_or(|(last, _)| code > *last);
            if code.abs() < 1e12 && later {
                frames.push((code, index));
            }
        }
        Self { rate, frames }
    }

    /// The first time code.
    pub fn start(&self) -> f64 {
        self.frames.first().map_or(0.0, |(code, _)| *code)
    }

    /// The last time code.
    pub fn end(&self) -> f64 {
        self.frames.last().map_or(0.0, |(code, _)| *code)
    }
}

/// Removes rounding errors: 24, not 24.000000000000004.
fn remove_rounding_error(v: f64) -> f64 {
    let round = (v * 1e6).round() / 1e6;
    match (round - v).abs() <= 1e-9 * v.abs().max(1.0) {
        // Adding zero turns −0 into 0.
        true => round + 0.0,
        false => v,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_codes_of_evenly_spaced_frames_are_whole_numbers() {
        for (step, steps) in [(1.0 / 600.0, 10.0), (0.001, 16.0), (1.0 / 1440.0, 60.0)] {
            let rate = remove_rounding_error(1.0 / (step * steps));
            for n in 0..5000 {
                let time = f64::from(n) * step * steps;
                assert_eq!(remove_rounding_error(time * rate), f64::from(n));
            }
        }
        assert_eq!(remove_rounding_error(1.0 / 3.0), 1.0 / 3.0);
        assert_eq!(remove_rounding_error(-0.0).to_bits(), 0);
    }
}
