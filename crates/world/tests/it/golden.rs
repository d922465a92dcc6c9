//! Every built-in scene, and a crowd large enough for several threads, gives
//! the same bits for any number of threads, any SIMD width and any level of
//! optimisation. The files in tests/golden hold hashes by frame and family; a
//! changed hash is a change of results and belongs in the CHANGELOG.
//! `cargo xtask golden --renew` writes the files again.

mod hashes;

use crate::support::{built_in, from_text, hash, recorded, run};
use conatus_record::{Frame, Header};
use conatus_rigid::blocks::Width;
use conatus_world::scene::library;
use hashes::compare;

/// Scenes run to their end, except for those that would take long.
fn seconds(name: &str) -> Option<&'static str> {
    match name {
        _ if family(name) == "cloth" => Some("time.seconds=0.5"),
        "water" | "gas" => Some("time.seconds=4"),
        "box-stack" | "dominoes" | "pyramid" => Some("time.seconds=1"),
        "pile" => Some("time.seconds=0.5"),
        "arch" | "boats" | "card-house" | "rattleback" => Some("time.seconds=1"),
        _ => None,
    }
}

fn family(name: &str) -> &'static str {
    let listed = library::list();
    let scene = listed.iter().find(|scene| scene.name == name);
    scene.unwrap_or_else(|| panic!("no scene {name}")).family
}

/// The frames of a scene with a SIMD width and a number of threads.
fn frames(name: &str, width: Width, threads: usize) -> (Header, Vec<Frame>) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| {
        let mut setup = built_in(name, seconds(name).as_slice());
        setup.world.bodies.set_width(width);
        let frames = run(&mut setup).1.frames;
        (setup.header, frames)
    })
}

/// Runs a scene with every width and on one and two threads, and compares with its file.
fn assert_golden(name: &str) {
    let (header, found) = frames(name, Width::best(), 2);
    let widths = match family(name) {
        "rigid" => Width::available(),
        // Cloth and characters do not use SIMD blocks of bodies.
        _ => vec![Width::best()],
    };
    for width in widths {
        assert_eq!(
            hash(&frames(name, width, 1).1),
            hash(&found),
            "{name} differs with {width:?} on one thread"
        );
    }
    compare(name, &header, &found).unwrap_or_else(|difference| panic!("{difference}"));
}

macro_rules! golden_scenes {
    ($($test:ident: $name:literal),* $(,)?) => {
        /// The scenes that have a test.
        const TESTED: &[&str] = &[$($name),*];
        $(#[test]
        fn $test() {
            assert_golden($name);
        })*
    };
}

golden_scenes! {
    arch: "arch",
    billiards: "billiards",
    boats: "boats",
    bounce_and_slide: "bounce-and-slide",
    box_and_cylinder: "box-and-cylinder",
    box_stack: "box-stack",
    bullet: "bullet",
    car: "car",
    card_house: "card-house",
    catch: "catch",
    chain: "chain",
    cloth_sphere: "cloth-sphere",
    cradle: "cradle",
    crane: "crane",
    crushed_cylinder: "crushed-cylinder",
    cylon: "cylon",
    dominoes: "dominoes",
    flag: "flag",
    funnel: "funnel",
    funnel_low: "funnel-low",
    gas: "gas",
    gyroscope: "gyroscope",
    hammock: "hammock",
    heavy_top: "heavy-top",
    merging: "merging",
    pile: "pile",
    pyramid: "pyramid",
    ragdoll_stairs: "ragdoll-stairs",
    rattleback: "rattleback",
    ribbon: "ribbon",
    spinning_coin: "spinning-coin",
    spring_chain: "spring-chain",
    squares_incline: "squares-incline",
    squares_plane: "squares-plane",
    stand: "stand",
    tablecloth: "tablecloth",
    trampoline: "trampoline",
    tumbling_top: "tumbling-top",
    water: "water",
    wrecking_ball: "wrecking-ball",
}

#[test]
fn every_scene_without_characters_is_tested() {
    for scene in library::list() {
        assert!(
            TESTED.contains(&scene.name) || scene.family == "motion",
            "add {} to golden_scenes!",
            scene.name
        );
    }
}

/// Reads the recordings of the gate. Without them only `stand` is searched for, above.
#[test]
fn recorded_scenes_with_characters_give_their_golden_bits() {
    let mut differences = Vec::new();
    for scene in library::list().iter().filter(|s| s.family == "motion") {
        if let Some(recording) = recorded(scene.name) {
            let frames = &recording.frames;
            differences.extend(compare(scene.name, &recording.header, frames).err());
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn every_scene_has_a_golden_file() {
    let files = hashes::scenes_with_files();
    for scene in library::list() {
        assert!(
            files.contains(scene.name) || hashes::is_renewed(),
            "tests/golden/{}.txt is missing: run `cargo xtask golden --renew`",
            scene.name
        );
    }
}

#[test]
fn every_golden_file_has_a_scene() {
    for name in hashes::scenes_with_files() {
        assert!(
            library::find(&name).is_some(),
            "tests/golden/{name}.txt has no scene"
        );
    }
}

/// 9,261 bodies in three arrays: blocks that are not full, free motion on
/// several threads, and the broad phase's own parallelism.
const CROWD: &str = r##"
gravity = [0, 0, -1]
[time]
step = 0.004
seconds = 0.2
steps_per_frame = 5
[damping]
linear = 0.01
angular = 0.002
[contact]
restitution = 0.7
friction = 0.3
[[body]]
name = "grain"
shape.ellipsoid.semi_axes = [0.1, 0.08, 0.06]
density = 1000
omega_body = [1, 2, 3]
array = { count = [21, 21, 21], spacing = [0.21, 0.21, 0.21], jitter = 0.03, speed = 0.5 }
[[plane]]
point = [0, 0, -0.3]
normal = [0, 0, 1]
"##;

#[test]
fn a_crowd_gives_the_same_bits_on_one_and_on_two_threads_and_every_width() {
    let bits = |width: Width, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut setup = from_text(CROWD, &[]).unwrap_or_else(|e| panic!("{e}"));
            setup.world.bodies.set_width(width);
            hash(&run(&mut setup).1.frames)
        })
    };
    let reference = bits(Width::Scalar, 1);
    for width in Width::available() {
        assert_eq!(bits(width, 1), reference, "{width:?} on one thread");
        assert_eq!(bits(width, 2), reference, "{width:?} on two threads");
    }
}

#[test]
fn the_seed_decides_what_is_random() {
    let with = |seed: &str| {
        let mut setup = built_in("gas", &["time.seconds=0.1", seed]);
        hash(&run(&mut setup).1.frames)
    };
    assert_eq!(with("seed=7"), with("seed=7"));
    assert_ne!(with("seed=7"), with("seed=8"));
}
