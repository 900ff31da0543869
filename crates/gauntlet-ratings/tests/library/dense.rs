//! Dense matrices for tests, by elementary methods.

pub type Matrix = Vec<Vec<f64>>;

/// The inverse of the part of a matrix in `keep`, by Gauss-Jordan elimination with pivots; all other entries are 0.
pub fn inverse_of(matrix: &Matrix, keep: &[usize]) -> Option<Matrix> {
    let n = keep.len();
    let entry = |i: usize, j: usize| if j < n { matrix[keep[i]][keep[j]] } else { f64::from(u8::from(i + n == j)) };
    let mut work: Matrix = (0..n).map(|i| (0..2 * n).map(|j| entry(i, j)).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| work[i][k].abs().total_cmp(&work[j][k].abs()))?;
        work.swap(k, pivot);
        let scale = work[k][k];
        if scale == 0.0 || !scale.is_finite() {
            return None;
        }
        work[k].iter_mut().for_each(|entry| *entry /= scale);
        let own = work[k].clone();
        for i in (0..n).filter(|&i| i != k) {
            let factor = work[i][k];
            work[i].iter_mut().zip(&own).for_each(|(entry, own)| *entry -= factor * own);
        }
    }
    let mut whole = vec![vec![0.0; matrix.len()]; matrix.len()];
    for i in 0..n {
        (0..n).for_each(|j| whole[keep[i]][keep[j]] = work[i][n + j]);
    }
    Some(whole)
}

pub fn times(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(vector).map(|(entry, part)| entry * part).sum()).collect()
}

pub fn multiply(left: &Matrix, right: &Matrix) -> Matrix {
    let columns: Matrix = (0..right.len()).map(|j| right.iter().map(|row| row[j]).collect()).collect();
    left.iter().map(|row| times(&columns, row)).collect()
}
