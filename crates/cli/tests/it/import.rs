//! `conatus import`: robots become scenes that check and run.

use crate::support::{assert_error_contains, conatus, folder};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn robots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../world/tests/robots")
}

fn copy(folder: &Path, robot: &str) {
    fs::copy(robots().join(robot), folder.join(robot)).unwrap();
}

#[test]
fn imported_robots_check_and_run() {
    let folder = folder();
    let path = folder.path();
    for (robot, options, said) in [
        ("double-pendulum.urdf", &[][..], "2 bodies, 2 joints"),
        (
            "quadruped.urdf",
            &["--ground", "--motors"],
            "9 bodies, 8 joints",
        ),
        ("humanoid.xml", &[], "13 bodies, 12 joints"),
    ] {
        copy(path, robot);
        let scene = format!("{robot}.toml");
        let mut arguments = vec!["import", robot, "-o", &scene];
        arguments.extend(options);
        let output = conatus(path, &arguments);
        assert_eq!(output.code, 0, "{}", output.err);
        assert!(output.out.contains(said), "{}", output.out);
        assert!(output.out.contains("left out or changed"), "{}", output.out);
        let text = fs::read_to_string(path.join(&scene)).unwrap();
        let place = format!("# {robot}:");
        assert!(text.matches(&place).count() >= 4, "{text}");
        let checked = conatus(path, &["check", &scene]);
        assert_eq!(checked.code, 0, "{}", checked.err);
        assert!(!checked.out.contains("warning"), "{}", checked.out);
        let run = conatus(
            path,
            &["run", &scene, "--seconds", "0.5", "-o", "a.csv", "-q"],
        );
        assert_eq!(run.code, 0, "{}", run.err);
        // A second import does not overwrite what may have been edited.
        let again = conatus(path, &arguments);
        assert_eq!(again.code, 1);
        assert_error_contains(&again, &["exists already"]);
    }
}

#[test]
fn without_an_output_the_scene_goes_to_standard_output() {
    let folder = folder();
    copy(folder.path(), "quadruped.urdf");
    let arguments = [
        "import",
        "quadruped.urdf",
        "--fixed-base",
        "--name",
        "dog",
        "--position",
        "0,0,-1",
        "--set-joint",
        "front left hip=0.25",
    ];
    let output = conatus(folder.path(), &arguments);
    assert_eq!(output.code, 0, "{}", output.err);
    assert!(
        output.out.contains("name = \"dog/trunk\""),
        "{}",
        output.out
    );
    assert!(output.out.contains("locked = true"), "{}", output.out);
    assert!(
        output.out.contains("limits = [-1.45, 0.95]"),
        "{}",
        output.out
    );
    assert_error_contains(&output, &["transmission `drive`"]);
    fs::write(folder.path().join("a.toml"), &output.out).unwrap();
    let checked = conatus(folder.path(), &["check", "a.toml"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
}

#[test]
fn mistakes_have_a_file_a_line_and_a_remedy() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("broken.urdf", "<robot name='a'>\n<link name='b'\n</robot>");
    write("empty.urdf", "");
    write(
        "heavy.urdf",
        "<robot name='a'>\n<link name='b'><inertial><mass value='-1'/>\n<inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>",
    );
    copy(folder.path(), "quadruped.urdf");
    for (arguments, code, parts) in [
        (
            &["import", "broken.urdf"][..],
            1,
            &["broken.urdf:", "XML is broken", "help: "][..],
        ),
        (
            &["import", "empty.urdf"],
            1,
            &["empty.urdf:1:1", "XML is broken"],
        ),
        (
            &["import", "heavy.urdf"],
            1,
            &["heavy.urdf:2:", "greater than zero", "help: "],
        ),
        (&["import", "none.urdf"], 1, &["none.urdf", "no such file"]),
        (
            &[
                "import",
                "quadruped.urdf",
                "--set-joint",
                "front left hipp=1",
            ],
            1,
            &["did you mean `front left hip`"],
        ),
        (
            &["import", "quadruped.urdf", "--set-joint", "hip"],
            2,
            &["NAME=VALUE"],
        ),
        (
            &["import", "quadruped.urdf", "--position", "1,2"],
            2,
            &["three numbers"],
        ),
        (
            &["import", "quadruped.urdf", "--package", "=a"],
            2,
            &["NAME=FOLDER"],
        ),
        (
            &["import", "quadruped.urdf", "-o", "no/such/a.toml"],
            1,
            &["folder"],
        ),
    ] {
        let output = conatus(folder.path(), arguments);
        assert_eq!(output.code, code, "{arguments:?}: {}", output.err);
        assert_error_contains(&output, parts);
    }
}

/// A cube as binary STL, as CAD programs write it.
fn cube() -> Vec<u8> {
    let faces = [
        [0, 3, 2, 1],
        [4, 5, 6, 7],
        [0, 1, 5, 4],
        [1, 2, 6, 5],
        [2, 3, 7, 6],
        [3, 0, 4, 7],
    ];
    let corners = [
        [0.0f32, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [0.0, 1.0, 1.0],
    ];
    let mut bytes = vec![b' '; 80];
    bytes.extend(12u32.to_le_bytes());
    for [a, b, c, d] in faces {
        for triangle in [[a, b, c], [a, c, d]] {
            bytes.extend([0; 12]);
            for corner in triangle {
                corners[corner]
                    .iter()
                    .for_each(|x: &f32| bytes.extend(x.to_le_bytes()));
            }
            bytes.extend([0; 2]);
        }
    }
    bytes
}

/// A robot in PACKAGE/urdf, its mesh in another folder, the scene in a third: the scene
/// names the mesh as seen from its own folder.
#[test]
fn meshes_are_found_by_package_and_named_from_the_scene() {
    let folder = folder();
    let path = folder.path();
    for inner in ["arm/urdf", "arm/meshes", "tools", "scenes"] {
        fs::create_dir_all(path.join(inner)).unwrap();
    }
    fs::write(path.join("arm/meshes/cube.stl"), cube()).unwrap();
    fs::write(path.join("tools/Cube.STL"), cube()).unwrap();
    let link = |name: &str, mesh: &str| {
        format!(
            "<link name='{name}'><collision><geometry><mesh filename='{mesh}' scale='0.1 -0.1 0.2'/>\
             </geometry></collision></link>"
        )
    };
    let robot = format!(
        "<robot name='arm'>{}{}<joint name='j' type='revolute'><parent link='a'/><child link='b'/>\
         <origin xyz='1 0 0'/><limit lower='-1' upper='1'/></joint></robot>",
        link("a", "package://arm/meshes/cube.stl"),
        link("b", "package://tool_set/Cube.STL"),
    );
    fs::write(path.join("arm/urdf/arm.urdf"), robot).unwrap();
    let mut arguments = vec!["import", "arm/urdf/arm.urdf", "-o", "scenes/arm.toml"];
    let lost = conatus(path, &arguments);
    assert_eq!(lost.code, 1);
    assert_error_contains(
        &lost,
        &["arm/urdf/arm.urdf:1:", "--package tool_set=FOLDER"],
    );
    arguments.extend(["--package", "tool_set=tools"]);
    let found = conatus(path, &arguments);
    assert_eq!(found.code, 0, "{}", found.err);
    assert!(found.out.contains("convex hull"), "{}", found.out);
    let text = fs::read_to_string(path.join("scenes/arm.toml")).unwrap();
    assert!(text.contains("file = \"../arm/meshes/cube.stl\""), "{text}");
    assert!(text.contains("file = \"../tools/Cube.STL\""), "{text}");
    // 0.1 × 0.1 × 0.2 m of water weigh 2 kg.
    assert!(text.contains("mass = 2.0"), "{text}");
    let run = conatus(
        path,
        &["run", "scenes/arm.toml", "--seconds", "0.1", "-o", "a.mcap"],
    );
    assert_eq!(run.code, 0, "{}", run.err);
    // The recording holds the meshes.
    fs::remove_dir_all(path.join("arm")).unwrap();
    let again = conatus(path, &["run", "a.mcap", "-q"]);
    assert_eq!(again.code, 0, "{}", again.err);
}

#[test]
fn an_import_in_a_scene_is_checked_and_run() {
    let folder = folder();
    copy(folder.path(), "quadruped.urdf");
    let scene = "time.seconds = 0.1\n[[import]]\nfile = \"quadruped.urdf\"\nname = \"dog\"\n\
                 position = [0, 0, 0.6]\nturn = { axis = [0, 0, 1], degrees = 90 }\n\
                 start.\"rear left hip\" = 0.2\n";
    fs::write(folder.path().join("a.toml"), scene).unwrap();
    let checked = conatus(folder.path(), &["check", "a.toml"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
    for part in [
        "bodies     9",
        "left out or changed",
        "conatus import quadruped.urdf",
    ] {
        assert!(checked.out.contains(part), "{}", checked.out);
    }
    let run = conatus(folder.path(), &["run", "a.toml", "-o", "a.mcap"]);
    assert_eq!(run.code, 0, "{}", run.err);
    fs::remove_file(folder.path().join("quadruped.urdf")).unwrap();
    assert_eq!(conatus(folder.path(), &["run", "a.mcap", "-q"]).code, 0);
    let gone = conatus(folder.path(), &["check", "a.toml"]);
    assert_eq!(gone.code, 1);
    assert_error_contains(&gone, &["a.toml:3:8", "no such file"]);
}

/// The humanoid falls as MuJoCo makes it fall: below half a millimetre on the mean until its
/// feet touch the ground. Skipped where Python has no package `mujoco`; the environment
/// variable CONATUS_MUJOCO_PYTHON names a Python that has it.
#[test]
fn the_humanoid_falls_as_in_mujoco() {
    let python = std::env::var("CONATUS_MUJOCO_PYTHON").unwrap_or_else(|_| "python3".into());
    let found = Command::new(&python).args(["-c", "import mujoco"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no package mujoco");
        return;
    }
    let folder = folder();
    let path = folder.path();
    copy(path, "humanoid.xml");
    assert_eq!(
        conatus(path, &["import", "humanoid.xml", "-o", "a.toml"]).code,
        0
    );
    // Errors of the step and of the contacts differ between the programs.
    for (until, bound) in [("0.14", "0.001"), ("0.2", "0.006")] {
        let run = conatus(
            path,
            &["run", "a.toml", "--seconds", until, "-o", "a.csv", "-q"],
        );
        assert_eq!(run.code, 0, "{}", run.err);
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/robot-checker/compare.py");
        let compared = Command::new(&python)
            .arg(script)
            .args(["humanoid.xml", "a.csv", "--step", "0.0001"])
            .args(["--until", until, "--bound", bound])
            .current_dir(path)
            .output()
            .unwrap();
        let shown = String::from_utf8_lossy(&compared.stdout);
        eprintln!("{shown}");
        let wrong = String::from_utf8_lossy(&compared.stderr);
        assert!(compared.status.success(), "{shown}{wrong}");
    }
}
