//! Rows, columns and labels of sites: A1, K11, AB3.

/// Points whose x (or y) differ by less are in one line.
const NEAR: f64 = 0.01;

/// Column and row of every site along two axes; without axes, columns are the different x, rows the different y.
pub(super) fn cells(places: &[[f64; 2]], axes: Option<[[f64; 2]; 2]>) -> Vec<[u16; 2]> {
    let numbers = match axes {
        Some(axes) => [0, 1].map(|line| along(places, axes, line)),
        None => [0, 1].map(|line| distinct(places.iter().map(|place| place[line]).collect())),
    };
    (0..places.len()).map(|site| [numbers[0][site], numbers[1][site]]).collect()
}

/// Number of steps along the first (second) axis to each point, from the lowest.
fn along(places: &[[f64; 2]], [a, b]: [[f64; 2]; 2], line: usize) -> Vec<u16> {
    let area = a[0] * b[1] - a[1] * b[0];
    let times = |&[x, y]: &[f64; 2]| {
        let (x, y) = (x - places[0][0], y - places[0][1]);
        let times = if line == 0 { x * b[1] - y * b[0] } else { a[0] * y - a[1] * x };
        (times / area).round() as i64
    };
    let least = places.iter().map(times).min().unwrap_or(0);
    places.iter().map(|place| (times(place) - least) as u16).collect()
}

/// The rank of every value among the distinct values, ascending.
fn distinct(values: Vec<f64>) -> Vec<u16> {
    let mut lines = values.clone();
    lines.sort_by(f64::total_cmp);
    lines.dedup_by(|value, first| *value - *first < NEAR);
    values.iter().map(|value| lines.partition_point(|line| *line <= value + NEAR / 2.0) as u16 - 1).collect()
}

/// The label of a column and row.
pub(super) fn label([column, row]: [u16; 2]) -> String {
    let mut letters = String::new();
    let mut left = usize::from(column) + 1;
    while left > 0 {
        left -= 1;
        letters.insert(0, (b'A' + (left % 26) as u8) as char);
        left /= 26;
    }
    format!("{letters}{}", row + 1)
}

/// The column and row of a label.
pub(super) fn cell(label: &str) -> Option<[u16; 2]> {
    let digits = label.find(|sign: char| sign.is_ascii_digit())?;
    let (letters, number) = label.split_at(digits);
    let row = number.parse::<u16>().ok()?.checked_sub(1)?;
    let column = letters.chars().try_fold(0_u16, |sum, letter| {
        let value = letter.is_ascii_alphabetic().then(|| letter.to_ascii_uppercase() as u16 - u16::from(b'A') + 1)?;
        sum.checked_mul(26)?.checked_add(value)
    })?;
    Some([column.checked_sub(1)?, row])
}
