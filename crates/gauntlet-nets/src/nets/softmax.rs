//! Softmax: from logits to probabilities.

/// Replaces logits by probabilities, in place; accepts any finite logits, or none.
///
/// The result depends only on the logits and their order.
#[inline]
pub fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = (*logit - most).exp();
        sum += *logit;
    }
    logits.iter_mut().for_each(|share| *share /= sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_sum_to_one() {
        let mut logits = [1e4, 1e4 - 1.0, -1e30, 1e4];
        softmax(&mut logits);
        assert!((logits.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((logits[1] / logits[0] - (-1.0f32).exp()).abs() < 1e-6 && logits[2] == 0.0);
        softmax(&mut []);
    }
}
