//! The elements of values in rows, and movements of elements as lists of indices.
//!
//! A value has a shape, as in the file, and lies in rows. A movement (a transposition, a slice, a reshape) changes the
//! list of places and no number, until an operation needs other rows.

use std::rc::Rc;

/// The places of a value's elements in some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Number of rows.
    pub rows: usize,
    /// Numbers of a row.
    pub width: usize,
    /// The place `row * width + column` of each element, row-major.
    pub index: Rc<[u32]>,
}

impl Layout {
    /// The layout whose columns are these axes, and whose rows are all others, both in their order.
    pub fn of(shape: &[usize], features: &[usize]) -> Layout {
        let size = |is_feature: bool| -> usize {
            let axes = shape.iter().enumerate().filter(|(axis, _)| features.contains(axis) == is_feature);
            axes.map(|(_, &size)| size).product()
        };
        let (rows, width) = (size(false), size(true));
        let (mut row, mut column, mut steps) = (width, 1, vec![0; shape.len()]);
        for (axis, &size) in shape.iter().enumerate().rev() {
            let step = if features.contains(&axis) { &mut column } else { &mut row };
            steps[axis] = *step as isize;
            *step *= size;
        }
        Layout { rows, width, index: strided(shape, &steps, 0).into() }
    }
}

/// The distance of neighbours along each axis.
pub fn steps(shape: &[usize]) -> Vec<isize> {
    let mut steps = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        steps[axis - 1] = steps[axis] * shape[axis] as isize;
    }
    steps
}

/// The elements at `first` plus the sum of indices times steps, for all indices of a shape.
pub fn strided(shape: &[usize], steps: &[isize], first: isize) -> Vec<u32> {
    let along = |bases: Vec<isize>, (&size, &step): (&usize, &isize)| {
        bases.into_iter().flat_map(|base| (0..size as isize).map(move |at| base + at * step)).collect()
    };
    let all: Vec<isize> = shape.iter().zip(steps).fold(vec![first], along);
    all.into_iter().map(|at| at as u32).collect()
}

/// The common shape of two values, by the rules of NumPy.
pub fn common(one: &[usize], other: &[usize]) -> Option<Vec<usize>> {
    let rank = one.len().max(other.len());
    let size = |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis]);
    let both = (0..rank).map(|axis| match (size(one, axis), size(other, axis)) {
        (one, other) if one == other || other == 1 => Some(one),
        (1, other) => Some(other),
        _ => None,
    });
    both.collect()
}

/// The element of a value of this shape for each element of a larger shape that it is repeated to.
pub fn repeated(shape: &[usize], to: &[usize]) -> Vec<u32> {
    let missing = to.len() - shape.len();
    let of_axis = |(&size, step): (&usize, isize)| if size == 1 { 0 } else { step };
    let own: Vec<isize> = shape.iter().zip(steps(shape)).map(of_axis).collect();
    strided(to, &[vec![0; missing], own].concat(), 0)
}

/// A row's part that moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowRun {
    /// Which of the arguments.
    pub argument: u32,
    /// Its row and column.
    pub from: [u32; 2],
    /// The row and column of the result.
    pub to: [u32; 2],
    /// Numbers.
    pub count: u32,
}

/// The runs that move elements at places of an argument's rows to places of other rows.
pub fn runs(argument: usize, pairs: impl Iterator<Item = (u32, u32)>, widths: [usize; 2], runs: &mut Vec<RowRun>) {
    let [from_width, to_width] = widths.map(|width| width as u32);
    let (mut pairs, first): (Vec<(u32, u32)>, _) = (pairs.collect(), runs.len());
    pairs.sort_unstable_by_key(|&(_, to)| to);
    for (from, to) in pairs {
        let (from, to) = ([from / from_width, from % from_width], [to / to_width, to % to_width]);
        match runs[first..].last_mut() {
            Some(run)
                if run.from[0] == from[0]
                    && run.to[0] == to[0]
                    && run.from[1] + run.count == from[1]
                    && run.to[1] + run.count == to[1] =>
            {
                run.count += 1;
            }
            _ => runs.push(RowRun { argument: argument as u32, from, to, count: 1 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_become_columns() {
        // Elements [channel][site] of an image of two channels and three sites.
        let layout = Layout::of(&[1, 2, 3], &[1]);
        assert_eq!((layout.rows, layout.width, &*layout.index), (3, 2, &[0, 2, 4, 1, 3, 5][..]));
        let both = Layout::of(&[2, 2, 2], &[0, 2]);
        assert_eq!((both.rows, both.width, &*both.index), (2, 4, &[0, 1, 4, 5, 2, 3, 6, 7][..]));
    }

    #[test]
    fn slices_and_repetitions_are_lists_of_elements() {
        // The last column of two rows of three, backwards.
        assert_eq!(strided(&[2, 1], &[-3, 1], 5), [5, 2]);
        assert_eq!(repeated(&[2, 1], &[2, 2, 3]), [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]);
        assert_eq!(common(&[4, 1, 3], &[5, 1]), Some(vec![4, 5, 3]));
        assert_eq!(common(&[2, 3], &[2]), None);
        assert_eq!((strided(&[], &[], 7), steps(&[])), (vec![7], vec![]));
    }

    #[test]
    fn neighbours_move_together() {
        let mut found = Vec::new();
        // Rows of two become rows of four.
        runs(3, (0..4).map(|at| (at, at)), [2, 4], &mut found);
        let run = |from, to| RowRun { argument: 3, from, to, count: 2 };
        assert_eq!(found, [run([0, 0], [0, 0]), run([1, 0], [0, 2])]);
    }
}
