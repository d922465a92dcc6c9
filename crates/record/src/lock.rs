//! Advisory locks: at most one program writes to a recording at a time.
//!
//! The operating system holds the lock and releases it when the program ends,
//! however it ends. A lock belongs to a file, not to a name: a file that is
//! renamed stays locked. A file system without locks, as on some network
//! drives, gives no protection.

use crate::error::RecordError;
use crate::identity::FileIdentity;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a lock that another program holds is requested, and how far apart.
const MAX_REQUESTS: u32 = 20;
const REQUEST_INTERVAL: Duration = Duration::from_millis(50);

/// Exclusive use of the file of a recording, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    /// Whether this lock created the file.
    created: bool,
}

impl Lock {
    /// Locks an existing recording, to read it.
    pub fn take(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let open = |path: &Path| File::open(path).map(|file| (file, false));
        Self::request(path.as_ref(), "open", open)
    }

    /// Locks the file of a recording that is going to be written. A file that
    /// does not exist is created; one that does keeps its contents. If nothing
    /// is written to a file that this created, dropping the lock removes it.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        Self::request(path.as_ref(), "create", open_or_create)
    }

    /// The file that is locked.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A second handle of the locked file. The lock lasts until both are closed.
    pub(crate) fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    fn request(
        path: &Path,
        doing: &'static str,
        open: impl Fn(&Path) -> io::Result<(File, bool)>,
    ) -> Result<Self, RecordError> {
        let failed = |source| RecordError::Io {
            path: path.to_path_buf(),
            doing,
            source,
        };
        let mut created = false;
        for request in 0..MAX_REQUESTS {
            // A program that was killed a moment ago may still hold its lock.
            if request > 0 {
                std::thread::sleep(REQUEST_INTERVAL);
            }
            let (file, new) = match open(path) {
                Err(error) if is_sharing_violation(&error) => continue,
                opened => opened.map_err(failed)?,
            };
            created |= new;
            // The file may have been replaced or removed between opening and
            // locking it. Then the lock protects nothing.
            if lock_if_free(&file) && is_still_at(&file, path) {
                return Ok(Self {
                    file,
                    path: path.to_path_buf(),
                    created,
                });
            }
        }
        Err(RecordError::InUse {
            path: path.to_path_buf(),
        })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is still locked: another program that has opened it
        // finds out in `is_still_at` and creates its own.
        let is_empty = || {
            self.file
                .metadata()
                .is_ok_and(|m| m.is_file() && m.len() == 0)
        };
        if self.created && is_empty() && is_still_at(&self.file, &self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Opens a file for writing without changing it. The second value is whether
/// the file is new.
fn open_or_create(path: &Path) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        // FILE_SHARE_READ | FILE_SHARE_DELETE: others may read, none may write.
        options.share_mode(0x1 | 0x4);
    }
    match options.clone().create_new(true).open(path) {
        // A link to a file that does not exist counts as existing.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            options.create(true).open(path).map(|file| (file, false))
        }
        made => made.map(|file| (file, true)),
    }
}

/// Locks the file; false if another program has locked it. Devices and pipes
/// need no lock. On Windows a lock would keep others from reading too, so
/// [`open_or_create`] refuses other writers instead.
fn lock_if_free(file: &File) -> bool {
    if cfg!(windows) || !file.metadata().is_ok_and(|m| m.is_file()) {
        return true;
    }
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Whether the name still leads to this file. Where files have no number the
/// answer is yes.
fn is_still_at(file: &File, path: &Path) -> bool {
    match FileIdentity::of_file(file) {
        Some(identity) => FileIdentity::of_path(path).is_ok_and(|found| found == identity),
        None => true,
    }
}

/// Whether another program has opened the file without sharing it.
fn is_sharing_violation(error: &io::Error) -> bool {
    const ERROR_SHARING_VIOLATION: i32 = 32;
    cfg!(windows) && error.raw_os_error() == Some(ERROR_SHARING_VIOLATION)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_nothing_was_written_to_is_removed_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mcap");
        let lock = Lock::create(&path).unwrap();
        assert!(path.exists());
        assert!(matches!(
            Lock::create(&path),
            Err(RecordError::InUse { .. })
        ));
        drop(lock);
        assert!(!path.exists());
        // A file that was there before stays, empty or not.
        for contents in ["", "recorded"] {
            fs::write(&path, contents).unwrap();
            drop(Lock::create(&path).unwrap());
            assert_eq!(fs::read_to_string(&path).unwrap(), contents);
        }
    }

    /// A second run opened the file of a recording that was being resumed. Then
    /// the continued recording took its name, and the old file was unlocked.
    /// The second run locked the old file, which had no name any more, and
    /// continued although the recording was in use.
    #[test]
    fn the_lock_of_a_file_that_was_replaced_meanwhile_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let [path, beside] = ["a.mcap", "a.mcap.resuming"].map(|name| folder.path().join(name));
        fs::write(&path, "old").unwrap();
        let replaced = std::cell::Cell::new(false);
        let new = Lock::create(&beside).unwrap();
        let open_then_replace = |path: &Path| {
            let opened = open_or_create(path)?;
            if !replaced.replace(true) {
                fs::rename(&beside, path)?;
            }
            Ok(opened)
        };
        let second = Lock::request(&path, "open", open_then_replace);
        assert!(matches!(second, Err(RecordError::InUse { .. })));
        drop(new);
        assert!(Lock::take(&path).is_ok());
    }

    #[test]
    fn devices_need_no_lock() {
        let locks = ["/dev/null"; 2].map(|path| Lock::create(path).unwrap());
        drop(locks);
        assert!(Path::new("/dev/null").exists());
    }
}
