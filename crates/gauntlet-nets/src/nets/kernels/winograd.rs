//! Convolutions of 3 x 3 by Winograd's minimal filtering: 25 products for nine outputs of a channel instead of 81.
//!
//! Lavin and Gray 2016 (arXiv:1509.09308), section 4.1, as F(3x3, 3x3), whose tiles fill a board of nine rows
//! exactly. A tile of 5 x 5 inputs is transformed by B, multiplied with the transformed weights (a matrix product
//! over channels for each of the 25 points), and transformed back by A to 3 x 3 outputs. B, G and A are those of Cook
//! and Toom for the points 0, 1, -1, 2 and infinity. Sums run in one fixed order: the numbers of a board depend only
//! on that board.

use super::format::FormatMatrix;
use super::matrix::Rows;
use super::{AlignedLanes, Vector, Vectorized};
use crate::encoders::LANES;
use crate::nets::NumberFormat;

/// Rows and columns of a tile's outputs, and of the field.
pub(super) const OUT: usize = 3;

/// Rows and columns of a tile's inputs.
pub(super) const IN: usize = 5;

/// Number of points of the product.
pub(super) const POINTS: usize = IN * IN;

/// The point at which the bias is added: at 1 and 1, A is one everywhere.
pub(super) const ONE: usize = IN + 1;

/// The transform of a column of weights.
const G: [[f64; OUT]; IN] = [
    [1.0 / 2.0, 0.0, 0.0],
    [-1.0 / 2.0, -1.0 / 2.0, -1.0 / 2.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
    [0.0, 0.0, 1.0],
];

/// Maximum number of slots of a site: of channels, or of sixteen channels each.
pub(super) const WIDEST: usize = 64;

/// The row for sites on the border.
static NOTHING: [AlignedLanes; WIDEST] = [AlignedLanes::ZERO; WIDEST];

/// Marks a missing site: on the border or beyond the board.
pub(super) const NONE: usize = usize::MAX;

/// Intermediate results of a layer, a row a tile: `[point][slot]`. The layers of a network share it, so that it stays
/// in the cache.
#[derive(Clone)]
pub struct Spectra {
    inputs: Rows,
    products: Rows,
}

impl Spectra {
    /// Intermediate results of no tile.
    pub fn new() -> Spectra {
        Spectra { inputs: Rows::new(0), products: Rows::new(0) }
    }
}

/// A convolution of 3 x 3 with a border of zeros and an optional ReLU, for boards of one size.
#[derive(Clone)]
pub struct Winograd {
    sites: usize,
    /// The sites of each tile's inputs, row by row; [`NONE`] on the border.
    inputs: Vec<[usize; POINTS]>,
    /// The sites of each tile's outputs; [`NONE`] beyond the board.
    outputs: Vec<[usize; OUT * OUT]>,
    /// A matrix product for each point.
    products: Vec<FormatMatrix>,
    /// Slots of an input row.
    width: usize,
    relu: bool,
}

impl Winograd {
    /// Maximum number of input channels.
    pub const CHANNELS: usize = 512;

    /// Binds weights `[output][9][channel]` and biases `[output]` to a board, with the products of the points in a
    /// number format. Outputs that fit into one register use only one.
    ///
    /// # Panics
    /// With more than [`Winograd::CHANNELS`] channels.
    pub fn new(numbers: NumberFormat, [rows, columns]: [usize; 2], weights: &[f32], bias: &[f32]) -> Winograd {
        let channels = weights.len() / bias.len() / (OUT * OUT);
        assert!(channels <= Winograd::CHANNELS, "the border is as wide as a row");
        let product = |point| product(numbers, point, channels, weights, bias);
        let products: Vec<FormatMatrix> = (0..POINTS).map(product).collect();
        let width = channels.div_ceil(LANES);
        Winograd {
            sites: rows * columns,
            inputs: tiles([rows, columns], 1),
            outputs: tiles([rows, columns], 0),
            products,
            width,
            relu: true,
        }
    }

    /// The layer without a ReLU after it.
    #[must_use]
    pub fn without_relu(self) -> Winograd {
        Winograd { relu: false, ..self }
    }

    /// Whether a ReLU follows.
    pub fn has_relu(&self) -> bool {
        self.relu
    }

    /// Tiles of a board.
    pub fn tiles(&self) -> usize {
        self.inputs.len()
    }

    /// Slots of its outputs.
    pub fn slots(&self) -> usize {
        self.products[0].slots()
    }

    /// Size in bytes of the intermediate results of a tile.
    pub fn tile_bytes(&self) -> usize {
        POINTS * (self.width + self.slots()) * size_of::<AlignedLanes>()
    }

    /// Reads the rows of `boards` boards, one a site, and writes theirs.
    ///
    /// # Panics
    /// If there are fewer rows, or they are narrower than the channels.
    #[inline(always)]
    pub fn follow<V: Vector>(&self, from: &Rows, boards: usize, spectra: &mut Spectra, into: &mut Rows) {
        V::perform(&mut Boards { layer: self, from, boards, spectra, into });
    }

    /// The transformed inputs of one board.
    #[inline(always)]
    fn analyse<V: Vector>(&self, from: &Rows, board: usize, into: &mut Rows) {
        let (from, stride) = from.rows(board * self.sites, self.sites);
        assert!(self.width <= stride, "rows are as wide as the channels");
        for (tile, sites) in self.inputs.iter().enumerate() {
            analyse::<V>((from, stride), sites, self.width, into.row_mut(board * self.inputs.len() + tile));
        }
    }

    /// The outputs of one board.
    #[inline(always)]
    fn compose<V: Vector>(&self, from: &Rows, board: usize, into: &mut Rows) {
        let (into, stride) = into.rows_mut(board * self.sites, self.sites);
        let slots = self.products[0].slots();
        assert!(slots <= stride, "rows are as wide as the outputs");
        for (tile, sites) in self.outputs.iter().enumerate() {
            let result = from.row(board * self.outputs.len() + tile);
            compose::<V>(result, (slots, self.relu), sites, (&mut *into, stride));
        }
    }
}

/// The transformed inputs of a tile, `[point][slot]`, from the rows of its sites, `width` slots each and `stride` apart.
///
/// # Panics
/// If there are fewer rows, or they are wider than the border.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "the numbers only stay in registers if every index is a loop's")]
pub(super) fn analyse<V: Vector>(
    (from, stride): (&[AlignedLanes], usize),
    sites: &[usize; POINTS],
    width: usize,
    into: &mut [AlignedLanes],
) {
    assert!(width <= NOTHING.len(), "the border is as wide as a row");
    let mut rows = [NOTHING.as_ptr(); POINTS];
    for point in 0..POINTS {
        if sites[point] != NONE {
            rows[point] = from[sites[point] * stride..][..width].as_ptr();
        }
    }
    let into = &mut into[..POINTS * width];
    for slot in 0..width {
        let mut values = [V::splat(0.0); POINTS];
        for point in 0..POINTS {
            // SAFETY: every row has `width` slots, as just checked.
            values[point] = V::load(unsafe { &(*rows[point].add(slot)).0 });
        }
        for line in 0..IN {
            analyse_line(&mut values, line, IN);
        }
        for line in 0..IN {
            analyse_line(&mut values, line * IN, 1);
        }
        for point in 0..POINTS {
            // SAFETY: `into` has `width` slots for each point.
            values[point].store(unsafe { &mut into.get_unchecked_mut(point * width + slot).0 });
        }
    }
}

/// The outputs of a tile, with a ReLU if `relu`, from `[point][slot]`, into the rows of its sites, `stride` slots apart.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "the numbers only stay in registers if every index is a loop's")]
pub(super) fn compose<V: Vector>(
    from: &[AlignedLanes],
    (slots, relu): (usize, bool),
    sites: &[usize; OUT * OUT],
    (into, stride): (&mut [AlignedLanes], usize),
) {
    let from = &from[..POINTS * slots];
    for slot in 0..slots {
        let mut values = [V::splat(0.0); POINTS];
        for point in 0..POINTS {
            // SAFETY: `from` has as many slots for each point.
            values[point] = V::load(unsafe { &from.get_unchecked(point * slots + slot).0 });
        }
        for line in 0..IN {
            compose_line(&mut values, line, IN);
        }
        for line in 0..OUT {
            compose_line(&mut values, line * IN, 1);
        }
        for spot in 0..OUT * OUT {
            if sites[spot] != NONE {
                let value = values[spot / OUT * IN + spot % OUT];
                let value = if relu { value.max(V::splat(0.0)) } else { value };
                value.store(&mut into[sites[spot] * stride + slot].0);
            }
        }
    }
}

/// The sites of every tile with `border` sites around its outputs, row by row.
pub(super) fn tiles<const SPOTS: usize>([rows, columns]: [usize; 2], border: usize) -> Vec<[usize; SPOTS]> {
    let side = OUT + 2 * border;
    let (down, across) = (rows.div_ceil(OUT), columns.div_ceil(OUT));
    let tile = |tile: usize| {
        std::array::from_fn(|spot| {
            // A border on the left or above wraps around, and is then not a valid row or column either.
            let row = (tile / across * OUT + spot / side).wrapping_sub(border);
            let column = (tile % across * OUT + spot % side).wrapping_sub(border);
            if row < rows && column < columns { row * columns + column } else { NONE }
        })
    };
    (0..down * across).map(tile).collect()
}

/// The transformed weights of one point, `[output][channel]`, of weights `[output][9][channel]`.
pub(super) fn transformed(point: usize, channels: usize, weights: &[f32]) -> Vec<f32> {
    let (down, across) = (G[point / IN], G[point % IN]);
    let sum = |field: &[f32], channel: usize| -> f32 {
        let term = |spot: usize| down[spot / OUT] * across[spot % OUT] * f64::from(field[spot * channels + channel]);
        (0..OUT * OUT).map(term).sum::<f64>() as f32
    };
    let fields = weights.chunks_exact(OUT * OUT * channels);
    fields.flat_map(|field| (0..channels).map(move |channel| sum(field, channel))).collect()
}

/// The product of one point, with the bias if it belongs there.
fn product(numbers: NumberFormat, point: usize, channels: usize, weights: &[f32], bias: &[f32]) -> FormatMatrix {
    let bias = if point == ONE { bias.to_vec() } else { vec![0.0; bias.len()] };
    FormatMatrix::tight(numbers, &transformed(point, channels, weights), &bias)
}

/// The five numbers from `start` on, `step` apart, by the transpose of B.
#[inline(always)]
fn analyse_line<V: Vector>(values: &mut [V; POINTS], start: usize, step: usize) {
    let (a, b, c) = (values[start], values[start + step], values[start + 2 * step]);
    let (d, e) = (values[start + 3 * step], values[start + 4 * step]);
    let (two, minus_two) = (V::splat(2.0), V::splat(-2.0));
    let even = minus_two.mul_add(c, d);
    values[start] = two.mul_add(a, even.sub(b));
    values[start + step] = minus_two.mul_add(b, d.sub(c));
    values[start + 2 * step] = two.mul_add(b, V::splat(-3.0).mul_add(c, d));
    values[start + 3 * step] = d.sub(b);
    values[start + 4 * step] = minus_two.mul_add(d, two.mul_add(b, e.sub(c)));
}

/// The first three of five numbers from `start` on, `step` apart, by the transpose of A.
#[inline(always)]
fn compose_line<V: Vector>(values: &mut [V; POINTS], start: usize, step: usize) {
    let (a, b, c) = (values[start], values[start + step], values[start + 2 * step]);
    let (d, e) = (values[start + 3 * step], values[start + 4 * step]);
    let sum = b.add(c);
    values[start] = a.add(sum.add(d));
    values[start + step] = V::splat(2.0).mul_add(d, b.sub(c));
    values[start + 2 * step] = V::splat(4.0).mul_add(d, sum.add(e));
}

/// The arguments of [`Winograd::follow`].
struct Boards<'a> {
    layer: &'a Winograd,
    from: &'a Rows,
    boards: usize,
    spectra: &'a mut Spectra,
    into: &'a mut Rows,
}

impl Vectorized for Boards<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        let Boards { layer, from, boards, spectra: Spectra { inputs, products }, into } = self;
        let rows = *boards * layer.tiles();
        inputs.reshape(POINTS * layer.width, rows);
        products.reshape(POINTS * layer.slots(), rows);
        into.reserve(*boards * layer.sites);
        for board in 0..*boards {
            layer.analyse::<V>(from, board, inputs);
        }
        for (point, product) in layer.products.iter().enumerate() {
            let (from, to) = (point * layer.width, point * product.slots());
            product.multiply::<V>((inputs, from), rows, (products, to), false);
        }
        for board in 0..*boards {
            layer.compose::<V>(products, board, into);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nets::kernels::{Path, Vectorized};

    /// A board of its own size, and the layer's output for it.
    struct Case<'a> {
        layer: &'a Winograd,
        from: &'a Rows,
        boards: usize,
        into: &'a mut Rows,
    }

    impl Vectorized for Case<'_> {
        #[inline(always)]
        fn run<V: Vector>(&mut self) {
            self.layer.follow::<V>(self.from, self.boards, &mut Spectra::new(), self.into);
        }
    }

    fn number(index: usize) -> f32 {
        ((index * 7919 % 1009) as f32 / 504.5 - 1.0) * 0.8
    }

    /// The sum under the field, by the definition.
    fn direct(from: &Rows, weights: &[f32], bias: f32, [rows, columns]: [usize; 2], site: usize, first: usize) -> f64 {
        let channels = weights.len() / 9;
        let mut sum = f64::from(bias);
        for (spot, weights) in weights.chunks(channels).enumerate() {
            let (row, column) = (site / columns + spot / 3, site % columns + spot % 3);
            if (1..=rows).contains(&row) && (1..=columns).contains(&column) {
                let at = from.row(first + (row - 1) * columns + column - 1);
                sum +=
                    (0..channels).map(|c| f64::from(at[c / LANES].0[c % LANES]) * f64::from(weights[c])).sum::<f64>();
            }
        }
        sum.max(0.0)
    }

    #[test]
    fn a_layer_is_the_convolution_on_every_path() {
        let cases = [([9, 9], [20, 40]), ([5, 7], [33, 20]), ([5, 7], [33, 6]), ([4, 4], [9, 20])];
        // The root of the mean square of the errors, in units of that of the results.
        let formats = [(NumberFormat::F32, 2e-6), (NumberFormat::Bf16, 0.02), (NumberFormat::Int8, 0.04)];
        let cases = cases.into_iter().flat_map(|case| formats.map(|format| (case, format)));
        for ((board, [channels, outputs]), (numbers, most)) in cases {
            let weights: Vec<f32> = (0..outputs * 9 * channels).map(|at| number(at) * 0.2).collect();
            let bias: Vec<f32> = (0..outputs).map(|at| number(at + 5)).collect();
            let (sites, boards) = (board[0] * board[1], 3);
            let mut from = Rows::new(channels.div_ceil(LANES));
            from.reserve(sites * boards);
            for row in 0..sites * boards {
                (0..channels).for_each(|c| from.row_mut(row)[c / LANES].0[c % LANES] = number(row * channels + c));
            }
            let results: Vec<Rows> = Path::available()
                .into_iter()
                .map(|path| {
                    let layer = Winograd::new(numbers, board, &weights, &bias);
                    let mut into = Rows::new(layer.slots());
                    path.perform(&mut Case { layer: &layer, from: &from, boards, into: &mut into });
                    into
                })
                .collect();
            let (mut errors, mut squares) = (0.0, 0.0);
            for row in 0..sites * boards {
                for output in 0..outputs {
                    let at = |rows: &Rows| rows.row(row)[output / LANES].0[output % LANES];
                    let fields = &weights[output * 9 * channels..(output + 1) * 9 * channels];
                    let expected = direct(&from, fields, bias[output], board, row % sites, row / sites * sites);
                    errors += (f64::from(at(&results[0])) - expected).powi(2);
                    squares += expected.powi(2);
                    assert!(results.iter().all(|other| at(other).to_bits() == at(&results[0]).to_bits()));
                }
            }
            let error = (errors / squares).sqrt();
            assert!(error < most, "{numbers:?} {board:?} {channels} {outputs}: {error}");
        }
    }
}
