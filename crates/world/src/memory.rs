//! How much memory there is for a recording.

/// Free memory in bytes: what the system says, or 8 GiB where it says nothing.
pub fn available() -> u64 {
    const UNKNOWN: u64 = 8 << 30;
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|kilobytes| kilobytes.trim().parse::<u64>().ok())
        .map_or(UNKNOWN, |kilobytes| kilobytes.saturating_mul(1024))
}

/// A number of bytes for people: `1.5 GB`.
pub fn readable(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} bytes"),
        _ => format!("{value:.1} {}", UNITS[unit]),
    }
}
