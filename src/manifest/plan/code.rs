//! Which code a job kind runs: a hash of the sources that the kind may import, fixed when this was built.

use std::sync::LazyLock;

use serde_json::json;

use crate::base::Key;

/// Room (and lock file) to the hash of its sources, written by `build.rs`.
const ROOMS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/rooms.rs"));

/// The rooms whose code a kind of job may reach (the import table of the architecture, closed over imports).
fn rooms_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "train" => &[
            "Cargo.lock",
            "base",
            "games",
            "encoders",
            "nets",
            "search",
            "players",
            "ratings",
            "formats",
            "arena",
            "learning",
        ],
        "play" => {
            &["Cargo.lock", "base", "games", "encoders", "nets", "search", "players", "ratings", "formats", "arena"]
        }
        _ => &[
            "Cargo.lock",
            "base",
            "games",
            "encoders",
            "nets",
            "search",
            "players",
            "ratings",
            "formats",
            "arena",
            "measure",
        ],
    }
}

/// The fingerprint of the code that jobs of a kind run.
#[must_use]
pub fn fingerprint(kind: &str) -> Key {
    static KNOWN: LazyLock<[Key; 3]> = LazyLock::new(|| ["train", "play", "measure"].map(hash));
    let [train, play, measure] = *KNOWN;
    match kind {
        "train" => train,
        "play" => play,
        _ => measure,
    }
}

fn hash(kind: &str) -> Key {
    let wanted = rooms_of(kind);
    let used: Vec<_> = ROOMS.iter().filter(|(room, _)| wanted.contains(room)).collect();
    Key::of("code", &json!(used))
}

/// The hash of each room's sources, for reports.
#[must_use]
pub fn rooms() -> &'static [(&'static str, &'static str)] {
    ROOMS
}
