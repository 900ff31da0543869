//! The choice of the norms of a trunk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Normalisation of a trunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrunkNorm {
    /// Batch norm.
    #[default]
    Batch,
    /// Batch norm whose running moments stay at 0 and 1, also in training: a factor and an offset for each feature.
    Frozen,
}
