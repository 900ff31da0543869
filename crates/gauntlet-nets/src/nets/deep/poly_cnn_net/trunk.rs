//! Poly-Trunk as a network: Poly-CNN's layers in another order.

use candle_core::Tensor;

use super::{greatest, planes};
use crate::encoders::{Batch, Dims, Extent};
use crate::nets::deep::architecture::{Architecture, Images, InputKind};
use crate::nets::deep::image_inference::ImageInference;
use crate::nets::deep::ops;
use crate::nets::deep::params::Maker;
use crate::nets::deep::poly_cnn::{NormedConvolution, PolyCnnNet};
use crate::nets::deep::poly_cnn_inference::trunk::TrunkCore;
use crate::nets::deep::poly_trunk::{PolyTrunk, PolyTrunkNet, TrunkShape};
use crate::nets::deep::{DeepError, Heads, Inference, Mode, Net, Param};
use crate::nets::kernels::Winograd;

/// Its name in errors.
const NAME: &str = "Poly-Trunk";

impl Architecture for PolyTrunk {
    fn name(&self) -> String {
        let shape = match self.shape {
            TrunkShape::U => "U".to_owned(),
            TrunkShape::Pooled(share) => format!("pooled {share}"),
        };
        format!("{NAME} {}x{}, width {}, {shape}", self.nets.get(), self.convolutions.get(), self.width.get())
    }

    fn reads(&self) -> InputKind {
        self.plain().reads()
    }

    fn scales(&self) -> bool {
        true
    }

    fn check(&self, extent: Extent) -> Result<(), String> {
        self.plain().check(extent)?;
        if self.shape == TrunkShape::U && self.nets.get().is_multiple_of(2) {
            let nets = self.nets.get();
            return Err(format!(
                "a U needs a middle net, and {nets} nets do not have one: choose an odd number of `nets`"
            ));
        }
        let hidden = Images::of(extent.dims).map_or(0, |images| self.plain().hidden(images.channels));
        let read = hidden + 2 * self.pooled(hidden);
        match read <= Winograd::CHANNELS {
            true => Ok(()),
            false => Err(format!(
                "its nets would read {read} channels, but at most {} are supported: choose a smaller `width` or share",
                Winograd::CHANNELS
            )),
        }
    }

    fn carries_over(&self, learned: Dims, played: Dims) -> bool {
        self.plain().carries_over(learned, played)
    }

    fn weight_count(&self, dims: Dims) -> Option<usize> {
        let images = Images::of(dims)?;
        Some(PolyTrunk::weight_count(self, images.channels, planes(images)))
    }

    fn board_macs(&self, extent: Extent) -> f64 {
        Images::of(extent.dims).map_or(0.0, |images| self.macs(images) as f64)
    }

    fn build(&self, dims: Dims, mut maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        let images = self.reads().images(dims, NAME)?;
        let (config, n) = (self.plain(), self.plain().hidden(images.channels));
        let read = n + 2 * self.pooled(n);
        assert!(read <= Winograd::CHANNELS, "`check` has refused wider layers");
        let first = config.normed(&mut maker, "conv".to_owned(), [images.channels, n])?;
        let mut net = |net: usize| {
            let inputs = |at: usize| if at == 0 { read } else { n };
            let layers = 0..config.convolutions.get();
            layers.map(|at| config.normed(&mut maker, format!("net{net}.conv{at}"), [inputs(at), n])).collect()
        };
        let nets = (0..config.nets.get()).map(&mut net).collect::<Result<_, DeepError>>()?;
        let value = [maker.linear("value.hidden", [2 * n, 2 * n], true)?, maker.linear("value", [2 * n, 1], true)?];
        let policy = maker.convolution("policy", [n, planes(images)], 9, true)?;
        let layers = PolyCnnNet { config, images, first, nets, policy, value, params: maker.done() };
        Ok(Box::new(PolyTrunkNet { config: *self, layers }))
    }
}

impl PolyTrunkNet {
    /// The input of the heads, `[B * sites, n]`.
    fn trunk(&self, x: &Tensor, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let layers = &self.layers;
        let h = layers.first.forward(x, layers.window(), false, mode)?;
        let h = match self.config.shape {
            TrunkShape::U => self.through_u(h, mode)?,
            TrunkShape::Pooled(_) => self.through_pools(h, mode)?,
        };
        Ok(h.relu()?)
    }

    fn through_u(&self, mut h: Tensor, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let (middle, mut kept) = (self.layers.nets.len() / 2, Vec::new());
        for (at, net) in self.layers.nets.iter().enumerate() {
            h = self.through(net, &h.relu()?, mode)?;
            match at {
                before if before < middle => kept.push(h.clone()),
                behind if behind > middle => h = (h + &kept[behind - middle - 1])?,
                _middle => {}
            }
        }
        Ok(h)
    }

    fn through_pools(&self, mut h: Tensor, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        for net in &self.layers.nets {
            let inner = self.through(net, &self.with_pools(&h)?.relu()?, mode)?;
            h = (h + inner)?;
        }
        Ok(h)
    }

    /// The convolutions of a net.
    fn through(&self, net: &[NormedConvolution], x: &Tensor, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let mut inner = x.clone();
        for (at, layer) in net.iter().enumerate() {
            inner = layer.forward(&inner, self.layers.window(), at + 1 < net.len(), mode)?;
        }
        Ok(inner)
    }

    /// The channels of every cell, with maxima and means of its board appended, `[B * sites, n + 2 k]`.
    fn with_pools(&self, h: &Tensor) -> Result<Tensor, DeepError> {
        let (sites, pooled) = (self.layers.sites(), self.pooled());
        let some = h.narrow(1, 0, pooled)?.reshape(((), sites, pooled))?;
        let pools = Tensor::cat(&[greatest(&some)?, some.mean(1)?], 1)?;
        let shape = (pools.dim(0)?, sites, 2 * pooled);
        let everywhere = pools.unsqueeze(1)?.broadcast_as(shape)?.reshape(((), 2 * pooled))?;
        Ok(Tensor::cat(&[h, &everywhere], 1)?)
    }
}

impl Net for PolyTrunkNet {
    fn dims(&self) -> Dims {
        self.layers.dims()
    }

    fn params(&self) -> &[Param] {
        self.layers.params()
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        let layers = &self.layers;
        let images = layers.images.planes(batch, NAME)?;
        let kind = (layers.policy.weight.dtype(), layers.policy.weight.device());
        let x = ops::rows_of(images.values(), layers.images.channels, layers.sites(), kind)?;
        let h = self.trunk(&x, &mut mode)?;
        let boards = images.positions();
        Ok(Heads::new(layers.logits(&h, boards)?, layers.values(&h, boards)?))
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        let flops = 2 * self.config.macs(self.layers.images);
        Ok(Box::new(ImageInference::bind(NAME, TrunkCore::new(self)?, flops)))
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        2 * self.config.macs(self.layers.images)
    }
}
