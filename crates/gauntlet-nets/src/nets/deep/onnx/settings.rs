//! The settings of a network of a file, as in a manifest.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contract::{OnnxOutput, OnnxOutputs};
use super::inference::OnnxInference;
use super::{OnnxError, compare};
use crate::encoders::{Dims, Extent};
use crate::nets::NumberFormat;
use crate::nets::deep::architecture::Architecture;
use crate::nets::deep::image::ResNetV2;
use crate::nets::deep::input::{InputKind, Logits};
use crate::nets::deep::layers::Network;
use crate::nets::deep::params::Maker;
use crate::nets::deep::{DeepError, Inference, Net};

/// The network of an ONNX file: it plays, and does not learn.
///
/// | key | default | |
/// |---|---|---|
/// | `file` | | the file, in the data directory; its contents are part of the job's key |
/// | `logits` | 0 | the output with a logit for each slot: its name or its position |
/// | `value` | 1 | the output with the value: one number from -1 to 1, or the logits of win, draw and loss |
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Onnx {
    /// The file, in the data directory: `"mine.onnx"`.
    pub file: String,
    /// The output with a logit for each slot; the first one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logits: Option<OnnxOutput>,
    /// The output with the value; the second one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<OnnxOutput>,
}

impl Onnx {
    /// The network of the file's bytes, for batches of these dimensions.
    ///
    /// # Errors
    /// If the file does not fit these dimensions, or has operators that are not supported.
    pub fn inference(&self, bytes: &[u8], dims: Dims, numbers: NumberFormat) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(OnnxInference::new(bytes, dims, &self.outputs(), numbers)?))
    }

    /// The file beside it with answers that the network has to give: `mine.check.safetensors`.
    #[must_use]
    pub fn answers_file(&self) -> Option<String> {
        Some(self.file.strip_suffix(".onnx")?.to_owned() + ".check.safetensors")
    }

    /// Compares the network with the answers of the file beside it, whose bytes have the tensors `input`, `logits` and
    /// `value`. Returns the largest difference, relative to numbers above 1.
    ///
    /// # Errors
    /// If it is no such file, or an answer differs by more than rounding.
    pub fn compare(&self, bytes: &[u8], dims: Dims, answers: &[u8]) -> Result<f32, DeepError> {
        let mut inference = OnnxInference::new(bytes, dims, &self.outputs(), NumberFormat::F32)?;
        let file = self.answers_file().unwrap_or_default();
        compare::compare(&mut inference, dims, answers).map_err(|reason| DeepError::Answers { file, reason })
    }

    fn outputs(&self) -> OnnxOutputs {
        let usual = OnnxOutputs::default();
        let [logits, value] = [&self.logits, &self.value].map(Clone::clone);
        OnnxOutputs { logits: logits.unwrap_or(usual.logits), value: value.unwrap_or(usual.value) }
    }
}

impl Architecture for Onnx {
    fn title(&self) -> &'static str {
        "ONNX"
    }

    fn name(&self) -> String {
        format!("ONNX {}", self.file)
    }

    fn reads(&self) -> InputKind {
        InputKind::Images { least: 1, logits: Logits::Slots }
    }

    fn scales(&self) -> bool {
        false
    }

    fn learns(&self) -> bool {
        false
    }

    /// The layers are in the file.
    fn network(&self, _dims: Dims) -> Option<Network> {
        None
    }

    /// That of a ResNet with five blocks of 128 channels: estimates do not read the file.
    fn board_macs(&self, extent: Extent) -> f64 {
        ResNetV2::default().board_macs(extent)
    }

    /// Refused: there are no weights to draw.
    fn build(&self, _dims: Dims, _maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        Err(OnnxError::contract(format!("{} has the weights of its file, and no others", self.name())).into())
    }
}
