//! Stopping: the signals that set the flag.

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
