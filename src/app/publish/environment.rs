//! The environment section of a report: commit, processor, versions.

use gauntlet_store::processor;

/// Name and value, in the order of display; `class` is the device class of the jobs.
pub fn environment(class: String) -> Vec<(String, String)> {
    let entries = [
        ("gauntlet", env!("CARGO_PKG_VERSION").to_owned()),
        // The program's own commit: the working directory may be another checkout.
        ("commit", env!("GAUNTLET_COMMIT").to_owned()),
        ("processor", processor()),
        ("cores", std::thread::available_parallelism().map_or(1, usize::from).to_string()),
        ("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("device class", class),
        ("rendered", jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string()),
        ("code of jobs", gauntlet_jobs::code::program().hex()[..16].to_owned()),
    ];
    entries.map(|(name, value)| (name.to_owned(), value)).into()
}
