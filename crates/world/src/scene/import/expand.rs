//! Adds the robots of `[[import]]` to the tree of a scene, before `--set` and before
//! anything is checked, so that they are like bodies of the scene's own text.

use super::import;
use crate::scene::de;
use crate::scene::diagnostic::{Diagnostic, SourceText};
use crate::scene::files::Files;
use crate::scene::model::{ImportSpec, SceneFile};
use crate::scene::parse_toml;
use crate::scene::tree::{Span, TreeKey, TreeNode, TreeValue};

/// Adds all robots. Returns a warning for each that is not complete. On failure `sources`
/// has the texts that the errors point into.
pub fn expand(
    tree: &mut TreeNode,
    files: &Files,
    sources: &mut Vec<SourceText>,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let Some(list) = tree.get("import") else {
        return Ok(Vec::new());
    };
    let specs: Vec<ImportSpec> = de::from_node(list).map_err(|wrong| vec![wrong])?;
    let spans: Vec<Span> = (0..specs.len())
        .map(|k| tree.nearest_span(&format!("import[{k}]")))
        .collect();
    let mut warnings = Vec::new();
    for (k, spec) in specs.iter().enumerate() {
        let at = tree.nearest_span(&format!("import[{k}].file"));
        if spec.file.is_empty() {
            return Err(vec![
                Diagnostic::new("the import names no file")
                    .help("add `file = \"robot.urdf\"`")
                    .span(spans[k]),
            ]);
        }
        let source = files
            .read(&spec.file)
            .map_err(|wrong| vec![wrong.span(at)])?;
        let imported = import(&source, spec, files, false).map_err(|error| {
            let first = sources.len();
            sources.extend(error.sources().iter().cloned());
            let moved = error.diagnostics().iter().cloned().map(|mut d| {
                match &mut d.span {
                    Some(span) => span.source += first,
                    None => d.span = Some(at),
                }
                d
            });
            moved.collect::<Vec<_>>()
        })?;
        if !imported.notes.is_empty() {
            let count = imported.notes.len();
            let what = crate::text::counted(count, "thing", "things");
            warnings.push(
                Diagnostic::new(format!("{what} of {} left out or changed", spec.file))
                    .help(format!("`conatus import {}` lists them", spec.file))
                    .span(spans[k]),
            );
        }
        add(tree, imported.file, spans[k])?;
    }
    Ok(warnings)
}

/// Appends the lists of a scene to those of a tree.
fn add(tree: &mut TreeNode, file: SceneFile, span: Span) -> Result<(), Vec<Diagnostic>> {
    let only = SceneFile {
        body: file.body,
        joint: file.joint,
        plane: file.plane,
        exclude: file.exclude,
        ..SceneFile::default()
    };
    let text = only.to_toml().map_err(|error| {
        vec![Diagnostic::new(format!("the robot cannot be written as TOML: {error}")).span(span)]
    })?;
    let mut added = parse_toml::parse(&text, 0)?;
    place(&mut added, span);
    let (TreeValue::Table(entries), TreeValue::Table(added)) = (&mut tree.value, added.value)
    else {
        return Ok(());
    };
    for (key, node) in added {
        let TreeValue::Array(more) = node.value else {
            continue;
        };
        let known = entries.iter_mut().find(|(k, _)| k.name == key.name);
        match known {
            Some((_, list)) => {
                if let TreeValue::Array(list) = &mut list.value {
                    list.extend(more);
                }
            }
            None => entries.push((
                TreeKey {
                    name: key.name,
                    span,
                },
                TreeNode {
                    value: TreeValue::Array(more),
                    span,
                },
            )),
        }
    }
    Ok(())
}

/// Gives all values the place of the import.
fn place(node: &mut TreeNode, span: Span) {
    node.span = span;
    match &mut node.value {
        TreeValue::Array(elements) => elements.iter_mut().for_each(|n| place(n, span)),
        TreeValue::Table(entries) => {
            for (key, value) in entries {
                key.span = span;
                place(value, span);
            }
        }
        _ => {}
    }
}
