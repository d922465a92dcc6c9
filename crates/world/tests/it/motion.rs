//! Characters in the world: the request of a scene, the clip that the search finds, and
//! its playback.

use crate::support::{find, from_text, run};
use conatus_math::DVec3;
use conatus_motion::{CharacterStart, Goal, Subject};
use conatus_record::clip::ClipTargetKind;
use conatus_world::scene::{Files, LoadOptions, Scene, SourceText};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Settings of a search that takes less than a second.
const QUICK: &str = r#"
[motion]
phases = 2
phase_seconds = 0.3
iterations = [30, 60, 60]
polish = 6
attempts = 1
thresholds = { residual_max = 10, residual_mean = 10, drift = 1, limb = 1, penetration = 1, task = 1 }
"#;

fn quick(more: &str) -> String {
    format!("{QUICK}\n{more}")
}

#[test]
fn a_walk_is_requested_in_a_few_lines() {
    let text = "[[character]]\n[[goal]]\nkind = 'stand'\n[[goal]]\nkind = 'position'\nposition = [2.5, 0]\n";
    let setup = from_text(text, &[]).unwrap();
    let planner = setup.planner.expect("the scene has a character");
    let problem = &planner.problem;
    assert_eq!(problem.characters[0].character.base.name, "human");
    assert_eq!(
        (problem.phases, problem.phase_seconds, problem.segments),
        (10, 0.5, 2)
    );
    let legs = ["left leg", "right leg"].map(|l| problem.characters[0].character.limb(l).unwrap());
    let stand = Goal::Stand {
        character: 0,
        on: legs.to_vec(),
        up: Vec::new(),
        upside_down: false,
    };
    let there = Goal::Position {
        subject: Subject::Character(0),
        target: [Some(2.5), Some(0.0), None],
        time: None,
        hold: 0.0,
        moving: false,
    };
    assert_eq!(problem.goals, [stand, there]);
    assert_eq!(planner.targets.len(), 1);
    assert_eq!(planner.targets[0].kind, ClipTargetKind::Position);
    // The run is as long as the movement, and there is ground.
    assert_eq!(setup.schedule.steps, 500);
    assert_eq!(setup.header.planes.len(), 1);
    assert_eq!(problem.surfaces.len(), 1);
}

#[test]
fn every_key_about_characters_reaches_the_problem() {
    let text = r##"
seed = 7
[time]
seconds = 1
[motion]
objective = "residual"
samples = 5
polish_samples = 7
iterations = [1, 2, 3]
polish = 4
noise = 0.5
attempts = 9
segments = 1
weights = { torque = 3, k0 = 0.5 }
thresholds = { drift = 0.25 }
[[character]]
name = "ada"
pose = "lying on the back"
position = [1, 2]
heading = 90
color = "#ff0000"
[[character]]
name = "bob"
position = [5, 0]
[[goal]]
character = "ada"
kind = "handstand"
[[goal]]
character = "bob"
kind = "facing"
heading = 90
[[goal]]
character = "bob"
kind = "strike"
limb = "right arm"
time = 1.5
position = [5.6, 0, 1.4]
velocity = [2, 0, 0]
[[goal]]
character = "ada"
kind = "sit"
[[plane]]
point = [0, 0, 0.5]
normal = [0, 0, 2]
[[plane]]
point = [9, 0, 0]
normal = [-1, 0, 0]
"##;
    let setup = from_text(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(setup.schedule.steps, 100);
    let planner = setup.planner.unwrap();
    let p = &planner.problem;
    let effort = &p.effort;
    assert_eq!(
        (effort.seed, effort.iterations, effort.polish),
        (7, [1, 2, 3], 4)
    );
    assert_eq!((effort.samples, effort.polish_samples), (5, 7));
    assert_eq!((effort.noise, effort.attempts, p.segments), (0.5, 9, 1));
    assert_eq!(
        (p.weights.torque, p.weights.k0, p.thresholds.drift),
        (3.0, 0.5, 0.25)
    );
    let usual = conatus_motion::CostWeights::default();
    assert_eq!(p.weights.contact, usual.contact);
    let CharacterStart {
        character: ada,
        pose,
        ..
    } = &p.characters[0];
    assert_eq!(
        (ada.base.name.as_str(), ada.base.color),
        ("ada", [1.0, 0.0, 0.0])
    );
    // She lies on the level plane, with her head towards -y.
    assert!((pose.torso.position - DVec3::new(1.0, 2.0, 0.61)).length() < 1e-9);
    assert!((pose.torso.orientation.z_axis - DVec3::NEG_Y).length() < 1e-9);
    assert!(
        matches!(&p.goals[0], Goal::Stand { character: 0, upside_down: true, up, .. } if up.len() == 2)
    );
    assert!(
        matches!(p.goals[1], Goal::Facing { character: 1, direction } if direction.distance(DVec3::Y) < 1e-12)
    );
    assert!(matches!(
        p.goals[2],
        Goal::Strike {
            character: 1,
            time: 1.5,
            ..
        }
    ));
    assert!(matches!(p.goals[3], Goal::Sit { character: 0, .. }));
    let names: Vec<&str> = p.surfaces.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["plane-1", "plane-2"]);
    let kinds: Vec<ClipTargetKind> = planner.targets.iter().map(|t| t.kind).collect();
    assert_eq!(
        kinds,
        [
            ClipTargetKind::Direction,
            ClipTargetKind::Strike,
            ClipTargetKind::Height
        ]
    );
}

#[test]
fn a_description_beside_the_scene_and_poses_by_numbers_are_read() {
    let hopper = r#"
mass = 10
half_extents = [0.1, 0.1, 0.1]
[[limb]]
name = "leg"
base = [0, 0, -0.1]
links = [{ length = 0.3, radius = 0.03 }, { length = 0.3, radius = 0.03 }]
direction = [0, 0, -1]
bend = [1, 0, 0]
tip = [0, 0, 0.05]
effector = { half_extents = [0.1, 0.1], friction = 0.8, radius = 0.03 }
"#;
    let scene = r#"
[[character]]
file = "hopper.toml"
[character.pose]
torso = { position = [0, 0, 0.65], forward = [1, 0, 0], up = [0, 0, 1] }
leg = { position = [0, 0, 0], forward = [1, 0, 0], normal = [0, 0, 1] }
[[goal]]
kind = "stand"
"#;
    let files = Files::in_memory([("hopper.toml".to_owned(), hopper.to_owned())]);
    let source = SourceText::new("scene.toml", scene);
    let scene = Scene::parse("test", source, files, &LoadOptions::default()).unwrap();
    let setup = scene.build().unwrap_or_else(|e| panic!("{e}"));
    let planner = setup.planner.unwrap();
    assert_eq!(planner.problem.characters[0].character.base.name, "hopper");
    // The recording holds the description.
    let names: Vec<&str> = setup.sources.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["scene.toml", "hopper.toml"]);
}

#[test]
fn a_movement_plays_as_scripted_bodies_with_the_forces_that_carry_it() {
    let mut setup = from_text(&quick("[[character]]\n[[goal]]\nkind = 'stand'\n"), &[]).unwrap();
    find(&mut setup);
    let clip = setup.world.motion.as_ref().unwrap().clip().clone();
    clip.check().unwrap();
    assert!((clip.duration() - 0.6).abs() < 1e-12 && clip.dt <= 0.005);
    assert_eq!(clip.phases, [0.0, 0.3, 0.6]);
    let human = &clip.characters[0];
    for effector in &human.effectors {
        assert_eq!(effector.contact.len(), 2);
        for i in 0..clip.time.len() {
            assert!(effector.active[i] == (effector.force[i].length() > 0.0));
            assert!(effector.touches[i].as_deref() == effector.active[i].then_some("ground"));
        }
    }
    for link in &human.links {
        for (a, b) in link.start.iter().zip(&link.end) {
            assert!((a.distance(*b) - link.length).abs() < 2e-3, "{}", link.name);
        }
    }
    let (report, kept) = run(&mut setup);
    assert_eq!(report.motion.as_ref().unwrap().characters, 1);
    assert!(report.succeeded(), "{report:?}");
    assert_eq!(kept.frames[0].bodies.len(), setup.header.bodies.len());
    let torso = kept.frames.last().unwrap().bodies[0];
    assert!(
        torso
            .position
            .distance(*human.torso.position.last().unwrap())
            < 1e-9
    );
    // The contact forces bear the weight of a standing character.
    let middle = &kept.frames[kept.frames.len() / 2];
    let carried: DVec3 = middle.contacts.iter().map(|c| c.impulse / 0.01).sum();
    assert!(
        (carried.z - 70.0 * 9.81).abs() < 0.3 * 70.0 * 9.81,
        "{carried}"
    );
    assert_eq!(kept.events.iter().filter(|e| e.kind == "motion").count(), 1);
}

#[test]
fn a_stopped_search_returns_the_best_movement_so_far() {
    let setup = from_text(&quick("[[character]]\n[[goal]]\nkind = 'stand'\n"), &[]).unwrap();
    let found = setup.planner.unwrap().plan(&|_| ControlFlow::Break(()));
    assert!(found.report.interrupted);
    found.clip.check().unwrap();
    assert!((found.clip.duration() - 0.6).abs() < 1e-12);
}

#[test]
fn a_goal_that_is_missed_is_named() {
    let text = quick(
        "weights = { task = 0 }\n[[character]]\n[[goal]]\nkind = 'stand'\n[[goal]]\nkind = 'position'\nposition = [1.5, 0]\n",
    )
    .replace("task = 1 }", "task = 0.1 }");
    let mut setup = from_text(&text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let (report, kept) = run(&mut setup);
    let motion = report.motion.as_ref().unwrap();
    let why = motion.failure.as_ref().expect("it cannot get there");
    assert!(
        why.contains("the goal 2 (position) is missed by 1."),
        "{why}"
    );
    assert!(!motion.good && !report.succeeded() && !report.interrupted);
    assert_eq!(kept.frames.len(), 31);
}

/// Cloth and bodies collide with the parts of characters as with obstacles.
#[test]
fn a_sheet_and_a_ball_that_fall_on_a_character_stay_on_it() {
    let more = r#"
[time]
step = 0.005
[[character]]
[[goal]]
kind = "stand"
[[cloth.piece]]
shape.rectangle = { width = 0.3, height = 0.3, vertices = [9, 9] }
position = [0.02, 0, 1.712]
[[body]]
name = "ball"
shape.sphere.radius = 0.05
mass = 0.1
position = [0.03, 0, 1.822]
velocity = [0, 0, -1]
"#;
    let mut setup = from_text(&quick(more), &[]).unwrap_or_else(|e| panic!("{e}"));
    let (report, kept) = run(&mut setup);
    let cloth = report.cloth.as_ref().unwrap();
    assert!(
        cloth.intersections == 0 && cloth.failure.is_none(),
        "{cloth:?}"
    );
    assert!(cloth.collisions > 0 || cloth.substeps > 0);
    let last = kept.frames.last().unwrap();
    assert_eq!(last.bodies.len(), setup.header.bodies.len());
    // Without the head they would fall by almost 1.8 m.
    assert!(
        last.bodies[0].position.z > 1.3,
        "{}",
        last.bodies[0].position
    );
    assert!(last.cloth.iter().any(|v| v.z > 1.6));
}

/// A movement is a value: it can be set in any setup of its scene, the scene
/// stays as it was loaded, and a setup of other characters refuses it.
#[test]
fn a_planned_movement_can_be_set_in_every_setup_of_its_scene() {
    let text = quick("[[character]]\n[[goal]]\nkind = 'stand'\n");
    let parse = |text: &str| {
        let source = SourceText::new("scene.toml", text);
        Scene::parse(
            "test",
            source,
            Files::in_memory([]),
            &LoadOptions::default(),
        )
        .unwrap()
    };
    let scene = parse(&text);
    let before = format!("{scene:?}");
    let mut first = scene.build().unwrap();
    assert!(first.world.motion.as_ref().unwrap().movement().is_none());
    let planner = first.planner.as_ref().unwrap();
    let movement = Arc::new(planner.plan(&|_| ControlFlow::Continue(())));
    first.set_movement(&movement).unwrap();
    let mut second = scene.build().unwrap();
    assert!(second.world.motion.as_ref().unwrap().movement().is_none());
    second.set_movement(&movement).unwrap();
    assert_eq!(second.world.motion.as_ref().unwrap().clip(), &movement.clip);
    assert_eq!(format!("{scene:?}"), before);
    let (first, second) = (run(&mut first).1, run(&mut second).1);
    assert_eq!(
        crate::support::hash(&first.frames),
        crate::support::hash(&second.frames)
    );

    let other = parse(&text.replace("[[character]]", "[[character]]\nname = 'eve'"));
    let mut setup = other.build().unwrap();
    assert!(setup.set_movement(&movement).is_err());
    assert!(setup.world.motion.unwrap().movement().is_none());
    let mut setup = crate::support::built_in("cylon", &[]);
    assert!(setup.set_movement(&movement).is_err());
}

/// The length of a movement is the default length of the run. It belongs to the
/// setup: the scene holds only the content of its file.
#[test]
fn building_a_scene_does_not_change_it() {
    let text = quick("[[character]]\n[[goal]]\nkind = 'stand'\n");
    let source = SourceText::new("scene.toml", text.as_str());
    let scene = Scene::parse(
        "test",
        source,
        Files::in_memory([]),
        &LoadOptions::default(),
    )
    .unwrap();
    let seconds = scene.file.time.seconds;
    let setup = scene.build().unwrap();
    assert_eq!(scene.file.time.seconds, seconds);
    assert!((setup.schedule.seconds - 0.6).abs() < 1e-12 && seconds != 0.6);
    assert_eq!(setup.schedule.steps, 60);
}

/// A page that shows a scene builds it again at every reset. The scene must not change if
/// a mesh is edited meanwhile.
#[test]
fn a_scene_that_is_built_again_uses_the_texts_that_were_read_first() {
    let folder = std::env::temp_dir().join(format!("conatus-built-again-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("wedge.obj"), mesh).unwrap();
    let text = "[[body]]\nshape.mesh.file = 'wedge.obj'\nmass = 1\n";
    let path = folder.join("scene.toml");
    std::fs::write(&path, text).unwrap();
    let scene = Scene::load(path.to_str().unwrap(), &LoadOptions::default()).unwrap();
    let first = scene.build().unwrap_or_else(|e| panic!("{e}"));
    std::fs::write(folder.join("wedge.obj"), "not a mesh").unwrap();
    let second = scene.build().unwrap_or_else(|e| panic!("{e}"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(first.sources, second.sources);
    assert_eq!(first.sources[1].text, mesh);
}

/// docs/scenes.md lists every weight and every threshold; the schema lists them only as
/// numbers.
#[test]
fn every_weight_and_threshold_is_in_the_reference() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenes.md");
    let page = std::fs::read_to_string(path).unwrap();
    let weights = serde_json::to_value(conatus_motion::CostWeights::default()).unwrap();
    for (name, value) in weights.as_object().unwrap() {
        let row = format!("| `{name}` | {} |", value.as_f64().unwrap());
        assert!(page.contains(&row), "no row {row:?}");
    }
    for threshold in [
        "residual_max",
        "residual_mean",
        "drift",
        "limb",
        "penetration",
        "task",
    ] {
        assert!(
            page.contains(&format!("| `{threshold}` | 0.0")),
            "no row for {threshold}"
        );
    }
}

#[test]
fn the_default_effort_is_that_of_the_reference() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenes.md");
    let page = std::fs::read_to_string(path).unwrap();
    let usual = conatus_motion::Effort::default();
    for (key, value) in [
        ("samples", usual.samples.to_string()),
        ("polish_samples", usual.polish_samples.to_string()),
        ("iterations", format!("`{:?}`", usual.iterations)),
        ("polish", usual.polish.to_string()),
        ("noise", usual.noise.to_string()),
        ("attempts", usual.attempts.to_string()),
        ("keep", usual.keep.to_string()),
    ] {
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{key}` |")));
        let row = row.unwrap_or_else(|| panic!("no row for {key}"));
        assert!(row.contains(&format!("| {value} |")), "{row}: {value}");
    }
}

#[test]
fn a_position_may_leave_any_coordinate_open() {
    let goals = |position: &str| {
        let text = format!("[[character]]\n[[goal]]\nkind = 'position'\nposition = {position}\n");
        let setup = from_text(&text, &[]).map_err(|e| e.to_string())?;
        let planner = setup.planner.expect("the scene has a character");
        Ok::<_, String>(planner.problem.goals.clone())
    };
    for (text, expected) in [
        ("{ z = 1.3 }", [None, None, Some(1.3)]),
        ("{ y = -1, x = 2 }", [Some(2.0), Some(-1.0), None]),
        ("[2, 0]", [Some(2.0), Some(0.0), None]),
    ] {
        let found = goals(text).unwrap();
        let [Goal::Position { target, .. }] = found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(target, expected, "{text}");
    }
    for (text, message) in [
        ("{}", "expected 2 or 3 numbers, found 0"),
        ("[1]", "expected 2 or 3 numbers, found 1"),
        ("{ height = 2 }", "height"),
        ("'high'", "[x, y], [x, y, z] or a table of x, y and z"),
    ] {
        let error = goals(text).unwrap_err();
        assert!(error.contains(message), "{text}: {error}");
    }
}
