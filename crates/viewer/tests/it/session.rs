//! A live run carries out the requests of its pages and records all of them.

use crate::support::{PageClient, Served, built_in, scene};
use conatus_record::{Frame, Recording};
use conatus_viewer::live::Session;
use conatus_world::scene::Scene;
use conatus_world::{RunSink, run};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::time::{Duration, Instant};

const MANY: &str = include_str!("../scenes/many.toml");
const RUNAWAY: &str = include_str!("../scenes/runaway.toml");

fn saved(served: &Served) -> Recording {
    let (head, bytes) = served.get("/recording.mcap");
    assert!(head.to_ascii_lowercase().contains("attachment"), "{head}");
    let file = tempfile::NamedTempFile::with_suffix(".mcap").unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    Recording::read(file.path()).unwrap()
}

struct Frames(Vec<Frame>);

impl RunSink for Frames {
    type Error = Infallible;
    fn frame(&mut self, frame: &Frame) -> Result<(), Infallible> {
        self.0.push(frame.clone());
        Ok(())
    }
    fn event(&mut self, _: &conatus_record::Event) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Runs a recording again, as `conatus run x.mcap` does.
fn again(recording: &Recording) -> Vec<Frame> {
    let header = &recording.header;
    let (sources, overrides) = (&recording.sources, &recording.overrides);
    let scene = Scene::from_recording(&header.scene, sources, overrides, header.seed).unwrap();
    let mut setup = scene.build().unwrap();
    setup.world.repeat_inputs(&recording.events).unwrap();
    let mut frames = Frames(Vec::new());
    let Ok(_) = run(&mut setup.world, &setup.schedule, &mut frames, |_| true);
    frames.0
}

fn bytes(frames: &[Frame]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frames.iter().for_each(|frame| frame.encode(&mut bytes));
    bytes
}

async fn frames_beyond(page: &mut PageClient, count: u64) -> Value {
    page.until(|state| state["frames"].as_u64() > Some(count))
        .await
}

#[tokio::test]
async fn a_session_with_kicks_and_drags_replays_bit_for_bit() {
    let served = Served::live(built_in("cylon"));
    let mut page = served.page().await;
    let mut other = served.page().await;
    page.ask(json!({ "do": "speed", "value": 4 }))
        .await
        .unwrap();
    frames_beyond(&mut page, 10).await;
    page.ask(json!({ "do": "kick", "body": 2 })).await.unwrap();
    for k in 0..20 {
        let target = [f64::from(k) * 0.137, 2.0 / 3.0, -1.0];
        let pull = json!({ "do": "pull", "body": 0, "point": [0.3, 0.1, 0.2], "target": target });
        page.ask(pull).await.unwrap();
        let pull =
            json!({ "do": "pull", "body": 0, "point": [0, 0, 0], "target": [0.1, 0.2, 0.3] });
        other.ask(pull).await.unwrap();
        page.want(-1).await;
        tokio::time::sleep(Duration::from_millis(9)).await;
    }
    let state = page.until(|state| state["pulls"] != json!([])).await;
    assert_eq!(state["pulls"][0]["body"], 0);
    page.ask(json!({ "do": "let_go" })).await.unwrap();
    page.ask(json!({ "do": "pause" })).await.unwrap();
    page.ask(json!({ "do": "kick", "body": 1 })).await.unwrap();
    page.ask(json!({ "do": "step" })).await.unwrap();
    page.ask(json!({ "do": "play" })).await.unwrap();
    let so_far = page.wait_for("state").await["frames"].as_u64().unwrap();
    frames_beyond(&mut page, so_far + 20).await;

    let recording = saved(&served);
    let count = |name: &str| {
        let events = recording.events.iter();
        let inputs = events.filter(|event| event.kind == "input");
        inputs
            .filter(|e| e.detail.get(name).is_some() || e.detail == name)
            .count()
    };
    assert_eq!(count("kick"), 2);
    assert!(count("pull") > 4);
    assert_eq!(
        (count("let_go"), count("pause"), count("resume")),
        (1, 1, 1)
    );
    assert!(recording.is_complete());
    let frames = again(&recording);
    assert_eq!(frames.len(), recording.frames.len());
    assert_eq!(bytes(&frames), bytes(&recording.frames));

    // Without the inputs the run is different.
    let untouched = Recording {
        events: Vec::new(),
        ..recording.clone()
    };
    assert_ne!(bytes(&again(&untouched)), bytes(&recording.frames));
}

/// A user pressed pause while large frames were pushed at 60 Hz: the pause took
/// effect after 13 s, behind the frames in the queue. With credits at most one
/// frame is in flight.
#[tokio::test]
async fn a_pause_is_acknowledged_within_100_ms_while_64_kb_frames_stream() {
    let served = Served::live(scene(MANY));
    let mut page = served.page().await;
    let mut latencies = Vec::new();
    for _ in 0..20 {
        let mut after = page.want(-1).await.index as i64;
        for _ in 0..5 {
            let frame = page.want(after).await;
            assert!(frame.bytes.len() > 64_000);
            after = frame.index as i64;
        }
        // A credit is open and frames are under way when the pause is sent.
        page.send(json!({ "do": "want", "after": after })).await;
        let begin = Instant::now();
        page.ask(json!({ "do": "pause" })).await.unwrap();
        latencies.push(begin.elapsed());
        let frames = page.until(|state| state["playing"] == false).await["frames"].clone();
        tokio::time::sleep(Duration::from_millis(30)).await;
        page.ask(json!({ "do": "speed", "value": 1 }))
            .await
            .unwrap();
        let later = page.wait_for("state").await;
        assert_eq!(later["frames"], frames, "the run continues after the pause");
        page.ask(json!({ "do": "play" })).await.unwrap();
    }
    latencies.sort();
    println!(
        "pause acknowledged: median {:?}, worst {:?}",
        latencies[10], latencies[19]
    );
    assert!(latencies[10] < Duration::from_millis(100), "{latencies:?}");
}

#[tokio::test]
async fn a_page_that_does_not_read_does_not_delay_others() {
    let served = Served::live(scene(MANY));
    let mut asleep = served.page().await;
    for _ in 0..2000 {
        asleep.send(json!({ "do": "want", "after": -1 })).await;
    }
    let mut page = served.page().await;
    let first = page.want(-1).await;
    let second = page.want(first.index as i64).await;
    assert!(second.index > first.index);
    page.ask(json!({ "do": "pause" })).await.unwrap();
    let took = served.stop();
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[tokio::test]
async fn a_credit_yields_one_frame_and_always_the_newest() {
    let served = Served::live(built_in("cylon"));
    let mut page = served.page().await;
    let hello = page.wait_for("hello").await;
    assert_eq!(hello["live"], true);
    assert_eq!(hello["header"]["bodies"].as_array().unwrap().len(), 4);
    assert!(hello["scenes"].as_array().unwrap().len() >= 10);
    assert!(hello["title"].as_str().unwrap().contains("balls"));
    frames_beyond(&mut page, 12).await;
    let frame = page.want(3).await;
    assert!(frame.index >= 12 && frame.kind == 1 && frame.run == 1);
    page.ask(json!({ "do": "pause" })).await.unwrap();
    let state = page.until(|state| state["playing"] == false).await;
    let newest = state["frames"].as_u64().unwrap() - 1;
    // There is nothing newer yet, so this waits.
    page.send(json!({ "do": "want", "after": newest })).await;
    page.ask(json!({ "do": "step" })).await.unwrap();
    let frame = page.frame().await;
    assert_eq!(frame.index, newest + 1);
    page.send(json!({ "do": "frame", "index": 5 })).await;
    let frame = page.frame().await;
    assert_eq!((frame.kind, frame.index), (2, 5));
    let frame = Frame::decode(&frame.bytes, 4, 0).unwrap();
    assert_eq!(frame.step, 10);
    page.send(json!({ "do": "series", "from": 2, "stride": 1 }))
        .await;
    let series = page.wait_for("series").await;
    assert_eq!(series["times"][0], 2.0 * 2.0 * 0.016);
    let names = hello["series"].as_array().unwrap();
    assert_eq!(series["values"][0].as_array().unwrap().len(), names.len());
    page.send(json!({ "do": "series", "from": 2, "stride": 8 }))
        .await;
    assert_eq!(page.wait_for("series").await["from"], 0);
}

#[tokio::test]
async fn pages_share_a_run_and_their_drags_end_when_they_leave() {
    let served = Served::live(built_in("cylon"));
    let mut one = served.page().await;
    let mut two = served.page().await;
    one.until(|state| state["pages"] == 2).await;
    one.ask(json!({ "do": "speed", "value": 0.5 }))
        .await
        .unwrap();
    two.until(|state| state["speed"] == 0.5).await;
    let pull = json!({ "do": "pull", "body": 3, "point": [0, 0, 0], "target": [1, 1, 1] });
    two.ask(pull).await.unwrap();
    one.until(|state| state["pulls"][0]["body"] == 3).await;
    drop(two);
    let state = one.until(|state| state["pulls"] == json!([])).await;
    assert_eq!(state["playing"], true);
    one.until(|state| state["pages"] == 1).await;
    drop(one);
    // Without pages the run pauses; it continues with the next page.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let before = saved(&served).frames.len();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(saved(&served).frames.len(), before);
    let mut three = served.page().await;
    let state = three.until(|state| state["playing"] == true).await;
    assert_eq!(state["run"], 1);
    frames_beyond(&mut three, before as u64).await;
}

#[tokio::test]
async fn reset_starts_a_new_run_and_another_scene_can_be_opened() {
    let served = Served::live(built_in("cylon"));
    let mut page = served.page().await;
    let mut other = served.page().await;
    let first = page.wait_for("hello").await;
    frames_beyond(&mut page, 5).await;
    page.ask(json!({ "do": "pause" })).await.unwrap();
    page.send(json!({ "do": "reset" })).await;
    let hello = page.wait_for("hello").await;
    assert_eq!((&first["run"], &hello["run"]), (&json!(1), &json!(2)));
    let state = page.wait_for("state").await;
    assert_eq!(
        (&state["frames"], &state["playing"]),
        (&json!(1), &json!(false))
    );
    page.send(json!({ "do": "open", "scene": "water" })).await;
    let hello = page.wait_for("hello").await;
    assert_eq!(
        (&hello["run"], &hello["header"]["scene"]),
        (&json!(3), &json!("water"))
    );
    assert!(!hello["header"]["waters"].as_array().unwrap().is_empty());
    page.until(|state| state["playing"] == true).await;
    loop {
        let hello = other.wait_for("hello").await;
        if hello["header"]["scene"] == "water" {
            break;
        }
    }
    assert_eq!(saved(&served).header.scene, "water");
}

#[tokio::test]
async fn a_movement_is_searched_while_the_run_continues_and_the_search_can_be_abandoned() {
    let _alone = crate::support::searches().await;
    // The steps of this world use the thread pool: the search must not occupy it.
    let served = Served::live(built_in("water"));
    let mut page = served.page().await;
    page.ask(json!({ "do": "open", "scene": "shared-load" }))
        .await
        .unwrap();
    let searching = |state: &Value| {
        let search = state["search"].as_str().unwrap_or_default();
        search.starts_with("Finding the movement of shared-load: attempt")
    };
    let state = page.until(searching).await;
    assert_eq!(
        (&state["run"], &state["message"]),
        (&json!(1), &Value::Null)
    );
    // The old run continues meanwhile, also for a page that connects now.
    let mut late = served.page().await;
    let frames = state["frames"].as_u64().unwrap();
    let state = frames_beyond(&mut late, frames + 3).await;
    assert_eq!(state["run"], 1);
    // A scene without characters is shown immediately, and the search ends.
    page.ask(json!({ "do": "open", "scene": "cylon" }))
        .await
        .unwrap();
    let state = page.until(|state| state["run"] == 2).await;
    assert_eq!(state["search"], Value::Null);
    page.ask(json!({ "do": "open", "scene": "stand" }))
        .await
        .unwrap();
    let state = page.until(|state| state["run"] == 3).await;
    assert_eq!(state["search"], Value::Null);
    assert_eq!(saved(&served).header.scene, "stand");
}

#[tokio::test]
async fn a_body_whose_numbers_diverge_pauses_the_run() {
    let served = Served::live(scene(RUNAWAY));
    let mut page = served.page().await;
    let state = page.until(|state| state["quarantined"] != json!([])).await;
    assert_eq!(state["quarantined"], json!(["bad"]));
    assert_eq!(state["playing"], false);
    assert!(
        state["message"].as_str().unwrap().contains("bad"),
        "{state}"
    );
    let frames = state["frames"].as_u64().unwrap();
    page.ask(json!({ "do": "play" })).await.unwrap();
    let state = frames_beyond(&mut page, frames).await;
    assert_eq!(
        (&state["playing"], &state["message"]),
        (&json!(true), &Value::Null)
    );
}

#[tokio::test]
async fn the_run_pauses_at_the_end_of_the_scene_and_play_continues_it() {
    let served = Served::live(scene(
        "time.seconds = 0.1\n[[body]]\nshape.sphere.radius = 1\nmass = 1",
    ));
    let mut page = served.page().await;
    let state = page.until(|state| state["message"].is_string()).await;
    assert_eq!(
        state["message"],
        "End of the scene (0.1 s). Press play to continue."
    );
    assert_eq!(state["playing"], false);
    let frames = state["frames"].as_u64().unwrap();
    page.ask(json!({ "do": "play" })).await.unwrap();
    frames_beyond(&mut page, frames + 3).await;
    page.ask(json!({ "do": "pause" })).await.unwrap();
    let recording = saved(&served);
    assert_eq!(bytes(&again(&recording)), bytes(&recording.frames));
    page.ask(json!({ "do": "reset" })).await.unwrap();
    page.ask(json!({ "do": "play" })).await.unwrap();
    page.until(|state| state["run"] == 2 && state["message"].is_string())
        .await;
    page.ask(json!({ "do": "reset" })).await.unwrap();
    page.until(|state| state["run"] == 3 && state["playing"] == true)
        .await;
}

#[tokio::test]
async fn a_recording_is_shown_and_saved_unchanged() {
    let served = Served::live(built_in("cylon"));
    let mut page = served.page().await;
    page.ask(json!({ "do": "kick", "body": 0 })).await.unwrap();
    let pull = json!({ "do": "pull", "body": 3, "point": [0, 0, 0], "target": [1, 1, 1] });
    page.ask(pull).await.unwrap();
    frames_beyond(&mut page, 9).await;
    let recording = saved(&served);
    let served = Served::new(Session::recording(recording.clone()).unwrap());
    let mut page = served.page().await;
    let hello = page.wait_for("hello").await;
    assert_eq!(hello["live"], false);
    assert!(hello["title"].as_str().unwrap().contains("balls"));
    // Drags are sent as well, because the page draws them.
    let events = page.wait_for("events").await["events"].clone();
    let pulled = |event: &Value| event["detail"].get("pull").is_some();
    assert!(events.as_array().unwrap().iter().any(pulled));
    let count = recording.frames.len() as u64;
    let state = page.wait_for("state").await;
    assert_eq!(state["frames"], count);
    assert_eq!(state["time"], recording.frames.last().unwrap().time);
    page.send(json!({ "do": "frame", "index": count - 1 }))
        .await;
    let last = Frame::decode(&page.frame().await.bytes, 4, 0).unwrap();
    assert_eq!(Some(&last), recording.frames.last());
    for order in ["play", "pause", "step", "reset"] {
        let error = page.ask(json!({ "do": order })).await.unwrap_err();
        assert!(error.contains("Recordings are read-only"), "{error}");
    }
    let error = page.ask(json!({ "do": "kick", "body": 0 })).await;
    assert!(error.unwrap_err().contains("Recordings are read-only"));
    assert_eq!(saved(&served), recording);
    page.ask(json!({ "do": "open", "scene": "cylon" }))
        .await
        .unwrap();
    assert_eq!(page.until(|s| s["run"] == 2).await["playing"], true);
}
