//! Tells whether a run is still writing to a recording.
//!
//! The lock is the operating system's, so it ends with the program that holds
//! it, however that ends. Where there are none, as on some network drives,
//! recordings go without.

use crate::error::RecordError;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

/// How often a lock that somebody holds is asked for, and how far apart.
const PATIENCE: u32 = 20;
const MOMENT: Duration = Duration::from_millis(50);

/// Keeps others from continuing a recording; until it is dropped.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code)] File);

impl Lock {
    /// Takes the lock of a recording that nobody writes to.
    pub fn take(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|source| RecordError::Io {
            path: path.to_path_buf(),
            doing: "open",
            source,
        })?;
        // A program that was just killed may need a moment to be gone.
        for _ in 0..PATIENCE {
            if hold(&file) {
                return Ok(Self(file));
            }
            std::thread::sleep(MOMENT);
        }
        Err(RecordError::InUse {
            path: path.to_path_buf(),
        })
    }
}

/// Locks the file; false if somebody else has. On Windows a lock would keep
/// others from reading as well, so there is none.
pub(crate) fn hold(file: &File) -> bool {
    cfg!(windows) || !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}
