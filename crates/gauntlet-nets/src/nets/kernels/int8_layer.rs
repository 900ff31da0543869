//! The weights of a layer in integers of eight bits, packed for an instruction set.

use super::low_precision::{AlignedWords, LowPrecisionVector, Words};
use super::low_precision_sets::LowPrecisionWork;
use super::{AlignedLanes, slots};
use crate::encoders::LANES;

/// The largest integer of a row; the smallest is its negative.
const TOP: f32 = 127.0;
/// The largest magnitude that counts as zero lies just below: 2^-100. The reciprocal of a smaller one would overflow.
const SMALLEST: u32 = (127 - 100) << 23;
/// Infinity, as bits.
const INFINITY: u32 = 0xff << 23;
/// Words of a tile's row.
pub const TILE_WORDS: usize = 16;

/// Weights and biases.
#[derive(Debug, Clone)]
pub struct Int8Layer {
    /// Slots of a panel: 1, 2 or 4.
    pub width: usize,
    /// Words of an input row; the weights beyond the last input are zero.
    pub words: usize,
    /// `[panel][word][width]`: a word holds 4 or 2 inputs of one output.
    pub weights: Vec<AlignedWords>,
    /// What the sums start with, `[slot]`: it takes back the offset of the values.
    pub start: Vec<AlignedWords>,
    /// `[slot]`
    pub scales: Vec<AlignedLanes>,
    /// `[slot]`
    pub bias: Vec<AlignedLanes>,
}

/// How an instruction set packs values into words.
pub struct WordPacking {
    /// Values in a word.
    pub values: usize,
    /// What is added to each value of a row.
    pub offset: i32,
    /// Words of a row are a multiple of this.
    pub block: usize,
    /// Maximum number of slots of a panel. With it, the sums of some rows fit into the registers.
    pub widest: usize,
}

impl LowPrecisionWork for WordPacking {
    #[inline(always)]
    fn run<V: LowPrecisionVector>(&mut self) {
        let widest = if V::WIDE { 4 } else { 2 };
        *self = WordPacking { values: V::Words::VALUES, offset: V::Words::OFFSET, block: 1, widest };
    }

    #[cfg(target_arch = "x86_64")]
    unsafe fn run_tiles(&mut self) {
        *self = WordPacking { values: 4, offset: 0, block: TILE_WORDS, widest: 2 };
    }
}

impl Int8Layer {
    /// Quantises and packs weights `[output][input]` and biases `[output]`.
    pub fn new(kind: &WordPacking, weights: &[f32], bias: &[f32], width: usize) -> Int8Layer {
        let inputs = weights.len() / bias.len();
        let mut bias_slots = slots(bias);
        bias_slots.resize(bias_slots.len().next_multiple_of(width), AlignedLanes::ZERO);
        let width = width.min(kind.widest);
        let words = inputs.div_ceil(kind.values).next_multiple_of(kind.block);
        let count = bias_slots.len();
        let mut layer = Int8Layer {
            width,
            words,
            weights: vec![AlignedWords::ZERO; count * words],
            start: vec![AlignedWords::ZERO; count],
            scales: vec![AlignedLanes::ZERO; count],
            bias: bias_slots,
        };
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            layer.set_output(kind, output, row);
        }
        layer
    }

    /// Quantises and packs the weights of one output.
    fn set_output(&mut self, kind: &WordPacking, output: usize, weights: &[f32]) {
        let (slot, lane) = (output / LANES, output % LANES);
        let (panel, column) = (slot / self.width, slot % self.width);
        let largest = weights.iter().fold(0, |largest, weight| largest.max(weight.to_bits() & 0x7fff_ffff));
        let (factor, scale) = scales(largest);
        let bits = 32 / kind.values;
        let mut sum = 0;
        for (input, &weight) in weights.iter().enumerate() {
            // Weights are finite, and a cast of any other number is defined.
            let value = (weight * factor).round_ties_even() as i32;
            let (word, place) = (input / kind.values, input % kind.values);
            let kept = value & (u32::MAX >> (32 - bits)) as i32;
            self.weights[(panel * self.words + word) * self.width + column].0[lane] |= kept << (place * bits);
            sum += value;
        }
        self.start[slot].0[lane] = -kind.offset * sum;
        self.scales[slot].0[lane] = scale;
    }
}

/// Reciprocal and scale of a row, for the bits of its largest magnitude.
#[inline(always)]
pub fn scales(largest: u32) -> (f32, f32) {
    let size = f32::from_bits(largest);
    if largest < SMALLEST {
        (0.0, 0.0)
    } else if largest < INFINITY {
        (TOP / size, size / TOP)
    } else {
        (0.0, f32::NAN)
    }
}
