//! Several movements to choose from: in a live session, and in one file.

use crate::support::{self, Served, scene};
use crate::synthetic;
use conatus_record::Recording;
use conatus_viewer::html::{self, PackedRecording};
use conatus_viewer::page::Page;
use serde_json::json;

/// A short search, with thresholds that every movement meets.
const STEPS: &str = include_str!("../../../world/tests/support/steps.toml");

fn saved(served: &Served) -> Recording {
    let (_, bytes) = served.get("/recording.mcap");
    let file = tempfile::NamedTempFile::with_suffix(".mcap").unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    Recording::read(file.path()).unwrap()
}

#[tokio::test]
async fn a_page_switches_between_the_movements_of_a_live_run() {
    let served = Served::live(scene(STEPS));
    let mut page = served.page().await;
    let first = page.wait_for("hello").await;
    let names = first["movements"].as_array().unwrap();
    assert_eq!((names.len(), &first["movement"]), (2, &json!(0)));
    assert!(names[1].as_str().unwrap().starts_with("movement 2 of 2, "));
    let one = saved(&served);
    page.send(json!({ "do": "movement", "index": 1 })).await;
    let second = page.wait_for("hello").await;
    assert_eq!(
        (&second["run"], &second["movement"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(second["movements"], first["movements"]);
    assert_ne!(second["chart"], first["chart"], "other contacts");
    page.until(|state| state["playing"] == true).await;
    let two = saved(&served);
    assert!(one.clip.is_some() && one.clip != two.clip);

    // A reset keeps the movement, and there is no third one.
    page.send(json!({ "do": "reset" })).await;
    let again = page.wait_for("hello").await;
    assert_eq!((&again["run"], &again["movement"]), (&json!(3), &json!(1)));
    let refused = page.ask(json!({ "do": "movement", "index": 2 })).await;
    assert_eq!(refused.unwrap_err(), "There is no movement 3.");
}

#[tokio::test]
async fn a_run_with_one_movement_has_no_list() {
    let served = Served::live(support::built_in("cylon"));
    let mut page = served.page().await;
    let hello = page.wait_for("hello").await;
    assert_eq!(hello["movements"], json!([]));
    let refused = page.ask(json!({ "do": "movement", "index": 0 })).await;
    assert!(refused.is_err());
}

#[test]
fn a_file_of_several_recordings_contains_each_in_its_element() {
    static PAGE: Page = Page {
        html: "<html><head><title>Conatus</title></head><body></body></html>",
        js: "",
        css: "",
    };
    let recording = synthetic::demo(3);
    let mut alone = Vec::new();
    html::write(&recording, &PAGE, &mut alone).unwrap();
    let alone = String::from_utf8(alone).unwrap();
    let labels = ["one", "<two \"2\">"];
    let packed = labels.map(|label| PackedRecording::new(&recording, label).unwrap());
    let file = tempfile::NamedTempFile::with_suffix(".html").unwrap();
    html::write_several(&packed, &PAGE, file.path()).unwrap();
    let both = std::fs::read_to_string(file.path()).unwrap();
    let data = |text: &str, begin: &str| -> String {
        let rest = text
            .split(begin)
            .nth(1)
            .unwrap_or_else(|| panic!("{begin}"));
        rest.split("</script>").next().unwrap().to_owned()
    };
    let expected = data(&alone, "id=\"recording\">");
    assert!(expected.len() > 100);
    assert_eq!(
        data(&both, "id=\"recording\" data-label=\"one\">"),
        expected
    );
    let second = "id=\"recording-2\" data-label=\"&lt;two &quot;2&quot;&gt;\">";
    assert_eq!(data(&both, second), expected);
}
