//! Errors in characters and goals show their place and help, before any search.

use crate::support::{
    ProgramOutput, assert_error_contains, assert_scene_refused, assert_scene_refused_with,
};

/// A human, followed by `more`.
fn human(more: &str) -> ProgramOutput {
    assert_scene_refused("s.toml", format!("[[character]]\n{more}\n"))
}

/// A standing human with a goal that has these keys.
fn goal(keys: &str) -> ProgramOutput {
    human(&format!("[[goal]]\n{keys}"))
}

/// A character with one leg, described in the scene.
const HOPPER: &str = r#"[[character]]
name = "hopper"
[character.description]
mass = 10
half_extents = [0.1, 0.1, 0.1]
[[character.description.limb]]
name = "leg"
base = [0, 0, -0.1]
links = [{ length = 0.3, radius = 0.03 }, { length = 0.3, radius = 0.03 }]
direction = [0, 0, -1]
bend = [1, 0, 0]
tip = [0, 0, 0.05]
effector = { half_extents = [0.1, 0.1], friction = 0.8, radius = 0.03 }
[character.description.pose.standing]
torso = { position = [0, 0, 0.65], forward = [1, 0, 0], up = [0, 0, 1] }
leg = { position = [0, 0, 0], forward = [1, 0, 0], normal = [0, 0, 1] }
"#;

#[test]
fn settings_out_of_range_are_refused() {
    for (keys, place, what, remedy) in [
        (
            "phases = 0",
            "2:10",
            "needs at least one phase",
            "at least 1",
        ),
        ("phases = 100000", "2:10", "100000 phases", "from 1 to 200"),
        (
            "phase_seconds = 0",
            "2:17",
            "a phase of 0 s",
            "the default is 0.5",
        ),
        ("segments = 3", "2:12", "3 segments", "from 1 to 2"),
        ("samples = 1", "2:11", "1 moments", "from 2"),
        ("attempts = 0", "2:12", "0 attempts", "from 1"),
        ("keep = 0", "2:8", "0 movements to keep", "from 1 to 16"),
        (
            "keep = 1000",
            "2:8",
            "1000 movements to keep",
            "from 1 to 16",
        ),
        (
            "keep = 5\nattempts = 4",
            "2:8",
            "5 movements cannot be kept of 4 attempts",
            "more `attempts`",
        ),
        ("keep = 1.5", "2:8", "1.5", ""),
        ("noise = -1", "2:9", "the noise is -1", "zero or a positive"),
        ("phases = -1", "2:10", "-1", ""),
        (
            "weights.torque = -1",
            "2:18",
            "the weight is -1",
            "zero or a positive",
        ),
        (
            "weights.torque = nan",
            "2:18",
            "`nan` is not a finite number",
            "finite",
        ),
        (
            "weights.torqe = 1",
            "2:17",
            "there is no weight `torqe`",
            "did you mean `torque`?",
        ),
        (
            "weights.beauty = 1",
            "2:18",
            "there is no weight `beauty`",
            "there are clearance, contact, ",
        ),
        (
            "thresholds.task = 0",
            "2:19",
            "the threshold is 0",
            "positive",
        ),
        (
            "thresholds.grace = 1",
            "2:20",
            "there is no threshold `grace`",
            "residual_max",
        ),
        ("objective = \"speed\"", "2:13", "speed", "envelope"),
    ] {
        let output = assert_scene_refused("s.toml", format!("[motion]\n{keys}\n[[character]]\n"));
        assert_error_contains(&output, &[&format!("s.toml:{place}:"), what, remedy]);
    }
}

#[test]
fn impossible_characters_are_refused() {
    for (keys, place, what, remedy) in [
        (
            "kind = \"humen\"",
            "2:8",
            "there is no character of the kind `humen`",
            "did you mean `human`? the kinds are human",
        ),
        ("kind = \"own\"", "1:1", "has no description", "`file`"),
        (
            "kind = \"human\"\nfile = \"a.toml\"",
            "2:8",
            "is a `human` and has a description as well",
            "kind = \"own\"",
        ),
        (
            "pose = \"flying\"",
            "2:8",
            "has no pose `flying`",
            "the poses are lying on the back",
        ),
        (
            "pose = \"siting\"",
            "2:8",
            "has no pose `siting`",
            "did you mean `sitting`?",
        ),
        ("pose = 3", "2:8", "the name of a pose", ""),
        (
            "[character.pose]\ntorso = { position = [0, 0, 1], forward = [1, 0, 0], up = [1, 0, 0] }",
            "3:9",
            "`forward` and `normal` must not be parallel",
            "every limb",
        ),
        (
            "position = [0, 0, -0.2]",
            "1:1",
            "`human` cannot start like this: it is 0.200 m deep in the ground",
            "move `position`",
        ),
        (
            "position = [1]",
            "2:12",
            "expected 2 or 3 numbers, found 1",
            "x and y",
        ),
        (
            "position = [1e9, 0]",
            "2:12",
            "1000000000 m away",
            "far too large",
        ),
        (
            "color = \"blue\"",
            "2:9",
            "`blue` is not a colour",
            "#rrggbb",
        ),
        (
            "name = \"a\"\n[[character]]\nname = \"a\"",
            "4:8",
            "used twice",
            "a unique name",
        ),
        ("file = \"none.toml\"", "2:8", "no such file", "spelling"),
    ] {
        let output = human(keys);
        assert_error_contains(&output, &[&format!("s.toml:{place}:"), what, remedy]);
    }
    let tilted = assert_scene_refused("s.toml", "up = \"y\"\n[[character]]\n");
    assert_error_contains(&tilted, &["s.toml:1:6:", "characters need z up"]);
    let floating = assert_scene_refused("s.toml", "gravity = [0, 0, 0]\n[[character]]\n");
    assert_error_contains(
        &floating,
        &["s.toml:1:11:", "gravity that points down", "-9.81"],
    );
    let crowd = assert_scene_refused("s.toml", "[[character]]\n".repeat(17));
    assert_error_contains(&crowd, &["s.toml:17:1:", "17 characters", "at most 16"]);
}

#[test]
fn errors_in_descriptions_show_their_place() {
    for (from, to, place, what) in [
        (
            "links = [{ length = 0.3, radius = 0.03 }, { length = 0.3, radius = 0.03 }]",
            "links = []",
            "9:9",
            "a limb needs at least one link",
        ),
        (
            "mass = 10",
            "mass = 0",
            "4:8",
            "should be a positive number",
        ),
        (
            "friction = 0.8",
            "friction = -1",
            "13:",
            "should not be negative",
        ),
        (
            "bend = [1, 0, 0]",
            "bend = [0, 0, 1]",
            "11:8",
            "it is parallel to `direction`",
        ),
        (
            "length = 0.3",
            "length = 3",
            "1:1",
            "`leg` spans 0.500 m from its base to its tip, but can",
        ),
        ("bend =", "bnd =", "11:1", "unknown key `bnd`"),
        (
            "pose.standing",
            "pose.kneeling",
            "1:1",
            "has no pose `standing`",
        ),
    ] {
        let output = assert_scene_refused("s.toml", HOPPER.replacen(from, to, 1));
        assert_error_contains(&output, &[&format!("s.toml:{place}"), what]);
    }
    let stone = "[[character]]\n[character.description]\nmass = 1\nhalf_extents = [1, 1, 1]\n";
    let output = assert_scene_refused("s.toml", stone);
    assert_error_contains(
        &output,
        &["s.toml:2:1:", "needs limbs or patches", "[[limb]]"],
    );

    let scene = "[[character]]\nfile = \"a.toml\"\n";
    let beside = |text: &str| assert_scene_refused_with("s.toml", scene, &[("a.toml", text)]);
    assert_error_contains(&beside("mass = \n"), &["a.toml:1:"]);
    assert_error_contains(
        &beside("mass = 1\nhalf = 2\n"),
        &["a.toml:2:1:", "unknown key `half`"],
    );
    let own = "mass = 1\nhalf_extents = [1, 0, 1]\n";
    assert_error_contains(
        &beside(own),
        &["a.toml:2:20:", "half_extents[1]", "positive"],
    );
}

#[test]
fn unreachable_goals_are_refused() {
    for (keys, place, what, remedy) in [
        ("kind = \"fly\"", "3:8", "fly", "stand"),
        (
            "kind = \"position\"\nposition = [50, 0]",
            "4:12",
            "the goal is 50.00 m away, and there are 5 s",
            "move it nearer, or give more phases",
        ),
        (
            "kind = \"position\"",
            "2:1",
            "has no `position`",
            "[2.5, 0]",
        ),
        (
            "kind = \"position\"\nposition = [1]",
            "4:12",
            "expected 2 or 3 numbers, found 1",
            "x and y",
        ),
        (
            "kind = \"stand\"\nposition = [1, 0]",
            "4:12",
            "a goal of the kind `stand` has no `position`",
            "`position` and `strike`",
        ),
        (
            "kind = \"stand\"\non = [\"left leg\", \"tail\"]",
            "4:19",
            "`human` has no limb `tail`",
            "its limbs are left leg, right leg",
        ),
        (
            "kind = \"stand\"\non = []",
            "4:6",
            "standing needs a limb",
            "leave `on` out",
        ),
        (
            "kind = \"sit\"\nheight = 0",
            "4:10",
            "the height is 0",
            "positive",
        ),
        ("kind = \"facing\"", "2:1", "has no `direction`", "[0, 1]"),
        (
            "kind = \"facing\"\ndirection = [0, 0]",
            "4:13",
            "has no direction",
            "",
        ),
        (
            "kind = \"facing\"\nheading = 3\ndirection = [0, 1]",
            "4:11",
            "exclude each other",
            "",
        ),
        (
            "kind = \"strike\"\nlimb = \"right arm\"\ntime = 6\nposition = [0.6, 0, 1.4]",
            "5:8",
            "a goal at 6 s, but the movement goes from 0 to 5 s",
            "set an earlier time",
        ),
        (
            "kind = \"strike\"\nlimb = \"right arm\"\ntime = 1\nposition = [0.6, 0]",
            "6:12",
            "expected 3 numbers, found 2",
            "x, y and z",
        ),
        (
            "kind = \"strike\"\nlimb = \"right arm\"\ntime = 0.5\nposition = [6, 0, 1]",
            "6:12",
            "m away, and there are 0.5 s",
            "nearer",
        ),
        (
            "kind = \"strike\"\ntime = 1",
            "2:1",
            "has no `limb`",
            "right arm",
        ),
        (
            "kind = \"stand\"\ncharacter = \"eva\"",
            "4:13",
            "there is no character `eva`",
            "there is human",
        ),
    ] {
        let output = goal(keys);
        assert_error_contains(&output, &[&format!("s.toml:{place}:"), what, remedy]);
    }
    let no_character = assert_scene_refused("s.toml", "[[goal]]\nkind = \"stand\"\n");
    assert_error_contains(
        &no_character,
        &[
            "s.toml:1:1:",
            "there is a goal, but no character",
            "[[character]]",
        ],
    );
    let two_characters =
        "[[character]]\n[[character]]\nposition = [0, 2]\n[[goal]]\nkind = \"stand\"\n";
    let output = assert_scene_refused("s.toml", two_characters);
    assert_error_contains(
        &output,
        &[
            "s.toml:4:1:",
            "does not name its character",
            "human-1, human-2",
        ],
    );
    let armless = format!("{HOPPER}[[goal]]\nkind = \"handstand\"\n");
    let output = assert_scene_refused("s.toml", armless);
    assert_error_contains(
        &output,
        &["no limb of `hopper` has `arm` in its name", "there are leg"],
    );
}

#[test]
fn invalid_objects_are_refused() {
    let thing = |keys: &str| human(&format!("[[object]]\nname = \"parcel\"\n{keys}"));
    let boxed = "shape.box.half_extents = [0.1, 0.1, 0.1]\n";
    for (keys, place, what, remedy) in [
        ("mass = 1", "2:1", "the object has no shape", "shape.sphere"),
        (boxed, "2:1", "`parcel` has no mass", "mass = 5"),
        (
            &format!("{boxed}mass = -3"),
            "5:8",
            "the mass is -3",
            "positive",
        ),
        (
            &format!("{boxed}mass = 5\nposition = [1, 0, 0]"),
            "6:12",
            "`parcel` cannot start like this: it is 0.100 m deep in the ground",
            "where the centre is",
        ),
        (
            &format!("{boxed}mass = 5\nposition = [0.06, 0.1]"),
            "6:12",
            "characters and objects cannot start like this together",
            "move them apart",
        ),
        (
            &format!(
                "{boxed}mass = 5\nposition = [1, 0]\n[[goal]]\nkind = \"position\"\nobject = \"parcle\"\nposition = [2, 0]"
            ),
            "9:10",
            "there is no object `parcle`",
            "did you mean `parcel`?",
        ),
        (
            &format!(
                "{boxed}mass = 5\nposition = [1, 0]\n[[goal]]\nkind = \"position\"\nobject = \"parcel\"\nposition = [90, 0]"
            ),
            "10:12",
            "that needs more than 3 m/s",
            "nearer",
        ),
        (
            "shape.sphere.radius = 0.1\nmass = 1\nposition = [1, 0]\nslides = true",
            "7:10",
            "a ball, which rolls",
            "the shape of a box",
        ),
    ] {
        let output = thing(keys);
        assert_error_contains(&output, &[&format!("s.toml:{place}:"), what, remedy]);
    }
    let alone = assert_scene_refused("s.toml", format!("[[object]]\n{boxed}mass = 1\n"));
    assert_error_contains(
        &alone,
        &[
            "s.toml:1:1:",
            "there is an object to handle, but no character",
            "[[body]]",
        ],
    );
}

#[test]
fn two_characters_in_one_place_are_refused() {
    let output = human("name = \"anna\"\n[[character]]\nname = \"ben\"");
    let expected = [
        "characters and objects cannot start like this together",
        "move them apart",
    ];
    assert_error_contains(&output, &expected);
}

#[test]
fn obstacles_in_the_wrong_place_are_refused() {
    let obstacle = |keys: &str| human(&format!("[[obstacle]]\nname = \"wall\"\n{keys}"));
    for (keys, place, what, remedy) in [
        (
            "shape.box.half_extents = [0.5, 0.5, 0.5]\nposition = [0, 0, 0.5]",
            "1:1",
            "deep in the ground, in an obstacle or in itself",
            "move `position`",
        ),
        (
            "shape.cone = { radius = 0.5, height = 1 }\nposition = [3, 0, 0]",
            "2:1",
            "characters do not support a cone",
            "characters = false",
        ),
        (
            "shape.box.half_extents = [0.5, 0.5, 0.9]\nposition = [2, 0, 0.9]\n[[goal]]\nkind = \"position\"\nposition = [2, 0, 1.1]",
            "8:12",
            "the goal is inside `wall`",
            "a free place",
        ),
        (
            "shape.stairs = { steps = 0, depth = 0.3, height = 0.2, width = 1 }",
            "4:26",
            "0 steps",
            "from 1",
        ),
        (
            "shape.heightfield = { heights = [[0, 1], [0]], spacing = 0.5 }",
            "4:33",
            "2 rows of 2 heights",
            "all rows alike",
        ),
    ] {
        let output = obstacle(keys);
        assert_error_contains(&output, &[&format!("s.toml:{place}:"), what, remedy]);
    }
    let two = human("[[character]]\nname = \"other\"\nposition = [0.1, 0]");
    assert_error_contains(
        &two,
        &[
            "s.toml:4:12:",
            "characters and objects cannot start like this together",
            "apart",
        ],
    );
}
