//! No text, however broken, brings the scene reader down: it answers with a
//! scene or with an error that can be shown.

use conatus_world::scene::{Files, Options, Scene, Source, library, template};
use proptest::prelude::*;

/// The texts that are broken: built-in scenes, the template, and both as JSON.
fn originals() -> Vec<(&'static str, String)> {
    let mut texts: Vec<(&str, String)> = library::SCENES
        .iter()
        .map(|scene| ("scene.toml", scene.text.to_owned()))
        .collect();
    texts.push(("scene.toml", template::RIGID.to_owned()));
    let as_json = |text: &str| {
        let tree = conatus_world::scene::parse_toml::parse(text, 0).unwrap();
        serde_json::to_string_pretty(&tree.to_json()).unwrap()
    };
    let json: Vec<_> = texts
        .iter()
        .map(|(_, text)| ("scene.json", as_json(text)))
        .collect();
    texts.extend(json);
    texts
}

/// One way to break a text; the numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Break {
    SetByte(usize, u8),
    InsertToken(usize, usize),
    Remove(usize, usize),
    Repeat(usize, usize),
    Truncate(usize),
    SwapTokens(usize, usize),
}

const TOKENS: &[&str] = &[
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ",",
    ".",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "#",
    "\n",
    "\\",
    "nan",
    "-inf",
    "1e999",
    "-0",
    "0x",
    "1979-05-27",
    "true",
    "null",
    ":",
    "\u{feff}",
    "\u{0}",
    "é",
    "\r",
    "body",
    "[body]",
    "[[body]]",
    "[body.shape]",
    "[[body.shape]]",
    "[time.step]",
    "a.a.a.a=1",
    "99999999999999999999",
    "1e-400",
    "--",
    "_1",
    "\\u",
];

fn breaks() -> impl Strategy<Value = Vec<Break>> {
    let one = prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Break::SetByte(at, byte)),
        (any::<usize>(), any::<usize>()).prop_map(|(at, token)| Break::InsertToken(at, token)),
        (any::<usize>(), 1..40_usize).prop_map(|(at, length)| Break::Remove(at, length)),
        (any::<usize>(), 1..200_usize).prop_map(|(at, length)| Break::Repeat(at, length)),
        any::<usize>().prop_map(Break::Truncate),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Break::SwapTokens(a, b)),
    ];
    prop::collection::vec(one, 1..6)
}

fn broken(text: &str, breaks: &[Break]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for step in breaks {
        let length = bytes.len().max(1);
        let range = |at: usize, size: usize, bytes: &[u8]| {
            let start = (at % length).min(bytes.len());
            start..(start + size).min(bytes.len())
        };
        match *step {
            Break::SetByte(at, byte) => {
                if let Some(place) = bytes.get_mut(at % length) {
                    *place = byte;
                }
            }
            Break::InsertToken(at, token) => {
                let at = range(at, 0, &bytes);
                bytes.splice(at, TOKENS[token % TOKENS.len()].bytes());
            }
            Break::Remove(at, size) => {
                bytes.drain(range(at, size, &bytes));
            }
            Break::Repeat(at, size) => {
                let copy = bytes[range(at, size, &bytes)].to_vec();
                bytes.splice(range(at, 0, &bytes), copy);
            }
            Break::Truncate(at) => bytes.truncate(at % length),
            Break::SwapTokens(a, b) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let mut tokens: Vec<&str> = text.split_inclusive([' ', '\n', ',']).collect();
                let count = tokens.len();
                if count > 0 {
                    tokens.swap(a % count, b % count);
                }
                bytes = tokens.concat().into_bytes();
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn load(name: &str, text: &str, sets: Vec<String>) {
    let options = Options {
        sets,
        ..Options::default()
    };
    let files = Files::in_memory([]);
    if let Err(error) = Scene::parse("broken", Source::new(name, text), files, &options) {
        assert!(!error.problems().is_empty());
        for problem in error.problems() {
            assert!(!problem.message.is_empty());
            assert!(
                error.place(problem).is_some(),
                "no place for {:?}",
                problem.message
            );
        }
        assert!(!error.to_string().is_empty());
    }
}

/// Numbers that tempt arithmetic: zeros, limits, what overflows when squared.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "1e308",
    "-1e308",
    "1e-308",
    "5e-324",
    "1e155",
    "1e-155",
    "0.5",
    "1e16",
    "9007199254740993",
    "9223372036854775807",
    "-0.0",
    "1e30",
    "3",
];

/// The text with some of its numbers replaced.
fn with_wild_numbers(text: &str, wild: &[(usize, usize)]) -> String {
    let mut tokens: Vec<String> = text
        .split_inclusive([' ', '\n', ',', ']', '}'])
        .map(str::to_owned)
        .collect();
    let numbers: Vec<usize> = (0..tokens.len())
        .filter(|&i| {
            let token = tokens[i].trim_end_matches([' ', '\n', ',', ']', '}']);
            token.trim_start_matches('[').parse::<f64>().is_ok()
        })
        .collect();
    for &(which, value) in wild {
        if numbers.is_empty() {
            break;
        }
        let token = &mut tokens[numbers[which % numbers.len()]];
        let open = token.len() - token.trim_start_matches('[').len();
        let digits = token.trim_end_matches([' ', '\n', ',', ']', '}']).len();
        token.replace_range(open.min(digits)..digits, NUMBERS[value % NUMBERS.len()]);
    }
    tokens.concat()
}

/// Loads, builds and runs a few steps; whatever comes out is finite.
fn load_build_and_run(text: &str, mesh: &str) {
    let files = Files::in_memory([("meshes/boat.obj".to_owned(), mesh.to_owned())]);
    let source = Source::new("scene.toml", text);
    let Ok(mut scene) = Scene::parse("wild", source, files, &Options::default()) else {
        return;
    };
    let copies = |b: &conatus_world::scene::model::Body| {
        b.array.as_ref().map_or(1, |a| {
            a.count.iter().fold(1, |n: u64, c| n.saturating_mul(*c))
        })
    };
    if scene
        .file
        .body
        .iter()
        .map(copies)
        .fold(0, u64::saturating_add)
        > 1500
    {
        return;
    }
    match scene.build() {
        Ok(mut setup) => {
            for _ in 0..3 {
                setup.world.step();
                for body in setup.world.frame().bodies {
                    assert!(body.position.is_finite() && body.velocity.is_finite());
                }
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn wild_numbers_are_refused_or_run_without_panic(
        which in any::<usize>(),
        wild in prop::collection::vec((any::<usize>(), any::<usize>()), 1..5),
    ) {
        // Rigid scenes: full-size cloth with wild numbers takes minutes.
        let names = library::list();
        let rigid: Vec<_> = names.iter().filter(|scene| scene.family == "rigid").collect();
        let scene = library::find(rigid[which % rigid.len()].name).unwrap();
        let text = with_wild_numbers(scene.text, &wild);
        load_build_and_run(&text, library::mesh("boat.obj").unwrap());
    }

    #[test]
    fn a_broken_mesh_is_refused_or_floats(breaks in breaks()) {
        let mesh = broken(library::mesh("boat.obj").unwrap(), &breaks);
        load_build_and_run(library::find("water").unwrap().text, &mesh);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_broken_scene_never_panics(which in any::<usize>(), breaks in breaks()) {
        let originals = originals();
        let (name, text) = &originals[which % originals.len()];
        load(name, &broken(text, &breaks), Vec::new());
    }

    #[test]
    fn a_heap_of_tokens_never_panics(
        tokens in prop::collection::vec(0..TOKENS.len(), 0..60),
        json in any::<bool>(),
    ) {
        let text: String = tokens.iter().map(|&token| TOKENS[token]).collect();
        load(if json { "scene.json" } else { "scene.toml" }, &text, Vec::new());
    }

    #[test]
    fn any_set_argument_never_panics(
        argument in "(body|time|spring|command|\\[|\\]|[0-9]|\\.|=|mass|'|\"|ball-1|é| |nan|\\{|\\}){0,12}",
    ) {
        load("scene.toml", library::find("cylon").unwrap().text, vec![argument]);
    }
}
