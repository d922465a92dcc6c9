//! Every numbered equation of the documents has a row in docs/equations.md, a
//! tag in the code and a test; every erratum of docs/errata.md has a test.

use crate::support::catalogue::{Document, Place, equation_list, errata, items, rows, tags};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The tags of the item at `place`; an error if there is no such item.
fn tags_at(place: &Place) -> Result<BTreeSet<(Document, u32)>, String> {
    let Place { path, item } = place;
    let source =
        fs::read_to_string(root().join(path)).map_err(|_| format!("there is no file {path}"))?;
    let found = items(&source, item);
    if found.is_empty() {
        return Err(format!("there is no {item} in {path}"));
    }
    Ok(found.iter().flat_map(|text| tags(text)).collect())
}

/// Whether `place` is a function with the attribute `#[test]`, in a plain file
/// or within `proptest!`.
fn is_test(place: &Place) -> bool {
    fs::read_to_string(root().join(&place.path)).is_ok_and(|source| {
        items(&source, &place.item)
            .iter()
            .any(|text| text.contains("#[test]") && text.contains(&format!("fn {}", place.item)))
    })
}

/// Errors of the places of one cell: each must exist and carry at least one of
/// `equations`; together they must carry them all.
fn faults(document: Document, equations: &[u32], places: &[Place], faults: &mut Vec<String>) {
    let mut covered = BTreeSet::new();
    for place in places {
        match tags_at(place) {
            Err(what) => faults.push(what),
            Ok(_) if equations.is_empty() => {}
            Ok(tags) => {
                let here: Vec<u32> = equations
                    .iter()
                    .copied()
                    .filter(|&n| tags.contains(&(document, n)))
                    .collect();
                if here.is_empty() {
                    let name = document.name();
                    faults.push(format!("{place:?} has no tag {name} {equations:?}"));
                }
                covered.extend(here);
            }
        }
    }
    for n in equations.iter().filter(|n| !covered.contains(n)) {
        faults.push(format!("{} ({n}) is not among {places:?}", document.name()));
    }
}

/// The error of a place that should name a section of a document, as in `Harmon
/// §4`, or an algorithm.
fn not_about(place: &Place, document: Document, section: &str) -> Option<String> {
    let source = fs::read_to_string(root().join(&place.path)).unwrap_or_default();
    let tag = match section.starts_with('§') {
        true => format!("{} {section}", document.name()),
        false => section.to_owned(),
    };
    let named = |text: &String| {
        let lines = text
            .lines()
            .map(|l| l.trim().trim_start_matches(['/', '!']));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        words.join(" ").contains(&tag)
    };
    let found = items(&source, &place.item);
    (!found.iter().any(named)).then(|| format!("{place:?} does not say {tag}"))
}

#[test]
fn every_equation_has_a_row_a_tag_in_the_code_and_a_test() {
    let rows = rows(&read("docs/equations.md")).expect("docs/equations.md is readable");
    let mut wrong = Vec::new();
    for document in Document::ALL {
        let listed: Vec<u32> = rows
            .iter()
            .filter(|r| r.document == document)
            .flat_map(|r| r.equations.clone())
            .collect();
        let all: Vec<u32> = (1..=document.last()).collect();
        assert_eq!(
            listed,
            all,
            "rows of {}, each once, in order",
            document.name()
        );
    }
    for row in &rows {
        if !row.section.is_empty() {
            let places = row.code.iter().chain(&row.tests);
            wrong.extend(places.filter_map(|p| not_about(p, row.document, &row.section)));
        }
        faults(row.document, &row.equations, &row.code, &mut wrong);
        faults(row.document, &row.equations, &row.tests, &mut wrong);
        let no_tests = row.tests.iter().filter(|t| !is_test(t));
        wrong.extend(no_tests.map(|t| format!("{t:?} is not a test")));
        let in_tests = row.code.iter().filter(|c| !c.path.contains("/src/"));
        wrong.extend(in_tests.map(|c| format!("{c:?} is not part of the program")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_erratum_names_a_test_and_every_test_of_errata_is_named() {
    let entries = errata(&read("docs/errata.md")).expect("docs/errata.md is readable");
    let mut named = BTreeSet::new();
    for entry in &entries {
        assert!(!entry.tests.is_empty(), "{} has no test", entry.title);
        for test in &entry.tests {
            assert!(is_test(test), "{}: {test:?} is not a test", entry.title);
            named.insert((test.path.clone(), test.item.clone()));
        }
    }
    for path in [
        "crates/rigid/tests/it/errata_chaney.rs",
        "crates/rigid/tests/it/errata_di_pierro.rs",
        "crates/rigid/tests/it/errata_cylon.rs",
        "crates/cloth/src/response/tests/errata_harmon.rs",
        "crates/motion/tests/it/errata_mordatch.rs",
        "crates/motion/tests/it/choices_mordatch.rs",
    ] {
        let tests = test_names(&read(path));
        assert!(tests.len() > 3, "{path} has only {} tests", tests.len());
        for test in tests {
            let place = (path.to_owned(), test);
            assert!(named.contains(&place), "no erratum names {place:?}");
        }
    }
}

#[test]
fn no_tag_names_an_equation_that_does_not_exist() {
    for folder in [
        "crates/rigid",
        "crates/math",
        "crates/cloth",
        "crates/motion",
    ] {
        for path in rust_files(&root().join(folder)) {
            if path.ends_with("documents.rs") {
                continue;
            }
            let source = fs::read_to_string(&path).expect("a file that was just listed");
            for (document, n) in tags(&source) {
                let known = (1..=document.last()).contains(&n);
                assert!(known, "{}: {} ({n})", path.display(), document.name());
            }
        }
    }
}

/// The names of the functions marked as tests.
fn test_names(source: &str) -> Vec<String> {
    let mut marked = false;
    let mut names = Vec::new();
    for line in source.lines().map(str::trim) {
        if line == "#[test]" {
            marked = true;
        } else if let (true, Some(rest)) = (marked, line.strip_prefix("fn ")) {
            names.extend(rest.split(['(', '<']).next().map(str::to_owned));
            marked = false;
        }
    }
    names
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)
        .expect("a folder of the project")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

const SAMPLE: &str = "\
/// Turns things, Chaney (8) and (30); Di
/// Pierro (56).
#[inline]
pub fn turn(x: f64) -> f64 {
    // Di Pierro (12), (16), (48)-(49), as it happens (7).
    x
}

pub struct Thing {
    /// Chaney (11).
    pub turning: f64,
}

/// Chaney (18)-(20).
#[test]
fn a_fact() {}
";

#[test]
fn tags_are_read_across_lines_lists_and_ranges() {
    let of = |document| -> Vec<u32> {
        tags(SAMPLE)
            .into_iter()
            .filter(|t| t.0 == document)
            .map(|t| t.1)
            .collect()
    };
    assert_eq!(of(Document::Chaney), [8, 11, 18, 19, 20, 30]);
    assert_eq!(of(Document::DiPierro), [12, 16, 48, 49, 56]);
    assert!(tags("Chaney §8.2 and Di Pierro's (4)").is_empty());
}

#[test]
fn an_equation_list_ends_where_the_numbers_do() {
    assert_eq!(
        equation_list("(1)-(3), (7) and (9) x"),
        (vec![1, 2, 3, 7, 9], " x")
    );
    assert_eq!(equation_list("(5), which"), (vec![5], ", which"));
    assert_eq!(equation_list("5"), (vec![], "5"));
}

#[test]
fn an_item_is_found_with_its_comments_and_its_body_and_nothing_else() {
    let turn = items(SAMPLE, "Somewhere::turn");
    assert_eq!(turn.len(), 1);
    assert!(turn[0].starts_with("/// Turns") && turn[0].ends_with('}'));
    assert!(!turn[0].contains("Thing"));
    assert_eq!(tags(&items(SAMPLE, "Thing.turning")[0]).len(), 1);
    assert!(items(SAMPLE, "tur").is_empty());
    assert_eq!(test_names(SAMPLE), ["a_fact"]);
}

#[test]
fn a_row_that_is_not_four_readable_cells_is_refused() {
    let good = "## Chaney\n| (1)-(2) | says | `a.rs`: `f`; `b.rs`: `g` | `t.rs`: `h` |\n";
    let read = rows(good).expect("a good row");
    assert_eq!(read[0].equations, [1, 2]);
    assert_eq!(read[0].code[1].path, "b.rs");
    assert_eq!(read[0].tests[0].item, "h");
    let good = "## Harmon\n| §4 Δq̇ | says | `a.rs`: `f` | `t.rs`: `h` |\n\
                | Algorithm 1 | says | `a.rs`: `f` | `t.rs`: `h` |\n";
    let sections = rows(good).expect("rows without numbers");
    let sections: Vec<&str> = sections.iter().map(|r| r.section.as_str()).collect();
    assert_eq!(sections, ["§4", "Algorithm 1"]);
    for bad in [
        "| (1) | no heading | a.rs: f | t.rs: h |",
        "## Chaney\n| (1) | three cells | a.rs: f |",
        "## Chaney\n| (1) to 3 | says | a.rs: f | t.rs: h |",
        "## Chaney\n| (1) | says | nothing | t.rs: h |",
        "## Chaney\n| §2 | says | nothing | t.rs: h |",
    ] {
        assert!(rows(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_missing_item_or_tag_is_a_fault() {
    let at = |item: &str| Place {
        path: "crates/rigid/src/mass.rs".into(),
        item: item.into(),
    };
    let check = |equations: &[u32], places: &[Place]| {
        let mut found = Vec::new();
        faults(Document::Chaney, equations, places, &mut found);
        found.len()
    };
    assert_eq!(check(&[1, 4], &[at("from_particles")]), 0);
    assert!(check(&[1, 5], &[at("from_particles")]) > 0);
    assert!(check(&[1], &[at("from_nowhere")]) > 0);
    assert!(check(&[1], &[at("from_particles"), at("combine")]) > 0);
    let section = |section| not_about(&at("from_particles"), Document::Harmon, section);
    assert!(section("§2").is_some());
}
