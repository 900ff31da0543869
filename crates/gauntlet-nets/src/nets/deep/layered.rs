//! A network made of stated layers as a [`Net`].

use candle_core::DType;

use super::layers::{LayeredNet, PositionSize};
use super::{DeepError, Heads, Inference, Mode, Net, Param, bind};
use crate::encoders::{Batch, Dims};
use crate::nets::NumberFormat;

impl Net for LayeredNet {
    fn dims(&self) -> Dims {
        self.dims
    }

    fn params(&self) -> &[Param] {
        &self.params
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        self.check(batch)?;
        if let Some(own) = &self.own
            && let Some(heads) = own.train(self, batch, &mut mode)?
        {
            return Ok(heads);
        }
        let (x, positions) = self.input(batch)?;
        self.heads(&x, &positions, &mut mode)
    }

    fn embeddings(&self, batch: &Batch, nodes: &[usize]) -> Result<Vec<Vec<f64>>, DeepError> {
        let Batch::Graphs(_) = batch else { return Err(DeepError::Nodeless) };
        let (x, positions) = self.input(batch)?;
        let values = self.values(&x, &positions, &mut Mode::Evaluate, |value| value.detach())?;
        let h = values[self.network.layers[self.network.score].from[0]].as_ref().expect("heads read it");
        nodes.iter().map(|&node| Ok(h.get(node)?.to_dtype(DType::F64)?.to_vec1()?)).collect()
    }

    fn inference(&self, numbers: NumberFormat) -> Result<Box<dyn Inference>, DeepError> {
        self.own.as_ref().map_or_else(|| bind::inference(self, numbers), |own| own.inference(self, numbers))
    }

    /// A graph without a dummy node counts like one with it.
    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        2 * self.network.macs(PositionSize::of(batch, index))
    }
}
