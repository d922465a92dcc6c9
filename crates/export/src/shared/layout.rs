//! Text and spacing that several sheets and charts share.

use conatus_record::Recording;

/// The contents of a run: `2 bodies · 1 piece of cloth`. A character counts as one,
/// not as its parts.
pub(crate) fn contents_summary(recording: &Recording) -> String {
    let header = &recording.header;
    let characters = recording.clip.as_ref().map_or(0, |c| c.characters.len());
    let bodies = header.bodies.iter().filter(|b| b.character.is_none());
    let bodies = bodies.count();
    let pieces = header.cloths.len();
    let count = |n: usize, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let mut counts = Vec::new();
    if characters > 0 {
        counts.push(count(characters, "character", "characters"));
    }
    if bodies > 0 || (characters == 0 && pieces == 0) {
        counts.push(count(bodies, "body", "bodies"));
    }
    if pieces > 0 {
        counts.push(count(pieces, "piece of cloth", "pieces of cloth"));
    }
    counts.join(" · ")
}

/// The indices of at most `wanted` of `count` items, evenly spaced from the first
/// to the last; of one, the last.
pub(crate) fn evenly_spaced(count: usize, wanted: usize) -> Vec<usize> {
    let wanted = wanted.min(count);
    let last = count.saturating_sub(1);
    let pick = |k: usize| match wanted {
        1 => last,
        _ => (k * last + (wanted - 1) / 2) / (wanted - 1),
    };
    (0..wanted).map(pick).collect()
}

/// The smallest of 1, 2, 5, 10, … that is not less.
pub(crate) fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let [one, two, five] = [1.0, 2.0, 5.0].map(|m| m * power);
    [one, two, five]
        .into_iter()
        .find(|s| *s >= rough * 0.999)
        .unwrap_or(10.0 * power)
}
