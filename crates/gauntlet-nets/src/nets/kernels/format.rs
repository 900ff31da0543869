//! A layer's matrix product in any of the number formats.

use super::low_precision_sets::DotSet;
use super::{Bf16Matrix, Int8Matrix, Matrix, Path, Rows, Vector, Vectorized};
use crate::encoders::LANES;
use crate::nets::NumberFormat;

/// A layer's weights and biases, packed in a number format. Inputs and results are `f32`.
#[derive(Debug, Clone)]
pub enum FormatMatrix {
    /// In `f32`.
    F32(Matrix),
    /// With factors in `bf16`.
    Bf16(Box<Bf16Matrix>),
    /// With factors of eight bits.
    Int8(Box<Int8Matrix>),
}

impl FormatMatrix {
    /// Packs weights `[output][input]` and biases `[output]`; the slots are those of [`Matrix::new`].
    pub fn new(numbers: NumberFormat, weights: &[f32], bias: &[f32]) -> FormatMatrix {
        match numbers {
            NumberFormat::F32 => FormatMatrix::F32(Matrix::new(weights, bias)),
            NumberFormat::Bf16 => FormatMatrix::Bf16(Box::new(Bf16Matrix::new(DotSet::best(), weights, bias, false))),
            NumberFormat::Int8 => FormatMatrix::Int8(Box::new(Int8Matrix::new(DotSet::best(), weights, bias, false))),
        }
    }

    /// The same, but outputs that fit into one register use only one: [`Matrix::tight`].
    pub fn tight(numbers: NumberFormat, weights: &[f32], bias: &[f32]) -> FormatMatrix {
        match numbers {
            NumberFormat::F32 => FormatMatrix::F32(Matrix::tight(weights, bias)),
            NumberFormat::Bf16 => FormatMatrix::Bf16(Box::new(Bf16Matrix::new(DotSet::best(), weights, bias, true))),
            NumberFormat::Int8 => FormatMatrix::Int8(Box::new(Int8Matrix::new(DotSet::best(), weights, bias, true))),
        }
    }

    /// Whether the factors are `f32`.
    pub fn is_f32(&self) -> bool {
        matches!(self, FormatMatrix::F32(_))
    }

    /// Slots of an output row: room for all outputs, rounded up to whole panels.
    pub fn slots(&self) -> usize {
        match self {
            FormatMatrix::F32(matrix) => matrix.slots(),
            FormatMatrix::Bf16(matrix) => matrix.slots(),
            FormatMatrix::Int8(matrix) => matrix.slots(),
        }
    }

    /// [`Matrix::multiply`] in this format.
    ///
    /// # Panics
    /// As there.
    #[inline(always)]
    pub fn multiply<V: Vector>(&self, from: (&Rows, usize), rows: usize, into: (&mut Rows, usize), relu: bool) {
        match self {
            FormatMatrix::F32(matrix) => matrix.multiply::<V>(from, rows, into, relu),
            FormatMatrix::Bf16(matrix) => matrix.multiply((from.0, 0, from.1), rows, into, relu),
            FormatMatrix::Int8(matrix) => matrix.multiply((from.0, 0, from.1), rows, into, relu),
        }
    }

    /// [`Matrix::multiply_from`] in this format.
    ///
    /// # Panics
    /// As there.
    #[inline(always)]
    pub fn multiply_from<V: Vector>(&self, from: (&Rows, usize), rows: usize, into: &mut Rows) {
        match self {
            FormatMatrix::F32(matrix) => matrix.multiply_from::<V>(from, rows, into),
            FormatMatrix::Bf16(matrix) => matrix.multiply((from.0, from.1, 0), rows, (into, 0), false),
            FormatMatrix::Int8(matrix) => matrix.multiply((from.0, from.1, 0), rows, (into, 0), false),
        }
    }
}

/// A large product of a layer, to measure the speed of a number format on one core.
pub struct SampleProduct {
    matrix: FormatMatrix,
    from: Rows,
    into: Rows,
}

impl SampleProduct {
    /// Rows of the product.
    const ROWS: usize = 960;
    /// Inputs and outputs of the layer.
    const SIDE: usize = 1024;

    /// A layer and its input.
    #[must_use]
    pub fn new(numbers: NumberFormat) -> SampleProduct {
        let number = |at: usize| (at * 7919 % 1009) as f32 / 504.5 - 1.0;
        let weights: Vec<f32> = (0..SampleProduct::SIDE * SampleProduct::SIDE).map(number).collect();
        let matrix = FormatMatrix::new(numbers, &weights, &weights[..SampleProduct::SIDE]);
        let (mut from, mut into) = (Rows::new(SampleProduct::SIDE / LANES), Rows::new(matrix.slots()));
        from.reserve(SampleProduct::ROWS);
        into.reserve(SampleProduct::ROWS);
        for row in 0..SampleProduct::ROWS {
            from.numbers_mut(row).iter_mut().enumerate().for_each(|(at, into)| *into = number(row + at));
        }
        SampleProduct { matrix, from, into }
    }

    /// Computes the product once. Returns its number of operations.
    pub fn run(&mut self) -> f64 {
        Path::best().perform(self);
        2.0 * (SampleProduct::ROWS * SampleProduct::SIDE * SampleProduct::SIDE) as f64
    }
}

impl Vectorized for SampleProduct {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        self.matrix.multiply::<V>((&self.from, 0), SampleProduct::ROWS, (&mut self.into, 0), false);
    }
}
