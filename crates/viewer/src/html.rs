//! A run as one HTML file: the page with script, style and recording inside,
//! which plays from disk and asks the network for nothing.

use crate::compact;
use crate::page::Page;
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use conatus_record::export::replace_file;
use conatus_record::{RecordError, Recording};
use conatus_world::scene::Scene;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};
use std::path::Path;

const SCRIPT: &str = "<script src=\"app.js\" defer></script>";
const STYLE: &str = "<link rel=\"stylesheet\" href=\"app.css\">";

/// Nothing but what the file brings along: a promise that the browser keeps.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
                      script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">";

/// The longest text that every browser takes in one element.
const MOST_BYTES: u64 = 400 << 20;

/// Writes the file at `path`; it appears whole or not at all.
pub fn write_file(
    recording: &Recording,
    page: &Page,
    path: impl AsRef<Path>,
) -> Result<(), RecordError> {
    replace_file(path, |out| write(recording, page, out))
}

/// Writes the file's text.
pub fn write(recording: &Recording, page: &Page, out: &mut dyn Write) -> Result<(), RecordError> {
    let title = format!(
        "<title>{} · Conatus</title>",
        escaped(&recording.header.scene)
    );
    let html = page
        .html
        .replacen("<title>Conatus</title>", &format!("{POLICY}\n{title}"), 1)
        .replacen(
            STYLE,
            &format!("<style>{}</style>", safe(page.css, "</style")),
            1,
        );
    // The script goes to the end, where the data and all elements are there.
    let html = html.replacen(SCRIPT, "", 1);
    let (head, foot) = html.rsplit_once("</body>").unwrap_or((&html, "</html>"));

    let mut text = |text: &str| out.write_all(text.as_bytes()).map_err(RecordError::Output);
    text(head)?;
    text("<script type=\"application/octet-stream\" id=\"recording\">")?;
    let mut limited = Limited {
        out,
        left: MOST_BYTES,
    };
    let packed = pack(recording, &mut limited);
    if limited.left == 0 {
        return Err(RecordError::DoesNotFit("a page cannot hold so much".into()));
    }
    packed?;
    let mut text = |text: &str| out.write_all(text.as_bytes()).map_err(RecordError::Output);
    text("</script>\n<script>")?;
    text(&safe(&safe(page.js, "</script"), "<!--"))?;
    text("</script>\n</body>")?;
    text(foot)
}

fn pack(recording: &Recording, out: &mut dyn Write) -> Result<(), RecordError> {
    let mut base64 = EncoderWriter::new(out, &STANDARD);
    let mut gzip = GzEncoder::new(&mut base64, Compression::new(7));
    compact::write(recording, title(recording).as_deref(), &mut gzip)?;
    gzip.finish().map_err(RecordError::Output)?;
    base64.finish().map(|_| ()).map_err(RecordError::Output)
}

/// What the scene inside of the recording says of itself.
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

/// Text between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A backslash after the `<` of what would end or hide the element changes
/// nothing in a string of a program or a style sheet.
fn safe(text: &str, dangerous: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut safe = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(found) = lower[from..].find(dangerous) {
        let after = from + found + 1;
        safe.push_str(&text[from..after]);
        safe.push('\\');
        from = after;
    }
    safe + &text[from..]
}

/// Stops where a browser would.
struct Limited<'a> {
    out: &'a mut dyn Write,
    left: u64,
}

impl Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 >= self.left {
            self.left = 0;
            return Err(io::Error::other("too much"));
        }
        let written = self.out.write(bytes)?;
        self.left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
