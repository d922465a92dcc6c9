//! One Chromium for all tests of a process, and what a single test opens in it.

use crate::tab::Tab;
use chromiumoxide::Browser;
use chromiumoxide::cdp::browser_protocol::browser::{
    SetDownloadBehaviorBehavior, SetDownloadBehaviorParams,
};
use chromiumoxide::cdp::browser_protocol::target::CreateTargetParams;
use chromiumoxide::detection::{DetectionOptions, default_executable};
use chromiumoxide::handler::HandlerConfig;
use chromiumoxide::handler::viewport::Viewport;
use futures_util::StreamExt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// The picture is small, so that software draws it quickly.
pub const SIZE: (u32, u32) = (1000, 700);

/// How long a busy machine may take to start a browser, or to answer a call.
const PATIENCE: Duration = Duration::from_secs(90);

/// Software GL wherever there is no GPU, and no word to anyone.
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
    // Pages that nobody looks at must go on as well: there is nobody.
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
];

/// Starts Chromium and ends it as soon as this process closes the pipe, also
/// when it is killed. Then takes away its folder, twice, because some of its
/// processes write for a moment longer. A signal to all of them, Ctrl-C for
/// one, must not keep it from that.
const KEEPER: &str = r#"
folder=$1; shift
trap : HUP INT TERM
"$@" >/dev/null 2>"$folder/said" </dev/null &
browser=$!
cat >/dev/null
kill "$browser" 2>/dev/null
wait "$browser" 2>/dev/null
rm -rf "$folder"
sleep 2
rm -rf "$folder"
"#;

struct Shared {
    runtime: Runtime,
    browser: Browser,
    folder: PathBuf,
    _keeper: Child,
}

static SHARED: LazyLock<Shared> = LazyLock::new(start);
/// One test at a time: two pages that draw in software starve each other.
static TURN: Mutex<()> = Mutex::new(());

/// The browser: what `CONATUS_BROWSER` names, or Chromium or Chrome where they
/// usually are.
fn find() -> Option<PathBuf> {
    let named = std::env::var_os("CONATUS_BROWSER");
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let usual = DetectionOptions {
        msedge: false,
        unstable: false,
    };
    default_executable(usual).ok()
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
    let mut keeper = Command::new("sh");
    keeper.args(["-c", KEEPER, "sh"]).arg(&folder);
    keeper.arg(&program).args(ARGUMENTS);
    keeper.arg(format!("--user-data-dir={}", folder.display()));
    keeper.arg(format!("--window-size={},{}", SIZE.0, SIZE.1));
    if is_root() {
        keeper.arg("--no-sandbox");
    }
    keeper.arg("about:blank");
    let keeper = keeper
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
    let config = HandlerConfig {
        request_timeout: PATIENCE,
        viewport: Some(Viewport {
            width: SIZE.0,
            height: SIZE.1,
            device_scale_factor: Some(1.0),
            ..Viewport::default()
        }),
        ..HandlerConfig::default()
    };
    let (browser, mut handler) = runtime
        .block_on(Browser::connect_with_config(address, config))
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    // A message that chromiumoxide does not know is an error here, but no end.
    runtime.spawn(async move { while handler.next().await.is_some() {} });
    Shared {
        runtime,
        browser,
        folder,
        _keeper: keeper,
    }
}

/// Where Chromium listens, as it writes into its folder.
fn address(folder: &Path, program: &Path) -> String {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let told = fs::read_to_string(folder.join("DevToolsActivePort")).unwrap_or_default();
        if let Some((port, path)) = told.split_once('\n')
            && !path.is_empty()
        {
            return format!("ws://127.0.0.1:{port}{}", path.trim_end());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let said = fs::read_to_string(folder.join("said")).unwrap_or_default();
    panic!("{} does not start:\n{said}", program.display());
}

/// Chromium does not run in its sandbox as root.
fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}

/// What one test opens. Errors on the console and exceptions of all its pages
/// come together here.
#[derive(Clone)]
pub struct Browsing {
    problems: Arc<Mutex<Vec<String>>>,
    tabs: Arc<Mutex<Vec<Tab>>>,
}

/// Runs a test when it is its turn, closes what it opened, and fails if any
/// page complained.
pub fn in_browser(test: impl AsyncFnOnce(Browsing)) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = &SHARED.runtime;
    let browsing = Browsing {
        problems: Arc::default(),
        tabs: Arc::default(),
    };
    let own = browsing.clone();
    let done = catch_unwind(AssertUnwindSafe(|| runtime.block_on(test(own))));
    let tabs = std::mem::take(&mut *lock(&browsing.tabs));
    runtime.block_on(async {
        for tab in tabs {
            tab.close().await;
        }
    });
    let problems = lock(&browsing.problems).clone();
    if let Err(panic) = done {
        for problem in problems {
            eprintln!("the page: {problem}");
        }
        resume_unwind(panic);
    }
    assert!(problems.is_empty(), "the page complains: {problems:#?}");
}

impl Browsing {
    /// Opens an address in a window of its own and waits for the first picture.
    pub async fn open(&self, url: &str) -> Tab {
        let tab = self.open_any(url).await;
        tab.ready().await;
        tab
    }

    /// Opens a page that need not be ours.
    pub async fn open_any(&self, url: &str) -> Tab {
        let mut blank = CreateTargetParams::new("about:blank");
        // A tab behind another one does not draw.
        blank.new_window = Some(true);
        let page = SHARED.browser.new_page(blank).await;
        let page = page.unwrap_or_else(|error| panic!("no new page: {error}"));
        let tab = Tab::new(page, Arc::clone(&self.problems)).await;
        lock(&self.tabs).push(tab.clone());
        tab.go(url).await;
        tab
    }

    /// Takes back complaints that were meant to come, and gives them.
    pub fn expected_problems(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.problems))
    }

    /// Has files that pages save put into a new folder, and gives that.
    pub async fn downloads(&self) -> PathBuf {
        let folder = tempfile::Builder::new()
            .prefix("saved-")
            .tempdir_in(&SHARED.folder)
            .map(tempfile::TempDir::keep)
            .unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        let mut allow = SetDownloadBehaviorParams::new(SetDownloadBehaviorBehavior::Allow);
        allow.download_path = Some(folder.display().to_string());
        let done = SHARED.browser.execute(allow).await;
        done.unwrap_or_else(|error| panic!("no downloads: {error}"));
        folder
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
