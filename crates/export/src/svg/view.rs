//! Projection of points onto the sheet, and colours.

use super::PAPER;
use conatus_math::DVec3;
use conatus_record::Up;

/// A parallel projection from an elevation of 21°.
#[derive(Clone, Copy)]
pub(super) struct View {
    right: DVec3,
    above: DVec3,
    /// Towards the viewer.
    pub toward: DVec3,
    /// Units of the sheet per metre.
    pub scale: f64,
    /// The world's origin on the sheet.
    pub origin: [f64; 2],
}

/// The elevation of the view: sine and cosine of 21°.
pub(super) const VIEW_SLOPE: (f64, f64) = (0.358, 0.934);

impl View {
    /// The view from azimuth `degrees`.
    pub fn from(up: Up, degrees: f64) -> Self {
        let (first, second, up) = match up {
            Up::Z => (DVec3::X, DVec3::Y, DVec3::Z),
            Up::Y => (DVec3::Z, DVec3::X, DVec3::Y),
        };
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (down, level) = VIEW_SLOPE;
        let toward = (first * cos + second * sin) * level + up * down;
        let right = up.cross(toward).normalize();
        Self {
            right,
            above: toward.cross(right).normalize(),
            toward: toward.normalize(),
            scale: 1.0,
            origin: [0.0; 2],
        }
    }

    /// A point on the sheet.
    pub fn at(&self, p: DVec3) -> [f64; 2] {
        let [x, y] = self.flat(p);
        [
            self.origin[0] + self.scale * x,
            self.origin[1] + self.scale * y,
        ]
    }

    /// A point in metres from the world's origin, y downwards as in SVG.
    pub fn flat(&self, p: DVec3) -> [f64; 2] {
        [p.dot(self.right), -p.dot(self.above)]
    }

    /// The directions to the right and to the top of the sheet.
    pub fn axes(&self) -> [DVec3; 2] {
        [self.right, self.above]
    }

    /// How near a point is to the viewer.
    pub fn depth(&self, p: DVec3) -> f64 {
        p.dot(self.toward)
    }

    /// How bright a gentle slope is, 1 where it is level.
    pub fn slope_light(&self, normal: DVec3, up: DVec3) -> f64 {
        let from = self.toward * 0.5 - self.right * 0.85;
        1.0 + 0.75 * (normal - up).dot(from)
    }

    /// How bright a surface with this outward normal is, 1 in full light. The
    /// light comes over the viewer's left shoulder.
    pub fn light(&self, normal: DVec3) -> f64 {
        let from = (self.above * 0.8 - self.right * 0.45 + self.toward * 0.6).normalize();
        0.58 + 0.5 * normal.dot(from).max(0.0)
    }
}

/// An estimate of a text's width, since fonts cannot be measured here.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let of = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ' => 0.27,
        'f' | 'r' | 't' | '(' | ')' | '"' | '-' => 0.39,
        'm' | 'w' | 'M' | 'W' => 0.86,
        'A'..='Z' | '0'..='9' | '&' | '<' | '>' | '_' => 0.66,
        c if c.is_ascii() => 0.58,
        _ => 0.75,
    };
    size * text.chars().map(of).sum::<f64>()
}

/// A body's colour from 0 to 255.
pub(super) fn rgb(color: [f32; 3]) -> [f64; 3] {
    color.map(|c| f64::from(c.clamp(0.0, 1.0)) * 255.0)
}

/// A colour mixed with the background by `weight`.
pub(super) fn faded(color: [f64; 3], weight: f64) -> [f64; 3] {
    std::array::from_fn(|i| PAPER[i] + (color[i] - PAPER[i]) * weight)
}

/// A colour in a light: darker below 1, towards white above.
pub(super) fn lit(color: [f64; 3], light: f64) -> [f64; 3] {
    color.map(|c| match light <= 1.0 {
        true => c * light,
        false => c + (255.0 - c) * (light - 1.0),
    })
}

/// A colour as SVG writes it.
pub(super) fn hex(color: [f64; 3]) -> String {
    let [r, g, b] = color.map(|c| c.round().clamp(0.0, 255.0) as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}
