//! One name, one meaning: a public type's name is unique in the workspace, so
//! that a search for it finds one type.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Names that several crates share, each with the reason.
const ALLOWED: &[(&str, &str)] = &[];

/// The keywords that define a type or trait.
const KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "type", "union"];

/// The public type that a line defines, if it does.
fn public_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let (keyword, rest) = rest.split_once(' ')?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &rest[..end.unwrap_or(rest.len())];
    (KEYWORDS.contains(&keyword) && !name.is_empty()).then_some(name)
}

/// Adds the public types in a folder of sources.
fn collect(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            names.extend(text.lines().filter_map(public_type).map(str::to_owned));
        }
    }
}

#[test]
fn no_two_crates_have_a_public_type_of_the_same_name() {
    let mut crates_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in fs::read_dir(crate::root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.join("src").is_dir() {
            continue;
        }
        let mut names = BTreeSet::new();
        collect(&folder.join("src"), &mut names);
        let crate_name = folder.file_name().unwrap().to_string_lossy();
        for name in names {
            let crates = crates_of.entry(name).or_default();
            crates.push(crate_name.clone().into_owned());
        }
    }
    assert!(crates_of.len() > 100, "the scan finds types");
    let allowed = |name: &str| ALLOWED.iter().any(|(allowed, _)| *allowed == name);
    let repeated: Vec<String> = crates_of
        .iter()
        .filter(|(name, crates)| crates.len() > 1 && !allowed(name))
        .map(|(name, crates)| format!("{name}: {}", crates.join(", ")))
        .collect();
    assert!(repeated.is_empty(), "{}", repeated.join("\n"));
    for (name, _) in ALLOWED {
        let crates = crates_of.get(*name).map_or(0, Vec::len);
        assert!(crates > 1, "{name} is unique now: remove it from the list");
    }
}

#[test]
fn definitions_of_public_types_are_recognised() {
    assert_eq!(public_type("pub struct Body<T> {"), Some("Body"));
    assert_eq!(public_type("    pub enum Shape {"), Some("Shape"));
    assert_eq!(public_type("pub unsafe trait Raw {}"), Some("Raw"));
    assert_eq!(public_type("pub type Pair = (f64, f64);"), Some("Pair"));
    assert_eq!(public_type("pub struct Unit;"), Some("Unit"));
    assert_eq!(public_type("pub(crate) struct Hidden;"), None);
    assert_eq!(public_type("pub fn shape() {}"), None);
    assert_eq!(public_type("// pub struct Commented;"), None);
}
