//! Runs independent jobs side by side, as many at a time as there are processors.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs `work` on every job; jobs start in their order, results come in the same order.
pub fn run<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(jobs.len()));
    let worker = || {
        while let Some((index, job)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            jobs.get(index).map(|job| (index, job))
        } {
            let result = work(job);
            if let Ok(mut results) = results.lock() {
                results.push((index, result));
            }
        }
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..workers.min(jobs.len()) {
            scope.spawn(worker);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..50).collect();
        let results = super::run(&jobs, |job| {
            std::thread::sleep(std::time::Duration::from_micros((50 - job) * 20));
            job * job
        });
        let expected: Vec<u64> = jobs.iter().map(|job| job * job).collect();
        assert_eq!(results, expected);
    }

    #[test]
    fn no_jobs_give_no_results() {
        assert!(super::run(&[] as &[u64], |job| *job).is_empty());
    }
}
