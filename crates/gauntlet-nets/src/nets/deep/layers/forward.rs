//! The differentiable pass through a network's layers, on tensors and any device.

use candle_core::{D, Tensor};

use super::net::LayeredNet;
use super::network::{Network, Op, Places};
use super::positions::Positions;
use super::state::Weights;
use crate::nets::deep::ops::{self, Recording, Window};
use crate::nets::deep::params::Norm;
use crate::nets::deep::{DeepError, Heads, Mode};

/// Raw results of a pass: logits in the rows of their layer, scores `[rows, 1]`, and the recorded backward pass.
pub type RawHeads = ([Tensor; 2], Option<Recording>);

impl LayeredNet {
    /// Logits and scores of an input `[rows, features]`; recorded in training up to the first layer that cannot be.
    pub fn raw_heads(&self, x: &Tensor, of: &Positions, mode: &mut Mode<'_>) -> Result<RawHeads, DeepError> {
        let layers = &self.network.layers;
        // Inference needs no graph behind its values, which would keep all of them in the memory of the device.
        let settle = |value: Tensor| if ops::is_at_play() { value.detach() } else { value };
        let end = self.network.recorded();
        let (mut values, mut kept) = (Vec::with_capacity(layers.len()), Vec::new());
        let (cut, recording) = mode.pass(self.params[0].var.as_tensor(), |mode| {
            self.advance(end, &mut values, (x, of), mode, settle)?;
            kept = (0..end).filter(|&at| values[at].as_ref().is_some_and(Tensor::track_op)).collect();
            Ok(kept.iter().filter_map(|&at| values[at].clone()).collect())
        })?;
        kept.into_iter().zip(cut).for_each(|(at, value)| values[at] = Some(value));
        self.advance(layers.len(), &mut values, (x, of), mode, settle)?;
        let of = |at: usize| values[at].clone().expect("heads are kept");
        Ok(([of(self.network.logits), of(self.network.score)], recording))
    }

    /// The heads of an input.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn heads(&self, x: &Tensor, of: &Positions, mode: &mut Mode<'_>) -> Result<Heads, DeepError> {
        let ([logits, scores], recording) = self.raw_heads(x, of, mode)?;
        let logits = match self.network.layers[self.network.logits].places {
            Places::Board | Places::Nodes | Places::Sites | Places::Edges => logits,
            Places::Grid { .. } => logits.reshape((of.count, (), logits.dim(1)?))?.transpose(1, 2)?.contiguous()?,
        };
        let scores = scores.squeeze(1)?;
        let scores = match &of.adjacency {
            Some(adjacency) if self.network.layers[self.network.score].places == Places::Nodes => {
                adjacency.pool(&scores, self.network.pools_dummies)?
            }
            _ => scores,
        };
        Ok(Heads::behind(recording, logits.flatten_all()?, scores.tanh()?))
    }

    /// The results of all layers; those that no further layer and no head reads are dropped. `settle` receives every
    /// result: to keep it, or to detach it from its inputs, without which a single large board needs gigabytes.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn values(
        &self,
        x: &Tensor,
        of: &Positions,
        mode: &mut Mode<'_>,
        settle: impl Fn(Tensor) -> Tensor,
    ) -> Result<Vec<Option<Tensor>>, DeepError> {
        let mut values = Vec::with_capacity(self.network.layers.len());
        self.advance(self.network.layers.len(), &mut values, (x, of), mode, settle)?;
        Ok(values)
    }

    /// Computes further layers, up to number `end`.
    fn advance(
        &self,
        end: usize,
        values: &mut Vec<Option<Tensor>>,
        (x, of): (&Tensor, &Positions),
        mode: &mut Mode<'_>,
        settle: impl Fn(Tensor) -> Tensor,
    ) -> Result<(), DeepError> {
        let last = self.network.last_uses();
        for at in values.len()..end {
            let layer = &self.network.layers[at];
            let from: Vec<Tensor> =
                layer.from.iter().map(|&from| values[from].clone().expect("a value is kept to its last use")).collect();
            let value = match layer.op {
                Op::Input => x.clone(),
                Op::EdgeInput => of.moves().edges.clone(),
                op => settle(self.apply(op, &from, layer.from[0], of, mode)?),
            };
            values.push(Some(value));
            layer.from.iter().filter(|&&from| last[from] == at).for_each(|&from| values[from] = None);
        }
        Ok(())
    }

    fn apply(
        &self,
        op: Op,
        from: &[Tensor],
        first: usize,
        of: &Positions,
        mode: &mut Mode<'_>,
    ) -> Result<Tensor, DeepError> {
        let (x, weights) = (&from[0], |at: usize| -> &Weights { &self.weights[at] });
        let places = self.network.layers[first].places;
        Ok(match op {
            Op::Input | Op::EdgeInput | Op::Dropout(_) => unreachable!("they are no layers of their own"),
            Op::Linear { weights: at, relu } => weights(at).linear().forward(x, relu, mode.numbers())?,
            Op::Convolution { weights: at, padding, relu } => {
                weights(at).linear().convolve(x, self.network.window(first, padding), relu, mode.numbers())?
            }
            Op::BatchNorm { weights: at, relu: true, dropout } => weights(at).batch_norm().forward(x, dropout, mode)?,
            Op::BatchNorm { weights: at, .. } => weights(at).batch_norm().normalise(x, mode)?,
            Op::LayerNorm { weights: at } => weights(at).norm().forward(x)?,
            Op::Relu => ops::relu(x)?,
            Op::Add => ops::sum(x, &from[1])?,
            Op::Beside => ops::beside(from)?,
            Op::Flatten => ops::as_rows(x, of.count)?,
            Op::Pool => pools(&x.reshape((of.count, (), x.dim(1)?))?)?,
            Op::WithPools { pooled } => with_pools(x, of.count, pooled)?,
            Op::Aggregate { own } => {
                let adjacency = of.adjacency.as_ref().expect("graphs have edges");
                ops::aggregate(x, adjacency, f64::from(own))?
            }
            Op::Sites => x.clone(),
            Op::Ends => ops::ends(x, &from[1], &of.moves().links)?,
            Op::FrozenNorm { weights: at } => {
                let Norm { gain, bias } = weights(at).norm();
                ops::scale_relu(x, &(gain.as_tensor() * ops::unit_scale())?, bias)?
            }
            Op::LeakyRelu => ops::leaky_relu(x)?,
            Op::Join => ops::join(x, &from[1], &from[2], &of.moves().links)?,
            Op::Softmax => ops::softmax_by_receiver(&x.squeeze(1)?, of.targets(places))?.unsqueeze(1)?,
            Op::Gather => ops::gather_weighted(&x.squeeze(1)?, &from[1], &of.moves().links)?,
            Op::Collect => ops::collect_weighted(&x.squeeze(1)?, &from[1], of.targets(places))?,
        })
    }
}

impl Network {
    /// The number of first layers whose backward pass is recorded: up to the first that cannot be. The gradients of a
    /// value with three readers would be added in another order than without recording, so such a network has none.
    fn recorded(&self) -> usize {
        let Some(end) = self.layers.iter().position(|layer| !layer.op.is_recorded()) else { return self.layers.len() };
        let mut readers = vec![0; self.layers.len()];
        self.layers.iter().flat_map(|layer| &layer.from).for_each(|&from| readers[from] += 1);
        if readers[..end].iter().all(|&readers| readers <= 2) { end } else { 0 }
    }

    /// The number of the last layer that reads each value; heads and their arguments are kept to the end.
    pub fn last_uses(&self) -> Vec<usize> {
        let mut last = vec![0; self.layers.len()];
        for (at, layer) in self.layers.iter().enumerate() {
            layer.from.iter().for_each(|&from| last[from] = at);
        }
        for head in [self.logits, self.score] {
            self.layers[head].from.iter().chain([&head]).for_each(|&kept| last[kept] = self.layers.len());
        }
        last
    }

    /// The patches of a convolution of value `from`.
    pub fn window(&self, from: usize, padding: usize) -> Window {
        let Places::Grid { rows, columns } = self.layers[from].places else { panic!("a convolution reads images") };
        Window { rows, columns, side: 3, padding }
    }
}

impl Op {
    /// Whether its backward pass can be recorded.
    fn is_recorded(self) -> bool {
        match self {
            Op::Input
            | Op::Linear { .. }
            | Op::Convolution { .. }
            | Op::BatchNorm { .. }
            | Op::LayerNorm { .. }
            | Op::Relu
            | Op::Add
            | Op::Beside
            | Op::Flatten
            | Op::Aggregate { .. } => true,
            Op::Dropout(_)
            | Op::Pool
            | Op::WithPools { .. }
            | Op::Sites
            | Op::Ends
            | Op::EdgeInput
            | Op::FrozenNorm { .. }
            | Op::LeakyRelu
            | Op::Join
            | Op::Softmax
            | Op::Gather
            | Op::Collect => false,
        }
    }
}

/// Maxima and means of the columns of each board, `[B, sites, n]` to `[B, 2 n]`.
fn pools(h: &Tensor) -> Result<Tensor, DeepError> {
    Ok(Tensor::cat(&[greatest(h)?, h.mean(1)?], D::Minus1)?)
}

/// The maximum of each column, `[B, sites, n]` to `[B, n]`. Of several equal maxima, one receives the gradient.
fn greatest(h: &Tensor) -> Result<Tensor, DeepError> {
    let places = h.detach().argmax_keepdim(1)?.contiguous()?;
    Ok(h.contiguous()?.gather(&places, 1)?.squeeze(1)?)
}

/// The features of every site, with maxima and means of its board appended, `[B * sites, n + 2 pooled]`.
fn with_pools(h: &Tensor, boards: usize, pooled: usize) -> Result<Tensor, DeepError> {
    let some = h.narrow(1, 0, pooled)?.reshape((boards, (), pooled))?;
    let pools = pools(&some)?;
    let everywhere = pools.unsqueeze(1)?.broadcast_as((boards, some.dim(1)?, 2 * pooled))?;
    Ok(Tensor::cat(&[h, &everywhere.reshape(((), 2 * pooled))?], 1)?)
}
