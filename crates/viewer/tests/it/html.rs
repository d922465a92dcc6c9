//! The text of the HTML file; browser tests check that it plays.

use base64::Engine;
use conatus_record::Recording;
use conatus_viewer::html;
use conatus_viewer::page::{Page, page};
use conatus_world::scene::{LoadOptions, Scene};
use std::io::Read;

static PAGE: Page = Page {
    html: "<!doctype html>\n<html><head><title>Conatus</title>\n\
           <link rel=\"stylesheet\" href=\"app.css\">\n\
           <script src=\"app.js\" defer></script></head>\n<body><p>page</p></body></html>",
    js: "let a = '</script><!-- $1 </SCRIPT>';",
    css: "a { content: '</style>' }",
};

/// A tenth of a second of a built-in scene, under another name.
fn recording(name: &str) -> Recording {
    struct Keep(Recording);
    impl conatus_world::RunSink for Keep {
        type Error = std::convert::Infallible;
        fn frame(&mut self, frame: &conatus_record::Frame) -> Result<(), Self::Error> {
            self.0.frames.push(frame.clone());
            Ok(())
        }
        fn event(&mut self, event: &conatus_record::Event) -> Result<(), Self::Error> {
            self.0.events.push(event.clone());
            Ok(())
        }
    }
    let options = LoadOptions {
        seconds: Some(0.1),
        ..LoadOptions::default()
    };
    let scene = Scene::load("cylon", &options).unwrap();
    let mut setup = scene.build().unwrap();
    setup.header.scene = name.into();
    let mut keep = Keep(Recording {
        header: setup.header,
        sources: setup.sources.clone(),
        overrides: scene.overrides.clone(),
        frames: Vec::new(),
        events: Vec::new(),
        report: None,
        clip: None,
    });
    conatus_world::run(&mut setup.world, &setup.schedule, &mut keep, |_| true).unwrap();
    keep.0
}

fn written(recording: &Recording, page: &Page) -> String {
    let mut out = Vec::new();
    html::write(recording, page, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The JSON at the head of the recording in a page.
fn inside(text: &str) -> serde_json::Value {
    let data = text.split("id=\"recording\">").nth(1).unwrap();
    let data = data.split("</script>").next().unwrap();
    let packed = base64::engine::general_purpose::STANDARD
        .decode(data)
        .unwrap();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_end(&mut bytes)
        .unwrap();
    let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[28..28 + length]).unwrap()
}

#[test]
fn the_file_contains_page_script_style_and_recording() {
    let text = written(&recording("cylon"), &PAGE);
    assert!(text.contains("<title>cylon · Conatus</title>"));
    assert!(text.contains("<p>page</p>"));
    assert!(!text.contains("app.js") && !text.contains("app.css"));
    assert!(text.contains("default-src 'none'"));
    assert!(text.trim_end().ends_with("</html>"));
    let json = inside(&text);
    assert_eq!(json["header"]["scene"], "cylon");
    assert!(json["title"].as_str().unwrap().contains("Four balls"));
}

#[test]
fn no_name_or_text_can_end_an_element() {
    let name = "</title></script><script>alert(1)</script><!--";
    let mut recording = recording(name);
    recording.header.bodies[0].name = name.into();
    let text = written(&recording, &PAGE);
    assert!(
        !text.contains("<script>alert"),
        "names are packed or escaped"
    );
    assert_eq!(inside(&text)["header"]["bodies"][0]["name"], name);
    // One end for each of the two scripts, and one for the style.
    assert_eq!(text.to_lowercase().matches("</script").count(), 2);
    assert_eq!(text.matches("</style").count(), 1);
    assert_eq!(text.matches("<!--").count(), 0);
    assert!(text.contains(r"'<\/script><\!-- $1 <\/SCRIPT>'"));
}

#[test]
fn the_real_page_is_complete_and_makes_no_network_requests() {
    let Some(page) = page() else {
        return; // Built without Node.js; CONATUS_PAGE=required makes that an error of the build.
    };
    let text = written(&recording("cylon"), page);
    assert_eq!(text.to_lowercase().matches("</script").count(), 2);
    for outside in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!text.contains(outside), "{outside}");
    }
}
