//! Draws text and shapes on a picture.

use super::font;

/// A picture in sRGB, three bytes per pixel.
pub(super) struct Canvas {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<u8>,
}

/// The stroke width relative to the height of capitals.
const THIN_STROKE: f64 = 0.105;
const BOLD_STROKE: f64 = 0.15;

/// The style of a text.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// The height of capitals in pixels.
    pub size: f64,
    pub bold: bool,
    pub color: [u8; 3],
}

impl Style {
    /// The width of a text in pixels.
    pub fn width(&self, text: &str) -> f64 {
        text.chars().map(font::advance).sum::<f64>() * self.size / font::CAPITAL_HEIGHT
    }

    /// The text, cut off with an ellipsis if it is wider than `width`.
    pub fn fitting(&self, text: &str, width: f64) -> String {
        if self.width(text) <= width {
            return text.into();
        }
        let mut out = String::new();
        for letter in text.chars() {
            out.push(letter);
            if self.width(&out) + self.width("...") > width {
                out.pop();
                break;
            }
        }
        out + "..."
    }
}

impl Canvas {
    /// A picture of one colour.
    pub fn new(width: usize, height: usize, color: [u8; 3]) -> Self {
        Self {
            width,
            height,
            pixels: color.repeat(width * height),
        }
    }

    /// Copies a picture of `size` to a position.
    pub fn paste(&mut self, [x, y]: [usize; 2], size: [usize; 2], pixels: &[u8]) {
        for (row, line) in pixels.chunks_exact(3 * size[0]).enumerate() {
            let start = 3 * ((y + row) * self.width + x);
            if let Some(target) = self.pixels.get_mut(start..start + line.len()) {
                target.copy_from_slice(line);
            }
        }
    }

    /// Draws a text whose baseline starts at (x, y).
    pub fn write(&mut self, text: &str, x: f64, y: f64, style: Style) {
        let scale = style.size / font::CAPITAL_HEIGHT;
        let pen = style.size * if style.bold { BOLD_STROKE } else { THIN_STROKE };
        let mut left = x;
        for letter in text.chars() {
            let mut segments = Vec::new();
            for stroke in font::strokes(letter) {
                let place = |[a, b]: [f64; 2]| [left + scale * a, y - scale * b];
                for pair in stroke.windows(2) {
                    if let [a, b] = *pair {
                        segments.push([place(a), place(b)]);
                    }
                }
            }
            self.draw(&segments, pen / 2.0, style.color);
            left += scale * font::advance(letter);
        }
    }

    /// Fills a rectangle with antialiased edges.
    pub fn block(&mut self, [x0, y0, x1, y1]: [f64; 4], color: [u8; 3], strength: f64) {
        let range = |lo: f64, hi: f64, last: usize| {
            let end = |v: f64| v.clamp(0.0, last as f64) as usize;
            end(lo.floor())..end(hi.ceil())
        };
        let part = |k: usize, lo: f64, hi: f64| {
            let k = k as f64;
            ((k + 1.0).min(hi) - k.max(lo)).clamp(0.0, 1.0)
        };
        for y in range(y0, y1, self.height) {
            for x in range(x0, x1, self.width) {
                let cover = strength * part(x, x0, x1) * part(y, y0, y1);
                self.blend([x, y], color, cover);
            }
        }
    }

    /// Draws a bar with round ends, from `from` to `to`.
    pub fn pill(&mut self, [from, to]: [f64; 2], y: f64, half: f64, color: [u8; 3]) {
        let middle = (from + to) / 2.0;
        let half = half.min((to - from) / 2.0).max(1.0);
        let [a, b] = [(from + half).min(middle), (to - half).max(middle)];
        self.draw(&[[[a, y], [b, y]]], half, color);
    }

    fn blend(&mut self, [x, y]: [usize; 2], color: [u8; 3], cover: f64) {
        let at = 3 * (y * self.width + x);
        if let Some(pixel) = self.pixels.get_mut(at..at + 3).filter(|_| cover > 0.0) {
            for (channel, ink) in pixel.iter_mut().zip(color) {
                let (paper, ink) = (f64::from(*channel), f64::from(ink));
                *channel = (paper + (ink - paper) * cover).round() as u8;
            }
        }
    }

    /// Draws line segments as one shape, so that crossings are not darker.
    fn draw(&mut self, segments: &[[[f64; 2]; 2]], half: f64, color: [u8; 3]) {
        let ends = || segments.iter().flatten();
        let range = |k: usize, last: usize| {
            let lo = ends().map(|p| p[k]).fold(f64::INFINITY, f64::min) - half - 1.0;
            let hi = ends().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max) + half + 1.0;
            lo.clamp(0.0, last as f64) as usize..hi.ceil().clamp(0.0, last as f64) as usize
        };
        for y in range(1, self.height) {
            for x in range(0, self.width) {
                let p = [x as f64 + 0.5, y as f64 + 0.5];
                let nearest = segments.iter().map(|s| distance(p, s)).fold(1e9, f64::min);
                let cover = (half + 0.5 - nearest).clamp(0.0, 1.0);
                self.blend([x, y], color, cover);
            }
        }
    }
}

/// The distance of a point from a segment.
fn distance(p: [f64; 2], [a, b]: &[[f64; 2]; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let along = (p[0] - a[0]) * dx + (p[1] - a[1]) * dy;
    let s = (along / (dx * dx + dy * dy).max(1e-12)).clamp(0.0, 1.0);
    f64::hypot(p[0] - a[0] - s * dx, p[1] - a[1] - s * dy)
}
