//! Layers and rows for the tests of low-precision products.

use super::Rows;
use crate::encoders::LANES;

/// Rows, inputs and outputs of layers: small and large, odd and even, on both sides of every block.
pub const SHAPES: [[usize; 3]; 24] = [
    [1, 1, 1],
    [2, 2, 3],
    [3, 3, 16],
    [5, 15, 17],
    [6, 16, 33],
    [7, 17, 64],
    [12, 31, 65],
    [13, 32, 80],
    [15, 33, 5],
    [16, 34, 48],
    [17, 47, 20],
    [31, 48, 31],
    [32, 49, 32],
    [33, 63, 49],
    [35, 64, 64],
    [70, 65, 63],
    [1, 100, 80],
    [4, 127, 79],
    [9, 129, 8],
    [20, 511, 12],
    [3, 513, 64],
    [2, 544, 16],
    [11, 1025, 34],
    [2, 1100, 70],
];

/// First row, first slot of the input, first slot of the output.
const OFFSETS: [usize; 3] = [5, 1, 2];

/// A layer, and rows for it.
pub struct Sample {
    /// Rows, inputs, outputs.
    shape: [usize; 3],
    /// `[output][input]`
    pub weights: Vec<f32>,
    /// `[output]`
    pub bias: Vec<f32>,
    /// The rows begin at [`OFFSETS`]; everything around them is NaN.
    from: Rows,
}

/// A number between -1 and 1, by its index.
pub fn number(index: usize) -> f32 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29) >> 40) as f32 / 8_388_608.0 - 1.0
}

/// The same, of very different magnitudes.
pub fn wild(index: usize) -> f32 {
    number(index) * 2.0f32.powi(index as i32 * 7919 % 73 - 60)
}

/// Rows full of NaN.
pub fn filled(slots: usize, rows: usize) -> Rows {
    let mut filled = Rows::new(slots);
    filled.reserve(rows);
    (0..rows).for_each(|row| filled.numbers_mut(row).fill(f32::NAN));
    filled
}

/// Checks that numbers have the same bits.
pub fn same(one: &[f32], other: &[f32], place: &str) {
    let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<u32>>();
    assert!(bits(one) == bits(other), "{place}: {one:?} {other:?}");
}

impl Sample {
    /// A layer with numbers of one of three kinds: ordinary, very different, or many zeros.
    pub fn new(shape: [usize; 3], kind: usize) -> Sample {
        let [rows, inputs, outputs] = shape;
        let value = |index: usize| match kind % 3 {
            0 => number(index),
            1 => wild(index),
            _ if index.is_multiple_of(3) => -number(index),
            _ => 0.0,
        };
        let weights = (0..outputs * inputs).map(|index| value(index) * 0.3).collect();
        let bias = (0..outputs).map(|output| number(output + 77)).collect();
        let mut layer =
            Sample { shape, weights, bias, from: filled(inputs.div_ceil(LANES) + 2, OFFSETS[0] + rows + 1) };
        for row in 0..rows {
            let numbers: Vec<f32> = (0..inputs).map(|input| value(row * inputs + input + 1_000_000)).collect();
            layer.set_row(row, &numbers);
        }
        layer
    }

    /// Replaces a row.
    pub fn set_row(&mut self, row: usize, numbers: &[f32]) {
        self.from.numbers_mut(OFFSETS[0] + row)[OFFSETS[1] * LANES..][..numbers.len()].copy_from_slice(numbers);
    }

    /// The rows, the first of them and the first slot.
    pub fn from(&self) -> (&Rows, usize, usize) {
        (&self.from, OFFSETS[0], OFFSETS[1])
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.from.numbers(OFFSETS[0] + row)[OFFSETS[1] * LANES..][..self.shape[1]]
    }

    /// Compares a product, with and without a ReLU, with an oracle for a row, the weights of an output and its bias.
    ///
    /// A product of the last row alone has to have the same bits, and nothing beside the result may change.
    pub fn check(
        &self,
        place: &str,
        slots: usize,
        oracle: impl Fn(&[f32], &[f32], f32, bool) -> f32,
        mut multiply: impl FnMut((&Rows, usize, usize), usize, (&mut Rows, usize), bool),
    ) {
        let ([rows, inputs, outputs], to) = (self.shape, OFFSETS[2]);
        for relu in [false, true] {
            let (mut into, mut last) = (filled(slots + to + 1, rows), filled(slots + to + 1, 1));
            multiply(self.from(), rows, (&mut into, to), relu);
            let (from, first, at) = self.from();
            multiply((from, first + rows - 1, at), 1, (&mut last, to), relu);
            for row in 0..rows {
                let results = into.numbers(row);
                for output in 0..outputs {
                    let weights = &self.weights[output * inputs..][..inputs];
                    let expected = oracle(self.row(row), weights, self.bias[output], relu);
                    let result = results[to * LANES + output];
                    assert!(result.to_bits() == expected.to_bits(), "{place} {row} {output}: {result} {expected}");
                }
                let (before, rest) = results.split_at(to * LANES);
                let (padding, behind) = rest[outputs..].split_at(slots * LANES - outputs);
                assert!(before.iter().chain(behind).all(|number| number.is_nan()), "{place}: nothing beside it");
                assert!(padding.iter().all(|number| number.to_bits() == 0), "{place}: zeros behind the outputs");
            }
            let numbers = |into: &Rows, row| into.numbers(row)[to * LANES..(to + slots) * LANES].to_vec();
            same(&numbers(&last, 0), &numbers(&into, rows - 1), place);
        }
    }

    /// Rows at the ends of what numbers can be.
    pub fn extremes(inputs: usize) -> Vec<Vec<f32>> {
        let mut rows: Vec<Vec<f32>> = [
            0.0,
            -0.0,
            f32::MIN_POSITIVE,
            1e-40,
            f32::from_bits(1),
            2.0f32.powi(-100),
            2.0f32.powi(-101),
            2.0f32.powi(-56),
            f32::from_bits(2.0f32.powi(-56).to_bits() - 1),
            1e30,
        ]
        .into_iter()
        .flat_map(|value| {
            let alternating = (0..inputs).map(|input| if input % 2 == 0 { value } else { -value }).collect();
            [vec![value; inputs], alternating]
        })
        .collect();
        for place in [0, 1, 15, 16, 31, 32, 63, inputs - 1] {
            let mut row = vec![0.0; inputs];
            row[place] = -3.3;
            rows.push(row);
        }
        rows.push((0..inputs).map(|input| (input as f32 - 35.0) * 0.5).collect());
        rows.push((0..inputs).map(|input| number(input) * 3e38).collect());
        rows
    }
}
