//! The speeds of number formats beside `f32`, measured once on this machine.

use std::sync::LazyLock;
use std::time::Instant;

use gauntlet_nets::nets::{NumberFormat, SampleProduct};

/// Measurements of each format; the fastest counts, since other work only slows them.
const TIMES: usize = 3;

/// Matrix products in a number format in the time of one in `f32`. `f32` is not measured.
pub(super) fn speed(numbers: NumberFormat) -> f64 {
    static SPEEDS: LazyLock<[f64; 3]> = LazyLock::new(|| {
        let [f32, bf16, int8] = NumberFormat::formats().map(|numbers| rate(&mut SampleProduct::new(numbers)));
        [1.0, bf16 / f32, int8 / f32]
    });
    match numbers {
        NumberFormat::F32 => 1.0,
        NumberFormat::Bf16 => SPEEDS[1],
        NumberFormat::Int8 => SPEEDS[2],
    }
}

/// Operations a second.
fn rate(product: &mut SampleProduct) -> f64 {
    product.run();
    let mut once = || {
        let start = Instant::now();
        product.run() / start.elapsed().as_secs_f64()
    };
    (0..TIMES).map(|_| once()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_positive_speeds_and_f32_is_the_unit() {
        assert_eq!(speed(NumberFormat::F32), 1.0);
        for numbers in [NumberFormat::Bf16, NumberFormat::Int8] {
            assert!(speed(numbers) > 0.0 && speed(numbers).is_finite(), "{numbers:?}");
        }
    }
}
