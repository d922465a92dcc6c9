//! Keeps the other threads of the pool ready between the stages of a step.
//!
//! A step consists of some hundred parallel loops of a few dozen microseconds each, with
//! short serial parts between them. A thread that has no work falls asleep within that time,
//! and waking it takes as long as such a loop. So a step asks the other threads to look for
//! work for a little longer. They give up after [`MAX_IDLE`] without any, so that nothing can
//! wait for them for ever, and idle programs use no processor time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a thread looks for work in vain.
const MAX_IDLE: Duration = Duration::from_micros(500);

/// Threads that are looking for work.
static AWAKE: AtomicUsize = AtomicUsize::new(0);

/// Keeps the other threads of the current pool ready for the next stage.
pub fn keep_threads_awake() {
    let Some(own) = rayon::current_thread_index() else {
        return;
    };
    if rayon::current_num_threads() == 1 || AWAKE.load(Ordering::Relaxed) > 0 {
        return;
    }
    rayon::spawn_broadcast(move |context| {
        if context.index() != own {
            AWAKE.fetch_add(1, Ordering::Relaxed);
            look_for_work();
            AWAKE.fetch_sub(1, Ordering::Relaxed);
        }
    });
}

fn look_for_work() {
    let mut last = Instant::now();
    while last.elapsed() < MAX_IDLE {
        match rayon::yield_now() {
            Some(rayon::Yield::Executed) => last = Instant::now(),
            // It may be on the processor of the thread that makes work.
            Some(rayon::Yield::Idle) => std::thread::yield_now(),
            None => return,
        }
    }
}
