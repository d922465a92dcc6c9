//! The part of a sheet for characters, below the picture: a chart of which
//! contacts are active when, and plots of forces and of where effectors are.

use super::panel::{Panel, Series};
use super::{INK, MARGIN, SOFT, WIDTH, escape, panel, put, view};
use conatus_math::DVec3;
use conatus_record::Frame;
use conatus_record::clip::{Clip, ContactChart};
use std::fmt::Write as _;

const ROW_HEIGHT: f64 = 20.0;
const TOP_MARGIN: f64 = 24.0;
const BOTTOM_MARGIN: f64 = 40.0;
/// The most rows that are drawn, and lines that are plotted.
const MAX_ROWS: usize = 40;

/// Draws the chart with its top at `top`; returns its height.
pub(super) fn chart(clip: &Clip, top: f64, out: &mut String) -> f64 {
    let chart = clip.chart();
    let rows = chart.rows.get(..MAX_ROWS).unwrap_or(&chart.rows);
    if rows.is_empty() {
        return 0.0;
    }
    let widest = rows.iter().map(|r| view::text_width(&r.label, 12.0));
    let left = MARGIN + widest.fold(54.0, f64::max).min(220.0) + 10.0;
    let right = WIDTH - MARGIN;
    let first = top + TOP_MARGIN;
    let bottom = first + ROW_HEIGHT * rows.len() as f64;
    let at = places(&chart, left, right);
    put!(
        out,
        r#"<text x="{MARGIN}" y="{:.0}" font-size="13.5" font-weight="600" fill="{INK}">Contacts</text>"#,
        top + 13.0
    );
    put!(
        out,
        r##"<rect x="{left:.1}" y="{first:.1}" width="{:.1}" height="{:.1}" fill="#fff"/><g font-size="12" fill="{INK}">"##,
        right - left,
        bottom - first
    );
    for (row, y) in rows
        .iter()
        .zip((0..).map(|k| first + ROW_HEIGHT * f64::from(k)))
    {
        let color = view::hex(view::rgb(row.color));
        put!(
            out,
            r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
            left - 10.0,
            y + ROW_HEIGHT / 2.0 + 4.0,
            escape(&row.label)
        );
        for (phase, c) in chart.phases.windows(2).zip(&row.contact) {
            let [from, to] = [at(phase[0]), at(phase[1])];
            put!(
                out,
                r#"<rect x="{from:.1}" y="{:.1}" width="{:.1}" height="{:.1}" fill="{color}" opacity="{:.2}"/>"#,
                y + 2.0,
                to - from,
                ROW_HEIGHT - 4.0,
                0.2 * c.clamp(0.0, 1.0)
            );
        }
        for [from, to] in row.active.iter().map(|span| span.map(&at)) {
            put!(
                out,
                r#"<rect x="{from:.1}" y="{:.1}" width="{:.1}" height="10" rx="5" fill="{color}"/>"#,
                y + ROW_HEIGHT / 2.0 - 5.0,
                (to - from).max(1.0)
            );
        }
    }
    put!(out, r##"</g><g stroke="#c3cad1" stroke-width="1">"##);
    for time in &chart.phases {
        let x = at(*time);
        put!(out, r#"<path d="M{x:.1} {first:.1}V{bottom:.1}"/>"#);
    }
    put!(out, r#"</g><g font-size="11.5" fill="{SOFT}">"#);
    let (ticks, step) = panel::ticks([chart.start, chart.end.max(chart.start + 1e-9)], 12.0);
    for tick in ticks {
        put!(
            out,
            r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            at(tick),
            bottom + 16.0,
            panel::label(tick, step)
        );
    }
    put!(
        out,
        "<text x=\"{right:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-style=\"italic\">t / s</text></g>\n",
        bottom + 29.0
    );
    TOP_MARGIN + ROW_HEIGHT * rows.len() as f64 + BOTTOM_MARGIN
}

/// Where times are between two edges.
fn places(chart: &ContactChart, left: f64, right: f64) -> impl Fn(f64) -> f64 {
    let (start, span) = (chart.start, (chart.end - chart.start).max(1e-9));
    move |time| left + ((time - start) / span).clamp(0.0, 1.0) * (right - left)
}

/// Plots of contact forces, and of the heights and speeds of effectors and
/// torsos, one value for each frame.
pub(super) fn panels(clip: &Clip, frames: &[Frame]) -> Vec<Panel> {
    let chart = clip.chart();
    let up = match clip.up {
        conatus_record::Up::Y => DVec3::Y,
        conatus_record::Up::Z => DVec3::Z,
    };
    let effectors = || clip.characters.iter().flat_map(|c| &c.effectors);
    let lines = |value: &dyn Fn(&conatus_record::clip::ClipEffector, usize) -> f64| -> Vec<Series> {
        let line = |(effector, row): (
            &conatus_record::clip::ClipEffector,
            &conatus_record::clip::ContactChartRow,
        )| Series {
            name: String::new(),
            color: view::hex(view::rgb(row.color)),
            values: frames
                .iter()
                .map(|f| value(effector, clip.moment(f.time)))
                .collect(),
        };
        let pairs = effectors().zip(&chart.rows).take(MAX_ROWS);
        pairs.map(line).collect()
    };
    let torsos = |value: &dyn Fn(&conatus_record::clip::ClipTorso, usize) -> f64| -> Vec<Series> {
        let line = |c: &conatus_record::clip::ClipCharacter| Series {
            name: c.name.clone(),
            color: view::hex(view::rgb(c.color)),
            values: frames
                .iter()
                .map(|f| value(&c.torso, clip.moment(f.time)))
                .collect(),
        };
        clip.characters.iter().take(8).map(line).collect()
    };
    let speed = |torso: &conatus_record::clip::ClipTorso, m: usize| {
        let last = torso.position.len().saturating_sub(1);
        let (a, b) = (m.saturating_sub(1), (m + 1).min(last));
        let seconds = (b - a) as f64 * clip.dt;
        (torso.position[b] - torso.position[a]).length() / seconds.max(1e-9)
    };
    vec![
        Panel::new("Contact force", "N", lines(&|e, m| e.force[m].length())),
        Panel::new(
            "Height of effectors",
            "m",
            lines(&|e, m| e.position[m].dot(up)),
        ),
        Panel::new("Speed of the torso", "m/s", torsos(&speed)),
        Panel::new(
            "Height of the torso",
            "m",
            torsos(&|t, m| t.position[m].dot(up)),
        ),
    ]
}
