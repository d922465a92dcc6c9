//! A whole run: recording, report, files.

use crate::error::Error;
use crate::simulation::absent_body;
use conatus_record::{Event, Frame, Header, Recording};
use conatus_world::scene::{Scene, Setup};
use conatus_world::{Report, RunSink};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::Path;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Every recorded frame.
    pub recording: Recording,
    /// The report.
    pub report: Report,
}

/// Runs a scene to its end: finds the movements of its characters, if there are
/// any, and records all frames in memory.
///
/// ```no_run
/// use conatus::prelude::*;
///
/// let scene = Scene::load("walk", &LoadOptions::default())?;
/// let run = run(&scene)?;
/// run.save("walk.glb")?;
/// # Ok::<(), conatus::Error>(())
/// ```
pub fn run(scene: &Scene) -> Result<Run, Error> {
    run_with(scene, |_| ControlFlow::Continue(()))
}

/// The same with progress: `watch` is called with the simulated seconds after every
/// frame, and may end the run by breaking. What was recorded until then is kept.
pub fn run_with(
    scene: &Scene,
    mut watch: impl FnMut(f64) -> ControlFlow<()>,
) -> Result<Run, Error> {
    let mut setup = scene.build()?;
    scene.check_memory(&setup)?;
    setup.plan_movement();
    let mut sink = MemorySink::new(scene, &setup);
    let schedule = setup.schedule.clone();
    let step = setup.world.step_seconds();
    let keep_going = |steps: u64| watch(steps as f64 * step).is_continue();
    let report = match conatus_world::run(&mut setup.world, &schedule, &mut sink, keep_going) {
        Ok(report) => report,
        Err(never) => match never {},
    };
    Ok(Run::new(sink.finish(&setup, &report), report))
}

impl Run {
    pub(crate) fn new(recording: Recording, report: Report) -> Self {
        Self { recording, report }
    }

    /// All frames.
    pub fn frames(&self) -> &[Frame] {
        &self.recording.frames
    }

    /// Writes a file in the format of its ending: `.mcap` always; `.glb`, `.usda`,
    /// `.obj`, `.csv`, `.svg`, `.png`, `.bvh` and `.clip.json` with the feature
    /// `export`; `.html` with the feature `viewer`. Returns one sentence for
    /// everything that the format cannot hold.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<Vec<String>, Error> {
        let path = path.as_ref();
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        match ending.to_ascii_lowercase().as_str() {
            "mcap" => {
                self.recording.write(path)?;
                Ok(Vec::new())
            }
            "html" => self.save_html(path),
            _ => self.save_export(path),
        }
    }

    #[cfg(feature = "export")]
    fn save_export(&self, path: &Path) -> Result<Vec<String>, Error> {
        let options = conatus_export::ExportOptions::default();
        Ok(conatus_export::write_file(&self.recording, path, &options)?)
    }

    #[cfg(not(feature = "export"))]
    fn save_export(&self, path: &Path) -> Result<Vec<String>, Error> {
        Err(missing(path, "export"))
    }

    #[cfg(feature = "viewer")]
    fn save_html(&self, path: &Path) -> Result<Vec<String>, Error> {
        let Some(page) = conatus_viewer::page::page() else {
            return Err(Error::NoPage);
        };
        conatus_viewer::html::write_file(&self.recording, page, path)?;
        Ok(Vec::new())
    }

    #[cfg(not(feature = "viewer"))]
    fn save_html(&self, path: &Path) -> Result<Vec<String>, Error> {
        Err(missing(path, "viewer"))
    }
}

#[cfg(not(all(feature = "export", feature = "viewer")))]
fn missing(path: &Path, feature: &'static str) -> Error {
    Error::MissingFeature {
        what: path.display().to_string(),
        feature,
    }
}

/// Keeps a recording in memory.
pub(crate) struct MemorySink {
    recording: Recording,
}

impl MemorySink {
    pub(crate) fn new(scene: &Scene, setup: &Setup) -> Self {
        Self {
            recording: Recording {
                header: setup.header.clone(),
                sources: setup.sources.clone(),
                overrides: scene.overrides.clone(),
                frames: Vec::new(),
                events: Vec::new(),
                report: None,
                clip: None,
            },
        }
    }

    /// Makes room for a body that was added after the first frame.
    pub(crate) fn insert_body(&mut self, index: usize, header: Header) {
        self.recording.header = header;
        for frame in &mut self.recording.frames {
            let at = index.min(frame.bodies.len());
            frame.bodies.insert(at, absent_body());
        }
    }

    pub(crate) fn finish(mut self, setup: &Setup, report: &Report) -> Recording {
        let motion = setup.world.motion.as_ref();
        self.recording.clip = motion.and_then(|motion| motion.movement_clip()).cloned();
        self.recording.report = serde_json::to_value(report).ok();
        self.recording
    }
}

impl RunSink for MemorySink {
    type Error = Infallible;

    fn frame(&mut self, frame: &Frame) -> Result<(), Infallible> {
        self.recording.frames.push(frame.clone());
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<(), Infallible> {
        self.recording.events.push(event.clone());
        Ok(())
    }
}
