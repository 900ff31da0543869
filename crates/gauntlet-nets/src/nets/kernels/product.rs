//! Matrix products of any number type on one thread, for training: a safe interface to `gemm`.
//!
//! Inference kernels have their own product ([`super::Matrix`]), with one fixed order of sums; this one may use any
//! order.

use std::ops::Range;

use candle_core::{DType, WithDType};

/// A matrix in a slice: row-major, or, if `turned`, column-major.
#[derive(Debug, Clone, Copy)]
pub struct MatrixView<'a, T> {
    pub(super) numbers: &'a [T],
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Distance between the starts of two lines (rows, or columns if it is turned).
    pub(super) step: usize,
    pub(super) turned: bool,
}

impl<'a, T> MatrixView<'a, T> {
    /// Rows of `columns` numbers.
    pub fn new(numbers: &'a [T], columns: usize) -> MatrixView<'a, T> {
        MatrixView { numbers, rows: numbers.len() / columns, columns, step: columns, turned: false }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The transpose.
    #[must_use]
    pub fn turned(self) -> MatrixView<'a, T> {
        MatrixView { rows: self.columns, columns: self.rows, turned: !self.turned, ..self }
    }

    /// Some of the rows.
    ///
    /// # Panics
    /// Beyond the last row.
    #[must_use]
    pub fn band(self, rows: Range<usize>) -> MatrixView<'a, T> {
        let first = if self.turned { rows.start } else { rows.start * self.step };
        MatrixView { numbers: &self.numbers[first..], rows: rows.len(), ..self }
    }

    /// Distances between columns and between rows.
    fn steps(&self) -> (isize, isize) {
        if self.turned { (self.step as isize, 1) } else { (1, self.step as isize) }
    }

    /// The same view of a matrix of type `f32`.
    ///
    /// # Panics
    /// For other types.
    pub(super) fn as_f32(self) -> MatrixView<'a, f32>
    where
        T: WithDType,
    {
        assert_eq!(T::DTYPE, DType::F32, "the matrix has the type f32");
        // SAFETY: `f32` is the only type with this tag, so `T` is `f32`.
        let numbers = unsafe { std::slice::from_raw_parts(self.numbers.as_ptr().cast::<f32>(), self.numbers.len()) };
        MatrixView { numbers, rows: self.rows, columns: self.columns, step: self.step, turned: self.turned }
    }

    /// Whether all of it lies within the slice.
    pub(super) fn is_whole(&self) -> bool {
        let (lines, width) = if self.turned { (self.columns, self.rows) } else { (self.rows, self.columns) };
        width <= self.step && (lines == 0 || (lines - 1) * self.step + width <= self.numbers.len())
    }
}

/// `into = a b`, or `into += a b` if `add`; `into` is row-major.
///
/// # Panics
/// If the shapes do not fit.
pub fn multiply<T: WithDType>(a: MatrixView<'_, T>, b: MatrixView<'_, T>, into: &mut [T], add: bool) {
    assert!(a.columns == b.rows && into.len() == a.rows * b.columns, "shapes fit");
    assert!(a.is_whole() && b.is_whole(), "matrices are whole");
    let ((a_column, a_row), (b_column, b_row)) = (a.steps(), b.steps());
    let (one, start) = (T::from_f64(1.0), T::from_f64(f64::from(u8::from(add))));
    // SAFETY: all three matrices lie within their slices, as just checked, and only `into` is written to.
    unsafe {
        gemm::gemm(
            a.rows,
            b.columns,
            a.columns,
            into.as_mut_ptr(),
            1,
            b.columns as isize,
            add,
            a.numbers.as_ptr(),
            a_column,
            a_row,
            b.numbers.as_ptr(),
            b_column,
            b_row,
            start,
            one,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_by_hand() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, 2.0, 1.0, 0.0, 3.0]);
        let mut into = [1.0; 4];
        multiply(MatrixView::new(&a, 3), MatrixView::new(&b, 2), &mut into, false);
        assert_eq!(into, [5.0, 11.0, 14.0, 23.0]);
        multiply(MatrixView::new(&a, 3), MatrixView::new(&b, 2), &mut into, true);
        assert_eq!(into, [10.0, 22.0, 28.0, 46.0]);
        multiply(MatrixView::new(&a, 2).turned(), MatrixView::new(&b, 2), &mut into, false);
        assert_eq!(into, [7.0, 18.0, 10.0, 22.0]);
        multiply(MatrixView::new(&a, 2).turned().band(1..2), MatrixView::new(&b, 2), &mut into[..2], false);
        assert_eq!(into[..2], [10.0, 22.0]);
        multiply(MatrixView::new(&a, 3).band(1..2), MatrixView::new(&b, 2), &mut into[..2], false);
        assert_eq!(into[..2], [14.0, 23.0]);
    }
}
