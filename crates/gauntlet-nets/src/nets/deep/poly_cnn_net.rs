//! Poly-CNN as a network: construction, forward pass and inference.

pub(super) mod trunk;

use candle_core::{D, Tensor};

use super::architecture::{Architecture, Images, InputKind, Logits};
use super::image_inference::ImageInference;
use super::ops::{self, Window};
use super::params::{BatchNorm, Maker};
use super::poly_cnn::{NormedConvolution, PolyCnn, PolyCnnNet};
use super::poly_cnn_inference::PolyCnnCore;
use super::{DeepError, Heads, Inference, Mode, Net, Param};
use crate::encoders::{Batch, Dims, Extent};
use crate::nets::kernels::Winograd;

/// Its name in errors.
const NAME: &str = "Poly-CNN";

/// Number of logit planes.
fn planes(images: Images) -> usize {
    images.actions / (images.rows * images.columns)
}

impl Architecture for PolyCnn {
    fn name(&self) -> String {
        format!("{NAME} {}x{}, width {}", self.nets.get(), self.convolutions.get(), self.width.get())
    }

    fn reads(&self) -> InputKind {
        InputKind::Images { least: 3, logits: Logits::Planes }
    }

    fn scales(&self) -> bool {
        true
    }

    fn check(&self, extent: Extent) -> Result<(), String> {
        self.reads().check(extent.dims)?;
        let hidden = Images::of(extent.dims).map_or(0, |images| self.hidden(images.channels));
        match hidden <= Winograd::CHANNELS {
            true => Ok(()),
            false => Err(format!(
                "its layers would have {hidden} channels, but at most {} are supported: choose a smaller `width`",
                Winograd::CHANNELS
            )),
        }
    }

    /// True if states have the same channels and actions the same planes.
    fn carries_over(&self, learned: Dims, played: Dims) -> bool {
        let depths = |dims| Images::of(dims).map(|images| [images.channels, planes(images)]);
        depths(learned) == depths(played)
    }

    fn weight_count(&self, dims: Dims) -> Option<usize> {
        let images = Images::of(dims)?;
        Some(PolyCnn::weight_count(self, images.channels, planes(images)))
    }

    fn board_macs(&self, extent: Extent) -> f64 {
        Images::of(extent.dims).map_or(0.0, |images| self.macs(images) as f64)
    }

    fn build(&self, dims: Dims, mut maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        let images = self.reads().images(dims, NAME)?;
        assert!(self.hidden(images.channels) <= Winograd::CHANNELS, "`check` has refused wider layers");
        let n = self.hidden(images.channels);
        let first = self.normed(&mut maker, "conv".to_owned(), [images.channels, n])?;
        let mut net = |net: usize| {
            let convolutions = 0..self.convolutions.get();
            convolutions.map(|at| self.normed(&mut maker, format!("net{net}.conv{at}"), [n, n])).collect()
        };
        let nets = (0..self.nets.get()).map(&mut net).collect::<Result<_, DeepError>>()?;
        let value = [maker.linear("value.hidden", [2 * n, 2 * n], true)?, maker.linear("value", [2 * n, 1], true)?];
        let policy = maker.convolution("policy", [n, planes(images)], 9, true)?;
        Ok(Box::new(PolyCnnNet { config: *self, images, first, nets, policy, value, params: maker.done() }))
    }
}

impl PolyCnn {
    fn normed(&self, maker: &mut Maker<'_>, name: String, sizes: [usize; 2]) -> Result<NormedConvolution, DeepError> {
        let convolution = maker.convolution(&name, sizes, 9, false)?;
        let norm = maker.batch_norm(&format!("{name}.norm"), sizes[1])?;
        Ok(NormedConvolution { convolution, norm: BatchNorm { momentum: self.momentum, ..norm } })
    }
}

impl NormedConvolution {
    fn forward(&self, x: &Tensor, window: Window, relu: bool, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let x = self.convolution.convolve(x, window, false)?;
        if relu { self.norm.forward(&x, 0.0, mode) } else { self.norm.normalise(&x, mode) }
    }
}

impl PolyCnnNet {
    /// The input of the heads, `[B * sites, n]`.
    fn trunk(&self, x: &Tensor, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let window = self.window();
        let mut h = self.first.forward(x, window, false, mode)?;
        for net in &self.nets {
            let mut inner = h.relu()?;
            for (at, layer) in net.iter().enumerate() {
                inner = layer.forward(&inner, window, at + 1 < net.len(), mode)?;
            }
            h = (h + inner)?;
        }
        Ok(h.relu()?)
    }

    /// The logits plane by plane, `[B * planes * sites]`.
    fn logits(&self, h: &Tensor, boards: usize) -> Result<Tensor, DeepError> {
        let maps = self.policy.convolve(h, self.window(), false)?;
        Ok(maps.reshape((boards, self.sites(), ()))?.transpose(1, 2)?.contiguous()?.flatten_all()?)
    }

    /// The values, `[B]`.
    fn values(&self, h: &Tensor, boards: usize) -> Result<Tensor, DeepError> {
        let h = h.reshape((boards, self.sites(), ()))?;
        let pooled = Tensor::cat(&[greatest(&h)?, h.mean(1)?], D::Minus1)?;
        let [hidden, last] = &self.value;
        Ok(last.forward(&hidden.forward(&pooled, true)?, false)?.squeeze(1)?.tanh()?)
    }
}

/// The maximum of each column, `[B, sites, n]` to `[B, n]`. Of several equal maxima, one receives the gradient.
fn greatest(h: &Tensor) -> Result<Tensor, DeepError> {
    let places = h.detach().argmax_keepdim(1)?.contiguous()?;
    Ok(h.contiguous()?.gather(&places, 1)?.squeeze(1)?)
}

impl Net for PolyCnnNet {
    fn dims(&self) -> Dims {
        self.images.dims()
    }

    fn params(&self) -> &[Param] {
        &self.params
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        let images = self.images.planes(batch, NAME)?;
        let weight = &self.policy.weight;
        let kind = (weight.dtype(), weight.device());
        let x = ops::rows_of(images.values(), self.images.channels, self.sites(), kind)?;
        let h = self.trunk(&x, &mut mode)?;
        let boards = images.positions();
        Ok(Heads::new(self.logits(&h, boards)?, self.values(&h, boards)?))
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(ImageInference::bind(NAME, PolyCnnCore::new(self)?, 2 * self.config.macs(self.images))))
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        2 * self.config.macs(self.images)
    }
}
