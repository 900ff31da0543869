//! How long a file has not changed, by the clock of this process alone: for files whose times say nothing, since a clock
//! was set back or differs from that of another machine.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// What changes with every sign of life: the time of a file and its length.
pub(super) type Sign = (SystemTime, u64);

/// The last sign that was seen, and when it was seen first.
#[derive(Debug, Clone, Copy)]
struct Seen {
    sign: Sign,
    first: Instant,
}

/// How long a file has had this sign, of all the time that this process has looked at it.
pub(super) fn silence(path: &Path, sign: Sign) -> Duration {
    let mut watched = watched();
    let seen = watched.get(path).copied();
    let (seen, silence) = observe(seen, sign, Instant::now());
    watched.insert(path.to_path_buf(), seen);
    silence
}

/// Forgets a file that is gone.
pub(super) fn forget(path: &Path) {
    watched().remove(path);
}

fn watched() -> MutexGuard<'static, HashMap<PathBuf, Seen>> {
    static WATCHED: OnceLock<Mutex<HashMap<PathBuf, Seen>>> = OnceLock::new();
    WATCHED.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

fn observe(seen: Option<Seen>, sign: Sign, now: Instant) -> (Seen, Duration) {
    let seen = seen.filter(|seen| seen.sign == sign).unwrap_or(Seen { sign, first: now });
    (seen, now.duration_since(seen.first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_grows_until_a_sign_whatever_the_time_of_the_file() {
        let (begun, second) = (Instant::now(), Duration::from_secs(1));
        let far = SystemTime::now() + Duration::from_secs(86_400);
        let (seen, silence) = observe(None, (far, 100), begun);
        assert_eq!(silence, Duration::ZERO);
        let (seen, silence) = observe(Some(seen), (far, 100), begun + 200 * second);
        assert_eq!(silence, 200 * second);
        let (_, silence) = observe(Some(seen), (far, 101), begun + 201 * second);
        assert_eq!(silence, Duration::ZERO);
    }
}
