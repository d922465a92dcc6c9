//! Searches that a page abandons end, and only one runs at a time.

use crate::support::{self, Served, built_in};
use conatus_world::scene::library;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The threads of one search: its worker and its pool.
const THREADS_PER_SEARCH: usize = 1 + conatus_world::motion::ATTEMPTS_PER_ROUND;
/// The pool of the search before may still be ending.
const MAX_THREADS: usize = 2 * THREADS_PER_SEARCH;
/// How many scenes the page opens.
const OPENED: usize = 50;

/// The number of threads of this process that search, on Linux.
fn search_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let names = tasks.filter_map(|task| {
        let path = task.ok()?.path().join("comm");
        std::fs::read_to_string(path).ok()
    });
    // The threads of these tests have the name of their module.
    let searches = |name: &String| name.starts_with("search") && !name.starts_with("searches:");
    names.filter(searches).count()
}

/// Waits until no thread searches, and returns how long that took.
async fn until_no_search() -> Duration {
    let begin = Instant::now();
    while search_threads() > 0 {
        assert!(begin.elapsed() < Duration::from_secs(20), "still searching");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    begin.elapsed()
}

fn is_searching(state: &Value) -> bool {
    state["search"].is_string()
}

/// A user tried one scene with characters after the other. Every search that
/// the page had abandoned continued: 50 of them had 109 threads and 1.1 GB of
/// memory, for more than a minute. A search must end within 0.2 s of being
/// abandoned, and only one may run.
#[tokio::test]
async fn abandoned_searches_end_and_only_one_runs_at_a_time() {
    let _alone = support::searches().await;
    until_no_search().await;
    let served = Served::live(built_in("cylon"));
    let mut page = served.page().await;
    let scenes: Vec<&str> = library::list()
        .iter()
        .filter(|scene| scene.family == "motion")
        .map(|scene| scene.name)
        .collect();
    assert!(scenes.len() > 5, "{scenes:?}");
    let mut most = 0;
    for name in scenes.iter().cycle().take(OPENED) {
        page.ask(json!({ "do": "open", "scene": name }))
            .await
            .unwrap();
        page.until(is_searching).await;
        most = most.max(search_threads());
    }
    assert!(most <= MAX_THREADS, "{most} threads search");

    // Resetting the run that is shown abandons the last search as well.
    // The least of three times: a busy machine may delay any of them.
    let mut times = Vec::new();
    for name in &scenes[..3] {
        page.ask(json!({ "do": "open", "scene": name }))
            .await
            .unwrap();
        page.until(is_searching).await;
        page.ask(json!({ "do": "reset" })).await.unwrap();
        times.push(until_no_search().await);
    }
    println!("at most {most} search threads; abandoned searches end within {times:?}");
    let least = times.iter().min().unwrap();
    assert!(*least < Duration::from_millis(200), "{times:?}");
}

/// The search must not continue when the last page is closed, and a page that
/// is reloaded must not lose it.
#[tokio::test]
async fn a_search_stops_with_the_last_page_and_starts_again_with_the_next() {
    let _alone = support::searches().await;
    let served = Served::live(built_in("cylon"));
    let mut page = served.page().await;
    page.ask(json!({ "do": "open", "scene": "sit-up" }))
        .await
        .unwrap();
    page.until(is_searching).await;
    drop(page);
    until_no_search().await;
    let mut next = served.page().await;
    let state = next.until(is_searching).await;
    let message = state["search"].as_str().unwrap();
    assert!(message.contains("sit-up"), "{message}");
    assert_eq!(state["run"], 1);
    // A request for another scene still abandons it.
    next.ask(json!({ "do": "open", "scene": "cylon" }))
        .await
        .unwrap();
    let state = next.until(|state| state["run"] == 2).await;
    assert_eq!(state["search"], Value::Null);
}
