//! Lossless encoding of a column, one number a site, and of small counts.
//!
//! A column is a tag, followed by the shortest applicable encoding:
//!
//! | tag | bytes behind it | numbers |
//! |---|---|---|
//! | 0 | none | all 0 |
//! | 1 | 4 | all the same |
//! | 2 | an eighth a site | 0 and 1, as bits |
//! | 3 | a quarter a site | 0, 1 and -1, as bits of ones and bits of minus ones |
//! | 4 | 1 a site | whole numbers from -128 to 127 |
//! | 5 | 4 a site | any |
//! | 6 + n | about n | 0 and n ones (n below 250): the number of zeros before each |
//!
//! Numbers are compared by their bits, so that `-0.0` and NaN are preserved.

const ZEROS: u8 = 0;
const CONSTANT: u8 = 1;
const BITS: u8 = 2;
const SIGNS: u8 = 3;
const BYTES: u8 = 4;
const FLOATS: u8 = 5;
const ONES: u8 = 6;

/// Counts of the numbers of a column.
struct Census {
    is_constant: bool,
    ones: usize,
    /// Numbers other than 0 and 1: -1, whole numbers that fit a byte, and the rest.
    others: [usize; 3],
}

impl Census {
    fn of(column: &[f32]) -> Census {
        let mut census = Census { is_constant: true, others: [0; 3], ones: 0 };
        for &number in column {
            census.is_constant &= number.to_bits() == column[0].to_bits();
            let is = |other: f32| number.to_bits() == other.to_bits();
            census.ones += usize::from(is(1.0));
            let kind = if is(0.0) || is(1.0) {
                continue;
            } else if is(-1.0) {
                0
            } else if is(f32::from(number as i8)) {
                1
            } else {
                2
            };
            census.others[kind] += 1;
        }
        census
    }
}

/// Appends a column.
pub(super) fn write(column: &[f32], bytes: &mut Vec<u8>) {
    let Census { is_constant, others: [signs, whole, rest], ones } = Census::of(column);
    if is_constant && column.first().is_none_or(|number| number.to_bits() == 0) {
        bytes.push(ZEROS);
    } else if is_constant {
        floats(CONSTANT, &column[..1], bytes);
    } else if rest > 0 {
        floats(FLOATS, column, bytes);
    } else if whole > 0 {
        bytes.push(BYTES);
        bytes.extend(column.iter().map(|&number| number as i8 as u8));
    } else if signs > 0 {
        bytes.push(SIGNS);
        bits(column, 1.0, bytes);
        bits(column, -1.0, bytes);
    } else if ones < (column.len() / 8).min(usize::from(u8::MAX - ONES)) {
        places(column, ones, bytes);
    } else {
        bytes.push(BITS);
        bits(column, 1.0, bytes);
    }
}

fn floats(tag: u8, numbers: &[f32], bytes: &mut Vec<u8>) {
    bytes.push(tag);
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// One bit a site: whether it equals `number`.
fn bits(column: &[f32], number: f32, bytes: &mut Vec<u8>) {
    for sites in column.chunks(8) {
        let bit = |(at, &found): (usize, &f32)| u8::from(found == number) << at;
        bytes.push(sites.iter().enumerate().map(bit).sum());
    }
}

/// The number of zeros before each one.
fn places(column: &[f32], ones: usize, bytes: &mut Vec<u8>) {
    bytes.push(ONES + ones as u8);
    let mut next = 0;
    for (site, _) in column.iter().enumerate().filter(|&(_, &number)| number == 1.0) {
        write_count(site - next, bytes);
        next = site + 1;
    }
}

/// Reads a column from the front of `bytes`, which it shortens, onto `sites` zeros that lie `stride` apart. `None` if
/// the bytes are invalid.
pub(super) fn read(bytes: &mut &[u8], sites: usize, stride: usize, onto: &mut [f32]) -> Option<()> {
    match take(bytes, 1)?[0] {
        ZEROS => {}
        CONSTANT => {
            let number = f32::from_le_bytes(take(bytes, 4)?.try_into().ok()?);
            onto.iter_mut().step_by(stride).take(sites).for_each(|place| *place = number);
        }
        BITS => read_bits(take(bytes, sites.div_ceil(8))?, 1.0, (sites, stride), onto)?,
        SIGNS => {
            read_bits(take(bytes, sites.div_ceil(8))?, 1.0, (sites, stride), onto)?;
            read_bits(take(bytes, sites.div_ceil(8))?, -1.0, (sites, stride), onto)?;
        }
        BYTES => {
            let numbers = take(bytes, sites)?.iter().map(|&byte| f32::from(byte as i8));
            onto.iter_mut().step_by(stride).zip(numbers).for_each(|(place, number)| *place = number);
        }
        FLOATS => {
            let numbers = take(bytes, 4 * sites)?.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four));
            onto.iter_mut().step_by(stride).zip(numbers).for_each(|(place, number)| *place = number);
        }
        ones => {
            let mut next = 0;
            for _ in 0..ones - ONES {
                let site = read_count(bytes)?.checked_add(next).filter(|&site| site < sites)?;
                *onto.get_mut(site * stride)? = 1.0;
                next = site + 1;
            }
        }
    }
    Some(())
}

fn read_bits(bits: &[u8], number: f32, (sites, stride): (usize, usize), onto: &mut [f32]) -> Option<()> {
    for (at, &byte) in bits.iter().enumerate() {
        let mut left = byte;
        while left != 0 {
            let site = 8 * at + left.trailing_zeros() as usize;
            *onto.get_mut(site * stride).filter(|_| site < sites)? = number;
            left &= left - 1;
        }
    }
    Some(())
}

/// Appends a count, seven bits a byte.
pub(super) fn write_count(mut count: usize, bytes: &mut Vec<u8>) {
    while count >= 0x80 {
        bytes.push(count as u8 | 0x80);
        count >>= 7;
    }
    bytes.push(count as u8);
}

/// Reads a count from the front of `bytes`, which it shortens.
pub(super) fn read_count(bytes: &mut &[u8]) -> Option<usize> {
    let mut count = 0;
    for shift in (0..32).step_by(7) {
        let byte = take(bytes, 1)?[0];
        count |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(count);
        }
    }
    None
}

/// Splits the first bytes off.
pub(super) fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (first, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The size of a packed column; checks that unpacking restores every bit, and that truncated bytes are refused.
    fn packed(column: &[f32], stride: usize) -> usize {
        let mut bytes = Vec::new();
        write(column, &mut bytes);
        let mut found = vec![0.0; column.len() * stride];
        let mut rest = bytes.as_slice();
        read(&mut rest, column.len(), stride, &mut found).unwrap();
        assert!(rest.is_empty());
        let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found.iter().copied().step_by(stride).collect::<Vec<_>>()), bits(column));
        for end in 0..bytes.len() {
            assert_eq!(read(&mut &bytes[..end], column.len(), stride, &mut found), None);
        }
        bytes.len()
    }

    #[test]
    fn what_a_column_holds_decides_what_it_takes() {
        let with = |numbers: &[f32]| [numbers, &vec![0.0; 64 - numbers.len()]].concat();
        for (column, size) in [
            (with(&[]), 1),
            (vec![1.0; 64], 5),
            (vec![-0.0; 64], 5),
            (vec![f32::NAN; 64], 5),
            (with(&[0.0, 1.0, 1.0]), 3),
            (with(&[1.0; 20]), 9),
            (with(&[1.0, -1.0]), 17),
            (with(&[7.0, -128.0, 1.0]), 65),
            (with(&[128.0]), 257),
            (with(&[-0.0]), 257),
            (with(&[0.5]), 257),
        ] {
            assert_eq!(packed(&column, 1), size, "{column:?}");
            assert_eq!(packed(&column, 3), size, "{column:?}");
        }
        assert_eq!(packed(&[0.0], 1), 1);
        assert_eq!(packed(&[], 1), 1);
    }

    proptest! {
        #[test]
        fn any_numbers_come_back(
            kind in 0..5_usize, column in prop::collection::vec(any::<(u32, u8)>(), 0..400), stride in 1..4_usize,
        ) {
            let number = |&(bits, small): &(u32, u8)| match kind {
                0 => f32::from_bits(bits),
                1 => f32::from(small as i8),
                2 => f32::from(small % 2),
                3 => f32::from((small % 3) as i8 - 1),
                _ => f32::from(u8::from(small % 64 == 0)),
            };
            packed(&column.iter().map(number).collect::<Vec<_>>(), stride);
        }

        #[test]
        fn counts_come_back(count in any::<u32>()) {
            let mut bytes = Vec::new();
            write_count(count as usize, &mut bytes);
            prop_assert_eq!(read_count(&mut bytes.as_slice()), Some(count as usize));
        }
    }
}
