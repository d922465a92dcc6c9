//! What the tests of the world share.
#![allow(dead_code)]

pub mod gait;

use conatus_record::{Event, Frame, Recording};
use conatus_world::motion::{MOVEMENT_EVENT, MotionReport, Movement};
use conatus_world::scene::{Files, LoadOptions, Scene, SceneError, Setup, SourceText};
use conatus_world::{Report, RunSink};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Keeps everything in memory.
#[derive(Default)]
pub struct Kept {
    pub frames: Vec<Frame>,
    pub events: Vec<Event>,
}

impl RunSink for Kept {
    type Error = Infallible;
    fn frame(&mut self, frame: &Frame) -> Result<(), Infallible> {
        self.frames.push(frame.clone());
        Ok(())
    }
    fn event(&mut self, event: &Event) -> Result<(), Infallible> {
        self.events.push(event.clone());
        Ok(())
    }
}

/// A built-in scene with changes as for `--set`.
pub fn built_in(name: &str, sets: &[&str]) -> Setup {
    let options = LoadOptions {
        sets: sets.iter().map(|s| s.to_string()).collect(),
        ..LoadOptions::default()
    };
    let scene = Scene::load(name, &options).unwrap_or_else(|e| panic!("{e}"));
    scene.build().unwrap_or_else(|e| panic!("{e}"))
}

/// A scene from its text, with meshes in memory.
pub fn from_text(text: &str, meshes: &[(&str, &str)]) -> Result<Setup, SceneError> {
    let meshes = meshes.iter().map(|(n, t)| (n.to_string(), t.to_string()));
    let source = SourceText::new("scene.toml", text);
    Scene::parse(
        "test",
        source,
        Files::in_memory(meshes),
        &LoadOptions::default(),
    )?
    .build()
}

/// Searches for the movement of the characters, if there are any and it is not set.
pub fn find(setup: &mut Setup) {
    let known = setup
        .world
        .motion
        .as_ref()
        .is_some_and(|m| m.movement().is_some());
    if let Some(planner) = setup.planner.as_ref().filter(|_| !known) {
        let movement = planner.plan(&|_| ControlFlow::Continue(()));
        setup.set_movement(&Arc::new(movement)).unwrap();
    }
}

/// The recording of a built-in scene that the gate made. The folder is in
/// `CONATUS_RUNS`; where that is not set there is none.
pub fn recorded(scene: &str) -> Option<Recording> {
    let folder = std::env::var_os("CONATUS_RUNS").filter(|folder| !folder.is_empty())?;
    let path = PathBuf::from(folder).join(format!("{scene}.mcap"));
    let recording = Recording::read(&path);
    Some(recording.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The movement of a built-in scene: from its recording, or else from one search
/// in this process.
pub fn movement(scene: &str) -> Arc<Movement> {
    static FOUND_BEFORE: Mutex<BTreeMap<String, Arc<Movement>>> = Mutex::new(BTreeMap::new());
    // The lock is held during a search, which uses all cores anyway.
    let mut found = FOUND_BEFORE.lock().unwrap_or_else(|e| e.into_inner());
    let search_or_read = || match recorded(scene) {
        Some(recording) => {
            let mut events = recording.events.into_iter();
            let event = events.find(|event| event.kind == MOVEMENT_EVENT);
            let report = event.unwrap_or_else(|| panic!("{scene} has no movement"));
            Arc::new(Movement {
                clip: recording
                    .clip
                    .unwrap_or_else(|| panic!("{scene} has no clip")),
                report: serde_json::from_value::<MotionReport>(report.detail)
                    .unwrap_or_else(|error| panic!("the report of {scene}: {error}")),
            })
        }
        None => {
            let planner = built_in(scene, &[]).planner;
            let planner = planner.unwrap_or_else(|| panic!("{scene} has no characters"));
            Arc::new(planner.plan(&|_| ControlFlow::Continue(())))
        }
    };
    Arc::clone(found.entry(scene.to_owned()).or_insert_with(search_or_read))
}

/// Runs to the end and keeps everything.
pub fn run(setup: &mut Setup) -> (Report, Kept) {
    find(setup);
    let mut kept = Kept::default();
    let Ok(report) = conatus_world::run(&mut setup.world, &setup.schedule, &mut kept, |_| true);
    (report, kept)
}

/// The index of a body by its name.
pub fn body(setup: &Setup, name: &str) -> usize {
    setup.world.names.iter().position(|n| n == name).unwrap()
}

/// FNV-1a over the bits of every number of the frames.
pub fn hash(frames: &[Frame]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut eat = |x: f64| {
        for byte in x.to_bits().to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for frame in frames {
        eat(frame.time);
        eat(frame.totals.kinetic);
        eat(frame.totals.potential);
        for b in &frame.bodies {
            b.position.to_array().into_iter().for_each(&mut eat);
            b.orientation.to_array().into_iter().for_each(&mut eat);
            b.velocity.to_array().into_iter().for_each(&mut eat);
            b.omega_body.to_array().into_iter().for_each(&mut eat);
            eat(b.status as u8 as f64);
        }
        for c in &frame.contacts {
            c.point.to_array().into_iter().for_each(&mut eat);
            c.impulse.to_array().into_iter().for_each(&mut eat);
        }
        for v in &frame.cloth {
            v.to_array().into_iter().for_each(&mut eat);
        }
    }
    hash
}
