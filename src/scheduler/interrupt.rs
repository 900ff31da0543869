//! Stop requests: signals that set the flag, and commands that a worker process reads from its input.

use std::{io, thread};

use gauntlet_games::base::{CorePool, Stop};

/// Exit code of a program that was interrupted and can be resumed.
const INTERRUPTED: i32 = 130;

/// Makes Ctrl-C, SIGTERM and SIGHUP request a stop. The second signal ends the process at once, with exit code 130;
/// only the work since the last checkpoint is lost.
///
/// # Errors
/// If the handler cannot be installed, or is already installed.
pub fn stop_on_signals(stop: &Stop) -> Result<(), ctrlc::Error> {
    let stop = stop.clone();
    ctrlc::set_handler(move || {
        if stop.request() {
            std::process::exit(INTERRUPTED);
        }
    })
}

/// Requests a stop at the end of the standard input: the parent process closes its end to stop this process, or when
/// it dies. Before that, it writes lines with the number of cores that may be used from then on.
pub fn watch_input(stop: &Stop, cores: &CorePool) {
    let (stop, cores) = (stop.clone(), cores.clone());
    thread::spawn(move || {
        let lines = io::stdin().lines().map_while(Result::ok);
        lines.filter_map(|line| line.trim().parse().ok()).for_each(|count| cores.resize(count));
        stop.request();
    });
}
