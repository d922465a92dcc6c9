//! No text, however broken, brings the scene reader down: it answers with a
//! scene or with an error that can be shown.

use conatus_world::scene::{Files, Options, Scene, Source, library, template};
use proptest::prelude::*;

/// The texts that are broken: built-in scenes, the templates, and all as JSON.
fn originals() -> Vec<(&'static str, String)> {
    let mut texts: Vec<(&str, String)> = library::SCENES
        .iter()
        .map(|scene| ("scene.toml", scene.text.to_owned()))
        .collect();
    texts.push(("scene.toml", template::RIGID.to_owned()));
    texts.push(("scene.toml", template::CLOTH.to_owned()));
    texts.push(("scene.toml", template::MOTION.to_owned()));
    texts.push(("scene.toml", SMALL_CLOTH.to_owned()));
    texts.push(("scene.toml", HOPPER.to_owned()));
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

/// Every kind of cloth and obstacle with as few triangles as can be, so that
/// hundreds of variants build and step in no time.
const SMALL_CLOTH: &str = r#"
[time]
step = 0.01
seconds = 0.1

[cloth]
resolution = 3
thickness = 0.01
wind = [1, 0, 0]
restore = 0.1
longest = 1.1
sweeps = 2
passes = 2
smallest_step = 0.001
tolerance = 0.001
newton_iterations = 1

[cloth.material.own]
like = "silk"
density = 0.2
stretch = 300
shear = 100
bend = 1e-4
damping_mass = 0.2
damping_stiffness = 5e-4

[[cloth.piece]]
name = "sheet"
shape.rectangle = { width = 0.5, height = 0.5 }
material = "own"
position = [0, 0, 0.5]
velocity = [0, 0, -1]
turn = { axis = [0, 0, 1], degrees = 20 }
pin = [
  { vertices = [1, 3], until = 0.02 },
  { within = [[0.2, 0.2, -1], [1, 1, 1]], keyframe = [ { time = 0, position = [0, 0, 0] }, { time = 0.1, position = [0, 0, 0.1] } ] },
]
spring = [{ vertices = [5], point = [0, 0, 1], stiffness = 3, damping = 0.1 }]

[[cloth.piece]]
shape.disc = { radius = 0.2, rings = 1 }
position = [1, 0, 0.5]
array = { count = [1, 1, 2], spacing = [0, 0, 0.1], jitter = 0.01, speed = 0.1 }
release = { first = 0.01, every = 0.01 }

[[cloth.piece]]
shape.cylinder = { radius = 0.2, height = 0.3, vertices = [5, 3] }
position = [2, 0, 0.5]

[[cloth.piece]]
shape.sphere = { radius = 0.2, subdivisions = 1 }
position = [3, 0, 0.5]

[[obstacle]]
shape.sphere.radius = 0.2
detail = 0.3
position = [0, 0, 0.2]
friction = 0.5

[[obstacle]]
shape.funnel = { rim_radius = 0.4, rim_height = 0.3, neck_radius = 0.1, fillet = 0.05, chute_length = 0.1, segments = 5 }
position = [1, 0, 0.1]

[[obstacle]]
shape.trough = { width = 0.5, length = 0.5, depth = 0.1, segments = 3 }
keyframe = [ { time = 0, position = [2, 0, 0.2] }, { time = 0.1, position = [2, 0, 0.25] } ]

[[obstacle]]
shape.revolution = { profile = [ [0, 0], [0.3, 0.1] ], segments = 4 }
position = [3, 0, 0.1]

[[obstacle]]
shape.extrusion = { profile = [ [0, 0], [1, 0.1] ], length = 1, segments = 2 }
position = [4, 0, 0]

[[body]]
shape.sphere.radius = 0.05
mass = 0.1
position = [0, 0, 0.7]
friction = 0.2

[[plane]]
point = [0, 0, 0]
normal = [0, 0, 1]
"#;

/// Four squares of cloth.
const SMALL_MESH: &str = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nv 0 2 0\nv 1 2 0\nv 2 2 0\n\
                          f 1 2 5 4\nf 2 3 6 5\nf 4 5 8 7\nf 5 6 9 8\n";

#[test]
fn the_small_cloth_itself_runs() {
    let files = Files::in_memory([]);
    let source = Source::new("scene.toml", SMALL_CLOTH);
    let scene = Scene::parse("small", source, files, &Options::default());
    let mut setup = scene.unwrap().build().unwrap_or_else(|e| panic!("{e}"));
    for _ in 0..10 {
        setup.world.step();
    }
    assert!(!setup.world.is_stuck(), "{:?}", setup.world.cloth_failure());
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
    "[[cloth.piece]]",
    "[cloth.material.silk]",
    "[[cloth.piece.pin]]",
    "like = 'cotton'",
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
    // Large cloth is right, but takes its time.
    let cloth = &scene.file.cloth;
    if cloth.resolution > 20 && !cloth.piece.is_empty() {
        return;
    }
    match scene.build() {
        Ok(mut setup) => {
            for _ in 0..3 {
                setup.world.step();
                let frame = setup.world.frame();
                for body in frame.bodies {
                    assert!(body.position.is_finite() && body.velocity.is_finite());
                }
                assert!(frame.cloth.iter().all(|vertex| vertex.is_finite()));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Somebody on one leg of one's own description, with a goal of every kind.
/// Nothing is searched for here, so sizes matter little.
const HOPPER: &str = r#"
[time]
step = 0.01

[motion]
phases = 4
phase_seconds = 0.5
segments = 2
samples = 4
polish_samples = 4
iterations = [2, 2, 2]
polish = 2
noise = 0.01
attempts = 1
weights = { torque = 10, clearance = 0.3 }
bars = { task = 0.03, drift = 0.005 }

[[character]]
name = "hopper"
position = [0, 0, 0]
heading = 10

[character.description]
mass = 10
half_extents = [0.1, 0.1, 0.1]
inertia = [0.1, 0.1, 0.1]
color = [0.5, 0.5, 0.5]

[[character.description.limb]]
name = "leg"
base = [0, 0, -0.1]
links = [{ length = 0.2, radius = 0.03 }, { length = 0.2, radius = 0.03 }, { length = 0.2, radius = 0.03 }]
direction = [0, 0, -1]
bend = [1, 0, 0]
swing = 80
flexion = 120
tilt = 60
twist = 60
tip = [0, 0, 0.05]
effector = { half_extents = [0.1, 0.1], friction = 0.8, radius = 0.03 }

[[character.description.patch]]
name = "belly"
position = [0.1, 0, 0]
normal = [-1, 0, 0]
forward = [0, 0, 1]
half_extents = [0.1, 0.1]
friction = 0.6

[[character.description.hull]]
name = "head"
position = [0, 0, 0.2]
radius = 0.1

[character.pose]
torso = { position = [0, 0, 0.65], forward = [1, 0, 0], up = [0, 0, 1] }
leg = { position = [0, 0, 0], forward = [1, 0, 0], normal = [0, 0, 1] }

[[goal]]
kind = "stand"
on = ["leg"]
[[goal]]
kind = "position"
position = [0.5, 0]
[[goal]]
kind = "facing"
direction = [1, 0]
[[goal]]
kind = "sit"
height = 0.1
[[goal]]
kind = "strike"
limb = "leg"
time = 1
position = [0.5, 0, 0.5]
velocity = [1, 0, 0]

[[plane]]
point = [0, 0, 0]
normal = [0, 0, 1]
"#;

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
    fn wild_numbers_in_cloth_are_refused_or_run_without_panic(
        wild in prop::collection::vec((any::<usize>(), any::<usize>()), 1..4),
    ) {
        load_build_and_run(&with_wild_numbers(SMALL_CLOTH, &wild), "");
    }

    #[test]
    fn wild_numbers_about_characters_are_refused_or_built_without_panic(
        wild in prop::collection::vec((any::<usize>(), any::<usize>()), 1..4),
    ) {
        load_build_and_run(&with_wild_numbers(HOPPER, &wild), "");
    }

    #[test]
    fn a_broken_mesh_is_refused_or_hangs_as_cloth(breaks in breaks()) {
        let scene = "time.step = 0.01\n[cloth]\nresolution = 2\n[[cloth.piece]]\n\
                     shape.mesh.file = \"meshes/boat.obj\"\nmaterial = \"silk\"\n\
                     pin = [{ vertices = [1] }]\n";
        load_build_and_run(scene, &broken(SMALL_MESH, &breaks));
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
        cloth in any::<bool>(),
        argument in "(body|time|spring|command|cloth|piece|sheet|pin|\\[|\\]|[0-9]|\\.|=|mass|'|\"|ball-1|é| |nan|\\{|\\}){0,12}",
    ) {
        let scene = library::find(if cloth { "cloth-sphere" } else { "cylon" });
        load("scene.toml", scene.unwrap().text, vec![argument]);
    }
}
