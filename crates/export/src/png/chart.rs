//! The chart below a sheet of pictures: which contacts are active when.

use super::text::{Canvas, Style};
use super::{INK, MARGIN, SOFT, WIDTH};
use crate::shared::layout;
use conatus_record::clip::{ContactChart, ContactChartRow};

/// The height of a row, and of the margins above and below all rows.
const ROW_HEIGHT: f64 = 24.0;
const TOP_MARGIN: f64 = 40.0;
const BOTTOM_MARGIN: f64 = 30.0;
/// The most rows that are drawn.
const MAX_ROWS: usize = 40;

const LINE_COLOR: [u8; 3] = [206, 212, 218];
const FIELD_COLOR: [u8; 3] = [243, 244, 245];

/// The height of the chart in pixels; 0 without rows.
pub(super) fn height(chart: &ContactChart) -> usize {
    match chart.rows.len().min(MAX_ROWS) {
        0 => 0,
        rows => (TOP_MARGIN + ROW_HEIGHT * rows as f64 + BOTTOM_MARGIN) as usize,
    }
}

/// Draws the chart with its top at `top`; `shown` are the moments of pictures.
pub(super) fn draw(chart: &ContactChart, shown: &[f64], top: usize, sheet: &mut Canvas) {
    let rows = chart.rows.get(..MAX_ROWS).unwrap_or(&chart.rows);
    if rows.is_empty() {
        return;
    }
    let label = Style {
        size: 11.0,
        bold: false,
        color: INK,
    };
    let small = Style {
        size: 9.5,
        bold: false,
        color: SOFT,
    };
    let widest = rows
        .iter()
        .map(|r| label.width(&r.label))
        .fold(0.0, f64::max);
    let left = MARGIN as f64 + widest.clamp(40.0, 220.0) + 18.0;
    let right = (WIDTH - MARGIN) as f64 - 6.0;
    let first = top as f64 + TOP_MARGIN;
    let bottom = first + ROW_HEIGHT * rows.len() as f64;
    let span = (chart.end - chart.start).max(1e-9);
    let at = |time: f64| left + ((time - chart.start) / span).clamp(0.0, 1.0) * (right - left);

    let heading = Style {
        bold: true,
        ..label
    };
    sheet.write("Contacts", MARGIN as f64, first - 14.0, heading);
    sheet.block([left, first, right, bottom], FIELD_COLOR, 1.0);
    for (row, y) in rows
        .iter()
        .zip((0..).map(|k| first + ROW_HEIGHT * f64::from(k)))
    {
        draw_row(chart, row, [left, y], &at, label, sheet);
    }
    for time in &chart.phases {
        let x = at(*time).round();
        sheet.block([x, first, x + 1.0, bottom], LINE_COLOR, 1.0);
    }
    for time in shown {
        let x = at(*time);
        sheet.block([x - 0.5, first - 5.0, x + 0.5, bottom], INK, 0.22);
        sheet.block([x - 1.0, first - 7.0, x + 1.0, first - 1.0], INK, 0.75);
    }
    let step = layout::round_step(span / 12.0);
    let digits = (-(step.log10() + 1e-9).floor()).clamp(0.0, 6.0) as usize;
    let begin = (chart.start / step - 1e-6).ceil();
    for k in 0..20 {
        let time = (begin + f64::from(k)) * step;
        if time > chart.end + 1e-6 * step {
            break;
        }
        let x = at(time);
        sheet.block([x - 0.5, bottom, x + 0.5, bottom + 5.0], SOFT, 1.0);
        let text = format!("{time:.digits$}");
        let text = if k == 0 { format!("{text} s") } else { text };
        let half = small.width(&text) / 2.0;
        sheet.write(
            &text,
            (x - half).min(right - 2.0 * half),
            bottom + 20.0,
            small,
        );
    }
}

fn draw_row(
    chart: &ContactChart,
    row: &ContactChartRow,
    [left, y]: [f64; 2],
    at: &dyn Fn(f64) -> f64,
    label: Style,
    sheet: &mut Canvas,
) {
    let color = row.color.map(|c| (c * 255.0).round() as u8);
    let middle = y + ROW_HEIGHT / 2.0;
    let text = label.fitting(&row.label, left - MARGIN as f64 - 12.0);
    let x = left - 12.0 - label.width(&text);
    sheet.write(&text, x, middle + 0.5 * label.size, label);
    // The contact variable of each phase, behind the actual contacts.
    for (phase, c) in chart.phases.windows(2).zip(&row.contact) {
        let strength = 0.22 * c.clamp(0.0, 1.0);
        sheet.block(
            [at(phase[0]), y + 2.0, at(phase[1]), y + ROW_HEIGHT - 2.0],
            color,
            strength,
        );
    }
    for [from, to] in &row.active {
        sheet.pill([at(*from), at(*to)], middle, 0.27 * ROW_HEIGHT, color);
    }
}
