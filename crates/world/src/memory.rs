//! The free memory of the machine, for recordings that are kept in memory.

/// Free memory in bytes as the system reports it; 8 GiB where it does not.
pub fn available() -> u64 {
    const DEFAULT_BYTES: u64 = 8 << 30;
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|kilobytes| kilobytes.trim().parse::<u64>().ok())
        .map_or(DEFAULT_BYTES, |kilobytes| kilobytes.saturating_mul(1024))
}

/// Formats a number of bytes: `1.5 GB`.
pub fn format_bytes(bytes: u64) -> String {
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
