//! The texts that are mutated: scenes, templates, and two small scenes made for this.

use conatus_world::scene::{library, parse_toml, template};

/// The texts that are mutated: built-in scenes and the templates, and each as JSON.
pub fn originals() -> Vec<(&'static str, String)> {
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
        let tree = parse_toml::parse(text, 0).unwrap();
        serde_json::to_string_pretty(&tree.to_json()).unwrap()
    };
    let json: Vec<_> = texts
        .iter()
        .map(|(_, text)| ("scene.json", as_json(text)))
        .collect();
    texts.extend(json);
    texts
}

/// Every kind of cloth and obstacle with as few triangles as possible, so that hundreds of
/// variants build and step quickly.
pub const SMALL_CLOTH: &str = r#"
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
pub const SMALL_MESH: &str = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nv 0 2 0\nv 1 2 0\nv 2 2 0\n\
                          f 1 2 5 4\nf 2 3 6 5\nf 4 5 8 7\nf 5 6 9 8\n";

/// A character with one leg and its own description, with a goal of every kind. It is
/// only built, not searched, so its size has little effect on the time.
pub const HOPPER: &str = r#"
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
thresholds = { task = 0.03, drift = 0.005 }

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
