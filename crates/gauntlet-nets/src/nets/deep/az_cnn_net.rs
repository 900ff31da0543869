//! AZ-CNN as a network: construction, forward pass and inference.

use candle_core::Tensor;

use super::architecture::{Architecture, Images, InputKind, Logits};
use super::az_cnn::{AzCnn, AzCnnNet};
use super::conv_inference::CnnInference;
use super::ops::{self, Recording};
use super::params::{BatchNorm, Maker};
use super::{DeepError, Heads, Inference, Mode, Net, Param};
use crate::encoders::{Batch, Dims, Extent};
use crate::nets::Count;

impl Architecture for AzCnn {
    fn name(&self) -> String {
        format!("AZ-CNN {}", self.channels.get())
    }

    fn reads(&self) -> InputKind {
        InputKind::Images { least: 3, logits: Logits::Slots }
    }

    fn scales(&self) -> bool {
        false
    }

    fn weight_count(&self, dims: Dims) -> Option<usize> {
        Some(AzCnn::weight_count(self, Images::of(dims)?))
    }

    fn least_batch(&self) -> u32 {
        2
    }

    fn board_macs(&self, extent: Extent) -> f64 {
        let Some(Images { channels: planes, rows, columns, .. }) = Images::of(extent.dims) else { return 0.0 };
        let [channels, wide, narrow] = [self.channels, self.wide, self.narrow].map(Count::get);
        let inner = rows.saturating_sub(2) * columns.saturating_sub(2);
        let convolutions = channels * (9 * planes * extent.sites + inner * (9 * channels + wide));
        (convolutions + wide * narrow + narrow * extent.slots) as f64
    }

    fn build(&self, dims: Dims, maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        Ok(Box::new(self.net(self.reads().images(dims, "AZ-CNN")?, maker)?))
    }
}

impl AzCnnNet {
    /// Logits `[B, actions]` and scores `[B, 1]`, the values before `tanh`, of images as rows `[B * sites, channels]`.
    fn outputs(&self, x: Tensor, mode: &mut Mode<'_>) -> Result<[Tensor; 2], DeepError> {
        let boards = x.dim(0)? / (self.images.rows * self.images.columns);
        let mut h = x;
        for (layer, window) in self.convolutions.iter().zip(AzCnnNet::windows(self.images)) {
            h = layer.norm.forward(&layer.linear.convolve(&h, window, false)?, 0.0, mode)?;
        }
        h = ops::as_rows(&h, boards)?;
        for layer in &self.full {
            h = layer.norm.forward(&layer.linear.forward(&h, false)?, self.config.dropout, mode)?;
        }
        Ok([self.policy.forward(&h, false)?, self.value.forward(&h, false)?])
    }

    /// Logits `[B, actions]` and values `[B]` of images as rows `[B * sites, channels]`, with the backward pass.
    pub(super) fn heads(
        &self,
        x: Tensor,
        mode: &mut Mode<'_>,
    ) -> Result<(Tensor, Tensor, Option<Recording>), DeepError> {
        let ([logits, scores], recording) = mode.pass(&self.value.weight, |mode| self.outputs(x, mode))?;
        Ok((logits, scores.squeeze(1)?.tanh()?, recording))
    }

    /// Number type and device of the weights.
    pub(super) fn tensor_type(&self) -> (candle_core::DType, &candle_core::Device) {
        let norm: &BatchNorm = &self.full[0].norm;
        (norm.mean.dtype(), norm.mean.device())
    }
}

impl Net for AzCnnNet {
    fn dims(&self) -> Dims {
        self.images.dims()
    }

    fn params(&self) -> &[Param] {
        &self.params
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        let planes = self.images.planes(batch, "AZ-CNN")?;
        let sites = self.images.rows * self.images.columns;
        let x = ops::rows_of(planes.values(), self.images.channels, sites, self.tensor_type())?;
        let (logits, value, recording) = self.heads(x, &mut mode)?;
        Ok(Heads::behind(recording, logits.flatten_all()?, value))
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(CnnInference::new(self)?))
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        2 * self.macs()
    }
}
