//! A page in the browser: its state, its keys, its pointer.

use crate::browser::SIZE;
use crate::picture::Picture;
use chromiumoxide::Page;
use chromiumoxide::cdp::browser_protocol::accessibility::{AxValue, GetFullAxTreeParams};
use chromiumoxide::cdp::browser_protocol::emulation::{
    SetDeviceMetricsOverrideParams, SetFocusEmulationEnabledParams,
};
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams, DispatchMouseEventType,
    MouseButton,
};
use chromiumoxide::cdp::browser_protocol::log::{self, EventEntryAdded, LogEntryLevel};
use chromiumoxide::cdp::browser_protocol::page::NavigateParams;
use chromiumoxide::cdp::js_protocol::runtime::{
    ConsoleApiCalledType, EvaluateParams, EventConsoleApiCalled, EventExceptionThrown,
};
use chromiumoxide::page::ScreenshotParams;
use futures_util::StreamExt;
use serde_json::Value;
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
    page: Page,
    /// Device pixels per CSS pixel.
    scale: f64,
}

impl Tab {
    pub(crate) async fn new(page: Page, scale: f64, errors: Arc<Mutex<Vec<String>>>) -> Self {
        let report = {
            let errors = Arc::clone(&errors);
            move |error: String| {
                if let Ok(mut errors) = errors.lock() {
                    errors.push(error);
                }
            }
        };
        let failed = "no events from the page";
        let mut calls = page
            .event_listener::<EventConsoleApiCalled>()
            .await
            .expect(failed);
        let mut throws = page
            .event_listener::<EventExceptionThrown>()
            .await
            .expect(failed);
        let mut entries = page
            .event_listener::<EventEntryAdded>()
            .await
            .expect(failed);
        let report_call = report.clone();
        tokio::spawn(async move {
            while let Some(call) = calls.next().await {
                if matches!(
                    call.r#type,
                    ConsoleApiCalledType::Error | ConsoleApiCalledType::Assert
                ) {
                    let words = call.args.iter().map(|argument| match &argument.value {
                        Some(value) => value.to_string(),
                        None => argument.description.clone().unwrap_or_default(),
                    });
                    report_call(words.collect::<Vec<_>>().join(" "));
                }
            }
        });
        let report_call = report.clone();
        tokio::spawn(async move {
            while let Some(thrown) = throws.next().await {
                let details = &thrown.exception_details;
                let what = details.exception.as_ref();
                let what = what.and_then(|exception| exception.description.as_deref());
                report_call(format!("{} {}", details.text, what.unwrap_or_default()));
            }
        });
        tokio::spawn(async move {
            while let Some(entry) = entries.next().await {
                if entry.entry.level == LogEntryLevel::Error {
                    let url = entry.entry.url.as_deref().unwrap_or_default();
                    report(format!("{} {url}", entry.entry.text));
                }
            }
        });
        let tab = Self { page, scale };
        tab.call(log::EnableParams::default()).await;
        tab.call(SetFocusEmulationEnabledParams::new(true)).await;
        let (width, height) = SIZE;
        tab.set_size(i64::from(width), i64::from(height)).await;
        tab
    }

    async fn call<C: chromiumoxide::Command>(&self, command: C) -> C::Response {
        let name = command.identifier();
        match self.page.execute(command).await {
            Ok(answer) => answer.result,
            Err(error) => panic!("{name}: {error}"),
        }
    }

    pub(crate) async fn go(&self, url: &str) {
        let went = self.call(NavigateParams::new(url)).await;
        assert_eq!(went.error_text, None, "{url}");
    }

    /// Closes the page, if it is still there.
    pub async fn close(&self) {
        let _ = self.page.clone().close().await;
    }

    /// Waits until the page has drawn its first picture.
    pub async fn ready(&self) {
        self.until_true("window.conatus !== undefined").await;
        self.eval("window.conatus.ready.then(() => true)").await;
    }

    /// The value of an expression in the page, with promises awaited.
    pub async fn eval(&self, expression: &str) -> Value {
        let mut evaluate = EvaluateParams::new(expression);
        evaluate.await_promise = Some(true);
        evaluate.return_by_value = Some(true);
        let answer = self.call(evaluate).await;
        if let Some(details) = answer.exception_details {
            let what = details.exception.and_then(|thrown| thrown.description);
            panic!("{expression}: {} {what:?}", details.text);
        }
        answer.result.value.unwrap_or_default()
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
        let metrics = SetDeviceMetricsOverrideParams::new(width, height, self.scale, false);
        self.call(metrics).await;
    }

    /// Presses a key, named as in `KeyboardEvent.key`.
    pub async fn key(&self, key: &str) {
        let printed = key.chars().count() == 1;
        let mut event = DispatchKeyEventParams::new(DispatchKeyEventType::KeyDown);
        event.key = Some(key.to_owned());
        event.text = printed.then(|| key.to_owned());
        event.windows_virtual_key_code = Some(virtual_key(key));
        event.modifiers = (key == "?").then_some(SHIFT);
        self.call(event.clone()).await;
        event.r#type = DispatchKeyEventType::KeyUp;
        event.text = None;
        self.call(event).await;
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
        self.pointer(DispatchMouseEventType::MousePressed, place, 1)
            .await;
    }

    /// Moves the pointer with its button held down.
    pub async fn drag(&self, place: (f64, f64)) {
        self.pointer(DispatchMouseEventType::MouseMoved, place, 1)
            .await;
    }

    /// Moves the pointer with no button down.
    pub async fn hover(&self, place: (f64, f64)) {
        self.pointer(DispatchMouseEventType::MouseMoved, place, 0)
            .await;
    }

    /// Lets the pointer's button go.
    pub async fn release(&self, place: (f64, f64)) {
        self.pointer(DispatchMouseEventType::MouseReleased, place, 0)
            .await;
    }

    async fn pointer(&self, what: DispatchMouseEventType, (x, y): (f64, f64), down: i64) {
        let button = match (&what, down) {
            (DispatchMouseEventType::MouseMoved, 0) => MouseButton::None,
            _ => MouseButton::Left,
        };
        let clicks = i64::from(what != DispatchMouseEventType::MouseMoved);
        let mut event = DispatchMouseEventParams::new(what, x, y);
        event.button = Some(button);
        event.buttons = Some(down);
        event.click_count = Some(clicks);
        self.call(event).await;
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
        let tree = self.call(GetFullAxTreeParams::default()).await;
        let text = |value: Option<AxValue>| {
            let value = value.and_then(|value| value.value);
            let text = value.as_ref().and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let nodes = tree.nodes.into_iter().filter(|node| !node.ignored);
        let named = nodes.map(|node| (text(node.role), text(node.name)));
        named
            .filter(|(role, _)| ROLES.contains(&role.as_str()))
            .collect()
    }

    /// A screenshot.
    pub async fn picture(&self) -> Picture {
        let shot = self.page.screenshot(ScreenshotParams::default()).await;
        Picture::from_png(&shot.unwrap_or_else(|error| panic!("no screenshot: {error}")))
    }
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
