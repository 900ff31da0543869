//! A benchmark of all matrix products with fixed weights: `cargo test --release -- --ignored --nocapture side_by_side`.

use std::hint::black_box;
use std::time::Instant;

use super::bf16::Bf16Matrix;
use super::bf16_product::multiply_bf16_on;
use super::int8::Int8Matrix;
use super::low_precision_sets::DotSet;
use super::product::multiply;
use super::samples::{filled, number};
use super::{Matrix, MatrixView, Path, Rows, Vector, Vectorized};
use crate::encoders::LANES;

/// Runs of each product; the table shows their median.
const RUNS: usize = 31;
/// Operations of a run, about.
const WORK: f64 = 4e8;

/// The plain product.
struct PlainProduct<'a>(&'a Matrix, &'a Rows, &'a mut Rows, usize);

impl Vectorized for PlainProduct<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        self.0.multiply::<V>((self.1, 0), self.3, (self.2, 0), true);
    }
}

/// A product with its name.
type Entry<'a> = (String, Box<dyn FnMut(&Rows, &mut Rows, usize) + 'a>);

/// A product on some rows, with its name.
type Call<'a> = (String, Box<dyn FnMut() + 'a>);

/// The sets of instructions, but for the portable one, which would take most of the time.
fn fast() -> Vec<DotSet> {
    DotSet::available().into_iter().filter(|&set| set != DotSet::Portable).collect()
}

fn entries(width: usize) -> Vec<Entry<'static>> {
    let weights: Vec<f32> = (0..width * width).map(number).collect();
    let bias: Vec<f32> = (0..width).map(number).collect();
    let mut entries: Vec<Entry> = Vec::new();
    for path in Path::available() {
        let matrix = Matrix::new(&weights, &bias);
        entries.push((
            format!("f32 {path:?}"),
            Box::new(move |from, into, rows| path.perform(&mut PlainProduct(&matrix, from, into, rows))),
        ));
    }
    for set in fast() {
        let matrix = Bf16Matrix::new(set, &weights, &bias, false);
        entries.push((
            format!("bf16 {set:?}"),
            Box::new(move |from, into, rows| matrix.multiply((from, 0, 0), rows, (into, 0), true)),
        ));
    }
    for set in fast() {
        let matrix = Int8Matrix::new(set, &weights, &bias, false);
        entries.push((
            format!("int8 {set:?}"),
            Box::new(move |from, into, rows| matrix.multiply((from, 0, 0), rows, (into, 0), true)),
        ));
    }
    entries
}

/// The medians of seconds of calls, in runs that alternate between the entries.
fn medians(entries: &mut [Call<'_>], operations: f64) -> Vec<f64> {
    let repeats = (WORK / operations).ceil() as usize;
    let mut seconds = vec![Vec::new(); entries.len()];
    for _ in 0..RUNS {
        for ((_, entry), seconds) in entries.iter_mut().zip(&mut seconds) {
            let slow = if seconds.first().is_some_and(|&first: &f64| first > 2e-10 * operations) { 1 } else { repeats };
            let start = Instant::now();
            (0..slow).for_each(|_| entry());
            seconds.push(start.elapsed().as_secs_f64() / slow as f64);
        }
    }
    seconds.iter_mut().for_each(|seconds| seconds.sort_by(f64::total_cmp));
    seconds.into_iter().map(|seconds| seconds[RUNS / 2]).collect()
}

fn row(place: &str, entries: &mut [Call<'_>], operations: f64) {
    let medians = medians(entries, operations);
    for ((name, _), seconds) in entries.iter().zip(&medians) {
        println!(
            "{place:<26} {name:<16} {:>8.1} Gop/s {:>6.2} of the first",
            operations / seconds * 1e-9,
            medians[0] / seconds
        );
    }
}

#[test]
#[ignore = "measures speed"]
fn products_side_by_side() {
    for width in [64, 128, 256, 512] {
        for rows in [256, 1024] {
            let mut from = filled(width / LANES, rows);
            (0..rows).for_each(|row| {
                from.numbers_mut(row).iter_mut().enumerate().for_each(|(at, x)| *x = number(row * width + at));
            });
            let mut products = entries(width);
            let mut calls: Vec<Call<'_>> = Vec::new();
            for (name, product) in &mut products {
                let (from, mut into) = (&from, filled(width / LANES, rows));
                calls.push((name.clone(), Box::new(move || product(black_box(from), black_box(&mut into), rows))));
            }
            row(&format!("{width} x {width}, {rows} rows"), &mut calls, 2.0 * (rows * width * width) as f64);
        }
    }
}

#[test]
#[ignore = "measures speed"]
fn products_of_training_side_by_side() {
    for (rows, width) in [(4096, 512), (4096, 128), (1024, 64)] {
        let numbers = |count: usize| (0..count).map(number).collect::<Vec<f32>>();
        let (values, flow, weights) = (numbers(rows * width), numbers(rows * width), numbers(width * width));
        let weights = MatrixView::new(&weights, width);
        let (values, flow) = (MatrixView::new(&values, width), MatrixView::new(&flow, width));
        let products =
            [("forward", values, weights.turned()), ("inputs", flow, weights), ("weights", flow.turned(), values)];
        for (name, a, b) in products {
            let count = a.rows * b.columns();
            let mut gemm = vec![0.0; count];
            let mut calls: Vec<Call<'_>> =
                vec![("f32 gemm".to_owned(), Box::new(move || multiply(black_box(a), b, black_box(&mut gemm), false)))];
            for set in fast() {
                let mut into = vec![0.0; count];
                let call = move || multiply_bf16_on(set, black_box(a), b, black_box(&mut into), false);
                calls.push((format!("bf16 {set:?}"), Box::new(call)));
            }
            row(&format!("{rows} x {width}, {name}"), &mut calls, 2.0 * (rows * width * width) as f64);
        }
    }
}
