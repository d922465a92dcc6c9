//! Robots from URDF and MJCF files: the numbers that arrive in the scene, and how it moves.

use conatus_math::{DMat3, DVec3};
use conatus_world::scene::import::{Imported, import};
use conatus_world::scene::model::{BodySpec, ImportSpec, JointKindSpec, JointSpec};
use conatus_world::scene::{Files, LoadOptions, Scene, SceneError, Setup, SourceText};

const DOUBLE_PENDULUM: &str = include_str!("../robots/double-pendulum.urdf");
const QUADRUPED: &str = include_str!("../robots/quadruped.urdf");
const HUMANOID: &str = include_str!("../robots/humanoid.xml");

fn read_with(text: &str, spec: &ImportSpec, ground: bool) -> Result<Imported, SceneError> {
    let source = SourceText::new("robot.xml", text);
    import(&source, spec, &Files::in_memory([]), ground)
}

#[track_caller]
fn read(text: &str) -> Imported {
    read_with(text, &ImportSpec::default(), false).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn built(imported: &Imported) -> Setup {
    let text = imported.to_toml().unwrap();
    let source = SourceText::new("scene.toml", text.as_str());
    let files = Files::in_memory([]);
    let scene = Scene::parse("test", source, files, &LoadOptions::default());
    let setup = scene.and_then(|scene| scene.build());
    setup.unwrap_or_else(|error| panic!("{text}\n{error}"))
}

#[track_caller]
fn body<'a>(imported: &'a Imported, name: &str) -> &'a BodySpec {
    let mut bodies = imported.file.body.iter();
    bodies.find(|b| b.name == name).unwrap()
}

#[track_caller]
fn joint<'a>(imported: &'a Imported, name: &str) -> &'a JointSpec {
    let mut joints = imported.file.joint.iter();
    joints.find(|j| j.name == name).unwrap()
}

#[track_caller]
fn assert_inertia(body: &BodySpec, rows: [[f64; 3]; 3]) {
    let found = body.inertia.unwrap();
    for (a, b) in found.iter().flatten().zip(rows.iter().flatten()) {
        assert!((a - b).abs() < 1e-12, "{found:?}");
    }
}

fn assert_close(found: Option<[f64; 3]>, expected: [f64; 3]) {
    let found = DVec3::from(found.unwrap());
    let error = found.distance(expected.into());
    assert!(error < 1e-12, "{found} instead of {expected:?}");
}

/// The masses and stiffnesses of the pendulum in its file.
struct Pendulum {
    mass: DMat3,
    weight: [f64; 2],
}

impl Pendulum {
    /// M θ̈ + K θ = 0 for the angles against the vertical, with
    /// M = [[I₁ + m₁c₁² + m₂L², m₂Lc₂], [m₂Lc₂, I₂ + m₂c₂²]] and K = diag((m₁c₁ + m₂L)g, m₂c₂g).
    fn new() -> Self {
        let (m1, c1, i1, length) = (1.2, 0.3, 0.036, 0.6);
        let (m2, c2, i2) = (0.8, 0.2, 0.8 * 0.16 / 12.0);
        let a = i1 + m1 * c1 * c1 + m2 * length * length;
        let b = m2 * length * c2;
        let c = i2 + m2 * c2 * c2;
        Self {
            mass: DMat3::from_cols_array(&[a, b, 0.0, b, c, 0.0, 0.0, 0.0, 1.0]),
            weight: [(m1 * c1 + m2 * length) * 9.81, m2 * c2 * 9.81],
        }
    }

    /// ω² and the ratio θ₂/θ₁ of the slow and the fast mode, from det(K − ω²M) = 0.
    fn modes(&self) -> [(f64, f64); 2] {
        let (a, b, c) = (self.mass.x_axis.x, self.mass.x_axis.y, self.mass.y_axis.y);
        let [k1, k2] = self.weight;
        let (p, q, r) = (a * c - b * b, -(a * k2 + c * k1), k1 * k2);
        let root = (q * q - 4.0 * p * r).sqrt();
        [(-q - root) / (2.0 * p), (-q + root) / (2.0 * p)]
            .map(|square| (square, (k1 - square * a) / (square * b)))
    }
}

#[test]
fn a_double_pendulum_swings_with_the_periods_of_its_normal_modes() {
    for (square, ratio) in Pendulum::new().modes() {
        let amplitude = 0.01;
        let spec = ImportSpec {
            start: [
                ("shoulder".to_owned(), amplitude),
                ("elbow".to_owned(), amplitude * (ratio - 1.0)),
            ]
            .into(),
            ..ImportSpec::default()
        };
        let imported = read_with(DOUBLE_PENDULUM, &spec, false).unwrap();
        let mut setup = built(&imported);
        let lower = 1;
        // The place of the lower rod swings as cos ωt; its passages through zero give ω.
        let mut passages = Vec::new();
        let mut last = setup.world.bodies.state(lower).position.x;
        while passages.len() < 9 {
            let before = setup.world.time();
            setup.world.step();
            let now = setup.world.bodies.state(lower).position.x;
            if last.signum() != now.signum() {
                let share = last / (last - now);
                passages.push(before + share * (setup.world.time() - before));
            }
            last = now;
            assert!(before < 20.0, "it does not swing");
        }
        let period = (passages[8] - passages[0]) / 4.0;
        let expected = std::f64::consts::TAU / square.sqrt();
        let error = period / expected - 1.0;
        assert!(error.abs() < 1e-3, "{period} instead of {expected}");
    }
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let spec = ImportSpec {
        start: [("shoulder".to_owned(), 1.2), ("elbow".to_owned(), -0.6)].into(),
        ..ImportSpec::default()
    };
    let imported = read_with(DOUBLE_PENDULUM, &spec, false).unwrap();
    let mut setup = built(&imported);
    let energy = |setup: &Setup| {
        let totals = setup.world.totals();
        totals.kinetic + totals.potential
    };
    let start = energy(&setup);
    // The lowest place of both rods is 2 m and less up: what can become motion.
    let scale = 9.81 * (1.2 * 0.3 + 0.8 * 0.8);
    let mut worst: f64 = 0.0;
    while setup.world.time() < 5.0 {
        setup.world.step();
        worst = worst.max((energy(&setup) - start).abs() / scale);
    }
    assert!(worst < 0.02, "{worst}");
}

/// diag(1, 2, 2.5) turned by 30° about z: xx = c² + 2s² = 1.25, yy = s² + 2c² = 1.75,
/// xy = cs(1 − 2) = −√3/4.
#[test]
fn inertia_in_turned_axes_is_turned() {
    let text = r#"<robot name="r"><link name="a"><inertial>
        <origin xyz="0.1 0.2 0.3" rpy="0 0 0.52359877559829887"/><mass value="3"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>
        </inertial></link></robot>"#;
    let imported = read(text);
    let a = body(&imported, "a");
    let xy = -(3.0f64.sqrt()) / 4.0;
    assert_inertia(a, [[1.25, xy, 0.0], [xy, 1.75, 0.0], [0.0, 0.0, 2.5]]);
    assert_close(a.centre, [0.1, 0.2, 0.3]);
    let text = r#"<mujoco><worldbody><body name="a"><freejoint/>
        <inertial pos="0.1 0.2 0.3" mass="3" euler="0 0 30" diaginertia="1 2 2.5"/>
        </body><body name="b"><freejoint/>
        <inertial pos="0 0 0" mass="3" fullinertia="1.25 1.75 2.5 -0.4 0.1 0.2"/>
        </body></worldbody></mujoco>"#;
    let imported = read(text);
    let a = body(&imported, "a");
    assert_inertia(a, [[1.25, xy, 0.0], [xy, 1.75, 0.0], [0.0, 0.0, 2.5]]);
    let b = body(&imported, "b");
    assert_inertia(b, [[1.25, -0.4, 0.1], [-0.4, 1.75, 0.2], [0.1, 0.2, 2.5]]);
    built(&imported);
}

/// Two equal masses 0.4 m apart along x: the middle is the centre, and across x each adds
/// m·0.2² = 0.08.
#[test]
fn a_fixed_link_becomes_part_of_its_parent() {
    let inertial = r#"<inertial><mass value="2"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;
    let text = format!(
        r#"<robot name="r"><link name="a">{inertial}</link>
        <link name="b">{inertial}<collision><geometry><sphere radius="0.1"/></geometry>
        </collision></link>
        <joint name="j" type="fixed"><parent link="a"/><child link="b"/>
        <origin xyz="0.4 0 0" rpy="0.3 0 0"/></joint></robot>"#
    );
    let imported = read(&text);
    assert_eq!(
        (imported.file.body.len(), imported.file.joint.len()),
        (1, 0)
    );
    let a = body(&imported, "a");
    assert_eq!(a.mass, Some(4.0));
    assert_close(a.centre, [0.2, 0.0, 0.0]);
    assert_inertia(a, [[2.0, 0.0, 0.0], [0.0, 2.16, 0.0], [0.0, 0.0, 2.16]]);
    assert_eq!(a.parts[0].position, [0.4, 0.0, 0.0]);
}

/// A URDF robot of a free root and one more link for every joint type.
fn every_urdf_joint() -> String {
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="1"/>
            <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>"#
        )
    };
    let mut text = format!(r#"<robot name="r">{}"#, link("root"));
    for (kind, more) in [
        (
            "revolute",
            r#"<limit lower="-0.5" upper="1" effort="7" velocity="3"/>"#,
        ),
        (
            "continuous",
            r#"<dynamics damping="0.4"/><limit effort="5" velocity="1"/>"#,
        ),
        (
            "prismatic",
            r#"<limit lower="0.2" upper="0.6" effort="9" velocity="3"/>"#,
        ),
        ("fixed", ""),
        ("floating", ""),
        ("planar", ""),
        ("spherical", ""),
    ] {
        text += &link(kind);
        text += &format!(
            r#"<joint name="j-{kind}" type="{kind}"><parent link="root"/><child link="{kind}"/>
            <origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><axis xyz="1 0 0"/>{more}</joint>"#
        );
    }
    text + "</robot>"
}

#[test]
fn every_joint_type_of_urdf_arrives() {
    let spec = ImportSpec {
        motors: true,
        ..ImportSpec::default()
    };
    let imported = read_with(&every_urdf_joint(), &spec, false).unwrap();
    let hinge = joint(&imported, "j-revolute");
    assert_eq!(hinge.kind, JointKindSpec::Hinge);
    assert_eq!(hinge.bodies, ["root", "revolute"]);
    assert_eq!(hinge.limits, Some([-0.5, 1.0]));
    assert_close(hinge.at, [1.0, 2.0, 3.0]);
    assert_close(hinge.axis, [0.0, 1.0, 0.0]);
    let motor = hinge.motor.unwrap();
    assert_eq!((motor.position, motor.max_force), (Some(0.0), 7.0));
    let continuous = joint(&imported, "j-continuous");
    assert_eq!(continuous.limits, None);
    assert_eq!(continuous.spring.unwrap().damping, 0.4);
    // It cannot start at 0: it starts at 0.2, and its limits count from there.
    let slider = joint(&imported, "j-prismatic");
    assert_eq!(slider.kind, JointKindSpec::Slider);
    let [low, high] = slider.limits.unwrap();
    assert!(low == 0.0 && (high - 0.4).abs() < 1e-15);
    assert_close(body(&imported, "prismatic").origin, [1.0, 2.2, 3.0]);
    let planar = joint(&imported, "j-planar-x+j-planar-y+j-planar");
    assert_eq!(planar.kind, JointKindSpec::Free);
    let free = &planar.free;
    assert!(free.x.is_some() && free.y.is_some() && free.turn_z.is_some());
    assert!(free.z.is_none() && free.turn_x.is_none() && free.turn_y.is_none());
    assert_eq!(joint(&imported, "j-spherical").kind, JointKindSpec::Ball);
    assert!(
        imported
            .file
            .joint
            .iter()
            .all(|j| !j.bodies.contains(&"floating".to_owned()))
    );
    assert_eq!(imported.file.body.len(), 7, "`fixed` is part of `root`");
    built(&imported);
}

#[test]
fn joints_of_mjcf_become_one_joint_where_they_can() {
    let geom = r#"<geom type="sphere" size="0.1"/>"#;
    let text = format!(
        r#"<mujoco><compiler angle="radian"/><worldbody>
        <body name="hinge"><joint name="h" axis="0 2 0" range="-1 1" ref="0.25" stiffness="3"
          springref="0.5" damping="0.1"/>{geom}</body>
        <body name="slide" pos="1 0 0"><joint name="s" type="slide" axis="1 0 0"/>{geom}</body>
        <body name="ball" pos="2 0 0"><joint name="b" type="ball" range="0 0.7"/>{geom}</body>
        <body name="sprung" pos="3 0 0"><joint name="d" type="ball" damping="2"/>{geom}</body>
        <body name="free" pos="4 0 0"><joint type="free"/>{geom}</body>
        <body name="two" pos="5 0 0"><joint name="t1" axis="1 0 0"/><joint name="t2"
          axis="0 0 -1" range="-0.2 0.4"/>{geom}</body>
        <body name="three" pos="6 0 0"><joint name="u1" axis="1 0 0"/><joint name="u2"
          axis="0 1 0"/><joint name="u3" axis="0 0 1" range="-0.2 0.4"/>{geom}</body>
        <body name="plane" pos="7 0 0"><joint name="p1" type="slide" axis="1 0 0"/><joint
          name="p2" type="slide" axis="0 0 1"/><joint name="p3" axis="0 1 0"/>{geom}</body>
        <body name="odd" pos="8 0 0"><joint name="o1" axis="1 0 0"/><joint name="o2"
          axis="1 1 0"/>{geom}</body>
        </worldbody></mujoco>"#
    );
    let imported = read(&text);
    let hinge = joint(&imported, "h");
    assert_eq!(
        (hinge.kind, hinge.limits),
        (JointKindSpec::Hinge, Some([-1.25, 0.75]))
    );
    let spring = hinge.spring.unwrap();
    assert_eq!(
        (spring.stiffness, spring.damping, spring.rest),
        (3.0, 0.1, Some(0.25))
    );
    assert_eq!(hinge.bodies, ["hinge"], "joined to the world");
    assert_eq!(joint(&imported, "s").kind, JointKindSpec::Slider);
    let ball = joint(&imported, "b");
    assert_eq!((ball.kind, ball.swing), (JointKindSpec::Ball, Some(0.7)));
    assert_eq!(
        joint(&imported, "d")
            .free
            .turn_y
            .unwrap()
            .spring
            .unwrap()
            .damping,
        2.0
    );
    // z of the scene's joint is the first axis, y the second.
    let two = joint(&imported, "t1+t2");
    assert_close(two.axis, [1.0, 0.0, 0.0]);
    assert_close(two.second_axis, [0.0, 0.0, -1.0]);
    assert_eq!(two.free.turn_y.unwrap().limits, Some([-0.2, 0.4]));
    assert!(two.free.turn_x.is_none());
    // The third axis is y × z = −u3, so its limits change sign.
    let three = joint(&imported, "u1+u2+u3");
    assert_eq!(three.free.turn_x.unwrap().limits, Some([-0.4, 0.2]));
    let plane = joint(&imported, "p1+p2+p3");
    assert_close(plane.axis, [0.0, 1.0, 0.0]);
    // Axes at 45° need a light body between the hinges.
    assert_eq!(joint(&imported, "o1").bodies, ["odd/o1"]);
    assert_eq!(joint(&imported, "o2").bodies, ["odd/o1", "odd"]);
    assert!(
        imported
            .notes
            .iter()
            .any(|n| n.reason.contains("light body"))
    );
    let mut setup = built(&imported);
    for _ in 0..100 {
        setup.world.step();
    }
    assert!(setup.world.joints().iter().all(|j| j.load.error < 1e-3));
}

#[test]
fn the_humanoid_has_the_mass_that_mujoco_computes() {
    let imported = read(HUMANOID);
    let total: f64 = imported.file.body.iter().filter_map(|b| b.mass).sum();
    assert!((total - 55.905431186207146).abs() < 1e-9, "{total}");
    // The head is part of the chest, and the floor is a plane.
    assert_eq!(imported.file.body.len(), 13);
    assert_eq!(imported.file.plane.len(), 1);
    assert_eq!(imported.file.time.step, 0.002);
    assert_eq!(
        body(&imported, "left forearm").color.as_deref(),
        Some("#b38066")
    );
    let elbow = joint(&imported, "left elbow").spring.unwrap();
    assert_eq!((elbow.stiffness, elbow.damping), (1.0, 0.6));
    // Three excluded pairs are one list.
    let list = &imported.file.exclude[0].bodies;
    assert_eq!(list.join(", "), "waist, right thigh, left thigh");
    assert_eq!(imported.file.exclude.len(), 1);
    let mut setup = built(&imported);
    let (report, _) = crate::support::run(&mut setup);
    assert!(report.succeeded(), "{report:?}");
}

#[test]
fn a_quadruped_with_motors_stands_and_without_them_falls() {
    for motors in [true, false] {
        let spec = ImportSpec {
            motors,
            ..ImportSpec::default()
        };
        let imported = read_with(QUADRUPED, &spec, true).unwrap();
        assert_eq!(
            (imported.file.body.len(), imported.file.joint.len()),
            (9, 8)
        );
        let trunk = body(&imported, "trunk");
        assert_eq!(trunk.color.as_deref(), Some("#66738080").map(|c| &c[..7]));
        let mut setup = built(&imported);
        let start = setup.world.bodies.state(0).position.z;
        while setup.world.time() < 2.0 {
            setup.world.step();
        }
        let sunk = start - setup.world.bodies.state(0).position.z;
        assert_eq!(sunk < 0.02, motors, "it sank by {sunk} m");
        assert!(sunk < 0.5, "it fell through the ground");
    }
}

#[test]
fn a_scene_with_imports_is_like_one_with_their_bodies() {
    let scene = "time.seconds = 0.1\n[[plane]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n\
        [[import]]\nfile = 'dog.urdf'\nname = 'a'\nposition = [0, 0, 1]\nmotors = true\n\
        [[import]]\nfile = 'dog.urdf'\nname = 'b'\nposition = [0, 3, 1]\n";
    let files = || Files::in_memory([("dog.urdf".to_owned(), QUADRUPED.to_owned())]);
    let load = |sets: &[&str]| {
        let options = LoadOptions {
            sets: sets.iter().map(|s| s.to_string()).collect(),
            ..LoadOptions::default()
        };
        Scene::parse("test", SourceText::new("s.toml", scene), files(), &options)
    };
    let sets = ["body.a/trunk.mass=9", "import[1].position=[0, 4, 2]"];
    let loaded = load(&sets).unwrap();
    let mut setup = loaded.build().unwrap();
    assert_eq!(setup.world.names.len(), 18);
    assert_eq!(setup.world.bodies.constants(0).mass, 9.0);
    let origin = loaded.file.body[9].origin.unwrap();
    assert_eq!(
        (loaded.file.body[9].name.as_str(), origin),
        ("b/trunk", [0.0, 4.0, 2.0])
    );
    assert_eq!(setup.warnings.diagnostics().len(), 2, "{}", setup.warnings);
    let (_, kept) = crate::support::run(&mut setup);
    // A recording holds the robot's file, so it can be run again without it.
    let again = Scene::from_recording("test", &setup.sources, &loaded.overrides, 0).unwrap();
    let mut again = again.build().unwrap();
    let (_, twin) = crate::support::run(&mut again);
    assert_eq!(kept.frames, twin.frames);
    // Mistakes are shown in the robot's file, or where the scene names it.
    let wrong = load(&["import[0].file=none.urdf"]).unwrap_err().to_string();
    assert!(wrong.contains("no file `none.urdf`"), "{wrong}");
    let wrong = load(&["import[0].start.kneee=1"]).unwrap_err().to_string();
    assert!(wrong.contains("no joint `kneee`"), "{wrong}");
    let wrong = load(&["body.a/trunk.mass=-9"]).unwrap().build();
    let wrong = wrong.err().unwrap().to_string();
    assert!(wrong.starts_with("--set:1:"), "{wrong}");
}
