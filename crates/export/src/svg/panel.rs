//! One plot against time: a frame, round ticks, and thinned-out lines.

use super::view::text_width;
use super::{INK, SOFT, escape, put};
use crate::shared::layout;
use std::fmt::Write as _;

/// A line of a plot.
pub(super) struct Series {
    /// Its name in the panel's legend; none if empty.
    pub name: String,
    /// An SVG colour.
    pub color: String,
    /// One value per frame.
    pub values: Vec<f64>,
}

/// A plot.
pub(super) struct Panel {
    title: String,
    unit: String,
    pub series: Vec<Series>,
}

/// The height of a plot's title, and the width of the labels to its left.
const TITLE_HEIGHT: f64 = 24.0;
const LABEL_WIDTH: f64 = 54.0;

impl Panel {
    pub fn new(title: &str, unit: &str, series: Vec<Series>) -> Self {
        Self {
            title: title.into(),
            unit: unit.into(),
            series,
        }
    }

    /// Draws the panel into the rectangle `[x, y, width, height]`, with at most
    /// `points` points per line.
    pub fn draw(&self, rect: [f64; 4], times: &[f64], points: usize, out: &mut String) {
        let [x, y, width, height] = rect;
        let (left, top) = (x + LABEL_WIDTH, y + TITLE_HEIGHT);
        let (right, bottom) = (x + width, y + height);
        let t = range(times.iter().copied(), false);
        let v = range(
            self.series.iter().flat_map(|s| s.values.iter().copied()),
            true,
        );
        let power = power_of_ten(v);
        let at_x = |time: f64| left + (time - t[0]) / (t[1] - t[0]) * (right - left);
        let at_y = |value: f64| bottom - (value - v[0]) / (v[1] - v[0]) * (bottom - top);

        let unit = match (power, self.unit.as_str()) {
            (0, "") => String::new(),
            (0, unit) => format!("/ {unit}"),
            (p, unit) => format!("/ 10{} {unit}", superscript(p)),
        };
        put!(
            out,
            r#"<text x="{left:.0}" y="{:.0}" font-size="13.5" font-weight="600" fill="{INK}">{}<tspan dx="4" font-weight="400" fill="{SOFT}">{}</tspan></text>"#,
            y + 13.0,
            escape(&self.title),
            escape(&unit)
        );
        self.legend(right, y + 13.0, out);
        put!(
            out,
            r##"<rect x="{left:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" fill="#fff"/><g font-size="11.5" fill="{SOFT}" stroke-width="1">"##,
            right - left,
            bottom - top
        );
        let (ticks, step) = ticks(v, 5.0);
        let scale = 10f64.powi(-power);
        for tick in ticks {
            let ty = at_y(tick);
            let color = if tick == 0.0 { "#c3cad1" } else { "#e9ecef" };
            put!(
                out,
                r#"<path d="M{left:.1} {ty:.1}H{right:.1}" stroke="{color}"/><text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
                left - 8.0,
                ty + 4.0,
                label(tick * scale, step * scale)
            );
        }
        let (ticks, step) = self::ticks(t, 6.0);
        for tick in ticks {
            let tx = at_x(tick);
            put!(
                out,
                r##"<path d="M{tx:.1} {top:.1}V{bottom:.1}" stroke="#e9ecef"/><text x="{tx:.1}" y="{:.1}" text-anchor="middle">{}</text>"##,
                bottom + 16.0,
                label(tick, step)
            );
        }
        // The unit stands where the last number would be too near for another.
        put!(
            out,
            r#"<text x="{right:.1}" y="{:.1}" text-anchor="end" font-style="italic">t / s</text></g>"#,
            bottom + 29.0
        );
        let opacity = if self.series.len() > 12 { 0.55 } else { 0.95 };
        put!(
            out,
            r#"<g fill="none" stroke-width="1.7" stroke-linejoin="round" stroke-linecap="round" opacity="{opacity}">"#
        );
        for series in &self.series {
            let line = line(times, &series.values, points, &at_x, &at_y);
            if !line.is_empty() {
                put!(out, r#"<path stroke="{}" d="{line}"/>"#, series.color);
            }
        }
        out.push_str("</g>\n");
    }

    fn legend(&self, right: f64, y: f64, out: &mut String) {
        let mut x = right;
        for series in self.series.iter().rev().filter(|s| !s.name.is_empty()) {
            put!(
                out,
                r#"<text x="{x:.1}" y="{y:.1}" font-size="12" fill="{SOFT}" text-anchor="end">{}</text>"#,
                escape(&series.name)
            );
            x -= text_width(&series.name, 12.0);
            put!(
                out,
                r#"<path d="M{:.1} {:.1}h14" stroke="{}" stroke-width="2.4" stroke-linecap="round"/>"#,
                x - 20.0,
                y - 4.0,
                series.color
            );
            x -= 36.0;
        }
    }
}

/// The least and greatest finite value, never equal; with a margin if `with_margin`.
fn range(values: impl Iterator<Item = f64>, with_margin: bool) -> [f64; 2] {
    let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
    // Beyond this, differences overflow.
    for v in values.filter(|v| v.abs() < 1e300) {
        lo = lo.min(v);
        hi = hi.max(v);
    }
    if lo > hi {
        return [0.0, 1.0];
    }
    let size = lo.abs().max(hi.abs());
    if hi - lo <= 1e-9 * size || hi == lo {
        // A constant: rounding errors are not shown.
        let around = if size > 0.0 { 0.5 * size } else { 1.0 };
        return if with_margin {
            [lo - around, hi + around]
        } else {
            [lo, lo + 1.0]
        };
    }
    let pad = if with_margin { 0.06 * (hi - lo) } else { 0.0 };
    [lo - pad, hi + pad]
}

/// Round numbers within a range, about `wanted` of them, and their distance: 1,
/// 2 or 5 times a power of ten.
pub(super) fn ticks([lo, hi]: [f64; 2], wanted: f64) -> (Vec<f64>, f64) {
    let step = layout::round_step((hi - lo) / wanted);
    let first = (lo / step).ceil();
    let count = ((hi / step).floor() - first).clamp(0.0, 50.0) as usize;
    let at = |i: usize| (first + i as f64) * step;
    (
        (0..=count)
            .map(at)
            .filter(|t| *t <= hi + 1e-9 * step)
            .collect(),
        step,
    )
}

/// The power of ten to take out of labels, 0 while they are handy.
fn power_of_ten([lo, hi]: [f64; 2]) -> i32 {
    let power = lo.abs().max(hi.abs()).log10().floor();
    if (-3.0..5.0).contains(&power) {
        0
    } else {
        power as i32
    }
}

fn superscript(n: i32) -> String {
    let digit = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32(c as u32 - '0' as u32 + '⁰' as u32).unwrap_or(c),
    };
    n.to_string().chars().map(digit).collect()
}

/// A tick's number with as many digits as its distance to the next one needs.
pub(super) fn label(value: f64, step: f64) -> String {
    let digits = (-(step.log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize;
    let value = if value.abs() < step * 1e-6 {
        0.0
    } else {
        value
    };
    format!("{value:.digits$}").replace('-', "−")
}

/// The path of a line. Where there are more frames than points, the least and
/// greatest value of each stretch stay, so that no peak is lost.
fn line(
    times: &[f64],
    values: &[f64],
    points: usize,
    at_x: &dyn Fn(f64) -> f64,
    at_y: &dyn Fn(f64) -> f64,
) -> String {
    let mut path = String::new();
    let mut pen_down = false;
    let mut go = |t: f64, v: f64| {
        let (x, y) = (at_x(t), at_y(v));
        if !(v.abs() < 1e300 && x.is_finite() && y.is_finite()) {
            pen_down = false;
            return;
        }
        put!(path, "{}{x:.1} {y:.1}", if pen_down { 'L' } else { 'M' });
        pen_down = true;
    };
    let pairs: Vec<(f64, f64)> = times.iter().copied().zip(values.iter().copied()).collect();
    if pairs.len() <= points {
        pairs.into_iter().for_each(|(t, v)| go(t, v));
        return path;
    }
    let stretch = pairs.len().div_ceil(points / 2).max(1);
    for chunk in pairs.chunks(stretch) {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let ends = chunk
            .iter()
            .min_by(by_value)
            .zip(chunk.iter().max_by(by_value));
        let Some((lo, hi)) = ends else { continue };
        let (first, second) = if lo.0 <= hi.0 { (lo, hi) } else { (hi, lo) };
        go(first.0, first.1);
        if first != second {
            go(second.0, second.1);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks([0.0, 4.0], 4.0), (vec![0.0, 1.0, 2.0, 3.0, 4.0], 1.0));
        assert_eq!(ticks([-0.3, 0.31], 3.0).1, 0.5);
        assert_eq!(layout::round_step(0.03), 0.05);
        assert_eq!(layout::round_step(60.0), 100.0);
    }

    #[test]
    fn labels_have_the_digits_that_their_step_needs() {
        assert_eq!(label(-0.25, 0.05), "−0.25");
        assert_eq!(label(20.0, 10.0), "20");
        assert_eq!(label(1e-17, 0.5), "0.0");
        assert_eq!(superscript(-12), "⁻¹²");
    }

    #[test]
    fn thinning_keeps_the_peak() {
        let times: Vec<f64> = (0..10_000).map(f64::from).collect();
        let mut values = vec![0.0; 10_000];
        values[4321] = 77.0;
        let path = line(&times, &values, 600, &|t| t, &|v| v);
        assert!(path.contains("4321.0 77.0"));
        assert!(path.matches(['L', 'M']).count() <= 610);
    }

    #[test]
    fn ranges_ignore_values_that_are_not_finite() {
        assert_eq!(
            range([f64::NAN, f64::INFINITY].into_iter(), true),
            [0.0, 1.0]
        );
        let [lo, hi] = range([3.0, 3.0].into_iter(), true);
        assert!(lo < 3.0 && 3.0 < hi);
        let gap = line(&[0.0, 1.0, 2.0], &[1.0, f64::NAN, 2.0], 600, &|t| t, &|v| v);
        assert_eq!(gap, "M0.0 1.0M2.0 2.0");
    }
}
