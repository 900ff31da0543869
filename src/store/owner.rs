//! Who works on a directory, for machines that do not see each other's locks: a file with host and process, made by a
//! link, so that one of many gets it, and lengthened every few seconds while its process lives.
//!
//! On one machine the lock decides, and an owner whose lock is free is gone. Of another machine an owner is gone when
//! it has given no sign of life for long, by the clock of the file system alone: clocks of machines differ.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::atomic::{TEMPORARY, unique};
use super::error::{At as _, Error};
use super::host::{host, machine};

/// The file, in the directory that is owned.
pub(super) const OWNER: &str = ".owner.json";

/// Time between two signs of life.
const BEAT: Duration = Duration::from_secs(10);

/// Without a sign of life for so long, an owner on another machine is gone.
const GONE: Duration = Duration::from_secs(180);

/// By how much the clock of another machine may differ, where there is nothing better to compare with.
const SKEW: Duration = Duration::from_secs(1200);

/// How often to try again when owners come and go.
const TRIES: usize = 5;

/// Who works on a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    /// The process id.
    pub process: u32,
    /// Since when, as an RFC 3339 instant.
    pub since: String,
    /// The name of the machine.
    pub host: String,
    /// What tells the machine from others of the same name.
    machine: String,
    /// The array task of a cluster that the process is, and its attempt: `12_3.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    /// What tells this owner from all others.
    mark: String,
}

/// The file of an owner, as long as it lives. Dropping it removes it.
#[derive(Debug)]
pub(super) struct Owned {
    path: PathBuf,
    mark: String,
    _file: Arc<File>,
}

impl Owner {
    fn here() -> Owner {
        let of = |name: &str| std::env::var(name).ok();
        let task = of("SLURM_ARRAY_JOB_ID").zip(of("SLURM_ARRAY_TASK_ID"));
        let attempt = of("SLURM_RESTART_COUNT").unwrap_or_else(|| "0".to_owned());
        Owner {
            process: std::process::id(),
            since: jiff::Timestamp::now().to_string(),
            host: host(),
            machine: machine(),
            task: task.map(|(job, index)| format!("{job}_{index}.{attempt}")),
            mark: unique(),
        }
    }

    /// The owner of a directory, where there is a legible one.
    pub fn of(directory: &Path) -> Option<Owner> {
        Owner::read(&directory.join(OWNER))
    }

    fn read(path: &Path) -> Option<Owner> {
        let bytes = fs::read(path).ok()?;
        // Signs of life follow the first line.
        serde_json::from_slice(bytes.split(|&byte| byte == b'\n').next()?).ok()
    }
}

/// Takes a directory; none where another process works on it. With `is_locked` this process has its lock.
pub(super) fn take(directory: &Path, is_locked: bool) -> Result<Option<Owned>, Error> {
    let (path, owner) = (directory.join(OWNER), Owner::here());
    let draft = directory.join(format!("{TEMPORARY}{}", unique()));
    let file = write(&draft, &owner).at("write", &draft)?;
    let taken = link(&draft, &path, is_locked);
    let _ = fs::remove_file(&draft);
    if !taken.at("create", &path)? {
        return Ok(None);
    }
    let file = Arc::new(file);
    keep_alive(&file);
    Ok(Some(Owned { path, mark: owner.mark, _file: file }))
}

fn write(path: &Path, owner: &Owner) -> std::io::Result<File> {
    let mut bytes = serde_json::to_vec(owner).expect("an owner is plain data");
    bytes.push(b'\n');
    let mut file = OpenOptions::new().append(true).create_new(true).open(path)?;
    file.write_all(&bytes)?;
    Ok(file)
}

/// Gives a file the name of the owner's; whether nobody had it. Owners that are gone make way.
fn link(draft: &Path, path: &Path, is_locked: bool) -> std::io::Result<bool> {
    for _ in 0..TRIES {
        match fs::hard_link(draft, path) {
            Ok(()) => return Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            // Where there are no links, a rename has to do.
            Err(_) if !path.exists() => return fs::rename(draft, path).map(|()| true),
            Err(error) => return Err(error),
        }
        if !is_gone(draft, path, is_locked) {
            return Ok(false);
        }
        // Whoever moves it away makes way for whoever links next; the name that it gets is swept as any other draft.
        let away = path.with_file_name(format!("{TEMPORARY}{}", unique()));
        if fs::rename(path, &away).is_ok() {
            let _ = fs::remove_file(away);
        }
    }
    Ok(false)
}

/// Whether the owner of a file is known to be gone. `draft` was written a moment ago: its time is now, by the clock of the
/// file system.
fn is_gone(draft: &Path, path: &Path, is_locked: bool) -> bool {
    match Owner::read(path) {
        Some(owner) if owner.machine == machine() && (is_locked || !is_running(owner.process)) => true,
        // Another process may have its number by now, as in a container that was started again: signs of life decide.
        _ => match (written(draft), written(path)) {
            (Some(now), Some(then)) => now.duration_since(then).is_ok_and(|age| age >= GONE),
            // It is gone in the other sense.
            (_, None) => !path.exists(),
            (None, _) => false,
        },
    }
}

/// When a file was written; it is opened first, after which a network file system knows.
fn written(path: &Path) -> Option<SystemTime> {
    File::open(path).ok()?.metadata().ok()?.modified().ok()
}

/// Whether a process of this machine runs, as far as that can be known.
fn is_running(process: u32) -> bool {
    process == std::process::id()
        || !Path::new("/proc/self").exists()
        || Path::new(&format!("/proc/{process}")).exists()
}

/// Whether a process of another machine works on a directory, as far as can be known by looking alone.
pub(super) fn is_owned_elsewhere(directory: &Path) -> bool {
    let path = directory.join(OWNER);
    let Some(owner) = Owner::read(&path).filter(|owner| owner.machine != machine()) else { return false };
    tracing::debug!("{} is owned by {}", directory.display(), owner.host);
    let age = written(&path).map(|then| SystemTime::now().duration_since(then).unwrap_or_default());
    age.is_some_and(|age| age < GONE + SKEW)
}

impl Drop for Owned {
    fn drop(&mut self) {
        // Another machine may have taken this process for dead.
        if Owner::read(&self.path).is_some_and(|owner| owner.mark == self.mark) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The files that are to show signs of life.
fn living() -> MutexGuard<'static, Vec<Weak<File>>> {
    static LIVING: OnceLock<Mutex<Vec<Weak<File>>>> = OnceLock::new();
    let living = LIVING.get_or_init(|| {
        thread::spawn(|| {
            loop {
                thread::sleep(BEAT);
                beat();
            }
        });
        Mutex::default()
    });
    living.lock().unwrap_or_else(PoisonError::into_inner)
}

fn keep_alive(file: &Arc<File>) {
    let mut living = living();
    living.retain(|file| file.strong_count() > 0);
    living.push(Arc::downgrade(file));
}

/// Lengthens all files. The bytes go to the file that was opened, whatever has its name now.
fn beat() {
    let files: Vec<Arc<File>> = living().iter().filter_map(Weak::upgrade).collect();
    for file in files {
        if let Err(error) = (&*file).write_all(b"\n") {
            tracing::debug!("no sign of life: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An owner of another machine, whose last sign of life is so many seconds old.
    fn stranger(directory: &Path, seconds: u64) {
        leave(directory, &Owner { machine: "another".to_owned(), host: "n7".to_owned(), ..Owner::here() }, seconds);
    }

    /// The file of an owner, whose last sign of life is so many seconds old.
    fn leave(directory: &Path, owner: &Owner, seconds: u64) {
        let file = write(&directory.join(OWNER), owner).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn one_of_many_gets_a_directory_and_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let owned = take(directory.path(), false).unwrap().expect("nobody has it");
        assert!(take(directory.path(), false).unwrap().is_none());
        assert_eq!(Owner::of(directory.path()).map(|owner| owner.process), Some(std::process::id()));
        drop(owned);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn owners_elsewhere_are_left_alone_until_they_are_gone() {
        let directory = tempfile::tempdir().unwrap();
        stranger(directory.path(), 170);
        assert!(take(directory.path(), true).unwrap().is_none() && is_owned_elsewhere(directory.path()));
        fs::remove_file(directory.path().join(OWNER)).unwrap();
        // Its clock does not matter: ten minutes ahead are no age.
        stranger(directory.path(), 190);
        let owned = take(directory.path(), true).unwrap().expect("its owner is gone");
        assert_eq!(Owner::of(directory.path()).map(|owner| owner.mark), Some(owned.mark.clone()));
    }

    #[test]
    fn a_run_on_another_machine_keeps_the_tree() {
        let root = tempfile::tempdir().unwrap();
        let store = crate::store::Store::open(root.path()).unwrap();
        fs::create_dir_all(root.path()).unwrap();
        stranger(root.path(), 20);
        let Err(crate::store::LockError::Held(Some(held))) = store.lock() else { panic!("it has an owner") };
        assert_eq!(held.host, "n7");
    }

    #[test]
    fn on_one_machine_the_lock_decides() {
        let directory = tempfile::tempdir().unwrap();
        std::mem::forget(take(directory.path(), true).unwrap().expect("nobody has it"));
        assert!(!is_owned_elsewhere(directory.path()));
        assert!(take(directory.path(), true).unwrap().is_some(), "its lock is free");
    }

    #[test]
    fn without_locks_signs_of_life_decide_once_another_process_has_the_number() {
        for (seconds, is_taken) in [(170, false), (190, true)] {
            let directory = tempfile::tempdir().unwrap();
            leave(directory.path(), &Owner::here(), seconds);
            assert_eq!(take(directory.path(), false).unwrap().is_some(), is_taken, "{seconds} s");
        }
    }

    #[test]
    fn a_sign_of_life_keeps_the_file_legible_and_spares_its_successor() {
        let directory = tempfile::tempdir().unwrap();
        let first = take(directory.path(), true).unwrap().expect("nobody has it");
        beat();
        let mark = first.mark.clone();
        assert_eq!(Owner::of(directory.path()).map(|owner| owner.mark), Some(mark));
        let second = take(directory.path(), true).unwrap().expect("the lock is free");
        beat();
        drop(first);
        assert_eq!(Owner::of(directory.path()).map(|owner| owner.mark), Some(second.mark.clone()));
    }
}
