//! AlphaGateau's forward pass for training on the CPU, with its edges on a tape: the same function as with tensors
//! alone, which is its oracle in the tests.

use candle_core::{DType, Tensor, WithDType};

use super::bnr::Bnr;
use super::by_position::{ByPosition, move_dims};
use super::gateau_core::GateauCore;
use super::gateau_weights::{GateauBlock, GateauLayer, GateauShape, GateauWeights};
use super::pooled_value::{PoolScore, PooledValue};
use crate::encoders::{Batch, MoveGraphs};
use crate::nets::NumberFormat;
use crate::nets::deep::layers::{LayeredNet, OwnKernels};
use crate::nets::deep::ops::{self, EdgeBuffers, EdgeLayer, EdgeTape, Links, NormStats};
use crate::nets::deep::params::Linear;
use crate::nets::deep::{DeepError, Heads, Inference, Mode};

/// Weights and biases of a layer.
fn both(linear: &Linear) -> [&Tensor; 2] {
    [&linear.weight, linear.bias.as_ref().expect("all layers have biases")]
}

impl Bnr {
    fn forward(&self, x: &Tensor, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        match self {
            Bnr::Frozen(norm) => Ok(ops::scale_relu(x, &(norm.gain.as_tensor() * ops::unit_scale())?, &norm.bias)?),
            Bnr::Batch(norm) => norm.forward(x, 0.0, mode),
        }
    }

    /// Computes the moments for the norm of edges, and updates the running moments.
    fn observe<T: WithDType>(&self, tape: &EdgeTape<T>, edges: usize) -> Result<NormStats, DeepError> {
        match self {
            Bnr::Frozen(norm) => {
                let count = norm.gain.elem_count();
                Ok(NormStats { mean: vec![0.0; count], scale: vec![ops::unit_scale(); count], of_batch: false })
            }
            Bnr::Batch(norm) => {
                let moments = tape.moments()?;
                norm.follow(&moments, edges)?;
                let (mean, variance) =
                    (moments.mean.to_dtype(DType::F64)?.to_vec1()?, moments.variance.to_dtype(DType::F64)?);
                let scale = (variance + ops::EPSILON)?.sqrt()?.recip()?.to_vec1()?;
                Ok(NormStats { mean, scale, of_batch: true })
            }
        }
    }

    /// Factors and offsets.
    fn affine(&self) -> [&Tensor; 2] {
        let (Bnr::Frozen(norm) | Bnr::Batch(crate::nets::deep::params::BatchNorm { norm, .. })) = self;
        [&norm.gain, &norm.bias]
    }
}

impl GateauLayer {
    /// The nodes after the layer; `h` are normalised.
    fn train<T: WithDType>(
        &self,
        h: &Tensor,
        tape: &mut EdgeTape<T>,
        (norm, stats): (&Bnr, NormStats),
        adds: bool,
        numbers: NumberFormat,
    ) -> Result<Tensor, DeepError> {
        let (u, v) = (self.u.forward(h, false, numbers)?, self.v.forward(h, false, numbers)?);
        let ([gain, offset], [weight, bias], [score, last]) = (norm.affine(), both(&self.e), both(&self.attention));
        let layer = EdgeLayer { attention: Some(self.g.is_none()), adds };
        let sums = tape.attend([h, &u, &v], [gain, offset, weight, bias, score, last], stats, layer)?;
        let count = h.dim(0)?;
        let (sent, messages) = (sums.narrow(0, 0, count)?, sums.narrow(0, count, count)?);
        let nodes = (self.own.forward(h, false, numbers)? + self.h.forward(&sent, false, numbers)?)?;
        Ok(match &self.g {
            Some(layer) => (nodes + layer.forward(&messages, false, numbers)?)?,
            None => (nodes + messages)?,
        })
    }
}

impl GateauBlock {
    fn train<T: WithDType>(
        &self,
        h: &Tensor,
        tape: &mut EdgeTape<T>,
        edges: usize,
        mode: &mut Mode<'_>,
    ) -> Result<Tensor, DeepError> {
        let mut nodes = h.clone();
        for (adds, ([node_norm, edge_norm], layer)) in
            [false, true].into_iter().zip(self.norms.iter().zip(&self.layers))
        {
            let stats = edge_norm.observe(tape, edges)?;
            let normed = node_norm.forward(&nodes, mode)?;
            nodes = layer.train(&normed, tape, (edge_norm, stats), adds, mode.numbers())?;
        }
        Ok((h + nodes)?)
    }
}

impl PooledValue {
    /// The values of all boards, whose nodes are `h [N, H]`.
    fn forward(&self, h: &Tensor, boards: &Links, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let (numbers, x) = (mode.numbers(), self.before.forward(h, mode)?);
        let x = self.norm.forward(&self.hidden.forward(&x, false, numbers)?, 0.0, mode)?;
        let scores = self.attention.forward(&x, false, numbers)?.squeeze(1)?;
        let scores = if self.score == PoolScore::Leaky { ops::leaky_relu(&scores)? } else { scores };
        let pooled = ops::collect_weighted(&ops::softmax_by_receiver(&scores, boards)?, &x, boards)?;
        Ok(self.last.forward(&pooled.relu()?, false, numbers)?.squeeze(1)?.tanh()?)
    }
}

/// The kernels of a network of a shape.
pub struct GateauKernels {
    shape: GateauShape,
    /// Buffers that a step leaves for the next one.
    buffers: EdgeBuffers,
}

impl GateauKernels {
    /// The kernels of a network of this shape.
    pub fn new(shape: GateauShape) -> GateauKernels {
        GateauKernels { shape, buffers: EdgeBuffers::default() }
    }
}

impl OwnKernels for GateauKernels {
    fn inference(&self, net: &LayeredNet, numbers: NumberFormat) -> Result<Box<dyn Inference>, DeepError> {
        let weights = GateauWeights::of(self.shape, &net.weights);
        Ok(ByPosition::boxed(net, GateauCore::new(self.shape, move_dims(net), &weights, numbers)?))
    }

    fn train(&self, net: &LayeredNet, batch: &Batch, mode: &mut Mode<'_>) -> Result<Option<Heads>, DeepError> {
        let Batch::Moves(moves) = batch else { return Ok(None) };
        let weights = GateauWeights::of(self.shape, &net.weights);
        let weight = &weights.edges.weight;
        match (&mode, weight.dtype()) {
            (Mode::Evaluate, _) => Ok(None),
            _ if !ops::is_fused(weight) => Ok(None),
            (Mode::Train { .. }, DType::F32) => weights.heads::<f32>(moves, &self.buffers, mode).map(Some),
            (Mode::Train { .. }, DType::F64) => weights.heads::<f64>(moves, &self.buffers, mode).map(Some),
            _ => Ok(None),
        }
    }
}

impl GateauWeights {
    /// Logits and values in training.
    fn heads<T: WithDType>(
        &self,
        moves: &MoveGraphs,
        buffers: &EdgeBuffers,
        mode: &mut Mode<'_>,
    ) -> Result<Heads, DeepError> {
        let mut tape = EdgeTape::<T>::embed(moves, both(&self.edges), mode.numbers(), buffers)?;
        let mut h = self.nodes.read(moves.node_values(), mode.numbers())?;
        for block in &self.blocks {
            h = block.train(&h, &mut tape, moves.edges(), mode)?;
        }
        let ([before, behind], [hidden, logit]) = (&self.policy_norms, &self.policy);
        let ([gain, offset], [weight, bias]) = (before.affine(), both(hidden));
        let stats = before.observe(&tape, moves.edges())?;
        tape.product([gain, offset, weight, bias], stats)?;
        let ([gain, offset], [weight, bias]) = (behind.affine(), both(logit));
        let stats = behind.observe(&tape, moves.edges())?;
        let policy_logits = tape.logits([gain, offset, weight, bias], stats)?;
        Ok(Heads::new(policy_logits, self.value.forward(&h, &Links::boards(moves), mode)?))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use candle_core::Device;

    use super::super::gateau::Gateau;
    use super::*;
    use crate::encoders::{Batch, Dims, MoveDims, MoveGraph, Topology};
    use crate::nets::deep::architecture::Architecture as _;
    use crate::nets::deep::ops::composed_alone;
    use crate::nets::deep::params::{Init, Maker};
    use gauntlet_games::base::{Cores, Seed};

    const DIMS: MoveDims = MoveDims { bits: 5, scalars: 2, edge: 3 };

    /// Graphs of two sizes; the last node of each has no incoming edge.
    fn batch() -> Batch {
        let mut moves = MoveGraphs::new(DIMS);
        for (side, seed) in [(3, 1), (2, 2), (3, 3)] {
            let sites = side * side;
            let edges: Vec<(u32, u32)> =
                (0..5 * sites).map(|i| ((i * 7 % sites) as u32, (i * i + i / 3) as u32 % (sites as u32 - 1))).collect();
            let features = (0..edges.len()).flat_map(|i| [0.0, (i as f32).sin(), (i as f32 * 0.3).cos()]).collect();
            let graph = Arc::new(MoveGraph::new(&Topology::square(side), &edges, features));
            let bits: Vec<u128> = (0..sites as u128).map(|site| (site * 11 + seed) % 32).collect();
            moves.push(&graph, &bits, &[0.5, seed as f32], &[0, 2, 3]);
        }
        Batch::Moves(moves)
    }

    /// Heads, gradients of all weights, and the running moments after a step.
    fn step(spec: Gateau, dtype: DType) -> Vec<Vec<f64>> {
        let mut rng = Seed::new(3).rng();
        let maker = Maker::new(dtype, &Device::Cpu, Init::Torch, &mut rng);
        let net = spec.build(Dims::Moves(DIMS), maker).unwrap();
        let heads = net.forward(&batch(), Mode::train(&mut rng)).unwrap();
        let count = heads.policy_logits.elem_count();
        let weights: Vec<f64> = (0..count).map(|i| (i as f64 * 0.61).cos()).collect();
        let weights = Tensor::from_vec(weights, count, &Device::Cpu).unwrap().to_dtype(dtype).unwrap();
        let policy = (heads.policy_logits.clone() * weights).unwrap().sum_all().unwrap();
        let total = (policy + heads.value.sqr().unwrap().sum_all().unwrap()).unwrap();
        let gradients = heads.gradients(&total).unwrap();
        let list =
            |tensor: &Tensor| tensor.flatten_all().unwrap().to_dtype(DType::F64).unwrap().to_vec1::<f64>().unwrap();
        let of_param = |param: &crate::nets::deep::Param| {
            list(if param.trained { gradients.get(&param.var).unwrap() } else { param.var.as_tensor() })
        };
        [list(&heads.policy_logits), list(&heads.value)].into_iter().chain(net.params().iter().map(of_param)).collect()
    }

    fn specs() -> [Gateau; 3] {
        [
            r#"{"hidden":6,"blocks":2}"#,
            r#"{"hidden":20,"blocks":2,"sync-updates":false}"#,
            r#"{"hidden":17,"blocks":2,"norm":"frozen"}"#,
        ]
        .map(|spec| serde_json::from_str(spec).unwrap())
    }

    /// The tape gives the same heads, gradients and running moments as tensors alone.
    #[test]
    fn a_tape_of_edges_is_the_network_of_tensors() {
        for spec in specs() {
            let (tape, tensors) = (step(spec, DType::F64), composed_alone(|| step(spec, DType::F64)));
            assert_eq!(tape.len(), tensors.len());
            for (index, (one, other)) in tape.iter().zip(&tensors).enumerate() {
                let size = other.iter().fold(1.0, |size: f64, number| size.max(number.abs()));
                let error = one.iter().zip(other).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max);
                assert!(one.len() == other.len() && error < 1e-12, "{spec:?}, {index}: {error}");
            }
            assert!(tape.iter().flatten().filter(|number| number.abs() > 1e-6).count() > 1000);
        }
    }

    /// A step with helpers has the same bits as one without.
    #[test]
    fn cores_change_no_bit_of_a_step() {
        for spec in specs() {
            let bits = |cores: usize| Cores::alone(cores).lend(|| step(spec, DType::F32)).concat();
            assert!([2, 3].into_iter().all(|cores| bits(cores) == bits(1)));
        }
    }
}
