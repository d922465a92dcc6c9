//! Screenshots and their colours.

/// A decoded screenshot.
pub struct Picture {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
    channels: usize,
}

impl Picture {
    /// From a PNG file.
    pub fn from_png(file: &[u8]) -> Self {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file))
            .read_info()
            .expect("a screenshot is a PNG");
        let size = reader.output_buffer_size().expect("a screenshot fits");
        let mut bytes = vec![0; size];
        let info = reader.next_frame(&mut bytes).expect("a whole PNG");
        assert_eq!(info.bit_depth, png::BitDepth::Eight);
        Self {
            width: info.width as usize,
            height: info.height as usize,
            bytes,
            channels: info.color_type.samples(),
        }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Red, green and blue of a pixel.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let at = self.channels * (y * self.width + x);
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }

    /// The mean colour of the square of this half width about a place, from 0
    /// to 1.
    pub fn mean(&self, (x, y): (f64, f64), half: usize) -> [f64; 3] {
        let range = |centre: f64, end: usize| {
            let centre = (centre.round().max(0.0) as usize).min(end - 1);
            centre.saturating_sub(half)..(centre + half + 1).min(end)
        };
        let mut sum = [0.0; 3];
        let mut count = 0.0;
        for y in range(y, self.height) {
            for x in range(x, self.width) {
                for (sum, part) in sum.iter_mut().zip(self.pixel(x, y)) {
                    *sum += f64::from(part) / 255.0;
                }
                count += 1.0;
            }
        }
        sum.map(|part| part / count)
    }

    /// The approximate number of different colours.
    pub fn colours(&self) -> usize {
        let mut seen = std::collections::BTreeSet::new();
        for y in (0..self.height).step_by(3) {
            for x in (0..self.width).step_by(3) {
                seen.insert(self.pixel(x, y).map(|part| part / 8));
            }
        }
        seen.len()
    }
}

/// The hue of a colour in degrees, and its saturation (0 for grey, 1 for a pure
/// colour).
pub fn hue([r, g, b]: [f64; 3]) -> (f64, f64) {
    let most = r.max(g).max(b);
    let range = most - r.min(g).min(b);
    if range <= 0.0 {
        return (0.0, 0.0);
    }
    let sector = if most == r {
        ((g - b) / range).rem_euclid(6.0)
    } else if most == g {
        (b - r) / range + 2.0
    } else {
        (r - g) / range + 4.0
    };
    (60.0 * sector, range / most)
}

/// The distance of two hues in degrees.
pub fn hue_distance(a: f64, b: f64) -> f64 {
    let apart = (a - b).rem_euclid(360.0);
    apart.min(360.0 - apart)
}
