//! Scenes and steps that several tests share.

use conatus_browser_tests::{Play, Tab, conatus};
use conatus_record::{Event, Recording};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Two balls at rest, far enough apart to be distinguished.
pub const STILL: &str = "
gravity = [0, 0, 0]
[time]
step = 0.01
seconds = 1000
steps_per_frame = 4
[[body]]
name = 'red'
shape.sphere.radius = 0.5
mass = 2
position = [0, 0, 1]
color = '#d02020'
[[body]]
name = 'blue'
shape.sphere.radius = 0.5
mass = 3
position = [3, 0, 1]
color = '#2040d0'
[[plane]]
point = [0, 0, 0]
normal = [0, 0, 1]
";

/// A folder with a scene file in it.
pub fn scene(text: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, text).expect("the scene is written");
    (folder, path.display().to_string())
}

/// Runs a scene into a file of this name in a new folder.
pub fn run_into(scene: &str, seconds: &str, name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    let file = path.display().to_string();
    let output = conatus(&["run", scene, "--seconds", seconds, "-o", &file]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    (folder, path)
}

/// The address of a file.
pub fn address(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Waits until there are some frames.
pub async fn some_frames(tab: &Tab) -> Value {
    tab.until("there are some frames", |state| frames(state) > 10)
        .await
}

/// Pauses a live run, and waits until the newest frame is shown.
pub async fn pause(tab: &Tab) -> Value {
    some_frames(tab).await;
    tab.key(" ").await;
    until_paused(tab).await
}

/// Waits until the run is paused and its newest frame is drawn.
pub async fn until_paused(tab: &Tab) -> Value {
    let mut last = None;
    loop {
        let state = tab
            .until("the run is paused", |state| {
                state["playing"] == false && frame(state) + 1 == frames(state)
            })
            .await;
        let now = (frames(&state), state["time"].as_f64());
        if last == Some(now) {
            return state;
        }
        last = Some(now);
        tab.pictures(4).await;
    }
}

/// The number of frames that the page has received.
pub fn frames(state: &Value) -> u64 {
    state["frames"].as_u64().expect("frames")
}

/// The frame at the playhead.
pub fn frame(state: &Value) -> u64 {
    state["frame"].as_u64().expect("frame")
}

/// The session so far, read back.
pub fn saved(play: &Play) -> Recording {
    let file = tempfile::NamedTempFile::with_suffix(".mcap").expect("a temporary file");
    play.save(file.path());
    Recording::read(file.path()).expect("a recording")
}

/// The inputs of users, in order.
pub fn inputs(recording: &Recording) -> Vec<Event> {
    let events = recording.events.iter();
    events
        .filter(|event| event.kind == "input")
        .cloned()
        .collect()
}

/// Replays the session so far and compares every frame.
pub fn assert_replays_bit_for_bit(recording: &Path) {
    let output = conatus(&["run", &recording.display().to_string()]);
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{text}");
    assert!(text.contains("bit for bit"), "{text}");
}
