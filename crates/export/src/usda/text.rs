//! Writes prims and attributes, with the shortest digits of numbers.

use crate::shared::color::linear;
use conatus_record::text::escape_control_characters;
use std::fmt::Write as _;
use std::io::{self, Write};

/// A stage that is being written, prim by prim.
pub(super) struct Stage<'a, W> {
    out: &'a mut W,
    depth: usize,
    line: String,
}

impl<'a, W: Write> Stage<'a, W> {
    /// Continues after the file's header.
    pub fn new(out: &'a mut W) -> Self {
        Self {
            out,
            depth: 0,
            line: String::new(),
        }
    }

    /// Starts a prim; `label` is its name in the scene.
    pub fn open(&mut self, kind: &str, name: &str, label: &str, apis: &[&str]) -> io::Result<()> {
        let mut metadata = Vec::new();
        if label != name {
            metadata.push(format!("displayName = {}", quoted(label)));
        }
        self.begin(&format!("def {kind}"), name, metadata, apis)
    }

    /// Starts a prim with other metadata, one entry per line.
    pub fn open_with(
        &mut self,
        kind: &str,
        name: &str,
        label: &str,
        mut metadata: Vec<String>,
    ) -> io::Result<()> {
        if label != name {
            metadata.push(format!("displayName = {}", quoted(label)));
        }
        self.begin(&format!("def {kind}"), name, metadata, &[])
    }

    /// Starts opinions about a prim that is defined elsewhere.
    pub fn open_over(&mut self, name: &str) -> io::Result<()> {
        self.begin("over", name, Vec::new(), &[])
    }

    /// Starts a set of variants or a variant.
    pub fn open_block(&mut self, head: &str) -> io::Result<()> {
        self.line(&format!("{head} {{"))?;
        self.depth += 1;
        Ok(())
    }

    /// Starts a prim that references another one, if `reference` names it.
    pub fn open_reference(
        &mut self,
        kind: &str,
        name: &str,
        reference: Option<&str>,
        apis: &[&str],
    ) -> io::Result<()> {
        let metadata = reference.map(|path| format!("prepend references = <{path}>"));
        let metadata = metadata.into_iter().collect();
        self.begin(&format!("def {kind}"), name, metadata, apis)
    }

    /// Starts a class: a prim that others reference and that is not drawn.
    pub fn open_class(&mut self, kind: &str, name: &str) -> io::Result<()> {
        self.begin(&format!("class {kind}"), name, Vec::new(), &[])
    }

    fn begin(
        &mut self,
        specifier: &str,
        name: &str,
        mut metadata: Vec<String>,
        apis: &[&str],
    ) -> io::Result<()> {
        if !apis.is_empty() {
            let apis: Vec<String> = apis.iter().map(|api| quoted(api)).collect();
            metadata.push(format!("prepend apiSchemas = [{}]", apis.join(", ")));
        }
        match metadata.is_empty() {
            true => self.line(&format!("{specifier} \"{name}\""))?,
            false => {
                self.line(&format!("{specifier} \"{name}\" ("))?;
                for entry in metadata {
                    self.line(&format!("    {entry}"))?;
                }
                self.line(")")?;
            }
        }
        self.line("{")?;
        self.depth += 1;
        Ok(())
    }

    /// Ends a prim.
    pub fn close(&mut self) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        self.line("}")
    }

    /// One line.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        for _ in 0..self.depth {
            self.out.write_all(b"    ")?;
        }
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// Writes a line with a list of tuples between `begin` and `end`.
    fn tuples<const N: usize>(
        &mut self,
        begin: &str,
        values: &[[f32; N]],
        end: &str,
    ) -> io::Result<()> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        line.push_str(begin);
        line.push('[');
        for (k, value) in values.iter().enumerate() {
            if k > 0 {
                line.push_str(", ");
            }
            tuple(value, &mut line);
        }
        line.push(']');
        line.push_str(end);
        let result = self.line(&line);
        self.line = line;
        result
    }

    /// Points, of one sample or of all.
    pub fn points(&mut self, begin: &str, points: &[[f32; 3]]) -> io::Result<()> {
        self.tuples(begin, points, sample_end(begin))
    }

    /// The least and the greatest corner of points.
    pub fn extent(&mut self, begin: &str, points: &[[f32; 3]]) -> io::Result<()> {
        let bound = |pick: fn(f32, f32) -> f32, start: f32| {
            let mut bound = [start; 3];
            for point in points {
                for (b, v) in bound.iter_mut().zip(point) {
                    *b = pick(*b, *v);
                }
            }
            bound
        };
        let corners = match points.is_empty() {
            true => [[0.0; 3]; 2],
            false => [
                bound(f32::min, f32::INFINITY),
                bound(f32::max, f32::NEG_INFINITY),
            ],
        };
        self.tuples(begin, &corners, sample_end(begin))
    }

    /// Normals at every corner of every triangle.
    pub fn normals(&mut self, normals: &[[f32; 3]]) -> io::Result<()> {
        self.tuples("normal3f[] normals = ", normals, " (")?;
        self.line("    interpolation = \"faceVarying\"")?;
        self.line(")")
    }

    /// Which vertices make triangles.
    pub fn topology(&mut self, triangles: &[[u32; 3]]) -> io::Result<()> {
        let counts = vec!["3"; triangles.len()].join(", ");
        self.line(&format!("int[] faceVertexCounts = [{counts}]"))?;
        let corners = triangles.as_flattened().iter().map(u32::to_string);
        let corners = corners.collect::<Vec<_>>().join(", ");
        self.line(&format!("int[] faceVertexIndices = [{corners}]"))
    }

    /// A display colour for programs without materials.
    pub fn color(&mut self, color: [f32; 3], opacity: f32) -> io::Result<()> {
        let begin = "color3f[] primvars:displayColor = ";
        self.tuples(begin, &[color.map(linear)], "")?;
        if opacity < 1.0 {
            self.line(&format!("float[] primvars:displayOpacity = [{opacity}]"))?;
        }
        Ok(())
    }

    /// The first value as the default, and values at times unless it never changes.
    /// Programs that simulate start from the default.
    pub fn samples<const N: usize>(
        &mut self,
        attribute: &str,
        times: &[(f64, usize)],
        values: &[[f32; N]],
    ) -> io::Result<()> {
        let Some(first) = values.first() else {
            return Ok(());
        };
        let mut text = vector(first);
        self.line(&format!("{attribute} = {text}"))?;
        if values.iter().all(|value| value == first) {
            return Ok(());
        }
        self.line(&format!("{attribute}.timeSamples = {{"))?;
        for ((code, _), value) in times.iter().zip(values) {
            text.clear();
            tuple(value, &mut text);
            self.line(&format!("    {code}: {text},"))?;
        }
        self.line("}")
    }
}

/// Samples end with a comma, attributes with nothing.
fn sample_end(begin: &str) -> &'static str {
    if begin.ends_with(": ") { "," } else { "" }
}

fn tuple<const N: usize>(values: &[f32; N], out: &mut String) {
    for (k, value) in values.iter().enumerate() {
        out.push_str(if k == 0 { "(" } else { ", " });
        number(*value, out);
    }
    out.push(')');
}

/// A tuple of numbers.
pub(super) fn vector<const N: usize>(values: &[f32; N]) -> String {
    let mut out = String::new();
    tuple(values, &mut out);
    out
}

/// A number in single precision; those that do not fit become the largest that do.
pub(super) fn float(v: f64) -> String {
    let mut out = String::new();
    number((v as f32).clamp(f32::MIN, f32::MAX), &mut out);
    out
}

/// The shortest digits that give the same f32 back.
fn number(v: f32, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match v.abs() {
        0.0 => write!(out, "0"),
        1e-4..1e9 => write!(out, "{v}"),
        _ => write!(out, "{v:e}"),
    };
}

/// A text in quotes, with its control characters escaped.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in escape_control_characters(text).chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_come_back() {
        for v in [
            0.0,
            -0.0,
            1.0,
            0.1,
            -2.5e-7,
            3.4e38,
            1e-45,
            16_777_216.0,
            1.0 / 3.0,
        ] {
            let mut text = String::new();
            number(v, &mut text);
            assert_eq!(text.parse::<f32>().unwrap(), v, "{text}");
            assert!(text.len() < 16, "{text}");
        }
    }

    #[test]
    fn texts_cannot_break_out_of_their_quotes() {
        assert_eq!(quoted("a \"b\" \\ \n c"), r#""a \"b\" \\ \\n c""#);
        assert_eq!(quoted("\u{1b}[2J\u{9b}"), r#""\\u{1b}[2J\\u{9b}""#);
    }
}
