//! The loss of a deep network over a batch, and its targets.
//!
//! Ben-Assayag and El-Yaniv 2021, appendix A.2: `MSE(z, v) + CE(pi, p) + c |theta|^2` with c = 0. The gradient is exact for
//! the batch.

use candle_core::{D, DType, Tensor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_games::base::FromZero;
use gauntlet_nets::encoders::Batch;
use gauntlet_nets::nets::deep::{DeepError, Heads, numbers_at};

/// The targets of a batch of positions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Targets {
    /// Probability of each action, `[logits]` as [`Batch::span`] orders them; each position's sum to 1.
    pub policy: Vec<f32>,
    /// Whether each action was legal, `[logits]`; read for [`PolicyLoss::Legal`] alone.
    pub legal: Vec<bool>,
    /// Outcome for the side to move, -1 to 1, `[positions]`.
    pub values: Vec<f32>,
    /// The positions with unknown outcomes (cut-off games), ascending. They have policy targets alone.
    pub unknown: Vec<u32>,
}

/// The loss that is minimised.
///
/// | key | default | | the paper |
/// |---|---|---|---|
/// | `policy` | `"all"` | softmax over `"all"` actions or the `"legal"` ones | not given; its code base has all |
/// | `l2` | 0 | c, 0 or more; of all trained tensors. Unless it is 0, a weight smaller than 1e-12 becomes 0 | 0 |
/// | `value` | 1 | weight of the squared error of the values, 0 or more | 1 |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LossSpec {
    /// The actions in the softmax.
    pub policy: PolicyLoss,
    /// Weight of the squares of all trained weights.
    #[serde(with = "FromZero")]
    pub l2: f64,
    /// Weight of the squared error of the values.
    #[serde(with = "FromZero", skip_serializing_if = "is_one")]
    pub value: f64,
}

impl Default for LossSpec {
    fn default() -> LossSpec {
        LossSpec { policy: PolicyLoss::default(), l2: 0.0, value: 1.0 }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, clippy::float_cmp, reason = "as serde calls it, and 1 is the default")]
fn is_one(weight: &f64) -> bool {
    *weight == 1.0
}

/// The actions in the softmax.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyLoss {
    /// All actions of the position: the network also learns which are illegal.
    #[default]
    All,
    /// The legal actions, as in inference.
    Legal,
}

/// The parts of a loss, means over the batch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// Mean squared error of the values; a position with unknown outcome counts as one without error.
    pub value: f64,
    /// Cross entropy of the policies, nats.
    pub policy: f64,
    /// Entropy of the network's policies, nats.
    pub entropy: f64,
}

impl Losses {
    /// The sum of both parts, without the loss weights.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.value + self.policy
    }
}

/// The loss of heads, as a tensor to differentiate and as numbers.
///
/// # Errors
/// Errors of Candle, also for targets of another batch.
pub fn measure_loss(
    heads: &Heads,
    batch: &Batch,
    targets: &Targets,
    loss: LossSpec,
) -> Result<(Tensor, Losses), DeepError> {
    let logits = &heads.policy_logits;
    let (dtype, device, positions) = (logits.dtype(), logits.device(), batch.positions());
    let widest = (0..positions).map(|index| batch.span(index).len()).max().unwrap_or(0);
    let mut table = PaddedLogits::default();
    (0..positions).for_each(|index| table.push(batch.span(index), widest, targets, loss.policy));
    let shape = (positions, widest);
    let picked = numbers_at(logits, table.index)?.reshape(shape)?;
    let mask = Tensor::from_vec(table.mask, shape, device)?.to_dtype(dtype)?;
    let logs = candle_nn::ops::log_softmax(&(picked + mask)?, D::Minus1)?;
    let wanted = Tensor::from_vec(table.policy, shape, device)?.to_dtype(dtype)?;
    let policy = ((logs.clone() * wanted)?.sum_all()? * (-1.0 / positions as f64))?;
    let outcomes = Tensor::from_slice(&targets.values, positions, device)?.to_dtype(dtype)?;
    let error = known(&(&heads.value - outcomes)?, &targets.unknown)?;
    let value = error.sqr()?.mean_all()?;
    let logs = logs.detach();
    let entropy = ((logs.exp()? * logs)?.sum_all()? * (-1.0 / positions as f64))?;
    let number = |tensor: &Tensor| tensor.to_dtype(DType::F64)?.to_scalar::<f64>();
    let losses = Losses { value: number(&value)?, policy: number(&policy)?, entropy: number(&entropy)? };
    Ok(((policy + weighed(value, loss.value)?)?, losses))
}

/// The value's part of the loss times its weight. Even for a weight of 0, the result depends on the values.
fn weighed(value: Tensor, weight: f64) -> candle_core::Result<Tensor> {
    if weight == 1.0 {
        Ok(value)
    } else if weight == 0.0 {
        // Candle's gradients end at a number of 0, and tensors of the value head alone would have none.
        &value * value.zeros_like()?
    } else {
        value * weight
    }
}

/// Errors of values, `[positions]`, with 0 for unknown outcomes.
fn known(errors: &Tensor, unknown: &[u32]) -> Result<Tensor, DeepError> {
    if unknown.is_empty() {
        return Ok(errors.clone());
    }
    let mut is_known = vec![1.0f32; errors.dim(0)?];
    unknown.iter().for_each(|&position| is_known[position as usize] = 0.0);
    let mask = Tensor::from_vec(is_known, errors.dim(0)?, errors.device())?.to_dtype(errors.dtype())?;
    Ok((errors * mask)?)
}

/// Logits of positions with different numbers of actions, as rows of one width.
#[derive(Default)]
struct PaddedLogits {
    /// Index of each logit.
    index: Vec<u32>,
    /// Term added to each logit: 0, or [`PaddedLogits::MASKED`].
    mask: Vec<f32>,
    policy: Vec<f32>,
}

impl PaddedLogits {
    /// Far below every logit, and finite: it is multiplied by zeros.
    const MASKED: f32 = -1e9;

    fn push(&mut self, span: std::ops::Range<usize>, widest: usize, targets: &Targets, loss: PolicyLoss) {
        let (count, rest) = (span.len(), widest - span.len());
        self.index.extend(span.clone().map(|logit| logit as u32));
        self.index.resize(self.index.len() + rest, span.start as u32);
        self.policy.extend_from_slice(&targets.policy[span.clone()]);
        self.policy.resize(self.policy.len() + rest, 0.0);
        match loss {
            PolicyLoss::All => self.mask.resize(self.mask.len() + count, 0.0),
            PolicyLoss::Legal => {
                self.mask
                    .extend(targets.legal[span].iter().map(|&legal| if legal { 0.0 } else { PaddedLogits::MASKED }));
            }
        }
        self.mask.resize(self.mask.len() + rest, PaddedLogits::MASKED);
    }
}
