//! The sources of models: `models` in the directory of results, and the models embedded at build.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::app::library::files_below;
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};

/// The models that were committed at build time.
const EMBEDDED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// The ending of model files.
pub const ENDING: &str = ".safetensors";

/// The available models.
pub struct Models {
    directory: PathBuf,
}

impl Models {
    /// The models of a directory of results, and the embedded ones.
    pub fn below(results: &Path) -> Models {
        Models { directory: results.join("models") }
    }

    /// The bytes of the model with this name (`gomoku-agz/II`), if there is one.
    ///
    /// # Errors
    /// If its file cannot be read.
    pub fn find(&self, name: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let file = format!("{name}{ENDING}");
        let path = self.directory.join(&file);
        let is_below = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if is_below && path.is_file() {
            let bytes = read_regular(&path, LARGEST_DATA).with_context(|| format!("cannot read {}", path.display()))?;
            return Ok(Some(bytes));
        }
        Ok(EMBEDDED.iter().find(|(known, _)| *known == file).map(|(_, bytes)| bytes.to_vec()))
    }

    /// All names, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = EMBEDDED.iter().map(|(name, _)| (*name).to_owned()).collect();
        names.extend(files_below(&self.directory, "", ENDING));
        let mut names: Vec<String> =
            names.iter().filter_map(|name| name.strip_suffix(ENDING)).map(str::to_owned).collect();
        names.sort();
        names.dedup();
        names
    }
}
