//! A file as a network.

use super::OnnxError;
use super::contract::{Lowered, OnnxOutputs};
use super::file::OnnxModel;
use super::functions::exp;
use super::layer::PlacedLayer;
use super::program::{OnnxProgram, UNITS};
use crate::encoders::{Batch, Dims};
use crate::nets::NumberFormat;
use crate::nets::deep::input::Images;
use crate::nets::deep::{Answers, DeepError, Inference};
use crate::nets::kernels::{Path, Vector, Vectorized};

/// The title of all networks of files, in errors.
const TITLE: &str = "the ONNX network";

/// A file as a network, bound to the images of a game.
#[derive(Clone)]
pub struct OnnxInference {
    path: Path,
    images: Images,
    /// The shape of a position in the file.
    pub(super) position: Vec<usize>,
    program: OnnxProgram,
    /// Positions of a unit.
    together: usize,
    /// Numbers of a value: 1, or 3 for win, draw and loss.
    value: usize,
    flops: u64,
    /// Images of the last unit, if it is not full.
    rest: Vec<f32>,
}

impl OnnxInference {
    /// Binds a file, in a number format.
    ///
    /// # Errors
    /// If the file does not fit batches of these dimensions, or has operators that are not supported.
    pub fn new(
        bytes: &[u8],
        dims: Dims,
        outputs: &OnnxOutputs,
        numbers: NumberFormat,
    ) -> Result<OnnxInference, OnnxError> {
        let images =
            Images::of(dims).ok_or_else(|| OnnxError::contract("a network of a file reads images, not graphs"))?;
        let model = OnnxModel::read(bytes)?;
        let lowered = model.lower(images, outputs)?;
        if model.lower_two(images, outputs).is_some_and(|two| are_mixed(&lowered, &two)) || is_mixed_within(&lowered) {
            return Err(OnnxError::contract(
                "its answers to a position depend on the others of the batch, or on its place there: an operator goes over \
                 axis 0, which counts the positions",
            ));
        }
        Ok(OnnxInference::on(Path::best(), &lowered, numbers))
    }

    /// Binds the layers of a file to a set of instructions.
    pub(super) fn on(path: Path, lowered: &Lowered, numbers: NumberFormat) -> OnnxInference {
        let together = lowered.together;
        let macs: u64 = lowered.layers.iter().map(PlacedLayer::macs).sum();
        OnnxInference {
            path,
            images: lowered.images,
            position: lowered.position.clone(),
            program: OnnxProgram::new(lowered, numbers),
            together,
            value: lowered.value.index.len() / together,
            flops: 2 * macs / together as u64,
            rest: Vec::new(),
        }
    }

    /// Replaces the answers by those for images `[position][channel][row][column]`.
    fn answer(&mut self, images: &[f32], answers: &mut Answers) {
        let Images { channels, rows, columns, actions } = self.images;
        let size = channels * rows * columns;
        let count = images.len() / size;
        answers.policy_logits.resize(count * actions, 0.0);
        answers.values.resize(count, 0.0);
        let unit = self.together * size;
        let (whole, rest) = images.split_at(images.len() / unit * unit);
        let mut padded = std::mem::take(&mut self.rest);
        padded.clear();
        padded.extend_from_slice(rest);
        padded.resize(rest.len().div_ceil(unit) * unit, 0.0);
        let first = whole.len() / unit;
        let chunks = whole.chunks(UNITS * unit).enumerate().map(|(at, images)| (at * UNITS, images));
        for (first, images) in chunks.chain((!padded.is_empty()).then_some((first, &padded[..]))) {
            self.path.perform(&mut UnitChunk {
                program: &mut self.program,
                images,
                unit,
                first: first * self.together,
                value: self.value,
                answers,
                actions,
            });
        }
        self.rest = padded;
    }
}

/// Whether the answers to a position in a batch of a fixed size depend on the other positions, or on its place.
fn is_mixed_within(lowered: &Lowered) -> bool {
    let Images { channels, rows, columns, actions } = lowered.images;
    let (size, count) = (channels * rows * columns, lowered.together);
    if count == 1 {
        return false;
    }
    let image =
        |kind: usize| (0..size).map(move |at| ((at * 7919 + kind * kind * 31 + kind * 101) % 997) as f32 / 997.0);
    let mut inference = OnnxInference::on(Path::best(), lowered, NumberFormat::F32);
    let mut answer = |kinds: &dyn Fn(usize) -> usize| -> Vec<Vec<f32>> {
        let mut answers = Answers::default();
        let images: Vec<f32> = (0..count).flat_map(|slot| image(kinds(slot))).collect();
        inference.answer(&images, &mut answers);
        let policies = answers.policy_logits.chunks(actions).zip(&answers.values);
        policies.map(|(policy, &value)| [policy, &[value]].concat()).collect()
    };
    let differ = |one: &[f32], other: &[f32]| one.iter().zip(other).any(|(one, other)| is_apart(*one, *other));
    let (alone, turned) = (answer(&|slot| slot), answer(&|slot| (slot + 1) % count));
    // Any two places differ in some bit, so that each meets another image in every other place.
    let halves = (0..=(count - 1).ilog2()).flat_map(|bit| [0, 1].map(|half| (bit, half)));
    (0..count).any(|slot| differ(&alone[(slot + 1) % count], &turned[slot]))
        || halves.into_iter().any(|(bit, half)| {
            let is_kept = |slot: usize| (slot >> bit) & 1 == half;
            let others = answer(&|slot| if is_kept(slot) { slot } else { slot + count });
            (0..count).any(|slot| is_kept(slot) && differ(&alone[slot], &others[slot]))
        })
}

/// Whether two answers differ by more than rounding. Those that are not finite are refused where they are used.
fn is_apart(one: f32, other: f32) -> bool {
    (one - other).abs() > MOST_ROUNDING * (1.0 + one.abs())
}

/// Whether two positions together have other answers than each has by itself.
fn are_mixed(alone: &Lowered, two: &Lowered) -> bool {
    let Images { channels, rows, columns, .. } = alone.images;
    let image = |at: usize| (at * 7919 % 13) as f32 / 13.0;
    let images: Vec<f32> = (0..2 * channels * rows * columns).map(image).collect();
    let [alone, two] = [alone, two].map(|lowered| {
        let mut answers = Answers::default();
        OnnxInference::on(Path::best(), lowered, NumberFormat::F32).answer(&images, &mut answers);
        [answers.policy_logits, answers.values].concat()
    });
    // Sums may have another order.
    alone.iter().zip(&two).any(|(alone, two)| is_apart(*alone, *two))
}

/// Larger differences of answers, relative to their size, are no rounding.
const MOST_ROUNDING: f32 = 1e-4;

impl Inference for OnnxInference {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        self.answer(self.images.planes(batch, TITLE)?.values(), answers);
        let is_finite = answers.policy_logits.iter().chain(&answers.values).all(|number| number.is_finite());
        if is_finite { Ok(()) } else { Err(DeepError::NotFinite { name: "the outputs of the ONNX file".to_owned() }) }
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        self.flops
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(self.clone()))
    }
}

/// Some units and the room for their results.
struct UnitChunk<'a> {
    program: &'a mut OnnxProgram,
    images: &'a [f32],
    unit: usize,
    /// The first position.
    first: usize,
    value: usize,
    actions: usize,
    answers: &'a mut Answers,
}

impl Vectorized for UnitChunk<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        let UnitChunk { program, images, unit, first, value, actions, answers } = self;
        let (together, mut own) = (program.together(), Vec::new());
        program.run::<V>(images, *unit, |output, unit, numbers| {
            let position = *first + unit * together;
            if output == 0 {
                let logits = answers.policy_logits[position * *actions..].iter_mut();
                logits.zip(numbers).for_each(|(logit, number)| *logit = number);
            } else {
                own.clear();
                own.extend(numbers);
                let values = answers.values[position..].iter_mut();
                values.zip(own.chunks_exact(*value)).for_each(|(value, numbers)| *value = expectation(numbers));
            }
        });
    }
}

/// The value of a position: a number from -1 to 1, or the probability of a win less that of a loss.
pub(super) fn expectation(numbers: &[f32]) -> f32 {
    match *numbers {
        [win, draw, loss] => {
            let most = f64::from(win.max(draw).max(loss));
            let [win, draw, loss] = [win, draw, loss].map(|logit| exp(f64::from(logit) - most));
            ((win - loss) / (win + draw + loss)) as f32
        }
        // A number that is not finite is an error, which a limit would hide.
        [value] if value.is_finite() => value.clamp(-1.0, 1.0),
        _ => f32::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::expectation;

    #[test]
    fn values_are_expectations() {
        assert_eq!((expectation(&[0.25]), expectation(&[-1.5])), (0.25, -1.0));
        // exp(1) = 2.71828, exp(0) = 1, exp(-1) = 0.36788: (2.71828 - 0.36788) / 4.08616.
        assert!((expectation(&[1.0, 0.0, -1.0]) - 0.575_210_4).abs() < 1e-6);
        assert!(expectation(&[f32::NAN]).is_nan() && expectation(&[f32::NAN, 0.0, 0.0]).is_nan());
    }
}
