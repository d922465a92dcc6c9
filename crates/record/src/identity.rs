//! Whether two names lead to the same file: hard links, symbolic links and
//! different spellings of a path.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// What is the same for all names of one file: device and inode on Unix, the
/// canonical path elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIdentity(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    #[cfg_attr(not(unix), allow(dead_code))]
    Inode { device: u64, inode: u64 },
    #[cfg_attr(unix, allow(dead_code))]
    Path(PathBuf),
}

impl FileIdentity {
    /// The identity of a file that exists. Links are followed.
    pub fn of_path(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        #[cfg(unix)]
        let kind = inode(&std::fs::metadata(path)?);
        #[cfg(not(unix))]
        let kind = Kind::Path(path.canonicalize()?);
        Ok(Self(kind))
    }

    /// The identity of an open file, if open files have one.
    pub(crate) fn of_file(file: &File) -> Option<Self> {
        #[cfg(unix)]
        let kind = Some(inode(&file.metadata().ok()?));
        #[cfg(not(unix))]
        let kind = {
            let _ = file;
            None
        };
        kind.map(Self)
    }
}

#[cfg(unix)]
fn inode(metadata: &std::fs::Metadata) -> Kind {
    use std::os::unix::fs::MetadataExt;
    Kind::Inode {
        device: metadata.dev(),
        inode: metadata.ino(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn all_names_of_a_file_have_one_identity() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "").unwrap();
        std::fs::write(at("other"), "").unwrap();
        std::fs::hard_link(at("a"), at("hard")).unwrap();
        std::os::unix::fs::symlink("hard", at("soft")).unwrap();
        let identity = |name: &str| FileIdentity::of_path(at(name)).unwrap();
        for name in ["hard", "soft", "./a"] {
            assert_eq!(identity(name), identity("a"), "{name}");
        }
        assert_ne!(identity("other"), identity("a"));
        let open = File::open(at("soft")).unwrap();
        assert_eq!(FileIdentity::of_file(&open), Some(identity("a")));
        assert!(FileIdentity::of_path(at("missing")).is_err());
    }
}
