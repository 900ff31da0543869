//! The reasons why an ONNX file is refused.

/// The reason why an ONNX file is refused. Messages name the file's own nodes and values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OnnxError {
    /// Not a protocol buffer, or a truncated one.
    #[error("not a complete ONNX file: {0}")]
    Format(String),
    /// A part exceeds a limit.
    #[error("{what} exceeds the limit of {most}")]
    Limit {
        /// The part.
        what: String,
        /// The limit.
        most: u64,
    },
    /// The version of the operators is not supported.
    #[error(
        "it uses version {version} of the ONNX operators, and versions {least} to {most} are supported: export it with `opset_version={most}`"
    )]
    Opset {
        /// The version of the file.
        version: i64,
        /// The oldest supported version.
        least: i64,
        /// The newest supported version.
        most: i64,
    },
    /// Constants are in another file.
    #[error(
        "the numbers of `{name}` are in another file, `{location}`: export with `external_data=False`, or save the model with `onnx.save_model(model, path)`, which puts all numbers into one file"
    )]
    External {
        /// The constant.
        name: String,
        /// The other file.
        location: String,
    },
    /// An operator is not supported, or not with these settings.
    #[error("node `{node}` ({operator}): {reason}")]
    Node {
        /// The node.
        node: String,
        /// Its operator.
        operator: String,
        /// The reason.
        reason: String,
    },
    /// Inputs and outputs do not fit the game.
    #[error("{0}")]
    Contract(String),
}

impl OnnxError {
    /// An error of inputs, outputs or constants.
    pub(super) fn contract(reason: impl Into<String>) -> OnnxError {
        OnnxError::Contract(reason.into())
    }
}
