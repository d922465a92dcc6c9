//! A run as one HTML file: the page with its script, style and recording, which
//! plays from disk without any network request. A file can contain several runs
//! to choose from.

use crate::compact;
use crate::page::Page;
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use conatus_export::{ExportError, replace_file};
use conatus_record::Recording;
use conatus_world::scene::Scene;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};
use std::path::Path;

const SCRIPT: &str = "<script src=\"app.js\" defer></script>";
const STYLE: &str = "<link rel=\"stylesheet\" href=\"app.css\">";

/// Forbids the page to load anything that is not in the file.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
                      script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">";

/// The longest text of one element that every browser accepts.
const MAX_ELEMENT_BYTES: u64 = 400 << 20;

/// Writes the file at `path` atomically.
pub fn write_file(
    recording: &Recording,
    page: &Page,
    path: impl AsRef<Path>,
) -> Result<(), ExportError> {
    replace_file(path, |out| write(recording, page, out))
}

/// Writes the file's text.
pub fn write(recording: &Recording, page: &Page, out: &mut dyn Write) -> Result<(), ExportError> {
    write_around(&recording.header.scene, page, out, |out| {
        element("id=\"recording\"", out, |out| pack(recording, out))
    })
}

/// An encoded recording, for a file that contains several.
pub struct PackedRecording {
    scene: String,
    label: String,
    text: Vec<u8>,
}

impl PackedRecording {
    /// Encodes a recording; `label` is its name in the list of the page.
    pub fn new(recording: &Recording, label: &str) -> Result<Self, ExportError> {
        let mut text = Vec::new();
        limited(&mut text, |out| pack(recording, out))?;
        Ok(Self {
            scene: recording.header.scene.clone(),
            label: label.to_owned(),
            text,
        })
    }
}

/// Writes one file with several recordings to choose from; the first is shown
/// first.
pub fn write_several(
    recordings: &[PackedRecording],
    page: &Page,
    path: impl AsRef<Path>,
) -> Result<(), ExportError> {
    let scene = recordings.first().map_or("", |first| &first.scene);
    replace_file(path, |out| {
        write_around(scene, page, out, |out| {
            for (index, packed) in recordings.iter().enumerate() {
                let id = match index {
                    0 => "recording".to_owned(),
                    _ => format!("recording-{}", index + 1),
                };
                let label = escaped(&packed.label).replace('"', "&quot;");
                let attributes = format!("id=\"{id}\" data-label=\"{label}\"");
                element(&attributes, out, |out| {
                    out.write_all(&packed.text).map_err(ExportError::Output)
                })?;
            }
            Ok(())
        })
    })
}

/// Writes the page with the elements that `data` writes.
fn write_around(
    scene: &str,
    page: &Page,
    out: &mut dyn Write,
    data: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let title = format!("<title>{} · Conatus</title>", escaped(scene));
    let html = page
        .html
        .replacen("<title>Conatus</title>", &format!("{POLICY}\n{title}"), 1)
        .replacen(
            STYLE,
            &format!("<style>{}</style>", escape_sequence(page.css, "</style")),
            1,
        );
    // The script comes last, after the data and all elements.
    let html = html.replacen(SCRIPT, "", 1);
    let (head, foot) = html.rsplit_once("</body>").unwrap_or((&html, "</html>"));

    put(out, head)?;
    data(out)?;
    put(out, "<script>")?;
    put(
        out,
        &escape_sequence(&escape_sequence(page.js, "</script"), "<!--"),
    )?;
    put(out, "</script>\n</body>")?;
    put(out, foot)
}

/// Writes one data element.
fn element(
    attributes: &str,
    out: &mut dyn Write,
    data: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let begin = format!("<script type=\"application/octet-stream\" {attributes}>");
    put(out, &begin)?;
    limited(out, data)?;
    put(out, "</script>\n")
}

fn put(out: &mut dyn Write, text: &str) -> Result<(), ExportError> {
    out.write_all(text.as_bytes()).map_err(ExportError::Output)
}

/// Writes data, limited to what fits into an element.
fn limited(
    out: &mut dyn Write,
    data: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut limited = Limited {
        out,
        left: MAX_ELEMENT_BYTES,
    };
    let written = data(&mut limited);
    if limited.left == 0 {
        return Err(ExportError::DoesNotFit(
            "the recording is too large for one HTML file".into(),
        ));
    }
    written
}

fn pack(recording: &Recording, out: &mut dyn Write) -> Result<(), ExportError> {
    let mut base64 = EncoderWriter::new(out, &STANDARD);
    let mut gzip = GzEncoder::new(&mut base64, Compression::new(7));
    compact::write(recording, title(recording).as_deref(), &mut gzip)?;
    gzip.finish().map_err(ExportError::Output)?;
    base64.finish().map(|_| ()).map_err(ExportError::Output)
}

/// The title of the scene that the recording contains.
fn title(recording: &Recording) -> Option<String> {
    let Recording {
        header,
        sources,
        overrides,
        ..
    } = recording;
    Scene::from_recording(&header.scene, sources, overrides, header.seed)
        .ok()
        .and_then(|scene| scene.file.title)
}

/// Escapes text between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Puts a backslash after the `<` of a sequence that would end or hide the
/// element. It has no effect in strings of a script or a style sheet.
fn escape_sequence(text: &str, dangerous: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut escaped = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(found) = lower[from..].find(dangerous) {
        let after = from + found + 1;
        escaped.push_str(&text[from..after]);
        escaped.push('\\');
        from = after;
    }
    escaped + &text[from..]
}

/// A writer with a size limit.
struct Limited<'a> {
    out: &'a mut dyn Write,
    left: u64,
}

impl Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 >= self.left {
            self.left = 0;
            return Err(io::Error::other("the element is too large"));
        }
        let written = self.out.write(bytes)?;
        self.left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
