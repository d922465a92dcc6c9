//! A sheet with a stroboscopic picture of the motion, and plots of energy, momenta
//! and positions against time.
//!
//! The file is self-contained SVG without scripts, links or embedded fonts.

mod bodies;
mod clip;
mod cloth_pictures;
mod panel;
mod picture;
mod strip;
mod view;
mod water;

use crate::ExportError;
use crate::shared::{cloth, layout};
use conatus_math::DVec3;
use conatus_record::Recording;
use conatus_record::text::escape_control_characters;
use panel::{Panel, Series};
use std::fmt::Write as _;
use std::io::Write;

pub(super) const WIDTH: f64 = 1200.0;
pub(super) const MARGIN: f64 = 44.0;
pub(super) const INK: &str = "#1f2933";
pub(super) const SOFT: &str = "#66727f";
pub(super) const PAPER: [f64; 3] = [252.0, 252.0, 250.0];

const PANEL_HEIGHT: f64 = 172.0;
const GUTTER: f64 = 36.0;
/// The most bodies in the legend and in the plots.
const MAX_LEGEND_ENTRIES: usize = 8;
const MAX_PLOTTED_BODIES: usize = 40;
/// About the most points of all plots together.
const MAX_PLOT_POINTS: usize = 9_000;

/// Writes the sheet.
pub fn write(recording: &Recording, out: &mut impl Write) -> Result<(), ExportError> {
    let sheet = sheet(recording);
    out.write_all(sheet.as_bytes()).map_err(ExportError::Output)
}

/// Appends to a `String`, which cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {
        { let _ = write!($out, $($arg)*); }
    };
}
pub(super) use put;

fn sheet(recording: &Recording) -> String {
    let mut body = String::new();
    title(recording, &mut body);
    let mut y = 96.0;
    if recording.frames.is_empty() {
        put!(
            body,
            r#"<text x="{MARGIN}" y="{}" font-size="16" fill="{SOFT}">This recording has no frames.</text>"#,
            y + 20.0
        );
        y += 60.0;
    } else {
        y += picture::draw(recording, y, &mut body) + 34.0;
        let mut panels = panels(recording);
        if let Some(clip) = &recording.clip {
            y += clip::chart(clip, y, &mut body);
            panels.splice(0..0, clip::panels(clip, &recording.frames));
        }
        let shown: usize = panels.iter().map(|p| p.series.len()).sum();
        let points = (MAX_PLOT_POINTS / shown.max(1)).clamp(60, 600);
        let times: Vec<f64> = recording.frames.iter().map(|f| f.time).collect();
        let width = (WIDTH - 2.0 * MARGIN - GUTTER) / 2.0;
        for pair in panels.chunks(2) {
            for (panel, x) in pair.iter().zip([MARGIN, MARGIN + width + GUTTER]) {
                panel.draw([x, y, width, PANEL_HEIGHT], &times, points, &mut body);
            }
            y += PANEL_HEIGHT + 34.0;
        }
    }
    let [r, g, b] = PAPER;
    let height = y + 8.0;
    format!(
        concat!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {:.0}" width="{}" height="{:.0}" "#,
            r#"font-family="Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif">"#,
            "\n<title>{}</title>\n{}\n<rect width=\"100%\" height=\"100%\" fill=\"rgb({},{},{})\"/>\n{}</svg>\n"
        ),
        WIDTH,
        height,
        WIDTH,
        height,
        escape(&recording.header.scene),
        picture::DEFS,
        r,
        g,
        b,
        body
    )
}

/// The scene's name, what was run, and which colour is which body.
fn title(recording: &Recording, out: &mut String) {
    let header = &recording.header;
    let seconds = recording.frames.last().map_or(0.0, |f| f.time);
    let count = |n: usize, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let step = header.step_seconds * 1e3;
    put!(
        out,
        concat!(
            r#"<text x="{}" y="50" font-size="27" font-weight="700" fill="{}" letter-spacing="-0.3">{}</text>"#,
            r#"<text x="{}" y="75" font-size="13.5" fill="{}">{} · {} s · step {} ms · {} · seed {}</text>"#,
            "\n"
        ),
        MARGIN,
        INK,
        escape(&header.scene),
        MARGIN,
        SOFT,
        layout::contents_summary(recording),
        short(seconds),
        short(step),
        count(recording.frames.len(), "frame", "frames"),
        header.seed
    );
    // The legend is set from the right.
    let mut x = WIDTH - MARGIN;
    let mut entry = |text: &str, color: Option<[f64; 3]>, out: &mut String| {
        let text: String = match text.chars().count() {
            0..=18 => text.into(),
            _ => text.chars().take(17).chain(['…']).collect(),
        };
        put!(
            out,
            r#"<text x="{x:.0}" y="75" font-size="13.5" fill="{INK}" text-anchor="end">{}</text>"#,
            escape(&text)
        );
        x -= view::text_width(&text, 13.5);
        if let Some(color) = color {
            x -= 12.0;
            let fill = view::hex(color);
            put!(
                out,
                r#"<circle cx="{x:.0}" cy="70.5" r="5.5" fill="{fill}"/>"#
            );
        }
        x -= 20.0;
    };
    let pieces = header.cloths.iter().map(|c| (&c.name, c.color));
    let bodies = header.bodies.iter().filter(|b| b.character.is_none());
    let bodies = bodies.map(|b| (&b.name, b.color));
    let characters = recording.clip.iter().flat_map(|c| &c.characters);
    let characters = characters.map(|c| (&c.name, c.color));
    let all: Vec<_> = characters.chain(pieces).chain(bodies).collect();
    let more = all.len().saturating_sub(MAX_LEGEND_ENTRIES);
    if more > 0 {
        entry(&format!("+ {more} more"), None, out);
    }
    for (name, color) in all.into_iter().take(MAX_LEGEND_ENTRIES).rev() {
        entry(name, Some(view::rgb(color)), out);
    }
    out.push('\n');
}

/// The plots: totals on the left, positions of bodies on the right. None for runs
/// with characters only, whose parts have no mass.
fn panels(recording: &Recording) -> Vec<Panel> {
    let header = &recording.header;
    let other = header.bodies.iter().any(|b| b.character.is_none());
    if recording.clip.is_some() && !other && header.cloths.is_empty() {
        return Vec::new();
    }
    let frames = &recording.frames;
    let sum = |name: &str, color: &str, value: &dyn Fn(&conatus_record::Totals) -> f64| Series {
        name: name.into(),
        color: color.into(),
        values: frames.iter().map(|f| value(&f.totals)).collect(),
    };
    let [red, green, blue] = ["#d1495b", "#3f9268", "#2f6fb7"];
    let energy = vec![
        sum("kinetic", "#e07a3f", &|t| t.kinetic),
        sum("potential", blue, &|t| t.potential),
        sum("total", INK, &|t| t.kinetic + t.potential),
    ];
    let components = |value: fn(&conatus_record::Totals) -> DVec3| {
        vec![
            sum("x", red, &|t| value(t).x),
            sum("y", green, &|t| value(t).y),
            sum("z", blue, &|t| value(t).z),
            sum("magnitude", INK, &|t| value(t).length()),
        ]
    };
    let bodies = &recording.header.bodies;
    let every = bodies.len().div_ceil(MAX_PLOTTED_BODIES).max(1);
    // Where the middle of each piece of cloth is.
    let mean = |range: std::ops::Range<usize>| -> Vec<DVec3> {
        let at = |f: &conatus_record::Frame| f.cloth.get(range.clone()).map(cloth::mean);
        frames.iter().map(|f| at(f).unwrap_or(DVec3::NAN)).collect()
    };
    let pieces = recording.header.cloth_pieces().take(MAX_PLOTTED_BODIES);
    let means: Vec<Vec<DVec3>> = pieces.map(|(_, range)| mean(range)).collect();
    let axis = |value: fn(DVec3) -> f64| {
        let place = |b: usize| {
            let at = move |f: &conatus_record::Frame| {
                f.bodies.get(b).map_or(f64::NAN, |b| value(b.position))
            };
            frames.iter().map(at).collect()
        };
        let line = |(b, info): (usize, &conatus_record::BodyInfo)| Series {
            name: String::new(),
            color: view::hex(view::rgb(info.color)),
            values: place(b),
        };
        let pieces = recording.header.cloth_pieces().zip(&means);
        let piece = |((info, _), means): ((&conatus_record::ClothInfo, _), &Vec<DVec3>)| Series {
            name: String::new(),
            color: view::hex(view::rgb(info.color)),
            values: means.iter().copied().map(value).collect(),
        };
        let bodies = bodies.iter().enumerate();
        let bodies = bodies.filter(|(_, b)| b.character.is_none());
        let bodies = bodies.step_by(every).map(line);
        bodies
            .chain(pieces.take(MAX_PLOTTED_BODIES).map(piece))
            .collect()
    };
    let mut panels = vec![
        Panel::new("Energy", "J", energy),
        Panel::new("Position x", "m", axis(|p| p.x)),
        Panel::new("Momentum", "kg·m/s", components(|t| t.momentum)),
        Panel::new("Position y", "m", axis(|p| p.y)),
        Panel::new(
            "Angular momentum",
            "kg·m²/s",
            components(|t| t.angular_momentum),
        ),
        Panel::new("Position z", "m", axis(|p| p.z)),
    ];
    let deepest = frames.iter().map(|f| f.totals.max_penetration);
    if deepest.fold(0.0, f64::max) > 0.0 {
        let depth = sum("", red, &|t| t.max_penetration);
        let contacts = Series {
            name: String::new(),
            color: SOFT.into(),
            values: frames.iter().map(|f| f.contacts.len() as f64).collect(),
        };
        panels.push(Panel::new("Deepest penetration", "m", vec![depth]));
        panels.push(Panel::new("Contacts", "", vec![contacts]));
    }
    panels
}

/// A number with at most three digits behind the point, and no zeros there.
fn short(value: f64) -> String {
    if !value.is_finite() {
        return "?".into();
    }
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// Text for XML. Control characters, which XML forbids even as references, become
/// visible escapes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape_control_characters(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
