//! What can go wrong with an export, and what to do about it.

use conatus_record::RecordError;
use std::io;
use std::path::PathBuf;

/// Any failure to export a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The operating system reported an error.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// `create`, `open`, `write` or `rename`.
        doing: &'static str,
        /// The operating system's error.
        source: io::Error,
    },
    /// The recording itself cannot be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Writing to an exporter's output failed.
    #[error("cannot write the export: {0}")]
    Output(#[source] io::Error),
    /// The extension of an output's name is unknown.
    #[error("{}: unknown file extension; known are {}", path.display(), crate::ENDINGS)]
    UnknownFormat {
        /// The output.
        path: PathBuf,
    },
    /// The folder of an output is missing.
    #[error("cannot write {}: the folder {} does not exist", path.display(), folder.display())]
    NoFolder {
        /// The output.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// The folder of an output is not a folder.
    #[error("cannot write {}: {} is not a folder", path.display(), folder.display())]
    NotAFolder {
        /// The output.
        path: PathBuf,
        /// The path that should be a folder.
        folder: PathBuf,
    },
    /// The output itself is a folder.
    #[error("cannot write {}: it is a folder", path.display())]
    IsAFolder {
        /// The output.
        path: PathBuf,
    },
    /// A folder of frames would replace a folder with other files.
    #[error("cannot write {}: `{found}` in it was not written by Conatus", path.display())]
    NotOurFolder {
        /// The output.
        path: PathBuf,
        /// The name of the other file.
        found: String,
    },
    /// Writing there is not permitted.
    #[error("cannot write {}: {source}", path.display())]
    NotWritable {
        /// The output.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The recording holds more than the export format can.
    #[error("the recording does not fit the format: {0}")]
    DoesNotFit(String),
    /// The format needs a character, and the recording has none.
    #[error("the recording has no character, so there is no character motion to write")]
    NoClip,
    /// HTML files are written by the viewer.
    #[error("an HTML file needs the page of the viewer")]
    NeedsPage,
}

impl ExportError {
    /// What the user can do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Io { .. } => {
                "check that the disk is not full and that you may write there".into()
            }
            Self::Record(error) => error.help(),
            Self::Output(_) => "check that the disk is not full".into(),
            Self::UnknownFormat { .. } => {
                format!("use one of the extensions {}", crate::ENDINGS)
            }
            Self::NoFolder { folder, .. } => {
                format!("create it first: mkdir -p {}", folder.display())
            }
            Self::NotAFolder { .. } | Self::IsAFolder { .. } => "choose another path".into(),
            Self::NotOurFolder { .. } => {
                "an `.obj` output replaces its whole folder; choose another name".into()
            }
            Self::NotWritable { .. } => {
                "choose a folder that you may write to, or change its permissions".into()
            }
            Self::DoesNotFit(_) => "export fewer frames or bodies, or use `.csv`".into(),
            Self::NoClip => {
                "`.bvh` and `.clip.json` are for scenes with characters; use another format".into()
            }
            Self::NeedsPage => "write it with `conatus_viewer::html`".into(),
        }
    }
}
