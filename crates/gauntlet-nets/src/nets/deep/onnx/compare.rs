//! The comparison of a file with answers that another program gave.

use safetensors::{Dtype, SafeTensors};

use super::inference::{OnnxInference, expectation};
use crate::encoders::{Batch, Dims};
use crate::nets::deep::input::Images;
use crate::nets::deep::{Answers, Inference as _};

/// The largest difference that counts as equal: single precision with sums in another order. It is relative to numbers
/// above 1, as their rounding is.
const MOST: f32 = 1e-4;

/// The largest difference between the network's answers and given ones: the tensors `input` `[positions, ..]`, `logits` and
/// `value`.
///
/// # Errors
/// The reason: they are no such tensors, or the difference is larger than 1e-4.
pub fn compare(inference: &mut OnnxInference, dims: Dims, given: &[u8]) -> Result<f32, String> {
    let tensors = SafeTensors::deserialize(given).map_err(|error| format!("no complete safetensors file: {error}"))?;
    let input = inputs(&tensors, &inference.position)?;
    let [logits, value] = [numbers(&tensors, "logits")?, numbers(&tensors, "value")?];
    let Images { channels, rows, columns, actions } = Images::of(dims).ok_or("the network reads images")?;
    let (size, mut batch) = (channels * rows * columns, Batch::new(dims));
    let count = input.len() / size;
    if count == 0 || logits.len() != count * actions || ![1, 3].map(|each| count * each).contains(&value.len()) {
        return Err(format!(
            "`logits` and `value` have {} and {} numbers for {count} positions; a position of the game has {actions}, and 1 \
             or 3",
            logits.len(),
            value.len(),
        ));
    }
    if let Batch::Planes(planes) = &mut batch {
        input.chunks_exact(size).for_each(|image| planes.push(image));
    }
    let mut answers = Answers::default();
    inference.infer(&batch, &mut answers).map_err(|error| error.to_string())?;
    let values: Vec<f32> = value.chunks_exact(value.len() / count).map(expectation).collect();
    let logits = worst(&answers.policy_logits, &logits);
    let values = worst(&answers.values, &values);
    for (name, each, Worst { apart, at, ours, theirs }) in [("logits", actions, &logits), ("value", 1, &values)] {
        // A number that is not finite is as far away as can be.
        if *apart > MOST || apart.is_nan() {
            return Err(format!(
                "`{name}` of position {} is {theirs}, and the network's own is {ours}: its answers differ by up to \
                 {apart:.1e}, and {MOST:.0e} is rounding, relative to numbers above 1",
                at / each
            ));
        }
    }
    Ok(logits.apart.max(values.apart))
}

/// The largest difference of two lists, with its place and both numbers.
struct Worst {
    apart: f32,
    at: usize,
    ours: f32,
    theirs: f32,
}

fn worst(ours: &[f32], theirs: &[f32]) -> Worst {
    let mut worst = Worst { apart: 0.0, at: 0, ours: 0.0, theirs: 0.0 };
    for (at, (&ours, &theirs)) in ours.iter().zip(theirs).enumerate() {
        let apart = (ours - theirs).abs() / theirs.abs().max(1.0);
        if apart > worst.apart || apart.is_nan() && !worst.apart.is_nan() {
            worst = Worst { apart, at, ours, theirs };
        }
    }
    worst
}

/// The positions: the tensor `input` has the shape of the network's input.
fn inputs(tensors: &SafeTensors<'_>, position: &[usize]) -> Result<Vec<f32>, String> {
    let shape = tensors.tensor("input").map(|view| view.shape().to_vec()).unwrap_or_default();
    let numbers = numbers(tensors, "input")?;
    match shape.split_first() {
        Some((_, given)) if given == position => Ok(numbers),
        _ => {
            let wanted: Vec<String> = position.iter().map(usize::to_string).collect();
            Err(format!("`input` has the shape {shape:?}, and the network reads [positions, {}]", wanted.join(", ")))
        }
    }
}

fn numbers(tensors: &SafeTensors<'_>, name: &str) -> Result<Vec<f32>, String> {
    let view = tensors.tensor(name).ok().filter(|view| view.dtype() == Dtype::F32);
    let view = view.ok_or_else(|| format!("it has no tensor `{name}` in single precision"))?;
    Ok(view.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
}
