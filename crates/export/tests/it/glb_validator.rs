//! The Khronos validator accepts the `.glb` files.
//!
//! Needs `node` and `npm`; without them this test fails.

use conatus_export::ExportOptions;
use conatus_math::DVec3;
use conatus_record::{PlaneInfo, Recording, Status, Up};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_khronos_validator_finds_no_error_and_no_warning() {
    let validator = validator();
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (name, recording) in recordings() {
        let path = folder.path().join(format!("{name}.glb"));
        conatus_export::write_file(&recording, &path, &ExportOptions::default()).unwrap();
        files.push(path);
    }
    let script = validator.join("validate.mjs");
    let report = run(Command::new("node").arg(script).args(&files));
    println!("{report}");
    for path in &files {
        let name = path.file_name().unwrap().to_str().unwrap();
        let clean = format!("{name}: 0 errors, 0 warnings");
        assert!(report.contains(&clean), "{name} is not clean:\n{report}");
    }
}

/// Every kind of content that `.glb` files have.
fn recordings() -> Vec<(&'static str, Recording)> {
    let mut walls = crate::support::demo(30);
    for normal in [DVec3::X, DVec3::NEG_X, DVec3::new(0.0, 0.6, 0.8)] {
        walls.header.planes.push(PlaneInfo {
            point: -4.0 * normal,
            normal,
        });
    }
    let mut statuses = crate::support::demo(30);
    for (n, frame) in statuses.frames.iter_mut().enumerate() {
        frame.bodies[0].status = Status::Locked;
        if n > 10 {
            frame.bodies[1].status = Status::Merged;
            frame.bodies[2].status = Status::Quarantined;
            frame.bodies[2].position = DVec3::NAN;
        }
    }
    let mut balls = crate::support::demo(10);
    for body in &mut balls.header.bodies {
        body.mesh = None;
    }
    balls.header.meshes.clear();
    let mut endless = crate::support::sea(Up::Z, 20);
    endless.header.waters[0].extent = None;
    let mut resting = crate::support::cloth::drape(6, 1);
    let mut again = resting.frames[0].clone();
    again.time = 0.5;
    resting.frames.push(again);
    let mut blown_up = crate::support::cloth::drape(6, 9);
    for (n, frame) in blown_up.frames.iter_mut().enumerate().skip(1) {
        frame.cloth[n] = DVec3::new(f64::NAN, 1e308, f64::NEG_INFINITY);
        frame.cloth[n + 7] *= 1e200;
    }
    vec![
        ("rigid", crate::support::demo(60)),
        ("walls", walls),
        ("statuses", statuses),
        ("balls", balls),
        ("sea-z-up", crate::support::sea(Up::Z, 60)),
        ("sea-y-up", crate::support::sea(Up::Y, 60)),
        ("sea-endless", endless),
        ("one-frame", crate::support::demo(1)),
        ("joints", crate::support::joints::machine(20)),
        ("joints-no-frames", crate::support::joints::machine(0)),
        ("no-frames", crate::support::demo(0)),
        ("sea-no-frames", crate::support::sea(Up::Z, 0)),
        ("cloth", crate::support::cloth::drape(12, 40)),
        ("cloth-long", crate::support::cloth::drape(5, 600)),
        ("cloth-resting", resting),
        ("cloth-blown-up", blown_up),
        ("cloth-one-frame", crate::support::cloth::drape(9, 1)),
        ("cloth-no-frames", crate::support::cloth::drape(9, 0)),
        (
            "no-bodies",
            crate::support::recording(crate::support::header("empty")),
        ),
    ]
}

/// A copy of xtask/gltf-validator under the target folder, installed.
fn validator() -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/gltf-validator");
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gltf-validator");
    fs::create_dir_all(&to).unwrap();
    let lock = "package-lock.json";
    let same = fs::read(from.join(lock)).ok() == fs::read(to.join(lock)).ok();
    let installed = same && to.join("node_modules/gltf-validator").is_dir();
    for name in ["package.json", lock, "validate.mjs"] {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
    if !installed {
        run(Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund"])
            .current_dir(&to));
    }
    to
}

fn run(command: &mut Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().unwrap_or_else(|e| {
        panic!("cannot run `{program}` ({e}): install Node.js, which this test needs")
    });
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "`{program}` failed:\n{stdout}{stderr}"
    );
    stdout
}
