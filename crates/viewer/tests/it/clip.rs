//! The contact chart of characters is sent to the page with the header, in
//! files and over the WebSocket.

use crate::support::Served;
use crate::synthetic::walker;
use conatus_record::Recording;
use conatus_viewer::compact;
use conatus_viewer::live::Session;
use serde_json::Value;

/// The JSON at the head of the compact layout.
fn text(recording: &Recording) -> Value {
    let mut bytes = Vec::new();
    compact::write(recording, None, &mut bytes).unwrap();
    let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[28..28 + length]).unwrap()
}

#[test]
fn a_file_contains_the_chart_of_its_clip() {
    let recording = walker::recording(walker::two(0.5));
    let json = text(&recording);
    let rows = json["chart"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 10);
    assert_eq!(rows[0]["body"], "walker/left foot");
    assert_eq!(rows[6]["label"], "friend right foot");
    assert_eq!(json["chart"]["phases"].as_array().unwrap().len(), 11);
    assert_eq!(json["header"]["bodies"][0]["character"], "walker");
    assert_eq!(text(&crate::synthetic::demo(3))["chart"], Value::Null);
}

#[tokio::test]
async fn a_page_receives_the_chart_and_a_saved_session_contains_the_clip() {
    let recording = walker::recording(walker::clip(0.3));
    let served = Served::new(Session::recording(recording.clone()).unwrap());
    let mut page = served.page().await;
    let hello = page.wait_for("hello").await;
    let rows = hello["chart"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[0]["label"], "left foot");
    let (_, bytes) = served.get("/recording.mcap");
    let file = tempfile::NamedTempFile::with_suffix(".mcap").unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    assert_eq!(Recording::read(file.path()).unwrap().clip, recording.clip);
}
