//! MJCF in particular: defaults, orientations, shapes, groups, constraints and actuators.

use conatus_math::{DQuat, DVec3};
use conatus_world::scene::import::{Imported, import};
use conatus_world::scene::model::{ImportSpec, JointKindSpec, ShapeSpec};
use conatus_world::scene::{Files, SourceText};
use std::f64::consts::{FRAC_PI_2, PI};

fn read_with(text: &str, meshes: &[(&str, &str)], motors: bool) -> Imported {
    let source = SourceText::new("robot.xml", text);
    let files = meshes.iter().map(|(n, t)| (n.to_string(), t.to_string()));
    let spec = ImportSpec {
        motors,
        ..ImportSpec::default()
    };
    let imported = import(&source, &spec, &Files::in_memory(files), false);
    imported.unwrap_or_else(|error| panic!("{error}"))
}

fn read(inner: &str) -> Imported {
    read_with(&format!("<mujoco>{inner}</mujoco>"), &[], false)
}

/// A body of a free sphere with these attributes.
fn free(attributes: &str) -> String {
    format!("<body {attributes}><freejoint/><geom size='0.1'/></body>")
}

#[test]
fn all_ways_to_turn_a_body_agree_with_matrices() {
    let turned = |compiler: &str, attributes: &str| {
        let text = format!(
            "<compiler {compiler}/><worldbody>{}</worldbody>",
            free(attributes)
        );
        let [w, x, y, z] = read(&text).file.body[0]
            .orientation
            .unwrap_or([1.0, 0.0, 0.0, 0.0]);
        DQuat::from_xyzw(x, y, z, w)
    };
    let (x, y, z) = (
        DQuat::from_rotation_x,
        DQuat::from_rotation_y,
        DQuat::from_rotation_z,
    );
    let (a, b, c) = (0.3, -0.4, 0.5);
    for (compiler, attributes, expected) in [
        ("angle='radian'", "euler='0.3 -0.4 0.5'", x(a) * y(b) * z(c)),
        (
            "angle='radian' eulerseq='XYZ'",
            "euler='0.3 -0.4 0.5'",
            z(c) * y(b) * x(a),
        ),
        (
            "angle='radian' eulerseq='zxz'",
            "euler='0.3 -0.4 0.5'",
            z(a) * x(b) * z(c),
        ),
        ("", "euler='90 0 0'", x(FRAC_PI_2)),
        ("", "axisangle='0 2 0 90'", y(FRAC_PI_2)),
        ("", "quat='2 0 0 2'", z(FRAC_PI_2)),
        ("", "xyaxes='0 1 0 -1 1 0'", z(FRAC_PI_2)),
        ("", "zaxis='1 0 0'", y(FRAC_PI_2)),
        ("", "zaxis='0 0 -3'", x(PI)),
    ] {
        let found = turned(compiler, attributes);
        assert!(
            found.dot(expected).abs() > 1.0 - 1e-12,
            "{attributes}: {found}"
        );
    }
}

/// The masses of shapes with the density 1000: closed forms.
#[test]
fn shapes_have_the_volumes_of_their_sizes() {
    for (attributes, volume) in [
        ("size='0.2'", 4.0 / 3.0 * PI * 0.008),
        ("type='box' size='0.1 0.2 0.3'", 8.0 * 0.006),
        ("type='cylinder' size='0.1 0.4'", PI * 0.01 * 0.8),
        (
            "type='capsule' size='0.1 0.4'",
            PI * 0.01 * 0.8 + 4.0 / 3.0 * PI * 0.001,
        ),
        (
            "type='capsule' size='0.1' fromto='0 0 0 0 0.6 0.8'",
            PI * 0.01 + 4.0 / 3.0 * PI * 0.001,
        ),
        (
            "type='ellipsoid' size='0.1 0.2 0.3'",
            4.0 / 3.0 * PI * 0.006,
        ),
        (
            "type='box' size='0.1 0.2 0.3' density='500'",
            8.0 * 0.006 * 0.5,
        ),
        ("type='box' size='0.1 0.2 0.3' mass='48'", 8.0 * 0.006),
        ("type='mesh' mesh='cube' density='125'", 1.0 / 8.0),
    ] {
        let text = format!(
            "<mujoco><compiler meshdir='m'/><asset><mesh file='cube.obj'/></asset><worldbody>\
             <body><freejoint/><geom {attributes}/></body></worldbody></mujoco>"
        );
        let imported = read_with(&text, &[("m/cube.obj", CUBE)], false);
        let body = &imported.file.body[0];
        let mass = body.mass.unwrap();
        assert!(
            (mass / (1000.0 * volume) - 1.0).abs() < 1e-12,
            "{attributes}: {mass}"
        );
        let noted = imported
            .notes
            .iter()
            .any(|n| n.reason.contains("convex hull"));
        assert_eq!(noted, attributes.contains("mesh"));
        if let Some(part) = body.parts.first() {
            // From (0, 0, 0) to (0, 0.6, 0.8): the middle, and the direction of z.
            assert_eq!(part.position, [0.0, 0.3, 0.4]);
            let [w, x, y, z] = part.orientation.unwrap();
            let axis = DQuat::from_xyzw(x, y, z, w) * DVec3::Z;
            assert!(axis.distance(DVec3::new(0.0, 0.6, 0.8)) < 1e-12);
        }
    }
}

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

#[test]
fn defaults_come_from_the_nearest_class() {
    let imported = read(
        "<default><geom density='10' rgba='1 0 0 1'/><default class='a'><geom density='20'/>\
         <default class='b'><geom type='box' size='0.5 0.5 0.5'/></default></default></default>\
         <worldbody><body name='main'><freejoint/><geom type='box' size='0.5 0.5 0.5'/></body>\
         <body name='a' childclass='a'><freejoint/><geom class='b'/>\
         <body name='b' childclass='b' pos='0 0 3'><joint/><geom/></body>\
         <body name='own' pos='0 3 0'><joint/><geom class='b' density='30' rgba='0 0 1 1'/></body>\
         </body></worldbody>",
    );
    let mass = |name: &str| {
        let body = imported.file.body.iter().find(|b| b.name == name).unwrap();
        (body.mass.unwrap(), body.color.clone().unwrap())
    };
    assert_eq!(mass("main"), (10.0, "#ff0000".into()));
    assert_eq!(mass("a"), (20.0, "#ff0000".into()));
    assert_eq!(mass("b"), (20.0, "#ff0000".into()));
    assert_eq!(mass("own"), (30.0, "#0000ff".into()));
}

#[test]
fn frames_move_what_they_hold() {
    let imported = read(&format!(
        "<worldbody><frame pos='1 0 0' euler='0 0 90'><frame pos='2 0 0'>{}</frame></frame>\
         <body name='b'><freejoint/><frame pos='0 0 1'><geom size='0.1'/></frame></body>\
         </worldbody>",
        free("name='a' pos='3 0 0'")
    ));
    let origin = DVec3::from(imported.file.body[0].origin.unwrap());
    assert!(
        origin.distance(DVec3::new(1.0, 5.0, 0.0)) < 1e-12,
        "{origin}"
    );
    assert_eq!(imported.file.body[1].centre, Some([0.0, 0.0, 1.0]));
}

#[test]
fn shapes_in_groups_that_do_not_meet_are_excluded() {
    let body = |name: &str, bits: [u32; 2], x: f64| {
        format!(
            "<body name='{name}' pos='{x} 0 0'><freejoint/><geom size='0.1' contype='{}' \
             conaffinity='{}'/></body>",
            bits[0], bits[1]
        )
    };
    let bodies = body("a", [1, 0], 0.0)
        + &body("b", [1, 0], 1.0)
        + &body("c", [1, 0], 2.0)
        + &body("d", [1, 1], 3.0)
        + &body("seen", [0, 0], 4.0);
    let imported = read(&format!("<worldbody>{bodies}</worldbody>"));
    // a, b and c do not meet each other; d meets all of them.
    let lists: Vec<_> = imported
        .file
        .exclude
        .iter()
        .map(|e| e.bodies.join(" "))
        .collect();
    assert_eq!(lists, ["a b c"]);
    assert_eq!(imported.file.body[4].collides, Some(false));
}

#[test]
fn equality_constraints_close_loops() {
    let body = |name: &str, x: f64| {
        format!("<body name='{name}' pos='{x} 0 0'><joint axis='0 1 0'/><geom size='0.1'/></body>")
    };
    let imported = read(&format!(
        "<worldbody>{}{}{}</worldbody><equality><connect body1='a' body2='b' anchor='0 0 1'/>\
         <weld name='hold' body1='c'/><weld body1='a' body2='c' active='false'/>\
         <joint joint1='x' joint2='y'/></equality>",
        body("a", 0.0),
        body("b", 1.0),
        body("c", 2.0)
    ));
    let joints = &imported.file.joint;
    let connect = joints.iter().find(|j| j.name == "connect-1").unwrap();
    assert_eq!(
        (connect.kind, connect.at),
        (JointKindSpec::Ball, Some([0.0, 0.0, 1.0]))
    );
    assert_eq!(connect.bodies, ["a", "b"]);
    let weld = joints.iter().find(|j| j.name == "hold").unwrap();
    assert_eq!(
        (weld.kind, weld.bodies.join(" ")),
        (JointKindSpec::Fixed, "c".into())
    );
    assert_eq!(joints.len(), 5);
    assert_eq!(imported.notes.len(), 2, "{:?}", imported.notes);
}

#[test]
fn actuators_become_springs_and_motors() {
    let text = "<mujoco><worldbody><body name='b'>\
        <joint name='motor' axis='1 0 0'/><geom size='0.1'/>\
        <body name='c' pos='1 0 0'><joint name='servo' stiffness='1' springref='57.29577951308232'/><geom size='0.1'/>\
        <body name='d' pos='1 0 0'><joint name='bounded'/><geom size='0.1'/>\
        <body name='e' pos='1 0 0'><joint name='speed'/><geom size='0.1'/>\
        <body name='f' pos='1 0 0'><joint name='general'/><geom size='0.1'/>\
        </body></body></body></body></body></worldbody><actuator>\
        <motor joint='motor' gear='30' ctrlrange='-0.5 0.5'/>\
        <position joint='servo' kp='3' kv='0.5' gear='2'/>\
        <position joint='bounded' kp='100' forcerange='-7 7'/>\
        <velocity joint='speed' kv='4'/>\
        <general joint='general' gainprm='9' biastype='affine' biasprm='0 -9 -2'/>\
        <muscle joint='motor'/></actuator></mujoco>";
    for motors in [false, true] {
        let imported = read_with(text, &[], motors);
        let joint = |name: &str| imported.file.joint.iter().find(|j| j.name == name).unwrap();
        let held = joint("motor").motor.map(|m| (m.position, m.max_force));
        assert_eq!(held, motors.then_some((Some(0.0), 15.0)));
        // Its own spring rests at 1 rad, the servo of 3·2² at 0: together at 1/13.
        let spring = joint("servo").spring.unwrap();
        assert_eq!((spring.stiffness, spring.damping), (13.0, 2.0));
        assert!((spring.rest.unwrap() - 1.0 / 13.0).abs() < 1e-12);
        let bounded = joint("bounded").motor.unwrap();
        assert_eq!((bounded.position, bounded.max_force), (Some(0.0), 7.0));
        assert_eq!(joint("speed").spring.unwrap().damping, 4.0);
        let general = joint("general").spring.unwrap();
        assert_eq!((general.stiffness, general.damping), (9.0, 2.0));
        let muscle = imported
            .notes
            .iter()
            .find(|n| n.element.starts_with("muscle"));
        assert!(muscle.is_some_and(|n| n.reason.contains("no actuator of a scene")));
    }
}

#[test]
fn what_never_moves_becomes_one_locked_body() {
    let imported = read(&format!(
        "<option timestep='0.004' gravity='0 0 -1.62'/><worldbody>\
         <geom type='plane' pos='0 0 -1' size='1 1 1'/><geom type='box' size='1 1 0.5'/>\
         <body name='shelf' pos='0 0 2'><geom type='box' size='1 1 0.1'/></body>{}</worldbody>\
         <tendon><fixed/></tendon><sensor/><keyframe/>",
        free("name='ball' pos='0 0 5'")
    ));
    let file = &imported.file;
    let world = &file.body[0];
    assert!(world.locked && world.name == "world" && world.parts.len() == 2);
    assert!(matches!(world.parts[1].shape, ShapeSpec::Box(_)));
    assert_eq!(file.plane[0].point, [0.0, 0.0, -1.0]);
    assert_eq!(
        (file.gravity, file.time.step),
        (Some([0.0, 0.0, -1.62]), 0.004)
    );
    assert_eq!(file.time.steps_per_frame, 5);
    let noted: Vec<&str> = imported.notes.iter().map(|n| n.element.as_str()).collect();
    assert_eq!(noted, ["tendon", "sensor", "keyframe"]);
}

/// Messages and comments name the file that a line is in.
#[test]
fn included_files_take_the_place_of_the_element() {
    let text = "<mujoco>\n<include file='parts/head.xml'/>\n<worldbody>\n<body name='a'>\n\
        <freejoint/><geom size='0.1'/>\n<include file='parts/leg.xml'/></body></worldbody></mujoco>";
    let head = "<mujocoinclude>\n<option timestep='0.004'/>\n<tendon/></mujocoinclude>";
    let leg = "<mujoco>\n\n\n<body name='leg'><joint/><geom size='SIZE'/></body></mujoco>";
    let with = |leg: &str| {
        let files = Files::in_memory([
            ("robots/parts/head.xml".to_owned(), head.to_owned()),
            ("robots/parts/leg.xml".to_owned(), leg.to_owned()),
        ]);
        let spec = ImportSpec {
            file: "robots/a.xml".into(),
            ..ImportSpec::default()
        };
        import(&SourceText::new("a.xml", text), &spec, &files, false)
    };
    let imported = with(&leg.replace("SIZE", "0.1")).unwrap();
    assert_eq!(imported.file.time.step, 0.004);
    let note = imported.notes[0].to_string();
    assert!(
        note.starts_with("robots/parts/head.xml, line 3, tendon"),
        "{note}"
    );
    let scene = imported.to_toml().unwrap();
    for place in ["# a.xml:4", "# robots/parts/leg.xml:4"] {
        assert!(scene.contains(place), "{scene}");
    }
    let wrong = with(&leg.replace("SIZE", "-1")).unwrap_err().to_string();
    assert!(wrong.starts_with("robots/parts/leg.xml:4:"), "{wrong}");
    let twice = with("<mujoco><include file='parts/leg.xml'/></mujoco>").unwrap_err();
    assert!(twice.to_string().contains("included twice"), "{twice}");
}
