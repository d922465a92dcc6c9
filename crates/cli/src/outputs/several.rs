//! Files of several movements: each has its own files with its number in the name.
//! A page shows all of them.

use super::{Outputs, Written, page_or_error, size_of};
use crate::errors::Failure;
use conatus_export::Format;
use conatus_record::Recording;
use conatus_viewer::html::{self, PackedRecording};
use std::path::{Path, PathBuf};

/// `walk.2.bvh` of `walk.bvh`, `walk.2.clip.json` of `walk.clip.json`; the first
/// movement's file has the requested name.
fn numbered(path: &Path, format: Format, number: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let dots = if format == Format::ClipJson { 2 } else { 1 };
    match name.rmatch_indices('.').nth(dots - 1) {
        Some((dot, ending)) if number > 1 => {
            let (name, ending) = (&name[..dot], &name[dot + ending.len()..]);
            path.with_file_name(format!("{name}.{number}.{ending}"))
        }
        _ => path.to_path_buf(),
    }
}

/// The runs of several movements, for pages.
pub struct MovementPages {
    labels: Vec<String>,
    packed: Vec<PackedRecording>,
}

impl MovementPages {
    /// For movements with these labels.
    pub fn new(labels: Vec<String>) -> Self {
        Self {
            labels,
            packed: Vec::new(),
        }
    }

    /// Takes the run of the next movement.
    pub fn take(&mut self, recording: &Recording) -> Result<(), Failure> {
        let label = self.labels.get(self.packed.len());
        let label = label.map_or("", String::as_str);
        self.packed.push(PackedRecording::new(recording, label)?);
        Ok(())
    }
}

impl Outputs {
    /// Checks the names of the files of up to `keep` movements; `input` is the file
    /// that the command reads.
    pub fn check_numbered(&self, keep: usize, input: &Path) -> Result<(), Failure> {
        let mut all: Vec<PathBuf> = self.paths.iter().map(|(path, _)| path.clone()).collect();
        for (path, format) in self.paths.iter().filter(|(_, f)| *f != Format::Html) {
            all.extend((2..=keep).map(|number| numbered(path, *format, number)));
        }
        Self::check(&all, input, self.options).map(drop)
    }

    /// The same files for one of several movements, counted from 1.
    pub fn numbered(&self, number: usize) -> Self {
        let paths = self.paths.iter().map(|(path, format)| {
            let own = match format {
                Format::Html => path.clone(),
                _ => numbered(path, *format, number),
            };
            (own, *format)
        });
        Self {
            paths: paths.collect(),
            options: self.options,
            quiet: self.quiet,
        }
    }

    /// Writes the requested pages, if there is a run to show.
    pub fn write_pages(&self, pages: &MovementPages) -> Result<Vec<Written>, Failure> {
        let mut written = Vec::new();
        if pages.packed.is_empty() {
            return Ok(written);
        }
        for (path, _) in self.paths.iter().filter(|(_, f)| *f == Format::Html) {
            html::write_several(&pages.packed, page_or_error()?, path)?;
            written.push((path.clone(), size_of(path)));
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_before_the_ending() {
        for (path, second) in [
            ("walk.bvh", "walk.2.bvh"),
            ("a/b.c/walk.BVH", "a/b.c/walk.2.BVH"),
            ("walk.clip.json", "walk.2.clip.json"),
            ("my.walk.clip.json", "my.walk.2.clip.json"),
            ("walk.slow.mcap", "walk.slow.2.mcap"),
            (".obj", ".2.obj"),
        ] {
            let format = Format::from_path(path).unwrap_or(Format::Obj);
            assert_eq!(numbered(Path::new(path), format, 1), Path::new(path));
            assert_eq!(numbered(Path::new(path), format, 2), Path::new(second));
        }
    }
}
