//! One error for everything that can fail.

use conatus_record::RecordError;
use conatus_world::RemovalError;
use conatus_world::scene::SceneError;

/// Anything that can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The scene is wrong; the message names each key and what to do.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A recording cannot be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A body cannot be removed.
    #[error(transparent)]
    Removal(#[from] RemovalError),
    /// A file cannot be written.
    #[cfg(feature = "export")]
    #[error(transparent)]
    Export(#[from] conatus_export::ExportError),
    /// A handle belongs to another scene.
    #[error("the handle does not belong to this scene")]
    UnknownHandle,
    /// The page was not built into the program.
    #[cfg(feature = "viewer")]
    #[error("this build has no page: install Node.js 18 or newer and build again")]
    NoPage,
    /// A feature of this crate is off.
    #[error("{what} needs the feature `{feature}` of the crate `conatus`")]
    MissingFeature {
        /// The file that needs it.
        what: String,
        /// The feature.
        feature: &'static str,
    },
}
