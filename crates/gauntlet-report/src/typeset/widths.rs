//! Widths of texts in LaTeX's usual font, Computer Modern, as its metrics (`cmr10.tfm`) have them.
//!
//! Most fonts of papers are narrower, so that a table that fits by these widths fits with them.

/// Widths of the characters from space to `~`, in thousandths of the size of letters.
const ASCII: [u16; 95] = [
    333, 278, 500, 833, 500, 833, 778, 278, 389, 389, 500, 778, 278, 333, 278, 500, 500, 500, 500, 500, 500, 500, 500,
    500, 500, 500, 278, 278, 778, 778, 778, 472, 778, 750, 708, 722, 764, 681, 653, 785, 750, 361, 514, 778, 625, 917,
    750, 778, 681, 778, 736, 556, 722, 750, 750, 1028, 750, 750, 611, 278, 500, 278, 500, 360, 278, 500, 556, 444, 556,
    444, 306, 500, 556, 278, 306, 528, 278, 833, 556, 500, 556, 528, 392, 394, 389, 556, 528, 722, 528, 528, 444, 500,
    278, 500, 500,
];
/// The width of a sign that is not listed: that of relations and operators; letters are narrower.
const SIGN: u16 = 778;
/// The width of characters that fill a square, as in Chinese and Japanese.
const SQUARE: u16 = 1000;
/// The size for which the metrics hold, in points.
const USUAL: f64 = 10.0;

/// The width of a text in points, in letters of some size in points.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let units: u32 = text.chars().map(|c| u32::from(units(c))).sum();
    f64::from(units) / 1000.0 * size * growth(size)
}

fn units(c: char) -> u16 {
    match c {
        ' '..='~' => ASCII[c as usize - ' ' as usize],
        '–' => ASCII['0' as usize - ' ' as usize],
        '—' | '\u{2e80}'.. => SQUARE,
        _ => SIGN,
    }
}

/// Small letters are wider for their size: 1.03 times at 9 points, 1.06 at 8, 1.14 at 7, 1.22 at 6 and 1.36 at 5. This curve
/// lies above all of them.
fn growth(size: f64) -> f64 {
    let below = (USUAL - size).max(0.0);
    1.0 + 0.02 * below + 0.0105 * below * below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_metrics() {
        // Boxes of TeX in points: the same texts in cmr10, cmr8 and cmr5.
        assert!((width("0.84 ± 0.03", 10.0) - 50.0).abs() < 1e-9, "{}", width("0.84 ± 0.03", 10.0));
        // Pairs of letters that TeX sets closer are not counted.
        assert!((49.33..50.0).contains(&width("Benchmark", 10.0)), "{}", width("Benchmark", 10.0));
        for (size, digits) in [(9.0, 0.514), (8.0, 0.531), (7.0, 0.569), (6.0, 0.611), (5.0, 0.681)] {
            let own = width("0", size) / size;
            assert!((digits..digits * 1.03).contains(&own), "{size}: {own}");
        }
        assert_eq!(width("日本", 10.0), 20.0);
    }
}
