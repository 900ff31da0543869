//! How people write the points of a square board: a column's letter, without `I`, and a row's number from the bottom.

const LETTERS: &[u8] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// The point's name, `A1` at the bottom left; sites count row by row from the top.
pub(super) fn name(site: usize, size: usize) -> String {
    let (row, column) = (site / size, site % size);
    format!("{}{}", char::from(LETTERS[column]), size - row)
}

/// The site with this name, in either case, if the board has one.
pub(super) fn parse(name: &str, size: usize) -> Option<usize> {
    let letter = name.bytes().next()?.to_ascii_uppercase();
    let column = LETTERS[..size].iter().position(|&known| known == letter)?;
    let digits = name.get(1..)?;
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
    let number: usize = if plain { digits.parse().ok()? } else { return None };
    (1..=size).contains(&number).then(|| (size - number) * size + column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_have_their_usual_names() {
        assert_eq!(name(0, 9), "A9");
        assert_eq!(name(8, 9), "J9");
        assert_eq!(name(72, 9), "A1");
        assert_eq!(name(624, 25), "Z1");
    }

    #[test]
    fn only_points_of_the_board_are_read() {
        assert_eq!(parse("j9", 9), Some(8));
        for wrong in ["", "I3", "K3", "A0", "A10", "A01", "A+1", "A", "3A", "É1", "A 1", "A99999999999999999999"] {
            assert_eq!(parse(wrong, 9), None, "{wrong}");
        }
    }
}
