//! Adjusted p-values for multiple tests.
//!
//! Twenty tests at 5 % give a false alarm in about two of three cases. [`holm`] bounds the probability of any
//! false alarm (for gates), [`benjamini_hochberg`] the share of false ones among the alarms (for dashboards). Both
//! are for p-values of tests with a fixed number of games; use `alpha / K` for a sequential test.

/// Holm's adjusted p-values, in the given order: reject if the value is at most the family-wise level.
///
/// Source: S. Holm, Scand. J. Stat. 6 (1979).
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let order = ascending(p_values);
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, &test) in order.iter().enumerate() {
        largest = largest.max((p_values.len() - rank) as f64 * p_values[test]).min(1.0);
        adjusted[test] = largest;
    }
    adjusted
}

/// Benjamini and Hochberg's adjusted p-values, in the given order: reject if the value is at most the acceptable
/// share of false alarms. Valid for independent and positively dependent tests.
///
/// Source: Y. Benjamini, Y. Hochberg, J. R. Stat. Soc. B 57 (1995).
#[must_use]
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let order = ascending(p_values);
    let mut adjusted = vec![0.0; p_values.len()];
    let mut smallest = 1.0_f64;
    for (rank, &test) in order.iter().enumerate().rev() {
        smallest = smallest.min(p_values.len() as f64 / (rank + 1) as f64 * p_values[test]);
        adjusted[test] = smallest;
    }
    adjusted
}

fn ascending(p_values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&i, &j| p_values[i].total_cmp(&p_values[j]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn adjusted_p_values_of_an_example() {
        // By hand; R's p.adjust gives the same.
        let p_values = [0.01, 0.04, 0.03, 0.005];
        same(&holm(&p_values), &[0.03, 0.06, 0.06, 0.02]);
        same(&benjamini_hochberg(&p_values), &[0.02, 0.04, 0.04, 0.02]);
    }

    #[test]
    fn empty_single_and_capped_families_are_exact() {
        same(&holm(&[]), &[]);
        same(&holm(&[0.2]), &[0.2]);
        same(&holm(&[0.9, 0.8, 1.0]), &[1.0, 1.0, 1.0]);
        same(&benjamini_hochberg(&[0.9, 0.8, 1.0]), &[1.0, 1.0, 1.0]);
    }
}
