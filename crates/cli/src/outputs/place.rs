//! Whether two paths name the same file, also if it does not exist yet.

use conatus_record::FileIdentity;
use std::path::{Path, PathBuf};

/// As many links as are followed; more are a circle.
const MAX_LINKS: usize = 40;

/// What is the same for all names of a file: hard links, symbolic links and
/// different spellings of its path.
#[derive(Debug, PartialEq, Eq)]
pub enum Place {
    /// A file or folder that exists.
    Existing(FileIdentity),
    /// A name that is free, in a folder that exists.
    Free(FileIdentity, PathBuf),
    /// It cannot be determined.
    Unknown(PathBuf),
}

impl Place {
    /// Where a path leads to.
    pub fn of(path: &Path) -> Self {
        if let Ok(identity) = FileIdentity::of_path(path) {
            return Self::Existing(identity);
        }
        let path = end_of_links(path);
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        match (FileIdentity::of_path(folder), path.file_name()) {
            (Ok(folder), Some(name)) => Self::Free(folder, name.into()),
            _ => Self::Unknown(path),
        }
    }
}

/// The file that would be created by writing to a dangling link.
fn end_of_links(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(target) = std::fs::read_link(&path) else {
            break;
        };
        // A target is relative to the folder of the link.
        path = match path.parent() {
            Some(folder) => folder.join(target),
            None => target,
        };
    }
    path
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn names_of_one_file_have_one_place() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("inner")).unwrap();
        std::fs::write(at("a.csv"), "").unwrap();
        std::fs::hard_link(at("a.csv"), at("inner/hard.csv")).unwrap();
        symlink("a.csv", at("soft.csv")).unwrap();
        for name in ["inner/hard.csv", "soft.csv", "inner/../a.csv"] {
            assert_eq!(Place::of(&at(name)), Place::of(&at("a.csv")), "{name}");
        }
        // None of these exists yet.
        symlink("../new.csv", at("inner/link.csv")).unwrap();
        symlink("inner/link.csv", at("chain.csv")).unwrap();
        for name in ["chain.csv", "inner/link.csv", "inner/../new.csv"] {
            assert_eq!(Place::of(&at(name)), Place::of(&at("new.csv")), "{name}");
        }
        assert_ne!(Place::of(&at("new.csv")), Place::of(&at("inner/new.csv")));
        symlink("circle.csv", at("circle.csv")).unwrap();
        assert_ne!(Place::of(&at("circle.csv")), Place::of(&at("a.csv")));
    }
}
