//! The layers as work on rows, in a few operations: products by the kernels of all networks, everything else one number
//! after the other, in a fixed order.
//!
//! The numbers of a row beyond its width are always 0. No sum runs over several positions.

use super::functions::{Function, Pairwise, exp, log};
use super::layer::{NOTHING, Reduction, WindowSites};
use super::layout::RowRun;
use super::patches::Patches;
use crate::nets::kernels::{FormatMatrix, Rows, Spectra, Vector, Winograd};

/// A layer bound to its weights.
#[derive(Clone)]
pub enum BoundLayer {
    /// Images `[image][channel][site]` as rows of sites.
    Input {
        /// Sites of an image.
        sites: usize,
    },
    /// The same numbers for each unit.
    Fixed(Vec<f32>),
    /// A product.
    Product(FormatMatrix, bool),
    /// A convolution of any window.
    Patches(Patches, bool),
    /// A convolution by Winograd's filtering, over this many images of a unit: a file may cut a position into several.
    Winograd(Winograd, usize),
    /// Factors and offsets, and perhaps a ReLU.
    Scale(Vec<f32>, Vec<f32>, bool),
    /// A function of two values, and perhaps a ReLU.
    Pair(Pairwise, bool),
    /// A function.
    Map(Function),
    /// Parts that move, and the other numbers if there are some.
    Move(Vec<RowRun>, Option<f32>),
    /// A number for each row.
    Reduce(Reduction),
    /// Shares, or their logarithms.
    Softmax(bool),
    /// Mean 0 and variance 1.
    Standardise(f32),
    /// A pool: whether it is the greatest number, and whether padding counts.
    Pool(WindowSites, bool, bool),
    /// Batches and inner columns of products.
    Multiply(usize, usize),
}

/// Some units to work on.
#[derive(Clone, Copy)]
pub struct Units<'a> {
    /// Their images.
    pub images: &'a [f32],
    /// Their number.
    pub count: usize,
}

/// The size of a unit's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Rows of a unit.
    pub rows: usize,
    /// Numbers of a row.
    pub width: usize,
}

impl BoundLayer {
    /// Computes the rows of some units from those of the arguments, with their sizes; `first` is the first unit that is
    /// written.
    #[inline(always)]
    pub fn compute<V: Vector>(
        &mut self,
        arguments: &[(&Rows, Size)],
        into: (&mut Rows, Size),
        units: Units<'_>,
        first: usize,
        spectra: &mut Spectra,
    ) {
        let (into, size) = into;
        let count = units.count * size.rows;
        into.reserve((first + units.count) * size.rows);
        match self {
            BoundLayer::Input { sites } => input(units.images, *sites, size.width, into),
            BoundLayer::Fixed(numbers) => each_row(into, count, size.width, |row, into| {
                let at = row % size.rows * size.width;
                into.copy_from_slice(&numbers[at..at + size.width]);
            }),
            BoundLayer::Product(matrix, relu) => matrix.multiply::<V>((arguments[0].0, 0), count, (into, 0), *relu),
            BoundLayer::Patches(layer, relu) => {
                layer.follow::<V>(arguments[0].0, count / layer.outputs(), into, *relu);
            }
            BoundLayer::Winograd(layer, images) => {
                layer.follow::<V>(arguments[0].0, units.count * *images, spectra, into)
            }
            BoundLayer::Scale(factor, offset, relu) => {
                let periods = factor.len() / size.width;
                each_row(into, count, size.width, |row, into| {
                    let at = row % periods * size.width;
                    scale(arguments[0].0.numbers(row), &factor[at..], &offset[at..], *relu, into);
                });
            }
            BoundLayer::Pair(pairwise, relu) => each_row(into, count, size.width, |row, into| {
                pair(*pairwise, arguments[0].0.numbers(row), arguments[1].0.numbers(row), *relu, into);
            }),
            BoundLayer::Map(function) => each_row(into, count, size.width, |row, into| {
                into.iter_mut()
                    .zip(arguments[0].0.numbers(row))
                    .for_each(|(into, &number)| *into = function.of(number));
            }),
            BoundLayer::Move(runs, fill) => {
                if let Some(fill) = fill {
                    (first * size.rows..first * size.rows + count)
                        .for_each(|row| into.numbers_mut(row)[..size.width].fill(*fill));
                }
                shift(runs, arguments, (into, size), units.count, first);
            }
            BoundLayer::Reduce(reduction) => each_row(into, count, 1, |row, into| {
                into[0] = reduce(*reduction, &arguments[0].0.numbers(row)[..arguments[0].1.width]);
            }),
            BoundLayer::Softmax(log) => each_row(into, count, size.width, |row, into| {
                softmax(&arguments[0].0.numbers(row)[..size.width], *log, into)
            }),
            BoundLayer::Standardise(epsilon) => each_row(into, count, size.width, |row, into| {
                standardise(&arguments[0].0.numbers(row)[..size.width], *epsilon, into);
            }),
            BoundLayer::Pool(field, is_max, counts_padding) => each_row(into, count, size.width, |row, into| {
                pool(taps(field, row, arguments[0].0), *is_max, counts_padding.then_some(field.taps()), into);
            }),
            BoundLayer::Multiply(batches, inner) => {
                let rows = size.rows / *batches;
                each_row(into, count, size.width, |row, into| {
                    let first = row / rows * *inner;
                    product(&arguments[0].0.numbers(row)[..*inner], arguments[1].0, first, into);
                });
            }
        }
    }
}

/// Writes the first numbers of each of some rows.
#[inline(always)]
fn each_row(into: &mut Rows, count: usize, width: usize, mut write: impl FnMut(usize, &mut [f32])) {
    for row in 0..count {
        write(row, &mut into.numbers_mut(row)[..width]);
    }
}

/// Images `[image][channel][site]` as rows.
#[inline(always)]
fn input(images: &[f32], sites: usize, channels: usize, into: &mut Rows) {
    for (image, numbers) in images.chunks_exact(channels * sites).enumerate() {
        for site in 0..sites {
            let row = into.numbers_mut(image * sites + site);
            row.iter_mut().zip(numbers[site..].iter().step_by(sites)).for_each(|(into, &number)| *into = number);
        }
    }
}

#[inline(always)]
fn scale(from: &[f32], factor: &[f32], offset: &[f32], relu: bool, into: &mut [f32]) {
    for (((into, from), factor), offset) in into.iter_mut().zip(from).zip(factor).zip(offset) {
        *into = from * factor + offset;
    }
    if relu {
        into.iter_mut().for_each(|number| *number = number.max(0.0));
    }
}

/// A function of two rows; the usual ones have loops of their own, which the compiler makes fast.
#[inline(always)]
fn pair(pairwise: Pairwise, x: &[f32], y: &[f32], relu: bool, into: &mut [f32]) {
    let all = into.iter_mut().zip(x).zip(y);
    match pairwise {
        Pairwise::Add => all.for_each(|((into, x), y)| *into = x + y),
        Pairwise::Mul => all.for_each(|((into, x), y)| *into = x * y),
        _ => all.for_each(|((into, &x), &y)| *into = pairwise.of(x, y)),
    }
    if relu {
        into.iter_mut().for_each(|number| *number = number.max(0.0));
    }
}

/// Moves parts of the arguments' rows, from their first unit on.
#[inline(always)]
fn shift(runs: &[RowRun], arguments: &[(&Rows, Size)], (into, size): (&mut Rows, Size), units: usize, first: usize) {
    for unit in 0..units {
        for run in runs {
            let (from, own) = arguments[run.argument as usize];
            let ([row, column], [to, at]) = (run.from.map(|place| place as usize), run.to.map(|place| place as usize));
            let count = run.count as usize;
            let source = &from.numbers(unit * own.rows + row)[column..column + count];
            into.numbers_mut((first + unit) * size.rows + to)[at..at + count].copy_from_slice(source);
        }
    }
}

/// Sums run in double precision, from the first number to the last.
fn reduce(reduction: Reduction, row: &[f32]) -> f32 {
    let sum = || row.iter().map(|&number| f64::from(number)).sum::<f64>();
    match reduction {
        Reduction::Sum => sum() as f32,
        Reduction::Product => row.iter().map(|&number| f64::from(number)).product::<f64>() as f32,
        Reduction::Mean => (sum() / row.len() as f64) as f32,
        Reduction::Max => row.iter().copied().fold(f32::NEG_INFINITY, f32::max),
        Reduction::Min => row.iter().copied().fold(f32::INFINITY, f32::min),
    }
}

fn softmax(row: &[f32], is_log: bool, into: &mut [f32]) {
    let most = f64::from(reduce(Reduction::Max, row));
    let sum: f64 = row.iter().map(|&number| exp(f64::from(number) - most)).sum();
    let log_sum = log(sum);
    for (into, &number) in into.iter_mut().zip(row) {
        let below = f64::from(number) - most;
        *into = if is_log { below - log_sum } else { exp(below) / sum } as f32;
    }
}

fn standardise(row: &[f32], epsilon: f32, into: &mut [f32]) {
    let count = row.len() as f64;
    let mean = row.iter().map(|&number| f64::from(number)).sum::<f64>() / count;
    let variance =
        row.iter().map(|&number| (f64::from(number) - mean) * (f64::from(number) - mean)).sum::<f64>() / count;
    let scale = 1.0 / (variance + f64::from(epsilon)).sqrt();
    into.iter_mut().zip(row).for_each(|(into, &number)| *into = ((f64::from(number) - mean) * scale) as f32);
}

/// The rows under the window of an output, without padding.
#[inline(always)]
fn taps<'a>(field: &'a WindowSites, row: usize, from: &'a Rows) -> impl Iterator<Item = &'a [f32]> {
    let (image, output) = (row / field.outputs, row % field.outputs);
    let sites = &field.sites[output * field.taps()..][..field.taps()];
    let sites = sites.iter().filter(|&&site| site != NOTHING);
    sites.map(move |&site| from.numbers(image * field.area() + site as usize))
}

/// The greatest numbers or the means of some rows; a mean over all taps counts padding as 0.
#[inline(always)]
fn pool<'a>(sites: impl Iterator<Item = &'a [f32]>, is_max: bool, taps: Option<usize>, into: &mut [f32]) {
    into.fill(if is_max { f32::NEG_INFINITY } else { 0.0 });
    let mut count = 0;
    for row in sites {
        count += 1;
        match is_max {
            true => into.iter_mut().zip(row).for_each(|(into, &number)| *into = into.max(number)),
            false => into.iter_mut().zip(row).for_each(|(into, &number)| *into += number),
        }
    }
    if !is_max {
        let count = taps.unwrap_or(count).max(1) as f32;
        into.iter_mut().for_each(|number| *number /= count);
    }
}

/// The sum of rows from `first` on, each times a number of another row.
#[inline(always)]
fn product(row: &[f32], others: &Rows, first: usize, into: &mut [f32]) {
    into.fill(0.0);
    for (at, factor) in row.iter().enumerate() {
        let other = others.numbers(first + at);
        into.iter_mut().zip(other).for_each(|(into, number)| *into += factor * number);
    }
}
