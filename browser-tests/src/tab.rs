//! A page in the browser: its state, its keys, its pointer.

use crate::browser::{Drawing, SIZE};
use crate::devtools::{DevTools, text};
use crate::picture::Picture;
use base64::Engine as _;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long anything may take on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How often to check a condition.
const POLL_INTERVAL: Duration = Duration::from_millis(30);

/// Shift, as the DevTools protocol counts it.
const SHIFT: i64 = 8;

/// One page.
#[derive(Clone)]
pub struct Tab {
    devtools: DevTools,
    target: String,
    session: String,
    /// Device pixels per CSS pixel.
    drawing: Drawing,
}

impl Tab {
    /// Opens an empty page. Its errors are added to `errors`.
    pub(crate) async fn new(
        devtools: DevTools,
        drawing: Drawing,
        errors: Arc<Mutex<Vec<String>>>,
    ) -> Self {
        let listener = move |method: &str, event: &Value| {
            if let Some(error) = reported_error(method, event)
                && let Ok(mut errors) = errors.lock()
            {
                errors.push(error);
            }
        };
        let opened = devtools.open(listener).await;
        let (target, session) = opened.unwrap_or_else(|error| panic!("no new page: {error}"));
        let tab = Self {
            devtools,
            target,
            session,
            drawing,
        };
        for domain in ["Page", "Runtime", "Log"] {
            tab.call(&format!("{domain}.enable"), json!({})).await;
        }
        if let Some(script) = drawing.script() {
            let script = json!({ "source": script });
            tab.call("Page.addScriptToEvaluateOnNewDocument", script)
                .await;
        }
        let focused = json!({ "enabled": true });
        tab.call("Emulation.setFocusEmulationEnabled", focused)
            .await;
        let (width, height) = SIZE;
        tab.set_size(i64::from(width), i64::from(height)).await;
        tab
    }

    async fn call(&self, method: &str, parameters: Value) -> Value {
        let session = Some(self.session.as_str());
        let answer = self.devtools.call(session, method, parameters).await;
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    pub(crate) async fn go(&self, url: &str) {
        let went = self.call("Page.navigate", json!({ "url": url })).await;
        assert_eq!(went["errorText"], Value::Null, "{url}");
    }

    /// Closes the page, if it is still there.
    pub async fn close(&self) {
        self.devtools.close(&self.target, &self.session).await;
    }

    /// Waits until the page has drawn its first picture.
    pub async fn ready(&self) {
        self.until_true("window.conatus !== undefined").await;
        self.eval("window.conatus.ready.then(() => true)").await;
    }

    /// The value of an expression in the page, with promises awaited.
    pub async fn eval(&self, expression: &str) -> Value {
        let evaluate = json!({
            "expression": expression,
            "awaitPromise": true,
            "returnByValue": true,
        });
        let mut answer = self.call("Runtime.evaluate", evaluate).await;
        if let Some(details) = answer.get("exceptionDetails") {
            panic!("{expression}: {}", exception(details));
        }
        answer["result"]["value"].take()
    }

    /// `window.conatus.state()`.
    pub async fn state(&self) -> Value {
        self.eval("window.conatus.state()").await
    }

    /// Waits until the state passes a test, and returns it.
    pub async fn until(&self, what: &str, test: impl Fn(&Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            let state = self.state().await;
            if test(&state) {
                return state;
            }
            assert!(
                begin.elapsed() < TIMEOUT,
                "timeout: {what}; the state is {state:#}"
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Waits until the drawn position of a body passes a test.
    pub async fn until_body(&self, name: &str, what: &str, test: impl Fn([f64; 3]) -> bool) {
        let begin = Instant::now();
        loop {
            let place = self.body(name).await;
            if test(place) {
                return;
            }
            assert!(
                begin.elapsed() < TIMEOUT,
                "timeout: {what}; {name} is at {place:?}"
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Waits until a value of the state, such as `/plots/open`, is this one.
    pub async fn until_is(&self, pointer: &str, value: impl Into<Value>) -> Value {
        let value = value.into();
        let what = format!("{pointer} is {value}");
        self.until(&what, |state| state.pointer(pointer) == Some(&value))
            .await
    }

    /// Waits until an expression is true.
    pub async fn until_true(&self, expression: &str) {
        let begin = Instant::now();
        while self.eval(expression).await != true {
            assert!(begin.elapsed() < TIMEOUT, "timeout: {expression}");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Changes the size of the window.
    pub async fn resize(&self, width: i64, height: i64) {
        self.set_size(width, height).await;
        self.until_true(&format!("innerWidth === {width}")).await;
        self.pictures(2).await;
    }

    async fn set_size(&self, width: i64, height: i64) {
        let metrics = json!({
            "width": width,
            "height": height,
            "deviceScaleFactor": self.drawing.scale(),
            "mobile": false,
        });
        self.call("Emulation.setDeviceMetricsOverride", metrics)
            .await;
    }

    /// Presses a key, named as in `KeyboardEvent.key`.
    pub async fn key(&self, key: &str) {
        let printed = key.chars().count() == 1;
        let mut event = json!({
            "type": "keyDown",
            "key": key,
            "windowsVirtualKeyCode": virtual_key(key),
            "modifiers": if key == "?" { SHIFT } else { 0 },
        });
        let released = event.clone();
        if printed {
            event["text"] = key.into();
        }
        self.call("Input.dispatchKeyEvent", event).await;
        let mut event = released;
        event["type"] = "keyUp".into();
        self.call("Input.dispatchKeyEvent", event).await;
    }

    /// Clicks in the middle of the element that a selector finds.
    pub async fn click(&self, selector: &str) {
        let middle = self
            .eval(&format!(
                "(() => {{ const found = document.querySelector({selector:?});
                    if (found === null) return null;
                    const box = found.getBoundingClientRect();
                    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
                    const top = document.elementFromPoint(x, y);
                    return found.contains(top) ? [x, y] : `${{[x, y]}}: ${{top?.outerHTML.slice(0, 80)}}`; }})()"
            ))
            .await;
        let place = |i: usize| middle.get(i).and_then(Value::as_f64);
        let (Some(x), Some(y)) = (place(0), place(1)) else {
            panic!("{selector} cannot be clicked; there is {middle}");
        };
        self.click_at((x, y)).await;
    }

    /// Clicks at a place of the window.
    pub async fn click_at(&self, place: (f64, f64)) {
        self.press(place).await;
        self.release(place).await;
    }

    /// Presses the pointer's first button.
    pub async fn press(&self, place: (f64, f64)) {
        self.hover(place).await;
        self.pointer("mousePressed", place, 1).await;
    }

    /// Moves the pointer with its button held down.
    pub async fn drag(&self, place: (f64, f64)) {
        self.pointer("mouseMoved", place, 1).await;
    }

    /// Moves the pointer with no button down.
    pub async fn hover(&self, place: (f64, f64)) {
        self.pointer("mouseMoved", place, 0).await;
    }

    /// Lets the pointer's button go.
    pub async fn release(&self, place: (f64, f64)) {
        self.pointer("mouseReleased", place, 0).await;
    }

    async fn pointer(&self, what: &str, (x, y): (f64, f64), down: i64) {
        let moved = what == "mouseMoved";
        let event = json!({
            "type": what,
            "x": x,
            "y": y,
            "button": if moved && down == 0 { "none" } else { "left" },
            "buttons": down,
            "clickCount": i64::from(!moved),
        });
        self.call("Input.dispatchMouseEvent", event).await;
    }

    /// Chooses an entry of a list, as a user would.
    pub async fn choose(&self, selector: &str, value: &str) {
        self.set(selector, value, "change").await;
    }

    /// Moves a slider, as a user would.
    pub async fn slide(&self, selector: &str, value: u64) {
        self.set(selector, &value.to_string(), "input").await;
    }

    async fn set(&self, selector: &str, value: &str, event: &str) {
        let done = self
            .eval(&format!(
                "(() => {{ const found = document.querySelector({selector:?});
                    found.value = {value:?};
                    found.dispatchEvent(new Event({event:?}, {{ bubbles: true }}));
                    return found.value; }})()"
            ))
            .await;
        assert_eq!(done, value, "{selector} has no {value}");
    }

    /// An attribute of the element that a selector finds.
    pub async fn attribute(&self, selector: &str, name: &str) -> Value {
        self.eval(&format!(
            "document.querySelector({selector:?}).getAttribute({name:?})"
        ))
        .await
    }

    /// The drawn position of a body, in the scene.
    pub async fn body(&self, name: &str) -> [f64; 3] {
        point(&self.eval(&format!("window.conatus.body({name:?})")).await)
    }

    /// Waits until this many pictures were drawn.
    pub async fn pictures(&self, count: u32) {
        self.eval(&format!(
            "new Promise((done) => {{
                let left = {count};
                const next = () => (left-- > 0 ? requestAnimationFrame(next) : done(true));
                next(); }})"
        ))
        .await;
    }

    /// Waits until the camera rests, except for rounding: its position is
    /// computed from its angles for every picture.
    pub async fn camera_rests(&self) {
        let begin = Instant::now();
        let mut before = self.camera().await;
        while begin.elapsed() < TIMEOUT {
            self.pictures(3).await;
            let camera = self.camera().await;
            let parts = camera.iter().zip(&before);
            if parts.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-6 {
                return;
            }
            before = camera;
        }
        panic!("the camera does not come to rest: {before:?}");
    }

    /// The position and the target of the camera.
    async fn camera(&self) -> Vec<f64> {
        let camera = self.state().await["camera"].take();
        [point(&camera["position"]), point(&camera["target"])].concat()
    }

    /// The drawn position of a body in the window, once the camera rests. It
    /// must be in the picture, and no control may cover it.
    pub async fn place_of(&self, name: &str) -> (f64, f64) {
        self.camera_rests().await;
        let found = self
            .eval(&format!(
                "window.conatus.project(window.conatus.body({name:?}))"
            ))
            .await;
        assert_eq!(found["visible"], true, "{name} is not in the picture");
        let number = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
        let (x, y) = (number("x"), number("y"));
        let top = format!("document.elementFromPoint({x}, {y})?.outerHTML.slice(0, 80)");
        let top = self.eval(&top).await;
        let seen = top.as_str().is_some_and(|html| html.starts_with("<canvas"));
        assert!(seen, "{name} at {x}, {y} is covered by {top}");
        (x, y)
    }

    /// The accessible role and name of every control.
    pub async fn accessible_controls(&self) -> Vec<(String, String)> {
        const ROLES: [&str; 6] = [
            "button", "checkbox", "combobox", "link", "slider", "textbox",
        ];
        let tree = self.call("Accessibility.getFullAXTree", json!({})).await;
        let nodes = tree["nodes"].as_array().into_iter().flatten();
        let nodes = nodes.filter(|node| node["ignored"] == false);
        let named = nodes.map(|node| (text(&node["role"]["value"]), text(&node["name"]["value"])));
        named
            .filter(|(role, _)| ROLES.contains(&role.as_str()))
            .collect()
    }

    /// A screenshot.
    pub async fn picture(&self) -> Picture {
        let shot = json!({ "format": "png" });
        let shot = text(&self.call("Page.captureScreenshot", shot).await["data"]);
        let shot = base64::engine::general_purpose::STANDARD.decode(shot);
        Picture::from_png(&shot.unwrap_or_else(|error| panic!("no screenshot: {error}")))
    }
}

/// What an event says about an error of the page, if it is about one.
fn reported_error(method: &str, event: &Value) -> Option<String> {
    match method {
        "Runtime.consoleAPICalled" if event["type"] == "error" || event["type"] == "assert" => {
            let words = event["args"].as_array().into_iter().flatten();
            let words = words.map(|argument| match argument.get("value") {
                Some(value) => value.to_string(),
                None => text(&argument["description"]),
            });
            Some(words.collect::<Vec<_>>().join(" "))
        }
        "Runtime.exceptionThrown" => Some(exception(&event["exceptionDetails"])),
        "Log.entryAdded" if event["entry"]["level"] == "error" => {
            let entry = &event["entry"];
            Some(format!("{} {}", text(&entry["text"]), text(&entry["url"])))
        }
        _ => None,
    }
}

/// An exception of a script, in words.
fn exception(details: &Value) -> String {
    let what = text(&details["exception"]["description"]);
    format!("{} {what}", text(&details["text"]))
}

/// Three numbers of a state.
pub fn point(value: &Value) -> [f64; 3] {
    [0, 1, 2].map(|i| {
        let number = value.get(i).and_then(Value::as_f64);
        number.unwrap_or_else(|| panic!("{value} is no point"))
    })
}

/// The difference of two points.
pub fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The length of a difference.
pub fn length(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The virtual key code of a key.
fn virtual_key(key: &str) -> i64 {
    match key {
        "Tab" => 9,
        "Enter" => 13,
        "Escape" => 27,
        "End" => 35,
        "Home" => 36,
        "ArrowLeft" => 37,
        "ArrowRight" => 39,
        "?" => 191,
        "+" => 187,
        "-" => 189,
        _ => key
            .chars()
            .next()
            .map_or(0, |c| c.to_ascii_uppercase() as i64),
    }
}
