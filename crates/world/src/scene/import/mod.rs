//! Robots from URDF and MJCF files as scenes.
//!
//! [`import`] reads a file; [`Imported::to_toml`] writes it as a scene file; `[[import]]` in
//! a scene adds it to that scene. The stages:
//!
//! 1. the files that the robot's file includes are put into its text, `include.rs`;
//! 2. URDF or MJCF is read into a tree of links, `robot.rs`;
//! 3. links that are fixed to others are merged, links without mass are skipped, `fold.rs`;
//! 4. links become bodies, joints become joints, `emit.rs` and `joints.rs`.
//!
//! Both formats are read with a plain XML parser rather than with crates for them: every
//! message and every note about something left out has its place in the file, which those
//! crates do not keep. What is not in a scene (rotor inertia, tendons, sensors) is left out
//! with a [`Note`].

mod emit;
mod expand;
mod fold;
mod include;
mod joints;
mod mjcf;
mod robot;
mod shapes;
mod urdf;
mod write;
mod xml;

pub use xml::Note;

pub(super) use expand::expand;

use super::diagnostic::{Diagnostic, SceneError, SourceText};
use super::files::Files;
use super::load::{LoadOptions, Scene};
use super::model::{ExcludeSpec, ImportSpec, PlaneSpec, SceneFile};
use super::tree::Span;
use conatus_math::{DQuat, DVec3, Pose, rotation};
use emit::{Emitted, Emitter};
use include::Included;
use robot::Robot;
use shapes::Assets;
use std::collections::BTreeSet;
use xml::Reader;

/// Seconds between two frames of an imported scene.
const FRAME_SECONDS: f64 = 0.02;
/// The step of robots whose file gives none, in seconds.
const STEP_SECONDS: f64 = 0.002;
/// How long an imported scene runs, in seconds.
const RUN_SECONDS: f64 = 5.0;
/// Where the lowest point is above added ground, in metres.
const CLEARANCE: f64 = 1e-3;

/// A robot as a scene.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scene.
    pub file: SceneFile,
    /// What was left out or changed.
    pub notes: Vec<Note>,
    /// The name of the robot's file in messages.
    source: String,
    /// The files and lines of bodies and joints.
    body_places: Vec<String>,
    joint_places: Vec<String>,
}

/// Reads a robot from the text of a URDF or MJCF file; `spec` says how, and `files` has the
/// meshes. With `ground` a plane is added where there is none, and a robot without a given
/// position stands on it.
pub fn import(
    source: &SourceText,
    spec: &ImportSpec,
    files: &Files,
    ground: bool,
) -> Result<Imported, SceneError> {
    let assets = Assets {
        files,
        folder: match spec.file.rfind('/') {
            Some(end) => spec.file[..=end].to_owned(),
            None => String::new(),
        },
        packages: &spec.packages,
    };
    let text = Included::read(source, &assets.folder, files)?;
    let failed = |errors: Vec<Diagnostic>| text.error(errors);
    let document = roxmltree::Document::parse(&text.text.text)
        .map_err(|error| failed(vec![xml_error(&error, &text.text.text)]))?;
    let mut reader = Reader::new(&text);
    let root = document.root_element();
    let mut robot = match root.tag_name().name() {
        "robot" => urdf::read(root, spec.fixed_base, &assets, &mut reader),
        "mujoco" => mjcf::read(root, &assets, &mut reader),
        other => {
            let message = format!("`{other}` is the outermost element");
            let help = "a URDF file begins with `<robot>`, an MJCF file with `<mujoco>`";
            reader.error(xml::node_span(&root), message, help);
            Robot::default()
        }
    };
    if reader.errors.is_empty() {
        fold::set_starts(&mut robot, &spec.start, &mut reader);
    }
    if !reader.errors.is_empty() {
        return Err(failed(reader.errors));
    }
    fold::merge_fixed(&mut robot);
    fold::settle_masses(&mut robot, &assets, &mut reader);
    let prefix = match spec.name.as_str() {
        "" => String::new(),
        name => format!("{name}/"),
    };
    let emit = |base: Pose, reader: &mut Reader| {
        Emitter {
            robot: &robot,
            base,
            prefix: &prefix,
            motors: spec.motors,
            assets: &assets,
            reader,
            out: Emitted::default(),
        }
        .emit()
    };
    let mut base = base_pose(spec);
    let noted = reader.notes.len();
    let mut emitted = emit(base, &mut reader);
    if ground && emitted.file.plane.is_empty() {
        if let (true, None, Some(low)) = (emitted.floats, spec.position, emitted.lowest) {
            base.translation.z += CLEARANCE - low;
            reader.notes.truncate(noted);
            emitted = emit(base, &mut reader);
        }
        emitted.file.plane.push(PlaneSpec::ground());
    }
    if emitted.file.body.is_empty() {
        let help = "a robot has links or bodies with mass";
        reader.error(xml::node_span(&root), "nothing in the file can move", help);
        return Err(failed(reader.errors));
    }
    surroundings(&mut emitted.file, &robot);
    let place = |span: &Span| match text.line(span.start) {
        (Some(file), line) => format!("{file}:{line}"),
        (None, line) => format!("{}:{line}", source.name),
    };
    let mut imported = Imported {
        file: emitted.file,
        source: source.name.clone(),
        body_places: emitted.bodies.iter().map(place).collect(),
        joint_places: emitted.joints.iter().map(place).collect(),
        notes: reader.notes,
    };
    let lines: Vec<usize> = (emitted.bodies.iter())
        .map(|span| text.line(span.start).1)
        .collect();
    imported.check(files, &lines, robot.excludes_overlaps)?;
    imported
        .notes
        .sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Ok(imported)
}

impl Imported {
    /// Builds the scene, so that nothing of it is refused later. Where it is usual for the
    /// format, bodies that overlap at the start do not collide.
    fn check(
        &mut self,
        files: &Files,
        lines: &[usize],
        excludes_overlaps: bool,
    ) -> Result<(), SceneError> {
        let options = LoadOptions::default();
        let scene = Scene::from_spec(&self.source, &self.file, files.clone(), &options)?;
        let setup = scene.build()?;
        if !excludes_overlaps {
            return Ok(());
        }
        let overlaps = setup.world.contact_engine.overlaps(&setup.world.bodies);
        let pairs: BTreeSet<[usize; 2]> = (overlaps.iter())
            .filter_map(|o| Some([o.a.min(o.b?), o.a.max(o.b?)]))
            .collect();
        for pair in pairs {
            let bodies = pair.map(|body| self.file.body[body].name.clone());
            self.notes.push(Note {
                element: format!("links `{}` and `{}`", bodies[0], bodies[1]),
                file: None,
                line: lines[pair[1]],
                reason: "overlap at the start, so they do not collide with each other".into(),
            });
            self.file.exclude.push(ExcludeSpec {
                bodies: bodies.to_vec(),
            });
        }
        Ok(())
    }
}

/// Where the origin of the file is.
fn base_pose(spec: &ImportSpec) -> Pose {
    let turn = match (&spec.orientation, &spec.turn) {
        (Some([w, x, y, z]), _) => DQuat::from_xyzw(*x, *y, *z, *w),
        (None, Some(turn)) => {
            let degrees = turn.degrees.map(f64::to_radians);
            let angle = turn.angle.or(degrees).unwrap_or_default();
            rotation::from_axis_angle(turn.axis.into(), angle)
        }
        (None, None) => DQuat::IDENTITY,
    };
    let turn = match turn.length_squared().is_normal() {
        true => turn.normalize(),
        false => DQuat::IDENTITY,
    };
    Pose::new(turn, spec.position.map_or(DVec3::ZERO, DVec3::from))
}

/// Title, time and gravity.
fn surroundings(file: &mut SceneFile, robot: &Robot) {
    file.title = Some(robot.name.clone()).filter(|name| !name.is_empty());
    file.gravity = robot.gravity.filter(|g| *g != [0.0, 0.0, -9.81]);
    file.time.step = robot.step.unwrap_or(STEP_SECONDS);
    file.time.seconds = RUN_SECONDS;
    file.time.steps_per_frame = (FRAME_SECONDS / file.time.step).round().max(1.0) as u64;
}

/// What is wrong with the XML, at its place.
fn xml_error(error: &roxmltree::Error, text: &str) -> Diagnostic {
    let at = error.pos();
    let before = text
        .split_inclusive('\n')
        .take(at.row.saturating_sub(1) as usize);
    let line: usize = before.map(str::len).sum();
    let rest = &text[line.min(text.len())..];
    let column = rest
        .char_indices()
        .nth(at.col.saturating_sub(1) as usize)
        .map_or(rest.len(), |(offset, _)| offset);
    let start = line + column;
    // The place is shown beside the message.
    let message = error.to_string();
    let message = match message.rfind(" at ") {
        Some(end) => message[..end].to_owned(),
        None => message,
    };
    Diagnostic::new(format!("the XML is broken: {message}"))
        .help("every tag that is opened must be closed, and attributes stand in quotes")
        .span(Span {
            source: 0,
            start,
            end: start + 1,
        })
}
