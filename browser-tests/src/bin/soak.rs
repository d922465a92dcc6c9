//! Plays a scene live for a long time and watches the program's memory:
//! `cargo run -p conatus-browser-tests --bin soak -- [MINUTES] [SCENE ...]`.
//!
//! It sends the requests of a page at a high rate: frames, plots, old frames,
//! kicks and drags. The program records to unnamed files, so its own memory must
//! stay constant after a warm-up.

use conatus_browser_tests::program::{Play, program};
use conatus_browser_tests::socket::{ProgramMessage, Socket};
use serde_json::json;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A thousand balls, with so few frames that half an hour stays below the limit of
/// 4 GiB of a live recording.
const SCENE: [&str; 3] = ["gas", "--set", "time.steps_per_frame=16"];
/// Longer than any soak test.
const ENDLESS: [&str; 2] = ["--set", "time.seconds=1e6"];
/// How often to sample the memory, and how many samples make a row.
const INTERVAL: Duration = Duration::from_secs(2);
const ROW: usize = 15;
/// The growth in kB that is allowed.
const MAX_GROWTH_KB: u64 = 4096;
/// The period of drags in frames, and their length.
const DRAG_EVERY: u64 = 100;
const DRAG_FRAMES: u64 = 30;

/// The memory of the program at one moment, in kB.
#[derive(Clone, Copy, Default)]
struct Sample {
    seconds: f64,
    frames: u64,
    /// Resident memory: VmRSS.
    resident: u64,
    /// Anonymous memory: RssAnon.
    own: u64,
    /// Shared memory: RssShmem.
    shared: u64,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let minutes = arguments
        .next()
        .map_or(Ok(30.0), |text| text.parse::<f64>());
    let Ok(minutes) = minutes else {
        eprintln!("soak [MINUTES] [SCENE] [OPTIONS OF CONATUS PLAY]");
        return ExitCode::from(2);
    };
    let given: Vec<String> = arguments.collect();
    let mut scene: Vec<&str> = given.iter().map(String::as_str).collect();
    if scene.is_empty() {
        scene.extend(SCENE);
    }
    scene.extend(ENDLESS);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut play = Play::with(program(), &scene);
    println!(
        "{} play {} for {minutes} minutes\n\n  \
         minutes     frames  VmRSS kB  RssAnon kB  RssShmem kB",
        program().display(),
        scene.join(" "),
    );
    let length = Duration::from_secs_f64(60.0 * minutes);
    let samples = runtime.block_on(soak(&play, length));
    let (status, took) = play.interrupt();
    println!("Ctrl-C: {status} after {:.0} ms", 1e3 * took.as_secs_f64());
    match is_constant(&samples) && status.success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Compares the end with the state after a warm-up of a tenth of the time.
fn is_constant(samples: &[Sample]) -> bool {
    let tenth = samples.len() / 10;
    if tenth == 0 {
        println!("too few samples");
        return false;
    }
    let median = |part: &[Sample]| {
        let mut own: Vec<u64> = part.iter().map(|sample| sample.own).collect();
        own.sort_unstable();
        own[own.len() / 2]
    };
    let first = median(&samples[tenth..2 * tenth]);
    let last = median(&samples[samples.len() - tenth..]);
    let peak = samples.iter().map(|sample| sample.resident).max();
    println!(
        "RssAnon: {first} kB after the warm-up, {last} kB at the end; VmRSS: at most {} kB",
        peak.unwrap_or_default()
    );
    let grown = last.saturating_sub(first);
    match grown <= MAX_GROWTH_KB {
        true => println!("constant: {grown} kB more, of {MAX_GROWTH_KB} kB allowed"),
        false => println!("GROWTH: {grown} kB more, of {MAX_GROWTH_KB} kB allowed"),
    }
    grown <= MAX_GROWTH_KB
}

/// Samples the memory for a length of time.
async fn soak(play: &Play, length: Duration) -> Vec<Sample> {
    let mut socket = Socket::connect(play).await;
    let begin = Instant::now();
    let mut samples = vec![sample(play, begin, 0)];
    row(&samples[0]);
    let mut taken = begin;
    let mut seen = 0;
    socket.want(-1).await;
    while begin.elapsed() < length {
        if let ProgramMessage::Frame(index, _) = socket.receive().await {
            // Old frames, requested below, are ignored.
            if index >= seen {
                seen = index + 1;
                socket.want(i64::try_from(index).unwrap_or(i64::MAX)).await;
                send_requests(&mut socket, index).await;
            }
        }
        if taken.elapsed() >= INTERVAL {
            taken = Instant::now();
            samples.push(sample(play, begin, seen));
            if samples.len().is_multiple_of(ROW) {
                row(&samples[samples.len() - 1]);
            }
        }
    }
    samples
}

/// Sends the requests of a user and of the page.
async fn send_requests(socket: &mut Socket, index: u64) {
    let body = index / DRAG_EVERY % 4;
    match index % DRAG_EVERY {
        0 => socket.send(json!({ "do": "kick", "body": body })).await,
        turn @ 1..DRAG_FRAMES => {
            let angle = 0.2 * turn as f64;
            let target = [2.0 + angle.sin(), 2.0 + angle.cos(), 2.0];
            let pull =
                json!({ "do": "pull", "body": body, "point": [0.1, 0, 0], "target": target });
            socket.send(pull).await;
        }
        DRAG_FRAMES => socket.send(json!({ "do": "let_go" })).await,
        turn if turn.is_multiple_of(10) => {
            socket
                .send(json!({ "do": "frame", "index": index / 2 }))
                .await;
            let series = json!({ "do": "series", "from": 0, "stride": 1 });
            socket.send(series).await;
        }
        _ => {}
    }
}

/// Samples the memory of the program, on Linux.
fn sample(play: &Play, begin: Instant, frames: u64) -> Sample {
    let path = format!("/proc/{}/status", play.id());
    let status = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let value = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        number.unwrap_or_else(|| panic!("{path} has no {key}"))
    };
    Sample {
        seconds: begin.elapsed().as_secs_f64(),
        frames,
        resident: value("VmRSS:"),
        own: value("RssAnon:"),
        shared: value("RssShmem:"),
    }
}

fn row(sample: &Sample) {
    println!(
        "{:>9.1}  {:>9}  {:>8}  {:>10}  {:>11}",
        sample.seconds / 60.0,
        sample.frames,
        sample.resident,
        sample.own,
        sample.shared
    );
}
