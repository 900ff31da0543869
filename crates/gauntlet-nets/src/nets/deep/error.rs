//! Errors of deep networks.

use super::onnx::OnnxError;
use super::trouble;
use crate::encoders::Dims;

/// An error of a deep network.
#[derive(Debug, thiserror::Error)]
pub enum DeepError {
    /// The tensor library failed.
    #[error("the tensor library failed")]
    Candle(#[source] candle_core::Error),
    /// The device failed: its meaning and a suggested fix.
    #[error("the device failed: {0}")]
    Device(String),
    /// The batch has another kind or size than the network reads.
    #[error("{net} reads {wanted}, not {given}")]
    Batch {
        /// The network.
        net: &'static str,
        /// The batches that it reads.
        wanted: String,
        /// The dimensions of the batch.
        given: Dims,
    },
    /// A network has a layer without a kernel.
    #[error("{net} has no kernel for layer {layer}, `{op}`, in its place: {remedy}")]
    Layer {
        /// The network.
        net: &'static str,
        /// The number of the layer.
        layer: usize,
        /// Its operation.
        op: String,
        /// A change of the network that helps.
        remedy: &'static str,
    },
    /// Nodes were requested of a network without nodes.
    #[error("only graph networks have nodes")]
    Nodeless,
    /// The number of tensors is wrong.
    #[error("the network has {wanted} tensors, not {given}")]
    Tensors {
        /// The network's number.
        wanted: usize,
        /// The given number.
        given: usize,
    },
    /// A tensor is missing or has another shape.
    #[error("tensor `{name}` is missing or has another shape")]
    Tensor {
        /// The tensor.
        name: String,
    },
    /// A trained tensor does not contribute to the loss.
    #[error("tensor `{name}` has no gradient")]
    NoGradient {
        /// The tensor.
        name: String,
    },
    /// A gradient cannot be clipped.
    #[error("the gradient holds a number that is not finite, or its norm is too large for single precision")]
    Gradient,
    /// An ONNX file is refused.
    #[error("the ONNX file is refused: {0}")]
    Onnx(#[from] OnnxError),
    /// The answers beside an ONNX file are refused, or are not those of the network.
    #[error("the answers of {file} are refused: {reason}")]
    Answers {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// The program of a network failed.
    #[error("the program of the network failed: {0}")]
    Program(String),
    /// A tensor contains a number that is not finite.
    #[error("tensor `{name}` holds a number that is not finite")]
    NotFinite {
        /// The tensor.
        name: String,
    },
}

impl From<candle_core::Error> for DeepError {
    fn from(error: candle_core::Error) -> DeepError {
        let text = error.to_string();
        match trouble::meaning(&text) {
            // Candle may append a backtrace.
            Some((meaning, hint)) => {
                DeepError::Device(format!("{meaning} ({}); {hint}", text.lines().next().unwrap_or_default()))
            }
            None => DeepError::Candle(error),
        }
    }
}

impl DeepError {
    /// The same error for another one who waits for the same answer.
    #[must_use]
    pub fn repeated(&self) -> DeepError {
        match self {
            DeepError::Program(text) => DeepError::Program(text.clone()),
            DeepError::Device(text) => DeepError::Device(text.clone()),
            other => DeepError::Device(other.to_string()),
        }
    }

    /// Whether the memory of the device is full.
    #[must_use]
    pub fn is_memory_full(&self) -> bool {
        matches!(self, DeepError::Device(text) if trouble::is_memory_full(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_error_has_the_words_of_the_first() {
        for error in [DeepError::Program("net.py ended".to_owned()), DeepError::Device("its thread ended".to_owned())] {
            assert_eq!(error.repeated().to_string(), error.to_string());
        }
        let other = DeepError::NotFinite { name: "w".to_owned() }.repeated();
        assert_eq!(other.to_string(), "the device failed: tensor `w` holds a number that is not finite");
    }
}
