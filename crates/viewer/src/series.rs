//! The values that the page plots against time, computed from a frame.

use conatus_record::Frame;
use serde::Serialize;

/// One line of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlotSeries {
    /// The name within its plot.
    pub name: &'static str,
    /// The plot to which it belongs.
    pub group: &'static str,
    /// The unit, empty for a count.
    pub unit: &'static str,
}

const fn series(name: &'static str, group: &'static str, unit: &'static str) -> PlotSeries {
    PlotSeries { name, group, unit }
}

/// All series, in the order of [`values`].
pub const SERIES: [PlotSeries; 7] = [
    series("kinetic", "energy", "J"),
    series("potential", "energy", "J"),
    series("total", "energy", "J"),
    series("linear", "momentum", "kg·m/s"),
    series("angular", "angular momentum", "kg·m²/s"),
    series("deepest", "penetration", "m"),
    series("contacts", "contacts", ""),
];

/// One value for each of [`SERIES`].
pub fn values(frame: &Frame) -> [f64; SERIES.len()] {
    let totals = &frame.totals;
    [
        totals.kinetic,
        totals.potential,
        totals.kinetic + totals.potential,
        totals.momentum.length(),
        totals.angular_momentum.length(),
        totals.max_penetration,
        frame.contacts.len() as f64,
    ]
}
