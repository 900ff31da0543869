//! Files that engines open while they play and that their settings do not name, as far as the system tells (Linux).
//!
//! The system tells of the file, not of the program that opens it: files that this program reads are not watched. Results
//! never depend on it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::programs::NamedEngine;

/// A watch on the files beside engines, from the first game to the last.
pub struct OpenedFiles {
    /// The watched files.
    unnamed: BTreeSet<PathBuf>,
    watch: Option<system::Opens>,
}

impl OpenedFiles {
    /// Begins to watch the files that none of these engines names; `known` are read by this program.
    #[must_use]
    pub fn watch(engines: &[NamedEngine], known: &BTreeSet<PathBuf>) -> OpenedFiles {
        let mut unnamed: BTreeMap<&Path, BTreeSet<PathBuf>> = BTreeMap::new();
        for NamedEngine { engine, .. } in engines {
            let own: BTreeSet<PathBuf> = engine.unnamed_files().into_iter().collect();
            let of_all = unnamed.entry(&engine.directory.0).or_insert_with(|| own.clone());
            of_all.retain(|file| own.contains(file));
        }
        let unnamed: BTreeSet<PathBuf> = unnamed.into_values().flatten().filter(|file| !known.contains(file)).collect();
        let directories: BTreeSet<&Path> = unnamed.iter().filter_map(|file| file.parent()).collect();
        let watch = (!unnamed.is_empty()).then(|| system::Opens::on(&directories)).flatten();
        OpenedFiles { unnamed, watch }
    }

    /// Ends the watch: a caution for each file that was opened.
    #[must_use]
    pub fn cautions(self) -> Vec<String> {
        let opened = self.watch.map(system::Opens::end).unwrap_or_default();
        let opened: BTreeSet<PathBuf> = opened.iter().map(|path| source(path)).collect();
        let caution = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default().display();
            format!(
                "an engine opened {}: results stay when it changes, unless `needs` names `{name}` (or `writes`, if the \
                 engine writes it)",
                file.display()
            )
        };
        self.unnamed.intersection(&opened).map(caution).collect()
    }
}

/// The source of a compiled module of Python: `__pycache__/helper.cpython-311.pyc` is that of `helper.py`.
fn source(path: &Path) -> PathBuf {
    let directory = path.parent().filter(|above| above.file_name().is_some_and(|name| name == "__pycache__"));
    let stem = path.file_name().and_then(|name| name.to_str()?.split('.').next());
    match (directory.and_then(Path::parent), stem) {
        (Some(directory), Some(stem)) => directory.join(format!("{stem}.py")),
        _ => path.to_owned(),
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::{BTreeMap, BTreeSet};
    use std::ffi::OsStr;
    use std::mem::MaybeUninit;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread::{JoinHandle, sleep, spawn};
    use std::time::Duration;

    use rustix::fd::OwnedFd;
    use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};

    /// Time between two looks at the events.
    const LOOK: Duration = Duration::from_millis(20);

    /// A thread that collects the opened files of some directories.
    pub struct Opens {
        is_over: Arc<AtomicBool>,
        opened: JoinHandle<BTreeSet<PathBuf>>,
    }

    impl Opens {
        /// Begins; `None` if the system has no watch left.
        pub fn on(directories: &BTreeSet<&Path>) -> Option<Opens> {
            let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            let caches = directories.iter().map(|directory| directory.join("__pycache__"));
            let places = directories.iter().map(|directory| directory.to_path_buf()).chain(caches);
            let watched = places.filter_map(|place| Some((add_watch(&events, &place, WatchFlags::OPEN).ok()?, place)));
            let watched: BTreeMap<i32, PathBuf> = watched.collect();
            let is_over = Arc::new(AtomicBool::new(false));
            let flag = Arc::clone(&is_over);
            Some(Opens { is_over, opened: spawn(move || collect(events, &watched, &flag)) })
        }

        /// Ends: the files that were opened.
        pub fn end(self) -> BTreeSet<PathBuf> {
            self.is_over.store(true, Ordering::Relaxed);
            self.opened.join().unwrap_or_default()
        }
    }

    fn collect(events: OwnedFd, watched: &BTreeMap<i32, PathBuf>, is_over: &AtomicBool) -> BTreeSet<PathBuf> {
        let (mut opened, mut buffer) = (BTreeSet::new(), [MaybeUninit::uninit(); 4096]);
        let mut reader = Reader::new(events, &mut buffer);
        loop {
            let is_last = is_over.load(Ordering::Relaxed);
            while let Ok(event) = reader.next() {
                let name = event.file_name().filter(|_| !event.events().contains(ReadFlags::ISDIR));
                if let (Some(directory), Some(name)) = (watched.get(&event.wd()), name) {
                    opened.insert(directory.join(OsStr::from_bytes(name.to_bytes())));
                }
            }
            if is_last {
                return opened;
            }
            sleep(LOOK);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    /// Other systems do not tell.
    pub struct Opens;

    impl Opens {
        /// None.
        pub fn on(_: &BTreeSet<&Path>) -> Option<Opens> {
            None
        }

        /// No files.
        pub fn end(self) -> BTreeSet<PathBuf> {
            BTreeSet::new()
        }
    }
}
