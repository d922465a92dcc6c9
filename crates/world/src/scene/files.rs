//! The files that a scene names: from a folder on disk, from the program or from a
//! recording.

use super::diagnostic::{Diagnostic, SourceText, nearest};
use super::{library, mesh_files};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The largest file that is read, in bytes. A larger scene or mesh is probably a mistake.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Reads the files that a scene names. A file is read from disk once: later
/// reads, also of clones, return the same text, so that a scene that is built
/// twice gives the same world twice. A recording keeps these texts.
#[derive(Clone, Debug)]
pub struct Files {
    origin: Origin,
    /// The texts that were read, in order, by the name that the scene uses.
    read: Arc<Mutex<Vec<(String, SourceText)>>>,
}

#[derive(Clone, Debug)]
enum Origin {
    /// Paths are relative to the scene file's folder.
    Folder(PathBuf),
    /// The meshes that come with the program.
    BuiltIn,
    /// Texts by the names that the scene uses.
    Memory(Vec<(String, Arc<str>)>),
}

impl Files {
    /// Files relative to a folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self::new(Origin::Folder(folder.into()))
    }

    /// The files that come with the program.
    pub fn built_in() -> Self {
        Self::new(Origin::BuiltIn)
    }

    /// Files in memory, by the names that the scene uses.
    pub fn in_memory(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let files = files.into_iter().map(|(name, text)| (name, text.into()));
        Self::new(Origin::Memory(files.collect()))
    }

    fn new(origin: Origin) -> Self {
        let read = Arc::default();
        Self { origin, read }
    }

    /// The text of a file, from the cache or else from `load`.
    fn read_once(
        &self,
        file: &str,
        load: impl FnOnce() -> Result<SourceText, Diagnostic>,
    ) -> Result<SourceText, Diagnostic> {
        // Entries are appended whole, so a panic elsewhere leaves the list valid.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, source)) = read.iter().find(|(name, _)| name == file) {
            return Ok(source.clone());
        }
        let source = load()?;
        read.push((file.to_owned(), source.clone()));
        Ok(source)
    }

    /// The text of a file that the scene names, under the name to show in
    /// messages. The error has no place; its caller adds the place where the scene names
    /// the file ([`Diagnostics::push_at`](super::Diagnostics::push_at)).
    pub fn read(&self, file: &str) -> Result<SourceText, Diagnostic> {
        self.read_once(file, || self.load(file))
    }

    fn load(&self, file: &str) -> Result<SourceText, Diagnostic> {
        Ok(match &self.origin {
            Origin::Folder(folder) => {
                let path = folder.join(file);
                match library::mesh(file) {
                    // A copy of a built-in scene finds its meshes.
                    Some(text) if !path.exists() => SourceText::new(file, text),
                    // Kept as the text of an OBJ file: everything else reads only that.
                    _ if mesh_files::is_converted(file) => {
                        let text = mesh_files::to_obj(&path)?;
                        SourceText::new(path.display().to_string(), text)
                    }
                    _ => SourceText::new(path.display().to_string(), read_text(&path)?),
                }
            }
            Origin::BuiltIn => match library::mesh(file) {
                Some(text) => SourceText::new(file, text),
                None => {
                    let names = library::MESHES.iter().map(|(name, _)| *name);
                    return Err(missing(file, "comes with the program", names));
                }
            },
            Origin::Memory(files) => match files.iter().find(|(name, _)| name == file) {
                Some((name, text)) => SourceText::new(name.clone(), text.clone()),
                None => {
                    let names = files.iter().map(|(name, _)| name.as_str());
                    return Err(missing(file, "is in the recording", names));
                }
            },
        })
    }

    /// The text of the scene's source with this name, or the text that `make` creates from
    /// files in the scene's folder. It is kept like any other.
    pub fn read_or_make(
        &self,
        name: &str,
        make: impl FnOnce(&Path) -> Result<String, Diagnostic>,
    ) -> Result<SourceText, Diagnostic> {
        let Origin::Folder(folder) = &self.origin else {
            return self.read(name);
        };
        self.read_once(name, || Ok(SourceText::new(name, make(folder)?)))
    }

    /// The texts that were read so far, in order, by the name that the scene
    /// uses.
    pub fn already_read(&self) -> Vec<(String, Arc<str>)> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = read.iter();
        texts
            .map(|(name, source)| (name.clone(), Arc::clone(&source.text)))
            .collect()
    }
}

fn missing<'a>(file: &str, place: &str, names: impl Iterator<Item = &'a str>) -> Diagnostic {
    let diagnostic = Diagnostic::new(format!("no file `{file}` {place}"));
    match nearest(file, names) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

/// The bytes of a file on disk.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        let diagnostic = Diagnostic::new(format!("cannot read {shown}: {}", plain(&error)));
        match error.kind() {
            std::io::ErrorKind::NotFound => diagnostic.help("check the spelling and the folder"),
            std::io::ErrorKind::PermissionDenied => diagnostic.help("check the file's permissions"),
            _ => diagnostic,
        }
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(
            Diagnostic::new(format!("{shown} is a folder, not a file")).help("name a file in it")
        );
    }
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // Reading is bounded as well, because a device or pipe has no size.
    if metadata.len() <= MAX_FILE_BYTES {
        file.take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
    }
    if metadata.len() > MAX_FILE_BYTES || bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Diagnostic::new(format!("{shown} is larger than 64 MB"))
            .help("check that it is a scene or a mesh; split or simplify a large mesh"));
    }
    Ok(bytes)
}

/// The text of a file on disk, without a byte-order mark.
pub fn read_text(path: &Path) -> Result<String, Diagnostic> {
    let shown = path.display();
    let bytes = read_bytes(path)?;
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        Diagnostic::new(format!("{shown}:{line}: the file is not text in UTF-8"))
            .help("save it as UTF-8; if it is a picture or a program, it is the wrong file")
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// An error of the system in a few words, without its number.
pub fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => {
            let text = error.to_string();
            match text.find(" (os error") {
                Some(end) => text[..end].to_lowercase(),
                None => text,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_memory_are_read_by_name() {
        let files = Files::in_memory([("meshes/a.obj".to_owned(), "v 0 0 0".to_owned())]);
        assert_eq!(&*files.read("meshes/a.obj").unwrap().text, "v 0 0 0");
        let diagnostic = files.read("meshes/b.obj").unwrap_err();
        assert_eq!(diagnostic.help.unwrap(), "did you mean `meshes/a.obj`?");
        assert_eq!(
            files.already_read(),
            [("meshes/a.obj".to_owned(), "v 0 0 0".into())]
        );
    }

    #[test]
    fn unreadable_files_are_explained() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let message = |path: &Path| read_text(path).unwrap_err().message;
        assert!(message(folder).contains("folder"));
        assert!(message(&folder.join("nothing")).contains("no such file"));
        assert!(read_text(&folder.join("Cargo.toml")).is_ok());
    }
}
