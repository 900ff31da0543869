//! Messages on results of other device classes, which a store from another machine holds.

use super::output::Misuse;
use crate::app::Options;
use gauntlet_run::scheduler::Batch;
use gauntlet_store::Store;

/// The number of absent jobs of a batch that have a result of each other device class.
pub struct OtherClasses(Vec<(String, usize)>);

impl OtherClasses {
    /// Looks them up.
    ///
    /// # Errors
    /// If the store cannot be listed, or a job's note cannot be read.
    pub fn of(options: &Options, batch: &Batch, store: &Store) -> anyhow::Result<OtherClasses> {
        Ok(OtherClasses(batch.other_classes(store, options.accept_code)?))
    }

    /// A clause with their numbers, `60 have one of the device class cpu-x86_64-avx2`, and a hint. `None` if there are
    /// none.
    pub fn clause(&self) -> Option<(String, String)> {
        let (most, _) = self.0.iter().max_by_key(|(_, jobs)| *jobs)?;
        let words: Vec<String> = self.0.iter().map(|(class, jobs)| format!("{jobs} have one of {class}")).collect();
        let clause = format!("{} (another device class)", words.join(", "));
        let hint = format!("`--device-class {most}` reads those, `--device-class any` those of every class");
        Some((clause, hint))
    }

    /// The error for jobs without a result.
    pub fn error(&self, what: String, hint: String) -> anyhow::Error {
        match self.clause() {
            Some((clause, way)) => Misuse::new(format!("{what}: {clause}"), format!("{way}; {hint}")),
            None => Misuse::new(what, hint),
        }
    }

    /// The note on some jobs without a result.
    pub fn note(&self, what: String) -> String {
        self.clause().map_or(what.clone(), |(clause, way)| format!("{what}: {clause}; {way}"))
    }
}
