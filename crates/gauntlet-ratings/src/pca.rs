//! Principal components: the directions of the largest variance of points.
//!
//! K. Pearson, Philosophical Magazine 2 (1901). The points are centred and not scaled: features with a larger spread
//! have more weight. A component's sign is arbitrary; here its largest part is positive, so that equal points give
//! equal pictures.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Points projected onto their first components.
#[derive(Debug, Clone, PartialEq)]
pub struct Components {
    /// Coordinates of each point, `[points][components]`.
    pub points: Vec<Vec<f64>>,
    /// Share of the points' variance along each component, 0 to 1; all 0 if all points are equal.
    pub shares: Vec<f64>,
}

/// The first `count` components of points with equally many features; fewer if there are fewer features. `None` for
/// features that are not finite, and if the iteration (the symmetric QR algorithm) does not converge.
///
/// # Panics
/// If there are no points, or points of different dimensions.
#[must_use]
pub fn principal_components(points: &[Vec<f64>], count: usize) -> Option<Components> {
    let (rows, columns) = (points.len(), points[0].len());
    let mut matrix = DMatrix::from_fn(rows, columns, |row, column| points[row][column]);
    assert!(points.iter().all(|point| point.len() == columns), "points have one dimension");
    if columns == 0 {
        return Some(Components { points: vec![Vec::new(); rows], shares: Vec::new() });
    }
    if !matrix.iter().all(|value| value.is_finite()) {
        return None;
    }
    let unit = unit(matrix.amax());
    matrix /= unit;
    let mean = matrix.row_mean();
    matrix.row_iter_mut().for_each(|mut row| row -= &mean);
    let eigen = SymmetricEigen::try_new(matrix.transpose() * &matrix, f64::EPSILON, STEPS * columns)?;
    let mut order: Vec<usize> = (0..columns).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    order.truncate(count);
    let total: f64 = eigen.eigenvalues.iter().map(|value| value.max(0.0)).sum();
    let share = |&at: &usize| if total > 0.0 { eigen.eigenvalues[at].max(0.0) / total } else { 0.0 };
    let directions: Vec<DVector<f64>> = order.iter().map(|&at| upright(eigen.eigenvectors.column(at).into())).collect();
    let seen = |row: usize| directions.iter().map(|direction| unit * (matrix.row(row) * direction)[0]).collect();
    Some(Components { points: (0..rows).map(seen).collect(), shares: order.iter().map(share).collect() })
}

/// Maximum number of iterations for each feature; one to three are usual.
const STEPS: usize = 100;

/// A power of 2 by which features are divided, so that no square overflows or vanishes; 1 for features of common sizes.
fn unit(largest: f64) -> f64 {
    let common = largest == 0.0 || (1e-100..1e100).contains(&largest);
    if common { 1.0 } else { largest.log2().floor().exp2() }
}

/// The direction or its opposite, with a positive largest part.
fn upright(direction: DVector<f64>) -> DVector<f64> {
    if direction[direction.iamax()] < 0.0 { -direction } else { direction }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_have_one_component() {
        // Along (3, 4) / 5, centred at (6, 8): distances -10, 0, 10.
        let points = [vec![0.0, 0.0], vec![6.0, 8.0], vec![12.0, 16.0]];
        let Components { points, shares } = principal_components(&points, 2).expect("finite");
        assert!((shares[0] - 1.0).abs() < 1e-12 && shares[1].abs() < 1e-12, "{shares:?}");
        for (point, distance) in points.iter().zip([-10.0, 0.0, 10.0]) {
            assert!((point[0] - distance).abs() < 1e-9 && point[1].abs() < 1e-9, "{point:?}");
        }
    }

    #[test]
    fn points_of_any_size_and_of_none() {
        for scale in [1e-200, 1.0, 1e200] {
            let points = [vec![0.0, 0.0], vec![6.0 * scale, 8.0 * scale], vec![12.0 * scale, 16.0 * scale]];
            let Components { points, shares } = principal_components(&points, 2).expect("finite");
            assert!((shares[0] - 1.0).abs() < 1e-12 && (points[2][0] / scale - 10.0).abs() < 1e-9, "{points:?}");
        }
        for odd in [f64::NAN, f64::INFINITY] {
            assert_eq!(principal_components(&[vec![0.0, odd], vec![1.0, 2.0]], 2), None);
        }
        assert_eq!(principal_components(&[vec![], vec![]], 2).expect("finite").points, [vec![0.0; 0], vec![]]);
        // One point, and more features than points.
        assert_eq!(principal_components(&[vec![3.0; 5]], 2).expect("finite").shares, [0.0, 0.0]);
    }

    #[test]
    fn the_wider_direction_comes_first() {
        let points = [vec![2.0, 0.0, 7.0], vec![-2.0, 0.0, 7.0], vec![0.0, 1.0, 7.0], vec![0.0, -1.0, 7.0]];
        let found = principal_components(&points, 3).expect("finite");
        assert!((found.shares[0] - 0.8).abs() < 1e-12 && (found.shares[1] - 0.2).abs() < 1e-12);
        assert!((found.points[0][0] - 2.0).abs() < 1e-9 && (found.points[2][1] - 1.0).abs() < 1e-9);
        let one = principal_components(&[vec![1.0], vec![1.0]], 2).expect("finite");
        assert_eq!((one.shares, one.points), (vec![0.0], vec![vec![0.0], vec![0.0]]));
    }
}
