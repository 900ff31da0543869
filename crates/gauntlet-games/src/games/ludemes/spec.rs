//! Settings of a described game in a manifest.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::compile::compile;
use super::game::{DescribedGame, build};
use super::library::{LIBRARY, described};
use super::macros;
use super::program::Program;
use super::text::{Source, hint, read, write};
use crate::base::files::{LARGEST_NOTE, read_text};

/// A described game as tokens, after its macros and options are replaced: its identity, independent of formatting.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "WrittenLudeme")]
pub struct LudemeSpec {
    /// `(game ...)` on one line.
    description: String,
}

/// A described game as written: `{ name = "yavalath" }`, `{ file = "my.lud", options = ["Board/9x9"] }`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WrittenLudeme {
    /// A built-in game, as listed by `gauntlet games`; or else `file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// A file with a description, beside the manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The text of a description. Results store games in this form, with macros and options replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// Chosen options, each as `Heading/Item`. Default: the starred ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    options: Vec<String>,
    /// A directory with files of shared macros (`.def`), beside the manifest or beside the description. Default:
    /// none. The identity of a game depends on the macros that it uses, not on the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    defs: Option<String>,
}

impl JsonSchema for LudemeSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "LudemeSpec".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        WrittenLudeme::json_schema(generator)
    }
}

impl TryFrom<WrittenLudeme> for LudemeSpec {
    type Error = String;

    /// Reads and compiles the description; the error lists all of its mistakes, one a line.
    fn try_from(written: WrittenLudeme) -> Result<LudemeSpec, String> {
        let (name, text) = written.text()?;
        let files =
            written.defs.as_ref().map_or(Ok(Vec::new()), |folder| macros::files(folder, written.file.as_deref()))?;
        LudemeSpec::read(&name, &text, &files, &written.options)
    }
}

impl WrittenLudeme {
    /// The name of the description in messages, and its text.
    fn text(&self) -> Result<(String, String), String> {
        match (&self.name, &self.file, &self.description) {
            (None, Some(file), Some(text)) => Ok((file.clone(), text.clone())),
            (None, None, Some(text)) => Ok(("description".to_owned(), text.clone())),
            (Some(name), None, None) => {
                let near = || hint(name, LIBRARY.iter().map(|game| game.name));
                let game = described(name).ok_or_else(|| format!("no described game is called `{name}`{}", near()))?;
                Ok((name.clone(), game.text.to_owned()))
            }
            (None, Some(file), None) => read_text(Path::new(file), LARGEST_NOTE)
                .map(|text| (file.clone(), text))
                .map_err(|error| format!("{file}: {error}")),
            _ => Err("a described game has a `name` or a `file`, and one of them only".to_owned()),
        }
    }
}

impl LudemeSpec {
    /// The game of a description.
    ///
    /// # Errors
    /// All mistakes, one a line, each with file, line and column.
    pub fn read(name: &str, text: &str, files: &[(String, String)], options: &[String]) -> Result<LudemeSpec, String> {
        let key = (text.to_owned(), files.to_vec(), options.to_vec());
        if let Some(known) = READ.get(&key) {
            return Ok(known);
        }
        let spec = LudemeSpec::read_anew(name, text, files, options)?;
        READ.keep(key, spec.clone());
        Ok(spec)
    }

    fn read_anew(name: &str, text: &str, files: &[(String, String)], options: &[String]) -> Result<LudemeSpec, String> {
        let shared: Vec<Source> = macros::shared(files);
        let source = Source { name, text };
        let expanded = read(source, &shared, options).map_err(|wrong| wrong.to_string())?;
        compile(source, &shared, options).map_err(|wrong| wrong.to_string())?;
        let description = write(&expanded.game);
        let again =
            super::text::read(Source { name, text: &description }, &[], &[]).map_err(|wrong| wrong.to_string())?;
        if !again.game.is_same(&expanded.game) {
            return Err(format!(
                "{name}: with its macros replaced this cannot be written down; texts and words in it look like brackets"
            ));
        }
        Ok(LudemeSpec { description })
    }

    /// The compiled game.
    #[must_use]
    pub fn program(&self) -> Program {
        let source = Source { name: "description", text: &self.description };
        compile(source, &[], &[]).expect("a description that was read is well-formed")
    }

    /// The game.
    #[must_use]
    pub fn build(&self) -> Arc<DescribedGame> {
        if let Some(known) = BUILT.get(&self.description) {
            return known;
        }
        let game = Arc::new(build(self.program()));
        BUILT.keep(self.description.clone(), game.clone());
        game
    }
}

/// A cache of descriptions by text, shared macros and options: every job and message of a manifest reads its games
/// again.
static READ: LazyLock<Memo<Given, LudemeSpec>> = LazyLock::new(Memo::default);

/// Key of the cache: the text of a description, the files of shared macros by name, and the options.
type Given = (String, Vec<(String, String)>, Vec<String>);

/// A cache of compiled games by description.
static BUILT: LazyLock<Memo<String, Arc<DescribedGame>>> = LazyLock::new(Memo::default);

/// A cache of values that take milliseconds to compute.
struct Memo<K, V>(Mutex<HashMap<K, V>>);

/// Maximum number of values in a cache, which is emptied when it is full.
const KEPT: usize = 64;

impl<K, V> Default for Memo<K, V> {
    fn default() -> Memo<K, V> {
        Memo(Mutex::default())
    }
}

impl<K: std::hash::Hash + Eq, V: Clone> Memo<K, V> {
    fn get(&self, key: &K) -> Option<V> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn keep(&self, key: K, value: V) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, value);
    }
}
