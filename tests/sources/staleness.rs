//! Edit this file, and these jobs become stale: a table. Move it, and none does: another one.
//!
//! A copy of the sources is edited, and the build script (`build/main.rs`) reads it again. A job is stale if its
//! fingerprint by those sources is another one than by this program's. That fingerprints cover all that runs is shown by
//! `tests/peers/coverage.py`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gauntlet::manifest::JobSpec;
use gauntlet::manifest::code::{Code, covered, fingerprint};
use rayon::prelude::*;

/// Jobs by name. Each names other games, players, networks and trainers.
const JOBS: [(&str, &str); 9] = [
