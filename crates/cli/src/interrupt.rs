//! Ctrl-C. The first one stops the present phase of the work in an orderly way,
//! a second one in the same phase ends the program at once.

use crate::terminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// The exit code of a program that Ctrl-C ended: 128 and the signal's number.
const EXIT_CODE: i32 = 130;

static REQUESTED: AtomicBool = AtomicBool::new(false);
static MESSAGE: Mutex<&str> = Mutex::new("");

/// Begins a phase: from now on the first Ctrl-C prints `message` and makes
/// [`requested`] true. A Ctrl-C that stopped the phase before has no further effect.
pub fn begin_phase(message: &'static str) {
    static HANDLER: Once = Once::new();
    {
        let mut shown = lock_message();
        *shown = message;
        REQUESTED.store(false, Ordering::SeqCst);
    }
    // If no handler can be set, Ctrl-C ends the program as usual.
    HANDLER.call_once(|| {
        let _ = ctrlc::set_handler(handle);
    });
}

/// Whether the present phase should end now.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

fn handle() {
    // Held until the request is noted, so that it counts for the phase whose
    // message is shown.
    let message = lock_message();
    if REQUESTED.swap(true, Ordering::SeqCst) {
        std::process::exit(EXIT_CODE);
    }
    terminal::eprint_line(&format!("{message} (Ctrl-C again to quit at once)"));
}

fn lock_message() -> MutexGuard<'static, &'static str> {
    MESSAGE.lock().unwrap_or_else(PoisonError::into_inner)
}
