//! Changes to a scene from the command line: `--set body.ball.mass=3`.
//!
//! A path goes down by key (`time.step`), in lists by index (`body[1]`) or by
//! the `name` of an element (`body.ball`). The value is TOML; anything else is a
//! string, so that `--set time.integrator=euler` needs no quotes.

use super::diagnostic::{Diagnostic, nearest};
use super::parse_toml;
use super::tree::{Span, TreeKey, TreeNode, TreeValue, not_finite};

/// One step of a path.
struct Step {
    name: String,
    /// Written in brackets, so an index.
    bracketed: bool,
    span: Span,
}

/// Applies one `path=value`, which is the whole text of its source.
pub fn apply(root: &mut TreeNode, argument: &str, source: usize) -> Result<(), Diagnostic> {
    let whole = Span {
        source,
        start: 0,
        end: argument.len(),
    };
    let (path, value_start) = parse_path(argument, source).map_err(|diagnostic| Diagnostic {
        span: diagnostic.span.or(Some(whole)),
        ..diagnostic
    })?;
    let text = &argument[value_start..];
    let value = parse_value(text, source, value_start)?;
    replace(root, &path, value)
}

fn parse_value(text: &str, source: usize, offset: usize) -> Result<TreeNode, Diagnostic> {
    let trimmed = text.trim();
    let offset = offset + (text.len() - text.trim_start().len());
    let span = Span {
        source,
        start: offset,
        end: offset + trimmed.len(),
    };
    if trimmed.is_empty() {
        return Err(Diagnostic::new("there is no value after `=`")
            .help("for an empty string write `key=\"\"`")
            .span(span));
    }
    // NaN and infinity in any spelling are numbers, although `NaN` is not TOML.
    if trimmed.parse().is_ok_and(|number: f64| !number.is_finite()) {
        return Err(not_finite(trimmed, span));
    }
    match parse_toml::parse_value(trimmed, source, offset) {
        Ok(node) => Ok(node),
        // A text that begins like a list, a table or a string is meant as one.
        Err(mut diagnostics) if trimmed.starts_with(['[', '{', '"', '\'']) => {
            Err(diagnostics.swap_remove(0))
        }
        Err(_) => Ok(TreeNode {
            value: TreeValue::String(trimmed.to_owned()),
            span,
        }),
    }
}

/// The steps of the path, and where the value begins.
fn parse_path(argument: &str, source: usize) -> Result<(Vec<Step>, usize), Diagnostic> {
    let usage = "write it as `path=value`, for example `--set time.step=0.001`";
    let mut steps = Vec::new();
    let mut rest = argument;
    loop {
        let at = argument.len() - rest.len();
        let span = |length: usize| Span {
            source,
            start: at,
            end: at + length,
        };
        let first = rest.chars().next();
        let (name, length, bracketed) = match first {
            Some('[') => {
                let length = rest.find(']').ok_or_else(|| {
                    Diagnostic::new("the bracket is not closed").span(span(rest.len()))
                })?;
                (rest[1..length].trim(), length + 1, true)
            }
            Some(quote @ ('"' | '\'')) => {
                let length = rest[1..].find(quote).ok_or_else(|| {
                    Diagnostic::new("the quote is not closed").span(span(rest.len()))
                })?;
                (&rest[1..=length], length + 2, false)
            }
            _ => {
                let length = rest.find(['.', '[', '=']).unwrap_or(rest.len());
                (rest[..length].trim(), length, false)
            }
        };
        if name.is_empty() {
            let message = if steps.is_empty() {
                "there is no path before `=`"
            } else {
                "a step of the path is empty"
            };
            return Err(Diagnostic::new(message).help(usage).span(span(length)));
        }
        if bracketed && name.parse::<usize>().is_err() {
            return Err(Diagnostic::new(format!("`[{name}]` is not an index"))
                .help("give a number counted from 0, or the element's name: `body.ball`")
                .span(span(length)));
        }
        steps.push(Step {
            name: name.to_owned(),
            bracketed,
            span: span(length),
        });
        rest = rest[length..].trim_start();
        match rest.chars().next() {
            Some('=') => return Ok((steps, argument.len() - rest.len() + 1)),
            Some('.') => rest = rest[1..].trim_start(),
            Some('[') => {}
            Some(_) => {
                return Err(Diagnostic::new("this path cannot be read").help(usage));
            }
            None => return Err(Diagnostic::new("there is no `=`").help(usage)),
        }
    }
}

/// Replaces the value at the end of a path and creates missing tables.
fn replace(root: &mut TreeNode, path: &[Step], value: TreeNode) -> Result<(), Diagnostic> {
    let mut here = root;
    let mut walked = String::new();
    for step in path {
        let whole = match walked.as_str() {
            "" => "the scene",
            walked => walked,
        };
        here = match &mut here.value {
            TreeValue::Table(entries) if !step.bracketed => child(entries, step),
            TreeValue::Array(elements) => {
                let index = find_element(elements, step, whole)?;
                &mut elements[index]
            }
            TreeValue::Table(_) => {
                return Err(Diagnostic::new(format!(
                    "`{whole}` is a table and has no element [{}]",
                    step.name
                ))
                .help("name one of its keys instead")
                .span(step.span));
            }
            _ => {
                return Err(Diagnostic::new(format!(
                    "`{whole}` is a single value and has no `{}`",
                    step.name
                ))
                .help(format!("set the value itself: `--set {whole}=…`"))
                .span(step.span));
            }
        };
        if step.bracketed {
            walked.push_str(&format!("[{}]", step.name));
        } else {
            if !walked.is_empty() {
                walked.push('.');
            }
            walked.push_str(&step.name);
        }
    }
    *here = value;
    Ok(())
}

/// The value of a key; an empty table if the key is new, with the place of the argument.
fn child<'a>(entries: &'a mut Vec<(TreeKey, TreeNode)>, step: &Step) -> &'a mut TreeNode {
    let index = match entries.iter().position(|(key, _)| key.name == step.name) {
        Some(index) => index,
        None => {
            entries.push((
                TreeKey {
                    name: step.name.clone(),
                    span: step.span,
                },
                TreeNode {
                    value: TreeValue::Table(Vec::new()),
                    span: step.span,
                },
            ));
            entries.len() - 1
        }
    };
    &mut entries[index].1
}

/// The index of the element that a step names; always within the list.
fn find_element(elements: &[TreeNode], step: &Step, list: &str) -> Result<usize, Diagnostic> {
    let name_of = |node: &TreeNode| {
        node.get("name")
            .and_then(TreeNode::as_str)
            .map(str::to_owned)
    };
    if !step.bracketed {
        let named = |node: &TreeNode| name_of(node).as_deref() == Some(&step.name);
        if let Some(index) = elements.iter().position(named) {
            return Ok(index);
        }
    }
    if let Ok(index) = step.name.parse::<usize>() {
        return if index < elements.len() {
            Ok(index)
        } else {
            Err(out_of_range(index, elements.len(), step, list))
        };
    }
    let names: Vec<String> = elements.iter().filter_map(name_of).collect();
    let diagnostic = Diagnostic::new(format!("`{list}` has no element named `{}`", step.name));
    let diagnostic = match nearest(&step.name, names.iter().map(String::as_str)) {
        Some(near) => diagnostic.help(format!("did you mean `{list}.{near}`?")),
        None if names.is_empty() => diagnostic.help(format!(
            "its elements have no names; use an index: `{list}[0]`"
        )),
        None => diagnostic.help(format!("its first element is `{list}.{}`", names[0])),
    };
    Err(diagnostic.span(step.span))
}

fn out_of_range(index: usize, length: usize, step: &Step, list: &str) -> Diagnostic {
    let help = match length {
        0 => format!("`{list}` is empty"),
        1 => "its only element is [0]".to_owned(),
        _ => format!("its elements are [0] to [{}]", length - 1),
    };
    Diagnostic::new(format!("`{list}` has no element [{index}]"))
        .help(help)
        .span(step.span)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "title = 'x'\n[[body]]\nname = 'ball-1'\nmass = 1\n[[body]]\nname = 'ball-2'\nposition = [1, 2, 3]\n";

    fn set(argument: &str) -> Result<serde_json::Value, Diagnostic> {
        let mut tree = parse_toml::parse(SCENE, 0).unwrap();
        apply(&mut tree, argument, 1).map(|()| tree.to_json())
    }

    fn diagnostic(argument: &str) -> (String, &str) {
        let diagnostic = set(argument).unwrap_err();
        let span = diagnostic.span.unwrap();
        assert_eq!(span.source, 1);
        (
            diagnostic.message + " " + &diagnostic.help.unwrap_or_default(),
            &argument[span.start..span.end],
        )
    }

    #[test]
    fn keys_elements_and_names_lead_to_the_value() {
        assert_eq!(set("body.ball-2.mass=3").unwrap()["body"][1]["mass"], 3);
        assert_eq!(set("body[0].mass = 3.5").unwrap()["body"][0]["mass"], 3.5);
        assert_eq!(set("body.1.mass=3").unwrap()["body"][1]["mass"], 3);
        assert_eq!(
            set("body[1].position[2]=9").unwrap()["body"][1]["position"][2],
            9
        );
        assert_eq!(set("body.'ball-1'.mass=3").unwrap()["body"][0]["mass"], 3);
        assert_eq!(set("title=a=b").unwrap()["title"], "a=b");
    }

    #[test]
    fn missing_tables_are_made() {
        assert_eq!(set("time.step=0.001").unwrap()["time"]["step"], 0.001);
        let shape = &set("body[0].shape.sphere.radius=2").unwrap()["body"][0]["shape"];
        assert_eq!(shape["sphere"]["radius"], 2);
    }

    #[test]
    fn a_value_that_is_not_toml_is_a_string() {
        assert_eq!(
            set("time.integrator=euler").unwrap()["time"]["integrator"],
            "euler"
        );
        assert_eq!(set("title=\"3\"").unwrap()["title"], "3");
        assert_eq!(set("gravity=[0, 0, -1]").unwrap()["gravity"][2], -1);
    }

    #[test]
    fn new_values_have_their_place_in_the_argument() {
        let argument = "body[0].mass= [1, 'π']";
        let mut tree = parse_toml::parse(SCENE, 0).unwrap();
        apply(&mut tree, argument, 1).unwrap();
        let span = tree.nearest_span("body[0].mass[1]");
        assert_eq!((span.source, &argument[span.start..span.end]), (1, "'π'"));
    }

    #[test]
    fn wrong_arguments_are_explained() {
        for (argument, place, words) in [
            ("title", "title", "no `=`"),
            ("=3", "", "no path"),
            ("", "", "no path"),
            ("a..b=3", "", "empty"),
            ("title=", "", "no value"),
            ("body[2].mass=3", "[2]", "[0] to [1]"),
            ("body[x].mass=3", "[x]", "not an index"),
            ("body[1=3", "[1=3", "not closed"),
            ("body.ball2.mass=3", "ball2", "did you mean `body.ball-2`?"),
            ("title.x=3", "x", "single value"),
            ("time=nan", "nan", "finite"),
            ("gravity=[1, inf, 2]", "inf", "finite"),
            ("gravity=[1, 2", "", "array"),
        ] {
            let (message, shown) = diagnostic(argument);
            assert!(message.contains(words), "{argument}: {message}");
            assert_eq!(shown, place, "{argument}: {message}");
        }
    }
}
