//! Names of grid points: a column's letters and a row's number.
//!
//! Two letters follow after the last letter: `AA`, `AB` and so on.

/// Column letters as on Go boards, without `I`.
pub(crate) const GO: &[u8] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Column letters as on chess boards.
pub(crate) const CHESS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";

/// The action that plays on no point.
pub(crate) const PASS: &str = "pass";

/// The action that exchanges the sides.
pub(crate) const SWAP: &str = "swap";

/// The pass in PGN files of other programs.
pub(crate) const NULL_MOVE: &str = "--";

/// A column's letters, from 0.
fn letters(alphabet: &[u8], column: usize) -> String {
    let last = char::from(alphabet[column % alphabet.len()]);
    match column / alphabet.len() {
        0 => last.into(),
        before => letters(alphabet, before - 1) + &last.to_string(),
    }
}

/// The point's name: its column, and the number of its row, from 1.
pub(crate) fn name(alphabet: &[u8], number: usize, column: usize) -> String {
    format!("{}{number}", letters(alphabet, column))
}

/// Parses a name in either case: the row's number, from 1, and the column, from 0.
pub(crate) fn parse(alphabet: &[u8], name: &str) -> Option<(usize, usize)> {
    let digits = name.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let letters = &name[..name.len() - digits.len()];
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
    let number: usize = if plain { digits.parse().ok()? } else { return None };
    let mut columns: usize = 0;
    for letter in letters.bytes() {
        let letter = alphabet.iter().position(|known| known.eq_ignore_ascii_case(&letter))?;
        columns = columns.checked_mul(alphabet.len())?.checked_add(letter + 1)?;
    }
    Some((number, columns.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_their_usual_letters() {
        assert_eq!(name(GO, 9, 0), "A9");
        assert_eq!(name(GO, 1, 8), "J1");
        assert_eq!(name(GO, 1, 24), "Z1");
        assert_eq!(name(GO, 350, 25), "AA350");
        assert_eq!(name(GO, 2, 349), "NZ2");
    }

    #[test]
    fn names_are_read_back() {
        for column in 0..700 {
            for alphabet in [GO, CHESS] {
                assert_eq!(parse(alphabet, &name(alphabet, column + 1, column)), Some((column + 1, column)));
            }
        }
        assert_eq!([parse(GO, "j9"), parse(CHESS, "I9")], [Some((9, 8)); 2]);
        for wrong in ["", "I3", "A0", "A01", "A+1", "A", "3", "3A", "É1", "A 1", "A99999999999999999999", "pass"] {
            assert_eq!(parse(GO, wrong), None, "{wrong}");
        }
    }
}
