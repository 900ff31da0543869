//! Stopping: the signals that set the flag, and the end of the input of a worker process.

use std::{io, thread};

use crate::base::Stop;

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
/// to stop this process, or by dying.
pub fn stop_at_end_of_input(stop: &Stop) {
    let stop = stop.clone();
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        stop.request();
    });
}
