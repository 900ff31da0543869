//! The comparison of a file with answers that another program gave.

use safetensors::{Dtype, SafeTensors};

use super::OnnxError;
use super::inference::{OnnxInference, expectation};
use crate::encoders::{Batch, Dims};
use crate::nets::deep::input::Images;
use crate::nets::deep::{Answers, Inference as _};

/// The largest difference that counts as equal: single precision with sums in another order.
const MOST: f32 = 1e-4;

/// The largest difference between the network's answers and given ones: the tensors `input` `[positions, ..]`, `logits` and
/// `value`.
///
/// # Errors
/// If they are no such tensors, or the difference is larger than 1e-4.
pub fn compare(inference: &mut OnnxInference, dims: Dims, given: &[u8]) -> Result<f32, OnnxError> {
    let tensors = SafeTensors::deserialize(given)
        .map_err(|error| OnnxError::contract(format!("no complete safetensors file: {error}")))?;
    let [input, logits, value] =
        [numbers(&tensors, "input")?, numbers(&tensors, "logits")?, numbers(&tensors, "value")?];
    let Images { channels, rows, columns, actions } =
        Images::of(dims).ok_or_else(|| OnnxError::contract("it reads images"))?;
    let (size, mut batch) = (channels * rows * columns, Batch::new(dims));
    let count = input.len() / size;
    let is_complete = input.len() == count * size
        && logits.len() == count * actions
        && [1, 3].map(|each| count * each).contains(&value.len());
    if count == 0 || !is_complete {
        return Err(OnnxError::contract(format!(
            "`input`, `logits` and `value` have {}, {} and {} numbers; a position of the game has {size}, {actions}, and 1 or 3",
            input.len(),
            logits.len(),
            value.len(),
        )));
    }
    if let Batch::Planes(planes) = &mut batch {
        input.chunks_exact(size).for_each(|image| planes.push(image));
    }
    let mut answers = Answers::default();
    inference.infer(&batch, &mut answers).map_err(|error| OnnxError::contract(error.to_string()))?;
    let values = value.chunks_exact(value.len() / count).map(expectation);
    let pairs = answers
        .policy_logits
        .iter()
        .copied()
        .zip(logits.iter().copied())
        .chain(answers.values.iter().copied().zip(values));
    // A number that is not finite is as far away as can be.
    let apart = pairs
        .map(|(ours, theirs)| (ours - theirs).abs())
        .fold(0.0, |most: f32, apart| if apart > most || apart.is_nan() { apart } else { most });
    if apart <= MOST {
        return Ok(apart);
    }
    Err(OnnxError::contract(format!(
        "its answers differ from the given ones by up to {apart:.1e}, and up to {MOST:.0e} is rounding"
    )))
}

fn numbers(tensors: &SafeTensors<'_>, name: &str) -> Result<Vec<f32>, OnnxError> {
    let view = tensors.tensor(name).ok().filter(|view| view.dtype() == Dtype::F32);
    let view = view.ok_or_else(|| OnnxError::contract(format!("it has no tensor `{name}` in single precision")))?;
    Ok(view.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
}
