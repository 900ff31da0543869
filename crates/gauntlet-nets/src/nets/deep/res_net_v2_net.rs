//! ResNet-v2 as a network: construction, forward pass and inference.

use candle_core::Tensor;

use super::architecture::{Architecture, Images, InputKind, Logits};
use super::image_inference::ImageInference;
use super::ops;
use super::params::Maker;
use super::res_net_inference::ResNetTrunk;
use super::res_net_v2::{Head, MAPS, ResNetV2, ResNetV2Net};
use super::{DeepError, Heads, Inference, Mode, Net, Param};
use crate::encoders::{Batch, Dims, Extent};

impl Architecture for ResNetV2 {
    fn name(&self) -> String {
        format!("ResNet-v2 {}x{}", self.blocks.get(), self.channels.get())
    }

    fn reads(&self) -> InputKind {
        InputKind::Images { least: 3, logits: Logits::Slots }
    }

    fn scales(&self) -> bool {
        false
    }

    fn weight_count(&self, dims: Dims) -> Option<usize> {
        Some(ResNetV2::weight_count(self, Images::of(dims)?))
    }

    fn board_macs(&self, extent: Extent) -> f64 {
        Images::of(extent.dims).map_or(0.0, |images| self.macs(images) as f64)
    }

    fn build(&self, dims: Dims, mut maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        let images = self.reads().images(dims, "ResNet-v2")?;
        let (c, sites) = (self.channels.get(), images.rows * images.columns);
        let first = maker.convolution("conv", [images.channels, c], 9, true)?;
        let mut half = |name: String| {
            let norm = maker.biased_batch_norm(&format!("{name}.norm"), c)?;
            Ok::<_, DeepError>((norm, maker.convolution(&name, [c, c], 9, true)?))
        };
        let halves = (0..2 * self.blocks.get()).map(|at| half(format!("block{}.conv{}", at / 2, at % 2)));
        let halves = halves.collect::<Result<_, _>>()?;
        let norm = maker.biased_batch_norm("norm", c)?;
        let policy = Head {
            maps: maker.linear("policy.maps", [c, MAPS], true)?,
            norm: maker.biased_batch_norm("policy.norm", MAPS)?,
            full: vec![maker.linear("policy", [MAPS * sites, images.actions], true)?],
        };
        let value = Head {
            maps: maker.linear("value.maps", [c, 1], true)?,
            norm: maker.biased_batch_norm("value.norm", 1)?,
            full: vec![maker.linear("value.hidden", [sites, c], true)?, maker.linear("value", [c, 1], true)?],
        };
        Ok(Box::new(ResNetV2Net { config: *self, images, first, halves, norm, policy, value, params: maker.done() }))
    }
}

impl ResNetV2Net {
    /// The input of the heads, `[B * sites, C]`.
    fn trunk(&self, x: &Tensor, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let mut h = self.first.convolve(x, self.window(), false)?;
        for block in self.halves.chunks_exact(2) {
            let mut inner = h.clone();
            for (norm, convolution) in block {
                inner = convolution.convolve(&norm.forward(&inner, 0.0, mode)?, self.window(), false)?;
            }
            h = (h + inner)?;
        }
        self.norm.forward(&h, 0.0, mode)
    }
}

impl Head {
    fn forward(&self, h: &Tensor, boards: usize, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let maps = self.norm.forward(&self.maps.forward(h, false)?, 0.0, mode)?;
        let mut units = maps.reshape((boards, ()))?;
        for (at, layer) in self.full.iter().enumerate() {
            units = layer.forward(&units, at + 1 < self.full.len())?;
        }
        Ok(units)
    }
}

impl Net for ResNetV2Net {
    fn dims(&self) -> Dims {
        self.images.dims()
    }

    fn params(&self) -> &[Param] {
        &self.params
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        let planes = self.images.planes(batch, "ResNet-v2")?;
        let kind = (self.first.weight.dtype(), self.first.weight.device());
        let x = ops::rows_of(planes.values(), self.images.channels, self.images.rows * self.images.columns, kind)?;
        let h = self.trunk(&x, &mut mode)?;
        let policy_logits = self.policy.forward(&h, planes.positions(), &mut mode)?.flatten_all()?;
        let value = self.value.forward(&h, planes.positions(), &mut mode)?.squeeze(1)?.tanh()?;
        Ok(Heads::new(policy_logits, value))
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(ImageInference::bind("ResNet-v2", ResNetTrunk::bind(self)?, 2 * self.config.macs(self.images))))
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        2 * self.config.macs(self.images)
    }
}
