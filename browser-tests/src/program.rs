//! The program `conatus`: finding or building it, and running `conatus play`.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

/// How long a busy machine may take to start the program.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// The program to test: that of `CONATUS_PROGRAM`, or else cargo builds it in the
/// profile of the tests.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let named = std::env::var_os("CONATUS_PROGRAM");
    PROGRAM.get_or_init(|| match named.filter(|named| !named.is_empty()) {
        Some(named) => {
            // Relative to the root of the project.
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            let path = root.join(named);
            assert!(
                path.is_file(),
                "CONATUS_PROGRAM names {}, which is no file; `cargo build --release` makes \
                 target/release/conatus",
                path.display()
            );
            path
        }
        None => build(),
    })
}

fn build() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--package", "conatus-cli"]);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    build.current_dir(env!("CARGO_MANIFEST_DIR"));
    let built = build.status().is_ok_and(|status| status.success());
    assert!(
        built,
        "`cargo build --package conatus-cli` failed; CONATUS_PROGRAM can name a finished program"
    );
    // This is target/debug/deps/page-0123 or target/debug/soak; the program is in
    // target/debug.
    let here = std::env::current_exe().unwrap_or_default();
    let name = format!("conatus{}", std::env::consts::EXE_SUFFIX);
    let found = here.ancestors().skip(1).take(2).map(|f| f.join(&name));
    found
        .into_iter()
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("cargo built {name}, but it is not near {}", here.display()))
}

/// Runs `conatus` with these arguments to its end.
pub fn conatus(arguments: &[&str]) -> Output {
    let output = Command::new(program()).args(arguments).output();
    output.unwrap_or_else(|error| panic!("conatus {arguments:?}: {error}"))
}

/// A running `conatus play`; dropping it ends the program.
pub struct Play {
    child: Child,
    output: Arc<Mutex<String>>,
    /// The address of its page.
    pub url: String,
    /// The port in that address.
    pub port: u16,
}

impl Play {
    /// Plays a scene or a recording.
    pub fn start(scene: &str) -> Self {
        Self::with(program(), &[scene])
    }

    /// Plays with these arguments.
    pub fn with(program: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(program)
            .arg("play")
            .args(arguments)
            .arg("--no-open")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let output = Arc::new(Mutex::new(String::new()));
        let (sender, addresses) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            listen(stdout, Arc::clone(&output), Some(sender));
        }
        if let Some(stderr) = child.stderr.take() {
            listen(stderr, Arc::clone(&output), None);
        }
        let mut play = Self {
            child,
            output,
            url: String::new(),
            port: 0,
        };
        play.url = play.address(&addresses, arguments);
        let port = play.url.rsplit(':').next().unwrap_or_default();
        let port = port.split('/').next().unwrap_or_default();
        play.port = port.parse().unwrap_or_default();
        assert_ne!(play.port, 0, "no port in {}", play.url);
        play
    }

    fn address(&mut self, addresses: &Receiver<String>, arguments: &[&str]) -> String {
        addresses.recv_timeout(START_TIMEOUT).unwrap_or_else(|_| {
            let status = self.child.try_wait();
            panic!(
                "conatus play {arguments:?} printed no address ({status:?}): {}",
                self.output()
            )
        })
    }

    /// The output so far.
    pub fn output(&self) -> String {
        self.output
            .lock()
            .map(|output| output.clone())
            .unwrap_or_default()
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it still runs.
    pub fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends Ctrl-C; returns the exit status and the time it took.
    pub fn interrupt(&mut self) -> (ExitStatus, Duration) {
        let begin = Instant::now();
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill -INT {id}");
        while begin.elapsed() < Duration::from_secs(30) {
            if let Ok(Some(status)) = self.child.try_wait() {
                return (status, begin.elapsed());
            }
            sleep(Duration::from_millis(5));
        }
        panic!("conatus play did not end on Ctrl-C: {}", self.output());
    }

    /// The path of a resource, with the access token of the address.
    pub fn path(&self, resource: &str) -> String {
        let path = self.url.splitn(4, '/').nth(3).unwrap_or_default();
        format!("/{path}{resource}")
    }

    /// Saves the session so far to a file.
    pub fn save(&self, to: &Path) {
        use std::io::Write;
        let get = || -> std::io::Result<Vec<u8>> {
            let mut stream = std::net::TcpStream::connect(("127.0.0.1", self.port))?;
            write!(
                stream,
                "GET {} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\n\r\n",
                self.path("recording.mcap"),
                self.port
            )?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer)?;
            Ok(answer)
        };
        let answer = get().unwrap_or_else(|error| panic!("{}: {error}", self.url));
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer to GET recording.mcap"));
        std::fs::write(to, &answer[end + 4..])
            .unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    }
}

impl Drop for Play {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Collects lines, and sends the first address among them.
fn listen(
    from: impl Read + Send + 'static,
    output: Arc<Mutex<String>>,
    mut address: Option<mpsc::Sender<String>>,
) {
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            let found = line.split(' ').find(|word| word.starts_with("http://"));
            if let (Some(found), Some(sender)) = (found, address.take_if(|_| found.is_some())) {
                let _ = sender.send(found.to_owned());
            }
            if let Ok(mut output) = output.lock() {
                output.push_str(&line);
                output.push('\n');
            }
        }
    });
}
