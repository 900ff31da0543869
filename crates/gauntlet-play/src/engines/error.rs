//! Errors of engines, and the facts that a finished engine leaves in a result.

use std::fmt;

use gauntlet_games::base::visible;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest part of a line in a message, in characters.
const SHOWN: usize = 300;

/// Errors of engines. None of them counts as a lost game.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The run was stopped while the engine was thinking.
    #[error("stopped while waiting for {0}")]
    Stopped(String),
    /// The engine is broken.
    #[error("{engine} {fault}{said}")]
    Broken {
        /// Its name.
        engine: String,
        /// Its fault, as the rest of a sentence.
        fault: String,
        /// The last lines that it wrote.
        said: LastLines,
    },
}

impl EngineError {
    /// An engine that is broken before it wrote a line.
    #[must_use]
    pub fn broken(engine: String, fault: String) -> EngineError {
        EngineError::Broken { engine, fault, said: LastLines::default() }
    }
}

/// The last lines that an engine wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LastLines {
    /// To standard error.
    pub errors: Vec<String>,
    /// To standard output.
    pub output: Vec<String>,
}

impl fmt::Display for LastLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, lines) in [("standard error", &self.errors), ("standard output", &self.output)] {
            if !lines.is_empty() {
                write!(f, "\n  its last lines on {place}:")?;
                lines.iter().try_for_each(|line| write!(f, "\n    {}", shown(line)))?;
            }
        }
        Ok(())
    }
}

/// A line for a message: escaped and shortened.
#[must_use]
pub fn shown(line: &str) -> String {
    let short: String = line.chars().take(SHOWN).collect();
    let more = if short.len() < line.len() { "..." } else { "" };
    visible(&short) + more
}

/// The remedy for a message that is no JSON, if it has numbers that JSON lacks.
#[must_use]
pub fn number_hint(message: &str) -> &'static str {
    let has_nan = ["NaN", "Infinity"].iter().any(|word| message.contains(word));
    if has_nan { "; JSON has no NaN and no infinity" } else { "" }
}

/// The facts about an engine in the result of its games.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EngineFacts {
    /// Name and version, as the engine says them.
    pub says: String,
    /// Whether the engine is declared deterministic, and gave the same moves when it was asked again.
    pub repeatable: bool,
}
