//! Errors of recordings, with advice for the user.

use std::io;
use std::path::PathBuf;

/// Any failure to write or read a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The operating system reported an error.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// `create`, `open`, `read`, `write` or `rename`.
        doing: &'static str,
        /// The operating system's error.
        source: io::Error,
    },
    /// The file does not start as a recording does.
    #[error("{} is not a Conatus recording", path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
    },
    /// The file ends before the message that describes the run.
    #[error("{} ends before its header: nothing can be read from it", path.display())]
    NoHeader {
        /// The file.
        path: PathBuf,
    },
    /// The recording is of another major version.
    #[error("{} has the format `{found}`; this program reads `{}` only", path.display(), crate::FORMAT)]
    Version {
        /// The file.
        path: PathBuf,
        /// The format that the file names.
        found: String,
    },
    /// The file contradicts its format.
    #[error("{} is damaged at byte {offset}: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where the damaged record starts.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// A run is still writing to the recording.
    #[error("{} is still being written", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The receiver of the entries stopped the reading.
    #[error("the reading was stopped")]
    Stopped,
    /// The recording would need more memory than its size can justify.
    #[error("{} unpacks to more than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// The header cannot be written, or was read and is invalid.
    #[error("{}: the recording's header is invalid: {reason}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A frame or an event cannot be written as it is.
    #[error("{}: {what} cannot be recorded: {reason}", path.display())]
    Unrecordable {
        /// The file.
        path: PathBuf,
        /// `a frame`, `an event`, …
        what: &'static str,
        /// What is wrong.
        reason: String,
    },
}

impl RecordError {
    /// What the user can do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Io { doing, .. } => match *doing {
                "open" | "read" => "check the path and that you may read the file".into(),
                _ => "check that the disk is not full and that you may write there".into(),
            },
            Self::NotARecording { .. } => {
                "give a `.mcap` file written by `conatus run SCENE -o FILE.mcap`".into()
            }
            Self::NoHeader { .. } => {
                "the run was stopped before its first frame; run the scene again".into()
            }
            Self::Version { .. } => "run the scene again: `conatus run SCENE -o FILE.mcap`; or \
                                     use the version of Conatus that wrote the recording"
                .into(),
            Self::Corrupt { .. } => {
                "copy the file again from where it came from, or run the scene again".into()
            }
            Self::InUse { .. } => "wait for that run to end, or stop it first".into(),
            Self::Stopped => String::new(),
            Self::TooLarge { .. } => {
                "record fewer frames: fewer seconds, or more steps between two frames".into()
            }
            Self::Header { .. } | Self::Unrecordable { .. } => {
                "this is a fault of the program that made the recording; please report it".into()
            }
        }
    }
}
