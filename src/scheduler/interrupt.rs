//! Stopping: the signals that set the flag, and the commands that a worker process reads from its input.

use std::{io, thread};

use gauntlet_games::base::{CorePool, Stop};

/// Exit code of a program that was interrupted and can be resumed.
const INTERRUPTED: i32 = 130;

/// Lets Ctrl-C, SIGTERM and SIGHUP request the stop; the second such signal ends the process at once, with exit code
/// 130. Nothing is lost by that but the work since the last checkpoint.
///
/// # Errors
/// When the handler cannot be installed, or already was.
pub fn stop_on_signals(stop: &Stop) -> Result<(), ctrlc::Error> {
    let stop = stop.clone();
    ctrlc::set_handler(move || {
        if stop.request() {
            std::process::exit(INTERRUPTED);
        }
    })
}

/// Lets the end of the standard input request the stop: the process that started this one holds the other end, and closes it
/// to stop this process, or by dying. Before, it writes lines: how many cores may be used from then on.
pub fn watch_input(stop: &Stop, cores: &CorePool) {
    let (stop, cores) = (stop.clone(), cores.clone());
    thread::spawn(move || {
        let lines = io::stdin().lines().map_while(Result::ok);
        lines.filter_map(|line| line.trim().parse().ok()).for_each(|count| cores.resize(count));
        stop.request();
    });
}
