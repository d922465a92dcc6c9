//! Every built-in scene, and a crowd large enough for several threads, gives
//! the bits written down here: for any number of threads, any SIMD width, and
//! any level of optimisation. A change of a hash is a change of physics and
//! belongs in the CHANGELOG.

use crate::support::{built_in, from_text, hash, run};
use conatus_rigid::blocks::Width;
use conatus_world::scene::library;

/// All scenes run to their end, but for those that would take long.
fn seconds(name: &str) -> Option<&'static str> {
    match name {
        _ if is_cloth(name) => Some("time.seconds=0.5"),
        "water" | "gas" => Some("time.seconds=4"),
        _ => None,
    }
}

const GOLDEN: &[(&str, u64)] = &[
    ("billiards", 0xdf32ac20950d5b74),
    ("bounce-and-slide", 0x322d6073a61da40b),
    ("box-and-cylinder", 0xb4d0b012c1db25f9),
    ("catch", 0x56088d64abad14f9),
    ("cloth-sphere", 0x8058dc1315a43894),
    ("crushed-cylinder", 0x0ec3ac373356c2fb),
    ("cylon", 0x42d5f4e139fad3b0),
    ("flag", 0xe18b76b5665b28d7),
    ("funnel", 0x4a0858ef6a10d4a3),
    ("funnel-low", 0xab2b79895a767743),
    ("gas", 0xaa4c4a617b666ef0),
    ("heavy-top", 0xeeb9f39a11f00904),
    ("merging", 0xa6d68fd7b7280458),
    ("ribbon", 0x42d75a23b6bebfab),
    ("spring-chain", 0x87bfca61e4a60144),
    ("squares-incline", 0xe9096bfeed1d4732),
    ("squares-plane", 0xfebce036e3399ba3),
    ("stand", 0x5954fb5219c8f3e0),
    ("tablecloth", 0xf66115ec0d1839b8),
    ("tumbling-top", 0x66a4548e61de5050),
    ("water", 0x49ce45b95e44ac14),
];

fn is_cloth(name: &str) -> bool {
    is_of(name, "cloth")
}

fn is_of(name: &str, family: &str) -> bool {
    library::list()
        .iter()
        .any(|scene| scene.name == name && scene.family == family)
}

/// A scene run for a while with a width and a number of threads.
fn fingerprint(name: &str, width: Width, threads: usize) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| {
        let mut setup = built_in(name, seconds(name).as_slice());
        setup.world.bodies.set_width(width);
        hash(&run(&mut setup).1.frames)
    })
}

#[test]
fn every_scene_gives_its_golden_bits_on_any_width_and_number_of_threads() {
    let mut wrong = Vec::new();
    for scene in library::SCENES {
        // Of the searches for a movement the shortest stands for all.
        let motion = is_of(scene.name, "motion");
        if motion && scene.name != "stand" {
            continue;
        }
        let expected = GOLDEN.iter().find(|(name, _)| *name == scene.name);
        let found = fingerprint(scene.name, Width::best(), 2);
        if expected.map(|(_, hash)| *hash) != Some(found) {
            wrong.push(format!("    (\"{}\", {found:#018x}),", scene.name));
        }
        // Cloth and characters have no lanes.
        let widths = match is_cloth(scene.name) || motion {
            true => vec![Width::best()],
            false => Width::available(),
        };
        for width in widths {
            assert_eq!(
                fingerprint(scene.name, width, 1),
                found,
                "{} differs with {width:?} on one thread",
                scene.name
            );
        }
    }
    assert!(wrong.is_empty(), "these differ:\n{}", wrong.join("\n"));
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
