//! Concatenated numbers of all graphs or tensors of weights, and their parts.

use std::ops::Range;

use candle_core::WithDType;

use super::norm::ColumnSpread;

/// The ranges of parts with these lengths.
pub fn ranges(lengths: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut end = 0;
    let range = |length| {
        end += length;
        end - length..end
    };
    lengths.map(range).collect()
}

/// Consecutive parts as mutable slices.
pub fn split<'a, T>(mut numbers: &'a mut [T], parts: &[Range<usize>]) -> std::vec::IntoIter<&'a mut [T]> {
    let mut all = Vec::with_capacity(parts.len());
    for part in parts {
        let (first, rest) = std::mem::take(&mut numbers).split_at_mut(part.len());
        all.push(first);
        numbers = rest;
    }
    all.into_iter()
}

/// Numbers in sections of these lengths.
pub fn sections<const N: usize, T>(mut numbers: &[T], lengths: [usize; N]) -> [&[T]; N] {
    lengths.map(|length| {
        let (first, rest) = numbers.split_at(length);
        numbers = rest;
        first
    })
}

/// Part of the section that begins at `first`, or an empty slice if the section is missing.
pub fn part_of<'a, T>(numbers: &'a [T], first: usize, part: &Range<usize>) -> &'a [T] {
    numbers.get(first + part.start..first + part.end).unwrap_or_default()
}

/// Vectors of zeros with these lengths.
pub fn zeros<const N: usize, T: WithDType>(counts: [usize; N]) -> [Vec<T>; N] {
    counts.map(|count| vec![T::zero(); count])
}

/// The sums over all graphs, in their order.
pub fn summed<T: WithDType>(parts: impl Iterator<Item = Vec<T>>) -> Vec<T> {
    let sum = parts.reduce(|mut sum, part| {
        sum.iter_mut().zip(part).for_each(|(sum, number)| *sum += number);
        sum
    });
    sum.unwrap_or_default()
}

/// The moments of all graphs, in their order.
pub fn joined<T: WithDType>(width: usize, parts: impl Iterator<Item = ColumnSpread<T>>) -> ColumnSpread<T> {
    parts.fold(ColumnSpread::none(width), |mut all, part| {
        all.join(&part);
        all
    })
}
