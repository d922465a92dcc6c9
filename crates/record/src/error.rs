//! What can go wrong with a recording, and what to do about it.

use std::io;
use std::path::PathBuf;

/// Any failure to write, read or export a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The operating system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// `create`, `open`, `read`, `write` or `rename`.
        doing: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
    /// An exporter's output refused its bytes.
    #[error("cannot write the export: {0}")]
    Output(#[source] io::Error),
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
    #[error("{} has the format `{found}`; this program reads `{}`", path.display(), crate::FORMAT)]
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
    /// Whoever took what was read wanted no more.
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
    /// The header cannot be written, or was read but makes no sense.
    #[error("{}: the recording's header is wrong: {reason}", path.display())]
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
    /// The ending of an output's name says nothing.
    #[error("{}: unknown file ending; known are {}", path.display(), crate::export::ENDINGS)]
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
    /// The folder of an output is something else.
    #[error("cannot write {}: {} is not a folder", path.display(), folder.display())]
    NotAFolder {
        /// The output.
        path: PathBuf,
        /// What should be its folder.
        folder: PathBuf,
    },
    /// The output itself is a folder.
    #[error("cannot write {}: it is a folder", path.display())]
    IsAFolder {
        /// The output.
        path: PathBuf,
    },
    /// A folder of frames would replace a folder with other things in it.
    #[error("cannot write {}: `{found}` in it was not written by Conatus", path.display())]
    NotOurFolder {
        /// The output.
        path: PathBuf,
        /// The name of what was found in it.
        found: String,
    },
    /// Nothing may be written there.
    #[error("cannot write {}: {source}", path.display())]
    NotWritable {
        /// The output.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The recording holds more than the export format can.
    #[error("the recording does not fit the format: {0}")]
    DoesNotFit(String),
    /// The motion of a character is asked for where there is none.
    #[error("the recording has no character, so there is no motion of one to write")]
    NoClip,
    /// A page is asked for where there is none to put the recording into.
    #[error("an HTML file needs the page of the viewer")]
    NeedsPage,
}

impl RecordError {
    /// What the user can do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Io { doing, .. } => match *doing {
                "open" | "read" => "check the path and that you may read the file".into(),
                _ => "check that the disk is not full and that you may write there".into(),
            },
            Self::Output(_) => "check that the disk is not full".into(),
            Self::NotARecording { .. } => {
                "give a `.mcap` file written by `conatus run SCENE -o FILE.mcap`".into()
            }
            Self::NoHeader { .. } => {
                "the run was stopped before it really began; run the scene again".into()
            }
            Self::Version { .. } => {
                "use the version of Conatus that wrote it, or run the scene again with this one"
                    .into()
            }
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
            Self::UnknownFormat { .. } => {
                format!("end the file's name with one of {}", crate::export::ENDINGS)
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
