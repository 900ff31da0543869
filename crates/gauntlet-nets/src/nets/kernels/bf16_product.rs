//! Matrix products on one thread for training, of numbers rounded to bf16.
//!
//! The law is that of [`super::chains`], along the inner dimension. So a band of the result's rows has the same bits as
//! those rows of the whole result, and the bits do not depend on the machine, unlike those of [`super::product::multiply`].

use std::cell::RefCell;

use super::AlignedLanes;
use super::chains::{Ends, pack_rows, pack_weights, panel_lines, row_slots, tile};
use super::low_precision::LowPrecisionVector;
use super::low_precision_sets::{CheckedSet, DotSet, LowPrecisionWork};
use super::product::MatrixView;
use crate::encoders::LANES;

/// Numbers along the inner dimension that are packed at once: a panel of them stays in the cache.
const DEPTH: usize = 512;
/// Rows of the first factor that are packed at once; a multiple of the rows of every tile, and of [`LANES`].
const BAND: usize = 96;

/// `into = a b`, or `into += a b` if `add`, of `a` and `b` rounded to bf16; `into` is row-major.
///
/// The sums begin with 0 and are added to `into` at the end.
///
/// # Panics
/// If the shapes do not fit.
pub fn multiply_bf16(a: MatrixView<'_, f32>, b: MatrixView<'_, f32>, into: &mut [f32], add: bool) {
    multiply_bf16_on(DotSet::best(), a, b, into, add);
}

/// The same on an instruction set.
///
/// # Panics
/// Also if the set is not one of [`DotSet::available`].
pub fn multiply_bf16_on(set: DotSet, a: MatrixView<'_, f32>, b: MatrixView<'_, f32>, into: &mut [f32], add: bool) {
    let set = if set == DotSet::best() { CheckedSet::best() } else { CheckedSet::new(set) };
    multiply_ready(set, a, b, into, add);
}

fn multiply_ready(set: CheckedSet, a: MatrixView<'_, f32>, b: MatrixView<'_, f32>, into: &mut [f32], add: bool) {
    thread_local! {
        static SCRATCH: RefCell<ProductScratch> = const { RefCell::new(ProductScratch::NEW) };
    }
    assert!(a.columns == b.rows && into.len() == a.rows * b.columns, "shapes fit");
    assert!(a.is_whole() && b.is_whole(), "matrices are whole");
    if a.columns == 0 && !add {
        into.fill(0.0);
    }
    SCRATCH.with_borrow_mut(|scratch| {
        set.perform(&mut TrainingProduct { a, b: b.turned(), into, add, scratch });
    });
}

/// Memory that a thread keeps for its next product.
#[derive(Debug)]
struct ProductScratch {
    /// The second factor, `[panel][line][width]`.
    weights: Vec<AlignedLanes>,
    /// A band of the first factor, `[row][slot]`.
    rows: Vec<AlignedLanes>,
    /// The sums so far, if `into` cannot hold them, `[row][column]`.
    sums: Vec<f32>,
}

impl ProductScratch {
    const NEW: ProductScratch = ProductScratch { weights: Vec::new(), rows: Vec::new(), sums: Vec::new() };
}

/// A product, to run on any instruction set.
struct TrainingProduct<'a> {
    /// `[row][inner]`
    a: MatrixView<'a, f32>,
    /// `[column][inner]`
    b: MatrixView<'a, f32>,
    /// `[row][column]`
    into: &'a mut [f32],
    add: bool,
    scratch: &'a mut ProductScratch,
}

impl LowPrecisionWork for TrainingProduct<'_> {
    #[inline(always)]
    fn run<V: LowPrecisionVector>(&mut self) {
        match (self.b.rows > LANES, V::WIDE) {
            (true, true) => self.blocks::<V, Chained, 6, 2>(),
            (false, true) => self.blocks::<V, Chained, 12, 1>(),
            (_, false) => self.blocks::<V, Chained, 3, 1>(),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn run_tiles(&mut self) {
        self.blocks::<super::vector::Avx512, Joined, { super::amx::SIDE }, 2>();
    }
}

/// How tiles are multiplied.
trait Multiplier {
    /// Whether words hold pairs of numbers.
    const JOINED: bool;
    /// Adds the products of `TALL` packed rows with one panel to sums, or to 0 if this is the `start`.
    ///
    /// # Safety
    /// `rows` are at least `TALL` rows of `slots` slots, packed as the panel is. For [`Joined`], the tiles of this
    /// thread are configured.
    unsafe fn tile<V: LowPrecisionVector, const TALL: usize, const WIDTH: usize>(
        rows: &[AlignedLanes],
        slots: usize,
        weights: &[[AlignedLanes; WIDTH]],
        sums: &mut [[AlignedLanes; WIDTH]; TALL],
        start: bool,
    );
}

/// By chains of fused multiply-adds.
struct Chained;

impl Multiplier for Chained {
    const JOINED: bool = false;

    #[inline(always)]
    unsafe fn tile<V: LowPrecisionVector, const TALL: usize, const WIDTH: usize>(
        rows: &[AlignedLanes],
        slots: usize,
        weights: &[[AlignedLanes; WIDTH]],
        sums: &mut [[AlignedLanes; WIDTH]; TALL],
        start: bool,
    ) {
        assert!(rows.len() >= TALL * slots && weights.len() <= slots * LANES, "rows are as long as the panel");
        // SAFETY: the rows hold nothing but numbers, as many as just checked.
        unsafe {
            tile::<V, TALL, WIDTH>(rows.as_ptr().cast(), slots * LANES, weights, Ends { sums, start, last: None });
        }
    }
}

/// By AMX.
#[cfg(target_arch = "x86_64")]
struct Joined;

#[cfg(target_arch = "x86_64")]
impl Multiplier for Joined {
    const JOINED: bool = true;

    #[inline(always)]
    unsafe fn tile<V: LowPrecisionVector, const TALL: usize, const WIDTH: usize>(
        rows: &[AlignedLanes],
        slots: usize,
        weights: &[[AlignedLanes; WIDTH]],
        sums: &mut [[AlignedLanes; WIDTH]; TALL],
        start: bool,
    ) {
        use super::amx::{Factors, SIDE, more_pairs};
        assert!(rows.len() >= TALL * slots && weights.len() <= slots * LANES, "rows are as long as the panel");
        assert!(TALL == SIDE && WIDTH == 2 && weights.len().is_multiple_of(LANES), "tiles are whole");
        if start {
            *sums = [[AlignedLanes::ZERO; WIDTH]; TALL];
        }
        let (values, left) = (rows.as_ptr().cast::<u8>(), weights.as_ptr().cast::<u8>());
        let factors = Factors::of((values, 64 * slots, SIDE), (left, 64 * WIDTH, 2), weights.len() / LANES);
        // SAFETY: the rows and the panel have whole tiles, as just checked, and the caller has configured the tiles;
        // the sums are 32 rows of two slots.
        unsafe { more_pairs(&factors, &mut *std::ptr::from_mut(sums).cast()) };
    }
}

impl TrainingProduct<'_> {
    #[inline(always)]
    fn blocks<V: LowPrecisionVector, M: Multiplier, const TALL: usize, const WIDTH: usize>(&mut self) {
        assert!(BAND.is_multiple_of(TALL) && BAND.is_multiple_of(LANES), "bands have whole tiles and squares");
        // The result itself holds the sums so far, unless it has numbers to add.
        let apart = self.add && self.a.columns > DEPTH;
        if apart {
            grow(&mut self.scratch.sums, self.into.len(), 0.0);
        }
        for start in (0..self.a.columns).step_by(DEPTH) {
            let depth = DEPTH.min(self.a.columns - start);
            let lines = panel_lines(depth, M::JOINED);
            let weights = self.b.rows.div_ceil(WIDTH * LANES) * lines * WIDTH;
            grow(&mut self.scratch.weights, weights, AlignedLanes::ZERO);
            let b = columns(self.b, start, depth);
            if M::JOINED {
                pack_weights::<V, true>(b, &mut self.scratch.weights, WIDTH);
            } else {
                pack_weights::<V, false>(b, &mut self.scratch.weights, WIDTH);
            }
            for first in (0..self.a.rows).step_by(BAND) {
                self.band::<V, M, TALL, WIDTH>(first, start, depth, apart);
            }
        }
    }

    /// Multiplies a band of rows from `first` on by the packed weights: `depth` numbers from `start` on.
    #[inline(always)]
    fn band<V: LowPrecisionVector, M: Multiplier, const TALL: usize, const WIDTH: usize>(
        &mut self,
        first: usize,
        start: usize,
        depth: usize,
        apart: bool,
    ) {
        let count = BAND.min(self.a.rows - first);
        let (slots, lines) = (row_slots(depth, M::JOINED), panel_lines(depth, M::JOINED));
        grow(&mut self.scratch.rows, BAND * slots, AlignedLanes::ZERO);
        let ProductScratch { weights, rows, sums: kept } = &mut *self.scratch;
        let a = columns(self.a.band(first..first + count), start, depth);
        if M::JOINED {
            pack_rows::<V, true>(a, rows, slots);
        } else {
            pack_rows::<V, false>(a, rows, slots);
        }
        let (width, last) = (self.b.rows, start + depth == self.a.columns);
        let into = &mut self.into[first * width..][..count * width];
        let kept = if apart { &mut kept[first * width..][..count * width] } else { &mut [] };
        let mut sums = [[AlignedLanes::ZERO; WIDTH]; TALL];
        for (panel, column) in (0..width).step_by(WIDTH * LANES).enumerate() {
            let weights = &weights.as_chunks::<WIDTH>().0[panel * lines..][..lines];
            for line in (0..count).step_by(TALL) {
                let places = TilePlace { first: line, count: TALL.min(count - line), column, width };
                if start > 0 {
                    places.load(if apart { kept } else { into }, &mut sums);
                }
                // SAFETY: there are `BAND` packed rows, a multiple of `TALL`. The caller's tiles are configured.
                unsafe { M::tile::<V, TALL, WIDTH>(&rows[line * slots..], slots, weights, &mut sums, start == 0) };
                if last {
                    places.store::<V, TALL, WIDTH>(&sums, into, self.add);
                } else {
                    places.store::<V, TALL, WIDTH>(&sums, if apart { kept } else { into }, false);
                }
            }
        }
    }
}

/// Makes a vector at least so long.
fn grow<T: Clone>(vector: &mut Vec<T>, length: usize, value: T) {
    if vector.len() < length {
        vector.resize(length, value);
    }
}

/// Some of the columns.
fn columns(view: MatrixView<'_, f32>, first: usize, count: usize) -> MatrixView<'_, f32> {
    view.turned().band(first..first + count).turned()
}

/// The place of a tile in a row-major matrix.
struct TilePlace {
    first: usize,
    /// Rows.
    count: usize,
    column: usize,
    /// Columns of the matrix.
    width: usize,
}

impl TilePlace {
    /// Reads sums.
    #[inline(always)]
    fn load<const WIDTH: usize>(&self, from: &[f32], sums: &mut [[AlignedLanes; WIDTH]]) {
        for (row, sums) in sums[..self.count].iter_mut().enumerate() {
            let from = &from[(self.first + row) * self.width..][..self.width][self.column..];
            for (sums, from) in sums.iter_mut().zip(from.chunks(LANES)) {
                sums.0[..from.len()].copy_from_slice(from);
            }
        }
    }

    /// Writes or adds sums.
    #[inline(always)]
    fn store<V: LowPrecisionVector, const TALL: usize, const WIDTH: usize>(
        &self,
        sums: &[[AlignedLanes; WIDTH]; TALL],
        into: &mut [f32],
        add: bool,
    ) {
        for (row, sums) in sums[..self.count].iter().enumerate() {
            let into = &mut into[(self.first + row) * self.width..][..self.width][self.column..];
            for (sums, into) in sums.iter().zip(into.chunks_mut(LANES)) {
                if let Some(into) = into.as_mut_array() {
                    let sum = V::load(&sums.0);
                    if add { V::load(into).add(sum) } else { sum }.store(into);
                    continue;
                }
                for (into, sum) in into.iter_mut().zip(sums.0) {
                    *into = if add { *into + sum } else { sum };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::chains::tests::law;
    use super::super::samples::{number, same, wild};
    use super::*;

    /// Both factors, `[row][inner]` and `[inner][column]`, stored as they are or turned.
    struct Factors {
        /// Rows, inner dimension, columns.
        shape: [usize; 3],
        a: Vec<f32>,
        b: Vec<f32>,
        turned: [bool; 2],
    }

    impl Factors {
        fn new(shape: [usize; 3], turned: [bool; 2]) -> Factors {
            let value = |index: usize| if index.is_multiple_of(5) { wild(index) } else { number(index) };
            let a = (0..shape[0] * shape[1]).map(value).collect();
            let b = (0..shape[1] * shape[2]).map(|index| value(index + 1_000_000)).collect();
            Factors { shape, a, b, turned }
        }

        fn views(&self) -> [MatrixView<'_, f32>; 2] {
            let [rows, inner, columns] = self.shape;
            let view = |numbers, [rows, columns]: [usize; 2], turned| {
                if turned { MatrixView::new(numbers, rows).turned() } else { MatrixView::new(numbers, columns) }
            };
            [view(&self.a, [rows, inner], self.turned[0]), view(&self.b, [inner, columns], self.turned[1])]
        }

        /// The product, from the law.
        fn expected(&self, before: &[f32], add: bool) -> Vec<f32> {
            let [rows, inner, columns] = self.shape;
            let at = |numbers: &[f32], [row, column]: [usize; 2], [rows, columns]: [usize; 2], turned| {
                numbers[if turned { column * rows + row } else { row * columns + column }]
            };
            let line = |row| (0..inner).map(|k| at(&self.a, [row, k], [rows, inner], self.turned[0])).collect();
            let column =
                |column| (0..inner).map(|k| at(&self.b, [k, column], [inner, columns], self.turned[1])).collect();
            let (lines, columns): (Vec<Vec<f32>>, Vec<Vec<f32>>) =
                ((0..rows).map(line).collect(), (0..columns).map(column).collect());
            let sums = lines.iter().flat_map(|line| columns.iter().map(|column| law(line, column)));
            sums.zip(before).map(|(sum, before)| if add { before + sum } else { sum }).collect()
        }
    }

    /// The sets, with an emulated AMX where there is none.
    fn sets() -> Vec<CheckedSet> {
        DotSet::available().into_iter().map(CheckedSet::new).chain(CheckedSet::emulated()).collect()
    }

    #[test]
    fn every_set_of_instructions_gives_the_bits_of_the_law() {
        let shapes = [[1, 1, 1], [7, 33, 18], [13, 64, 65], [35, 100, 16], [100, 31, 33], [5, 1100, 40], [34, 513, 3]];
        for (shape, place) in shapes.into_iter().zip(0..) {
            for turned in [[false, false], [false, true], [true, false], [true, true]] {
                let factors = Factors::new(shape, turned);
                let [a, b] = factors.views();
                for (add, set) in
                    [false, true].into_iter().flat_map(|add| sets().into_iter().map(move |set| (add, set)))
                {
                    let before: Vec<f32> = (0..shape[0] * shape[2]).map(|index| number(index + place)).collect();
                    let mut into = before.clone();
                    multiply_ready(set, a, b, &mut into, add);
                    same(&into, &factors.expected(&before, add), &format!("{set:?} {shape:?} {turned:?} {add}"));
                }
            }
        }
    }

    #[test]
    fn a_band_of_rows_has_the_bits_of_the_whole() {
        for (turned, set) in
            [false, true].into_iter().flat_map(|turned| sets().into_iter().map(move |set| (turned, set)))
        {
            let factors = Factors::new([150, 600, 40], [turned, false]);
            let ([a, b], mut whole) = (factors.views(), vec![0.0; 150 * 40]);
            multiply_ready(set, a, b, &mut whole, false);
            for rows in [0..1, 3..10, 90..150, 149..150] {
                let mut band = vec![0.0; rows.len() * 40];
                multiply_ready(set, a.band(rows.clone()), b, &mut band, false);
                same(&band, &whole[rows.start * 40..rows.end * 40], &format!("{set:?} {rows:?}"));
            }
        }
    }

    #[test]
    fn an_empty_inner_dimension_gives_zeros() {
        let mut into = [1.0; 6];
        let (a, b) = (MatrixView::new(&[], 2).turned().band(0..2), MatrixView::new(&[], 3));
        multiply_bf16(a, b, &mut into, true);
        assert_eq!(into, [1.0; 6]);
        multiply_bf16(a, b, &mut into, false);
        assert_eq!(into, [0.0; 6]);
    }
}
