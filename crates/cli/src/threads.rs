//! How many threads the program uses.

use crate::Done;
use crate::errors::Failure;

/// The most threads that can be requested.
pub const MAX_THREADS: u16 = 1024;

/// The variables from which rayon takes its number of threads.
const VARIABLES: [&str; 2] = ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"];

/// Checks the variables of the environment that choose a number of threads.
/// They have the bounds of `--threads`: rayon would try to start a million
/// threads, and the program would crash without a message. 0 and an empty value
/// mean as many threads as there are processors.
pub fn check_environment() -> Done {
    for name in VARIABLES {
        if let Some(value) = std::env::var_os(name) {
            check(name, &value.to_string_lossy())?;
        }
    }
    Ok(())
}

fn check(name: &str, value: &str) -> Done {
    match value.trim() {
        "" => Ok(()),
        value if value.parse().is_ok_and(|n: u16| n <= MAX_THREADS) => Ok(()),
        value => Err(Failure::usage(
            format!("the environment variable {name} is `{value}`"),
            format!("a number of threads is from 1 to {MAX_THREADS}; 0 means one per processor"),
        )),
    }
}

/// Starts the threads that were requested; one per processor if none were.
pub fn start(threads: Option<u16>) -> Done {
    let Some(threads) = threads else {
        return Ok(());
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.into())
        .build_global()
        .map_err(|error| {
            Failure::run(
                format!("cannot start {threads} threads: {error}"),
                "request fewer with --threads",
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_has_the_bounds_of_the_option() {
        for value in ["", "0", "1", " 2 ", "1024"] {
            assert!(check("RAYON_NUM_THREADS", value).is_ok(), "{value}");
        }
        for value in [
            "1025",
            "1000000",
            "-1",
            "many",
            "1e3",
            "99999999999999999999",
        ] {
            let refused = check("RAYON_NUM_THREADS", value);
            assert!(matches!(refused, Err(Failure::Usage(_))), "{value}");
        }
    }
}
