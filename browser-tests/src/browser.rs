//! One Chromium for all tests of a process, and the pages that a test opens in it.

use crate::devtools::DevTools;
use crate::tab::Tab;
use serde_json::json;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

/// The size of a window in CSS pixels.
pub const SIZE: (u32, u32) = (1000, 700);

/// Lets a page update twenty times a second at most, and draw its scene once a
/// second, for tests that do not read pixels.
const FEWER_PICTURES: &str = "{
    const native = window.requestAnimationFrame.bind(window);
    let updated = -Infinity, drawn = -Infinity, drawing = true;
    window.requestAnimationFrame = (update) => native(function step(now) {
        if (now !== updated) {
            if (now - updated < 50) return native(step);
            updated = now;
            drawing = now - drawn >= 1000;
            if (drawing) drawn = now;
        }
        update(now);
    });
    const context = WebGL2RenderingContext.prototype;
    const draws = ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced'];
    for (const name of ['clear', ...draws]) {
        const call = context[name];
        context[name] = function (...given) { if (drawing) call.apply(this, given); };
    }
}";

/// How the pages of a test are drawn. They are drawn in software, which takes most
/// of the time of the tests.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Drawing {
    /// Few pixels, few frames per second: for tests that do not look at the picture.
    Coarse,
    /// Few pixels at the full rate: for tests that measure time.
    Fast,
    /// One device pixel per CSS pixel at the full rate.
    Sharp,
}

impl Drawing {
    /// Device pixels per CSS pixel.
    pub(crate) fn scale(self) -> f64 {
        match self {
            Self::Coarse | Self::Fast => 0.25,
            Self::Sharp => 1.0,
        }
    }

    /// What a page does before its own scripts.
    pub(crate) fn script(self) -> Option<&'static str> {
        (self == Self::Coarse).then_some(FEWER_PICTURES)
    }
}

/// How long a busy machine may take to start a browser.
const TIMEOUT: Duration = Duration::from_secs(90);

/// How many tests run at the same time. A test waits for its program and its
/// page most of the time; more than this would draw too slowly.
const MAX_CONCURRENT_TESTS: usize = 3;

/// Software GL where there is no GPU, and no network requests of the browser's
/// own.
const ARGUMENTS: [&str; 14] = [
    "--headless=new",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--remote-debugging-port=0",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    // No window is visible, and all pages must draw.
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
];

/// Starts Chromium and ends it when this process closes the pipe, also when this
/// process is killed. Then removes its folder, twice, because some of its
/// processes write for a moment longer. Signals to the whole group, such as
/// Ctrl-C, must not prevent that.
const SUPERVISOR: &str = r#"
folder=$1; shift
trap : HUP INT TERM
"$@" >/dev/null 2>"$folder/stderr" </dev/null &
browser=$!
cat >/dev/null
kill "$browser" 2>/dev/null
wait "$browser" 2>/dev/null
rm -rf "$folder"
sleep 2
rm -rf "$folder"
"#;

/// The names of Chromium and Chrome on the `PATH`.
const NAMES: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// Where they are on systems without a `PATH` for applications.
const USUAL_PLACES: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

struct Shared {
    runtime: Runtime,
    devtools: DevTools,
    folder: PathBuf,
    _supervisor: Child,
}

static SHARED: LazyLock<Shared> = LazyLock::new(start);
/// Tests take one permit; a test that measures time takes all of them.
static PERMITS: Semaphore = Semaphore::const_new(MAX_CONCURRENT_TESTS);

/// The browser: what `CONATUS_BROWSER` names, or Chromium or Chrome where they
/// usually are.
fn find() -> Option<PathBuf> {
    let named = std::env::var_os("CONATUS_BROWSER");
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let on_path = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let usual = USUAL_PLACES.iter().map(PathBuf::from);
    on_path.chain(usual).find(|program| program.is_file())
}

fn start() -> Shared {
    let Some(program) = find() else {
        panic!(
            "no Chromium is installed (on Debian and Ubuntu `apt-get install chromium`); \
             CONATUS_BROWSER can name one"
        );
    };
    let folder = tempfile::Builder::new()
        .prefix("conatus-browser-")
        .tempdir()
        .map(tempfile::TempDir::keep)
        .unwrap_or_else(|error| panic!("no temporary folder: {error}"));
    let mut supervisor = Command::new("sh");
    supervisor.args(["-c", SUPERVISOR, "sh"]).arg(&folder);
    supervisor.arg(&program).args(ARGUMENTS);
    supervisor.arg(format!("--user-data-dir={}", folder.display()));
    supervisor.arg(format!("--window-size={},{}", SIZE.0, SIZE.1));
    if is_root() {
        supervisor.arg("--no-sandbox");
    }
    supervisor.arg("about:blank");
    let supervisor = supervisor
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()));
    let address = address(&folder, &program);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap_or_else(|error| panic!("no runtime: {error}"));
    let devtools = runtime
        .block_on(DevTools::connect(&address))
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    Shared {
        runtime,
        devtools,
        folder,
        _supervisor: supervisor,
    }
}

/// The address of the DevTools, which Chromium writes into its folder.
fn address(folder: &Path, program: &Path) -> String {
    let begin = Instant::now();
    while begin.elapsed() < TIMEOUT {
        let written = fs::read_to_string(folder.join("DevToolsActivePort")).unwrap_or_default();
        if let Some((port, path)) = written.split_once('\n')
            && !path.is_empty()
        {
            return format!("ws://127.0.0.1:{port}{}", path.trim_end());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let stderr = fs::read_to_string(folder.join("stderr")).unwrap_or_default();
    panic!("{} does not start:\n{stderr}", program.display());
}

/// Chromium cannot use its sandbox as root.
fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}

/// The pages of one test, with the console errors and exceptions of all of them.
#[derive(Clone)]
pub struct Browsing {
    errors: Arc<Mutex<Vec<String>>>,
    tabs: Arc<Mutex<Vec<Tab>>>,
    drawing: Drawing,
}

/// Runs a test in the browser, closes the pages that it opened, and fails if any
/// of them reported an error. Pages are drawn coarsely.
pub fn in_browser(test: impl AsyncFnOnce(Browsing)) {
    run(Drawing::Coarse, 1, test);
}

/// As [`in_browser`], for tests that look at the picture: one device pixel per
/// CSS pixel.
pub fn in_sharp_browser(test: impl AsyncFnOnce(Browsing)) {
    run(Drawing::Sharp, 1, test);
}

/// As [`in_browser`], for tests that measure time: no other test runs meanwhile.
pub fn alone_in_browser(test: impl AsyncFnOnce(Browsing)) {
    run(Drawing::Fast, MAX_CONCURRENT_TESTS, test);
}

fn run(drawing: Drawing, permits: usize, test: impl AsyncFnOnce(Browsing)) {
    let runtime = &SHARED.runtime;
    let permits = u32::try_from(permits).unwrap_or(u32::MAX);
    let permit = runtime.block_on(PERMITS.acquire_many(permits));
    let _permit = permit.unwrap_or_else(|error| panic!("no permit: {error}"));
    let browsing = Browsing {
        errors: Arc::default(),
        tabs: Arc::default(),
        drawing,
    };
    let own = browsing.clone();
    let done = catch_unwind(AssertUnwindSafe(|| runtime.block_on(test(own))));
    let tabs = std::mem::take(&mut *lock(&browsing.tabs));
    runtime.block_on(async {
        for tab in tabs {
            tab.close().await;
        }
    });
    let errors = lock(&browsing.errors).clone();
    if let Err(panic) = done {
        for error in errors {
            eprintln!("the page: {error}");
        }
        resume_unwind(panic);
    }
    assert!(errors.is_empty(), "the page reports errors: {errors:#?}");
}

impl Browsing {
    /// Opens an address in a new window and waits for the first picture.
    pub async fn open(&self, url: &str) -> Tab {
        let tab = self.open_any(url).await;
        tab.ready().await;
        tab
    }

    /// Opens any page.
    pub async fn open_any(&self, url: &str) -> Tab {
        let devtools = SHARED.devtools.clone();
        let tab = Tab::new(devtools, self.drawing, Arc::clone(&self.errors)).await;
        lock(&self.tabs).push(tab.clone());
        tab.go(url).await;
        tab
    }

    /// Removes and returns the errors so far, where a test expects some.
    pub fn expected_errors(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.errors))
    }

    /// Creates a folder for the files that pages save, and returns it.
    pub async fn downloads(&self) -> PathBuf {
        let folder = tempfile::Builder::new()
            .prefix("saved-")
            .tempdir_in(&SHARED.folder)
            .map(tempfile::TempDir::keep)
            .unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        let allow = json!({ "behavior": "allow", "downloadPath": folder.display().to_string() });
        let method = "Browser.setDownloadBehavior";
        let done = SHARED.devtools.call(None, method, allow).await;
        done.unwrap_or_else(|error| panic!("no downloads: {error}"));
        folder
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
