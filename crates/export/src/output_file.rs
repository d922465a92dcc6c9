//! Atomic output: a file or folder appears complete or not at all.

use super::{Format, obj};
use crate::ExportError;
use conatus_record::RecordError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Checks that a file (a folder, if its ending is `.obj`) could be written,
/// without creating or changing it.
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), ExportError> {
    let path = path.as_ref();
    check_surroundings(path)?;
    if Format::from_path(path).is_ok_and(|format| format == Format::Obj) {
        return check_folder(path);
    }
    check_file(path)
}

/// Checks the folder of an output.
fn check_surroundings(path: &Path) -> Result<(), ExportError> {
    let folder = folder_of(path);
    let refuse = |source| ExportError::NotWritable {
        path: path.to_path_buf(),
        source,
    };
    match fs::metadata(&folder) {
        Ok(found) if !found.is_dir() => {
            return Err(ExportError::NotAFolder {
                path: path.to_path_buf(),
                folder,
            });
        }
        Ok(_) => {}
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Err(ExportError::NoFolder {
                path: path.to_path_buf(),
                folder,
            });
        }
        Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
            return Err(ExportError::NotAFolder {
                path: path.to_path_buf(),
                folder,
            });
        }
        Err(e) => return Err(refuse(e)),
    }
    // Only an attempt shows whether writing is permitted.
    let (probe, _file) = temporary_sibling(path).map_err(refuse)?;
    drop(_file);
    fs::remove_file(probe).map_err(refuse)
}

/// Checks a file that may exist.
fn check_file(path: &Path) -> Result<(), ExportError> {
    let refuse = |source| ExportError::NotWritable {
        path: path.to_path_buf(),
        source,
    };
    if path.is_dir() {
        return Err(ExportError::IsAFolder {
            path: path.to_path_buf(),
        });
    }
    if path.exists() {
        // Opened for writing, but not truncated.
        OpenOptions::new().write(true).open(path).map_err(refuse)?;
    }
    Ok(())
}

/// Checks a folder of frames that may exist. It may contain only frames that
/// Conatus wrote, since the whole folder is replaced.
fn check_folder(path: &Path) -> Result<(), ExportError> {
    let refuse = |source| ExportError::NotWritable {
        path: path.to_path_buf(),
        source,
    };
    match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(refuse(e)),
        Ok(found) if !found.is_dir() => {
            return Err(ExportError::NotAFolder {
                path: path.to_path_buf(),
                folder: path.to_path_buf(),
            });
        }
        Ok(_) => {}
    }
    for entry in fs::read_dir(path).map_err(refuse)? {
        let entry = entry.map_err(refuse)?;
        if !obj::is_frame(&entry.path()) {
            return Err(ExportError::NotOurFolder {
                path: path.to_path_buf(),
                found: entry.file_name().to_string_lossy().into_owned(),
            });
        }
    }
    Ok(())
}

/// Replaces a file with the output of `write`, atomically: if anything fails, an
/// existing file is unchanged.
pub fn replace_file(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    replace(path.as_ref(), |_, file| {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        write(&mut out)?;
        out.flush().map_err(ExportError::Output)
    })
}

/// Passes a temporary file and its path to `write`, and renames it to `path`.
pub(super) fn replace<T>(
    path: &Path,
    write: impl FnOnce(&Path, File) -> Result<T, ExportError>,
) -> Result<T, ExportError> {
    check_writable(path)?;
    // A symbolic link stays: its target is replaced.
    let linked = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let path = linked.as_path();
    let at = |doing| {
        move |source| ExportError::Io {
            path: path.to_path_buf(),
            doing,
            source,
        }
    };
    if path.exists() && !path.is_file() {
        // A device or pipe cannot be replaced, only written to.
        let file = File::options().write(true).open(path).map_err(at("open"))?;
        return write(path, file);
    }
    let (temporary, file) = temporary_sibling(path).map_err(at("create"))?;
    let result = write(&temporary, file).and_then(|done| {
        fs::rename(&temporary, path).map_err(at("rename"))?;
        Ok(done)
    });
    result.map_err(|error| {
        // The first failure is reported.
        let _ = fs::remove_file(&temporary);
        match error {
            ExportError::Output(source) => at("write")(source),
            // Errors name the output, not the temporary file.
            ExportError::Io { doing, source, .. }
            | ExportError::Record(RecordError::Io { doing, source, .. }) => at(doing)(source),
            other => other,
        }
    })
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// A new, hidden file in the folder of `path`, so that a rename stays within
/// one file system.
fn temporary_sibling(path: &Path) -> io::Result<(PathBuf, File)> {
    let folder = folder_of(path);
    for attempt in 0..1000 {
        let candidate = folder.join(hidden(attempt));
        let made = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&candidate);
        match made {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            made => return made.map(|file| (candidate, file)),
        }
    }
    Err(io::Error::other("too many unfinished files in the folder"))
}

/// The name of a temporary file or folder.
fn hidden(attempt: usize) -> String {
    format!(".conatus-{}-{attempt}.part", std::process::id())
}

/// Passes a temporary folder to `fill` and renames it to `path`. An existing folder
/// is replaced if it contains frames only.
pub(super) fn replace_folder(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    check_writable(path)?;
    // A symbolic link stays: its target is replaced.
    let linked = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let path = linked.as_path();
    let at = |doing| {
        move |source| ExportError::Io {
            path: path.to_path_buf(),
            doing,
            source,
        }
    };
    let temporary = temporary_folder(path).map_err(at("create"))?;
    let result = fill(&temporary).and_then(|()| swap(&temporary, path).map_err(at("rename")));
    result.map_err(|error| {
        // The first failure is reported.
        let _ = fs::remove_dir_all(&temporary);
        match error {
            ExportError::Output(source) => at("write")(source),
            other => other,
        }
    })
}

/// Renames a folder to `path`, replacing an existing one.
fn swap(new: &Path, path: &Path) -> io::Result<()> {
    if !path.exists() {
        return fs::rename(new, path);
    }
    // No portable system call swaps folders: the old one is renamed, and renamed
    // back if the new one cannot be.
    let aside = temporary_folder(path)?;
    fs::rename(path, &aside)?;
    if let Err(error) = fs::rename(new, path) {
        let _ = fs::rename(&aside, path);
        return Err(error);
    }
    fs::remove_dir_all(aside)
}

/// A new, hidden and empty folder beside `path`.
fn temporary_folder(path: &Path) -> io::Result<PathBuf> {
    let folder = folder_of(path);
    for attempt in 0..1000 {
        let candidate = folder.join(hidden(attempt));
        match fs::create_dir(&candidate) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            made => return made.map(|()| candidate),
        }
    }
    Err(io::Error::other("too many unfinished files in the folder"))
}
