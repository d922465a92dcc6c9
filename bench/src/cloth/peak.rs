//! The peak of this process's memory, on Linux.

use std::fs;

/// Resets the peak.
pub fn reset() {
    // If this is not possible, the peak since the program's start is reported.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The peak since the reset, in bytes.
pub fn bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
